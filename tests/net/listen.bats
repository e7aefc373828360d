#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Before the first test frame the tester listens: foreign traffic refuses a port, what every link carries does not.
bats_require_minimum_version 1.5.0
load helper

# Datagrams from inside the lab to an address behind port A, until the test ends: the first ones have come when this returns. The
# neighbour is known, so there is no ARP.
talk() {
  inside ip neighbour replace 198.18.0.77 lladdr 02:00:00:00:00:77 dev sut-a nud permanent
  inside_meanwhile bash -c 'while :; do for i in {1..10}; do echo x >/dev/udp/198.18.0.77/9; done; sleep 0.01; done'
  local before
  before=$(cat "/sys/class/net/$A/statistics/rx_packets")
  until [ "$(($(cat "/sys/class/net/$A/statistics/rx_packets") - before))" -gt 5 ]; do sleep 0.01; done
}

@test "foreign traffic on a port is shown and refused before anything is sent" {
  lab_up router
  talk
  sent=$(cat "/sys/class/net/$B/statistics/tx_packets")
  trial --load 1000 --duration 0.1 --direction b-to-a
  refused 4 "port $A" "foreign traffic" "frames/s" "IPv4, EtherType 0x0800" "from $(sut_mac sut-a)" "to 02:00:00:00:00:77" \
    "--allow-unsafe"
  # but for ARP, of which there is little
  [ "$(($(cat "/sys/class/net/$B/statistics/tx_packets") - sent))" -lt 20 ]
  no_xdp_left
  run --separate-stderr "$MLR" search -p "$A,$B" --max-load 20000
  refused 4 "port $A" "foreign traffic"
}

@test "foreign traffic on a port is allowed for a reason" {
  lab_up router
  talk
  trial --load 1000 --duration 0.2 --allow-unsafe "a talkative lab"
  [ "$status" -le 1 ]
  [[ $stderr == *"foreign traffic"*"a talkative lab"* ]]
  check '.measurer.allow_unsafe == "a talkative lab" and .trial_result.counts.received > 0'
  check '.ports[0].counts.foreign > 0'
}

# What its packet sockets hold of what came to port A. (The sixth column is whether one takes frames, the seventh what it holds.)
held() {
  awk -v port="$(cat "/sys/class/net/$A/ifindex")" '$5 == port { sum += $7; count++ } END { print count, sum }' /proc/net/packet
}

@test "once it has listened it keeps nothing more of what comes" {
  local before
  lab_up router
  talk
  start trial --load 1000 --duration 60 --allow-unsafe "a talkative lab"
  flowing 50
  before=$(held)
  [[ $before == "2 "* ]]
  flowing 500
  [ "$(held)" = "$before" ]
  interrupted
}

@test "foreign traffic that begins later is warned of, once, and stands in the result" {
  local sum in_time=false
  lab_up router
  # a longer one, if it had ended before there were several trials with them
  for sum in 3 9 27; do
    start search --max-load 5kfps --min-load 1kfps --goal "loss=0,final=0.3,sum=$sum,width=20%" --wait d=0.1 --format jsonl
    until_it_says trial_started "$BATS_TEST_TMPDIR/out"
    talk
    flowing 5000
    if running; then in_time=true; fi
    ended
    if $in_time; then break; fi
    kill "${background[-1]}" # who talked
  done
  [ "$status" -le 1 ]
  [ "$(grep -c 'warning: port '"$A"': [0-9]* foreign frames arrived in a trial' "$BATS_TEST_TMPDIR/err")" -eq 1 ]
  output=$(tail -n 1 <<<"$output")
  check '[.warnings[] | select(test("foreign frames arrived"))] | length == 1'
  check '[.trials[].ports[0].counts.foreign | select(. >= 20)] | length > 1' # though there was reason to say it again
}

@test "ARP and neighbour discovery, however much of it, is not foreign, but more than a link needs is warned of" {
  lab_up router
  inside sysctl -qw net.ipv6.conf.sut-a.disable_ipv6=0 net.ipv6.conf.all.disable_ipv6=0
  inside ip address add 2001:db8::1/64 dev sut-a nodad
  # each address is asked for anew; none is the tester's, which would answer
  inside_meanwhile bash -c 'exec >/dev/null 2>&1; while :; do
    for i in {10..250}; do echo x >"/dev/udp/198.18.0.$i/9"; echo x >"/dev/udp/2001:db8::$i/9"; done
    ip neighbour flush dev sut-a; ip -6 neighbour flush dev sut-a
  done'
  received=$(cat "/sys/class/net/$A/statistics/rx_packets")
  until [ "$(($(cat "/sys/class/net/$A/statistics/rx_packets") - received))" -gt 100 ]; do sleep 0.01; done
  before=$(cat "/sys/class/net/$A/statistics/rx_packets")
  for _ in {1..10}; do # on a busy machine they may hardly come
    trial --load 1000 --duration 0.2
    [ "$status" -le 1 ] || { echo "$stderr"; return 1; }
    [[ $stderr != *foreign* ]]
    [[ $stderr == *"port $A: "*" frames of housekeeping "*" arrived in a trial"* ]] && break
  done
  check '.warnings | any(test("frames of housekeeping"))'
  # and they came all the while
  [ "$(cat "/sys/class/net/$A/statistics/rx_packets")" -gt "$before" ]
}

@test "a use that can be seen is refused before listening" {
  lab_up router
  talk
  ip address add 203.0.113.1/32 dev "$B"
  trial --load 1000 --duration 0.1
  refused 4 "$B" "203.0.113.1/32"
}
