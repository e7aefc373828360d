#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The self-test: what it finds, that it is kept, and what later runs make of it.
bats_require_minimum_version 1.5.0
load helper

goal=name=ndr,loss=0,final=0.1,sum=0.2,width=2%

store_file() {
  echo "$XDP_MLR_STATE_DIRECTORY/selftest/$A+$B.json"
}

# One lab's name for all tests, and a self-test of it that each may start from.
setup_file() {
  export FILE_LAB=s$((BASHPID % 100000))
  names_of_lab "$FILE_LAB"
  export XDP_MLR_STATE_DIRECTORY=$BATS_FILE_TMPDIR
  lab_up wire
  selftest --report "$BATS_FILE_TMPDIR/page.html" --junit "$BATS_FILE_TMPDIR/junit.xml"
  echo "$output" >"$BATS_FILE_TMPDIR/document.json"
  "$MLR" lab down --name "$LAB" --quiet
}

setup() {
  names_of_lab "$FILE_LAB"
  export XDP_MLR_STATE_DIRECTORY=$BATS_TEST_TMPDIR/state
  background=()
}

# The self-test of the file, as if this test had made it.
stored() {
  mkdir -p "$XDP_MLR_STATE_DIRECTORY/selftest"
  cp "$BATS_FILE_TMPDIR/selftest/$A+$B.json" "$(store_file)"
}

# Change the stored self-test by a jq expression over its first entry.
edit_store() {
  jq ".self_tests[0] |= ($1)" "$(store_file)" >"$BATS_TEST_TMPDIR/edited"
  mv "$BATS_TEST_TMPDIR/edited" "$(store_file)"
}

# The same with figures that are known. Options that other parts of the program add matter, too, so it is a real one.
real_store() {
  stored
  edit_store '.clean_load = 20000 | .floor.p50_ns = 1234 | .floor.p99_ns = 2345'
}

search() {
  run --separate-stderr "$MLR" search -p "$A,$B" --wait d=0.1 --goal "$goal" --format json "$@"
}

# One of a few trials without a warm-up, for what it says beforehand and of each.
short_search() {
  goal=name=ndr,loss=0,final=0.1,sum=0.1,width=90% search --algorithm binary --max-load 20000 --min-load 5000
}

@test "the clean load is found, confirmed and kept" {
  stored
  status=0 output=$(cat "$BATS_FILE_TMPDIR/document.json")
  check '.schema == "xdp-mlr/selftest/1" and .irregular_reason == null and (.self_tests | length) == 1'
  check '.self_tests[0] | .regular and .frame_size == "64" and .tx_backend == "xsk" and .transmit_mode == "copy"'
  # above the clean load something was unclean, and it says what
  check '.self_tests[0] | .clean_load > 0 and .search.upper_bound > .clean_load and (.limit | length) > 0'
  check '.self_tests[0] | .limited_by == "tester" and .confirmation.clean >= 4 and .confirmation.trials == 5'
  check '.self_tests[0] | .floor.p50_ns > 0 and .floor.p50_ns <= .floor.p99_ns and .floor.load < .clean_load'
  check '.sut_check.verified'
  grep -q 'Self-test of the tester' "$BATS_FILE_TMPDIR/page.html"
  grep -q '<testcase classname="xdp-mlr.selftest.self-tests" name="64 xsk"/>' "$BATS_FILE_TMPDIR/junit.xml"
  [ "$(get '.self_tests[0].stored')" = "$BATS_FILE_TMPDIR/selftest/$A+$B.json" ]
  [ "$("$JQ" '.self_tests[0].clean_load' "$(store_file)")" = "$(get '.self_tests[0].clean_load')" ]
  # the tester keeps what it promises
  lab_up wire
  clean_trial --load "$(get '.self_tests[0].clean_load / 2 | floor')" --duration 0.5
  check '.trial_result.counts | .lost == 0 and .unsent == 0'
}

@test "a list of frame sizes, another direction, and one entry for each" {
  lab_up wire
  selftest --frame-size 64,1518 --direction b-to-a
  [ "$status" -eq 0 ]
  check '[.self_tests[].frame_size] == ["64", "1518"] and .aggregate_factor == 1'
  [ "$(jq -c '[.self_tests[] | [.frame_size, .direction]]' "$(store_file)")" = '[["64","b-to-a"],["1518","b-to-a"]]' ]
  selftest --frame-size 1518 --direction b-to-a
  [ "$("$JQ" '.self_tests | length' "$(store_file)")" -eq 2 ]
  # another direction is another tester
  clean_trial --load 1000 --duration 0.1
  check '.latency | has("floor_p50_ns") | not'
}

@test "both backends are tested, and auto takes the faster one" {
  lab_up wire
  selftest --tx auto
  [ "$status" -eq 0 ]
  check '[.self_tests[].tx_backend] == ["xsk", "live"] and [.self_tests[].transmit_mode] == ["copy", "live frames"]'
  faster=$(get '.self_tests | max_by(.clean_load).tx_backend')
  clean_trial --load 1000 --duration 0.1
  check ".trial_result.tx_backend == \"$faster\" and .latency.floor_p50_ns > 0"
  # the other way round, if it were so
  jq --arg faster "$faster" '(.self_tests[] | select(.tx_backend == $faster)).clean_load = 1' "$(store_file)" >"$BATS_TEST_TMPDIR/edited"
  mv "$BATS_TEST_TMPDIR/edited" "$(store_file)"
  clean_trial --load 1000 --duration 0.1
  check ".trial_result.tx_backend != \"$faster\""
}

@test "a search takes it for Max Load, and shows the latency floor" {
  real_store
  lab_up policer:rate=10000,burst=100us
  clean search
  [ "$status" -eq 0 ]
  check '.max_load_source == "self-test" and .controller_input.max_load == 20000'
  check '.search_result[0] | .regular and (.tester_limited | not)'
  check '[.trials[].latency | .floor_p50_ns == 1234 and .floor_p99_ns == 2345 and (.floor_source | test("self-test of 20"))] | all'
  [[ $stderr != *warn* ]]
  search --max-load 15000
  check '.max_load_source == "option" and .controller_input.max_load == 15000'
  clean_trial --load 1000 --duration 0.1
  check '.latency.floor_p50_ns == 1234'
  # another frame size has none
  clean_trial --load 1000 --duration 0.1 --frame-size 128
  check '.latency | has("floor_p50_ns") | not'
}

@test "a result that touches it is marked, unless it is the line rate" {
  real_store
  lab_up xdp
  clean search
  [ "$status" -eq 1 ]
  check '.search_result[0] | .relevant_lower_bound == 20000 and .tester_limited'
  "$MLR" lab down --name "$LAB"
  lab_up policer:rate=30000,burst=100us
  clean search --max-load 60000
  [ "$status" -eq 1 ]
  check '.search_result[0] | .regular and .relevant_lower_bound > 29000 and .tester_limited'
  edit_store '.limited_by = "line rate"'
  clean search --max-load 60000
  check '.search_result[0].tester_limited | not'
}

@test "an upper bound above it is marked: what was lost there may be the tester's" {
  real_store
  lab_up policer:rate=19000,burst=100us
  goal=name=ndr,loss=0,exceed=0,final=0.1,sum=0.1,width=50% clean search --algorithm binary --max-load 60000 --min-load 5000
  [ "$status" -eq 1 ]
  check '.search_result[0] | .regular and .relevant_lower_bound == 18750 and .relevant_upper_bound == 32500 and .tester_limited'
}

@test "one that is too old does not count, and that is said" {
  real_store
  lab_up policer:rate=10000,burst=100us
  edit_store '.time = (now - 6.9 * 86400 | todate)'
  search
  check '.max_load_source == "self-test"'
  edit_store '.time = (now - 7.1 * 86400 | todate)'
  search
  check '.max_load_source == "calibration" and ([.trials[].latency | has("floor_p50_ns")] | any | not)'
  [[ $stderr == *"7 days old"*"xdp-mlr selftest"* ]]
  edit_store '.time = (now + 86400 | todate)'
  short_search
  [[ $stderr == *"future"* ]]
  check '[.trials[].latency | has("floor_p50_ns")] | any | not'
  edit_store '.time = "yesterday"'
  short_search
  check '[.trials[].latency | has("floor_p50_ns")] | any | not'
}

@test "one that was made with something else does not count, and what that is, is said" {
  real_store
  lab_up policer:rate=10000,burst=100us
  cp "$(store_file)" "$BATS_TEST_TMPDIR/kept"
  for change in '.kernel = "5.4.0-old"|kernel*5.4.0-old' '.ports[0].driver = "ixgbe"|driver*ixgbe' \
    ".ports[1].queues = 7|queues of port $B*7" '.transmit_mode = "zero-copy"|transmit mode*zero-copy' \
    '.timestamps = "hardware"|who tells*hardware' '.options.other = "yes"|options*other' '.ports[0].firmware = "9.9"|firmware*9.9' \
    '.line_rate = 14880952.4|line rate*now 0'; do
    cp "$BATS_TEST_TMPDIR/kept" "$(store_file)"
    edit_store "${change%|*}"
    short_search
    [[ $stderr == *${change##*|}*"xdp-mlr selftest"* ]] || { echo "$change: $stderr"; false; }
    check '.trials | length > 0 and ([.[].latency | has("floor_p50_ns")] | any | not)'
  done
}

@test "a stored file that is damaged is a warning, and the next self-test replaces it" {
  lab_up wire
  mkdir -p "$XDP_MLR_STATE_DIRECTORY/selftest"
  for damage in '' '{' '[]' '{"schema": "xdp-mlr/selftest-store/1", "self_tests": [{}]}' '{"schema": "other/1", "self_tests": []}'; do
    printf '%s' "$damage" >"$(store_file)"
    trial --load 1000 --duration 0.1
    [ "$status" -le 1 ]
    [[ $stderr == *"$(store_file)"*"cannot be read"* ]]
    check '.trial_result.counts.received > 0'
  done
  selftest
  [ "$status" -eq 0 ]
  trial --load 1000 --duration 0.1
  [[ $stderr != *"cannot be read"* ]]
  check '.latency.floor_p50_ns > 0'
}

@test "where it cannot be stored that is a warning, and the result stands" {
  lab_up wire
  XDP_MLR_STATE_DIRECTORY=/proc/nosuch selftest
  [ "$status" -eq 0 ]
  [[ $stderr == *"not stored"*"/proc/nosuch"* ]]
  check '.self_tests[0] | .clean_load > 0 and (has("stored") | not)'
}

@test "a SUT between the ports is found out" {
  for sut in router xdp; do
    lab_up $sut
    selftest
    refused 5 "SUT" "selftest"
    "$MLR" lab down --name "$LAB"
  done
  [ ! -e "$(store_file)" ]
}

@test "frames that do not arrive are found out" {
  lab_up wire
  # two macvlans, of which nobody knows where they lead
  ip link add "$LAB-x" link "$A" type macvlan mode private
  ip link add "$LAB-y" link "$B" type macvlan mode private
  ip link set "$LAB-x" up
  ip link set "$LAB-y" up
  carried "$LAB-x" "$LAB-y"
  run --separate-stderr "$MLR" selftest -p "$LAB-x,$LAB-y" --dst-mac 02:00:00:00:00:aa,02:00:00:00:00:bb --frame-size 64 --duration 0.1
  [ "$status" -eq 5 ]
  [[ $stderr == *"assumed"*"none came"*"cable"* ]]
  ip link del "$LAB-y"
}

@test "ports in use are refused, and a frame size that does not fit" {
  lab_up wire
  ip address add 203.0.113.1/32 dev "$B"
  selftest
  refused 4 "$B" "203.0.113.1/32"
  ip address flush dev "$B"
  for sizes in 64,, 64,63 ,64 64,x 64,9999; do
    selftest --frame-size "$sizes"
    refused 2 "--frame-size"
  done
}

@test "SIGINT ends it, with the frame sizes that were done" {
  lab_up wire
  start selftest --frame-size 64,128,256 --duration 0.1 --format jsonl
  until_it_says self_test_finished "$BATS_TEST_TMPDIR/out"
  interrupted
  output=$(tail -1 <<<"$output")
  check '.irregular_reason == "interrupted" and (.self_tests | length) >= 1 and (.self_tests | length) < 3'
}

@test "how long it took is not told by the calendar" {
  lab_up wire
  export LD_PRELOAD=${BUILD:-build}/tests/preload/jump.so ASAN_OPTIONS=verify_asan_link_order=0
  selftest --format jsonl
  unset LD_PRELOAD
  jq -es '[.[] | select(.event == "finished") | .duration] | length == 1 and .[0] > 0 and .[0] < 3600' <<<"$output"
}

@test "--prepare try says of each item whether it helps, and what to give later runs" {
  lab_up wire
  selftest --prepare auto,try
  check '.preparation.items | length == 10 and all(.had or (.kept == false and .received_rate == null))'
  # where there are few CPUs each is taken anyway
  [ "$(nproc)" -ge 4 ] || check '.preparation.items | any(.item == "any-cpu" and .had == false)'
  check '.preparation.items | any(.item == "eee" and .had == false)' # a veth has none
  check '.preparation.items[] | select(.item == "wake") | .had and .received_rate.without > 0 and .latency_p99_ns.with > 0'
  check '.preparation.prepare | startswith("auto")'
  trial --load 1kfps --duration 0.1 --prepare auto,try
  refused 2 "try" "selftest"
}
