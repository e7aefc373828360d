#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is called a regression: nothing where nothing changed, and a fall of 40 % whatever else is limited. tools/bench/false_alarms counts
# over many more; these are single searches and campaigns with seeds.
bats_require_minimum_version 1.5.0
load helper

search() { # SUT FILE [OPTION...]
  "$XDP_MLR" search --measurer "sim:$1" --max-load 10Mfps --goal final=1,sum=5 --max-time 10min "${@:3}" --format json >"$2" || [ $? -eq 1 ]
}

@test "of two single searches of an unchanged SUT none is called slower, whatever its noise" {
  local sut
  for sut in jitter,capacity=1e6,sigma=0.01 jitter,capacity=1e6,sigma=0.05 residual,capacity=1e6,ratio=1e-5 stretch,capacity=1e6,spread=10000 \
    spikes,capacity=1e6 clocks,capacity=1e6,slow=0.97,p=0.25 unbalanced,capacity=1e6 overheating,capacity=1e6; do
    search "$sut,seed=1" "$BATS_TEST_TMPDIR/a.json"
    search "$sut,seed=2" "$BATS_TEST_TMPDIR/b.json"
    run --separate-stderr "$XDP_MLR" compare "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/b.json" --format json
    is '.verdict == "no regression" or .verdict == "cannot tell"' <<<"$output"
  done
  # a state of a run: one is 6 % slower than the other
  search jitter,capacity=1.03e6,sigma=0.005 "$BATS_TEST_TMPDIR/a.json"
  search jitter,capacity=0.97e6,sigma=0.005 "$BATS_TEST_TMPDIR/b.json"
  run --separate-stderr "$XDP_MLR" compare "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/b.json" --format json
  [ "$status" -eq 2 ]
  is '.verdict == "cannot tell"' <<<"$output"
}

# Two builds, three searches of each: their capacities, of v1 and of v2 in turn; the trials of the searches named in LIMITED are limited.
campaign_of() { # v1 v2 v1 v2 v1 v2
  local folder=$BATS_TEST_TMPDIR/campaign
  mkdir -p "$folder"
  printf '%s\n' "$@" >"$folder/capacities"
  cat >"$folder/measurer" <<END
#!/bin/sh
read -r capacity limited <$folder/capacities
sed -i 1d $folder/capacities
exec jq --unbuffered -c --argjson c "\$capacity" --argjson limited "\${limited:-false}" \
  '{trial_loss_ratio: ([0, 1 - \$c / .trial_load] | max)} | .tester_limited = (\$limited and .trial_loss_ratio > 0)'
END
  chmod +x "$folder/measurer"
  cat >"$folder/builds.yaml" <<END
campaign:
  results: results/
  repeat: $(($# / 2))
  matrix:
    build:
      v1: {measurer: "exec:exec $folder/measurer v1"}
      v2: {measurer: "exec:exec $folder/measurer v2"}
max-load: 10Mfps
goal: [{name: goal1, final: 1, sum: 1}]
END
  "$XDP_MLR" campaign run "$folder/builds.yaml" --quiet >/dev/null || [ $? -eq 1 ]
  run --separate-stderr "$XDP_MLR" campaign report "$folder/builds.yaml" --format json
}

@test "a fall of 40 % is a regression of a campaign, though one search of each build is limited" {
  campaign_of '1000000' '600000' '1003000 true' '601000 true' '998000' '603000'
  [ "$status" -eq 1 ]
  is '.point_counts.limited == 2 and .regressions == 1 and .comparisons[0].verdict == "slower"' <<<"$output"
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/campaign.schema.json - <<<"$output"
  printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/report.json"
  run -0 "$XDP_MLR" verify "$BATS_TEST_TMPDIR/report.json"
}

@test "a fall of 3 % of a noisy SUT is found by five searches a side, six times of six" {
  local seed
  for seed in 1 2 3 4 5 6; do
    search "jitter,capacity=1e6,sigma=0.01,seed=$seed" "$BATS_TEST_TMPDIR/a.json" --repeat 5
    search "jitter,capacity=0.97e6,sigma=0.01,seed=$((seed + 100))" "$BATS_TEST_TMPDIR/b.json" --repeat 5
    run -1 --separate-stderr "$XDP_MLR" compare "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/b.json" --format json
    is '.verdict == "regression"' <<<"$output"
    run --separate-stderr "$XDP_MLR" compare "$BATS_TEST_TMPDIR/b.json" "$BATS_TEST_TMPDIR/b.json" --format json
    is '.verdict == "no regression" and .goals[0].test.within < 0.03' <<<"$output"
  done
}

@test "identical builds that are noisy are no regression, and a report that cannot tell is shown all the same" {
  campaign_of 1000000 970000 1030000 1010000 990000 1000000
  is '.regressions == 0' <<<"$output"
  rm -r "$BATS_TEST_TMPDIR/campaign"
  campaign_of 1000000 900000
  [ "$status" -eq 2 ]
  is '.undecided == 1 and .comparisons[0].verdict == "unknown"' <<<"$output"
}
