#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every hostile SUT: each count of the tester against the SUT's own log, to the frame.
bats_require_minimum_version 1.5.0
load helper

# The options of a trial that shows what a SUT does. A frame of 64 octets has no payload behind the tag that could be broken.
options_for() { # SUT
  case $1 in
    one-way* | delay-one-way*) echo --direction both ;;
    drop-flow*) echo --flows 8 ;;
    cut* | fragment* | flip-payload* | overwrite* | zero*) echo --frame-size 128 --verify all ;;
    untag*) echo --frame-size 128 --vlan 5,6 ;;
  esac
}

# Where the last trial differs from what the SUT did. A frame that the kernel kept from the SUT is lost, too.
differences() {
  "$JQ" -c --argjson did "$(hostile_log)" '.trial_result.counts | {
      sent: [.sent, $did.seen + $did.unheard],
      received: [.received, $did.intact],
      without_checksum: [.without_checksum, $did.without_checksum],
      lost: [.lost, .sent - $did.intact],
      duplicate: [.duplicate, $did.copies],
      reordered: [.reordered, $did.reordered],
      damaged: [.damaged, $did.damaged],
      wrong_length: [.wrong_length, $did.resized],
      malformed: [.malformed, $did.malformed],
      fragmented: [.fragmented, $did.fragmented],
      overtagged: [.overtagged, $did.overtagged],
      misdirected: [.misdirected, $did.misdirected],
      late: [.late, $did.late],
      unknown_trial: [.unknown_trial, $did.unknown_trial],
      foreign: [.foreign, $did.foreign]
    } | with_entries(select(.value[0] != .value[1]))' <<<"$output"
}

# A hostile SUT that has seen nothing yet, in place of the one that there may be.
new_sut() { # WHAT
  "$MLR" lab down --name "$LAB" --quiet
  lab_up "hostile:$1"
}

# A new SUT for each try. On a busy machine it may not have run for as long as phase d is, so that a try which differs is followed by one
# that waits for longer.
counted_exactly() { # SUT
  local wait_s
  for wait_s in 0.4 1 5 20; do
    new_sut "$1"
    # shellcheck disable=SC2046 # several options
    trial --load 1000 --duration 0.1 --wait "d=$wait_s" $(options_for "$1")
    [ "$status" -le 1 ] && [ "$(differences)" = "{}" ] && return
    echo "# $1, d=$wait_s: exit $status, counted and done: $(differences) $stderr" >&3
  done
  return 1
}

each_counted_exactly() { # SUT...
  local sut
  for sut; do counted_exactly "$sut" || return; done
}

@test "frames that are lost, in every pattern" {
  each_counted_exactly drop drop-first drop-last,by=7 drop-burst drop-random,seed=3 drop-flow half black-hole one-way,by=30 one-way
  [[ $stderr != *"came back otherwise"* ]]
  [[ $stderr == *"port $A: no frame that was sent to it came back, and frames to other ports did"* ]]
}

@test "frames that are repeated, reordered or delayed" {
  each_counted_exactly duplicate triplicate copy-after reorder reorder,by=1 delay-growing delay-one-way delay,by=300
}

@test "frames in which a bit is flipped, wherever it is" {
  each_counted_exactly flip-mac flip-type flip-id flip-ttl flip-address flip-port flip-length flip-checksum flip-magic flip-trial \
    flip-flow flip-sequence flip-departure flip-lateness flip-payload overwrite zero
  [[ $stderr == *"came back otherwise than they were sent"*"$(get .trial_result.counts.damaged) with a wrong checksum (damaged)"* ]]
}

@test "frames that are cut, padded, fragmented or get another header are known as ours" {
  each_counted_exactly cut cut-end pad pad,by=1 pad,by=60 fragment tag tag,by=6 untag ttl dscp no-checksum
  counted_exactly fragment
  [[ $stderr == *"$(get .trial_result.counts.fragmented) in fragments"* ]] && [[ $stderr != *foreign* ]]
  counted_exactly tag
  [[ $stderr == *"$(get .trial_result.counts.overtagged) behind VLAN tags"* ]] && [[ $stderr != *foreign* ]]
  counted_exactly cut-end
  [[ $stderr == *"$(get .trial_result.counts.malformed) cut so that headers and lengths do not fit"* ]]
}

@test "frames whose UDP checksum the SUT took away are received, and verified and timed by their signature or not at all" {
  counted_exactly no-checksum
  check '.trial_result.counts.without_checksum > 0 and .trial_result.counts.verified == .trial_result.counts.received - .trial_result.counts.without_checksum'
  check '.latency.count == .trial_result.counts.verified'
  [[ $stderr == *"$(get .trial_result.counts.without_checksum) of $(get .trial_result.counts.received) frames received in a trial came without the UDP checksum"* ]]
  new_sut no-checksum,every=1
  trial --load 1000 --duration 0.1 --frame-size 512 --verify all --require 'without-checksum<=0'
  [ "$status" -eq 1 ]
  check '.trial_result.counts | .received > 0 and .without_checksum == .received and .verified == .received'
  check '.latency.count == .trial_result.counts.received'
  trial --load 1000 --duration 0.1 --frame-size 64 --verify all
  check '.trial_result.counts | .received > 0 and .without_checksum == .received and .verified == 0'
  check '.latency == null'
  trial --load 1000 --duration 0.1 --ip 6 --frame-size 84
  check '.trial_result.counts | .received == 0 and .damaged > 0'
}

@test "frames of the wrong port, flow, trial or number, and frames of others" {
  each_counted_exactly give-back echo wrong-flow wrong-trial wrong-sequence storm bad-magic
}

@test "frames of a trial that the run has not performed are another sender's, and not late" {
  counted_exactly wrong-trial
  check '.trial_result.counts | .unknown_trial > 0 and .late == 0'
  check '.measurer.late_frames | .total == 0 and .of_others > 0 and (.others | length == 1 and .[0].numbers == 1 and .[0].frames == .[0].most_frequent_frames)'
  [[ $stderr == *"port $B: $(get .trial_result.counts.unknown_trial) frames carry trial number $(get '.measurer.late_frames.others[0].most_frequent'), which this run has not used: another tester"* ]]
  [[ $stderr != *"came after their trial"* ]]
}

# Every tenth frame of a trial of even number carries the number of the next one, and the other way round.
@test "frames whose trial number the run uses later are unknown when they come, and no late frames of that trial" {
  new_sut wrong-trial,by=1
  search --min-load 300 --max-load 400 --wait d=1,e=0.2 --goal name=g,loss=0,final=0.1,sum=0.3,width=50%
  [ "$status" -le 1 ]
  check '([.trials[].counts.unknown_trial] | add) > 0'
  check '.measurer.late_frames | ([.of_trials[].frames] | add // 0) == .total and .of_others > 0'
  check '([.trials[].counts.unknown_trial] | add) <= .measurer.late_frames.of_others and ([.trials[].counts.late] | add) == .measurer.late_frames.in_trials'
}

# What the queues of CPUs have no room for, while other tests flood them, is seen by no SUT, which may be held up, too: then it is tried again.

# Every frame comes 1.5 s after it was sent, and phase d is 2 s long.
@test "a constant delay of 1.5 s loses nothing of a trial of 1 s" {
  local try
  for try in 1 2 3; do
    new_sut delay,by=1500
    trial --load 200 --duration 1
    check '.trial_result | .residual_ended_by != "silence" and .residual_duration >= 0.5'
    [ "$(differences)" = "{}" ] && check '.trial_result.counts.received == .trial_result.counts.sent' && return
    echo "# try $try: $(differences)" >&3
  done
  return 1
}

# As many of the others have come as where they are lost, and before the next trial nobody could know better.
@test "a quarter of the frames, delayed by 1.5 s, is waited for by a trial of 1 s" {
  local try
  for try in 1 2 3; do
    new_sut delay,by=1500,every=4
    trial --load 200 --duration 1
    [ "$(differences)" = "{}" ] && check '.trial_result.counts.received == .trial_result.counts.sent' && return
    echo "# try $try: $(differences)" >&3
  done
  return 1
}

# Of two frames that come 0.7 s after they were sent, one is there when the sending ends: phase d waits for the other.
@test "frames as slow as one that came before are waited for" {
  local try
  for try in 1 2 3; do
    new_sut delay,by=700,every=75
    trial --load 100 --duration 1.5
    [ "$(differences)" = "{}" ] && check '.trial_result.residual_ended_by == "all frames"' && return
    echo "# try $try: $(differences)" >&3
  done
  return 1
}

# A quarter of the frames comes 0.9 s after it was sent: a trial of 0.1 s has none of it when the time of its phase d is up.
@test "frames that came after their trial are warned of, and from then on waited for" {
  local try
  for try in 1 2 3; do
    new_sut delay,by=900,every=4
    search --min-load 1000 --max-load 2000 --wait d=0.5 --goal name=g,loss=0,initial=0.1,final=0.1,sum=0.3,width=50%
    [ "$(get '[.trials[].counts.late] | add > 0')" = true ] && break
    echo "# try $try: $(get '[.trials[] | [.residual_ended_by, .counts.late]] | tostring')" >&3
  done
  check '.trials | any(.counts.lost > 0) and any(.counts.late > 0)'
  check '.warnings | any(test("came after their trial had ended"))'
  check '.trials as $t | [range(1; $t | length)] | all(($t[:.] | map(.counts.late) | add == 0) or $t[.].residual_ended_by != "silence")'
}

# The frames of the last half second of such a trial come after its phase d, and no other trial follows that could see them.
@test "frames that still come when the last trial ends are warned of" {
  new_sut delay,by=1500,every=4
  trial --load 200 --duration 1.5 --wait d=1
  check '.trial_result | .counts.lost > 0 and .residual_ended_by == "time"'
  check '.warnings | any(test("frames still came when phase d of a trial ended"))'
}

# Each trial of a search is followed by copies of its last ten frames, which phase e is to be long enough for.
late_frames_add_up() { # SUT
  local wait_s late
  for wait_s in 1.5 5 20; do
    new_sut "$1"
    search --min-load 300 --max-load 400 --wait "d=1,e=$wait_s" --goal name=g,loss=0,final=0.1,sum=0.2,width=50%
    [ "$status" -le 1 ]
    check '.measurer.late_frames | .of_others == 0 and .total >= 10 and .in_trials + .between_trials == .total
      and ([.of_trials[].frames] | add) == .total and ([.of_trials[].trial_number] | . == unique)'
    check '.measurer.late_frames.in_trials == ([.trials[].counts.late] | add)'
    late=$(hostile_log | "$JQ" .late)
    [ "$(get .measurer.late_frames.total)" -ne "$late" ] || return 0
    echo "# $1, e=$wait_s: $(get ".measurer.late_frames | tostring"), $late sent" >&3
  done
  return 1
}

@test "late frames add up over a run: those that come before the first frame of the next trial, and a second after the last" {
  late_frames_add_up replay
  late_frames_add_up copy-late
}

# Each frame comes 1.5 s late: those of the first size arrive while the receivers of the second one are made, and after that.
@test "frames of one part of a suite that come while the next one begins are late, and no other sender's" {
  new_sut delay,by=1500
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --direction both --connect off --burst 1000000 --fast --tests frame-loss --frame-size 64,128 \
    --min-load 500 --max-load 1000 --trial-duration 0.5 --wait d=0.1 --format json
  [ "$status" -le 1 ] || { echo "exit $status: $stderr"; return 1; }
  check '.measurer.late_frames | .of_others == 0 and .others == [] and .total > 1000 and .in_trials + .between_trials == .total
    and ([.of_trials[].frames] | add) == .total'
}

@test "the log is right for IPv6, for several flows, and for frames that are delayed past others" {
  options_for() { echo --ip 6 --frame-size 128 --verify all; }
  each_counted_exactly flip-id flip-ttl flip-address ttl dscp no-checksum fragment
  options_for() { echo --flows 5; }
  each_counted_exactly reorder,by=11,every=7 delay,by=20,every=10
}

@test "what a hostile SUT is and did can be asked for" {
  run --separate-stderr "$HOSTILE" '?' "$BATS_TEST_TMPDIR/log"
  refused 2 "drop-first" "fragment" "bad-magic"
  run --separate-stderr "$HOSTILE" drop,every=0 "$BATS_TEST_TMPDIR/log"
  refused 2 "every=0" "1 to 65535"
  for too_much in pad,by=61 tag,by=7 replay,by=65 flip-mac,by=256; do
    run --separate-stderr "$HOSTILE" "$too_much" "$BATS_TEST_TMPDIR/log"
    refused 2 "${too_much#*,} is more than a ${too_much%,*} can do; at most $((${too_much#*=} - 1))"
  done
  lab_up hostile:half
  run hostile_log
  check 'length == 17 and all(. == 0)'
}
