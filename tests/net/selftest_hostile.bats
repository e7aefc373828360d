#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# selftest --hostile: an honest path is certified, a receiver that is wrong is not, and what does not go together is refused.
bats_require_minimum_version 1.5.0
load helper

# A short trial at a low load, so that a busy machine can send it and receives all of it.
hostile() { # OPTION...
  run --separate-stderr "$MLR" selftest -p "${PORTS:-$A,$B}" --hostile --load 3000 --hostile-load "${HOSTILE_LOAD:-3000}" \
    --duration 0.5 --tx xsk --connect off --format json "$@"
}

# The same, until counts are certified. On a busy machine frames may stay unsent, or be missed.
certified() { # OPTION...
  local try
  for try in {1..5}; do
    hostile "$@"
    [ "$status" -eq 1 ] || { [ "$status" -eq 0 ] || echo "exit $status: $stderr"; return 0; }
    check '.hostile_tests[-1] | .regular == false and (.irregular_reason | test("could not keep up|unsent|did not come"))'
    echo "# try $try: $(get '.hostile_tests[-1].irregular_reason')" >&3
  done
  give_up "hostile frames were missed, or the trial could not be sent, in each try, and it said so"
}

# Each hostile frame that was sent stands in the count that is foreseen for its kind.
all_is_accounted_for='.hostile_tests | length > 0 and all(
    .regular and .irregular_reason == null and .certified_rate > 0
    and (.kinds | length == 42) and ([.counted[] | .sent == .counted and .sent > 0] | all)
    and ([.kinds[].sent] | add) == ([.counted[].sent] | add)
    and (.trials[-1] | .exact and .hostile_sent == .hostile_counted and .hostile_sent > 0)
    and (.alone as $alone | .trials[-1].counts | .received == .sent and .sent == $alone.sent and .lost == 0 and .duplicate == 0
      and .reordered == 0 and .verified == .received and .changed == 0 and .misdirected == 0))'

@test "an honest path is certified, and every hostile frame stands in the count that is foreseen for it" {
  lab_up wire
  certified --report "$BATS_TEST_TMPDIR/page.html" --report "$BATS_TEST_TMPDIR/rows.csv" --junit "$BATS_TEST_TMPDIR/junit.xml"
  check "$all_is_accounted_for"
  check '.irregular_reason == null and .self_tests == [] and .sut_check.verified and .configuration.verify == "all"'
  check '.hostile_tests[0] | .limited_by == "option" and .frame_size == "128" and .missed_rate == null and .load == 3000'
  check '[.hostile_tests[0].kinds[] | select(.kind | IN("changed-payload", "vlan-stack") | not) | .sent] | max - min <= 1'
  [[ $stderr == *'frames of 128 octets: counts are exact beside '*'fps of hostile frames'* && $stderr != *warn* ]]
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/selftest.schema.json - <<<"$output"
  grep -q 'Kinds of hostile frames' "$BATS_TEST_TMPDIR/page.html"
  grep -q '<testcase classname="xdp-mlr.selftest.hostile-tests" name="128 xsk"/>' "$BATS_TEST_TMPDIR/junit.xml"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/rows.csv")" -eq "$((1 + $(get '.hostile_tests[0].trials | length')))" ]
  # it is no self-test that later runs could use
  [ ! -e "$XDP_MLR_STATE_DIRECTORY/selftest/$A+$B.json" ]
}

@test "it is certified in both directions, over IPv6, of a mix, and by live frames" {
  lab_up wire
  certified --direction both --frame-size 96,1518
  check "$all_is_accounted_for"
  check '[.hostile_tests[].frame_size] == ["96", "1518"] and .hostile_tests[0].trials[-1].counts.sent == 3000'
  certified --ip 6 --flows 10 --frame-size imix:7:90,4:594,1:1518 --direction b-to-a
  check "$all_is_accounted_for"
  certified --ip mixed --tx live
  check "$all_is_accounted_for"
}

@test "as many hostile frames as can be sent: the rate is told, and what limits it" {
  lab_up wire
  HOSTILE_LOAD=max
  hostile
  check '.hostile_tests[0] | .limited_by | IN("sender", "port", "receiver", "transmitter")'
  check '.hostile_tests[0] | .trials | length > 0 and .[0].hostile_load == null and .[0].hostile_rate > 3000'
  check '.hostile_tests[0] | .certified_rate != null or (.regular == false and (.irregular_reason | length > 0))'
  check '.hostile_tests[0] | .certified_rate == null or .missed_rate == null or (.limited_by | IN("receiver", "transmitter"))'
  [ "$status" -eq "$(get 'if .hostile_tests[0].regular then 0 else 1 end')" ]
}

# Links whose ends nobody knows, over a SUT of the tests.
over_mutant() { # WHAT
  "$MLR" lab down --name "$LAB" --quiet
  lab_up "hostile:$1"
  ip link add "$LAB-x" link "$A" type macvlan mode private
  ip link add "$LAB-y" link "$B" type macvlan mode private
  ip link set "$LAB-x" up
  ip link set "$LAB-y" up
  carried "$LAB-x" "$LAB-y"
  PORTS=$LAB-x,$LAB-y HOSTILE_LOAD=300
  MACS=$(cat "/sys/class/net/$LAB-y/address"),$(cat "/sys/class/net/$LAB-x/address")
}

# What the SUT does it does to the 1600th test frame: after the 1500 of the trial alone, and within those of the next one.
caught() { # WHAT REASON
  local try
  for try in {1..5}; do
    over_mutant "$1,every=1600"
    hostile --dst-mac "$MACS"
    [ "$status" -eq 1 ] || { echo "exit $status: $stderr $output"; return 1; }
    check '.irregular_reason == "counts are not certified beside hostile frames for a frame size"'
    check '.hostile_tests[0] | .regular == false and .certified_rate == null'
    get ".hostile_tests[0].irregular_reason | test(\"^($2)\")" >/dev/null && return
    check '.hostile_tests[0].irregular_reason | test("unsent|could not keep up|without hostile frames")'
    echo "# try $try: $(get '.hostile_tests[0].irregular_reason')" >&3
  done
  give_up "the machine was too busy for each trial, and it said so"
}

@test "a path that is right is certified by the same links" {
  over_mutant drop,every=65535
  certified --dst-mac "$MACS"
  check "$all_is_accounted_for"
  check '.sut_check.verified | not'
}

@test "a path that loses a frame beside hostile ones is not certified" {
  caught drop '[0-9]+ frames of the trial and [0-9]+ hostile ones did not come, and no counter of the ports tells why'
}

@test "a path that copies a frame beside hostile ones is not certified" {
  caught duplicate 'the counts are wrong: [0-9]+ frames received twice|[0-9]+ frames are counted as'
}

@test "a path that changes a bit of a frame is not certified" {
  caught flip-sequence '[0-9]+ frames are counted as'
}

# Ports that are tap devices, joined by a program.
over_taps() { # [rewrite]
  [ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
  PORTS=$LAB-x,$LAB-y HOSTILE_LOAD=3000
  taskset -c "$every_cpu" "${BUILD:-build}/tests/tools/join_taps" "$LAB-x" "$LAB-y" "$@" &
  background+=("$!")
  until [ -e "/sys/class/net/$LAB-y" ]; do sleep 0.02; done
  ip link set "$LAB-x" up
  ip link set "$LAB-y" up
  carried "$LAB-x" "$LAB-y"
}

@test "whether a port takes VLAN tags off is found out, whatever the port is" {
  over_taps
  certified --direction both
  check "$all_is_accounted_for"
}

@test "a path that changes the destination MAC address is told" {
  over_taps rewrite
  hostile
  [ "$status" -eq 1 ] || { echo "exit $status: $stderr $output"; return 1; }
  check '.hostile_tests[0] | .regular == false and (.irregular_reason | test(": the counts are wrong: [0-9]+ frames received with another destination MAC address$"))'
}

@test "SIGINT ends it" {
  lab_up wire
  start selftest --hostile --load 3000 --hostile-load 3000 --duration 3600 --format json
  until_it_says . "/sys/class/net/$B/statistics/rx_packets"
  flowing 1000
  interrupted
  check '.irregular_reason == "interrupted" and .hostile_tests == []'
  no_xdp_left
}

@test "what does not go together is refused, with the reason" {
  lab_up wire
  local options
  while IFS='|' read -r options words; do
    # shellcheck disable=SC2086 # several options
    run --separate-stderr "$MLR" selftest -p "$A,$B" $options
    # shellcheck disable=SC2086 # several words
    refused 2 $words
  done <<'END'
--hostile-load 1kfps|--hostile
--load 1kfps|--load --hostile
--hostile --load max|--load room
--hostile --frame-size 64|--frame-size signature 68
--hostile --frame-size 128,64|--frame-size signature 68
--hostile --ip 6 --frame-size 87|signature 88
--hostile --verify auto|--verify forged
--hostile --no-seq|--no-seq copies
--hostile --vlan 5|--vlan
--hostile --prepare auto,try|--prepare
--hostile --hostile-load 0|--hostile-load above
--hostile --hostile-load many|--hostile-load
END
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 1000 --hostile
  refused 2 hostile
  # a share of a line rate that nobody knows
  HOSTILE_LOAD=10%
  hostile
  refused 2 --hostile-load 'line rate'
}
