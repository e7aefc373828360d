#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The capabilities that the service grants suffice, and the most important of them are needed.
bats_require_minimum_version 1.5.0
load helper

# The capabilities of the service, as setpriv names them: "+net_admin,+net_raw,..."
granted() {
  sed -n 's/^CapabilityBoundingSet=//p' tools/systemd/xdp-mlr@.service | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g'
}

# A run with these capabilities and no others: `with CAPABILITIES ARGUMENT...`
with() {
  local capabilities=$1
  shift
  run --separate-stderr setpriv --bounding-set="-all,$capabilities" --inh-caps=-all --no-new-privs "$MLR" "$@"
}

@test "a search runs with exactly the capabilities of the service" {
  command -v setpriv >/dev/null || skip "setpriv(1) is not here"
  [[ $(granted) == *+net_admin* && $(granted) != *sys_admin* ]]
  lab_up policer:rate=50000,burst=100us
  clean with "$(granted)" search -p "$A,$B" --max-load 100kfps --wait d=0.1 --goal name=ndr,final=0.2,sum=0.6,width=2% --format json
  [ "$status" -eq 0 ]
  check '.search_result[0] | .regular and .relevant_lower_bound > 48000 and .relevant_lower_bound <= 50200'
  [[ $stderr != *[Pp]ermi* ]]
  with "$(granted)" clean
  [ "$status" -eq 0 ]
}

@test "without CAP_NET_ADMIN or CAP_BPF it is refused, in one line that says so" {
  command -v setpriv >/dev/null || skip "setpriv(1) is not here"
  lab_up wire
  for missing in net_admin net_raw bpf; do
    with "$(granted | sed "s/+$missing,//")" trial -p "$A,$B" --load 10kfps --duration 0.1
    [ "$status" -eq 3 ] || { echo "$missing: $status $stderr"; return 1; }
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
    [[ $stderr == *"needs CAP_${missing^^},"* ]]
  done
}

@test "where memory cannot be locked the limit is named" {
  command -v prlimit >/dev/null || skip "prlimit(1) is not here"
  lab_up wire
  run --separate-stderr prlimit --memlock=65536 setpriv --bounding-set="-all,$(granted | sed 's/+ipc_lock,//; s/,+sys_resource//')" --inh-caps=-all "$MLR" \
    trial -p "$A,$B" --tx xsk --load 10kfps --duration 0.1
  refused 3 "port $A" "64 KiB" "RLIMIT_MEMLOCK" "CAP_IPC_LOCK"
}

# Whether all threads of the run have this line in their status: `threads_have PATTERN`
threads_have() {
  [ -z "$(grep -LE "$1" "/proc/$pid"/task/*/status)" ]
}

# Whether all threads of the run are nobody's, and can do nothing that others cannot.
threads_are_nobody() {
  threads_have '^Uid:[[:space:]]65534[[:space:]]65534[[:space:]]65534[[:space:]]65534$' &&
    threads_have '^Gid:[[:space:]]65534[[:space:]]65534[[:space:]]65534[[:space:]]65534$' &&
    threads_have '^Groups:[[:space:]]*$' && threads_have '^CapPrm:[[:space:]]0*$' && threads_have '^CapEff:[[:space:]]0*$' &&
    threads_have '^CapInh:[[:space:]]0*$' && threads_have '^NoNewPrivs:[[:space:]]1$' &&
    { nm -D "$MLR" | grep -q asan || threads_have '^Seccomp:[[:space:]]2$'; }
}

keeper_of() { # PID
  tr -d ' ' <"/proc/$1/task/$1/children"
}

# The keeper, of which there is one, holds nothing of what frames hang on, and less than it was started with.
keeper_is_small() {
  local keeper capabilities
  keeper=$(keeper_of "$pid")
  capabilities=$(sed -n 's/^CapPrm:[[:space:]]*/0x/p' "/proc/$keeper/status")
  # CAP_CHOWN, _DAC_OVERRIDE, _FOWNER (0, 1, 3), CAP_NET_ADMIN (12), CAP_SYS_NICE (23)
  (((capabilities & ~0x80100b) == 0)) && ! ls -l "/proc/$keeper/fd" | grep -E 'bpf|/memfd' && [ "$(ls "/proc/$keeper/fd" | wc -l)" -lt 32 ]
}

@test "while frames flow a run is nobody's, and can do nothing but its trials" {
  local before verb
  lab_up wire
  before=$(ip -j link show "$A" | jq -c '.[0] | [.flags, .mtu, .promiscuity]')
  for verb in "trial --load 1000 --duration 3600 --tx xsk" "trial --load 1000 --duration 3600 --tx live" \
    "search --max-load 20kfps --goal name=g,final=3600,sum=3600 --tx xsk" "search --max-load 20kfps --goal name=g,final=3600,sum=3600 --repeat 2" \
    "soak --max-load 20kfps" "sweep --loads 1kfps --duration 3600"; do
    start $verb
    flowing 50
    threads_are_nobody || { echo "$verb"; cat "/proc/$pid"/task/*/status; return 1; }
    keeper_is_small
    interrupted
    [ "$(ip -j link show "$A" | jq -c '.[0] | [.flags, .mtu, .promiscuity]')" = "$before" ]
    [ -z "$(find /run/xdp-mlr -name 'port-*')" ]
  done
}

@test "files are where they were asked for, as the user's, also where nobody could write" {
  lab_up wire
  mkdir -m 700 "$BATS_TEST_TMPDIR/own"
  echo older >"$BATS_TEST_TMPDIR/own/report.json"
  chmod 640 "$BATS_TEST_TMPDIR/own/report.json"
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 1000 --duration 0.2 --report "$BATS_TEST_TMPDIR/own/report.json" \
    --report "$BATS_TEST_TMPDIR/own/report.html" --metrics "$BATS_TEST_TMPDIR/own/run.prom" --capture-foreign "$BATS_TEST_TMPDIR/own/foreign.pcap"
  [ "$status" -le 1 ]
  "$JQ" -e .trial_result "$BATS_TEST_TMPDIR/own/report.json" >/dev/null
  [ "$(stat -c '%U %a' "$BATS_TEST_TMPDIR/own/report.json")" = "root 640" ]
  [ "$(stat -c '%U' "$BATS_TEST_TMPDIR/own/report.html" "$BATS_TEST_TMPDIR/own/run.prom" "$BATS_TEST_TMPDIR/own/foreign.pcap" | sort -u)" = root ]
  grep -q '^xdp_mlr_running 0' "$BATS_TEST_TMPDIR/own/run.prom"
  [ "$(ls -A "$BATS_TEST_TMPDIR/own" | wc -l)" -eq 4 ]
}

@test "where the keeper dies its ports are left to clean, and that is said" {
  local keeper
  lab_up wire
  start trial --load 1000 --duration 3600 --prepare auto,mtu --frame-size 1518
  flowing 50
  keeper=$(keeper_of "$pid")
  kill -9 "$keeper"
  interrupted
  [[ $stderr == *"'xdp-mlr clean' restores the ports"* ]]
  [ -n "$(find /run/xdp-mlr -name 'port-*')" ]
  "$MLR" clean
  [ -z "$(find /run/xdp-mlr -name 'port-*')" ]
}

@test "a run whose keeper was killed fails, though its trial is well" {
  local keeper
  lab_up wire
  start trial --load 1000 --duration 3 --prepare auto,mtu --frame-size 1518 --format json
  flowing 50
  keeper=$(keeper_of "$pid")
  kill -9 "$keeper"
  ended
  refused 3 "has died: what the run changed on its ports may be left as it is; 'xdp-mlr clean' restores the ports"
  check '.trial_result.counts.received > 0'
  [ -n "$(find /run/xdp-mlr -name 'port-*')" ]
  "$MLR" clean --quiet
  [ -z "$(find /run/xdp-mlr -name 'port-*')" ]
}

@test "so does a suite whose keeper was killed, or that of a part, or the part itself" {
  local whose keeper part
  lab_up wire
  for whose in keeper part keeper_of_part; do
    start selftest --hostile --load 1000 --hostile-load 1000 --duration 3 --format json
    flowing 50
    keeper=$(keeper_of "$pid")
    part=$(keeper_of "$keeper")
    local keeper_of_part
    keeper_of_part=$(keeper_of "$part")
    kill -9 "${!whose}"
    ended
    [ "$status" -eq 3 ] || { echo "$whose: exit $status: $stderr"; return 1; }
    [ "$(grep -c "has died.*'xdp-mlr clean' restores the ports" <<<"$stderr")" -eq 1 ] || { echo "$whose: $stderr"; return 1; }
    "$MLR" clean --quiet
    [ -z "$(find /run/xdp-mlr -name 'port-*')" ]
  done
}

@test "where a command of the user's is to run, that is not confined" {
  lab_up wire
  start trial --tx xsk --load 1000 --duration 3600 --format json --sut-config-command 'grep -E "NoNewPrivs|CapEff" /proc/self/status'
  flowing 50
  threads_are_nobody
  interrupted
  [[ $output =~ NoNewPrivs:[^0-9]*0 && ! $output =~ CapEff:[^0-9]*0000000000000000 ]]
}

@test "connect says what it found when it has given all up, and leaves its ports as they were" {
  lab_up wire
  "$MLR" connect -p "$A,$B" --duration 0.5 --format json >"$BATS_TEST_TMPDIR/out" || [ $? -eq 1 ]
  "$JQ" -e .connection "$BATS_TEST_TMPDIR/out" >/dev/null
  [ -z "$(find /run/xdp-mlr -name 'port-*')" ]
}

# Whether each process of the run that may read what others wrote is nobody's: the run itself, and who measures a part for it.
# Keepers are root's: of the run, and of the ports.
suite_is_nobody() {
  local keeper part
  threads_are_nobody || { echo "the suite"; return 1; }
  keeper=$(keeper_of "$pid")
  part=$(keeper_of "$keeper")
  [ -n "$part" ] || { echo "no process measures"; return 1; }
  (pid=$part && threads_are_nobody && keeper_is_small) || { echo "the part"; return 1; }
}

@test "a suite is nobody's, and so is the process that measures a part of it" {
  local before suite
  lab_up wire
  before=$(ip -j link show "$A" | jq -c '.[0] | [.flags, .mtu, .promiscuity]')
  for suite in "rfc2544 --tests throughput --frame-size 64 --max-load 20kfps" "rfc2544 --tests throughput --frame-size 64 --max-load 20kfps --tx live" \
    "y1564 --service name=one,cir=10Mbps --duration 60" "selftest --hostile --load 1000 --hostile-load 1000 --duration 3600"; do
    start $suite
    flowing 50
    suite_is_nobody || { echo "$suite"; cat "/proc/$pid"/task/*/status; return 1; }
    interrupted
    [ "$(ip -j link show "$A" | jq -c '.[0] | [.flags, .mtu, .promiscuity]')" = "$before" ]
    [ -z "$(find /run/xdp-mlr -name 'port-*')" ]
  done
}

# What a child of the run is called: `child_called NAME`
child_called() {
  local child
  for child in $(cat "/proc/$pid/task/$pid/children"); do
    [ "$(cat "/proc/$child/comm")" != "$1" ] || { echo "$child"; return; }
  done
  return 1
}

@test "where the command that resets the SUT is the user's, it has all privileges, and the suite none" {
  local keeper part status_of='grep -E "NoNewPrivs|CapEff|^Uid" /proc/self/status'
  lab_up wire
  start rfc2544 --tests throughput,reset --reset-command true --frame-size 64 --max-load 20kfps
  flowing 50
  threads_are_nobody || { cat "/proc/$pid"/task/*/status; return 1; }
  part=$(keeper_of "$(child_called xdp-mlr)")
  (pid=$part && threads_are_nobody) || { cat "/proc/$part"/task/*/status; return 1; }
  child_called mlr-starter
  interrupted
  "$MLR" rfc2544 -p "$A,$B" --tests reset --reset-duration 1 --reset-command "$status_of >$BATS_TEST_TMPDIR/reset" --frame-size 64 --max-load 10kfps \
    --fast --trial-duration 0.1 --quiet || [ $? -eq 1 ]
  [ "$(cat "$BATS_TEST_TMPDIR/reset")" = "$(sh -c "$status_of")" ]
}

@test "an external measurer has all privileges, and the search none" {
  local status_of='grep -E "NoNewPrivs|CapEff|^Uid" /proc/self/status'
  "$MLR" search --measurer "exec:$status_of >$BATS_TEST_TMPDIR/measurer; read -r q; sleep 1000" --max-load 1Mfps --quiet &
  pid=$!
  background+=("$pid")
  until [ -s "$BATS_TEST_TMPDIR/measurer" ] && threads_are_nobody; do sleep 0.02; done
  child_called mlr-starter
  [ "$(cat "$BATS_TEST_TMPDIR/measurer")" = "$(sh -c "$status_of")" ]
  kill "$pid"
  wait "$pid" || [ $? -eq 130 ]
}
