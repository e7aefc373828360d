#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is measured over ports fits its published schema, and so does what the lab says.
bats_require_minimum_version 1.5.0
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate

fits() { # schema, document on standard input
  "$VALIDATE" --closed "docs/schema/$1.schema.json" -
}

@test "lab, trial, search, soak and selftest fit their schemas" {
  "$MLR" lab up --name "$LAB" --sut policer:rate=50000 --format json | fits lab
  "$MLR" lab status --name "$LAB" --format json | fits lab
  for direction in a-to-b both; do
    trial --load 60kfps --duration 0.2 --direction $direction
    fits trial <<<"$output"
  done
  run --separate-stderr "$MLR" trial -p "$A,$B" --load max --duration 0.1 --format jsonl
  fits events <<<"$output"
  run --separate-stderr "$MLR" search -p "$A,$B" --max-load 100kfps --goal final=0.1,sum=0.2,width=5% --wait d=0.1 --format jsonl
  fits events <<<"$output"
  run --separate-stderr "$MLR" soak -p "$A,$B" --max-load 100kfps --first-duration 0.1 --max-time 2 --wait d=0.1 --format json
  fits soak <<<"$output"
  "$MLR" lab down --name "$LAB" --quiet
  lab_up wire
  run --separate-stderr "$MLR" probe -p "$A,$B" --format json
  fits probe <<<"$output"
  run --separate-stderr "$MLR" selftest -p "$A,$B" --frame-size 64 --duration 0.1 --format json
  fits selftest <<<"$output"
}

# What the drafts require of a Test Report stands in the last output and in its page.
answers_clauses() {
  echo "$output" >"$BATS_TEST_TMPDIR/result.json"
  "$MLR" report "$BATS_TEST_TMPDIR/result.json" --report "$BATS_TEST_TMPDIR/result.html" --quiet
  tools/check-clauses result "$BATS_TEST_TMPDIR/result.json" "$BATS_TEST_TMPDIR/result.html"
}

@test "a search and a suite over ports answer every clause of the drafts" {
  lab_up policer:rate=50kfps,burst=1ms
  search --max-load 100kfps --goal final=0.1,sum=0.2,width=5% --wait d=0.1
  answers_clauses
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --fast --frame-size 64,512 --tests throughput,back-to-back --max-load 100kfps \
    --trial-duration 0.2 --wait d=0.1 --format json
  fits rfc2544 <<<"$output"
  answers_clauses
}
