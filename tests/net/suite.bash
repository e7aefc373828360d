# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the tests of the suite of RFC 2544: a SUT of which every figure is known, and a suite that takes seconds.
load helper

# 20 000 frames/s; of frames sent at 100 000 frames/s each comes 40 us too early, so after 550 us / 40 us of them, and the
# first, one is lost
policer=policer:rate=20000,burst=550us
longest_burst=14

short=(--fast --max-load 100kfps --wait d=0.05 --trial-duration 0.1 --latency-repeats 2 --latency-duration 0.1 --burst-tests 3
  --overload-duration 0.5 --reset-duration 3 --format json)

suite() {
  run --separate-stderr "$MLR" rfc2544 -p "$A,$B" "${short[@]}" ${BURST:+--burst "$BURST"} "$@"
}
