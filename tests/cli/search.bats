#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The result of a search: its document, its text, its exit code, its end by time.
load helper

# A jq condition on the document of a search: `holds CONDITION [options]`
holds() {
  local condition=$1
  shift
  simulated --format json "$@" | is "$condition"
}

@test "the document has the names of the contract" {
  holds '.schema == "xdp-mlr/search/1" and .algorithm == "mlr" and .load_scope == "interface" and .aggregate_factor == 1
    and .irregular_reason == null and (.search_duration | type) == "number"
    and ([.measurer, .traffic_profile, .environment, .configuration] | all(type == "object")) and (.deviations | type) == "array"'
  holds '.controller_input | .min_load == 9001 and .max_load == 10000000 and ([.goals[].name] == ["ndr", "pdr"])'
  holds '.controller_input.goals[1] == {name: "pdr", loss_ratio: 0.005, exceed_ratio: 0.5, initial_trial_duration: 1,
    final_trial_duration: 1, duration_sum: 21, width: 0.005}'
  holds '.search_result | length == 2 and all(.regular == true and .irregular_reason == null and .tester_limited == false
    and .relevant_lower_bound < .relevant_upper_bound and .conditional_throughput <= .relevant_lower_bound
    and (.relevant_upper_bound - .relevant_lower_bound) / .relevant_upper_bound <= .goal.width * 1.000000001)'
  holds '.environment | .program == "xdp-mlr" and (.kernel | type) == "string" and .cpu_count > 0
    and (.start_time | test("^20..-..-..T..:..:..Z$"))'
}

@test "every trial has the names of the contract" {
  holds '.trials | all(has("trial_load") and has("trial_duration") and has("trial_loss_ratio") and has("trial_effective_duration")
    and has("trial_forwarding_rate") and has("counts") and has("loss_attribution") and has("tester_limited") and has("tx_backend"))'
  holds '.trials | all(.counts | [.intended, .sent, .received, .unsent, .lost, .duplicate, .reordered, .late, .foreign, .malformed]
    | all(type == "number" and . == floor))'
  holds '.trials | all(.counts.lost == .counts.sent - .counts.received and .loss_attribution.sut == .counts.lost)'
  holds '.trials | all((.trial_forwarding_rate / (.trial_load * (1 - .trial_loss_ratio)) - 1) | fabs < 1e-9)'
}

@test "the first trial, and no other, is the warm-up: 1 s at Max Load" {
  holds '[.trials[].warmup] | .[0] == true and (.[1:] | all(. == null))'
  holds '.trials[0] | .trial_load == 10000000 and .trial_duration == 1'
}

@test "no time passes in a simulation, and yet it counts" {
  holds '.search_duration == ([.trials[].trial_effective_duration] | add)'
}

@test "goals stand in the order given, with every attribute" {
  holds '[.search_result[].goal.name] == ["b", "a", "goal3"] and (.search_result[0].goal | .loss_ratio == 0.01
    and .exceed_ratio == 0.25 and .initial_trial_duration == 0.5 and .final_trial_duration == 2 and .duration_sum == 6
    and .width == 0.02)' \
    --goal name=b,loss=1%,exceed=25%,initial=500ms,final=2,sum=6,width=2% --goal name=a --goal loss=5%
}

@test "the same seed gives the same trials, another seed others" {
  local first second other
  first=$(simulated --format json | jq -c .trials)
  second=$(simulated --format json | jq -c .trials)
  other=$(simulated --format json --measurer "${SIM%7}8" | jq -c .trials)
  [ "$first" = "$second" ]
  [ "$first" != "$other" ]
}

@test "numbers are exact: read back, they lead the controller to the same questions" {
  simulated --format json >"$BATS_TEST_TMPDIR/stored.json"
  run --separate-stderr "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/stored.json" --format json
  "$JQ" -e '[.trials[].decision | has("asked_load")] | any | not' <<<"$output"
  # and they are no longer than they need be
  if grep -E '0\.00[0-9]*(0000000|9999999)[0-9]' "$BATS_TEST_TMPDIR/stored.json"; then return 1; fi
}

@test "ten trials of a tenth of a second are one second, and their load has a Conditional Throughput" {
  run -0 --separate-stderr "$XDP_MLR" search --measurer sim:hard,capacity=1e6 --min-load 9001 --max-load 1e7 \
    --goal name=x,loss=0,exceed=0,final=0.1,sum=1 --format json
  is '.search_result[0] | .regular and .conditional_throughput == .relevant_lower_bound' <<<"$output"
}

@test "Max Load a Lower Bound is irregular: exit 1, and it says so" {
  run --separate-stderr simulated --measurer sim:hard,capacity=1e9 --format json
  [ "$status" -eq 1 ]
  [ -z "$stderr" ]
  is '.irregular_reason != null and (.search_result | all(.regular == false and .relevant_lower_bound == 10000000
    and .relevant_upper_bound == null and .conditional_throughput == 10000000 and (.irregular_reason | test("Max Load"))))' <<<"$output"
}

@test "Min Load an Upper Bound is irregular: exit 1, and it says so" {
  run --separate-stderr simulated --measurer sim:hard,capacity=1000 --format json
  [ "$status" -eq 1 ]
  is '.search_result[0] | .regular == false and .relevant_lower_bound == null and .relevant_upper_bound == 9001
    and (.irregular_reason | test("Min Load"))' <<<"$output"
}

@test "the time limit counts time that does not pass, and is kept" {
  run --separate-stderr simulated --max-time 10 --format json
  [ "$status" -eq 1 ]
  is '.search_duration <= 10 and (.trials | length) == 10 and (.irregular_reason | test("time limit"))
    and (.search_result | all(.regular == false and (.irregular_reason | test("time limit"))))' <<<"$output"
}

@test "a time limit below the first trial ends a search without any" {
  run --separate-stderr simulated --max-time 0.5 --format json
  [ "$status" -eq 1 ]
  is '.trials == [] and .search_duration == 0 and (.search_result | all(.relevant_lower_bound == null
    and .relevant_upper_bound == null and .regular == false))' <<<"$output"
}

@test "the time limit counts effective durations" {
  run --separate-stderr measured \
    'while read -r x; do echo "{\"trial_loss_ratio\": 0.1, \"trial_effective_duration\": 3}"; done' --max-time 9.5 --format json
  [ "$status" -eq 1 ]
  is '(.trials | length) == 3 and .search_duration == 9' <<<"$output"
}

@test "the echoed configuration repeats the run" {
  simulated --format json --goal name=x,loss=0.1% --goal name=y --min-load 20kfps --max-time 1h >"$BATS_TEST_TMPDIR/one.json"
  jq .configuration "$BATS_TEST_TMPDIR/one.json" >"$BATS_TEST_TMPDIR/again.yaml"
  "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/again.yaml" --format json >"$BATS_TEST_TMPDIR/two.json"
  diff <(jq 'del(.environment)' "$BATS_TEST_TMPDIR/one.json") <(jq 'del(.environment)' "$BATS_TEST_TMPDIR/two.json")
}

@test "the text has both bounds, the throughput, the goal and the deviations" {
  run --separate-stderr simulated
  [ "$status" -eq 0 ]
  [ -z "$stderr" ]
  [[ $output == *"ndr: regular"* ]]
  [[ $output == *"Relevant Lower Bound"*"frames/s"*"Relevant Upper Bound"*"frames/s"* ]]
  [[ $output == *"Conditional Throughput"* ]]
  grep -qE '^  pdr +0\.5 % +50 % +0\.5 % +1 +1 +21$' <<<"$output"
  [[ $output == *"Deviations from RFC 2544"*"trials of 1 s"* ]]
  [[ $output != *$'\e'* ]]
}

@test "the text marks every value of an irregular result" {
  run --separate-stderr simulated --measurer sim:hard,capacity=1e9
  [ "$status" -eq 1 ]
  [[ $output == *"ndr: IRREGULAR"*"Max Load is a Lower Bound"* ]]
  [ "$(grep -c 'Bound .*(irregular)\|Throughput .*from an IRREGULAR result' <<<"$output")" -eq 6 ]
}

@test "goals by the book of RFC 2544 deviate in nothing" {
  holds '.deviations == []' --preset rfc2544
  holds '.deviations | length == 4 and all(test("RFC 2544"))'
}

@test "every algorithm finds the capacity of a SUT without noise" {
  for arguments in "phased --goal loss=0,initial=1,final=30" "binary --preset rfc2544" "tst009 --preset tst009"; do
    run --separate-stderr "$XDP_MLR" search --measurer sim:hard,capacity=1e6 --max-load 10Mfps --format json --algorithm $arguments
    [ "$status" -eq 0 ]
    "$JQ" -e --arg a "${arguments%% *}" '.algorithm == $a and ([.trials[].warmup // false] | any | not)' <<<"$output"
    "$JQ" -e '.search_result[0] | .regular and .relevant_lower_bound <= 1e6 and .relevant_upper_bound > 1e6
      and (.relevant_upper_bound - .relevant_lower_bound) / .relevant_upper_bound <= 0.005 * (1 + 1e-9)' <<<"$output"
  done
  "$JQ" -e '.trials[0].trial_load == 1e7 and .trials[1].trial_load == 1e7 and (.trials[2].trial_load | . > 5e6 and . < 5.01e6)' <<<"$output"
}

@test "--max-r makes the goals of tst009 match, and goals that do not are refused" {
  run --separate-stderr "$XDP_MLR" search --measurer sim:hard,capacity=1e6 --max-load 10Mfps --algorithm tst009 --preset tst009 \
    --max-r 4 --format json
  [ "$status" -eq 0 ]
  "$JQ" -e '.controller_input.goals[0] | .exceed_ratio == 0.75 and .duration_sum == 240' <<<"$output"
  "$JQ" -e '[.trials[:4][].trial_load] | unique == [10000000]' <<<"$output"
  refuses 2 "tst009.*max-r" "$XDP_MLR" search --measurer sim:hard,capacity=1e6 --max-load 10Mfps --algorithm tst009 --preset rfc2544
  refuses 2 "phased.*Trial Duration" "$XDP_MLR" search --measurer sim:hard,capacity=1e6 --max-load 10Mfps --algorithm phased \
    --goal name=a,final=1 --goal name=b,final=2
}

phased() {
  simulated --algorithm phased --format json "$@"
}

@test "phased has the parameters and defaults of draft-01, and they are options" {
  local SIM=sim:hard,capacity=1e6
  phased 2>/dev/null | is '.controller_input.goals == [
      {"name": "ndr", "loss_ratio": 0, "exceed_ratio": 0, "initial_trial_duration": 1, "final_trial_duration": 30, "duration_sum": 30, "width": 0.005},
      {"name": "pdr", "loss_ratio": 0.005, "exceed_ratio": 0, "initial_trial_duration": 1, "final_trial_duration": 30, "duration_sum": 30, "width": 0.005}]
    and (.configuration | ."max-time" == "600" and ."intermediate-phases" == "2" and ."expansion-coefficient" == "4")
    and ([.trials[].trial_duration] | unique | length == 3)'
  phased --goal name=x 2>/dev/null | is '.controller_input.goals[0] | .initial_trial_duration == 1 and .final_trial_duration == 30'
  phased --goal name=x --intermediate-phases 0 | is '[.trials[].trial_duration] | unique == [1, 30]'
  SIM=sim:jitter,capacity=1e6,sigma=0.02,seed=1
  phased --goal name=x --intermediate-phases 1 --expansion-coefficient 2.5 >"$BATS_TEST_TMPDIR/one.json"
  phased --goal name=x --intermediate-phases 1 | is '.trials[3].trial_load < 955000'
  is '.trials[3].trial_load > 955000' <"$BATS_TEST_TMPDIR/one.json"
  "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/one.json" --format json |
    jq '[.trials[].trial_load]' | diff - <(jq '[.trials[].trial_load]' "$BATS_TEST_TMPDIR/one.json")
  run -1 --separate-stderr phased --max-time 40
  is '.irregular_reason == "the time limit of the search was reached"' <<<"$output"
  refuses 2 "--expansion-coefficient '1.9': must be a number from 2 to" simulated --algorithm phased --expansion-coefficient 1.9
  refuses 2 "--intermediate-phases '17': must be a whole number from 0 to 16" simulated --algorithm phased --intermediate-phases 17
  refuses 2 "--intermediate-phases '1': is for --algorithm phased" simulated --intermediate-phases 1
}

@test "phased reports what it applies of a goal, says what not, and is not regular where all trials say otherwise" {
  run --separate-stderr phased --goal name=x,loss=0.1%,exceed=0.5,final=10,sum=40
  [[ $stderr == *"goal 'x': --algorithm phased judges a load by one trial; exceed=0.5 and sum=40 are not applied, but exceed=0 and sum=10"* ]]
  is '(.controller_input.goals[0] | .exceed_ratio == 0 and .duration_sum == 10) and (.configuration.goal[0] | test("exceed=0,.*sum=10,"))
    and (.deviations | any(test("It applies no Goal Exceed Ratio and no Goal Duration Sum"))) and (.warnings | any(test("are not applied")))' <<<"$output"
  # by Appendix A, with the Goal Exceed Ratio of 0, any trial that lost too much makes an Upper Bound
  local seed
  for seed in {1..20}; do
    phased --measurer "sim:jitter,capacity=1e6,sigma=0.01,seed=$seed" --preset csit --intermediate-phases 0 2>/dev/null || [ $? -eq 1 ]
    phased --measurer "sim:jitter,capacity=1e6,sigma=0.01,seed=$seed" 2>/dev/null || [ $? -eq 1 ]
  done | jq -es 'length == 40 and all(.[]; .trials as $t | all(.search_result[]; . as $r
      | ([$t[] | select(.trial_loss_ratio > $r.goal.loss_ratio) | .trial_load] | min) as $upper
      | if .regular then .relevant_lower_bound < $upper and .relevant_upper_bound == $upper
        else (.irregular_reason | startswith("trials of other durations")) and .relevant_lower_bound >= $upper end))
    and ([.[].search_result[].regular] | unique == [false, true])'
}

@test "a SUT that remembers overload is warned of, and no other" {
  simulated --format json --measurer sim:overheating,capacity=1e6 2>/dev/null |
    is '.warnings | any(startswith("the SUT remembers: trials after an overloaded one do worse"))'
  simulated --format json --measurer sim:jitter,capacity=1e6,sigma=0.01,seed=7 | is '.warnings | any(test("remembers")) | not'
}

@test "--fail-fast ends a search in which a goal fails at Min Load" {
  goals=(--goal name=a,loss=0,final=1,sum=1 --goal name=b,loss=50%,final=1,sum=21 --measurer sim:hard,capacity=5000 --max-load 20000)
  run --separate-stderr simulated --format json "${goals[@]}"
  [ "$status" -eq 1 ]
  all=$("$JQ" '.trials | length' <<<"$output")
  run --separate-stderr simulated --format json "${goals[@]}" --fail-fast
  [ "$status" -eq 1 ]
  is '.irregular_reason | test("--fail-fast")' <<<"$output"
  is ".trials | length < $all" <<<"$output"
  is '.search_result[0] | .relevant_upper_bound == 9001 and .relevant_lower_bound == null' <<<"$output"
  # where Min Load is borne it changes nothing
  run --separate-stderr simulated --format json --fail-fast
  [ "$status" -eq 0 ]
}
