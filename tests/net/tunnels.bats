#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Templates with tunnels around the innermost UDP: every frame counts, whatever is outside, and what is outside is right, as tcpdump and
# the tunnels of Linux say; those that this machine's kernel may lack: tests/vm/kernel.bats.
bats_require_minimum_version 1.5.0
load helper
load tunnels

counts='.trial_result.counts'
# What there is: a name, what the result says, the words that tcpdump has for it, and the frame.
each_tunnel() { # FUNCTION
  "$1" MPLS "UDP over IPv4 inside MPLS" "MPLS (label 100, tc 0, ttl 255)" 8847 000640ff 000c81ff "$inner4"
  "$1" PPPoE "UDP over IPv6 inside PPPoE" "PPPoE  \[ses 0x1\]" 8864 1100 0001 0bad 0057 "$inner6"
  "$1" GRE "UDP over IPv4 inside IPv4, GRE" "GREv0, Flags \[checksum present, key present\]" 0800 "${ipv4}2f$from_to" a000 0800 0bad 0000 00000007 "$inner4"
  "$1" VXLAN "UDP over IPv4 inside IPv6, UDP, VXLAN, Ethernet" "\[udp sum ok\] VXLAN, flags \[I\] (0x08), vni 5" \
    86dd "${ipv6}1140$from_to6" c00112b5 0bad 0bad "$vxlan" 0800 "$inner4"
  "$1" GTP-U "UDP over IPv4 inside IPv4, UDP, GTP-U" "" 0800 "${ipv4}11$from_to" 0868 0868 0bad 0000 30ff 0bad 00000001 "$inner4"
  "$1" nested "UDP over IPv6 inside MPLS, IPv6, GRE" "vlan 100, p 5.*MPLS (label 100" \
    8100 a064 8847 000641ff "${ipv6}2f40$from_to6" 8000 86dd 0bad 0000 "$inner6"
}

counts_exactly() { # NAME PROTOCOL WORDS HEX...
  local tx options smallest direction=both frames=2000 # both ways at once by live frames takes two CPUs
  template "${@:4}"
  smallest=$("$MLR" profile show --template "$pcap" --frame-size 64 2>&1 | sed -n 's/.* needs \([0-9]*\)$/\1/p')
  for tx in xsk live; do
    [ "$tx" = xsk ] || direction=a-to-b frames=1000
    for options in "--frame-size ${smallest:-64}" "--frame-size 1518" "--frame-size imix:3:$((smallest + 1)),1:594,1:1518 --vary src-address=20,dst-port=3"; do
      clean_trial --template "$pcap" --tx "$tx" --load 5kfps --duration 0.2 --direction "$direction" $options
      [ "$status" -eq 0 ] || { echo "$*, $tx $options: exit $status: $stderr"; return 1; }
      check "$counts | .intended == $frames and .received == $frames and .lost == 0 and .duplicate == 0 and .reordered == 0"
      check "$counts | .late == 0 and .foreign == 0 and .malformed == 0 and .damaged == 0"
      check ".trial_result.tx_backend == \"$tx\" and .traffic_profile.protocol == \"$2\""
    done
  done
}

@test "every frame counts inside MPLS, PPPoE, GRE, VXLAN, GTP-U and several of them, by AF_XDP and by live frames" {
  lab_up xdp
  each_tunnel counts_exactly
}

# tcpdump inside the SUT while a trial goes on: all that it says of lengths and checksums is right. The frame by which live frames are
# tried has an EtherType of its own.
is_right() { # NAME PROTOCOL WORDS HEX...
  local tx size
  template "${@:4}"
  for tx in xsk live; do
    for size in 150 1518; do
      timeout 60 nsenter --net="/run/netns/xdp-mlr-$LAB" tcpdump --immediate-mode -i sut-a -c 5 -nn -e -vv \
        greater 140 and not ether proto 0x88b5 \
        >"$BATS_TEST_TMPDIR/dump" 2>"$BATS_TEST_TMPDIR/err" &
      background+=($!)
      until grep -q "listening" "$BATS_TEST_TMPDIR/err"; do sleep 0.05; done
      trial --template "$pcap" --tx "$tx" --load 1000 --duration 0.1 --wait d=0.05 --frame-size "$size" --vary src-address=2
      wait "${background[-1]}"
      if grep "bad \|\[|\|incorrect\|truncated\|trailing" "$BATS_TEST_TMPDIR/dump"; then return 1; fi
      tr -d '\n' <"$BATS_TEST_TMPDIR/dump" | grep -q "$3" || { cat "$BATS_TEST_TMPDIR/dump"; return 1; }
      [ -z "$3" ] || [ "$(grep -c '\.5000 > .*\.6000: \[udp sum ok\]' "$BATS_TEST_TMPDIR/dump")" -eq 5 ] || { cat "$BATS_TEST_TMPDIR/dump"; return 1; }
    done
  done
}

@test "lengths and checksums of each are right, as tcpdump reads them" {
  lab_up xdp
  inside ip link set dev sut-a xdp off
  each_tunnel is_right
}

@test "Linux takes every frame of VXLAN, over IPv4 and IPv6, and what is in another tunnel then is foreign" {
  lab_up router
  inside bash -c "echo 0 >/proc/sys/net/ipv6/conf/sut-a/disable_ipv6"
  inside ip address add 2001:2:0:1::1/64 dev sut-a nodad
  router_ends vx4 address 02:00:00:00:00:05 type vxlan id 5 dstport 4789 local 198.18.0.1
  router_ends vx6 address 02:00:00:00:00:05 type vxlan id 6 dstport 4789 local 2001:2:0:1::1
  is_ended 0800 "${ipv4}11$from_to" c00112b5 0bad 0000 "$vxlan" 0800 "$inner4"
  is_ended 0800 "${ipv4}11$from_to" c00112b5 0bad 0bad "$vxlan" 0800 "$inner4"
  is_ended 86dd "${ipv6}1140$from_to6" c00112b5 0bad 0bad "${vxlan/0500/0600}" 0800 "$inner4"
  # it goes on to port B in GRE, which nobody was told of
  template 0800 "${ipv4}11$from_to" c00112b5 0bad 0bad "$vxlan" 0800 "${ipv4}2f 0bad c6120002 c6130002" a000 0800 0bad 0000 00000007 "$inner4"
  LAB_SUT=none # all are lost
  clean_trial --template "$pcap" --load 1000 --duration 0.2 --wait d=1 --frame-size 200
  check "$counts | .sent == 200 and .received == 0 and .foreign == 200"
}

@test "a router passes tunnels on, both ways: on the way back their addresses are exchanged" {
  lab_up router
  template 0800 "${ipv4}2f 0bad c6120002 c6130002" 8000 0800 0bad 0000 "$inner4"
  clean_trial --template "$pcap" --tx xsk --load 1000 --duration 0.2 --direction both --frame-size 200 --vary src-address=7
  check "$counts | .sent == 400 and .received == 400 and .foreign == 0"
  clean_trial --template "$pcap" --tx live --load 1000 --duration 0.2 --direction b-to-a --frame-size 200 --vary src-address=7
  check "$counts | .sent == 200 and .received == 200 and .foreign == 0"
}
