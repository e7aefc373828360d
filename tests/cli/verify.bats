#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# verify: what a document says, against what follows from its trials. Forged documents of every kind, and who refuses them.
load helper

GOLDEN=tests/golden

setup() {
  FORGED=$BATS_TEST_TMPDIR/forged.json
}

# `contradicts KIND JQ-FILTER PLACE`: forged so, a golden document is found out at this place, and report refuses it.
contradicts() {
  jq -c "$2" "$GOLDEN/$1.json" >"$FORGED"
  run --separate-stderr "$XDP_MLR" verify "$FORGED"
  if [ "$status" -ne 1 ] || ! grep -qF "$FORGED$3: " <<<"$output"; then
    echo "$1, $2: exit $status, wanted a line with $3: $output $stderr"
    return 1
  fi
  refuses 2 'contradicts itself: /' "$XDP_MLR" report "$FORGED"
}

@test "documents of every version contradict nothing" {
  run "$XDP_MLR" verify "$GOLDEN"/*.json
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "what cannot be read is refused, and a contradiction in another file is shown all the same" {
  echo '{' >"$BATS_TEST_TMPDIR/broken.json"
  jq -c '.search_result[0].relevant_lower_bound *= 1.5' "$GOLDEN/search-1-sim.json" >"$FORGED"
  run --separate-stderr "$XDP_MLR" verify "$BATS_TEST_TMPDIR/broken.json" "$FORGED"
  [ "$status" -eq 2 ]
  [[ $output == "$FORGED/search_result/0/relevant_lower_bound: "* ]]
  refuses 2 "verify lacks a file, FILE" "$XDP_MLR" verify
}

@test "a file is read once, so a pipe is audited as well" {
  mkfifo "$BATS_TEST_TMPDIR/pipe"
  cat "$GOLDEN/search-1-sim.json" >"$BATS_TEST_TMPDIR/pipe" &
  run timeout 60 "$XDP_MLR" verify "$BATS_TEST_TMPDIR/pipe"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "a search: trials, decisions, bounds, Conditional Throughput, regularity" {
  local file=search-1-sim
  contradicts $file '.search_result[0] |= (.relevant_lower_bound *= 1.5 | .relevant_upper_bound *= 1.5 | .conditional_throughput *= 1.5)' /search_result/0/relevant_lower_bound
  contradicts $file '.search_result[1].conditional_throughput += 1' /search_result/1/conditional_throughput
  contradicts $file '.search_result[0].irregular_reason = "interrupted"' /search_result/0/regular
  contradicts $file '.search_result[0] |= (.regular = false | .irregular_reason = "interrupted")' /search_result/0/regular
  contradicts $file '.irregular_reason = "ndr: interrupted"' /irregular_reason
  contradicts $file '.search_result[0].goal.loss_ratio = 0.5' /search_result/0/goal
  contradicts $file '.trials[3].trial_loss_ratio = 0.25' /trials/3/trial_loss_ratio
  contradicts $file '.trials[1].counts.received += 15648' /trials/1/counts/lost
  contradicts $file '.trials[1].loss_attribution.sut = 0' /trials/1/loss_attribution
  contradicts $file '.trials[1].warmup = true' /trials/1/warmup
  contradicts $file 'del(.trials[4:])' /search_result/0/regular
  contradicts $file '(.trials[], .search_result[]) |= with_entries(if (.value | type == "number") and .key != "trial_loss_ratio" then .value *= 1.5 else . end)' /trials/0/counts/intended
  contradicts $file '.trials[8].decision.lower_bound = 1' /trials/8/decision/lower_bound
  contradicts search-1-xdp '.trials[2].ports[0].counts.sent += 1' /trials/2/counts/sent
  contradicts search-1-xdp '.trials[2].latency.p50_ns = 1e9' /trials/2/latency/p90_ns
  contradicts search-1-limited '.search_result[1].tester_limited = false' /search_result/1/tester_limited
  contradicts search-1-exec '.search_result[0] |= (.regular = true | .irregular_reason = null) | .irregular_reason = null' /search_result/0/regular
}

@test "repeated searches: each by its own trials, the statistics, the one that stands for all" {
  simulated --repeat 3 --format json >"$BATS_TEST_TMPDIR/whole.json"
  run "$XDP_MLR" verify "$BATS_TEST_TMPDIR/whole.json"
  [ "$status" -eq 0 ]
  local filter
  for filter in '.repeats.statistics[0].mean *= 1.1' '.repeats.runs[1].search_result[0].relevant_upper_bound *= 2' \
    '.search_result[0].relevant_lower_bound *= 2' '.repeats.median_run = 99'; do
    jq -c "$filter" "$BATS_TEST_TMPDIR/whole.json" >"$FORGED"
    run "$XDP_MLR" verify "$FORGED"
    [ "$status" -eq 1 ] || { echo "$filter: $status $output"; return 1; }
  done
}

@test "what a search measures now is what follows, whatever the algorithm, with every requirement" {
  local algorithm
  for algorithm in mlr binary "phased --max-time 2000" "tst009 --preset tst009"; do
    run -0 bash -c "$(declare -f simulated); XDP_MLR=$XDP_MLR SIM=$SIM; simulated --algorithm $algorithm --format json >$BATS_TEST_TMPDIR/r.json; [ \$? -le 1 ]"
    run "$XDP_MLR" verify "$BATS_TEST_TMPDIR/r.json"
    [ "$status" -eq 0 ] || { echo "$algorithm: $output"; return 1; }
  done
  simulated --require 'ndr>=900kfps' --require 'pdr.upper<=1.2Mfps' --format json >"$BATS_TEST_TMPDIR/r.json"
  run -0 "$XDP_MLR" verify "$BATS_TEST_TMPDIR/r.json"
  jq -c '.requirements[0].measured = 1e6' "$BATS_TEST_TMPDIR/r.json" >"$FORGED"
  run -1 "$XDP_MLR" verify "$FORGED"
  jq -c '.requirements[1].met = false' "$BATS_TEST_TMPDIR/r.json" >"$FORGED"
  run -1 "$XDP_MLR" verify "$FORGED"
}

@test "a trial, a soak, suites, a self-test" {
  contradicts trial-1-xdp '.trial_result.trial_loss_ratio = 0' /trial_result/trial_loss_ratio
  contradicts trial-1-xdp '.trial_result.counts.lost = 0' /trial_result/counts/lost
  contradicts trial-1-limited '.tester_limited = false' /tester_limited
  contradicts sweep-1-xdp '.curve.lossless_load *= 1.5' /curve/lossless_load
  contradicts sweep-1-xdp '.trials[1].counts.received += 1' /trials/1/counts/lost
  contradicts soak-1-sim '.critical_load.mean *= 1.5' /critical_load/mean
  contradicts soak-1-sim '.critical_load.mean *= 1.5 | .estimates[].mean *= 1.5 | .time_line[].together.mean *= 1.5' /critical_load/mean
  contradicts soak-1-xdp '.trials[0].counts.received += 1' /trials/0/counts/lost
  contradicts rfc2544-1-xdp '.frame_sizes[1].throughput.throughput *= 1.5' /frame_sizes/1/throughput/throughput
  contradicts rfc2544-1-xdp '.frame_sizes[1].throughput.goal_result.relevant_lower_bound *= 1.5' /frame_sizes/1/throughput/goal_result/0/relevant_lower_bound
  contradicts rfc2544-1-xdp '.frame_sizes[0].latency.average_of_means_ns = 1' /frame_sizes/0/latency/average_of_means_ns
  contradicts rfc2544-1-xdp '.frame_sizes[0].frame_loss.points[0].loss_ratio = 0' /frame_sizes/0/frame_loss/points/0/loss_ratio
  contradicts rfc2544-1-xdp '.frame_sizes[0].back_to_back.average = 100' /frame_sizes/0/back_to_back/average
  contradicts rfc2544-1-xdp '.frame_sizes[0].recovery.average = 0' /frame_sizes/0/recovery/average
  contradicts rfc2544-1-xdp '.reset.reset_time = 0.1' /reset/reset_time
  contradicts y1564-1-both '.services[0].configuration.steps[0].directions[0].counts.received = 0' /services/0/configuration/steps/0/directions/0/counts/lost
  contradicts y1564-1-both '.passed = true' /passed
  contradicts y1564-1-both '.services[0].performance.passed = true' /services/0/performance/passed
  contradicts y1564-1-both '.services[0].performance.directions[1].received_by_second[0] = 0' /services/0/performance/directions/1/severely_errored_seconds
  contradicts selftest-1-xdp '.self_tests[0].clean_load *= 1.5' /self_tests/0/clean_load
  contradicts selftest-1-hostile '.hostile_tests[0].certified_rate *= 1.5' /hostile_tests/0/certified_rate
  contradicts selftest-1-hostile '.hostile_tests[0].missed_rate = .hostile_tests[0].certified_rate' /hostile_tests/0/missed_rate
  contradicts selftest-1-hostile '.hostile_tests[0].trials[-1].counts.duplicate = 1' /hostile_tests/0/trials/11/exact
  contradicts selftest-1-hostile '.hostile_tests[1].counted[0].counted += 1' /hostile_tests/1/regular
  contradicts selftest-1-hostile '.hostile_tests[0].kinds[3].ends.fragmented += 1' /hostile_tests/0/counted/5/sent
  contradicts selftest-1-hostile '.hostile_tests[0].regular = false' /hostile_tests/0/regular
}

@test "a campaign, a comparison, a trend" {
  contradicts campaign-1 '.cells[0].goals[0].mean *= 1.5' /cells/0/goals/0/mean
  contradicts campaign-1 '.points[0].results[0].value *= 1.5' /cells/0/goals/0/mean
  contradicts campaign-1 '.regressions = 0' /regressions
  contradicts campaign-1 '.point_counts.failed = 0' /point_counts/failed
  contradicts compare-1 '.verdict = "regression"' /verdict
  contradicts compare-1 '.goals[0].b.conditional_throughput_mean /= 2' /goals/0/b/conditional_throughput_mean
  contradicts compare-1 '.goals[0].change = -0.4' /goals/0/change
  contradicts trend-1 '.goals[0].slower = 0' /goals/0/slower
}

@test "every verb that reads a result refuses a forged one" {
  jq -c '.search_result[0].relevant_lower_bound *= 1.5' "$GOLDEN/search-1-sim.json" >"$FORGED"
  refuses 2 'contradicts itself: /search_result/0' "$XDP_MLR" compare "$FORGED" "$GOLDEN/search-1-sim.json"
  refuses 2 'contradicts itself: /search_result/0' "$XDP_MLR" compare "$GOLDEN/search-1-sim.json" "$FORGED"
  refuses 2 'contradicts itself: /search_result/0' "$XDP_MLR" search --replay "$FORGED"
  refuses 2 'contradicts itself: /search_result/0' "$XDP_MLR" search --resume "$FORGED"
  mkdir "$BATS_TEST_TMPDIR/folder"
  cp "$GOLDEN/search-1-sim.json" "$FORGED" "$BATS_TEST_TMPDIR/folder"
  refuses 2 'contradicts itself: /search_result/0' "$XDP_MLR" report "$BATS_TEST_TMPDIR/folder"
  cd "$BATS_TEST_TMPDIR"
  cat >c.yaml <<'END'
campaign: {results: out, matrix: {seed: [1, 2]}}
measurer: sim:hard,capacity=1e6
max-load: 2Mfps
END
  "$OLDPWD/$XDP_MLR" campaign run c.yaml --quiet >/dev/null
  "$OLDPWD/$XDP_MLR" campaign report c.yaml --quiet >/dev/null
  jq -c '.search_result[0].relevant_lower_bound *= 1.5' 'out/points/seed=1,run=1.json' >f && mv f 'out/points/seed=1,run=1.json'
  refuses 2 'seed=1,run=1: the result contradicts itself: /search_result/0' "$OLDPWD/$XDP_MLR" campaign report c.yaml
  run -2 "$OLDPWD/$XDP_MLR" campaign run c.yaml --quiet
}

# Of each kind a document, and a filter that forges it.
forgeries() {
  cat <<'END'
search-1-sim .search_result[0].relevant_lower_bound *= 1.5
search-1-xdp .trials[0].counts.received += 1
soak-1-sim .critical_load.mean *= 1.5
rfc2544-1-xdp .frame_sizes[1].throughput.throughput *= 1.5
trial-1-xdp .trial_result.trial_loss_ratio = 0
sweep-1-xdp .curve.lossless_load *= 1.5
y1564-1-xdp .regular |= not
selftest-1-xdp .self_tests[0].clean_load *= 1.5
campaign-1 .regressions = 0
compare-1 .goals[0].change = -0.4
trend-1 .goals[0].slower = 0
END
}

# Every verb that reads a document of a kind.
readers() { # KIND FILE
  printf 'report %s\n' "$2"
  case $1 in search | soak | rfc2544)
    printf 'compare %s %s\ncompare %s %s\nreport %s\n' "$2" "$WHOLE" "$WHOLE" "$2" "$FOLDER"
    ;;
  esac
  if [ "$1" = search ]; then printf 'search --replay %s\nsearch --resume %s\n' "$2" "$2"; fi
}

# No reader shows it: each ends with 2. verify ends with the status given.
nobody_takes() { # KIND FILE STATUS-OF-VERIFY MESSAGE
  local reader
  run "$XDP_MLR" verify "$2"
  [ "$status" -eq "$3" ] || { echo "verify $1: $status $output"; return 1; }
  while read -r reader; do
    run --separate-stderr "$XDP_MLR" $reader
    if [[ $reader == "report $FOLDER" && $4 != "contradicts itself" ]]; then # left out by name, or the folder holds nothing else
      [ "$status" -eq 2 ] || [[ $output == *"${2##*/}"* ]] || { echo "$reader: $status $output"; return 1; }
    else
      [ "$status" -eq 2 ] && [[ $stderr == *"$4"* ]] && [ -z "$output" ] || { echo "$reader ($1): $status $stderr $output"; return 1; }
    fi
  done < <(readers "$1" "$2")
}

@test "no verb that reads a document takes one that is forged, cut, or of another type, whatever its kind" {
  local name filter
  FOLDER=$BATS_TEST_TMPDIR/folder
  while read -r name filter; do
    WHOLE=$GOLDEN/$name.json
    mkdir -p "$FOLDER"
    jq -c "$filter" "$WHOLE" >"$FOLDER/forged.json"
    cmp -s <(jq -c . "$WHOLE") "$FOLDER/forged.json" && { echo "$name: '$filter' changes nothing"; return 1; }
    nobody_takes "${name%%-*}" "$FOLDER/forged.json" 1 "contradicts itself"
    head -c $(($(wc -c <"$WHOLE") / 2)) "$WHOLE" >"$FOLDER/forged.json"
    nobody_takes "${name%%-*}" "$FOLDER/forged.json" 2 "forged.json"
    jq -c '.schema = 7' "$WHOLE" >"$FOLDER/forged.json"
    nobody_takes "${name%%-*}" "$FOLDER/forged.json" 2 "forged.json"
    rm -r "$FOLDER"
  done < <(forgeries)
}

@test "a campaign that is run again ends as its points do, and measures a truncated result anew" {
  cd "$BATS_TEST_TMPDIR"
  local XDP_MLR=$OLDPWD/$XDP_MLR
  cat >c.yaml <<'END'
campaign: {results: out, matrix: {seed: [1, 2]}}
measurer: sim:hard,capacity=1e6
max-load: 500kfps
END
  run -1 "$XDP_MLR" campaign run c.yaml --quiet # the SUT sustains Max Load
  run -1 "$XDP_MLR" campaign run c.yaml --quiet
  [ "$(grep -c point_started out/journal.jsonl)" -eq 2 ]
  truncate -s 1000 'out/points/seed=2,run=1.json'
  run -1 "$XDP_MLR" campaign run c.yaml --quiet
  [ "$(grep -c point_started out/journal.jsonl)" -eq 3 ]
  "$XDP_MLR" verify 'out/points/seed=2,run=1.json'
}

@test "of several axes with names the one of builds is compared, or it must be said" {
  cd "$BATS_TEST_TMPDIR"
  local XDP_MLR=$OLDPWD/$XDP_MLR a='{measurer: "sim:hard,capacity=1e6"}' b='{measurer: "sim:hard,capacity=5e5"}'
  cat >c.yaml <<END
campaign: {results: out, matrix: {profile: {x: {seed: 1}, y: {seed: 2}}, build: {v1: $a, v2: $b}}}
max-load: 2Mfps
END
  "$XDP_MLR" campaign run c.yaml --quiet >/dev/null
  run -1 "$XDP_MLR" campaign report c.yaml --format json
  is '.compared == "build" and .regressions > 0' <<<"$output"
  sed -i 's/build:/kind:/' c.yaml
  refuses 2 "several axes of the matrix have names; say which one has the builds" "$XDP_MLR" campaign report c.yaml
}

@test "trials with goals of others, as JSON and CSV, and the JSON of CSIT" {
  cd "$BATS_TEST_TMPDIR"
  local XDP_MLR=$OLDPWD/$XDP_MLR
  printf '%s\n' '# goal name=ndr,loss=0,exceed=0,final=1,sum=1,lower=100,upper=100.4,throughput=100,regular=true' \
    trial_load,trial_duration,trial_loss_ratio 100,1,0 100.4,1,0.01 >t.csv
  run -0 "$XDP_MLR" verify t.csv
  sed 's/lower=100/lower=150/' t.csv >u.csv
  run -1 "$XDP_MLR" verify u.csv
  [[ $output == "u.csv/search_result/0/relevant_lower_bound: 150 is stated, 100 follows" ]]
  echo '100,1' >v.csv
  refuses 2 "v.csv:1: neither" "$XDP_MLR" verify v.csv
  echo '{"goals": [{"exceed_ratio": 0, "regular": true}], "trials": [{"trial_load": 5, "trial_duration": 1, "trial_loss_ratio": 1}]}' >t.json
  run -1 "$XDP_MLR" verify t.json
  echo '{"test_id": "x", "passed": true, "message": "", "result": {"type": "mrr", "receive_rate": {"rate":
    {"values": [1e6, 2e6], "avg": 1.5e6, "stdev": 5e5, "unit": "pps"}}}}' >c.json
  run -0 "$XDP_MLR" verify c.json
  sed 's/1.5e6/1.6e6/' c.json >d.json
  run -1 "$XDP_MLR" verify d.json
}

@test "vectors: ours answers all, what answers nothing does not, and they are made again as they are" {
  run --separate-stderr "$XDP_MLR" verify --vectors "$XDP_MLR verify --answer -" tests/vectors/*.json
  [ "$status" -eq 0 ] && [ -z "$output" ]
  [[ $stderr == *" vectors, 0 answered wrong"* ]]
  run -1 "$XDP_MLR" verify --vectors "sed -u 's/.*/{}/'" tests/vectors/shapes.json
  run -5 "$XDP_MLR" verify --vectors "exit 3" tests/vectors/shapes.json
  command -v python3 >/dev/null || skip "python3(1) is not here, which makes them again"
  mkdir "$BATS_TEST_TMPDIR/v"
  tools/vectors "$BATS_TEST_TMPDIR/v"
  diff -r "$BATS_TEST_TMPDIR/v" tests/vectors
}
