#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The live view while frames are sent: time goes on in it.
bats_require_minimum_version 1.5.0
load helper

@test "while a trial runs its time goes on, and so it does when the terminal becomes narrower" {
  command -v script >/dev/null || skip "script(1) is not here"
  lab_up wire
  # it becomes narrower after two seconds have been shown, and is stopped after three more
  cat >"$BATS_TEST_TMPDIR/session" <<END
seconds() { grep -ao "trial $A,$B: [0-9:]*" "$BATS_TEST_TMPDIR/shown" | sort -u | wc -l; }
stty cols 100 rows 30
"$MLR" trial -p "$A,$B" --load 10kfps --duration 3600 >/dev/null &
until [ \$(seconds) -ge 2 ]; do sleep 0.1; done
stty cols 30
until [ \$(seconds) -ge 5 ]; do sleep 0.1; done
kill -INT \$!
wait \$!
END
  TERM=xterm script -qefc "sh $BATS_TEST_TMPDIR/session" "$BATS_TEST_TMPDIR/shown" </dev/null >/dev/null || [ $? -eq 130 ]
  # the first lines are whole, the last ones are cut to 29 columns
  grep -q 'elapsed, about 59:[0-9]* to go' "$BATS_TEST_TMPDIR/shown"
  grep -a "$B: 0:" "$BATS_TEST_TMPDIR/shown" | tail -n 2 | tr -d '\r' | awk '{ sub(/.*\033\[J/, ""); gsub(/\033\[[0-9]*[AK]/, "") } length > 29 { print; bad = 1 } END { exit bad }'
}
