# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the appliance's program share. It runs here as it does in the appliance, over simulated SUTs.
bats_require_minimum_version 1.5.0

APPLIANCE=${BUILD:-build}/xdp-mlr-appliance
XDP_MLR=${BUILD:-build}/xdp-mlr
SIM=sim:jitter,capacity=1e6,sigma=0.01,seed=7

# A measurer in real time: a SUT that forwards 1 Mfps, asked some five times a second
slow_measurer() {
  cat >"$BATS_TEST_TMPDIR/measurer" <<'END'
while read -r question; do
  sleep 0.2
  load=${question#*\"trial_load\": }
  load=${load%%[,.\}]*}
  if [ "$load" -gt 1000000 ]; then echo '{"trial_loss_ratio": 0.1}'; else echo '{"trial_loss_ratio": 0}'; fi
done
END
  echo "exec:sh $BATS_TEST_TMPDIR/measurer"
}

configuration() { # YAML on standard input
  cat >"$BATS_TEST_TMPDIR/config.yaml"
}

# Start it with what stands here; what it says is in console, keys are typed by key.
appliance_up() { # [OPTIONS]
  [ -p "$BATS_TEST_TMPDIR/keys" ] || mkfifo "$BATS_TEST_TMPDIR/keys"
  exec 8<>"$BATS_TEST_TMPDIR/keys"
  touch "$BATS_TEST_TMPDIR/console"
  "$APPLIANCE" --config "$BATS_TEST_TMPDIR/config.yaml" --state "$BATS_TEST_TMPDIR/state" --console - --xdp-mlr "$XDP_MLR" \
    "$@" <"$BATS_TEST_TMPDIR/keys" >>"$BATS_TEST_TMPDIR/console" 2>"$BATS_TEST_TMPDIR/errors" 3>&- 8>&- &
  appliance=$!
}

# Wait until it has ended, and return its exit code.
appliance_ended() {
  local code=0
  wait "$appliance" || code=$?
  appliance=
  return "$code"
}

appliance_down() {
  [ -z "${appliance:-}" ] || { kill "$appliance" && wait "$appliance" || true; }
  appliance=
}

teardown() {
  appliance_down
}

key() { # KEYS
  printf '%s' "$1" >&8
}

# Wait until it has said so, N times in all; fail with what it said.
said() { # PATTERN [N]
  local _
  for _ in {1..1200}; do
    [ "$(grep -c -- "$1" "$BATS_TEST_TMPDIR/console")" -lt "${2:-1}" ] || return 0
    sleep 0.1
  done
  echo "not said: $1"
  cat "$BATS_TEST_TMPDIR/console" "$BATS_TEST_TMPDIR/errors"
  return 1
}

# Wait until a run is at its second trial or a later one, as the console shows when it is asked.
measured() {
  until grep -q '^  trial \([2-9]\|1[0-9]\) .* for 1 s' "$BATS_TEST_TMPDIR/console"; do
    key s
    sleep 0.2
  done
}

result() { # NUMBER
  cat "$BATS_TEST_TMPDIR/state/results/$1.json"
}
