#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The suite of RFC 2544 as a whole, every trial of which is to be clean, and where the SUT's link goes down: who watches that needs a CPU
# while the transmitter finds its link down.
bats_require_minimum_version 1.5.0
load suite

@test "all tests but the reset find what the policer is known to do" {
  lab_up $policer
  clean suite --frame-size 64,1518
  check '.schema == "xdp-mlr/rfc2544/1" and .fast and .load_scope == "interface" and .aggregate_factor == 1'
  check '.tests == ["throughput", "latency", "frame-loss", "back-to-back", "recovery"]'
  check '[.frame_sizes[].frame_size] == ["64", "1518"] and [.frame_sizes[].frame_size_octets] == [64, 1518]'
  check '[.frame_sizes[] | .max_load == 100000 and .max_load_source == "option" and .line_rate == null] | all'
  # 26.1: short trials may be 0.6 % faster, by the burst
  check '[.frame_sizes[].throughput | .throughput > 19850 and .throughput <= 20130] | all'
  check '[.frame_sizes[].throughput | .goal_result.relevant_lower_bound == .throughput and .trial_count == (.trials | length)] | all'
  check '.frame_sizes[1].throughput | (.l2_bps / (.throughput * 1518 * 8) - 1) | fabs < 1e-9'
  # 26.2
  check '[.frame_sizes[].latency | .repeats == 2 and .lost_frames == 0 and (.trials | length) == 2 and .every_frame] | all'
  check '[.frame_sizes[].latency | .min_ns <= .average_of_medians_ns and .average_of_means_ns <= .max_ns and .stdev_of_means_ns >= 0] | all'
  check '[.frame_sizes[] | .latency.load == .throughput.throughput] | all'
  check '[.frame_sizes[].latency | .source == "software" and .error_bound_ns > 0] | all'
  # 26.3: from the maximum down to two loads without loss
  check '[.frame_sizes[].frame_loss.points | map(.load_ratio * 10 | round)] | unique == [[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]]'
  check '[.frame_sizes[].frame_loss.points[] | ((1 - 20000 / .load) as $loss | .loss_ratio - (if $loss > 0 then $loss else 0 end)) | fabs < 0.006] | all'
  check '[.frame_sizes[].frame_loss | .loss_free_pair and (.points[-2:] | map(.loss_ratio) == [0, 0])] | all'
  # 26.4
  check "[.frame_sizes[].back_to_back | .values == [$longest_burst, $longest_burst, $longest_burst] and .average == $longest_burst and .stdev == 0] | all"
  check "[.frame_sizes[].back_to_back | (.corrected_buffer_time - $longest_burst / 100000 * (1 - .measured_throughput / 100000)) | fabs < 1e-12] | all"
  check '[.frame_sizes[].back_to_back | .burst_rate == 100000 and (.burst_rate_is_theoretical | not) and (.reached_max_burst | not)] | all'
  # 26.5: a policer forgives at once; but the frame before the change is only missed when the next one has come
  check '[.frame_sizes[].recovery | .average < 0.05 and (.overload_ratio - 1.1 | fabs < 1e-9) and .reduced_load * 2 == .overload] | all'
  check '[.frame_sizes[].recovery.runs[] | .frames_lost > 500 and .frames_lost_after <= 1] | all'
  check '.deviations | map(select(test("Throughput: trials of 0.1 s"))) | length == 1'
  check '.deviations | map(select(test("Maximum rate: these ports have no known line rate"))) | length == 1'
  [ "$status" -eq 0 ]
  check '.regular and .irregular_reason == null'
}

# A command that takes the SUT's link away for a time, on any CPU.
outage() { # seconds
  echo "taskset -c $every_cpu nsenter --net=/run/netns/xdp-mlr-$LAB sh -c 'ip link set sut-a down; sleep $1; ip link set sut-a up'"
}

# A suite with an outage. Again where that was not over by the end of its trial, which the result says.
suite_with_outage() { # seconds option...
  local try
  for try in 1 2 3; do
    suite --reset-command "$(outage "$1")" "${@:2}"
    get '[.. | .irregular_reason? // empty] | any(test("not forwarded again"))' >/dev/null || break
    echo "# try $try: frames were not forwarded again before the trial ended" >&3
  done
  [ "$status" -le 1 ] || echo "exit $status: ${stderr##*$'\n'}"
}

# An outage is seen by looks at the counters, of which each may be late.
@test "a reset is measured once, for the smallest frames" {
  lab_up $policer
  clean suite_with_outage 0.4 --frame-size 1518,64 --tests reset
  check '.tests == ["reset"]'
  check '.reset | .frame_size == "64" and .command_result == "exited with status 0" and .reset_time > 0.35'
  check '.reset | (.reset_time - .reset_time_by_loss) | fabs < 0.1'
  check '.reset | (.outage_to - .outage_from - .reset_time) | fabs < 1e-6'
  [ "$status" -eq 0 ]
}

# The bridge forwards all that each port sends to the three others, or nothing.
@test "a reset in a full mesh: what is lost in a direction is a time by the load of that direction" {
  lab_up bridge
  join_bridge x y
  clean suite --direction mesh --min-load 1000 --max-load 3000 --frame-size 128 --tests reset --reset-command \
    "nsenter --net=/run/netns/xdp-mlr-$LAB sh -c 'ip link set $BRIDGE down; sleep 0.5; ip link set $BRIDGE up'"
  check '.reset.directions | length == 4 and all(.reset_time > 0.45 and (.reset_time - .reset_time_by_loss | fabs) < 0.1)'
  check '.reset | .reset_time_by_loss as $time | any(.directions[]; .reset_time_by_loss == $time)'
}

@test "a reset by the operator is told to be made, and measured" {
  lab_up $policer
  local try
  # without a throughput, which the machine may spoil, there is no reset
  for try in 1 2 3; do
    start rfc2544 "${short[@]}" --frame-size 64 --tests reset
    if until_it_says "reset the SUT now" "$BATS_TEST_TMPDIR/err"; then break; fi
    ended
    echo "# try $try: $(get .irregular_reason)" >&3
  done
  eval "$(outage 0.3)"
  ended
  check '.reset | .command == null and .reset_time > 0.25 and .reset_time < 3'
}

@test "a recovery in which a link went down is measured again" {
  lab_up $policer
  start rfc2544 "${short[@]}" --frame-size 64 --tests recovery
  until grep -q '64 octets: recovery' "$BATS_TEST_TMPDIR/err"; do sleep 0.02; done
  while running && ! grep -q "link went down" "$BATS_TEST_TMPDIR/err"; do flap; sleep 0.3; done
  ended
  check '.warnings | map(select(test("link went down.*performed again"))) | length >= 1'
  check '.frame_sizes[0].recovery | .average < 0.05 or .tester_limited or .repeated_trials > 0'
}
