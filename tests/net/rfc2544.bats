#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The suite of RFC 2544 against SUTs of which every figure is known.
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

@test "of the sizes of section 9.1 the smallest is what fits" {
  lab_up wire
  suite --ip 6 --dry-run
  [ "$status" -eq 0 ]
  check '.configuration["frame-size"] == "84,128,256,512,1024,1280,1518"'
  [[ $stderr == *"frame size 84 octets instead of 64"* ]]
  suite --vlan 1,2 --tests back-to-back --burst-tests 1 --max-load 20kfps --max-time 1
  check '.frame_sizes[0].frame_size_octets == 72 and ([.deviations[] | select(test("section 9.1 also has 64 octets"))] | length == 1)'
  suite --ip 6 --frame-size 64,128
  refused 2 "84"
}

@test "--tests chooses, and what a test needs is measured for it" {
  lab_up $policer
  clean suite --frame-size 64 --tests latency
  [ "$status" -eq 0 ]
  check '.tests == ["latency"] and (.frame_sizes[0] | .throughput.throughput > 19000 and .latency.repeats == 2)'
  check '.frame_sizes[0] | .frame_loss == null and .back_to_back == null and .recovery == null'
  check '.reset == null and (.deviations | map(select(test("26.3: frame-loss was not asked for"))) | length == 1)'
  clean suite --frame-size 64 --tests frame-loss --loss-step 5%
  check '.frame_sizes[0] | .throughput == null and (.frame_loss.points | length) == 18'
}

@test "a reset that did not happen, failed, or never ended is irregular" {
  lab_up $policer
  suite --frame-size 64 --tests reset --reset-command true --reset-duration 1
  [ "$status" -eq 1 ]
  check '.reset | (.regular | not) and .reset_time == null and (.irregular_reason | test("no outage was seen"))'
  suite --frame-size 64 --tests reset --reset-command "exit 3" --reset-duration 1
  [ "$status" -eq 1 ]
  check '.reset | .command_result == "exited with status 3" and (.irregular_reason | test("command failed"))'
  # what the command says does not get into the result
  suite --frame-size 64 --tests reset --reset-duration 1 --reset-command "echo talk; nsenter --net=/run/netns/xdp-mlr-$LAB ip link set sut-a xdp off"
  [ "$status" -eq 1 ]
  check '.reset | .reset_time == null and .frames_lost > 1000 and (.irregular_reason | test("not forwarded again"))'
}

# A recovery test; while its load is reduced, something happens to the SUT. Again where the tester itself was the limit, and so the
# trial not the only one, or where the trial had ended by then.
recovery_while() { # command...
  local try in_time
  for try in 1 2 3 4 5; do
    lab_up $policer
    start rfc2544 "${short[@]}" --frame-size 64 --tests recovery --format jsonl
    until_it_says '"goal": *"recovery"' "$BATS_TEST_TMPDIR/out" || true
    flowing 10500 # the overload of 0.5 s gets no more than 10 011 frames through
    eval "$*"
    in_time=false
    if running; then in_time=true; fi
    ended
    "$MLR" lab down --name "$LAB"
    output=$(tail -1 <<<"$output")
    $in_time && [ "$(get '.frame_sizes[0].recovery | .repeated_trials + (if .tester_limited then 1 else 0 end)')" -eq 0 ] && return
    echo "# try $try: the tester was the limit, or had ended" >&3
  done
  give_up "the tester was the limit of each try, and said so"
}

# The SUT's program is taken off, and put back; its link stays. Meanwhile the loopback keeps the program.
silence() { # seconds
  local program
  program=$(inside ip -j link show sut-a | jq '.[0].xdp.prog.id')
  inside bpftool net attach xdpgeneric id "$program" dev lo
  inside ip link set sut-a xdp off
  sleep "$1"
  inside bpftool net attach xdp id "$program" dev sut-a
}

@test "recovery is counted to the last lost frame" {
  recovery_while silence 0.4
  check '.frame_sizes[0].recovery.runs[0] | .recovery >= 0.4 and .frames_lost_after > 2000 and (.lost_at_end | not)'
  check '.frame_sizes[0].recovery | .average == .runs[0].recovery'
}

@test "a SUT that loses to the end has not recovered" {
  recovery_while "inside ip link set sut-a xdp off"
  [ "$status" -eq 1 ]
  check '.frame_sizes[0].recovery | .average == null and (.regular | not) and .runs[0].lost_at_end and .runs[0].recovery == null'
}

@test "a SUT that keeps every burst ends at the longest" {
  lab_up xdp
  clean suite --max-load 50kfps --frame-size 64 --tests back-to-back --burst-tests 1
  # and is not the limit, which makes the throughput irregular
  [ "$status" -eq 1 ]
  check '.frame_sizes[0].back_to_back | .values == [25000] and .reached_max_burst and .max_burst_frames == 25000 and .stdev == null'
  check '.frame_sizes[0].throughput | .throughput == 50000 and (.regular | not)'
}

@test "--max-time ends it, with what was measured" {
  lab_up $policer
  suite --frame-size 64,1518 --latency-repeats 50 --max-time 4
  [ "$status" -eq 1 ]
  check '(.irregular_reason | test("time limit")) and (.regular | not) and (.frame_sizes | length) == 1'
  # wherever it was by then
  check '.frame_sizes[0] | .frame_loss == null and if .throughput.regular then .latency | .repeats < 50 and (.regular | not) else .latency == null end'
}

@test "SIGINT prints what was measured" {
  lab_up $policer
  start rfc2544 "${short[@]}" --frame-size 64,1518 --format jsonl
  until_it_says '"test_finished".*"latency"' "$BATS_TEST_TMPDIR/out"
  interrupted
  output=$(tail -1 <<<"$output")
  check '.irregular_reason == "interrupted" and .frame_sizes[0].throughput.throughput > 0 and .frame_sizes[0].latency.repeats == 2'
  [ "$(xdp_count)" -eq 0 ]
}

@test "events, text and a report file" {
  lab_up $policer
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" "${short[@]}" --frame-size 64 --tests throughput,back-to-back --format jsonl \
    --report "$BATS_TEST_TMPDIR/report.txt"
  [ "$(jq -sc '[.[] | select(.event == "test_started" or .event == "test_finished") | [.event, .test]]' <<<"$output")" = \
    '[["test_started","throughput"],["test_finished","throughput"],["test_started","back-to-back"],["test_finished","back-to-back"]]' ]
  [ "$(jq -s '.[-2].event == "finished" and .[-1].schema == "xdp-mlr/rfc2544/1"' <<<"$output")" = true ]
  grep -q "Back-to-back frames" "$BATS_TEST_TMPDIR/report.txt"
  grep -q "Deviations" "$BATS_TEST_TMPDIR/report.txt"
  [[ $stderr == *"64 octets: throughput"* ]]
}

@test "a reset command inherits the three standard files, and no socket of the tester" {
  lab_up "$policer"
  "$MLR" rfc2544 -p "$A,$B" "${short[@]}" --frame-size 64 --tests reset --reset-duration 1 --tx xsk \
    --reset-command "open=; for fd in $(echo {3..40}); do [ ! -e /proc/\$\$/fd/\$fd ] || open=\"\$open \$fd\"; done; echo \"open:\$open\" >$BATS_TEST_TMPDIR/fds" >/dev/null 7</dev/null || [ $? -eq 1 ]
  [ "$(cat "$BATS_TEST_TMPDIR/fds")" = open: ]
}
