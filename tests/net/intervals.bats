#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --interval: a trial by intervals of its schedule, each exact to the frame.
bats_require_minimum_version 1.5.0
load helper

intervals='.trial_result.intervals'
sums="([$intervals[].sent] | add) == .trial_result.counts.sent and ([$intervals[].received] | add) == .trial_result.counts.received"

@test "each interval has the frames that were due in it, whichever queue or backend sent them" {
  lab_up wire
  for tx in xsk live; do
    clean_trial --load 10kfps --duration 0.55 --interval 100ms --tx "$tx"
    [ "$status" -eq 0 ]
    check "[$intervals[] | .sent] == [1000, 1000, 1000, 1000, 1000, 500]"
    check "[$intervals[] | .received] == [1000, 1000, 1000, 1000, 1000, 500]"
    check "([$intervals[].start * 10 | round] == [range(6)]) and all($intervals[]; .lost == 0)"
    check "all($intervals[].latency; .min_ns > 0 and .min_ns <= .mean_ns and .mean_ns <= .max_ns)"
    check "([$intervals[].latency.min_ns] | min) == .latency.min_ns and ([$intervals[].latency.max_ns] | max) == .latency.max_ns"
  done
  # frames that are due where an interval begins are of that one, also where their times are rounded
  clean_trial --load 7kfps --duration 1 --interval 100ms
  [ "$status" -eq 0 ]
  check "[$intervals[] | .sent] == [range(10) | 700] and [$intervals[] | .received] == [$intervals[] | .sent]"
  # both ways, and intervals that do not divide the trial
  clean_trial --load 10kfps --duration 0.1 --interval 3ms --direction both
  [ "$status" -eq 0 ]
  check "[$intervals[] | .sent] == [range(33) | 60] + [20] and [$intervals[] | .received] == [$intervals[] | .sent]"
}

@test "a burst of loss stands where it was, and only there" {
  lab_up hostile:drop,every=2000,by=1000
  trial --load 10kfps --duration 1 --interval 100ms
  check "$sums"
  check "([$intervals[].lost] | add) == .trial_result.counts.lost and .trial_result.counts.lost > 0"
}

take_from_bridge() { # after some intervals
  flowing 1000
  inside ip link set sut-b nomaster
}

@test "loss that begins in a trial is none before, and all after" {
  lab_up bridge
  during_trial take_from_bridge --load 5kfps --interval 50ms --wait d=0.1
  check "$sums and .trial_result.counts.lost > 0"
  check "[$intervals[] | .received == .sent] | index(false) as \$at | \$at > 0 and all(.[\$at + 1:][]; not)"
  check "[$intervals[] | .received] | index(0) as \$at | \$at > 0 and all(.[\$at:][]; . == 0)"
}

@test "a search has them in each trial, a report shows them, and what cannot be counted is refused" {
  lab_up policer:rate=20000
  run --separate-stderr "$MLR" search -p "$A,$B" --min-load 1kfps --goal name=x,loss=0.1,exceed=0.5,final=0.1,sum=0.1,width=0.2 --interval 20ms --format json
  check 'all(.trials[]; (.intervals | length) == (.trial_duration / 0.02 | round) and ([.intervals[].sent] | add) == .counts.sent and ([.intervals[].received] | add) == .counts.received)'
  "$MLR" trial -p "$A,$B" --load 10kfps --duration 0.3 --interval 100ms --report "$BATS_TEST_TMPDIR/r.html" --report "$BATS_TEST_TMPDIR/r.md" --format text >"$BATS_TEST_TMPDIR/r.txt" 2>/dev/null || true
  grep -q 'id="figure-intervals"' "$BATS_TEST_TMPDIR/r.html"
  grep -q 'Over time' "$BATS_TEST_TMPDIR/r.md"
  grep -q 'Over time' "$BATS_TEST_TMPDIR/r.txt"
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 10kfps --duration 2 --interval 1ms
  [ "$status" -eq 2 ] && [[ $stderr == *"2000 of them"* ]]
  run --separate-stderr "$MLR" trial -p "$A,$B" --load max --duration 0.1 --interval 10ms
  [ "$status" -eq 2 ] && [[ $stderr == *"--load max"* ]]
  run --separate-stderr "$MLR" search --measurer sim:hard,capacity=1e6 --max-load 1e7 --interval 1s
  [ "$status" -eq 2 ] && [[ $stderr == *"ports of this machine"* ]]
}
