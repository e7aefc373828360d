#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab's delay: what it holds, and what it cannot. Its process and the transmitter need a CPU each.
bats_require_minimum_version 1.5.0
load helper

# The delay's process may lose its CPU, too, and then more than it can hold: 4096 frames, for which it has 0.2 s at least. Then frames come as much
# later, or none does.
delayed_trial() { # OPTION...
  local try
  for try in {1..5}; do
    clean_trial "$@"
    get '.trial_result.counts.lost > 0 and (.latency == null or .latency.max_ns > 1.9e8)' >/dev/null || return 0
    echo "# try $try: the delay lost $(get .trial_result.counts.lost), and held a frame for $(get .latency.max_ns) ns" >&3
  done
  give_up "the delay had no CPU for a time in each try"
}

@test "a delay holds every frame, both ways, and alters none" {
  for us in 100 3000; do
    lab_up delay:us=$us
    for direction in a-to-b b-to-a; do
      delayed_trial --direction "$direction" --load 20kfps --duration 0.5 --frame-size 512
      check '.trial_result.counts | .lost == 0 and .malformed == 0 and .duplicate == 0 and .reordered == 0 and .received == 10000'
      check ".latency.min_ns >= $us * 1000 and .latency.count == 10000"
      [ "$us" = 3000 ] || check '.latency.min_ns < 3000000'
    done
    "$MLR" lab down --name "$LAB"
  done
}

@test "a delay longer than the silence that ends phase d loses nothing, and its percentiles are those of its frames" {
  lab_up delay:us=100000
  clean_trial --load 1000 --duration 0.02 --wait d=0.3
  [ "$status" -eq 0 ]
  check '.trial_result.counts | .lost == 0 and .received == 20'
  check '.latency | .min_ns >= 100e6 and .p50_ns >= .min_ns and .p50_ns <= .max_ns and .error_bound_ns <= .max_ns * 0.002 + 1000'
}

@test "a delay loses what it cannot hold, and goes on" {
  local try goes_on='.trial_result.counts.received > 4096'
  lab_up delay:us=100000
  for try in {1..5}; do
    clean_trial --load 80kfps --duration 0.5 # 8000 frames in 100 ms, and room for 4096
    check '.trial_result.counts | .lost > 1000 and .received > 4000'
    get "$goes_on" >/dev/null && break
    echo "# try $try: the delay had no CPU until all was sent" >&3
  done
  get "$goes_on" >/dev/null || give_up "the delay had no CPU in any try"
  delayed_trial --load 10kfps --duration 0.5
  check '.trial_result.counts | .lost == 0 and .received == 5000'
}
