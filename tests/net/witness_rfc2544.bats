#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a SUT that is none of ours wrote down of each frame, against every figure of the suite of RFC 2544.
bats_require_minimum_version 1.5.0
load helper
load witness

fast=(--fast --max-load 1kfps --min-load 200 --wait d=0.5 --trial-duration 0.1 --overload-duration 0.5 --reset-duration 3)

@test "tables of throughput, latency and frame loss: each trial, and what follows from them" {
  agrees_with_log tables rfc2544 "${fast[@]}" --tests throughput,latency,frame-loss --latency-repeats 3 --latency-duration 0.2 -- \
    ab,police,by=750,depth=10 ba,police,by=700,depth=15 ba,late,by=20
}

@test "recovery of each direction ends with the last frame that was lost" {
  agrees_with_log recovery rfc2544 "${fast[@]}" --tests recovery -- ab,drop,from=300,to=750 ba,drop,from=300,to=600
  check ".frame_sizes[0].recovery.runs[-1].worst_direction.recovery == {from: \"$A\", to: \"$B\"}"
}

@test "recovery is that of the direction that lost frames, though it took no time" {
  # one that loses nothing has nothing to recover from
  agrees_with_log recovery rfc2544 "${fast[@]}" --tests recovery -- ba,drop,from=300,to=450
  check ".frame_sizes[0].recovery.runs[-1] | .recovery == 0 and .worst_direction.recovery == {from: \"$B\", to: \"$A\"}"
}

@test "a reset takes each direction as long as the witness says, whatever it did to the time of frames that it did not lose" {
  agrees_with_log reset rfc2544 "${fast[@]}" --tests reset --reset-command true -- ab,drop,from=1000,to=1300 ba,drop,from=1200,to=1900
  check ".reset.worst_direction.reset_time == {from: \"$B\", to: \"$A\"}"
  check '.reset | [.outages, .directions[].outages] == [1, 1, 1]'
}

@test "a reset that was soon followed by a longer outage: it is said that there were two" {
  agrees_with_log reset rfc2544 "${fast[@]}" --tests reset --reset-command true -- ba,drop,from=500,to=600 ba,drop,from=900,to=1300
  check '.reset | .outages == 2 and .unrelated_from == null and .outage_from > 0.8'
  [[ $stderr == *"2 outages were seen in one direction"* ]]
}

@test "a stall elsewhere that is longer than the reset is unrelated, and said" {
  agrees_with_log reset rfc2544 "${fast[@]}" --tests reset --reset-command 'sleep 0.2' -- ba,drop,from=1000,to=1200 ba,drop,from=2000,to=2700
  check '.reset | .outages == 2 and .reset_time < 0.3 and .unrelated_from > 1.9 and .unrelated_to > 2.6 and .command_until >= .command_at + 0.2'
  [[ $stderr == *"began too long after the command had ended, and counts as unrelated"* ]]
}

# Both directions have one soon after the command, and the one that lasts longer has no other.
@test "a stall of the direction that was reset for the shorter time is unrelated as well, and said" {
  agrees_with_log reset rfc2544 "${fast[@]}" --tests reset --reset-command 'sleep 0.2' -- ab,drop,from=700,to=900 ab,drop,from=2000,to=2600 ba,drop,from=700,to=1300
  check ".reset.worst_direction.reset_time == {from: \"$B\", to: \"$A\"} and .reset.unrelated_from > 1.9 and .reset.unrelated_to < 2.7"
  check "[.reset.directions[].unrelated_from != null] == [true, false]"
  [[ $stderr == *"of frames from $A to $B, began too long after the command had ended, and counts as unrelated"* ]]
}

# Of the smaller load not every ms has a frame.
@test "a reconfiguration blocks each direction for as long as its lost frames take at the load" {
  local load
  for load in 400 1700; do
    agrees_with_log reconf rfc2544 "${fast[@]}" --max-load "$load" --tests reconf --reconf-command true --reconf-duration 3 -- \
      ab,drop,from=1000,to=1300 ba,drop,every=2,from=900,to=1900 ba,drop,from=2100,to=2110
    check ".reconf.worst_direction.blocked_time == {from: \"$B\", to: \"$A\"} and .reconf.regular"
  done
}

@test "bursts: the longest of which no direction loses a frame, and what each lost" {
  agrees_with_log bursts rfc2544 "${fast[@]}" --tests back-to-back --burst-tests 2 -- ab,police,by=500,depth=20 ba,police,by=500,depth=30
}

# Of frames at 3 kfps a third needs no token. The bucket of 61 is full after 1.2 s, and no throughput says so.
@test "bursts into a bucket that fills slowly: the longest of a full one, with --fast and by the book" {
  local way try found='.frame_sizes[0].back_to_back | .regular and .pause_settled and .values[0] >= 92 and .values[0] <= 97'
  for way in "--fast" "--trial-duration 0.5"; do
    # A tester that stops for some ms leaves the bucket time to fill: a busy machine gets further tries.
    for try in 1 2 3; do
      witness_up ab,police,by=50,depth=60,free=1000
      run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --connect off --burst 1000000 $way --wait a=0,b=0,d=0.05,e=0 --frame-size 128 \
        --min-load 500 --max-load 3kfps --tests back-to-back --burst-tests 1 --format json
      "$MLR" lab down --name "$LAB"
      get "$found" >/dev/null && break
      echo "# try $try: $(get '[.irregular_reason, .frame_sizes[0].back_to_back.values] | tostring')" >&3
    done
    check "$found"
    check '.frame_sizes[0].back_to_back.pause_checks | length == 2 and .[0].silence >= 2'
  done
}
