#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a SUT that is none of ours wrote down of each frame, against every figure of results: by direction, flow, and time.
bats_require_minimum_version 1.5.0
load helper
load witness

rules=(ab,drop,flow=0,every=10 ba,drop,flow=0,every=7 ab,copy,flow=1,every=9 ba,copy,flow=1,every=4 ab,hold,flow=2,every=20,by=3
  ba,hold,flow=2,every=15,by=5 ab,dscp,flow=3,every=4 ba,dscp,flow=3,every=3 ab,ecn,flow=4,every=8 ab,ttl,flow=5,every=5
  ba,ttl,flow=4,every=6 ab,port,flow=6,every=6 ba,address,flow=5,every=11 ab,address,flow=7,every=7 ab,payload,flow=8,every=7
  ba,payload,flow=8,every=5 ab,drop,flow=9,from=400,to=600 ba,drop,flow=9,from=100,to=700 ba,late,by=40
  ab,unsummed,flow=2,every=7 ba,unsummed,flow=6,every=4)

# A trial of 20 flows: each direction, flow and interval, and what was changed.
every_figure_agrees() { # OPTION...
  witnessed 100 trial --load 1000 --duration 1 --wait d=1 --flows 10 --per-flow 100 --interval 0.1 --ipdv --verify all --tester-repeats 0 "$@" -- "${rules[@]}"
  check '.witness | length == 1 and (.[0].flows | length) == 20'
  agrees '.witness[0].directions as $seen | [.trial_result.directions[] | differ(.counts; $seen[way] + {intended: 1000, unsent: 0, verified: $seen[way].received,
    without_checksum: $seen[way].changed_unsummed, damaged: $seen[way].changed_damage}; ["intended", "unsent", "sent", "received", "verified",
    "without_checksum", "damaged", "lost",
    "duplicate", "reordered", "changed", "changed_dscp", "changed_ecn", "changed_ttl", "changed_address", "changed_port", "changed_payload"])]'
  agrees '.witness[0].directions as $seen | [.trial_result.directions[] | $seen[way] as $seen | differ(.order; $seen; ["gaps", "gap_frames",
    "gap_max_frames", "reorder_depth_max", "reorder_depths_by_power_of_2"]) + [select(.order.reorder_depth_mean != $seen.reorder_depth / $seen.reordered)]]'
  holds '.witness[0].directions as $seen | [.trial_result.directions[] | [.intervals[] | [.sent, .received]] == $seen[way].parts] == [true, true]'
  agrees '.witness[0].directions as $seen | [.trial_result.directions[] | [.intervals, $seen[way].part_spans] | transpose[] |
    . as [$told, $part] | $told.latency | wrong_span($part.latency)[]]'
  agrees '.witness[0].directions as $seen | [.trial_result.directions[] | $seen[way].latency as $latency | .latency | wrong($latency)]'
  holds '.witness[0].directions as $seen | .trial_result.loss_ratio == ([$seen[] | .lost / .sent] | max)'
  holds '.witness[0].directions as $seen | [.trial_result.directions[] | (.loss_ratio - $seen[way].lost / $seen[way].sent | fabs) < 1e-12] == [true, true]'
  holds '(.witness[0].flows | map({key: "\(.flow)", value: .}) | from_entries) as $seen | .trial_result.flows.worst |
    length == 20 and ([.[] | differ(.; $seen["\(.flow)"]; ["sent", "received", "lost", "duplicate", "reordered"])[]] == [])
    and ([.[] | way == $seen["\(.flow)"].way] | all) and ([.[] | $seen["\(.flow)"].latency as $span | .latency | wrong_span($span)[]] == [])
    and ([.[] | [.intervals | .sent, .lost] == ($seen["\(.flow)"].parts | [map(.[0]), map(.[0] - .[1])])] | all)'
  # the worst first
  check '.trial_result.flows.worst | [.[] | [-.lost, -.reordered, -.duplicate, -.latency.max_ns]] | . == sort'
  check '.witness[0].flows as $seen | .trial_result.flows | .count == ($seen | length) and .lossy == ([$seen[] | select(.lost > 0)] | length) and
    .duplicated == ([$seen[] | select(.duplicate > 0)] | length) and .reordered == ([$seen[] | select(.reordered > 0)] | length)'
}

@test "a trial: each direction, flow and interval, and what was changed" {
  every_figure_agrees
}

@test "a trial of IPv6 frames, by five queues" {
  lab_options=(--queues 5)
  every_figure_agrees --ip 6 --queues 5 --tx xsk
  check '.measurer.ports | all(.transmit_queues == 5)'
}

@test "a trial of live frames, of both IP versions" {
  every_figure_agrees --ip mixed --tx live
  check '.trial_result.tx_backend == "live"'
}

# What follows from the directions, and what ports and the schedule did.
@test "a trial: its sums, its ports, and how its frames departed" {
  departures_matter=true
  witnessed 250 trial --load 800 --duration 1 --wait d=1 --interval 0.25 --ipdv --tester-repeats 0 -- ab,drop,every=10 ba,drop,every=7 ab,copy,every=9 ba,copy,every=4 \
    ab,hold,every=20,by=3 ba,hold,every=15,by=5 ba,late,by=40
  check '[.witness[0].directions[]] as $seen | .trial_result.counts | [.sent, .received, .lost, .duplicate, .reordered, .intended, .unsent] ==
    ([$seen | map(.sent), map(.received), map(.lost), map(.duplicate), map(.reordered) | add] + [1600, 0])'
  check '[.witness[0].directions[]] as $seen | .trial_result.order | [.gaps, .gap_frames, .gap_max_frames, .reorder_depth_max, .reorder_depths_by_power_of_2] ==
    ($seen | [(map(.gaps) | add), (map(.gap_frames) | add), (map(.gap_max_frames) | max), (map(.reorder_depth_max) | max),
    (map(.reorder_depths_by_power_of_2) | transpose | map(add))])
    and .reorder_depth_mean == ($seen | (map(.reorder_depth) | add) / (map(.reordered) | add))'
  check '[.witness[0].directions[].lost] as $lost | .trial_result.loss_attribution | . == (map_values(0) + {sut: ($lost | add)})'
  agrees '[.witness[0].directions[]] as $seen | ($seen | map(.lost / .sent) | max) as $worst | ($seen | (map(.lost) | add) / (map(.sent) | add)) as $ratio |
    .trial_result | {loss_ratio: $worst, trial_loss_ratio: $ratio,
    trial_effective_duration: 1, trial_forwarding_rate: (800 * (1 - $ratio)), trial_load_l1_bps: (800 * 148 * 8), trial_load_l2_bps: (800 * 128 * 8),
    trial_forwarding_rate_l1_bps: (800 * (1 - $ratio) * 148 * 8), trial_forwarding_rate_l2_bps: (800 * (1 - $ratio) * 128 * 8)}
    as $figures | outside(.; $figures | map_values([., .]); 0; 1e-12)'
  holds '.witness[0].directions as $seen | .trial_result.worst_direction.loss_ratio | $seen[way] | .lost / .sent == ([$seen[] | .lost / .sent] | max)'
  check '([.witness[0].directions[].parts] | transpose | map(transpose | map(add))) as $seen | [.trial_result.intervals[] | [.sent, .received]] == $seen'
  # of both directions the smallest, the worst mean, and the largest
  check '.trial_result | ([.directions[].intervals | map(.latency)] | transpose | map({min_ns: (map(.min_ns) | min), mean_ns: (map(.mean_ns) | max), max_ns: (map(.max_ns) | max)}))
    as $of_both | [.intervals[].latency] == $of_both'
  check '[.trial_result.directions[].latency] as $of | .latency | .count == ($of | map(.count) | add) and .ipdv_count == ($of | map(.ipdv_count) | add) and .min_ns == ($of | map(.min_ns) | min)
    and (. as $all | ["mean_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "max_ns", "pdv_p50_ns", "pdv_p99_ns", "pdv_p99_9_ns", "pdv_max_ns",
    "ipdv_mean_ns", "ipdv_p50_ns", "ipdv_p99_ns", "ipdv_p99_9_ns", "ipdv_max_ns"] | all(. as $name | $all[$name] == ($of | map(.[$name]) | max)))'
  # a port sends one direction and receives the other; copies come, too
  check ".witness[0].directions as \$seen | [.ports[] | (if .name == \"$A\" then [\"ab\", \"ba\"] else [\"ba\", \"ab\"] end) as [\$out, \$in] |
    [.nic_tx_frames, .counts.sent, .counts.received, .nic_rx_frames, .received_octets] ==
    [\$seen[\$out].sent, \$seen[\$out].sent, \$seen[\$in].received, \$seen[\$in].received + \$seen[\$in].duplicate, \$seen[\$in].received * 128]] == [true, true]"
  agrees '([.witness[0].directions[].departures]) as $seen | ([$seen[].gaps_ns[]] | sort) as $gaps | ([$seen[].error_ns] | max) as $error |
    def rank($ratio): $gaps | .[(length * $ratio | ceil) - 1];
    .pacing | outside(.; {gap_p50_ns: [rank(0.5), rank(0.5)], gap_p99_ns: [rank(0.99), rank(0.99)]}; $error + 1; 0.002)
    + outside(.; {gap_max_ns: [$gaps[-1], $gaps[-1]]}; $error; 0)
    + outside(.; {burst_max: [($seen | map(.burst_max[0]) | max), ($seen | map(.burst_max[1]) | max)]}; 0; 0)
    + outside(.; {excess_frames_max: [($seen | map(.excess_frames[0]) | max), ($seen | map(.excess_frames[1]) | max)]}; 0; 0)
    + differ(.; {intended_fps: 800, marked_frames: ($seen | map(.marked) | add)}; ["intended_fps", "marked_frames"])'
}

# The tester itself is stopped, so its schedule moves.
@test "a tester that is stopped: how its schedule moved, its stops, and the longest queue of what departed" {
  local tester=$MLR backend
  cat >"$BATS_TEST_TMPDIR/stopped" <<EOF
#!/bin/bash
[ "\$1" != trial ] || (
  while [ "\$(cat /sys/class/net/$A/statistics/tx_packets)" -lt 500 ]; do sleep 0.01; done
  for _ in 1 2 3; do kill -STOP \$\$; sleep 0.06; kill -CONT \$\$; sleep 0.15; done
) >/dev/null 2>&1 3>&- &
exec "$tester" "\$@"
EOF
  chmod +x "$BATS_TEST_TMPDIR/stopped"
  MLR=$BATS_TEST_TMPDIR/stopped burst=32
  for backend in xsk live; do
    agrees_with_log departures trial --tx "$backend" --load 1600 --duration 2 --wait d=0.5 --tester-repeats 0 -- ab,drop,every=10 ba,drop,every=7
    check ".trial_result.tx_backend == \"$backend\""
    check '.pacing | .moves > 0 and .moved_ns > 0 and .excess_frames_max >= 33 and .stop_max_ns > 5e7'
  done
}

@test "frames that come after more of their flow than the receiver remembers: copies, and lost" {
  # the witness has to forward all of it before phase d ends
  agrees_with_log window trial --load 6000 --duration 12 --wait d=5 --tester-repeats 0 -- ab,hold,to=2,by=65533 ab,hold,from=2,to=4,by=65534 \
    ab,hold,from=200,to=280,every=9,by=66000 ab,hold,from=400,to=420,by=60000 ab,copy,every=1000 \
    ba,hold,to=2,by=65535 ba,hold,from=2,to=6,by=65536 ba,hold,from=100,to=120,every=3,by=66000 ba,hold,from=200,to=2000,every=7,by=70
  check '[.trial_result.directions[].order | .window == 65536 and .beyond_window > 50] | all'
  check '.trial_result.order.beyond_window == ([.trial_result.directions[].order.beyond_window] | add)'
  [[ $stderr == *"frames of a trial came after 65535 later ones of their flow or more"* ]]
}

@test "what is no frame that came back: by direction, how it was broken" {
  witnessed 100 trial --load 1000 --duration 1 --wait d=1 --flows 10 --verify all --tester-repeats 0 -- \
    ab,damage,flow=0,every=4 ba,damage,flow=0,every=7 ab,pad,flow=1,every=5 ba,pad,flow=1,every=6 ab,fragment,flow=2,every=3 ba,fragment,flow=2,every=9 \
    ab,length,flow=3,every=8 ba,length,flow=3,every=4 ab,tags,flow=4,every=6 ba,tags,flow=4,every=5 ab,due,flow=5,every=7 ba,due,flow=5,every=3 \
    ab,trial,flow=6,every=9 ba,trial,flow=6,every=2 ab,magic,flow=7,every=5 ba,magic,flow=7,every=8 ab,back,flow=8,every=4 ba,back,flow=8,every=7 \
    ab,icmp,flow=9,every=3 ba,icmp,flow=9,every=10
  agrees '.witness[0].directions as $seen | [.trial_result.directions[] | $seen[way] as $this | $seen[way | other] as $back | differ(.counts; $this + {
    damaged: $this.changed_damage, wrong_length: $this.changed_pad, fragmented: $this.changed_fragment, malformed: $this.changed_length,
    overtagged: $this.changed_tags, wrong_signature: $this.changed_due, unknown_trial: $this.changed_trial, foreign: $this.changed_magic,
    misdirected: $back.changed_back, icmp_errors: $back.changed_icmp, verified: $this.received, late: 0, changed_payload: 0};
    ["sent", "received", "lost", "damaged", "wrong_length", "fragmented", "malformed", "overtagged", "wrong_signature", "unknown_trial", "foreign",
    "misdirected", "icmp_errors", "verified", "late", "changed_payload", "changed", "duplicate", "reordered"])]'
  check '[.witness[0].directions[] | .changed_damage, .changed_pad, .changed_fragment, .changed_length, .changed_tags, .changed_due, .changed_trial, .changed_magic,
    .changed_back, .changed_icmp] | all(. > 0)'
  # the SUT leaves our addresses in frames that are no more known as ours, and nobody else sends
  [[ $stderr != *"this machine itself"* ]]
  check ".witness[0].directions as \$seen | [.trial_result.icmp_errors[] | {port, from, type, code, frames}] | sort == (
    [{port: \"$A\", frames: \$seen.ab.changed_icmp}, {port: \"$B\", frames: \$seen.ba.changed_icmp} | . + {from: \"192.0.2.1\", type: 3, code: 0}] | sort)"
}

# Directions, and frames within each, are late by times that lie 400 ms apart: a figure of another direction or rank is off by as much. There are
# enough of them for p99.99 not to be the largest.
@test "latency: each percentile of each direction, and what was changed in two VLAN tags" {
  witnessed 100 trial --load 3000 --duration 4 --wait d=4 --flows 10 --per-flow 20 --ipdv --vlan 100:5,200:3 --tester-repeats 0 -- \
    ab,late,by=200 ab,late,flow=7,by=600 ab,late,flow=8,by=600 ab,late,flow=9,every=3,by=1000 ab,late,flow=9,every=17,by=1400 \
    ab,late,flow=9,every=180,by=1800 ab,late,flow=9,every=1100,by=2200 \
    ba,late,by=400 ba,late,flow=7,by=800 ba,late,flow=8,by=800 ba,late,flow=9,every=3,by=1200 ba,late,flow=9,every=17,by=1600 \
    ba,late,flow=9,every=180,by=2000 ba,late,flow=9,every=1100,by=2400 \
    ab,vlan,flow=0,every=4 ba,vlan,flow=1,every=9 ab,priority,flow=2,every=3 ba,priority,flow=2,every=7 ab,dei,flow=3,every=2 ba,dei,flow=3,every=5 \
    ab,inner,flow=4,every=6 ba,inner,flow=5,every=4 ab,inner-priority,flow=6,every=5 ba,inner-priority,flow=6,every=8
  agrees '.witness[0].directions as $seen | [.trial_result.directions[] | differ(.counts; $seen[way]; ["sent", "received", "lost",
    "reordered", "changed", "changed_vlan", "changed_priority", "changed_dscp"])]'
  check '[.witness[0].directions[] | .changed_vlan > 0 and .changed_priority > 0] | all'
  agrees '.witness[0].directions as $seen | [.trial_result.directions[] | $seen[way].latency as $latency | .latency | wrong($latency)]'
  # each rank is of other frames
  check '[.witness[0].directions[].latency.of_frames | [.p50_ns, .p90_ns, .p99_ns, .p99_9_ns, .p99_99_ns, .max_ns] | [.[:-1], .[1:]] | transpose[] | .[0][0] < .[1][0]] | all'
  holds '(.witness[0].flows | map({key: "\(.flow)", value: .}) | from_entries) as $seen | .trial_result.flows.worst |
    length == 20 and ([.[] | $seen["\(.flow)"].latency as $span | .latency | wrong_span($span)[]] == [])'
}

@test "a search: each direction of each trial, its bounds, and each latency of its histograms" {
  agrees_with_log search search --goal name=x,final=0.2,width=5% --goal name=y,loss=3%,exceed=0.4,final=0.2,sum=0.4,width=8% --min-load 300 --max-load 2000 --wait d=1 --latency-at 50%,100% --latency-duration 0.3 -- \
    ab,police,by=900,depth=5 ba,police,by=1200,depth=5 ba,copy,every=50 ba,late,by=20 ab,late,every=7,by=3 ab,drop,every=97
}

@test "a sweep and a soak: each direction of each trial, and the curve" {
  agrees_with_log sweep sweep --loads 400..1200/5,600 --duration 0.3 --wait d=0.5 -- ab,police,by=900,depth=5 ba,police,by=700,depth=5 ba,late,by=20
  agrees_with_log soak soak --target-loss-ratio 1e-2 --max-time 8 --first-duration 0.3 --duration-step 0 --min-load 200 --max-load 1500 --wait d=0.3 -- \
    ab,police,by=900,depth=5 ba,police,by=700,depth=5 ba,late,by=20
}
