#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Several transmit queues, both directions, long frames: counts add up to the frame, and the interfaces agree.
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

@test "one, two and four queues send the load to the frame, one way and both" {
  wide_lab wire 4
  for queues in 1 2 4; do
    # 10 007 is no multiple of 4: the queues get 2502, 2502, 2502 and 2501
    clean_trial --tx xsk --queues "$queues" --load 20014 --duration 0.5
    [ "$status" -eq 0 ]
    check "$counts | .intended == 10007 and .sent == 10007 and .received == 10007 and .duplicate == 0 and .reordered == 0"
    check ".measurer.ports[0].transmit_queues == $queues and .trial_result.order.gaps == 0"
    clean_trial --tx xsk --queues "$queues" --load 20014 --duration 0.5 --direction both
    [ "$status" -eq 0 ]
    check "$counts | .intended == 20014 and .sent == 20014 and .received == 20014"
    check "[.ports[].counts.received] == [10007, 10007]"
  done
}

@test "the interfaces' own counters agree with ours" {
  wide_lab wire 2
  before_a=$(statistics "$A" tx_packets) before_b=$(statistics "$B" rx_packets)
  clean_trial --tx xsk --queues 2 --load 20kfps --duration 0.5
  sent=$(($(statistics "$A" tx_packets) - before_a)) arrived=$(($(statistics "$B" rx_packets) - before_b))
  # every try of clean_trial sent as many; beside test frames the tester asks for addresses
  check ".ports[0].nic_tx_frames == 10000 and .ports[1].nic_rx_frames == 10000"
  [ "$sent" -ge 10000 ] && [ "$arrived" -ge "$(get "$counts.received")" ]
  [ $((sent - arrived)) -eq 0 ]
}

@test "against the policer, queues together are one load" {
  # a queue may fall behind the other where this machine stalls, as far as the burst allows
  wide_lab policer:rate=50000,burst=100ms 2
  clean_trial --tx xsk --queues 2 --load 50000 --duration 1
  check "$counts | .lost == 0 and .received == 50000"
  # the burst lets 5000 of 10 000 frames too many through, and fewer where one queue fell behind the other
  clean_trial --tx xsk --queues 2 --load 60000 --duration 1 --wait d=0.2
  check "$counts | .sent == 60000 and .lost > 4900 and .lost < 10000 and .received + .lost == 60000"
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
