#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --timestamps: what it takes. What it does is in tests/net/timestamps.bats.
load helper

trial() {
  run --separate-stderr "$XDP_MLR" trial -p nosuch0,nosuch1 --load 5kfps "$@"
}

@test "auto, software and hardware are understood" {
  local choice
  for choice in auto software hardware; do
    trial --timestamps $choice
    # the ports are looked for only once the options have been understood
    [[ $stderr == *"no port 'nosuch0'"* ]]
  done
}

@test "others are not, nor hardware timestamps or IPDV for no latency" {
  local choice
  trial --timestamps hard
  [ "$status" -eq 2 ]
  [[ $stderr == *"--timestamps 'hard'"* ]]
  trial --timestamps hardware --no-latency
  [ "$status" -eq 2 ]
  [[ $stderr == *"--no-latency"* ]]
  [ "$(wc -l <<<"$stderr")" -eq 1 ]
  for choice in --no-latency --no-seq; do
    trial --ipdv $choice
    [ "$status" -eq 2 ]
    [[ $stderr == *"--ipdv is of "*"$choice"* ]]
  done
  trial --timestamps auto --no-latency
  [[ $stderr == *"no port 'nosuch0'"* ]]
}
