#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A whole search against a SUT of known throughput.
bats_require_minimum_version 1.5.0
load helper

search() {
  run --separate-stderr "$MLR" search -p "$A,$B" --wait d=0.2 --format json ${BURST:+--burst "$BURST"} "$@"
}

@test "the rate of the policer is found, within the Goal Width" {
  lab_up policer:rate=200000,burst=20us
  clean search --max-load 400kfps --goal name=ndr,loss=0,exceed=0.5,final=0.2,sum=1,width=0.5%
  [ "$status" -eq 0 ]
  check '.search_result | length == 1'
  check '.search_result[0] | .regular and .relevant_lower_bound >= 199000 and .relevant_lower_bound <= 200050'
  check '.search_result[0] | .relevant_upper_bound > 200000 and (.relevant_upper_bound - .relevant_lower_bound) / .relevant_upper_bound <= 0.005'
  check '.search_result[0] | .conditional_throughput == .relevant_lower_bound and .tester_limited == false'
  # every trial adds up, and the warm-up is marked
  check '.trials[0].warmup == true and .trials[0].trial_load == 400000 and ([.trials[1:][] | .warmup // false] | any | not)'
  check '[.trials[] | .counts | .intended == .sent + .unsent and .sent == .received + .lost] | all'
}

@test "two goals share the trials of one search" {
  lab_up policer:rate=50000,burst=100us
  clean search --max-load 100kfps --goal name=ndr,loss=0,final=0.2,sum=0.6,width=2% --goal name=pdr,loss=5%,final=0.2,sum=0.6,width=2%
  [ "$status" -eq 0 ]
  check '[.search_result[].goal.name] == ["ndr", "pdr"] and ([.search_result[].regular] | all)'
  check '.search_result[0].relevant_lower_bound | . <= 50200 and . >= 48900'
  # 5 % of loss above 50 kfps is at 52.6 kfps
  check '.search_result[1].relevant_lower_bound | . <= 52900 and . >= 51500'
}

@test "a Max Load that loses nothing is an irregular result, and exit 1" {
  lab_up policer:rate=50000,burst=100us
  clean search --max-load 40kfps --goal name=ndr,loss=0,final=0.2,sum=0.6
  [ "$status" -eq 1 ]
  check '.search_result[0] | (.regular | not) and .relevant_lower_bound == 40000 and .relevant_upper_bound == null'
}

@test "a Min Load that loses is an irregular result, and exit 1" {
  lab_up policer:rate=1000,burst=100us
  clean search --min-load 5000 --max-load 40kfps --goal name=ndr,loss=0,final=0.2,sum=0.6
  [ "$status" -eq 1 ]
  check '.search_result[0] | (.regular | not) and .relevant_lower_bound == null and .relevant_upper_bound == 5000'
}

@test "without a Max Load and a line rate the tester is calibrated, which is said" {
  lab_up policer:rate=20000,burst=100us
  search --goal name=ndr,loss=0,final=0.1,sum=0.1,width=5%
  check '.max_load_source == "calibration" and (.controller_input.max_load > 20000 or .search_result[0].tester_limited)'
  [ "$status" -eq 0 ] || check '.search_result[0].tester_limited or ([.trials[].tester_limited_reason] | any)'
  [[ $stderr == *"calibrat"* ]]
}

@test "a trial in which a link goes down and comes back is performed again, and the result says so" {
  lab_up policer:rate=50000,burst=100us
  start search --max-load 100kfps --goal name=ndr,loss=0,final=0.4,sum=0.4,width=2% --wait d=0.2 --format json
  flowing 50
  while running && ! grep -qs "link went down" "$BATS_TEST_TMPDIR/err"; do flap; sleep 0.3; done
  ended
  check '.search_result[0] | .relevant_upper_bound > 50000 and .relevant_upper_bound <= 52000 or .tester_limited'
  check '.search_result[0] | .regular and .relevant_lower_bound >= 48000 and .relevant_lower_bound <= 50200 or .tester_limited'
  check '[.trials[].link_repeats // 0] | add >= 1'
  check '[.warnings[] | select(contains("link went down") and contains("performed again"))] | length >= 1'
}

@test "a trial in which the port that sends is set down, and up again, is performed again" {
  lab_up policer:rate=50000,burst=100us
  for down_s in 0.2 3; do # as long as it takes two ports to agree on a speed
    start search --max-load 100kfps --goal name=ndr,loss=0,final=0.4,sum=0.4,width=2% --wait d=0.2 --effective-duration wall \
      --format json
    flowing 50
    while running && ! grep -qs "link went down" "$BATS_TEST_TMPDIR/err"; do
      ip link set "$A" down
      sleep "$down_s"
      ip link set "$A" up
      sleep 0.3
    done
    ended
    [ "$status" -le 1 ]
    check '[.trials[].link_repeats // 0] | add >= 1'
    # the links are up for a second before it is performed again, which adds no weight to it
    check '[.trials[] | select(.link_repeats) | .trial_effective_duration <= .wall_duration - 1] | all'
  done
}

@test "a link that goes down again and again ends a search" {
  lab_up policer:rate=50000,burst=100us
  start search --max-load 100kfps --goal name=ndr,loss=0,final=1,sum=100,width=2% --wait d=0.2 --format json
  while running; do flap; sleep 1.2; done
  ended
  [ "$status" -eq 5 ]
  [[ $(tail -1 <<<"$stderr") == *"link"* ]]
}

@test "SIGINT in a search prints what was measured, marked irregular" {
  lab_up policer:rate=50000,burst=100us
  start search --max-load 100kfps --format jsonl
  until_it_says trial_finished "$BATS_TEST_TMPDIR/out"
  interrupted
  output=$(tail -1 <<<"$output")
  check '.irregular_reason != null and (.trials | length) >= 1 and ([.search_result[].regular] | any | not)'
  no_xdp_left
}

@test "a soak finds the rate of the policer" {
  lab_up policer:rate=50000,burst=100us
  soak() {
    run --separate-stderr "$MLR" soak -p "$A,$B" --max-load 100kfps --target-loss-ratio 1e-3 --first-duration 0.2 --duration-step 0.03 \
      --max-time 5 --wait d=0.1 --format json --burst "$BURST" --tester-repeats 0
  }
  # 0.1 % of loss is at 50 050 frames/s, a burst of 5 frames later for short trials
  right '(.critical_load.mean / 50050 - 1) | fabs < 0.005' soak
  # a stall at the end of a trial makes it limited, and the soak; the estimate stands all the same
  [ "$status" -le 1 ]
  check '.schema == "xdp-mlr/soak/1" and (.trials | length) >= 8'
  check '[.trials[] | .counts | .intended == .sent + .unsent and .sent == .received + .lost] | all'
}
