#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What this machine's own kernel may lack, on one of Debian's, over emulated NICs: tests/vm/run starts it in the guest.
# Loads are small and trials short, because a CPU that is emulated is slow.
bats_require_minimum_version 1.5.0
load ../net/helper
load ../net/tunnels

setup_file() {
  [ -n "${VM_KERNEL:-}" ] || {
    echo "this runs in the guest: tests/vm/run 6.1" >&2
    return 1
  }
  local port
  for port in eth0 eth1 eth2 eth3; do ip link set "$port" up; done
  sleep 1
}

setup() {
  LAB=t$((BASHPID % 100000))
  A=eth0 B=eth1
  background=()
}

teardown() {
  local link
  "$MLR" lab down --name "$LAB" --quiet
  "$MLR" clean --quiet >/dev/null
  for link in vlan0 vlan1 qinq0 macvlan0 macvlan1 bond7; do ip link del "$link" 2>/dev/null || true; done
  for link in eth0 eth1 eth2 eth3; do ip link set "$link" up; done
}

# A trial on the lab's ports.
lab_trial() {
  A=$LAB-a B=$LAB-b clean_trial "$@"
}

adds_up() {
  check '.trial_result.counts | .intended == .sent + .unsent and .sent == .received + .lost and .malformed == 0 and .duplicate == 0'
}

# An emulated CPU may be off the pace, which the tester says by exit code 1; no frame may be missing all the same.
loss_free() {
  [ "$status" -le 1 ] || { echo "exit $status: $stderr"; return 1; }
  adds_up
  check '.trial_result.counts | .lost == 0 and .received == .intended'
}

@test "the kernel is the one that was asked for" {
  [[ $(uname -r) == "$VM_KERNEL".* ]]
}

# More frames than the kernel keeps pages for live frames, so that pages go round.
@test "a trial over virtio-net, a frame for a frame" {
  for backend in xsk live; do
    clean_trial --tx "$backend" --load 2kfps --duration 0.5
    loss_free
    check ".trial_result.tx_backend == \"$backend\" and .latency.count == 1000 and .latency.min_ns > 0"
    check '.trial_result.counts.foreign == 0'
  done
}

@test "both directions, several sizes" {
  for size in 64 512 1518; do
    clean_trial --direction both --load 500 --duration 0.5 --frame-size "$size"
    loss_free
  done
}

@test "a port below a VLAN device is refused; the VLAN device is a port, in generic mode" {
  ip link add link eth0 name vlan0 type vlan id 7
  ip link add link eth1 name vlan1 type vlan id 7
  ip link set vlan0 up
  ip link set vlan1 up
  trial --load 1kfps --duration 0.1
  refused 4 eth0 vlan0
  A=vlan0 B=vlan1 clean_trial --load 1kfps --duration 0.5
  loss_free
  [[ $stderr == *vlan0*generic* ]]
}

# Not bond0: that one the module makes by itself when it is loaded.
@test "a port in a bond is refused; the bond is a port" {
  ip link set eth0 down
  ip link set eth2 down
  ip link add bond7 type bond mode active-backup miimon 100
  ip link set eth0 master bond7
  ip link set eth2 master bond7
  ip link set bond7 up
  sleep 1
  trial --load 1kfps --duration 0.1
  refused 4 eth0 bond7
  # the bond's active port is eth0, on the wire of eth1
  [ "$(cat /sys/class/net/bond7/bonding/active_slave)" = eth0 ]
  A=bond7 B=eth1 clean_trial --load 1kfps --duration 0.5
  loss_free
}

@test "a macvlan is a port, in generic mode" {
  ip link add link eth0 name macvlan0 type macvlan mode private
  ip link add link eth1 name macvlan1 type macvlan mode private
  ip link set macvlan0 up
  ip link set macvlan1 up
  A=macvlan0 B=macvlan1 clean_trial --load 1kfps --duration 0.5
  loss_free
}

@test "transmit metadata: the kernel says when it was done with a frame, from Linux 6.8 on" {
  if [ "$VM_KERNEL" = 6.1 ]; then
    trial --tx xsk --load 1kfps --duration 0.2 --departure-delay on
    refused 3 --departure-delay "Linux 6.8"
    return
  fi
  # virtio-net takes frames in a way in which this kernel forgets the wish
  clean_trial --tx xsk --load 1kfps --duration 0.2 --departure-delay on
  loss_free
  [[ $stderr == *"none of 100 departures was stamped"* ]]
  "$MLR" lab up --name "$LAB" --sut wire >/dev/null
  lab_trial --tx xsk --load 1kfps --duration 0.3 --departure-delay on
  loss_free
  check '.latency.departure_delay | .count == 150 and .max_ns > 0'
}

@test "every SUT of the lab forwards" {
  for sut in router bridge xdp policer:rate=1Mfps stretch:critical=1Mfps,spread=10 delay:us=100 wire; do
    "$MLR" lab up --name "$LAB" --sut "$sut" >/dev/null
    for backend in xsk live; do
      lab_trial --tx "$backend" --load 1kfps --duration 0.3
      adds_up
      check '.trial_result.counts.lost == 0'
    done
    "$MLR" lab down --name "$LAB"
  done
}

@test "against a policer the loss is known to the frame" {
  lab_up policer:rate=2kfps,burst=10ms
  lab_trial --load 2kfps --duration 0.5
  loss_free
  # 1100 frames, 1000 by the rate, 20 by the burst, and the first one; the last ten may fall on either side of the end
  lab_trial --load 2200 --duration 0.5
  adds_up
  check '.trial_result.counts.lost | . >= 78 and . <= 81'
}

@test "a search against a policer finds its rate" {
  lab_up policer:rate=2kfps,burst=10ms
  run --separate-stderr "$MLR" search -p "$LAB-a,$LAB-b" --min-load 1kfps --max-load 4kfps --max-time 60 --quiet --format json \
    --goal loss=0,exceed=0.5,initial=0.2,final=0.2,sum=0.6,width=5%
  # the burst lets 20 frames of a trial of 0.2 s through, 5 % of them
  check '.search_result[0] | .relevant_lower_bound >= 1800 and .relevant_lower_bound <= 2120'
  check '.search_result[0] | .relevant_upper_bound == null or .relevant_upper_bound <= 2300'
}

# All that a run might change of a port.
port_state() {
  ip -d -j link show "$1" | jq -c 'map(del(.stats, .stats64))'
  ethtool -k "$1" 2>/dev/null
  ethtool -l "$1" 2>/dev/null
  ethtool -a "$1" 2>/dev/null
  grep -r . "/proc/sys/net/ipv6/conf/$1" 2>/dev/null
  true
}

@test "after kill -9 and clean, the ports are as before" {
  before=$(port_state eth0; port_state eth1)
  for delay in 0.3 0.6 0.9 1.5; do
    "$MLR" trial -p eth0,eth1 --load 500 --duration 5 >/dev/null 2>&1 &
    pid=$!
    sleep "$delay"
    kill -9 "$pid"
    wait "$pid" || true
    "$MLR" clean --quiet >/dev/null
    after=$(port_state eth0; port_state eth1)
    [ "$after" = "$before" ] || { diff <(echo "$before") <(echo "$after"); return 1; }
  done
}

@test "a self-test finds a load at which the tester is clean, by both backends, and says what it is of" {
  for backend in xsk live; do
    run --separate-stderr "$MLR" selftest -p eth0,eth1 --frame-size 64 --duration 0.3 --tx "$backend" --format json --quiet
    [ "$status" -le 1 ]
    check ".self_tests | length == 1 and (.[0] | .tx_backend == \"$backend\" and .fastest_load > 0)"
    check '.environment.cpu_model | length > 0' # arm64 says it elsewhere
    check '.sut_check.verified == false and (.environment.kernel | startswith("'"$VM_KERNEL"'."))'
  done
}

@test "a soak and the tests of RFC 2544 measure a policer" {
  lab_up policer:rate=2kfps,burst=10ms
  run --separate-stderr "$MLR" soak -p "$LAB-a,$LAB-b" --min-load 1kfps --max-load 4kfps --max-time 8 --first-duration 0.3 \
    --duration-step 0.05 --wait d=0.3 --quiet --format json
  [ "$status" -le 1 ]
  # an emulated CPU's stalls are losses, too: what is found is below the policer's rate, how far nobody knows
  check '(.trials | length) > 3 and .critical_load.mean >= 1000 and .critical_load.mean < 2500'
  run --separate-stderr "$MLR" rfc2544 -p "$LAB-a,$LAB-b" --fast --tests throughput,latency --frame-size 64 --min-load 1kfps --max-load 4kfps \
    --trial-duration 0.3 --latency-repeats 2 --latency-duration 0.3 --wait d=0.3 --quiet --format json
  [ "$status" -le 1 ]
  check '.frame_sizes[0] | .throughput.throughput < 2150 and .throughput.trial_count >= 2 and (.throughput.throughput == null or .latency.repeats == 2)'
}

@test "probe says what this kernel cannot tell, and tries what it can" {
  run --separate-stderr "$MLR" probe -p eth0,eth1 --format json
  [ "$status" -eq 0 ]
  check '.machine[] | select(.name == "kernel") | .state == "OK" and (.value | startswith("'"$VM_KERNEL"'."))'
  check '.ports | all(.driver == "virtio_net" and .tried and .native_xdp and .zero_copy == false)'
  if [ "$VM_KERNEL" = 6.1 ]; then
    check '.ports | all(.frags == null and .rx_metadata == null and .tx_metadata == null)'
    check '.ports[0].checks[] | select(.name == "tx-metadata") | .value | test("before 6.8")'
  else
    check '.ports | all(.rx_metadata != null and .tx_metadata == [])'
  fi
}

@test "live frames where the port has none of it are refused, and a bond has" {
  ip link add link eth0 name vlan0 type vlan id 7
  ip link add link eth1 name vlan1 type vlan id 7
  ip link set vlan0 up
  ip link set vlan1 up
  A=vlan0 B=vlan1 trial --tx live --load 1kfps --duration 0.2
  [ "$status" -eq 3 ]
  [[ $stderr == *vlan0*live* ]]
  for link in vlan0 vlan1; do ip link del "$link"; done
  ip link set eth0 down
  ip link add bond7 type bond mode active-backup miimon 100
  ip link set eth0 master bond7
  ip link set bond7 up
  sleep 1
  A=bond7 B=eth1 trial --tx live --load 500 --duration 0.5
  adds_up
}

@test "tunnels of Linux end: GRE that wants a checksum, IP in IP, MPLS" {
  lab_up router
  A=$LAB-a B=$LAB-b
  router_ends gre1 type gre local 198.18.0.1 remote 198.18.0.2 icsum ikey 7
  router_ends ipip1 type ipip local 198.18.0.1 remote 198.18.0.2
  is_ended 0800 "${ipv4}2f$from_to" a000 0800 0bad 0000 00000007 "$inner4"
  is_ended 0800 "${ipv4}04$from_to" "$inner4"
  # it takes none without the checksum, so that was looked at
  template 0800 "${ipv4}2f$from_to" 2000 0800 00000007 "$inner4"
  trial --template "$pcap" --load 1000 --duration 0.1 --wait d=0.05 --frame-size 200
  check '.trial_result.counts | .sent == 100 and .received == 0'
  modprobe mpls_router
  inside bash -c 'echo 1000 >/proc/sys/net/mpls/platform_labels; echo 1 >/proc/sys/net/mpls/conf/sut-a/input'
  inside ip -f mpls route add 200 via inet 198.19.0.2 dev sut-b
  is_ended 8847 000c81ff "$inner4"
}
