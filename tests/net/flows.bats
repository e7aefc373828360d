#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --per-flow: what came of each flow, and which ones are the worst.
bats_require_minimum_version 1.5.0
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate

@test "a SUT that loses one flow: that one is the worst, and no other lost a frame" {
  lab_up router
  # of destinations 198.19.0.2 and on, the fourth leads nowhere
  inside ip route add blackhole 198.19.0.5
  clean_trial --load 1000 --duration 1 --flows 10 --vary dst-address=10 --per-flow 3
  check '.trial_result.flows | .count == 10 and .lossy == 1 and .duplicated == 0 and .reordered == 0 and (.worst | length) == 3'
  check ".trial_result.flows.worst[0] | .lost == 100 and .sent == 100 and .received == 0 and .from == \"$A\" and .to == \"$B\" and .latency == null"
  check '.trial_result.flows.worst[1:][] | .lost == 0 and .sent == 100 and .received == 100 and .latency.max_ns >= .latency.mean_ns and .latency.mean_ns > 0'
  check '.trial_result.flows.worst[1].latency.max_ns == .latency.max_ns'
  "$VALIDATE" --closed docs/schema/trial.schema.json - <<<"$output"
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  for form in md html csv txt; do "$MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.$form" --quiet >/dev/null; done
  grep -q "Of 10 flows, 1 lost frames" "$BATS_TEST_TMPDIR/r.txt"
  grep -q "flows.worst.1.lost" "$BATS_TEST_TMPDIR/r.csv"
  grep -q "The worst flows" "$BATS_TEST_TMPDIR/r.html"
}

@test "all flows of both directions add up to the counts of the trial" {
  lab_up wire
  clean_trial --load 1000 --duration 1 --flows 7 --direction both --per-flow 1000
  check '.trial_result.flows | .count == 14 and .lossy == 0 and (.worst | length) == 14'
  check '([.trial_result.flows.worst[].sent] | add) == .trial_result.counts.sent and ([.trial_result.flows.worst[].received] | add) == .trial_result.counts.received'
}

@test "without sequence numbers there are no flows to tell of" {
  trial --load 1000 --duration 0.1 --no-seq --per-flow 1
  refused 2 "--per-flow" "--no-seq"
}
