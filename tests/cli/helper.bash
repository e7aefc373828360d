# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the command line share.
bats_require_minimum_version 1.5.0

source "$(dirname "${BASH_SOURCE[0]}")/../jq.bash"

set -o pipefail
XDP_MLR=${BUILD:-build}/xdp-mlr
SIM=sim:jitter,capacity=1e6,sigma=0.01,seed=7

# A search that takes no time: `simulated [options]`
simulated() {
  local usual=()
  [[ " $* " == *" --measurer"* ]] || usual+=(--measurer "$SIM")
  [[ " $* " == *" --max-load"* ]] || usual+=(--max-load 10Mfps)
  "$XDP_MLR" search "${usual[@]}" "$@"
}

# A search over a shell command as the measurer: `measured COMMAND [options]`
measured() {
  local command=$1
  shift
  "$XDP_MLR" search --measurer "exec:$command" --max-load 1Mfps "$@"
}

# `refuses CODE PATTERN COMMAND...`: this exit code, nothing on standard output, one line on standard error that matches
refuses() {
  local code=$1 pattern=$2
  shift 2
  run --separate-stderr "$@"
  if [ "$status" -ne "$code" ] || [ -n "$output" ] || [ "${#stderr_lines[@]}" -ne 1 ] || [[ ! $stderr =~ $pattern ]]; then
    echo "ran: $*"
    echo "exit $status, wanted $code; standard output: $output"
    echo "standard error, wanted one line with '$pattern': $stderr"
    return 1
  fi
}

# `is CONDITION`: whether standard input is one JSON value for which this jq condition holds
is() {
  "$JQ" -es "length == 1 and (.[0] | $1)" >/dev/null
}

# Whether a process has ended (a zombie has)
ended() {
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  [[ $stat == *") Z "* ]]
}

# Wait for what comes a moment later: a process that was killed lives until the kernel has taken it down
wait_until() { # command
  local i
  for i in {1..2000}; do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  echo "never: $*"
  return 1
}
