#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --capture-foreign: the frames themselves that came and were not those that were sent, or not as they were sent.
bats_require_minimum_version 1.5.0
load helper

# A trial with the file of what was wrong with it.
captured() { # OPTION...
  file=$BATS_TEST_TMPDIR/foreign.pcapng
  run --separate-stderr "$MLR" trial -p "$A,$B" --format json ${BURST:+--burst "$BURST" --tester-repeats 0} --capture-foreign "$file" "$@"
}

# The file block by block, as draft-ietf-opsawg-pcapng has it: "section", "interface NAME RESOLUTION" or "frame INTERFACE SECONDS NS CAPTURED LENGTH FLAGS
# COMMENT HEX".
blocks() {
  od -An -v -w1 -tu1 "$file" | awk '
    function u16(at) { return o[at] + 256 * o[at + 1] }
    function u32(at) { return u16(at) + 65536 * u16(at + 2) }
    function text(at, n,   s) { s = ""; while (n-- > 0) s = s sprintf("%c", o[at++]); return s }
    function options(at, end,   code, n) {
      split("", option)
      while (at < end && (code = u16(at)) != 0) { n = u16(at + 2); where[code] = at + 4; option[code] = n; at += 4 + int((n + 3) / 4) * 4 }
      if (at + 4 != end) { print "options do not end at " end; exit 1 }
    }
    { o[count++] = $1 }
    END {
      for (at = 0; at < count; at += n) {
        type = u32(at); n = u32(at + 4)
        if (n < 12 || n % 4 || u32(at + n - 4) != n) { print "no block at " at; exit 1 }
        if (type == 168627466) { print "section", u32(at + 8) == 439041101, u16(at + 12) }
        else if (type == 1) { options(at + 16, at + n - 4); print "interface", u16(at + 8), text(where[2], option[2]), o[where[9]] }
        else if (type == 6) {
          kept = u32(at + 20); from = at + 28 + int((kept + 3) / 4) * 4; options(from, at + n - 4)
          # the time has more bits than a number of awk: in two parts, by 2^32 = 4 s + 294967296 ns
          high = u32(at + 12); low = u32(at + 16); ns = high % 1000000000 * 294967296 % 1000000000 + low
          hex = ""; for (i = 0; i < kept; i++) hex = hex sprintf("%02x", o[at + 28 + i])
          printf "frame %d %.3f %d %d %s %s %s\n", u32(at + 8), high * 4.294967296 + low / 1e9, kept, u32(at + 24), u32(where[2]), hex, text(where[1], option[1])
        } else { print "another block, " type; exit 1 }
      }
    }'
}

# What a SUT does is in the file, frame by frame, with this reason.
is_kept() { # SUT REASON COUNTER OPTION...
  local wrong began=$EPOCHSECONDS
  "$MLR" lab down --name "$LAB" --quiet
  lab_up "hostile:$1"
  captured --load 1000 --duration 0.2 --wait d=0.5 "${@:4}"
  [ "$status" -le 1 ] || { echo "$1: exit $status: $stderr"; return 1; }
  wrong=$(get ".trial_result.counts.$3")
  [ "$wrong" -gt 0 ]
  blocks >"$BATS_TEST_TMPDIR/blocks"
  [ "$(head -3 "$BATS_TEST_TMPDIR/blocks")" = "$(printf 'section 1 1\ninterface 1 %s 9\ninterface 1 %s 9' "$A" "$B")" ]
  [ "$(grep -c "^frame .* $2" "$BATS_TEST_TMPDIR/blocks")" -eq "$wrong" ] || { cat "$BATS_TEST_TMPDIR/blocks"; get .trial_result.counts; return 1; }
  # all of them came in, to B unless it says otherwise, in this test, one after the other; and none is there that was not counted
  awk -v port="${port:-1}" -v began="$began" '$1 == "frame" {
      if ($2 != port || $3 < began || $3 > began + 60 || $3 < last || $6 != 1 || $4 != $5 || length($7) != 2 * $4) { print "bad: " $0; bad = 1 }
      last = $3
    } END { exit bad }' "$BATS_TEST_TMPDIR/blocks"
  [ "$(grep -c ^frame "$BATS_TEST_TMPDIR/blocks")" -eq "$(get '.trial_result.counts | .damaged + .malformed + .wrong_length + .misdirected + .fragmented + .overtagged + .foreign + .icmp_errors + .unknown_trial')" ]
  [[ $stderr == *"foreign.pcapng: $(grep -c ^frame "$BATS_TEST_TMPDIR/blocks") foreign or damaged frames"* ]]
}

@test "each frame that is damaged, cut, misdirected or somebody else's is kept, with the reason" {
  is_kept flip-checksum 'damaged: a checksum' damaged
  is_kept flip-payload 'damaged: a checksum' damaged --frame-size 128 --verify all
  # it is what the SUT sent: all but the one octet is as it was, and its length
  awk '$1 == "frame" && $4 != 124 { exit 1 }' "$BATS_TEST_TMPDIR/blocks"
  is_kept flip-type 'damaged: its headers' damaged
  is_kept cut-end 'malformed: the tester.s, but its lengths' malformed --frame-size 128
  is_kept wrong-sequence 'malformed: the tester.s, but of a number' malformed
  is_kept pad 'wrong length' wrong_length --frame-size 128
  is_kept fragment fragmented fragmented --frame-size 128
  is_kept tag overtagged overtagged
  is_kept wrong-trial 'unknown trial: ' unknown_trial
  is_kept storm 'foreign: not' foreign
  is_kept flip-magic 'foreign: not' foreign
  port=0 is_kept give-back misdirected misdirected
}

@test "the first so many are kept, of both ports, and tcpdump reads them" {
  lab_up hostile:flip-magic,every=5
  captured --load 1000 --duration 0.3 --wait d=0.5 --direction both --capture-count 100 # of at most 60 a port
  check '.trial_result.counts.foreign > 100'
  blocks >"$BATS_TEST_TMPDIR/blocks"
  [ "$(awk '$1 == "frame" { n[$2]++ } END { print n[0] + n[1], (n[0] > 0), (n[1] > 0) }' "$BATS_TEST_TMPDIR/blocks")" = "100 1 1" ]
  tcpdump -r "$file" -nn -tt --time-stamp-precision=nano -xx udp >"$BATS_TEST_TMPDIR/dump" 2>/dev/null
  [ "$(grep -c '^[0-9]*\.[0-9]\{9\} IP 198.1[89].0.2.49184 > 198.1[89].0.2.7: UDP, length 18' "$BATS_TEST_TMPDIR/dump")" -eq 100 ]
}

@test "what came before the trial, in its waits, is not kept" {
  lab_up router
  inside ip neighbour replace 198.19.0.99 lladdr 02:00:00:00:00:99 dev sut-b nud permanent
  inside_meanwhile bash -c 'while :; do echo x >/dev/udp/198.19.0.99/9; sleep 0.01; done'
  captured --load 1000 --duration 0.5 --wait a=1 --allow-unsafe=test
  check '.trial_result.counts.foreign > 0'
  [ "$(blocks | grep -c ^frame)" -le "$(get .trial_result.counts.foreign)" ]
}

@test "a trial that is interrupted leaves those that came until then" {
  lab_up hostile:flip-magic,every=1
  file=$BATS_TEST_TMPDIR/foreign.pcapng
  start trial --load 1000 --duration 3600 --capture-foreign "$file"
  flowing 50
  interrupted
  [ "$(blocks | grep -c '^frame 1 .* foreign')" -ge 20 ]
  [[ $stderr == *"foreign.pcapng: "*" foreign or damaged frames"* ]]
}

@test "nothing foreign is a file without frames, and what is not asked for is refused" {
  lab_up wire
  captured --load 1000 --duration 0.1
  [ "$(blocks | cut -d' ' -f1 | paste -sd,)" = section,interface,interface ]
  captured --load 1000 --capture-count 100001
  [ "$status" -eq 2 ] && [[ $stderr == *"--capture-foreign keeps at most 100000"* ]]
  captured --load 1000 --capture-lost "$file"
  [ "$status" -eq 2 ] && [[ $stderr == *"is the file of --capture-"* ]]
  captured --load 1000 --template "$BATS_TEST_TMPDIR/../${BATS_TEST_TMPDIR##*/}/foreign.pcapng"
  [ "$status" -eq 2 ] && [[ $stderr == *"is the file of --capture-"* ]]
  captured --load 1000 --sut-config "$file"
  [ "$status" -eq 2 ] && [[ $stderr == *"is the file of --capture-"* ]]
  run --separate-stderr "$MLR" trial -p "$A,$B" --load 1000 --capture-foreign /nonexistent/x.pcapng
  [ "$status" -eq 2 ] && [[ $stderr == *"--capture-foreign '/nonexistent/x.pcapng': "* ]]
}

# A second tester behind the same bridge, whose frames go to the first one's port.
@test "another tester that sends to a port is told from frames that come late" {
  local other
  lab_up bridge
  inside ip link add "$LAB-x" type veth peer name sut-x
  inside ip link add "$LAB-y" type veth peer name sut-y
  inside ip link set "$LAB-x" netns 1 && inside ip link set "$LAB-y" netns 1
  inside ip link set sut-x master bridge up && inside ip link set sut-y master bridge up
  ip link set "$LAB-x" up && ip link set "$LAB-y" up
  carried "$LAB-x" "$LAB-y"
  MAC=$(cat "/sys/class/net/$B/address")
  "$MLR" trial -p "$LAB-x,$LAB-y" --load 500 --duration 600 --dst-mac "$MAC,$MAC" --allow-unsafe=test --quiet >/dev/null 2>&1 &
  other=$!
  background+=("$other")
  until [ "$(cat "/sys/class/net/$LAB-x/statistics/tx_packets")" -gt 300 ]; do
    [ -e "/proc/$other/exe" ]
    sleep 0.05
  done
  trial --load 1000 --duration 1 --allow-unsafe=test
  check '.trial_result.counts | .unknown_trial > 20 and .late == 0 and .foreign == 0 and .damaged == 0 and .misdirected == 0'
  check '.ports[1].counts.unknown_trial == .trial_result.counts.unknown_trial'
  check '.measurer.late_frames | .total == 0 and .of_others > 20 and .others[0].numbers == 1'
  check '.warnings | any(test("^port '"$B"': [0-9]+ frames carry trial number [0-9]+, which this run has not used: another tester sends to this port"))'
  check '.warnings | any(test("came after their trial")) | not'
  kill -INT "$other"
}
