#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# One trial, end to end: every frame is accounted for.
bats_require_minimum_version 1.5.0
load helper

counts='.trial_result.counts'

@test "a wire loses, repeats and reorders nothing, and the interfaces agree" {
  lab_up wire
  clean_trial --load 100kfps --duration 1
  [ "$status" -eq 0 ]
  check "$counts | .intended == 100000 and .sent == 100000 and .received == 100000"
  check "$counts | .duplicate == 0 and .reordered == 0 and .late == 0 and .foreign == 0 and .malformed == 0"
  check "$counts | .unsent == 0 and .lost == 0"
  check '.trial_result.trial_loss_ratio == 0 and .trial_result.trial_forwarding_rate == 100000'
  check '.ports[0].nic_tx_frames == 100000 and .ports[1].nic_rx_frames == 100000'
  check '.latency.count == 100000 and .latency.min_ns > 0 and .latency.min_ns <= .latency.p50_ns and .latency.p50_ns <= .latency.max_ns'
  check '.latency | (.pdv_p50_ns - (.p50_ns - .min_ns) | fabs) < 1e-3 and (.pdv_p99_ns - (.p99_ns - .min_ns) | fabs) < 1e-3 and
    .pdv_error_ns <= 0.0025 * .pdv_p99_9_ns + 1 and .pdv_max_ns == .max_ns - .min_ns and .pdv_p99_9_ns <= .pdv_max_ns'
  check '.definitions.delay_variation | test("IPDV.*with --ipdv")'
  check '.latency | has("ipdv_count") | not'
  check '.tester_limited == false and .trial_result.tx_backend == "xsk"'
}

@test "--ipdv: by how much latency differs from each frame to the next of its flow, by either transmitter" {
  local tx
  lab_up hostile:drop,every=10
  for tx in xsk live; do
    clean_trial --tx $tx --load 10kfps --duration 0.2 --flows 3 --wait d=0.2 --ipdv
    check '.trial_result.order.gaps > 0'
    # one for each frame but the first of a flow, those behind a gap and overtaken ones; and the two of each without a latency
    check '(.trial_result.counts.received - .trial_result.order.gaps) as $most | .latency.ipdv_count | . <= $most'
    check '.trial_result.counts.received as $received | .latency.ipdv_count
      >= $received - .trial_result.order.gaps - 3 - .trial_result.counts.reordered - 2 * ($received - .latency.count)'
    check '.latency | .ipdv_p50_ns <= .ipdv_p99_ns and .ipdv_p99_ns <= .ipdv_p99_9_ns and .ipdv_p99_9_ns <= .ipdv_max_ns'
    check '.latency | .ipdv_max_ns > 0 and .ipdv_max_ns <= .max_ns - .min_ns and .ipdv_mean_ns <= .ipdv_max_ns'
  done
  "$MLR" lab down --name "$LAB"
  # no frame of which the next one came, too
  lab_up hostile:half
  clean_trial --load 1000 --duration 0.2 --wait d=0.2 --ipdv
  check '.latency | .count == 100 and .ipdv_count == 0 and .ipdv_p99_ns == null and .ipdv_max_ns == null'
  "$MLR" lab down --name "$LAB"
  # every other frame takes 100 ms longer, by 400 less than until the next: a busy machine holds a frame up for 100, too
  lab_up hostile:delay,every=2,by=100
  clean_trial --load 2 --duration 4 --ipdv --require 'ipdv.p50>=50ms' --require 'ipdv.p50<=150ms' --require 'pdv.p50<=150ms'
  [ "$status" -eq 0 ]
  check "$counts | .received == 8 and .reordered == 0"
  check '.latency.ipdv_count == 7'
}

@test "both directions add up, port by port" {
  lab_up wire
  clean_trial --load 40kfps --duration 0.5 --direction both
  [ "$status" -eq 0 ]
  check "$counts | .intended == 40000 and .sent == 40000 and .received == 40000"
  check '[.ports[].counts.sent] == [20000, 20000] and [.ports[].counts.received] == [20000, 20000]'
  check '.aggregate_factor == 2 and .trial_result.trial_load == 40000 and .trial_result.trial_forwarding_rate == 40000'
}

@test "b-to-a sends the other way" {
  lab_up wire
  clean_trial --load 20kfps --duration 0.5 --direction b-to-a
  [ "$status" -eq 0 ]
  check '[.ports[].counts.sent] == [0, 10000] and [.ports[].counts.received] == [10000, 0]'
}

@test "frames on the wire have the asked size, good checksums and RFC 2544 addresses" {
  frames_have_size_and_checksums
}

@test "the policer loses exactly what exceeds its rate" {
  lab_up policer:rate=200000,burst=100us
  clean_trial --load 200000 --duration 1
  [ "$status" -eq 0 ]
  check "$counts | .lost == 0 and .received == 200000"
  clean_trial --load 202000 --duration 1 --wait d=0.2 --metrics "$BATS_TEST_TMPDIR/m.prom"
  # 20 frames fit into the burst of 100 us
  check "$counts | .sent == 202000 and .lost == 1980"
  for sample in 'trials 1' 'sent_frames 202000' 'lost_frames 1980'; do grep -qx "xdp_mlr_$sample" "$BATS_TEST_TMPDIR/m.prom"; done
  check '.trial_result.loss_attribution | .sut == 1980 and .unsent == 0 and .dropped_before_wire == 0 and .receiver_missed == 0'
  check '.tester_limited == false'
}

@test "what the transmitter did not get to is unsent, is loss, and the tester is said to be the limit" {
  lab_up xdp
  trial --load 20Mfps --duration 0.3 --wait d=0.2
  [ "$status" -eq 1 ]
  check "$counts | .intended == 6000000 and .sent < .intended and .unsent == .intended - .sent"
  check '.tester_limited and .trial_result.tester_limited'
  check '(1 - .trial_result.counts.received / .trial_result.counts.intended - .trial_result.trial_loss_ratio) | fabs < 1e-12'
  check '.trial_result.loss_attribution.unsent == .trial_result.counts.unsent'
}

@test "--load max sends as fast as it can, and calls that intended" {
  lab_up wire
  trial --load max --duration 0.3
  check "$counts | .intended == .sent and .unsent == 0 and .sent > 1000 and .received == .sent"
}

@test "a router is found by ARP, and finds the tester by ARP" {
  lab_up router
  clean_trial --load 20kfps --duration 0.5
  [ "$status" -eq 0 ]
  check '[.measurer.ports[].destination_mac_source] == ["learned by ARP", "learned by ARP"]'
  check ".measurer.ports[0].destination_mac == \"$(sut_mac sut-a)\""
  check "$counts | .received == 10000 and .reordered == 0"
}

@test "a router that asks for the tester's address is answered" {
  lab_up router
  # the destination is given, so the tester asks nobody, and the router learns nothing from that
  clean_trial --load 1000 --duration 0.5 --direction both \
    --dst-mac "$(for port in sut-a sut-b; do sut_mac $port; done | paste -sd,)"
  check "$counts | .received == 1000 and .lost == 0"
}

@test "a bridge and an XDP redirect pass frames addressed to the other port" {
  for sut in bridge xdp; do
    lab_up $sut
    clean_trial --load 20kfps --duration 0.5 --direction both
    [ "$status" -eq 0 ]
    check "$counts | .received == 20000"
    check ".measurer.ports[0].destination_mac == .measurer.ports[1].mac and .measurer.ports[0].destination_mac_source == \"the other port's\""
    "$MLR" lab down --name "$LAB"
  done
}

@test "a given destination MAC is used, and not asked for" {
  lab_up wire
  clean_trial --load 1000 --duration 0.1 --dst-mac 02:00:00:00:00:aa,02:00:00:00:00:bb
  [ "$status" -eq 0 ]
  check '[.measurer.ports[].destination_mac] == ["02:00:00:00:00:aa", "02:00:00:00:00:bb"]'
  check '.measurer.ports[0].destination_mac_source == "given"'
  check "$counts | .received == 100"
}

@test "duplicates are counted, and do not hide a loss" {
  lab_up policer:rate=1000,burst=1ms
  # a mirror behind the policer: every frame that leaves sut-b does so twice
  inside tc qdisc add dev sut-a clsact
  inside ip link set dev sut-a xdp off
  inside tc filter add dev sut-a ingress protocol all u32 match u32 0 0 \
    action mirred egress mirror dev sut-b action mirred egress redirect dev sut-b
  clean_trial --load 5000 --duration 0.4
  check "$counts | .sent == 2000 and .received == 2000 and .duplicate == 2000 and .lost == 0"
  inside tc filter del dev sut-a ingress
  inside tc filter add dev sut-a ingress protocol all u32 match u8 0 1 at 39 \
    action mirred egress mirror dev sut-b action mirred egress redirect dev sut-b
  # now frames with an odd sequence number are lost, those with an even one come twice
  clean_trial --load 5000 --duration 0.4 --wait d=0.2
  check "$counts | .sent == 2000 and .received + .lost == 2000 and .duplicate == .received and .lost == 1000"
}

@test "reordering is told with its depth, and what --no-seq and --no-latency leave out is null" {
  lab_up wire
  clean_trial --load 5000 --duration 0.2
  check '.trial_result.order | .reorder_depth_mean == null and .reorder_depth_max == 0 and .gaps == 0 and .gap_max_frames == 0'
  # some of it is how late frames left: no later than the transmitter was held up, and that to 1/2048
  check '.latency.source == "software" and .latency.error_bound_ns > 0 and .latency.error_bound_ns < 10000 + .pacing.gap_max_ns / 2048'
  clean_trial --load 5000 --duration 0.2 --no-seq --no-latency
  [ "$status" -eq 0 ]
  check "$counts | .sent == 1000 and .received == 1000 and .duplicate == null and .reordered == null"
  check '.trial_result.order == null and .latency == null'
  check '[.ports[].counts | .duplicate, .reordered] == [null, null, null, null]'
  check '[.deviations[] | select(test("--no-seq"))] | length == 1'
  "$MLR" lab down --name "$LAB"
  # frames with an odd sequence number are lost: as many gaps, of one frame each
  lab_up policer:rate=1000,burst=1ms
  inside tc qdisc add dev sut-a clsact
  inside ip link set dev sut-a xdp off
  inside tc filter add dev sut-a ingress protocol all u32 match u8 0 1 at 39 action mirred egress redirect dev sut-b
  clean_trial --load 5000 --duration 0.2 --wait d=0.2
  check "$counts | .received == 500 and .lost == 500"
  # the last one lost has nothing after it
  check '.trial_result.order | .gaps >= 499 and .gaps <= 500 and .gap_frames == .gaps and .gap_max_frames == 1'
}

@test "frames of others are counted as foreign, and reach the kernel" {
  lab_up router
  strangers() {
    timeout 60 tcpdump --immediate-mode -i "$A" -c 5 -nn udp dst port 9 >"$BATS_TEST_TMPDIR/dump" 2>"$BATS_TEST_TMPDIR/tcpdump" &
    background+=($!)
    until grep -q "listening" "$BATS_TEST_TMPDIR/tcpdump"; do sleep 0.02; done
    # the tester answers the router's ARP, so that these get out, unless the trial ends before
    inside bash -c 'for i in 1 2 3 4 5; do echo x >/dev/udp/198.18.0.2/9; done'
    while running && [ -e "/proc/${background[-1]}/exe" ]; do sleep 0.02; done
    running || kill "${background[-1]}" 2>/dev/null || true
  }
  local try before
  for try in 1 2 3; do
    read -ra before < <(queues_and_ports)
    during_trial strangers --load 1000
    held_up "${before[@]}" || break
    echo "# try $try: the SUT was held up" >&3
  done
  [ "$status" -le 1 ] # some may stay unsent, which is no matter here
  [ "$(wc -l <"$BATS_TEST_TMPDIR/dump")" -eq 5 ]
  check "$counts | .foreign == 5 and .received == .sent and .sent > 50 and .lost == 0"
  check '[.ports[].counts.foreign] == [5, 0]'
}

@test "the waits of RFC 2544 are kept, and each deviation is listed" {
  lab_up wire
  clean_trial --load 1000 --duration 0.1 --wait a=0.2,b=0.3,d=60,e=0.4
  [ "$status" -eq 0 ]
  check '.trial_result.wall_duration >= 1.0 and .trial_result.wall_duration < 60 / 5'
  check '[.deviations[] | select(test("^Phase [abde]"))] | length >= 4'
  clean_trial --load 1000 --duration 0.1 --wait a=0.2,b=0.3 --effective-duration wall
  check '.trial_result.trial_effective_duration >= 0.6 and .trial_result.trial_duration == 0.1'
}

@test "phase d ends early when all has arrived, and in silence after most has, but waits all of its time once" {
  lab_up wire
  clean_trial --load 1000 --duration 0.1 --wait d=60
  check '.trial_result.waits_duration < 60 / 5' # less than without a frame
  "$MLR" lab down --name "$LAB"
  lab_up policer:rate=800,burst=2ms
  clean_trial --load 1000 --duration 0.1 --wait d=1
  check '.trial_result | .counts.lost > 0 and .residual_ended_by == "time" and .residual_duration >= 1'
  clean search --min-load 500 --max-load 1500 --wait d=1 --goal name=g,loss=0,final=0.1,sum=0.3,width=10%
  check '[.trials[] | select(.counts.lost > 0)] | .[0].residual_ended_by == "time" and .[0].residual_duration >= 1 and any(.residual_ended_by == "silence")'
}

@test "a link lost in a trial makes it invalid" {
  lab_up wire
  unplugged() { ip link set "$B" down; }
  during_trial unplugged --load 1000
  refused 5 "$LAB-" "link"
}

@test "a link that goes down and comes back in a trial makes it invalid" {
  lab_up policer:rate=10000,burst=1ms
  during_trial flap --load 1000
  refused 5 "port $B" "link went down" "(2 changes)"
}

@test "a driver that was reset in a trial makes it invalid" {
  lab_up xdp
  echo 0 >"$BATS_TEST_TMPDIR/resets"
  mount --bind "$BATS_TEST_TMPDIR/resets" "/sys/class/net/$B/queues/tx-0/tx_timeout" || skip "no file of /sys can be replaced here"
  reset() { echo 1 >"$BATS_TEST_TMPDIR/resets"; }
  during_trial reset --load 1000 || true
  umount "/sys/class/net/$B/queues/tx-0/tx_timeout"
  refused 5 "port $B" "driver was reset" "(1 changes)"
}

@test "crossed ports are found out" {
  lab_up xdp
  # the SUT sends everything back where it came from
  for port in sut-a sut-b; do
    inside ip link set dev $port xdp off
    inside tc qdisc add dev $port clsact
    inside tc filter add dev $port ingress protocol all u32 match u32 0 0 action mirred egress redirect dev $port
  done
  clean_trial --load 1000 --duration 0.1 --wait d=0.1
  refused 5 "crossed" "$A" "$B"
}

@test "SIGINT ends it, with what is known, and exit 130" {
  lab_up wire
  start trial --load 1000 --duration 3600 --format json
  flowing 50
  interrupted
  check '.irregular_reason != null'
  no_xdp_left
}
