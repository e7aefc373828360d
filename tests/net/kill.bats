#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs killed by kill -9 at random moments leave the ports as they were, once `clean` has run. docs/safety.md has the figure of 50.
bats_require_minimum_version 1.5.0

@test "eight runs killed at random moments leave nothing" {
  run tools/bench/kill_runs 8
  echo "$output"
  echo "# ${lines[0]}" >&3
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} == "8 runs killed: 8 left the ports as before"* ]]
}
