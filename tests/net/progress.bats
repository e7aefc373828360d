#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The live view while frames are sent: time goes on in it.
bats_require_minimum_version 1.5.0
load helper

@test "while a trial runs its time goes on, and so it does when the terminal becomes narrower" {
  command -v script >/dev/null || skip "script(1) is not here"
  lab_up wire
  cat >"$BATS_TEST_TMPDIR/session" <<END
stty cols 100 rows 30
"$MLR" trial -p "$A,$B" --load 10kfps --duration 4.5 >/dev/null &
sleep 2
stty cols 30
wait \$!
END
  TERM=xterm script -qec "sh $BATS_TEST_TMPDIR/session" /dev/null </dev/null >"$BATS_TEST_TMPDIR/shown"
  for second in 0 1 2 3; do grep -q "trial $A,$B: 0:0$second" "$BATS_TEST_TMPDIR/shown"; done
  # the first lines are whole, the last ones are cut to 29 columns
  grep -q '0:00 elapsed, about 0:04 to go' "$BATS_TEST_TMPDIR/shown"
  grep -a "$B: 0:03" "$BATS_TEST_TMPDIR/shown" | tr -d '\r' | awk '{ sub(/.*\033\[J/, "") } length > 29 { print; bad = 1 } END { exit bad }'
}
