#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Each direction by itself: what a sum or a mean over both would hide.
bats_require_minimum_version 1.5.0
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate

# jq: the direction to this port.
to() { # PORT
  echo "(.trial_result.directions[] | select(.to == \"$1\"))"
}

@test "loss, order and intervals of a SUT that loses in one direction" {
  lab_up hostile:one-way,every=50 # of what comes from B
  clean_trial --load 1000 --duration 1 --direction both --interval 500ms --require 'loss<=1.5%' --require 'forwarding-rate>=985'
  # of all frames one in a hundred is lost
  check '.trial_result | .trial_loss_ratio == 0.01 and .loss_ratio == 0.02'
  check ".trial_result.worst_direction == {loss_ratio: {from: \"$B\", to: \"$A\"}}"
  check "$(to "$A") | .loss_ratio == 0.02 and .counts.sent == 1000 and .counts.received == 980 and .counts.lost == 20 and .order.gap_frames >= 19"
  check "$(to "$B") | .loss_ratio == 0 and .counts.sent == 1000 and .counts.lost == 0 and .order.gaps == 0"
  check "[$(to "$A").intervals[].lost] == [10, 10] and [$(to "$B").intervals[].lost] == [0, 0] and [.trial_result.intervals[].lost] == [10, 10]"
  # the verdict is on the worst
  check '[.requirements[] | .met] == [false, false] and [.requirements[] | .measured] == [0.02, 980]'
  [ "$status" -eq 1 ]
  "$VALIDATE" --closed docs/schema/trial.schema.json - <<<"$output"
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  for form in md html csv txt; do "$MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.$form" --quiet >/dev/null; done
  grep -qE "lost 2(\.0*)? % \($B to $A\)" "$BATS_TEST_TMPDIR/r.txt"
  grep -q "$B to $A | 1" "$BATS_TEST_TMPDIR/r.md"
  grep -q "directions.1.loss_ratio" "$BATS_TEST_TMPDIR/r.csv"
  grep -q "$B to $A" "$BATS_TEST_TMPDIR/r.html"
  # and each direction over time has a figure and a table of its own
  grep -q 'id="figure-intervals-2"' "$BATS_TEST_TMPDIR/r.html"
  grep -q 'id="interval-table-2"' "$BATS_TEST_TMPDIR/r.html"
  grep -q "Over time, $B to $A" "$BATS_TEST_TMPDIR/r.md"
  grep -q "Over time, all directions" "$BATS_TEST_TMPDIR/r.txt"
}

@test "the latency of all is that of the worst direction, and the variation is none between directions" {
  lab_up hostile:delay-one-way,by=600 # what comes from B
  clean_trial --load 200 --duration 1 --wait d=2 --direction both --ipdv --require 'latency.mean<=400ms' --require 'pdv.p99<=400ms'
  check '[.requirements[] | .met] == [false, true]'
  check ".latency | .mean_ns >= 6e8 and .worst_direction.mean_ns == {from: \"$B\", to: \"$A\"} and .pdv_p99_ns < 4e8 and .count == 400"
  check "$(to "$A").latency | .min_ns >= 6e8 and .count == 200"
  check "$(to "$B").latency | .mean_ns < 4e8 and .count == 200 and .ipdv_count == 199"
  check ".latency.mean_ns == ([.trial_result.directions[].latency.mean_ns] | max)"
  "$VALIDATE" --closed docs/schema/trial.schema.json - <<<"$output"
}

@test "one direction has no list of directions" {
  lab_up wire
  clean_trial --load 1000 --duration 0.1
  check '.trial_result | .directions == null and .loss_ratio == null and .worst_direction == null'
  check '.latency.worst_direction == null'
}
