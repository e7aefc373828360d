#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The suite of RFC 2544 where the SUT's link goes down; who watches that needs a CPU while the transmitter finds its link down.
bats_require_minimum_version 1.5.0
load suite
SHOWN='.reset // .'

# A command that takes the SUT's link away for a time, on any CPU.
outage() { # seconds
  echo "taskset -c $every_cpu nsenter --net=/run/netns/xdp-mlr-$LAB sh -c 'ip link set sut-a down; sleep $1; ip link set sut-a up'"
}

# A suite with an outage. Again where that was not over by the end of its trial: then the link is still down, and the trial invalid.
suite_with_outage() { # seconds option...
  local try
  for try in 1 2 3; do
    suite --reset-command "$(outage "$1")" "${@:2}"
    [ "$status" -eq 5 ] || break
    echo "# try $try: ${stderr##*$'\n'}" >&3
  done
  [ "$status" -le 1 ] || echo "exit $status: ${stderr##*$'\n'}"
}

# An outage is seen by looks at the counters, of which each may be late.
@test "a reset is measured once, for the smallest frames" {
  lab_up $policer
  clean suite_with_outage 0.4 --frame-size 1518,64 --tests reset
  check '.tests == ["reset"]'
  check '.reset | .frame_size == "64" and .command_result == "exited with status 0" and .reset_time > 0.35 and .reset_time < 3'
  check '.reset | (.reset_time - .reset_time_by_loss) | fabs < 0.1'
  check '.reset | (.outage_to - .outage_from - .reset_time) | fabs < 1e-6'
  [ "$status" -eq 0 ]
}

@test "a reset by the operator is told to be made, and measured" {
  lab_up $policer
  local try
  # without a throughput, which the machine may spoil, there is no reset
  for try in {1..5}; do
    start rfc2544 "${short[@]}" --frame-size 64 --tests reset
    if until_it_says "reset the SUT now" "$BATS_TEST_TMPDIR/err"; then break; fi
    ended
    echo "# try $try: $(get .irregular_reason)" >&3
  done
  eval "$(outage 0.3)"
  ended
  check '.reset | .command == null and .reset_time > 0.25 and .reset_time < 3'
}

@test "a recovery in which a link went down is measured again" {
  lab_up $policer
  start rfc2544 "${short[@]}" --frame-size 64 --tests recovery
  until grep -q '64 octets: recovery' "$BATS_TEST_TMPDIR/err"; do sleep 0.02; done
  while running && ! grep -q "link went down" "$BATS_TEST_TMPDIR/err"; do flap; sleep 0.3; done
  ended
  check '.warnings | map(select(test("link went down.*performed again"))) | length >= 1'
  check '.frame_sizes[0].recovery | .average < 0.05 or .tester_limited or .repeated_trials > 0'
}
