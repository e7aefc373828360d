#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The lab's SUT that loses by a curve.
bats_require_minimum_version 1.5.0
load helper

# The band is five standard deviations of what a seeded sequence gives; expected: spread * ln(1 + exp(x)) / load.
@test "a stretch SUT loses by its curve, the same in both directions" {
  lab_up stretch:critical=50kfps,spread=1kfps
  for direction in a-to-b b-to-a; do
    clean_trial --direction "$direction" --load 45kfps --duration 0.5
    check '.trial_result.counts.lost <= 16' # 3.4
    clean_trial --direction "$direction" --load 50kfps --duration 1 --wait d=0.5
    check '.trial_result.counts.lost | . > 560 and . < 830' # 693
    clean_trial --direction "$direction" --load 60kfps --duration 1 --wait d=0.5
    check '.trial_result.counts.lost | . > 9540 and . < 10460' # 10000
  done
}

@test "a soak finds the critical load of a stretch SUT" {
  lab_up stretch:critical=50kfps,spread=500
  soak() {
    run --separate-stderr "$MLR" soak -p "$A,$B" --min-load 20kfps --max-load 80kfps --target-loss-ratio 1e-3 --max-time 10 \
      --first-duration 0.5 --format json --quiet
  }
  # 500 ln(1 + exp((load - 50000) / 500)) = 0.001 load; what stays unsent is loss, too
  right '((.critical_load.mean - 48862) | fabs) < ([5 * .critical_load.stdev, 50] | max) and .critical_load.stdev < 500' soak
}
