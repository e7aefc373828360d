#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Power and energy, by a meter that --observe reads, over commands that measure.
load helper

VALIDATE=${BUILD:-build}/tests/tools/validate

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  [[ $XDP_MLR == /* ]] || XDP_MLR=$OLDPWD/$XDP_MLR
  [[ $VALIDATE == /* ]] || VALIDATE=$OLDPWD/$VALIDATE
  SCHEMAS=$OLDPWD/docs/schema
  echo 100 >watts
}

# Every frame above 800 kframes/s is lost, and the power without load is left at the first trial. The meter is read in each trial.
MEASURER='while read -r q; do echo "$q" | jq "100 + .trial_load / 1e4" >new; mv new watts; : >reads
  until [ "$(grep -c . reads)" -ge 3 ]; do sleep 0.05; done
  echo "$q" | jq -c "{trial_loss_ratio: (if .trial_load > 8e5 then 1 - 8e5 / .trial_load else 0 end)}"; done'
METER='while read -r _; do echo "{\"watts\": $(cat watts)}"; echo read >>reads; done'

metered() { # verb, options
  "$XDP_MLR" "$1" --measurer "exec:$MEASURER" --observe "pdu=exec:$METER" --frame-size 125 "${@:2}"
}

@test "a sweep tells the power at each load, and the energy of frames and bits forwarded" {
  local filter
  metered sweep --loads 200kfps..1Mfps/3 --duration 0.2 --idle-duration 0.3 --format json --report r.html --report r.csv >r.json
  "$VALIDATE" --closed "$SCHEMAS/sweep.schema.json" r.json
  is '.power | .frame_size_octets == 125 and (.meters | length) == 1' <r.json
  is '.power.meters[0] | .source == "pdu" and .meter == "watts" and .idle_watts == 100 and .idle_duration >= 0.3' <r.json
  is '[.power.meters[0].trials[] | .load] == [200000, 600000, 1000000]' <r.json
  is '. as $d | [.power.meters[0].trials[] | . as $r | $d.trials[.trial - 1] | .observed[0].gauges.watts.mean == $r.watts] | all' <r.json
  is '[.power.meters[0].trials[] | .watts > 100 and .watts <= 100 + .load / 1e4] | all' <r.json
  is 'def near(a; b): (a - b | fabs) <= 1e-9 * (b | fabs);
    [.power.meters[0].trials[] | ([.load, 8e5] | min) as $rate | near(.joules_per_frame; .watts / $rate) and near(.joules_per_bit; .watts / $rate / 1000)
    and near(.watts_above_idle; .watts - 100) and near(.joules_per_frame_above_idle; (.watts - 100) / $rate)
    and near(.joules_per_bit_above_idle; (.watts - 100) / $rate / 1000)] | all' <r.json
  grep -q 'id="figure-power"' r.html
  head -n 1 r.csv | grep -qF 'power.pdu.watts.joules_per_bit_above_idle'
  run -0 "$XDP_MLR" verify r.json
  for filter in '.power.meters[0].idle_watts = 99' '.power.meters[0].trials[1].joules_per_bit *= 2' '.power.frame_size_octets = null' \
    '.power.meters[0].meter = "x"' 'del(.power.meters[0].trials[2])' '.trials[].observed = []'; do
    jq "$filter" r.json >forged.json
    run -1 "$XDP_MLR" verify forged.json
    [[ $output == *"/power"* ]]
  done
  run -0 "$XDP_MLR" report r.json
  [[ $output == *"pdu: watts. Without load, over "*" s, it was 100 W."* ]]
}

@test "the energy of a bit is of the frames that came" {
  metered sweep --loads 200kfps,1Mfps --duration 0.2 --format json >r.json
  # half of each frame that came
  jq '.trials[1] |= (.trial_forwarding_rate_l2_bps /= 2 | .trial_forwarding_rate_l1_bps -= .trial_forwarding_rate_l2_bps)' r.json >came.json
  run -1 "$XDP_MLR" verify came.json
  [[ $output == *"/power/meters/0/trials/1"* ]]
  jq '.curve.maximum_forwarding_rate as $rate | .power.meters[0].trials[1].joules_per_bit *= 2' came.json >right.json
  run -0 "$XDP_MLR" verify right.json
}

@test "a search has it, too, and without the step the power above idle is not known" {
  metered search --max-load 1Mfps --min-load 500kfps --goal final=0.1,sum=0.1,width=0.3 --format json >r.json
  "$VALIDATE" --closed "$SCHEMAS/search.schema.json" r.json
  is '.power.meters[0] | .idle_watts == null and ([.trials[] | .joules_per_frame > 0 and .joules_per_frame_above_idle == null] | all)' <r.json
  "$XDP_MLR" verify r.json
}

@test "a meter of milliwatts tells watts, also without load, and one of microjoules" {
  METER='n=0; while read -r _; do echo "{\"psu_milliwatts\": $(cat watts), \"gauges\": {\"board_uw\": $(cat watts)}, \"x_microjoules\": $((n += 5000))}"; echo read >>reads; done'
  metered sweep --loads 200kfps..1Mfps/3 --duration 0.2 --idle-duration 0.3 --format json >r.json
  is 'def near(a; b): (a - b | fabs) <= 1e-9 * (b | fabs);
    def trial(meter): .power.meters[] | select(.meter == meter) | [.idle_watts, (.trials[] | .watts)];
    near(trial("psu_milliwatts")[0]; 0.1) and near(trial("board_uw")[0]; 1e-4)
    and ([trial("psu_milliwatts")[1:], [.trials[].observed[0].gauges.psu_milliwatts.mean / 1e3]] | transpose | all(near(.[0]; .[1])))
    and ([trial("x_microjoules")[1:], [.trials[].observed[0].counters.x_microjoules.per_second / 1e6]] | transpose | all(near(.[0]; .[1])))' <r.json
  run -0 "$XDP_MLR" verify r.json
}

@test "without a meter nothing is said of power" {
  "$XDP_MLR" sweep --measurer "exec:while read -r _; do echo '{\"trial_loss_ratio\": 0}'; done" --loads 1kfps --observe 'dut=exec:while read -r _; do echo "{\"x\": 7}"; done' \
    --idle-duration 0.1 --format json >r.json
  is '(has("power") | not) and ([.trials[].observed[0] | has("idle") | not] | all)' <r.json
  run -0 "$XDP_MLR" report r.json
  [[ $output != *Power* ]]
}
