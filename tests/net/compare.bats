#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# compare over real searches: a SUT that became 3 % slower is told from one that did not. tools/bench/compare does it 20 times.
bats_require_minimum_version 1.5.0
load helper

# A search of a policer of this rate, into a file. What the machine's own stalls spoil is searched again.
result() { # NAME RATE
  lab_up "policer:rate=$2,burst=100us"
  clean search --wait d=0.1 --max-load 200kfps --goal name=ndr,loss=0,exceed=0.5,final=0.2,sum=1 --quiet
  echo "$output" >"$BATS_TEST_TMPDIR/$1.json"
  "$MLR" lab down --name "$LAB" --quiet
}

# A policer lets the same number through in each search, so a small spread is known.
@test "a policer of 3 % less is found slower, and one of the same rate is not" {
  result a 100000
  result same 100000
  result slow 97000
  run --separate-stderr "$MLR" compare "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/slow.json" --spread 0.3% --format json
  [ "$status" -eq 1 ]
  check '.goals[0] | .verdict == "slower" and .change < -0.02 and .change > -0.04'
  run --separate-stderr "$MLR" compare "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/same.json" --spread 0.3% --format json
  [ "$status" -eq 0 ]
  check '.goals[0] | .verdict == "same"'
}
