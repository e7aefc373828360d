#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The consoles: a dumb line, a terminal, and keys on both.
load helper

slow_search() {
  configuration <<END
measurer: $(slow_measurer)
max-load: 2Mfps
max-time: ${1:-60}
appliance: {schedule: [{name: slow}, {name: quick, measurer: "$SIM"}]}
END
}

@test "a dumb line gets plain lines, and shows what keys ask for" {
  slow_search
  appliance_up
  said 'running: xdp-mlr search'
  key s
  said 'Status: running, run 1 of 2 (slow)'
  measured
  key l
  said '20..-..-..T..:..:..Z running: xdp-mlr search'
  key h
  said 'Keys: s status'
  key p
  said '^Ports: '
  key r
  said 'Not now: a run is on (key c stops it)'
  key '!'
  said 'There is no shell here'
  if grep -q $'\033' "$BATS_TEST_TMPDIR/console"; then return 1; fi
  key v
  said $'\033\\[.A'
}

@test "a run is stopped, and the machine switched off, only by one who says yes; what was measured is kept" {
  slow_search
  appliance_up
  said 'running: .*slow'
  key cn
  said '^No.$'
  key qx
  said '^No.$' 2
  measured
  key cy
  said 'result 1: .*IRREGULAR'
  result 1 | jq -e '.irregular_reason == "interrupted" and (.trials | length) > 0'
  said 'done; waiting'
  key qy
  appliance_ended
  [ "$(result 2 | jq -r .irregular_reason)" = null ]
}

@test "switched off in a run, it hands over what was measured first" {
  slow_search
  appliance_up --hand-over "$BATS_TEST_TMPDIR/hand-over"
  printf '#!/bin/sh\necho "$3" >%s/code\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/hand-over"
  chmod +x "$BATS_TEST_TMPDIR/hand-over"
  said 'running: .*slow'
  measured
  key qy
  appliance_ended
  [ "$(cat "$BATS_TEST_TMPDIR/code")" -eq 130 ]
  if grep -q 'running: .*quick' "$BATS_TEST_TMPDIR/console"; then return 1; fi
}

@test "without a configuration it shows the ports and how to configure, and runs nothing" {
  mkfifo "$BATS_TEST_TMPDIR/keys"
  exec 8<>"$BATS_TEST_TMPDIR/keys"
  touch "$BATS_TEST_TMPDIR/console"
  "$APPLIANCE" --state "$BATS_TEST_TMPDIR/state" --console - --xdp-mlr "$XDP_MLR" <"$BATS_TEST_TMPDIR/keys" \
    >"$BATS_TEST_TMPDIR/console" 2>"$BATS_TEST_TMPDIR/errors" 3>&- 8>&- &
  appliance=$!
  said '^Ports: [0-9]'
  said 'opt/org.xdp-mlr/config'
  said 'nothing will be sent'
  key s
  said 'Status: no configuration'
  if grep -q 'running:' "$BATS_TEST_TMPDIR/console"; then return 1; fi
  key qy
  appliance_ended
}

# On a terminal of its own, made by script(1); what is seen there is in console, too.
on_terminal() { # CONSOLE
  mkfifo "$BATS_TEST_TMPDIR/keys"
  exec 8<>"$BATS_TEST_TMPDIR/keys"
  touch "$BATS_TEST_TMPDIR/errors"
  script -qefc "stty cols 100 rows 30; $APPLIANCE --config $BATS_TEST_TMPDIR/config.yaml --state $BATS_TEST_TMPDIR/state \
    --console $1 --xdp-mlr $XDP_MLR; echo ended with \$?; stty -a" /dev/null <"$BATS_TEST_TMPDIR/keys" \
    >"$BATS_TEST_TMPDIR/console" 2>&1 3>&- 8>&- &
  appliance=$!
}

@test "a screen draws the progress view, and is left as it was" {
  slow_search
  on_terminal /dev/tty
  said 'slow: search: 0:[0-9]* elapsed'
  said $'\033\\[.A.*\033\\[J'
  key q
  said 'Switch the machine off'
  key y
  appliance_ended
  tr -d '\r' <"$BATS_TEST_TMPDIR/console" | grep -q '^ended with 0$'
  grep -Eq '(^| )icanon' "$BATS_TEST_TMPDIR/console" && grep -Eq '(^| )echo ' "$BATS_TEST_TMPDIR/console"
}

@test "a shell only where the configuration asks for one" {
  [ "$(id -u)" -eq 0 ] || skip "a terminal is taken from another session by root"
  configuration <<END
measurer: $SIM
max-load: 2Mfps
appliance: {shell: true}
END
  on_terminal '$(tty)'
  said 'done; waiting'
  key '!'
  said '# $' # its prompt
  key $'echo $((6 * 7))x\nexit\n'
  said '^42x'
  said 'The shell has ended'
  key s
  said 'Status: done'
  key qy
  appliance_ended
}
