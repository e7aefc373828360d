#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --prepare: which lists it takes. What they do is in tests/net/ports.bats.
load helper

trial() {
  run --separate-stderr "$XDP_MLR" trial -p nosuch0,nosuch1 --load 5kfps --prepare "$1"
}

@test "lists that are understood" {
  local list
  for list in auto none ipv6 auto,no-pause auto,mtu,channels=4 auto,any-cpu merge,pause,irq,vlan,gro,rss,timestamps,queues,steer auto,no-timestamps,no-queues \
    latency auto,throughput auto,coalesce=0,rings=512,eee,lldp,wake auto,latency,no-wake auto,throughput,no-affinity,flags,affinity; do
    trial "$list"
    # the ports are looked for only once the list has been understood
    [[ $stderr == *"no port 'nosuch0'"* ]]
  done
}

@test "lists that are not" {
  local list
  for list in "" autp auto, ,auto channels channels=0 channels=x channels=1.5 channels=99999 gro=1 no-channels=2 no-auto auto,none \
    coalesce coalesce=-1 coalesce=1001 rings=63 rings eee=1 affinity=2 any-cpu=1 flags=1 no-latency latency=1; do
    trial "$list"
    [ "$status" -eq 2 ]
    [[ $stderr == *"--prepare"* ]]
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
  done
  trial auto,paus
  [[ $stderr == *"did you mean 'pause'"* ]]
}

@test "every verb that sends frames prepares, and by default" {
  local verb
  for verb in search trial soak selftest; do
    run "$XDP_MLR" $verb --help=all
    [[ $output == *"--prepare LIST"*"(default auto)"* ]]
  done
}
