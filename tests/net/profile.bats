#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Traffic profiles, end to end: what arrives inside the SUT is what was asked for, and every frame is accounted for.
bats_require_minimum_version 1.5.0
load helper

counts='.trial_result.counts'

# Every frame that was intended is sent or unsent, every frame that was sent is received or lost, and nothing else is seen.
adds_up() {
  check "$counts | .intended == .sent + .unsent and .sent == .received + .lost"
  check "$counts | .duplicate == 0 and .reordered == 0 and .late == 0 and .foreign == 0 and .malformed == 0"
  check '.trial_result | .counts.lost == ([.loss_attribution | .dropped_before_wire, .receiver_missed, .sut] | add)'
}

wait_listening() {
  until grep -q "listening" "$BATS_TEST_TMPDIR/err"; do
    if grep -q "error\|syntax" "$BATS_TEST_TMPDIR/err"; then return 1; fi
    sleep 0.05
  done
}

# Look at COUNT frames inside the SUT while a trial goes on: $dump has a line or two a frame.
look() { # COUNT tcpdump-arguments... -- trial-options...
  local frames=$1 arguments=() LAB_SUT=none # its program is taken off, so all frames are lost
  shift
  while [ "$1" != -- ]; do arguments+=("$1"); shift; done
  shift
  inside ip link set dev sut-a xdp off
  inside timeout 60 tcpdump --immediate-mode -i sut-a -c "$frames" -nn -e -vv "${arguments[@]}" >"$BATS_TEST_TMPDIR/dump" 2>"$BATS_TEST_TMPDIR/err" &
  background+=($!)
  wait_listening
  clean_trial --load 1000 --duration 0.2 --wait d=0.05 "$@"
  wait "${background[-1]}"
  dump=$BATS_TEST_TMPDIR/dump
}

@test "every profile adds up to the frame, both ways" {
  local options
  lab_up xdp
  for options in "--frame-size 84 --ip 6" "--frame-size 100 --ip mixed --flows 7" "--frame-size 68 --vlan 100:5" \
    "--frame-size 92 --vlan 100,200:7 --ip 6" "--frame-size imix" "--frame-size genome:abcdefg" "--flows 1000" \
    "--flows 1000 --flow-order random --seed 3" "--vary src-address=50,dst-address=20:2" "--frame-size 72 --vlan 1,2 --vlan-outer 802.1Q" \
    "--frame-size imix:csit --flows 999 --vary src-port=27:3,dst-address=40 --vlan 7 --frame-size 9:128,1:1518" ; do
    options=${options/--frame-size 9:/--frame-size imix:9:}
    clean_trial --load 20kfps --duration 0.3 --direction both $options
    [ "$status" -eq 0 ]
    adds_up
    check "$counts | .received == 12000 and .lost == 0"
    check '[.ports[].counts.received] == [6000, 6000]'
  done
}

@test "a mix whose smallest size is too small is sent with larger ones, and that deviates" {
  lab_up xdp
  clean_trial --load 20kfps --duration 0.3 --ip 6 --frame-size imix:28:78,16:570,4:1518
  adds_up
  check "$counts.received == 6000"
  check '.traffic_profile.frame_sizes | map(.size_octets) == [84, 570, 1518]'
  check '.deviations | any(test("has frames of 78 octets; in place .* frames of 84 are sent"))'
}

@test "a million flows are received, and none is taken for another" {
  lab_up xdp
  clean_trial --load 200kfps --duration 1 --flows 1000000 --vary src-port=1000,dst-address=200,dst-port=5
  [ "$status" -eq 0 ]
  adds_up
  check "$counts | .received == 200000"
  check '.traffic_profile | .flows_per_port == 1000000 and .varied_fields["src-port"].count == 1000'
}

@test "the policer is exact to the frame with every profile" {
  local options
  lab_up policer:rate=50000,burst=100us
  for options in "" "--ip 6 --frame-size 84" "--vlan 5:1,6 --frame-size 72" "--frame-size imix" "--flows 1000" \
    "--ip mixed --frame-size imix:3:128,1:1500 --flows 1000 --flow-order random"; do
    # 5 frames fit into the burst of 100 us; the first frame that is too many is one that is due an interval later
    clean_trial --load 50000 --duration 0.2 --wait d=0.2 $options
    adds_up
    check "$counts | .lost == 0"
    clean_trial --load 60000 --duration 0.2 --wait d=0.2 $options
    adds_up
    check "$counts | .lost == 1995"
  done
}

@test "IPv6 frames are right, as the SUT sees them" {
  lab_up xdp
  for size in 84 85 1518; do
    look 5 udp -- --ip 6 --frame-size "$size"
    [ "$(grep -c "length $((size - 4)): .*hlim 64, next-header UDP (17),\? payload length:\? $((size - 58)))" "$dump")" -eq 5 ]
    [ "$(grep -c "2001:2:0:1::2.49184 > 2001:2:0:2::2.7: \[udp sum ok\] UDP, length $((size - 66))" "$dump")" -eq 5 ]
  done
}

@test "VLAN tags are right, as the SUT sees them" {
  lab_up xdp
  look 5 vlan 100 and udp -- --vlan 100:5 --frame-size 68
  [ "$(grep -c "ethertype 802.1Q (0x8100), length 64: vlan 100, p 5, ethertype IPv4" "$dump")" -eq 5 ]
  [ "$(grep -c "udp sum ok" "$dump")" -eq 5 ]
  look 5 vlan 100 and vlan 200 and udp -- --vlan 100,200:7 --ip 6 --frame-size 92
  [ "$(grep -c "ethertype 802.1Q-QinQ (0x88a8), length 88: vlan 100, p 0, ethertype 802.1Q (0x8100), vlan 200, p 7, ethertype IPv6" "$dump")" -eq 5 ]
  [ "$(grep -c "udp sum ok" "$dump")" -eq 5 ]
  look 5 vlan 3 and vlan 4 and udp -- --vlan 3,4 --vlan-outer 802.1Q --frame-size 72
  [ "$(grep -c "ethertype 802.1Q (0x8100), length 68: vlan 3, p 0, ethertype 802.1Q (0x8100), vlan 4, p 0, ethertype IPv4" "$dump")" -eq 5 ]
}

@test "sizes come in the order of the genome, and flows in turn" {
  lab_up xdp
  look 10 udp -- --frame-size genome:abgca --flows 3 --vary src-port=3:10,dst-address=2
  [ "$(grep -o 'UDP, length [0-9]*' "$dump" | grep -o '[0-9]*$' | paste -sd' ')" = "18 82 1472 210 18 18 82 1472 210 18" ]
  [ "$(grep -o '198.18.0.2.[0-9]* >' "$dump" | sed 's/.*\.\([0-9]*\) >/\1/' | head -4 | paste -sd' ')" = "49184 49184 49194 49184" ]
  if grep -q "bad" "$dump"; then return 1; fi
}

@test "a template gives sizes, header fields, ports and payload" {
  local pcap=$BATS_TEST_TMPDIR/like.pcap
  {
    printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0'
    printf '\0\0\0\0\0\0\0\0\x50\0\0\0\x50\0\0\0' # 80 octets
    printf '\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x81\0\x60\x09\x08\0'
    printf '\x45\xb8\0\x3e\x12\x34\x40\0\x07\x11\0\0\x0a\0\0\x01\x0a\0\0\x02'
    printf '\x13\x88\x17\x70\0\x2a\0\0eighteen.octets.it.lives.on.'
    printf '\0\0\0\0\0\0'
  } >"$pcap"
  lab_up xdp
  look 5 -X vlan 9 and udp -- --template "$pcap"
  [ "$(grep -c "ethertype 802.1Q (0x8100), length 80: vlan 9, p 3, ethertype IPv4" "$dump")" -eq 5 ]
  [ "$(grep -c "(tos 0xb8, ttl 7, id 4660, offset 0, flags \[DF\], proto UDP (17), length 62)" "$dump")" -eq 5 ]
  [ "$(grep -c "198.18.0.2.5000 > 198.19.0.2.6000: \[udp sum ok\]" "$dump")" -eq 5 ]
  # behind the 18 octets where the tag is, and the 4 of the signature
  [ "$(grep -c "es.on" "$dump")" -eq 5 ]
  adds_up
  check '.traffic_profile | .frame_size_octets == 84 and (.template | endswith("like.pcap"))'
}

@test "broadcast frames are sent beside the load, and counted apart" {
  lab_up bridge
  clean_trial --load 10kfps --duration 0.99 --modifier broadcast=1%
  adds_up
  check "$counts | .intended == 9900 and .received == 9900"
  # one after every 99; the last one has no frame behind it
  check '.ports[0].extra_sent == 99 and .ports[1].extra_received == 99'
  check '.ports[0].nic_tx_frames >= 9999'
  look 1 ether broadcast and udp -- --modifier broadcast=10%
  grep -q "> ff:ff:ff:ff:ff:ff, ethertype IPv4 (0x0800), length 60" "$dump"
  grep -q "198.18.0.2.49184 > 255.255.255.255.9: \[udp sum ok\]" "$dump"
}

@test "management queries are sent each second, as SNMP" {
  lab_up router
  # a router of the kernel has no SNMP agent, and says so
  inside timeout 60 tcpdump --immediate-mode -i sut-a -c 3 -nn -vv udp dst port 161 >"$BATS_TEST_TMPDIR/dump" 2>"$BATS_TEST_TMPDIR/err" &
  background+=($!)
  wait_listening
  clean_trial --load 1000 --duration 1 --modifier management=3/s
  wait "${background[-1]}"
  [ "$(grep -c "udp sum ok.*GetNextRequest.*1.3.6.1.2.1.1.3\|GetNextRequest.*system.sysUpTime" "$BATS_TEST_TMPDIR/dump")" -eq 3 ]
  check '.ports[0].queries_sent == 3 and .ports[0].queries_answered == 0'
  check "$counts | .received == 1000 and .lost == 0"
}

# Give the lab's router IPv6 addresses, and let it forward.
router6() {
  inside sh -c 'for port in sut-a sut-b; do echo 0 >/proc/sys/net/ipv6/conf/$port/disable_ipv6; done
    echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
  inside ip -6 address add 2001:2:0:1::1/64 dev sut-a nodad
  inside ip -6 address add 2001:2:0:2::1/64 dev sut-b nodad
  # it asks from its link-local addresses, which it takes a second or two to make sure of
  while [ -n "$(inside ip -6 address show tentative)" ]; do sleep 0.1; done
}

@test "a router is found by neighbour discovery, and finds the tester by it" {
  lab_up router
  router6
  clean_trial --load 5000 --duration 0.4 --ip 6 --frame-size 100 --direction both
  [ "$status" -eq 0 ]
  adds_up
  check '[.measurer.ports[].destination_mac_source] == ["learned by neighbour discovery", "learned by neighbour discovery"]'
  check "$counts | .received == 4000"
}

@test "the router's questions for every varied address are answered" {
  lab_up router
  router6
  local try
  # of 200 flows each version has half, and so ten of the destination's addresses
  known() {
    [ "$(inside ip -4 neigh show dev sut-b | grep -c 'lladdr')" -ge 10 ] &&
      [ "$(inside ip -6 neigh show dev sut-b | grep -c '^2001.*lladdr')" -ge 10 ]
  }
  # what waits for an answer, the router may drop, and one that gets no CPU asks again in the next trial; afterwards it knows every address
  for try in 1 2 3; do
    trial --load 2000 --duration 0.3 --ip mixed --frame-size 100 --vary src-address=10,dst-address=20:3 --direction both
    if known; then break; fi
    echo "# try $try: not every question was answered" >&3
  done
  known
  clean_trial --load 2000 --duration 0.5 --ip mixed --frame-size 100 --vary src-address=10,dst-address=20:3 --direction both
  adds_up
  check "$counts | .received == 2000 and .lost == 0"
}

@test "learning frames teach the SUT before a trial, and the deviation says so" {
  local try
  lab_up router
  learned() { [ "$(inside ip -4 neigh show dev sut-b | grep -c 'lladdr')" -ge 50 ]; }
  # a router that gets no CPU for longer than phase b learns a moment later, or from the next trial; and what it learned it asks for some
  # seconds later
  for try in 1 2 3; do
    clean_trial --load 1000 --duration 0.1 --vary dst-address=50 --learning-frames 50 \
      --dst-mac "$(for port in sut-a sut-b; do sut_mac $port; done | paste -sd,)" --wait b=0.3
    check "$counts | .received == 100 and .lost == 0"
    for _ in {1..10}; do if learned; then break 2; fi; sleep 0.1; done
    echo "# try $try: $(inside ip -4 neigh show dev sut-b | awk '{ print $NF }' | sort | uniq -c | tr '\n' ' ')" >&3
  done
  learned
  check '[.deviations[] | select(test("no learning frames"))] == []'
}

@test "two pairs of ports share nothing but the trial" {
  lab_up wire
  "$MLR" lab up --name "${LAB}x" --sut wire >/dev/null
  B=$B,${LAB}x-a,${LAB}x-b
  clean_trial --load 10kfps --duration 0.3
  [ "$status" -eq 0 ]
  adds_up
  check '[.ports[].counts.sent] == [3000, 0, 3000, 0] and [.ports[].counts.received] == [0, 3000, 0, 3000]'
  check '.aggregate_factor == 2 and .trial_result.trial_load == 10000 and (.measurer.ports | length) == 4'
  clean_trial --load 10kfps --duration 0.3 --direction both --flows 9 --ip mixed --frame-size imix:2:100,1:1518
  adds_up
  check '[.ports[].counts.received] == [3000, 3000, 3000, 3000] and .aggregate_factor == 4'
}

@test "bit rates of what came of a mix are of the frames that came" {
  local direction
  lab_up bridge
  inside ip link set sut-b mtu 1000 # one frame of twelve is longer
  trial --frame-size imix --load 6kfps --duration 0.5 --wait d=0.3
  [ "$status" -le 1 ] || { echo "$stderr"; return 1; }
  check '.trial_result | .counts.lost >= 250 and .trial_load_l2_bps == 8 * 500 * (7 * 64 + 4 * 594 + 1518)'
  check '.ports[1].received_octets as $octets | $octets <= 250 * (7 * 64 + 4 * 594) and
    (.trial_result | .trial_forwarding_rate_l2_bps * .counts.sent / 3000 / ($octets * 8 / 0.5) - 1 | fabs < 0.01)'
  check '.trial_result | .trial_forwarding_rate_l1_bps - .trial_forwarding_rate_l2_bps - 160 * .trial_forwarding_rate | fabs < 1'
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  "$MLR" verify "$BATS_TEST_TMPDIR/r.json"
  "$MLR" report "$BATS_TEST_TMPDIR/r.json" | grep -qE '(11\.[0-3]|10\.|9\.)[0-9]* Mbit/s'
  # as many frames came as 12 Mbit/s of the mix are, but not so many bits
  for direction in a-to-b both; do
    trial --frame-size imix --load 6kfps --duration 0.5 --wait d=0.3 --direction $direction --require 'forwarding-rate>=12Mbps-l2'
    check '.requirements[0] | .measured > 12e6 / 8 / 361.9 and (.met | not) and .required * 8 * 257 > 12e6'
  done
  run --separate-stderr "$MLR" search -p "$A,$B" --frame-size imix --goal name=x,loss=20%,final=0.2,sum=0.2 --max-load 6kfps --min-load 5kfps --wait d=0.3 \
    --format json
  check '.search_result[0] | .relevant_lower_bound == 6000 and .relevant_lower_bound_l2_bps == 8 * 500 * (7 * 64 + 4 * 594 + 1518)
    and (.conditional_throughput_l2_bps / .conditional_throughput / 8 - (7 * 64 + 4 * 594) / 11 | fabs < 5)'
  echo "$output" >"$BATS_TEST_TMPDIR/s.json"
  "$MLR" verify "$BATS_TEST_TMPDIR/s.json"
  "$MLR" search --replay "$BATS_TEST_TMPDIR/s.json" --format json >"$BATS_TEST_TMPDIR/replayed.json" || true # 1
  diff <(jq '.search_result[0].conditional_throughput_l2_bps' "$BATS_TEST_TMPDIR/replayed.json") <(jq '.search_result[0].conditional_throughput_l2_bps' <<<"$output")
  run --separate-stderr "$MLR" sweep -p "$A,$B" --frame-size imix --loads 6kfps --duration 0.5 --wait d=0.3 --format json
  check '.curve.maximum_forwarding_rate_l2_bps as $bps | .trials[0].trial_forwarding_rate_l2_bps == $bps and $bps < 12e6'
}

@test "a full mesh of four ports, over a bridge" {
  lab_up bridge
  join_bridge x y
  clean_trial --load 3000 --duration 0.5 --direction mesh
  [ "$status" -eq 0 ]
  adds_up
  check '[.ports[].counts.sent] == [1500, 1500, 1500, 1500] and [.ports[].counts.received] == [1500, 1500, 1500, 1500]'
  check '.aggregate_factor == 4 and (.traffic_profile.streams | length) == 12 and .traffic_profile.flows_per_port == 3'
}
