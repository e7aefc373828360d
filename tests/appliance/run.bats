#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What the appliance's program runs, when, and what becomes of the results.
load helper

# A program in place of xdp-mlr that dies as many times as the file `deaths` says, whenever it is to measure, and writes down what it
# was called with.
mortal() {
  cat >"$BATS_TEST_TMPDIR/mortal" <<END
#!/bin/sh
echo "\$*" >>"$BATS_TEST_TMPDIR/calls"
case "\$*" in *--metrics*)
  left=\$(cat "$BATS_TEST_TMPDIR/deaths")
  if [ "\$left" -gt 0 ]; then
    echo \$((left - 1)) >"$BATS_TEST_TMPDIR/deaths"
    kill -SEGV \$\$
  fi ;;
esac
exec "$PWD/$XDP_MLR" "\$@"
END
  chmod +x "$BATS_TEST_TMPDIR/mortal"
  echo "$1" >"$BATS_TEST_TMPDIR/deaths"
}

@test "with fewer descriptors than it waits for it is refused, and does not spin" {
  ulimit -n 63
  run --separate-stderr timeout 10 "$APPLIANCE" --state "$BATS_TEST_TMPDIR/state" --console - </dev/null
  [ "$status" -eq 3 ]
  [[ $stderr == *"needs 64 descriptors, and RLIMIT_NOFILE allows 63"* ]]
}

@test "a configuration is run once, its result shown and handed over, and the machine switched off" {
  configuration <<END
appliance: {at-end: power-off}
measurer: $SIM
max-load: 2Mfps
END
  cat >"$BATS_TEST_TMPDIR/hand-over" <<END
#!/bin/sh
echo "\$3"
cp "\$1" "$BATS_TEST_TMPDIR/result.json" && cp "\$2" "$BATS_TEST_TMPDIR/report.html" && echo "\$3" >"$BATS_TEST_TMPDIR/code"
END
  chmod +x "$BATS_TEST_TMPDIR/hand-over"
  appliance_up --hand-over "$BATS_TEST_TMPDIR/hand-over"
  appliance_ended
  said "running: xdp-mlr search --config $BATS_TEST_TMPDIR/config.yaml$"
  said 'result 1: ndr [0-9.]* [kM]fps, pdr [0-9.]* [kM]fps'
  said 'Conditional Throughput    [0-9.]* [kM]frames/s'
  [ "$(cat "$BATS_TEST_TMPDIR/code")" -eq 0 ]
  # what the command line gives for the same file
  diff <(jq 'del(.environment)' "$BATS_TEST_TMPDIR/result.json") \
    <("$XDP_MLR" search --config "$BATS_TEST_TMPDIR/config.yaml" --format json | jq 'del(.environment)')
  grep -q '<html' "$BATS_TEST_TMPDIR/report.html"
  [ ! -s "$BATS_TEST_TMPDIR/errors" ]
}

@test "a schedule runs its list in order, so many times, and keeps every result" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance:
  at-end: power-off
  schedule:
    repeat: 2
    runs:
      - {name: half, max-load: 500kfps}
      - {name: long, verb: soak, max-time: 30}
END
  appliance_up
  appliance_ended
  [ "$(for i in 1 2 3 4; do result $i | jq -r '.schema'; done | xargs)" = \
    'xdp-mlr/search/1 xdp-mlr/soak/1 xdp-mlr/search/1 xdp-mlr/soak/1' ]
  result 3 | jq -e '.controller_input.max_load == 500000'
  said 'running: xdp-mlr soak .* --run long' 2
}

@test "a round comes again after its pause, until somebody switches off" {
  configuration <<END
appliance: {schedule: {repeat: forever, pause: 1 s, runs: [{name: only}]}}
measurer: $SIM
max-load: 2Mfps
END
  appliance_up
  said 'the next round begins at 20.*Z' 2
  [ -e "$BATS_TEST_TMPDIR/state/results/2.json" ]
  key qy
  appliance_ended
}

@test "a round that is asked for begins at once, whatever the time of day; one that is not waits for it" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {schedule: {at: "$(date -u -d '-2 minutes' +%H:%M)", runs: [{name: only}]}}
END
  appliance_up
  said 'the next round begins at'
  key r
  said 'result 1: ndr'
  said 'the next round begins at' 2
  [ ! -e "$BATS_TEST_TMPDIR/state/results/2.meta" ]
}

@test "an option that is wrong, in any run, is told with its line before anything runs; key r reads the file again" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance:
  schedule:
    - {name: good}
    - {name: bad, max-load: 5 bananas}
END
  appliance_up
  said "config.yaml:6: max-load '5 bananas': not a load"
  said "run 'bad'"
  said 'waiting for another configuration (key r'
  if grep -q 'running:' "$BATS_TEST_TMPDIR/console"; then return 1; fi
  sed -i 's/5 bananas/5Mfps/' "$BATS_TEST_TMPDIR/config.yaml"
  key r
  said 'done; waiting for another'
  [ -e "$BATS_TEST_TMPDIR/state/results/2.json" ]
}

@test "a section that is wrong is told with its line, and nothing runs" {
  printf 'appliance:\n  verb: trial\n  colour: red\nload: 1kfps\n' | configuration
  appliance_up
  said "config.yaml:3: no setting 'colour' of the appliance"
  said 'waiting for another configuration (key r'
  [ ! -e "$BATS_TEST_TMPDIR/state/results/1.meta" ]
}

@test "a run that cannot be done is an entry without a result, and the next one is made" {
  configuration <<END
max-load: 2Mfps
appliance:
  at-end: power-off
  schedule:
    - {name: portless, ports: [eth98, eth99]}
    - {name: good, measurer: "$SIM"}
END
  appliance_up
  appliance_ended
  jq -e '.run == "portless" and .has_document == false and .exit_code != 0 and (.summary | test("eth98"))' \
    "$BATS_TEST_TMPDIR/state/results/1.meta"
  result 2 | jq -e '.schema == "xdp-mlr/search/1"'
}

@test "after a crash it cleans up and tries again, and the next result says so in all its forms" {
  configuration <<END
appliance: {at-end: power-off}
measurer: $SIM
max-load: 2Mfps
END
  mortal 2
  appliance_up --xdp-mlr "$BATS_TEST_TMPDIR/mortal" --back-off 0.1
  appliance_ended
  [ "$(grep -c '^clean$' "$BATS_TEST_TMPDIR/calls")" -eq 2 ]
  result 1 | jq -e '(.notes | length) == 2 and (.notes | all(test("died of signal 11 .* at 20..-..-..T..:..:..Z, after 0 trials")))'
  [ "$(sed '/<script/,$d' "$BATS_TEST_TMPDIR/state/results/1.html" | grep -o 'died of signal 11' | wc -l)" -eq 2 ]
  said '  - The program died of signal 11' 2
  # told once: the next result has nothing to say of it
  [ ! -e "$BATS_TEST_TMPDIR/state/notes" ]
}

@test "what dies again and again is given up, and told in the next result that there is" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {at-end: power-off, schedule: [{name: doomed}, {name: good}]}
END
  mortal 4
  appliance_up --xdp-mlr "$BATS_TEST_TMPDIR/mortal" --back-off 0.01
  appliance_ended
  jq -e '.run == "doomed" and .has_document == false and .exit_code == 139' "$BATS_TEST_TMPDIR/state/results/1.meta"
  result 2 | jq -e '(.notes | length) == 4'
  said 'it died 4 times, and is not tried again'
}

@test "a run that was killed and is not tried again is cleaned up after, and its result kept" {
  cat >"$BATS_TEST_TMPDIR/mortal" <<END
#!/bin/sh
echo "\$*" >>"$BATS_TEST_TMPDIR/calls"
"$PWD/$XDP_MLR" "\$@" || exit
case "\$*" in *--metrics*) kill -KILL \$\$ ;; esac
END
  chmod +x "$BATS_TEST_TMPDIR/mortal"
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {at-end: power-off}
END
  appliance_up --xdp-mlr "$BATS_TEST_TMPDIR/mortal"
  appliance_ended
  said 'xdp-mlr ended with signal 9 (Killed)'
  said 'result 1: ndr'
  [ "$(grep -n '^clean$' "$BATS_TEST_TMPDIR/calls" | cut -d: -f1)" -lt "$(grep -n '^report' "$BATS_TEST_TMPDIR/calls" | head -n 1 | cut -d: -f1)" ]
  [ "$(jq .exit_code "$BATS_TEST_TMPDIR/state/results/1.meta")" -eq 137 ]
}

@test "killed in a run, it takes its child along, and goes on with that run when it is started again" {
  configuration <<END
measurer: "exec:sh $BATS_TEST_TMPDIR/silent"
max-load: 2Mfps
max-time: 3
appliance: {at-end: power-off, schedule: [{name: first, measurer: "$SIM"}, {name: second}]}
END
  # it says nothing the first time, so no broken pipe ends it
  slow_measurer
  printf '[ -e %s ] || { touch %s; exec sleep 60; }\nexec sh %s\n' "$BATS_TEST_TMPDIR/"{flag,flag,measurer} >"$BATS_TEST_TMPDIR/silent"
  appliance_up
  said 'running: .*--run second'
  until [ -e "$BATS_TEST_TMPDIR/flag" ]; do sleep 0.05; done
  child=$(pgrep -P "$appliance")
  kill -9 "$appliance"
  wait "$appliance" || true
  while kill -0 "$child" 2>/dev/null; do sleep 0.05; done
  appliance_up
  appliance_ended
  [ "$(grep -c 'running: .*--run first' "$BATS_TEST_TMPDIR/console")" -eq 1 ]
  result 2 | jq -e '.notes | length == 1 and (.[0] | test("appliance.s own program died in this run, which had begun at 20"))'
}

@test "killed once a run has ended, it makes that run no second time" {
  configuration <<END
measurer: "$SIM"
max-load: 2Mfps
appliance: {at-end: power-off, schedule: {repeat: 2, runs: [{name: first}, {name: second}]}}
END
  # the handing over of two results does not end the first time
  printf '#!/bin/sh\ncase $1 in */[24].json) [ -e %s$(basename $1) ] || { touch %s$(basename $1); sleep 60; } ;; esac\n' \
    "$BATS_TEST_TMPDIR/"{flag,flag} >"$BATS_TEST_TMPDIR/hand-over"
  chmod +x "$BATS_TEST_TMPDIR/hand-over"
  for number in 2 4; do
    appliance_up --hand-over "$BATS_TEST_TMPDIR/hand-over"
    until [ -e "$BATS_TEST_TMPDIR/flag$number.json" ]; do sleep 0.05; done
    kill -9 "$appliance"
    wait "$appliance" || true
  done
  appliance_up --hand-over "$BATS_TEST_TMPDIR/hand-over"
  appliance_ended
  [ "$(jq -r .run "$BATS_TEST_TMPDIR"/state/results/{1,2,3,4}.meta | xargs)" = "first second first second" ]
  [ ! -e "$BATS_TEST_TMPDIR/state/results/5.meta" ] && [ ! -e "$BATS_TEST_TMPDIR/state/position" ]
}

@test "SIGTERM ends it and what it runs" {
  configuration <<END
measurer: $(slow_measurer)
max-load: 2Mfps
END
  appliance_up
  said 'running:'
  child=$(pgrep -P "$appliance")
  kill "$appliance"
  code=0
  appliance_ended || code=$?
  [ "$code" -eq 130 ]
  if kill -0 "$child" 2>/dev/null; then return 1; fi
  [ ! -e "$BATS_TEST_TMPDIR/state/position" ]
}

@test "results are kept within their bound: the oldest goes first, and that is said" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {at-end: power-off, keep: 1 MB, schedule: {repeat: 12, runs: [{name: again}]}}
END
  appliance_up
  appliance_ended
  said 'result 1 (.*) was deleted, NOBODY HAD FETCHED IT: all results may take 1.000 Moctets'
  [ ! -e "$BATS_TEST_TMPDIR/state/results/1.json" ] && [ ! -e "$BATS_TEST_TMPDIR/state/results/1.meta" ]
  [ -e "$BATS_TEST_TMPDIR/state/results/12.html" ]
  [ "$(du -sb "$BATS_TEST_TMPDIR/state/results" | cut -f1)" -lt 1000000 ]
}

@test "a result that cannot be kept is said to be, hands no other one over, and leaves nothing" {
  local runs small='{name: small, max-load: 20kfps, goal: "name=x,final=1,sum=1"}' large='{name: large}'
  printf '#!/bin/sh\necho "$1" >>%s\n' "$BATS_TEST_TMPDIR/handed" >"$BATS_TEST_TMPDIR/hand-over"
  chmod +x "$BATS_TEST_TMPDIR/hand-over"
  ulimit -f 40 # KiB in a file, which is too little for the larger result
  for runs in "$large" "$small, $large, ${small/small/last}"; do
    : >"$BATS_TEST_TMPDIR/console"
    configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {at-end: power-off, schedule: {runs: [$runs]}}
END
    appliance_up --hand-over "$BATS_TEST_TMPDIR/hand-over"
    appliance_ended
    said 'cannot keep the result: File too large'
  done
  [ "$(basename -a $(cat "$BATS_TEST_TMPDIR/handed") | xargs)" = "1.json 2.json" ]
  [ "$(result 2 | jq -r '.configuration["max-load"]')" = 20kfps ]
  [ "$(ls "$BATS_TEST_TMPDIR"/state/results/*.json | wc -l)" -eq 2 ]
}

@test "what the kernel's command line says wins over the file, for the section and for the options" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
END
  printf 'appliance.verb=soak\nappliance.at-end=power-off\nmax-load=3Mfps\nmax-time=30\n' >"$BATS_TEST_TMPDIR/override"
  appliance_up --override "$BATS_TEST_TMPDIR/override"
  appliance_ended
  result 1 | jq -e '.schema == "xdp-mlr/soak/1" and .configuration["max-load"] == "3Mfps"'
  # a word that is no option is told, and nothing runs
  echo 'max-laod=1' >>"$BATS_TEST_TMPDIR/override"
  appliance_up --override "$BATS_TEST_TMPDIR/override"
  said 'no option --max-laod'
}

@test "what the hand-over says is shown, and its failure" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {at-end: power-off}
END
  printf '#!/bin/sh\necho "result: stored somewhere"\nexit 3\n' >"$BATS_TEST_TMPDIR/hand-over"
  chmod +x "$BATS_TEST_TMPDIR/hand-over"
  appliance_up --hand-over "$BATS_TEST_TMPDIR/hand-over"
  appliance_ended
  said '^appliance: result: stored somewhere$'
  said 'handing the result over failed: .* ended with exit code 3'
}

@test "how long a run took is not told by the calendar" {
  configuration <<END
measurer: $SIM
max-load: 2Mfps
END
  LD_PRELOAD=${BUILD:-build}/tests/preload/jump.so ASAN_OPTIONS=verify_asan_link_order=0 appliance_up
  said 'result 1'
  said 'done; waiting'
  jq -e '.ended >= .started and .ended - .started < 3600' "$BATS_TEST_TMPDIR"/state/results/*.meta
}

@test "what its runs say, and its settings, are parsed by processes that are nobody's" {
  [ "$(id -u)" -eq 0 ] || skip "only root has what is given up"
  if nm -D "$APPLIANCE" | grep -q asan; then skip "a sanitizer stands before what notes the calls"; fi
  local notes=$BATS_TEST_TMPDIR/notes
  truncate -s 1M "$notes"
  configuration <<END
measurer: $SIM
max-load: 2Mfps
END
  PARSERS_LOG=$notes LD_PRELOAD=${BUILD:-build}/tests/preload/parsers.so appliance_up
  said 'result 1'
  said 'done; waiting'
  appliance_down
  tail -c +5 "$notes" | tr -d '\0' >"$notes.text"
  # all that it reads by itself is what it wrote into its own folder
  if grep '^root' "$notes.text" | grep -vE "^root json_load(_file|fd) $BATS_TEST_TMPDIR/state/"; then return 1; fi
  grep -q '^nobody json_loadb {"event": "trial_finished"' "$notes.text"
  grep -q '^nobody yaml_parser_load' "$notes.text"
}
