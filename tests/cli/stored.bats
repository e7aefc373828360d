#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Searches that go on from a stored one, or are asked again.
load helper

setup() {
  WHOLE=$BATS_TEST_TMPDIR/whole.json
  STREAM=$BATS_TEST_TMPDIR/whole.jsonl
}

# The same search as one document and as events.
store() { # further options
  simulated --format json "$@" >"$WHOLE"
  simulated --format jsonl "$@" >"$STREAM"
}

@test "--replay asks for the same trials and finds the same result, whatever the algorithm" {
  for algorithm in mlr phased binary tst009; do
    store --algorithm "$algorithm" || [ $? -eq 1 ] # irregular: phased, whose long trials contradict short ones here
    code=$(jq 'if all(.search_result[]; .regular) then 0 else 1 end' "$WHOLE")
    for file in "$WHOLE" "$STREAM"; do
      run --separate-stderr "$XDP_MLR" search --replay "$file" --format json
      [ "$status" -eq "$code" ]
      [ "$(jq -c .search_result <<<"$output")" = "$(jq -c .search_result "$WHOLE")" ]
      [ "$(jq -c '[.trials[] | del(.decision)]' <<<"$output")" = "$(jq -c '[.trials[] | del(.decision)]' "$WHOLE")" ]
      "$JQ" -e '[.trials[].decision | has("asked_load")] | any | not' <<<"$output"
      "$JQ" -e --arg a "$algorithm" '.algorithm == $a and .measurer.name == "replay" and .measurer.replayed.name == "sim"' <<<"$output"
    done
  done
}

@test "every stored search replays, wherever its loads, ports and frames came from" {
  local change file bounds='.search_result | map([.goal, .regular, .relevant_lower_bound, .relevant_upper_bound, .conditional_throughput])'
  for file in tests/golden/search-1-*.json; do
    # Max Load found by calibration; ports of other hosts; frames of a file that is not here
    for change in . 'del(.configuration["max-load"]) | .max_load_source = "calibration"' \
      '.configuration += {measurer: "mpi", ports: "h1:east:tx,h2:west:rx"} | del(.configuration.direction)' \
      '.configuration += {template: "/nonexistent.pcap"}'; do
      jq "$change" "$file" >"$WHOLE"
      run --separate-stderr "$XDP_MLR" search --replay "$WHOLE" --format json
      [ "$status" -le 1 ] && [ -z "$(grep -v ' irregular\|: warning: ' <<<"$stderr")" ] || { echo "$file, $change: $stderr"; return 1; }
      [ "$(jq -c "$bounds" <<<"$output")" = "$(jq -c "$bounds" "$file")" ]
    done
  done
}

@test "--replay says what the controller would have asked for instead" {
  store
  # the seventh trial at another load
  jq '.trials[6] |= (.trial_load = 123456 | .trial_forwarding_rate = 123456 * (1 - .trial_loss_ratio) | .counts = null | .loss_attribution = null)
    | del(.search_result, .changes, .trials[].decision)' "$WHOLE" >"$BATS_TEST_TMPDIR/other.json"
  run --separate-stderr "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/other.json" --format json
  [ "$("$JQ" '.trials[6].decision.asked_load' <<<"$output")" = "$("$JQ" '.trials[6].trial_load' "$WHOLE")" ]
  "$JQ" -e '[.trials[:6][].decision | has("asked_load")] | any | not' <<<"$output"
}

@test "--replay of a part ends irregular, and measures nothing" {
  store
  head -n 20 "$STREAM" >"$BATS_TEST_TMPDIR/part.jsonl"
  run --separate-stderr "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/part.jsonl" --format json
  [ "$status" -eq 1 ]
  trials=$(grep -c trial_finished "$BATS_TEST_TMPDIR/part.jsonl")
  "$JQ" -e --argjson n "$trials" '(.trials | length) == $n and .irregular_reason == "the stored trials end here"' <<<"$output"
}

@test "--resume from every point of an event stream ends as the whole search did" {
  # a SUT without noise, so that it does not matter that the simulation starts anew
  local hard=(--measurer sim:hard,capacity=1e6 --max-load 10Mfps)
  "$XDP_MLR" search "${hard[@]}" --format json >"$WHOLE"
  "$XDP_MLR" search "${hard[@]}" --format jsonl >"$STREAM"
  for lines in 1 2 3 4 10 17 30 50; do
    head -n "$lines" "$STREAM" >"$BATS_TEST_TMPDIR/part.jsonl"
    printf '{"event": "trial_fin' >>"$BATS_TEST_TMPDIR/part.jsonl" # the run was killed in the middle of a line
    run --separate-stderr "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/part.jsonl" --format json
    [ "$status" -eq 0 ]
    [ "$(jq -c '[.search_result, .controller_input]' <<<"$output")" = "$(jq -c '[.search_result, .controller_input]' "$WHOLE")" ]
    [ "$(jq -c '[.trials[] | del(.decision)]' <<<"$output")" = "$(jq -c '[.trials[] | del(.decision)]' "$WHOLE")" ]
  done
}

@test "a digit that changed within an event stream is found, in whatever line" {
  store
  local line change verb part=$BATS_TEST_TMPDIR/part.jsonl flipped=$BATS_TEST_TMPDIR/flipped.jsonl count
  count=$(wc -l <"$STREAM")
  for line in 1 2 3 17 $((count - 1)) "$count"; do
    # the last digit of the line's first number that has two: JSON still, and within its range
    sed -E "$line s/([:{ ][0-9.]*)[1-8]([,}])/\19\2/" "$STREAM" >"$flipped"
    [ "$(cmp -l "$STREAM" "$flipped" | wc -l)" -eq 1 ]
    jq -e . "$flipped" >/dev/null
    [ "$line" -lt "$count" ] || { jq -c 'if .schema then .trials[3].trial_loss_ratio = 0.25 else . end' "$STREAM" >"$flipped"; }
    for option in --resume --replay; do
      refuses 2 "flipped.jsonl:$line: this line is not as it was written.*head -n $((line - 1))" "$XDP_MLR" search "$option" "$flipped"
    done
    for verb in report "compare $STREAM"; do refuses 2 "flipped.jsonl:$line: " "$XDP_MLR" $verb "$flipped"; done
  done
  # a result is what its events say: how it was set up, what was measured, and what came of it
  for change in '.configuration["max-load"] = "9Mfps"' '.configuration["frame-size"] = "1518"' '.configuration.measurer = "xdp"' '.algorithm = "binary"' \
    '.controller_input.max_load = 9e6' '.controller_input.goals[0].loss_ratio = 0.5' '.max_load_source = "self-test"' \
    '.search_result[0].relevant_lower_bound *= 1.1' '.search_result[1].relevant_upper_bound = null'; do
    jq -c "if .schema then $change else . end" "$STREAM" >"$flipped"
    for verb in "search --resume" "search --replay" report "compare $STREAM"; do
      refuses 2 "flipped.jsonl:$count: this line is not as it was written: its .*: the events before it say otherwise" "$XDP_MLR" $verb "$flipped"
    done
  done
  # nor is a line that is no JSON any more taken for the last, cut short, with a result behind it left out in silence
  for line in 2 17 $((count - 1)) "$count"; do
    sed "$line s/\"/'/" "$STREAM" >"$flipped"
    refuses 2 "flipped.jsonl:$line: this line is not as it was written.*head -n $((line - 1))" "$XDP_MLR" report "$flipped"
  done
  # other white space, and lines of older versions, are none
  head -n 20 "$STREAM" >"$part"
  "$XDP_MLR" search --replay "$part" --format json >"$WHOLE" || [ $? -eq 1 ]
  for filter in . 'del(.crc32)'; do
    jq -c "$filter" "$part" >"$flipped"
    "$XDP_MLR" search --replay "$flipped" --format json >"$BATS_TEST_TMPDIR/again" || [ $? -eq 1 ]
    diff <(jq .trials "$WHOLE") <(jq .trials "$BATS_TEST_TMPDIR/again")
  done
}

@test "a search that ran out of time is resumed from its result, with its options" {
  simulated --max-time 10 --goal name=mine,loss=1%,sum=9 --format json >"$WHOLE" || [ $? -eq 1 ]
  run --separate-stderr "$XDP_MLR" search --resume "$WHOLE" --max-time 1000 --format json
  [ "$status" -eq 0 ]
  "$JQ" -e '.search_result[0] | .regular and .goal.name == "mine" and .goal.loss_ratio == 0.01' <<<"$output"
  [ "$(jq -c '[.trials[:5][] | del(.decision)]' <<<"$output")" = "$(jq -c '[.trials[:5][] | del(.decision)]' "$WHOLE")" ]
  # and what came of it can be resumed and replayed again
  echo "$output" >"$WHOLE"
  run --separate-stderr "$XDP_MLR" search --replay "$WHOLE" --format json
  [ "$status" -eq 0 ]
}

@test "trials with other frames are none of a stored search; what is said again as it was is no other" {
  store
  head -n 20 "$STREAM" >"$BATS_TEST_TMPDIR/part.jsonl"
  local option verb
  for verb in --resume --replay; do
    for option in --frame-size=1518 --direction=both --vlan=5 --flows=10 --seed=7; do
      refuses 2 "${option%%=*}" "$XDP_MLR" search $verb "$BATS_TEST_TMPDIR/part.jsonl" $option
      [[ $stderr == *"the trials in $BATS_TEST_TMPDIR/part.jsonl were measured with"* ]]
    done
    "$XDP_MLR" search $verb "$BATS_TEST_TMPDIR/part.jsonl" --frame-size 64 >/dev/null || [ $? -eq 1 ]
  done
}

@test "a result makes nobody run a command, open a file or be unsafe: that is said again, or refused" {
  local key there=$BATS_TEST_TMPDIR/there bad=$BATS_TEST_TMPDIR/bad.json acts
  simulated --max-time 10 --format json >"$WHOLE" || [ $? -eq 1 ]
  declare -A acts=([measurer]="exec:touch $there" [sut-config-command]="touch $there" [sut-config]=/etc/passwd
    [template]=/etc/passwd [allow-unsafe]=yes [report]="$there.txt" [junit]="$there.xml" [metrics]="$there.prom")
  for key in "${!acts[@]}"; do
    for list in . '[.]'; do
      jq --arg k "$key" --arg v "${acts[$key]}" ".configuration[\$k] = (\$v | $list)" "$WHOLE" >"$bad"
      refuses 2 "bad.json: configuration: $key '.*': no command is run, no file opened.*say --$key on the command line" \
        "$XDP_MLR" search --resume "$bad"
      refuses 2 "bad.json:[0-9]+: '$key': no command is run, no file opened.*say --$key on the command line" "$XDP_MLR" search --config "$bad"
      "$XDP_MLR" search --replay "$bad" --format json >"$BATS_TEST_TMPDIR/replayed" || [ $? -eq 1 ]
      is '.sut == null' <"$BATS_TEST_TMPDIR/replayed"
      "$XDP_MLR" report "$bad" >/dev/null
    done
  done
  [ -z "$(compgen -G "$there*")" ]
  # said again, it is what is said that counts
  jq --arg v "${acts[measurer]}" '.configuration.measurer = $v' "$WHOLE" >"$bad"
  run --separate-stderr "$XDP_MLR" search --resume "$bad" --measurer "$SIM" --max-time 1000 --format json
  [ "$status" -eq 0 ]
  [ ! -e "$there" ]
  # nor is a schedule in it one, of which each run may say all of that
  jq --arg v "${acts[measurer]}" '.appliance = {schedule: [{name: "nightly", measurer: $v, alone: true}]}' "$WHOLE" >"$bad"
  refuses 2 "bad.json:[0-9]+: is a result, and so has no schedule for --run" "$XDP_MLR" search --config "$bad" --run nightly
  [ ! -e "$there" ]
  # nor does it choose what is done at all
  jq '.configuration["dry-run"] = "true"' "$WHOLE" >"$bad"
  refuses 2 "there is no option 'dry-run'" "$XDP_MLR" search --resume "$bad"
}

@test "a replay has what the stored search was told of the SUT, and asks nobody again" {
  simulated --sut-config-command "echo once; echo x >>$BATS_TEST_TMPDIR/ran" --format json >"$WHOLE"
  "$XDP_MLR" search --replay "$WHOLE" --format json >"$BATS_TEST_TMPDIR/replayed"
  diff <(jq '[.sut, .configuration]' "$WHOLE") <(jq '[.sut, .configuration]' "$BATS_TEST_TMPDIR/replayed")
  [ "$(wc -l <"$BATS_TEST_TMPDIR/ran")" -eq 1 ]
}

@test "what is no stored search, or contradicts it, is refused" {
  store
  refuses 2 "nosuch" "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/nosuch"
  echo "not JSON" >"$BATS_TEST_TMPDIR/text"
  refuses 2 "no stored search" "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/text"
  : >"$BATS_TEST_TMPDIR/empty"
  refuses 2 "no stored search" "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/empty"
  echo '{"schema": "xdp-mlr/trial/1"}' >"$BATS_TEST_TMPDIR/trial.json"
  refuses 2 "xdp-mlr/trial/1" "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/trial.json"
  jq '.trials[3].trial_loss_ratio = 2' "$WHOLE" >"$BATS_TEST_TMPDIR/bad.json"
  refuses 2 "/trials/3/trial_loss_ratio: 2 is out of range" "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/bad.json"
  jq 'del(.trials[0].trial_load)' "$WHOLE" >"$BATS_TEST_TMPDIR/bad.json"
  refuses 2 "trial 1" "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/bad.json"
  jq 'del(.configuration)' "$WHOLE" >"$BATS_TEST_TMPDIR/bad.json"
  refuses 2 "configuration" "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/bad.json"
  jq '.configuration.colour = "red"' "$WHOLE" >"$BATS_TEST_TMPDIR/bad.json"
  refuses 2 "colour" "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/bad.json"
  refuses 2 "--goal" "$XDP_MLR" search --resume "$WHOLE" --goal loss=0
  refuses 2 "--algorithm" "$XDP_MLR" search --replay "$WHOLE" --algorithm binary
  refuses 2 "exclude each other" "$XDP_MLR" search --replay "$WHOLE" --resume "$WHOLE"
}

@test "--explain shows each trial, with the rule that chose it" {
  run --separate-stderr simulated --explain
  [ "$status" -eq 0 ]
  [[ $output == *"All "*" trials"*"Why this trial"* ]]
  run --separate-stderr simulated --format json
  "$JQ" -e '[.trials[].decision | (.rule | length > 0) and (.goal == "ndr" or .goal == "pdr")] | all' <<<"$output"
  # the model's opinion, where it was asked
  "$JQ" -e '[.trials[].decision | select(.rule == "cheapest by the model")] | length > 5
    and ([.[] | .exceed_probability >= 0 and .exceed_probability <= 1 and .trials_ahead >= 1] | all)' <<<"$output"
  "$JQ" -e '.trials[0].decision | .exceed_probability == null and .trials_ahead == null' <<<"$output"
  [ "$(simulated --explain | grep -cE '^ +[0-9]+ +[0-9.]+ .*(ndr|pdr): ')" -eq "$("$JQ" '.trials | length' <<<"$output")" ]
}

@test "a replay says of the ports, the SUT and the tester what the stored search did" {
  # two transmitters, a self-test that limits a result, and what nobody can measure again
  jq '.line_rate = 14880952.38 | .environment.hostname = "lab7" | .search_result[0].tester_limited = true
    | .search_result[0].rfc2544_compliance = "none" | .warnings = ["a counter was lost"] | .connection = {description: "direct"}
    | .sut = {name: "Router 7", configuration: [], changes: ["MTU 9000"], notes: ["n"]}' tests/golden/search-1-xdp.json >"$WHOLE"
  run --separate-stderr "$XDP_MLR" search --replay "$WHOLE" --format json
  [ "$status" -eq 1 ] # limited
  for member in aggregate_factor line_rate environment connection search_duration sut 'search_result[0].tester_limited'; do
    [ "$(jq -c ".$member" <<<"$output")" = "$(jq -c ".$member" "$WHOLE")" ] || { echo "other $member"; return 1; }
  done
  "$JQ" -e '.warnings | contains(["a counter was lost"])' <<<"$output"
  # a second replay adds nothing
  echo "$output" >"$BATS_TEST_TMPDIR/again.json"
  "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/again.json" --format json >"$BATS_TEST_TMPDIR/third.json" || [ $? -eq 1 ]
  [ "$(jq -c .warnings "$BATS_TEST_TMPDIR/third.json")" = "$(jq -c .warnings <<<"$output")" ]
}

@test "a search that measured latency at its bounds replays, with that latency" {
  jq '.configuration["latency-at"] = "50%" | .latency_at = []' tests/golden/search-1-xdp.json >"$WHOLE"
  run --separate-stderr "$XDP_MLR" search --replay "$WHOLE" --format json
  [ "$status" -eq 0 ]
  "$JQ" -e '.latency_at == []' <<<"$output"
}

@test "a replay knows no size of an external measurer's frames that it did not say" {
  local answer='while read -r q; do echo "{\"trial_loss_ratio\": 0.001}"; done' bits='.search_result[0].relevant_upper_bound_l2_bps'
  measured "$answer" --goal loss=0 --format json >"$WHOLE" || [ $? -eq 1 ]
  "$XDP_MLR" search --replay "$WHOLE" --format json >"$BATS_TEST_TMPDIR/again.json" || [ $? -eq 1 ]
  [ "$(jq "$bits" "$BATS_TEST_TMPDIR/again.json")" = null ]
  measured "$answer" --goal loss=0 --frame-size 1518 --format json >"$WHOLE" || [ $? -eq 1 ]
  "$XDP_MLR" search --replay "$WHOLE" --format json >"$BATS_TEST_TMPDIR/again.json" || [ $? -eq 1 ]
  [ "$(jq "$bits" "$BATS_TEST_TMPDIR/again.json")" = "$(jq "$bits" "$WHOLE")" ]
}
