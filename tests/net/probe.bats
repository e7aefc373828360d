#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# probe: what it says of ports, that its commands mend what they stand below, and that it changes nothing.
bats_require_minimum_version 1.5.0
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate

probe() { # option...
  run --separate-stderr "$MLR" probe --format json "$@"
}

# One check of the first port: its state, or another of its members.
port_check() { # NAME [MEMBER]
  get ".ports[0].checks[] | select(.name == \"$1\") | .${2:-state}"
}

# The check of this name has this state, and its command mends it.
mended() { # NAME STATE
  local fix
  probe -p "$A"
  [ "$(port_check "$1")" = "$2" ]
  [ "$status" -eq "$([ "$2" = FAIL ] && echo 3 || echo 0)" ]
  fix=$(port_check "$1" fix)
  echo "$1: $fix"
  PATH=$PATH:$(dirname "$MLR") bash -ec "$fix"
  probe -p "$A"
  [ "$(port_check "$1")" = OK ]
}

@test "what it says of the lab's ports, and that nothing is changed by it" {
  lab_up router
  before=$(for port in "$A" "$B"; do ip -j -d link show "$port" | jq -c 'del(.[].stats64)'; ethtool -k "$port"; ethtool -l "$port"; done)
  probe -p "$A,$B"
  [ "$status" -eq 0 ]
  [ -z "$stderr" ]
  check '.schema == "xdp-mlr/probe/1" and [.ports[].name] == ["'"$A"'", "'"$B"'"]'
  check '[.machine[], .ports[].checks[]] | all((.state == "OK" or .state == "WARN") and (.value | length > 0) and has("fix"))'
  check '[.machine[].name] | contains(["kernel", "btf", "bpf-jit", "clock-source", "clock-cost", "cpus", "isolation", "governor",
    "smt", "numa", "hugepages", "load", "steal", "memory-lock", "privileges", "backlog", "transmit-cpus", "tick", "rcu-callbacks",
    "sessions", "real-time", "preemption", "idle-states", "hypervisor", "stalls"])'
  # one transmit thread a port, each on a CPU that it was measured on
  check '(.stalls | length) >= 1 and all(.stalls[]; .duration_s >= 0.2 and .threshold_ns == 100000 and .raised)'
  [ "$(nproc)" -lt 2 ] || check '[.stalls[].cpu] | unique | length == 2'
  "$VALIDATE" --closed docs/schema/probe.schema.json - <<<"$output"
  check '.ports | all(.driver == "veth" and .native_xdp and .tried and .zero_copy == false and .mtu_octets == 1500)'
  check '.ports[0].checks | [.[].name] | contains(["use", "link", "speed", "driver", "native-xdp", "zero-copy", "frags",
    "live-frames", "rx-metadata", "tx-metadata", "queues", "rss", "mtu", "rings", "lro", "gro", "vlan-strip", "pause",
    "hardware-clock", "interrupts", "numa"])'
  after=$(for port in "$A" "$B"; do ip -j -d link show "$port" | jq -c 'del(.[].stats64)'; ethtool -k "$port"; ethtool -l "$port"; done)
  [ "$after" = "$before" ]
  no_xdp_left
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
}

@test "what distorts warns, and its command mends it" {
  lab_up wire
  ethtool -K "$A" gro on rx-gro-list on
  mended gro WARN
  mended vlan-strip WARN
  ip link set "$A" mtu 1000
  mended mtu WARN
}

@test "a port that a run would refuse fails, and its command mends it" {
  lab_up wire
  ip link set "$A" down
  probe -p "$A"
  check '[.ports[0].checks[] | select(.name | IN("speed", "rss", "interrupts")) | .value] == ["not known while the port is down" | ., ., .]'
  check '.ports[0].link_bps == null'
  mended link FAIL
  ip address add 203.0.113.1/32 dev "$A"
  mended use FAIL
  ip route add 203.0.113.0/24 dev "$A"
  mended use FAIL
  ip route add default dev "$A" metric 99999
  probe -p "$A"
  [[ $(port_check use value) == *"carries this machine's default route" ]]
  [ "$(port_check use fix)" = null ] # no command that would cut this machine off
  ip route del default dev "$A" metric 99999
  ip link add "$LAB-x" type bridge
  ip link set "$A" master "$LAB-x"
  mended use FAIL
  ip link del "$LAB-x"
  ip link add "$LAB-x" link "$A" type macvlan
  mended use FAIL
  ip link set dev "$A" xdp object "${BUILD:-build}/bpf/lab.bpf.o" program forward
  mended use FAIL
  ip link set "$B" down
  probe -p "$A"
  [ "$status" -eq 3 ]
  [[ $(port_check link value) == *"no carrier"* ]]
  mended link FAIL
}

@test "a port in use is only looked at" {
  lab_up wire
  ip address add 203.0.113.1/32 dev "$A"
  probe -p "$A,$B"
  check '[.ports[].tried] == [false, true] and [.ports[].native_xdp] == [true, true]'
  check '.ports[0].used_by | contains("203.0.113.1/32")'
  ip address flush dev "$A"
  ip nexthop add id 7077 dev "$A"
  probe -p "$A,$B"
  check '.ports[0].used_by == "has the nexthop 7077"'
  [ "$(port_check use fix)" = "ip nexthop del id 7077" ]
  ip nexthop del id 7077
}

@test "a port that a run has, and one that a dead run left" {
  lab_up wire
  for port in "$A" "$B"; do echo 0 >"/proc/sys/net/ipv6/conf/$port/disable_ipv6"; done
  start trial --load 1000 --duration 3600
  until [ "$(xdp_count)" -ge 2 ]; do sleep 0.01; done
  probe -p "$A"
  [ "$status" -eq 3 ]
  [[ $(port_check use value) == *"process $pid"* ]]
  [ "$(port_check use fix)" = "kill $pid" ]
  # its transmit thread is left alone
  check '.stalls == null and (.machine[] | select(.name == "stalls") | .state == "OK" and (.value | contains("a run that goes on")))'
  kill -0 "$pid"
  kill -9 "$pid"
  wait "$pid" || true
  probe -p "$A"
  [ "$status" -eq 0 ]
  check '.stalls | length > 0'
  [ "$(cat "/proc/sys/net/ipv6/conf/$A/disable_ipv6")" = 1 ]
  mended use WARN
  [ "$(cat "/proc/sys/net/ipv6/conf/$A/disable_ipv6")" = 0 ]
}

@test "without -p all ports that may be meant are looked at, none is tried, and one in use is no failure" {
  lab_up wire
  ip address add 203.0.113.1/32 dev "$A"
  ip link add "$LAB-x" type bridge
  probe
  [ "$status" -eq 0 ]
  check '[.ports[].name] | index("'"$A"'") and index("'"$B"'") and (index("lo") | not) and (index("'"$LAB-x"'") | not)'
  check '[.ports[].tried] | any | not'
  check '.ports[] | select(.name == "'"$A"'") | .checks[] | select(.name == "use") | .state == "WARN" and .fix == null'
}

@test "a driver without native XDP" {
  lab_up wire
  ip link add "$LAB-x" link "$A" type macvlan
  ip link set "$LAB-x" up
  probe -p "$LAB-x"
  [ "$(port_check native-xdp)" = WARN ]
  check '.ports[0] | .native_xdp == false and .tried'
}

@test "without root it tells what it can" {
  lab_up wire
  run --separate-stderr setpriv --reuid 65534 --clear-groups "$MLR" probe -p "$A" --format json
  [ "$status" -eq 0 ]
  [ -z "$stderr" ]
  check '.machine[] | select(.name == "privileges") | .state == "WARN" and (.value | contains("CAP_BPF")) and .fix == "sudo xdp-mlr probe"'
  check '.ports[0] | .tried == false and .driver == "veth"'
  check '.stalls | all(.raised == false)'
}

@test "as text: a table, with colours on a terminal only" {
  lab_up wire
  ethtool -K "$A" gro on
  run --separate-stderr "$MLR" probe -p "$A"
  [ "$status" -eq 0 ]
  [[ $output != *$'\033'* ]]
  [[ $output == *"Machine "*"Port $A"*"  gro "*" WARN "*" rx-gro on"*$'\n'"    ethtool -K $A gro off"* ]]
  [[ ${lines[-1]} =~ ^\ +[0-9]+\ OK,\ [0-9]+\ WARN,\ 0\ FAIL ]]
  [ "$(awk 'length > 160' <<<"$output" | wc -l)" -eq 0 ]
  run script -qec "$MLR probe -p $A" /dev/null
  [[ $output == *$'\033[33m  gro '*'WARN'*'rx-gro on'*$'\033[0m'* ]]
}

@test "ports that do not exist, and lists that are none" {
  lab_up wire
  probe -p "$A,nosuch0"
  refused 2 "--ports" "nosuch0"
  for list in "$A," ",$A" "$A,,$B" a-name-that-is-too-long-for-a-link; do
    probe -p "$list"
    refused 2 "--ports" "$list"
  done
}
