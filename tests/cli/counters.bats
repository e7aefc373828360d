#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# One line of include/mlr/counters.def makes a counter: what follows from the list in schema and documentation is of this list, and what it
# has for C is in results and figures.
load helper

# A tree with this change of the list, by sed.
changed() {
  tree=$BATS_TEST_TMPDIR/tree
  mkdir -p "$tree"/{tools,include/mlr,docs/schema,docs/internals}
  cp tools/counters "$tree/tools"
  cp docs/schema/common.schema.json "$tree/docs/schema"
  cp docs/internals/data-plane.md "$tree/docs/internals"
  sed "$1" include/mlr/counters.def >"$tree/include/mlr/counters.def"
}

names() {
  sed -nE 's/^(TX_COUNTER|VERDICT_COUNTER|RX_COUNTER|RX_DERIVED)\((\w+), "([^"]*)".*/\2/p' include/mlr/counters.def
}

@test "schema and documentation are of the list" {
  tools/counters check
  # in the order of the list, which is that of results
  diff <(names) <(jq -r '."$defs".counts.properties | keys_unsorted[]' docs/schema/common.schema.json)
}

@test "a counter more is missed in schema and documentation, and written there" {
  changed '/^RX_COUNTER(late,/a RX_COUNTER(strange, "strange", RX_OURS, ORDERED, "frames that are strange")'
  run "$tree/tools/counters" check
  [ "$status" -eq 1 ]
  [ "${lines[0]}" = "counters: docs/schema/common.schema.json is not of include/mlr/counters.def: tools/counters write" ]
  [ "${lines[1]}" = "counters: docs/internals/data-plane.md is not of include/mlr/counters.def: tools/counters write" ]
  "$tree/tools/counters" write
  "$tree/tools/counters" check
  is '[."$defs"[].properties.strange | select(.)]
    == [{type: ["integer", "null"], description: "frames that are strange; null: unknown"},
        {type: ["integer", "null"], minimum: 0, description: "frames that are strange"}]' <"$tree/docs/schema/common.schema.json"
  grep -A1 '^| `late` |' "$tree/docs/internals/data-plane.md" | grep -qF '| `strange` | frames that are strange |'
  # and nothing else is changed
  [ "$(diff docs/internals/data-plane.md "$tree/docs/internals/data-plane.md" | grep -c '^[<>]')" -eq 1 ]
}

@test "a line that cannot be read is no counter that is silently left out" {
  changed 's/^RX_COUNTER(late, /RX_COUNTER(late,\n  /'
  run "$tree/tools/counters" check
  [ "$status" -eq 1 ]
  [[ $output == "counters: include/mlr/counters.def has a line that cannot be read: "* ]]
}

@test "every counter is a figure of --require; its name there has '-' for '_'" {
  local name
  for name in $(names); do
    grep -qF "($name, \"${name//_/-}\"" include/mlr/counters.def
    # it is known, and so the next thing is missing: the port
    refuses 2 "there is no port 'none-a' here" "$XDP_MLR" trial -p none-a,none-b --load 1kfps --require "${name//_/-}>=0"
  done
}
