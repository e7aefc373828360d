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
  start trial --load 1000 --duration 3600 "$@"
  until [ "$(xdp_count)" -ge 2 ]; do sleep 0.01; done
}

@test "a port that does not exist" {
  lab_up wire
  run --separate-stderr "$MLR" trial -p "$A,nosuch0" --load 1000 --duration 1
  refused 2 "--ports" "nosuch0" "ip link"
  run --separate-stderr "$MLR" search -p "nosuch0,$B" --max-load 10000
  refused 2 "--ports" "nosuch0"
}

@test "a dry run refuses what the run would, in the same words" {
  local request dry said
  lab_up wire
  ip address add 192.0.2.1/24 dev lo
  while read -r request; do
    eval "set -- ${request//PORTS/-p $A,$B --load 1000 --duration 0.1}"
    run --separate-stderr "$MLR" "$@" --dry-run
    dry=$status said=$stderr
    run --separate-stderr "$MLR" "$@"
    [ "$dry" -ne 0 ] && [ "$dry" -eq "$status" ] && [ "$said" = "$stderr" ] || {
      printf '%s\ndry %s: %s\nrun %s: %s\n' "$request" "$dry" "$said" "$status" "$stderr"
      return 1
    }
  done <<END
trial -p $A,$A --load 1000
trial -p $A,nosuch0 --load 1000
trial -p lo,$B --load 1000
trial -p $A,$B --load 50%
search -p $A,$B --max-load 80%
search -p $A,$B --max-load 1000 --min-load 10% --goal loss=0
soak -p $A,$B --max-load 1000 --min-load 2000
trial PORTS --frame-size 4000
trial PORTS --ip 6 --frame-size 78
trial PORTS --report /nonexistent/x.html
trial PORTS --junit /dev/null/x.xml
trial PORTS --metrics /nonexistent/x.prom
trial PORTS --sut-config /nonexistent
trial PORTS --capture-lost /nonexistent/x.csv
trial PORTS --capture-foreign /nonexistent/x.pcapng
trial PORTS --template /nonexistent
trial PORTS --vary src-address=1000
trial PORTS --require 'nonsense<=1'
search -p $A,$B --max-load 10000 --preset ndr --require 'ndr>=50%'
trial -p $A,$B --load 1000 --duration 2 --interval 1ms
search -p $A,$B --max-load 10000 --preset ndr --interval 1ms
soak -p $A,$B --max-load 10000 --first-duration 2 --interval 1ms
search --measurer sim:nonsense --max-load 10000
soak --measurer sim:hard,nonsense=1 --max-load 10000
search --measurer sim:hard,limit=5000 --max-load 10%
y1564 -p $A,$B --service cir=1kfps,frame-size=4000
y1564 -p $A,$B --service cir=50%
trial PORTS --timestamps hardware
trial PORTS --prepare auto,timestamps
rfc2544 -p $A,$B --max-load 10kfps --timestamps hardware
trial PORTS --tx xsk --launch-time on
trial PORTS --tx xsk --queues 2
y1564 -p $A,$B --service cir=1kfps,eir=50%
END
  # what a command would say of the SUT is not asked for
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 1000 --dry-run --sut-config-command "touch $BATS_TEST_TMPDIR/ran"
  [ "$status" -eq 0 ] && [ ! -e "$BATS_TEST_TMPDIR/ran" ]
  ip link set "$B" down
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 1000 --dry-run
  refused 3 "$B is down"
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

@test "a suite's frame above the MTU is refused before its first trial, wherever in the list it stands" {
  local dry
  lab_up wire
  for dry in "" --dry-run; do
    for suite in "rfc2544 --max-load 10kfps --frame-size 64,9216,128" "selftest --frame-size 64,9216,128" \
      "y1564 --service cir=1kfps --service cir=1kfps,size=9216 --service cir=1kfps,size=64"; do
      # shellcheck disable=SC2086 # words
      run --separate-stderr "$MLR" $suite -p "$A,$B" --format jsonl $dry
      refused 2 "--frame-size: 9216 octets do not fit the MTU of port $A, 1500; use at most 1518" "--prepare auto,mtu"
      [ -z "$output" ]
    done
  done
  # a service's tag is no part of the MTU
  run --separate-stderr "$MLR" y1564 -p "$A,$B" --dry-run --service cir=1kfps,size=1518 --service cir=1kfps,size=1522,vlan=7
  [ "$status" -eq 0 ]
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --max-load 10kfps --frame-size 64,9216 --prepare auto,mtu --dry-run
  [ "$status" -eq 0 ]
}

@test "the port of this machine's default route is refused, and no command is offered that would take the route away" {
  XDP_MLR=$MLR run --separate-stderr unshare --net bash -c 'ip link add t-a type veth peer name t-b
    ip link set t-a up; ip link set t-b up
    ip address add 192.0.2.1/24 dev t-a
    ip route add default via 192.0.2.2
    "$XDP_MLR" trial -p t-a,t-b --load 1000 --duration 0.1'
  refused 4 "port t-a is in use: it carries this machine's default route" "use another port"
  [[ $stderr != *"address del"* && $stderr != *"route del"* ]]
}

@test "so is one of a bridge that has the default route, or of a link on top of that one" {
  XDP_MLR=$MLR run --separate-stderr unshare --net bash -c 'ip link add t-a type veth peer name t-b
    ip link add t-br type bridge
    ip link set t-a master t-br
    ip link add t-top link t-br type macvlan
    ip link set t-a up; ip link set t-b up; ip link set t-br up; ip link set t-top up
    ip address add 192.0.2.1/24 dev t-br
    ip route add default via 192.0.2.2
    "$XDP_MLR" trial -p t-a,t-b --load 1000 --duration 0.1
    ip address flush dev t-br
    ip address add 192.0.2.1/24 dev t-top
    ip route add default via 192.0.2.2
    "$XDP_MLR" trial -p t-a,t-b --load 1000 --duration 0.1'
  [ "$(grep -c "^xdp-mlr: port t-a is in use: it carries this machine's default route, .* use another port" <<<"$stderr")" -eq 2 ]
  [[ $stderr != *nomaster* && $stderr != *"link del"* ]]
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

# As a driver leaves its port for a moment that restarts the link where an XDP program goes.
@test "a port whose carrier is on its way is waited for" {
  lab_up xdp
  inside ip link set sut-a down
  inside_meanwhile bash -c 'sleep 1; exec ip link set sut-a up'
  trial --load 1000 --duration 0.1
  [ "$status" -le 1 ]
  [[ $stderr == *"$A has no carrier; waiting"* ]]
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

@test "addresses and routes of IPv6 on a port that is used for a reason are there afterwards" {
  local before
  lab_up wire
  echo 0 >"/proc/sys/net/ipv6/conf/$B/disable_ipv6"
  ip address add 2001:db8::1/64 dev "$B" nodad
  ip route add 2001:db8:1::/48 via 2001:db8::2 dev "$B"
  before=$(ip -6 address show dev "$B" scope global; ip -6 route show dev "$B" | grep db8)
  clean_trial --load 1000 --duration 0.1 --allow-unsafe=mine
  [ "$status" -eq 0 ]
  [[ $stderr == *"port $B: cannot switch automatic IPv6 addresses off: the kernel would forget"* ]]
  [ "$(ip -6 address show dev "$B" scope global; ip -6 route show dev "$B" | grep db8)" = "$before" ]
  trial --load 1000 --duration 0.1 --allow-unsafe=mine --prepare ipv6
  [ "$status" -eq 3 ]
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
  trial --load 1000 --duration 0.1 --allow-unsafe="nothing allows that"
  refused 4 "$A" "process $pid"
  kill -INT "$pid"
  wait "$pid" || true
  ip link set dev "$B" xdp object "${BUILD:-build}/bpf/lab.bpf.o" program forward
  trial --load 1000 --duration 0.1
  refused 4 "$B" "XDP"
  trial --load 1000 --duration 0.1 --allow-unsafe="nothing allows that"
  [ "$status" -eq 4 ]
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
  carried "$LAB-x"
  B=$LAB-x
  clean_trial --load 1000 --duration 0.2
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

@test "every signal that ends a process ends a run in order, its ports as before" {
  local signal
  lab_up wire
  before=$(port_state)
  for signal in INT TERM HUP QUIT USR1 USR2 ALRM VTALRM PROF IO PWR STKFLT XCPU RTMIN RTMAX; do
    start_trial --frame-size 3000 --prepare auto,mtu
    [ "$(port_state)" != "$before" ]
    kill "-$signal" "$pid"
    ended
    [ "$status" -eq 130 ] || { echo "SIG$signal: exit $status: $stderr"; return 1; }
    [ "$(port_state)" = "$before" ] || { echo "SIG$signal"; return 1; }
  done
}

@test "a port whose name begins with a dash is one like others" {
  ip link add name "-$LAB" type veth peer name "$LAB-x"
  for port in "-$LAB" "$LAB-x"; do ip link set dev "$port" up; done
  run --separate-stderr "$MLR" trial -p "-$LAB,$LAB-x" --load 1000 --duration 0.1 --format json
  check '.trial_result.counts.received > 0'
  run --separate-stderr "$MLR" lab up --name "-$LAB" --sut wire
  refused 2 "--name" "begin"
}

@test "kill -9 at any moment leaves no XDP program, and clean undoes the rest" {
  lab_up wire
  for port in "$A" "$B"; do echo 0 >"/proc/sys/net/ipv6/conf/$port/disable_ipv6"; done
  before=$(port_state)
  for delay in 0 0.005 0.01 0.02 0.03 0.05 0.08 0.1 0.15 0.2 0.25 0.3 0.4 0.6; do
    start trial --load 1000 --duration 3600
    sleep "$delay"
    kill -9 "$pid"
    wait "$pid" || true
    "$MLR" clean --quiet >/dev/null
    # the kernel releases what hung on the process's descriptors in the background
    for _ in {1..1000}; do [ "$(port_state)" = "$before" ] && break; sleep 0.02; done
    [ "$(port_state)" = "$before" ]
    no_xdp_left
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
  trial --load 1000 --duration 0.1
  [ "$status" -le 1 ] # a busy machine may leave frames unsent
  [[ $stderr == *"restored"* ]]
  [ "$(cat "/proc/sys/net/ipv6/conf/$A/disable_ipv6")" = 0 ]
}

@test "the run after a killed one goes by the MTU that it has restored, not by the one that it found" {
  pair_up
  killed_run
  clean_trial --load 1000 --duration 0.2 "${prepared[@]}"
  check '.trial_result.counts | .sent > 0 and .received == .sent'
  killed_run
  trial --load 1000 --duration 0.2 --frame-size 1400
  [ "$status" -eq 2 ]
  [[ $stderr == *"--frame-size: 1400 octets do not fit the MTU of port $A, 1300"* ]]
}

@test "clean leaves a run that is alive alone" {
  lab_up wire
  start_trial
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [ "$(xdp_count)" -eq 2 ]
  kill -0 "$pid"
}

# --- preparing ------------------------------------------------------------------------------------------------------------

# A veth pair that has something to prepare: four queues, offloads that merge frames, a small MTU.
pair_up() {
  ip link add "$A" numtxqueues 4 numrxqueues 4 type veth peer name "$B" numtxqueues 4 numrxqueues 4
  for port in "$A" "$B"; do
    echo 1 >"/proc/sys/net/ipv6/conf/$port/disable_ipv6"
    ip link set "$port" mtu 1300 up
  done
  ethtool -K "$A" rx-gro-list on gro on
  ethtool -K "$B" rx-udp-gro-forwarding on
}

# The settings that a run may change, in one text.
settings() { # PORT...
  local port option
  for port in "$@"; do
    for option in -k -l; do ethtool "$option" "$port" | tail -n +2; done
    ip -j -d link show "$port" | jq -c '.[0] | [.mtu, .promiscuity, has("xdp")]'
  done
}

prepared=(--frame-size 1400 --prepare "auto,gro,vlan,mtu,channels=2")

@test "what is prepared stands in the result, is in force during the run, and restored after it" {
  pair_up
  before=$(settings "$A" "$B")
  clean_trial --load 1000 --duration 0.2 "${prepared[@]}"
  [ "$status" -eq 0 ]
  check '.measurer.ports[0].changes | map({(.setting): [.was, .now]}) | add == {
    "mtu": ["1300", "1382"], "feature:rx-gro-list": ["on", "off"], "feature:rx-gro": ["on", "off"],
    "feature:rx-vlan-hw-parse": ["on", "off"], "feature:rx-vlan-stag-hw-parse": ["on", "off"],
    "channels": ["rx 4 tx 4 combined 0", "rx 2 tx 2 combined 0"]}'
  check '[.measurer.ports[1].changes[].setting] | contains(["feature:rx-udp-gro-forwarding", "mtu", "channels"])'
  [ "$(settings "$A" "$B")" = "$before" ]
  start_trial "${prepared[@]}"
  [ "$("$JQ" -r '.[0].mtu' <<<"$(ip -j link show "$A")")" -eq 1382 ]
  [[ $(ethtool -l "$A" | tail -n 4) == *"RX:"*"2"* ]]
  [[ $(ethtool -k "$A") == *"rx-vlan-offload: off"*"rx-gro-list: off"* ]]
  kill -TERM "$pid"
  wait "$pid" || true
  [ "$(settings "$A" "$B")" = "$before" ]
}

@test "by default only what distorts is changed, and with none nothing is" {
  pair_up
  for port in "$A" "$B"; do echo 0 >"/proc/sys/net/ipv6/conf/$port/disable_ipv6"; done
  clean_trial --load 1000 --duration 0.1
  check '[.measurer.ports[].changes[].setting] | sort == ["feature:rx-gro-list", "feature:rx-udp-gro-forwarding",
    "sysctl:net/ipv6/conf/'"$A"'/disable_ipv6", "sysctl:net/ipv6/conf/'"$B"'/disable_ipv6"]'
  clean_trial --load 1000 --duration 0.1 --prepare auto,no-ipv6,no-merge
  check '[.measurer.ports[].changes[]] == []'
  clean_trial --load 1000 --duration 0.1 --prepare none
  check '[.measurer.ports[].changes[]] == []'
}

@test "with VLAN frames the tags are kept in what is received" {
  pair_up
  clean_trial --load 1000 --duration 0.1 --vlan 7 --frame-size 68
  check '[.measurer.ports[0].changes[].setting] | contains(["feature:rx-vlan-hw-parse", "feature:rx-vlan-stag-hw-parse"])'
  check '.trial_result.counts.received == 100'
}

channels_of() { # PORT
  ethtool -l "$1" | sed -n '/Current/,$s/^[RT]X:[[:space:]]*//p' | tr '\n' ' '
}

@test "more queues than the port has: it gets them for the run, also after kill -9 they are as before" {
  pair_up
  # the receiving end last: it may not have fewer receive queues than the other one transmits by
  for port in "$A" "$B"; do ethtool -L "$port" rx 1 tx 1; done
  before=$(settings "$A" "$B")
  clean_trial --tx xsk --queues 3 --load 3000 --duration 0.2
  [ "$status" -eq 0 ]
  check '.measurer.ports[0].transmit_queues == 3 and .trial_result.counts.received == 600'
  check '.measurer.ports | map(.changes[] | select(.setting == "channels") | [.was, .now]) |
    all(. == ["rx 1 tx 1 combined 0", "rx 3 tx 3 combined 0"]) and length == 2'
  [ "$(settings "$A" "$B")" = "$before" ]
  start_trial --tx xsk --queues 3
  [ "$(channels_of "$A")" = "3 3 " ]
  kill -9 "$pid"
  wait "$pid" || true
  [ "$(channels_of "$A")" = "3 3 " ]
  "$MLR" clean
  [ "$(settings "$A" "$B")" = "$before" ]
  # a dry run knows what it can get
  trial --tx xsk --queues 3 --load 1000 --dry-run
  [ "$status" -eq 0 ]
  trial --tx xsk --queues 3 --load 1000 --dry-run --prepare auto,no-queues
  refused 3 "--queues" "$A" "1 queue"
  trial --tx xsk --queues 5 --load 1000 --dry-run
  refused 3 "--queues" "$A" "1 queue"
  # what there is already is not changed, nor is it without leave, or beyond what the port can have
  clean_trial --tx xsk --queues 1 --load 1000 --duration 0.1
  check '[.measurer.ports[].changes[] | select(.setting == "channels")] == []'
  trial --tx xsk --queues 3 --load 1000 --duration 0.1 --prepare auto,no-queues
  refused 3 "--queues" "$A" "1 queue"
  trial --tx xsk --queues 5 --load 1000 --duration 0.1
  refused 3 "--queues" "$A" "1 queue"
  trial --tx xsk --queues 5 --load 1000 --duration 0.1 --prepare auto,queues
  refused 3 "$A" "raise the number of transmit queues" "ethtool -l $A"
  [ "$(settings "$A" "$B")" = "$before" ]
}

@test "what is asked for and cannot be done ends the run, and what was done before is undone" {
  pair_up
  before=$(settings "$A" "$B")
  trial --load 1000 --duration 0.1 --prepare gro,rss
  refused 3 "$A" "receive hash" "ethtool -x $A" "'rss' out of --prepare"
  trial --load 1000 --duration 0.1 --prepare gro,steer
  refused 3 "$B" "steer" "ethtool -n $B" "'steer' out of --prepare"
  trial --load 1000 --duration 0.1 --prepare gro,channels=5
  refused 3 "$A" "channels" "ethtool -l $A"
  [ "$(settings "$A" "$B")" = "$before" ]
  trial --load 1000 --duration 0.1 --frame-size 1400
  refused 2 "--frame-size" "1318" "--prepare auto,mtu"
  ip link add "$LAB-x" link "$B" type macvlan mode passthru
  ip link set "$LAB-x" mtu 1200 up
  # a macvlan cannot exceed the MTU of what it is on
  run --separate-stderr "$MLR" trial -p "$A,$LAB-x" --load 1000 --duration 0.1 "${prepared[@]}"
  refused 3 "$LAB-x" "raise the MTU"
  ip link del "$LAB-x"
  [ "$(settings "$A" "$B")" = "$before" ]
}

@test "a setting that somebody else changed meanwhile is left alone, and that is said" {
  pair_up
  start_trial "${prepared[@]}"
  ip link set "$A" mtu 1350
  kill -TERM "$pid"
  ended
  [[ $stderr == *"$A: mtu was '1300', we made it '1382', and somebody else '1350'"* ]]
  [ "$(ip -j link show "$A" | jq '.[0].mtu')" -eq 1350 ]
  [ "$(ip -j link show "$B" | jq '.[0].mtu')" -eq 1300 ]
}

# The MTU of IPv6 follows the link's, as igb's flow control does.
@test "what another change of ours made of a setting is nobody else's, and undone" {
  local journal
  pair_up
  killed_run
  journal=$(grep -l "\"$A\"" /run/xdp-mlr/port-*)
  jq -c 'del(.crc32) | .changes += [{setting: "sysctl:net/ipv6/conf/%s/mtu", was: "1280", now: "1300", done: true}]' "$journal" >"$BATS_TEST_TMPDIR/journal"
  cat "$BATS_TEST_TMPDIR/journal" >"$journal"
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [[ $stderr != *"left alone"* ]]
  [ "$(ip -j link show "$A" | jq '.[0].mtu')" -eq 1300 ]
  [ "$(cat "/proc/sys/net/ipv6/conf/$A/mtu")" -eq 1280 ]
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
}

# Kill a run that has changed all there is to change.
killed_run() {
  start_trial "${prepared[@]}"
  kill -9 "$pid"
  wait "$pid" || true
  [ "$(ip -j link show "$A" | jq '.[0].mtu')" -eq 1382 ]
}

@test "clean finds a port that was renamed, and one that was moved to another network namespace" {
  pair_up
  before=$(settings "$A" "$B")
  killed_run
  ip link set "$A" down
  ip link set "$A" name "$LAB-x"
  ip link set "$LAB-x" up
  "$MLR" clean
  [ "$(settings "$LAB-x" "$B")" = "$before" ]
  ip link set "$LAB-x" down
  ip link set "$LAB-x" name "$A"
  ip link set "$A" up
  killed_run
  "$MLR" lab up --name "${LAB}x" --sut router >/dev/null
  namespace=/run/netns/xdp-mlr-${LAB}x
  ip link set "$A" netns "xdp-mlr-${LAB}x"
  nsenter --net="$namespace" ip link set "$A" up
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [[ $stderr == *"$A was moved to another network namespace, and restored there"* ]]
  [ "$(nsenter --net="$namespace" bash -c "$(declare -f settings); settings $A"; settings "$B")" = "$before" ]
}

@test "clean finds a moved port beside another one with its MAC address" {
  pair_up
  before=$(settings "$A")
  killed_run
  "$MLR" lab up --name "${LAB}x" --sut router >/dev/null
  namespace=/run/netns/xdp-mlr-${LAB}x
  # a pair that was there before, and is found first
  nsenter --net="$namespace" ip link add twin type veth peer name other
  nsenter --net="$namespace" ip link set twin address "$(ip -j link show "$A" | "$JQ" -r '.[0].address')"
  nsenter --net="$namespace" ip link set twin mtu 1382
  ip link set "$A" netns "xdp-mlr-${LAB}x"
  nsenter --net="$namespace" ip link set "$A" up
  "$MLR" clean
  [ "$(nsenter --net="$namespace" bash -c "$(declare -f settings); settings $A")" = "$before" ]
  [ "$(nsenter --net="$namespace" ip -j link show twin | jq '.[0].mtu')" -eq 1382 ]
}

@test "clean undoes a run in another network namespace, from here" {
  "$MLR" lab up --name "${LAB}x" --sut router >/dev/null
  namespace=/run/netns/xdp-mlr-${LAB}x
  pair_up
  before=$(settings "$A" "$B")
  for port in "$A" "$B"; do
    ip link set "$port" netns "xdp-mlr-${LAB}x"
    nsenter --net="$namespace" ip link set "$port" up
  done
  nsenter --net="$namespace" "$MLR" trial -p "$A,$B" --load 1000 --duration 3600 "${prepared[@]}" >/dev/null 2>&1 &
  pid=$!
  background+=("$pid")
  until [ "$(nsenter --net="$namespace" ip -j link show | jq '[.[] | select(.xdp)] | length')" -ge 2 ]; do sleep 0.01; done
  kill -9 "$pid"
  wait "$pid" || true
  run --separate-stderr "$MLR" clean
  [ "$output" = "2 ports restored, 0 gone, 0 unfinished labs removed" ]
  [ "$(nsenter --net="$namespace" bash -c "$(declare -f settings); settings $A $B")" = "$before" ]
}

@test "clean takes a port that is gone for gone, and a new one with its number for a new one" {
  pair_up
  killed_run
  index=$(cat "/sys/class/net/$A/ifindex")
  ip link del "$A"
  ip link add "$LAB-x" index "$index" mtu 1382 type veth peer name "$A"
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [ "$output" = "0 ports restored, 2 gone, 0 unfinished labs removed" ]
  [[ $stderr == *"$A is gone"* && $stderr == *"$B is gone"* ]]
  [ "$(ip -j link show "$LAB-x" | jq '.[0].mtu')" -eq 1382 ]
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
}

# Move the first port into a network namespace of its own, $namespace.
move_away() {
  "$MLR" lab up --name "${LAB}x" --sut router >/dev/null
  namespace=/run/netns/xdp-mlr-${LAB}x
  ip link set "$A" netns "xdp-mlr-${LAB}x"
  nsenter --net="$namespace" ip link set "$A" up
}

@test "a run on a new port that has the number of a moved one keeps the journal of that" {
  local index before
  pair_up
  before=$(settings "$A")
  index=$(cat "/sys/class/net/$A/ifindex")
  killed_run
  move_away
  ip link add "$LAB-x" index "$index" type veth peer name "$LAB-y"
  ip link set "$LAB-x" up
  ip link set "$LAB-y" up
  run --separate-stderr "$MLR" trial -p "$LAB-x,$LAB-y" --load 1000 --duration 0.1
  [ "$status" -eq 0 ]
  [[ $stderr == *"port $A is elsewhere, or gone, with changes of a run that died: 'xdp-mlr clean' looks for it"* ]]
  "$MLR" clean
  [ "$(nsenter --net="$namespace" bash -c "$(declare -f settings); settings $A")" = "$before" ]
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
}

@test "a run on a port that was moved undoes first what a killed one left on it, and clean leaves it alone meanwhile" {
  local before dead
  pair_up
  before=$(settings "$A")
  killed_run
  dead=$(grep -l "\"$A\"" /run/xdp-mlr/port-*)
  cp "$dead" "$BATS_TEST_TMPDIR/dead"
  move_away
  ip link set "$B" netns "xdp-mlr-${LAB}x"
  nsenter --net="$namespace" ip link set "$B" up
  nsenter --net="$namespace" "$MLR" trial -p "$A,$B" --load 1000 --duration 3600 "${prepared[@]}" >/dev/null 2>"$BATS_TEST_TMPDIR/err" &
  pid=$!
  background+=("$pid")
  until [ "$(nsenter --net="$namespace" ip -j link show | jq '[.[] | select(.xdp)] | length')" -ge 2 ]; do sleep 0.01; done
  [ ! -e "$dead" ]
  cp "$BATS_TEST_TMPDIR/dead" "$dead" # as if that journal were from after the move
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 3 ]
  [ "$(nsenter --net="$namespace" ip -j link show "$A" | jq '.[0].mtu')" -eq 1382 ]
  rm "$dead"
  kill -INT "$pid"
  wait "$pid" || true
  [ "$(nsenter --net="$namespace" bash -c "$(declare -f settings); settings $A")" = "$before" ]
}

@test "a crash between journal and change, and within the journal, is survived" {
  pair_up
  killed_run
  journal=$(grep -l "\"$A\"" /run/xdp-mlr/port-*)
  # killed within the change: the setting may be anything, and is restored
  jq -c 'del(.crc32, .changes[].crc32) | (.changes[] | select(.setting == "mtu")).done = false' "$journal" >"$BATS_TEST_TMPDIR/journal"
  cat "$BATS_TEST_TMPDIR/journal" >"$journal"
  ip link set "$A" mtu 1350
  # killed within the writing of the next version
  echo '{"port": "x' >"$journal.new"
  "$MLR" clean
  [ "$(ip -j link show "$A" | jq '.[0].mtu')" -eq 1300 ]
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
  # an empty journal is one that was killed before it changed anything
  : >"$journal"
  "$MLR" clean
  [ ! -e "$journal" ]
}

@test "a process that is just being killed is waited for" {
  pair_up
  before=$(settings "$A" "$B")
  start_trial "${prepared[@]}"
  kill -9 "$pid"
  run --separate-stderr "$MLR" clean
  [ "$output" = "2 ports restored, 0 gone, 0 unfinished labs removed" ]
  [ "$(settings "$A" "$B")" = "$before" ]
}

@test "a port through which one of several ways of a route leads, or a nexthop" {
  lab_up wire
  ip route add 203.0.113.0/24 nexthop dev "$LAB-b" nexthop dev "$LAB-a"
  trial --load 1000 --duration 0.1
  refused 4 "203.0.113.0/24"
  ip route del 203.0.113.0/24
  ip nexthop add id 7077 dev "$B"
  ip nexthop add id 7078 group 7077
  trial --load 1000 --duration 0.1
  refused 4 "$B" "7077" "ip nexthop del"
  ip nexthop del id 7077
}

@test "a journal that does not fit on its disk is a reason not to begin" {
  pair_up
  mkdir -p /run/xdp-mlr
  mount -t tmpfs -o size=4k,mode=755 tmpfs /run/xdp-mlr
  cat /dev/zero >/run/xdp-mlr/filler 2>/dev/null || true
  trial --load 1000 --duration 0.1
  umount /run/xdp-mlr
  refused 3 "journal" "$A" "No space left on device"
}

@test "a claim that fails on a full disk keeps the journal of what could not be undone" {
  local journal
  pair_up
  mkdir -p /run/xdp-mlr
  mount -t tmpfs -o size=64k,mode=755 tmpfs /run/xdp-mlr
  killed_run
  for journal in /run/xdp-mlr/port-*; do # an MTU that the port does not take
    jq -c 'del(.crc32, .changes[].crc32) | (.changes[] | select(.setting == "mtu")).was = "1"' "$journal" >"$BATS_TEST_TMPDIR/journal"
    cat "$BATS_TEST_TMPDIR/journal" >"$journal"
  done
  journal=$(grep -l "\"$A\"" /run/xdp-mlr/port-*)
  cat /dev/zero >/run/xdp-mlr/filler 2>/dev/null || true
  trial --load 1000 --duration 0.1
  was=$(jq -r '.changes[] | select(.setting == "mtu").was' "$journal")
  beside=$(ls /run/xdp-mlr | grep new || true)
  umount /run/xdp-mlr
  [ "$status" -eq 3 ]
  [[ $stderr == *"cannot restore mtu to '1'"*"cannot write the journal of port $A in /run/xdp-mlr: No space left on device" ]]
  [ "$was" = 1 ] && [ -z "$beside" ]
}

@test "a damaged journal is said to be, kept aside, and what is whole in it is restored" {
  local journal
  pair_up
  killed_run
  journal=$(grep -l "\"$A\"" /run/xdp-mlr/port-*)
  # cut short within its last change: the one before it are whole
  head -c -20 "$journal" >"$BATS_TEST_TMPDIR/journal"
  if jq . "$BATS_TEST_TMPDIR/journal" 2>/dev/null; then return 1; fi
  grep -q '"setting":"mtu","was":"1300"[^}]*}' "$BATS_TEST_TMPDIR/journal"
  cat "$BATS_TEST_TMPDIR/journal" >"$journal"
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [[ $stderr == *"warning: the journal $journal is damaged: "*"kept as $journal.damaged"* ]]
  cmp "$journal.damaged" "$BATS_TEST_TMPDIR/journal"
  rm "$journal.damaged"
  [ "$(ip -j link show "$A" | jq '.[0].mtu')" -eq 1300 ]
}

@test "what stands in a folder that others can write is not believed" {
  local mode verb
  lab_up wire
  for mode in "nobody 755" "root 777"; do
    chown "${mode% *}" /run/xdp-mlr && chmod "${mode#* }" /run/xdp-mlr
    for verb in clean "trial -p $A,$B --load 1000 --duration 0.1" "lab down --name $LAB" "lab up --name ${LAB}x --sut wire"; do
      run --separate-stderr "$MLR" $verb
      refused 3 "/run/xdp-mlr is not believed: other users can write there"
    done
  done
  chown root /run/xdp-mlr && chmod 755 /run/xdp-mlr
}

@test "so is one that is JSON still, but not of a journal" {
  local journal
  pair_up
  killed_run
  journal=$(grep -l "\"$A\"" /run/xdp-mlr/port-*)
  sed -i 's/"changes"/"chances"/' "$journal"
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [[ $stderr == *"warning: the journal $journal is damaged: "*"kept as $journal.damaged"* ]]
  rm "$journal.damaged"
  [ "$(ip -j link show "$A" | jq '.[0].mtu')" -eq 1300 ]
}

@test "a digit that changed in a journal is not restored, and all other changes are" {
  local journal before
  pair_up
  before=$(settings "$B"; ethtool -k "$A" | grep gro)
  killed_run
  journal=$(grep -l "\"$A\"" /run/xdp-mlr/port-*)
  sed -i 's/"was":"1300"/"was":"1301"/' "$journal"
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [[ $stderr == *"warning: the journal $journal is damaged: "*"kept as $journal.damaged"* ]]
  rm "$journal.damaged"
  [ "$(ip -j link show "$A" | jq '.[0].mtu')" -eq 1382 ]
  [ "$(settings "$B"; ethtool -k "$A" | grep gro)" = "$before" ]
}

# A clean with these capabilities and no others.
clean_with() { # CAPABILITIES
  run --separate-stderr setpriv --bounding-set="-all,+dac_override$1" --inh-caps=-all "$MLR" clean
}

@test "a clean that may not restore, or not look for a port, keeps the journal for one that may" {
  pair_up
  before=$(settings "$A" "$B")
  killed_run
  clean_with ''
  [ "$status" -eq 3 ]
  [[ $stderr == *"port $A: cannot restore mtu to '1300'"*"port $A: /run/xdp-mlr/port-"*" keeps what is still to be restored"* ]]
  [ "$(ls /run/xdp-mlr/port-* | wc -l)" -eq 2 ]
  "$MLR" lab up --name "${LAB}x" --sut router >/dev/null
  namespace=/run/netns/xdp-mlr-${LAB}x
  ip link set "$A" netns "xdp-mlr-${LAB}x"
  nsenter --net="$namespace" ip link set "$A" up
  clean_with ,+net_admin
  [ "$status" -eq 3 ]
  [[ $stderr == *"port $A is not in this network namespace, and others cannot be entered without CAP_SYS_ADMIN"* ]]
  [ "$(ls /run/xdp-mlr/port-* | wc -l)" -eq 1 ]
  "$MLR" clean
  [ "$(nsenter --net="$namespace" bash -c "$(declare -f settings); settings $A"; settings "$B")" = "$before" ]
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
}

@test "a port that is moved to another network namespace in a run is not forgotten: clean restores it there" {
  pair_up
  before=$(settings "$A" "$B")
  "$MLR" lab up --name "${LAB}x" --sut router >/dev/null
  namespace=/run/netns/xdp-mlr-${LAB}x
  "$MLR" trial -p "$A,$B" --load 1000 --duration 60 "${prepared[@]}" >/dev/null 2>"$BATS_TEST_TMPDIR/err" &
  pid=$!
  background+=("$pid")
  until [ "$(xdp_count)" -ge 2 ]; do sleep 0.01; done
  ip link set "$A" netns "xdp-mlr-${LAB}x"
  nsenter --net="$namespace" ip link set "$A" up
  kill -INT "$pid"
  wait "$pid" || true
  grep -q "port $A is no longer in this network namespace" "$BATS_TEST_TMPDIR/err"
  run --separate-stderr "$MLR" clean
  [ "$status" -eq 0 ]
  [[ $stderr == *"$A was moved to another network namespace, and restored there"* ]]
  [ "$(nsenter --net="$namespace" bash -c "$(declare -f settings); settings $A"; settings "$B")" = "$before" ]
  [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
}
