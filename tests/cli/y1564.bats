#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# xdp-mlr y1564 without ports: its options, its plan, and how its results look.
load helper

GOLDEN=tests/golden/y1564-1-xdp.json # a performance test of each service by itself
TOGETHER=tests/golden/y1564-1-together.json
BOTH=tests/golden/y1564-1-both.json # in both directions, one of which loses frames

y1564() {
  "$XDP_MLR" y1564 -p nosuch0,nosuch1 "$@"
}

@test "what no service can be is refused, by name" {
  refuses 2 "--service is missing" y1564
  refuses 2 "--service 'name=a': needs its committed rate above 0" y1564 --service name=a
  refuses 2 "needs its committed rate above 0" y1564 --service cir=0
  refuses 2 "cir 'fast' is not a load" y1564 --service cir=fast
  refuses 2 "no key 'cri', did you mean 'cir'" y1564 --service cri=1kfps
  refuses 2 "cir is given twice" y1564 --service cir=1kfps,cir=2kfps
  refuses 2 "loss 'much' is not a ratio" y1564 --service cir=1kfps,loss=much
  refuses 2 "a ratio must be from 0 to 1" y1564 --service cir=1kfps,availability=101%
  refuses 2 "delay 'soon' is not a duration" y1564 --service cir=1kfps,delay=soon
  refuses 2 "delay and delay-max must be above 0" y1564 --service cir=1kfps,delay=-1
  refuses 2 "delay and delay-max must be above 0" y1564 --service cir=1kfps,delay=0
  refuses 2 "delay and delay-max must be above 0" y1564 --service cir=1kfps,delay-max=0
  refuses 2 "delay, the mean, cannot be above delay-max" y1564 --service cir=1kfps,delay=5ms,delay-max=1ms
  refuses 2 "variation must not be below 0" y1564 --service cir=1kfps,variation=-1
  refuses 2 "the name is empty" y1564 --service name=,cir=1kfps
  for key in delay delay-max variation; do
    refuses 2 "--no-latency.*delay.*service1" y1564 --no-latency --service cir=1kfps,$key=5ms
  done
  refuses 2 "no port 'nosuch0'" y1564 --no-latency --service cir=1kfps,loss=1%
  refuses 2 "another service is called 'a' already" y1564 --service name=a,cir=1kfps --service name=a,cir=1kfps
  refuses 2 "'4096' is no VLAN" y1564 --service cir=1kfps,vlan=4096
  refuses 2 "must be 64 to 9216 octets" y1564 --service cir=1kfps,size=20
  refuses 2 "68" y1564 --service cir=1kfps,vlan=7,size=64
  refuses 2 "at most 16 services" y1564 $(for i in {1..17}; do echo --service cir=1kfps; done)
  refuses 2 "dscp '64' is not a whole number from 0 to 63" y1564 --service cir=1kfps,dscp=64
  refuses 2 "dscp '4.5' is not" y1564 --service cir=1kfps,dscp=4.5
  refuses 2 "no port 'nosuch0'" y1564 --service cir=1kfps,vlan=7:3,dscp=46
}

@test "services that cannot be sent at once are refused before anything is measured, and are not where they need not be" {
  refuses 2 "rates of these services are too far apart" y1564 --service cir=1 --service cir=1Mfps
  refuses 2 "do not meet again within 65536 frames" y1564 --flows 9999 --service cir=1000 --service cir=9999
  # the second may fail its configuration test, and then the others are still sent, at a little less than their rates
  refuses 2 "no port 'nosuch0'" y1564 --service cir=2808,size=imix --service cir=2459 --service cir=2005 --service cir=2006
  refuses 2 "no port 'nosuch0'" y1564 --service cir=2808,size=imix --service cir=2005 --service cir=2006
  refuses 2 "at most 112 streams" "$XDP_MLR" y1564 -p a,b,c,d,e,f,g,h --direction mesh --service cir=1 --service cir=2 --service cir=3
  refuses 2 "no port 'nosuch0'" y1564 --tests configuration --service cir=1 --service cir=1Mfps
  refuses 2 "no port 'nosuch0'" y1564 --service cir=1% --service cir=100%
}

@test "steps grow to all of CIR" {
  refuses 2 "growing parts of CIR" y1564 --service cir=1kfps --cir-steps 50%,25%
  refuses 2 "growing parts of CIR" y1564 --service cir=1kfps --cir-steps 50%,101%
  refuses 2 "must end with all of CIR" y1564 --service cir=1kfps --cir-steps 50%
  refuses 2 "no test 'throughput'.*configuration and performance" y1564 --service cir=1kfps --tests throughput
}

@test "options of a result repeat the run" {
  cp "$GOLDEN" "$BATS_TEST_TMPDIR/r.json"
  run "$XDP_MLR" y1564 --config "$BATS_TEST_TMPDIR/r.json" --dump-config
  [ "$status" -eq 0 ]
  [ "$(grep -c 'cir=' <<<"$output")" -eq 2 ]
}

@test "who asks for figures of it is told that it has none" {
  mkdir "$BATS_TEST_TMPDIR/results"
  cp "$GOLDEN" "$BATS_TEST_TMPDIR/results/r.json"
  refuses 2 "no figure 'loss'" y1564 --service cir=1kfps --require 'loss<=1%'
  refuses 2 "no result of search, soak or rfc2544" "$XDP_MLR" compare "$GOLDEN" "$GOLDEN"
  refuses 2 "holds no result of search, soak or rfc2544" "$XDP_MLR" report "$BATS_TEST_TMPDIR/results"
  printf 'campaign: {name: x, verb: y1564}\n' >"$BATS_TEST_TMPDIR/c.yaml"
  refuses 2 "verb 'y1564': must be search, trial, soak or rfc2544" "$XDP_MLR" campaign run "$BATS_TEST_TMPDIR/c.yaml"
}

@test "YAML has services as the command line" {
  cat >"$BATS_TEST_TMPDIR/c.yaml" <<END
ports: [nosuch0, nosuch1]
service:
  - {name: voice, vlan: 100:5, dscp: 46, cir: 1kfps}
  - {cir: 2kfps}
END
  refuses 2 "no port 'nosuch0'" "$XDP_MLR" y1564 --config "$BATS_TEST_TMPDIR/c.yaml"
  [ "$("$XDP_MLR" y1564 --config "$BATS_TEST_TMPDIR/c.yaml" --dump-config | grep -c 'cir=')" -eq 2 ]
  "$XDP_MLR" y1564 --config "$BATS_TEST_TMPDIR/c.yaml" --dump-config | grep -q 'dscp=46'
}

@test "the terminal says which service is not as agreed, and by what" {
  run "$XDP_MLR" report "$GOLDEN"
  [[ $output == *"Not every service is as agreed."* ]]
  grep -Eq '^  voice +100 % of CIR +10000 +10000 +as agreed +0 % .* passed$' <<<"$output"
  grep -Eq '^  bulk +Policing +11250 +11250 +9000 to 9090 .* FAILED: too much came through$' <<<"$output"
  grep -Eq '^  voice +10000 +2 +0 % .* 0 +100 % +passed$' <<<"$output"
}

@test "a page and Markdown have a card for each service" {
  "$XDP_MLR" report "$GOLDEN" --report "$BATS_TEST_TMPDIR/r.html" --report "$BATS_TEST_TMPDIR/r.md" --quiet >/dev/null
  [ "$(grep -c '<article\|class="card' "$BATS_TEST_TMPDIR/r.html")" -ge 2 ]
  grep -q 'id="configuration-table"' "$BATS_TEST_TMPDIR/r.html"
  grep -q '^### voice: passed$' "$BATS_TEST_TMPDIR/r.md"
  grep -q '^### bulk: FAILED$' "$BATS_TEST_TMPDIR/r.md"
  grep -q '^> .*Policing FAILED: too much came through' "$BATS_TEST_TMPDIR/r.md"
}

@test "a service whose performance was to be tested, and was not, or whose configuration could not be told, has no verdict" {
  card() { # STATE JQ-EXPRESSION
    "$JQ" "del(.changes) | .passed = null | .regular = false | .irregular_reason = \"interrupted\" | $2" "$GOLDEN" >"$BATS_TEST_TMPDIR/r.json"
    "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.md" --quiet >/dev/null
    grep -q "^### voice: $1\$" "$BATS_TEST_TMPDIR/r.md" || { grep '^###' "$BATS_TEST_TMPDIR/r.md"; return 1; }
  }
  local services='.services |= [.[0]]'
  card "passed" "$services"
  card "no verdict" "$services | .services[0].performance = null"
  card "passed" "$services | .services[0].performance = null | .configuration.tests = \"configuration\""
  card "no verdict" "$services | .services[0].configuration |= (.passed = null | .steps[0].passed = null)"
}

@test "what the tester left undecided is told as that, with what limited it, in every form" {
  # shellcheck disable=SC2016
  "$JQ" 'del(.changes) | .services |= [.[0]] | .passed = null | .regular = false | .irregular_reason = "x" | .tester_limited = true
    | "the tester itself was the limit where this would have been decided" as $why
    | .services[0].configuration |= (.passed = null | .regular = false | .irregular_reason = $why | .tester_limited = true
      | .steps[0] |= (.passed = null | .tester_limited = true)
      | .trials[0] |= (.tester_limited = true | .tester_limited_reason = "frames arrived damaged at the receiving interface"))' \
    "$GOLDEN" >"$BATS_TEST_TMPDIR/r.json"
  run "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json"
  grep -q '^Limited by the tester in some trial (frames arrived damaged at the receiving interface)\. ' <<<"$output"
  grep -Eq '^  voice +50 % of CIR .* no verdict \(limited\)$' <<<"$output"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.md" --junit "$BATS_TEST_TMPDIR/r.xml" --quiet
  grep -q '^| Configuration test | no verdict: the tester itself was the limit' "$BATS_TEST_TMPDIR/r.md"
  grep -q 'name="voice: cir 50 %".*<failure message="no verdict: the tester itself was the limit"/>' "$BATS_TEST_TMPDIR/r.xml"
}

@test "CSV has the verdict beside each trial, JUnit a case for each step" {
  "$XDP_MLR" report "$GOLDEN" --report "$BATS_TEST_TMPDIR/r.csv" --junit "$BATS_TEST_TMPDIR/r.xml" --quiet >/dev/null
  # by their place from the end: texts before them have commas
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) before[$i] = NF - i; next }
    { print $(NF - before["service"]), $2, $(NF - before["verdict.step"]), $(NF - before["verdict.passed"]), $(NF - before["verdict.faults.1"]) }' \
    "$BATS_TEST_TMPDIR/r.csv" >"$BATS_TEST_TMPDIR/rows"
  diff "$BATS_TEST_TMPDIR/rows" - <<'END'
voice configuration cir true 
voice configuration cir true 
voice configuration eir true 
voice configuration policing true 
voice performance  true 
bulk configuration cir true 
bulk configuration cir true 
bulk configuration policing false too_much
END
  grep -q '<testsuites tests="9" failures="1">' "$BATS_TEST_TMPDIR/r.xml"
  grep -q 'name="bulk: policing 125 %"><failure message="too_much"/>' "$BATS_TEST_TMPDIR/r.xml"
}

@test "of services that were tested at once each has its own figures, and all have one trial" {
  "$XDP_MLR" report "$TOGETHER" --report "$BATS_TEST_TMPDIR/r.csv" --junit "$BATS_TEST_TMPDIR/r.xml" --report "$BATS_TEST_TMPDIR/r.html" --quiet >/dev/null
  run "$XDP_MLR" report "$TOGETHER"
  [[ $output == *"Service performance test (8.2), all services at once"* ]]
  grep -Eq '^  voice +12000 +2 +16.6 % .* FAILED: loss$' <<<"$output"
  # what each of them is stands on top, not the first one's alone
  grep -Eq '^  Services +voice: .* octets, VLAN .* priority .*, CIR ' <<<"$output"
  grep -Eq '^ +video: .* octets.*, CIR ' <<<"$output"
  grep -Eq '^ +bulk: .* octets.*, CIR ' <<<"$output"
  grep -Eq '^  bulk +9000 +2 +0 % .* passed$' <<<"$output"
  [ "$(grep -o 'id="trials-performance"' "$BATS_TEST_TMPDIR/r.html" | wc -l)" -eq 1 ]
  grep -q 'DSCP' "$BATS_TEST_TMPDIR/r.html"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) before[$i] = NF - i; next }
    $2 == "performance" { print $(NF - before["service"]), $4, $(NF - before["counts.sent [frames]"]), $(NF - before["counts.lost [frames]"]), $(NF - before["verdict.passed"]) }' \
    "$BATS_TEST_TMPDIR/r.csv" >"$BATS_TEST_TMPDIR/rows"
  diff "$BATS_TEST_TMPDIR/rows" - <<'END'
voice 12000 24000 3994 false
video 14000 28000 7987 false
bulk 9000 18000 0 true
END
  grep -q 'name="voice: performance".*<failure message="loss"/>' "$BATS_TEST_TMPDIR/r.xml"
}

@test "of several directions each has its rows, columns and faults, and the figures of a service are the worst and say whose they are" {
  "$XDP_MLR" report "$BOTH" --report "$BATS_TEST_TMPDIR/r.csv" --junit "$BATS_TEST_TMPDIR/r.xml" --report "$BATS_TEST_TMPDIR/r.md" --quiet >/dev/null
  run "$XDP_MLR" report "$BOTH"
  grep -Eq '^  voice +100 % of CIR +t-b to t-a +1953.1 +2.000 Mbit/s +2.312 Mbit/s +1953.1 +as agreed .* passed$' <<<"$output"
  grep -Eq '^  voice +t-a to t-b +1953.1 +2 +0 % .* 0 +100 % +passed$' <<<"$output"
  grep -Eq '^  voice +t-b to t-a +1953.1 +2 +38.8 % .* 1 +100 % +FAILED: loss$' <<<"$output"
  grep -Eq '^  bulk +t-b to t-a +500 +2 +38.9 % .* passed$' <<<"$output"
  grep -qF '> **Performance FAILED: t-b to t-a: loss**' "$BATS_TEST_TMPDIR/r.md"
  grep -qF '| Loss | 38.8 % (t-b to t-a, the worst) |' "$BATS_TEST_TMPDIR/r.md"
  # what was agreed, as it was given, and what that is
  grep -qF '| Committed (CIR) | 2.000 Mbit/s in frames = 1953.1 frames/s (information rate 2.000 Mbit/s, line rate 2.312 Mbit/s) |' "$BATS_TEST_TMPDIR/r.md"
  grep -qF '| Excess (EIR) | 1.000 Mbit/s of the line = 844.6 frames/s (information rate 864.9 kbit/s, line rate 1.000 Mbit/s) |' "$BATS_TEST_TMPDIR/r.md"
  grep -qF '| voice | 2.000 Mbit/s in frames + 1.000 Mbit/s of the line |' "$BATS_TEST_TMPDIR/r.md"
  grep -qF '| Committed (CIR) | 500 frames/s (information rate 2.048 Mbit/s, line rate 2.128 Mbit/s) |' "$BATS_TEST_TMPDIR/r.md"
  grep -qF '<failure message="loss (t-b to t-a)"/>' "$BATS_TEST_TMPDIR/r.xml"
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) before[$i] = NF - i; next }
    $2 == "performance" { print $(NF - before["service"]), $(NF - before["verdict.loss_ratio"]), $(NF - before["verdict.worst_direction.loss_ratio.from"]),
      $(NF - before["verdict.directions.1.counts.lost [frames]"]), $(NF - before["verdict.directions.1.passed"]),
      $(NF - before["verdict.directions.2.to"]), $(NF - before["verdict.directions.2.counts.lost [frames]"]), $(NF - before["verdict.directions.2.passed"]) }' \
    "$BATS_TEST_TMPDIR/r.csv" >"$BATS_TEST_TMPDIR/rows"
  diff "$BATS_TEST_TMPDIR/rows" - <<'END'
voice 0.3883768561187916 t-b 0 true t-a 1517 false
bulk 0.389 t-b 0 true t-a 389 true
END
}

@test "what was written before directions were told apart is still shown" {
  jq -c 'del(.. | .directions?, .worst_direction?, .cir_agreed?, .eir_agreed?)' "$BOTH" >"$BATS_TEST_TMPDIR/r.json"
  run "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json"
  [ "$status" -eq 0 ]
  grep -Eq '^  voice +1953.1 +2 +38.8 % .* FAILED: loss$' <<<"$output"
}

@test "a figure next to what was agreed is not told as that" {
  jq -c '.services[0] |= (.sla.loss_ratio = 0.1664166 | .sla.delay_mean_ns = 6642.7419 | .sla.delay_variation_ns = 76620.4999 |
    .performance |= ((., .directions[]?) |= (.faults = ["loss", "delay", "variation"] | .delay_variation_within_error = true)))' "$TOGETHER" >"$BATS_TEST_TMPDIR/r.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.md"
  run "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json"
  [ "$status" -eq 0 ]
  grep -Eq '^  voice +12000 +2 +16.64167 % +6.6427420 µs +106 µs +76.621 µs .* FAILED: loss, mean delay, delay variation$' <<<"$output"
  grep -qF '| Loss | 16.64167 % |' "$BATS_TEST_TMPDIR/r.md"
  grep -q '| voice .* | 16.64166 % | 6.6427419 µs | 76.6204999 µs | 99 % |' "$BATS_TEST_TMPDIR/r.md"
}
