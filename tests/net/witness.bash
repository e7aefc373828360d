# SPDX-License-Identifier: GPL-2.0-or-later
# For tests that hold results against what a witness (tests/tools/witness.c) wrote down of each frame.

WITNESS_FILES=$(dirname "${BASH_SOURCE[0]}")/witness
WITNESS=$(realpath "${BUILD:-build}")/tests/tools/witness

# The witness with these rules.
witness_up() { # RULE...
  echo "exec $WITNESS $BATS_TEST_TMPDIR/log $*" >"$BATS_TEST_TMPDIR/sut"
  "$MLR" lab up --name "$LAB" "${lab_options[@]}" --sut "exec:sh $BATS_TEST_TMPDIR/sut" >/dev/null
}

# Frames for which the links between tester and witness had no room, and which so nobody wrote down. (What a link received and nobody took is
# not among them: the kernel takes no frames behind two VLAN tags.)
overflowed() {
  local link
  { for link in "$A" "$B"; do ethtool -S "$link" | awk '/xdp_drops:/ { next } /drops:/ { sum += $2 } END { print sum + 0 }'; done
    ip -s -j link show type veth | "$JQ" '.[].stats64.tx.dropped'
    inside ip -s -j link show type veth | "$JQ" '.[].stats64.tx.dropped'; } | awk '{ sum += $1 } END { print sum }'
}

# Whether the tester was the limit of what is compared. The throughput that a test of a suite begins with is not compared there.
limited() { # VERB
  case $1 in
    rfc2544) get '[.frame_sizes[0].recovery, .frame_sizes[0].back_to_back, .reset, .reconf] | any(.tester_limited? // false or (.repeated_trials? // 0) > 0)' >/dev/null ;;
    search | sweep | soak) false ;;
    # a stop that was caught up changes nothing but how frames departed
    trial) if [ -n "${departures_matter:-}" ]; then spoilt; else get '.trial_result.counts.unsent > 0' >/dev/null; fi ;;
    *) spoilt ;;
  esac
}

# Whether a frame came when its trial was over.
came_late() {
  [[ $stderr == *"frames still came when phase d"* ]] || get '[.. | .late? | numbers] | any(. > 0)' >/dev/null
}

# Run xdp-mlr over the witness once. Its result is $output, and what the witness saw is its log. Fail where a link dropped frames, or the tester
# was the limit, and say so.
log_once() { # VERB OPTION... -- RULE...
  local verb=$1 options=() before dropped
  shift
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  witness_up "$@"
  before=$(overflowed)
  run --separate-stderr "$MLR" "$verb" -p "$A,$B" --connect off --burst "${burst:-1000000}" --direction both --frame-size 128 --format json "${options[@]}"
  dropped=$(($(overflowed) - before))
  # it takes the file away once it has written of all that came
  : >"$BATS_TEST_TMPDIR/log.asked"
  while [ -e "$BATS_TEST_TMPDIR/log.asked" ]; do sleep 0.1; done
  "$MLR" lab down --name "$LAB"
  [ -n "$output" ] || { echo "exit $status: $stderr"; exit 1; }
  if [ "$dropped" -gt 0 ]; then echo "# links dropped $dropped frames" >&3; return 1; fi
  if limited "$verb"; then echo "# the tester was the limit: $(get '[.. | .tester_limited_reason? // empty] | unique | tostring')" >&3; return 1; fi
}

# The same, until the machine spoils neither. What the witness saw is with the result, as .witness, by trial, in parts of so many ms, where
# "ab" is from the first port to the second.
witnessed() { # PART_MS VERB OPTION... -- RULE...
  local try
  for try in {1..8}; do
    if log_once "${@:2}" && ! came_late; then
      awk -v part="${1}000000" -f "$WITNESS_FILES.awk" "$BATS_TEST_TMPDIR/log" "$BATS_TEST_TMPDIR/log" | "$JQ" -c -f "$WITNESS_FILES.jq" >"$BATS_TEST_TMPDIR/witness.json"
      output=$("$JQ" --slurpfile seen "$BATS_TEST_TMPDIR/witness.json" '. + {witness: $seen[0]}' <<<"$output")
      return
    fi
    if came_late; then echo "# frames came late" >&3; fi
    echo "# try $try has nothing to compare" >&3
  done
  give_up "the machine spoilt each try"
}

# Fail, with what differs, unless the result is as the log has it. Where the machine spoilt that it is made again.
agrees_with_log() { # CHECK VERB OPTION... -- RULE...
  local try code said
  for try in {1..8}; do
    code=3 said=
    if log_once "${@:2}"; then
      echo "$output" >"$BATS_TEST_TMPDIR/result.json"
      code=0
      said=$(python3 "$WITNESS_FILES.py" "$1" "$BATS_TEST_TMPDIR/log" "$BATS_TEST_TMPDIR/result.json") || code=$?
    fi
    if [ "$code" -ne 3 ]; then echo "$said"; return "$code"; fi
    echo "# try $try has nothing to compare; ${said//$'\n'/; }" >&3
  done
  give_up "the machine spoilt each try"
}

# For jq: the way of a direction, of these members those that differ, and of figures those that lie outside what the witness saw, by more
# than so much, and by more than that share of themselves.
words() {
  cat <<EOF
def way: if .from == "$A" then "ab" else "ba" end;
def other: if . == "ab" then "ba" else "ab" end;
def differ(\$a; \$b; \$members): [\$members[] | select(\$a[.] != \$b[.]) | {(.): [\$a[.], \$b[.]]}];
def outside(\$told; \$seen; \$error_ns; \$share): [\$seen | to_entries[] | .value as [\$least, \$most] | {(.key): [\$told[.key], \$least, \$most]}
  | select(.[] | .[0] == null or .[0] < \$least * (1 - \$share) - \$error_ns or .[0] > \$most * (1 + \$share) + \$error_ns)];
def exact: with_entries(select(.key | test("p[0-9]") | not));
def ranked: with_entries(select(.key | test("p[0-9]")));
# of a latency, which may not have the IPDV
def wrong(\$seen): . as \$told | if . == null or \$seen == null then [select(. != \$seen)] else
  differ({count, ipdv_count: (.ipdv_count // \$seen.pairs)}; {count: \$seen.count, ipdv_count: \$seen.pairs}; ["count", "ipdv_count"])
  + outside(.; \$seen.of_frames | exact; 1; 0) + outside(.; \$seen.of_frames | ranked; \$told.error_bound_ns; 0)
  + outside(.; \$seen.of_variation | exact; 1; 0) + outside(.; \$seen.of_variation | ranked; \$told.pdv_error_ns; 0)
  + if has("ipdv_count") then outside(.; \$seen.of_pairs | exact; 1; 0) + outside(.; \$seen.of_pairs | ranked; 1; 0.002) else [] end end;
# of a part or a flow
def wrong_span(\$seen): . as \$told | outside(.; (\$seen // {}) | with_entries(select(.key != "min_ns" or (\$told | has("min_ns")))); 1; 0);
EOF
}

# Fail unless the jq expression over the output is true.
holds() { # JQ-EXPRESSION
  check "$(words) $1"
}

# Fail, with what differs, unless the jq expression over the output gives nothing but empty lists.
agrees() { # JQ-EXPRESSION
  local differences
  differences=$("$JQ" -c "$(words) [$1] | flatten" <<<"$output")
  [ "$differences" = "[]" ] || { echo "$differences"; return 1; }
}
