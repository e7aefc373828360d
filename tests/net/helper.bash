# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the end-to-end tests: labs of their own, which are gone after each test whatever happened in it.
MLR=${BUILD:-build}/xdp-mlr
source "$(dirname "${BASH_SOURCE[0]}")/check.bash"

setup() {
  LAB=t$((BASHPID % 100000))
  A=$LAB-a B=$LAB-b
  export XDP_MLR_STATE_DIRECTORY=$BATS_TEST_TMPDIR/state # no self-test of another run counts here
  background=()
}

teardown() {
  local pid
  for pid in "${background[@]}"; do kill -9 "$pid" 2>/dev/null || true; done
  "$MLR" lab down --name "$LAB" --quiet
  "$MLR" lab down --name "${LAB}x" --quiet
  "$MLR" clean --quiet >/dev/null
  ip link del "$LAB-x" 2>/dev/null || true
  ip link del "$A" 2>/dev/null || true
}

lab_up() { # SUT
  "$MLR" lab up --name "$LAB" --sut "$1" >/dev/null
}

# A command in the lab's network namespace. Not `ip netns exec`: that remounts /sys, which a chroot does not let it.
inside() { # command...
  nsenter --net="/run/netns/xdp-mlr-$LAB" "$@"
}

# The same, until the test ends. `inside ... &` would be a shell with the command as its child, and outlive it when killed.
inside_meanwhile() { # command...
  nsenter --net="/run/netns/xdp-mlr-$LAB" "$@" &
  background+=("$!")
}

# The MAC address of one of the SUT's links.
sut_mac() { # link
  inside ip -j link show "$1" | jq -r '.[0].address'
}

# A trial on the lab's ports, as JSON in $output; further options may be given.
trial() {
  run --separate-stderr "$MLR" trial -p "$A,$B" --format json "$@"
}

# The same, where no frame should stay unsent, nor the last be late. On a shared machine a CPU may be taken away at the very end of a trial; the
# tester says so, and what is to be shown here needs a trial without that.
clean_trial() {
  local try
  for try in 1 2 3 4 5 6 7 8 9 10; do
    trial "$@"
    [ "$status" -eq 1 ] && get '.trial_result | .counts.unsent > 0 or (.tester_limited_reason // "" | test("load was off"))' >/dev/null || break
    echo "# try $try: $(get '.trial_result | "\(.tester_limited_reason), \(.counts.unsent) unsent"')" >&3
  done
}

# Frames of several sizes, sent with these options, are what they should be when they come to the SUT.
frames_have_size_and_checksums() { # OPTION...
  local size
  lab_up xdp
  for size in 64 65 594 1518; do
    # what arrives is consumed by XDP, so look inside the SUT
    inside ip link set dev sut-a xdp off
    inside timeout 10 tcpdump -i sut-a -c 5 -nn -e -vv udp >"$BATS_TEST_TMPDIR/dump" 2>"$BATS_TEST_TMPDIR/err" &
    background+=($!)
    until grep -q "listening" "$BATS_TEST_TMPDIR/err"; do sleep 0.05; done
    clean_trial --load 1000 --duration 0.1 --wait d=0.1 --frame-size "$size" "$@"
    wait "${background[-1]}"
    [ "$(grep -c "length $((size - 4)):" "$BATS_TEST_TMPDIR/dump")" -eq 5 ]
    [ "$(grep -c "198.18.0.2.49184 > 198.19.0.2.7: \[udp sum ok\] UDP, length $((size - 46))" "$BATS_TEST_TMPDIR/dump")" -eq 5 ]
    if grep -q "bad" "$BATS_TEST_TMPDIR/dump"; then return 1; fi
  done
}

# The value of a jq expression over the last output.
get() {
  jq -er "$1" <<<"$output"
}

# The error of the last run: an exit code, one line, and words that must be in it.
refused() { # CODE WORD...
  local code=$1 word
  shift
  [ "$status" -eq "$code" ] || { echo "exit $status, not $code: $stderr"; return 1; }
  [ "$(wc -l <<<"$stderr")" -eq 1 ] || { echo "not one line: $stderr"; return 1; }
  for word in "$@"; do [[ $stderr == *"$word"* ]] || { echo "'$word' is not in: $stderr"; return 1; }; done
}

# SIGINT ends a process in the background within a second, by exit code 130.
interrupted_at_once() { # PID
  local start
  start=$(date +%s%N)
  kill -INT "$1"
  status=0
  wait "$1" || status=$?
  [ "$status" -eq 130 ]
  [ $((($(date +%s%N) - start) / 1000000)) -lt 1000 ]
}

# How many of the lab's ports have an XDP program.
xdp_count() {
  ip -j link show | jq --arg lab "$LAB" '[.[] | select(.xdp and (.ifname | startswith($lab)))] | length'
}
