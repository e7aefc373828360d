#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What the tester says of NICs that stamp, hold and steer frames, where it is known what they do: tests/vm/module/run starts this in the
# guest. Clocks drift by 50 ppm one way and 20 ppm the other, so in a trial of 3 s by 150 us.
bats_require_minimum_version 1.5.0
load ../../net/helper

WIRE=100000 # ns, from departure to arrival
SENT=20000  # from the driver to departure
SHOWN='(.latency? // {} | del(.histogram)), .connection?, (.trial_result? // . | del(.order?)), .ports?'

setup_file() {
  [ -n "${TRUTH:-}" ] || {
    echo "this runs in the guest: tests/vm/module/run" >&2
    return 1
  }
  insmod "$TRUTH" wire_ns="$WIRE" tx_delay_ns="$SENT"
  ip link set truth0 up
  ip link set truth1 up
  carried truth0 truth1
}

setup() {
  A=truth0 B=truth1 LAB=none LAB_SUT=none
  background=()
}

teardown() {
  "$MLR" clean --quiet >/dev/null
  truth stamp_every 1 && truth launch_error_ns 0 && truth by_hash Y && truth fault_every 1
  for worse in launch_jitter_ns rate_mbps wander_ns read_before_ns read_after_ns counters_lag_ms rx_fault tx_fault; do truth "$worse" 0; done
  truth crc_every 0 && truth hidden_every 0 && truth full_duplex Y
  tc qdisc del dev truth0 root 2>/dev/null || true
  tc qdisc del dev truth1 root 2>/dev/null || true
}

truth() { # PARAMETER VALUE
  echo "$2" >"/sys/module/truth/parameters/$1"
}

count() { # PORT PATTERN: the sum of these counters
  ethtool -S "$1" | awk -v pattern="^ *$2:" '$0 ~ pattern { sum += $2 } END { print sum + 0 }'
}

# A trial of which every frame that was sent arrived, and half of them were: the guest's CPUs take turns of some ms, so that at its end a
# transmitter may not have had its own, which the tester says by exit code 1.
exact() { # OPTION...
  trial --tx xsk --load 500 --duration 0.5 "$@"
  [ "$status" -le 1 ] || { echo "exit $status: $stderr"; return 1; }
  check '.trial_result.counts | .sent >= .intended * 0.5 and .received == .sent and .duplicate + .malformed + .damaged + .foreign == 0'
  check '.measurer.ports[0].transmit_mode == "zero-copy"'
}

# Of 500 frames a second each departure is in the sample, so the frame that came last from tag to tag is known in both: what is between
# its departure and its arrival is the wire, but for what both clocks may be wrong by and the result says.
wire_is_known() {
  check '.latency.count == .latency.departure_delay.count'
  check "(.latency.max_ns - .latency.departure_delay.max_ns - $WIRE | fabs) <= .latency.error_bound_ns - .latency.departure_delay.max_ns"
}

# The launch command that probe gives for a port, and the same for its other queues.
set_up_launch_time() { # PORT QUEUES
  local fix queue
  run --separate-stderr "$MLR" probe -p "$1" --format json
  fix=$(get '.ports[0].checks[] | select(.name == "launch-time") | .fix')
  [[ $fix == tc* ]] || { echo "fix: $fix"; return 1; }
  eval "$fix"
  for ((queue = 2; queue <= $2; queue++)); do
    tc qdisc replace dev "$1" parent "8001:$queue" etf offload clockid CLOCK_TAI delta 500000
  done
}

@test "probe says what they can do" {
  run --separate-stderr "$MLR" probe -p truth0,truth1 --format json
  [ "$status" -eq 0 ]
  check '.ports | all(.native_xdp and .zero_copy and (.rx_metadata | index("timestamp") != null))'
  check '.ports | all(.tx_metadata | index("timestamp") != null and index("launch time") != null)'
}

@test "arrivals and departures by clocks that drift: the wire is as long as it is" {
  exact --duration 3
  check '.latency.source == "hardware receive timestamp, software departure" and .latency.count == .trial_result.counts.sent'
  check '.latency.departure_delay.source == "hardware transmit timestamp" and .latency.departure_delay.early == 0'
  check ".latency.departure_delay.p50_ns >= $SENT and .latency.min_ns >= $((WIRE + SENT)) - .latency.error_bound_ns"
  wire_is_known
  # not because the bound is as wide as the drift
  check '.latency.error_bound_ns - .latency.departure_delay.max_ns < 20000'
}

@test "both directions, each by its own clocks" {
  exact --direction both --duration 1
  wire_is_known
}

@test "a clock that is set by 1.5 s is found to be off by as much" {
  for clock in 0 1; do XDP_MLR_TEST_CLOCK=$clock "$BUILD/tests/user/test_phc"; done
  exact
  wire_is_known
}

@test "several queues" {
  for queues in 2 4; do
    exact --queues "$queues" --flows 16
    check ".measurer.ports[0].transmit_queues == $queues"
    wire_is_known
  done
}

@test "software is asked for: no stamp is used" {
  exact --timestamps software --departure-delay off
  check '.latency.source != "hardware receive timestamp, software departure" and .latency.departure_delay == null'
  check '[.measurer.ports[].changes[] | select(.setting == "timestamps")] == []'
}

@test "stamping is switched on for a run, and off again, also after kill -9" {
  exact
  check '.measurer.ports[1].changes | any(.setting == "timestamps" and .was == "tx 0 rx 0" and .now == "tx 0 rx 1")'
  before=$(count truth1 'rx_queue_._stamped')
  exact --timestamps software --departure-delay off
  [ "$(count truth1 'rx_queue_._stamped')" -eq "$before" ]
  "$MLR" trial -p truth0,truth1 --tx xsk --load 500 --duration 3600 >/dev/null 2>&1 &
  background+=("$!")
  until [ "$(count truth1 'rx_queue_._stamped')" -gt "$before" ]; do sleep 0.1; done
  kill -9 "$!"
  wait "$!" || true
  "$MLR" clean --quiet
  before=$(count truth1 'rx_queue_._stamped')
  exact --timestamps software --departure-delay off
  [ "$(count truth1 'rx_queue_._stamped')" -eq "$before" ]
}

@test "frames that are not stamped: no latency of that trial, or the end of the run" {
  truth stamp_every 2
  trial --tx xsk --load 500 --duration 0.5
  check '.latency == null and .trial_result.counts.lost == 0'
  [[ $stderr == *"some frames of a trial and some not"* ]]
  trial --tx xsk --load 500 --duration 0.5 --timestamps hardware
  [ "$status" -eq 5 ]
  truth stamp_every 0
  trial --tx xsk --load 500 --duration 0.5 --timestamps hardware
  refused 5 "stamped no frame"
  trial --tx xsk --load 500 --duration 0.5
  check '.latency.count == .trial_result.counts.sent and (.latency.source | test("hardware receive") | not)'
}

@test "launch times want a queue that is set up; the command that probe gives does that" {
  trial --tx xsk --load 500 --duration 0.2 --launch-time on
  refused 3 etf
  set_up_launch_time truth0 1
  exact --launch-time on
  check '.measurer.ports[0].launch_time'
  trial --tx xsk --load 500 --duration 0.2 --launch-time on --queues 2
  refused 3 etf
}

@test "launch times are kept: each latency is the wire's" {
  set_up_launch_time truth0 1
  before=$(count truth0 tx_queue_0_launched)
  exact --launch-time on --duration 2
  [ $(($(count truth0 tx_queue_0_launched) - before)) -ge 990 ]
  check '.latency.definition | startswith("from the launch time")'
  # a frame that was handed over late has no launch time: of 1000 a few, on a machine that has stalls
  check "(.latency.p50_ns - $WIRE | fabs) <= .latency.error_bound_ns and (.latency.min_ns - $WIRE | fabs) <= .latency.error_bound_ns"
  check '.latency.departure_delay | .p50_ns <= .error_bound_ns + 128'
}

# Until the first trial nobody follows the clock, so what is sent to connect must ask for no launch time.
@test "launch times are kept where the ports are connected first, as they are by default" {
  set_up_launch_time truth0 1
  CONNECT='' exact --launch-time on
  check '.connection.steady'
  check "(.latency.p50_ns - $WIRE | fabs) <= .latency.error_bound_ns"
}

@test "launch times of all queues, both directions" {
  set_up_launch_time truth0 4
  set_up_launch_time truth1 4
  exact --launch-time on --queues 4 --flows 16 --direction both
  check '.measurer.ports | all(.launch_time)'
  check "(.latency.p50_ns - $WIRE | fabs) <= .latency.error_bound_ns"
  for queue in 0 1 2 3; do [ "$(count truth1 "tx_queue_${queue}_launched")" -gt 0 ]; done
}

@test "a NIC that lets frames go before their launch times is found out" {
  set_up_launch_time truth0 1
  truth launch_error_ns -30000
  trial --tx xsk --load 500 --duration 0.5 --launch-time on
  refused 5 "before their launch times"
}

@test "a NIC that lets frames go late: by how much is known" {
  set_up_launch_time truth0 1
  truth launch_error_ns 30000
  exact --launch-time on
  check '.latency.departure_delay | (.p50_ns - 30000 | fabs) <= .error_bound_ns + 256'
  check "(.latency.p50_ns - $((WIRE + 30000)) | fabs) <= .latency.error_bound_ns"
  wire_is_known
}

@test "rules steer flows to all queues, and are gone afterwards" {
  truth by_hash N
  before=$(ethtool -n truth1)
  for queue in 0 1 2 3; do was[queue]=$(count truth1 "rx_queue_${queue}_packets"); done
  exact --flows 64 --load 640 --duration 1 --prepare auto,steer
  check '[.measurer.ports[1].changes[].setting | select(startswith("rule:"))] | length == 64'
  for queue in 0 1 2 3; do
    now=$(($(count truth1 "rx_queue_${queue}_packets") - was[queue]))
    echo "queue $queue: $now"
    [ "$now" -ge 150 ] && [ "$now" -le 200 ] # a few may not be sent, and a link carries others
  done
  [ "$(ethtool -n truth1)" = "$before" ]
}

@test "rules for IPv6, and by bits" {
  truth by_hash N
  exact --ip 6 --frame-size 84 --flows 16 --prepare auto,steer
  check '[.measurer.ports[1].changes[].setting | select(startswith("rule:"))] | length == 16'
  exact --flows 1000 --prepare auto,steer --load 1000
  check '[.measurer.ports[1].changes[].setting | select(startswith("rule:"))] | length == 4'
  [ -z "$(ethtool -n truth1 | grep Filter)" ]
}

@test "rules are gone after kill -9 and clean; those of others stay" {
  ethtool -N truth1 flow-type udp4 dst-port 4242 action 2 loc 7
  before=$(ethtool -n truth1)
  "$MLR" trial -p truth0,truth1 --tx xsk --flows 16 --load 500 --duration 3600 --prepare auto,steer >/dev/null 2>&1 &
  background+=("$!")
  until [ "$(ethtool -n truth1 | grep -c Filter)" -eq 17 ]; do sleep 0.1; done
  kill -9 "$!"
  wait "$!" || true
  "$MLR" clean --quiet
  [ "$(ethtool -n truth1)" = "$before" ]
  ethtool -N truth1 delete 7
}

@test "flow control is as before, though a link that came back says otherwise meanwhile" {
  before=$(ethtool -a truth0)
  "$MLR" trial -p truth0,truth1 --tx xsk --load 500 --duration 3600 >/dev/null 2>&1 &
  background+=("$!")
  until ethtool -a truth0 | grep -q 'Autonegotiate:.*off'; do sleep 0.1; done
  kill -9 "$!"
  wait "$!" || true
  ip link set truth0 down
  ip link set truth0 up
  ethtool -a truth0 | grep -q 'RX:.*on'
  "$MLR" clean --quiet
  [ "$(ethtool -a truth0)" = "$before" ]
  carried truth0 truth1
}

@test "frames beyond what the driver takes under XDP: in generic mode, said, and the MTU is as before" {
  before=$(cat /sys/class/net/truth0/mtu)
  exact --frame-size 3000 --prepare auto,mtu
  trial --tx xsk --load 500 --duration 0.5 --frame-size 9000 --prepare auto,mtu
  [ "$status" -le 1 ]
  [[ $stderr == *"generic mode"* ]]
  check '.measurer.ports | all(.receive_mode == "generic") and .[0].transmit_mode == "copy"'
  check '.trial_result.counts | .sent > 0 and .received == .sent'
  [ "$(cat /sys/class/net/truth0/mtu)" = "$before" ]
}

# As igb: the filter is on whatever ethtool says, and only stripping takes tags from where XDP sees them.
@test "VLAN tags are kept, also where the filter cannot be switched off, and nothing is said against that" {
  before=$(ethtool -k truth1)
  [[ $before == *"rx-vlan-offload: on"$'\n'* && $before == *"rx-vlan-filter: on [fixed]"* ]]
  for prepare in auto auto,vlan; do
    exact --vlan 7 --frame-size 68 --prepare "$prepare"
    [[ $stderr != *"VLAN tags"* ]]
    check '.measurer.ports[1].changes | any(.setting == "feature:rx-vlan-hw-parse" and .was == "on" and .now == "off")'
    check '.trial_result.counts.changed == 0'
    [ "$(ethtool -k truth1)" = "$before" ]
  done
}

# Half of what is sent arrives; the other half the NIC counts.
half_lost() {
  trial --tx xsk --load 500 --duration 0.5
  [ "$status" -eq 1 ] || { echo "exit $status: $stderr"; return 1; }
  check '.trial_result.counts | .lost >= 100 and .received + .lost == .sent'
}

@test "what the NIC counts as CRC errors arrived damaged at our port, and is not the loss of the SUT" {
  truth crc_every 2
  half_lost
  check '.trial_result | .loss_attribution.receiver_damaged == .counts.lost and .loss_attribution.sut == 0'
  check '.trial_result.counts.lost as $lost | .ports[1].counters_moved | any(.counter == "rx_crc_errors" and .moved == $lost)'
}

@test "what only the driver counts is named as a counter of our own port" {
  truth hidden_every 2
  half_lost
  check '.trial_result | .loss_attribution.sut == .counts.lost and .loss_counter == {port: "truth1", counter: "rx_queue_0_overruns", moved: .counts.lost}'
  check '.tester_limited and .trial_result.tester_limited_reason == "the SUT'"'"'s loss equals a counter of our own port"'
}

@test "half duplex is said by probe and by a run" {
  truth full_duplex N
  run --separate-stderr "$MLR" probe -p truth0 --format json
  check '.ports[0].checks[] | select(.name == "speed") | .state == "FAIL" and (.value | contains("half duplex"))'
  trial --tx xsk --load 500 --duration 0.2
  [[ $stderr == *"truth0: its link is half duplex"* ]]
}

@test "UDP hashed by addresses alone: probe says so, its command and --prepare rss mend it, and the latter is undone" {
  ethtool -N truth1 rx-flow-hash udp4 sd
  run --separate-stderr "$MLR" probe -p truth1 --format json
  check '.ports[0].checks[] | select(.name == "rss") | .state == "WARN" and .fix == "ethtool -N truth1 rx-flow-hash udp4 sdfn"'
  exact --flows 16 --prepare auto,rss
  check '.measurer.ports[1].changes | any(.setting == "hash:udp4" and .was == "sd" and .now == "sdfn")'
  [[ $(ethtool -n truth1 rx-flow-hash udp4) != *"L4 bytes"* ]]
  ethtool -N truth1 rx-flow-hash udp4 sdfn
  run --separate-stderr "$MLR" probe -p truth1 --format json
  check '.ports[0].checks[] | select(.name == "rss") | .state == "OK"'
}

@test "a receive hash that is even stays as it is, in whatever order; one that is not is spread, and is as before afterwards" {
  for weights in "1 1 1 1" "5 1 1 1"; do
    ethtool -X truth1 weight $weights
    before=$(ethtool -x truth1)
    exact --flows 16 --prepare auto,rss
    check "[.measurer.ports[1].changes[] | select(.setting == \"rss\").now] == $([ "$weights" = "1 1 1 1" ] && echo [] || echo '["0 1 2 3 0 1 2 3"]')"
    [ "$(ethtool -x truth1)" = "$before" ]
  done
  ethtool -X truth1 default
}

@test "transmit threads leave CPU 0 alone, unless any CPU will do" {
  exact
  check '.measurer.ports | map(.transmit_cpus) == ["1", null]'
  exact --queues 2 --flows 16 --prepare auto,any-cpu
  check '.measurer.ports[0].transmit_cpus == "0-1"'
}

# --- NICs that do worse ------------------------------------------------------------------------------------------------------

# That a latency is no wider of the truth than it says: of one that may be wrong by at most that.
within() { # JQ-FIGURE TRUTH
  check "($1 - $2 | fabs) <= .latency.error_bound_ns"
}

@test "arrivals are of the first bit or of the last, as the NIC stamps, and the result says that it does not know" {
  truth rate_mbps 100
  for size in 64 1518; do
    octets=$((size * 80)) # ns, at 100 Mbit/s
    truth stamp_last_bit N
    exact --frame-size "$size"
    wire_is_known
    check '.latency.definition | test("first bit or its last")'
    truth stamp_last_bit Y
    exact --frame-size "$size"
    WIRE=$((WIRE + octets)) wire_is_known
  done
}

@test "a clock that is read at one end of the time that it takes: the bound is as wide as that" {
  truth read_before_ns 40000
  exact
  wire_is_known
  check '.latency.error_bound_ns - .latency.departure_delay.max_ns >= 20000'
  truth read_before_ns 0
  truth read_after_ns 40000
  exact
  wire_is_known
}

@test "clocks that wander: the bound is as wide as they are off" {
  for period in 3000000 400000 100000; do
    truth wander_period_us "$period"
    truth wander_ns 20000
    exact --duration 2
    wire_is_known
  done
}

@test "a clock that is set within a trial: no latency, or a bound as wide as the step" {
  for step in 40000000 -40000000; do
    (
      before=$(count truth1 'rx_queue_._stamped')
      until [ "$(count truth1 'rx_queue_._stamped')" -ge $((before + 200)) ]; do sleep 0.1; done
      truth step_ns "$step"
    ) &
    background+=("$!")
    trial --tx xsk --load 500 --duration 4
    wait "${background[-1]}"
    [ "$status" -le 1 ]
    check '.latency == null or .latency.error_bound_ns >= 40000000'
  done
}

@test "stamps that cannot be are no latency: late, stale, of 32 bits" {
  truth fault_ns 50000000
  for fault in 1 2 3; do
    truth rx_fault "$fault"
    truth fault_every 7
    trial --tx xsk --load 500 --duration 0.5 --timestamps hardware
    if [ "$fault" -eq 2 ]; then refused 5 "before they left"; else refused 5 "times that cannot be"; fi
    trial --tx xsk --load 500 --duration 0.5
    check '.latency == null'
    truth fault_every 1 # all of them: those of 32 bits, and late ones, are no stamps at all
    trial --tx xsk --load 500 --duration 0.5
    [[ $stderr == *"latency is by software timestamps from now on"* ]]
    check '.latency == null or (.latency.source | test("hardware receive") | not)'
  done
}

@test "departures that are stamped as those of the frame before are seen to be early" {
  truth tx_fault 2
  truth fault_every 7
  exact
  check '.latency.departure_delay.early > 0'
}

@test "counters that lag by two seconds: those of sent frames are waited for" {
  truth counters_lag_ms 2000
  exact
  [ "$(get '.ports[0].nic_tx_frames >= .trial_result.counts.sent')" = true ] || { get '.ports'; return 1; }
}

@test "launch times with jitter: it is a part of the latency, and known" {
  set_up_launch_time truth0 1
  truth launch_jitter_ns 60000
  exact --launch-time on --duration 2
  # The transmit thread's CPU may have its first turn some ms after the start, so that a few frames of 1000 had no launch time any more
  check '.latency.departure_delay | .p99_ns > 54000 and .p99_ns <= 60000 + .error_bound_ns + 256 and .p50_ns > 15000 and .p50_ns < 45000'
  within .latency.p50_ns "$((WIRE + 30000))"
  wire_is_known
}

# What is not sent is for want of the guest's CPUs, which the tester says.
@test "100 kfps: each frame that was sent is counted, and stamped as it is" {
  before=$(count truth1 'rx_queue_._stamped')
  trial --tx xsk --load 100000 --duration 0.1
  [ "$status" -le 1 ]
  check '.trial_result.counts | .sent >= 1000 and .received == .sent and .duplicate + .malformed + .damaged + .foreign == 0'
  check '.latency.count == .trial_result.counts.sent'
  check ".latency.min_ns >= $((WIRE + SENT)) - .latency.error_bound_ns"
  [ $(($(count truth1 'rx_queue_._stamped') - before)) -ge "$(get .trial_result.counts.sent)" ]
}
