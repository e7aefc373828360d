#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# compare: whether B is slower than A; and --repeat, which gives it the spread.
load helper

# A search with a result file: `result NAME MODEL [options]`
result() {
  local name=$1 model=$2
  shift 2
  "$XDP_MLR" search --measurer "sim:$model" --max-load 10Mfps --format json "$@" >"$BATS_TEST_TMPDIR/$name.json" || [ $? -eq 1 ]
}

compare() { # A B [options]
  local a=$BATS_TEST_TMPDIR/$1.json b=$BATS_TEST_TMPDIR/$2.json
  shift 2
  "$XDP_MLR" compare "$a" "$b" "$@"
}

# `cannot_tell PATTERN A B`
cannot_tell() {
  run --separate-stderr compare "$2" "$3"
  [ "$status" -eq 2 ]
  [[ $stderr =~ "cannot tell whether ".*$1$ ]] || { echo "$stderr"; return 1; }
}

# Both reach the same Max Load, which may be the line rate.
no_fall_up_to() { # LOAD A B
  run --separate-stderr compare "$2" "$3"
  [ "$status" -eq 0 ]
  [[ $(tr -s ' \n' ' ' <<<"$output") == *"both reach Max Load, $1, and what lies beyond it is not seen"* ]]
}

@test "a regression of 3 % is found by repeats, an improvement is none, and equal ones are equal" {
  result a hard,capacity=1e6 --repeat 3
  result b hard,capacity=0.97e6 --repeat 3
  run --separate-stderr compare a b --format json
  [ "$status" -eq 1 ]
  is '.schema == "xdp-mlr/compare/1" and .verdict == "regression" and .tolerance == 0.01
    and (.goals | length == 2 and all(.verdict == "slower" and .method == "repeats" and .change < -0.025 and .change > -0.035
      and .b.relevant_upper_bound_max < .a.relevant_lower_bound_min * 0.99))' <<<"$output"
  run --separate-stderr compare b a --format json
  [ "$status" -eq 0 ]
  is '.verdict == "no regression" and (.goals | all(.verdict == "faster"))' <<<"$output"
  run --separate-stderr compare a a --format json
  [ "$status" -eq 0 ]
  is '.goals | all(.verdict == "same" and .change == 0)' <<<"$output"
}

@test "one goal that is slower is a regression" {
  result a hard,capacity=1e6
  jq '.search_result[1] |= (.relevant_lower_bound *= 0.3 | .relevant_upper_bound *= 0.3 | .conditional_throughput *= 0.3) | del(.trials)' "$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/b.json"
  run --separate-stderr compare a b --format json
  [ "$status" -eq 1 ]
  is '[.goals[].verdict] == ["same", "slower"]' <<<"$output"
}

@test "the text says who is slower, by how much and why" {
  result a hard,capacity=1e6 --repeat 3
  result b hard,capacity=0.97e6 --repeat 3
  run --separate-stderr compare a b
  [ "$status" -eq 1 ]
  output=$(tr -s ' \n' ' ' <<<"$output")
  [[ $output == *"ndr B is SLOWER -2.9"*"B's threshold, 97"*" over 3 searches, is 2.9"*"below A's threshold, 1.00"*" over 3 searches; that it is no more than 1 % has p = "* ]]
  [[ $output == *"Regression: B is slower than A. A change up to 1 % is none."* ]]
  [[ $output == *'measurer: "sim:hard,capacity=1e6" in A, "sim:hard,capacity=0.97e6" in B'* ]]
  [[ $output != *$'\e'* ]]
}

# A change of 3 % in single searches may be chance: nobody knows how much the results of this SUT scatter.
@test "single searches show a large fall only, and say which; a spread that is known shows a smaller one" {
  result a hard,capacity=1e6
  result b hard,capacity=0.97e6
  result fallen hard,capacity=0.6e6
  run --separate-stderr compare a b --format json
  [ "$status" -eq 2 ]
  [[ $stderr == *"cannot tell whether "*"b.json is slower than "*"a.json: ndr: B is 2.96 % below A, which may be chance: these searches show falls of more than 31 %; --repeat 5 on both sides shows the true spread, and if it is as assumed, --repeat 29 decides"* ]]
  is '.verdict == "cannot tell" and (.goals | all(.verdict == "unknown" and .method == "single searches" and .test.detectable_fall > 0.3))' <<<"$output"
  is '.goals[0] | (.b.threshold.mean / .a.threshold.mean - 1 - .change | fabs < 1e-12)
    and (.a | .threshold.mean > .relevant_lower_bound_max and .threshold.mean < .relevant_upper_bound_min)' <<<"$output"
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/compare.schema.json - <<<"$output"
  run compare a fallen
  [ "$status" -eq 1 ]
  run compare a a
  [ "$status" -eq 0 ]
  output=$(tr -s ' \n' ' ' <<<"$output")
  [[ $output == *"the same within 30 % (confidence 99 %): these searches show falls of more than 31 %; --repeat 5 on both sides shows smaller ones"* ]]
  run --separate-stderr compare a b --spread 0.3% --format json
  [ "$status" -eq 1 ]
  is '.goals | all(.verdict == "slower" and .method == "spread" and .test.spread >= 0.003 and .test.spread < 0.004 and .test.within < 0.05)' <<<"$output"
  refuses 2 "--spread '0': must be a ratio" compare a b --spread 0
}

@test "the tolerance decides what is a change" {
  result a hard,capacity=1e6
  result b hard,capacity=0.97e6
  run compare a b --tolerance 5%
  [ "$status" -eq 0 ]
  refuses 2 "--tolerance '0': must be a ratio" compare a b --tolerance 0
}

@test "a B that fails at every load is slower, an A without a limit is faster than any bound" {
  result a hard,capacity=1e6
  result none hard,capacity=1000
  result all hard,capacity=1e9
  run compare a none
  [ "$status" -eq 1 ]
  run compare all a
  [ "$status" -eq 1 ]
  run compare a all
  [ "$status" -eq 0 ]
  cannot_tell "ndr: A is only at most [0-9.]+ kfps, and B is only at most [0-9.]+ kfps: lower --min-load" none none
  no_fall_up_to "10.00 Mfps" all all
  run --separate-stderr compare all none
  [ "$status" -eq 1 ]
  [[ $(tr -s ' \n' ' ' <<<"$output") == *"A is only at least 10.00 Mfps; B is only at most "* ]]
}

@test "what Max Load or Min Load cut off shows no change that the other settings made" {
  local repeat
  for repeat in 1 5; do
    result a hard,capacity=5e6 --max-load 3Mfps --repeat $repeat
    result b hard,capacity=5e6 --max-load 2Mfps --repeat $repeat
    result c hard,capacity=2.0001e6 --max-load 2Mfps --repeat $repeat
    result found hard,capacity=5e6 --repeat $repeat
    cannot_tell "ndr: A is only at least 3.000 Mfps, and B is only at least 2.000 Mfps: raise --max-load" a b
    cannot_tell "raise --max-load" b a
    no_fall_up_to "2.000 Mfps" b c
    cannot_tell "ndr: A is [0-9.]+ Mfps, and B is only at least 2.000 Mfps: raise --max-load" found b
    cannot_tell "ndr: A is only at least 2.000 Mfps, and B is [0-9.]+ Mfps: raise --max-load" b found
    result a hard,capacity=5e3 --min-load 100kfps --repeat $repeat
    result b hard,capacity=5e3 --min-load 10kfps --repeat $repeat
    cannot_tell "ndr: A is only at most 100.0 kfps, and B is only at most 10.00 kfps: lower --min-load" a b
    run --separate-stderr compare found a --format json
    [ "$status" -eq 1 ]
    is '.goals | all(.verdict == "slower" and (.evidence | endswith("; B is only at most 100.0 kfps")))' <<<"$output"
  done
}

@test "where the tester was the limit of B nothing is said of its SUT, unless other searches say it" {
  result a hard,capacity=1e6
  result b hard,capacity=0.6e6
  jq '.search_result[].tester_limited = true | del(.trials)' "$BATS_TEST_TMPDIR/b.json" >"$BATS_TEST_TMPDIR/limited.json"
  run --separate-stderr compare a limited
  [ "$status" -eq 2 ]
  [[ $stderr == *"ndr: the tester's own limit set the bounds of B, so its SUT may be faster than they say" ]]
  # one limited search of three hides no fall
  result a3 hard,capacity=1e6 --repeat 3
  result b3 hard,capacity=0.6e6 --repeat 3
  jq '.repeats.runs[1].search_result[].tester_limited = true | .search_result = .repeats.runs[.repeats.median_run - 1].search_result
    | del(.trials, .repeats.runs[].trials)' "$BATS_TEST_TMPDIR/b3.json" >"$BATS_TEST_TMPDIR/limited3.json"
  run --separate-stderr compare a3 limited3 --format json
  [ "$status" -eq 1 ]
  is '.goals | all(.verdict == "slower" and .b.limited == 1 and .b.searches == 3)' <<<"$output"
  # that the tester limited A does not help B
  jq '.search_result[].tester_limited = true | del(.trials)' "$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/limited.json"
  run compare limited b
  [ "$status" -eq 1 ]
  # but a B that is the same may be a fall from what A could do
  cannot_tell "ndr: the tester's own limit set the bounds of A, so its SUT may be faster than they say" limited a
  # less than its bound was offered to a SUT that seems to do as much
  jq '.search_result[] |= . + {tester_limited: true, offered_less: true} | del(.trials)' "$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/less.json"
  cannot_tell "ndr: less was offered than the Lower Bound of B, so its SUT may be slower than that says" a less
  run compare a limited
  [ "$status" -eq 0 ]
  run compare limited limited
  [ "$status" -eq 0 ]
  [[ $output == *", limited"* ]]
  [ "$(grep -cE '^  (ndr|pdr) +[AB] .* limited$' <<<"$output")" -eq 4 ] || { echo "$output"; return 1; }
  if grep -qi 'tester-limited\|irregular' <<<"$output"; then return 1; fi
}

@test "what cannot be compared is refused, and named" {
  result a hard,capacity=1e6
  result other hard,capacity=1e6 --goal name=ndr,loss=1% --goal name=x
  refuses 2 "cannot be compared: .*goal ndr, loss_ratio: 0 in A, 0.01 in B.*goal pdr: only in A.*goal x: only in B" compare a other
  result size hard,capacity=1e6 --frame-size 128
  refuses 2 'frame-size: "64" in A, "128" in B' compare a size
  result way hard,capacity=1e6 --algorithm binary
  refuses 2 'algorithm: "mlr" in A, "binary" in B' compare a way
  jq '.traffic_profile.protocol = "UDP over IPv6"' "$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/p.json"
  refuses 2 'traffic_profile.protocol: nothing in A, "UDP over IPv6" in B' compare a p
  # other ports and addresses are no other traffic, another number of flows is
  jq '.traffic_profile.streams = [{from: "x", to: "y", source_address: "10.0.0.1", flows: 1}]' "$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/p.json"
  jq '.traffic_profile.streams = [{from: "v", to: "w", source_address: "10.0.0.2", flows: 1}]' "$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/q.json"
  compare p q
  jq '.traffic_profile.streams[0].flows = 2' "$BATS_TEST_TMPDIR/p.json" >"$BATS_TEST_TMPDIR/q.json"
  refuses 2 "traffic_profile.streams: .*1.* in A, .*2.* in B" compare p q
  result short hard,capacity=1e6 --max-time 0.1
  run --separate-stderr compare a short
  [ "$status" -eq 2 ]
  [[ $stderr == *"ndr: B has no bound at all" ]]
  "$XDP_MLR" soak --measurer sim:hard,capacity=1e6 --max-load 2Mfps --max-time 60 --format json >"$BATS_TEST_TMPDIR/soak.json"
  refuses 2 "one is a soak, the other a search" compare a soak
  # what an external measurer says of its frames
  jq '.measurer = {name: "exec", command: "x", described: {frame_size_octets: 64}}' "$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/small.json"
  jq '.measurer.described.frame_size_octets = 1518' "$BATS_TEST_TMPDIR/small.json" >"$BATS_TEST_TMPDIR/large.json"
  refuses 2 "frame_size_octets: 64 in A, 1518 in B" compare small large
  run compare small small
  [ "$status" -eq 0 ]
}

@test "goals and searches of any number, in one document or the other, are compared or refused" {
  result a hard,capacity=1e6
  result b hard,capacity=1e6 --repeat 3
  local change XDP_MLR=$PWD/$XDP_MLR
  cd "$BATS_TEST_TMPDIR"
  jq '.search_result += [.search_result[0] | (., .) | (., .) | (., .)] | .controller_input.goals = [.search_result[].goal] | del(.trials)' a.json >twice.json
  refuses 2 "goal ndr: twice in A" compare twice twice
  refuses 2 "goal ndr: twice in B" compare a twice
  for change in '.repeats.runs[1].search_result = [range(5000) as $i | .search_result[0]]' '.repeats.runs[0].search_result = []' \
    '.repeats.runs = []' '.repeats.runs |= map(.search_result |= reverse)' '.repeats.runs[2].search_result[].goal.name = "other"' \
    'del(.repeats.runs[].search_result[].goal)' '.repeats.runs = [range(1000) as $i | .repeats.runs[0]]' '.repeats.runs[1] = null'; do
    jq -c "$change" b.json >changed.json
    for pair in "a changed" "changed a" "b changed" "changed b" "changed changed"; do
      run --separate-stderr compare $pair
      [ "$status" -le 2 ] || { echo "$change: $pair: exit $status: $stderr"; return 1; }
    done
  done
  # bounds, so that the work has one
  jq -c '.search_result = [range(1001) as $i | .search_result[0] | .goal.name = "g\($i)"] | del(.trials, .controller_input)' a.json >changed.json
  refuses 2 "changed.json: /search_result: has more than 1000 values" compare changed changed
  jq -c '.search_result |= .[:1000]' changed.json >most.json
  compare most most --format json | is '.goals | length == 1000 and all(.verdict == "same")'
  jq -c '.repeats.runs = [range(1001) as $i | .repeats.runs[0]]' b.json >changed.json
  refuses 2 "changed.json: /repeats/runs: has more than 1000 values" compare changed changed
}

@test "files that are no results are refused" {
  result a hard,capacity=1e6
  refuses 2 "cannot read .*none.json: No such file" compare a none
  echo '{"schema": "xdp-mlr/trial/1"}' >"$BATS_TEST_TMPDIR/t.json"
  refuses 2 "t.json is a document 'xdp-mlr/trial/1'" compare a t
  echo no >"$BATS_TEST_TMPDIR/t.json"
  refuses 2 "t.json is no result" compare t a
  refuses 2 "compare lacks a file, A.json" "$XDP_MLR" compare
  refuses 2 "compare lacks a file, B.json" "$XDP_MLR" compare x
  refuses 2 "'z' is one argument too many for compare" "$XDP_MLR" compare x y z
}

@test "a stream of events is a result, too" {
  result a hard,capacity=1e6
  "$XDP_MLR" search --measurer sim:hard,capacity=0.6e6 --max-load 10Mfps --format jsonl >"$BATS_TEST_TMPDIR/b.json"
  run compare a b
  [ "$status" -eq 1 ]
}

@test "two soaks are compared by their estimates" {
  for rate in 1e6 0.97e6; do
    "$XDP_MLR" soak --measurer sim:hard,capacity=$rate --max-load 2Mfps --max-time 120 --format json >"$BATS_TEST_TMPDIR/$rate.json"
  done
  run --separate-stderr compare 1e6 0.97e6 --format json
  [ "$status" -eq 1 ]
  is '.goals == [.goals[0]] and (.goals[0] | .verdict == "slower" and .method == "estimates" and .goal == null)' <<<"$output"
  run compare 1e6 1e6
  [ "$status" -eq 0 ]
  run compare 0.97e6 1e6
  [ "$status" -eq 0 ]
}

@test "a soak that ends at Max Load, or that the tester limited, says how much the SUT does at least" {
  soaked() { # NAME CAPACITY MAX-LOAD
    "$XDP_MLR" soak --measurer sim:hard,capacity=$2 --max-load $3 --max-time 120 --format json >"$BATS_TEST_TMPDIR/$1.json" || [ $? -eq 1 ]
  }
  soaked a 5e6 3Mfps
  soaked b 5e6 2Mfps
  soaked c 4e6 2Mfps
  soaked found 1e6 3Mfps
  cannot_tell "A is only at least 3.000 Mfps, and B is only at least 2.000 Mfps: raise --max-load" a b
  cannot_tell "A is only at least 2.000 Mfps, and B is only at least 3.000 Mfps: raise --max-load" b a
  run --separate-stderr compare b c --format json
  [ "$status" -eq 0 ]
  is '.goals[0] | .verdict == "same" and (.evidence | startswith("no fall is shown: both reach Max Load, 2.000 Mfps"))' <<<"$output"
  run --separate-stderr compare a found --format json
  [ "$status" -eq 1 ]
  is '.goals[0].evidence | endswith("; A is only at least 3.000 Mfps")' <<<"$output"
  jq '.tester_limited = true' "$BATS_TEST_TMPDIR/found.json" >"$BATS_TEST_TMPDIR/limited.json"
  soaked high 1.5e6 3Mfps
  cannot_tell "the tester's own limit set the bounds of B, so its SUT may be faster than they say" high limited
  cannot_tell "the tester's own limit set the bounds of A, so its SUT may be faster than they say" limited found
  run compare found limited
  [ "$status" -eq 0 ]
  "$XDP_MLR" soak --measurer sim:residual,capacity=1e6,ratio=1e-5,seed=1 --max-load 3Mfps --max-time 120 --format json >"$BATS_TEST_TMPDIR/never.json" || [ $? -eq 1 ]
  for file in a found never; do
    run --separate-stderr compare found $file --format json
    "${BUILD:-build}/tests/tools/validate" --closed docs/schema/compare.schema.json - <<<"$output"
  done
  # of several dates the lower Max Load is no fall
  mkdir "$BATS_TEST_TMPDIR/dates"
  for i in 1 2 3 4 5 6; do
    if [ $i -le 3 ]; then file=a; else file=b; fi
    jq ".environment.start_time = \"2026-01-0${i}T00:00:00Z\"" "$BATS_TEST_TMPDIR/$file.json" >"$BATS_TEST_TMPDIR/dates/$i.json"
  done
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/dates" --format json | is '.goals[0] | .slower == 0 and (.levels | length) == 1'
}

# --- repeats ---

@test "repeats: mean, standard deviation and each; the result is the median one" {
  result a jitter,capacity=1e6,sigma=0.02,seed=7 --repeat 5 --goal name=x,final=1,sum=3
  is '.repeats as $r | [$r.runs[].search_result[0].conditional_throughput] as $each | ($each | add / 5) as $mean
    | $r.asked == 5 and $r.count == 5 and ($each | unique | length) > 1
    and ($r.statistics[0] | .goal == "x" and .count == 5 and .min == ($each | min) and .max == ($each | max)
      and (.mean / $mean - 1 | fabs) < 1e-12
      and (.stdev / ([$each[] | pow(. - $mean; 2)] | add / 4 | sqrt) - 1 | fabs) < 1e-9)
    and .search_result[0].conditional_throughput == ($each | sort | .[2])
    and .search_result == $r.runs[$r.median_run - 1].search_result and .trials == $r.runs[$r.median_run - 1].trials' <"$BATS_TEST_TMPDIR/a.json"
}

@test "repeats: one irregular search makes the whole irregular, and exit 1" {
  # of five searches the third fails at every load
  cat >"$BATS_TEST_TMPDIR/sut" <<'END'
count=$(($(cat "$1" 2>/dev/null || echo 0) + 1))
echo $count >"$1"
while read -r q; do
  load=${q##*trial_load\":}; load=${load%%[.,\}]*}
  if [ $count -eq 3 ] || [ $load -gt 500000 ]; then loss=0.1; else loss=0; fi
  echo "{\"trial_loss_ratio\": $loss}"
done
END
  run --separate-stderr "$XDP_MLR" search --measurer "exec:sh $BATS_TEST_TMPDIR/sut $BATS_TEST_TMPDIR/count" --max-load 1Mfps --format json \
    --repeat 5 --goal name=x
  [ "$status" -eq 1 ]
  # the command is started once a search
  [ "$(cat "$BATS_TEST_TMPDIR/count")" -eq 5 ]
  is '(.irregular_reason | test("search 3 of 5: x: Min Load")) and .search_result[0].regular and .repeats.statistics[0].count == 4' <<<"$output"
}

@test "repeats: an interrupted one is marked, and what was found before is there" {
  cat >"$BATS_TEST_TMPDIR/sut" <<'END'
count=$(($(cat "$1" 2>/dev/null || echo 0) + 1))
echo $count >"$1"
while read -r q; do
  [ $count -lt 3 ] || { : >"$1.third"; sleep 20; }
  load=${q##*trial_load\":}; load=${load%%[.,\}]*}
  if [ $load -gt 500000 ]; then loss=0.1; else loss=0; fi
  echo "{\"trial_loss_ratio\": $loss}"
done
END
  "$XDP_MLR" search --measurer "exec:sh $BATS_TEST_TMPDIR/sut $BATS_TEST_TMPDIR/count" --max-load 1Mfps --format json \
    --repeat 5 --goal name=x >"$BATS_TEST_TMPDIR/out" 3>&- &
  local pid=$!
  until [ -e "$BATS_TEST_TMPDIR/count.third" ]; do sleep 0.05; done
  kill -INT $pid
  status=0
  wait $pid || status=$?
  [ "$status" -eq 130 ]
  is '.irregular_reason == "search 3 of 5: interrupted" and .repeats.count == 3 and .repeats.statistics[0].count == 2
    and .search_result[0].regular' <"$BATS_TEST_TMPDIR/out"
}

@test "repeats: the text has them, events tell which search, and a stored one is replayed as one search" {
  run --separate-stderr simulated --repeat 3
  [[ $output == *"Conditional Throughput over repeated searches"*"3 of 3 searches. Everything else in this report is of number "[123]","* ]]
  [ "$(grep -cE '^ +[123]  ndr +regular ' <<<"$output")" -eq 3 ]
  simulated --repeat 3 --format jsonl >"$BATS_TEST_TMPDIR/lines"
  "$JQ" -es '[.[] | select(.event == "run_started") | [.run, .runs]] == [[1, 3], [2, 3], [3, 3]]
    and ([.[] | select(.event == "finished")] | length) == 3 and .[-1].repeats.count == 3' "$BATS_TEST_TMPDIR/lines"
  "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/lines" --format json |
    is 'has("repeats") | not' || { echo "replayed more than one"; false; }
  refuses 2 "the stored search in .* says that" "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/lines" --repeat 2
  # of a run that died in its second search, that search goes on
  awk '/run_started/ { n++ } n == 2 && /trial_finished/ { t++ } { print } t == 4 { exit }' "$BATS_TEST_TMPDIR/lines" >"$BATS_TEST_TMPDIR/part"
  second=$(grep trial_finished "$BATS_TEST_TMPDIR/part" | tail -4 | jq -s '[.[].trial_result.trial_loss_ratio]' -c)
  "$XDP_MLR" search --resume "$BATS_TEST_TMPDIR/part" --format json | is "[.trials[:4][].trial_loss_ratio] == $second"
}

@test "repeats: Welch's test finds a loss that overlapping bounds hide, and none where there is none" {
  result a jitter,capacity=1e6,sigma=0.02,seed=1 --repeat 20 --goal name=x,final=1,sum=3
  result same jitter,capacity=1e6,sigma=0.02,seed=2 --repeat 20 --goal name=x,final=1,sum=3
  result slow jitter,capacity=0.97e6,sigma=0.02,seed=3 --repeat 20 --goal name=x,final=1,sum=3
  run --separate-stderr compare a slow --format json
  [ "$status" -eq 1 ]
  is '.goals[0] | .verdict == "slower" and .method == "repeats" and .test.p_value < 0.01 and (.a.conditional_throughputs | length) == 20' <<<"$output"
  run --separate-stderr compare a same --format json
  [ "$status" -eq 0 ]
  is '.goals[0] | .verdict == "same" and .test.p_value > 0.5' <<<"$output"
  run compare slow a
  [ "$status" -eq 0 ]
}

@test "two suites are compared by their throughput, a frame size each" {
  local golden=tests/golden/rfc2544-1-xdp.json
  jq '.frame_sizes[1].throughput.goal_result |= (.relevant_lower_bound *= 0.3 | .relevant_upper_bound *= 0.3 | .conditional_throughput *= 0.3) | del(.frame_sizes[1].throughput.trials)
    | .frame_sizes[1] |= (.throughput.throughput = .throughput.goal_result.relevant_lower_bound | del(.latency, .back_to_back, .recovery))' \
    $golden >"$BATS_TEST_TMPDIR/b.json"
  run --separate-stderr "$XDP_MLR" compare $golden "$BATS_TEST_TMPDIR/b.json" --format json
  [ "$status" -eq 1 ]
  is '[.goals[] | [.goal, .verdict]] == [["throughput@64", "same"], ["throughput@512", "slower"], ["throughput@1518", "same"]]' <<<"$output"
  run "$XDP_MLR" compare $golden $golden
  [ "$status" -eq 0 ]
  jq 'del(.frame_sizes[2])' $golden >"$BATS_TEST_TMPDIR/b.json"
  refuses 2 "goal throughput@1518: only in A" "$XDP_MLR" compare $golden "$BATS_TEST_TMPDIR/b.json"
}
