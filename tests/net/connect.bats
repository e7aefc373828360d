#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What lies between the ports in real life: bridges that forget, or that spanning tree keeps closed; routers that come late; a cable;
# nothing; and this machine's own programs.
bats_require_minimum_version 1.5.0
load helper

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
    clean search --max-load 2kfps --min-load 1kfps --goal loss=0,final=4,sum=4,initial=4,width=20% --wait d=0.1 --tx $backend
    check '[.trials[] | select(.counts.received == 0) | select((.warmup and .tester_limited) | not)] == []'
    check '.measurer.ports[0].destination_mac_source == "learned by ARP"'
    inside ip address flush dev sut-a
    inside_meanwhile bash -c 'sleep 3; ip address add 198.18.0.1/24 dev sut-a'
  done
}
