#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""witness.py CHECK LOG RESULT: holds a result of xdp-mlr against what a SUT wrote down of each frame (tests/tools/witness.c).

It prints where they differ, a line each, and then exits with 1. It shares no code with the tester: what it knows of methods is from their
RFCs. Then it spoils one frame of the log, in each trial and direction that decides, and demands that what is derived from trials shows it.
"""
import json
import math
import sys
from statistics import mean, stdev

TAG_NUMBERS = 1 << 16
UNRECEIVED = {"payload", "due", "trial", "magic", "damage", "pad", "fragment", "length", "tags", "back", "icmp", "unsent"}
# The kernel may take the CPU away between the arrival of a frame and its stamp. So this many frames may be this much later, and all by this.
SPOILT, SPOILT_NS, LATER_NS = 3, 2e8, 20000
RANKS = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p99_9_ns": 0.999, "p99_99_ns": 0.9999}
BURST = 16  # each search for the longest burst begins with so many frames
LATE_NS = 1e12  # of a frame that is spoilt
CLOSE = 1e-9


# --- the log ----------------------------------------------------------------------------------------------------------------


class Way:
    """What a direction of a trial sent, in that order, and what of it was given on, by flow and number."""

    def __init__(self):
        self.sent = []  # (flow, number, due)
        self.given = {}  # (flow, number): (least latency, most latency, when)
        self.copies = 0

    def lost(self):
        return len(self.sent) - len(self.given)

    def counts(self):
        return {"sent": len(self.sent), "received": len(self.given), "lost": self.lost(), "duplicate": self.copies}


def read_log(path):
    """Trials of the log in their order, each as its directions by name."""
    trials = {}
    for words in map(str.split, open(path, encoding="ascii")):
        way = trials.setdefault(int(words[2]), {}).setdefault(words[1], Way())
        frame = int(words[3]), int(words[4])
        if words[0] == "in":
            way.sent.append((*frame, int(words[5])))
        elif words[6] not in UNRECEIVED and frame in way.given:
            way.copies += 1
        elif words[6] not in UNRECEIVED:
            way.given[frame] = int(words[9]), int(words[10]), int(words[8])
    return trials


def runs_of(trials):
    """Trials by number, for each measurer: numbers of one are without gaps."""
    runs, last = [], None
    for number, ways in trials.items():
        if last is None or number != (last + 1) % TAG_NUMBERS:
            runs.append({})
        runs[-1][len(runs[-1]) + 1] = ways
        last = number
    return runs


# --- what is compared -------------------------------------------------------------------------------------------------------


class Differences(list):
    def same(self, what, told, seen):
        near = isinstance(told, float) and isinstance(seen, (int, float)) and math.isclose(told, seen, rel_tol=CLOSE, abs_tol=CLOSE)
        if told != seen and not near:
            self.append(f"{what}: told {told}, seen {seen}")

    def within(self, what, told, bounds, error=0):
        if told is None or not bounds[0] - error - 1 <= told <= bounds[1] + error + 1:
            self.append(f"{what}: told {told}, seen {bounds[0]:.0f} to {bounds[1]:.0f}")


def at_rank(values, ratio, later=0):
    rank = max(math.ceil(len(values) * ratio * (1 - 1e-12)), 1) - 1 + later
    return values[rank] if rank < len(values) else values[-1] + SPOILT_NS


def latencies(way):
    """Figures of a direction's latencies, each between two times."""
    least, most = (sorted(given[i] for given in way.given.values()) for i in (0, 1))
    if not least:
        return None
    figures = {name: (at_rank(least, ratio), at_rank(most, ratio, SPOILT) + LATER_NS) for name, ratio in RANKS.items()}
    figures["min_ns"] = least[0], at_rank(most, 0, SPOILT) + LATER_NS
    figures["mean_ns"] = mean(least), mean(most) + SPOILT * SPOILT_NS / len(most) + LATER_NS
    figures["max_ns"] = least[-1], most[-1] + SPOILT_NS
    return figures


def bounds_of(function, bounds):
    """A figure of figures, each of which lies between two."""
    return function([least for least, _ in bounds]), function([most for _, most in bounds])


def ratio_of(way, intended):
    """Of the frames that were sent; of those intended, where more than 10 us worth of them were not."""
    return max(0, 1 - len(way.given) / (len(way.sent) if intended - len(way.sent) <= 1 else intended))


def intended_of(trial):
    return math.floor(trial["trial_load"] * trial["trial_duration"] + 0.5)


def put_latency(differ, what, told, way):
    seen = latencies(way)
    if seen is None or told is None:
        differ.same(what, told, seen)
        return
    differ.same(f"{what}: count", told["count"], len(way.given))
    for name, bounds in seen.items():
        differ.within(f"{what}: {name}", told[name], bounds, told["error_bound_ns"] if name in RANKS else 0)


class Result:
    def __init__(self, document, trials):
        self.document = document
        self.runs = runs_of(trials)
        self.first = document["measurer"]["ports"][0]["name"]
        self.derived_only = False  # compare what is derived from trials, not the trials themselves

    def way(self, told):
        return "ab" if told["from"] == self.first else "ba"

    def ways(self, trial, run=0):
        return self.runs[run][trial["trial_number"]]

    def loss_ratio(self, trial, run=0):
        """Of the worst direction."""
        return max(ratio_of(way, intended_of(trial)) for way in self.ways(trial, run).values())

    def put_trial(self, differ, what, trial, run=0):
        """Each direction of a trial: counts, loss ratio, latency. And the worst of them."""
        if self.derived_only:
            return
        ways = self.ways(trial, run)
        for told in trial["directions"]:
            way, name = ways[self.way(told)], f"{what}, trial {trial['trial_number']}, from {told['from']}"
            for count, seen in way.counts().items():
                differ.same(f"{name}: {count}", told["counts"][count], seen)
            differ.same(f"{name}: loss_ratio", float(told["loss_ratio"]), ratio_of(way, intended_of(trial)))
            put_latency(differ, f"{name}: latency", told["latency"], way)
        differ.same(f"{what}: loss_ratio", float(trial["loss_ratio"]), self.loss_ratio(trial, run))


# --- RFC 2544 ---------------------------------------------------------------------------------------------------------------


def all_lost(ways):
    return sum(way.lost() for way in ways.values())


def throughput_seen(result, trials):
    """The largest load without loss below the smallest with loss, and that one."""
    ratios = {trial["trial_load"]: result.loss_ratio(trial) for trial in trials if not trial.get("warmup")}
    lossy = min((load for load, ratio in ratios.items() if ratio), default=math.inf)
    return max((load for load in ratios if load < lossy), default=0), lossy


def check_throughput(result, differ):
    told = result.document["frame_sizes"][0]["throughput"]
    octets = result.document["frame_sizes"][0]["frame_size_octets"]
    lower, upper = throughput_seen(result, told["trials"])
    for trial in told["trials"]:
        result.put_trial(differ, "throughput", trial)
    differ.same("throughput", told["throughput"], lower)
    differ.same("throughput: lower bound", told["goal_result"]["relevant_lower_bound"], lower)
    differ.same("throughput: upper bound", told["goal_result"]["relevant_upper_bound"], upper)
    differ.same("throughput: trials", told["trial_count"], len(told["trials"]))
    differ.same("throughput on the line", told["l1_bps"], lower * (octets + 20) * 8)
    differ.same("throughput of frames", told["l2_bps"], lower * octets * 8)
    if (upper - lower) / upper > 0.005:
        differ.append(f"throughput: its bounds {lower} and {upper} are farther apart than 0.5 %")
    return [(0, trial["trial_number"]) for trial in told["trials"]]


def check_latency_table(result, differ):
    """26.2: of each direction the average over the repeats, and of the worst one in each repeat."""
    told = result.document["frame_sizes"][0]["latency"]
    ways = [result.ways(trial) for trial in told["trials"]]
    error = told["error_bound_ns"]
    seen = {name: [latencies(each[name]) for each in ways] for name in ("ab", "ba")}
    for trial in told["trials"]:
        result.put_trial(differ, "latency", trial)
    for direction in told["directions"]:
        here, what = seen[result.way(direction)], f"latency table, from {direction['from']}"
        differ.within(f"{what}: average", direction["average_of_means_ns"], bounds_of(mean, [each["mean_ns"] for each in here]))
        differ.within(f"{what}: min", direction["min_ns"], bounds_of(min, [each["min_ns"] for each in here]))
        differ.within(f"{what}: max", direction["max_ns"], bounds_of(max, [each["max_ns"] for each in here]))
        differ.within(f"{what}: p99", direction["p99_ns_max"], bounds_of(max, [each["p99_ns"] for each in here]), error)
    worst = [{name: bounds_of(max, [each[0][name], each[1][name]]) for name in each[0]} for each in zip(seen["ab"], seen["ba"])]
    means, medians = [each["mean_ns"] for each in worst], [each["p50_ns"] for each in worst]
    differ.within("latency table: average", told["average_of_means_ns"], bounds_of(mean, means))
    differ.within("latency table: medians", told["average_of_medians_ns"], bounds_of(mean, medians), error)
    # two means that each lie between two times differ by as much more, or less
    spread = sum(most - least for least, most in means)
    middle = stdev([sum(each) / 2 for each in means])
    differ.within("latency table: stdev", told["stdev_of_means_ns"], (middle - spread, middle + spread))
    differ.within("latency table: min", told["min_ns"], bounds_of(min, [latencies(way)["min_ns"] for each in ways for way in each.values()]))
    differ.within("latency table: max", told["max_ns"], bounds_of(max, [each["max_ns"] for each in worst]))
    differ.within("latency table: p99", told["p99_ns_max"], bounds_of(max, [each["p99_ns"] for each in worst]), error)
    differ.same("latency table: worst direction", result.way(told["worst_direction"]["average_of_means_ns"]), "ba")
    differ.same("latency table: lost", told["lost_frames"], sum(map(all_lost, ways)))
    differ.same("latency table: repeats", told["repeats"], len(ways))
    return [(0, trial["trial_number"]) for trial in told["trials"]]


def check_loss_table(result, differ):
    """26.3: from the maximum rate down by steps of 10 %, until two loads in a row lose nothing."""
    told = result.document["frame_sizes"][0]["frame_loss"]
    free = 0
    for number, (point, trial) in enumerate(zip(told["points"], told["trials"])):
        ways, what = result.ways(trial), f"loss table, load {number + 1}"
        intended = math.floor(point["load"] * told["trial_duration"] + 0.5)
        ratios = {name: ratio_of(way, len(way.sent)) for name, way in ways.items()}
        result.put_trial(differ, "frame-loss", trial)
        differ.same(f"{what}: load", float(point["load"]), told["max_rate"] * (1 - 0.1 * number))
        differ.same(f"{what}: of the maximum", float(point["load_ratio"]), 1 - 0.1 * number)
        differ.same(f"{what}: input", point["input_frames"], sum(len(way.sent) for way in ways.values()))
        differ.same(f"{what}: output", point["output_frames"], sum(len(way.given) for way in ways.values()))
        differ.same(f"{what}: loss ratio", float(point["loss_ratio"]), max(ratios.values()))
        if max(ratios.values()):
            worst = point["worst_direction"].get("loss_ratio")
            differ.same(f"{what}: worst", worst and ratios[result.way(worst)], max(ratios.values()))
        if not point["tester_limited"]:
            differ.same(f"{what}: as many as intended", point["input_frames"], 2 * intended)
        for direction in point["directions"]:
            way, name = ways[result.way(direction)], f"{what}, from {direction['from']}"
            differ.same(f"{name}: input", direction["input_frames"], len(way.sent))
            differ.same(f"{name}: output", direction["output_frames"], len(way.given))
            differ.same(f"{name}: loss ratio", float(direction["loss_ratio"]), ratios[result.way(direction)])
        differ.same(f"{what}: is there", free < 2, True)
        free = 0 if all_lost(ways) else free + 1
    differ.same("loss table: points", len(told["points"]), len(told["trials"]))
    differ.same("loss table: two in a row", told["loss_free_pair"], free == 2)
    return [(0, trial["trial_number"]) for trial in told["trials"]]


# --- that the check can fail ------------------------------------------------------------------------------------------------


def take_out(way, frame):
    del way.given[frame]


def make_late(way, frame):
    least, most, when = way.given[frame]
    way.given[frame] = least + LATE_NS, most + LATE_NS, when + LATE_NS


IN_TRIALS, IN_SUMS, LATE_IN_SUMS = (take_out, False), (take_out, True), (make_late, True)
CHECKS = {
    "tables": [
        (check_throughput, [IN_TRIALS]),
        (check_latency_table, [IN_TRIALS, IN_SUMS, LATE_IN_SUMS]),
        (check_loss_table, [IN_TRIALS, IN_SUMS]),
    ],
}


def prove(check, result, spoil, derived_only, numbers):
    """What the check does not see though a frame of the log is spoilt, in each direction of these trials."""
    blind = []
    result.derived_only = derived_only
    for run, number in numbers:
        for name, way in result.runs[run][number].items():
            given, differ = dict(way.given), Differences()
            if not given:
                continue
            spoil(way, next(reversed(given)))
            check(result, differ)
            way.given = given
            if not differ:
                blind.append(f"{check.__name__}: does not see {spoil.__name__} in trial {number} {name}")
    result.derived_only = False
    return blind


def main(kind, log, path):
    with open(path, encoding="utf-8") as file:
        result = Result(json.load(file), read_log(log))
    differences = []
    for check, spoils in CHECKS[kind]:
        differ = Differences()
        numbers = check(result, differ)
        if not numbers:
            differ.append(f"{check.__name__}: there was nothing to compare")
        if not differ:
            differ += [line for spoil in spoils for line in prove(check, result, *spoil, numbers)]
        differences += differ
    print("\n".join(differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
