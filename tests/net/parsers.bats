#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Whatever verb runs, each JSON, YAML, key, picture or text that others may have written is parsed by a process that is nobody's, without a
# capability: tests/preload/parsers.c notes every call of a parser, in all processes of a run.
load helper

setup_file() {
  [ "$(id -u)" -eq 0 ] || skip "only root has what is given up"
  if nm -D "${BUILD:-build}/xdp-mlr" | grep -q asan; then skip "a sanitizer stands before what notes the calls"; fi
}

# Run the program, or another one, with all of its calls noted. Its exit code must be one of those.
noted() { # CODES PROGRAM ARGUMENT...
  local codes=$1
  shift
  noting "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
  [[ " $codes " == *" ${status:-0} "* ]] || { echo "$*: exit ${status:-0}"; cat "$BATS_TEST_TMPDIR/err"; return 1; }
  status=
}

noting() { # PROGRAM ARGUMENT...
  truncate -s 0 "$BATS_TEST_TMPDIR/notes"
  truncate -s 1M "$BATS_TEST_TMPDIR/notes"
  PARSERS_LOG=$BATS_TEST_TMPDIR/notes LD_PRELOAD=${BUILD:-build}/tests/preload/parsers.so "$@"
}

notes() {
  tail -c +5 "$BATS_TEST_TMPDIR/notes" | tr -d '\0'
}

# Nothing was parsed by a process with privileges, but what root itself keeps: the state of ports and labs, and self-tests; and digits are
# no text of others. So many calls at least were nobody's.
nobody_parsed() { # CALLS
  local by_root
  by_root=$(notes | grep '^root' | grep -vE "^root json_load(_file|fd) (/run/xdp-mlr/|$BATS_TEST_TMPDIR/state/)|\"cookie\": |^root json_stringn [0-9a-f]+$") || true
  [ -z "$by_root" ] || { echo "$by_root"; return 1; }
  [ "$(notes | grep -c '^nobody')" -ge "$1" ] || { echo "too few calls, or not noted:"; notes; return 1; }
}

@test "the notes see a parser with privileges" {
  lab_up wire
  noted "0" "$MLR" lab status --name "$LAB"
  notes | grep -q "^root json_load_file /run/xdp-mlr/lab-$LAB.json"
  nobody_parsed 0
}

@test "what is measured without ports: configurations, stored searches, answers" {
  local config=$BATS_TEST_TMPDIR/c.yaml result=$BATS_TEST_TMPDIR/r.json goal=name=ndr,final=0.1,sum=0.1 verb
  printf 'max-load: 1Mfps\nmeasurer: sim:hard,capacity=5e5\ngoal: %s\n' "$goal" >"$config"
  noted "0" "$MLR" search --config "$config" --report "$result"
  nobody_parsed 1
  "$MLR" search --config "$config" --format jsonl >"$BATS_TEST_TMPDIR/r.jsonl"
  for verb in "--replay $result" "--replay $BATS_TEST_TMPDIR/r.jsonl" "--resume $result"; do
    noted "0 1" "$MLR" search $verb
    nobody_parsed 1
  done
  noted "0 1" "$MLR" search --measurer "exec:while read -r q; do echo '{\"trial_loss_ratio\": 0}'; done" --max-load 1Mfps --goal "$goal" --repeat 2
  nobody_parsed 2
  echo 'measurer: sim:hard,capacity=5e5' >"$config"
  noted "0 1" "$MLR" sweep --config "$config" --loads 100kfps,900kfps
  nobody_parsed 1
  noted "0 1" "$MLR" soak --config "$config" --max-load 1Mfps --max-time 20
  nobody_parsed 1
  noted "0" "$MLR" profile show --config <(echo 'frame-size: 64')
  nobody_parsed 1
}

@test "what goes into a report: keys, a logo, configurations of the SUT" {
  local key=$BATS_TEST_TMPDIR/key.pem public=$BATS_TEST_TMPDIR/public.pem result=$BATS_TEST_TMPDIR/r.json
  local logo=$BATS_TEST_TMPDIR/logo.svg command="printf 'b\\377'"
  openssl genpkey -algorithm ed25519 -out "$key" 2>/dev/null && openssl pkey -in "$key" -pubout -out "$public" || skip "openssl makes no key"
  echo '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>' >"$logo"
  printf 'a\377' >"$BATS_TEST_TMPDIR/sut"
  noted "0 1" "$MLR" sweep --measurer "exec:while read -r q; do echo '{\"trial_loss_ratio\": 0}'; done" --loads 1000 --sign "$key" \
    --report "$result" --certificate "$BATS_TEST_TMPDIR/c.html" --logo "$logo" --sut-config "$BATS_TEST_TMPDIR/sut" --sut-config-command "$command"
  nobody_parsed 5
  notes | grep -c '^nobody gnutls_privkey_import' | grep -qx 2
  notes | grep -q '^nobody strcasestr <svg'
  notes | grep -q '^nobody json_stringn a'
  notes | grep -q '^nobody json_stringn b'
  [ "$(jq -r '.sut.configuration[].text' "$result" | xargs)" = $'a\ufffd b\ufffd' ]
  noted "0" "$MLR" verify --trust "$public" "$result"
  nobody_parsed 2
  notes | grep -q '^nobody gnutls_pubkey_import'
}

@test "what is read of results: report, compare, verify, and what answers vectors" {
  local golden=tests/golden/search-1-xdp.json
  noted "0" "$MLR" report "$golden"
  nobody_parsed 1
  noted "0 1" "$MLR" report tests/golden
  nobody_parsed 10
  noted "0 1" "$MLR" compare "$golden" "$golden"
  nobody_parsed 2
  noted "0" "$MLR" verify tests/golden/{search,trial,rfc2544}-1-xdp.json
  nobody_parsed 3
  noted "0" "$MLR" verify --vectors "$MLR verify --answer -" tests/vectors/shapes.json
  nobody_parsed 3
}

@test "a campaign: its file, its journal, and the results of its points" {
  local verb
  cat >"$BATS_TEST_TMPDIR/c.yaml" <<'END'
campaign:
  matrix: {frame-size: [64, 128]}
measurer: sim:hard,capacity=1e6
max-load: 10Mfps
goal: name=ndr,final=1,sum=3
END
  for verb in run status report run; do
    noted "0" "$MLR" campaign "$verb" "$BATS_TEST_TMPDIR/c.yaml"
    nobody_parsed 3
  done
  noted "0 2 3" "$MLR" campaign submit "$BATS_TEST_TMPDIR/c.yaml" --dry-run
  nobody_parsed 1
}

@test "over ports: trials, searches, sweeps, soaks, suites and connect, with a source" {
  local verb
  lab_up wire
  echo '# a comment is a document, too' >"$BATS_TEST_TMPDIR/c.yaml"
  for verb in "trial --load 1000 --duration 0.2 --tx xsk" "trial --load 1000 --duration 0.2 --tx live" \
    "search --max-load 10kfps --goal name=g,final=0.1,sum=0.1,width=50%" "search --max-load 10kfps --goal name=g,final=0.1,sum=0.1,width=50% --repeat 2" \
    "sweep --loads 1kfps,2kfps --duration 0.2" "soak --max-load 10kfps --max-time 1" \
    "rfc2544 --tests throughput --frame-size 64 --max-load 10kfps --fast --trial-duration 0.1" \
    "rfc2544 --tests reset --reset-command true --reset-duration 1 --frame-size 64 --max-load 10kfps --fast --trial-duration 0.1" \
    "y1564 --service cir=10kfps --frame-size 64 --duration 0.5 --cir-steps 100% --step-duration 0.1" "connect --duration 0.5" "selftest --frame-size 64 --duration 0.1"; do
    noted "0 1 5" "$MLR" $verb -p "$A,$B" --config "$BATS_TEST_TMPDIR/c.yaml"
    nobody_parsed 1
    # ARP between the ports, and the copies of it that the tester listens to
    notes | grep -q '^nobody read a frame'
    notes | grep -q '^nobody recvfrom a frame'
  done
  noted "0 1" "$MLR" trial -p "$A,$B" --load 1000 --duration 1 --observe own=local:
  nobody_parsed 1
  noted "0 1" "$MLR" trial -p "$A,$B" --load 1000 --duration 0.3 --observe "own=exec:while read -r _; do echo '{\"a\": 1}'; done"
  notes | grep -q '^nobody json_loadb {"a": 1}'
  nobody_parsed 1
  noted "0" "$MLR" probe -p "$A,$B"
  nobody_parsed 0
  noted "0" "$MLR" clean
  nobody_parsed 0
}
