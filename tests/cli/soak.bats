#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# soak: PLRsearch on simulated SUTs.
load helper

soak() {
  "$XDP_MLR" soak --measurer sim:hard,capacity=1e6 --max-load 10Mfps "$@"
}

@test "the document of a soak has what the contract names" {
  run --separate-stderr soak --format json
  [ "$status" -eq 0 ]
  "$JQ" -e '.schema == "xdp-mlr/soak/1" and .target_loss_ratio == 1e-7' <<<"$output"
  "$JQ" -e '.critical_load | (.mean | type) == "number" and .stdev > 0' <<<"$output"
  "$JQ" -e '[.estimates[].fitting] == ["stretch", "erf"] and ([.estimates[] | .mean > 0 and .stdev > 0] | all)' <<<"$output"
  # trials grow by 0.1 s from 5.1 s, within the default 1800 s
  "$JQ" -e '[.trials[:3][].trial_duration * 10 | round] == [51, 52, 53]' <<<"$output"
  "$JQ" -e '.soak_duration <= 1800 and .soak_duration > 1750 and .ended_by == "max-time"' <<<"$output"
  "$JQ" -e '(.time_line | length) == (.trials | length) and .time_line[-1].together.mean == .critical_load.mean' <<<"$output"
  # a SUT of exactly 1 Mfps
  "$JQ" -e '(.critical_load.mean - 1e6) | fabs < 5000' <<<"$output"
}

@test "a soak repeats exactly" {
  soak --max-time 200 --format json | jq -c '[.critical_load, .trials]' >"$BATS_TEST_TMPDIR/one"
  soak --max-time 200 --format json | jq -c '[.critical_load, .trials]' >"$BATS_TEST_TMPDIR/two"
  cmp "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/two"
}

# What the metrics say in the fifth trial, 1.1 s (they are written once a second) after the fourth began, and at the end
metrics_of() { # option...
  cat >"$BATS_TEST_TMPDIR/sut" <<'END'
n=0
while read -r q; do
  n=$((n + 1))
  [ $n -ne 4 ] || sleep 1.1
  [ $n -ne 5 ] || cp "$1" "$1.amid"
  echo '{"trial_loss_ratio": 0.1}'
done
END
  # it loses a tenth of any load, so no load is the answer
  { "$XDP_MLR" soak --measurer "exec:sh $BATS_TEST_TMPDIR/sut $BATS_TEST_TMPDIR/m" --max-load 1Mfps --max-time 50 --metrics "$BATS_TEST_TMPDIR/m" \
    --format json "$@" || [ $? -eq 1 ]; } | "$JQ" -r '"trials \(.trials | length)"' >"$BATS_TEST_TMPDIR/trials"
}

@test "the time to go is what --max-time leaves; with --stdev nobody knows it; in the end all trials are told, and none is to go" {
  metrics_of
  awk '/^xdp_mlr_(elapsed|remaining)_seconds / { sum += $2; n += $2 > 0 } END { exit !(n == 2 && sum > 49.99 && sum < 50.01) }' "$BATS_TEST_TMPDIR/m.amid"
  grep -qx 'xdp_mlr_remaining_seconds 0' "$BATS_TEST_TMPDIR/m"
  grep -qx "xdp_mlr_$(cat "$BATS_TEST_TMPDIR/trials")" "$BATS_TEST_TMPDIR/m"
  metrics_of --stdev 0.0001%
  grep -q '^xdp_mlr_elapsed_seconds ' "$BATS_TEST_TMPDIR/m.amid"
  if grep -q '^xdp_mlr_remaining_seconds ' "$BATS_TEST_TMPDIR/m.amid"; then return 1; fi
}

@test "--stdev ends it early" {
  run --separate-stderr soak --stdev 1% --format json
  [ "$status" -eq 0 ]
  "$JQ" -e '.ended_by == "stdev" and (.critical_load | .model_fits and .robust_stdev <= 0.01 * .mean) and .soak_duration < 600' <<<"$output"
}

@test "a model that does not fit is said first, and exit 1" {
  soak() { "$XDP_MLR" soak --measurer sim:jitter,capacity=1e6 --target-loss-ratio 1e-3 --max-load 10Mfps --max-time 300 "$@"; }
  run --separate-stderr soak --format json
  [ "$status" -eq 1 ]
  "$JQ" -e '.critical_load | (.model_fits | not) and .misfit > 5 and .robust_stdev > 20 * .stdev' <<<"$output"
  "$JQ" -e '.irregular_reason | contains("model")' <<<"$output"
  run --separate-stderr soak
  [[ $output == *"IRREGULAR: the SUT's losses are not what PLRsearch's model foresees"*"robust standard deviation"*"model fits"*"NO"* ]]
  # the draft's stdev would have ended it
  run --separate-stderr soak --stdev 1e-5 --format json
  "$JQ" -e '.ended_by == "max-time" and .critical_load.stdev <= 1e-5 * .critical_load.mean' <<<"$output"
}

# A SUT with a curve that PLRsearch does not think of, for half an hour
curve() {
  "$XDP_MLR" soak -q --measurer "sim:$1" --max-load 10Mfps "${@:2}"
}

@test "a SUT that loses some frames at every load meets no target below that: said, with the smallest loss ratio, where and of how many frames" {
  for seed in 1 2 3; do
    run --separate-stderr curve residual,capacity=1e6,ratio=1e-6,seed=$seed --format json
    [ "$status" -eq 1 ]
    is '.crossings | .kind == "never" and .least_loss_ratio > 5e-7 and .least_loss_ratio < 2e-6 and .least_loss_load < 1e6
      and .least_loss_lost_frames / .least_loss_offered_frames == .least_loss_ratio and .again == null' <<<"$output"
    is '.irregular_reason | test("^no load meets the target loss ratio of 1e-07: the smallest one seen is [5-9].*e-07, about .*fps, [0-9]+ of [0-9]+ frames")' <<<"$output"
  done
  run --separate-stderr curve residual,capacity=1e6,ratio=1e-6,seed=1
  [[ $output == *"IRREGULAR: no load meets the target loss ratio"*"Smallest loss ratio"* ]]
  # where the target is met below the capacity, there is nothing to say
  run --separate-stderr curve residual,capacity=1e6,ratio=1e-6,seed=1 --target-loss-ratio 1e-4 --format json
  is '.crossings | .kind == "once" and .least_loss_ratio == null' <<<"$output"
}

# No eighth of the loads tells twice the target from the target, but all of them together do, and each half.
@test "a SUT that loses twice the target at every load meets it at none" {
  run --separate-stderr curve residual,capacity=1e6,ratio=2e-7,seed=1 --max-time 2400 --format json
  [ "$status" -eq 1 ]
  is '.crossings | .kind == "never" and .least_loss_ratio > 1.5e-7 and .least_loss_ratio < 2.5e-7 and .least_loss_lost_frames > 30' <<<"$output"
  is '.irregular_reason | test("^no load meets the target loss ratio of 1e-07")' <<<"$output"
}

@test "an estimate at Min Load is none of a load above it" {
  run --separate-stderr curve residual,capacity=1e6,ratio=0.5,seed=1 --max-load 1Mfps --format json
  [ "$status" -eq 1 ]
  is '.min_load_probability > 0.9 and .irregular_reason != null' <<<"$output"
}

@test "an estimate at Max Load is none of a load below it" {
  run --separate-stderr soak --max-load 0.5Mfps --max-time 100 --format json
  [ "$status" -eq 1 ]
  is '.max_load_probability > 0.9 and .irregular_reason == "the critical load is at Max Load or above it: the SUT is not the limit"' <<<"$output"
  run --separate-stderr soak --max-load 0.5Mfps --max-time 100
  [[ $output == *"IRREGULAR: the critical load is at Max Load or above it"* ]]
  # a single trial, far below, that lost nothing
  run --separate-stderr soak --max-load 0.5Mfps --max-time 10 --format json
  [ "$status" -eq 1 ]
  is '(.trials | length) == 1 and .max_load_probability < 0.9 and (.irregular_reason | startswith("no trial lost a frame"))' <<<"$output"
  # just below Max Load it is found
  run --separate-stderr soak --max-load 1.001Mfps --max-time 300 --format json
  [ "$status" -eq 0 ]
  is '.critical_load.mean / 1e6 - 1 | fabs < 1e-4' <<<"$output"
}

@test "a curve that crosses the target several times is said to, with the lowest crossing" {
  run --separate-stderr curve inversion,capacity=1e6,low=0.4e6,high=0.5e6,ratio=1e-4 --format json
  [ "$status" -eq 1 ]
  is '.crossings | .kind == "several" and .lowest_above < 0.4e6 and .lowest_above > 0.35e6 and .lowest_below > 0.4e6 and .lowest_below < 0.45e6
    and .again > 0.5e6 and .again < 1e6' <<<"$output"
  is '.irregular_reason | test("several times: it is first exceeded between 3.*kfps and 4.*kfps, and met again about ")' <<<"$output"
  run --separate-stderr curve inversion,capacity=1e6,low=0.4e6,high=0.5e6,ratio=1e-4
  [[ $output == *"Lowest crossing"*"Target met again"* ]]
  # a loss from the lowest load on has no load below it
  run --separate-stderr curve inversion,capacity=1e6,low=0,high=0.5e6,ratio=1e-4 --format json
  is '.crossings | .kind == "several" and .lowest_above == null' <<<"$output"
}

@test "a narrow range of loads that loses frames below the critical load is found, or the widest range without a trial is told" {
  for low in 0.71 0.85 0.94; do
    high=$(awk "BEGIN { print $low * 1.05 }")
    run --separate-stderr curve "inversion,capacity=1e6,low=${low}e6,high=${high}e6,ratio=1e-3" --format json
    [ "$status" -eq 1 ]
    is ".crossings | .kind == \"several\" and .lowest_below > ${low}e6 and .lowest_below < ${high}e6" <<<"$output"
  done
  run --separate-stderr curve hard,capacity=1e6 --format json
  is '.crossings.untried_from as $from | .crossings.untried_to as $to | .crossings.kind == "once" and $to - $from < 0.07e6
    and ([.trials[].trial_load | select(. > $from and . < $to)] | length) == 0 and any(.trials[].trial_load; . == $from)' <<<"$output"
  run --separate-stderr curve hard,capacity=1e6
  [[ $output == *"Widest range without a trial"* ]]
}

@test "losses everywhere that are about as many as the target: whether a load meets it is not told, or the error bar has room for the truth" {
  for seed in 1 2 3 4; do
    for ratio in 1.1e-7 9e-8 8e-8 5e-8; do
      run --separate-stderr curve residual,capacity=1e6,ratio=$ratio,seed=$seed --format json
      is '.crossings.kind == "untold" or (.critical_load | (.mean - 1e6 | fabs) < 2.5 * .robust_stdev)' <<<"$output"
    done
  done
  run --separate-stderr curve residual,capacity=1e6,ratio=1.6e-7,seed=1 --format json
  [ "$status" -eq 1 ]
  is '.crossings.kind != "once" and .crossings.least_loss_ratio > 1e-7 and (.irregular_reason | test("target loss ratio of 1e-07"))' <<<"$output"
}

@test "a soak looks below the critical load, and those trials are no part of the estimate" {
  run --separate-stderr soak --format json
  is '[.time_line[] | select(.scan)] | length > 10 and all(.trial_load < 0.991e6)' <<<"$output"
  is '[.time_line | range(1; length) as $i | select(.[$i].scan) | .[$i].together == .[$i - 1].together] | all' <<<"$output"
  is '.crossings.kind == "once"' <<<"$output"
}

@test "options of the trials' durations are kept" {
  run --separate-stderr soak --first-duration 1 --duration-step 0.5 --max-time 20 --format json
  "$JQ" -e '[.trials[].trial_duration] == [1, 1.5, 2, 2.5, 3, 3.5, 4]' <<<"$output"
}

@test "a time in which not one trial fits is irregular" {
  run --separate-stderr soak --max-time 5 --format json
  [ "$status" -eq 1 ]
  "$JQ" -e '.trials == [] and (.irregular_reason | length > 0)' <<<"$output"
}

@test "text and events" {
  run --separate-stderr soak --max-time 100
  [ "$status" -eq 0 ]
  [[ $output == *"PLRsearch"*"Critical load"*"  stretch "*"  erf "* ]]
  soak --max-time 100 --format jsonl >"$BATS_TEST_TMPDIR/events"
  [ "$(grep -c trial_finished "$BATS_TEST_TMPDIR/events")" -eq "$(tail -n 1 "$BATS_TEST_TMPDIR/events" | jq '.trials | length')" ]
}

@test "SIGINT in a soak prints what was measured, exit 130" {
  "$XDP_MLR" soak --measurer 'exec:while read -r line; do sleep 0.1; echo "{\"trial_loss_ratio\": 0}"; done' --max-load 1Mfps \
    --format jsonl >"$BATS_TEST_TMPDIR/out" 2>/dev/null &
  pid=$!
  until grep -qs trial_finished "$BATS_TEST_TMPDIR/out"; do sleep 0.02; done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  [ "$status" -eq 130 ]
  tail -n 1 "$BATS_TEST_TMPDIR/out" | "$JQ" -e '.irregular_reason == "interrupted" and (.trials | length) >= 1'
}

@test "bad options of a soak" {
  refuses 2 "target-loss-ratio" soak --target-loss-ratio 0
  refuses 2 "target-loss-ratio" soak --target-loss-ratio 1
  refuses 2 "target-loss-ratio" soak --target-loss-ratio tiny
  refuses 2 "stdev" soak --stdev -1
  refuses 2 "first-duration" soak --first-duration 0
  refuses 2 "duration-step" soak --duration-step -1
  refuses 2 "max-load" "$XDP_MLR" soak --measurer sim:hard,capacity=1e6
  refuses 2 "goal" soak --goal loss=0
}
