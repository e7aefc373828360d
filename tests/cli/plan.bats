#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --dry-run, --dump-config, a result as configuration, and the warnings that a plan and a result have.
load helper

# A search whose goals give these warnings: `warned COUNT PATTERN [options]`
warned() {
  local count=$1 pattern=$2
  shift 2
  simulated --format json "$@" >"$BATS_TEST_TMPDIR/out" || [ $? -eq 1 ]
  "$JQ" -e --argjson n "$count" --arg p "$pattern" '(.warnings | length) == $n and ([.warnings[] | select(test($p))] | length) == $n' \
    "$BATS_TEST_TMPDIR/out" || { jq .warnings "$BATS_TEST_TMPDIR/out"; return 1; }
}

# --- warnings ---

@test "goals with different final durations are warned of, once" {
  warned 1 "a 1 s, b 2 s.*section 4\.6\.1" --goal name=a,final=1 --goal name=b,final=2 --goal name=c,final=3
  warned 0 . --goal name=a,final=2 --goal name=b,final=2
}

@test "a duration sum below the final duration is warned of" {
  warned 1 "Goal a: the Goal Duration Sum \(1 s\).*section 4\.6\.2" --goal name=a,final=2,sum=1
  warned 0 . --goal name=a,final=2,sum=2
}

@test "a width below the loss ratio is warned of" {
  warned 1 "Goal a: the Goal Width \(0\.5 %\).*\(1 %\).*section 4\.6\.5" --goal name=a,loss=1%
  warned 0 . --goal name=a,loss=0.5%
}

@test "an exceed ratio other than 50 % is warned of" {
  warned 1 "Goal a: the Goal Exceed Ratio is 10 %.*section 4\.6\.4" --goal name=a,exceed=0.1
  warned 0 . --goal name=a,exceed=0.5
}

@test "a width below the loss ratio of another goal is warned of" {
  warned 1 "Goals a and b: the Goal Width of a \(0\.5 %\).*\(1 %\).*section 5\.6\.2" --goal name=a,loss=0 --goal name=b,loss=1%,width=1%
  warned 0 . --goal name=a,loss=0,width=1% --goal name=b,loss=1%,width=1%
}

@test "a Min Load of less than one frame in the shortest trial is warned of" {
  warned 1 "Min Load \(1\.9 fps\).*\(0\.5 s\).*section 4\.6\.8\.2" --goal name=a,initial=0.5 --min-load 1.9
  warned 0 . --goal name=a,initial=0.5 --min-load 2
}

@test "presets give no warnings but of exceed ratios, and the text shows those that there are, once" {
  for preset in csit tst009; do warned 0 . --preset $preset; done
  warned 1 'section 4\.6\.4' --preset rfc2544
  run --separate-stderr simulated --goal name=a,loss=1%
  [ -z "$stderr" ]
  [ "$(grep -c 'section 4\.6\.5' <<<"$output")" -eq 1 ]
  [[ $output == *$'\nWarnings\n  - Goal a: '* ]]
}

@test "each goal says whether it is the throughput of RFC 2544" {
  simulated --format json --goal name=by-the-book,exceed=0,final=60 --goal name=short,exceed=0,final=59 --goal name=loss,loss=0.1%,exceed=0,final=60 \
    --goal name=exceed,exceed=0.1,final=60 | is '[.search_result[].rfc2544_compliance] == ["unconditional", "conditional", "none", "none"]'
  simulated --preset rfc2544 | grep -q "RFC 2544, section 24  *unconditionally compliant"
  # what is irregular is no throughput
  run --separate-stderr simulated --preset rfc2544 --measurer sim:hard,capacity=1e9 --format json
  is '.search_result[0].rfc2544_compliance == "none"' <<<"$output"
}

@test "a result has frames/s, and bit/s on layer 1 and 2" {
  simulated --format json --frame-size 512 | is '.search_result | all(
    .relevant_lower_bound_l2_bps == .relevant_lower_bound * 4096 and .relevant_lower_bound_l1_bps == .relevant_lower_bound * 4256
    and .relevant_upper_bound_l2_bps == .relevant_upper_bound * 4096 and .relevant_upper_bound_l1_bps == .relevant_upper_bound * 4256
    and .conditional_throughput_l2_bps == .conditional_throughput * 4096 and .conditional_throughput_l1_bps == .conditional_throughput * 4256)'
  run simulated --format json --measurer sim:hard,capacity=1e9
  is '.search_result | all(has("relevant_upper_bound_l1_bps") and .relevant_upper_bound_l1_bps == null)' <<<"$output"
}

# --- the plan ---

@test "a plan measures nothing, needs no ports opened, and has its time, goals, warnings and options" {
  run --separate-stderr measured "touch $BATS_TEST_TMPDIR/started" --dry-run --format json --goal name=x,loss=1%
  [ "$status" -eq 0 ]
  [ ! -e "$BATS_TEST_TMPDIR/started" ]
  is '.schema == "xdp-mlr/plan/1" and .verb == "search" and .min_load == 9001 and .max_load == 1000000 and .max_load_source == "option"
    and .goals[0].name == "x" and (.warnings | length) == 1 and .configuration["max-load"] == "1Mfps"
    and (.estimate | .duration_min <= .duration and .duration <= .duration_max and .trials > 5)' <<<"$output"
  run --separate-stderr simulated --dry-run
  [ "$status" -eq 0 ]
  [[ $output == "Plan of xdp-mlr search; nothing was sent"*"Goal ndr: Goal Loss Ratio 0 %, Goal Exceed Ratio 50 %, Goal Width 0.5 %,"*"Goal Initial Trial Duration 1 s, Goal Final Trial Duration 1 s, Goal Duration Sum 21 s"*"Time      about "*"Options in force"*"max-load: 10Mfps"* ]]
}

@test "the estimate is near what the search then takes" {
  local plan took
  plan=$(simulated --dry-run --format json | jq .estimate.duration)
  took=$(simulated --format json | jq .search_duration)
  "$JQ" -en "$plan / $took | . > 0.5 and . < 2"
  # waits are counted, repeats and the limit too
  simulated --dry-run --format json --repeat 3 | is ".estimate.duration == 3 * $plan"
  simulated --dry-run --format json --max-time 5 | is '.estimate.duration == 5 and .estimate.duration_max == 5'
  "$XDP_MLR" soak --measurer "$SIM" --max-load 10Mfps --dry-run --format json | is '.estimate.duration == 1800'
  "$XDP_MLR" soak --measurer "$SIM" --max-load 10Mfps --max-time 60 --dry-run --format json | is '.estimate.duration == 60'
}

@test "a plan over ports that do not exist is refused, and one over others needs no root" {
  refuses 2 "there is no port 'no-such-a' here" "$XDP_MLR" search -p no-such-a,lo --dry-run
  local ports
  ports=$(ip -o link show up | cut -d: -f2 | cut -d@ -f1 | tr -d ' ' | head -2 | paste -sd,)
  [[ $ports == *,* ]] || skip "this machine has one interface only"
  command -v setpriv >/dev/null || skip "setpriv(1) is not here"
  cp "$XDP_MLR" "$BATS_TEST_TMPDIR/xdp-mlr"
  chmod 755 "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/xdp-mlr"
  local become=()
  [ "$(id -u)" -ne 0 ] || become=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all)
  # a's and e's waits, 7 s a trial, are in the estimate
  cd /
  "${become[@]}" "$BATS_TEST_TMPDIR/xdp-mlr" search -p "$ports" --allow-unsafe=plan --wait a=2,e=5 --max-load 5Mfps --dry-run --format json |
    is '.estimate.duration >= 8 * .estimate.trials'
  "${become[@]}" "$BATS_TEST_TMPDIR/xdp-mlr" trial -p "$ports" --allow-unsafe=plan --wait a=2,e=5 --load 5kfps --duration 10 --dry-run --format json |
    is '.estimate.duration == 17 and .estimate.duration_max == 19'
}

# --- the configuration ---

@test "a dumped configuration gives the same run, and the same dump" {
  simulated --goal name=x,loss=0.1% --goal 'name="y: #1"' --min-load 20kfps --max-time 1h --require 'x>=1kfps' --require 'x.upper<1Gfps' \
    --repeat 2 --explain --format json --frame-size 128 --dump-config >"$BATS_TEST_TMPDIR/c.yaml"
  "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/c.yaml" --dump-config | diff "$BATS_TEST_TMPDIR/c.yaml" -
  diff <("$XDP_MLR" search --config "$BATS_TEST_TMPDIR/c.yaml" | jq 'del(.environment)') \
    <(simulated --goal name=x,loss=0.1% --goal 'name="y: #1"' --min-load 20kfps --max-time 1h --require 'x>=1kfps' --require 'x.upper<1Gfps' \
      --repeat 2 --explain --format json --frame-size 128 | jq 'del(.environment)')
}

# The long options of a verb's help, but those of the command line only.
options_of() {
  "$XDP_MLR" $1 --help=all | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' | grep -vxE 'config|dump-config|dry-run|help|version|resume|replay'
}

@test "every option that is given stands in the dump, and is read back from it" {
  declare -A value=([ports]=p1,p2 [direction]=both [frame-size]=128 [load]=1.5Mfps [duration]=500ms [preset]=tst009
    [goal]=name=x,loss=1%,exceed=0.25,final=3,initial=2s,sum=1min,width=1% [min-load]=20kfps [max-load]=5Gbps-l1 [algorithm]=tst009
    [max-r]=3 [target-loss-ratio]=1e-5 [stdev]=1% [first-duration]=2s [duration-step]=1ms [max-time]=1h [measurer]='exec:echo "a: b" # c'
    [tx]=xsk [wait]=a=1,b=2,d=0.3,e=4 [effective-duration]=trial [address]=10.0.0.1/8,10.1.0.1/8 [gateway]=10.0.0.9,10.1.0.9
    [dst-mac]=02:00:00:00:00:01,02:00:00:00:00:02 [allow-unsafe]="it's mine: yes" [sut]=policer:rate=5kfps,burst=100us [name]=x1
    [require]='x>=5kfps' [repeat]=2 [tolerance]=2% [significance]=0.05 [report]=x.json [junit]=x.xml [metrics]=x.prom [format]=json [age-limit]=2h)
  local verb name
  for verb in search trial soak selftest 'lab up' 'lab down' compare; do
    local arguments=()
    for name in $(options_of "$verb"); do
      if "$XDP_MLR" $verb --help=all | grep -qE "^  (-., |    )--$name [^ ]"; then
        # an option that is new and not in the table above is left at its default, and must then have one
        [ -n "${value[$name]:-}" ] && [[ "$verb/$name" != @(trial|soak|selftest)/require ]] && arguments+=("--$name=${value[$name]}")
      elif [[ $verb/$name != @(trial/no-seq|trial/no-latency|search/ipdv|soak/ipdv|selftest/ipdv|selftest/no-seq) ]]; then # these exclude one another
        arguments+=("--$name")
      fi
    done
    [ "$verb" != compare ] || arguments+=(a b)
    "$XDP_MLR" $verb "${arguments[@]}" --dump-config >"$BATS_TEST_TMPDIR/c.yaml" || { echo "$verb ${arguments[*]}"; return 1; }
    local files=()
    [ "$verb" != compare ] || files=(a b)
    "$XDP_MLR" $verb "${files[@]}" --config "$BATS_TEST_TMPDIR/c.yaml" --dump-config | diff "$BATS_TEST_TMPDIR/c.yaml" -
    for argument in "${arguments[@]}"; do
      [[ $argument == --* ]] || continue
      name=${argument#--} name=${name%%=*}
      grep -q "^$name:" "$BATS_TEST_TMPDIR/c.yaml" || { echo "$verb: $name is not in the dump"; return 1; }
    done
  done
  # a value of each quality is there as it was given
  "$XDP_MLR" search --measurer 'exec:echo "a: b" # c' --max-load 5Gbps-l1 --dump-config | grep -qxF 'measurer: "exec:echo \"a: b\" # c"'
}

@test "a dump is refused as the run would be" {
  refuses 2 "--max-load is missing" "$XDP_MLR" search --measurer exec:cat --dump-config
  printf 'dump-config: true\n' >"$BATS_TEST_TMPDIR/c.yaml"
  refuses 2 "'dump-config' belongs on the command line only" "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/c.yaml"
}

@test "a result is a configuration, too: it gives the same run" {
  simulated --format json --goal name=x,loss=0.1% --goal name=y --min-load 20kfps --max-time 1h >"$BATS_TEST_TMPDIR/one.json"
  "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/one.json" --format json >"$BATS_TEST_TMPDIR/two.json"
  diff <(jq 'del(.environment)' "$BATS_TEST_TMPDIR/one.json") <(jq 'del(.environment)' "$BATS_TEST_TMPDIR/two.json")
  # a plan has one as well, and the command line wins here, too
  simulated --goal name=x --dry-run --format json >"$BATS_TEST_TMPDIR/plan.json"
  "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/plan.json" --max-load 5Mfps --format json |
    is '.controller_input.max_load == 5000000 and .search_result[0].goal.name == "x"'
  refuses 2 "one.json:[0-9]*: 'algorithm' is no option of trial" "$XDP_MLR" trial --config "$BATS_TEST_TMPDIR/one.json" ||
    refuses 2 "is no option of trial" "$XDP_MLR" trial --config "$BATS_TEST_TMPDIR/one.json"
}
