#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Trials of several hosts: three MPI ranks in three network namespaces, each with its own ports, one clock and one kernel. What several real
# hosts add (their clocks, their network) docs/guide/many-machines.md says.
bats_require_minimum_version 1.5.0
load hosts
load ../net/check

GOAL=name=ndr,loss=0,final=0.3,sum=0.3,width=2%
SHOWN='.search_result, .trials[-1], .measurer'

setup() {
  LAB=m$((BASHPID % 100000))
  A=$LAB-a B=$LAB-b
  background=()
  hosts_up "$BATS_TEST_TMPDIR"
}

teardown() {
  local pid
  for pid in "${background[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  hosts_down
  "$MLR" lab down --name "$LAB" --quiet
  "$MLR" clean --quiet >/dev/null
}

# The lab's ports on h1 and h2; h0 has the controller and no port.
lab_between_hosts() { # SUT
  "$MLR" lab up --name "$LAB" --sut "$1" >/dev/null
  give "$A" h1
  give "$B" h2
}

# A search by three ranks, as JSON in $output.
search() {
  run --separate-stderr start_ranks 3 "$HOSTS/rank" search --measurer mpi --wait d=0.5 --format json "$@"
}

# The same, until a jq expression over the output is true; fail after some tries. On a busy machine a rank may be kept from
# transmitting: then frames stay unsent, or leave in a burst for which the policer has no room.
search_until() { # FILTER option...
  local try filter=$1
  shift
  for try in $(seq 10); do
    search "$@"
    if [ -n "$output" ] && jq -e "$filter" <<<"$output" >/dev/null; then return 0; fi
    echo "# try $try: $(jq -r '[(.search_result[0] | .relevant_lower_bound, .relevant_upper_bound), (.trials[] | .counts.unsent, .pacing.gap_max_ns / 1e6)] | @json' <<<"$output")" >&3
  done
  check "$filter"
}

# This exit code, and one line of ours on standard error; mpirun adds its own.
refused() { # CODE PATTERN
  local lines
  lines=$(grep '^xdp-mlr: ' <<<"$stderr")
  [ "$status" -eq "$1" ] && [ "$(wc -l <<<"$lines")" -eq 1 ] && [[ $lines =~ $2 ]] || {
    echo "exit $status, wanted $1; wanted one line with '$2': $stderr"
    return 1
  }
}

received_by_b() {
  on h2 ip -s -j link show "$B" | jq '.[0].stats64.rx.packets'
}

ranks_gone() {
  local try
  for try in $(seq 100); do
    [ -z "$(processes_on h0)$(processes_on h1)$(processes_on h2)" ] && return 0
    sleep 0.1
  done
  return 1
}

@test "a search finds the policer's rate, transmitter and receiver on different hosts" {
  lab_between_hosts policer:rate=20000
  search_until '.search_result[0] | .regular and .relevant_lower_bound <= 20000 * 1.02 and .relevant_upper_bound >= 20000 * 0.98' \
    -p "h1:$A,h2:$B" --max-load 50kfps --min-load 9001 --goal $GOAL
  check '.aggregate_factor == 1 and ([.trials[].counts | .sent + .unsent == .intended and .received + .lost == .sent] | all)'
  check '[.trials[] | .ports | map(.name) | join(",")] | unique == ["h1:'"$A"',h2:'"$B"'"]'
  check '.trials[0].ports | (.[0] | .transmits and .counts.received == 0) and (.[1] | .receives and .counts.sent == 0)'
  check '.measurer.name == "mpi" and (.measurer.ranks | map([.host, .ports]) == [["h0", []], ["h1", ["h1:'"$A"'"]], ["h2", ["h2:'"$B"'"]]])'
  # one kernel, one clock; and what was measured agrees with that
  check '[.measurer.ranks[].clock | .same_as_rank_0 and (.monotonic_offset_ns | fabs) <= .offset_bound_ns] | all'
  check '[.trials[] | .clock_bound_ns == 0 and .latency.count == .counts.received and (.start_skew_ns // 0) == 0] | all'
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/search.schema.json - <<<"$output"
}

@test "two transmitters share the load into one SUT: it is each one's, the loss ratio is of the sums" {
  "$MLR" lab up --name "$LAB" --sut policer:rate=8000,burst=20ms >/dev/null
  share "$A"
  give "$B" h2
  # each may have half; the policer's burst is a 25th of a trial. A few frames that stay unsent do not decide it
  search_until '.search_result[0] | .regular and .relevant_lower_bound <= 4000 * 1.06 / 0.95 and
    .relevant_upper_bound >= 4000 * 0.98 / 0.95' -p "h0:t0:transmit,h2:$B:receive,h1:t1:transmit" --max-load 10kfps --min-load 1000 \
    --goal name=pdr,loss=5%,exceed=0.5,final=0.5,sum=1.5,width=2%
  check '.aggregate_factor == 2'
  check '[.trials[] | (.trial_load * .trial_duration + 0.5 | floor) * 2 == .counts.intended] | all'
  check '[.trials[] | select(.counts.unsent == 0) | .trial_loss_ratio * .counts.sent - .counts.lost | fabs < 0.5] | all'
  check '[.trials[] | .counts.sent == ([.ports[] | select(.transmits) | .counts.sent] | add)] | all'
  check '[.trials[] | .ports | map(select(.transmits) | .counts.intended) | .[0] == .[1]] | all'
  check '.measurer.ports | map(.transmits) == [true, false, true]'
  check '[.trials[].start_skew_ns] | all(. == null or . >= 0)'
}

# What h1 sends is held for 500 us. By clocks that are 1000 s apart that is still so, give or take what is known of them.
@test "two clocks: latency within what is known of them, or none" {
  export TIME_OF_h1="--time --monotonic 1000"
  lab_between_hosts delay:us=500
  search -p "h1:$A,h2:$B" --max-load 10kfps --min-load 9001 --goal $GOAL --clock-budget 1s
  check '.measurer.ranks[1].clock | (.same_as_rank_0 | not) and (.monotonic_offset_ns + 1e12 | fabs) <= .offset_bound_ns'
  check '.measurer.ranks[2].clock | .same_as_rank_0 and (.monotonic_offset_ns | fabs) <= .offset_bound_ns'
  check '[.trials[] | .counts.received > 0 and .clock_bound_ns > 0] | all'
  check '[.trials[] | select(.latency) | .latency.count == .counts.received and .latency.error_bound_ns >= .clock_bound_ns and
    .latency.min_ns + .latency.error_bound_ns >= 500000] | length > 0 and all'
  search -p "h1:$A,h2:$B" --max-load 10kfps --min-load 9001 --goal $GOAL --clock-budget 1ns
  check '[.trials[] | .latency == null and (.latency_refused | test("clocks of h1 and h2 may be off by .* us"))] | all'
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/search.schema.json - <<<"$output"
}

# A stop of h1 prolongs its sending, and h0 has nothing to send.
@test "late frames are waited for from when the last rank has sent" {
  local seen transmitter
  lab_between_hosts xdp
  seen=$(received_by_b)
  start_ranks 3 "$HOSTS/rank" search --measurer mpi -p "h1:$A,h2:$B" --wait d=0.2 --algorithm binary --max-load 500 --min-load 201 \
    --tester-repeats 0 --goal name=ndr,loss=0,exceed=0,final=4,sum=4,width=50% --format json >"$BATS_TEST_TMPDIR/out" &
  background+=($!)
  until [ "$(received_by_b)" -gt $((seen + 300)) ]; do sleep 0.05; done
  transmitter=$(worker_on h1)
  kill -STOP "$transmitter"
  sleep 0.5
  kill -CONT "$transmitter"
  wait "${background[-1]}" || true
  output=$(cat "$BATS_TEST_TMPDIR/out")
  check '.trials[0].pacing.moved_ns > 3e8'
  check '[.trials[] | .wall_duration >= .pacing.transmit_duration + .residual_duration] | all'
}

@test "one rank is as the measurer xdp" {
  local options=(--max-load 50kfps --min-load 9001 --goal $GOAL --wait d=0.5 --format json) try
  all_was_sent() { [ "$status" -eq 0 ] && jq -e '[.trials[].counts.unsent] | add == 0' <<<"$output" >/dev/null; }
  lab_between_hosts policer:rate=20000
  on h2 ip link set "$B" netns "$LAB-h1"
  on h1 ip link set "$B" up
  for try in $(seq 10); do
    run --separate-stderr on h1 "$MLR_MPI" search -p "$A,$B" "${options[@]}"
    if all_was_sent; then break; fi
  done
  all_was_sent
  jq '[.trials[] | [.trial_load, .counts.intended, .counts.sent]], .search_result[0].relevant_lower_bound' <<<"$output" >"$BATS_TEST_TMPDIR/xdp"
  for try in $(seq 10); do
    run --separate-stderr on h1 mpirun --allow-run-as-root -np 1 "$MLR_MPI" search --measurer mpi -p "$A,$B" "${options[@]}"
    if all_was_sent; then break; fi
  done
  all_was_sent
  jq '[.trials[] | [.trial_load, .counts.intended, .counts.sent]], .search_result[0].relevant_lower_bound' <<<"$output" >"$BATS_TEST_TMPDIR/mpi"
  diff "$BATS_TEST_TMPDIR/xdp" "$BATS_TEST_TMPDIR/mpi"
}

@test "what one rank refuses ends all, with its host's name, and changes nothing" {
  lab_between_hosts xdp
  ports_state >"$BATS_TEST_TMPDIR/before"
  search -p "h1:$A,h7:$B" --max-load 20kfps
  refused 2 "no rank runs on host 'h7'.*h0, h1, h2"
  search -p "h1:$A,h2:nosuch" --max-load 20kfps
  refused 2 "xdp-mlr: h2: .*nosuch"
  search -p "$A,$B" --max-load 20kfps
  refused 2 "on which host is '$A'"
  # not by mpirun's own `:`, which Open MPI 5.0.7 dies of
  printf '#!/bin/bash\nexec %q "$@" --max-load $((OMPI_COMM_WORLD_RANK ? 30 : 20))kfps\n' "$HOSTS/rank" >"$HOSTS/differing"
  chmod +x "$HOSTS/differing"
  run --separate-stderr start_ranks 3 "$HOSTS/differing" search --measurer mpi -p "h1:$A,h2:$B"
  [ "$status" -eq 2 ]
  [[ $stderr == *"h1: --measurer mpi: --max-load differs"* ]]
  diff "$BATS_TEST_TMPDIR/before" <(ports_state)
  on h2 ip address add 192.0.2.1/24 dev "$B"
  search -p "h1:$A,h2:$B" --max-load 20kfps
  refused 4 "xdp-mlr: h2: port $B is in use.*192.0.2.1"
}

# In the background, a search of one long trial on ports that are changed for it; until frames flow, and the ports are prepared.
start_long_trial() { # seconds
  local seen
  seen=$(received_by_b)
  start_ranks 3 "$HOSTS/rank" search --measurer mpi -p "h1:$A,h2:$B" --prepare auto,gro --max-load 5kfps --min-load 2000 \
    --goal "name=ndr,loss=0,final=$1,sum=$1" --format json >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
  background+=($!)
  until [ "$(received_by_b)" -gt $((seen + 3000)) ]; do sleep 0.1; done
  if diff -q "$BATS_TEST_TMPDIR/before" <(ports_state) >/dev/null; then return 1; fi
}

# It ended with exit code 5, and these words of ours; no process, no change is left.
ended_as_invalid() { # PATTERN
  local status=0
  wait "${background[-1]}" || status=$?
  cat "$BATS_TEST_TMPDIR/err"
  [ "$status" -eq 5 ]
  grep -q "$1" "$BATS_TEST_TMPDIR/err"
  ranks_gone
  diff "$BATS_TEST_TMPDIR/before" <(ports_state)
  if grep -ls "\"$A\"\|\"$B\"" /run/xdp-mlr/port-*; then return 1; fi
}

lab_with_addresses() {
  lab_between_hosts xdp
  on h1 sysctl -qw "net.ipv6.conf.$A.disable_ipv6=0"
  on h2 sysctl -qw "net.ipv6.conf.$B.disable_ipv6=0"
  ports_state >"$BATS_TEST_TMPDIR/before"
}

@test "a rank killed in a trial ends it as invalid, and every port is restored" {
  local victim
  lab_with_addresses
  for victim in h2 h1 h0; do
    start_long_trial 60
    kill -9 "$(worker_on $victim)"
    ended_as_invalid "^xdp-mlr: $victim: this rank was killed by signal 9 .*the trial that went on is invalid"
  done
}

@test "while frames flow a rank is nobody's and has no capability, and its keeper is the only one that has some" {
  local host pid uid=65534
  lab_with_addresses
  start_long_trial 3
  for host in h0 h1 h2; do
    pid=$(worker_on $host)
    cat "/proc/$pid"/task/*/status | grep -E '^(Uid|Cap(Inh|Prm|Eff)):' | sort | uniq -c
    [ -z "$(grep -LE "^Uid:[[:space:]]$uid[[:space:]]$uid[[:space:]]$uid[[:space:]]$uid$" "/proc/$pid"/task/*/status)" ]
    [ -z "$(grep -LE '^CapPrm:[[:space:]]0{16}$' "/proc/$pid"/task/*/status)" ]
    [ -z "$(grep -LE '^CapEff:[[:space:]]0{16}$' "/proc/$pid"/task/*/status)" ]
    [ "$(processes_on $host | wc -l)" -eq 3 ]
  done
  wait "${background[-1]}" || true
  ranks_gone
  diff "$BATS_TEST_TMPDIR/before" <(ports_state)
}

@test "a rank that does not answer ends the trial as invalid" {
  lab_with_addresses
  start_long_trial 3
  kill -STOP "$(worker_on h2)"
  ended_as_invalid "a rank has not answered in time: the trial is invalid"
}
