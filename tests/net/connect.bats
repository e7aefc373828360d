#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What lies between the ports in real life: bridges that forget, or that spanning tree keeps closed; routers that come late; a cable;
# nothing; and this machine's own programs.
bats_require_minimum_version 1.5.0
load helper

CONNECT= # that is what this is about

# A bridge that forgets where a port is after so many seconds, and floods nothing.
lab_up_forgetful() { # SECONDS
  lab_up bridge
  inside ip link set dev bridge type bridge ageing_time "$(($1 * 100))"
  local port
  for port in sut-a sut-b; do inside bridge link set dev $port flood off; done
}

@test "a bridge that ages its table out and floods nothing does not forget the port that only receives" {
  lab_up_forgetful 3
  clean_trial --load 1000 --duration 8
  check '.trial_result.counts | .sent == 8000 and .lost == 0'
  # it told where it is, and that counts nowhere
  check '.ports | (.[0] | has("announcements_sent") | not) and (.[1].announcements_sent >= 3)'
  check '.ports[0].counts | [.foreign, .unknown_trial, .late, .misdirected] == [0, 0, 0, 0]'
}

@test "a router that answers late costs no trial" {
  lab_up router
  inside ip address flush dev sut-a
  inside_meanwhile bash -c 'sleep 2.5; ip address add 198.18.0.1/24 dev sut-a'
  clean_trial --load 1000 --duration 0.5 --gateway 198.18.0.1,198.19.0.1
  check '.trial_result.counts.lost == 0 and .measurer.ports[0].destination_mac_source == "learned by ARP"'
}

@test "where a gateway answers after the first trials have begun, what went elsewhere does not count" {
  lab_up router
  inside ip address flush dev sut-a
  inside_meanwhile bash -c 'sleep 3; ip address add 198.18.0.1/24 dev sut-a'
  for backend in xsk live; do
    clean search --max-load 2kfps --min-load 1kfps --goal loss=0,final=4,sum=4,initial=4,width=20% --wait d=0.1 --connect off --tx $backend
    check '[.trials[] | select(.counts.received == 0) | select((.warmup and .tester_limited) | not)] == []'
    check '.measurer.ports[0].destination_mac_source == "learned by ARP"'
    inside ip address flush dev sut-a
    inside_meanwhile bash -c 'sleep 3; ip address add 198.18.0.1/24 dev sut-a'
  done
}

# A bridge with spanning tree, whose ports have just come up.
lab_up_spanning() { # FORWARD-DELAY-SECONDS
  lab_up bridge
  inside ip link set dev bridge type bridge stp_state 1 forward_delay "$(($1 * 100))"
  restart_spanning
}

restart_spanning() {
  local port
  for port in sut-a sut-b; do
    inside ip link set "$port" down
    inside ip link set "$port" up
  done
  carried "$A" "$B"
}

SPEAK=${BUILD:-build}/tests/tools/speak
DHCP_DISCOVER=ffffffffffff0000000000000800$(printf '450000480000000040117aa600000000ffffffff00440043003400000101060012345678%080d' 0)

@test "connect says what lies between: a cable, a switch, a router" {
  local sut
  for sut in wire bridge router; do
    lab_up "$sut"
    run --separate-stderr "$MLR" connect -p "$A,$B" --format json
    [ "$status" -eq 0 ]
    "${BUILD:-build}"/tests/tools/validate --closed docs/schema/connect.schema.json - <<<"$output"
    check '.connection | .passes and .steady and .in_a_row >= 50'
    # A router keeps few frames while it asks for an address, and on a busy machine the answer comes late.
    [ "$sut" = router ] || check '.connection.ports | map(.came == .sent) == [true, true]'
    case $sut in
      wire) check '.connection | .kind == "cable" and (.sentence | startswith("a cable, "))' ;;
      bridge) check '.connection | .kind == "switch" and .sentence == "a switch"' ;;
      router) check '.connection | .kind == "router" and .sentence == "the router 198.18.0.1 and 198.19.0.1"' ;;
    esac
    "$MLR" lab down --name "$LAB" --quiet
  done
}

@test "a switch whose spanning tree still listens and learns is waited for, and that is said" {
  lab_up_spanning 3
  run --separate-stderr "$MLR" connect -p "$A,$B"
  [ "$status" -eq 0 ]
  [[ $stderr == *"a switch with spanning tree, which needs up to 6 s more to let frames pass; make the switch's port an edge port"* ]]
  [[ $output == "Between the ports: a switch; its spanning tree let frames pass after "*": make the switch's port an edge port."* ]]
  waited_trial() { restart_spanning && trial "$@"; }
  clean waited_trial --load 1000 --duration 0.5
  check '.trial_result.counts.lost == 0 and .connection.spanning_tree_wait > 0'
  check '.connection | .steady and .in_a_row >= 50 and (.sentence | contains("did not come") | not)'
  check '.connection.ports[0].heard.spanning_tree | .version == "802.1D" and .forward_delay == 3'
  # without connecting the first trial is lost: that is not the SUT's loss, either
  restart_spanning
  trial --load 1000 --duration 0.5 --wait d=0.1 --connect off
  [ "$status" -eq 1 ]
  check '.tester_limited and (has("connection") | not)'
}

# Per-VLAN spanning tree (rapid, which says that the port listens, learns or forwards), CDP and a keepalive, as Cisco's switches send them.
# Linux has no such bridge, so its port is taken out until the last.
pvst() { # FLAGS
  echo 01000ccccccd0200000000770032aaaa0300000c010b00000202"${1}80000200000000010000000480000200000000098007"0000140002000f000000000000020008
}
CDP=01000ccccccc0200000000770020aaaa0300000c200002b4000000010009"$(printf 'core2' | od -An -tx1 | tr -d ' \n')00030008$(printf 'Gi/4' | od -An -tx1 | tr -d ' \n')"

@test "what a switch of Cisco's says by itself is no foreign traffic: it is waited for, and named" {
  lab_up bridge
  inside ip link set dev sut-b nomaster
  inside_meanwhile "$SPEAK" sut-b 100 "$CDP"
  inside_meanwhile "$SPEAK" sut-b 100 020000000077020000000077900000000100"$(printf '%080d' 0)"
  inside_meanwhile "$SPEAK" sut-b 100 "$(pvst 0e)"
  listens=${background[-1]}
  BURST= start connect --format json
  until_it_says "a switch with spanning tree, which needs up to 30 s more to let frames pass" "$BATS_TEST_TMPDIR/err"
  kill "$listens"
  inside ip link set dev sut-b master bridge
  inside_meanwhile "$SPEAK" sut-b 100 "$(pvst 3c)"
  ended
  [ "$status" -eq 0 ] || { echo "exit $status: $stderr"; return 1; }
  check '.connection | .kind == "switch" and .steady and .in_a_row >= 50'
  check '.connection.sentence | test("its spanning tree let frames pass after .* it is Gi/4 of core2 \\(CDP\\)")'
  check '.connection.ports[1].heard | .foreign == 0 and .spanning_tree.version == "rapid" and .spanning_tree.state == "forwarding"'
}

@test "where nothing passes that is said, with what the neighbour says of itself, and the run goes on" {
  lab_up bridge
  inside ip link set dev sut-b nomaster
  # LLDP: chassis "x", port "ge-0/0/7", TTL, system "core1"
  inside_meanwhile "$SPEAK" sut-a 100 0180c200000e0000000000008$(:)8cc02020778040907$(printf 'ge-0/0/7' | od -An -tx1 | tr -d ' \n')060200780a05$(printf 'core1' | od -An -tx1 | tr -d ' \n')0000
  run --separate-stderr "$MLR" connect -p "$A,$B" --direction a-to-b
  [ "$status" -eq 1 ]
  [[ $output == *"$A's frames leave, none arrive at $B; the neighbour on $A says it is ge-0/0/7 of core1 (LLDP)."* ]]
  trial --load 1000 --duration 0.2 --wait d=0.1
  [[ $stderr == *"between the ports: "*"none arrive at $B"*"ge-0/0/7 of core1 (LLDP)"* ]]
  check '.tester_limited and .trial_result.counts.sent == 200 and (.connection.passes | not)'
}

@test "a SUT that loses all or some at a given MAC address is measured as before" {
  lab_up router
  inside ip route add blackhole 198.19.0.2/32
  clean_trial --load 1000 --duration 0.1 --wait d=0.2
  [ "$status" -eq 0 ]
  check '.trial_result.trial_loss_ratio == 1 and (.tester_limited | not) and (.connection | .passes == false and .kind == "router")'
  "$MLR" lab down --name "$LAB" --quiet
  lab_up policer:rate=500,depth=1
  trial --load 1000 --duration 0.5 --wait d=0.2
  check '.trial_result.counts | .received > 200 and .lost > 200'
  check '.connection | .passes and (.steady | not) and all(.ports[] | select(.sent); .sent <= 250)'
}

@test "a DHCP client of this machine on a port is called so, by name, with the command that ends it" {
  lab_up bridge
  "$SPEAK" "$A" 20 "$DHCP_DISCOVER" &
  background+=("$!")
  trial --load 1000 --duration 0.1
  refused 4 "port $B: foreign traffic arrives there" "this machine itself sends them by port $A, as a DHCP client (speak, process $!)" \
    "'kill $!' ends that" "--allow-unsafe"
  run --separate-stderr "$MLR" connect -p "$A,$B" --format json --allow-unsafe "a client"
  check '.connection.ports | (.[0].program == {"name": "speak", "process": '"$!"'}) and .[1].heard.dhcp > 0 and .[1].heard.of_this_machine > 0'
}

@test "a program of this machine that begins to send within a trial is called so" {
  lab_up bridge
  speaks() { "$SPEAK" "$A" 20 "$DHCP_DISCOVER" & background+=("$!"); flowing 200; kill "${background[-1]}"; }
  during_trial speaks --load 1000
  check '.trial_result.counts.foreign > 0'
  [[ $stderr == *"foreign frames arrived in a trial: this machine itself sends them by port $A, as a DHCP client"* ]]
}

@test "sizes that the SUT does not take are told apart from loss" {
  lab_up bridge
  local port
  for port in sut-a sut-b; do inside ip link set dev "$port" mtu 1000; done
  run --separate-stderr "$MLR" connect -p "$A,$B" --frame-size imix --format json
  [ "$status" -eq 1 ]
  check '.connection | .passes and (.steady | not) and (.blocked | map(.frame_size) == [1518])'
  check '.connection.sentence | contains("none come of 1518 octets")'
}
