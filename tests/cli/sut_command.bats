#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A stop while --sut-config-command runs: a result all the same, as of any run that is stopped before its first trial.
load helper

# `stopped SIGNAL VERB [options]`: stopped in the second of two commands, which has a child of its own and hears no SIGTERM.
# Neither port nor measurer is touched any more, so ports need not be there.
stopped() {
  local signal=$1 dir=$BATS_TEST_TMPDIR pid code=0
  rm -f "$dir/pids"
  "$XDP_MLR" "${@:2}" --sut-config-command 'echo of the first' \
    --sut-config-command "trap '' TERM; sleep 1000 & echo said; echo \$! \$\$ >$dir/pids; sleep 1000; sleep 1000" \
    --sut-config-command "touch $dir/third" --format json >"$dir/out" 2>"$dir/err" 3>&- &
  pid=$!
  until [ -s "$dir/pids" ]; do sleep 0.02; done
  kill -"$signal" "$pid"
  wait "$pid" || code=$?
  [ "$code" -eq 130 ] || { echo "exit $code: $(cat "$dir/err")"; return 1; }
  for pid in $(cat "$dir/pids"); do wait_until ended "$pid"; done
  [ ! -e "$dir/third" ]
  [ "$(wc -l <"$dir/err")" -eq 1 ]
  grep -q "^xdp-mlr: stopped before --sut-config-command 'trap .* had ended; what it said is not in the result" "$dir/err"
  "${BUILD:-build}"/tests/tools/validate "docs/schema/$2.schema.json" "$dir/out"
  is '.irregular_reason == "interrupted" and ([.sut.configuration[].text] == ["of the first\n"])' <"$dir/out"
}

@test "a search, a trial, a soak and a suite over ports" {
  stopped INT search -p east,west --report "$BATS_TEST_TMPDIR/report.html"
  is '.trials == [] and .measurer.state == "stopped before its ports were ready" and .configuration.ports == "east,west"
    and (.search_result | length == 2 and all(.regular == false and .relevant_lower_bound == null))' <"$BATS_TEST_TMPDIR/out"
  grep -q 'of the first' "$BATS_TEST_TMPDIR/report.html"
  stopped TERM trial -p east,west --load 50%
  is '.trial_result == null' <"$BATS_TEST_TMPDIR/out"
  stopped HUP soak -p east,west
  is '.trials == [] and .critical_load.mean == null' <"$BATS_TEST_TMPDIR/out"
  stopped INT rfc2544 -p east,west --direction both
  is '.frame_sizes == [] and .aggregate_factor == 2' <"$BATS_TEST_TMPDIR/out"
}

@test "over other measurers, of which none is started" {
  stopped INT search --measurer "exec:touch $BATS_TEST_TMPDIR/measured" --max-load 1Mfps
  is '.trials == [] and .measurer.name == "exec" and .measurer.state == "stopped before it was started"' <"$BATS_TEST_TMPDIR/out"
  stopped INT soak --measurer "exec:touch $BATS_TEST_TMPDIR/measured" --max-load 1Mfps
  stopped INT search --measurer "$SIM" --max-load 10Mfps
  is '.trials == [] and .measurer.name == "sim"' <"$BATS_TEST_TMPDIR/out"
  [ ! -e "$BATS_TEST_TMPDIR/measured" ]
}

@test "what a resumed search had stays in its result" {
  simulated --max-time 5 --format json >"$BATS_TEST_TMPDIR/stored.json" || [ $? -eq 1 ]
  is '.trials | length >= 2' <"$BATS_TEST_TMPDIR/stored.json"
  stopped INT search --measurer "$SIM" --resume "$BATS_TEST_TMPDIR/stored.json"
  [ "$("$JQ" '.trials | length' "$BATS_TEST_TMPDIR/out")" -eq "$("$JQ" '.trials | length' "$BATS_TEST_TMPDIR/stored.json")" ]
}
