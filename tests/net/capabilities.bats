#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The capabilities that the service grants suffice, and the most important of them are needed.
bats_require_minimum_version 1.5.0
load helper

# The capabilities of the service, as setpriv names them: "+net_admin,+net_raw,..."
granted() {
  sed -n 's/^CapabilityBoundingSet=//p' tools/systemd/xdp-mlr@.service | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g'
}

# A run with these capabilities and no others: `with CAPABILITIES ARGUMENT...`
with() {
  local capabilities=$1
  shift
  run --separate-stderr setpriv --bounding-set="-all,$capabilities" --inh-caps=-all --no-new-privs "$MLR" "$@"
}

@test "a search runs with exactly the capabilities of the service" {
  command -v setpriv >/dev/null || skip "setpriv(1) is not here"
  [[ $(granted) == *+net_admin* && $(granted) != *sys_admin* ]]
  lab_up policer:rate=50000,burst=100us
  clean with "$(granted)" search -p "$A,$B" --max-load 100kfps --wait d=0.1 --goal name=ndr,final=0.2,sum=0.6,width=2% --format json
  [ "$status" -eq 0 ]
  check '.search_result[0] | .regular and .relevant_lower_bound > 48000 and .relevant_lower_bound <= 50200'
  [[ $stderr != *[Pp]ermi* ]]
  with "$(granted)" clean
  [ "$status" -eq 0 ]
}

@test "without CAP_NET_ADMIN or CAP_BPF it is refused, in one line that says so" {
  command -v setpriv >/dev/null || skip "setpriv(1) is not here"
  lab_up wire
  for missing in net_admin bpf; do
    with "$(granted | sed "s/+$missing,//")" trial -p "$A,$B" --load 10kfps --duration 0.1
    [ "$status" -eq 3 ] || { echo "$missing: $status $stderr"; return 1; }
    [ "$(wc -l <<<"$stderr")" -eq 1 ]
  done
}
