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

flows='.trial_result.flows'
# What all flows lost in each interval, as the trial has it; and what one flow lost, over its intervals, as it is said of it.
over_time="([$flows.worst[].intervals.lost] | transpose | map(add)) == [.trial_result.intervals[].lost] and
  ([$flows.worst[].intervals.sent] | transpose | map(add)) == [.trial_result.intervals[].sent] and
  all($flows.worst[]; (.intervals.lost | add) == .lost and (.intervals.sent | add) == .sent)"

@test "over time: each flow's loss stands where its frames were due, to the frame" {
  lab_up hostile:drop-flow,by=4 --queues 2
  clean_trial --load 4kfps --duration 0.5 --interval 100ms --flows 8 --queues 2 --per-flow 8
  check "$over_time and $flows.lossy == 2 and .trial_result.counts.lost == 500"
  check "[$flows.worst[:2][].intervals] == [range(2) | {sent: [range(5) | 50], lost: [range(5) | 50]}]"
  check "all($flows.worst[2:][]; .intervals == {sent: [range(5) | 50], lost: [range(5) | 0]})"
  "$VALIDATE" --closed docs/schema/trial.schema.json - <<<"$output"
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  for form in md html csv txt; do "$MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.$form" --quiet >/dev/null; done
  grep -q 'id="figure-flows"' "$BATS_TEST_TMPDIR/r.html"
  grep -q 'id="flow-interval-table"' "$BATS_TEST_TMPDIR/r.html"
  grep -q 'flows.worst.1.intervals.lost.5' "$BATS_TEST_TMPDIR/r.csv"
  grep -q '^## Flows over time' "$BATS_TEST_TMPDIR/r.md"
  grep -q 'Flows over time' "$BATS_TEST_TMPDIR/r.txt"
}

@test "over time: bursts of loss are each flow's own, both ways" {
  lab_up hostile:drop-burst,by=30
  clean_trial --load 4kfps --duration 0.5 --interval 7ms --flows 6 --per-flow 12 --direction both
  check "$over_time and $flows.lossy == 12 and .trial_result.counts.lost > 1000"
  check "any($flows.worst[].intervals.lost[]; . == 0)"
}

@test "over time: of frames too old for the receiver's memory nobody knows whether they came, unless nothing else was lost" {
  lab_up policer:rate=18kfps,clock=tag
  clean_trial --load 20kfps --duration 4 --interval 100ms --per-flow 1 --wait d=1
  # a frame that is lost displaces none
  check "$flows.worst[0] | .lost > 7000 and .intervals.unknown[0] > 1500 and .intervals.unknown[-1] == 0"
  check "$flows.worst[0] | (.intervals.unknown | add) as \$unknown | \$unknown <= .sent - 65536 and \$unknown >= .sent - 65536 - .lost"
  check "$flows.worst[0] | (.intervals.lost | add) as \$lost | \$lost < .lost and \$lost + (.intervals.unknown | add) >= .lost"
  "$MLR" lab down --name "$LAB" --quiet
  lab_up wire
  clean_trial --load 20kfps --duration 4 --interval 100ms --per-flow 1 --wait d=1
  check "$over_time and ($flows.worst[0].intervals | has(\"unknown\") | not)"
}
