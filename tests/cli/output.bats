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
  "$JQ" -es '.[:-1] as $events | .[-1] as $result
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
  run -1 timeout 120 bash -c '
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

@test "every --report is written, and one that cannot be is known before anything is measured" {
  local dir=$BATS_TEST_TMPDIR
  simulated --report "$dir/a.html" --report "$dir/b.md" --report "$dir/c.json" --format json >"$dir/out"
  cmp "$dir/c.json" "$dir/out"
  grep -q '<html' "$dir/a.html"
  grep -q '^# ' "$dir/b.md"
  rm "$dir"/[abc].*
  "$XDP_MLR" report "$dir/out" --report "$dir/a.html" --report "$dir/b.md"
  [ -s "$dir/a.html" ] && [ -s "$dir/b.md" ]
  rm "$dir"/[ab].*
  refuses 2 "--report '.*/none/b.md'" simulated --report "$dir/a.html" --report "$dir/none/b.md"
  [ ! -e "$dir/a.html" ]
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

@test "a reader of events who leaves takes no report along: it has what was measured by then" {
  local report=$BATS_TEST_TMPDIR/report.json
  mkfifo "$BATS_TEST_TMPDIR/events"
  head -n 4 "$BATS_TEST_TMPDIR/events" >/dev/null &
  run --separate-stderr bash -c '"$1" search --measurer "$2" --max-load 10Mfps --format jsonl --report "$3" >"$4"' - "$XDP_MLR" \
    "exec:while read -r q; do sleep 0.05; echo '{\"trial_loss_ratio\": 0}'; done" "$report" "$BATS_TEST_TMPDIR/events"
  [ "$status" -eq 3 ]
  [ "$stderr" = "xdp-mlr: cannot write to standard output: Broken pipe" ]
  is '.schema == "xdp-mlr/search/1" and .irregular_reason != null and (.trials | length) >= 2' <"$report"
  # what was whole before its end could be told is whole
  simulated --format jsonl --report "$report" >/dev/full || [ $? -eq 3 ]
  "$XDP_MLR" verify "$report"
}

@test "nobody has a file overwritten by laying a link where one is written beside" {
  echo precious >"$BATS_TEST_TMPDIR/victim"
  mkdir "$BATS_TEST_TMPDIR/theirs"
  # exec keeps the process id, of which a name beside the file could be made
  sh -c 'ln -s "$3/victim" "$3/theirs/m.prom.$$.tmp"
    exec "$1" search --measurer "$2" --max-load 10Mfps --quiet --metrics "$3/theirs/m.prom"' - "$XDP_MLR" "$SIM" "$BATS_TEST_TMPDIR"
  [ "$(cat "$BATS_TEST_TMPDIR/victim")" = precious ]
  grep -qx 'xdp_mlr_running 0' "$BATS_TEST_TMPDIR/theirs/m.prom"
}

@test "a link in the file's place is followed if it is ours, and refused if it is another user's" {
  [ "$(id -u)" -eq 0 ] || skip "making a link of another user needs root"
  local option
  echo old >"$BATS_TEST_TMPDIR/victim"
  for option in --report --metrics; do
    ln -sf victim "$BATS_TEST_TMPDIR/link.txt"
    chown -h nobody "$BATS_TEST_TMPDIR/link.txt"
    refuses 2 "$option '.*link.txt': a link that another user made; name the file itself" simulated "$option" "$BATS_TEST_TMPDIR/link.txt"
    [ "$(cat "$BATS_TEST_TMPDIR/victim")" = old ]
  done
  ln -sf victim "$BATS_TEST_TMPDIR/link.txt"
  simulated --report "$BATS_TEST_TMPDIR/link.txt" >"$BATS_TEST_TMPDIR/out"
  [ -L "$BATS_TEST_TMPDIR/link.txt" ]
  diff "$BATS_TEST_TMPDIR/victim" "$BATS_TEST_TMPDIR/out"
}

@test "so is a link in the place of a folder on the way" {
  [ "$(id -u)" -eq 0 ] || skip "making a link of another user needs root"
  local option precious=$BATS_TEST_TMPDIR/precious theirs=$BATS_TEST_TMPDIR/theirs way
  mkdir "$precious" "$theirs" "$precious/below"
  chown nobody "$theirs"
  ln -s ../precious "$theirs/folder"
  ln -s "$theirs/folder/below" "$BATS_TEST_TMPDIR/ours"
  chown -h nobody "$theirs/folder"
  for option in --report --metrics; do
    for way in "$theirs/folder" "$theirs/folder/below" "$theirs/../theirs//folder/." "$BATS_TEST_TMPDIR/ours"; do
      refuses 2 "$option '.*r.txt': a link that another user made; name the file itself" simulated "$option" "$way/r.txt"
    done
  done
  [ -z "$(find "$precious" -type f)" ]
  touch "$theirs/file" && chown nobody "$theirs/file"
  refuses 2 "'.*r.txt': Not a directory" simulated --report "$theirs/file/r.txt"
  chown -h root "$theirs/folder"
  for way in "$theirs/folder" "$BATS_TEST_TMPDIR/ours" "/proc/self/root$theirs/folder"; do
    simulated --report "$way/r.txt" >"$BATS_TEST_TMPDIR/out"
    diff "$way/r.txt" "$BATS_TEST_TMPDIR/out"
  done
}

@test "a FIFO of another user and a second name of a file are refused in a folder where everybody may make files" {
  [ "$(id -u)" -eq 0 ] || skip "making a FIFO of another user needs root"
  local option shared=$BATS_TEST_TMPDIR/shared laid='another user may have laid it'
  mkdir -m 1777 "$shared"
  mkfifo -m 666 "$shared/fifo.txt"
  chown nobody "$shared/fifo.txt"
  echo old >"$BATS_TEST_TMPDIR/victim"
  ln "$BATS_TEST_TMPDIR/victim" "$shared/second.txt"
  for option in --report --metrics; do
    refuses 2 "$option '.*fifo.txt': $laid" simulated "$option" "$shared/fifo.txt"
    refuses 2 "$option '.*second.txt': $laid" simulated "$option" "$shared/second.txt"
  done
  [ "$(cat "$BATS_TEST_TMPDIR/victim")" = old ]
  # of our own, or in a folder of our own, they are as any
  mkfifo "$shared/ours.txt"
  cat "$shared/ours.txt" >"$BATS_TEST_TMPDIR/through" 3>&- &
  simulated --report "$shared/ours.txt" >"$BATS_TEST_TMPDIR/out"
  wait "$!"
  diff "$BATS_TEST_TMPDIR/through" "$BATS_TEST_TMPDIR/out"
  ln "$BATS_TEST_TMPDIR/victim" "$BATS_TEST_TMPDIR/second.txt"
  simulated --report "$BATS_TEST_TMPDIR/second.txt" >"$BATS_TEST_TMPDIR/out"
  diff "$BATS_TEST_TMPDIR/second.txt" "$BATS_TEST_TMPDIR/out"
}

@test "two options that name one file are refused before anything is written, however it is spelt" {
  local dir=$BATS_TEST_TMPDIR/d other
  mkdir "$dir"
  ln -s d "$BATS_TEST_TMPDIR/e"
  ln -s r.txt "$dir/link.txt"
  for other in "$dir/r.txt" "$dir/../d/./r.txt" "$BATS_TEST_TMPDIR/e/r.txt" "$dir/link.txt"; do
    refuses 2 "--metrics '$other': is the file of --report '$dir/r.txt', too" simulated --report "$dir/r.txt" --metrics "$other"
    [ ! -e "$dir/r.txt" ]
    echo older >"$dir/r.txt"
    refuses 2 "--report '$other': is the file of --report '$dir/r.txt', too" simulated --report "$dir/r.txt" --report "$other" --dry-run
    [ "$(cat "$dir/r.txt")" = older ]
    rm "$dir/r.txt"
  done
  # what is no file takes all, and so do two names
  ln -s /dev/null "$dir/null.txt"
  simulated --quiet --report "$dir/null.txt" --metrics "$dir/null.txt" --report "$dir/a.txt" --report "$dir/b.txt" >"$dir/out"
  cmp "$dir/a.txt" "$dir/out"
  cmp "$dir/b.txt" "$dir/out"
}

@test "a loop of symbolic links is called one, for whatever file it stands" {
  local loop=$BATS_TEST_TMPDIR/loop.txt
  ln -s other.txt "$loop"
  ln -s loop.txt "$BATS_TEST_TMPDIR/other.txt"
  for option in --report --metrics --sut-config --config --template; do
    refuses 2 "loop.txt.*: Too many levels of symbolic links" simulated "$option" "$loop"
  done
  refuses 2 "loop.txt/x.txt': Too many levels" simulated --report "$loop/x.txt"
  for option in --resume --replay; do
    refuses 2 "loop.txt: Too many levels" "$XDP_MLR" search "$option" "$loop"
  done
  refuses 2 "loop.txt.*: Too many levels" "$XDP_MLR" report "$loop"
  refuses 2 "loop.txt.*: Too many levels" "$XDP_MLR" compare "$loop" "$loop"
  refuses 2 "loop.txt.*: Too many levels" "$XDP_MLR" campaign run "$loop"
  refuses 2 "loop.txt.*: Too many levels" "$XDP_MLR-appliance" --config /dev/null --state "$loop" --console -
}

@test "a report for which there is no room leaves the older one whole, and nothing beside it" {
  simulated --report "$BATS_TEST_TMPDIR/r.html" >/dev/null
  cp "$BATS_TEST_TMPDIR/r.html" "$BATS_TEST_TMPDIR/older"
  # the limit is of 8 KiB a file, which a report is larger than; the program itself sees to it that this is no signal that kills
  run --separate-stderr bash -c 'ulimit -f 8; exec "$1" search --measurer "$2" --max-load 5Mfps --report "$3"' \
    - "$XDP_MLR" "$SIM" "$BATS_TEST_TMPDIR/r.html"
  [ "$status" -eq 3 ]
  [[ $stderr == *"cannot write to $BATS_TEST_TMPDIR/r.html: File too large" ]]
  cmp "$BATS_TEST_TMPDIR/r.html" "$BATS_TEST_TMPDIR/older"
  [ -z "$(find "$BATS_TEST_TMPDIR" -name '.*')" ]
}

@test "a report keeps the permissions of the file that it replaces" {
  (umask 077 && simulated --report "$BATS_TEST_TMPDIR/r.json" >/dev/null)
  [ "$(stat -c %a "$BATS_TEST_TMPDIR/r.json")" = 600 ]
  simulated --report "$BATS_TEST_TMPDIR/r.json" >/dev/null
  [ "$(stat -c %a "$BATS_TEST_TMPDIR/r.json")" = 600 ]
}

@test "a report goes into a pipe, a FIFO and standard output, as into any file" {
  ln -s /dev/stdout "$BATS_TEST_TMPDIR/stdout.json"
  simulated --report "$BATS_TEST_TMPDIR/stdout.json" --format json >"$BATS_TEST_TMPDIR/both"
  "$JQ" -es 'length == 2 and .[0] == .[1]' "$BATS_TEST_TMPDIR/both"
  mkfifo "$BATS_TEST_TMPDIR/fifo.txt"
  cat "$BATS_TEST_TMPDIR/fifo.txt" >"$BATS_TEST_TMPDIR/through" 3>&- &
  simulated --report "$BATS_TEST_TMPDIR/fifo.txt" >"$BATS_TEST_TMPDIR/out"
  wait $!
  diff "$BATS_TEST_TMPDIR/through" "$BATS_TEST_TMPDIR/out"
  [ -p "$BATS_TEST_TMPDIR/fifo.txt" ]
}

@test "no progress where standard error is no terminal" {
  run --separate-stderr simulated --format json
  [ -z "$stderr" ]
}

# A search on a terminal of its own, what it shows in $BATS_TEST_TMPDIR/shown: `on_terminal [options]`
on_terminal() {
  command -v script >/dev/null || skip "script(1) is not here"
  script -qec "stty cols 110 rows 30; $XDP_MLR search --measurer $SIM --max-load 10Mfps --format json $* >/dev/null" /dev/null \
    >"$BATS_TEST_TMPDIR/shown"
}

@test "on a terminal there is a progress view, erased at the end, and none with -q" {
  TERM=xterm on_terminal
  grep -q '^search over jitter,capacity=1e6,sigma=0.01,seed=7: 0:[0-9]* elapsed, about ' "$BATS_TEST_TMPDIR/shown"
  grep -q '  ndr  .*? \.\. ? ' "$BATS_TEST_TMPDIR/shown"
  grep -q '  trial 1   10.00 Mfps for 1 s, to warm up' "$BATS_TEST_TMPDIR/shown"
  # four lines were drawn, or more where it took so long that trials are shown: each is away, and the rest of the screen is not erased,
  # which tmux would keep
  tail -c 25 "$BATS_TEST_TMPDIR/shown" | grep -q $'\e\\[K\e\\[A\e\\[K\e\\[A\e\\[K\e\\[A\e\\[K$'
  TERM=xterm on_terminal -q
  if grep -q trial "$BATS_TEST_TMPDIR/shown"; then return 1; fi
}

@test "a terminal that cannot go up a line, or none, has no progress view; nor where events go to it" {
  TERM=dumb on_terminal
  if grep -q $'\e' "$BATS_TEST_TMPDIR/shown"; then return 1; fi
  TERM= on_terminal
  if grep -q $'\e' "$BATS_TEST_TMPDIR/shown"; then return 1; fi
  TERM=xterm script -qec "$XDP_MLR search --measurer $SIM --max-load 10Mfps --format jsonl" /dev/null >"$BATS_TEST_TMPDIR/shown"
  if grep -q $'\e' "$BATS_TEST_TMPDIR/shown"; then return 1; fi
}

@test "NO_COLOR leaves the view, without colours" {
  TERM=xterm on_terminal
  grep -q $'\e\[1m?' "$BATS_TEST_TMPDIR/shown"
  NO_COLOR=1 TERM=xterm on_terminal
  grep -q '  ndr  .*? \.\. ? ' "$BATS_TEST_TMPDIR/shown"
  if grep -q $'\e\[[0-9;]*m' "$BATS_TEST_TMPDIR/shown"; then return 1; fi
}

@test "an interrupted search leaves the terminal as it was: the view is away, no mode was changed" {
  command -v script >/dev/null || skip "script(1) is not here"
  cat >"$BATS_TEST_TMPDIR/slow" <<'END'
while read -r q; do echo '{"trial_loss_ratio": 0.1}'; : >"$1"; sleep 0.2; done
END
  cat >"$BATS_TEST_TMPDIR/session" <<END
stty -a >"$BATS_TEST_TMPDIR/before"
"$XDP_MLR" search --measurer "exec:sh $BATS_TEST_TMPDIR/slow $BATS_TEST_TMPDIR/started" --max-load 1Mfps --format json >"$BATS_TEST_TMPDIR/out" &
pid=\$!
until [ -e "$BATS_TEST_TMPDIR/started" ]; do sleep 0.05; done
kill -INT \$pid
wait \$pid
echo \$? >"$BATS_TEST_TMPDIR/code"
stty -a >"$BATS_TEST_TMPDIR/after"
END
  TERM=xterm script -qec "sh $BATS_TEST_TMPDIR/session" /dev/null </dev/null >"$BATS_TEST_TMPDIR/shown"
  [ "$(cat "$BATS_TEST_TMPDIR/code")" -eq 130 ]
  diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
  [ "$(tail -c 6 "$BATS_TEST_TMPDIR/shown")" = $'\e[A\e[K' ]
  # only colours, up, and erase: no mode, no cursor hidden
  if sed 's/\x1b\[[0-9;]*[mAJK]//g' "$BATS_TEST_TMPDIR/shown" | grep -q $'\e'; then return 1; fi
}

@test "metrics tell the state while it runs and the end, whole at any time" {
  cat >"$BATS_TEST_TMPDIR/sut" <<'END'
n=0
while read -r q; do
  n=$((n + 1))
  [ $n -ne 4 ] || { sleep 1.1; }
  [ $n -ne 6 ] || { : >"$1"; read -r go <"$2"; }
  load=${q##*trial_load\":}; load=${load%%[.,\}]*}
  if [ $load -gt 500000 ]; then loss=0.1; else loss=0; fi
  echo "{\"trial_loss_ratio\": $loss}"
done
END
  mkfifo "$BATS_TEST_TMPDIR/go"
  local file=$BATS_TEST_TMPDIR/m.prom
  "$XDP_MLR" search --measurer "exec:sh $BATS_TEST_TMPDIR/sut $BATS_TEST_TMPDIR/there $BATS_TEST_TMPDIR/go" --max-load 1Mfps --goal 'name=a "b"' \
    --metrics "$file" --format json >"$BATS_TEST_TMPDIR/out" 3>&- &
  local pid=$!
  until [ -e "$BATS_TEST_TMPDIR/there" ]; do sleep 0.05; done
  grep -qx 'xdp_mlr_running 1' "$file"
  grep -qx 'xdp_mlr_trials [45]' "$file"
  grep -q '^xdp_mlr_relevant_upper_bound_frames_per_second{goal="a \\"b\\""} [0-9.]*$' "$file"
  if grep -qE 'exit_code|goal_limited{' "$file"; then return 1; fi
  [ "$(tail -1 "$file")" = '# EOF' ]
  echo >"$BATS_TEST_TMPDIR/go"
  wait $pid
  grep -qx 'xdp_mlr_running 0' "$file"
  grep -qx 'xdp_mlr_exit_code 0' "$file"
  grep -qx 'xdp_mlr_goal_limited{goal="a \\"b\\""} 0' "$file"
  grep -qx "xdp_mlr_trials $("$JQ" '.trials | length' "$BATS_TEST_TMPDIR/out")" "$file"
  [ "$(sed -n 's/^xdp_mlr_conditional_throughput_frames_per_second{.*} //p' "$file")" = "$("$JQ" '.search_result[0].conditional_throughput' "$BATS_TEST_TMPDIR/out")" ]
  # every line is a comment or a sample, and every sample has its type
  if grep -vE '^(# (HELP|TYPE) xdp_mlr_[a-z_]+ .+|# EOF|xdp_mlr_[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? [-+0-9.e]+)$' "$file"; then return 1; fi
  for name in $(grep -v '^#' "$file" | sed 's/[{ ].*//' | sort -u); do grep -qx "# TYPE $name gauge" "$file"; done
  # nothing is left beside it
  [ "$(ls "$BATS_TEST_TMPDIR" | grep -c m.prom)" -eq 1 ]
}

@test "metrics tell which goals the tester limited" {
  simulated --format json --quiet >"$BATS_TEST_TMPDIR/whole.json"
  "$JQ" '.search_result[].tester_limited = true
    | .trials[] |= (.tester_limited = true | .tester_limited_reason = "frames stayed unsent")' "$BATS_TEST_TMPDIR/whole.json" >"$BATS_TEST_TMPDIR/limited.json"
  run --separate-stderr "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/limited.json" --metrics "$BATS_TEST_TMPDIR/m.prom" --format json
  [ "$status" -eq 1 ]
  [ "$(grep -c '^xdp_mlr_goal_limited{goal=".*"} 1$' "$BATS_TEST_TMPDIR/m.prom")" -eq "$("$JQ" '.search_result | length' <<<"$output")" ]
}

@test "metrics tell which goals are irregular, and no frames where nobody counts them" {
  local file=$BATS_TEST_TMPDIR/m.prom
  run --separate-stderr measured 'while read -r q; do echo "{\"trial_loss_ratio\": 0.25}"; done' --metrics "$file" --format json
  [ "$status" -eq 1 ]
  [ "$(grep -c '^xdp_mlr_goal_irregular{goal=".*"} 1$' "$file")" -eq "$("$JQ" '.search_result | length' <<<"$output")" ]
  if grep -qE '^xdp_mlr_(sent|lost)_frames' "$file"; then return 1; fi
  simulated --metrics "$file" >/dev/null
  [ "$(grep -c '^xdp_mlr_goal_irregular{goal=".*"} 0$' "$file")" -eq 2 ]
  grep -q '^xdp_mlr_sent_frames [1-9]' "$file"
}

@test "metrics of repeated searches end with the one that stands for all" {
  local file=$BATS_TEST_TMPDIR/m.prom
  simulated --measurer sim:jitter,capacity=1e6,sigma=0.02,seed=7 --goal name=g,loss=0,width=0.5%,final=1,sum=1 --repeat 4 --metrics "$file" --format json \
    >"$BATS_TEST_TMPDIR/r.json"
  "$JQ" -e '.repeats | .median_run != .count' "$BATS_TEST_TMPDIR/r.json"
  [ "$(sed -n 's/^xdp_mlr_conditional_throughput_frames_per_second{.*} //p' "$file")" = "$("$JQ" '.search_result[0].conditional_throughput' "$BATS_TEST_TMPDIR/r.json")" ]
  grep -qx "xdp_mlr_trials $("$JQ" '.trials | length' "$BATS_TEST_TMPDIR/r.json")" "$file"
}

@test "metrics that cannot be written are found out before anything is measured; a failed run has its code in them" {
  refuses 2 "--metrics '/does/not/exist.prom': No such file" measured "touch $BATS_TEST_TMPDIR/started" --metrics /does/not/exist.prom
  [ ! -e "$BATS_TEST_TMPDIR/started" ]
  refuses 5 "not a JSON object" measured 'read -r q; echo no' --metrics "$BATS_TEST_TMPDIR/m.prom"
  grep -qx 'xdp_mlr_exit_code 5' "$BATS_TEST_TMPDIR/m.prom"
}

@test "metrics that can be written no more are said to be, once" {
  local folder=$BATS_TEST_TMPDIR/gone
  mkdir "$folder"
  run --separate-stderr measured "rm -r '$folder'; read -r q; sleep 1.1; echo '{\"trial_loss_ratio\": 0}'; read -r q; echo no" --metrics "$folder/m"
  [ "$status" -eq 5 ]
  [ "$(grep -c "^xdp-mlr: --metrics '$folder/m': No such file" <<<"$stderr")" -eq 1 ]
}

@test "colours only on a terminal that wants them" {
  command -v script >/dev/null || skip "script(1) is not here"
  script -qec "$XDP_MLR search -q --measurer $SIM --max-load 10Mfps" /dev/null | grep >/dev/null $'\e\[1mndr'
  if NO_COLOR=1 script -qec "$XDP_MLR search -q --measurer $SIM --max-load 10Mfps" /dev/null | grep >/dev/null $'\e\[1m'; then return 1; fi
}
