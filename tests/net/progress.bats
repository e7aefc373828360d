#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The progress view while frames are sent: time goes on in it.
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

@test "the time to go counts what trials take beside their duration, as they did so far" {
  lab_up policer:rate=50kfps
  # 20 ms each, and waits of 0.3 s beside; by durations alone no more than 0.4 s for either of two loads are to go
  start search --max-load 200kfps --goal loss=0,final=0.02,sum=0.4 --wait a=0.1,b=0.2,d=0.1,e=0 --metrics "$BATS_TEST_TMPDIR/m.prom"
  until awk '/^xdp_mlr_trials / { trials = $2 } /^xdp_mlr_remaining_seconds/ { said = $2 } END { exit !(trials >= 4 && said > 2) }' \
    "$BATS_TEST_TMPDIR/m.prom" 2>/dev/null; do
    running
    sleep 0.1
  done
  interrupted
}
