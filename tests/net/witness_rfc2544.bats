#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a SUT that is none of ours wrote down of each frame, against every figure of the suite of RFC 2544.
bats_require_minimum_version 1.5.0
load helper
load witness

fast=(--fast --max-load 2kfps --min-load 200 --wait d=0.5 --trial-duration 0.1 --overload-duration 0.5 --reset-duration 3 --burst-tests 1)

@test "tables of throughput, latency and frame loss: each trial, and what follows from them" {
  logged rfc2544 "${fast[@]}" --tests throughput,latency,frame-loss --latency-repeats 3 --latency-duration 0.2 -- \
    ab,police,by=1500,depth=20 ba,police,by=1400,depth=30 ba,late,by=20
  agrees_with_log tables
}

@test "recovery of each direction ends with the last frame that was lost" {
  witnessed 100 rfc2544 "${fast[@]}" --tests recovery -- ab,drop,from=300,to=750 ba,drop,from=300,to=600
  # the witness sees when frames were due, and the load changes after half a second
  holds '[.witness[-1].directions[] | .lost] == [.frame_sizes[0].recovery.runs[-1].directions[] | .frames_lost] or
    [.witness[-1].directions[] | .lost] == ([.frame_sizes[0].recovery.runs[-1].directions[] | .frames_lost] | reverse)'
  holds '.witness[-1].directions as $seen | .frame_sizes[0].recovery.runs[-1].directions | [.[] | .frames_lost == $seen[way].lost and
    (.recovery - ($seen[way].last_lost_ns / 1e9 - 0.5) | . >= 0 and . < 0.003)] == [true, true]'
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
  holds '.witness[-1].directions as $seen | .reset.directions | [.[] | .frames_lost == $seen[way].lost] == [true, true]'
  # whatever it did to the time of frames that it did not lose
  holds '.witness[-1].directions as $seen | .reset.directions | [.[] | (.reset_time - $seen[way].due_gap_ns / 1e9 | fabs) <= .resolution + 0.001] == [true, true]'
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
  holds '.frame_sizes[0].back_to_back as $told | .witness[-$told.trial_count:] as $seen | $told.directions | [.[] | way as $way |
    .frames_lost == ([$seen[].directions[$way].lost] | add) and .lossy_bursts == ([$seen[].directions[$way].lost | select(. > 0)] | length)] == [true, true]'
  # the longest of which no direction lost a frame is what the smaller buffer holds: 20 wait, one is served, and half of them leave meanwhile
  check '.frame_sizes[0].back_to_back as $told | .witness[-$told.trial_count:] |
    $told.values[0] == ([.[] | select([.directions[].lost] | add == 0) | .directions.ab.sent] | max)'
}
