#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report FOLDER: dated results of one kind, and when they changed.
load helper

setup() {
  FOLDER=$BATS_TEST_TMPDIR/results
  mkdir "$FOLDER"
}

# A night's result: `night DAY CAPACITY [OPTION...]`
night() {
  "$XDP_MLR" search --measurer "sim:hard,capacity=$2" --max-load 10Mfps --goal name=ndr,final=1 --goal name=pdr,loss=0.5%,final=1 --format json "${@:3}" |
    jq -c ".environment.start_time = \"2026-11-$1T02:00:00Z\"" >"$FOLDER/of-$1.json"
}

@test "a level begins where results change, also after small steps; the last level stands beside the first" {
  local day
  for day in 01 02 03 04 05 06; do night $day 1000e3; done
  for day in 07 08 09; do night $day 992e3; done
  for day in 10 11 12; do night $day 980e3; done
  for day in 13 14; do night $day 1040e3; done
  run "$XDP_MLR" report "$FOLDER" --format json
  [ "$status" -eq 0 ]
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/trend.schema.json - <<<"$output"
  is '[.goals[].goal] == ["ndr", "pdr"] and .verb == "search" and .results == 14 and .skipped == []' <<<"$output"
  is '[.goals[0].points[].file] == [range(1; 15) | tostring | "of-\("0\(.)"[-2:]).json"]' <<<"$output"
  is '[.goals[0].points[].verdict] == ["first", "same", "same", "same", "same", "same", "slower", "same", "same", "slower", "same", "same", "faster", "same"]' <<<"$output"
  is '.goals[0] | .slower == 2 and .faster == 1 and (.last_change | .verdict == "faster" and (.change - 0.061 | fabs < 0.01)) and (.change - 0.04 | fabs < 0.01)' <<<"$output"
  is '.goals[0].levels | [.[].results] == [6, 3, 3, 2] and .[0].change == null and (.[1].change + 0.008 | fabs < 0.006)' <<<"$output"
}

@test "what a SUT scatters is no change, and one result off is none" {
  local day
  for day in 01 02 03 04 05 06 07 08 09 10; do "$XDP_MLR" search --measurer "sim:jitter,capacity=1e6,sigma=0.03,seed=$day" --max-load 10Mfps --goal name=ndr,final=1,sum=3 --format json |
    jq -c ".environment.start_time = \"2026-11-${day}T02:00:00Z\"" >"$FOLDER/of-$day.json"; done
  run "$XDP_MLR" report "$FOLDER" --format json
  is '.goals[0] | .slower == 0 and .faster == 0 and .noise > 0.005 and (.levels | length == 1)' <<<"$output"
}

@test "what Max Load cut off is no fall, but what falls below it is" {
  local day
  # they end with 1, as Max Load is a Lower Bound
  for day in 01 02 03; do night $day 5e6 --max-load 3Mfps || true; done
  night 04 5e6 --max-load 2Mfps || true
  run "$XDP_MLR" report "$FOLDER" --format json
  is '.goals | all(.slower == 0 and .faster == 0 and .change == 0 and .levels[0].results == 3
    and (.points[3] | .verdict == "unknown" and (.evidence | startswith("the SUT does so much at least"))))' <<<"$output"
  run "$XDP_MLR" report "$FOLDER"
  [[ $output == *"No goal is shown to be slower than at first."* ]]
  for day in 05 06 07; do night $day 1.5e6; done
  run "$XDP_MLR" report "$FOLDER" --format json
  is '.goals | all(.slower == 1 and .last_change.start_time == "2026-11-05T02:00:00Z")' <<<"$output"
}

@test "a search that did not end hides no fall, and is none" {
  local day
  for day in 01 02 03 04 05; do night $day 1000e3 --algorithm binary; done
  night 06 1000e3 --algorithm binary --max-time 6 || true
  night 07 1000e3 --algorithm binary --max-time 6 || true
  is '.search_result | all(.regular | not) and all(.relevant_lower_bound < 960e3 and .relevant_upper_bound > 1.2e6)' <"$FOLDER/of-07.json"
  run "$XDP_MLR" report "$FOLDER" --format json
  is '.goals | all(.slower == 0 and (.levels | length) == 1 and .levels[0].results == 5 and .points[6].verdict == "unknown"
    and (.points[6].evidence | startswith("the search did not settle its bounds")))' <<<"$output"
  for day in 08 09 10; do night $day 900e3 --algorithm binary; done
  run "$XDP_MLR" report "$FOLDER" --format json
  is '.goals | all(.slower == 1 and .last_change.start_time == "2026-11-08T02:00:00Z" and .change < -0.09)' <<<"$output"
}

@test "what is slower than at first stands in the banner, in every form" {
  local day
  for day in 01 02 03 04 05; do night $day 1000e3; done
  for day in 06 07 08; do night $day 950e3; done
  run "$XDP_MLR" report "$FOLDER"
  [[ $output == *"SLOWER: ndr is "[45].*" % below its first level, since 2026-11-06 02:00; pdr is"* ]]
  grep -Eq '^  2026-11-06 02:00 .* SLOWER +-[45]\.[0-9]+ % +of-06.json$' <<<"$output"
  "$XDP_MLR" report "$FOLDER" --report "$BATS_TEST_TMPDIR/t.html" --report "$BATS_TEST_TMPDIR/t.csv" --report "$BATS_TEST_TMPDIR/t.md"
  [ "$(grep -c 'id="figure-trend-[12]"' "$BATS_TEST_TMPDIR/t.html")" -eq 2 ]
  grep -q 'SLOWER: ndr' "$BATS_TEST_TMPDIR/t.html"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/t.csv")" -eq 17 ]
  grep -q '^pdr,of-06.json,2026-11-06T02:00:00Z,.*,slower,' "$BATS_TEST_TMPDIR/t.csv"
  for day in 09 10 11; do night $day 1000e3; done
  run "$XDP_MLR" report "$FOLDER"
  [[ $output == *"No goal is shown to be slower than at first."* ]]
}

@test "a limited result is called so, of a search, a suite and a soak" {
  limited() { # FILE JQ-FILTER
    jq -c "$2 | .environment.start_time = \"2030-01-01T00:00:00Z\"" "tests/golden/$1.json" >"$FOLDER/b.json"
    cp "tests/golden/$1.json" "$FOLDER/a.json"
    run "$XDP_MLR" report "$FOLDER" --format json
    "${BUILD:-build}/tests/tools/validate" --closed docs/schema/trend.schema.json - <<<"$output"
    is '.goals[0].points | (.[0].tester_limited | not) and .[1].tester_limited and .[1].regular' <<<"$output"
    run "$XDP_MLR" report "$FOLDER"
    [[ $output == *"unknown, limited"* ]]
    if grep -q 'tester-limited' <<<"$output"; then return 1; fi
  }
  limited search-1-sim '.search_result[0].tester_limited = true'
  limited rfc2544-1-xdp '(., .frame_sizes[0].throughput).tester_limited = true'
  limited soak-1-sim '.tester_limited = true'
  limited soak-1-sim '.tester_limited = true | .irregular_reason = "the tester was the limit in a trial"'
}

@test "suites and soaks have trends, too" {
  cp tests/golden/rfc2544-1-xdp.json "$FOLDER/a.json"
  jq -c '.environment.start_time = "2030-01-01T00:00:00Z"' tests/golden/rfc2544-1-xdp.json >"$FOLDER/b.json"
  run "$XDP_MLR" report "$FOLDER" --format json
  is '.verb == "rfc2544" and [.goals[].goal] == ["throughput@64", "throughput@512", "throughput@1518"] and [.goals[].points[1].verdict] == ["same", "same", "same"]' <<<"$output"
  rm "$FOLDER"/*
  cp tests/golden/soak-1-sim.json "$FOLDER"
  run "$XDP_MLR" report "$FOLDER" --format json
  is '.quantity == "critical load" and (.goals[0] | .goal == "critical load" and .points[0].value > 0 and .points[0].stdev > 0)' <<<"$output"
}

@test "a soak that meets the target at no load is one at most, and no part of a level" {
  local day
  for day in 01 02 03 04; do
    if [ $day -le 03 ]; then set -- hard,capacity=0.9e6; else set -- residual,capacity=1e6,ratio=1e-5,seed=1; fi
    "$XDP_MLR" soak --measurer "sim:$1" --max-load 3Mfps --max-time 120 --format json -q | jq ".environment.start_time = \"2026-11-${day}T02:00:00Z\"" >"$FOLDER/$day.json" || true # 1
  done
  run "$XDP_MLR" report "$FOLDER" --format json
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/trend.schema.json - <<<"$output"
  is '.goals[0] | (.levels | length) == 1 and .levels[0].results == 3 and .slower == 0 and .faster == 0 and (.points[3] | .verdict == "unknown"
    and .value > 0.95e6 and (.regular | not) and (.evidence | startswith("the SUT does so much at most")))' <<<"$output"
}

@test "what is of another kind is left out, by name" {
  night 01 1000e3
  night 02 1000e3 --frame-size 128
  cp tests/golden/soak-1-sim.json "$FOLDER/z-soak.json"
  jq -c '.environment.start_time = "2030-01-01T00:00:00Z"' tests/golden/soak-1-sim.json >"$FOLDER/z-soak.json"
  cp tests/golden/trial-1-xdp.json "$FOLDER"
  echo '{' >"$FOLDER/torn.json"
  echo no >"$FOLDER/notes.txt"
  run "$XDP_MLR" report "$FOLDER" --format json
  [ "$status" -eq 0 ]
  is '.results == 1 and (.skipped | length == 4 and any(.file == "of-02.json" and (.why | test("frame-size"))))' <<<"$output"
  is '.skipped | any(.file == "torn.json") and any(.why | test("one is a soak")) and any(.why | test("xdp-mlr/trial/1"))' <<<"$output"
  rm "$FOLDER"/of-*.json "$FOLDER"/z-soak.json
  refuses 2 "holds no result of search, soak or rfc2544 .2 other files" "$XDP_MLR" report "$FOLDER"
}

@test "an irregular result is marked as one in the figure" {
  local day
  for day in 01 02; do night $day 1000e3; done
  night 03 1000e3 --max-load 900kfps || true # it ends with 1
  "$XDP_MLR" report "$FOLDER" --report "$BATS_TEST_TMPDIR/t.html"
  grep -q '</svg>irregular</span>' "$BATS_TEST_TMPDIR/t.html"
  grep -q '<use href="#mark-other" class="mark bad" .*<title>2026-11-03 .*IRREGULAR</title>' "$BATS_TEST_TMPDIR/t.html"
  rm "$FOLDER/of-03.json"
  "$XDP_MLR" report "$FOLDER" --report "$BATS_TEST_TMPDIR/t.html"
  if grep -q '</svg>irregular</span>' "$BATS_TEST_TMPDIR/t.html"; then return 1; fi
}

@test "a goal is irregular by its own result, whatever the other one is" {
  night 01 1000e3
  night 02 1000e3 --max-load 1002kfps || true # the one that may lose 0.5 % passes at Max Load
  is '[.search_result[].regular] == [true, false]' <"$FOLDER/of-02.json"
  run "$XDP_MLR" report "$FOLDER" --format json
  is '[.goals[].points[1].regular] == [true, false]' <<<"$output"
}

@test "however many other files come first, the results behind them are read" {
  local i
  night 01 1000e3
  mv "$FOLDER/of-01.json" "$FOLDER/z.json"
  for i in {1..5001}; do echo '{}' >"$FOLDER/a$i.json"; done
  run "$XDP_MLR" report "$FOLDER" --format json
  [ "$status" -eq 0 ]
  is '.results == 1 and (.skipped | length) == 5001' <<<"$output"
}

@test "in a folder of another user a link leads to no file of ours" {
  [ "$(id -u)" -eq 0 ] || skip "making a folder of another user needs root"
  night 01 1000e3
  mv "$FOLDER/of-01.json" "$BATS_TEST_TMPDIR/ours"
  night 02 1000e3
  chmod 600 "$BATS_TEST_TMPDIR/ours"
  ln -s "$BATS_TEST_TMPDIR/ours" "$FOLDER/of-01.json"
  run --separate-stderr "$XDP_MLR" report "$FOLDER" --format json
  is '.results == 2' <<<"$output"
  chown nobody "$FOLDER"
  run --separate-stderr "$XDP_MLR" report "$FOLDER" --format json
  is '.results == 1 and (.skipped | length) == 1' <<<"$output"
}

@test "foreign names, FIFOs and results without date or figure do not spoil a trend" {
  night 01 1000e3
  cp "$FOLDER/of-01.json" "$FOLDER"/$'\xff\xfe.json'
  cp "$FOLDER/of-01.json" "$FOLDER"/$'a\nb\u202e.json'
  mkfifo "$FOLDER/fifo.json"
  jq -c '.search_result = [] | del(.trials, .controller_input) | .environment.start_time = "2020-01-01T00:00:00Z"' "$FOLDER/of-01.json" >"$FOLDER/empty.json"
  jq -c '.environment.start_time = "2026-02-30T00:00:00Z"' "$FOLDER/of-01.json" >"$FOLDER/dateless.json"
  jq -c '.environment = 5' "$FOLDER/of-01.json" >"$FOLDER/broken.json"
  run --separate-stderr timeout 20 "$XDP_MLR" report "$FOLDER" --format json
  [ "$status" -eq 0 ]
  is '.results == 3 and ([.goals[0].points[].file] | any(. == "\\xff\\xfe.json") and any(. == "a\\x0ab\\u202e.json"))' <<<"$output"
  is '.skipped | map({(.file): .why}) | add | .["fifo.json"] == "it is no regular file" and .["empty.json"] == "it has no figure" and .["dateless.json"] == "its start_time is no date"' <<<"$output"
  is '.skipped | any(.file == "broken.json" and (.why | test("environment")))' <<<"$output"
}
