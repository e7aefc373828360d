#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The transmitter of live frames, end to end.
bats_require_minimum_version 1.5.0
load helper

counts='.trial_result.counts'

live() {
  clean_trial --tx live "$@"
}

spare_links() { # in any network namespace that a process of ours has
  for file in /proc/[0-9]*/ns/net; do
    nsenter --net="$file" ip -j link show spare 2>/dev/null
  done | jq -s 'map(length) | add // 0'
}

@test "a wire gets every frame, and the interfaces agree" {
  lab_up wire
  live --load 100kfps --duration 1
  [ "$status" -eq 0 ]
  check "$counts | .intended == 100000 and .sent == 100000 and .received == 100000"
  check "$counts | .duplicate == 0 and .reordered == 0 and .late == 0 and .foreign == 0 and .malformed == 0"
  check '.ports[0].nic_tx_frames == 100000 and .ports[1].nic_rx_frames == 100000'
  check '.latency.count == 100000 and .latency.min_ns > 0'
  check '.trial_result.tx_backend == "live" and .measurer.tx_backend == "live"'
  check '.measurer.ports[0].transmit_mode == "live frames" and .pacing.burst_max >= 1'
}

@test "slow loads, of which the program drops most of its runs" {
  lab_up wire
  live --load 10 --duration 0.5
  check "$counts | .sent == 5 and .received == 5"
  live --load 599 --duration 1
  check "$counts | .sent == 599 and .received == 599"
}

@test "fast loads, in batches" {
  lab_up wire
  for load in 800kfps 1.2Mfps; do
    live --load $load --duration 0.2
    [ "$status" -eq 0 ]
    check "$counts | .received == .intended and .lost == 0"
    check '.pacing.burst_max >= 1'
  done
}

@test "--load max sends as fast as it can, and calls that intended" {
  lab_up wire
  trial --tx live --load max --duration 0.1
  check "$counts | .intended == .sent and .unsent == 0 and .sent > 1000 and .received == .sent"
}

@test "what it did not get to is unsent, and the tester is said to be the limit" {
  lab_up xdp
  trial --tx live --load 100Mfps --duration 0.2 --wait d=0.2
  [ "$status" -eq 1 ]
  check "$counts | .intended == 20000000 and .sent < .intended and .unsent == .intended - .sent"
  check '.tester_limited and .trial_result.tester_limited'
}

@test "a router edits every frame, and still every one is right when its page comes back" {
  lab_up router
  live --load 20kfps --duration 1
  [ "$status" -eq 0 ]
  check '.measurer.ports[0].destination_mac_source == "learned by ARP"'
  check "$counts | .received == 20000 and .malformed == 0 and .duplicate == 0 and .reordered == 0"
}

@test "the policer loses exactly what exceeds its rate" {
  lab_up policer:rate=200000,burst=100us
  live --load 200000 --duration 1
  [ "$status" -eq 0 ]
  check "$counts | .lost == 0 and .received == 200000"
  live --load 202000 --duration 1 --wait d=0.2
  check "$counts | .sent == 202000 and .lost == 1980"
  check '.trial_result.loss_attribution | .sut == 1980 and .unsent == 0 and .dropped_before_wire == 0'
}

@test "frames on the wire have the asked size and good checksums" {
  frames_have_size_and_checksums --tx live
}

@test "a million flows are sent" {
  lab_up xdp
  live --load 200kfps --duration 1 --flows 1000000 --vary src-port=1000,dst-address=200,dst-port=5
  [ "$status" -eq 0 ]
  check "$counts | .received == 200000 and .duplicate == 0 and .malformed == 0"
}

@test "the policer is exact to the frame with sizes and flows mixed" {
  lab_up policer:rate=50000,burst=100us
  live --load 60000 --duration 0.5 --wait d=0.2 --ip mixed --frame-size imix:3:128,1:1500 --flows 1000
  check "$counts | .sent == 30000 and .lost == 4995"
}

@test "broadcast frames are sent beside the load, and counted apart" {
  lab_up bridge
  live --load 10kfps --duration 0.99 --modifier broadcast=1%
  check "$counts | .intended == 9900 and .received == 9900"
  check '.ports[0].extra_sent == 99 and .ports[1].extra_received == 99'
}

join_taps() {
  [ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
  A=$LAB-x B=$LAB-y LAB_SUT=none
  taskset -c "$every_cpu" "${BUILD:-build}/tests/tools/join_taps" "$A" "$B" &
  background+=("$!")
  until [ -e "/sys/class/net/$B" ]; do sleep 0.02; done
  ip link set "$A" up
  ip link set "$B" up
  carried "$A" "$B"
}

# A tap counts as received what its XDP program passes on, and no frame that the program takes.
@test "a port that counts frames of XDP elsewhere may receive more of others than of ours" {
  command -v python3 >/dev/null || skip "python3 is not here"
  join_taps
  start trial --load 100 --duration 2 --format json
  while running && [ "$(cat "/sys/class/net/$A/statistics/tx_packets")" -lt 20 ]; do sleep 0.01; done
  python3 -c 'import socket, sys, time
port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
port.bind((sys.argv[1], 0))
for _ in range(300):
    port.send(b"\xff" * 6 + b"\x02" * 6 + b"\x88\xb6" + bytes(46))
    time.sleep(0.002)' "$A"
  ended
  [ "$status" -eq 0 ]
  check '.trial_result.counts | .received == 200 and .foreign == 300'
}

@test "frames that find the port down are dropped before the wire, and make no later trial wrong" {
  join_taps
  start sweep --tx live --loads 1000,1100 --duration 2 --wait d=0.2 --format json
  while running && [ "$(cat "/sys/class/net/$A/statistics/tx_packets")" -lt 100 ]; do sleep 0.01; done
  ip link set "$A" down
  sleep 0.2
  ip link set "$A" up
  ended
  check '.trials[0] | .counts.lost > 0 and .loss_attribution.dropped_before_wire >= .counts.lost - 50 and .loss_attribution.unsent == 0'
  check '.trials[1].counts | .duplicate == 0 and .received == .sent'
}

@test "a port that takes no redirected frames is refused, with the remedy, and auto uses AF_XDP" {
  # veth pairs whose far ends have neither an XDP program nor gro
  ip link add "$LAB-x" type veth peer name "$LAB-y"
  ip link add "$LAB-u" type veth peer name "$LAB-v"
  for port in x y u v; do ip link set "$LAB-$port" up; done
  carried "$LAB-x" "$LAB-u"
  A=$LAB-x B=$LAB-u
  trial --tx live --load 1000 --duration 0.1
  refused 3 "port $LAB-x" "gro on" "--tx xsk"
  trial --tx auto --load 1000 --duration 0.1 --wait d=0.1
  check '.trial_result.tx_backend == "xsk"'
  ethtool -K "$LAB-y" gro on
  live --load 1000 --duration 0.1 --wait d=0.1
  check "$counts | .sent == 100"
  ip link del "$LAB-u"
}

@test "a frame that does not fit into a page is refused with the limit" {
  lab_up wire
  ip link set "$A" mtu 3000
  ip link set "$B" mtu 3000
  live --load 1000 --duration 0.1 --frame-size 3000
  check "$counts | .received == 100"
  ip link set "$A" mtu 3500
  ip link set "$B" mtu 3500
  live --load 1000 --duration 0.1 --frame-size 3500
  refused 3 "one page" "--tx xsk"
}

@test "auto takes whichever backend a fresh self-test found faster, if the port can" {
  export XDP_MLR_STATE_DIRECTORY=$BATS_TEST_TMPDIR
  store=$BATS_TEST_TMPDIR/selftest/$A+$B.json
  lab_up wire
  selftest
  [ "$status" -eq 0 ]
  clean_trial --load 1000 --duration 0.1
  check '.trial_result.tx_backend == "xsk"'
  # as if the other backend had been tested too, and done better
  jq '.self_tests += [.self_tests[0] | .tx_backend = "live" | .transmit_mode = "live frames" | .clean_load *= 2]' "$store" >"$store.new"
  mv "$store.new" "$store"
  clean_trial --load 1000 --duration 0.1
  check '.trial_result.tx_backend == "live" and .trial_result.counts.received == 100'
  jq '.self_tests[1].clean_load /= 4' "$store" >"$store.new"
  mv "$store.new" "$store"
  clean_trial --load 1000 --duration 0.1
  check '.trial_result.tx_backend == "xsk"'
}

@test "SIGINT ends it, with what is known, and exit 130" {
  lab_up wire
  for load in 10 100000 max; do
    start trial --tx live --load "$load" --duration 3600 --format json
    flowing 6 # ARP is over
    interrupted
    check '.irregular_reason != null'
    no_xdp_left
  done
}

@test "kill -9 leaves neither a program nor the spare veth behind" {
  lab_up wire
  before=$(spare_links)
  start trial --tx live --load 1000 --duration 3600
  flowing 20
  programs=$(cat /proc/"$pid"/fdinfo/* | awk '$1 == "prog_id:" { print $2 }' | sort -u)
  [ "$(wc -l <<<"$programs")" -ge 2 ]
  kill -9 "$pid"
  ended
  until [ "$(xdp_count)" -eq 0 ]; do sleep 0.02; done
  [ "$(spare_links)" -eq "$before" ]
  [ "$(ip -o link show type veth | grep -c spare)" -eq 0 ]
  for program in $programs; do
    while bpftool prog show id "$program" >/dev/null 2>&1; do sleep 0.02; done
  done
}
