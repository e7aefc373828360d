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

@test "a file that cannot be written is known before anything is measured" {
  refuses 2 "--junit '/nowhere/j.xml': " simulated --junit /nowhere/j.xml
}
