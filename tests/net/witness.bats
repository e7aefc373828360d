#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a SUT that is none of ours wrote down of each frame, against every figure of results: by direction, flow, and time.
bats_require_minimum_version 1.5.0
load helper

WITNESS=$(realpath "${BUILD:-build}")/tests/tools/witness

# The witness with these rules.
witness_up() { # RULE...
  echo "exec $WITNESS $BATS_TEST_TMPDIR/log $*" >"$BATS_TEST_TMPDIR/sut"
  "$MLR" lab up --name "$LAB" --sut "exec:sh $BATS_TEST_TMPDIR/sut" >/dev/null
}

# Frames for which the links between tester and witness had no room, and which so nobody wrote down.
overflowed() {
  echo $(($(dropped_by_links "$A" "$B") + $(
    export -f dropped_by_links
    inside bash -c 'dropped_by_links sut-a sut-b'
  )))
}

# Whether the tester was the limit of what is compared. The throughput that a test of a suite begins with is not.
limited() { # VERB
  case $1 in
    rfc2544) get '[.frame_sizes[0].recovery, .frame_sizes[0].back_to_back, .reset] | any(.tester_limited? // false or (.repeated_trials? // 0) > 0)' >/dev/null ;;
    search) false ;;
    *) spoilt ;;
  esac
}

# Run xdp-mlr over the witness, until the machine spoils neither. Its result is $output, and what the witness saw is with it: as
# .witness, by trial, in parts of so many ms, where "ab" is from the first port to the second.
witnessed() { # PART_MS VERB OPTION... -- RULE...
  local part=$1 verb=$2 options=() try before dropped
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  for try in {1..5}; do
    witness_up "$@"
    before=$(overflowed)
    run --separate-stderr "$MLR" "$verb" -p "$A,$B" --connect off --burst 1000000 --direction both --frame-size 128 --format json "${options[@]}"
    dropped=$(($(overflowed) - before))
    # it writes what it has once nothing comes any more
    until [ "$(tail -c 1 "$BATS_TEST_TMPDIR/log" | wc -l)" -eq 1 ]; do sleep 0.1; done
    sleep 0.2
    "$MLR" lab down --name "$LAB"
    [ -n "$output" ] || { echo "exit $status: $stderr"; return 1; }
    awk -v part="${part}000000" -f "${BATS_TEST_FILENAME%.bats}.awk" "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/witness.json"
    output=$("$JQ" --slurpfile seen "$BATS_TEST_TMPDIR/witness.json" '. + {witness: $seen[0]}' <<<"$output")
    [ "$dropped" -gt 0 ] || limited "$verb" || return 0
    echo "# try $try: $dropped dropped by links, or the tester was the limit" >&3
  done
  give_up "the machine spoilt each try"
}

# For jq: the way of a direction, and of these members those that differ.
words() {
  echo 'def way: if .from == "'"$A"'" then "ab" else "ba" end;
    def differ($a; $b; $members): [$members[] | select($a[.] != $b[.]) | {(.): [$a[.], $b[.]]}];'
}

@test "a trial: each direction, flow and interval, and what was changed" {
  witnessed 100 trial --load 1000 --duration 1 --wait d=1 --flows 10 --per-flow 100 --interval 0.1 --verify all --tester-repeats 0 -- \
    ab,drop,flow=0,every=10 ba,drop,flow=0,every=7 ab,copy,flow=1,every=9 ba,copy,flow=1,every=4 ab,hold,flow=2,every=20,by=3 \
    ba,hold,flow=2,every=15,by=5 ab,dscp,flow=3,every=4 ba,dscp,flow=3,every=3 ab,ecn,flow=4,every=8 ab,ttl,flow=5,every=5 \
    ba,ttl,flow=4,every=6 ab,port,flow=6,every=6 ba,address,flow=5,every=11 ab,address,flow=7,every=7 ab,payload,flow=8,every=7 \
    ba,payload,flow=8,every=5 ab,drop,flow=9,from=400,to=600 ba,drop,flow=9,from=100,to=700 ba,late,by=40
  check '.witness | length == 1 and (.[0].flows | length) == 20'
  check "$(words) .witness[0].directions as \$seen | [.trial_result.directions[] | differ(.counts; \$seen[way]; [\"sent\", \"received\", \"lost\",
    \"duplicate\", \"reordered\", \"changed\", \"changed_dscp\", \"changed_ecn\", \"changed_ttl\", \"changed_address\", \"changed_port\", \"changed_payload\"])] == [[], []]"
  check "$(words) .witness[0].directions as \$seen | [.trial_result.directions[] | differ(.order; \$seen[way]; [\"gaps\", \"gap_frames\"])] == [[], []]"
  check "$(words) .witness[0].directions as \$seen | [.trial_result.directions[] | [.intervals[] | [.sent, .received]] == \$seen[way].parts] == [true, true]"
  check "$(words) .witness[0].directions as \$seen | .trial_result.loss_ratio == ([\$seen[] | .lost / .sent] | max)"
  check "$(words) .witness[0].directions as \$seen | [.trial_result.directions[] | (.loss_ratio - \$seen[way].lost / \$seen[way].sent | fabs) < 1e-12] == [true, true]"
  check "$(words) (.witness[0].flows | map({key: \"\\(.flow)\", value: .}) | from_entries) as \$seen | .trial_result.flows.worst |
    length == 20 and ([.[] | differ(.; \$seen[\"\\(.flow)\"]; [\"sent\", \"received\", \"lost\", \"duplicate\", \"reordered\"])[]] == [])
    and ([.[] | .lost] | . == (sort | reverse)) and ([.[] | way == \$seen[\"\\(.flow)\"].way] | all)"
  check '.witness[0].flows as $seen | .trial_result.flows | .lossy == ([$seen[] | select(.lost > 0)] | length) and
    .duplicated == ([$seen[] | select(.duplicate > 0)] | length) and .reordered == ([$seen[] | select(.reordered > 0)] | length)'
  # no frame came before the witness gave it
  check "$(words) .witness[0].directions as \$seen | [.trial_result.directions[] | .latency.mean_ns >= \$seen[way].held_mean_ns] == [true, true]"
  check '.trial_result.counts.lost == ([.witness[0].directions[].lost] | add)'
}

# Directions, and frames within each, are late by times that lie 400 ms apart or more: a figure of another direction or rank is off by as much.
@test "latency: each percentile of each direction and the mean of each flow, and what was changed in VLAN tags" {
  witnessed 100 trial --load 500 --duration 2 --wait d=4 --flows 10 --per-flow 20 --vlan 100:5 --tester-repeats 0 -- \
    ab,late,by=200 ab,late,flow=8,by=700 ab,late,flow=7,by=700 ab,late,flow=9,every=2,by=1500 \
    ba,late,by=450 ba,late,flow=1,by=900 ba,late,flow=2,every=3,by=2000 \
    ab,vlan,flow=3,every=4 ba,vlan,flow=4,every=9 ab,priority,flow=5,every=3 ba,priority,flow=5,every=7 ab,dei,flow=6,every=2 ba,dei,flow=6,every=5
  check "$(words) .witness[0].directions as \$seen | [.trial_result.directions[] | differ(.counts; \$seen[way]; [\"sent\", \"received\", \"lost\",
    \"reordered\", \"changed\", \"changed_vlan\", \"changed_priority\", \"changed_dscp\"])] == [[], []]"
  check '[.witness[0].directions[] | .changed_vlan > 0 and .changed_priority > 0] | all'
  # of both: sorted by what the witness held them
  check "$(words) def rank(\$ratio): sort | .[([(length * \$ratio | ceil), 1] | max) - 1];
    def near(\$told; \$held): \$told >= \$held * 0.996 and \$told < \$held + 400e6;
    .witness[0].directions as \$seen | [.trial_result.directions[] | \$seen[way].held_ns as \$held | \$seen[way].held_mean_ns as \$mean | .latency |
      .count == (\$held | length) and near(.min_ns; \$held | rank(0)) and near(.p50_ns; \$held | rank(0.5)) and near(.p90_ns; \$held | rank(0.9))
      and near(.p99_ns; \$held | rank(0.99)) and near(.max_ns; \$held | rank(1)) and near(.mean_ns; \$mean)] == [true, true]"
  check "$(words) (.witness[0].flows | map({key: \"\(.flow)\", value: .}) | from_entries) as \$seen | .trial_result.flows.worst |
    length == 20 and all(\$seen[\"\(.flow)\"] as \$flow | .latency.mean_ns >= \$flow.held_mean_ns and .latency.mean_ns < \$flow.held_mean_ns + 400e6)"
  # of the trial it is the worst direction's
  check '.latency.p99_ns == ([.trial_result.directions[].latency.p99_ns] | max) and .latency.p50_ns == ([.trial_result.directions[].latency.p50_ns] | max)'
}

@test "services: each second of each direction, and verdicts that follow from them" {
  witnessed 1000 y1564 --tests performance --duration 3 --wait d=1 --service name=x,cir=300fps,loss=5%,delay=9s --service name=y,cir=500fps,loss=20%,delay=9s -- \
    ab,drop,flow=2,from=1000,to=1500 ba,drop,flow=1,every=8 ba,late,by=20
  check '.witness | length == 1'
  check "$(words) .witness[0].flows as \$seen | [.services | to_entries[] | .key as \$number | .value.performance.directions[] | way as \$way |
    ([\$seen[] | select(.way == \$way)] | sort_by(.flow) | .[\$number]) as \$flow |
    .counts.sent == \$flow.sent and .counts.received == \$flow.received and .counts.lost == \$flow.lost
    and .due_by_second == [\$flow.parts[] | .[0]] and .received_by_second == [\$flow.parts[] | .[1]]
    and (.loss_ratio - \$flow.lost / \$flow.sent | fabs) < 1e-12 and .delay_mean_ns >= \$flow.held_mean_ns
    and .passed == (\$flow.lost / \$flow.sent <= [0.05, 0.2][\$number])] | length == 4 and all"
  check '[.services[] | .performance.passed] == [false, true] and .passed == false'
  check ".services[0].performance.worst_direction.loss_ratio == {from: \"$A\", to: \"$B\"} and .services[1].performance.worst_direction.loss_ratio == {from: \"$B\", to: \"$A\"}"
}

fast=(--fast --max-load 2kfps --min-load 200 --wait d=0.5 --trial-duration 0.1 --overload-duration 0.5 --reset-duration 3 --burst-tests 1)

@test "recovery of each direction ends with the last frame that was lost" {
  witnessed 100 rfc2544 "${fast[@]}" --tests recovery -- ab,drop,from=300,to=750 ba,drop,from=300,to=600
  # the witness sees when frames were due, and the load changes after half a second
  check "$(words) [.witness[-1].directions[] | .lost] == [.frame_sizes[0].recovery.runs[-1].directions[] | .frames_lost] or
    [.witness[-1].directions[] | .lost] == ([.frame_sizes[0].recovery.runs[-1].directions[] | .frames_lost] | reverse)"
  check "$(words) .witness[-1].directions as \$seen | .frame_sizes[0].recovery.runs[-1].directions | [.[] | .frames_lost == \$seen[way].lost and
    (.recovery - (\$seen[way].last_lost_ns / 1e9 - 0.5) | . >= 0 and . < 0.003)] == [true, true]"
  check ".frame_sizes[0].recovery.runs[-1] | .worst_direction.recovery == {from: \"$A\", to: \"$B\"} and .recovery == ([.directions[].recovery] | max)"
}

@test "recovery is that of the direction that lost frames, though it took no time" {
  # one that loses nothing has nothing to recover from
  witnessed 100 rfc2544 "${fast[@]}" --tests recovery -- ba,drop,from=300,to=450
  check '.frame_sizes[0].recovery.runs[-1] | [.directions[] | .frames_lost > 0] as $lost | ($lost | sort) == [false, true] and .recovery == 0
    and ([.directions[] | .recovery == null] == ($lost | map(not)))'
  check ".frame_sizes[0].recovery.runs[-1] | .worst_direction.recovery == {from: \"$B\", to: \"$A\"}"
}

@test "a reset takes each direction as long as the witness says" {
  witnessed 100 rfc2544 "${fast[@]}" --tests reset --reset-command true -- ab,drop,from=1000,to=1300 ba,drop,from=1200,to=1900
  check "$(words) .witness[-1].directions as \$seen | .reset.directions | [.[] | .frames_lost == \$seen[way].lost] == [true, true]"
  # whatever it did to the time of frames that it did not lose
  check "$(words) .witness[-1].directions as \$seen | .reset.directions | [.[] | (.reset_time - \$seen[way].due_gap_ns / 1e9 | fabs) <= .resolution + 0.001] == [true, true]"
  check ".reset | .worst_direction.reset_time == {from: \"$B\", to: \"$A\"} and .frames_lost == ([.directions[].frames_lost] | add)"
  check '.reset | [.outages, .directions[].outages] == [1, 1, 1]'
}

@test "a reset that was followed by a longer outage: it is said that there were two" {
  witnessed 100 rfc2544 "${fast[@]}" --tests reset --reset-command true -- ba,drop,from=1000,to=1200 ba,drop,from=1500,to=1900
  check '.reset.outages == 2'
  [[ $stderr == *"2 outages were seen in one direction"* ]]
}

@test "bursts: what each direction lost" {
  witnessed 100 rfc2544 "${fast[@]}" --tests back-to-back -- ab,police,by=1000,depth=20 ba,police,by=1000,depth=30
  check "$(words) .frame_sizes[0].back_to_back as \$told | .witness[-\$told.trial_count:] as \$seen | \$told.directions | [.[] | way as \$way |
    .frames_lost == ([\$seen[].directions[\$way].lost] | add) and .lossy_bursts == ([\$seen[].directions[\$way].lost | select(. > 0)] | length)] == [true, true]"
  # the longest of which no direction lost a frame is what the smaller buffer holds: 20 wait, one is served, and half of them leave meanwhile
  check '.frame_sizes[0].back_to_back as $told | .witness[-$told.trial_count:] |
    $told.values[0] == ([.[] | select([.directions[].lost] | add == 0) | .directions.ab.sent] | max)'
}

@test "a search: each direction of each trial" {
  witnessed 100 search --goal name=x,final=0.2,width=5% --min-load 300 --max-load 2000 --wait d=1 --tester-repeats 0 -- \
    ab,police,by=900,depth=5 ba,police,by=1200,depth=5 ba,copy,every=50
  check '(.witness | length) == (.trials | length)'
  check "$(words) .witness as \$seen | [.trials | to_entries[] | .key as \$number | .value.directions[] |
    differ(.counts; \$seen[\$number].directions[way]; [\"sent\", \"received\", \"lost\", \"duplicate\", \"reordered\"])[]] == []"
  check '.witness as $seen | [.trials | to_entries[] | (.value.loss_ratio - ([$seen[.key].directions[] | .lost / .sent] | max) | fabs) < 1e-9] | all'
}
