#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep over a SUT of known throughput.
bats_require_minimum_version 1.5.0
load helper

sweep() {
  run --separate-stderr "$MLR" sweep -p "$A,$B" --wait d=0.2 --duration 0.3 --format json "$@"
}

# A machine that others keep busy may spoil any of several trials, so each that was not spoilt is judged by itself.
@test "the curve of a policer: all is forwarded below its rate, and its rate above it" {
  lab_up policer:rate=20000,burst=1ms
  sweep --loads 5kfps,10kfps,40kfps,80kfps,10kfps
  check '.schema == "xdp-mlr/sweep/1" and [.trials[].trial_load] == [5000, 10000, 40000, 80000, 10000]'
  check '[.trials[] | .counts | .sent == .received + .lost and .received > 0] | all'
  check '[.trials[] | select(.tester_limited | not) | if .trial_load < 20000 then .trial_loss_ratio == 0
    else .trial_forwarding_rate > 19000 and .trial_forwarding_rate < 21500 end] | all'
  check '[.trials[].latency.p99_ns > 0] | all'
  check '.tester_limited == ([.trials[].tester_limited] | any)'
  [ "$status" -eq "$(jq '.tester_limited | if . then 1 else 0 end' <<<"$output")" ]
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  "$MLR" verify "$BATS_TEST_TMPDIR/r.json"
}

@test "a share of an unknown line rate is refused before anything is sent" {
  lab_up router
  sweep --loads 10%
  [ "$status" -eq 2 ]
  [[ $stderr == *"the line rate is not known here"* ]]
}
