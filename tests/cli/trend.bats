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

@test "changes are marked where a level begins, also where it was left in small steps" {
  night 03 1000e3
  night 01 1000e3
  night 02 1001e3
  night 04 994e3
  night 05 988e3
  night 06 982e3
  night 07 982e3
  night 08 1040e3
  run "$XDP_MLR" report "$FOLDER" --format json
  [ "$status" -eq 0 ]
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/trend.schema.json - <<<"$output"
  is '[.goals[].goal] == ["ndr", "pdr"] and .verb == "search" and .results == 8 and .skipped == []' <<<"$output"
  is '[.goals[0].points[].file] == [range(1; 9) | "of-0\(.).json"]' <<<"$output"
  is '.goals[0] | [.points[].verdict] == ["first", "same", "same", "same", "same", "slower", "same", "faster"]' <<<"$output"
  is '.goals[0] | .slower == 1 and .faster == 1 and (.last_change | .verdict == "faster" and (.change - 0.059 | fabs < 0.01))' <<<"$output"
  # a tolerance that is wide enough sees the last one only
  run "$XDP_MLR" report "$FOLDER" --format json --tolerance 3%
  is '.goals[0] | [.points[].verdict] | map(select(. != "same")) == ["first", "faster"]' <<<"$output"
}

@test "what became slower last stands in the banner, in every form" {
  night 01 1000e3
  night 02 950e3
  run "$XDP_MLR" report "$FOLDER"
  [[ $output == *"SLOWER: ndr is 4."*" % slower since 2026-11-02 02:00; pdr is"* ]]
  grep -Eq '^  2026-11-02 02:00 .* SLOWER +-4\.[0-9]+ % +of-02.json$' <<<"$output"
  "$XDP_MLR" report "$FOLDER" --report "$BATS_TEST_TMPDIR/t.html" --report "$BATS_TEST_TMPDIR/t.csv" --report "$BATS_TEST_TMPDIR/t.md"
  [ "$(grep -c 'id="figure-trend-[12]"' "$BATS_TEST_TMPDIR/t.html")" -eq 2 ]
  grep -q 'SLOWER: ndr' "$BATS_TEST_TMPDIR/t.html"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/t.csv")" -eq 5 ]
  grep -q '^pdr,of-02.json,2026-11-02T02:00:00Z,.*,slower,' "$BATS_TEST_TMPDIR/t.csv"
  night 03 950e3
  night 04 1000e3
  run "$XDP_MLR" report "$FOLDER"
  [[ $output == *"Nothing became slower last."* ]]
}

@test "a limited result is called so, of a search, a suite and a soak" {
  limited() { # FILE JQ-FILTER
    jq -c "$2 | .environment.start_time = \"2030-01-01T00:00:00Z\"" "tests/golden/$1.json" >"$FOLDER/b.json"
    cp "tests/golden/$1.json" "$FOLDER/a.json"
    run "$XDP_MLR" report "$FOLDER" --format json
    "${BUILD:-build}/tests/tools/validate" --closed docs/schema/trend.schema.json - <<<"$output"
    is '.goals[0].points | (.[0].tester_limited | not) and .[1].tester_limited and .[1].regular' <<<"$output"
    run "$XDP_MLR" report "$FOLDER"
    [[ $output == *"same, limited"* ]]
    if grep -q 'tester-limited' <<<"$output"; then return 1; fi
  }
  limited search-1-sim '.search_result[0].tester_limited = true'
  limited rfc2544-1-xdp '.frame_sizes[0].throughput.tester_limited = true'
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

@test "foreign names, FIFOs and results without date or figure do not spoil a trend" {
  night 01 1000e3
  cp "$FOLDER/of-01.json" "$FOLDER"/$'\xff\xfe.json'
  cp "$FOLDER/of-01.json" "$FOLDER"/$'a\nb\u202e.json'
  mkfifo "$FOLDER/fifo.json"
  jq -c '.search_result = [] | .environment.start_time = "2020-01-01T00:00:00Z"' "$FOLDER/of-01.json" >"$FOLDER/empty.json"
  jq -c '.environment.start_time = "2026-02-30T00:00:00Z"' "$FOLDER/of-01.json" >"$FOLDER/dateless.json"
  jq -c '.environment = 5' "$FOLDER/of-01.json" >"$FOLDER/broken.json"
  run --separate-stderr timeout 20 "$XDP_MLR" report "$FOLDER" --format json
  [ "$status" -eq 0 ]
  is '.results == 3 and ([.goals[0].points[].file] | any(. == "\\xff\\xfe.json") and any(. == "a\\x0ab\\u202e.json"))' <<<"$output"
  is '.skipped | map({(.file): .why}) | add | .["fifo.json"] == "it is no regular file" and .["empty.json"] == "it has no figure" and .["dateless.json"] == "its start_time is no date"' <<<"$output"
  is '.skipped | any(.file == "broken.json" and (.why | test("environment")))' <<<"$output"
}
