#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Stored results, shown again in every form. The golden ones were measured by earlier versions of the program.
load helper

GOLDEN=tests/golden
ENDINGS="html md csv json txt"

# Fail where a line of standard input matches.
none() { # pattern
  local found
  found=$(grep -iE "$1" | grep -oiE ".{0,40}($1).{0,40}" || true) # in two steps: the second is slow
  [ -n "$found" ] || return 0
  echo "there should be none: $found"
  return 1
}

render() { # document ending: the path of what was rendered
  local to="$BATS_TEST_TMPDIR/$(basename "$1").$2"
  "$XDP_MLR" report "$1" --report "$to" || return
  echo "$to"
}

# The result document that an HTML page carries, taken out by the commands of the guide, as jq reads it.
embedded() { # page
  local form=json
  grep -q '<script type="application/json" id="result">' "$1" || form=gzip
  # shellcheck disable=SC2016
  eval "$(grep -F "application\/$form" docs/guide/reports-and-ci.md | sed 's/today\.html/"$1"/')" | jq -S .
}

@test "with too little memory a report is whole, or there is none" {
  if nm -D "$XDP_MLR" | grep -q asan; then skip "sanitizers take terabytes of addresses"; fi
  local dir=$BATS_TEST_TMPDIR form code kb=4000 whole=0 none=0
  jq -c '.trials = [range(12) as $i | .trials[]] | del(.trials[].decision, .trials[].warmup)' "$GOLDEN/search-1-sim.json" >"$dir/many.json"
  "$XDP_MLR" report "$dir/many.json" --report "$dir/whole.html" --report "$dir/whole.txt"
  while [ "$whole" -lt 3 ] && [ "$kb" -lt 1000000 ]; do # from where not even the program starts
    kb=$((kb + 900))
    rm -f "$dir"/r.*
    code=0
    (ulimit -v $kb && exec "$XDP_MLR" report "$dir/many.json" --report "$dir/r.html" --report "$dir/r.txt") 2>"$dir/err" || code=$?
    for form in html txt; do
      if [ $code -eq 0 ] || [ -e "$dir/r.$form" ]; then cmp "$dir/whole.$form" "$dir/r.$form"; fi
    done
    case $code in
    0) whole=$((whole + 1)) ;;
    3) none=$((none + 1)) && whole=0 && grep -q "out of memory" "$dir/err" ;;
    *) [ "$code" -ge 127 ] && [ "$none" -eq 0 ] ;; # a shell's, and the loader's
    esac || { echo "$kb kB: exit $code: $(cat "$dir/err")"; return 1; }
  done
  [ "$none" -gt 3 ]
}

# The least memory, in kB, with which `xdp-mlr $@` ends well: to 1000 kB.
least_memory() {
  local low=0 high=400000 middle
  while [ $((high - low)) -gt 1000 ]; do
    middle=$(((low + high) / 2))
    if (ulimit -v $middle && exec "$XDP_MLR" "$@") >/dev/null 2>&1; then high=$middle; else low=$middle; fi
  done
  echo $high
}

@test "a text of thousands of trials takes a kilobyte of memory for each, and next to none beside the document, explained or not" {
  if nm -D "$XDP_MLR" | grep -q asan; then skip "sanitizers take terabytes of addresses"; fi
  local many=$BATS_TEST_TMPDIR/many.json document few
  jq -c '.trials as $t | .trials = [range(6000) as $i | $t[$i % ($t | length)]] | del(.trials[].decision, .trials[].warmup)' "$GOLDEN/search-1-sim.json" >"$many"
  few=$(least_memory verify "$GOLDEN/search-1-sim.json")
  document=$(least_memory verify "$many")
  echo "$few kB, of 6000 trials $document kB"
  [ $((document - few)) -lt 7000 ]
  (ulimit -v $((document + 3000)) && exec "$XDP_MLR" report "$many" --quiet >"$BATS_TEST_TMPDIR/out")
  (ulimit -v $((document + 3000)) && exec "$XDP_MLR" report "$many" --quiet --explain >"$BATS_TEST_TMPDIR/explained")
  [ "$(wc -l <"$BATS_TEST_TMPDIR/explained")" -gt 6000 ]
}

@test "each golden result is rendered in every form" {
  local file ending page
  for file in "$GOLDEN"/*.json "$GOLDEN"/*.jsonl; do
    for ending in $ENDINGS; do
      page=$(render "$file" $ending)
      [ -s "$page" ]
    done
    run --separate-stderr "$XDP_MLR" report "$file"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$output" = "$(cat "$BATS_TEST_TMPDIR/$(basename "$file").txt")" ]
  done
}

@test "the page carries exactly the document it shows" {
  local file page
  for file in "$GOLDEN"/*.json; do
    page=$(render "$file" html)
    diff <(embedded "$page") <(jq -S . "$file")
    diff <(jq -S . "$(render "$file" json)") <(jq -S . "$file")
  done
}

@test "what is looked up stands folded: every clause, and the units at the end" {
  local page
  simulated --format json >"$BATS_TEST_TMPDIR/now.json"
  page=$(render "$BATS_TEST_TMPDIR/now.json" html)
  grep -q '<details id="checklist-fold">' "$page"
  [ "$(grep -oE '<details id="[a-z-]*"|<h2 id="[a-z-]*"' "$page" | tail -n 1)" = '<details id="units"' ]
  # paper has no folds
  grep -q 'details::details-content{' "$page"
}

@test "the page needs nothing from elsewhere, and no script" {
  local file page
  for file in "$GOLDEN"/*.json; do
    page=$(render "$file" html)
    sed '/<script type="application\//,/<\/script>/d' "$page" |
      none '<(script|link|img|iframe|object|embed|base)|src=|@import|url\(|href="[^#]|on(load|click|error)='
    [ "$(grep -c '<script' "$page")" -eq 1 ]
  done
}

@test "a long word makes no page wider than a phone: it may be broken everywhere but in tables, which scroll" {
  local page style
  jq --arg word "$(printf 'W%.0s' {1..200})" '.environment.version = $word | .sut.name = $word | .notes = [$word] | .environment.hostname = $word' \
    "$GOLDEN/search-1-xdp.json" >"$BATS_TEST_TMPDIR/long.json"
  page=$(render "$BATS_TEST_TMPDIR/long.json" html)
  sed -n '/<style>/,/<\/style>/p' "$page" | tr '}' '\n' >"$BATS_TEST_TMPDIR/style"
  # who may not break a line, or a word
  [ "$(grep -E 'white-space:(nowrap|pre)[;"]?$|white-space:(nowrap|pre);' "$BATS_TEST_TMPDIR/style" | sed 's/{.*//' | tr -d '\n')" = ".statetd" ]
  [ "$(grep 'overflow-wrap:normal' "$BATS_TEST_TMPDIR/style" | sed 's/{.*//' | tr -d '\n')" = "td,th" ]
  grep -qx 'main{overflow-wrap:anywhere' "$BATS_TEST_TMPDIR/style"
  grep -q '^\.sheet{.*overflow-x:auto' "$BATS_TEST_TMPDIR/style"
  # every table is in what scrolls, and what is shown is in main
  [ "$(grep -o '<table' "$page" | wc -l)" -eq "$(grep -oE '<div class="sheet[a-z ]*"><table' "$page" | wc -l)" ]
  sed -n '/<body>/,$p' "$page" | sed '/<main/,/<\/main>/d; /<svg class="defs"/,/<\/svg>/d; /<script/,/<\/script>/d; s/<[^>]*>//g' | none '[^[:space:]]'
  none 'class="state">[^<]{30}' <"$page"
  [ "$(grep -o 'W\{200\}' "$page" | wc -l)" -gt 3 ]
}

@test "eight ports stand in tables that a page is wide enough for, and a search of eight long names on six sheets" {
  local goals=() page i
  jq '.measurer.ports |= [range(8) as $i | .[$i % 2] + {name: "enp13\($i)s0f1np1", destination_mac_source: "learned by neighbour discovery"}]' \
    "$GOLDEN/search-1-xdp.json" >"$BATS_TEST_TMPDIR/mesh.json"
  page=$(render "$BATS_TEST_TMPDIR/mesh.json" html)
  for i in '' -2 -3; do grep "table id=\"measurer-ports$i\"" "$page" | grep -o '<th ' | wc -l; done >"$BATS_TEST_TMPDIR/columns"
  [ "$(tr '\n' ' ' <"$BATS_TEST_TMPDIR/columns")" = "4 4 3 " ]
  for i in {0..7}; do [ "$(grep -o "<th [^>]*>enp13${i}s0f1np1" "$page" | wc -l)" -eq 1 ]; done
  none 'measurer-ports-2' <"$(render "$GOLDEN/search-1-xdp.json" html)"
  # A sentence for each goal that allows more loss than others are wide, not for each pair
  for i in {1..8}; do
    goals+=(--goal "name=a-goal-of-a-customer-with-a-very-long-name-of-sixty-letters-$i,loss=0.00$i,exceed=0.5,initial=1,final=1,sum=21,width=0.005")
  done
  simulated "${goals[@]}" --format json --report "$BATS_TEST_TMPDIR/goals.html" -q >"$BATS_TEST_TMPDIR/goals.json"
  is '[.warnings[] | select(startswith("Goals "))] | length == 3 and (.[2] | test("as of 6 more of less loss"))' <"$BATS_TEST_TMPDIR/goals.json"
  command -v chromium >/dev/null && command -v pdfinfo >/dev/null || return 0
  chromium --headless --no-sandbox --disable-gpu --user-data-dir="$BATS_TEST_TMPDIR/profile" --no-pdf-header-footer \
    --print-to-pdf="$BATS_TEST_TMPDIR/goals.pdf" "file://$BATS_TEST_TMPDIR/goals.html" 2>/dev/null
  [ "$(pdfinfo "$BATS_TEST_TMPDIR/goals.pdf" | sed -n 's/^Pages: *//p')" -le 6 ]
}

@test "every figure has labelled axes, a title and a description" {
  local figures page
  page=$(render "$GOLDEN/search-1-xdp.json" html)
  figures=$(grep -c '<svg id="figure-' "$page")
  [ "$figures" -eq 3 ] # the course of both goals, loss, latency
  [ "$(grep -c 'role="img" aria-labelledby=' "$page")" -eq "$figures" ]
  [ "$(grep -oc '<title id="figure-[a-z0-9-]*-title">[^<]' "$page")" -eq "$figures" ]
  [ "$(grep -o '<desc id="figure-[a-z0-9-]*-desc">[^<]' "$page" | wc -l)" -eq "$figures" ]
  [ "$(grep -oE '>Load(, closing in)? \(kframes/s\)<' "$page" | wc -l)" -eq 4 ]
  grep -q '>Trial Loss Ratio (%)<' "$page"
  grep -q '>Latency (µs)<' "$page"
  [ "$(grep -c '<svg id="figure-estimate"' "$(render "$GOLDEN/soak-1-sim.json" html)")" -eq 1 ]
  [ "$(grep -c '<svg id="figure-percentiles"' "$(render "$GOLDEN/trial-1-xdp.json" html)")" -eq 1 ]
}

# The bounds in which a goal of a search ends, as the figure of its course describes them: "LOWER UPPER", in tenths of a frame/s.
ends_at() { # page number
  grep -o '<desc id="figure-course-1-desc">[^<]*' "$1" | sed 's/In the end/\n&/g' | grep '^In the end' | sed -n "$2p" |
    sed 's/.*Lower Bound[^0-9]* is //; s/frames.s.*Upper Bound//; s/[^0-9. ]//g; s/[. ]*$//' | tr -s ' '
}

@test "the course of a search ends at its bounds, for every algorithm, and has every trial as good or bad as it was" {
  local algorithm goal page style condition
  for algorithm in mlr phased binary tst009; do
    simulated --algorithm $algorithm --format json --goal name=strict,loss=0,final=1,sum=2 --goal name=lenient,loss=0.005,final=1,sum=2 >"$BATS_TEST_TMPDIR/r.json"
    page=$(render "$BATS_TEST_TMPDIR/r.json" html)
    for goal in 0 1; do
      read -r lower upper <<<"$(ends_at "$page" $((goal + 1)))"
      "$JQ" -e --argjson g $goal --arg l "$lower" --arg u "$upper" '.search_result[$g]
        | ($l | tonumber) - .relevant_lower_bound | fabs < 0.06' "$BATS_TEST_TMPDIR/r.json"
      "$JQ" -e --argjson g $goal --arg l "$lower" --arg u "$upper" '.search_result[$g]
        | ($u | tonumber) - .relevant_upper_bound | fabs < 0.06' "$BATS_TEST_TMPDIR/r.json"
    done
    sed -n '/<svg id="figure-course-1"/,/<\/svg>/p' "$page" >"$BATS_TEST_TMPDIR/course.svg"
    while read -r style condition; do # each trial twice, in either panel
      [ "$(grep -oE "class=\"mark (edge-)?$style\"" "$BATS_TEST_TMPDIR/course.svg" | wc -l)" -eq "$(jq \
        "[.trials[] | select((.warmup | not) and (.trial_loss_ratio | $condition))] | length * 2" "$BATS_TEST_TMPDIR/r.json")" ]
    done <<<'good . == 0
      second . > 0 and . <= 0.005
      bad . > 0.005'
    grep '<p class="legend">' "$page" | grep 'bad for strict alone' | grep -q 'Relevant Upper Bound of lenient'
  done
}

@test "each rate of a result, and the load of each trial, stands in frames/s and on the link" {
  "$XDP_MLR" report "$GOLDEN/search-1-xdp.json" --report "$BATS_TEST_TMPDIR/r.md"
  grep -q '^| Trial | Load (frames/s) | on the link (L1) | Duration (s) |' "$BATS_TEST_TMPDIR/r.md"
  [ "$(grep -o 'on the link (L1) |' <<<"$(grep '^| Goal | Result |' "$BATS_TEST_TMPDIR/r.md")" | wc -l)" -eq 3 ]
}

@test "what is said of a trial ends without a separator where no goal chose it" {
  jq 'del(.trials[].decision)' "$GOLDEN/search-1-limited.json" >"$BATS_TEST_TMPDIR/d.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/d.json" --report "$BATS_TEST_TMPDIR/r.md"
  grep -q '^| 3 .*| limited |' "$BATS_TEST_TMPDIR/r.md"
  none '; *\|' <"$BATS_TEST_TMPDIR/r.md"
}

@test "paper has the first rows of long tables and says where the others are; a column of zeros is a sentence" {
  local page trials
  trials=$(jq '.trials | length' "$GOLDEN/search-1-sim.json")
  page=$(render "$GOLDEN/search-1-sim.json" html)
  grep -q '<div class="sheet[ a-z]* many"><table id="trial-fold-table">' "$page"
  grep -q "<p class=\"paper\">On paper stand the first 20 of $trials rows\\." "$page"
  grep -qF '.many tbody tr:nth-child(n+21){display:none}' "$page"
  none 'class="paper"' <"$(render "$GOLDEN/search-1-xdp.json" html)"
  # what is seldom more than 0 is a column where it is
  for page in "$(render "$GOLDEN/search-1-observed.json" html)" "$(render "$GOLDEN/search-1-limited.json" html)"; do
    grep 'id="trial-fold-table"' "$page" | grep -c 'Performed again' || true
    grep -c '<p>In every row these are 0: [^<]*Performed again' "$page" || true
  done >"$BATS_TEST_TMPDIR/columns"
  [ "$(tr '\n' ' ' <"$BATS_TEST_TMPDIR/columns")" = "0 1 1 0 " ]
}

@test "without telemetry of the SUT a report is the same, but for the section of causes" {
  jq 'walk(if type == "object" then del(.observed, .cause) else . end)' "$GOLDEN/search-1-observed.json" >"$BATS_TEST_TMPDIR/plain.json"
  "$XDP_MLR" report "$GOLDEN/search-1-observed.json" --report "$BATS_TEST_TMPDIR/observed.md"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/plain.json" --report "$BATS_TEST_TMPDIR/plain.md"
  sed '/^## Where the SUT lost them/,/did nothing in any trial/d' "$BATS_TEST_TMPDIR/observed.md" | cat -s >"$BATS_TEST_TMPDIR/cut.md"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/cut.md")" -lt "$(wc -l <"$BATS_TEST_TMPDIR/observed.md")" ]
  diff "$BATS_TEST_TMPDIR/cut.md" <(cat -s "$BATS_TEST_TMPDIR/plain.md")
  none 'id="cause"|id="figure-cause' <"$(render "$BATS_TEST_TMPDIR/plain.json" html)"
}

# What the section of causes says, where the golden document has its rows through this filter of jq.
said_of_rows() { # FILTER
  jq ".search_result[0].cause.rows |= ($1)" "$GOLDEN/search-1-observed.json" >"$BATS_TEST_TMPDIR/rows.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/rows.json" --report "$BATS_TEST_TMPDIR/rows.txt"
  tr '\n' ' ' <"$BATS_TEST_TMPDIR/rows.txt" | tr -s ' '
}

@test "the sentence of a cause says how much of the loss it explains" {
  # a CPU that others use lost all of them, a part, or one of the CPUs that did
  said_of_rows . | grep -o 'The SUT lost 2020 frames in 1 trial at a CPU that has no time left'
  said_of_rows '.[1] |= (.kind = "grows" | .change = 1200 | .per_lost_frame = 0.594)' | grep -o 'lost 2020 frames in 1 trial, 1200 of them at a CPU'
  said_of_rows '.[1] |= (.counter = "softnet/cpu*/dropped" | .members = 2 | .largest = [{counter: "softnet/cpu1/dropped", change: 1300}])' |
    grep -o 'lost 2020 frames in 1 trial, 1300 of them at a CPU'
  said_of_rows '.[:1]' | grep -o 'lost 2020 frames in 1 trial, at least half of them at a CPU'
  # a sum of places that agrees stands behind a place that nearly does: it is no counter that does not agree
  said_of_rows '[.[1] | .kind = "grows" | .change = 2081 | .per_lost_frame = 1.03] + .[2:]' >"$BATS_TEST_TMPDIR/said"
  none 'No counter agrees' <"$BATS_TEST_TMPDIR/said"
  grep -o 'and the counter link/sut-a/rx_dropped of sut, a sum of places, grew by 2020. The place nearest to it is softnet/cpu1/dropped of sut, which grew by 1.030' \
    "$BATS_TEST_TMPDIR/said"
  # a limit beside a counter of a part
  said_of_rows '[.[0] | .counter = "conntrack/use" | .kind = "saturated" | .gauge = true] + [.[1] | .kind = "grows" | .change = 1200 | .per_lost_frame = 0.594]' |
    grep -o 'No counter agrees with the 2020 lost frames. But conntrack/use of sut was at its limit'
  # the tester itself is a program of this machine
  jq '.measurer.ports |= map(.transmit_cpus = "1")' "$GOLDEN/search-1-observed.json" >"$BATS_TEST_TMPDIR/own.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/own.json" | tr '\n' ' ' | tr -s ' ' | grep -o 'sut counts this machine. The tester sends from CPU 1: there it is one of the programs.'
  # frames that came late were lost nowhere
  jq '.measurer.late_frames.total = 12' "$GOLDEN/search-1-observed.json" >"$BATS_TEST_TMPDIR/late.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/late.json" | tr '\n' ' ' | tr -s ' ' | grep -o 'Where the SUT lost them.*12 frames came after their trial, which counts as lost what is no copy: the SUT had them, and no counter tells of that. The SUT lost'
}

@test "the figure of counters that agree only together has their sum" {
  local page=$BATS_TEST_TMPDIR/page
  jq '(.trials[] | select(.counts.lost == 2020) | .observed[0].counters) |= (.["softnet/cpu1/dropped"].series = [0, 0, 64, 1020, 1020, 1020]
      | .["softnet/cpu2/dropped"] = {change: 1000, per_second: 3000, series: [0, 0, 63, 1000, 1000, 1000]})
    | .search_result[0].cause.rows |= [.[1] | .counter = "softnet/cpu*/dropped" | .members = 2 | .largest = [{counter: "softnet/cpu1/dropped", change: 1020}]]' \
    "$GOLDEN/search-1-observed.json" >"$BATS_TEST_TMPDIR/family.json"
  lines() { grep -o '<path class="line curve c[12]"[^>]*>' <(sed -n '/<svg id="figure-cause-1"/,/<\/svg>/p' "$1"); }
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/family.json" --report "$page.html"
  [ "$(lines "$page.html" | wc -l)" -eq 2 ]
  diff <(lines "$page.html") <(lines "$(render "$GOLDEN/search-1-observed.json" html)")
  grep -q 'softnet/cpu\*/dropped (2, most softnet/cpu1/dropped)' "$page.html"
}

@test "a figure's axis of trials ends at the last one" {
  local page
  page=$(render "$GOLDEN/search-1-xdp.json" html)
  sed -n '/<svg id="figure-course-1"/,/<\/svg>/p' "$page" | grep -o 'class="tick mid"[^>]*>[0-9]*' | sed 's/.*>//' >"$BATS_TEST_TMPDIR/ticks"
  [ "$(tail -n 1 "$BATS_TEST_TMPDIR/ticks")" -eq "$(jq '.trials | length' "$GOLDEN/search-1-xdp.json")" ]
}

@test "no column in which nothing stands, no raw list, no empty row" {
  local ending page
  for ending in html md; do
    page=$(render "$GOLDEN/search-1-xdp.json" $ending)
    none 'Damaged|Allow unsafe|destination MAC source the|source address [0-9]' <"$page"
    grep -q 'Destination MAC source' "$page" # a row of a table of the ports
    grep -q 'Source address' "$page"
  done
}

@test "no page is wider than a phone, and no table is cut at 1280 px, whatever is unfolded" {
  command -v chromium >/dev/null || skip "chromium(1) is not here"
  run tools/look --measure "$BATS_TEST_TMPDIR/look"
  [ "$status" -eq 0 ]
  [ "$(wc -l <<<"$output")" -eq "$(find "$GOLDEN" -name '*.json' | wc -l)" ] || { echo "$output"; return 1; } # nothing is wider
  [ "$(awk '$2 != 390' <<<"$output")" = "" ] || { echo "$output"; return 1; }
  # and one that is, is seen
  sed -i 's|</main>|<div style="width:500px">too wide</div></main>|' "$BATS_TEST_TMPDIR/look/soak-1-sim.html"
  run tools/look --measure "$BATS_TEST_TMPDIR/look" "$BATS_TEST_TMPDIR/look/soak-1-sim.html"
  [[ $output == *"soak-1-sim.html wider: DIV  too wide"* ]]
  sed -i 's|<th scope="col"|<th style="min-width:1200px"|' "$BATS_TEST_TMPDIR/look/soak-1-sim.html"
  run tools/look --measure "$BATS_TEST_TMPDIR/look" "$BATS_TEST_TMPDIR/look/soak-1-sim.html"
  [[ $output == *"soak-1-sim.html cut: "* ]]
}

@test "a search takes at most 6 sheets of paper, a sweep or a suite hardly more" {
  command -v chromium >/dev/null && command -v pdfinfo >/dev/null || skip "chromium(1) and pdfinfo(1) are not here"
  local documents=() name
  for name in search-1-sim search-1-observed sweep-1-xdp rfc2544-1-xdp; do documents+=("$GOLDEN/$name.json"); done
  run tools/look --pages "$BATS_TEST_TMPDIR/look" "${documents[@]}"
  [ "$(awk '$2 >= 1 && $2 <= (/rfc2544/ ? 8 : 6)' <<<"$output" | wc -l)" -eq 4 ] || { echo "$output"; return 1; }
}

@test "a burst that is the longest that is sent is one at least" {
  "$JQ" '.frame_sizes[1].back_to_back.reached_max_burst = true' "$GOLDEN/rfc2544-1-xdp.json" >"$BATS_TEST_TMPDIR/r.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --report "$BATS_TEST_TMPDIR/r.md" --quiet >/dev/null
  [ "$(grep -c 'Longest burst without loss, at least | 75 frames' "$BATS_TEST_TMPDIR/r.md")" -eq 1 ]
  [ "$(grep -c '^| 512 | .* at least: the longest burst that is sent lost nothing | regular' "$BATS_TEST_TMPDIR/r.md")" -eq 1 ]
}

@test "the suite: a figure and a table a test, the theoretical line where the medium has a rate" {
  local file=$GOLDEN/rfc2544-1-xdp.json page id
  page=$(render "$file" html)
  for id in figure-throughput figure-latency figure-loss figure-course-1 figure-course-2 figure-course-3 throughput-table \
    latency-table loss-table burst-table recovery-table suite-reset size-1 size-2 size-3; do
    grep -q " id=\"$id\"" "$page"
  done
  [ "$(grep -oE '>(Frame rate \(kframes/s\)|Frame size \(octets\)|Frame loss rate \(%\))</text>' "$page" | sort | uniq -c | wc -l)" -eq 3 ]
  grep -q 'The ports have no line rate' "$page"
  none 'class="line theory" d="M' <<<"$(grep -v legend "$page")"
  jq -c '.frame_sizes[] |= (.line_rate = 1e6 | .throughput.line_rate_ratio = .throughput.throughput / 1e6)' "$file" >"$BATS_TEST_TMPDIR/rate.json"
  grep -q 'class="line theory" d="M' "$(render "$BATS_TEST_TMPDIR/rate.json" html)"
}

@test "the axes of the loss curve go from 0 to 100 %, and the points stand where they belong" {
  local page curve
  page=$(render "$GOLDEN/rfc2544-1-xdp.json" html)
  sed -n '/id="figure-loss"/,/<\/svg>/p' "$page" >"$BATS_TEST_TMPDIR/loss.svg"
  [ "$(grep -o 'class="tick [a-z]*" x="[0-9.]*" y="[0-9.]*">[0-9]*<' "$BATS_TEST_TMPDIR/loss.svg" | sed 's/.*>//' | sort -n | uniq -c |
    awk '{ printf "%s ", $1 $2 }')" = "20< 210< 220< 230< 240< 250< 260< 270< 280< 290< 2100< " ]
  # the first point is 100 % of the rate: at the right edge of the frame
  curve=$(grep -o 'class="line curve c1" d="M[0-9.]*' "$BATS_TEST_TMPDIR/loss.svg" | sed 's/.*M//')
  awk -v x="$curve" -v frame="$(grep -o '<rect class="frame" x="[0-9.]*" y="[0-9.]*" width="[0-9.]*"' "$BATS_TEST_TMPDIR/loss.svg" |
    sed 's/[^0-9.]*x="\([0-9.]*\)".*width="\([0-9.]*\)"/\1 \2/')" 'BEGIN { split(frame, f, " "); exit !(x == f[1] + f[2]) }'
}

@test "a loss curve of more sizes than colours has each in its legend, and no two are alike" {
  local page
  jq -c '.frame_sizes = [.frame_sizes[0] as $one | (64, 128, 256, 512, 1024, 1280, 1518) as $o | $one | .frame_size = "\($o)" | .frame_size_octets = $o]' \
    "$GOLDEN/rfc2544-1-xdp.json" >"$BATS_TEST_TMPDIR/sizes.json"
  page=$(render "$BATS_TEST_TMPDIR/sizes.json" html)
  # the legend stands above its figure
  grep -B 1 'id="figure-loss"' "$page" | grep -o '<use href="#mark-[a-z]*" class="[^"]*"[^>]*></svg>[0-9]* octets\|<use href="#mark-[a-z]*" class="[^"]*"[^/]*/></svg>[0-9]* octets' |
    sed 's/x="[^/]*//' >"$BATS_TEST_TMPDIR/legend"
  [ "$(grep -o '[0-9]* octets' "$BATS_TEST_TMPDIR/legend" | tr '\n' ' ')" = "64 octets 128 octets 256 octets 512 octets 1024 octets 1280 octets 1518 octets " ]
  [ "$(sed 's/>.*//' "$BATS_TEST_TMPDIR/legend" | sort -u | wc -l)" -eq 7 ]
}

@test "100 % of a loss curve is the theoretical rate only where frames were sent at it" {
  local rate file=$BATS_TEST_TMPDIR/rate.json
  for rate in 1 0.9; do
    jq -c ".frame_sizes[] |= (.line_rate = .max_rate / $rate | .frame_loss.line_rate_known = true
      | .throughput.line_rate_ratio = .throughput.throughput / .line_rate)" "$GOLDEN/rfc2544-1-xdp.json" >"$file"
    sed -n '/id="figure-loss"/,/<\/figure>/p' "$(render "$file" html)" | grep -oE '100 % is the (theoretical|largest) rate' >>"$BATS_TEST_TMPDIR/said"
  done
  diff "$BATS_TEST_TMPDIR/said" <(printf '100 %% is the %s rate\n' theoretical largest)
}

@test "trials for latency alone have the loss ratio of each direction" {
  # shellcheck disable=SC2016
  jq -c '.search_result[0] as $r | .latency_at = [{goal: $r.goal.name, share: 1, trial: {trial_load: $r.relevant_lower_bound, trial_duration: 1,
    trial_effective_duration: 1, trial_forwarding_rate: ($r.relevant_lower_bound * 0.9), trial_loss_ratio: 0.1, tester_limited: false,
    loss_ratio: 0.2, directions: [{from: "a", to: "b", loss_ratio: 0.2, latency: {p50_ns: 1000}}, {from: "b", to: "a", loss_ratio: 0, latency: {p50_ns: 2000}}],
    worst_direction: {loss_ratio: {from: "a", to: "b"}}}}]' "$GOLDEN/search-1-sim.json" >"$BATS_TEST_TMPDIR/latency.json"
  run "$XDP_MLR" report "$BATS_TEST_TMPDIR/latency.json"
  grep -qE 'of ndr .* a to b +20 % +1.00 µs$' <<<"$output"
  grep -qE 'of ndr .* b to a +0 % +2.00 µs$' <<<"$output"
}

@test "a sweep names the worst direction of each load" {
  local page
  jq -c '.trials[3] |= (.counts as $c | .loss_ratio = 0.5 | .worst_direction = {loss_ratio: {from: "a", to: "b"}})' "$GOLDEN/sweep-1-xdp.json" >"$BATS_TEST_TMPDIR/sweep.json"
  page=$(render "$BATS_TEST_TMPDIR/sweep.json" md)
  grep -qE '^\| Load \(frames/s\) .*\| Loss Ratio \| in the worst direction \| which is \|' "$page"
  grep -q '| 38.8 % | 50 % | a to b |' "$page"
}

@test "what only a later port tells is shown, too" {
  local page
  jq -c '.ports[1].announcements_sent = 5' "$GOLDEN/trial-1-xdp.json" >"$BATS_TEST_TMPDIR/ports.json"
  page=$(render "$BATS_TEST_TMPDIR/ports.json" md)
  grep -qx '| Announcements sent |  | 5 |' "$page"
  jq -c '.further = [{"a": 1}, {"b": 2}]' "$GOLDEN/trial-1-xdp.json" >"$BATS_TEST_TMPDIR/rows.json"
  grep -qx '|  | 2 |' "$(render "$BATS_TEST_TMPDIR/rows.json" md)"
}

@test "a text that is cut ends with a whole character, in every form" {
  local ending name
  for name in a aa; do
    jq -c --arg name "$name" '.services[0].name = $name + ("é" * 100)' "$GOLDEN/y1564-1-both.json" >"$BATS_TEST_TMPDIR/cut.json"
    for ending in html md csv txt; do iconv -f utf-8 "$(render "$BATS_TEST_TMPDIR/cut.json" $ending)" >/dev/null; done
    "$XDP_MLR" report "$BATS_TEST_TMPDIR/cut.json" --junit "$BATS_TEST_TMPDIR/cut.xml" --certificate "$BATS_TEST_TMPDIR/cut.html"
    iconv -f utf-8 "$BATS_TEST_TMPDIR/cut.xml" >/dev/null
    iconv -f utf-8 "$BATS_TEST_TMPDIR/cut.html" >/dev/null
    grep -q 'éé' "$BATS_TEST_TMPDIR/cut.xml"
  done
}

@test "CSV of a suite has a row for a test of which no trial is told" {
  local page
  page=$(render "$GOLDEN/rfc2544-1-xdp.json" csv)
  [ "$(grep -c '^[0-9]*,\(back_to_back\|recovery\|reset\),,' "$page")" -eq 7 ]
  head -n 1 "$page" | grep -q ',back_to_back.average \[frames\],.*,recovery.average \[s\],.*,reset.reset_time \[s\],.*,back_to_back.standing,recovery.standing,reset.standing,load_scope,aggregate_factor$'
  none '_(from|to|at|until|length|longest|time|rate)$' <<<"$(head -n 1 "$page" | tr , '\n')"
  grep -q "^64,reset,.*,$("$JQ" .reset.reset_time "$GOLDEN/rfc2544-1-xdp.json"),.*,regular,interface,1\$" "$page"
}

@test "CSV of a suite says of which test and size a trial is" {
  local page
  page=$(render "$GOLDEN/rfc2544-1-xdp.json" csv)
  [[ $(head -n 1 "$page") == frame_size,test,trial,* ]]
  [ "$(tail -n +2 "$page" | cut -d, -f1,2 | sort -u | grep -c '^[0-9]*,\(throughput\|latency\|frame_loss\)$')" -eq 9 ]
  [ "$(grep -c '^64,frame_loss,' "$page")" -eq "$("$JQ" '.frame_sizes[0].frame_loss.trials | length' "$GOLDEN/rfc2544-1-xdp.json")" ]
}

@test "a page of 1000 trials stays below 1 MB, and carries them all" {
  local big="$BATS_TEST_TMPDIR/big.json" page
  jq -c '.trials as $t | .trials = [range(1000) as $i | $t[$i % ($t | length)]
    | .trial_load += $i * 0.37 | .trial_forwarding_rate = .trial_load * (1 - .trial_loss_ratio) | .latency.max_ns += $i * 7919 % 65537
    | .pacing.gap_max_ns += $i] | .search_result = [] | del(.controller_input, .trials[].counts)' "$GOLDEN/search-1-xdp.json" >"$big"
  page=$(render "$big" html)
  [ "$(stat -c %s "$page")" -lt 1000000 ]
  [ "$(grep -c '^<tr' "$page")" -ge 1000 ]
  diff <(embedded "$page") <(jq -S . "$big")
}

@test "Search Goals have the names of the draft in every form" {
  local file form name page
  for file in search-1-xdp rfc2544-1-xdp; do
    for form in html md; do
      page=$(render "$GOLDEN/$file.json" $form)
      for name in "Loss Ratio" "Exceed Ratio" "Width (relative)" "Initial Trial Duration (s)" "Final Trial Duration (s)" "Duration Sum (s)"; do
        grep -qF -e ">Goal $name<" -e "| Goal $name |" "$page" || { echo "$page: no Goal $name"; return 1; }
      done
    done
  done
  page=$(render "$GOLDEN/search-1-xdp.json" txt)
  grep -qF "(Goal Width 1 %)" "$page"
  diff - <(sed -n '/^  Search /,/^  ndr/p; /^  ndr/q' "$page") <<'TEXT'
  Search   Goal    Goal  Goal Width      Goal      Goal      Goal
  Goal     Loss  Exceed  (relative)   Initial     Final  Duration
          Ratio   Ratio                 Trial     Trial   Sum (s)
                                     Duration  Duration
                                          (s)       (s)
  ndr       0 %    50 %         1 %       0.3       0.3       1.2
TEXT
}

@test "CSV has one row a trial, units in its heading, and the numbers of the document" {
  local file=$GOLDEN/search-1-sim.json page
  page=$(render "$file" csv)
  [ "$(wc -l <"$page")" -eq $(($("$JQ" '.trials | length' "$file") + 1)) ]
  head -n 1 "$page" | grep '^trial,trial_load \[frames/s\],trial_duration \[s\],trial_loss_ratio,.*,counts.sent \[frames\],'
  diff <(tail -n +2 "$page" | cut -d, -f2,4 | tr , ' ' | jq -s .) <(jq '[.trials[] | .trial_load, .trial_loss_ratio]' "$file")
  [ "$(wc -l <"$(render "$GOLDEN/trial-1-xdp.json" csv)")" -eq 2 ]
}

@test "the card of a goal answers: what was asked, over which traffic, totals, latency there, the spread of repeats" {
  local file=$BATS_TEST_TMPDIR/r.json text
  "$JQ" '.configuration["frame-size"] = "imix" | .traffic_profile.frame_sizes = [{size_octets: 64, weight: 7}, {size_octets: 1518, weight: 1}]
    | .traffic_profile += {flows_per_port: 3, vlans: [{type: "802.1Q", vid: 5, priority: 0}]}
    | .search_result[0].latency = {trials: 2, p50_ns: 1000, p99_ns: 2000, max_ns: 3e6, pdv_p99_ns: 1500, ipdv_p99_ns: 700}
    | .search_result[1].goal.exceed_ratio = 0 | .controller_input.goals[1].exceed_ratio = 0 | del(.trials)
    | .repeats = {count: 3, asked: 3, median_run: 1, runs: [], statistics: [{goal: "ndr", count: 3, mean: 300000, stdev: 3000, min: 1, max: 2}]}' \
    "$GOLDEN/search-1-xdp.json" >"$file"
  text=$("$XDP_MLR" report "$file" | tr -s ' \n' ' ')
  [[ $text == *"Frame sizes imix: 7 of 64, 1 of 1518"* ]]
  [[ $text == *"Traffic UDP over IPv4, both directions, 802.1Q VLAN 5, 3 flows a port"* ]]
  [[ $text == *"Asked for no frame lost, in trials of 0.3 s; trials worth 50 % of 1.2 s may lose more"* ]]
  [[ $text == *"Asked for at most 0.5 % lost, in trials of 0.3 s; none of 1.2 s may lose more"* ]]
  [[ $text == *"Total of 2 interfaces 599.9 kframes/s, 599947.7 frames/s; L2 307.2 Mbit/s, L1 403.2 Mbit/s"* ]]
  [[ $text == *"Latency at lower bound p50 1.00 µs, p99 2.00 µs, max 3.00 ms; delay variation (PDV) p99 1.50 µs; from frame to frame (IPDV) p99 0.700 µs; the worst of 2 trials"* ]]
  [[ $text == *"Over the searches mean 300000 frames/s, standard deviation 3000 frames/s (1 %), of 3"* ]]
  # what was not measured is not there
  [[ $(grep -c "Latency at lower bound" <<<"$("$XDP_MLR" report "$file")") -eq 1 ]]
}

@test "a limited result says why, in how many trials, and what to do" {
  local limited='.tester_limited = true | .tester_limited_reason =' text
  "$JQ" "(.trials[2], .trials[3]) |= ($limited \"frames stayed unsent\") | .trials[5] |= ($limited \"the receiving interface missed frames\")
    | .trials[2].loss_attribution |= (.unsent = 1500 | .sut = 242) | .trials[3].loss_attribution |= (.unsent = 1500 | .sut = 242)
    | .trials[5].loss_attribution |= (.receiver_missed = 1742 | .sut = 0)
    | .search_result[].tester_limited = true" "$GOLDEN/search-1-xdp.json" >"$BATS_TEST_TMPDIR/r.json"
  text=$("$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" | tr -s ' \n' ' ')
  [[ $text == *"Limited in 3 of 3 trials at this bound; in 2 frames stayed unsent; in 1 the receiving interface missed frames. The SUT may do more: give the transmitter CPUs"*"(--tx); make its receive rings longer"* ]]
  "$JQ" '.tester_limited = true | .trial_result |= (.tester_limited = true | .tester_limited_reason = "the receiving interface missed frames"
    | .loss_attribution |= (.receiver_missed = .sut | .sut = 0))' \
    "$GOLDEN/trial-1-xdp.json" >"$BATS_TEST_TMPDIR/t.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/t.json" | grep "missed frames: make its receive rings longer"
}

@test "a suite shows both bounds of its throughput" {
  local page
  page=$(render "$GOLDEN/rfc2544-1-xdp.json" md)
  grep -qF '| Throughput: Relevant Lower Bound (frames/s) | Relevant Upper Bound (frames/s) |' "$page"
  grep -qE '^\| 64 \| 49.866\.2 \| 50.116\.5 \|' "$page"
}

@test "a text that is written with --explain is a whole Test Report, and that of a terminal is not" {
  local file=$BATS_TEST_TMPDIR/r.json text=$BATS_TEST_TMPDIR/r.txt part
  "$XDP_MLR" search --measurer "$SIM" --max-load 10Mfps --sut-name 'Router 7' --sut-change 'MTU 9000' --format json >"$file"
  "$XDP_MLR" report "$file" --explain --report "$text" -q
  for part in "What the quantities are" "Trial effective duration" "System under test" "MTU 9000" "Traffic Profile" "Tester" \
    "What the drafts require of this report" "Configuration" "Units of the numbers"; do
    grep -q "$part" "$text" || { echo "no $part"; return 1; }
  done
  [ "$(grep -cE '^ +[0-9]+ +[0-9.]+ .*(ndr|pdr): ' "$text")" -eq "$("$JQ" '.trials | length' "$file")" ]
  "$XDP_MLR" report "$GOLDEN/rfc2544-1-xdp.json" --explain --report "$text" -q
  grep -q "Search Goal of the throughput, as applied" "$text"
  if "$XDP_MLR" report "$file" --explain | grep -q "What the quantities are"; then return 1; fi
}

@test "CSV has the units of what is within directions and ports, and of every time" {
  local page without
  page=$(render "$GOLDEN/search-1-xdp.json" csv)
  without=$(head -n 1 "$page" | tr , '\n' | grep -v '\[' | grep -E '(^|\.)(counts|latency\.count$|[a-z_]*duration$)') || [ -z "$without" ]
  [ -z "$without" ] || { echo "without unit: $without"; return 1; }
  head -n 1 "$page" | grep -qF ",ports.1.counts.sent [frames],"
}

@test "CSV says of every load what it is of, and how many of it are the total" {
  local kind page
  for kind in search-1-xdp trial-1-xdp soak-1-xdp sweep-1-xdp rfc2544-1-xdp y1564-1-xdp; do
    page=$(render "$GOLDEN/$kind.json" csv)
    [[ $(head -n 1 "$page") == *,load_scope,aggregate_factor ]] || { echo "$kind: $(head -n 1 "$page")"; return 1; }
    [ "$(tail -n +2 "$page" | awk -F, '{ print $(NF - 1) "," $NF }' | sort -u)" = "$("$JQ" -r '"\(.load_scope),\(.aggregate_factor)"' "$GOLDEN/$kind.json")" ]
  done
}

@test "the total of all interfaces is as limited as the result" {
  run "$XDP_MLR" report "$GOLDEN/search-1-limited.json"
  [ "$(grep 'Total of 2 interfaces' <<<"$output" | grep -c '(limited)$')" -eq 1 ]
}

@test "CSV of what has no trials has a row a goal, a self-test, a check" {
  local kind rows
  while read -r kind rows; do
    render "$GOLDEN/$kind.json" csv >/dev/null
    [ "$(tail -n +2 "$BATS_TEST_TMPDIR/$kind.json.csv" | wc -l)" -eq "$(jq "$rows" "$GOLDEN/$kind.json")" ]
  done <<'END'
compare-1 .goals | length
selftest-1-xdp .self_tests | length
selftest-1-hostile [.hostile_tests[].trials[]] | length
probe-1 (.machine | length) + ([.ports[].checks[]] | length)
END
  [ "$(head -n 1 "$BATS_TEST_TMPDIR/probe-1.json.csv")" = name,state,value,fix,port ]
}

@test "CSV of a search holds the bounds of each goal" {
  local file=$GOLDEN/search-1-sim.json page
  page=$(render "$file" csv)
  head -n 1 "$page" | grep -F ',ndr.regular,ndr.tester_limited,ndr.relevant_lower_bound [frames/s],ndr.relevant_upper_bound [frames/s],ndr.conditional_throughput [frames/s],pdr.regular,'
  head -n 1 "$page" | grep -q ",ndr.standing,pdr.standing,load_scope,aggregate_factor\$"
  diff <(tail -n +2 "$page" | awk -F, '{ print $(NF - 11), $(NF - 10), $(NF - 9), $(NF - 6), $(NF - 5), $(NF - 4) }' | sort -u | "$JQ" .) \
    <("$JQ" '.search_result[] | .relevant_lower_bound, .relevant_upper_bound, .conditional_throughput' "$file")
}

@test "CSV quotes what would be taken for its own signs" {
  jq -c '.trials[0].note = "a, \"b\"\nc"' "$GOLDEN/search-1-exec.json" >"$BATS_TEST_TMPDIR/odd.json"
  tail -n 3 "$(render "$BATS_TEST_TMPDIR/odd.json" csv)" | tr '\n' '|' | grep -F '"a, ""b""|c"'
}

@test "CSV holds no formula: neither a text nor the name of a member; a number stays one" {
  local file=$BATS_TEST_TMPDIR/formula.json page
  jq -c '.trials[0].notes = ["=HYPERLINK(\"x\",1)", "+1+cmd", "-2+3", "@SUM(1)", "\t=1", "-5.5", "-1e-7", -0.5, "a=1"] | .trials[0]["=x"] = 7' \
    "$GOLDEN/search-1-exec.json" >"$file"
  page=$(render "$file" csv)
  grep -F ",\"'=HYPERLINK(\"\"x\"\",1)\",'+1+cmd,'-2+3,'@SUM(1),'$(printf '\t')=1,-5.5,-1e-7,-0.5,a=1," "$page"
  head -n 1 "$page" | grep -F ",'=x,"
}

@test "an irregular result is marked wherever it is shown" {
  local file=$GOLDEN/search-1-irregular.json
  [ "$(grep -c 'class="banner bad">IRREGULAR' "$(render "$file" html)")" -eq 1 ]
  [ "$(grep -o 'class="state">✕ IRREGULAR' "$(render "$file" html)" | wc -l)" -eq 2 ]
  [ "$(grep -c 'IRREGULAR' "$(render "$file" md)")" -ge 3 ]
  none "class=\"[^>]*>[^<{]*irregular" <"$(render "$GOLDEN/search-1-sim.json" html)"
}

@test "a sentence that is long is not cut in silence" {
  local i goals=() requirements=() file=$BATS_TEST_TMPDIR/many.json
  for i in {10..25}; do goals+=(--goal "name=a-long-name-of-goal-number-$i-with-many-words,loss=0.$i,final=1"); done
  for i in {10..25}; do requirements+=(--require "a-long-name-of-goal-number-$i-with-many-words>=5Mfps"); done
  "$XDP_MLR" search --measurer sim:hard,capacity=9e6 --max-load 2Mfps "${goals[@]}" "${requirements[@]}" --format json -q >"$file" || true # 1
  "$JQ" -e '.irregular_reason | endswith("number-25-with-many-words: Max Load is a Lower Bound: the SUT is not the limit")' "$file"
  run "$XDP_MLR" report "$file"
  [[ $(tr -s ' \n' ' ' <<<"$output") == *"IRREGULAR: a-long-name-of-goal-number-10"*"-25-with-many-words: Max Load is a Lower Bound: the SUT is not the limit NOT MET: "* ]]
  grep -qE ', and [0-9]+ more$' <<<"$output"
  "$JQ" 'del(.requirements)' "$file" >"$file.1"
  "$XDP_MLR" report "$file.1" --certificate "$BATS_TEST_TMPDIR/c.html"
  grep -q '…[^<]* the SUT is not the limit\. The result is IRREGULAR\.' "$BATS_TEST_TMPDIR/c.html"
}

@test "hostile texts stay texts" {
  local bad='</script><script>alert(1)</script>|`<b onload=x>&"'"'"'' page
  jq -c --arg bad "$bad" '.search_result[].goal.name = $bad | .controller_input.goals[].name = $bad | .traffic_profile[$bad] = $bad
    | .environment.hostname = $bad | .configuration["min-load"] = $bad | .deviations = [$bad] | .further = {($bad): [$bad]}
    | .trials[0].decision.rule = $bad | .irregular_reason = $bad' "$GOLDEN/search-1-sim.json" >"$BATS_TEST_TMPDIR/bad.json"
  page=$(render "$BATS_TEST_TMPDIR/bad.json" html)
  [ "$(grep -o '<script' "$page" | wc -l)" -eq 1 ]
  [ "$(grep -o '</script' "$page" | wc -l)" -eq 1 ]
  none '<b ' <"$page"
  diff <(embedded "$page") <(jq -S . "$BATS_TEST_TMPDIR/bad.json")
  grep -v '^    ' "$(render "$BATS_TEST_TMPDIR/bad.json" md)" | none '<script|<b ' # a code block takes any text
}

@test "report shows a stored result as the run did, in text and in JSON" {
  simulated --format json >"$BATS_TEST_TMPDIR/r.json"
  diff <("$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json") <(simulated)
  diff <("$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --format json) "$BATS_TEST_TMPDIR/r.json"
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/r.json" --explain | grep '^ All [0-9]* trials'
}

@test "a search writes the same report that is rendered from its result later" {
  local ending
  for ending in $ENDINGS; do
    simulated --format json --report "$BATS_TEST_TMPDIR/now.$ending" >"$BATS_TEST_TMPDIR/r.json"
    diff "$BATS_TEST_TMPDIR/now.$ending" "$(render "$BATS_TEST_TMPDIR/r.json" $ending)"
  done
}

@test "an event stream is reported by its last line, and a broken one by its events" {
  local events=$GOLDEN/events-1-search.jsonl
  diff <("$XDP_MLR" report "$events" --format json | jq -S .) <(tail -n 1 "$events" | jq -S .)
  head -n 9 "$events" >"$BATS_TEST_TMPDIR/broken.jsonl"
  run -0 "$XDP_MLR" report "$BATS_TEST_TMPDIR/broken.jsonl" --format json
  [ "$("$JQ" '.trials | length' <<<"$output")" -eq "$(grep -c trial_finished "$BATS_TEST_TMPDIR/broken.jsonl")" ]
  grep -q 'ended before it had a result' "$(render "$BATS_TEST_TMPDIR/broken.jsonl" html)"
  grep -q 'ended before it had a result' "$(render "$BATS_TEST_TMPDIR/broken.jsonl" txt)"
}

@test "the configuration shown is the file that repeats the run" {
  local page
  page=$(render "$GOLDEN/search-1-sim.json" md)
  sed -n '/^    [a-z]/,/^$/p' "$page" | sed 's/^    //' >"$BATS_TEST_TMPDIR/again.yaml"
  diff <("$XDP_MLR" search --config "$BATS_TEST_TMPDIR/again.yaml" --format json | jq -S '.trials, .search_result, .configuration') \
    <(simulated --format json | jq -S '.trials, .search_result, .configuration')
}

@test "the text says by what, with what frames and how constantly it was measured" {
  local text document="$BATS_TEST_TMPDIR/d.json"
  says() { # LINE...: each stands in the text, blanks aside
    local line
    text=$("$XDP_MLR" report "$document" | tr -s ' \n' ' ')
    for line in "$@"; do
      [[ $text == *"$line"* ]] || { echo "no '$line' in: $text"; return 1; }
    done
  }
  jq '.pacing.burst_max = 17 | .traffic_profile.vlans = [{"type": "802.1ad", "vid": 100, "priority": 5}, {"type": "802.1Q", "vid": 7}]
    | .traffic_profile += {"flows_per_port": 40, "varied_fields": {"src-port": {"count": 8}, "dst-port": {"count": 5}},
      "flow_order": "random", "seed": 3, "learning_frames": 2, "modifiers": ["broadcast: some", "management: few"],
      "frame_sizes": [{"size_octets": 64, "weight": 3}, {"size_octets": 128, "weight": 1}], "frame_size_octets": 80}
    | .ports[0] += {"extra_sent": 5, "extra_received": 4, "queries_sent": 3, "queries_answered": 2}
    | .measurer.ports[0] += {"transmit_queues": 2, "launch_time": true} | .measurer.allow_unsafe = "my own machine"
    | .latency += {"error_bound_ns": 40, "floor_p50_ns": 740, "floor_p99_ns": 1150, "floor_source": "self-test of today"}' \
    "$GOLDEN/trial-1-xdp.json" >"$document"
  says "Transmitter AF_XDP (xsk), copy mode, 2 queues a port, at launch times of the NIC" "Receiver native XDP" "Latency count $("$JQ" .latency.count "$document"), min 1.57 µs, mean 1.76 µs, p50 1.68 µs, p90 1.73 µs, p99 3.27 µs, p99.9 17.83 µs, p99.99 39.53 µs, max 51.59 µs, error bound 0.040 µs, floor p50 0.740 µs, floor p99 1.15 µs " \
    "Destination MAC from rpt-a 3e:ed:d4:2d:3c:31 (the other port's)" \
    "--allow-unsafe my own machine" "802.1ad VLAN 100 priority 5, 802.1Q VLAN 7, 40 flows a port by src-port and dst-port at random (seed 3)" \
    "Frame sizes 3 of 64, 1 of 128; 80 octets on average" "Beside the load broadcast: some management: few" \
    "Learning frames 2 of each port" "Load constant" "gap max 103 µs, burst max 17 A burst stands where a queue was held up." \
    "Extra sent 5" "Extra received 4" "Queries sent 3" "Queries answered 2" "The tester's own floor self-test of today"
  jq '.measurer.tx_backend = "live" | .measurer.ports[1] += {"transmits": true, "transmit_queues": 3} | .measurer.ports[1].receive_mode = "generic"
    | .configuration."no-seq" = "true" | .configuration."no-latency" = "true" | .latency = null' "$GOLDEN/trial-1-xdp.json" >"$document"
  says "Transmitter XDP live frames (live) port" ": XDP live frames (live), 3 queues a port" \
    "Receiver native XDP on " ", generic XDP on " "sequence numbers not looked at (--no-seq)" "Latency not measured (--no-latency)"
  none "Duplicate|Where the missing frames" <<<"$text" # of which there are none; and a table
  jq '.latency += {"ipdv_count": 300029, "ipdv_mean_ns": 60.5, "ipdv_p99_ns": 1500, "ipdv_max_ns": 40000}' "$GOLDEN/trial-1-xdp.json" >"$document"
  says "max 51.6 µs, IPDV count 300029, IPDV mean 0.060 µs, IPDV p99 1.50 µs, IPDV max 40.0 µs"
  "$XDP_MLR" report "$document" --report "$BATS_TEST_TMPDIR/t.csv"
  [[ $(head -n 1 "$BATS_TEST_TMPDIR/t.csv") == *"latency.ipdv_count [pairs of frames],latency.ipdv_mean_ns"* ]]
  jq '.trial_result.counts.duplicate = null' "$GOLDEN/trial-1-xdp.json" >"$document"
  says "received 300030, duplicate not known, lost 19970"
  [ "$("$XDP_MLR" report "$document" --explain | grep -cE '^ (Frames|Where the missing frames|Latency|Pacing|Ports)')" -eq 5 ]
  jq '.configuration.load = "max" | .pacing.burst_max = 64' "$GOLDEN/trial-1-xdp.json" >"$document"
  says "burst max 64 As fast as the transmitter could: not paced. Ports"
  jq '.trials |= map(.pacing.burst_max = 9) | .trials[2].pacing.burst_max = 12' "$GOLDEN/search-1-xdp.json" >"$document"
  says "Transmitter AF_XDP (xsk), copy mode" "Longest burst 12 frames, in all trials"
  cp "$GOLDEN/rfc2544-1-xdp.json" "$document"
  says "Transmitter AF_XDP (xsk), copy mode" "(RFC 1242, 3.8); of every frame, not of one Clock CLOCK_MONOTONIC" \
    "Lost, 64 octets 66.6 % at 100 %, 62.9 % at 90 %," "16.6 % at 40 %, 0 % at 30 %, 0 % at 20 % Lost, 512 octets"
  none "Every point of the curves|Parameters of the test|Mean of" <<<"$text"
  [ "$("$XDP_MLR" report "$document" --explain | grep -cE '^ (Every point of the curves|Parameters of the test)')" -eq 2 ]
  cp "$GOLDEN/search-1-sim.json" "$document"
  says "Measurer sim"
  none "Transmitter" <<<"$text"
  [[ $("$XDP_MLR" report "$GOLDEN/trial-1-xdp.json" --report "$BATS_TEST_TMPDIR/t.md" && cat "$BATS_TEST_TMPDIR/t.md") == *"| Transmitter | AF\_XDP (xsk), copy mode"* ]]
  [ "$(grep -cE '\b(iP|mAC|mTU) ' "$BATS_TEST_TMPDIR/t.md")" -eq 0 ]
}

@test "Markdown has no heading with nothing below it, where a figure would be" {
  local file page
  for file in "$GOLDEN"/*.json; do
    page=$(render "$file" md)
    [ "$(awk '/^## / { empty += heading } /^#+ / { heading = /^## / } !/^#/ && NF { heading = 0 } /^### / { heading = 0 } END { print empty + heading }' "$page")" -eq 0 ]
    grep -q '^## ' "$page"
  done
}

@test "what cannot be rendered is refused" {
  refuses 2 "report lacks a file, FILE" "$XDP_MLR" report
  refuses 2 "'more' is one argument too many" "$XDP_MLR" report "$GOLDEN/search-1-sim.json" more
  refuses 2 "cannot read /does/not/exist: No such file" "$XDP_MLR" report /does/not/exist
  refuses 2 "the ending chooses the form of the report: .html, .md, .csv, .json or .txt" \
    "$XDP_MLR" report "$GOLDEN/search-1-sim.json" --report x.pdf
  refuses 2 "--report '/does/not/exist.html': No such file" "$XDP_MLR" report "$GOLDEN/search-1-sim.json" --report /does/not/exist.html
  echo '{"schema": "other/1"}' >"$BATS_TEST_TMPDIR/other.json"
  refuses 2 "is a document 'other/1', and no result" "$XDP_MLR" report "$BATS_TEST_TMPDIR/other.json"
  echo 'no' >"$BATS_TEST_TMPDIR/no.json"
  refuses 2 "is no result of xdp-mlr" "$XDP_MLR" report "$BATS_TEST_TMPDIR/no.json"
}

@test "notes stand in the document and in every rendering, in their order, and nowhere without them" {
  local form
  simulated --format json | is 'has("notes") | not'
  simulated --format json --note 'the <first> run' --note 'after a "crash"' >"$BATS_TEST_TMPDIR/noted.json"
  is '.notes == ["the <first> run", "after a \"crash\""] and (.configuration | has("note") | not)' <"$BATS_TEST_TMPDIR/noted.json"
  "${BUILD:-build}/tests/tools/validate" --closed docs/schema/search.schema.json "$BATS_TEST_TMPDIR/noted.json"
  for form in html md txt; do
    "$XDP_MLR" report "$BATS_TEST_TMPDIR/noted.json" --report "$BATS_TEST_TMPDIR/noted.$form"
    grep -q 'first.* run' "$BATS_TEST_TMPDIR/noted.$form"
    # rendered, and not only embedded: an HTML page holds the document too
    [ "$(sed '/<script/,$d' "$BATS_TEST_TMPDIR/noted.$form" | grep -c 'after a')" -eq 1 ]
  done
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/noted.json" | grep -A2 "^Notes" | grep -q "the <first> run"
  for file in tests/golden/{soak,trial,rfc2544,selftest}-*.json; do
    jq '.notes = ["noted here"]' "$file" >"$BATS_TEST_TMPDIR/noted.json"
    "$XDP_MLR" report "$BATS_TEST_TMPDIR/noted.json" | grep -q 'noted here'
  done
}

@test "a number out of the range of its schema is refused by its path, before anything is computed of it" {
  local bad=$BATS_TEST_TMPDIR/bad.json ending case
  for case in '.trials[2].trial_load = 1e308|/trials/2/trial_load: 1e.308 is out of range' \
    '.trials[2].trial_load = -1|/trials/2/trial_load: -1 is out of range' \
    '.trials[0].trial_duration = "long"|/trials/0/trial_duration: is no' \
    '.controller_input.max_load = 1e300|/controller_input/max_load: 1e.300 is out of range' \
    '.search_result[1].relevant_upper_bound = [1]|/search_result/1/relevant_upper_bound: is ' \
    '.trials = {}|/trials: is no "array"' \
    '.schema = "xdp-mlr/search/2" | .trials[0].new = [{x: 1e305}]|/trials/0/new/0/x: 1e.305 is out of range'; do
    jq "${case%|*}" "$GOLDEN/search-1-sim.json" >"$bad"
    for ending in html csv txt; do
      refuses 2 "bad.json: ${case##*|}" timeout 120 "$XDP_MLR" report "$bad" --report "$BATS_TEST_TMPDIR/r.$ending"
      [ ! -e "$BATS_TEST_TMPDIR/r.$ending" ]
    done
    refuses 2 "bad.json: ${case##*|}" timeout 120 "$XDP_MLR" compare "$bad" "$GOLDEN/search-1-sim.json"
  done
  jq '.trials[2].trial_load = 1e308' "$GOLDEN/search-1-sim.json" >"$bad"
  refuses 2 "bad.json: /trials/2/trial_load: 1e.308 is out of range" timeout 120 "$XDP_MLR" search --replay "$bad"
}

@test "a number next to nothing is drawn as nothing" {
  local bad=$BATS_TEST_TMPDIR/bad.json
  jq -c '.trials[2].latency |= {clock, definition, count, min_ns: 0, mean_ns: 1e-320, max_ns: 1e-320}' "$GOLDEN/search-1-xdp.json" >"$bad"
  timeout 120 "$XDP_MLR" report "$bad" --report "$bad.html"
  grep -q '</html>' "$bad.html"
}

@test "no text of a document reaches the terminal as a control, nor Markdown as HTML" {
  local bad=$BATS_TEST_TMPDIR/bad.json evil=$'\e]0;title\a\e[2J\x7f\xc2\x9b31m\r<img src=x>'
  jq -c --arg evil "$evil" '(.search_result[].goal, .controller_input.goals[]).name = $evil | .environment.hostname = $evil | .deviations = [$evil] | .irregular_reason = $evil
    | .measurer.model = $evil | .traffic_profile[$evil] = $evil | .configuration["min-load"] = $evil | .notes = [$evil] | .warnings = [$evil]
    | .further = {($evil): [$evil]} | .sut = {configurations: [{text: $evil}], ($evil): $evil}' "$GOLDEN/search-1-sim.json" >"$bad"
  run --separate-stderr "$XDP_MLR" report "$bad"
  [ "$status" -eq 0 ]
  none $'[\x01-\x08\x0b-\x1f\x7f]|\xc2\x9b' <<<"$output"
  grep -qF '\x1b]0;title' <<<"$output"
  run --separate-stderr "$XDP_MLR" report --format json "$bad"
  none $'[\x01-\x08\x0b-\x1f\x7f]|\xc2\x9b' <<<"$output"
  jq -e --arg evil "$evil" '.notes == [$evil] and .traffic_profile[$evil] == $evil' <<<"$output"
  for ending in txt md csv html json; do
    none $'[\x01-\x08\x0b-\x1f\x7f]|\xc2\x9b' <"$(render "$bad" $ending)"
  done
  # a code block, indented by four, takes any text; its lines end with line ends only
  tr '\r' '\n' <"$(render "$bad" md)" | grep -v '^    ' | none '<img'
  jq -c --arg evil "$evil" '.schema = $evil' "$GOLDEN/search-1-sim.json" >"$bad"
  run --separate-stderr "$XDP_MLR" report "$bad"
  [ "$status" -eq 2 ]
  none $'[\x01-\x08\x0b-\x1f\x7f]|\xc2\x9b' <<<"$stderr"
}

@test "behind -- all are files, whatever they begin with" {
  local file
  for file in -x.json --json --; do
    cp tests/golden/search-1-sim.json "$BATS_TEST_TMPDIR/$file"
    (cd "$BATS_TEST_TMPDIR" && "$OLDPWD/$XDP_MLR" report -- "$file" | grep -q '^Throughput by MLRsearch')
    (cd "$BATS_TEST_TMPDIR" && "$OLDPWD/$XDP_MLR" compare -- "$file" "$file" >/dev/null)
  done
  refuses 2 "'-q' is one argument too many" "$XDP_MLR" probe -- -q
}

@test "a result is read from what a shell left open, too" {
  local golden=tests/golden/search-1-sim.json verb
  for verb in report verify "compare $golden"; do
    "$XDP_MLR" $verb <(cat "$golden") >"$BATS_TEST_TMPDIR/out"
    "$XDP_MLR" $verb /dev/stdin <"$golden" | cmp - "$BATS_TEST_TMPDIR/out" || [ "$verb" != report ]
  done
}

@test "whoever reads a stored result is nobody's, and has no right to anything" {
  [ "$(id -u)" -eq 0 ] || skip "only root has what is given up"
  local verb pid capabilities
  mkfifo -m 600 "$BATS_TEST_TMPDIR/fifo"
  chmod 700 "$BATS_TEST_TMPDIR"
  cp tests/golden/search-1-sim.json "$BATS_TEST_TMPDIR/result.json"
  chmod 600 "$BATS_TEST_TMPDIR/result.json"
  for verb in report "compare $BATS_TEST_TMPDIR/result.json" verify; do
    "$XDP_MLR" $verb "$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/out" 2>&1 17>"$BATS_TEST_TMPDIR/passed-on" &
    pid=$!
    until grep -q '^Seccomp:[[:space:]]2$' "/proc/$pid/status" || nm -D "$XDP_MLR" | grep -q asan; do sleep 0.05; done
    for line in 'Uid:	65534	65534	65534	65534' 'CapPrm:	0000000000000000' 'CapEff:	0000000000000000' 'NoNewPrivs:	1'; do
      until grep -qxF "$line" "/proc/$pid/status"; do sleep 0.05; kill -0 "$pid"; done
    done
    # the keeper has CAP_CHOWN, CAP_DAC_OVERRIDE and CAP_FOWNER at most, once it has given up the others by itself
    until capabilities=$(sed -n 's/^CapPrm:[[:space:]]*/0x/p' "/proc/$(tr -d ' ' <"/proc/$pid/task/$pid/children")/status") &&
      (((capabilities & ~0xb) == 0)); do
      sleep 0.05
      kill -0 "$pid"
    done
    # of what was passed on the run has the standard files alone
    [ ! -e "/proc/$pid/fd/17" ]
    kill -INT "$pid"
    wait "$pid" || [ $? -eq 130 ]
  done
  # a report is root's, where nobody could write
  "$XDP_MLR" report "$BATS_TEST_TMPDIR/result.json" --report "$BATS_TEST_TMPDIR/report.html"
  [ "$(stat -c %U "$BATS_TEST_TMPDIR/report.html")" = root ]
}

@test "the page of a performance test by itself has its table, without the section of the test that was not made" {
  local form
  "$JQ" 'del(.services[].configuration) | .passed = ([.services[].performance.passed] | all)' "$GOLDEN/y1564-1-both.json" >"$BATS_TEST_TMPDIR/alone.json"
  for form in txt md html; do
    "$XDP_MLR" report "$BATS_TEST_TMPDIR/alone.json" --report "$BATS_TEST_TMPDIR/alone.$form" -q >/dev/null
    grep -q 'Service performance test (8.2)' "$BATS_TEST_TMPDIR/alone.$form"
    grep -q 'FAILED: loss' "$BATS_TEST_TMPDIR/alone.$form"
    if grep -q 'Service configuration test' "$BATS_TEST_TMPDIR/alone.$form"; then return 1; fi
  done
}
