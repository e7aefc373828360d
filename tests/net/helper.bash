# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the end-to-end tests: labs of their own, which are gone after each test whatever happened in it.
MLR=${BUILD:-build}/xdp-mlr
source "$(dirname "${BASH_SOURCE[0]}")/check.bash"

# Most SUTs of the lab have no buffer that a burst could overflow. So the frames of a stop are caught up there, and a busy machine spoils
# no trial. Files about stops empty this. A trial is performed once: tests compare its counts with counters that see every try.
BURST=1000000

# A trial sends its own frames alone, for the same reason; searches connect first, as users' do. Files about that empty this.
CONNECT=off

setup() {
  names_of_lab "t$((BASHPID % 100000))"
  export XDP_MLR_STATE_DIRECTORY=$BATS_TEST_TMPDIR/state # no self-test of another run counts here
  background=()
}

names_of_lab() { # NAME
  LAB=$1
  A=$LAB-a B=$LAB-b
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

lab_up() { # SUT [OPTION...]
  LAB_SUT=$1
  "$MLR" lab up --name "$LAB" --sut "$(sut_of "$1")" "${@:2}" >/dev/null
}

# As --sut takes it. hostile:WHAT,every=N,by=N is a program of the tests, and HOSTILE_LOG its log.
HOSTILE=$(realpath "${BUILD:-build}")/tests/tools/hostile
sut_of() { # SUT
  case $1 in
    hostile:*) echo "exec:$HOSTILE ${1#hostile:} $BATS_TEST_TMPDIR/hostile.log" ;;
    *) echo "$1" ;;
  esac
}

# What the hostile SUT did, as JSON.
hostile_log() {
  "$HOSTILE" --log "$BATS_TEST_TMPDIR/hostile.log"
}

# Wait until these links carry frames: the kernel says so a moment after they came up.
carried() { # link...
  local link
  for link in "$@"; do
    until [ "$(cat "/sys/class/net/$link/carrier")" = 1 ] && [ "$(cat "/sys/class/net/$link/operstate")" != down ]; do sleep 0.02; done
  done
}

# A command in the lab's network namespace. Not `ip netns exec`: that remounts /sys, which a chroot does not let it.
inside() { # command...
  nsenter --net="/run/netns/xdp-mlr-$LAB" "$@"
}

# The same, until the test ends, on any CPU. `inside ... &` would be a shell with the command as its child, and outlive it when killed.
inside_meanwhile() { # command...
  taskset -c "$every_cpu" nsenter --net="/run/netns/xdp-mlr-$LAB" "$@" &
  background+=("$!")
}

# More ports of ours at the bridge of the lab, which is then $BRIDGE; they stand behind $B.
join_bridge() { # name...
  local name
  BRIDGE=$(inside ip -j link show type bridge | "$JQ" -r '.[0].ifname')
  for name in "$@"; do
    ip link add "$LAB-$name" type veth peer name "sut-$name" netns "xdp-mlr-$LAB"
    inside ip link set "sut-$name" master "$BRIDGE" up
    ip link set "$LAB-$name" up
    carried "$LAB-$name"
    B=$B,$LAB-$name
  done
}

# The MAC address of one of the SUT's links.
sut_mac() { # link
  inside ip -j link show "$1" | "$JQ" -r '.[0].address'
}

# A trial on the lab's ports, as JSON in $output; further options may be given.
trial() {
  run --separate-stderr "$MLR" trial -p "$A,$B" --format json ${BURST:+--burst "$BURST" --tester-repeats 0} \
    ${CONNECT:+--connect "$CONNECT"} "$@"
}

search() {
  run --separate-stderr "$MLR" search -p "$A,$B" --format json ${BURST:+--burst "$BURST"} "$@"
}

# Whether the machine spoilt the last run, by what the tester says of it. (Of no more than 10 us worth of unsent frames it does not.)
spoilt() {
  case $status in
    0) get '.trial_result.counts.unsent > 0' ;;
    1) get '([.. | .tester_limited_reason? // empty] | any(test("unsent|load was off|burst"))) or .suite_duration and .tester_limited' ;;
    *) false ;;
  esac >/dev/null
}

# What a link's queues had no room for, by what ethtool -S and ip -s say. (What an XDP program drops is none of it.)
dropped_by_links() { # link...
  local link
  for link in "$@"; do
    ethtool -S "$link" 2>/dev/null
    ip -s -j link show "$link" 2>/dev/null | "$JQ" -r '.[].stats64 | "dropped: \(.tx.dropped)", "dropped: \(.rx.dropped)"'
  done | awk '/(drops|errors|dropped):/ && !/xdp_drops:/ { sum += $2 } END { print sum + 0 }'
}

# What the queues of the CPUs had no room for.
dropped_by_cpus() {
  local dropped=0 count _
  while read -r _ count _; do dropped=$((dropped + 16#$count)); done </proc/net/softnet_stat
  echo "$dropped"
}

# Frames for which the kernel's queues had no room, of CPUs and of the lab's links; and frames that came to the ports.
queues_and_ports() {
  local dropped came=0 count port
  dropped=$(dropped_by_cpus)
  case ${LAB_SUT:-} in
    router | bridge | xdp) dropped=$((dropped + $(dropped_by_links "$A" "$B") + $(
      export -f dropped_by_links
      inside bash -c 'dropped_by_links sut-a sut-b'
    ))) ;;
  esac
  for port in ${A//,/ } ${B//,/ }; do
    count=$(cat "/sys/class/net/$port/statistics/rx_packets" 2>/dev/null) || count=0
    came=$((came + count))
  done
  echo "$dropped $came"
}

# Whether the machine took the CPU away from a SUT that loses nothing: the queues in front of it overflowed, or it passed on after
# phase d what it still had.
held_up() { # what queues_and_ports said before
  local now
  [[ ${LAB_SUT:-} != @(policer|stretch|none)* ]] && get '(.trial_result.counts.lost // 0) > 0' >/dev/null || return
  read -ra now < <(queues_and_ports)
  [ "${now[0]}" -gt "$1" ] || get '[.ports[].nic_tx_dropped // 0] | add > 0' >/dev/null ||
    [ $((now[1] - $2)) -ge "$(get .trial_result.counts.sent)" ]
}

# What is to be shown cannot be shown here, now; with CI=true it must be.
give_up() { # REASON
  [ "${CI:-}" = true ] || skip "$1"
  echo "$1"
  return 1
}

# Run this again where the machine spoilt it: on a busy one a CPU may be taken away in a trial, whose end then comes before all is sent.
# What is to be shown needs a run without that; where there is none, that is all that can be shown.
clean() { # FUNCTION OPTION...
  local try before reason
  for try in {1..10}; do
    read -ra before < <(queues_and_ports)
    "$@"
    spoilt || held_up "${before[@]}" || return 0
    check ".trial_result == null or ((.tester_limited or ([.requirements[]?.met] | all | not)) == ($status == 1) and .tester_limited == (.trial_result.tester_limited_reason != null))"
    check '.trial_result == null or .tester_limited or .trial_result.counts.unsent <= (.trial_result.trial_load / 1e5 | ceil) * (.ports | length)'
    reason=$(get '[.. | .tester_limited_reason? // empty] | unique | join(", ")')
    echo "# try $try: ${reason:-the SUT was held up}" >&3
  done
  give_up "the tester was the limit of each try, and said so, or the SUT was held up"
}

# Run this until the jq expression is true of it, or is not though the machine did not spoil it: a search or a soak that lost frames to the
# tester may be right all the same.
right() { # JQ-EXPRESSION FUNCTION OPTION...
  local try
  for try in {1..5}; do
    "${@:2}"
    if get "$1" >/dev/null || ! spoilt; then
      check "$1"
      return
    fi
    echo "# try $try: $(get '[.. | .tester_limited_reason? // empty] | unique | join(", ")')" >&3
  done
  give_up "the tester was the limit of each try, and said so"
}

clean_trial() {
  clean trial "$@"
}

# A self-test that is regular. On a busy machine no load may be clean for a while.
selftest() { # OPTION...
  local try
  for try in {1..5}; do
    run --separate-stderr "$MLR" selftest -p "$A,$B" --tx xsk --frame-size 64 --duration 0.1 --format json "$@"
    [ "$status" -eq 1 ] || { [ "$status" -eq 0 ] || echo "exit $status: $stderr"; return 0; }
    check '.irregular_reason | length > 0'
    echo "# try $try: $(get .irregular_reason)" >&3
  done
  give_up "no load was clean in any self-test, and it said so"
}

every_cpu=0-$(($(nproc --all) - 1))

# Start a run in the background; its process is in $pid. Until it has ended, this shell, which watches it, may use any CPU: the only one
# that the test may use may be the transmitter's.
start() { # VERB OPTION...
  cpus=$(taskset -cp "$BASHPID" | sed 's/.*: //')
  "$MLR" "$1" -p "$A,$B" ${BURST:+--burst "$BURST"} ${CONNECT:+--connect "$CONNECT"} "${@:2}" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
  pid=$!
  background+=("$pid")
  taskset -cp "$every_cpu" "$BASHPID" >/dev/null
}

running() {
  [ -e "/proc/$pid/exe" ]
}

# Wait until it has said this, or has ended without; then fail.
until_it_says() { # PATTERN FILE
  while running; do
    if grep -qs "$1" "$2"; then return 0; fi
    sleep 0.02
  done
  grep -qs "$1" "$2" || { echo "it ended without '$1': $(cat "$2")"; return 1; }
}

# Wait for its end; it is the last run then.
ended() {
  status=0
  wait "$pid" || status=$?
  taskset -cp "$cpus" "$BASHPID" >/dev/null
  output=$(cat "$BATS_TEST_TMPDIR/out") stderr=$(cat "$BATS_TEST_TMPDIR/err")
}

# SIGINT ends what would go on for an hour, longer than tests/run lets a file run.
interrupted() {
  running
  kill -INT "$pid"
  ended
  [ "$status" -eq 130 ] || { echo "exit $status: $stderr"; return 1; }
}

received_frames() {
  cat "/sys/class/net/$B/statistics/rx_packets"
}

# Wait until so many more frames have come to port B than had before it was called, or nothing runs that would send them.
flowing() { # FRAMES
  local before
  before=$(received_frames)
  while running && [ $(($(received_frames) - before)) -lt "$1" ]; do sleep 0.01; done
}

# Do something while frames of a trial flow. A longer one, if it had ended before that was done.
during_trial() { # FUNCTION OPTION...
  local duration
  for duration in 2 8 32; do
    start trial --duration "$duration" --format json "${@:2}"
    flowing 50
    "$1"
    if running; then ended && return; fi
    ended
    echo "# the trial of $duration s had ended before it was done" >&3
  done
  return 1
}

# The link between the SUT and port B goes down and comes back.
flap() {
  inside ip link set sut-b down
  inside ip link set sut-b up
}

# Frames of several sizes, sent with these options, are what they should be when they come to the SUT.
frames_have_size_and_checksums() { # OPTION...
  local size
  lab_up xdp
  for size in 64 65 594 1518; do
    # what arrives is consumed by XDP, so look inside the SUT
    inside ip link set dev sut-a xdp off
    inside timeout 60 tcpdump --immediate-mode -i sut-a -c 5 -nn -e -vv udp >"$BATS_TEST_TMPDIR/dump" 2>"$BATS_TEST_TMPDIR/err" &
    background+=($!)
    until grep -q "listening" "$BATS_TEST_TMPDIR/err"; do sleep 0.05; done
    trial --load 1000 --duration 0.1 --wait d=0.1 --frame-size "$size" "$@"
    wait "${background[-1]}"
    [ "$(grep -c "length $((size - 4)):" "$BATS_TEST_TMPDIR/dump")" -eq 5 ]
    [ "$(grep -c "198.18.0.2.49184 > 198.19.0.2.7: \[udp sum ok\] UDP, length $((size - 46))" "$BATS_TEST_TMPDIR/dump")" -eq 5 ]
    if grep -q "bad" "$BATS_TEST_TMPDIR/dump"; then return 1; fi
  done
}

# The value of a jq expression over the last output; fail where there is none.
get() {
  [ -n "$output" ] && "$JQ" -er "$1" <<<"$output"
}

# The error of the last run: an exit code, one line, and words that must be in it.
refused() { # CODE WORD...
  local code=$1 word
  shift
  [ "$status" -eq "$code" ] || { echo "exit $status, not $code: $stderr"; return 1; }
  [ "$(wc -l <<<"$stderr")" -eq 1 ] || { echo "not one line: $stderr"; return 1; }
  for word in "$@"; do [[ $stderr == *"$word"* ]] || { echo "'$word' is not in: $stderr"; return 1; }; done
}

# Fails, and shows the links and who runs, if one of the lab's ports still has an XDP program.
no_xdp_left() {
  [ "$(xdp_count)" -eq 0 ] && return
  ip -d link show
  ps -eo pid,ppid,stat,etimes,args | grep mlr
  return 1
}

# How many of the lab's ports have an XDP program.
xdp_count() {
  ip -j link show | "$JQ" --arg lab "$LAB" '[.[] | select(.xdp and (.ifname | startswith($lab)))] | length'
}
