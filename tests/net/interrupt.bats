#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A stop before the first trial: there is a result all the same, which says that nothing was measured.
bats_require_minimum_version 1.5.0
load helper

# Start a verb, and stop it while it asks for gateways that nobody is (which takes a second).
stop_early() { # SIGNAL VERB OPTION...
  start "${@:2}"
  until [ "$(xdp_count)" -ge 1 ]; do sleep 0.01; done
  kill "-$1" "$pid"
  ended
  [ "$status" -eq 130 ] || { echo "exit $status: $stderr"; return 1; }
}

# The same, and look at the document that it printed.
stopped() { # VERB OPTION...
  stop_early INT "$@" --format json
  echo "$output" >"$BATS_TEST_TMPDIR/document.json"
  "${BUILD:-build}"/tests/tools/validate "docs/schema/$1.schema.json" "$BATS_TEST_TMPDIR/document.json"
  check '.irregular_reason | test("interrupted")'
  [ "$(xdp_count)" -eq 0 ]
}

@test "a search that is stopped before its first trial prints what it was going to do" {
  lab_up wire
  stopped search --report "$BATS_TEST_TMPDIR/report.html" --require 'ndr>=1kfps' --require 'pdr>=80%'
  check '.trials == [] and .controller_input.max_load == null and (.controller_input.goals | length) == 2'
  check '.search_result | map(.regular == false and .irregular_reason == "interrupted" and .relevant_lower_bound == null) == [true, true]'
  check '.requirements | map(.met) == [false, false] and .[0].required == 1000 and .[1].required == null'
  check '.measurer.name == "xdp" and .traffic_profile.frame_size_octets == 64 and .configuration.ports == "'"$A,$B"'"'
  [ -s "$BATS_TEST_TMPDIR/report.html" ]
  for ending in txt md csv html; do
    "$MLR" report "$BATS_TEST_TMPDIR/document.json" --report "$BATS_TEST_TMPDIR/again.$ending" --quiet
    [ -s "$BATS_TEST_TMPDIR/again.$ending" ]
  done
}

@test "so do several, a trial, a soak, a suite and a self-test" {
  lab_up wire
  stopped search --repeat 3
  check '.trials == [] and .repeats.asked == 3'
  stopped trial --load 50%
  check '.trial_result == null and .aggregate_factor == 1'
  stopped soak
  check '.trials == [] and .critical_load.mean == null and .ended_by == "interrupted"'
  "$MLR" report "$BATS_TEST_TMPDIR/document.json" --report "$BATS_TEST_TMPDIR/soak.html" --quiet
  stopped rfc2544 --fast --direction both
  check '.frame_sizes == [] and .aggregate_factor == 2 and .regular == false'
  "$MLR" report "$BATS_TEST_TMPDIR/document.json" --report "$BATS_TEST_TMPDIR/suite.html" --quiet
  stopped selftest
  check '.self_tests == []'
}

@test "the stream of events ends with it, too" {
  lab_up wire
  stop_early TERM search --format jsonl
  output=$(tail -n 1 <<<"$output")
  check '.schema == "xdp-mlr/search/1" and .irregular_reason == "interrupted" and .trials == []'
}
