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

# Whether all threads have the capabilities that no run does without, and of others only some that are good to have.
threads_are_reduced() {
  # CAP_NET_ADMIN and CAP_NET_RAW (12, 13), CAP_BPF (39); CAP_DAC_OVERRIDE (1), CAP_IPC_LOCK (14), CAP_SYS_NICE and _RESOURCE (23, 24), CAP_PERFMON (38)
  local needed=0x8000003000 useful=0x4001804002 capabilities
  for capabilities in $(sed -n 's/^Cap\(Eff\|Prm\):[[:space:]]*/0x/p' "/proc/$pid"/task/*/status); do
    (((capabilities & needed) == needed && (capabilities & ~(needed | useful)) == 0)) || { echo "$capabilities"; return 1; }
  done
}

@test "while frames flow a run holds what it needs, and nothing that it starts gets more" {
  local before
  lab_up wire
  before=$(ip -j link show "$A" | jq -c '.[0] | [.flags, .mtu, .promiscuity]')
  start trial --tx xsk --load 1000 --duration 3600
  flowing 50
  threads_are_reduced
  threads_have '^NoNewPrivs:[[:space:]]1$'
  nm -D "$MLR" | grep -q asan || threads_have '^Seccomp:[[:space:]]2$'
  interrupted
  [ "$(ip -j link show "$A" | jq -c '.[0] | [.flags, .mtu, .promiscuity]')" = "$before" ]
}

@test "where a command of the user's is to run, that is not confined" {
  lab_up wire
  start trial --tx xsk --load 1000 --duration 3600 --sut-config-command 'grep NoNewPrivs /proc/self/status'
  flowing 50
  threads_are_reduced
  threads_have '^NoNewPrivs:[[:space:]]0$'
  interrupted
}
