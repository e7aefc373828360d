#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Certificates: one printed page, as HTML and by WeasyPrint as PDF.
load helper

GOLDEN=tests/golden

setup() {
  dir=$BATS_TEST_TMPDIR
  told=(--sut-name 'Router <7>' --operator 'A. <b>Tester</b> & "Co"' --customer "O'Brien" --site 'Lab 3' --serial FX-1 --serial '<FX-2>')
  printf '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 6"><rect id="r" width="20" height="6" fill="#17458f"/><use href="#r"/></svg>' >"$dir/logo.svg"
}

# A folder that the user nobody may enter, as the converter is nobody
public_folder() {
  local folder
  folder=$(mktemp -d /tmp/xdp-mlr-certificate.XXXXXX)
  chmod 755 "$folder"
  echo "$folder"
}

# `pretend COMMAND`: a weasyprint that runs this command, in $public, found first in PATH
pretend() {
  public=$(public_folder)
  printf '#!/bin/sh\n%s\n' "$1" >"$public/weasyprint"
  chmod 755 "$public/weasyprint"
  PATH=$public:$PATH
}

teardown() {
  [ -z "${public:-}" ] || rm -r "$public"
}

pages() { # pdf
  if command -v pdfinfo >/dev/null; then pdfinfo "$1" | sed -n 's/^Pages: *//p'; else grep -ac '/Type */Page[^s]' "$1"; fi
}

weasyprint_or_skip() {
  command -v weasyprint >/dev/null || skip "weasyprint is not installed"
}

@test "a certificate says what was tested, for whom, and whether it passed, and loads nothing" {
  local page=$dir/c.html
  simulated "${told[@]}" --require 'ndr>=900kfps' --certificate "$page" --logo "$dir/logo.svg" -q >/dev/null
  grep -q 'class="outcome warn"><b>PASS, SIMULATED</b>Every requirement is met. The result is regular.<br>No device was measured: the model is jitter,' "$page"
  grep -q '<h1>Router &lt;7&gt;</h1>' "$page"
  grep -q 'A. &lt;b&gt;Tester&lt;/b&gt; &amp; &quot;Co&quot;' "$page"
  grep -q 'O&#39;Brien' "$page"
  grep -q 'FX-1, &lt;FX-2&gt;' "$page"
  grep -q 'Relevant Upper Bound' "$page"
  grep -q 'ndr&gt;=900kfps' "$page"
  grep -q "src=\"data:image/svg+xml;base64,$(base64 -w0 "$dir/logo.svg")\"" "$page"
  if grep -qiE '<script|<link|href=|src="[^d]|url\(|@import|<b>Tester' "$page"; then false; fi
}

@test "how long trials are is said of those that count, not of the warm-up nor of what was meant to come" {
  local page=$dir/c.html
  simulated --goal name=n,final=0.2 --certificate "$page" -q >/dev/null
  grep -q 'Trials</th><td><div>up to 0.2 s<' "$page"
  simulated --goal name=n,initial=1,final=60,exceed=0 --max-time 20 --certificate "$page" -q >/dev/null || [ $? -eq 1 ]
  grep -q 'Trials</th><td><div>up to [0-9.]* s<' "$page"
  if grep -q 'up to 60 s' "$page"; then return 1; fi
}

@test "whether it passed is what the exit code says" {
  local page=$dir/c.html
  run -1 simulated --require 'ndr>=900kfps' --require 'pdr>=2Mfps' --certificate "$page" -q
  grep -q '<b>FAIL, SIMULATED</b>A requirement was not met: pdr&gt;=2Mfps' "$page"
  simulated --certificate "$page" -q >/dev/null
  grep -q '<b>MEASURED, SIMULATED</b>No requirement was set' "$page"
  "$XDP_MLR" report "$GOLDEN/search-1-irregular.json" --certificate "$page"
  grep -q '<b>FAIL, SIMULATED</b>.*IRREGULAR' "$page"
  "$XDP_MLR" report "$GOLDEN/search-1-limited.json" --certificate "$page"
  grep -q '<b>NO VERDICT</b>.*limited' "$page"
  "$XDP_MLR" report "$GOLDEN/y1564-1-both.json" --certificate "$page"
  grep -q '<b>FAIL</b>A service is not as agreed' "$page"
}

@test "who measured stands by the outcome, where it was not the tester, also of a replay" {
  local page=$dir/c.html
  simulated --format json -q >"$dir/stored.json"
  "$XDP_MLR" search --replay "$dir/stored.json" --require 'ndr>=5kfps' --certificate "$page" -q >/dev/null
  grep -q 'class="outcome warn"><b>PASS, SIMULATED</b>.*<br>No device was measured: the model is jitter,' "$page"
  "$XDP_MLR" search --replay "$dir/stored.json" --require 'ndr>=5kfps' --format json -q >"$dir/again.json"
  "$XDP_MLR" search --replay "$dir/again.json" --require 'ndr>=5kfps' --certificate "$page" -q >/dev/null
  grep -q '<b>PASS, SIMULATED</b>' "$page"
  "$XDP_MLR" report "$GOLDEN/search-1-exec.json" --certificate "$page"
  grep -q 'class="outcome.*<br>An external program measured: while read -r q; do echo &quot;' "$page"
  "$XDP_MLR" report "$GOLDEN/search-1-xdp.json" --certificate "$page"
  if grep -q 'class="outcome.*<br>' "$page"; then false; fi
}

@test "requirements have room before results, as the outcome rests on them" {
  local page=$dir/c.html goals=() i
  for i in {1..9}; do goals+=(--goal "name=g$i,loss=0.00$i,exceed=0.5,initial=1,final=1,sum=21,width=0.005"); done
  simulated "${goals[@]}" --require 'g1>=1kfps' --require 'g9>=5kfps' --certificate "$page" -q >/dev/null
  grep -q '<td>g1&gt;=1kfps</td><td class="state">yes' "$page"
  grep -q '<td>g9&gt;=5kfps</td><td class="state">yes' "$page"
  grep -q 'The Test Report has [0-9]* further results\?, for which this page has no room' "$page"
}

@test "of requirements and serial numbers that have no room the page says how many there are, and where" {
  local page=$dir/c.html more=() shown i
  for i in {1..60}; do more+=(--require "pdr>=${i}kfps"); done
  for i in {10..21}; do more+=(--serial "SN-2024-$i"); done
  simulated "${more[@]}" --certificate "$page" -q >/dev/null
  shown=$(grep -o '<td>pdr&gt;=' "$page" | wc -l)
  [ "$shown" -gt 20 ] && [ "$shown" -lt 60 ]
  grep -q "The Test Report has $((60 - shown)) further requirements (all met), and 2 further results, for which" "$page"
  shown=$(grep -o 'SN-2024-[0-9]*' "$page" | wc -l)
  [ "$shown" -gt 1 ] && [ "$shown" -lt 12 ]
  simulated --serial "$(printf 'W%.0s' {1..80})" --serial X --certificate "$dir/long.html" -q >/dev/null
  grep -q '>2, in the Test Report<' "$dir/long.html"
  grep -q "SN-2024-$((9 + shown)) and $((12 - shown)) more in the Test Report</div>" "$page"
  run -1 simulated "${more[@]}" --require 'pdr>=9Mfps' --certificate "$page" -q
  grep -q 'further requirements (1 not met)' "$page"
  command -v weasyprint >/dev/null || return 0
  simulated "${more[@]}" --certificate "$dir/c.pdf" -q >/dev/null
  [ "$(pages "$dir/c.pdf")" -eq 1 ]
}

@test "the result document has who tested for whom, by the schema, and every form shows it escaped" {
  simulated "${told[@]}" --format json -q --report "$dir/r.html" --report "$dir/r.md" --report "$dir/r.txt" >"$dir/r.json"
  is '.commission == {serials: ["FX-1", "<FX-2>"], operator: "A. <b>Tester</b> & \"Co\"", customer: "O'"'"'Brien", site: "Lab 3"}' <"$dir/r.json"
  "$XDP_MLR" verify "$dir/r.json"
  grep -q '<dd>A. &lt;b&gt;Tester' "$dir/r.html"
  grep -q 'Customer *O.*Brien' "$dir/r.txt"
  grep -q '&lt;b>Tester' "$dir/r.md"
  simulated --format json -q | is 'has("commission") | not'
}

@test "a configuration file says it as well" {
  printf 'operator: A. Tester\nserial: [FX-1, FX-2]\n' >"$dir/c.yaml"
  simulated --config "$dir/c.yaml" --format json -q | is '.commission | .operator == "A. Tester" and .serials == ["FX-1", "FX-2"] and .site == null'
}

@test "each benchmark's certificate is one page of PDF, also where there is more than a page holds" {
  weasyprint_or_skip
  local kind wide
  for kind in search-1-xdp trial-1-xdp sweep-1-xdp soak-1-xdp rfc2544-1-xdp y1564-1-both; do
    "$XDP_MLR" report "$GOLDEN/$kind.json" --certificate "$dir/$kind.pdf" --logo "$dir/logo.svg"
    [ "$(pages "$dir/$kind.pdf")" -eq 1 ]
  done
  wide=$(printf 'W%.0s' {1..400})
  "$JQ" --arg wide "$wide" '.frame_sizes |= [range(40) as $i | .[$i % 3]] | .sut = {name: $wide, configuration: [], changes: [], notes: []} |
    .commission = {operator: $wide, customer: $wide, site: $wide, serials: [$wide]}' "$GOLDEN/rfc2544-1-xdp.json" >"$dir/much.json"
  "$XDP_MLR" report "$dir/much.json" --certificate "$dir/much.pdf" --certificate "$dir/much.html"
  [ "$(pages "$dir/much.pdf")" -eq 1 ]
  grep -q 'further results, for which this page has no room' "$dir/much.html"
  # customer, site, operator and serial number are cut after three lines, with a sign; so are customer and operator at the foot
  command -v pdftotext >/dev/null || skip "there is no pdftotext here"
  pdftotext -layout "$dir/much.pdf" "$dir/much.txt"
  [ "$(grep -oE 'W+…' "$dir/much.txt" | wc -l)" -eq 7 ]
  [ "$(grep -c WW "$dir/much.txt")" -eq 16 ] # three lines of the name, twelve, and one at the foot
  # the page prints alike in a browser
  command -v chromium >/dev/null || return 0
  for kind in search-1-xdp y1564-1-both much; do
    [ -e "$dir/$kind.html" ] || "$XDP_MLR" report "$GOLDEN/$kind.json" --certificate "$dir/$kind.html" --logo "$dir/logo.svg"
    chromium --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --no-pdf-header-footer --print-to-pdf="$dir/$kind-chromium.pdf" \
      "file://$dir/$kind.html" 2>/dev/null
    [ "$(pages "$dir/$kind-chromium.pdf")" -eq 1 ]
  done
}

@test "a PDF is made by a process that has left the terminal, where it could type for a shell" {
  [ "$(id -u)" -eq 0 ] || skip "nobody is who we are not only as root"
  command -v script >/dev/null || skip "script(1) is not here"
  pretend 'cat >/dev/null; echo "%PDF-1.7"; { true </dev/tty; } 2>/dev/null && echo "a terminal"; printf "%%%%EOF\n"'
  script -qec "{ true </dev/tty; } && echo terminal >$dir/was; $XDP_MLR report $GOLDEN/trial-1-xdp.json --certificate $dir/c.pdf" /dev/null >$dir/said </dev/null || { cat "$dir/said"; return 1; }
  [ "$(cat "$dir/was")" = terminal ]
  grep -aq '%%EOF' "$dir/c.pdf"
  if grep -aq 'a terminal' "$dir/c.pdf"; then return 1; fi
}

@test "a PDF is made by a process of nobody, without a network, after the measurement" {
  [ "$(id -u)" -eq 0 ] || skip "nobody is who we are not only as root"
  pretend 'cat >/dev/null; echo "%PDF-1.7"; echo "user $(id -u), capabilities $(grep CapEff /proc/self/status), links $(grep -c : /proc/net/dev)"; printf "%%%%EOF\n"'
  simulated --certificate "$dir/c.pdf" -q >/dev/null
  grep -aq 'user 65534, capabilities CapEff:.0000000000000000, links 1' "$dir/c.pdf"
}

@test "without weasyprint, or with one that fails, the error says so; the older file stays" {
  local tools=$dir/tools
  mkdir "$tools"
  refuses 3 "--certificate $dir/c.pdf: a PDF needs the program weasyprint.*package 'weasyprint'" env PATH="$tools" "$XDP_MLR" search --measurer "exec:touch $dir/measured" \
    --max-load 1Mfps --certificate "$dir/c.pdf" -q
  [ ! -e "$dir/measured" ] && [ ! -e "$dir/c.pdf" ]
  echo older >"$dir/c.pdf"
  pretend 'echo no PDF; exit 1'
  refuses 3 "weasyprint made no PDF" "$XDP_MLR" report "$GOLDEN/trial-1-xdp.json" --certificate "$dir/c.pdf"
  [ "$(cat "$dir/c.pdf")" = older ]
}

@test "what cannot be a certificate or a logo is refused" {
  local bad
  refuses 2 "chooses the form of the certificate: .html or .pdf" simulated --certificate "$dir/c.md"
  refuses 2 "is for --certificate" simulated --logo "$dir/logo.svg"
  refuses 2 "customer ''.* must not be empty" simulated --customer ''
  refuses 2 "a certificate is of a benchmark" "$XDP_MLR" report "$GOLDEN/compare-1.json" --certificate "$dir/c.html"
  refuses 2 "No such file" simulated --certificate "$dir/c.html" --logo "$dir/none.png"
  echo text >"$dir/logo.png"
  refuses 2 "neither a PNG nor an SVG" simulated --certificate "$dir/c.html" --logo "$dir/logo.png"
  mkfifo "$dir/fifo.png"
  refuses 2 "this is no file" simulated --certificate "$dir/c.html" --logo "$dir/fifo.png"
  head -c 300000 /dev/zero >"$dir/logo.png"
  refuses 2 "larger than 256 KiB" simulated --certificate "$dir/c.html" --logo "$dir/logo.png"
  for bad in '<image href="http://a/b.png"/>' '<image xlink:href = "file:///etc/passwd"/>' '<script/>' '<rect fill="url(http://a/b)"/>' \
    '<style>@import "a"</style>' '<style>rect{fill:u\72l(a)}</style>' '<image href="data:image/svg+xml;base64,AA"/>' '<image href="&#104;ttp://a"/>'; do
    echo "<svg xmlns='http://www.w3.org/2000/svg'>$bad</svg>" >"$dir/bad.svg"
    refuses 2 "may load or run something" simulated --certificate "$dir/c.html" --logo "$dir/bad.svg"
  done
  [ ! -e "$dir/c.html" ]
}
