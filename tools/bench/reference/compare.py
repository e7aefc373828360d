#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Run the program's controller over the simulated SUTs and set it beside the reference implementation.

    compare.py BINARY [--preset csit|rfc2544|tst009] [--seeds N] [--sut NAME ...] [-- extra options]

Trials and time are taken from the measurer's own log, and every bound and Conditional Throughput is recomputed from it
(judge.py): a result that does not follow from the log is a fault, and any fault makes the exit code 1. A row a SUT: mean
trials and mean time, warm-up included on both sides, the ratio of times; then for each goal the Conditional Throughput
divided by the SUT's true critical load, mean and spread over the seeds, the program's beside the reference's.
The reference is the Python implementation used by FD.io CSIT (reference.csv holds its results, seed by seed).
"""
import argparse
import concurrent.futures
import csv
import functools
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import judge
import sut_models

HERE = pathlib.Path(__file__).resolve().parent
GOALS = {"csit": [(0.0, 1.0), (0.005, 1.0)], "rfc2544": [(0.0, 60.0)], "tst009": [(0.0, 60.0)]}  # loss ratio, duration


def search(binary, preset, sut, seed, extra):
    """(trials, time, conditional throughputs, faults) of one search."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        done = subprocess.run(
            [binary, "search", "--measurer", f"exec:{sys.executable} {HERE}/sut.py {sut} {seed} --log {log}",
             "--preset", preset, "--format", "json",
             "--min-load", str(sut_models.MIN_LOAD), "--max-load", str(sut_models.MAX_LOAD), *extra],
            capture_output=True, text=True)
        try:
            result = json.loads(done.stdout)
        except json.JSONDecodeError:
            return 0, math.nan, [], [f"exit {done.returncode}, no JSON: {done.stderr.strip()[-200:]}"]
        trials = judge.read_log(log)
        time_s, faults = judge.judge(result, trials, sut_models.MIN_LOAD, sut_models.MAX_LOAD)
        if done.returncode not in (0, 1):
            faults.append(f"exit {done.returncode}")
        if len(result["trials"]) != len(trials):
            faults.append(f"{len(result['trials'])} trials in the result, {len(trials)} in the log")
        return len(trials), time_s, [g["conditional_throughput"] for g in result["search_result"]], faults


@functools.lru_cache(None)
def truth(sut, seed, loss_ratio, duration):
    return sut_models.critical_load(sut_models.every(seed)[sut], loss_ratio, duration)


def spread(values):
    return f"{statistics.mean(values):.4f} ± {statistics.pstdev(values):.4f}" if values else "none"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--preset", default="csit", choices=GOALS)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--sut", nargs="*")
    args, extra = parser.parse_known_args()
    extra = [e for e in extra if e != "--"]
    with open(HERE / "reference.csv", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["preset"] == args.preset and int(r["seed"]) < args.seeds
                and (not args.sut or r["sut"] in args.sut)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        ours = list(pool.map(lambda r: search(args.binary, args.preset, r["sut"], int(r["seed"]), extra), rows))
    print(f"{'sut':16}{'trials':>16}{'time [s]':>20}{'ratio':>8}   conditional throughput / critical load: ours, reference")
    logs, faults = [], []
    for sut in dict.fromkeys(r["sut"] for r in rows):
        pairs = [(r, o) for r, o in zip(rows, ours) if r["sut"] == sut]
        faults += [f"{sut} seed {r['seed']}: {fault}" for r, o in pairs for fault in o[3]]
        pairs = [(r, o) for r, o in pairs if o[2]]
        if not pairs:
            continue
        ref_trials, our_trials = statistics.mean(int(r["trials"]) for r, _ in pairs), statistics.mean(o[0] for _, o in pairs)
        ref_time, our_time = statistics.mean(float(r["time_s"]) for r, _ in pairs), statistics.mean(o[1] for _, o in pairs)
        logs.append((sut, math.log(our_time / ref_time)))
        shown = []
        for number, (loss_ratio, duration) in enumerate(GOALS[args.preset]):
            both = [(o[2][number], r[f"conditional{number}_fps"], truth(sut, int(r["seed"]), loss_ratio, duration)) for r, o in pairs]
            faults += [f"{sut}: no result for goal {number} where the reference has one" for a, b, _ in both if b and not a]
            shown.append(f"{spread([a / t for a, b, t in both if a and b])}, {spread([float(b) / t for a, b, t in both if a and b])}")
        print(f"{sut:16}{ref_trials:8.1f}{our_trials:8.1f}{ref_time:10.1f}{our_time:10.1f}{our_time / ref_time:8.3f}   {';  '.join(shown)}")
    for name, part in (("known", sut_models.suite(0)), ("field", sut_models.field(0)), ("strange", sut_models.strange(0)),
                       ("all", sut_models.every(0))):
        some = [log for sut, log in logs if sut in part]
        if some:
            print(f"{'geometric mean, ' + name:52}{math.exp(statistics.mean(some)):8.3f}")
    for fault in faults[:20]:
        print("FAULT", fault)
    if faults:
        sys.exit(f"{len(faults)} faults")


if __name__ == "__main__":
    main()
