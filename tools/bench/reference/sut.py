#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A simulated SUT as an external measurer: one JSON trial input a line in, one JSON trial output a line out.

    sut.py MODEL SEED [--overhead SECONDS] [--log FILE]

In:  {"trial_duration": seconds, "trial_load": frames/s}
Out: {"frames_sent": n, "frames_lost": n, "trial_loss_ratio": ratio, "trial_effective_duration": seconds}
"""
import argparse
import json
import random
import sys

import sut_models


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("seed", type=int)
    parser.add_argument("--overhead", type=float, default=0.0)
    parser.add_argument("--log", help="append each trial to this file: load, duration, loss ratio, effective duration")
    args = parser.parse_args()
    sut = sut_models.every(args.seed)[args.model]
    rng = random.Random(f"{args.seed}/{args.model}")
    for line in sys.stdin:
        request = json.loads(line)
        load, duration = float(request["trial_load"]), float(request["trial_duration"])
        sent, lost = sut_models.trial(sut, rng, load, duration)
        if args.log:
            with open(args.log, "a") as log:
                print(load, duration, lost / sent, duration + args.overhead, file=log)
        print(json.dumps({
            "frames_sent": sent, "frames_lost": lost, "trial_loss_ratio": lost / sent,
            "trial_effective_duration": duration + args.overhead,
        }), flush=True)


if __name__ == "__main__":
    main()
