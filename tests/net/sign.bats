#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The suites' results are signed as a search's: whoever changes them is found out.
bats_require_minimum_version 1.5.0
load suite

FINGERPRINT=ad67ee3d56838ab600fa26030385c565acd17875213bcd2c92ed2c6cef670caf

setup_file() {
  KEY=$BATS_FILE_TMPDIR/key
  export KEY
  cat >"$KEY" <<'PEM'
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIHA/I4e80g/cPeOclsmTf/n0N89945dFXwPsbRwwgmfG
-----END PRIVATE KEY-----
PEM
}

# The suite's document, and the same with a figure of one trial changed.
is_signed() { # VERB FORGERY OPTION...
  local result=$BATS_TEST_TMPDIR/$1.json
  "$MLR" "$1" -p "$A,$B" --sign "$KEY" --wait a=0,b=0,d=0.05,e=0 --format json "${@:3}" >"$result" || [ $? -eq 1 ]
  [ "$("$MLR" verify "$result")" = "$result: signed by $FINGERPRINT" ]
  "$MLR" report "$result" | grep -q "$FINGERPRINT"
  "$JQ" "$2" "$result" >"$BATS_TEST_TMPDIR/forged.json"
  run -1 "$MLR" verify "$BATS_TEST_TMPDIR/forged.json"
  [[ $output == *"/signature: it does not fit the document"* ]]
}

@test "the results of suites are signed" {
  lab_up wire
  is_signed rfc2544 '.frame_sizes[0].frame_loss.trials[0].pacing.gap_max_ns += 1' --fast --max-load 20kfps --frame-size 64 --tests frame-loss --trial-duration 0.1
  is_signed y1564 '.services[0].configuration.trials[0].pacing.gap_max_ns += 1' --service name=x,cir=5kfps --tests configuration --step-duration 0.2
}
