#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# campaign: what its file may say, points run and gone on with, what becomes of them in the report.
load helper

setup() {
  cd "$BATS_TEST_TMPDIR"
  XDP_MLR=$BATS_TEST_DIRNAME/../../$XDP_MLR
  VALIDATE=$BATS_TEST_DIRNAME/../../${BUILD:-build}/tests/tools/validate
  SCHEMAS=$BATS_TEST_DIRNAME/../../docs/schema
}

# A campaign of twelve points without a real SUT; `campaign KEYS [OPTIONS]`: more lines of the section, and beside it.
campaign() {
  cat >c.yaml <<END
campaign:
  name: two-builds
  results: out/
  repeat: 2
  matrix:
    frame-size: [64, 512, 1518]
    build:
      v1: {measurer: "sim:jitter,capacity=1e6,sigma=0.002,seed=1"}
      v2: {measurer: "sim:jitter,capacity=0.9e6,sigma=0.002,seed=2"}
${1:-}
max-load: 10Mfps
goal: name=ndr,final=1,sum=3
${2:-}
END
}

# A campaign of two points over a real process that takes 0.05 s a trial and writes down what it was asked; it loses above 437 kfps. While
# there is a file `hold` no third trial of a point ends.
slow_campaign() {
  cat >sut <<'END'
n=0
while read -r question; do
  n=$((n + 1))
  sleep 0.05
  while [ -e hold ] && [ $n -gt 2 ]; do sleep 0.05; done
  load=${question##*trial_load\": }
  load=${load%%[.\}]*}
  echo "$question" >>asked
  [ "$load" -gt 437213 ] && echo '{"trial_loss_ratio": 0.5}' || echo '{"trial_loss_ratio": 0}'
done
END
  cat >c.yaml <<END
campaign:
  matrix: {frame-size: [64, 128]}
measurer: exec:sh ./sut
max-load: 1Mfps
goal: name=ndr,final=1,sum=5
END
}

points() { "$XDP_MLR" campaign run c.yaml --dry-run "$@"; }
run_all() { "$XDP_MLR" campaign run c.yaml --quiet "$@"; }
state_of() { "$XDP_MLR" campaign status c.yaml --format json | "$JQ" -r --arg p "$1" '.points[] | select(.point == $p) | .state'; }

wrong() { # PATTERN
  refuses 2 "$1" "$XDP_MLR" campaign run c.yaml --dry-run
}

# --- the file ---

@test "the matrix expands to every point, once a run, exclusions and inclusions counted in" {
  campaign '  exclude: [{frame-size: 1518, build: v1}]
  include: [{frame-size: 9000, build: v2, min-load: 10kfps}]'
  points | diff - <(for run in 1 2; do
    for point in 64:v1 64:v2 512:v1 512:v2 1518:v2 9000:v2; do echo "frame-size=${point%:*},build=${point#*:},run=$run"; done
  done)
}

@test "options: of the point before those of an axis, of an axis before those of all; lists and mappings as values" {
  campaign '  include: [{frame-size: 64, build: v2, max-load: 5Mfps}]' 'measurer: sim:hard,capacity=1
queues: 3'
  run_all --only 'frame-size=64,*,run=1'
  grep -qx 'max-load: 5Mfps' 'out/points/frame-size=64,build=v2,run=1.yaml'
  grep -qx 'max-load: 10Mfps' 'out/points/frame-size=64,build=v1,run=1.yaml'
  grep -q 'measurer: .*sim:jitter' 'out/points/frame-size=64,build=v1,run=1.yaml'
  grep -qx 'queues: 3' 'out/points/frame-size=64,build=v1,run=1.yaml'
  # what a point's file holds is a --config file, and the result says the same
  "$XDP_MLR" search --config 'out/points/frame-size=64,build=v2,run=1.yaml' --format json | jq -S .configuration |
    diff - <(jq -S .configuration 'out/points/frame-size=64,build=v2,run=1.json')
  cat >c.yaml <<'END'
campaign: {matrix: {goal: [{name: a, loss: 0}, {name: b, loss: 1%}], vlan: [[1, 2], 3]}}
measurer: sim:hard,capacity=1e6
max-load: 2Mfps
END
  [ "$(points | head -1)" = 'goal=name_a_loss_0,vlan=1_2,run=1~'"$(points | head -1 | tail -c 9)" ]
  [ "$(points | wc -l)" -eq 4 ]
}

@test "what is wrong in the file is said with its line" {
  campaign '  matricks: 3'
  wrong "c.yaml:10: no setting 'matricks' of the campaign; there are name, verb, results, repeat, matrix, slurm,"
  campaign '' 'frame-sice: 64'
  wrong "c.yaml:13: no option 'frame-sice', did you mean 'frame-size'\?"
  campaign '  exclude: [{frame-size: 65}]'
  wrong "c.yaml:10: '65' does not stand on the axis 'frame-size', did you mean '64'\?"
  campaign '  exclude: [{biuld: v1}]'
  wrong "c.yaml:10: the matrix has no axis 'biuld', did you mean 'build'\?"
  campaign '  include: [{frame-size: 64}]'
  wrong "c.yaml:10: what is included must say where it is on every axis; 'build' is missing"
  campaign '  include: [{frame-size: 64, build: v3}]'
  wrong "c.yaml:10: 'v3' does not stand on the axis 'build'"
  campaign '  compare: builds'
  wrong "c.yaml:10: the matrix has no axis 'builds', did you mean 'build'\?"
  campaign '  verb: selftest'
  wrong "c.yaml:10: verb 'selftest': must be search, trial, soak or rfc2544"
  campaign '  name: "a b"'
  wrong "c.yaml:10: 'name' stands here twice"
  campaign '' 'report: x.html'
  wrong "c.yaml:13: 'report' says where a result goes"
  campaign '  slurm: {array: 1-3}'
  wrong "c.yaml:10: 'array' is set by campaign submit itself"
  campaign '  slurm: {--gres: x}'
  wrong "c.yaml:10: '--gres' is no long option of sbatch"
  sed -i 's/slurm.*/exclude: [{}]/' c.yaml
  wrong "c.yaml: the matrix has no point: everything is excluded"
  echo 'frame-size: 64' >c.yaml
  wrong "c.yaml:1: no campaign: the key 'campaign' is missing"
  echo 'campaign: {repeat: 0}' >c.yaml
  wrong "c.yaml:1: repeat '0': must be a whole number from 1 to 10000"
  echo 'campaign: {matrix: {build: [v1, v2]}}' >c.yaml
  wrong "c.yaml:1: the axis 'build' lists values, but is no option of search; an axis with a name of its own maps names to options"
  echo 'campaign: {matrix: {seed: [1, 1]}}' >c.yaml
  wrong "c.yaml:1: '1' stands on the axis 'seed' twice"
  echo 'campaign: {matrix: {seed: [1], b: {v1: {seed: 2}}}}' >c.yaml
  wrong "c.yaml:1: 'seed' is set by the axes 'seed' and 'b'"
  echo 'campaign: {matrix: {run: {a: {}}}}' >c.yaml
  wrong "c.yaml:1: no axis can be called 'run'"
  rm c.yaml
  wrong "cannot read the campaign 'c.yaml': No such file"
}

@test "a value that is wrong is refused with file, line and point, before anything is run" {
  campaign
  sed -i 's/\[64, 512, 1518\]/[64, 63, 1518]/' c.yaml
  wrong "frame-size=63,build=v1,run=1: c.yaml:6: frame-size '63'"
  [ ! -e out ]
  sed -i '/max-load/d; s/63/65/' c.yaml
  wrong "frame-size=64,build=v1,run=1: --max-load is missing"
}

# --- running ---

@test "every point is run once; what is done is not run again; status says how far it is" {
  campaign
  run -1 "$XDP_MLR" campaign status c.yaml --format json
  "$VALIDATE" --closed "$SCHEMAS/campaign-status.schema.json" - <<<"$output"
  is '.point_counts == {total: 12, done: 0, irregular: 0, limited: 0, running: 0, failed: 0, interrupted: 0, waiting: 12}' <<<"$output"
  run --separate-stderr run_all --only '*,run=2' --format json
  [ "$status" -eq 0 ]
  is '.point_counts.done == 6 and .point_counts.waiting == 6' <<<"$output"
  [ "$(wc -l <out/journal.jsonl)" -eq 12 ]
  run --separate-stderr "$XDP_MLR" campaign run c.yaml
  [ "$status" -eq 0 ]
  [ "$(grep -c '^xdp-mlr: point' <<<"$stderr")" -eq 6 ]
  grep -qx 'xdp-mlr: point 6 of 6: frame-size=1518,build=v2,run=1, [0-9:]* elapsed, about [0-9:]* to go' <<<"$stderr"
  [[ $output == *"12 of 12 points are done"* ]]
  [ "$(ls out/points/*.json | wc -l)" -eq 12 ]
  [ "$(ls out/points | grep -c 'jsonl\|lock\|err\|tmp')" -eq 0 ]
  "$XDP_MLR" campaign status c.yaml --format json | "$VALIDATE" --closed "$SCHEMAS/campaign-status.schema.json" -
  run run_all
  [ "$(wc -l <out/journal.jsonl)" -eq 24 ]
  # a result is what search itself would have written
  "$JQ" -e '.schema == "xdp-mlr/search/1" and .configuration["frame-size"] == "512"' 'out/points/frame-size=512,build=v2,run=1.json'
  refuses 2 "--only matches none of the 12 points" "$XDP_MLR" campaign run c.yaml --only 'build=v3*'
}

@test "events go to standard output as they happen" {
  campaign
  run_all --only 'frame-size=64,build=v1,*' --format jsonl >events
  [ "$("$JQ" -r '.event // .schema' events | paste -sd' ')" = "point_started point_finished point_started point_finished xdp-mlr/campaign-status/1" ]
  head -4 events | "$VALIDATE" --closed "$SCHEMAS/events.schema.json" -
  diff <(head -4 events) out/journal.jsonl
}

@test "a point that fails ends no other, is not run again unasked, and begins anew when asked" {
  campaign
  sed -i 's/v2: .*/v2: {measurer: "exec:exit 3"}/' c.yaml
  run --separate-stderr run_all --only '*,run=1'
  [ "$status" -eq 5 ]
  [[ $stderr == *"frame-size=64,build=v2,run=1 has failed: "*"exited with status 3"* ]]
  [[ $output == *"3 of 12 points are done"*"failed 3"* ]]
  [ "$(state_of frame-size=512,build=v2,run=1)" = failed ]
  run -5 run_all --only '*,run=1' # nothing is run, and what has failed still has
  [ "$(grep -c point_started out/journal.jsonl)" -eq 6 ]
  run -5 run_all --only 'frame-size=64,*,run=1' --retry-failed
  [ "$(grep -c point_started out/journal.jsonl)" -eq 7 ]
  # an option that refuses is a failure with its own exit code
  sed -i 's/v2: .*/v2: {template: nowhere.pcap}/' c.yaml
  rm -r out
  run -2 run_all --only 'frame-size=64,build=v2,run=1'
}

# Run the points of a frame size, and end the process of the first with a signal when it has measured; the exit code is in $code.
run_and_kill_a_point() { # SIGNAL SIZE
  local runner
  touch hold
  "$XDP_MLR" campaign run c.yaml --quiet --only "frame-size=$2,*" >/dev/null 2>&1 &
  runner=$!
  wait_until grep -qs trial_finished "results/points/frame-size=$2,run=1.jsonl"
  pkill "-$1" -P "$runner"
  code=0
  wait "$runner" || code=$?
  rm hold
}

@test "a point that crashes has failed; one that somebody kills goes on later" {
  slow_campaign
  local before code
  run_and_kill_a_point ABRT 64
  [ "$code" -eq 5 ]
  [ "$(state_of frame-size=64,run=1)" = failed ]
  [ "$(jq -rs '.[-1].reason' results/journal.jsonl)" = "killed by signal 6 (Aborted)" ]
  run_and_kill_a_point KILL 128
  [ "$code" -eq 130 ]
  [ "$(state_of frame-size=128,run=1)" = interrupted ]
  before=$(grep -c trial_finished results/points/frame-size=128,run=1.jsonl)
  wc -l <asked >asked-before
  run -5 run_all # for that of 64 octets
  [ "$(state_of frame-size=128,run=1)" = done ]
  [ "$(jq -s '[.[] | select(.event == "point_started")][-1].resumed' results/journal.jsonl)" = true ]
  # what was measured before stands in the result, and was not asked for again
  [ "$("$JQ" '.trials | length' results/points/frame-size=128,run=1.json)" -le $(($(wc -l <asked) - $(<asked-before) + before)) ]
  is '.search_result[0].regular and .search_result[0].conditional_throughput < 437214' <results/points/frame-size=128,run=1.json
}

@test "killed at any moment, runner or point or both, a campaign goes on and ends as if nothing had been" {
  slow_campaign
  local try runner victim
  for try in {1..8}; do
    "$XDP_MLR" campaign run c.yaml --quiet >/dev/null 2>&1 &
    runner=$!
    sleep "0.$((RANDOM % 40 + 10))"
    victim=$(pgrep -P "$runner" || true)
    case $((try % 3)) in
    0) kill -9 "$runner" ;;
    1) [ -z "$victim" ] || kill -9 "$victim"; kill -9 "$runner" ;;
    2) kill "$runner" ;;
    esac 2>/dev/null || true
    wait "$runner" || true
    [ ! -e results/points/frame-size=64,run=1.json ] || "$JQ" -e .schema results/points/frame-size=64,run=1.json
  done
  run --separate-stderr run_all
  [ "$status" -eq 0 ]
  for size in 64 128; do
    is '.search_result[0].regular and .search_result[0].relevant_lower_bound < 437214 and .search_result[0].relevant_upper_bound > 437213
      and (.trials | length) == ([.trials[] | [.trial_load, .trial_duration]] | length)' <results/points/frame-size=$size,run=1.json
  done
  # the same trials as in one go
  "$XDP_MLR" search --measurer 'exec:sh ./sut' --max-load 1Mfps --goal name=ndr,final=1,sum=5 --format json --frame-size 64 >whole.json
  diff <(jq -c '.trials[] | [.trial_load, .trial_loss_ratio]' whole.json) <(jq -c '.trials[] | [.trial_load, .trial_loss_ratio]' results/points/frame-size=64,run=1.json)
}

@test "interrupted, a campaign says so, and leaves no process" {
  slow_campaign
  touch hold
  "$XDP_MLR" campaign run c.yaml --quiet --format json >status.json 2>errors &
  local runner=$! child code
  wait_until grep -qs trial_finished results/points/frame-size=64,run=1.jsonl
  child=$(pgrep -P "$runner")
  kill -INT "$runner"
  code=0
  wait "$runner" || code=$?
  [ "$code" -eq 130 ]
  wait_until ended "$child"
  is '.point_counts.interrupted == 1 and .point_counts.waiting == 1' <status.json
  grep -q 'frame-size=64,run=1 was interrupted: ' errors
}

@test "a runner that is killed takes its point's process along, which stops in order" {
  slow_campaign
  touch hold
  "$XDP_MLR" campaign run c.yaml --quiet >/dev/null 2>&1 &
  local runner=$! child
  wait_until grep -qs trial_finished results/points/frame-size=64,run=1.jsonl
  child=$(pgrep -P "$runner")
  kill -9 "$runner"
  wait_until ended "$child"
  [ "$(tail -1 results/points/frame-size=64,run=1.jsonl | "$JQ" -r .irregular_reason)" = "interrupted" ]
  [ "$(state_of frame-size=64,run=1)" = interrupted ]
}

@test "a point whose runner is killed is nobody else's until its process has ended" {
  slow_campaign
  touch hold
  "$XDP_MLR" campaign run c.yaml --quiet >/dev/null 2>&1 &
  local runner=$! child lock='results/points/frame-size=64,run=1.lock'
  wait_until grep -qs trial_finished results/points/frame-size=64,run=1.jsonl
  child=$(pgrep -P "$runner")
  kill -STOP "$child"
  kill -9 "$runner"
  wait "$runner" || true
  run -1 flock --nonblock "$lock" true
  kill -CONT "$child"
  wait_until ended "$child"
  wait_until flock --nonblock "$lock" true
}

@test "two runners share the points, and none is run twice" {
  slow_campaign
  touch hold
  "$XDP_MLR" campaign run c.yaml --quiet >/dev/null 2>&1 &
  local first=$!
  wait_until grep -qs point_started results/journal.jsonl
  [ "$(state_of frame-size=64,run=1)" = running ]
  rm hold
  run -0 run_all
  wait "$first"
  [ "$(jq -rs '[.[] | select(.event == "point_started") | .point] | sort | join(" ")' results/journal.jsonl)" = "frame-size=128,run=1 frame-size=64,run=1" ]
}

@test "a journal that was cut off in the middle of a line is gone on with" {
  campaign
  run_all --only 'frame-size=64,build=v1,run=1' >/dev/null
  printf '{"event": "point_sta' >>out/journal.jsonl
  run_all --only 'frame-size=64,build=v2,run=1' >/dev/null
  [ "$(state_of frame-size=64,build=v2,run=1)" = done ]
  [ "$(grep -c '^{"event": "point_[a-z]*", .*}$' out/journal.jsonl)" -eq 4 ]
}

@test "a digit that changed within the journal is found, and the line may be taken out" {
  campaign
  run_all --only 'frame-size=64,build=v1,*' >/dev/null
  sed -i -E '2 s/("attempt": )1/\13/' out/journal.jsonl
  run --separate-stderr "$XDP_MLR" campaign status c.yaml
  [ "$status" -eq 2 ]
  [[ $stderr == *"out/journal.jsonl:2: this line is not as it was written"*"take it out"* ]]
  sed -i 2d out/journal.jsonl
  [ "$(state_of frame-size=64,build=v1,run=1)" = done ]
  # a line that is no JSON any more is no beginning of one, which a crash would leave
  cp out/journal.jsonl journal
  sed -i "2 s/\"/'/" out/journal.jsonl
  refuses 2 "out/journal.jsonl:2: this line is not as it was written.*no JSON" "$XDP_MLR" campaign status c.yaml
  mv journal out/journal.jsonl
  # of an older version
  jq -c 'del(.crc32)' out/journal.jsonl >journal && mv journal out/journal.jsonl
  [ "$(state_of frame-size=64,build=v1,run=1)" = done ]
}

@test "options that were changed after a point was begun are refused, and its result does not count" {
  campaign
  run_all --only '*,run=1' >/dev/null
  sed -i 's/sum=3/sum=4/' c.yaml
  refuses 2 "the point frame-size=64,build=v1,run=1 was begun with other options, which ./out/points/.*yaml holds" "$XDP_MLR" campaign run c.yaml
  run -1 "$XDP_MLR" campaign report c.yaml --format json
  is '.point_counts.failed == 6 and .points[0].reason == "its result was measured with another value of '"'goal'"'"' <<<"$output"
  # so is one that is given no more
  sed -i 's/sum=4/sum=3/; s/^goal:/min-load: 20kfps\ngoal:/; s/results: out/results: other/' c.yaml
  run_all --only '*,run=1' >/dev/null
  sed -i '/^min-load/d' c.yaml
  run -1 "$XDP_MLR" campaign report c.yaml --format json
  is '.point_counts.failed == 6 and .points[0].reason == "its result was measured with another value of '"'min-load'"'"' <<<"$output"
  sed -i 's/results: other/results: out/; s/sum=3/sum=4/' c.yaml
  # a wider matrix is no other point
  sed -i 's/sum=4/sum=3/; s/1518\]/1518, 9000]/' c.yaml
  run -0 run_all --only '*,run=1'
  [ "$("$XDP_MLR" campaign status c.yaml --format json | jq .point_counts.done)" -eq 8 ]
}

@test "launch: a command starts each point's program, and passes on how it ended" {
  campaign '  launch: "env MARK=\"a b\" ./launcher --"'
  printf '#!/bin/sh\necho "$MARK $*" >>launched\nshift\nexec "$@"\n' >launcher
  chmod +x launcher
  run -0 run_all --only '*=64,*,run=1'
  [ "$(wc -l <launched)" -eq 2 ]
  head -1 launched | grep -qE '^a b -- /.*/xdp-mlr search --config [^ ]*/frame-size=64,build=v1,run=1.yaml --format jsonl --quiet$'
  printf '#!/bin/sh\necho "no such host" >&2\nexit 4\n' >launcher
  run --separate-stderr run_all --only '*=512,build=v1,run=1'
  [ "$status" -eq 4 ]
  [[ $stderr == *"has failed: no such host"* ]]
}

@test "a suite, a soak and a trial have no resume, and begin anew" {
  cat >c.yaml <<'END'
campaign: {verb: soak, matrix: {seed: [1, 2]}}
measurer: sim:hard,capacity=1e6
max-load: 2Mfps
max-time: 60
END
  mkdir -p results/points
  echo '{"event": "trial_finished", "trial": 1}' >results/points/seed=1,run=1.jsonl
  run -0 run_all
  [ "$(jq -s '[.[] | select(.event == "point_started") | .resumed] | any' results/journal.jsonl)" = false ]
}

# --- the report ---

report_json() { "$XDP_MLR" campaign report c.yaml --format json "$@"; }

@test "the report: every combination with its spread, and a regression between builds" {
  campaign
  run_all >/dev/null
  run --separate-stderr report_json
  [ "$status" -eq 1 ]
  "$VALIDATE" --closed "$SCHEMAS/campaign.schema.json" - <<<"$output"
  is '.schema == "xdp-mlr/campaign/1" and .compared == "build" and .regressions == 3 and .irregular_reason == null and .goals == ["ndr"]
    and .point_counts.done == 12 and (.cells | length) == 6 and (.points | length) == 12' <<<"$output"
  is '[.comparisons[] | .a == "v1" and .b == "v2" and .verdict == "slower" and .change < -0.09 and .change > -0.11] | length == 3 and all' <<<"$output"
  [[ $("$XDP_MLR" campaign report c.yaml || true) == *"REGRESSION: build v2 is "*" % slower than v1 (ndr, frame-size "*"); 3 of 3 comparisons show one."*"Conditions "*"direction a-to-b; ip 4; "*"change up to 1 %"*"  64          ndr   v1  v2  B is SLOWER  -"* ]]
  # a cell is what its two points say
  is '.points as $p | [.cells[] | .values as $v | .goals[0] as $g | [$p[] | select(.values == $v) | .results[0].value] | ($g.mean - add / 2) as $d
    | ($d < 1 and $d > -1 and $g.min == min and $g.max == max and $g.count == 2)] | all' <<<"$output"
  for point in 'frame-size=64,build=v1,run=1' 'frame-size=1518,build=v2,run=2'; do
    [ "$(jq --arg p "$point" '.points[] | select(.point == $p) | .results[0] | [.value, .lower_bound, .upper_bound]' <<<"$output")" = \
      "$("$JQ" '.search_result[0] | [.conditional_throughput, .relevant_lower_bound, .relevant_upper_bound]' "out/points/$point.json")" ]
  done
  # the builds in the other order: an improvement
  sed -i 's/v1: /v3: /' c.yaml
  rm -r out
  awk '/v3:/ { held = $0; next } { print } /v2:/ { print held }' c.yaml >d.yaml && mv d.yaml c.yaml
  run_all >/dev/null
  run -0 report_json
  is '.regressions == 0 and ([.comparisons[] | .verdict == "faster"] | all)' <<<"$output"
  run -0 report_json --tolerance 50%
  is '[.comparisons[] | .verdict == "same"] | all' <<<"$output"
}

@test "points that are missing, failed or irregular are named" {
  campaign
  sed -i 's/v2: .*/v2: {measurer: "exec:exit 3"}/; s/max-load: .*/max-load: 600kfps/' c.yaml
  run -5 run_all --only '*,run=1'
  run -1 report_json
  "$VALIDATE" --closed "$SCHEMAS/campaign.schema.json" - <<<"$output"
  is '.irregular_reason == "of 12 points: 3 irregular, 3 failed, 6 missing" and .comparisons == []' <<<"$output"
  is '[.points[] | select(.run == 1 and .values.build == "v2") | .state == "failed" and (.reason | contains("exited with status 3"))] | length == 3 and all' <<<"$output"
  is '[.cells[] | select(.values.build == "v1") | .goals[0].irregular == 1 and .done == 1 and .asked == 2] | length == 3 and all' <<<"$output"
  run -1 "$XDP_MLR" campaign report c.yaml
  [[ $output == *"IRREGULAR: of 12 points: 3 irregular, 3 failed, 6 missing"* ]]
  grep -qE '^  frame-size=64,build=v1,run=1 +irregular +[^ ]' <<<"$output"
  grep -qE '^  frame-size=64,build=v2,run=1 +failed +.*exited with status 3' <<<"$output"
  [ "$(grep -cE ',run=2 +waiting$' <<<"$output")" -eq 6 ]
  grep -qE '^  64 +v1 +1 of 2 +600000 .* IRREGULAR' <<<"$output"
  run -1 "$XDP_MLR" campaign report c.yaml --report r.md
  grep -q '^## Points without a regular result' r.md
  # a result that is none
  echo '{"schema": "xdp-mlr/soak/1"}' >'out/points/frame-size=64,build=v1,run=1.json'
  printf '{"schema": "xdp' >'out/points/frame-size=512,build=v1,run=1.json'
  run -1 report_json
  is "[.points[].reason // empty] | any(. == \"'xdp-mlr/soak/1' is no result of search\") and any(startswith(\"the result is no JSON\"))" <<<"$output"
}

# The result of a point with another value in it: `change POINT JQ-FILTER`.
change() {
  jq -c "$2" "out/points/$1.json" >changed.json
  mv changed.json "out/points/$1.json"
}

@test "a point that misses a requirement ends run and report with 1, whatever the journal has of it" {
  campaign '' 'require: ndr>=100Mfps'
  run -1 run_all --only '*v1,run=1'
  sed -i '/point_finished/d' out/journal.jsonl # killed before it could write down the end of the attempts
  run -1 run_all --only '*v1,run=1'
  sed -i 's/repeat: 2/repeat: 1/; s/, 512, 1518//; /v2:/d' c.yaml
  run --separate-stderr "$XDP_MLR" campaign report c.yaml --format json
  [ "$status" -eq 1 ]
  is '.point_counts | .done == .total and .irregular + .limited == 0' <<<"$output"
  [ "$stderr" = "xdp-mlr: warning: frame-size=64,build=v1,run=1: the requirement 'ndr>=100Mfps' is not met" ]
  # the document says it, and what is made of it
  is '.requirements | length == 1 and (.[0] | .requirement == "frame-size=64,build=v1,run=1: ndr>=100Mfps" and (.met | not))' <<<"$output"
  echo "$output" >r.json
  "$XDP_MLR" report r.json | tr -s ' \n' ' ' | grep -F 'NOT MET: frame-size=64,build=v1,run=1: ndr>=100Mfps (measured'
  "$XDP_MLR" report r.json --junit j.xml
  grep -q '<testsuites tests="2" failures="1">' j.xml
}

@test "status and report count points by the same word, limited ones beside irregular ones; report ends with 1 for either" {
  campaign
  sed -i 's/v2: .*/v2: {measurer: "sim:jitter,capacity=1e6,sigma=0.002,seed=2"}/' c.yaml
  run_all >/dev/null
  run -0 report_json
  is '.point_counts == {total: 12, done: 12, irregular: 0, limited: 0, failed: 0, running: 0, missing: 0} and .tester_limited == false' <<<"$output"
  change frame-size=64,build=v1,run=1 '.search_result[0].tester_limited = true'
  run -1 report_json
  "$VALIDATE" --closed "$SCHEMAS/campaign.schema.json" - <<<"$output"
  is '.point_counts.limited == 1 and .point_counts.irregular == 0 and .tester_limited and .irregular_reason == null' <<<"$output"
  is '[.points[] | select(.tester_limited) | .point] == ["frame-size=64,build=v1,run=1"]' <<<"$output"
  change frame-size=512,build=v1,run=1 'del(.trials) | .search_result[0].tester_limited = true | .search_result[0].regular = false | .irregular_reason = "interrupted"'
  change frame-size=512,build=v1,run=2 '.search_result[0].tester_limited = true'
  run -1 report_json
  is '.point_counts.limited == 2 and .point_counts.irregular == 1' <<<"$output"
  run -0 "$XDP_MLR" campaign status c.yaml --format json
  "$VALIDATE" --closed "$SCHEMAS/campaign-status.schema.json" - <<<"$output"
  is '.point_counts.limited == 2 and .point_counts.irregular == 1 and .point_counts.done == 12' <<<"$output"
  run -0 "$XDP_MLR" campaign status c.yaml
  [[ $output == *"12 of 12 points are done, 1 of them irregular, 2 limited"* ]]
  run -1 "$XDP_MLR" campaign report c.yaml
  [[ $output == *"2 of 12 points are limited by the tester: the SUT may do more."*"12, 12 of them done, 1 irregular, 2 limited, 0 failed"* ]]
  grep -qE '^  frame-size=64,build=v1,run=1 +limited +the SUT may do more: ndr$' <<<"$output"
  grep -qE '^  frame-size=512,build=v1,run=1 +irregular +interrupted$' <<<"$output"
  grep -qE '^  64 +v1 +1 of 2 .* limited$' <<<"$output"
  grep -qE '^  512 +v1 +2 of 2 .* IRREGULAR$' <<<"$output"
  # what does not count is none of them, in either
  change frame-size=64,build=v1,run=1 '.configuration["max-load"] = "9Mfps"'
  run report_json
  is '.point_counts.limited == 1 and .point_counts.failed == 1' <<<"$output"
  run "$XDP_MLR" campaign status c.yaml --format json
  is '.point_counts.limited == 1 and .point_counts.failed == 1 and .point_counts.done == 11
    and any(.points[]; .state == "failed" and (.reason | test("another value of .max-load")))' <<<"$output"
}

@test "a limited test of a suite, one of repeated searches, and a limited soak are limited points" {
  cat >c.yaml <<'END'
campaign: {verb: soak, results: out, matrix: {seed: [1]}}
measurer: sim:hard,capacity=1e6
max-load: 2Mfps
max-time: 100
END
  run_all >/dev/null
  change seed=1,run=1 '.tester_limited = true'
  run -1 report_json
  is '.point_counts.limited == 1 and .cells[0].goals[0].irregular == 0' <<<"$output"
  # as earlier versions have it
  change seed=1,run=1 '.irregular_reason = "the tester was the limit in a trial"'
  run -1 report_json
  is '.point_counts.limited == 1 and .point_counts.irregular == 0 and .cells[0].goals[0].irregular == 0' <<<"$output"
  rm -r out
  cat >c.yaml <<'END'
campaign: {results: out, matrix: {seed: [1]}}
repeat: 3
goal: name=ndr,final=1,sum=1
measurer: sim:hard,capacity=1e6
max-load: 2Mfps
END
  run_all >/dev/null
  run -0 report_json
  change seed=1,run=1 '.repeats.median_run as $m | .repeats.runs[$m % 3].search_result[0].tester_limited = true'
  run -1 report_json
  is '.point_counts.limited == 1' <<<"$output"
}

@test "the report as HTML, Markdown, CSV, JSON; and the stored document as all of them again" {
  campaign
  run_all >/dev/null
  # a page's date is when the first point was measured, not when the points were merged
  change frame-size=512,build=v2,run=1 '.environment.start_time = "2026-11-21T16:21:31Z"'
  run -1 "$XDP_MLR" campaign report c.yaml --report r.html --report r.md --report r.csv --report r.json
  grep -qF '<dt>Date</dt><dd>2026-11-21 16:21 UTC</dd>' r.html
  grep -q 'REGRESSION: build v2 is [0-9.]* % slower than v1 (ndr, frame-size [0-9]*); 3 of 3 comparisons show one' r.html
  grep -q 'Conditional Throughput against frame-size: ndr' r.html
  [ "$(grep -c 'id="figure-campaign-[0-9]*" ' r.html)" -eq 1 ]
  [ "$(grep -o 'class="mark [^"]*' r.html | wc -l)" -ge 6 ]
  grep -q 'B is SLOWER' r.md
  [ "$(wc -l <r.csv)" -eq 13 ]
  head -1 r.csv | grep -q '^point,values.frame-size,values.build,run,state,.*result.value \[frames/s\]'
  "$XDP_MLR" report r.json --report again.html --junit r.xml
  diff r.html again.html
  grep -qF 'timestamp="2026-11-21T16:21:31Z"' r.xml
  "$XDP_MLR" report r.json --report again.csv
  diff r.csv again.csv
}

@test "what labels and reasons hold stays text in HTML and CSV" {
  cat >c.yaml <<'END'
campaign: {results: out, matrix: {build: {'<b>&"': {seed: 1}, 'x,y': {seed: 2}}}}
measurer: sim:hard,capacity=1e6
max-load: 2Mfps
END
  run_all >/dev/null
  run -0 "$XDP_MLR" campaign report c.yaml --report r.html
  if grep -q '<b>' r.html; then return 1; fi
  run -0 "$XDP_MLR" campaign report c.yaml --report r.csv
  grep -q '"<b>&""",' r.csv
  grep -q '"x,y",' r.csv
}

@test "soaks that end at Max Load say how much the SUT does at least, single ones and several" {
  local repeat
  for repeat in 1 2; do
    cat >c.yaml <<END
campaign: {verb: soak, results: out$repeat, repeat: $repeat, compare: build, matrix: {build: {
  v1: {measurer: "sim:hard,capacity=5e6", max-load: 3Mfps}, v2: {measurer: "sim:hard,capacity=4e6", max-load: 2Mfps},
  v3: {measurer: "sim:hard,capacity=6e6", max-load: 2Mfps}, v4: {measurer: "sim:hard,capacity=1e6", max-load: 2Mfps}}}}
max-time: 60
END
    "$XDP_MLR" campaign run c.yaml -q >/dev/null || [ $? -eq 1 ]
    run --separate-stderr "$XDP_MLR" campaign report c.yaml --format json
    [ "$status" -eq 1 ]
    is '[.comparisons[].verdict] == ["unknown", "same", "slower"] and .point_counts.irregular == 3 * .repeat' <<<"$output"
  done
}

@test "a soak of a SUT that meets the target at no load is one at most, single ones and several" {
  local repeat
  for repeat in 1 2; do
    cat >c.yaml <<END
campaign: {verb: soak, results: out$repeat, repeat: $repeat, compare: build, matrix: {build: {
  v1: {measurer: "sim:residual,capacity=1e6,ratio=1e-5,seed=1"}, v2: {measurer: "sim:hard,capacity=0.9e6"}}}}
max-load: 3Mfps
max-time: 120
END
    "$XDP_MLR" campaign run c.yaml -q >/dev/null || [ $? -eq 1 ]
    run --separate-stderr "$XDP_MLR" campaign report c.yaml --format json
    is '(.points[0].results[0] | .value > 0.95e6 and .upper_bound == .value) and [.comparisons[].verdict] == ["unknown"]' <<<"$output"
  done
}

@test "soaks, trials of a suite: each quantity by its name, and Welch's test over their repeats" {
  cat >c.yaml <<'END'
campaign: {verb: soak, results: out, matrix: {build: {v1: {measurer: "sim:hard,capacity=1e6"}, v2: {measurer: "sim:hard,capacity=0.9e6"}}}}
max-load: 2Mfps
max-time: 100
END
  run_all >/dev/null
  run report_json
  "$VALIDATE" --closed "$SCHEMAS/campaign.schema.json" - <<<"$output"
  is '.quantity == "critical_load" and (.cells[0].goals[0].mean > 0.99e6) and .comparisons[0].method == "estimates" and .comparisons[0].verdict == "slower"' <<<"$output"
  sed -i 's/verb: soak/verb: soak, repeat: 3/' c.yaml
  run_all >/dev/null
  run report_json
  is '.comparisons[0].method == "repeats" and .comparisons[0].verdict == "slower"' <<<"$output"
}

# --- Slurm, of which tests/cluster has a real one ---

# sbatch that takes scripts and runs nothing, squeue that answers from a file
fake_slurm() {
  mkdir -p bin
  cat >bin/sbatch <<'END'
#!/bin/bash
[ ! -e refuse ] || { echo "sbatch: error: no such partition" >&2; exit 1; }
echo "$*" >>taken
echo "$((100 + $(wc -l <taken)));cluster"
END
  cat >bin/squeue <<'END'
#!/bin/bash
for word; do case $word in --jobs=*) cat "queue-${word#*=}" 2>/dev/null ;; esac; done
END
  chmod +x bin/*
  PATH=$PWD/bin:$PATH
}

@test "submit: an array for all that ask for the same, and a job after all of them that merges" {
  campaign
  fake_slurm
  sed -i 's/v2: {/v2: {slurm: {licenses: "sut:1", gres: "testbed:fast:1"}, /; s/repeat: 2/repeat: 2\n  slurm: {time: "1:00:00", partition: lab}/' c.yaml
  run --separate-stderr "$XDP_MLR" campaign submit c.yaml
  [ "$status" -eq 0 ]
  [ "$output" = "Submitted 2 arrays of jobs (101:102), and job 103, which merges" ]
  [ "$(sed -n 3p taken)" = "--parsable --dependency=afterany:101:102 $PWD/out/slurm/1/merge.sh" ]
  cd out/slurm/1
  for script in *.sh; do bash -n "$script"; done
  grep -qx '#SBATCH --array=1-6' array-1.sh
  grep -qx '#SBATCH --gres=testbed:1' array-1.sh
  grep -qx '#SBATCH --gres=testbed:fast:1' array-2.sh
  [ "$(grep -c -- --gres= array-2.sh)" -eq 1 ]
  grep -qx '#SBATCH --licenses=sut:1' array-2.sh
  if grep -q -- --licenses array-1.sh merge.sh; then return 1; fi
  for script in *.sh; do grep -qx '#SBATCH --partition=lab' $script; done
  if grep -q -- '--time' merge.sh; then return 1; fi
  sort array-*.points | diff - <(cd ../../..; points | sort)
  if grep -q v2 array-1.points; then return 1; fi
}

@test "submit: an element of the array runs its point, and the merge reports" {
  campaign
  fake_slurm
  "$XDP_MLR" campaign submit c.yaml
  for element in 2 1 2; do
    SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=$element SLURM_JOB_ID=9 bash out/slurm/1/array-1.sh >log
    grep -q "0: $(sed -n ${element}p out/slurm/1/array-1.points)" log
  done
  [ "$(ls out/points/*.json | wc -l)" -eq 2 ]
  [ "$("$JQ" -r 'select(.event == "point_finished") | .job' out/journal.jsonl | paste -sd' ')" = "7_2 7_1" ]
  bash out/slurm/1/merge.sh
  is '.point_counts.done == 2 and .point_counts.missing == 10' <out/two-builds.json
  grep -q '^<!DOCTYPE html>' out/two-builds.html
  [ "$(wc -l <out/two-builds.csv)" -eq 13 ]
}

@test "submit: near the time limit a job stops its point and asks to be queued again; stopped otherwise it does not" {
  slow_campaign
  fake_slurm
  printf '#!/bin/bash\necho "$*" >>requeued\n' >bin/scontrol
  chmod +x bin/scontrol
  "$XDP_MLR" campaign submit c.yaml
  local job code attempt=0
  begun() { [ "$(cat results/journal.jsonl 2>/dev/null | grep -c point_started)" -eq "$1" ]; }
  touch hold
  for signal in TERM USR1; do
    attempt=$((attempt + 1))
    SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=1 SLURM_JOB_ID=9 bash results/slurm/1/array-1.sh >/dev/null &
    job=$!
    wait_until begun "$attempt"
    wait_until grep -qrs trial_finished results/points
    kill -$signal $job
    code=0
    wait $job || code=$?
    [ "$code" -eq 130 ]
    [ "$(state_of frame-size=64,run=1)" = interrupted ]
    [ $signal = USR1 ] || [ ! -e requeued ]
  done
  [ "$(<requeued)" = "requeue 9" ]
  rm hold
  SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=1 SLURM_JOB_ID=9 bash results/slurm/1/array-1.sh
  [ "$(jq -s '[.[] | select(.event == "point_started") | .resumed] == [false, true, true]' results/journal.jsonl)" = true ]
}

@test "submit: what is done or in the queue is not submitted again; status shows the queue" {
  campaign
  fake_slurm
  run_all --only 'frame-size=64,*' >/dev/null
  "$XDP_MLR" campaign submit c.yaml
  [ "$(wc -l <out/slurm/1/array-1.points)" -eq 8 ]
  printf '1 RUNNING\n2 PENDING\n3 PENDING\n' >queue-101
  run --separate-stderr "$XDP_MLR" campaign status c.yaml --format json
  is '.point_counts == {total: 12, done: 4, irregular: 0, limited: 0, running: 1, failed: 0, interrupted: 0, waiting: 7} and ([.points[].queue // empty] | length) == 3' <<<"$output"
  run --separate-stderr "$XDP_MLR" campaign submit c.yaml
  [[ $stderr == *"3 points are in the queue already"* ]]
  [ "$(wc -l <out/slurm/2/array-1.points)" -eq 5 ]
  if grep -qxF -f <(head -3 out/slurm/1/array-1.points) out/slurm/2/array-1.points; then return 1; fi
}

@test "submit: --dry-run prints the scripts and makes nothing; what Slurm refuses is said" {
  campaign
  fake_slurm
  run --separate-stderr "$XDP_MLR" campaign submit c.yaml --dry-run
  [ "$status" -eq 0 ]
  [[ $output == *"slurm/1/array-1.sh"*"#SBATCH --array=1-12"*"merge.sh"* ]]
  [ ! -e out ] && [ ! -e taken ]
  : >refuse
  run --separate-stderr "$XDP_MLR" campaign submit c.yaml
  [ "$status" -eq 3 ]
  [[ $stderr == *"no such partition"*"sbatch did not take"*"array-1.sh"* ]]
  mkdir 'a b'
  cp c.yaml 'a b/c.yaml'
  run --separate-stderr "$XDP_MLR" campaign submit 'a b/c.yaml' --dry-run
  [ "$status" -eq 2 ]
  [[ $stderr == *"must have no blanks"* ]]
  run -2 "$XDP_MLR" campaign submit c.yaml --engine pbs
}
