#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What needs a CPU for each of several transmitters, or for one and its SUT: queues, both directions, overload. Counts add up to the
# frame, and the interfaces agree.
bats_require_minimum_version 1.5.0
load helper

counts='.trial_result.counts'

wide_lab() { # SUT QUEUES
  "$MLR" lab up --name "$LAB" --sut "$1" --queues "$2" >/dev/null
}

# What the interface itself counts, as sysfs shows it.
statistics() { # link counter
  cat "/sys/class/net/$1/statistics/$2"
}

# What the machine takes away at the end of a trial stays unsent, which is said; what is sent must arrive, and all must add up.
adds_up="$counts | .sent + .unsent == .intended and .received == .sent and .lost == 0 and .duplicate == 0 and .reordered == 0"

@test "one, two and four queues share the load to the frame, one way and both" {
  wide_lab wire 4
  for queues in 1 2 4; do
    # 10 007 is no multiple of 4: the queues get 2502, 2502, 2502 and 2501
    trial --tx xsk --queues "$queues" --load 20014 --duration 0.5
    [ "$status" -le 1 ]
    check "$adds_up and .intended == 10007"
    check ".measurer.ports[0].transmit_queues == $queues and .trial_result.order.gaps == 0"
    check "(.trial_result.counts.unsent > 0) == (.trial_result.tester_limited_reason == \"frames stayed unsent\")"
    trial --tx xsk --queues "$queues" --load 20014 --duration 0.5 --direction both
    [ "$status" -le 1 ]
    check "$adds_up and .intended == 20014"
    check ".ports[0].counts.sent == .ports[1].counts.received and .ports[1].counts.sent == .ports[0].counts.received"
  done
}

# The CPUs that this shell may use are few or many: on one, both directions of two queues are four transmitters that take turns.
@test "transmitters on one CPU take turns and send all; live frames cannot, and that is said beforehand" {
  wide_lab wire 2
  on_one_cpu() { run --separate-stderr taskset -c 0 "$MLR" trial -p "$A,$B" --format json --direction both --queues 2 "$@"; }
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    on_one_cpu --tx xsk --load 20014 --duration 0.5
    check "$adds_up"
    [[ "$stderr" != *"more transmitters than CPUs"* ]]
    if get "$counts | .intended == 20014 and .unsent == 0"; then break; fi
  done
  check "$counts | .intended == 20014 and .unsent == 0"
  on_one_cpu --tx live --load 20014 --duration 0.2
  [ "$status" -le 1 ]
  check "$adds_up"
  [[ "$stderr" == *"more transmitters than CPUs"*"use '--tx xsk'"* ]]
}

@test "two queues send all of a load that they have time for" {
  wide_lab wire 2
  clean_trial --tx xsk --queues 2 --load 2001 --duration 1
  check "$counts | .intended == 2001 and .sent == 2001 and .received == 2001"
}

@test "the interfaces' own counters agree with ours" {
  wide_lab wire 2
  before_a=$(statistics "$A" tx_packets) before_b=$(statistics "$B" rx_packets)
  trial --tx xsk --queues 2 --load 20kfps --duration 0.5
  sent=$(($(statistics "$A" tx_packets) - before_a)) arrived=$(($(statistics "$B" rx_packets) - before_b))
  check ".ports[0].nic_tx_frames == $counts.sent and .ports[1].nic_rx_frames == $counts.received"
  # beside test frames the tester asks for addresses
  [ "$sent" -ge "$(get "$counts.sent")" ] && [ $((sent - $(get "$counts.sent"))) -lt 100 ]
  [ "$sent" -eq "$arrived" ]
}

# Each queue alone offers the policer's rate, so it never idles, whichever queue falls behind the others. Of what departs within t it
# passes t * rate, what its burst holds, and the first frame: (0.2 s - 1 / load) * 10 000/s + 20 + 1, rounded down.
@test "against the policer, an overload of two or four queues is passed to the frame" {
  for queues in 2 4; do
    wide_lab policer:rate=10000,burst=2ms "$queues"
    clean_trial --tx xsk --queues "$queues" --load $((queues * 10000)) --duration 0.2 --wait d=0.2
    check "$counts | .sent == $((queues * 2000)) and .received == 2020 and .lost == .sent - 2020 and .duplicate == 0"
    check ".trial_result.loss_attribution == {unsent: 0, dropped_before_wire: 0, tester_burst: 0, receiver_damaged: 0, receiver_missed: 0, sut: ($counts.sent - 2020)}"
    "$MLR" lab down --name "$LAB"
  done
}

# At the policer's rate, a queue that this machine holds up for longer than the burst loses frames, or leaves some unsent. The burst holds 600: wrong
# code, which sends twice the rate for half the time, loses some 400 without a pause.
@test "against the policer, two queues together are one load of its rate" {
  local try
  wide_lab policer:rate=20000,burst=30ms 2
  for try in {1..10}; do
    trial --tx xsk --queues 2 --load 20000 --duration 0.1 --wait d=0.1
    check "$counts | .received + .lost == .sent"
    get "$counts.unsent > 0 or ($counts.lost > 0 and .pacing.gap_max_ns > 25e6)" >/dev/null || break
    echo "# try $try: $(get '"\(.trial_result.counts.sent) sent, \(.trial_result.counts.lost) lost, longest pause \(.pacing.gap_max_ns) ns"')" >&3
  done
  check "$counts | .intended == 2000 and .received == 2000 and .lost == 0"
}

@test "more queues than the port has are refused, and no queue or too many are no option" {
  lab_up wire
  trial --tx xsk --load 1000 --queues 2
  refused 3 --queues "$A" "1 queue"
  trial --load 1000 --queues 0
  refused 2 queues
  trial --load 1000 --queues 65
  refused 2 queues
}

@test "a router's loss under overload is the router's, to the frame" {
  local before unseen
  lab_up router
  before=$(dropped_by_cpus)
  trial --load max --duration 0.5 --wait d=0.3
  check '.trial_result | .loss_attribution.sut == .counts.lost and .counts.lost > 0'
  # its own counter agrees: what the receive queue of its port had no room for, but for what the queues of the CPUs had none for, either
  unseen=$(get '.trial_result.counts.lost - .ports[0].nic_tx_dropped')
  [ "$unseen" -ge 0 ] && [ "$unseen" -le $(($(dropped_by_cpus) - before)) ]
}

# --- live frames, whose transmitters take no turns ---

# Every frame that was intended is sent or unsent, and what is sent arrives. Two directions on the two CPUs of a busy machine
# seldom get to all of it.
live_adds_up() {
  check "$counts | .sent > 0 and .intended == .sent + .unsent and .received == .sent and .lost == 0"
  check "$counts | .duplicate == 0 and .reordered == 0 and .late == 0 and .foreign == 0 and .malformed == 0"
  check '.ports | map(.counts.sent) == (map(.counts.received) | reverse)'
}

@test "live frames: both directions, and the other one, add up" {
  lab_up wire
  trial --tx live --load 40kfps --duration 0.5 --direction both
  live_adds_up
  check '.trial_result.counts.intended == 40000'
  clean_trial --tx live --load 20kfps --duration 0.5 --direction b-to-a
  check '[.ports[].counts.sent] == [0, 10000] and [.ports[].counts.received] == [10000, 0]'
}

@test "live frames: every profile adds up to the frame, both ways" {
  local options
  lab_up xdp
  for options in "--frame-size 84 --ip 6" "--frame-size 100 --ip mixed --flows 7" "--frame-size 68 --vlan 100:5" \
    "--frame-size 92 --vlan 100,200:7 --ip 6" "--frame-size imix" "--flows 1000 --flow-order random --seed 3" \
    "--frame-size imix:3:128,1:1500 --ip mixed --flows 999 --vary src-port=27:3,dst-address=40 --vlan 7"; do
    trial --tx live --load 20kfps --duration 0.3 --direction both $options
    live_adds_up
    check "$counts | .intended == 12000"
  done
}

@test "live frames: a router edits every one both ways, and every one is right when its page comes back" {
  lab_up router
  clean_trial --tx live --load 10kfps --duration 1 --direction both
  check "$counts | .received == 20000 and .malformed == 0"
}
