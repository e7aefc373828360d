#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A reconfiguration under the throughput: what nftables drops for a known time in a router is lost, in that direction and no other.
bats_require_minimum_version 1.5.0
load suite

# A suite whose throughput is Max Load, as the router forwards more. Again where the tester lost its CPU, or there is no throughput.
reconf() { # COMMAND [OPTION...]
  local try
  for try in 1 2 3; do
    suite --max-load 5kfps --min-load 1kfps --frame-size 64 --tests reconf --reconf-duration 4 --reconf-command "$1" "${@:2}"
    if get '.reconf.directions and (.reconf.tester_limited | not)' >/dev/null; then return; fi
    echo "# try $try: $(get .reconf.irregular_reason) $stderr" >&3
  done
  give_up "the reconfiguration was spoilt by the machine"
}

@test "a rule that drops one direction for a time blocks it for so long" {
  local inside
  command -v nft >/dev/null || skip "nft is not here"
  lab_up router
  inside="nsenter --net=/run/netns/xdp-mlr-$LAB"
  cat >"$BATS_TEST_TMPDIR/drop.nft" <<'END'
table inet reconf {
  chain forward {
    type filter hook forward priority 0;
    iifname "sut-a" drop
  }
}
END
  $inside nft -c -f "$BATS_TEST_TMPDIR/drop.nft" || skip "nftables is not in this kernel"
  reconf "$inside nft -f $BATS_TEST_TMPDIR/drop.nft && sleep 0.5 && $inside nft delete table inet reconf" --direction both
  check '.tests == ["reconf"] and .reset == null and (.reconf | .command_result == "exited with status 0" and .regular)'
  check '.reconf | .blocked_time > 0.48 and .frames_lost > 0.48 * .load and .command_at > 0.3'
  check ".reconf.worst_direction.blocked_time == {from: \"$A\", to: \"$B\"}"
  check ".reconf as \$all | .reconf.directions | map(select(.to == \"$B\"))[0] | (.blocked_time - .frames_lost / \$all.load) | fabs < 0.02"
  check ".reconf as \$all | .reconf.directions | map(select(.to == \"$B\"))[0] | .blocked_from >= \$all.command_at - 2 * .resolution and .blocked_to - .blocked_from >= .blocked_time - .resolution"
  check ".reconf.directions | map(select(.to == \"$A\"))[0] | .frames_lost == 0 and .blocked_time == 0 and .blocked_from == null"
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/rfc2544.schema.json - <<<"$output"
  # every form tells it, and verify reads it
  printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/r.json"
  run -0 "$MLR" verify "$BATS_TEST_TMPDIR/r.json"
  "$MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.html" --junit "$BATS_TEST_TMPDIR/r.xml"
  run "$MLR" report "$BATS_TEST_TMPDIR/r.json"
  [[ $(tr -s ' \n' ' ' <<<"$output") == *"Reconfiguration under load"*"traffic was blocked for "* ]]
  grep -q 'id="suite-reconf"' "$BATS_TEST_TMPDIR/r.html"
  grep -q 'name="reconf"' "$BATS_TEST_TMPDIR/r.xml"
  jq '.reconf.frames_lost += 1' "$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/forged.json"
  run -1 "$MLR" verify "$BATS_TEST_TMPDIR/forged.json"
  jq '.reconf.directions[].blocked_time = 0 | .reconf.blocked_time = 0' "$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/forged.json"
  run -1 "$MLR" verify "$BATS_TEST_TMPDIR/forged.json"
}

@test "a block that lasts to the end is irregular, and meets no requirement" {
  local inside
  command -v nft >/dev/null || skip "nft is not here"
  lab_up router
  inside="nsenter --net=/run/netns/xdp-mlr-$LAB"
  printf 'table inet reconf {\n chain forward {\n type filter hook forward priority 0;\n iifname "sut-a" drop\n }\n}\n' >"$BATS_TEST_TMPDIR/drop.nft"
  $inside nft -c -f "$BATS_TEST_TMPDIR/drop.nft" || skip "nftables is not in this kernel"
  # what it writes does not hold it up
  reconf "yes | head -c 1000000; $inside nft -f $BATS_TEST_TMPDIR/drop.nft" --direction both --require 'reconf<=5s' \
    --certificate "$BATS_TEST_TMPDIR/c.html"
  [ "$status" -eq 1 ]
  check '.reconf | .command_result == "exited with status 0" and (.regular | not) and .blocked_time == null'
  check '.reconf.irregular_reason | test("not forwarded again before the trial ended, and were blocked for at least [1-9]")'
  check ".reconf.worst_direction.blocked_time.to == \"$B\" and (.reconf.directions | map(select(.to == \"$B\"))[0].blocked_time > 1)"
  check '.requirements | length == 1 and all(.met | not)'
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/rfc2544.schema.json - <<<"$output"
  printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/r.json"
  run -0 "$MLR" verify "$BATS_TEST_TMPDIR/r.json"
  run ! grep -q '<b>PASS</b>' "$BATS_TEST_TMPDIR/c.html"
  grep -q '<b>FAIL</b>' "$BATS_TEST_TMPDIR/c.html"
  jq '.reconf.regular = true | .reconf.irregular_reason = null' "$BATS_TEST_TMPDIR/r.json" >"$BATS_TEST_TMPDIR/forged.json"
  run -1 "$MLR" verify "$BATS_TEST_TMPDIR/forged.json"
  [[ $output == *"blocked_time is not known"* ]]
}

@test "a reconfiguration that loses nothing is regular; one that fails is not" {
  lab_up router
  reconf true --require 'reconf<=1ms' --require 'reconf.lost<=0'
  check '.reconf | .regular and .frames_lost == 0 and .blocked_time == 0'
  check '.requirements | length == 2 and all(.met)'
  reconf 'exit 3'
  [ "$status" -eq 1 ]
  check '.reconf | .command_result == "exited with status 3" and (.irregular_reason | test("reconf command failed"))'
}

# Both ends of the wire are the tester's, and the receiving one takes nothing for a while.
@test "what the tester's own receiving port missed is no block of the SUT" {
  lab_up wire
  suite --max-load 5kfps --min-load 1kfps --frame-size 64 --tests reconf --reconf-duration 4 \
    --reconf-command "ip link set $B down; sleep 0.3; ip link set $B up"
  [ "$status" -eq 1 ]
  check '.reconf | .frames_lost > 1000 and .tester_limited'
}
