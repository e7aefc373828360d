#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Ports: which are refused and how, and that each is left as it was, whatever ends the run.
bats_require_minimum_version 1.5.0
load helper

# What a run may change of the two ports, in one text.
port_state() {
  local port
  for port in "$A" "$B"; do
    ip -j -d link show "$port" | jq -c '.[0] | del(.stats64, .ifindex)'
    cat "/proc/sys/net/ipv6/conf/$port/disable_ipv6"
  done
}

# Start a long trial in the background and wait until it runs; its process is in $pid.
start_trial() {
  "$MLR" trial -p "$A,$B" --load 1000 --duration 60 "$@" >/dev/null 2>&1 &
  pid=$!
  background+=("$pid")
  until [ "$(xdp_count)" -ge 2 ]; do sleep 0.01; done
}

@test "a port that does not exist" {
  lab_up wire
  run --separate-stderr "$MLR" trial -p "$A,nosuch0" --load 1000 --duration 1
  refused 2 "--ports" "nosuch0" "ip link"
  run --separate-stderr "$MLR" search -p "nosuch0,$B" --max-load 10000
  refused 2 "--ports" "nosuch0"
}

@test "the same port twice" {
  lab_up wire
  run --separate-stderr "$MLR" trial -p "$A,$A" --load 1000 --duration 1
  refused 2 "$A"
}

@test "a frame above the MTU" {
  lab_up wire
  ip link set "$B" mtu 1000
  trial --load 1000 --duration 0.1 --frame-size 1019
  refused 2 "--frame-size" "1019" "$B" "1018"
  clean_trial --load 1000 --duration 0.1 --frame-size 1018
  check '.trial_result.counts.received == 100'
}

@test "a port that is down, and one without carrier" {
  lab_up wire
  ip link set "$A" down
  trial --load 1000 --duration 0.1
  refused 3 "$A" "is down" "ip link set dev $A up"
  ip link set "$A" up
  ip link set "$B" down
  trial --load 1000 --duration 0.1
  [ "$status" -eq 3 ]
}

@test "a port with an address, a route, or something stacked on it" {
  lab_up wire
  ip address add 203.0.113.1/32 dev "$B"
  trial --load 1000 --duration 0.1
  refused 4 "$B" "203.0.113.1/32" "--allow-unsafe"
  ip address flush dev "$B"
  ip route add 203.0.113.0/24 dev "$A"
  trial --load 1000 --duration 0.1
  refused 4 "$A" "203.0.113.0/24"
  ip route flush dev "$A"
  ip link add "$LAB-x" type bridge
  ip link set "$A" master "$LAB-x"
  trial --load 1000 --duration 0.1
  refused 4 "$A" "$LAB-x"
  ip link del "$LAB-x"
  ip link add "$LAB-x" link "$B" type macvlan
  trial --load 1000 --duration 0.1
  refused 4 "$B" "$LAB-x"
  ip link del "$LAB-x"
  clean_trial --load 1000 --duration 0.1
  [ "$status" -eq 0 ]
}

@test "a port in use is used for a reason, which is reported" {
  lab_up wire
  ip address add 203.0.113.1/32 dev "$B"
  clean_trial --load 1000 --duration 0.1 --allow-unsafe="a lab of my own"
  [ "$status" -eq 0 ]
  [[ $stderr == *"203.0.113.1/32"*"a lab of my own"* ]]
  check '.measurer.allow_unsafe == "a lab of my own" and .trial_result.counts.received == 100'
}

@test "the kernel's own link-local address is no reason to refuse, and is there again afterwards" {
  lab_up wire
  echo 0 >"/proc/sys/net/ipv6/conf/$A/disable_ipv6"
  echo 0 >"/proc/sys/net/ipv6/conf/$B/disable_ipv6"
  until [ "$(ip -j -6 address show dev "$A" | jq '[.[].addr_info[]? | select(.scope == "link")] | length')" -ge 1 ]; do sleep 0.05; done
  before=$(port_state)
  clean_trial --load 1000 --duration 0.2
  [ "$status" -eq 0 ]
  [ "$(port_state)" = "$before" ]
  # one that somebody set is a reason
  ip address add fe80::1234/64 dev "$B"
  trial --load 1000 --duration 0.1
  refused 4 "$B" "fe80::1234/64"
}

@test "a port that another run has, or another XDP program" {
  lab_up wire
  start_trial
  trial --load 1000 --duration 0.1
  refused 4 "$A" "process $pid"
  kill -INT "$pid"
  wait "$pid" || true
  ip link set dev "$B" xdp object "${BUILD:-build}/bpf/lab.bpf.o" program forward
  trial --load 1000 --duration 0.1
  refused 4 "$B" "XDP"
  ip link set dev "$B" xdp off
}

@test "usage comes before safety, safety before capability" {
  lab_up wire
  ip address add 203.0.113.1/32 dev "$A"
  ip link set "$B" down
  trial --load 1000 --duration 0.1 --frame-size 9000
  [ "$status" -eq 2 ]
  run --separate-stderr "$MLR" trial -p "$A,nosuch0" --load 1000 --duration 1
  [ "$status" -eq 2 ]
  trial --load 1000 --duration 0.1
  [ "$status" -eq 4 ]
}

@test "a driver without native XDP is received from in generic mode, and that is said" {
  lab_up wire
  ip link add "$LAB-x" link "$B" type macvlan mode passthru
  ip link set "$LAB-x" up
  run --separate-stderr "$MLR" trial -p "$A,$LAB-x" --load 1000 --duration 0.2 --format json
  [ "$status" -eq 0 ]
  [[ $stderr == *"$LAB-x"*"generic"* ]]
  check '[.measurer.ports[].receive_mode] == ["native", "generic"] and .trial_result.counts.received == 200'
}

@test "without root, or without a capability, the error says which" {
  lab_up wire
  run --separate-stderr setpriv --reuid 65534 --clear-groups "$MLR" trial -p "$A,$B" --load 1000 --duration 1
  refused 3 "root"
}

@test "after a run, an error and a SIGTERM the ports are as before" {
  lab_up wire
  before=$(port_state)
  clean_trial --load 1000 --duration 0.2 --direction both
  [ "$(port_state)" = "$before" ]
  start_trial
  [ "$(port_state)" != "$before" ]
  kill -TERM "$pid"
  wait "$pid" || true
  [ "$(port_state)" = "$before" ]
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
}

@test "kill -9 at any moment leaves no XDP program, and clean undoes the rest" {
  lab_up wire
  for port in "$A" "$B"; do echo 0 >"/proc/sys/net/ipv6/conf/$port/disable_ipv6"; done
  before=$(port_state)
  for delay in 0 0.005 0.01 0.02 0.03 0.05 0.08 0.1 0.15 0.2 0.25 0.3 0.4 0.6; do
    "$MLR" trial -p "$A,$B" --load 1000 --duration 60 >/dev/null 2>&1 &
    pid=$!
    background+=("$pid")
    sleep "$delay"
    kill -9 "$pid"
    wait "$pid" || true
    "$MLR" clean --quiet >/dev/null
    # the kernel releases what hung on the process's descriptors in the background
    for _ in $(seq 100); do [ "$(port_state)" = "$before" ] && break; sleep 0.02; done
    [ "$(port_state)" = "$before" ]
    [ "$(xdp_count)" -eq 0 ]
    [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
  done
}

@test "the next run undoes what a killed one left, too" {
  lab_up wire
  for port in "$A" "$B"; do echo 0 >"/proc/sys/net/ipv6/conf/$port/disable_ipv6"; done
  start_trial
  kill -9 "$pid"
  wait "$pid" || true
  [ "$(cat "/proc/sys/net/ipv6/conf/$A/disable_ipv6")" = 1 ]
  clean_trial --load 1000 --duration 0.1
  [ "$status" -eq 0 ]
  [[ $stderr == *"restored"* ]]
  [ "$(cat "/proc/sys/net/ipv6/conf/$A/disable_ipv6")" = 0 ]
}

@test "clean leaves a run that is alive alone" {
  lab_up wire
  start_trial
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [ "$(xdp_count)" -eq 2 ]
  kill -0 "$pid"
}
