#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Links of a known speed and duplex, which macvlans over taps tell: what probe knows of them, a run says, too.
bats_require_minimum_version 1.5.0
load helper

# Ports on taps whose two ends are nowhere: nothing that is sent arrives.
taps_up() { # SPEED DUPLEX of the second one
  local end
  LAB_SUT=none
  for end in a b; do
    "${BUILD:-build}/tests/tools/hold_tap" "$LAB-t$end" &
    background+=("$!")
    until ip link show "$LAB-t$end" >/dev/null 2>&1; do sleep 0.02; done
    ip link set "$LAB-t$end" up
    carried "$LAB-t$end"
  done
  ethtool -s "$LAB-ta" speed 1000 duplex full autoneg off
  ethtool -s "$LAB-tb" speed "$1" duplex "$2" autoneg off
  ip link add "$A" link "$LAB-ta" type macvlan mode private
  ip link add "$B" link "$LAB-tb" type macvlan mode private
  ip link set "$A" up
  ip link set "$B" up
  carried "$A" "$B"
}

teardown() {
  local pid link
  for pid in "${background[@]}"; do kill "$pid" 2>/dev/null || true; done
  "$MLR" clean --quiet >/dev/null
  for link in "$A" "$B" "$LAB-ta" "$LAB-tb"; do ip link del "$link" 2>/dev/null || true; done
}

# How often the last run said that.
said() { # WORDS
  grep -c "$1" <<<"$stderr" || true
}

@test "half duplex is said by a run" {
  taps_up 1000 half
  trial --load 1kfps --duration 0.1 --wait d=0.1
  [ "$(said "$B: its link is half duplex.*autoneg on")" -eq 1 ]
  [ "$(said "$A: its link is half duplex")" -eq 0 ]
  check '[.warnings[] | select(contains("half duplex"))] | length == 1'
}

@test "a load above the speed of the slower port is said, once, and one below it is not" {
  taps_up 1 full # 1488 frames/s
  trial --load 2kfps --duration 0.1 --wait d=0.1
  [ "$(said "load of 2.* kfps is more than the link of port $B carries at 1.* Mbit/s, which is 1.48.* kfps")" -eq 1 ]
  trial --load 1400 --duration 0.1 --wait d=0.1
  [ "$(said "more than the link")" -eq 0 ]
  trial --load max --duration 0.1 --wait d=0.1
  [ "$(said "more than the link of port $B")" -eq 1 ]
  run --separate-stderr "$MLR" search -p "$A,$B" --min-load 1kfps --max-load 4kfps --wait d=0.1 --max-time 2 --format json \
    --goal loss=0,final=0.1,sum=0.1
  [ "$(said "more than the link of port $B")" -eq 1 ]
}

@test "probe: half duplex fails, with a command that lets both ends negotiate" {
  taps_up 100 half
  run --separate-stderr "$MLR" probe --format json -p "$B"
  check '.ports[0].checks[] | select(.name == "speed") | .state == "FAIL" and (.value | contains("half duplex")) and .fix == "ethtool -s '"$B"' autoneg on"'
}

# All that a tap has of this: it hands frames on one by one, or so many at a time.
@test "latency and throughput change what the port has, say so, and it is as before afterwards" {
  LAB_SUT=none A=$LAB-ta B=$LAB-tb
  local end
  for end in a b; do
    "${BUILD:-build}/tests/tools/hold_tap" "$LAB-t$end" &
    background+=("$!")
    until ip link show "$LAB-t$end" >/dev/null 2>&1; do sleep 0.02; done
    ip link set "$LAB-t$end" up
  done
  ethtool -C "$A" rx-frames 32
  trial --load 1kfps --duration 0.1 --wait d=0.1 --prepare auto,latency
  check '.measurer.ports[0].changes | any(.setting == "coalesce" and .was == "rx-frames 32" and .now == "rx-frames 1")'
  [[ $(ethtool -c "$A") == *"rx-frames:"*32* ]]
  # it has no rings: no word of that, unless they are asked for by name
  trial --load 1kfps --duration 0.1 --wait d=0.1 --prepare auto,throughput
  [ "$(said "rings\|energy")" -eq 0 ]
  trial --load 1kfps --duration 0.1 --prepare rings=512
  refused 3 "$A" rings "ethtool -g"
  trial --load 1kfps --duration 0.1 --prepare eee
  refused 3 "$A" energy-efficient
  run --separate-stderr "$MLR" probe --format json -p "$A"
  check '.ports[0].checks[] | select(.name == "coalescing") | .value | contains("rx-frames 32")'
}
