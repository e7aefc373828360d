#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --junit: what CI reads says the same as the exit code.
load helper

GOLDEN=tests/golden
setup() {
  FILE=$BATS_TEST_TMPDIR/j.xml
}

holds() { # line of the file, without what stands before it
  grep -qxF "    $1" "$FILE" && return
  cat "$FILE"
  return 1
}

counts() { # tests failures
  [ "$(sed -n 2p "$FILE")" = "<testsuites tests=\"$1\" failures=\"$2\">" ] && [ "$(grep -c '<testcase ' "$FILE")" -eq "$1" ] &&
    [ "$(grep -c '<failure ' "$FILE")" -eq "$2" ] && return
  cat "$FILE"
  return 1
}

@test "requirements and goals are test cases" {
  run --separate-stderr simulated --require 'ndr>=5Mfps' --require 'pdr>=1kfps' --junit "$FILE" --report "$FILE.md"
  [ "$status" -eq 1 ]
  [ -s "$FILE.md" ]
  counts 5 1
  holds '<testcase classname="xdp-mlr.search.goals" name="ndr"/>'
  holds '<testcase classname="xdp-mlr.search.require" name="pdr&gt;=1kfps"/>'
  grep -q 'name="ndr&gt;=5Mfps"><failure message="ndr: measured [0-9.]* fps"/></testcase>$' "$FILE"
  simulated --require 'pdr>=1kfps' --junit "$FILE" >/dev/null
  counts 4 0
}

@test "what is irregular or limited fails" {
  run simulated --max-time 20 --junit "$FILE"
  [ "$status" -eq 1 ]
  counts 3 3
  holds '<testcase classname="xdp-mlr.search.run" name="search"><failure message="the time limit of the search was reached"/></testcase>'
  "$JQ" '.search_result[1].tester_limited = true | .search_result[0].goal.name = "<a & \"b\">" | del(.trials, .controller_input)' "$GOLDEN/search-1-xdp.json" >"$BATS_TEST_TMPDIR/r.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --junit "$FILE"
  counts 3 1
  holds '<testcase classname="xdp-mlr.search.goals" name="&lt;a &amp; &quot;b&quot;&gt;"/>'
  holds '<testcase classname="xdp-mlr.search.goals" name="pdr"><failure message="limited: the SUT may do more"/></testcase>'
}

@test "a suite's tests at each size, and a self-test's" {
  "$JQ" '.frame_sizes[1].latency |= (.regular = false | .irregular_reason = "frames were lost") | .regular = false | .irregular_reason = "a test is"' "$GOLDEN/rfc2544-1-xdp.json" >"$BATS_TEST_TMPDIR/r.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --junit "$FILE"
  counts 17 2
  grep -q 'name="latency@512" time="[0-9.]*"><failure message="frames were lost"/></testcase>$' "$FILE"
  grep -q 'name="reset" time="[0-9.]*"/>$' "$FILE"
  "$XDP_MLR" report "$GOLDEN/selftest-1-xdp.json" --junit "$FILE"
  counts 3 0
  holds '<testcase classname="xdp-mlr.selftest.self-tests" name="512 xsk"/>'
}

@test "a comparison fails by the goal that became slower, and takes --report" {
  local capacity
  for capacity in 1e6 0.6e6; do
    "$XDP_MLR" search --measurer sim:hard,capacity=$capacity --max-load 2Mfps --format json >"$BATS_TEST_TMPDIR/$capacity.json"
  done
  run "$XDP_MLR" compare "$BATS_TEST_TMPDIR"/{1e6,0.6e6}.json --junit "$FILE" --report "$FILE.html"
  [ "$status" -eq 1 ]
  counts 3 2
  grep -q 'classname="xdp-mlr.compare.goals" name="ndr"><failure message=".*"/></testcase>$' "$FILE"
  grep -q 'B is SLOWER' "$FILE.html"
  "$XDP_MLR" compare "$BATS_TEST_TMPDIR"/{1e6,1e6}.json --junit "$FILE"
  counts 3 0
}

@test "of repeated searches the one that is limited makes the run fail, whichever stands for all" {
  # the third search of three finds most, and is limited
  cat >"$BATS_TEST_TMPDIR/sut" <<'END'
echo >>"$1"
n=$(wc -l <"$1")
while read -r line; do
  jq -c --argjson n "$n" '(1 - (980000 + 10000 * $n) / .trial_load | if . > 0 then . else 0 end) as $loss
    | {trial_loss_ratio: $loss, tester_limited: ($n == 3 and $loss > 0)}' <<<"$line"
done
END
  run --separate-stderr measured "bash $BATS_TEST_TMPDIR/sut $BATS_TEST_TMPDIR/runs" --goal name=x,final=1,sum=1 --min-load 900kfps --max-load 1.1Mfps --repeat 3 \
    --junit "$FILE" --format json
  [ "$status" -eq 1 ]
  is '.irregular_reason == null and [.repeats.runs[].search_result[0].tester_limited] == [false, false, true] and .repeats.median_run == 2' <<<"$output"
  counts 2 1
  holds '<testcase classname="xdp-mlr.search.run" name="search"><failure message="limited: the SUT may do more"/></testcase>'
}

@test "the comparisons of a campaign are test cases" {
  cat >"$BATS_TEST_TMPDIR/c.yaml" <<'END'
campaign:
  verb: search
  results: out
  repeat: 2
  compare: build
  matrix: {build: {v1: {measurer: "sim:hard,capacity=1e6"}, v2: {measurer: "sim:hard,capacity=0.5e6"}}, frame-size: [64, 128]}
max-load: 3Mfps
goal: ["name=x,final=1,sum=1"]
END
  "$XDP_MLR" campaign run "$BATS_TEST_TMPDIR/c.yaml" -q >/dev/null
  run "$XDP_MLR" campaign report "$BATS_TEST_TMPDIR/c.yaml" --report "$BATS_TEST_TMPDIR/c.json"
  [ "$status" -eq 1 ]
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/c.json" --junit "$FILE"
  counts 3 2
  grep -q 'classname="xdp-mlr.campaign.goals" name="x, v1 to v2, 128"><failure message="B.*/></testcase>$' "$FILE"
}

@test "what XML has no character for is none" {
  jq -c '.search_result[0].goal.name = "a\uffff\ufffe\u0001b" | del(.trials, .controller_input)' "$GOLDEN/search-1-xdp.json" >"$BATS_TEST_TMPDIR/r.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --junit "$FILE"
  grep -q 'name="a��\(�\|\\x01\)b"' "$FILE"
}

@test "a file that cannot be written is known before anything is measured" {
  refuses 2 "--junit '/nowhere/j.xml': " simulated --junit /nowhere/j.xml
}
