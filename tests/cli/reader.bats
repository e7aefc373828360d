#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that others wrote are parsed by a process that is nobody's, whatever privileges the program was started with.
load helper

setup() {
  [ "$(id -u)" -eq 0 ] || skip "only root has what is given up"
  chmod 700 "$BATS_TEST_TMPDIR"
  fifo=$BATS_TEST_TMPDIR/fifo
  mkfifo -m 600 "$fifo"
  exec 9<>"$fifo"
}

teardown() {
  [ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || true
}

# Whether all threads of a process have this line in their status.
has() { # PROCESS LINE
  [ -z "$(grep -LxF -- "$2" /proc/"$1"/task/*/status)" ]
}

is_nobody() { # PROCESS
  has "$1" 'Uid:	65534	65534	65534	65534' && has "$1" 'Gid:	65534	65534	65534	65534' && has "$1" 'CapPrm:	0000000000000000' &&
    has "$1" 'CapEff:	0000000000000000' && has "$1" 'CapInh:	0000000000000000' && has "$1" 'NoNewPrivs:	1' &&
    { nm -D "$XDP_MLR" | grep -q asan || has "$1" 'Seccomp:	2'; }
}

# Whether the process that reads the FIFO is nobody's, and has that and a pipe alone.
reader_is_nobody() {
  reader=$(tr -d ' ' <"/proc/$pid/task/$pid/children") && [ -n "$reader" ] && is_nobody "$reader" || return 1
  nm -D "$XDP_MLR" | grep -q asan && return
  [ "$(ls "/proc/$reader/fd" | wc -l)" -eq 2 ] && [ "$(find "/proc/$reader/fd" -lname "$fifo" | wc -l)" -eq 1 ]
}

# `reads CODE TEXT ARGUMENT...`: the program reads the FIFO by a reader, and ends with this code once the text is in it
reads() {
  local code=$1 text=$2
  shift 2
  "$XDP_MLR" "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/errors" 9>&- 3>&- &
  pid=$!
  wait_until reader_is_nobody || { echo "$*: ${reader:-no reader}"; grep -E 'Uid|Cap|Priv|Seccomp' /proc/$reader/status; ls -l /proc/$reader/fd; return 1; }
  # all that the program itself does is to wait for it
  has "$pid" 'Uid:	0	0	0	0'
  printf '%b' "$text" >&9
  exec 9>&-
  wait "$pid" && [ "$code" -eq 0 ] || [ $? -eq "$code" ] || { echo "$*: not $code"; cat "$BATS_TEST_TMPDIR/errors"; return 1; }
  exec 9<>"$fifo"
}

@test "a configuration, a stored search, a template and a campaign are read by a process that is nobody's" {
  local verb
  for verb in search trial sweep soak rfc2544 y1564 selftest connect "profile show"; do
    reads 2 'nothing: 1\n' $verb --config "$fifo"
    grep -q ":1: no option 'nothing'" "$BATS_TEST_TMPDIR/errors"
  done
  reads 0 'max-load: 10Mfps\n' search --config "$fifo" --measurer "$SIM"
  reads 2 'no capture of frames, and longer than any head\n' profile show --template "$fifo"
  grep -q 'it is neither pcap nor pcapng' "$BATS_TEST_TMPDIR/errors"
  for verb in resume replay; do
    reads 2 '{"event": "trial_finished", "crc32": "00000000"}\n' search --"$verb" "$fifo"
    grep -q ':1: this line is not as it was written' "$BATS_TEST_TMPDIR/errors"
  done
  for verb in run status report submit; do
    reads 2 'campaign: 1\n' campaign "$verb" "$fifo"
  done
}

@test "a reader that is killed is no file that was read, and a reader ends with the program" {
  local reader
  "$XDP_MLR" search --config "$fifo" 2>"$BATS_TEST_TMPDIR/errors" 9>&- 3>&- &
  pid=$!
  wait_until reader_is_nobody
  kill -9 "$reader"
  wait "$pid" || [ $? -eq 3 ]
  grep -qx "xdp-mlr: $fifo: the process that reads it has died" "$BATS_TEST_TMPDIR/errors"
  "$XDP_MLR" search --config "$fifo" 2>"$BATS_TEST_TMPDIR/errors" 9>&- 3>&- &
  pid=$!
  wait_until reader_is_nobody
  kill -INT "$pid"
  wait "$pid" || [ $? -eq 130 ]
  [ ! -s "$BATS_TEST_TMPDIR/errors" ]
  wait_until ended "$reader"
}

@test "a device is read, too: a terminal is asked for nothing" {
  run "$XDP_MLR" search --config /dev/null --measurer "$SIM" --max-load 10Mfps
  [ "$status" -eq 0 ]
  refuses 2 "/dev/zero:1: " "$XDP_MLR" search --config /dev/zero
  refuses 2 "/dev/null cannot be used: it is neither pcap nor pcapng" "$XDP_MLR" profile show --template /dev/null
}
