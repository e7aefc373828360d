#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs killed by kill -9 at random moments leave the ports as they were, once `clean` has run. docs/reference/safety.md has the figure of 50.
bats_require_minimum_version 1.5.0
load helper

@test "eight runs killed at random moments leave nothing" {
  run tools/bench/kill_runs 8
  echo "$output"
  echo "# ${lines[0]}" >&3
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} == "8 runs killed: 8 left the ports as before"* ]]
}

# Ours comes back when the run ends, and after kill -9 when `clean` has run.
@test "while frames flow the session goes ahead of others, and no longer" {
  [ -e /proc/self/autogroup ] || skip "this kernel shares CPUs out between processes only"
  lab_up wire
  setsid --wait bash -c '
    niceness() { sed "s/.* //" /proc/self/autogroup; }
    raised() { until [ "$(niceness)" = -20 ]; do sleep 0.05; done; }
    set -e
    before=$(niceness)
    "$0" trial -p "$1" --load 1000 --duration 2 --quiet >/dev/null &
    raised
    wait $! || [ $? -eq 1 ]
    [ "$(niceness)" = "$before" ]
    "$0" trial -p "$1" --load 1000 --duration 3600 --quiet >/dev/null &
    raised
    kill -9 $!
    wait $! || true
    [ "$(niceness)" = -20 ]
    "$0" clean --quiet
    [ "$(niceness)" = "$before" ]' "$MLR" "$A,$B"
}

@test "of two runs in a session the last one gives it back, and no clean in between does" {
  [ -e /proc/self/autogroup ] || skip "this kernel shares CPUs out between processes only"
  lab_up wire
  "$MLR" lab up --name "${LAB}x" --sut wire >/dev/null
  setsid --wait bash -c '
    niceness() { sed "s/.* //" /proc/self/autogroup; }
    runs() { until [ "$(ls /run/xdp-mlr/session-* 2>/dev/null | wc -l)" -eq "$1" ]; do sleep 0.05; done; }
    set -e
    before=$(niceness)
    for end in INT KILL; do
      "$0" trial -p "$1" --load 1000 --duration 3600 --quiet >/dev/null &
      first=$!
      runs 1
      "$0" trial -p "$2" --load 1000 --duration 3600 --quiet >/dev/null &
      second=$!
      runs 2
      kill -$end $first
      wait $first || true
      "$0" clean --quiet
      runs 1
      [ "$(niceness)" = -20 ]
      kill -INT $second
      wait $second || true
      [ "$(niceness)" = "$before" ]
    done' "$MLR" "$A,$B" "${LAB}x-a,${LAB}x-b"
}
