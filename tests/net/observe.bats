#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --observe: counters of the SUT around and within trials; sources that are late, gone or hostile.
bats_require_minimum_version 1.5.0
load helper

observed='.trial_result.observed'

@test "counters of a SUT's namespace and of a program, exact to the frame, in trials and searches" {
  lab_up router
  local count='while read -r _; do echo "{\"packets\":$(cat /proc/$PPID/net/dev | wc -l),\"watts\":12.5}"; done'
  clean_trial --load 5kfps --duration 0.5 --observe "sut=local:xdp-mlr-$LAB" --observe "dut=exec:$count" --interval 100ms --idle-duration 0.3
  [ "$status" -eq 0 ]
  check "$observed | map([.source, .whole]) == [[\"sut\", true], [\"dut\", true]]"
  # each CPU by its number, and not the sum of all of them
  check "[$observed[0].counters | keys[] | capture(\"^cpu(?<number>.*)/accounted$\").number | tonumber] | length > 0 and max < $(getconf _NPROCESSORS_CONF)"
  # neighbours may say something meanwhile
  check "$observed[0].counters[\"link/sut-a/rx_packets\"].change | . >= 2500 and . < 2520"
  check "$observed[0].counters[\"Ip/ForwDatagrams\"].change == 2500"
  check "$observed[0] | .samples >= 3 and (.times | length) == .samples and (.counters[\"Ip/ForwDatagrams\"].series | .[0] == 0 and .[-1] == 2500 and length > 2)"
  check "$observed[1] | .gauges.watts.mean == 12.5 and (.counters | has(\"packets\") | not)"
  # the power of a trial over ports, and of the step before it
  check '.power | .frame_size_octets == 64 and (.meters | length) == 1'
  check '.power.meters[0] | .source == "dut" and .idle_watts == 12.5 and (.trials[0] | .watts == 12.5 and .watts_above_idle == 0)'
  check '.trial_result.trial_forwarding_rate as $rate | .power.meters[0].trials[0] | .joules_per_frame == 12.5 / $rate'
  search --observe "sut=local:xdp-mlr-$LAB" --min-load 1kfps --max-load 5kfps --goal loss=0.5,final=0.1,sum=0.1,width=0.2 --wait d=0.1
  check 'all(.trials[]; .observed[0].whole and .observed[0].counters["Ip/ForwDatagrams"].change >= .counts.received)'
  trial --load 1kfps --duration 0.1
  check "$observed == null"
}

@test "sources that are late, gone or hostile say so, and cost the trial nothing" {
  lab_up wire
  local hostile='yes "{\"a\":"' flood='yes "{\"n\":1}"'
  clean_trial --load 5kfps --duration 0.3 --observe "gone=exec:exit 3" --observe "late=exec:exec sleep 1234.5" --observe "hostile=exec:$hostile" \
    --observe "flood=exec:$flood" --observe "nowhere=local:no-such-namespace" --observe "good=local:"
  [ "$status" -eq 0 ]
  check '.trial_result.counts | .lost == 0 and .unsent == 0'
  check "$observed | map({(.source): .whole}) | add == {gone: false, late: false, hostile: false, flood: true, nowhere: false, good: true}"
  check "$observed | map({(.source): .trouble}) | add | (.gone | test(\"exited with status 3\")) and (.late | test(\"no line came|it was late\")) and (.hostile | test(\"no JSON object\")) and (.nowhere | test(\"no network namespace\"))"
  if pgrep -f 'sleep 1234.5'; then return 1; fi
}

# A SUT that loses half of the frames: the receiver drops as many, once it has counted them.
@test "what the tester's own ports drop as they receive is no place in a SUT of this machine" {
  lab_up policer:rate=5000,burst=100us
  clean_trial --load 10kfps --duration 0.5 --observe here=local:
  check '.trial_result | .counts.lost > 2000 and .observed[0].whole'
  check "$observed[0].counters | .[\"link/$A/tx_packets\"].change >= 5000 and (keys | map(select(test(\"/$B/.*drop\"))) | length) == 0"
  check '.cause.rows == []'
}

# Of each source its user, and whether it has a capability.
capable_sources() {
  local source
  for source in $(pgrep -P "$pid" mlr-observe); do awk '/^Uid/ { user = $3 } /^CapEff/ { print user ":" ($2 !~ /^0+$/) }' "/proc/$source/status"; done | sort | xargs
}

@test "no program of a source outlives the tester, however that ends" {
  lab_up wire
  local source
  start trial --load 1kfps --duration 60 --format json --observe "dut=exec:exec sleep 1234.6" --observe "net=prometheus:http://127.0.0.1:9"
  until pgrep -f '^sleep 1234.6'; do running; sleep 0.05; done
  # who reads from the network is nobody's, without a capability, and no source has more of the tester than a socket
  until [ "$(capable_sources)" = "0:1 65534:0" ]; do running; sleep 0.05; done
  for source in $(pgrep -P "$pid" mlr-observe); do [ "$(ls "/proc/$source/fd" | wc -l)" -le 7 ]; done
  kill -9 "$pid"
  ended
  while pgrep -f '^sleep 1234.6'; do sleep 0.05; done
}

# A source that leaves processes behind: in a session of its own, and one of which the parent ends at once.
ESCAPING='setsid sleep 1234.7 & (setsid sleep 1234.8 &); setsid setsid sh -c "sleep 1234.9; :" & while read -r _; do echo "{\"n\":1}"; done'
escaped() { pgrep -f '^(sh -c )?sleep 1234.[789]' | wc -l; }

@test "nor does what it started in sessions of their own, also after kill -9" {
  lab_up wire
  trial --load 1kfps --duration 0.3 --observe "dut=exec:: > '$BATS_TEST_TMPDIR/ran'; $ESCAPING"
  check "$observed[0].whole"
  [ -e "$BATS_TEST_TMPDIR/ran" ]
  [ "$(escaped)" -eq 0 ]
  start trial --load 1kfps --duration 60 --format json --observe "dut=exec:$ESCAPING"
  until [ "$(escaped)" -eq 4 ]; do running; sleep 0.05; done
  kill -9 "$pid"
  ended
  until [ "$(escaped)" -eq 0 ]; do sleep 0.05; done
  # who wrote the command may have the shell end, and another process answer
  clean_trial --load 1kfps --duration 0.3 --observe 'dut=exec:exec 3<&0; (n=0; while read -r _ <&3; do n=$((n+1)); echo "{\"n\":$n}"; done) &'
  check "$observed[0].whole and $observed[0].counters.n.change >= 1"
}

# A link between the lab's namespace and ours, beside the ports, for who tells of the SUT.
management_link() {
  ip link add "$LAB-m" type veth peer name "$LAB-n" netns "/run/netns/xdp-mlr-$LAB"
  ip addr add 10.77.0.1/24 dev "$LAB-m"
  ip link set "$LAB-m" up
  inside ip addr add 10.77.0.2/24 dev "$LAB-n"
  inside ip link set "$LAB-n" up
  inside ip link set lo up
}

@test "a real node_exporter, in the namespace of the SUT" {
  command -v prometheus-node-exporter >/dev/null || give_up "there is no prometheus-node-exporter here"
  lab_up router
  management_link
  inside_meanwhile prometheus-node-exporter --web.listen-address=10.77.0.2:9100 --collector.disable-defaults --collector.softnet --collector.cpu \
    --collector.netdev --collector.netstat --log.level=error
  until curl -sf http://10.77.0.2:9100/metrics >/dev/null; do sleep 0.1; done
  clean_trial --load 5kfps --duration 0.5 --observe dut=prometheus:http://10.77.0.2:9100/metrics --observe none=prometheus:http://10.77.0.2:9
  [ "$status" -eq 0 ]
  check "$observed[0].whole and $observed[0].counters[\"node_network_receive_packets_total{device=\\\"sut-a\\\"}\"].change >= 2500"
  check "[$observed[0].counters | keys[] | select(test(\"^cpu[0-9]+/busy$\"))] | length > 0"
  check "[$observed[0].counters | keys[] | select(test(\"^softnet/cpu[0-9]+/processed$\"))] | length > 0"
  check "$observed[1] | .whole == false and (.trouble | test(\"10.77.0.2:9: Connection refused\"))"
}

@test "a real snmpd, in the namespace of the SUT" {
  command -v snmpd >/dev/null || give_up "there is no snmpd here"
  lab_up router
  management_link
  echo "rocommunity secret" >"$BATS_TEST_TMPDIR/snmpd.conf"
  inside_meanwhile env MIBS= SNMP_PERSISTENT_DIR="$BATS_TEST_TMPDIR/state" snmpd -f -Lf "$BATS_TEST_TMPDIR/snmpd.log" -C \
    -c "$BATS_TEST_TMPDIR/snmpd.conf" -p "$BATS_TEST_TMPDIR/snmpd.pid" udp:10.77.0.2:1161
  until inside ss -Hlun 'sport = 1161' | grep -q .; do sleep 0.1; done
  clean_trial --load 2kfps --duration 0.5 --observe dut=snmp:secret@10.77.0.2:1161 --observe wrong=snmp:public@10.77.0.2:1161 --observe 'none=snmp:10.77.0.2:9'
  [ "$status" -eq 0 ]
  check "$observed[0].whole and $observed[0].unchanged > 10"
  # both the source and the tester wait for its answer: on a busy machine the tester may give up first
  check "$observed[1] | .whole == false and (.trouble | test(\"does not answer|it was late\"))"
  check "$observed[2] | .whole == false and (.trouble | test(\"does not answer\"))"
  # it refreshes what it knows of links every 15 s
  trial --load 2kfps --duration 20 --observe dut=snmp:secret@10.77.0.2:1161
  check "$observed[0].whole and $observed[0].counters[\"if/sut-a/ifHCInUcastPkts\"].change > 1000"
}

# The sources are processes of their own, and go on.
@test "a rate is of the time in which frames were sent, also where a stop of the tester moved the schedule" {
  lab_up router
  local tester=$MLR
  cat >"$BATS_TEST_TMPDIR/stopped" <<EOF
#!/bin/bash
[ "\$1" != trial ] || (
  while [ "\$(cat /sys/class/net/$A/statistics/tx_packets)" -lt 200 ]; do sleep 0.01; done
  kill -STOP \$\$; sleep 0.45; kill -CONT \$\$
) >/dev/null 2>&1 3>&- &
exec "$tester" "\$@"
EOF
  chmod +x "$BATS_TEST_TMPDIR/stopped"
  MLR=$BATS_TEST_TMPDIR/stopped BURST=32
  trial --load 2kfps --duration 1 --observe "sut=local:xdp-mlr-$LAB"
  check '.pacing.moved_ns > 4e8'
  check ".pacing.moved_ns as \$moved | $observed[0].counters[\"Ip/ForwDatagrams\"] | .change >= 2000 and (.per_second * (1 + \$moved / 1e9) / .change | . > 0.88 and . < 1.12)"
}
