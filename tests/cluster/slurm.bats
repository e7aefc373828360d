#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A campaign on a real Slurm of two nodes, over two SUTs of known rates, each of which one testbed can use at a time.
bats_require_minimum_version 1.5.0
load cluster

MLR=$BATS_TEST_DIRNAME/../../${BUILD:-build}/xdp-mlr
RATE1=50000 RATE2=30000

setup() {
  cd "$BATS_TEST_TMPDIR"
  export XDP_MLR_STATE_DIRECTORY=$BATS_TEST_TMPDIR/state
  SUT1=c$((BASHPID % 10000))x SUT2=c$((BASHPID % 10000))y
  "$MLR" lab up --name "$SUT1" --sut "policer:rate=$RATE1,burst=100us" >/dev/null
  "$MLR" lab up --name "$SUT2" --sut "policer:rate=$RATE2,burst=100us" >/dev/null
  ports >ports-before
  cluster_up "$BATS_TEST_TMPDIR/slurm"
}

teardown() {
  cluster_down
  "$MLR" clean --quiet >/dev/null
  "$MLR" lab down --name "$SUT1" --quiet
  "$MLR" lab down --name "$SUT2" --quiet
}

# All that a run may change on the testbeds' ports, a fact a line.
ports() {
  local port
  for port in "$SUT1-a" "$SUT1-b" "$SUT2-a" "$SUT2-b"; do
    ip -d -j link show "$port" | jq -r --arg port "$port" '.[0] | del(.stats64, .stats) |
      paths(scalars) as $p | "\($port) ip link \($p | join(".")) = \(getpath($p))"'
    ip -j -6 address show dev "$port" | jq -r --arg port "$port" '.[0].addr_info[]? | "\($port) address \(.local)/\(.prefixlen)"'
    echo "$port disable_ipv6 = $(cat "/proc/sys/net/ipv6/conf/$port/disable_ipv6" 2>&1)"
    ethtool -k "$port" 2>&1 | sed "s/^/$port /"
  done
}

# Twelve points: two SUTs, two frame sizes, three times each.
campaign() {
  cat >builds.yaml <<END
campaign:
  name: builds
  repeat: 3
  matrix:
    frame-size: [64, 512]
    sut:
      first: {ports: [$SUT1-a, $SUT1-b], slurm: {licenses: "sut1:1"}}
      second: {ports: [$SUT2-a, $SUT2-b], slurm: {licenses: "sut2:1"}}
max-load: 100kfps
wait: d=0.1
goal: name=ndr,loss=0,exceed=0.5,final=0.2,sum=1,width=1%
END
}

status() { "$MLR" campaign status builds.yaml --format json; }
done_count() { status | jq .point_counts.done; }
at_least_done() { [ "$(done_count)" -ge "$1" ]; }
trial_on() { # NODE: a job of this node has measured something, which no result has yet
  local element
  for element in $(squeue --noheader --array --nodelist="$1" --states=RUNNING --format=%F_%K); do
    jq -rs --arg job "$element" '.[] | select(.event == "point_started" and .job == $job) | .point' results/journal.jsonl
  done | while read -r point; do
    [ "$(grep -shc trial_finished "results/points/$point.jsonl")" -ge 2 ] && echo "$point"
  done | grep . >interrupted
}

@test "twelve points over two testbeds and two SUTs; a node that goes down loses nothing; the report knows the rates" {
  campaign
  run -0 "$MLR" campaign submit builds.yaml
  [[ $output == "Submitted 2 arrays of jobs"* ]]
  cluster_wait at_least_done 3
  cluster_wait trial_on tb1
  sha256sum results/points/*.json >finished-before
  scontrol update NodeName=tb1 State=DOWN Reason=test
  sleep 1
  scontrol update NodeName=tb1 State=RESUME
  cluster_wait queue_is_empty
  sha256sum --quiet --check finished-before
  [ "$(done_count)" -eq 12 ]

  # the point that the node was at went on after the trials that it had
  jq -es --rawfile points interrupted '[.[] | select(.event == "point_started" and (.point | IN($points | split("\n")[])))]
    | length >= 2 and (.[-1].resumed)' results/journal.jsonl

  # of a shared SUT's points one ran at a time
  jq -es '[.[] | select(.point | contains("sut=first"))] | reduce .[] as $e ({running: 0, most: 0};
    .running = (if $e.event == "point_started" then (if $e.resumed then 1 else .running + 1 end) else 0 end)
    | .most = ([.most, .running] | max)) | .most == 1' results/journal.jsonl

  # the last job merged, and knows the rates to within the Goal Width, which is 1 %. Where other work on this machine kept the tester from
  # sending, a result says that (limited), and may be lower; none may be higher, and without saying so none may be lower.
  [ -s results/builds.html ] && [ "$(wc -l <results/builds.csv)" -eq 13 ]
  jq -e --argjson a $RATE1 --argjson b $RATE2 '
    def rate: if .values.sut == "first" then $a else $b end;
    def right: rate as $rate | .results[0] | .value != null and .value > $rate * 0.985 and .upper_bound > $rate * 0.999;
    (.point_counts | .done == 12 and .missing == 0 and .failed == 0) and (.cells | length) == 4 and ([.cells[].done == 3] | all)
    and ([.points[] | rate as $rate | .results[0] | .value == null or .value < $rate * 1.001] | all)
    and ([.points[] | select(.results[0] | .regular and (.tester_limited | not)) | right] | all)
    and ([.points[] | select(right) | .values.sut] | group_by(.) | map(length) | length == 2 and min >= 3)
    and (.comparisons | length) == 2
    and (([.cells[].goals[0] | select(.irregular > 0 or .tester_limited > 0)] | length > 0)
      or ([.comparisons[] | .verdict == "slower" and .change < -0.38 and .change > -0.42] | all))' results/builds.json ||
    { jq -c '(.points[] | [.point, .irregular_reason, .results]), .comparisons[]' results/builds.json; return 1; }
  ports | diff ports-before -
}
