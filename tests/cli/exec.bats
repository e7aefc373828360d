#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The external measurer: what it is asked, what it may answer, and every way in which it can fail.
load helper

# A measurer that answers every question with this line
answering() {
  echo "while read -r question; do echo '$1'; done"
}

@test "it is asked for the Trial Input and nothing else, a line each" {
  measured "while read -r q; do echo \"\$q\" >>$BATS_TEST_TMPDIR/asked; echo '{\"trial_loss_ratio\": 0}'; done" -q || [ $? -eq 1 ]
  "$JQ" -es 'length > 1 and all(keys == ["trial_duration", "trial_load"] and .trial_duration == 1)
    and .[0].trial_load == 1000000' "$BATS_TEST_TMPDIR/asked"
}

@test "loads are sent exactly" {
  run measured "while read -r q; do echo \"{\\\"trial_loss_ratio\\\": 0.1, \\\"echo\\\": \$q}\"; done" --format json
  is '.trials | length > 3 and all(.trial_load == .echo.trial_load)' <<<"$output"
}

@test "every field of an answer counts" {
  run --separate-stderr measured "jq --unbuffered -c '{trial_loss_ratio: 0.25, trial_effective_duration: 1.5,
    trial_forwarding_rate: (.trial_load * 0.75 + 0.5), frames_sent: 1000, frames_lost: 250}'" --format json
  [ "$status" -eq 1 ]
  is '.trials[0] | .trial_loss_ratio == 0.25 and .trial_effective_duration == 1.5 and .trial_forwarding_rate == 750000.5
    and .counts.sent == 1000 and .counts.received == 750 and .counts.lost == 250 and .counts.intended == null
    and .loss_attribution == null and .tx_backend == null' <<<"$output"
}

# Frames of 1518 octets, as the ready Measurers say it.
sized() { # VERB OPTION...
  "$XDP_MLR" "$1" --measurer "exec:jq --unbuffered -c '{trial_loss_ratio: (1 - 5e5 / .trial_load | if . > 0 then . else 0 end),
    measurer: {frame_size_octets: 1518, traffic_profile: {frame_size_octets: 1518}}}'" "${@:2}"
}

@test "bit rates are of the frames that the measurer says it sends, or of those of --frame-size, or are not known" {
  local rates='[.search_result[] | .relevant_lower_bound_l2_bps / .relevant_lower_bound / 8, .conditional_throughput_l1_bps / .conditional_throughput / 8]'
  sized search --max-load 1Mfps --format json >"$BATS_TEST_TMPDIR/r.json"
  is "$rates | all((. | round) == 1518 or (. | round) == 1538)" <"$BATS_TEST_TMPDIR/r.json"
  # as the page says
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.md"
  grep -q ' 6\.0[0-9]* Gbit/s' "$BATS_TEST_TMPDIR/r.md"
  "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/r.json" --format json | is "$rates | all((. | round) == 1518 or (. | round) == 1538)"
  sized sweep --loads 1kfps --duration 1 --format json | is '.trials[0].trial_load_l2_bps == 1000 * 1518 * 8'
  run --separate-stderr measured "$(answering '{"trial_loss_ratio": 0}')" --frame-size 125 --format json
  is '.search_result | all(.relevant_lower_bound == 1e6 and .relevant_lower_bound_l2_bps == 1e9)' <<<"$output"
  echo "$output" >"$BATS_TEST_TMPDIR/r.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" | grep -q 'L2 1.000 Gbit/s' # also where the measurer says nothing of its frames
  run --separate-stderr measured "$(answering '{"trial_loss_ratio": 0}')" --format json
  is '.search_result | all(.relevant_lower_bound == 1e6 and .relevant_lower_bound_l2_bps == null and .relevant_lower_bound_l1_bps == null)' <<<"$output"
  "$XDP_MLR" soak --measurer "exec:$(answering '{"trial_loss_ratio": 0}')" --max-load 1Mfps --max-time 10 --format json >"$BATS_TEST_TMPDIR/r.json" || [ $? -eq 1 ]
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/soak.schema.json "$BATS_TEST_TMPDIR/r.json"
  is '.critical_load | .mean > 0 and .mean_l1_bps == null' <"$BATS_TEST_TMPDIR/r.json"
}

@test "loads in bit/s of other frames than the measurer sends are refused" {
  refuses 5 'sends frames of 1518 octets, and loads in bit/s were taken to be of 64: say --frame-size' sized search --max-load 9Gbps-l2 -q
  refuses 5 'frames of 1518 octets' sized search --max-load 1Mfps --require 'ndr>=5Gbps' -q
  refuses 5 'frames of 1518 octets' sized sweep --loads 1Gbps --duration 1 -q
  sized search --max-load 9Gbps-l2 --frame-size 1518 --require 'ndr>=6Gbps-l2' --format json |
    is '(.controller_input.max_load * 1518 * 8 / 9e9 - 1 | fabs < 1e-9) and .requirements[0].met'
}

@test "a forwarding rate that contradicts load and loss is refused" {
  refuses 5 'trial_forwarding_rate that contradicts' measured "$(answering '{"trial_loss_ratio": 0.25, "trial_forwarding_rate": 740000}')"
  refuses 5 'trial_forwarding_rate that contradicts' measured "$(answering '{"trial_loss_ratio": 0, "trial_forwarding_rate": 0}')"
}

@test "--effective-duration wall is for trials over ports" {
  refuses 2 'effective-duration.*trial_effective_duration' measured "$(answering '{"trial_loss_ratio": 0}')" --effective-duration wall
}

@test "what is missing follows from the rest" {
  run --separate-stderr measured "$(answering '{"trial_loss_ratio": 0.25}')" --format json
  is '.trials[0] | .trial_effective_duration == 1 and .trial_forwarding_rate == 750000 and .counts == null' <<<"$output"
}

@test "a null is a field that is missing" {
  run --separate-stderr measured "$(answering '{"trial_loss_ratio": 0, "trial_effective_duration": null, "error": null}')" --format json
  [ "$status" -eq 1 ]
  is '.trials | all(.trial_effective_duration == 1)' <<<"$output"
}

@test "fields that are not known pass through, and hide nothing" {
  run --separate-stderr measured "$(answering '{"trial_loss_ratio": 0, "temperature": {"cpu": [61, 62.5]}, "trial_load": 5}')" \
    --format json
  is '.trials | all(.temperature == {cpu: [61, 62.5]} and .trial_load != 5 and (has("error") | not))' <<<"$output"
}

@test "its death is told with how it died" {
  refuses 5 "exited with status 3 before it answered" measured 'read -r q; exit 3'
  refuses 5 "exited with status 0 before it answered" measured 'exit 0'
  refuses 5 "exited with status 127 before it answered" measured '/does/not/exist 2>/dev/null'
  refuses 5 "killed by signal 9" measured 'read -r q; kill -9 $$'
  refuses 5 "closed its standard output before it answered" measured 'exec >&-; read -r q; read -r q'
}

@test "an answer cut short by its death is quoted" {
  refuses 5 'exited with status 0 before it answered, after: \{"trial_loss' measured 'read -r q; printf "{\"trial_loss"'
}

@test "a death in the middle shows what was measured, as irregular" {
  run --separate-stderr measured 'for i in 1 2 3; do read -r q; echo "{\"trial_loss_ratio\": 0.1}"; done; read -r q; exit 4' --format json
  [ "$status" -eq 5 ]
  [[ $stderr == *"exited with status 4"* ]]
  [ "${#stderr_lines[@]}" -eq 1 ]
  is '(.trials | length) == 3 and .irregular_reason != null and (.search_result | all(.regular == false))' <<<"$output"
}

@test "a line that is not a JSON object is quoted" {
  refuses 5 "not a JSON object: warming up" measured 'read -r q; echo warming up'
  refuses 5 "not a JSON object: \[0.5\]" measured 'read -r q; echo "[0.5]"'
  refuses 5 "not a JSON object: \{\"trial_loss_ratio\": NaN\}" measured 'read -r q; echo "{\"trial_loss_ratio\": NaN}"'
  refuses 5 "not a JSON object: .*1e999" measured 'read -r q; echo "{\"trial_loss_ratio\": 1e999}"'
  refuses 5 "not a JSON object: .*ratio" measured 'read -r q; echo "{\"trial_loss_ratio\": 0, \"trial_loss_ratio\": 1}"'
  refuses 5 "empty line" measured 'read -r q; echo'
}

@test "control characters are escaped, long lines cut" {
  refuses 5 'not a JSON object: \\x1b\[2Jx+\.\.\.$' measured 'read -r q; printf "\033[2J"; head -c 5000 /dev/zero | tr "\0" x; echo'
  [ "${#stderr}" -lt 400 ]
}

@test "a line without end is bounded" {
  refuses 5 "a line longer than 1048576 octets" measured 'read -r q; yes | tr -d "\n"'
}

@test "a ratio must be there and within 0 to 1" {
  refuses 5 'no trial_loss_ratio: \{"loss": 0\}' measured "$(answering '{"loss": 0}')"
  refuses 5 'outside 0 to 1: \{"trial_loss_ratio": 1.01\}' measured "$(answering '{"trial_loss_ratio": 1.01}')"
  refuses 5 'outside 0 to 1: \{"trial_loss_ratio": -0.01\}' measured "$(answering '{"trial_loss_ratio": -0.01}')"
  refuses 5 'trial_loss_ratio that is not a number' measured "$(answering '{"trial_loss_ratio": "0"}')"
  refuses 5 'no trial_loss_ratio' measured "$(answering '{"trial_loss_ratio": null}')"
}

@test "an effective duration must be above 0, a forwarding rate not below" {
  refuses 5 'trial_effective_duration that is not above 0' measured "$(answering '{"trial_loss_ratio": 0, "trial_effective_duration": 0}')"
  refuses 5 'trial_effective_duration that is not above 0' measured "$(answering '{"trial_loss_ratio": 0, "trial_effective_duration": -1}')"
  refuses 5 'trial_effective_duration that is not a number' measured "$(answering '{"trial_loss_ratio": 0, "trial_effective_duration": true}')"
  refuses 5 'trial_forwarding_rate below 0' measured "$(answering '{"trial_loss_ratio": 0, "trial_forwarding_rate": -1}')"
}

@test "an effective duration that can hardly be meant is warned of" {
  for seconds in 0.000001 0.49 71; do
    run --separate-stderr measured "$(answering "{\"trial_loss_ratio\": 0, \"trial_effective_duration\": $seconds}")" --max-time 100 --format json
    [[ $stderr == *"gave a trial_effective_duration of "*" s for a Trial Duration of 1 s"* ]]
    is '.warnings | any(test("trial_effective_duration"))' <<<"$output"
  done
  for seconds in 0.5 1 1.5 70; do
    run --separate-stderr measured "$(answering "{\"trial_loss_ratio\": 0, \"trial_effective_duration\": $seconds}")" --max-time 100
    [[ $stderr != *trial_effective_duration* ]]
  done
}

@test "latencies that contradict one another are refused, and others pass through" {
  with() { answering "{\"trial_loss_ratio\": 0, \"latency\": {$1}}"; }
  refuses 5 'latency whose p50_ns is below its min_ns: \{"trial' measured "$(with '"min_ns": 300, "p50_ns": 200')"
  refuses 5 'latency whose p99_ns is below its p90_ns' measured "$(with '"min_ns": 1, "p50_ns": 2, "p90_ns": 30, "p99_ns": 4')"
  refuses 5 'latency whose max_ns is below its p50_ns' measured "$(with '"p50_ns": 1000, "max_ns": 989')"
  refuses 5 'latency whose p99_99_ns is below its p99_9_ns' measured "$(with '"p99_9_ns": 5, "p99_99_ns": 4, "max_ns": 5')"
  refuses 5 'latency whose min_ns is below 0' measured "$(with '"min_ns": -1')"
  refuses 5 'mean_ns is not between' measured "$(with '"min_ns": 100, "mean_ns": 50, "max_ns": 200')"
  refuses 5 'mean_ns is not between' measured "$(with '"min_ns": 100, "mean_ns": 250, "p50_ns": 150, "max_ns": 200')"
  run --separate-stderr measured "$(with '"min_ns": 100, "mean_ns": 100, "p50_ns": 100, "p99_ns": 200, "max_ns": 199')" --format json
  is '.trials | all(.latency == {min_ns: 100, mean_ns: 100, p50_ns: 100, p99_ns: 200, max_ns: 199})' <<<"$output"
  run --separate-stderr measured "$(answering '{"trial_loss_ratio": 0, "latency": "unknown"}')" --format json
  is '.trials | all(.latency == "unknown")' <<<"$output"
}

@test "frame counts must be possible" {
  refuses 5 'frame counts that are impossible' measured "$(answering '{"trial_loss_ratio": 0, "frames_sent": 1, "frames_lost": 2}')"
  refuses 5 'frame counts that are impossible' measured "$(answering '{"trial_loss_ratio": 0, "frames_sent": -1, "frames_lost": -2}')"
  refuses 5 'frame counts that are impossible' measured "$(answering '{"trial_loss_ratio": 0, "frames_sent": 1.5, "frames_lost": 0}')"
}

# What a measurer answers that computes its members from the question by jq
computing() {
  echo "jq --unbuffered -c '$1'"
}

@test "counts that contradict the ratio are refused, with what contradicts" {
  refuses 5 'contradict its trial_loss_ratio of 0: of 1000 frames sent 400 were lost, a ratio of 0.4: \{"trial_loss_ratio": 0,' \
    measured "$(answering '{"trial_loss_ratio": 0, "frames_sent": 1000, "frames_lost": 400}')"
  refuses 5 'contradict' measured "$(answering '{"trial_loss_ratio": 0.5, "frames_sent": 1000, "frames_lost": 0}')"
  refuses 5 'contradict' measured "$(answering '{"trial_loss_ratio": 0.5, "frames_sent": 0, "frames_lost": 0}')"
  refuses 5 'contradict' measured "$(answering '{"trial_loss_ratio": 1, "frames_sent": 1000, "frames_lost": 990}')"
  # one lost frame makes a load lossy
  refuses 5 'contradict' measured "$(answering '{"trial_loss_ratio": 0, "frames_sent": 1000, "frames_lost": 1}')"
  refuses 5 'contradict' measured "$(answering '{"trial_loss_ratio": 0.000, "frames_sent": 1000, "frames_lost": 1}')"
  # the digits that are there count, and none of another object
  refuses 5 'contradict' measured "$(answering '{"trial_loss_ratio": 0.250000, "frames_sent": 100000, "frames_lost": 25002}')"
  refuses 5 'contradict' measured "$(answering '{"of": {"trial_loss_ratio": 0.3}, "trial_loss_ratio": 2.5e-3, "frames_sent": 100000, "frames_lost": 352}')"
  refuses 5 'contradict' measured "$(computing '(.trial_load * .trial_duration | round) as $n | {trial_loss_ratio: 0.2, frames_sent: $n, frames_lost: ($n * 0.3 | round)}')"
  # nor is it the ratio of four interfaces, of which three sent nothing
  refuses 5 'contradict' measured "$(computing '(.trial_load * .trial_duration | round) as $n | {trial_loss_ratio: 0.1, frames_sent: $n, frames_lost: ($n * 0.4 | round)}')"
}

# A ratio is of as few interfaces as can have sent so many frames. More would explain any, by interfaces that sent nothing.
@test "no multiple of the frames intended explains a ratio that contradicts the counts" {
  local answer
  for answer in 'trial_loss_ratio: 0.5, frames_sent: $n, frames_lost: 0' 'trial_loss_ratio: 0.5, frames_sent: ($n + 2), frames_lost: 0' 'trial_loss_ratio: 0.75, frames_sent: $n, frames_lost: 0' \
    'trial_loss_ratio: 0.6, frames_sent: ($n * 2), frames_lost: ($n * 0.4 | round)' 'trial_loss_ratio: 0.55, frames_sent: ($n * 0.9 | round), frames_lost: 0'; do
    refuses 5 'contradict its trial_loss_ratio of 0\.[0-9]+: of [0-9]+ frames sent [0-9]+ were lost' \
      measured "$(computing "(.trial_load * .trial_duration | round) as \$n | {$answer}")"
  done
}

# The same of a result that is stored.
contradicts() { # JQ MEMBER
  "$JQ" -c "$1" "$BATS_TEST_TMPDIR/result.json" >"$BATS_TEST_TMPDIR/changed.json"
  run --separate-stderr "$XDP_MLR" verify "$BATS_TEST_TMPDIR/changed.json"
  [ "$status" -eq 1 ] || { echo "exit $status: $output $stderr"; return 1; }
  [[ $output$stderr == *"$2"* ]] || { echo "$output $stderr"; return 1; }
}

@test "loss of the SUT above all loss, and a latency of nothing, are refused, and contradict a stored result" {
  refuses 5 'gave a sut_loss_ratio of 0.3, above its trial_loss_ratio of 0.25' measured "$(answering '{"trial_loss_ratio": 0.25, "sut_loss_ratio": 0.3}')"
  refuses 5 'gave a latency beside a trial_loss_ratio of 1: no frame came back' \
    measured "$(computing '{trial_loss_ratio: 1, latency: {p50_ns: 1000}}')"
  refuses 5 'gave a latency beside a trial_loss_ratio of 1: no frame came back' \
    measured "$(answering '{"trial_loss_ratio": 1, "frames_sent": 5, "frames_lost": 5, "latency": {"min_ns": 5, "max_ns": 7}}')"
  # rounding is none, nor is a latency without a figure
  run -0 measured "$(computing '(.trial_load > 5e5) as $lossy | {trial_loss_ratio: (if $lossy then 0.33 else 0 end), sut_loss_ratio: (if $lossy then 0.334 else 0 end),
    tester_limited: $lossy, latency: {count: 0, p50_ns: null}}')" --goal final=1,sum=1,exceed=0 --format json
  echo "$output" >"$BATS_TEST_TMPDIR/result.json"
  run -0 "$XDP_MLR" verify "$BATS_TEST_TMPDIR/result.json"
  contradicts '(.trials[] | select(.trial_loss_ratio > 0)) |= (.sut_loss_ratio = 0.5)' 'sut_loss_ratio: 0.5 is above the trial_loss_ratio of 0.33'
  contradicts '(.trials[] | select(.trial_load < 6e5)) |= (.trial_loss_ratio = 1 | .trial_forwarding_rate = 0 | .latency.p50_ns = 7)' 'no frame came back'
  contradicts '(.trials[] | select(.trial_loss_ratio > 0)) |= (.trial_loss_ratio = 0.5 | .trial_forwarding_rate = .trial_load / 2
    | .counts = {sent: (.trial_load | round), received: (.trial_load | round), lost: 0, intended: null})' 'trial_loss_ratio: 0.5 is stated'
  # the digits that are stored count
  contradicts '(.trials[] | select(.trial_loss_ratio > 0)) |= (.trial_loss_ratio = 0.0012 | .sut_loss_ratio = 0 | .trial_forwarding_rate = .trial_load * 0.9988
    | .counts = {sent: (.trial_load | round), received: (.trial_load * 0.994 | round), lost: (.trial_load | . - (. * 0.994 | round) | round), intended: null})' \
    'trial_loss_ratio: 0.0012 is stated'
  contradicts '(.trials[] | select(.trial_loss_ratio == 0)) |= (.counts = {sent: (.trial_load | round), received: (.trial_load + 1 | round), lost: -1, intended: null})' \
    'frames received are more than'
}

@test "counts that differ from the ratio by rounding are not" {
  local answer
  for answer in '{"trial_loss_ratio": 0.333333, "frames_sent": 3000000, "frames_lost": 1000000}' \
    '{"trial_loss_ratio": 0.666666, "frames_sent": 3000000, "frames_lost": 2000000}' \
    '{"trial_loss_ratio": 0.13, "frames_sent": 3000000, "frames_lost": 400000}' \
    '{"trial_loss_ratio": 0.000000, "frames_sent": 10000000, "frames_lost": 4}' \
    '{"trial_loss_ratio": 1, "frames_sent": 10000000, "frames_lost": 9999999}' \
    '{"trial_loss_ratio": 3.3e-7, "frames_sent": 3000000, "frames_lost": 1}' \
    '{"trial_loss_ratio": 0.25002, "frames_sent": 1000, "frames_lost": 250}' \
    '{"frames_sent": 1000, "frames_lost": 250, "trial_loss_ratio" : 0.25 , "x": 1}' \
    '{"trial_loss_ratio": 0, "frames_sent": 0, "frames_lost": 0}'; do
    echo "$answer"
    run --separate-stderr measured "$(answering "$answer")" --format json
    [ "$status" -eq 1 ]
    is '.trials | length > 0 and all(.counts.sent != null)' <<<"$output"
  done
}

@test "a measurer that sent too few frames was the limit, unless it says that they are lost" {
  local of_all='{trial_loss_ratio: 0, frames_sent: ($n | round), frames_lost: 0}'
  for answer in '{trial_loss_ratio: 0, frames_sent: 0, frames_lost: 0}' '{trial_loss_ratio: 0, frames_sent: ($n / 100 | round), frames_lost: 0}'; do
    run --separate-stderr measured "$(computing "(.trial_load * .trial_duration) as \$n | $answer")" --format json
    [ "$status" -eq 1 ]
    is '.trials | all(.tester_limited and (.tester_limited_reason | test("sent fewer frames")))' <<<"$output"
  done
  for answer in "$of_all" '{trial_loss_ratio: 0.5, frames_sent: ($n / 2 | round), frames_lost: 0}'; do
    run --separate-stderr measured "$(computing "(.trial_load * .trial_duration) as \$n | $answer")" --format json
    is '.trials | length > 0 and all(.tester_limited | not)' <<<"$output"
  done
}

@test "a Lower Bound of which a part was not sent is limited, whoever says so, also after it was stored" {
  local said
  for said in '{}' '{tester_limited: true}'; do
    run --separate-stderr measured "$(computing "(.trial_load * .trial_duration | round) as \$n | if .trial_load > 5e5
      then {trial_loss_ratio: 0.5, frames_sent: \$n, frames_lost: (\$n / 2 | floor)}
      else {trial_loss_ratio: 0, frames_sent: (\$n * 0.8 | round), frames_lost: 0} + $said end")" --goal final=1,sum=1 --format json
    [ "$status" -eq 1 ]
    is '.search_result[0] | .relevant_lower_bound < 5e5 and .relevant_upper_bound > 5e5 and .tester_limited' <<<"$output"
    is '.trials | all(.tester_limited == (.trial_load < 5e5) and .offered_less == (if .tester_limited then true else null end))' <<<"$output"
    echo "$output" >"$BATS_TEST_TMPDIR/result.json"
    contradicts '.search_result[0].tester_limited = false' 'tester_limited: false is stated'
  done
}

@test "a trial that lost nothing, and was limited, has offered less: it makes no regular Lower Bound" {
  run --separate-stderr measured "$(computing 'if .trial_load > 5e5 then {trial_loss_ratio: 0.5}
    else {trial_loss_ratio: 0, tester_limited: true} end')" --goal final=1,sum=1 --format json
  [ "$status" -eq 1 ]
  is '.search_result[0] | .relevant_lower_bound < 5e5 and .tester_limited and .offered_less' <<<"$output"
  # no self-test says so, and the SUT may do less
  echo "$output" >"$BATS_TEST_TMPDIR/result.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/result.json" | tr -s ' \n' ' ' |
    grep -F 'Limited in 1 of 1 trials at the Relevant Lower Bound. Less than this load was offered, so the SUT may do less.'
}

@test "a ratio may be of the frames intended" {
  # a tenth stays unsent, a tenth of the rest is lost: of one interface; of two; with the unsent among the lost
  local counts
  for counts in 'frames_sent: ($n * 0.9 | round), frames_lost: ($n * 0.09 | round)' \
    'frames_sent: ($n * 1.8 | round), frames_lost: ($n * 0.18 | round)' \
    'frames_sent: ($n * 0.9 | round), frames_lost: ($n * 0.19 | round)'; do
    run --separate-stderr measured "$(computing "(.trial_load * .trial_duration) as \$n | {trial_loss_ratio: 0.190000, $counts}")" --format json
    [ "$status" -eq 1 ]
    is '.trials | length > 0 and all(.counts.sent != null)' <<<"$output"
  done
}

@test "its own error ends the search" {
  refuses 5 'reports an error: .*no link on port 2' measured "$(answering '{"trial_loss_ratio": 0, "error": "no link on port 2"}')"
  refuses 5 'reports an error: .*cable' measured "$(answering '{"error": "cable"}')"
}

@test "it must not speak before it is asked" {
  run --separate-stderr measured 'while read -r q; do printf "{\"trial_loss_ratio\": 0}\ntwo\n"; done' --format json
  [ "$status" -eq 5 ]
  [[ $stderr == *"spoke before it was asked: two" ]]
  is '.trials | length == 1' <<<"$output"
}

@test "answers in pieces are put together" {
  run --separate-stderr measured 'while read -r q; do printf "{\"trial_loss"; printf "_ratio\": 0."; printf "5}\n"; done' --format json
  [ "$status" -eq 1 ]
  is '.trials | all(.trial_loss_ratio == 0.5)' <<<"$output"
}

@test "its standard error is ours" {
  run --separate-stderr measured "echo hello from the measurer >&2; $(answering '{"trial_loss_ratio": 0}')"
  [[ $stderr == *"hello from the measurer"* ]]
}

@test "at the end its input is closed and it may finish" {
  measured "$(answering '{"trial_loss_ratio": 0}'); echo finished >$BATS_TEST_TMPDIR/end" -q || [ $? -eq 1 ]
  [ "$(cat "$BATS_TEST_TMPDIR/end")" = finished ]
}

@test "its whole group is ended, also what ignores the end of input" {
  local pid
  measured "trap '' TERM; sh -c 'trap \"\" TERM; sleep 1000' & echo \$! \$\$ >$BATS_TEST_TMPDIR/pids
    $(answering '{"trial_loss_ratio": 0}'); sleep 1000" -q || [ $? -eq 1 ]
  for pid in $(cat "$BATS_TEST_TMPDIR/pids"); do
    wait_until ended "$pid"
  done
}

# Start a search whose measurer answers three times, then says through a fifo that it hangs.
start_hanging() {
  mkfifo "$BATS_TEST_TMPDIR/hangs"
  measured "sleep 1000 & echo \$! \$\$ >$BATS_TEST_TMPDIR/pids
    for i in 1 2 3; do read -r q; echo '{\"trial_loss_ratio\": 0.1}'; done
    read -r q; echo >$BATS_TEST_TMPDIR/hangs; exec sleep 1000" --format json \
    >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
  timeout 60 cat "$BATS_TEST_TMPDIR/hangs"
}

@test "a signal ends the search though the measurer hangs, with what was measured" {
  local signal pid code
  for signal in INT TERM HUP; do
    rm -f "$BATS_TEST_TMPDIR/hangs"
    start_hanging
    # $! is the shell that runs the function; the program is its child
    kill -"$signal" "$(pgrep -P $! -x xdp-mlr || echo $!)"
    code=0
    wait $! || code=$?
    [ "$code" -eq 130 ]
    [ ! -s "$BATS_TEST_TMPDIR/err" ]
    is '.irregular_reason == "interrupted" and (.trials | length) == 3
      and (.search_result | all(.regular == false and .irregular_reason == "interrupted"))' <"$BATS_TEST_TMPDIR/out"
    for pid in $(cat "$BATS_TEST_TMPDIR/pids"); do
      wait_until ended "$pid"
    done
  done
}

@test "kill -9 of the program ends the measurer" {
  local program pid
  start_hanging
  program=$(pgrep -P $! -x xdp-mlr || echo $!)
  kill -9 "$program"
  wait $! || true
  pid=$(cut -d' ' -f2 "$BATS_TEST_TMPDIR/pids")
  wait_until ended "$pid"
  kill "$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/pids")" # a child of the measurer's own that reads nothing: kill -9 leaves it
}

@test "the measurer inherits the three standard files, and nothing else" {
  measured "open=; for fd in $(echo {3..40}); do [ ! -e /proc/\$\$/fd/\$fd ] || open=\"\$open \$fd\"; done; echo \"open:\$open\" >$BATS_TEST_TMPDIR/fds; while read -r q; do echo '{\"trial_loss_ratio\": 0.1}'; done" 7</dev/null >/dev/null || [ $? -eq 1 ]
  [ "$(cat "$BATS_TEST_TMPDIR/fds")" = open: ]
}

# The first Python program of the page about the protocol
sample() {
  awk '/^```python/ { count++; on = count == 1; next } /^```/ { on = 0 } on' docs/reference/exec.md
}

@test "the sample of the page about the protocol measures" {
  command -v python3 >/dev/null || skip "python3 is not here"
  sample >"$BATS_TEST_TMPDIR/measurer.py"
  run --separate-stderr "$XDP_MLR" search --measurer "exec:python3 $BATS_TEST_TMPDIR/measurer.py" --max-load 10Mfps --format json
  [ "$status" -eq 0 ]
  is '.search_result[0] | .relevant_lower_bound <= 1.2e6 and .relevant_upper_bound > 1.2e6 and .regular' <<<"$output"
}

@test "what a measurer says of itself with its first answer stands in the result, and answers clauses" {
  run -0 measured "$(computing '{trial_loss_ratio: (if .trial_load > 5e5 then 0.5 else 0 end), measurer: {waits: "none", loss: "sent less received", deviations: ["Section 23: none."]}}')" \
    --goal final=1,sum=1,exceed=0 --format json
  is '.measurer.described.waits == "none" and ([.trials[] | has("measurer")] | any | not) and (.deviations | index("Section 23: none.") != null)' <<<"$output"
  is '[.checklist[] | select(.clause == "4.4.3" or .clause == "4.5.5") | .status] == ["met", "met"]' <<<"$output"
  is '[.checklist[] | select(.clause == "4.9.1-offered") | .status] == ["missing"]' <<<"$output"
}

@test "a trial that the measurer calls limited limits the bound that it decides" {
  local answer='{trial_loss_ratio: (if .trial_load > 5e5 then 0.5 else 0 end), tester_limited: (.trial_load > 5e5)'
  run measured "$(computing "$answer}")" --goal final=1,sum=1,exceed=0 --format json
  is '.search_result[0] | .tester_limited and .relevant_lower_bound < 5e5' <<<"$output"
  is '[.trials[] | select(.tester_limited) | .tester_limited_reason] | length > 0 and all(. == "the external measurer says so")' <<<"$output"
  # what the SUT lost on its own fails the goal, too
  run -0 measured "$(computing "$answer, sut_loss_ratio: (if .trial_load > 5e5 then 0.4 else 0 end)}")" --goal final=1,sum=1,exceed=0 --format json
  is '.search_result[0].tester_limited == false' <<<"$output"
  refuses 5 'tester_limited that is neither true nor false' measured "$(answering '{"trial_loss_ratio": 0, "tester_limited": "yes"}')"
  refuses 5 'sut_loss_ratio outside 0 to 1' measured "$(answering '{"trial_loss_ratio": 0, "tester_limited": true, "sut_loss_ratio": 2}')"
}
