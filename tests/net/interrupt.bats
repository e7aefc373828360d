#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A stop before the first trial: there is a result all the same, which says that nothing was measured.
bats_require_minimum_version 1.5.0
load helper

# Start a verb, and stop it while it asks for gateways that nobody is (which takes a second). Again where the machine let that pass
# before it was stopped: then it ended otherwise, or had measured.
stop_early() { # SIGNAL VERB OPTION...
  local try
  for try in 1 2 3; do
    start "${@:2}"
    until [ "$(xdp_count)" -ge 1 ] || ! running; do sleep 0.01; done
    kill "-$1" "$pid" || true
    ended
    [ "$status" -eq 130 ] && ! grep -qE '"trial_loss_ratio": ?[0-9]' <<<"$output" && return
    echo "# try $try: exit $status: ${stderr##*$'\n'}" >&3
  done
  return 1
}

# The same, and look at the document that it printed.
stopped() { # VERB OPTION...
  stop_early INT "$@" --format json
  echo "$output" >"$BATS_TEST_TMPDIR/document.json"
  "${BUILD:-build}"/tests/tools/validate "docs/schema/$1.schema.json" "$BATS_TEST_TMPDIR/document.json"
  check '.irregular_reason | test("interrupted")'
  no_xdp_left
}

@test "a search that is stopped before its first trial prints what it was going to do" {
  lab_up wire
  stopped search --report "$BATS_TEST_TMPDIR/report.html" --require 'ndr>=1kfps' --require 'pdr>=80kfps'
  check '.trials == [] and .controller_input.max_load == null and (.controller_input.goals | length) == 2'
  check '.search_result | map(.regular == false and .irregular_reason == "interrupted" and .relevant_lower_bound == null) == [true, true]'
  check '.requirements | map(.met) == [false, false] and .[0].required == 1000 and .[1].required == 80000'
  check '.measurer.name == "xdp" and .traffic_profile.frame_size_octets == 64 and .configuration.ports == "'"$A,$B"'"'
  [ -s "$BATS_TEST_TMPDIR/report.html" ]
  for ending in txt md csv html; do
    "$MLR" report "$BATS_TEST_TMPDIR/document.json" --report "$BATS_TEST_TMPDIR/again.$ending" --quiet
    [ -s "$BATS_TEST_TMPDIR/again.$ending" ]
  done
}

@test "so do several, a trial, a soak, a suite and a self-test" {
  lab_up wire
  stopped search --repeat 3
  check '.trials == [] and .repeats.asked == 3'
  stopped trial --load 50%
  check '.trial_result == null and .aggregate_factor == 1'
  stopped soak
  check '.trials == [] and .critical_load.mean == null and .ended_by == "interrupted"'
  "$MLR" report "$BATS_TEST_TMPDIR/document.json" --report "$BATS_TEST_TMPDIR/soak.html" --quiet
  stopped rfc2544 --fast --direction both
  check '.frame_sizes == [] and .aggregate_factor == 2 and .regular == false'
  "$MLR" report "$BATS_TEST_TMPDIR/document.json" --report "$BATS_TEST_TMPDIR/suite.html" --quiet
  stopped selftest
  check '.self_tests == []'
}

@test "the stream of events ends with it, too" {
  lab_up wire
  stop_early TERM search --format jsonl
  output=$(tail -n 1 <<<"$output")
  check '.schema == "xdp-mlr/search/1" and .irregular_reason == "interrupted" and .trials == []'
}

@test "while standard output takes nothing, a stop gives the ports back" {
  local signal i
  lab_up wire
  mkfifo "$BATS_TEST_TMPDIR/stuck"
  exec 9<>"$BATS_TEST_TMPDIR/stuck"
  for signal in INT TERM HUP; do
    head -c 65536 /dev/zero >&9
    "$MLR" trial -p "$A,$B" --load 1000 --duration 0.1 --wait d=0.1 >&9 2>"$BATS_TEST_TMPDIR/err" 3>&- &
    pid=$!
    background+=("$pid")
    # it has measured, holds the ports, and waits to say so
    until [ "$(xdp_count)" -ge 1 ] && [[ $(cat "/proc/$pid/syscall") == 1\ * || $(cat "/proc/$pid/wchan") =~ poll|pipe_write ]]; do sleep 0.1; done
    sleep 0.5
    kill "-$signal" "$pid"
    for i in {1..1200}; do
      [ -e "/proc/$pid/fd/1" ] || break
      sleep 0.05
    done
    [ ! -e "/proc/$pid/fd/1" ] || { echo "alive a minute after SIG$signal"; return 1; }
    status=0
    wait "$pid" || status=$?
    [ "$status" -eq 130 ]
    no_xdp_left
    [ -z "$(ls /run/xdp-mlr/port-* 2>/dev/null)" ]
    head -c 65536 <&9 >/dev/null
  done
}
