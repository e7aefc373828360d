#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The configuration file: what is wrong is told with file and line, and the command line wins.
load helper

setup() {
  file=$BATS_TEST_TMPDIR/c.yaml
}

# `wrong PATTERN TEXT`: a search with this file is refused in one line that matches
wrong() {
  printf '%b' "$2" >"$file"
  refuses 2 "$1" "$XDP_MLR" search --config "$file"
}

@test "a search can be told by a file alone" {
  cat >"$file" <<END
# a search over nothing
measurer: $SIM
max-load: 10Mfps
goal:
  - name=x,loss=0.5%
  - {name: y, final: 2s, sum: 10}
format: json
END
  run --separate-stderr "$XDP_MLR" search --config "$file"
  [ "$status" -eq 0 ]
  is '[.search_result[].goal | .name, .loss_ratio, .final_trial_duration] == ["x", 0.005, 1, "y", 0, 2]' <<<"$output"
}

@test "the command line wins, wherever --config stands" {
  printf 'measurer: %s\nmax-load: 10Mfps\nformat: json\ngoal: [name=x, name=y]\n' "$SIM" >"$file"
  "$XDP_MLR" search --config "$file" --max-load 5Mfps --goal name=z | is '.controller_input.max_load == 5000000 and (.search_result | length) == 1'
  "$XDP_MLR" search --max-load 5Mfps --config="$file" --goal name=z | is '.controller_input.max_load == 5000000 and (.search_result | length) == 1'
}

@test "an unknown key is refused with file, line and the nearest" {
  wrong "c.yaml:3: no option 'gaol', did you mean 'goal'\?" 'frame-size: 64\n\ngaol: x\n'
  wrong "c.yaml:1: no option 'zzzzzzzz'$" 'zzzzzzzz: 1\n'
  wrong "c.yaml:2: 'duration' is no option of search" 'frame-size: 64\nduration: 5\n'
  wrong "c.yaml:1: 'config' belongs on the command line only" 'config: other.yaml\n'
}

@test "a wrong value is refused with file and line" {
  wrong "c.yaml:2: frame-size '63': must be 64 to 9216" 'ports: a,b\nframe-size: 63\n'
  wrong "c.yaml:4: goal 'name=y,loss=2': loss: " 'ports: a,b\ngoal:\n  - name=x\n  - name=y,loss=2\n'
  wrong "c.yaml:3: goal 'nam=x': no key 'nam', did you mean 'name'\?" 'ports: a,b\ngoal:\n  - {nam: x}\n'
  wrong "c.yaml:1: max-load '5kfps': must be above Min Load" 'max-load: 5kfps\nports: a,b\n'
  wrong "c.yaml:1: ports 'a,a': the same port twice" 'ports: [a, a]\n'
  wrong "c.yaml:1: quiet 'maybe': must be true or false" 'quiet: maybe\nports: a,b\n'
}

@test "what is no mapping of options is refused with file and line" {
  wrong "c.yaml:1: must be a mapping" '- frame-size\n'
  wrong "c.yaml:2: 'frame-size' stands here twice" 'frame-size: 64\nframe-size: 64\n'
  wrong "c.yaml:1: a plain value must stand here" 'frame-size: [[64]]\n'
  wrong "c.yaml:3: a second document" 'frame-size: 64\n---\nframe-size: 65\n'
  wrong "c.yaml:2: not YAML: " 'ports: [a, b\n'
}

@test "a file that cannot be read is refused" {
  refuses 2 "--config '/does/not/exist': No such file" "$XDP_MLR" search --config /does/not/exist
  refuses 2 "$BATS_TEST_TMPDIR:1: not YAML" "$XDP_MLR" search --config "$BATS_TEST_TMPDIR"
}

# A schedule as the appliance has it: docs/guide/appliance.md.
schedule() {
  cat >"$file" <<END
max-load: 10Mfps
measurer: $SIM
goal: [name=x]
appliance:
  schedule:
    repeat: forever
    runs:
      - {name: half, max-load: 5Mfps}
      - goal: [name=y, name=z]
      - {name: long, verb: soak, alone: true, max-load: 1Mfps, measurer: "$SIM", max-time: 50}
      - {name: wrong, max-laod: 5}
END
}

@test "a run of a schedule, by name or number: its options win over the file's, the command line over both" {
  schedule
  "$XDP_MLR" search --config "$file" --format json | is '.controller_input.max_load == 1e7 and [.search_result[].goal.name] == ["x"]'
  "$XDP_MLR" search --config "$file" --run half --format json | is '.controller_input.max_load == 5e6 and [.search_result[].goal.name] == ["x"]'
  "$XDP_MLR" search --config "$file" --run 2 --format json | is '.controller_input.max_load == 1e7 and [.search_result[].goal.name] == ["y", "z"]'
  "$XDP_MLR" search --config "$file" --run 1 --max-load 2Mfps --format json | is '.controller_input.max_load == 2e6'
}

@test "a run that stands alone takes nothing of the file, and has its own verb" {
  schedule
  # with the file's goals a soak would be refused
  "$XDP_MLR" soak --config "$file" --run long --format json | is '.schema == "xdp-mlr/soak/1" and .configuration["max-load"] == "1Mfps"'
  refuses 2 "c.yaml:10: run 'long' is of another verb: xdp-mlr soak" "$XDP_MLR" search --config "$file" --run long
}

@test "a run that is not there, or wrong, is refused where it stands" {
  schedule
  refuses 2 "c.yaml:8: the schedule has no run '5'" "$XDP_MLR" search --config "$file" --run 5
  refuses 2 "c.yaml:11: no option 'max-laod', did you mean 'max-load'\?" "$XDP_MLR" search --config "$file" --run wrong
  refuses 2 "--run 'x': names a run in the schedule of a file" "$XDP_MLR" search --run x
  echo 'max-load: 1Mfps' >"$file"
  refuses 2 "--run 'x': .*c.yaml has no schedule" "$XDP_MLR" search --config "$file" --run x
}

@test "a configuration that is nested too deeply, or too long, is refused before it is parsed" {
  local file=$BATS_TEST_TMPDIR/c.yaml
  # libyaml alone takes a minute or more for these
  { printf 'a: '; printf '[%.0s' {1..100000}; } >"$file"
  refuses 2 "c.yaml:1: it has brackets in more than 1000 brackets" timeout 120 "$XDP_MLR" search --config "$file"
  { printf 'a: '; printf '{a: %.0s' {1..50000}; } >"$file"
  refuses 2 "c.yaml:1: it has brackets in more than 1000 brackets" timeout 120 "$XDP_MLR" search --config "$file"
  refuses 2 "c.yaml:1: it has brackets in more than 1000 brackets" timeout 120 "$XDP_MLR" campaign run "$file"
  # each alias is within brackets of its own, so that the last one is deep
  { printf 'a0: &a0 x\n'; for i in {1..300}; do printf "a$i: &a$i %s*a$((i - 1)) %s\n" "$(printf '[%.0s' {1..900})" "$(printf ']%.0s' {1..900})"; done; } >"$file"
  refuses 2 "c.yaml:[0-9]+: values are nested too deeply" "$XDP_MLR" search --config "$file"
  { printf '# '; head -c 5000000 /dev/zero | tr '\0' x; } >"$file"
  refuses 2 "c.yaml:1: it is longer than 4 MiB" timeout 120 "$XDP_MLR" search --config "$file"
}
