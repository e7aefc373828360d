#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The options of the suites.
load helper

suite() {
  "$XDP_MLR" rfc2544 -p nosuch0,nosuch1 "$@"
}

@test "tests that do not exist are refused, with the nearest" {
  refuses 2 "no test 'latencies'.*did you mean 'latency'" suite --tests throughput,latencies
  refuses 2 "no test ''" suite --tests throughput,
  refuses 2 "no test ''" suite --tests ''
}

@test "steps of the frame loss rate are at most 10 %" {
  refuses 2 "--loss-step '11%'.*at most 10%" suite --loss-step 11%
  refuses 2 "--loss-step '0'" suite --loss-step 0
  refuses 2 "--loss-step 'fine'" suite --loss-step fine
  refuses 2 "no port 'nosuch0'" suite --loss-step 10%
}

@test "lists of frame sizes are for suites, and each part is checked" {
  refuses 2 "--frame-size '64,63'|--frame-size '63'" suite --frame-size 64,63
  refuses 2 "--frame-size" suite --frame-size 64,,128
  refuses 2 "--frame-size" suite --frame-size 64,
  refuses 2 "--frame-size" "$XDP_MLR" trial -p a,b --load 1000 --frame-size 64,128
  refuses 2 "at most 32" suite --frame-size "$(printf '64,%.0s' {1..33})64"
}

@test "numbers out of range are refused" {
  refuses 2 "--burst-tests '0'" suite --burst-tests 0
  refuses 2 "--latency-repeats '1.5'" suite --latency-repeats 1.5
  refuses 2 "--trial-duration '0'" suite --trial-duration 0
  refuses 2 "--max-load '1000'.*above Min Load" suite --max-load 1000
  refuses 2 "--ports is missing" "$XDP_MLR" rfc2544
  refuses 2 "--fast takes no value" suite --fast=no
}

@test "options of a suite stand in a file, too" {
  printf 'tests: latency,nonsense\nfast: true\n' >"$BATS_TEST_TMPDIR/suite.yaml"
  refuses 2 "suite.yaml:1.*nonsense" suite --config "$BATS_TEST_TMPDIR/suite.yaml"
  printf 'fast: perhaps\n' >"$BATS_TEST_TMPDIR/suite.yaml"
  refuses 2 "suite.yaml:1.*true or false" suite --config "$BATS_TEST_TMPDIR/suite.yaml"
}
