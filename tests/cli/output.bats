#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where results go: events, report files, and what happens when they cannot be written.
load helper

@test "jsonl: every line is JSON, the last one is the whole result" {
  simulated --format jsonl >"$BATS_TEST_TMPDIR/lines"
  jq . "$BATS_TEST_TMPDIR/lines" >/dev/null
  diff <(tail -n 1 "$BATS_TEST_TMPDIR/lines" | jq 'del(.environment)') <(simulated --format json | jq 'del(.environment)')
}

@test "jsonl: events tell the whole course" {
  simulated --format jsonl >"$BATS_TEST_TMPDIR/lines"
  jq -es '.[:-1] as $events | .[-1] as $result
    | ([$events[] | select(.event == "trial_finished") | .trial_result] == $result.trials)
    and ([$events[] | select(.event == "trial_started")] | length) == ($result.trials | length)
    and ($events[-1].event == "finished") and ($events[-1].irregular_reason == null)
    and ([$events[] | select(.event == "goal_reached") | .goal_result.goal.name] | sort) == ["ndr", "pdr"]
    and ([$events[] | select(.event == "bounds" and .goal == "pdr")] | last
      | .relevant_lower_bound == $result.search_result[1].relevant_lower_bound
      and .relevant_upper_bound == $result.search_result[1].relevant_upper_bound)
    and ([$events[].event] | all(IN("trial_started", "trial_finished", "bounds", "goal_reached", "finished")))' \
    "$BATS_TEST_TMPDIR/lines"
}

@test "jsonl: a line comes as it happens" {
  # The measurer answers its second question only once the event of the first trial's end was seen.
  mkfifo "$BATS_TEST_TMPDIR/seen"
  run -1 timeout 20 bash -c '
    "$1" search --max-load 1Mfps --max-time 2 --format jsonl --measurer "exec:read -r q; echo \"{\\\"trial_loss_ratio\\\": 0.1}\"
      read -r q; read -r go <$2/seen; echo \"{\\\"trial_loss_ratio\\\": 0.1}\"; read -r q" |
    while read -r line; do
      case $line in *trial_finished*\"trial\":\ 1,*) echo go >"$2/seen" ;; esac
    done
    exit "${PIPESTATUS[0]}"' - "$XDP_MLR" "$BATS_TEST_TMPDIR"
}

@test "jsonl: an interrupted reader ends the search" {
  run --separate-stderr bash -c '"$1" search --measurer "$2" --max-load 10Mfps --format jsonl | head -n 1 >/dev/null
    exit "${PIPESTATUS[0]}"' - "$XDP_MLR" "$SIM"
  [ "$status" -eq 3 ]
  [[ $stderr == *"cannot write to standard output: Broken pipe" ]]
}

@test "a report in JSON is the document, in text the text" {
  simulated --format json --report "$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/out"
  diff "$BATS_TEST_TMPDIR/r.json" "$BATS_TEST_TMPDIR/out"
  simulated --report "$BATS_TEST_TMPDIR/r.txt" >"$BATS_TEST_TMPDIR/out"
  diff "$BATS_TEST_TMPDIR/r.txt" "$BATS_TEST_TMPDIR/out"
}

@test "a report takes the place of an older, longer one" {
  head -c 1000000 /dev/zero >"$BATS_TEST_TMPDIR/r.json"
  simulated --format json --report "$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/out"
  diff "$BATS_TEST_TMPDIR/r.json" "$BATS_TEST_TMPDIR/out"
}

@test "a report that cannot be written is found out before anything is measured" {
  refuses 2 "--report '/does/not/exist.json': No such file" measured "touch $BATS_TEST_TMPDIR/started" --report /does/not/exist.json
  mkdir "$BATS_TEST_TMPDIR/dir.json"
  refuses 2 "dir.json': Is a directory" measured "touch $BATS_TEST_TMPDIR/started" --report "$BATS_TEST_TMPDIR/dir.json"
  [ ! -e "$BATS_TEST_TMPDIR/started" ]
}

@test "a search that was refused leaves no empty report, and no older one changed" {
  refuses 5 "not a JSON object" measured 'read -r q; echo no' --report "$BATS_TEST_TMPDIR/r.json"
  [ ! -e "$BATS_TEST_TMPDIR/r.json" ]
  echo old >"$BATS_TEST_TMPDIR/old.json"
  refuses 5 "not a JSON object" measured 'read -r q; echo no' --report "$BATS_TEST_TMPDIR/old.json"
  [ "$(cat "$BATS_TEST_TMPDIR/old.json")" = old ]
}

@test "output that cannot be written is an error, in every format" {
  local format
  for format in text json jsonl; do
    run --separate-stderr bash -c '"$1" search --measurer "$2" --max-load 10Mfps --format "$3" >/dev/full' - "$XDP_MLR" "$SIM" "$format"
    [ "$status" -eq 3 ]
    [ "$stderr" = "xdp-mlr: cannot write to standard output: No space left on device" ]
    run --separate-stderr bash -c '"$1" search --measurer "$2" --max-load 10Mfps --format "$3" >&-' - "$XDP_MLR" "$SIM" "$format"
    [ "$status" -eq 3 ]
    [[ $stderr == "xdp-mlr: cannot write to standard output: "* ]]
  done
  run --separate-stderr bash -c '"$1" --help >/dev/full' - "$XDP_MLR"
  [ "$status" -eq 3 ]
}

@test "a report that cannot be written in the end is an error, and standard output has the result all the same" {
  ln -s /dev/full "$BATS_TEST_TMPDIR/full.json"
  run --separate-stderr simulated --format json --report "$BATS_TEST_TMPDIR/full.json"
  [ "$status" -eq 3 ]
  [[ $stderr == *"cannot write to $BATS_TEST_TMPDIR/full.json: No space left on device" ]]
  is '.schema == "xdp-mlr/search/1"' <<<"$output"
}

@test "no progress where standard error is no terminal" {
  run --separate-stderr simulated --format json
  [ -z "$stderr" ]
}

@test "on a terminal there is progress, erased at the end, and none with -q" {
  command -v script >/dev/null || skip "script(1) is not here"
  script -qec "$XDP_MLR search --measurer $SIM --max-load 10Mfps --format json >/dev/null" /dev/null >"$BATS_TEST_TMPDIR/shown"
  grep -q 'ndr: .* trial 1 (warm-up)' "$BATS_TEST_TMPDIR/shown"
  [ "$(tail -c 4 "$BATS_TEST_TMPDIR/shown")" = $'\r\e[K' ]
  script -qec "$XDP_MLR search -q --measurer $SIM --max-load 10Mfps --format json >/dev/null" /dev/null >"$BATS_TEST_TMPDIR/shown"
  ! grep -q trial "$BATS_TEST_TMPDIR/shown"
}

@test "colours only on a terminal that wants them" {
  command -v script >/dev/null || skip "script(1) is not here"
  script -qec "$XDP_MLR search -q --measurer $SIM --max-load 10Mfps" /dev/null | grep >/dev/null $'\e\[1mndr'
  ! NO_COLOR=1 script -qec "$XDP_MLR search -q --measurer $SIM --max-load 10Mfps" /dev/null | grep >/dev/null $'\e\[1m'
}
