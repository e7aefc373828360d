#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --latency-at: latency at parts of what a search found, with whole histograms.
bats_require_minimum_version 1.5.0
load helper

search() {
  run --separate-stderr "$MLR" search -p "$A,$B" --wait d=0.1 --max-load 40kfps --goal name=ndr,loss=0,exceed=0.5,final=0.1,sum=0.2,width=20% \
    --goal name=pdr,loss=5%,exceed=0.5,final=0.1,sum=0.2,width=20% --latency-duration 0.2 --format json "$@"
}

@test "each part of each bound, in both directions, with histograms that agree with the percentiles" {
  lab_up policer:rate=20000,burst=1ms
  search --direction both --latency-at csit --metrics "$BATS_TEST_TMPDIR/m.prom"
  [ "$status" -le 1 ]
  # they are no trials of the search, of which metrics tell to the end
  grep -qx "xdp_mlr_trials $("$JQ" '.trials | length' <<<"$output")" "$BATS_TEST_TMPDIR/m.prom"
  [ "$(grep -c '^xdp_mlr_conditional_throughput_frames_per_second{goal=' "$BATS_TEST_TMPDIR/m.prom")" -eq 2 ]
  check '[.latency_at[] | [.goal, .share]] == [[null, 0], ["ndr", 0.1], ["ndr", 0.5], ["ndr", 0.9], ["ndr", 1], ["pdr", 0.1], ["pdr", 0.5], ["pdr", 0.9], ["pdr", 1]]'
  check '.latency_at[0].trial.trial_load == 100 and .latency_at[4].trial.trial_load == .search_result[0].relevant_lower_bound'
  check '[.latency_at[].trial.trial_duration] | unique == [0.2]'
  check '[.latency_at[].trial.directions | length == 2 and all(.[]; .latency.histogram | startswith("HISTF"))] | all'
  check '([.trials[] | .. | .histogram? // empty] | length) == 0'
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  "$MLR" verify "$BATS_TEST_TMPDIR/r.json"
  "$MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.html"
  "$MLR" report "$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/text"
  # the line of the guide has them, by direction
  eval "$(grep -o "jq -r '[^']*latency_at[^']*'" docs/guide/searching.md)" <"$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/histograms"
  [ "$(grep -c '^HISTF' "$BATS_TEST_TMPDIR/histograms")" -eq 2 ] && [ "$(wc -l <"$BATS_TEST_TMPDIR/histograms")" -eq 2 ]
  grep -q 'Latency at parts of the throughput' "$BATS_TEST_TMPDIR/text"
  grep -q 'id="figure-percentiles-2-2"' "$BATS_TEST_TMPDIR/r.html"
  # no line of a grid stands beside its panel, which ends 30 units before the figure does
  [ "$(grep -o 'class="grid" d="M[0-9]*' "$BATS_TEST_TMPDIR/r.html" | sed 's/.*M//' | sort -n | tail -n 1)" -le 690 ]
  # forged ones are found out
  local filter
  for filter in '.latency_at[1].trial.directions[0].latency.histogram = .latency_at[2].trial.directions[0].latency.histogram' \
    '.latency_at[1].trial.directions[0].latency |= (.p50_ns = .min_ns / 2)' '.latency_at[1].share = 0.2' \
    '.latency_at[1].trial.counts.received -= 1'; do
    jq -c "$filter" "$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/forged.json"
    run "$MLR" verify "$BATS_TEST_TMPDIR/forged.json"
    [ "$status" -eq 1 ] || { echo "$filter: $status $output"; return 1; }
  done
}

@test "what goes without latencies is refused" {
  search --latency-at 10% --no-latency
  [ "$status" -eq 2 ]
  [[ $stderr == *"--latency-at is of latencies"* ]]
  search --latency-at 110%
  [ "$status" -eq 2 ]
  [[ $stderr == *"must be a part of a Relevant Lower Bound"* ]]
  search --latency-at 50%,1e-9
  [ "$status" -eq 2 ]
  [[ $stderr == *"'1e-9' of a Relevant Lower Bound is hardly a frame"* ]]
  run --separate-stderr "$MLR" search --measurer sim:hard,capacity=1e6 --max-load 2Mfps --latency-at csit
  [ "$status" -eq 2 ]
  [[ $stderr == *"is for trials over ports"* ]]
}

@test "where no frame would be due the run says so, and measures the rest; of one direction there is one histogram" {
  lab_up policer:rate=20000,burst=1ms
  search --latency-at 0.01%,50%
  [ "$status" -le 1 ]
  check '[.latency_at[].share] == [0.5, 0.5]'
  [[ $stderr == *"no frame is due in 0.2 s at 0.01 % of the Relevant Lower Bound of goal ndr"* ]]
  [ "$(eval "$(grep -o "jq -r '[^']*latency_at[^']*'" docs/guide/searching.md | sed 's/\[2\]/[0]/')" <<<"$output" | grep -c '^HISTF')" -eq 1 ]
}
