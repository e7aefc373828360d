#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Frames that arrive damaged at the tester's own receiving port, as over a dirty fibre, are no loss of the SUT.
bats_require_minimum_version 1.5.0
load helper

WIRE=${BUILD:-build}/tests/tools/dirty_wire

# Port A is a veth, port B a VXLAN device, which counts one frame in so many as a receive error.
wire_up() { # EVERY
  LAB_SUT=none
  ip link set lo up
  ip address add 203.0.113.1/32 dev lo
  ip link add "$A" type veth peer name "$LAB-x"
  ip link add "$B" type vxlan id 1 local 203.0.113.1 dstport 4789
  ip link set "$LAB-x" up
  ip link set "$A" up
  ip link set "$B" up
  carried "$A"
  taskset -c "$every_cpu" "$WIRE" "$LAB-x" 203.0.113.1 "$1" &
  background+=("$!")
}

teardown() {
  local pid
  for pid in "${background[@]}"; do kill "$pid" 2>/dev/null || true; done
  "$MLR" clean --quiet >/dev/null
  ip link del "$A" 2>/dev/null || true
  ip link del "$B" 2>/dev/null || true
  ip address flush dev lo
}

@test "each damaged frame is known as that, and the trial is limited by it" {
  wire_up 100
  clean trial --load 2kfps --duration 1
  check '.trial_result.counts.lost as $lost | $lost >= 19 and $lost <= 21'
  check '.trial_result | .loss_attribution == {unsent: 0, dropped_before_wire: 0, tester_burst: 0, receiver_damaged: .counts.lost, receiver_missed: 0, sut: 0}'
  check '.trial_result.counts.lost == .ports[1].nic_rx_damaged'
  check '.trial_result.counts.lost as $lost | [.ports[1].counters_moved[] | select(.moved == $lost) | .counter] | contains(["rx_errors", "rx_frame_errors"])'
  [ "$status" -eq 1 ]
  check '.tester_limited and .trial_result.tester_limited_reason == "frames arrived damaged at the receiving interface"'
  run --separate-stderr "$MLR" trial -p "$A,$B" --burst "$BURST" --load 2kfps --duration 0.5
  [ "$status" -eq 1 ]
  [[ $output == *"Counters of our own ports that moved"*"rx_frame_errors"* ]]
  [[ $output == *"rrived damaged at our port"* && $output == *"transceivers"* ]]
}

@test "over the same wire without damage nothing is limited" {
  wire_up 0
  clean trial --load 2kfps --duration 1
  [ "$status" -eq 0 ]
  check '.trial_result.counts.lost == 0 and .ports[1].nic_rx_damaged == 0'
}

@test "a search whose bounds rest on damaged frames is limited, not regular" {
  wire_up 500
  search --min-load 1kfps --max-load 4kfps --goal loss=0,exceed=0.5,initial=0.5,final=0.5,sum=1.5,width=20%
  [ "$status" -eq 1 ]
  check '.search_result[0].tester_limited'
  check '[.trials[].loss_attribution | .receiver_damaged] | add > 0'
}
