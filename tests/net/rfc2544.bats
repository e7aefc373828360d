#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The suite of RFC 2544 against SUTs of which every figure is known.
bats_require_minimum_version 1.5.0
load suite

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

@test "a plan says how long the suite takes, by what is asked for" {
  local whole
  lab_up wire
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --max-load 100kfps --dry-run --format json
  # at each of seven sizes 20 repeats of latency of 120 s, 10 loads of 60 s, 3 recoveries of 70 s, 50 searches of ten bursts or more; with
  # waits of 9 s
  check '.estimate.duration / 7 | . > 20 * 129 + 10 * 69 + 3 * 79 + 50 * 10 * 9 and . < 20 * 130 + 10 * 70 + 3 * 80 + 50 * 20 * 10 + 600'
  whole=$(get .estimate.duration)
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --max-load 100kfps --fast --frame-size 64 --dry-run --format json
  check ".estimate.duration > 20 and .estimate.duration < $whole / 100"
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --max-load 100kfps --max-time 60 --dry-run --format json
  check '.estimate.duration == 60'
}

@test "while it runs it says which size and test, and the time of the suite as a whole" {
  lab_up $policer
  start rfc2544 "${short[@]}" --frame-size 64,128 --tests latency --latency-repeats 1 --latency-duration 20
  # a line after ten seconds, in the latency of the first size: that of the second, of 20 s, is still to come
  until_it_says 'size 1 of 2, test 2 of 2: 0:[1-9][0-9] elapsed, about 0:[2-5][0-9] to go' "$BATS_TEST_TMPDIR/err"
  kill -INT $pid
  ended
  [ "$status" -eq 130 ]
}

@test "a size begins when the kernel has let the sockets of the one before go" {
  lab_up $policer
  suite --frame-size 64,65,66,67,68,69,70,71,72,73 --tests throughput --trial-duration 0.05
  [ "$status" -le 1 ] || { echo "$stderr"; return 1; }
  check '.frame_sizes | length == 10'
}

@test "bit rates of a mix are of its mean size, to the octet and beyond" {
  lab_up $policer
  suite --frame-size imix,genome:aab --tests throughput --trial-duration 0.05 --require 'throughput>=1Mbps-l2'
  [ "$status" -le 1 ] || { echo "$stderr"; return 1; }
  check '.frame_sizes | map(.frame_size_octets * 12 | round) == [(7 * 64 + 4 * 594 + 1518), (64 + 64 + 128) * 4]'
  check '.frame_sizes | all(.throughput | .throughput > 0 and .l1_bps == .goal_result.relevant_lower_bound_l1_bps
    and .l2_bps == .goal_result.relevant_lower_bound_l2_bps)'
  check '. as $all | [range(2)] | all(. as $i | $all.requirements[$i].required * 8 * $all.frame_sizes[$i].frame_size_octets / 1e6 - 1 | fabs < 1e-9)'
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
  # what the command says does not get into the result, nor does it hold the command up
  suite --frame-size 64 --tests reset --reset-command "yes | head -c 1000000; nsenter --net=/run/netns/xdp-mlr-$LAB ip link set sut-a xdp off"
  [ "$status" -eq 1 ]
  check '.reset | .command_result == "exited with status 0" and .reset_time == null and .frames_lost > 1000 and (.irregular_reason | test("not forwarded again"))'
}

@test "a reset of one direction is seen, and begins at the command" {
  local program inside
  lab_up xdp
  inside="nsenter --net=/run/netns/xdp-mlr-$LAB"
  program=$(inside ip -j link show sut-b | jq '.[0].xdp.prog.id')
  # the loopback keeps the program meanwhile
  inside bpftool net attach xdpgeneric id "$program" dev lo
  suite --direction both --max-load 20kfps --frame-size 64 --tests reset --reset-duration 5 \
    --reset-command "sleep 0.2; $inside ip link set sut-b xdp off; sleep 0.5; $inside bpftool net attach xdp id $program dev sut-b"
  # without a throughput, which the machine may spoil, there is no reset
  get '.reset.directions' >/dev/null || give_up "the throughput is not known: $(get .reset.irregular_reason)"
  check '.reset | .reset_time >= 0.45 and .outage_from >= .command_at + 0.15'
  check ".reset.worst_direction.reset_time == {from: \"$B\", to: \"$A\"}"
  check ".reset.directions | map(select(.to == \"$A\"))[0] | .frames_lost > 5000 and .reset_time_by_loss > 0.3"
  check ".reset.directions | map(select(.to == \"$B\"))[0] | .frames_lost == 0 and .reset_time == null"
}

@test "an outage is seen though others had the CPUs meanwhile, and the tester did not look" {
  local program inside
  lab_up xdp
  inside="nsenter --net=/run/netns/xdp-mlr-$LAB"
  program=$(inside ip -j link show sut-b | jq '.[0].xdp.prog.id')
  inside bpftool net attach xdpgeneric id "$program" dev lo
  # the thread that looks, the tester's first, gets what the loops leave; transmitters and receivers are as before
  cat >"$BATS_TEST_TMPDIR/reset" <<END
loops=
for _ in \$(seq \$((4 * \$(nproc)))); do sh -c 'while :; do :; done' & loops="\$loops \$!"; done
chrt --idle --pid 0 \$1
$inside ip link set sut-b xdp off
sleep 0.5
$inside bpftool net attach xdp id $program dev sut-b
chrt --other --pid 0 \$1
kill \$loops
END
  suite --direction both --max-load 20kfps --frame-size 64 --tests reset --reset-duration 5 --reset-command "sh $BATS_TEST_TMPDIR/reset \$(ps -o ppid= -p \$PPID)"
  get '.reset.directions' >/dev/null || give_up "the throughput is not known: $(get .reset.irregular_reason)"
  check '.reset | .reset_time >= 0.45 and .resolution <= .reset_time / 3 and .outage_from >= .command_at'
  check ".reset.worst_direction.reset_time == {from: \"$B\", to: \"$A\"}"
}

# A recovery test; while its load is reduced, something happens to the SUT. Again where the tester itself was the limit, and so the
# trial not the only one, or where the trial had ended by then.
recovery_while() { # command...
  local try in_time
  for try in {1..5}; do
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
    echo "# try $try: in time: $in_time; $(get '.frame_sizes[0].recovery | "tester limited: \(.tester_limited), repeated: \(.repeated_trials)"')" >&3
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

@test "recovery is of the SUT, not of the number of flows" {
  # a queue of 11 frames is empty a ms after the change; the frame at the change may still find it full
  lab_up $policer
  clean suite --frame-size 64 --tests recovery --flows 1500
  check '.frame_sizes[0].recovery.runs[0] | .frames_lost > 900 and .recovery <= 0.001 and .frames_lost_after <= 1 and (.lost_at_end | not)'
}

@test "a SUT that loses to the end has not recovered" {
  recovery_while "inside ip link set sut-a xdp off"
  [ "$status" -eq 1 ]
  check '.frame_sizes[0].recovery | .average == null and (.regular | not) and .runs[0].lost_at_end and .runs[0].recovery == null'
}

@test "where the overload loses nothing, there is no recovery to tell" {
  lab_up xdp
  clean suite --max-load 20kfps --frame-size 64 --tests recovery
  check '.frame_sizes[0].recovery | .average == null and .runs[0].recovery == null and .runs[0].frames_lost == 0 and (.runs[0].lost_at_end | not)'
}

@test "a buffer that drains slowly is empty before each burst, with --fast too" {
  # 400 frames wait at most, and 2 000 a second leave; the trials of the throughput are short, so that it looks higher
  lab_up policer:rate=2000,burst=200ms,clock=wall
  clean suite --frame-size 64 --min-load 500 --max-load 100kfps --tests back-to-back --burst-tests 1
  # of a burst at 100 kfps, two in a hundred have left by its end
  check '.frame_sizes[0].back_to_back | (.regular | not) or (.values[0] >= 395 and .values[0] <= 450 and .pause_settled and .pause_longest > 0.05)'
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
  no_xdp_left
}

@test "events, text and a report file" {
  lab_up $policer
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" "${short[@]}" ${BURST:+--burst "$BURST"} --frame-size 64 --tests throughput,back-to-back --format jsonl \
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
  local try fds=$BATS_TEST_TMPDIR/fds
  # without a throughput, which the machine may spoil, there is no reset
  for try in 1 2 3; do
    "$MLR" rfc2544 -p "$A,$B" "${short[@]}" --frame-size 64 --tests reset --reset-duration 1 --tx xsk \
      --reset-command "open=; for fd in $(echo {3..40}); do [ ! -e /proc/\$\$/fd/\$fd ] || open=\"\$open \$fd\"; done; echo \"open:\$open\" >$fds" \
      >/dev/null 7</dev/null || [ $? -eq 1 ]
    [ ! -e "$fds" ] || break
    echo "# try $try: there was no reset" >&3
  done
  [ "$(cat "$fds")" = open: ]
}

@test "a reset that was not performed, as no load passes, is told as that" {
  lab_up hostile:drop,every=3
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" --tests reset --fast --frame-size 128 --min-load 50fps --max-load 200fps --wait d=0.1 \
    --reset-command true --format json --report "$BATS_TEST_TMPDIR/r.txt"
  [ "$status" -eq 1 ]
  check '.irregular_reason | test("(^|; )reset: the throughput is not known") and (test("null") | not)'
  if grep -q 'Reset by' "$BATS_TEST_TMPDIR/r.txt"; then return 1; fi
}
