#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A signal ends a run, whatever it waits for; and what it does without standard files, a terminal, or somebody who reads.
bats_require_minimum_version 1.5.0
load helper

setup() {
  mkfifo "$BATS_TEST_TMPDIR/stuck"
  exec 9<>"$BATS_TEST_TMPDIR/stuck" # somebody has it open, and reads nothing
  background=()
  search=("$XDP_MLR" search --measurer "$SIM" --max-load 10Mfps) # not a function, of which the process id would be a shell's
}

teardown() {
  local pid
  for pid in "${background[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
}

fill_stuck() {
  head -c 65536 /dev/zero >&9
}

# Start it, its output into these files: `begin OUTPUT ERRORS COMMAND...`
begin() {
  "${@:3}" >"$1" 2>"$2" 3>&- 9<&- &
  pid=$!
  background+=("$pid")
}

# It waits in the kernel, and has not ended.
until_it_waits() {
  local i same=0 before=0 now stat
  for i in {1..2000}; do
    { read -r now _ <"/proc/$pid/schedstat" && read -r stat <"/proc/$pid/stat"; } 2>/dev/null || break
    # asleep, not just without a CPU; it may look now and then whether it can go on
    if [[ $((now - before)) -lt 1000000 && $stat == *") S "* ]]; then same=$((same + 1)); else same=0; fi
    [ "$same" -lt 6 ] || break
    before=$now
    sleep 0.02
  done
  if ended "$pid"; then return 1; fi
}

# This signal ends it, with exit code 130.
ends_by() { # SIGNAL
  local i
  kill "-$1" "$pid"
  for i in {1..3000}; do
    if ended "$pid"; then break; fi
    sleep 0.02
  done
  ended "$pid" || { echo "alive a minute after SIG$1"; return 1; }
  status=0
  wait "$pid" || status=$?
  [ "$status" -eq 130 ] || { echo "exit $status"; return 1; }
}

@test "while standard output takes nothing" {
  local format signal
  fill_stuck
  for format in json jsonl text; do
    for signal in INT TERM HUP; do
      begin "$BATS_TEST_TMPDIR/stuck" "$BATS_TEST_TMPDIR/err" "${search[@]}" --format $format
      until_it_waits
      ends_by $signal
      grep -q "standard output takes nothing" "$BATS_TEST_TMPDIR/err"
    done
  done
}

@test "by every signal that asks for it" {
  local signal
  fill_stuck
  for signal in QUIT USR1 USR2 ALRM VTALRM PROF IO PWR XCPU; do
    begin "$BATS_TEST_TMPDIR/stuck" "$BATS_TEST_TMPDIR/err" "${search[@]}" --format json
    until_it_waits
    ends_by $signal
  done
}

@test "a report is written though standard output takes nothing" {
  local format
  fill_stuck
  for format in json jsonl; do
    begin "$BATS_TEST_TMPDIR/stuck" "$BATS_TEST_TMPDIR/err" "${search[@]}" --format $format --report "$BATS_TEST_TMPDIR/$format.json"
    until_it_waits
    ends_by TERM
    "$JQ" -e '.schema == "xdp-mlr/search/1"' "$BATS_TEST_TMPDIR/$format.json"
  done
}

@test "while standard error takes nothing" {
  fill_stuck
  begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/stuck" "${search[@]}" --report /does/not/exist.html
  until_it_waits
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  [ "$status" -eq 2 ] || [ "$status" -eq 130 ]
}

@test "while a FIFO of --report has no reader, or one who reads nothing" {
  mkfifo "$BATS_TEST_TMPDIR/r.html"
  begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" "$XDP_MLR" search --max-load 1Mfps \
    --measurer "exec:touch $BATS_TEST_TMPDIR/started" --report "$BATS_TEST_TMPDIR/r.html"
  until_it_waits
  ends_by TERM
  [ ! -e "$BATS_TEST_TMPDIR/started" ]
  fill_stuck
  ln -s stuck "$BATS_TEST_TMPDIR/stuck.html"
  begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" "${search[@]}" --report "$BATS_TEST_TMPDIR/stuck.html"
  until_it_waits
  ends_by TERM
  grep -q '^ndr: regular' "$BATS_TEST_TMPDIR/out"
}

@test "while a configuration, a stored search or the SUT's configuration does not come" {
  local option
  for option in --config --sut-config; do
    begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" "${search[@]}" $option "$BATS_TEST_TMPDIR/stuck"
    until_it_waits
    ends_by TERM
  done
  begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/stuck"
  until_it_waits
  ends_by TERM
  begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" "$XDP_MLR" report "$BATS_TEST_TMPDIR/stuck"
  until_it_waits
  ends_by INT
}

@test "a replay, which leaves nothing half done, at any moment" {
  jq -c '.trials = [range(300) as $i | .trials[]]' tests/golden/search-1-sim.json >"$BATS_TEST_TMPDIR/many.json"
  begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/many.json" --metrics "$BATS_TEST_TMPDIR/begun"
  wait_until [ -e "$BATS_TEST_TMPDIR/begun" ]
  ends_by INT
}

# What a verb of the table below is given beside its option: as little as it needs to come so far.
needed_by() { # VERB...
  case $* in
  search | soak) echo --measurer "$SIM" --max-load 10Mfps ;;
  trial) echo --load 1kfps -p a,b ;;
  selftest | rfc2544 | "profile show") echo -p a,b ;;
  "lab on") echo -p a,b ;;
  compare) echo nothing nothing ;;
  report | verify | campaign*) echo nothing ;;
  esac
}

@test "every verb, while any file that it is given does not come" {
  local stuck=$BATS_TEST_TMPDIR/stuck good=tests/golden/search-1-sim.json verb option signal=INT count=0 verbs
  mapfile -t verbs < <("$XDP_MLR" --help | sed -n 's/^  \([a-z][a-z0-9]*\( [a-z][a-z]*\)\?\)  .*/\1/p' | sed 's/ *$//')
  [ ${#verbs[@]} -ge 18 ]
  stops() { # ARGUMENT...
    begin "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/err" "$XDP_MLR" "$@"
    until_it_waits || { echo "$*: it has ended: $(cat "$BATS_TEST_TMPDIR/err")"; return 1; }
    ends_by $signal || { echo "$*"; return 1; }
    [ ! -s "$BATS_TEST_TMPDIR/err" ] || { echo "$*: $(cat "$BATS_TEST_TMPDIR/err")"; return 1; }
    if [ $signal = INT ]; then signal=TERM; else signal=INT; fi
    count=$((count + 1))
  }
  for verb in "${verbs[@]}"; do
    for option in $("$XDP_MLR" $verb --help=all | sed -n 's/^ .* --\(config\|template\|resume\|replay\) .*/--\1/p'); do
      stops $verb $([[ $option == --re* ]] || needed_by $verb) $option "$stuck"
    done
    case $verb in
    report | verify | campaign*) stops $verb "$stuck" ;;
    compare) stops $verb "$stuck" $good && stops $verb $good "$stuck" ;;
    esac
  done
  [ "$count" -ge 33 ]
  # and what a campaign keeps
  mkdir "$BATS_TEST_TMPDIR/results"
  printf 'campaign: {results: results, matrix: {frame-size: [64]}}\nmeasurer: "%s"\nmax-load: 1Mfps\n' "$SIM" >"$BATS_TEST_TMPDIR/c.yaml"
  ln -s ../stuck "$BATS_TEST_TMPDIR/results/journal.jsonl"
  for verb in run submit status report; do stops campaign $verb "$BATS_TEST_TMPDIR/c.yaml"; done
}

@test "a result goes into its file, and nothing else, where standard files were closed" {
  local closed
  for closed in '<&-' '>&-' '2>&-' '<&- >&-' '<&- >&- 2>&-' '>&- 2>&-'; do
    rm -f "$BATS_TEST_TMPDIR/r.json"
    run bash -c '"$1" search --measurer "$2" --max-load 10Mfps --report "$3" '"$closed" - "$XDP_MLR" "$SIM" "$BATS_TEST_TMPDIR/r.json"
    case $closed in *'>&-'*) [[ $closed == '2>&-' ]] || [ "$status" -eq 3 ] ;; esac
    [ "$(find "$BATS_TEST_TMPDIR" -name '.xdp*' | wc -l)" -eq 0 ]
    "$JQ" -es 'length == 1 and .[0].schema == "xdp-mlr/search/1"' "$BATS_TEST_TMPDIR/r.json"
  done
}

# A command in a session of its own on a terminal that is closed while it runs; its exit code in $BATS_TEST_TMPDIR/code.
when_the_terminal_closes() { # COMMAND
  command -v script >/dev/null || skip "script(1) is not here"
  # as a shell does it: what it runs is told
  cat >"$BATS_TEST_TMPDIR/session" <<END
trap 'kill -HUP \$child' HUP
$1 &
child=\$!
wait \$child
code=\$?
[ \$code -ne 129 ] || { wait \$child; code=\$?; }
echo \$code >"$BATS_TEST_TMPDIR/code"
END
  # script keeps the other end of the terminal
  script -qec "bash $BATS_TEST_TMPDIR/session" /dev/null <"$BATS_TEST_TMPDIR/stuck" >/dev/null 2>&1 3>&- 9<&- &
  background+=("$!")
  until [ -e "$BATS_TEST_TMPDIR/started" ]; do sleep 0.05; done
  kill -9 "${background[-1]}"
}

@test "a closed terminal ends a run by 130; nohup keeps it going" {
  local i
  cat >"$BATS_TEST_TMPDIR/slow" <<'END'
while read -r q; do echo '{"trial_loss_ratio": 0.1}'; : >"$1"; [ -e "$2" ] || sleep 0.2; done
END
  when_the_terminal_closes "$XDP_MLR search --measurer 'exec:sh $BATS_TEST_TMPDIR/slow $BATS_TEST_TMPDIR/started $BATS_TEST_TMPDIR/fast' --max-load 1Mfps"
  for i in {1..200}; do [ ! -s "$BATS_TEST_TMPDIR/code" ] || break; sleep 0.05; done
  [ "$(cat "$BATS_TEST_TMPDIR/code")" -eq 130 ]
  rm "$BATS_TEST_TMPDIR/code" "$BATS_TEST_TMPDIR/started"
  when_the_terminal_closes "nohup $XDP_MLR search --measurer 'exec:sh $BATS_TEST_TMPDIR/slow $BATS_TEST_TMPDIR/started $BATS_TEST_TMPDIR/fast' \
    --max-load 1Mfps --format json >$BATS_TEST_TMPDIR/out 2>/dev/null"
  touch "$BATS_TEST_TMPDIR/fast"
  for i in {1..400}; do [ ! -s "$BATS_TEST_TMPDIR/code" ] || break; sleep 0.05; done
  "$JQ" -e '.irregular_reason != "interrupted" and (.trials | length) > 3' "$BATS_TEST_TMPDIR/out"
}

@test "it runs where some signals cannot be taken, as below valgrind" {
  command -v valgrind >/dev/null || skip "valgrind(1) is not here"
  if nm -D "$XDP_MLR" | grep -q asan; then skip "sanitizers and valgrind exclude each other"; fi
  run --separate-stderr valgrind --quiet "${search[@]}" --goal name=ndr,width=50% --quiet
  [ "$status" -eq 0 ]
  [[ $output == *"Throughput by MLRsearch"* ]]
}
