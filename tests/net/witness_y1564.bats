#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a SUT that is none of ours wrote down of each frame, against every figure of services, and of frames that come too late.
bats_require_minimum_version 1.5.0
load helper
load witness

# Most steps begin while frames of the one before still come; one is that of another service, whose ports were opened anew.
@test "steps of services: rates, delays, verdicts, and frames that come when their trial is over" {
  late_is_meant=true
  logged y1564 --tests configuration --step-duration 1 --cir-steps 100% --wait d=0.5 \
    --service name=x,cir=200fps,eir=30fps,loss=10%,delay=10ms,variation=5s --service name=y,cir=300fps,eir=150fps,loss=25%,delay=9s -- \
    ab,police,by=250,depth=5 ba,late,by=30 ab,late,every=40,from=250,by=1700 ba,late,every=30,from=250,by=1700
  agrees_with_log configuration
  check '[.services[].configuration.steps[].passed] | (map(select(. == true)) | length) > 0 and (map(select(. == false)) | length) > 0'
  [[ $stderr != *"which this run has not used"* ]]
}
