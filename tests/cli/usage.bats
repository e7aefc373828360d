#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What the command line takes and what it refuses, with which words.
load helper

trial() {
  "$XDP_MLR" trial -p a,b --load 5kfps "$@"
}

search() {
  "$XDP_MLR" search -p a,b "$@"
}

@test "help and version work for the program and for every verb" {
  local verb
  for verb in "" search trial sweep soak rfc2544 y1564 selftest probe lab "lab up" 'lab down' 'lab status' 'lab on' clean compare report; do
    for option in --help -h; do
      run --separate-stderr "$XDP_MLR" $verb $option
      [ "$status" -eq 0 ]
      [ -z "$stderr" ]
      [[ $output == *Usage:* ]]
    done
    for option in --version -V; do
      run --separate-stderr "$XDP_MLR" $verb $option
      [ "$status" -eq 0 ]
      [ -z "$stderr" ]
      [[ $output =~ ^xdp-mlr\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    done
  done
}

@test "the program's help names every verb" {
  run "$XDP_MLR" --help
  for verb in search trial sweep soak rfc2544 y1564 selftest probe 'lab up' 'lab down' 'lab status' 'lab on' clean compare report; do
    [[ $output == *"  $verb "* ]]
  done
}

@test "a verb's help names the options of the contract" {
  run "$XDP_MLR" search --help
  for option in ports direction frame-size tx measurer preset goal min-load max-load algorithm max-time wait format report \
    config gateway dst-mac address allow-unsafe effective-duration quiet; do
    [[ $output == *"--$option"* ]]
  done
  run "$XDP_MLR" trial --help
  for option in ports direction frame-size load duration tx wait format config; do
    [[ $output == *"--$option"* ]]
  done
  [[ $output != *--goal* ]]
  run "$XDP_MLR" lab up --help
  [[ $output == *--sut* ]]
  run "$XDP_MLR" lab down --help
  [[ $output != *--sut* ]]
}

@test "help is in groups, of the usual options, and of all" {
  run "$XDP_MLR" search --help
  local short=$output
  [[ $output == *$'\nPorts and traffic:\n'*"--ports"*$'\n\nWhat to measure:\n'*"--goal"*$'\n\nThe run:\n'*"--dry-run"* ]]
  [[ $output != *--modifier* && $output != *--clock-budget* ]]
  [[ $output =~ 'These are '([0-9]+)' of '([0-9]+)" options: 'xdp-mlr search --help=all'" ]]
  [ "$(grep -cE '^  (-., |    )--' <<<"$short")" -eq "${BASH_REMATCH[1]}" ]
  local count=${BASH_REMATCH[2]}
  run "$XDP_MLR" search --help=all
  [ "$(grep -cE '^  (-., |    )--' <<<"$output")" -eq "$count" ]
  [[ $output == *--modifier* && $output != *"These are"* ]]
  # no heading without options below it, none twice
  if grep -A1 ':$' <<<"$output" | grep -xB1 '' | grep ':$'; then return 1; fi
  [ -z "$(grep ':$' <<<"$output" | sort | uniq -d)" ]
  # a verb of few options shows them all
  run "$XDP_MLR" clean --help
  [[ $output != *"These are"* ]]
  "$XDP_MLR" lab --help=all | grep -q -- --sut
  refuses 2 "--help takes no value, but got 'some'" "$XDP_MLR" search --help=some
}

@test "help shows each text whole, and the default that the verb has" {
  # as one line, for texts are broken anywhere
  help_of() { "$XDP_MLR" "$@" --help=all | tr -s ' \n' ' '; }
  [[ $(help_of lab up) == *"the links sut-a and sut-b of the lab's namespace) (default router) "* ]]
  [[ $(help_of trial) == *"(default 64) "*"(default 1s) "* ]]
  for verb in rfc2544 selftest; do [[ $(help_of $verb) == *"(default 64,128,256,512,1024,1280,1518) "* ]]; done
  [[ $(help_of y1564) == *"(default 512) "*"(default 900) "* && $(help_of y1564) != *"(default 1s)"* ]]
  [[ $(help_of connect) == *"(default both) "*"(default 3) "* && $(help_of connect) != *"(default 1s)"* ]]
  [[ $(help_of soak) == *"(default 1800) "* ]]
}

@test "a verb that judges something else than a measurement says what its exit codes mean" {
  [[ $("$XDP_MLR" compare --help) == *$'\ncompare: 0 '*"1 it is slower; 2 "* ]]
  [[ $("$XDP_MLR" search --help) != *$'\nsearch: '* ]]
  [[ $("$XDP_MLR" campaign --help) == *$'\ncampaign status: 0 '* ]]
}

@test "help is within 120 columns" {
  for verb in '' search trial sweep soak rfc2544 y1564 selftest connect probe lab profile clean compare report verify campaign; do
    "$XDP_MLR" $verb --help | awk 'length > 120 { print; bad = 1 } END { exit bad }'
  done
}

@test "no verb, or one that does not exist, is refused with the nearest" {
  refuses 2 "no verb" "$XDP_MLR"
  refuses 2 "no verb 'serch', did you mean 'search'\?" "$XDP_MLR" serch
  refuses 2 "did you mean 'trial'\?" "$XDP_MLR" trail
  refuses 2 "no verb 'rfc2545'" "$XDP_MLR" rfc2545
  refuses 2 "no verb '--load'" "$XDP_MLR" --load 5
  refuses 2 "lab up.*lab down.*lab status" "$XDP_MLR" lab
  refuses 2 "no 'lab dwon', did you mean 'down'\?" "$XDP_MLR" lab dwon
}

@test "an option that does not exist is refused with the nearest" {
  refuses 2 "no option --gaol, did you mean '--goal'\?" search --gaol loss=0
  refuses 2 "no option --frame-sise, did you mean '--frame-size'\?" trial --frame-sise=64
  refuses 2 "no option --zzzzzzzz \(" search --zzzzzzzz
  refuses 2 "no option -x" search -x
  refuses 2 "--goal is no option of trial; it is one of search" trial --goal loss=0
  refuses 2 "--ma could be --max-load or --max-r" search --ma 5
  refuses 2 "one argument too many" search more
  refuses 2 "one argument too many" search -- more
  refuses 2 "--max-load lacks its value" search --max-load
  refuses 2 "--quiet takes no value" search --quiet=yes
}

@test "ports must be two different ones" {
  refuses 2 "--ports is missing" "$XDP_MLR" search
  refuses 2 "--ports is missing" "$XDP_MLR" trial --load 5
  refuses 2 "--ports 'a,a': the same port twice" "$XDP_MLR" search -p a,a
  refuses 2 "--ports 'a': must be two" "$XDP_MLR" search -p a
  refuses 2 "--ports 'a,b,c': must be two" "$XDP_MLR" search -p a,b,c
  refuses 2 "at most 15 characters" "$XDP_MLR" search -p a,sixteen-and-more
}

@test "frame sizes are 64 to 9216" {
  local size
  for size in 0 63 9217 -64 64.5 64x '' 0x40 99999999999999999999; do
    refuses 2 "--frame-size '$size': .*64 to 9216" trial --frame-size "$size"
  done
}

@test "loads must be numbers above 0 in a known unit" {
  local load
  for load in 0 -1 nan inf 250k 10GB/s 5Gps 1e13 0% 101% '' ' 5' '5 ' 0x5 1,5; do
    refuses 2 "--load '$load': " trial --load "$load"
    refuses 2 "--max-load '$load': " search --max-load "$load"
    refuses 2 "--min-load '$load': " search --min-load "$load"
  done
  refuses 2 "--max-load 'max': " search --max-load max
  refuses 2 "--min-load 'max': " search --min-load max
  refuses 2 "--load is missing" "$XDP_MLR" trial -p a,b
}

@test "Min Load must be below Max Load" {
  refuses 2 "--max-load '5kfps': must be above Min Load, which is '9001' by default; raise it or give a smaller --min-load, too: --min-load 500fps --max-load 5kfps" search --max-load 5kfps
  refuses 2 "--max-load '2Mfps': must be above Min Load, which is '2Mfps'" search --min-load 2Mfps --max-load 2Mfps
  # 64 octets: 5 Gbit/s are 9.77 Mfps on layer 2, 7.44 Mfps on layer 1
  refuses 2 "--max-load '5Gbps-l1': must be above" search --min-load 5Gbps-l2 --max-load 5Gbps-l1
}

@test "where one frame size is measured, a list of them is sent to the verbs that take it" {
  refuses 2 "--frame-size '64,128': is a list.*'xdp-mlr rfc2544' takes a list.*'xdp-mlr campaign'" search --frame-size 64,128
  refuses 2 "--frame-size '64,imix': is a list" trial --frame-size 64,imix
  refuses 2 "--frame-size 'x': not a whole number" "$XDP_MLR" rfc2544 -p a,b --frame-size 64,x
}

@test "a list given twice is refused: the second would take the place of the first" {
  refuses 2 "^xdp-mlr: --modifier is given twice, and is a list; write it once, as --modifier broadcast=1%,management=2/s$" \
    trial -p a,b --modifier broadcast=1% --load 1 --modifier management=2/s
  local option
  for option in vlan=1 vary=src-port=2 wait=d=1 prepare=auto; do refuses 2 "given twice" trial "--$option" "--$option"; done
  refuses 2 "--tests reconf needs a --reconf-command" "$XDP_MLR" rfc2544 -p a,b --tests reconf
  refuses 2 "given twice" "$XDP_MLR" rfc2544 --tests throughput --tests latency
  # what is one value counts as it was given last, so that a script's own can be overruled
  [ "$("$XDP_MLR" profile show --frame-size 64 --frame-size 128 --format json | jq '.frames[0].size_octets')" -eq 128 ]
}

@test "sources of counters: what they are, and what is refused" {
  local option
  for option in dut =exec:x 'a b=exec:x' 'dut=exec' 'dut=telnet:x' "$(printf 'x%.0s' {1..32})=local:"; do
    refuses 2 "--observe '$option': .*must be" trial --observe "$option"
  done
  refuses 2 "lacks what follows 'exec:'" trial --observe dut=exec:
  refuses 2 "second source of this name" trial --observe dut=local: --observe dut=exec:x
  refuses 2 "one source too many, at most 8" trial $(printf -- '--observe n%s=local: ' {1..9})
  refuses 2 "--observe is for trials of this machine or of exec:COMMAND, not for --measurer sim" \
    "$XDP_MLR" search --measurer "$SIM" --max-load 10Mfps --observe dut=local:
  refuses 2 "--idle-duration .*needs a source that tells of the SUT, --observe" trial --idle-duration 1
}

@test "an option given twice is not lost without a word" {
  run --separate-stderr "$XDP_MLR" search --measurer "$SIM" --max-load 10Mfps --max-load 5Mfps --format json
  [ "$status" -eq 0 ]
  [ "$stderr" = "xdp-mlr: warning: --max-load is given twice: '5Mfps' counts, and '10Mfps' does not" ]
  [ "$("$JQ" -r '.warnings[0], .configuration["max-load"]' <<<"$output")" = "${stderr#*warning: }
5Mfps" ]
}

@test "durations must be above 0" {
  local duration
  for duration in 0 -1 nan inf 5sec 1e7 ''; do
    refuses 2 "--duration '$duration': " trial --duration "$duration"
    refuses 2 "--max-time '$duration': " search --max-time "$duration"
  done
  refuses 2 "--wait 'd=-1': a wait must be at least 0" trial --wait d=-1
  refuses 2 "--wait 'c=1': no key 'c'" trial --wait c=1
  refuses 2 "--wait 'd=1,d=1': d is given twice" trial --wait d=1,d=1
  refuses 2 "--wait '5': must be KEY=VALUE" trial --wait 5
}

@test "goals keep the ranges of the draft" {
  refuses 2 "--goal 'los=0': no key 'los', did you mean 'loss'\?" search --goal los=0
  refuses 2 "--goal 'loss=100%': loss: the Goal Loss Ratio" search --goal loss=100%
  refuses 2 "--goal 'loss=-1%': loss: the Goal Loss Ratio" search --goal loss=-1%
  refuses 2 "--goal 'exceed=1': exceed: the Goal Exceed Ratio" search --goal exceed=1
  refuses 2 "--goal 'width=0': width: the Goal Width" search --goal width=0
  refuses 2 "--goal 'width=1': width: the Goal Width" search --goal width=1
  refuses 2 "--goal 'final=0': final: the Goal Final Trial Duration" search --goal final=0
  refuses 2 "--goal 'initial=-1': initial: the Goal Initial Trial Duration" search --goal initial=-1
  refuses 2 "--goal 'sum=0': sum: the Goal Duration Sum" search --goal sum=0
  refuses 2 "--goal 'loss=many': loss 'many' is not a ratio" search --goal loss=many
  refuses 2 "--goal 'final=1%': final '1%' is not a duration" search --goal final=1%
  refuses 2 "--goal 'name=': name: " search --goal name=
  refuses 2 "--goal 'name=x,name=y': name is given twice" search --goal name=x,name=y
  refuses 2 "--goal 'name=x': another goal is called 'x'" search --goal name=x --goal name=x
  refuses 2 "at most 16 goals" search --goal=loss={0..16}%
  refuses 2 "at most 63 octets" search --goal "name=$(printf 'x%.0s' {1..64})"
}

@test "words out of a list are checked" {
  refuses 2 "--direction 'b-to-b': must be a-to-b, b-to-a, both or mesh, did you mean" trial --direction b-to-b
  refuses 2 "--format 'xml': must be text, json or jsonl" trial --format xml
  refuses 2 "--preset 'csti': .*did you mean 'csit'\?" search --preset csti
  refuses 2 "--effective-duration 'all': must be trial or wall" trial --effective-duration all
  refuses 2 "--algorithm 'simplex': must be mlr, phased, binary or tst009" search --algorithm simplex
  refuses 2 "--max-r '0': must be a whole number from 1" search --max-r 0
  refuses 2 "--max-r '2.5': must be a whole number" search --max-r 2.5
  refuses 2 "--report 'x.pdf': .*\.html, \.md, \.csv, \.json or \.txt" search --report x.pdf
  refuses 2 "--report 'a.b/x': .*\.json or \.txt" search --report a.b/x
}

@test "addresses are checked" {
  refuses 2 "--address '198.18.0.2': must be two" trial --address 198.18.0.2
  refuses 2 "'198.18.0.300' is not the IPv4 address" trial --address 198.18.0.300,198.19.0.2
  refuses 2 "'198.18.0.2.3.4.5.6.7.8.9' is not" trial --address 198.18.0.2.3.4.5.6.7.8.9,198.19.0.2
  refuses 2 "prefix length of '198.19.0.2/33'" trial --address 198.18.0.2,198.19.0.2/33
  refuses 2 "'gw' is not the IPv4 address" trial --gateway gw,198.19.0.1
  refuses 2 "'1:2:3:4:5:6' is not a MAC" trial --dst-mac 1:2:3:4:5:6,02:00:00:00:00:01
  refuses 2 "--allow-unsafe '': must not be empty" trial --allow-unsafe=
}

@test "a build without MPI says so, and how to get one with it" {
  refuses 3 "built without MPI; install the package xdp-mlr-mpi, or build it with 'make MPI=1'" \
    "$XDP_MLR" search --measurer mpi -p h1:a,h2:b --max-load 1Mfps
  refuses 2 "'h1:a,h2:b': hosts and roles of ports, HOST:PORT:ROLE, are for --measurer mpi" "$XDP_MLR" search -p h1:a,h2:b
}

@test "measurers are checked" {
  refuses 2 "--measurer 'trex': must be xdp, mpi, exec:COMMAND or sim:MODEL" search --measurer trex
  refuses 2 "--measurer 'exec:': lacks a command" search --measurer exec:
  refuses 2 "--measurer 'sim:': lacks a model" search --measurer sim:
  refuses 2 "--max-load is missing" "$XDP_MLR" search --measurer sim:hard,capacity=1e6
  refuses 2 "--max-load is missing" "$XDP_MLR" search --measurer exec:cat
  refuses 2 "line rate is not known" "$XDP_MLR" search --measurer exec:cat --max-load 80%
}

@test "a simulated SUT that does not exist, or with impossible values, is refused" {
  local model
  for model in herd,capacity=1e6 hard,capacity=-1 hard,capacity=x hard,capacity=1e6,colour=red; do
    refuses 2 "--measurer 'sim:$model': " "$XDP_MLR" search --measurer "sim:$model" --max-load 10Mfps
  done
}

@test "control characters of a value do not reach the terminal" {
  refuses 2 "x\\\\x1b\[2J" search --format $'x\e[2J'
  [[ $stderr != *$'\e'* ]]
  refuses 2 "control characters in the name" search --goal $'name=\xc2\x9b31m'
}

@test "of a file's name no C1 control reaches the terminal, in eight bits neither, and UTF-8 stays whole" {
  local name
  for name in '\x9b31m' '\x80\x90\x9f' '\xe0\x82\x9b' '\xf0\x80\x82\x9b' '\xc1\x9b' '\xe2\x82' '\xc3' '\xff\x9d'; do
    refuses 2 "cannot read /nosuch/${name//\\/\\\\}: No such file" "$XDP_MLR" report "/nosuch/$(printf "$name")"
  done
  refuses 2 'cannot read /nosuch/\\x9b31m: No such file' "$XDP_MLR" report $'/nosuch/\xc2\x9b31m'
  # ß, a euro sign and a flag have octets that would be controls
  for name in $'\xc3\x9f' $'\xe2\x82\xac' $'\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa'; do
    refuses 2 "cannot read /nosuch/$name: No such file" "$XDP_MLR" report "/nosuch/$name"
  done
}

@test "values must be UTF-8" {
  refuses 2 "--goal: the value must be UTF-8" search --goal $'name=\xff\xfe'
  refuses 2 "--measurer: the value must be UTF-8" search --measurer $'exec:\xc3('
}
