#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where nobody answers ARP or neighbour discovery: said, where a router would then drop everything, and silent over a bridge.
bats_require_minimum_version 1.5.0
load helper

@test "a gateway that was given and does not answer ends the run, unless a MAC address is given" {
  lab_up router
  trial --load 1000 --duration 0.2 --gateway 198.18.0.9,198.19.0.1 --direction both
  refused 5 "port $A: nobody answers for its gateway, 198.18.0.9 (--gateway), within " "would be lost"
  # IPv6 likewise, of mixed traffic it alone
  trial --load 1000 --duration 0.2 --ip mixed --frame-size 84 --flows 2 --gateway6 2001:2:0:1::9,2001:2:0:2::1
  refused 5 "port $A: nobody answers for its gateway, 2001:2:0:1::9 (--gateway6), within "
  # that of a port which sends nothing does not matter, nor does one where a MAC address is given
  trial --load 1000 --duration 0.2 --gateway 198.18.0.1,198.19.0.9
  [ -z "$stderr" ]
  check '.trial_result.counts.received > 0'
  trial --load 1000 --duration 0.2 --gateway 198.18.0.9,198.19.0.9 --dst-mac "$(for port in sut-a sut-b; do sut_mac $port; done | paste -sd,)"
  [ -z "$stderr" ]
  check '.trial_result.counts.received > 0'
}

@test "where nobody answers and nothing comes, the tester is the limit, and that is no loss of the SUT" {
  lab_up router
  inside ip address flush dev sut-a
  inside ip address add 198.18.0.77/24 dev sut-a # so that there is still a route to the port
  trial --load 1000 --duration 0.2 --direction both --wait d=0.1
  [ "$status" -eq 1 ]
  check '.ports[0].counts.received > 0 and .ports[1].counts.received == 0 and (.measurer.ports | map(.destination_mac_source) == ["the other port'"'"'s", "learned by ARP"])'
  check '.tester_limited and (.trial_result.tester_limited_reason | test("^nobody answered for the gateway"))'
  echo "$output" >"$BATS_TEST_TMPDIR/document.json"
  run "$MLR" report "$BATS_TEST_TMPDIR/document.json"
  output=$(tr -s ' \n' ' ' <<<"$output")
  [[ $output == *"Destination MAC from $A "*" (the other port's), from $B "*" (learned by ARP)"* ]]
  [[ $output == *"nobody answered for the gateway"*"let the SUT answer ARP"* ]]
  [[ $output != *"the SUT lost"* ]]
}

@test "where nothing arrives and nobody answers, that is said once" {
  lab_up router
  for port in sut-a sut-b; do inside ip address flush dev "$port"; done
  search --max-load 5kfps --min-load 1kfps --goal loss=0,final=0.1,width=20% --wait d=0.1
  [ "$status" -eq 1 ]
  check '(.trials | length) >= 2 and ([.trials[].counts.received] | add) == 0 and ([.trials[] | select(.tester_limited | not)] == [])'
  check '.search_result | all(.tester_limited)'
  check '[.warnings[] | select(test("nothing that was sent arrived"))] | length == 1'
  [ "$(grep -c warning <<<"$stderr")" -eq 1 ]
  [[ $stderr == *"xdp-mlr: warning: port $A: nothing that was sent arrived, and nobody answers for its gateway, 198.18.0.1: "*"--gateway, --address and --dst-mac" ]]
}

@test "so it is where the router knows one of two IP versions" {
  lab_up router
  clean_trial --load 1000 --duration 0.2 --ip mixed --frame-size 84 --flows 2
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == "xdp-mlr: warning: port $A: at most half of what was sent arrived, and nobody answers for its gateway, 2001:2:0:1::1: "*"--gateway6, --address6 and --dst-mac" ]]
  trial --load 1000 --duration 0.2
  [ -z "$stderr" ]
}

@test "no word of it where gateways answer, or ports see each other" {
  local sut
  for sut in router bridge wire xdp policer:rate=50000 delay:us=50; do
    lab_up "$sut"
    trial --load 1000 --duration 0.1 --direction both
    [ -z "$stderr" ] || { echo "$sut: $stderr"; return 1; }
    "$MLR" lab down --name "$LAB" --quiet
  done
}

@test "a SUT that answers and forwards nothing is a black hole: one line says what to look at" {
  lab_up router
  inside ip route add blackhole 198.19.0.2/32
  clean_trial --load 1000 --duration 0.1 --wait d=0.2
  [ "$status" -eq 0 ]
  [[ $stderr == *"no frame of 100 sent came back: look at the cabling, at MAC addresses (--dst-mac), at the SUT's routes, VLANs and firewall, "* ]]
  check '.trial_result.trial_loss_ratio == 1 and (.warnings | length == 1)'
}

# Both ports are on one bridge, whose router does not answer.
bridge_with_silent_router() {
  lab_up bridge
  inside sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.arp_ignore=8 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.bridge.send_redirects=0
  inside ip address add 198.18.0.1/24 dev bridge
  inside ip address add 198.19.0.1/24 dev bridge
}

# From now on its answers come, to questions of long ago.
answers_come() {
  local network mac
  mac=$(sut_mac bridge | tr -d :)
  for network in 12 13; do
    inside_meanwhile "${BUILD:-build}/tests/tools/speak" bridge 20 \
      "ffffffffffff${mac}08060001080006040002${mac}c6${network}0001ffffffffffffc6${network}0002"
  done
}

destinations='.measurer.ports | map(.destination_mac_source) | unique'

@test "a gateway on the ports' own bridge that answers during the first trial: it is performed again, by the gateway" {
  bridge_with_silent_router
  during_trial answers_come --load 1000 --direction both
  [[ $stderr == *"port $A: its gateway answers now; frames go to"* ]]
  check "$destinations == [\"learned by ARP\"]"
  check '.trial_result.counts | .received > 0 and .changed_ttl == .received'
}

@test "where the trial that is performed again loses a link, that is not overlooked" {
  bridge_with_silent_router
  start trial --duration 5 --load 1000 --direction both --format json
  flowing 50
  answers_come
  until_it_says "its gateway answers now" "$BATS_TEST_TMPDIR/err"
  flowing 50
  inside ip link set sut-a down
  inside ip link set sut-a up
  ended
  [ "$status" -eq 5 ]
  [[ $stderr == *"port $A: its link went down"* ]]
}

@test "if it answers after a trial, later ones go the same way, and that is said once" {
  bridge_with_silent_router
  start sweep --loads 1000,1100,1200 --duration 2 --format json
  flowing 2200
  answers_come
  ended
  [ "$status" -le 1 ]
  check '[.trials[].counts.changed_ttl] == [0, 0, 0] and (.trials | all(.counts.received > 0))'
  check "$destinations == [\"the other port's\"]"
  check '[.warnings[] | select(test("^port .*: its gateway, 198.1[89].0.1, answers only now; frames go to the other port without it"))] | length == 1'
}

@test "connect says that it answers, too" {
  BURST='' CONNECT=''
  bridge_with_silent_router
  start connect --duration 3 --format json
  flowing 1
  sleep 1 # The frames of the connection have all come.
  answers_come
  ended
  [ "$status" -le 1 ]
  check '.connection.ports | map(.gateway) == ["198.18.0.1", "198.19.0.1"]'
}
