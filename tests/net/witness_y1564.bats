#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What a SUT that is none of ours wrote down of each frame, against every figure of services, and of frames that come too late.
bats_require_minimum_version 1.5.0
load helper
load witness

# Most steps begin while frames of the one before still come; one is that of another service, whose ports were opened anew.
@test "steps of services: rates, delays, verdicts, and frames that come when their trial is over" {
  agrees_with_log configuration y1564 --tests configuration --step-duration 1 --cir-steps 100% --wait d=0.5 \
    --service name=x,cir=200fps,eir=30fps,loss=10%,delay=10ms,variation=5s --service name=y,cir=300fps,eir=150fps,loss=25%,delay=9s -- \
    ab,police,by=250,depth=5 ba,late,by=30 ab,late,every=40,from=250,by=1700 ba,late,every=30,from=250,by=1700
  check '[.services[].configuration.steps[].passed] | (map(select(. == true)) | length) > 0 and (map(select(. == false)) | length) > 0'
  [[ $stderr != *"which this run has not used"* ]]
}

# The one direction is dead for ten seconds, which is unavailability; the other one for three, which is none.
@test "a performance: each second, availability, delays and their variation" {
  agrees_with_log performance y1564 --tests performance --duration 12 --wait d=1 --service name=x,cir=200fps,loss=5%,delay=9s,availability=50% \
    --service name=y,cir=300fps,loss=20%,delay=9s,availability=99%,variation=50ms -- \
    ab,drop,flow=2,from=3000,to=6400 ba,drop,flow=0,from=1000,to=11400 ba,late,by=20 ab,late,flow=3,every=40,by=100
  check '[.services[].performance | .faults] == [["loss", "availability"], ["variation"]]'
}
