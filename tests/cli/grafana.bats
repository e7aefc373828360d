#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The dashboard in docs asks for what --metrics writes, and is what Grafana imports, as far as can be told without one.
load helper

DASHBOARD=docs/grafana.json

# The names in the queries of a dashboard, in docs/guide/reports-and-ci.md's alerts
asked() { # FILE...
  grep -oh 'xdp_mlr_[a-z_]*' "$@" | sort -u | grep -vx 'xdp_mlr_appliance_'
}

# The names that --metrics writes, over all kinds of runs
written() {
  simulated --metrics "$BATS_TEST_TMPDIR/search.prom" >/dev/null
  "$XDP_MLR" soak --measurer sim:stretch,capacity=1e6 --max-load 10Mfps --max-time 50 --metrics "$BATS_TEST_TMPDIR/soak.prom" >/dev/null
  # what is known only while it runs
  sed -n 's/.*put_gauge(stream, "\([a-z_]*\)".*/xdp_mlr_\1/p' user/progress/metrics.c
  sed -n 's/^\(xdp_mlr_[a-z_]*\).*/\1/p' "$BATS_TEST_TMPDIR"/*.prom
}

@test "every query of the dashboard, and of the alerts, names a metric that there is" {
  written | sort -u >"$BATS_TEST_TMPDIR/written"
  [ "$(asked "$DASHBOARD" | wc -l)" -ge 12 ]
  run comm -13 "$BATS_TEST_TMPDIR/written" <(asked "$DASHBOARD" docs/guide/reports-and-ci.md)
  [ -z "$output" ] || { echo "nothing writes: $output"; return 1; }
}

@test "a label that a query or legend names is one that there is" {
  simulated --metrics "$BATS_TEST_TMPDIR/m.prom" >/dev/null
  { echo instance; grep -oh '[{,][a-z]*=' "$BATS_TEST_TMPDIR/m.prom" | tr -d '{,='; } | sort -u >"$BATS_TEST_TMPDIR/labels"
  run comm -13 "$BATS_TEST_TMPDIR/labels" <(jq -r '.. | .legendFormat? // empty' "$DASHBOARD" | grep -o '{{[a-z]*}}' | tr -d '{}' | sort -u)
  [ -z "$output" ] || { echo "no such label: $output"; return 1; }
}

@test "it is a dashboard: panels with numbers of their own that do not overlap, within 24 columns" {
  "$JQ" -e '(.title | length > 0) and (.uid | length > 0) and .schemaVersion >= 39 and (.panels | length) >= 10' "$DASHBOARD"
  "$JQ" -e '[.panels[].id] | length == (unique | length)' "$DASHBOARD"
  "$JQ" -e '[.panels[].gridPos | .x >= 0 and .x + .w <= 24 and .h > 0] | all' "$DASHBOARD"
  "$JQ" -e '[.panels[].gridPos | . as $g | range($g.x; $g.x + $g.w) as $x | range($g.y; $g.y + $g.h) as $y | [$x, $y]] | length == (unique | length)' "$DASHBOARD"
  "$JQ" -e '[.panels[] | (.targets | length > 0) and ([.targets[].refId] | length == (unique | length)) and (.title | length > 0)] | all' "$DASHBOARD"
  # whose data source it is, is asked
  "$JQ" -e '[.. | objects | select(.type? == "prometheus") | .uid == "${datasource}"] | all and length > 10' "$DASHBOARD"
  "$JQ" -e '.templating.list | map(.name) == ["datasource", "instance"]' "$DASHBOARD"
} >/dev/null

@test "every query is PromQL, and so are the alerts" {
  command -v promtool >/dev/null || skip "promtool(1) is not here (Debian: prometheus)"
  {
    printf 'groups:\n- name: dashboard\n  rules:\n'
    jq -r '.. | .expr? // empty' "$DASHBOARD" | sed 's/\$instance/.*/g' | jq -R '"  - record: query\n    expr: \(tojson)"' -r
    sed -n '/^- alert:/,/^```/p' docs/guide/reports-and-ci.md | sed '/^```/d; s/^/  /'
  } >"$BATS_TEST_TMPDIR/rules.yml"
  run promtool check rules "$BATS_TEST_TMPDIR/rules.yml"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output =~ ([0-9]+)" rules found" ]] && [ "${BASH_REMATCH[1]}" -ge 14 ]
  sed -i 's/expr: "/&(/' "$BATS_TEST_TMPDIR/rules.yml" # and one that is none, is seen
  run promtool check rules "$BATS_TEST_TMPDIR/rules.yml"
  [ "$status" -ne 0 ]
}
