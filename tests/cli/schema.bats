#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Every output fits its published schema, and has nothing of which the schema says nothing. tests/net/schema.bats does the same
# for what needs ports.
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate
SCHEMAS=docs/schema
GOLDEN=tests/golden

fits() { # schema, document on standard input
  "$VALIDATE" --closed "$SCHEMAS/$1.schema.json" -
}

# A document that fits, changed by a jq filter, fits no longer: `unfit SCHEMA GOLDEN FILTER`
unfit() {
  run jq -c "$3" "$GOLDEN/$2"
  [ "$status" -eq 0 ]
  if fits "$1" <<<"$output"; then
    echo "fits $1 all the same: $3"
    return 1
  fi
}

@test "every object that the program fills has its members in the schema: only a Traffic Profile may be a measurer's own" {
  run jq -r 'paths(type == "object" and .additionalProperties == true) | join("/")' "$SCHEMAS"/*.schema.json
  echo "$output"
  [ "$output" = '$defs/traffic_profile' ]
}

@test "search: regular, irregular, one that ran out of time, every algorithm" {
  local algorithm
  for algorithm in mlr phased binary tst009; do
    simulated --algorithm $algorithm --goal loss=0.01,exceed=0.5,final=1,sum=2 --format json | fits search
  done
  run "$XDP_MLR" search --measurer sim:hard,capacity=1e9 --max-load 1Mfps --format json
  [ "$status" -eq 1 ]
  fits search <<<"$output"
  run simulated --max-time 20 --format json
  [ "$status" -eq 1 ]
  fits search <<<"$output"
}

@test "search over an external measurer, whose own fields pass through" {
  measured 'while read -r q; do echo "{\"trial_loss_ratio\": 0.2, \"temperature\": 41}"; done' --format json --max-time 30 >"$BATS_TEST_TMPDIR/r.json" || [ $? -eq 1 ]
  "$VALIDATE" "$SCHEMAS/search.schema.json" "$BATS_TEST_TMPDIR/r.json"
  jq 'del(.trials[].temperature)' "$BATS_TEST_TMPDIR/r.json" | fits search
}

@test "soak" {
  "$XDP_MLR" soak --measurer sim:stretch,capacity=1e6 --max-load 10Mfps --max-time 100 --format json | fits soak
  # one whose model does not fit
  { "$XDP_MLR" soak --measurer "$SIM" --max-load 10Mfps --max-time 100 --format json || [ $? -eq 1 ]; } | fits soak
}

@test "sweep" {
  "$XDP_MLR" sweep --measurer "$SIM" --loads 100kfps..2Mfps/9 --format json | fits sweep
}

@test "events: every line, of search and soak" {
  simulated --format jsonl | fits events
  "$XDP_MLR" soak --measurer sim:stretch,capacity=1e6 --max-load 10Mfps --max-time 50 --format jsonl | fits events
}

@test "golden results fit the schema of their version" {
  local file kind
  for file in "$GOLDEN"/*.json; do
    kind=$(basename "$file")
    kind=${kind%%-*}
    if [[ $file == *exec* ]]; then jq 'del(.trials[].temperature)' "$file"; else cat "$file"; fi | fits "$kind"
    [ "$("$JQ" -r '.schema' "$file")" = "xdp-mlr/$kind/1" ]
  done
  for file in "$GOLDEN"/events-*.jsonl; do fits events <"$file"; done
}

@test "the schemas refuse what breaks the contract" {
  unfit search search-1-sim.json 'del(.search_result[0].relevant_upper_bound)'
  unfit search search-1-sim.json '.search_result[1].regular = "yes"'
  unfit search search-1-sim.json '.trials[3].trial_loss_ratio = 1.01'
  unfit search search-1-sim.json '.trials[3].trial_loss_ratio = null'
  unfit search search-1-sim.json '.controller_input.goals[0].width = 0'
  unfit search search-1-sim.json '.load_scope = "total"'
  unfit search search-1-sim.json '.schema = "xdp-mlr/search/2"'
  unfit search search-1-sim.json '.trials[0].unheard_of = 1'
  unfit search search-1-sim.json '.unheard_of = 1'
  unfit search search-1-xdp.json '.trials[0].latency.p99_ns = "12"'
  unfit search search-1-xdp.json '.trials[0].counts.sent = 1.5'
  unfit search search-1-xdp.json '.configuration.ports = 7'
  unfit trial trial-1-xdp.json 'del(.trial_result.counts.lost)'
  unfit trial trial-1-xdp.json '.ports[0].transmits = 1'
  unfit soak soak-1-sim.json '.critical_load.stdev = -1'
  unfit soak soak-1-sim.json '.estimates[0].fitting = "tanh"'
}

@test "a reader of the schema accepts what a later version adds" {
  jq '.later = 1 | .trials[0].later = {}' "$GOLDEN/search-1-sim.json" | "$VALIDATE" "$SCHEMAS/search.schema.json" -
}

@test "the validator finds a schema's own faults" {
  echo '{"properties": {"a": {"minimun": 1}}}' >"$BATS_TEST_TMPDIR/s.schema.json"
  run --separate-stderr "$VALIDATE" "$BATS_TEST_TMPDIR/s.schema.json" - <<<'{"a": 1}'
  [ "$status" -eq 2 ]
  [[ $stderr == *"no keyword 'minimun'"* ]]
  echo '{"$ref": "#/$defs/none"}' >"$BATS_TEST_TMPDIR/s.schema.json"
  run --separate-stderr "$VALIDATE" "$BATS_TEST_TMPDIR/s.schema.json" - <<<'{}'
  [ "$status" -eq 2 ]
  [[ $stderr == *"leads nowhere"* ]]
  run --separate-stderr "$VALIDATE" "$SCHEMAS/lab.schema.json" - <<<'{"ports": '
  [ "$status" -eq 2 ]
}

@test "every schema and every reference in it can be read" {
  local file
  for file in "$SCHEMAS"/*.schema.json; do
    "$JQ" -e '.["$schema"] == "https://json-schema.org/draft/2020-12/schema" and (.title | length > 0) and (.description | length > 0)' "$file"
    jq -r '.. | objects | .["$ref"] // empty' "$file" | sort -u | while IFS='#' read -r other pointer; do
      "$JQ" -e --arg p "$pointer" 'getpath($p | split("/")[1:]) | type == "object"' "${other:+$SCHEMAS/}${other:-$file}"
    done
  done >/dev/null
}

@test "repeated searches, and requirements met and not met" {
  run simulated --repeat 3 --require 'ndr>=2Mfps' --require 'pdr>=1kfps' --format json
  [ "$status" -eq 1 ]
  fits search <<<"$output"
}

@test "comparisons: of single searches, of repeats, of soaks; and what none is" {
  local rate
  for rate in 1e6 0.9e6; do
    "$XDP_MLR" search --measurer sim:jitter,capacity=$rate,sigma=0.01,seed=1 --max-load 10Mfps --repeat 3 --format json >"$BATS_TEST_TMPDIR/$rate.json"
    "$XDP_MLR" soak --measurer sim:hard,capacity=$rate --max-load 2Mfps --max-time 60 --format json >"$BATS_TEST_TMPDIR/soak-$rate.json"
    "$XDP_MLR" search --measurer sim:hard,capacity=$rate --max-load 10Mfps --format json >"$BATS_TEST_TMPDIR/one-$rate.json"
  done
  fits search <"$BATS_TEST_TMPDIR/1e6.json"
  for kind in "" one- soak-; do
    run --separate-stderr "$XDP_MLR" compare "$BATS_TEST_TMPDIR/${kind}1e6.json" "$BATS_TEST_TMPDIR/${kind}0.9e6.json" --format json
    [ "$status" -eq "$([ "$kind" = one- ] && echo 2 || echo 1)" ] # single searches do not show so small a fall
    fits compare <<<"$output"
    if fits compare < <(jq '.verdict = "maybe"' <<<"$output"); then return 1; fi
    if fits compare < <(jq 'del(.goals[0].evidence)' <<<"$output"); then return 1; fi
    if fits compare < <(jq '.goals[0].a.unheard_of = 1' <<<"$output"); then return 1; fi
  done
}

@test "plans of every verb that has one" {
  simulated --dry-run --format json | fits plan
  "$XDP_MLR" soak --measurer "$SIM" --max-load 10Mfps --dry-run --format json | fits plan
  simulated --dry-run --format json | jq '.estimate.duration = "soon"' | { ! fits plan; }
  simulated --dry-run --format json | jq '.unheard_of = 1' | { ! fits plan; }
}

@test "probe" {
  run --separate-stderr "$XDP_MLR" probe --format json
  fits probe <<<"$output"
}
