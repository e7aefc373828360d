#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Signed results: who signed, whether the document and its events are whole, and what a forger may try.
bats_require_minimum_version 1.5.0
load helper

# Two keys of the tests, made by `openssl genpkey -algorithm ed25519`.
setup() {
  KEY=$BATS_TEST_TMPDIR/key OTHER=$BATS_TEST_TMPDIR/other
  cat >"$KEY" <<'PEM'
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIHA/I4e80g/cPeOclsmTf/n0N89945dFXwPsbRwwgmfG
-----END PRIVATE KEY-----
PEM
  cat >"$KEY.pub" <<'PEM'
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAMDft/kTTGd/UNQrDzhCeHj+IntpbdUQy3tSriU/dI2k=
-----END PUBLIC KEY-----
PEM
  cat >"$OTHER" <<'PEM'
-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIL+joMrsglFMnO9uLQjSTXQNLzBoWs9ct83Sf+tOHY13
-----END PRIVATE KEY-----
PEM
  cat >"$OTHER.pub" <<'PEM'
-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEAiuLxygadP4zLL/zq5t5bQRxt2E/1BB38JoT2bs5HmT0=
-----END PUBLIC KEY-----
PEM
  RESULT=$BATS_TEST_TMPDIR/result.json
}

sign_search_as() { # FORMAT
  "$XDP_MLR" search --measurer sim:jitter,capacity=1e6,seed=3 --max-load 10Mfps --goal final=1,sum=1 --sign "$KEY" --format "$1"
}

sign_search() {
  sign_search_as json
}

changed() { # JQ-EXPRESSION
  "$JQ" "$1" "$RESULT" >"$BATS_TEST_TMPDIR/changed.json"
}

verify() { # FILE [OPTION...]
  run --separate-stderr "$XDP_MLR" verify "$@"
}

FINGERPRINT=ad67ee3d56838ab600fa26030385c565acd17875213bcd2c92ed2c6cef670caf

@test "verify says who signed, and that the document is whole, however it is laid out" {
  sign_search >"$RESULT"
  verify "$RESULT"
  [ "$status" -eq 0 ]
  [ "$output" = "$RESULT: signed by $FINGERPRINT" ]
  changed 'to_entries | reverse | from_entries'
  verify "$BATS_TEST_TMPDIR/changed.json" --trust "$KEY.pub"
  [ "$status" -eq 0 ]
  [[ $output == *"signed by $FINGERPRINT, which is trusted" ]]
}

@test "a result that was changed is told by verify, and refused by all that read it" {
  sign_search >"$RESULT"
  changed '.notes = ["measured on Sunday"]'
  verify "$BATS_TEST_TMPDIR/changed.json"
  [ "$status" -eq 1 ]
  [[ $output == *"/signature: it does not fit the document"* ]]
  run "$XDP_MLR" report "$BATS_TEST_TMPDIR/changed.json"
  [ "$status" -eq 2 ]
  [[ $output == *"/signature: it does not fit the document"* ]]
  run "$XDP_MLR" compare "$BATS_TEST_TMPDIR/changed.json" "$RESULT"
  [ "$status" -eq 2 ]
  run "$XDP_MLR" search --replay "$BATS_TEST_TMPDIR/changed.json"
  [ "$status" -eq 2 ]
}

@test "a signature that was forged does not hold" {
  sign_search >"$RESULT"
  local change
  for change in '.signature.value |= "00" + .[2:]' '.signature.value = ""' '.signature.fingerprint |= "00" + .[2:]' \
    '.signature.algorithm = "none"' '.signature.public_key = "302a"' '.signature.events = {count: 0, sha256: ""}'; do
    changed "$change"
    verify "$BATS_TEST_TMPDIR/changed.json"
    [ "$status" -eq 1 ]
    [[ $output == *"/signature: it"* ]]
  done
  # the key of another in place of the signer's
  "$XDP_MLR" search --measurer sim:hard --max-load 10Mfps --sign "$OTHER" --format json >"$BATS_TEST_TMPDIR/others.json"
  "$JQ" -s '.[0] + {signature: (.[0].signature + (.[1].signature | {public_key, fingerprint}))}' "$RESULT" "$BATS_TEST_TMPDIR/others.json" \
    >"$BATS_TEST_TMPDIR/changed.json"
  verify "$BATS_TEST_TMPDIR/changed.json"
  [ "$status" -eq 1 ]
  [[ $output == *"does not fit"* ]]
}

@test "with --trust a document must be signed, and by one of those keys" {
  sign_search >"$RESULT"
  verify "$RESULT" --trust "$OTHER.pub"
  [ "$status" -eq 1 ]
  [[ $output == *"--trust does not have the key of its signer"* ]]
  cat "$OTHER.pub" "$KEY.pub" >"$BATS_TEST_TMPDIR/both"
  verify "$RESULT" --trust "$BATS_TEST_TMPDIR/both"
  [ "$status" -eq 0 ]
  changed 'del(.signature)'
  verify "$BATS_TEST_TMPDIR/changed.json" --trust "$KEY.pub"
  [ "$status" -eq 1 ]
  [[ $output == *"it is not signed"* ]]
  verify "$BATS_TEST_TMPDIR/changed.json"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
}

@test "the events before the document are signed with it" {
  RESULT=$BATS_TEST_TMPDIR/result.jsonl
  sign_search_as jsonl >"$RESULT"
  verify "$RESULT"
  [ "$status" -eq 0 ]
  sed 3d "$RESULT" >"$BATS_TEST_TMPDIR/cut.jsonl"
  verify "$BATS_TEST_TMPDIR/cut.jsonl"
  [ "$status" -eq 1 ]
  [[ $output == *"/signature/events: "*"are not those that were signed"* ]]
  # another event, in forms that no line is: over two lines, two on one, before the document on its line; or none
  { echo '{"event": "trial_finished",'; echo '"trial_result": {}}'; cat "$RESULT"; } >"$BATS_TEST_TMPDIR/two_lines.jsonl"
  { echo '{"event": "x"} {"event": "y"}'; cat "$RESULT"; } >"$BATS_TEST_TMPDIR/one_line.jsonl"
  { head -n -1 "$RESULT"; echo -n '{"event": "x"}'; tail -n 1 "$RESULT"; } >"$BATS_TEST_TMPDIR/same_line.jsonl"
  { head -n 1 "$RESULT"; echo '{"event": 1}'; tail -n +2 "$RESULT"; } >"$BATS_TEST_TMPDIR/no_text.jsonl"
  for forged in two_lines one_line same_line no_text; do
    verify "$BATS_TEST_TMPDIR/$forged.jsonl"
    [ "$status" -eq 1 ]
    [[ $output == *"/signature/events: "*"are not those that were signed"* ]]
  done
  # something behind the document, and a member that stands twice
  { cat "$RESULT"; "$JQ" -c '.search_result[0].relevant_lower_bound = 9e9 | del(.signature)' <(tail -n 1 "$RESULT"); } >"$BATS_TEST_TMPDIR/behind.jsonl"
  { cat "$RESULT"; echo garbage; } >"$BATS_TEST_TMPDIR/garbage.jsonl"
  for forged in behind garbage; do
    verify "$BATS_TEST_TMPDIR/$forged.jsonl"
    [ "$status" -eq 2 ]
    [[ $stderr == *"something stands behind the result"* ]]
  done
  tail -n 1 "$RESULT" | sed 's/^{/{"search_result": [], /' >"$BATS_TEST_TMPDIR/twice.json"
  verify "$BATS_TEST_TMPDIR/twice.json"
  [ "$status" -eq 2 ]
  # the document alone is whole
  tail -n 1 "$RESULT" >"$BATS_TEST_TMPDIR/alone.json"
  verify "$BATS_TEST_TMPDIR/alone.json"
  [ "$status" -eq 0 ]
}

@test "OpenSSL finds the same signature right, over the canonical form as the page about schemas has it" {
  command -v openssl >/dev/null || skip "openssl(1) is not here"
  command -v python3 >/dev/null || skip "python3 is not here"
  sign_search >"$RESULT"
  python3 - "$RESULT" "$BATS_TEST_TMPDIR" <<'PYTHON'
import json
import sys


def number(value):  # of ECMAScript, for those that a result of this search has
    if isinstance(value, int) or value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    mantissa, _, exponent = repr(value).partition("e")
    if exponent and int(exponent) < -6:
        return "%se%d" % (mantissa, int(exponent))
    return format(value, "f").rstrip("0") if exponent else mantissa


def text(value):
    if isinstance(value, dict):
        return "{%s}" % ",".join(text(name) + ":" + text(value[name]) for name in sorted(value))
    if isinstance(value, list):
        return "[%s]" % ",".join(map(text, value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


document = json.load(open(sys.argv[1]))
signature = bytes.fromhex(document["signature"].pop("value"))
open(sys.argv[2] + "/value", "wb").write(signature)
open(sys.argv[2] + "/text", "wb").write(b"xdp-mlr result 1\n" + text(document).encode())
PYTHON
  openssl pkeyutl -verify -pubin -inkey "$KEY.pub" -rawin -in "$BATS_TEST_TMPDIR/text" -sigfile "$BATS_TEST_TMPDIR/value"
}

@test "a key that is none is refused before anything is measured" {
  echo nothing >"$BATS_TEST_TMPDIR/none"
  KEY=$BATS_TEST_TMPDIR/none run --separate-stderr sign_search
  [ "$status" -eq 2 ]
  [[ $stderr == *"has no private key of Ed25519"* ]]
  KEY=/does/not/exist run --separate-stderr sign_search
  [ "$status" -eq 2 ]
  [[ $stderr == *"cannot read /does/not/exist"* ]]
  sign_search >"$RESULT"
  verify "$RESULT" --trust "$BATS_TEST_TMPDIR/none"
  [ "$status" -eq 2 ]
  [[ $stderr == *"is no list of public keys"* ]]
}

@test "a result without --sign has no signature" {
  run --separate-stderr "$XDP_MLR" search --measurer sim:hard --max-load 10Mfps --format json
  is 'has("signature") | not' <<<"$output"
}

@test "a soak is signed, and its page says by whom" {
  "$XDP_MLR" soak --measurer sim:stretch,capacity=1e6,spread=1000 --max-load 10Mfps --max-time 60 --sign "$KEY" --format json >"$RESULT"
  verify "$RESULT"
  [ "$status" -eq 0 ]
  [ "$output" = "$RESULT: signed by $FINGERPRINT" ]
  "$XDP_MLR" report "$RESULT" --report "$BATS_TEST_TMPDIR/page.html"
  grep -qE "<dd>.*$FINGERPRINT" "$BATS_TEST_TMPDIR/page.html"
  changed '.critical_load.mean *= 1.0000001'
  verify "$BATS_TEST_TMPDIR/changed.json"
  [ "$status" -eq 1 ]
  [[ $output == *"/signature: it does not fit the document"* ]]
}

@test "the points of a campaign are signed, and one that was changed is no result of it" {
  local program=$PWD/$XDP_MLR point
  cd "$BATS_TEST_TMPDIR"
  cat >c.yaml <<END
campaign: {results: out/, matrix: {frame-size: [64, 128]}}
measurer: sim:hard,capacity=1e6
max-load: 10Mfps
goal: name=ndr,final=1,sum=3
sign: $KEY
END
  "$program" campaign run c.yaml --quiet
  for point in out/points/*.json; do
    [ "$("$program" verify "$point" --trust "$KEY.pub")" = "$point: signed by $FINGERPRINT, which is trusted" ]
  done
  # in a part that the campaign itself does not read
  "$JQ" '.definitions.late += "."' "$point" >changed
  mv changed "$point"
  run --separate-stderr "$program" campaign report c.yaml
  [[ $stderr == *"contradicts itself: /signature: it does not fit the document"* ]]
}
