#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --timestamps on ports without a clock: a veth has none.
bats_require_minimum_version 1.5.0
load helper

@test "without a hardware clock, auto and software are software, and nothing is changed for it" {
  lab_up wire
  for choice in auto software; do
    clean_trial --load 1000 --duration 0.1 --wait d=0.2 --timestamps "$choice"
    [ "$status" -eq 0 ]
    check '.latency | .source == "software" and .count == 100 and .error_bound_ns > 0'
    check '[.measurer.ports[].changes[] | select(.setting == "timestamps")] == []'
    check ".configuration.timestamps == \"$choice\""
  done
}

@test "without a hardware clock, hardware ends with the reason" {
  lab_up wire
  for option in "--timestamps hardware" "--prepare auto,timestamps"; do
    # shellcheck disable=SC2086 # two words
    run --separate-stderr "$MLR" trial -p "$A,$B" --load 1000 --duration 0.1 $option
    [ "$status" -eq 3 ]
    [[ $stderr == *"port $B: no hardware receive timestamps: its driver has no hardware clock"*"--timestamps auto"* ]]
  done
}
