#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab's policer by the wall clock: a device with a queue, whose own counts say what it dropped. What a tester loses there is never more
# and never less, however the machine stalls.
bats_require_minimum_version 1.5.0
load helper
BURST=

# A count of the policer, from port A to port B.
policed() { # MEMBER
  "$MLR" lab status --name "$LAB" --format json | "$JQ" ".policer[0].$1"
}

link_drops() {
  dropped_by_links "$A" "$B"
  inside bash -c "$(declare -f dropped_by_links); dropped_by_links sut-a sut-b"
}

# A trial by this function, in which no link's queue overflowed: the frames that the policer passed and dropped in it are in $passed and
# $dropped.
told() { # FUNCTION OPTION...
  local drops
  for _ in {1..10}; do
    drops=$(link_drops) passed=$(policed passed) dropped=$(policed dropped)
    "$@"
    [ "$status" -le 1 ] || { echo "exit $status: $stderr"; return 1; }
    passed=$(($(policed passed) - passed)) dropped=$(($(policed dropped) - dropped))
    if [ "$(link_drops)" = "$drops" ]; then return; fi
  done
  give_up "a link's queue overflowed in each trial"
}

agrees() {
  echo "the policer passed $passed and dropped $dropped"
  check ".trial_result.counts | .sent == $passed + $dropped and .received == $passed and .lost == $dropped"
}

# Stop the tester for a moment in the middle of its frames, three times.
stall() {
  local stop_s
  for stop_s in 0.001 0.004 0.02; do
    kill -STOP "$pid"
    sleep "$stop_s"
    kill -CONT "$pid"
    sleep 0.05
  done
}

stalled_trial() { # OPTION...
  during_trial stall --tx xsk --tester-repeats 0 "$@"
}

@test "far above the rate frames are lost, and the policer says how many" {
  lab_up policer:rate=2kfps,clock=wall,depth=16
  told trial --tx xsk --tester-repeats 0 --load 20kfps --duration 0.5
  agrees
  [ "$dropped" -gt 0 ] && [ "$passed" -gt 16 ]
  [ "$(policed queue_max_frames)" -eq 16 ]
  run --separate-stderr "$MLR" lab status --name "$LAB"
  [[ $output == *"$A to $B: "*" frames passed, "*" dropped; at most 16 waited at once"* ]]
  [[ $output == *"$B to $A: 0 frames passed, 0 dropped; at most 0 waited at once"* ]]
}

@test "far below the rate of a deep queue nothing is lost" {
  lab_up policer:rate=1Mfps,clock=wall,depth=100000
  told trial --tx xsk --tester-repeats 0 --load 20kfps --duration 0.5
  agrees
  [ "$dropped" -eq 0 ] && [ "$(policed queue_max_frames)" -lt 10000 ]
}

@test "a tester that stalls loses what the policer dropped" {
  lab_up policer:rate=21kfps,clock=wall,depth=64
  told stalled_trial --load 20kfps
  agrees
  [ "$(policed queue_max_frames)" -le 64 ]
  check '.trial_result.loss_attribution.sut == 0 or .tester_limited'
  check '.pacing.excess_frames_max <= 33 and .pacing.burst_allowed == 32'
  check '.trial_result.loss_attribution | .unsent + .dropped_before_wire + .tester_burst + .receiver_missed + .sut' # all are there
  check '.trial_result | .counts.intended - .counts.received == (.loss_attribution | add)'
}

@test "a tester that stalls, and is told to catch up in one burst, loses what the queue has no room for" {
  lab_up policer:rate=21kfps,clock=wall,depth=64
  told stalled_trial --load 20kfps --burst 10000
  agrees
  # a stop of 20 ms in the middle of the frames is followed by 400 of them at once
  check "(.pacing.stop_max_ns < 20000000 or .pacing.stop_max_at > 1) or $dropped > 0"
  [ "$dropped" -eq 0 ] || [ "$(policed queue_max_frames)" -eq 64 ]
}

@test "a tester that stalls loses nothing in a queue that is deeper than all of the trial, nor by the clock of its tags" {
  for sut in clock=wall,depth=1000000 clock=tag,depth=64; do
    lab_up "policer:rate=21kfps,$sut"
    told stalled_trial --load 20kfps
    agrees
    [ "$dropped" -eq 0 ]
    "$MLR" lab down --name "$LAB" --quiet
  done
}

@test "both directions are counted, and frames of other VLANs are not" {
  lab_up policer:rate=1kfps,clock=wall,depth=10,vlan=100
  trial --tx xsk --load 5kfps --duration 0.2 --direction both
  check '.trial_result.counts.received > 0'
  [ "$(policed passed)" -eq 0 ] && [ "$(policed dropped)" -eq 0 ]
  told trial --tx xsk --tester-repeats 0 --load 5kfps --duration 0.2 --vlan 100 --frame-size 68
  agrees
  [ "$(policed queue_max_frames)" -eq 10 ]
  run --separate-stderr "$MLR" lab status --name "$LAB" --format json
  check '.policer[1] | .passed == 0 and .dropped == 0 and .queue_max_frames == 0'
}

@test "a policer whose program somebody took away has no counts, and says so" {
  lab_up policer:rate=1kfps
  inside ip link set dev sut-a xdp off
  run --separate-stderr "$MLR" lab status --name "$LAB" --format json
  [ "$status" -eq 0 ]
  check 'has("policer") | not'
  [[ $stderr == *"the counts of '$LAB' cannot be read"* ]]
}
