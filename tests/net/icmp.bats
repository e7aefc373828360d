#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# ICMP errors of a real router about frames of a trial: counted apart, and what they say is said.
bats_require_minimum_version 1.5.0
load helper
load tunnels.bash

# Linux limits how often it says so; here it is as often as is wanted.
talkative() {
  inside sysctl -qw net.ipv4.icmp_ratelimit=0 net.ipv4.icmp_msgs_per_sec=100000 net.ipv4.icmp_msgs_burst=100000 net.ipv6.icmp.ratelimit=0
}

router6() {
  inside sh -c 'for port in sut-a sut-b; do echo 0 >/proc/sys/net/ipv6/conf/$port/disable_ipv6; done
    echo 1 >/proc/sys/net/ipv6/conf/all/forwarding'
  inside ip -6 address add 2001:2:0:1::1/64 dev sut-a nodad
  inside ip -6 address add 2001:2:0:2::1/64 dev sut-b nodad
  while [ -n "$(inside ip -6 address show tentative)" ]; do sleep 0.1; done
}

# All frames that came and were not received are ICMP errors, at the port that sent, and this is what the first kind says.
is_said() { # FROM MESSAGE ABOUT FLOW
  check '.trial_result.counts | .icmp_errors > 0 and .damaged == 0 and .foreign == 0 and .malformed == 0'
  check '.ports | .[0].counts.icmp_errors > 0 and .[1].counts.icmp_errors == 0'
  check '.trial_result.icmp_errors[0] | [.from, .message, .about, .flow] == ["'"$1"'", "'"$2"'", "'"$3"'", '"$4"']'
  check '.trial_result.icmp_errors[0].port == "'"$A"'" and ([.trial_result.icmp_errors[].frames] | add) == .trial_result.counts.icmp_errors'
  check '.warnings | any(startswith("port '"$A: $1 says: $2"'") and contains("about frames to '"$3"'"))'
  check '.warnings | any(test("came back otherwise")) | not'
}

# Nothing came back, which is said, too.
nothing_came() {
  check '.trial_result.counts.received == 0'
  [[ $stderr == *"no frame of $(get .trial_result.counts.sent) sent came back: look at the cabling"* ]]
}

@test "a missing route is said as the router says it, and that no frame came back" {
  lab_up router
  talkative
  inside ip route add unreachable 198.19.0.2/32
  trial --load 1000 --duration 0.2 --wait d=0.3
  is_said 198.18.0.1 "host unreachable" 198.19.0.2 0
  nothing_came
  [[ $stderr == *"port $A: 198.18.0.1 says: host unreachable, about frames to 198.19.0.2 (flow 0), "*" times; the SUT finds nobody"* ]]
  check '.trial_result.icmp_errors[0] | .ip_version == 4 and .type == 3 and .code == 1 and .of_other_flows == 0 and .mtu_octets == null'
  inside ip route del unreachable 198.19.0.2/32
  inside ip route del 198.19.0.0/24
  sleep 1 # whatever is set above, a source is told five times, and then once a second (net.ipv4.route.error_cost of the machine)
  trial --load 1000 --duration 0.2 --wait d=0.3 --require 'icmp-errors<=0' --report "$BATS_TEST_TMPDIR/page.html" --report "$BATS_TEST_TMPDIR/all.csv"
  [ "$status" -eq 1 ]
  is_said 198.18.0.1 "network unreachable" 198.19.0.2 0
  nothing_came
  grep -q "network unreachable" "$BATS_TEST_TMPDIR/page.html"
  grep -q "icmp_errors" "$BATS_TEST_TMPDIR/all.csv"
}

@test "one flow of several without a route: the errors are about that one" {
  lab_up router
  talkative
  inside ip route add prohibit 198.19.0.4/32
  trial --load 2000 --duration 0.3 --wait d=0.3 --flows 4 --vary dst-address=4
  is_said 198.18.0.1 "communication administratively prohibited" 198.19.0.4 2
  check '.trial_result.counts | .received > 0 and .lost >= .icmp_errors'
  [[ $stderr != *"no frame of"* ]]
}

# Frames like this: UDP over IPv4 with "don't fragment", or over IPv6, with so many hops to live.
like() { # VERSION HOPS
  if [ "$1" = 4 ]; then
    template 0800 "4500 0bad 0000 4000 $2 11 0bad c6120002 c6130002 c020 0007 0bad 0bad"
  else
    template 86dd "6000 0000 0bad 11 $2 20010002000000010000000000000002 20010002000000020000000000000002 c020 0007 0bad 0bad"
  fi
}

@test "an MTU that is too small is said, with what it is" {
  lab_up router
  talkative
  inside ip link set sut-b mtu 1000
  like 4 40
  trial --load 500 --duration 0.2 --wait d=0.3 --frame-size 1280 --template "$pcap"
  is_said 198.18.0.1 "fragmentation needed" 198.19.0.2 0
  nothing_came
  check '.trial_result.icmp_errors[0].mtu_octets == 1000'
  [[ $stderr == *"says: fragmentation needed (MTU 1000), about frames to 198.19.0.2 (flow 0), "*"(--frame-size)"* ]]
}

@test "where the errors are about several flows, that is said" {
  lab_up router
  talkative
  inside ip route add 198.19.0.3/32 dev sut-b mtu 1000
  inside ip route add 198.19.0.5/32 dev sut-b mtu 900
  like 4 40
  trial --load 500 --duration 0.4 --wait d=0.3 --frame-size 1280 --template "$pcap" --flows 4 --vary dst-address=4
  is_said 198.18.0.1 "fragmentation needed" 198.19.0.3 1
  check '.trial_result | .icmp_errors | length == 1 and .[0].of_other_flows > 0 and .[0].of_other_flows < .[0].frames'
  [[ $stderr == *"(MTU 1000), about frames to 198.19.0.3 (flow 1) and of other flows, "* ]]
}

# The router ends VXLAN, and says something of the frames inside; without an end, of those outside.
@test "what is said about frames in a tunnel" {
  lab_up router
  talkative
  router_ends vx4 address 02:00:00:00:00:05 type vxlan id 5 dstport 4789 local 198.18.0.1
  inside ip route add 198.19.0.2/32 dev sut-b mtu 100
  template 0800 "${ipv4}11$from_to" c00112b5 0bad 0000 "$vxlan" 0800 "$inner4"
  trial --load 500 --duration 0.2 --wait d=0.3 --template "$pcap" --frame-size 400
  is_said 198.18.0.1 "fragmentation needed" 198.19.0.2 0
  nothing_came
  inside ip link del vx4
  trial --load 500 --duration 0.2 --wait d=0.3 --template "$pcap" --frame-size 400
  is_said 198.18.0.1 "port unreachable" 198.18.0.1 0
  [[ $stderr == *"or a firewall rejects them"* ]]
  nothing_came
}

@test "frames that live for too short a time" {
  lab_up router
  talkative
  like 4 01
  trial --load 500 --duration 0.2 --wait d=0.3 --template "$pcap" --tx xsk
  is_said 198.18.0.1 "time to live exceeded in transit" 198.19.0.2 0
  nothing_came
  # to the frame, as the router counts them
  [ "$(inside awk '/^IcmpMsg: [0-9]/ { print $2 }' /proc/net/snmp)" = "$(get .trial_result.counts.icmp_errors)" ]
}

@test "what ICMPv6 says: no route, a smaller MTU, no hops left" {
  lab_up router
  router6
  talkative
  inside ip -6 route add unreachable 2001:2:0:2::2/128
  trial --load 500 --duration 0.2 --wait d=0.3 --ip 6 --frame-size 84
  is_said 2001:2:0:1::1 "no route to destination" 2001:2:0:2::2 0
  nothing_came
  inside ip -6 route del unreachable 2001:2:0:2::2/128
  inside ip link set sut-b mtu 1300
  trial --load 500 --duration 0.2 --wait d=0.3 --ip 6 --frame-size 1400
  is_said 2001:2:0:1::1 "packet too big" 2001:2:0:2::2 0
  nothing_came
  check '.trial_result.icmp_errors[0] | .ip_version == 6 and .type == 2 and .mtu_octets == 1300'
  like 6 01
  trial --load 500 --duration 0.2 --wait d=0.3 --ip 6 --template "$pcap" --frame-size 84
  is_said 2001:2:0:1::1 "hop limit exceeded in transit" 2001:2:0:2::2 0
}

# It sends back what came, and says that there is a shorter way: frames come back to the port that sent them, and that is what matters.
@test "a redirect is no damage" {
  local ip
  lab_up router
  router6
  talkative
  inside sysctl -qw net.ipv4.conf.all.send_redirects=1 net.ipv4.conf.sut-a.send_redirects=1
  inside ip route add 198.19.0.4/32 via 198.18.0.2 dev sut-a
  inside ip -6 route add 2001:2:0:2::4/128 dev sut-a
  inside ip -6 neighbour replace 2001:2:0:2::4 lladdr "$(cat "/sys/class/net/$A/address")" dev sut-a nud permanent
  for ip in 4 6; do
    trial --load 1000 --duration 0.3 --wait d=0.3 --flows 4 --vary dst-address=4 --ip "$ip" --frame-size 84
    check '.trial_result.counts | .misdirected > 0 and .icmp_errors > 0 and .damaged == 0 and .foreign == 0'
    check '.trial_result.icmp_errors[0].message == "redirect"'
  done
}

@test "each trial has the errors of its own" {
  lab_up router
  talkative
  inside ip link set sut-b mtu 1000
  like 4 40
  search --min-load 500 --max-load 1000 --wait d=0.2 --goal name=g,loss=0,final=0.1,sum=0.2,width=50% --frame-size 1280 --template "$pcap"
  check '.trials | length >= 2 and all(.counts.icmp_errors == .icmp_errors[0].frames and .counts.icmp_errors > 0 and .counts.icmp_errors <= .counts.sent)'
  check '[.warnings[] | select(contains("fragmentation needed"))] | length == 1'
}
