#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --require: what a result must keep to decides the exit code, and stands in the result with its verdict.
load helper

HARD=sim:hard,capacity=1e6

hard() {
  "$XDP_MLR" search --measurer "$HARD" --max-load 10Mfps --format json "$@"
}

@test "a requirement that is met leaves the exit code 0, and stands in the result" {
  run --separate-stderr hard --require 'ndr>=990kfps' --require 'pdr.upper<1.1Mfps'
  [ "$status" -eq 0 ]
  is '.search_result[0].conditional_throughput as $throughput | .search_result[1].relevant_upper_bound as $upper
    | .requirements == [
      {requirement: "ndr>=990kfps", figure: "ndr", comparison: ">=", required: 990000, measured: $throughput, unit: "fps", met: true, reason: null},
      {requirement: "pdr.upper<1.1Mfps", figure: "pdr.upper", comparison: "<", required: 1100000, measured: $upper, unit: "fps", met: true, reason: null}]' \
    <<<"$output"
}

@test "one requirement that is not met makes the exit code 1, whatever the others say" {
  run --separate-stderr hard --require 'ndr>=990kfps' --require 'ndr.lower>=2Mfps' --require 'pdr>1kfps'
  [ "$status" -eq 1 ]
  is '[.requirements[].met] == [true, false, true] and .irregular_reason == null' <<<"$output"
  run --separate-stderr "$XDP_MLR" search --measurer "$HARD" --max-load 10Mfps --require 'ndr>=990kfps' --require 'ndr.lower>=2Mfps'
  [ "$status" -eq 1 ]
  grep -qE '^  ndr>=990kfps +yes +99[0-9]{4}\.[0-9] frames/s$' <<<"$output"
  grep -qE '^  ndr.lower>=2Mfps +NO ' <<<"$output"
  # and says so first, whatever was reached, in the colour of what failed
  grep -qE '^NOT MET: ndr.lower>=2Mfps \(measured 99[0-9]{4}\.[0-9] frames/s\)' <<<"$output"
  hard --require 'ndr.lower>=2Mfps' --report "$BATS_TEST_TMPDIR/page.html" >/dev/null || [ $? -eq 1 ]
  grep -q 'class="banner bad"[^>]*>NOT MET: ndr.lower' "$BATS_TEST_TMPDIR/page.html"
  run grep -c 'class="banner good"' "$BATS_TEST_TMPDIR/page.html"
  [ "$output" -eq 0 ]
}

@test "each comparison does what it says, at the bound too" {
  local value
  value=$(hard | jq '.search_result[0].conditional_throughput')
  for sign in '>=' '<='; do
    run hard --require "ndr$sign$value"
    [ "$status" -eq 0 ]
  done
  for sign in '>' '<'; do
    run hard --require "ndr$sign$value"
    [ "$status" -eq 1 ]
  done
}

@test "a result that does not exist keeps to nothing" {
  run --separate-stderr "$XDP_MLR" search --measurer sim:hard,capacity=1000 --max-load 10Mfps --format json --require 'ndr<=1Mfps'
  [ "$status" -eq 1 ]
  is '.requirements[0] | .met == false and .measured == null and .reason != null' <<<"$output"
}

@test "loads of a requirement have every unit that loads have" {
  # 64 octets: 672 bits on the wire, 512 without preamble and gap
  hard --require 'ndr>=500Mbps-l1' --require 'ndr>=500Mbps-l2' >"$BATS_TEST_TMPDIR/out"
  is '.requirements | .[0].required == 500e6 / 672 and .[1].required == 500e6 / 512' <"$BATS_TEST_TMPDIR/out"
  refuses 2 "--require in %: the line rate is not known here" hard --require 'ndr>=80%'
}

@test "a goal's latency is the worst among the full-length trials at its Relevant Lower Bound" {
  # the measurer gives each trial its number as the 99th percentile, in us
  local measurer='exec:n=0; while read -r q; do n=$((n + 1)); load=${q##*trial_load\":}; load=${load%%[.,\}]*}
    if [ $load -gt 500000 ]; then loss=0.1; else loss=0; fi
    echo "{\"trial_loss_ratio\": $loss, \"latency\": {\"p99_ns\": ${n}000}}"; done'
  run --separate-stderr "$XDP_MLR" search --measurer "$measurer" --max-load 1Mfps --goal name=x,final=1,sum=3 --format json \
    --require 'x.latency.p99<=1us' --require 'x.latency.max<1s'
  [ "$status" -eq 1 ]
  is '.search_result[0].relevant_lower_bound as $load | ([.trials[] | select(.trial_load == $load) | .latency.p99_ns] | max) as $worst
    | .requirements[0] == {requirement: "x.latency.p99<=1us", figure: "x.latency.p99", comparison: "<=", required: 1000,
      measured: $worst, unit: "ns", met: false, reason: null}
    and (.search_result[0].latency | .p99_ns == $worst and .trials >= 2 and (has("max_ns") | not))
    and (.requirements[1] | .met == false and .measured == null)' <<<"$output"
}

@test "a soak has its critical load" {
  run --separate-stderr "$XDP_MLR" soak --measurer "$HARD" --max-load 2Mfps --max-time 120 --format json \
    --require 'critical-load>=0.9Mfps' --require 'critical-load<=0.95Mfps'
  [ "$status" -eq 1 ]
  is '.critical_load.mean as $mean | [.requirements[] | .met, .measured] == [true, $mean, false, $mean]' <<<"$output"
}

@test "what is no requirement, or of no figure, is refused before anything is measured" {
  refuses 2 "--require 'ndr': must be FIGURE>=VALUE" hard --require ndr
  refuses 2 "--require '>=5': must be FIGURE>=VALUE" hard --require '>=5'
  refuses 2 "--require 'nrd>=5': no goal 'nrd', did you mean 'ndr'\?" hard --require 'nrd>=5'
  refuses 2 "--require 'throughput>=5': no goal 'throughput'; there are ndr, pdr" hard --require 'throughput>=5'
  refuses 2 "no figure of a goal 'loewr', did you mean 'lower'\?" hard --require 'ndr.loewr>=5'
  refuses 2 "'ndr>=fast': after the sign must stand a load" hard --require 'ndr>=fast'
  refuses 2 "'ndr>=max': after the sign must stand a load" hard --require 'ndr>=max'
  refuses 2 "'ndr.latency.p99<=5fps': after the sign must stand a duration" hard --require 'ndr.latency.p99<=5fps'
  refuses 2 "'ndr@1518>=5': this run has frames of 64 octets" hard --require 'ndr@1518>=5'
  refuses 2 "'ndr@x>=5': after '@' must stand a frame size" hard --require 'ndr@x>=5'
  refuses 2 "--require 'ndr>=5': no figure 'ndr'; there are loss, " "$XDP_MLR" trial -p a,b --load 5kfps --require 'ndr>=5'
  refuses 2 "--require 'los<=5': no figure 'los', did you mean 'loss'\?" "$XDP_MLR" trial -p a,b --load 5kfps --require 'los<=5'
  refuses 2 "'loss<=1fps': after the sign must stand a ratio" "$XDP_MLR" trial -p a,b --load 5kfps --require 'loss<=1fps'
  refuses 2 "'lost<=few': after the sign must stand a number of frames" "$XDP_MLR" trial -p a,b --load 5kfps --require 'lost<=few'
  refuses 2 "no figure 'latency.p98', did you mean 'latency.p9" "$XDP_MLR" trial -p a,b --load 5kfps --require 'latency.p98<=5us'
  refuses 2 "'ipdv.p99<=5us': is measured with --ipdv only" "$XDP_MLR" trial -p a,b --load 5kfps --require 'ipdv.p99<=5us'
  refuses 2 "'ndr.pdv.p99<=5us': --no-latency measures none" hard --no-latency --require 'ndr.pdv.p99<=5us'
  run --separate-stderr measured "touch $BATS_TEST_TMPDIR/started" --require 'nrd>=5'
  [ ! -e "$BATS_TEST_TMPDIR/started" ]
}

@test "the frame size of a requirement may be said, and a goal's name may have a dot" {
  hard --require 'ndr@64>=5' | is '.requirements[0].met'
  hard --goal name=a --goal name=a.lower --require 'a.lower>=1' --require 'a.lower.lower>=1' --require 'a.upper>=1' |
    is '.search_result as $r | [.requirements[].measured]
      == [$r[1].conditional_throughput, $r[1].relevant_lower_bound, $r[0].relevant_upper_bound]'
}

@test "requirements come from the file too, and are echoed" {
  printf 'measurer: %s\nmax-load: 10Mfps\nformat: json\nrequire:\n  - ndr>=1kfps\n  - pdr>=20Mfps\n' "$HARD" >"$BATS_TEST_TMPDIR/c.yaml"
  run --separate-stderr "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/c.yaml"
  [ "$status" -eq 1 ]
  is '[.requirements[].met] == [true, false] and .configuration.require == ["ndr>=1kfps", "pdr>=20Mfps"]' <<<"$output"
  printf 'measurer: %s\nmax-load: 10Mfps\nrequire: [nrd>=1kfps]\n' "$HARD" >"$BATS_TEST_TMPDIR/c.yaml"
  refuses 2 "c.yaml:3: require 'nrd>=1kfps': no goal 'nrd'" "$XDP_MLR" search --config "$BATS_TEST_TMPDIR/c.yaml"
}

@test "what failed by a hair reads otherwise than what was asked, in any unit" {
  local document figure path required unit text
  while read -r document figure path required unit text; do
    jq --arg figure "$figure" --arg unit "$unit" ".requirements = [{requirement: \"by a hair\", figure: \$figure, comparison: \">=\",
      required: $required, measured: $path, unit: \$unit, met: false, reason: null}]" "tests/golden/$document.json" >"$BATS_TEST_TMPDIR/r.json"
    "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.md"
    grep -qF "(measured $text)" "$BATS_TEST_TMPDIR/r.md" || { grep 'NOT MET' "$BATS_TEST_TMPDIR/r.md"; return 1; }
  done <<'EACH'
trial-1-xdp loss .trial_result.trial_loss_ratio 0.0625 ratio 6.24063 %
trial-1-xdp loss .trial_result.trial_loss_ratio 0.0624063 ratio 6.240625 %
search-1-observed x .search_result[0].conditional_throughput 36105 fps 36 104.5 frames/s
search-1-observed x .search_result[0].conditional_throughput 36104.54013 fps 36 104.54012 frames/s
search-1-observed x.latency.min .search_result[0].latency.min_ns 8036 ns 8.035 µs
search-1-observed x.latency.min .search_result[0].latency.min_ns 8035.2 ns 8035 ns
search-1-observed x.latency.mean .search_result[0].latency.mean_ns 11407879 ns 11 407 878.9 ns
EACH
}

@test "a verdict that lies within the error of its figure says so, met or not" {
  jq '.requirements = [{requirement: "pdv.p99<=110us", figure: "pdv.p99", comparison: "<=", required: 110000, measured: 100000, unit: "ns", met: true,
    reason: "the figure may be off by 20000 ns, which is more than it is from what is required"}]' tests/golden/trial-1-xdp.json >"$BATS_TEST_TMPDIR/trial.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/trial.json" --report "$BATS_TEST_TMPDIR/trial.md"
  grep -q 'yes: the figure may be off by 20000 ns' "$BATS_TEST_TMPDIR/trial.md"
}
