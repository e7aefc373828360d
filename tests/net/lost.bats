#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --capture-lost: which frames did not come back.
bats_require_minimum_version 1.5.0
load helper

LIST=lost.csv


# A trial with the list of what it lost. That of an earlier try is replaced.
listed() { # OPTION...
  run --separate-stderr "$MLR" trial -p "$A,$B" --format json ${BURST:+--burst "$BURST" --tester-repeats 0} --capture-lost "$BATS_TEST_TMPDIR/$LIST" "$@"
}

rows() { tail -n +2 "$BATS_TEST_TMPDIR/$LIST"; }

@test "each frame that a SUT drops is listed with its number and its time" {
  lab_up hostile:drop,every=100
  clean listed --load 20kfps --duration 0.5
  check '.trial_result.counts.lost >= 99 and .trial_result.counts.lost <= 101'
  [ "$(head -1 "$BATS_TEST_TMPDIR/$LIST")" = "port,flow,sequence,due [s]" ]
  [ "$(rows | wc -l)" -eq "$(get .trial_result.counts.lost)" ]
  # every hundredth of one flow, 5 ms apart, from wherever the SUT's count stood after another try
  rows | awk -F, -v port="$A" '{ if (NR == 1) first = $3; if ($1 != port || $3 != first + (NR - 1) * 100 || ($4 - $3 / 20000) ^ 2 > 1e-18) { print; bad = 1 } }
    END { exit bad || first >= 100 }'
  [[ $stderr == *" of $(get .trial_result.counts.lost) lost frames"* ]]
}

@test "of several flows and queues each number is that of its flow, and the first so many are those that were due first" {
  lab_up hostile:drop,every=9 --queues 2
  clean listed --load 20kfps --duration 0.5 --flows 7 --queues 2 --capture-count 50
  [ "$(rows | wc -l)" -eq 50 ]
  rows | cut -d, -f4 | sort -gc
  [ "$(rows | cut -d, -f2,3 | sort -u | wc -l)" -eq 50 ]
  check '.trial_result.counts.lost >= 1110 and .trial_result.counts.lost <= 1112'
  # all of them are known where there is room for them
  clean listed --load 20kfps --duration 0.5 --flows 7 --capture-count 5000 --direction both
  [ "$(rows | wc -l)" -eq "$(get .trial_result.counts.lost)" ]
  [ "$(rows | cut -d, -f1 | sort -u | wc -l)" -eq 2 ]
  [ "$(rows | cut -d, -f2 | sort -u | wc -l)" -eq 14 ]
}

@test "nothing lost is an empty list, all lost is all of it" {
  lab_up wire
  clean listed --load 20kfps --duration 0.2
  [ "$(rows | wc -l)" -eq 0 ]
  "$MLR" lab down --name "$LAB" --quiet
  lab_up hostile:black-hole
  clean listed --load 20kfps --duration 0.2 --wait d=0.1
  check '.trial_result.counts.lost == 4000'
  [ "$(rows | wc -l)" -eq 1000 ]
  [ "$(rows | tail -n 1 | cut -d, -f3)" -eq 999 ]
}

@test "a list that cannot be written, or has nothing to go by, is refused before the trial" {
  lab_up wire
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 10kfps --capture-lost /nonexistent/list.csv
  [ "$status" -eq 2 ]
  [[ $stderr == *"--capture-lost '/nonexistent/list.csv': "* ]]
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 10kfps --no-seq --capture-lost "$BATS_TEST_TMPDIR/$LIST"
  [ "$status" -eq 2 ]
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 10kfps --report "$BATS_TEST_TMPDIR/one.csv" --capture-lost "$BATS_TEST_TMPDIR/one.csv"
  [ "$status" -eq 2 ]
  [[ $stderr == *"is the file of --report"* || $stderr == *"is the file of --capture-lost"* ]]
}
