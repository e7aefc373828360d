#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Where the SUT lost frames: routers whose cause is known, by counters of the kernel. The right one is named first.
bats_require_minimum_version 1.5.0
load helper

cause='.search_result[0].cause'

needs() { # COMMAND...
  local command
  for command in "$@"; do command -v "$command" >/dev/null || give_up "there is no $command here"; done
}

# Searches of short trials, with the SUT's counters.
look() { # OPTION...
  search --observe "sut=local:xdp-mlr-$LAB" --wait d=0.2 --goal "name=x,loss=0.001,exceed=0.5,final=0.3,sum=0.3,width=0.1" "$@"
  [ "$status" -le 1 ] || { echo "exit $status: $stderr"; return 1; }
  get "$cause" | "$JQ" -c '.rows[] | [.kind, .counter, .change, .per_lost_frame, .lower_level, .upper_level]'
  get ".search_result[0] | [.relevant_lower_bound, .relevant_upper_bound, .cause.lost]" | "$JQ" -c .
  get '.trials[] | select(.counts.lost > 0) | [.trial_load, .counts.lost, .tester_limited, (.observed[0] | .whole, .trouble, .samples)] +
    [.observed[0].counters | with_entries(select(.key | test("^cpu.*/(programs|busy|steal|accounted)$"))) | map_values(.per_second)]' | "$JQ" -c .
}

# The first row is of this kind, and of a counter like this.
first() { # KIND PATTERN
  echo "$cause.rows[0] | .kind == \"$1\" and (.counter | test(\"$2\"))"
}

# It is, where the machine does not spoil the search.
finds() { # KIND PATTERN OPTION...
  right "$(first "$1" "$2")" look "${@:3}"
}

# A router that takes some us a frame, whose frames wait for another CPU than the transmitter's.
slow_router() {
  local cpus cpu i
  mapfile -t cpus < <(seq 0 $(($(nproc --all) - 1)))
  [ ${#cpus[@]} -gt 1 ] || give_up "this needs two CPUs"
  cpu=${cpus[-1]}
  lab_up router
  {
    echo 'table inet slow { chain forward { type filter hook forward priority 0'
    for i in {1..300}; do echo "ip saddr 10.0.$((i / 200)).$((i % 200)) udp dport $i drop"; done
    echo '}; }'
  } | inside nft -f -
  # sysfs shows the network of who mounts it
  mkdir "$BATS_TEST_TMPDIR/sys"
  inside mount -t sysfs sysfs "$BATS_TEST_TMPDIR/sys"
  printf "%x" $((1 << cpu)) >"$BATS_TEST_TMPDIR/sys/class/net/sut-a/queues/rx-0/rps_cpus"
  umount "$BATS_TEST_TMPDIR/sys"
  SLOW_CPU=$cpu
}

@test "a router's backlog: softnet dropped, by exactly the lost frames" {
  needs nft
  local try
  slow_router
  for try in {1..5}; do
    look --min-load 5kfps --max-load 600kfps
    # a busy machine takes the CPU away from the router: that is another cause, and the first row says it
    if ! get "$cause.rows[0].kind == \"shared\"" >/dev/null; then
      if spoilt; then echo "# try $try: $(get '[.. | .tester_limited_reason? // empty] | unique | join(", ")')" >&3; continue; fi
      # frames of others may be lost at this CPU, too
      check "$cause.rows[0] | .counter == \"softnet/cpu$SLOW_CPU/dropped\" and .per_lost_frame > 0.98 and .per_lost_frame < 1.05"
      return
    fi
    # where it dropped frames of others as well, the link's own count, which is exact, stands before it
    check "[$cause.rows[1:3][].counter] | index(\"softnet/cpu$SLOW_CPU/dropped\")"
    echo "# try $try: programs shared the router's CPU, and the report said so" >&3
  done
  give_up "programs of this machine shared the router's CPU in each try, and the report said so"
}

@test "a CPU that a busy loop shares: what programs take of it, before its backlog" {
  needs nft
  slow_router
  taskset -c "$SLOW_CPU" nice -n -15 bash -c 'while :; do :; done' &
  background+=("$!")
  finds shared "^cpu$SLOW_CPU/programs$" --min-load 5kfps --max-load 600kfps
  check "$cause.rows[1].counter == \"softnet/cpu$SLOW_CPU/dropped\""
}

@test "a limit of nftables: the rule's own counter" {
  needs nft
  lab_up router
  printf '%s\n' 'table inet f { chain forward { type filter hook forward priority 0' 'ip daddr 10.9.9.9 counter drop' \
    'limit rate over 20000/second burst 50 packets counter drop' '}; }' | inside nft -f -
  finds exact '^nft/inet/f/forward/[0-9]+-drop/packets$' --min-load 5kfps --max-load 60kfps --interval 50ms --report "$BATS_TEST_TMPDIR/r.html" --report "$BATS_TEST_TMPDIR/r.txt" \
    --report "$BATS_TEST_TMPDIR/r.csv"
  grep -q 'id="cause".*Where the SUT lost them' "$BATS_TEST_TMPDIR/r.html"
  grep -q 'id="figure-cause-1"' "$BATS_TEST_TMPDIR/r.html"
  grep -q 'Where the SUT lost them' "$BATS_TEST_TMPDIR/r.txt"
  grep -q 'frames in .* trial' "$BATS_TEST_TMPDIR/r.txt"
  head -1 "$BATS_TEST_TMPDIR/r.csv" | grep -q 'observed.sut.Ip/ForwDatagrams'
  # a stored result gives the same again
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  "$MLR" search --replay "$BATS_TEST_TMPDIR/r.json" --format json 2>/dev/null >"$BATS_TEST_TMPDIR/again.json" || true
  [ "$(get "$cause" | "$JQ" -S .)" = "$("$JQ" -S .search_result[0].cause "$BATS_TEST_TMPDIR/again.json")" ]
  check "$cause.rows[0].per_lost_frame == 1 and $cause.rows[0].lower_level < 20"
}

@test "a policer of tc: its action, or a queue of no length where the kernel polices by none" {
  lab_up router
  if inside tc qdisc add dev sut-a ingress && inside tc filter add dev sut-a ingress protocol all u32 match u32 0 0 police rate 10mbit burst 10k drop 2>/dev/null; then
    finds exact '^tc/action/police-[0-9]+/drops$' --min-load 5kfps --max-load 60kfps
  else
    inside tc qdisc del dev sut-a ingress || true
    inside tc qdisc add dev sut-b root tbf rate 10mbit burst 3000 limit 3000
    finds exact '^tc/sut-b/tbf-[0-9a-f]+/drops$' --min-load 5kfps --max-load 60kfps
  fi
}

@test "a full table of connections: conntrack drop" {
  needs nft
  lab_up router
  printf '%s\n' 'table inet f { chain forward { type filter hook forward priority 0' 'ct state new counter accept' '}; }' | inside nft -f -
  inside "${BUILD:-build}/tests/tools/fill_conntrack" 5000
  finds exact '^conntrack/drop$' --min-load 1kfps --max-load 60kfps --flows 20000
}

@test "a queue that is too small: its drops, before those of the tree above it" {
  lab_up router
  inside tc qdisc add dev sut-b root handle 1: htb default 1
  inside tc class add dev sut-b parent 1: classid 1:1 htb rate 10mbit
  inside tc qdisc add dev sut-b parent 1:1 handle 10: pfifo limit 8
  finds exact '^tc/sut-b/pfifo-10/drops$' --min-load 5kfps --max-load 60kfps
}

# Sweeps, soaks and suites name the place as a search does, and what they state is computed again by verify.
@test "a sweep, a soak, the suites: the place in each part that lost frames" {
  needs nft
  local observe=(--observe "sut=local:xdp-mlr-$LAB" --wait a=0,b=0,d=0.2,e=0)
  local backlog='[.. | .counters? | objects | to_entries[] | select(.key | test("^softnet/cpu[0-9]+/dropped$")) | .value.change] | add > 0'
  lab_up router
  printf '%s\n' 'table inet f { chain forward { type filter hook forward priority 0' 'limit rate over 20000/second burst 50 packets counter drop comment "limit"' '}; }' |
    inside nft -f -
  named() { # VERB PART OPTION...
    local verb=$1 part=$2 try
    for try in {1..5}; do
      "$MLR" "$verb" -p "$A,$B" "${observe[@]}" --format json "${@:3}" >"$BATS_TEST_TMPDIR/$verb.json" || [ $? -eq 1 ]
      # a busy machine takes the CPU away from the router, too: then frames are lost at two places
      "$JQ" -e "$backlog" "$BATS_TEST_TMPDIR/$verb.json" || break
      echo "# $verb, try $try: the router's backlog dropped frames" >&3
    done
    "$JQ" -c "$part.cause" "$BATS_TEST_TMPDIR/$verb.json"
    "$JQ" -e "$part.cause.rows[0] | .kind == \"exact\" and (.counter | test(\"^nft/\")) and .per_lost_frame == 1" "$BATS_TEST_TMPDIR/$verb.json"
    "$MLR" verify "$BATS_TEST_TMPDIR/$verb.json"
    "$MLR" report "$BATS_TEST_TMPDIR/$verb.json" | grep -A3 'Where the SUT lost them' | grep nft/
    "$JQ" "$part.cause.rows[0].counter = \"udp/drops\"" "$BATS_TEST_TMPDIR/$verb.json" >"$BATS_TEST_TMPDIR/forged.json"
    run -1 "$MLR" verify "$BATS_TEST_TMPDIR/forged.json"
    [[ $output == *cause/rows/0/counter* ]]
  }
  named sweep "" --loads 10kfps,40kfps --duration 0.5
  named soak "" --min-load 5kfps --max-load 60kfps --max-time 12 --target-loss-ratio 1e-3
  named rfc2544 ".frame_sizes[0].frame_loss" --frame-size 64 --tests frame-loss --max-load 60kfps --trial-duration 0.3 --loss-step 0.1
  named y1564 ".services[0].configuration" --service name=x,cir=40kfps,loss=0.001 --tests configuration --step-duration 0.3
}
