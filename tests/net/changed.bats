#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a SUT changes in headers and payload: a bridge, a router, one that rewrites and one that translates addresses.
bats_require_minimum_version 1.5.0
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate

new_lab() { # SUT
  "$MLR" lab down --name "$LAB" --quiet
  lab_up "$1"
}

@test "a bridge changes nothing, and a router the TTL alone, which is expected of it" {
  new_lab bridge
  trial --load 1000 --duration 0.2 --require unchanged --require unchanged-ttl
  check '.trial_result.counts | .received > 0 and .changed == 0 and .changed_ttl == 0'
  check '.requirements | map(.met) == [true, true]'
  [[ $stderr != *"changed the headers"* ]]
  new_lab router
  trial --load 1000 --duration 0.2 --flows 50 --frame-size 128 --require unchanged
  check '.trial_result.counts | .received > 0 and .changed == 0 and .changed_ttl == .received and .changed_address == 0'
  check '.traffic_profile.expected_changes == ["ttl"]'
  [[ $stderr != *"changed the headers"* ]]
}

@test "a SUT that rewrites DSCP or TTL is found out, unless that is expected" {
  new_lab hostile:dscp,every=1
  trial --load 1000 --duration 0.2 --require unchanged
  [ "$status" -eq 1 ]
  check '.trial_result.counts | .received > 0 and .changed == .received and .changed_dscp == .received and .changed_ttl == 0'
  [[ $stderr == *"the SUT changed the headers of $(get .trial_result.counts.changed) of $(get .trial_result.counts.received) frames received in a trial: $(get .trial_result.counts.changed_dscp) with another DSCP"* ]]
  trial --load 1000 --duration 0.2 --expect dscp --require unchanged
  check '.trial_result.counts | .received > 0 and .changed == 0 and .changed_dscp == .received'
  [[ $stderr != *"changed the headers"* ]]
  new_lab hostile:ttl,every=1
  trial --load 1000 --duration 0.2 --frame-size 128
  check '.trial_result.counts | .received > 0 and .changed == .received and .changed_ttl == .received'
  trial --load 1000 --duration 0.2 --no-seq
  check '.trial_result.counts.changed_ttl == null'
}

# Let the SUT do this to frames of IPv4 that leave it for port B.
edit_frames() { # ACTION...
  inside tc qdisc replace dev "$(sut_link_b)" clsact
  inside tc filter replace dev "$(sut_link_b)" egress protocol ip prio 1 handle 1 matchall action "$@" 2>"$BATS_TEST_TMPDIR/tc" ||
    skip "this kernel cannot edit frames: $(head -1 "$BATS_TEST_TMPDIR/tc")"
}

sut_link_b() {
  inside ip -j link show type veth | "$JQ" -r '.[1].ifname'
}

@test "NAT is told from a change of the payload" {
  command -v tc || skip "tc is missing"
  new_lab router
  edit_frames pedit ex munge ip src set 192.0.2.1 munge udp sport set 40000 pipe csum ip4h and udp
  trial --load 1000 --duration 0.2 --flows 10 --frame-size 128 --verify all --require unchanged
  [ "$status" -eq 1 ]
  check '.trial_result.counts | .received > 0 and .verified == .received and .changed_payload == 0 and .wrong_signature == 0'
  check '.trial_result.counts | .changed == .received and .changed_address == .received and .changed_port == .received'
  trial --load 1000 --duration 0.2 --flows 10 --frame-size 128 --expect nat --require unchanged
  check '.trial_result.counts | .received > 0 and .changed == 0 and .changed_address == .received'
  edit_frames pedit ex munge offset 100 u8 set 0xff pipe csum ip4h and udp
  trial --load 1000 --duration 0.2 --frame-size 128 --verify all
  check '.trial_result.counts | .sent > 0 and .received == 0 and .changed_payload == .sent and .damaged == 0'
  [[ $stderr == *"with another payload"* ]]
  edit_frames pedit ex munge offset 40 u8 set 0xff pipe csum ip4h and udp
  trial --load 1000 --duration 0.2 --frame-size 128 --verify all
  check '.trial_result.counts | .sent > 0 and .received == 0 and .wrong_signature > 0 and .damaged == 0'
}

@test "payload patterns arrive as they are sent, by either backend" {
  new_lab bridge
  for tx in xsk live; do
    for payload in ones alternating prbs random; do
      trial --load 1000 --duration 0.1 --frame-size imix --tx "$tx" --payload "$payload" --verify all
      check '.trial_result.counts | .received > 0 and .received == .verified and .lost == 0'
      check '.traffic_profile.payload | test("^(ones|alternating|PRBS|random)")'
    done
  done
}

# A verb of many trials, short, whose result has "unchanged" among its verdicts.
of_many_trials() { # VERB OPTION...
  local verb=$1
  shift
  case $verb in
    search) set -- --goal name=x,final=0.1 --wait d=0.2 --min-load 500 --max-load 1000 "$@" ;;
    soak) set -- --wait d=0.2 --min-load 500 --max-load 1000 --max-time 12 "$@" ;;
    rfc2544) set -- --fast --tests latency --frame-size 128 --trial-duration 0.1 --latency-duration 0.1 --latency-repeats 1 --wait d=0.2 --min-load 500 --max-load 1000 "$@" ;;
    sweep) set -- --loads 500,1kfps --duration 0.2 --wait d=0.2 "$@" ;;
    y1564) set -- --service name=x,cir=500kbps,loss=100% --cir-steps 1 --step-duration 0.2 --duration 1 --wait d=0.2 "$@" ;;
  esac
  run --separate-stderr "$MLR" "$verb" -p "$A,$B" --connect off --burst 1000000 --format json "$@"
  echo "$output" >"$BATS_TEST_TMPDIR/$verb.json"
}

@test "--require unchanged is of all trials of a run, by every verb" {
  local verb
  new_lab hostile:dscp,every=2
  for verb in search soak rfc2544 y1564 sweep; do
    of_many_trials "$verb" --require unchanged --require unchanged-ttl
    [ "$status" -eq 1 ] || { echo "$verb: exit $status: $stderr"; return 1; }
    check '.requirements | map(.met) == [false, true]'
    check '.changes | .trials > 0 and .changed > 0 and .changed == .changed_dscp and .changed_ttl == 0 and .changed < .received'
    check '.requirements[0].measured == .changes.changed'
    check '([.. | objects | select(has("trial_loss_ratio") and has("counts")) | .counts.changed] | add) == .changes.changed'
    "$VALIDATE" --closed "docs/schema/$verb.schema.json" - <<<"$output"
    "$MLR" verify "$BATS_TEST_TMPDIR/$verb.json"
    "$MLR" report "$BATS_TEST_TMPDIR/$verb.json" --report "$BATS_TEST_TMPDIR/$verb.txt" --quiet >/dev/null
    grep -q "with another DSCP" "$BATS_TEST_TMPDIR/$verb.txt"
    "$JQ" '.changes.changed = 0' "$BATS_TEST_TMPDIR/$verb.json" >"$BATS_TEST_TMPDIR/forged.json"
    run "$MLR" verify "$BATS_TEST_TMPDIR/forged.json"
    [ "$status" -eq 1 ] && [[ $output == *"/changes/changed: 0 is stated"* ]] || { echo "exit $status: $output"; return 1; }
    of_many_trials "$verb" --expect dscp --require unchanged
    check '.requirements | map(.met) == [true]'
    check '.changes | .changed == 0 and .changed_dscp > 0'
  done
}
