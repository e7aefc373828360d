#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab: what it builds, and that it leaves nothing.
bats_require_minimum_version 1.5.0
load helper

# All that a lab could leave behind.
world() {
  ip -j link show | jq -c 'sort_by(.ifname) | map(.ifname)'
  ls /run/netns 2>/dev/null
  ls /run/xdp-mlr 2>/dev/null
  sysctl net.core net.ipv4.ip_forward net.ipv6.conf.all.disable_ipv6 net.ipv6.conf.default.disable_ipv6 2>/dev/null
  mount | grep -c netns || true
}

# The process of the lab, if it had one, is gone, or goes: it sees its links go, if nobody could kill it.
gone() {
  while pgrep -f "lab up --name $LAB " >/dev/null; do sleep 0.02; done
}

@test "what a lab keeps is root's alone to change, whatever the umask is" {
  (umask 0 && lab_up wire)
  [ "$(stat -c '%U %a' "/run/xdp-mlr/lab-$LAB.json" /run/xdp-mlr | xargs)" = "root 644 root 755" ]
}

@test "every SUT comes up as JSON says, and goes without a trace" {
  before=$(world)
  for sut in router bridge xdp policer:rate=200kfps,burst=100us policer:rate=1000 \
    policer:rate=105kfps,clock=wall,depth=64 policer:rate=105kfps,depth=0 stretch:critical=200kfps,spread=200 \
    delay:us=100 wire; do
    run --separate-stderr "$MLR" lab up --name "$LAB" --sut "$sut" --format json
    [ "$status" -eq 0 ]
    check ".ports == [\"$A\", \"$B\"] and .sut == \"$sut\" and (.namespace | type) == \"string\""
    namespace=$("$JQ" -r .namespace <<<"$output")
    [ "$sut" = wire ] || nsenter --net="/run/netns/$namespace" ip link show sut-b >/dev/null
    # no autoconfiguration noise
    [ "$(cat "/proc/sys/net/ipv6/conf/$A/disable_ipv6")" = 1 ]
    [ "$sut" = wire ] || [ -z "$(nsenter --net="/run/netns/$namespace" ip -6 address show)" ]
    run "$MLR" lab status --name "$LAB"
    [ "$status" -eq 0 ]
    [[ $output == *"$sut"* ]]
    "$MLR" lab down --name "$LAB"
    [ "$(world)" = "$before" ]
    if pgrep -f "lab up --name $LAB "; then return 1; fi
  done
}

@test "a router gets a CPU of its own" {
  taskset -cp "$every_cpu" "$BASHPID" >/dev/null
  [ "$(nproc)" -ge 2 ]
  lab_up router
  # the file is in the sysfs of the namespace, which is mounted for this only
  mkdir "$BATS_TEST_TMPDIR/sys"
  mask=$(inside unshare --mount --propagation unchanged sh -c \
    'mount -t sysfs sysfs "$1" && cat "$1/class/net/sut-a/queues/rx-0/rps_cpus"; umount "$1"' sh "$BATS_TEST_TMPDIR/sys")
  [ $((16#${mask//,/})) -eq $((1 << ($(nproc) - 1))) ]
}

@test "two labs at once do not meet" {
  lab_up policer:rate=1000
  "$MLR" lab up --name "${LAB}x" --sut policer:rate=2000 >/dev/null
  clean_trial --load 10000 --duration 0.5 --wait d=0.1
  one=$(get .trial_result.counts.received)
  A=${LAB}x-a B=${LAB}x-b
  clean_trial --load 10000 --duration 0.5 --wait d=0.1
  two=$(get .trial_result.counts.received)
  [ "$one" -ge 500 ] && [ "$one" -le 502 ]
  [ "$two" -ge 1000 ] && [ "$two" -le 1002 ]
}

@test "a delay that has lost its process says so" {
  lab_up delay:us=100
  kill -9 "$("$JQ" .forwarder "/run/xdp-mlr/lab-$LAB.json")"
  gone
  run --separate-stderr "$MLR" lab status --name "$LAB"
  refused 1 "$LAB" "process"
  "$MLR" lab down --name "$LAB"
  # a number that somebody else has by now is left alone
  lab_up delay:us=100
  sleep 60 &
  bystander=$! background+=($!)
  jq -c ".forwarder = $bystander" "/run/xdp-mlr/lab-$LAB.json" >"$BATS_TEST_TMPDIR/state"
  cp "$BATS_TEST_TMPDIR/state" "/run/xdp-mlr/lab-$LAB.json"
  "$MLR" lab down --name "$LAB"
  kill -0 "$bystander"
  gone
}

@test "a lab that has lost its namespace, or a port, says so, and goes" {
  lab_up router
  ip netns del "xdp-mlr-$LAB"
  run --separate-stderr "$MLR" lab status --name "$LAB"
  refused 1 "$LAB" "namespace xdp-mlr-$LAB is gone"
  "$MLR" lab down --name "$LAB"
  gone
  lab_up wire
  ip link del "$A"
  run --separate-stderr "$MLR" lab status --name "$LAB"
  refused 1 "$LAB" "port $A is gone"
  "$MLR" lab down --name "$LAB"
  gone
}

@test "a delay's process can do nothing else" {
  local pid
  lab_up delay:us=1000
  pid=$("$JQ" .forwarder "/run/xdp-mlr/lab-$LAB.json")
  for _ in {1..200}; do grep -qE '^NoNewPrivs:[[:space:]]1$' "/proc/$pid/status" && break || sleep 0.05; done
  [ "$(grep -cE '^(CapInh|CapPrm|CapEff|CapAmb):[[:space:]]0+$' "/proc/$pid/status")" -eq 4 ]
  nm -D "$MLR" | grep -q asan || for _ in {1..200}; do grep -qE '^Seccomp:[[:space:]]2$' "/proc/$pid/status" && break || sleep 0.05; done
  nm -D "$MLR" | grep -q asan || grep -qE '^Seccomp:[[:space:]]2$' "/proc/$pid/status"
  clean_trial --load 1000 --duration 0.2 --wait d=0.3
  check '.trial_result.counts.received > 0'
}

@test "a command of one's own is the SUT: it is started in the namespace, and goes with the lab" {
  local pid
  printf '%s\n' '#!/bin/sh' "exec $HOSTILE half,every=3 $BATS_TEST_TMPDIR/hostile.log" >"$BATS_TEST_TMPDIR/sut"
  chmod +x "$BATS_TEST_TMPDIR/sut"
  lab_up "exec:$BATS_TEST_TMPDIR/sut"
  pid=$("$JQ" .forwarder "/run/xdp-mlr/lab-$LAB.json")
  clean_trial --load 1000 --duration 0.3 --wait d=0.3
  check '.trial_result.counts | .received > 0 and .lost > 0'
  "$MLR" lab down --name "$LAB"
  if kill -0 "$pid" 2>/dev/null; then return 1; fi
  gone
}

@test "a command that cannot be a SUT is shown with what it says, and leaves nothing" {
  run --separate-stderr "$MLR" lab up --name "$LAB" --sut "exec:$HOSTILE nonsense $BATS_TEST_TMPDIR/log"
  refused 3 "did not print the line 'ready'" "hostile: there is no 'nonsense'"
  gone
  run --separate-stderr "$MLR" lab up --name "$LAB" --sut exec:true
  refused 3 "did not print the line 'ready'"
  gone
  run --separate-stderr "$MLR" lab up --name "$LAB" --sut exec:
  refused 2 "exec:COMMAND"
}

@test "without a name the status is of all labs, and what is wrong with one hides no other" {
  lab_up wire
  "$MLR" lab up --name "${LAB}x" --sut bridge >/dev/null
  run --separate-stderr "$MLR" lab status
  [ "$status" -eq 0 ]
  [[ $output == *"Lab '$LAB' is up: wire"*"Lab '${LAB}x' is up: bridge"* ]]
  run --separate-stderr "$MLR" lab status --format jsonl
  [ "$("$JQ" -sc 'map(.name)' <<<"$output")" = "[\"$LAB\",\"${LAB}x\"]" ]
  ip link delete "$A"
  run --separate-stderr "$MLR" lab status
  [ "$status" -eq 1 ]
  [[ $stderr == *"'$LAB' is up, but"* && $output == *"Lab '${LAB}x' is up: bridge"* ]]
  "$MLR" lab down --name "${LAB}x"
  "$MLR" lab down --name "$LAB"
  run --separate-stderr "$MLR" lab status
  refused 1 "none is up"
  run --separate-stderr "$MLR" lab status --name "$LAB"
  refused 1 "'$LAB' is not up"
}

@test "up twice is refused, down twice is fine" {
  lab_up wire
  run --separate-stderr "$MLR" lab up --name "$LAB" --sut bridge
  refused 2 "$LAB" "wire" "lab down"
  "$MLR" lab down --name "$LAB"
  run "$MLR" lab down --name "$LAB"
  [ "$status" -eq 0 ]
  run "$MLR" lab status --name "$LAB"
  [ "$status" -eq 1 ]
}

@test "a link or namespace of somebody else's with the same name is not touched" {
  ip link add "$A" type bridge
  run --separate-stderr "$MLR" lab up --name "$LAB" --sut bridge
  refused 2 "$A" "--name"
  ip link show "$A" >/dev/null
  ip link del "$A"
  ip netns add "xdp-mlr-$LAB"
  run --separate-stderr "$MLR" lab up --name "$LAB" --sut bridge
  refused 2 "xdp-mlr-$LAB" "--name"
  ip netns del "xdp-mlr-$LAB"
}

@test "bad specifications are refused with what would be right" {
  for bad in "switch|switch" "polcer:rate=1|'polcer', did you mean 'policer'?" "router:x=1|x=1" "policer|rate" "policer:rate=fast|fast" "policer:rate=0|rate=0" \
    "policer:rate=100,burst=-1|burst=-1" "policer:rate=100,color=red|color" "policer:rate|rate" "policer:rate=1,vlan=4096|vlan=4096" "policer:rate=1,priority=8|from 0 to 7" \
    "policer:rate=1,depth=4,burst=1us|burst and depth both" "policer:rate=1,depth=1.5|depth=1.5" "policer:rate=1,depth=-1|depth=-1" \
    "policer:rate=0.01,depth=64|an hour" "policer:rate=1,clock=sun|clock=sun" "policer:rate=1,clock|needs a value" "stretch:critical=1e5|spread" \
    "stretch:spread=100|critical" "stretch:critical=1e5,spread=2e4|tenth" "stretch:critical=1e5,spread=10,seed=1.5|seed=1.5" \
    "delay|us" "delay:|us" "delay:us=-1|us=-1" "delay:us=1e6|100000" "delay:us=100us|us=100us" "delay:ms=1|us=N"; do
    run --separate-stderr "$MLR" lab up --name "$LAB" --sut "${bad%|*}"
    refused 2 "--sut" "${bad#*|}"
  done
  run --separate-stderr "$MLR" lab up --name "$LAB" --sut delay:us=100 --queues 2
  refused 2 "--queues" "delay"
  run --separate-stderr "$MLR" lab up --name "much-too-long-a-name" --sut wire
  refused 2 "--name"
  run --separate-stderr "$MLR" lab up --name "../etc" --sut wire
  refused 2 "--name"
  run --separate-stderr "$MLR" lab sideways
  [ "$status" -eq 2 ]
}

@test "a lab whose making was killed is removed by clean, and by the next up" {
  before=$(world)
  for sut in router delay:us=100; do
    for delay in 0.001 0.003 0.006 0.01 0.02 0.04; do
      "$MLR" lab up --name "$LAB" --sut "$sut" >/dev/null 2>&1 &
      pid=$!
      sleep "$delay"
      kill -9 "$pid" 2>/dev/null || true
      wait "$pid" || true
      "$MLR" clean --quiet >/dev/null
      # too late to kill: then it is complete, and stays
      "$MLR" lab down --name "$LAB" --quiet
      [ "$(world)" = "$before" ]
      gone
    done
  done
  printf '{"name":' >"/run/xdp-mlr/lab-$LAB.json" # cut short while it was written
  "$MLR" lab up --name "$LAB" --sut wire >/dev/null
  "$MLR" lab down --name "$LAB"
  [ "$(world)" = "$before" ]
}

@test "it works inside another network namespace" {
  ip netns add "$LAB-outer"
  run --separate-stderr nsenter --net="/run/netns/$LAB-outer" "$MLR" lab up --name "$LAB" --sut policer:rate=1000
  [ "$status" -eq 0 ]
  outer_trial() { run --separate-stderr nsenter --net="/run/netns/$LAB-outer" "$MLR" trial -p "$A,$B" --load 1000 --duration 0.3 --format json; }
  clean outer_trial
  nsenter --net="/run/netns/$LAB-outer" "$MLR" lab down --name "$LAB"
  ip netns del "$LAB-outer"
  check '.trial_result.counts.lost == 0 and .trial_result.counts.received == 300'
}

@test "two ports of this machine are a SUT until it is interrupted, and free again then" {
  lab_up wire
  "$MLR" lab up --name "${LAB}x" --sut wire >/dev/null
  "$MLR" lab on -p "$B,${LAB}x-a" --sut policer:rate=20kfps,burst=1ms --format json >"$BATS_TEST_TMPDIR/on" &
  background+=("$!")
  sut=$!
  until [ -s "$BATS_TEST_TMPDIR/on" ]; do sleep 0.02; done
  "$JQ" -e --arg a "$B" --arg b "${LAB}x-a" '.ports == [$a, $b] and .sut == "policer:rate=20kfps,burst=1ms"' "$BATS_TEST_TMPDIR/on"
  run "$MLR" lab on -p "$B,${LAB}x-a" --sut xdp
  [ "$status" -eq 4 ]
  B=${LAB}x-b
  clean_trial --load 20kfps --duration 0.5
  check '.trial_result.counts.lost == 0'
  # 100 above the rate, less the 20 of the burst
  clean_trial --load 20.2kfps --duration 0.5
  check '.trial_result.counts.lost == 80'
  kill -TERM "$sut"
  wait "$sut"
  clean_trial --load 1kfps --duration 0.2
  check '.trial_result.counts.received == 0'
  [ -z "$(ip -j link show "$LAB-b" | "$JQ" -r '.[0].xdp // empty')" ]
  for bad in "router|given ports can be" "delay:us=1|given ports can be" "wire|given ports can be"; do
    run "$MLR" lab on -p "$LAB-b,${LAB}x-a" --sut "${bad%%|*}"
    [ "$status" -eq 2 ]
    [[ $output == *"${bad#*|}"* ]]
  done
  run "$MLR" lab on --sut xdp
  [ "$status" -eq 2 ]
  [[ $output == *--ports* ]]
}
