#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The Measurers of tools/measurers that can run here, over a real SUT.
bats_require_minimum_version 1.5.0
load helper

# Not by "ip -n", which needs mounts that a container may not have.
in_end() { # END COMMAND...
  nsenter --net="/run/netns/$LAB-n$1" "${@:2}"
}

# Each port in a network of its own, as iperf3's two ends must be. A port takes what XDP redirects once it has begun to gather (GRO), and
# the redirect keeps no checksum that is left to the card.
apart() {
  local end
  for end in a b; do
    ip netns add "$LAB-n$end"
    ip link set "$LAB-$end" netns "$LAB-n$end"
    in_end "$end" ip link set "$LAB-$end" up
    in_end "$end" ethtool -K "$LAB-$end" gro on tx off
  done
  in_end a ip addr add 198.18.0.1/24 dev "$A"
  in_end b ip addr add 198.18.0.2/24 dev "$B"
}

by_iperf3() {
  run --separate-stderr "$MLR" search --max-load 20kfps --min-load 1kfps --goal final=2,sum=2,exceed=0,width=0.02 --format json \
    --measurer "exec:python3 tools/measurers/iperf3.py 198.18.0.2 --client-by 'nsenter --net=/run/netns/$LAB-na' --server-by 'nsenter --net=/run/netns/$LAB-nb'"
}

# A stall of iperf3 is caught up in a burst, which a policer drops: a bound below what it passes has that reason, where a trial took too long.
stalled() {
  [ "$status" -ne 5 ] && get '[.trials[] | .tester_limited, .trial_effective_duration > 4] | any' >/dev/null
}

@test "iperf3 finds the policer's rate, and answers all clauses but those about the SUT" {
  command -v python3 >/dev/null || skip "python3 is not here"
  command -v iperf3 >/dev/null || skip "iperf3 is not here; tools/deps installs it"
  lab_up policer:rate=5kfps,clock=wall,depth=500,frames=udp
  apart
  local try
  for try in {1..5}; do
    by_iperf3
    stalled || break
    echo "# try $try: a trial was stalled, $(get '[.trials[].trial_effective_duration | . * 10 | round / 10] | tostring') s" >&3
  done
  if stalled; then give_up "a trial of iperf3 was stalled in each of five searches"; fi
  # in 2 s it passes 10000 frames and the 500 of its queue
  check '.search_result[0] | .regular and .relevant_lower_bound > 4950 and .relevant_lower_bound < 5500 and .relevant_upper_bound > 5000'
  check '[.checklist[] | select(.status == "missing") | .clause] - ["3", "4.9.3-sut"] == []'
  check '.measurer.described.loss != null and (.measurer.described | has("unsent"))'
}

# 0.3 s of 4800 frames/s are 1440, for which the policer's queue has no room.
@test "a trial in which iperf3 was stopped is limited" {
  command -v python3 >/dev/null || skip "python3 is not here"
  command -v iperf3 >/dev/null || skip "iperf3 is not here; tools/deps installs it"
  lab_up policer:rate=5kfps,clock=wall,depth=500,frames=udp
  apart
  mkfifo "$BATS_TEST_TMPDIR/questions"
  python3 tools/measurers/iperf3.py 198.18.0.2 --client-by "nsenter --net=/run/netns/$LAB-na" --server-by "nsenter --net=/run/netns/$LAB-nb" \
    <"$BATS_TEST_TMPDIR/questions" >"$BATS_TEST_TMPDIR/answer" 3>&- &
  local measurer=$! client last=
  exec 9>"$BATS_TEST_TMPDIR/questions"
  echo '{"trial_load": 4800, "trial_duration": 2}' >&9
  until [ -s "$BATS_TEST_TMPDIR/answer" ]; do
    client=$(pgrep -P "$measurer" -f -- ' -c 198.18.0.2 ' || true)
    if [ -n "$client" ] && [ "$client" != "$last" ]; then
      sleep 0.8
      kill -STOP "$client" && sleep 0.3 && kill -CONT "$client"
      last=$client
    fi
    sleep 0.05
  done
  exec 9>&-
  wait "$measurer"
  output=$(cat "$BATS_TEST_TMPDIR/answer")
  check '.tester_limited and .frames_lost > 100 and .unsent == 0'
}
