#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that the drafts require of a Test Report is in ours: docs/clauses.tsv against the draft and against results.
load helper

DRAFT=${DRAFT:-} # a file with the text of draft-ietf-bmwg-mlrsearch-15

# A run of xdp-mlr with its report: `reported COMMAND...`, then result.json and result.html are there.
reported() {
  "$@" --format json --report "$BATS_TEST_TMPDIR/result.html" >"$BATS_TEST_TMPDIR/result.json" || [ $? -eq 1 ]
}

answered() {
  tools/check-clauses result "$BATS_TEST_TMPDIR/result.json" "$BATS_TEST_TMPDIR/result.html"
}

status_of() { # clause
  jq -r --arg c "$1" '.checklist[] | select(.clause == $c) | .status' "$BATS_TEST_TMPDIR/result.json"
}

@test "the table has every sentence of the draft about the Test Report" {
  [ -r "$DRAFT" ] || skip "the text of draft-ietf-bmwg-mlrsearch-15 is not in this repository: DRAFT=FILE names it"
  tools/check-clauses draft "$DRAFT"
}

@test "a sentence that the table lacks is found, and a quotation that the draft lacks" {
  cat >"$BATS_TEST_TMPDIR/draft.txt" <<'TEXT'
   The test report MUST say what the weather was.  The value MUST be
   positive.  Of course it is REQUIRED for the test report to state
   all the units.
TEXT
  run tools/check-clauses draft "$BATS_TEST_TMPDIR/draft.txt"
  [ "$status" -eq 1 ]
  [[ $output == *"the table lacks: The test report MUST say what the weather was."* ]]
  [[ $output != *"must be positive"* ]]
  [[ $output != *"lacks: Of course"* ]]
  [[ $output == *"clause 4.6.5: the draft does not say: "* ]]
}

@test "each clause is answered in a search, regular and irregular" {
  reported simulated
  answered
  [ "$(status_of 4.8.4.2-marked)" = 'not applicable' ]
  [ "$(status_of 3)" = met ]
  reported simulated --max-time 30
  answered
  [ "$(status_of 4.8.4.2-marked)" = met ]
}

@test "each clause is answered in a soak" {
  reported "$XDP_MLR" soak --measurer "$SIM" --max-load 10Mfps --max-time 60
  answered
}

@test "an answer that is taken away is missed" {
  reported simulated
  jq 'del(.units)' "$BATS_TEST_TMPDIR/result.json" >"$BATS_TEST_TMPDIR/r2" && mv "$BATS_TEST_TMPDIR/r2" "$BATS_TEST_TMPDIR/result.json"
  run answered
  [ "$status" -eq 1 ]
  [[ $output == *"clause 4.3 of "*" is called met, but there is none of: /units"* ]]
  reported simulated
  sed -i 's/ id="definitions"//' "$BATS_TEST_TMPDIR/result.html"
  run answered
  [[ $output == *"clause 4.6.5 of "*" there is no #definitions"* ]]
}

@test "what is missing is called missing: the SUT's configuration over an external measurer" {
  local answer='while read -r q; do echo "{\"trial_loss_ratio\": 0}"; done'
  reported measured "$answer"
  answered
  [ "$(status_of 4.9.3-sut)" = missing ]
  [ "$(status_of 3)" = missing ]
  [ "$(status_of 4.4.3)" = missing ]
  [ "$(status_of 26.1-size)" = missing ]
  # and so it is in a replay, which says of its trials what the stored search does
  cp "$BATS_TEST_TMPDIR/result.json" "$BATS_TEST_TMPDIR/stored.json"
  reported "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/stored.json"
  [ "$(status_of 4.4.3)" = missing ]
  [ "$(jq -c '[.deviations, .definitions]' "$BATS_TEST_TMPDIR/result.json")" = \
    "$(jq -c '[.deviations, .definitions]' "$BATS_TEST_TMPDIR/stored.json")" ]
  echo 'interface eth0' >"$BATS_TEST_TMPDIR/sut.conf"
  reported measured "$answer" --sut-config "$BATS_TEST_TMPDIR/sut.conf" --sut-config-command 'echo a; echo b' --sut-change 'MTU 9000' \
    --sut-name 'Router 7'
  answered
  [ "$(status_of 4.9.3-sut)" = met ]
  is '.sut | .name == "Router 7" and .changes == ["MTU 9000"] and .notes == [] and ([.configuration[].text] == ["interface eth0\n", "a\nb\n"])
    and ([.configuration[].kind] == ["file", "command"])' <"$BATS_TEST_TMPDIR/result.json"
  grep -q '<code>interface eth0' "$BATS_TEST_TMPDIR/result.html"
  grep -q '<dd>Router 7</dd>' "$BATS_TEST_TMPDIR/result.html"
}

@test "a SUT's configuration that is empty is none" {
  printf '\n \n' >"$BATS_TEST_TMPDIR/empty.conf"
  reported measured "while read -r q; do echo '{\"trial_loss_ratio\": 0.001}'; done" --sut-config "$BATS_TEST_TMPDIR/empty.conf"
  [ "$(status_of 4.9.3-sut)" = missing ]
  reported measured "while read -r q; do echo '{\"trial_loss_ratio\": 0.001}'; done" --sut-config "$BATS_TEST_TMPDIR/empty.conf" \
    --sut-config-command 'echo mtu 9000'
  [ "$(status_of 4.9.3-sut)" = met ]
}

@test "a description of the SUT that cannot be had is refused before anything is measured" {
  local started="touch $BATS_TEST_TMPDIR/started"
  refuses 2 "--sut-config '/does/not/exist': No such file" measured "$started" --sut-config /does/not/exist
  refuses 2 "--sut-config-command 'exit 3': it exited with status 3" measured "$started" --sut-config-command 'exit 3'
  [ ! -e "$BATS_TEST_TMPDIR/started" ]
}

@test "a SUT's configuration that is no text is kept as far as it is one" {
  printf 'a\377b\303' >"$BATS_TEST_TMPDIR/odd.conf"
  reported simulated --sut-config "$BATS_TEST_TMPDIR/odd.conf"
  is '.sut.configuration[0].text == "a\ufffdb\ufffd"' <"$BATS_TEST_TMPDIR/result.json"
  head -c 300000 /dev/zero | tr '\0' x >"$BATS_TEST_TMPDIR/long.conf"
  run --separate-stderr simulated --sut-config "$BATS_TEST_TMPDIR/long.conf" --format json
  [ "$status" -eq 0 ]
  [[ $stderr == *"only the first 262144 octets are kept"* ]]
  is '.sut.configuration[0] | .truncated and (.text | length) == 262144' <<<"$output"
  # what was warned of stands in the result, too
  is '.warnings | map(select(test("long.conf.: only the first 262144 octets are kept"))) | length == 1' <<<"$output"
}
