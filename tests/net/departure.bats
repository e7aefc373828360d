#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Departure delay and launch time, as far as they go without a NIC that stamps departures.
bats_require_minimum_version 1.5.0
load helper

@test "the kernel says when it was done with a sample of the frames; no frame is lost by it" {
  lab_up xdp
  # some of it is how late frames left: no later than their transmitter was held up, but for the first, and that to 1/2048
  little='.latency.source == "software" and .latency.error_bound_ns < 1000 + .pacing.gap_max_ns / 2048'
  for _ in {1..10}; do
    clean_trial --tx xsk --load 5kfps --duration 0.4 --departure-delay on --direction both
    if get "$little" >/dev/null; then break; fi
  done
  [ "$status" -eq 0 ]
  check '.trial_result.counts | .sent == 4000 and .received == 4000 and .malformed == 0'
  check '.measurer.ports | map([.departure_stamps, .launch_time]) == [["kernel", false], ["kernel", false]]'
  # one in six, of each port
  check '.latency.departure_delay | .source == "the kernel, when it was done with a frame" and .count == 666 and .early == 0'
  check '.latency.departure_delay | .p50_ns > 0 and .p50_ns <= .p99_ns and .p99_ns <= .max_ns and .error_bound_ns > 0'
  # that is later than the departure, so it says nothing of how wrong a latency may be
  check "$little"
  "${BUILD:-build}"/tests/tools/validate --closed docs/schema/trial.schema.json - <<<"$output"
}

@test "by itself it is measured by a NIC's stamps only, and without latency not at all" {
  lab_up xdp
  for options in "" "--departure-delay off" "--departure-delay on --no-latency"; do
    # shellcheck disable=SC2086
    clean_trial --tx xsk --load 1000 --duration 0.2 $options
    [ "$status" -eq 0 ]
    check '.trial_result.counts.received == 200 and .measurer.ports[0].departure_stamps == null'
    check '.latency == null or (.latency | has("departure_delay") | not)'
  done
}

@test "mixed sizes and several queues, each with a sample of its own" {
  "$MLR" lab up --name "$LAB" --sut xdp --queues 2 >/dev/null
  clean_trial --tx xsk --queues 2 --frame-size imix --load 4kfps --duration 0.5 --departure-delay on
  [ "$status" -eq 0 ]
  # 1000 frames a queue, of which one in three
  check '.trial_result.counts.received == 2000 and .latency.departure_delay.count == 666'
}

@test "what cannot be had is refused where it was asked for, and left out where not" {
  lab_up wire
  trial --tx live --load 1000 --duration 0.1 --departure-delay on
  refused 3 "--departure-delay on" "$A" "backend"
  trial --tx live --load 1000 --duration 0.1 --departure-delay on --dry-run # which says so before anything is changed
  refused 3 "--departure-delay on" "$A" "backend"
  trial --tx xsk --load 1000 --duration 0.1 --launch-time on
  refused 3 "--launch-time on" "$A" "does not stamp departures"
  trial --tx xsk --frame-size 9000 --prepare auto,mtu --load 1000 --duration 0.1 --departure-delay on
  refused 3 "--departure-delay on" "$A" "frames this long"
  clean_trial --tx live --load 1000 --duration 0.2
  [ "$status" -eq 0 ]
  trial --load 1000 --launch-time soon
  refused 2 "launch-time" "auto, on or off"
}
