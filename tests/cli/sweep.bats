#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# sweep: a trial at each of several loads, over simulated SUTs and commands.
load helper

sweep() {
  "$XDP_MLR" sweep --measurer sim:hard,capacity=1e6 "$@"
}

@test "a trial at each load, in the order given, and the figures of the curve" {
  run -0 --separate-stderr sweep --loads 1.5Mfps,100kfps..1Mfps/4,1000010,50kfps --duration 2 --format json
  is '.schema == "xdp-mlr/sweep/1" and .irregular_reason == null and (.tester_limited | not)' <<<"$output"
  is '.loads == [1500000, 100000, 400000, 700000, 1000000, 1000010, 50000] and ([.trials[].trial_load] == .loads)' <<<"$output"
  is '[.trials[].trial_duration] | unique == [2]' <<<"$output"
  is '.curve | .lossless_load == 1e6 and .first_loss_load == 1000010 and .maximum_forwarding_rate == 1e6' <<<"$output"
  is '.curve | .maximum_forwarding_rate_load == 1e6 and (.forwarding_rate_at_maximum_load | round) == 1e6' <<<"$output"
  is '.sweep_duration == 14 and .trials[0].counts.lost == 1e6' <<<"$output"
}

@test "the text, the page with its figures, and a row of CSV for each load" {
  local file=$BATS_TEST_TMPDIR/r
  run -0 --separate-stderr sweep --loads 100kfps..1.5Mfps/15 --report "$file.html" --report "$file.csv" --report "$file.md"
  [[ $output == *"Maximum forwarding rate per interface (RFC 2285, 3.6.3)"*"1.000 Mframes/s"*"No loss up to"*"1000000 frames/s"*"First loss at"*"1100000 frames/s"* ]]
  grep -q '1500000  1.008 Gbit/s     1000000  33.3 %' <<<"$output"
  grep -q 'id="figure-forwarding"' "$file.html"
  grep -q 'id="figure-loss"' "$file.html"
  [ "$(wc -l <"$file.csv")" -eq 16 ]
  head -n 1 "$file.csv" | grep -qF 'trial_load [frames/s],'
  awk -F, 'NR > 1 { sum += $2 } END { exit sum != 12000000 }' "$file.csv"
  grep -q 'Load by load' "$file.md"
}

@test "the counters of the SUT at each load: those of the cause first, at most twelve, the rest counted" {
  local file=$BATS_TEST_TMPDIR/r
  # what names the cause, what grows with the load, what departs from it, a CPU, a gauge, and ten of no interest
  jq '.cause = {rows: [{source: "dut", counter: "tail/errors", kind: "grows"}], sources: [{source: "dut"}]}
    | .trials |= map(.trial_load as $load | .observed = [{source: "dut", whole: true, samples: 3, unchanged: 0, omitted: 5,
      counters: ({"rx/frames": $load, "queue/drops": ($load / 1000), "tail/errors": ([$load - 2e4, 0] | max), "cpu3/busy": ($load / 5e4)}
        + ([range(10) | {key: "idle/\(.)", value: 1}] | from_entries) | with_entries(.value = {change: .value, per_second: .value})),
      gauges: {"depth": {min: 0, mean: 12.345, max: 99}, "worker_use": {min: 0, mean: ($load / 1e5), max: 1}}}])
    | .trials[0].observed[0].counters |= del(.["queue/drops"])' tests/golden/sweep-1-xdp.json >"$file.json"
  run -0 "$XDP_MLR" report "$file.json" --report "$file.html" --report "$file.txt" --report "$file.csv"
  grep -A20 "The SUT's counters, load by load" "$file.txt" >"$file.part"
  [ "$(grep -oE 'queue/drops|cpu3/busy|rx/frames|tail/errors' "$file.part" | tr '\n' ' ')" = "tail/errors cpu3/busy queue/drops " ]
  grep -qE 'worker_use +5 % +15 % +25 % +35 % +45 %' "$file.part"
  grep -qE 'dut +queue/drops +0 ' "$file.part"
  grep -qE 'cpu3/busy +10 % +30 % +50 % +70 % +90 %' "$file.part"
  grep -qE 'depth +12.3' "$file.part"
  grep -q '4 more counters moved' "$file.part"
  grep -q 'id="figure-observed"' "$file.html"
  grep -q 'id="observed-table-1"' "$file.html"
  head -n 1 "$file.csv" | grep -qF 'observed.dut.queue/drops'
  # a share is what is called so
  jq '.trials |= map(.observed = [{source: "dut", whole: true, samples: 3, unchanged: 0, omitted: 0, counters: {"cpu_port_drop": {change: 7, per_second: 0.5}},
      gauges: {"psu_amperes": {min: 0.43, mean: 0.43, max: 0.43}}}])' tests/golden/sweep-1-xdp.json >"$file.json"
  "$XDP_MLR" report "$file.json" --report "$file.txt"
  grep -qE 'cpu_port_drop +0.500' "$file.txt"
  grep -qE 'psu_amperes +0.430' "$file.txt"
  # nothing without them
  "$XDP_MLR" report tests/golden/sweep-1-xdp.json --report "$file.html"
  if grep -q 'id="observed"' "$file.html"; then return 1; fi
}

@test "a counter of the SUT that wraps at 2^32 goes on, one that was reset is said to be, in the second trial, and did not do nothing" {
  local file=$BATS_TEST_TMPDIR/r validate=${BUILD:-build}/tests/tools/validate
  echo 4294967000 >"$BATS_TEST_TMPDIR/count"
  # each trial adds 1000 to a Counter32; the second one restarts what drops
  local measure="while read -r _; do n=\$(cat count); echo \$(((n + 1000) % 4294967296)) >new; mv new count; echo '{\"trial_loss_ratio\": 0.5}'; done"
  local count='while read -r _; do n=$(cat count); d=$n; [ $n -eq 1704 ] && d=5; echo "{\"in\": $n, \"rx_dropped\": $d}"; done'
  run -0 --separate-stderr "$XDP_MLR" sweep --measurer "exec:cd $BATS_TEST_TMPDIR; $measure" --observe "dut=exec:cd $BATS_TEST_TMPDIR; $count" \
    --loads 1000,2000 --format json --report "$file.txt"
  echo "$output" >"$file.json"
  is '.trials | map(.observed[0] | [.counters.in.change, .counters.rx_dropped.change, .reset, .unchanged]) == [[1000, 1000, null, 0], [1000, null, ["rx_dropped"], 0]]' <"$file.json"
  is '.cause.sources[0] | .reset == ["rx_dropped"] and .idle == 0' <"$file.json"
  "$validate" --closed docs/schema/sweep.schema.json "$file.json"
  run -0 "$XDP_MLR" verify "$file.json"
  grep -q 'How many frames the SUT lost is not known' "$file.txt"
  grep -q 'rx_dropped of dut was reset in a trial, so what it did there is not known' "$file.txt"
  grep -qE 'dut +rx_dropped +[0-9]+ +–' "$file.txt"
}

# Half of 4000 frames are lost at 4000 frames/s. Of them a counter counts so many.
counted() { # COUNT LOADS
  echo 0 >"$BATS_TEST_TMPDIR/count"
  local measure="while read -r q; do lost=0; case \$q in *'\"trial_load\": 4000'*) lost=2000; echo $1 >count;; esac
    echo \$lost | jq -c '{trial_loss_ratio: (. / 4000), frames_sent: (if . > 0 then 4000 else 1000 end), frames_lost: .}'; done"
  "$XDP_MLR" sweep --measurer "exec:cd $BATS_TEST_TMPDIR; $measure" --observe "dut=exec:cd $BATS_TEST_TMPDIR; while read -r _; do echo \"{\\\"x/drops\\\": \$(cat count)}\"; done" \
    --loads "$2" --report "$BATS_TEST_TMPDIR/r.txt" -q >/dev/null
  tr '\n' ' ' <"$BATS_TEST_TMPDIR/r.txt" | tr -s ' '
}

@test "of a counter that does not agree the report says how near it is, and on what that rests" {
  local file=$BATS_TEST_TMPDIR/said
  counted 1940 1000,4000 >"$file"
  grep -q 'Nearest is x/drops of dut, which grew by 0.970 a lost frame, and hardly at the highest load without loss' "$file"
  counted 120 1000,4000 >"$file"
  grep -q 'none is near. What grew with them.*may be chance: first x/drops of dut, by 0.06' "$file"
  counted 1940 4000 >"$file"
  grep -q 'Nearest is x/drops of dut, which grew by 0.970 a lost frame. No trial at a load without loss was observed' "$file"
  grep -q 'it grew by nearly the lost frames' "$file"
  # a part of the loss, which no trial without loss confirms, was counted all the same
  counted 1500 4000 >"$file"
  grep -q 'No counter that was observed fits.*nor do several together. No trial at a lower load tells what grows without loss' "$file"
  if grep -q 'nobody counts' "$file"; then return 1; fi
  counted 0 1000,4000 >"$file"
  grep -q 'and none was at a limit only there. They were lost where nobody counts' "$file"
}

# A SUT that passes 3000 frames of a trial. Its counters are what this filter of jq makes of the frames so far, $sent and $lost.
world() { # FILTER LOADS
  local dir=$BATS_TEST_TMPDIR
  echo 0 0 >"$dir/sums"
  cat >"$dir/measure" <<'EOF'
while read -r question; do
  sent=$(jq '.trial_load | floor' <<<"$question") lost=$((sent > 3000 ? sent - 3000 : 0))
  read -r all_sent all_lost <sums
  echo $((all_sent + sent)) $((all_lost + lost)) >sums.new
  mv sums.new sums
  jq -nc "{trial_loss_ratio: ($lost / $sent), frames_sent: $sent, frames_lost: $lost}"
done
EOF
  echo "$1" >"$dir/filter"
  cat >"$dir/count" <<'EOF'
while read -r _; do
  read -r sent lost <sums
  jq -nc --argjson sent "$sent" --argjson lost "$lost" -f filter
done
EOF
  "$XDP_MLR" sweep --measurer "exec:cd $dir; bash measure" --observe "dut=exec:cd $dir; bash count" --loads "$2" -q --format json \
    --report "$dir/r.txt" --report "$dir/r.md" >"$dir/r.json"
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/sweep.schema.json "$dir/r.json"
  "$XDP_MLR" verify "$dir/r.json"
  tr '\n' ' ' <"$dir/r.txt" | tr -s ' ' >"$dir/said"
}

@test "the place of a loss: queues together, several places, what counts always, and what appears at its first event" {
  local said=$BATS_TEST_TMPDIR/said
  # nor is what is transferred, or comes with an interrupt
  world '{"frames_transferred": ($sent - $lost), "overall_rx": $sent, "rx_interrupts": $sent} + ([range(32) | {key: "rxq\(.)_drop", value: (($lost + .) / 32 | floor)}] | from_entries)' 2000,5000
  grep -q 'The SUT lost 2000 frames in 1 trial, and the counters rxq\*_drop (32, most rxq[0-9]*_drop) of dut grew by 2000 together: that is the place' "$said"
  is '.cause | .rules == 3 and (.rows | length) == 1 and (.rows[0] | .counter == "rxq*_drop" and .members == 32 and (.largest | length) == 3)' <"$BATS_TEST_TMPDIR/r.json"
  world '{"a_drop": ($lost * 0.6 | floor), "b_drop": ($lost - ($lost * 0.6 | floor)), "rx": $sent}' 2000,5000
  grep -q 'at several places: 2 counters called after a loss add up to them. a_drop of dut grew by 1200, b_drop of dut grew by 800' "$said"
  world '{"a_drop": ($lost + ($sent / 100 | floor)), "rx": $sent}' 2000,5000
  grep -q 'a_drop of dut grew by 2050, of which it counts 50 also without this loss: that is the place' "$said"
  world '{"rx": $sent} + if $lost > 0 then {"q_drop": $lost} else {} end' 2000,5000
  grep -q 'q_drop of dut grew by 2000: that is the place. It appeared during a trial, and is taken to have begun at 0' "$said"
  world '{"frames_transferred": ($sent - $lost), "overall_rx": $sent, "rx_interrupts": $sent}' 6000
  grep -q 'No counter that was observed fits: .* nor do several together' "$said"
  grep -q 'No loss up to *none: the smallest load lost frames' "$said"
  # what is called after a loss is known where others are left out
  world '{"q_drop": $lost} + ([range(1200) | {key: "c\(.)x", value: $sent}] | from_entries)' 2000,5000
  is '.cause.rows[0] | .counter == "q_drop" and .kind == "exact" and .lower_per_frame == 0' <"$BATS_TEST_TMPDIR/r.json"
  # what counts other things than frames: no share of them
  world '{"cells_dropped": ($lost * 64), "rx": $sent}' 2000,5000
  grep -q '_dropped | .* | 64 | 25.60* |' "$BATS_TEST_TMPDIR/r.md"
}

@test "nothing is said to fit nothing where not all is known" {
  local said=$BATS_TEST_TMPDIR/said
  world '{"rx": $sent} + if $lost > 0 then {"events": ($lost + 7e4)} else {} end' 2000,5000
  grep -q 'No counter whose growth is known fits' "$said"
  grep -q 'Of dut these appeared during a trial, so what they did there is not known: events at 72 *000' "$said"
  world '{"rx": $sent} + if $lost == 0 then {"gone_drop": 5} else {} end' 2000,5000
  grep -q 'No counter whose growth is known fits' "$said"
  grep -q 'Of dut these had no value before a trial or after it, so what they did there is not known: gone_drop' "$said"
  run -1 grep 'did nothing' "$said"
}

@test "its document fits its schema and contradicts nothing; a forged one does" {
  local file=$BATS_TEST_TMPDIR/r.json filter
  sweep --loads 100kfps..1.5Mfps/15 --format json >"$file"
  run -0 "$XDP_MLR" verify "$file"
  run -0 "$XDP_MLR" report "$file"
  for filter in '.curve.lossless_load += 1' '.curve.first_loss_load = null' '.curve.maximum_forwarding_rate *= 2' \
    '.curve.maximum_forwarding_rate_load = 1' '.curve.forwarding_rate_at_maximum_load = 1' '.trials[14].trial_loss_ratio = 0' \
    '.trials[3].counts.received -= 1' 'del(.trials[14])' '.loads[3] = 5' '.tester_limited = true' '.trials |= . + [.[0]]' \
    '.trials[2].trial_load = 0'; do
    jq -c "$filter" "$file" >"$BATS_TEST_TMPDIR/forged.json"
    run "$XDP_MLR" verify "$BATS_TEST_TMPDIR/forged.json"
    [ "$status" -eq 1 ] || { echo "$filter: $status $output"; return 1; }
  done
}

@test "a command measures; events; one that fails ends the sweep with what there is" {
  run -0 --separate-stderr "$XDP_MLR" sweep --measurer "exec:while read -r q; do echo '{\"trial_loss_ratio\": 0.25}'; done" --loads 1000,2000 --format jsonl
  [ "$(jq -r 'select(.event == "trial_finished") | .trial_result.trial_load' <<<"$output" | tr '\n' ' ')" = "1000 2000 " ]
  tail -n 1 <<<"$output" | is '.curve.maximum_forwarding_rate == 1500 and .curve.lossless_load == null'
  run -5 --separate-stderr "$XDP_MLR" sweep --measurer "exec:read -r q; echo '{\"trial_loss_ratio\": 0}'" --loads 1000,2000 --format json
  is '(.trials | length) == 1 and .irregular_reason == "a trial could not be measured"' <<<"$output"
  "$XDP_MLR" verify <(echo "$output") || { echo "$output" >"$BATS_TEST_TMPDIR/part.json" && run -0 "$XDP_MLR" verify "$BATS_TEST_TMPDIR/part.json"; }
}

@test "SIGINT prints what was measured, exit 130" {
  "$XDP_MLR" sweep --measurer 'exec:while read -r line; do sleep 0.1; echo "{\"trial_loss_ratio\": 0}"; done' --loads 1000..2000/1000 \
    --format json >"$BATS_TEST_TMPDIR/r.json" 2>"$BATS_TEST_TMPDIR/err" &
  local pid=$! status=0
  sleep 1
  kill -INT "$pid"
  wait "$pid" || status=$?
  [ "$status" -eq 130 ]
  is '.irregular_reason == "interrupted" and (.trials | length) < 1000 and (.loads | length) == 1000' <"$BATS_TEST_TMPDIR/r.json"
  run -0 "$XDP_MLR" verify "$BATS_TEST_TMPDIR/r.json"
}

@test "bad loads are refused, with what is right" {
  refuses 2 "--loads is missing" sweep
  refuses 2 "'1..2' does not say how many loads" sweep --loads 1..2
  refuses 2 "'max' is none" sweep --loads 1000,max
  refuses 2 "is not a load" sweep --loads 1000,1k
  refuses 2 "is not a load" sweep --loads 1000,
  refuses 2 "behind the slash must stand how many loads" sweep --loads 1..2/1
  refuses 2 "behind the slash must stand how many loads" sweep --loads 1..2/2.5
  refuses 2 "must be of the same unit" sweep --loads 1kfps..1Gbps/3
  refuses 2 "these are 1800 loads" sweep --loads 1000..2000/900,1000..2000/900
  refuses 2 "the line rate is not known" sweep --loads 10%
  refuses 2 "at most 100% of the line rate" sweep --loads 10%..110%/3
}

@test "loads from a file, and the plan" {
  printf 'loads: 100kfps..200kfps/3\nmeasurer: sim:hard,capacity=1e6\n' >"$BATS_TEST_TMPDIR/c.yaml"
  run -0 --separate-stderr "$XDP_MLR" sweep --config "$BATS_TEST_TMPDIR/c.yaml" --format json
  is '.loads == [100000, 150000, 200000] and .configuration.loads == "100kfps..200kfps/3"' <<<"$output"
  run -0 --separate-stderr sweep --loads 100kfps..200kfps/3 --duration 2 --dry-run --format json
  is '.estimate | .trials == 3 and .duration == 6' <<<"$output"
}
