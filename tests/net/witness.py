#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""witness.py CHECK LOG RESULT: holds a result of xdp-mlr against what a SUT wrote down of each frame (tests/tools/witness.c).

It prints where they differ, a line each, and then exits with 1; with 3 where the log cannot tell. It shares no code with the tester: what it knows of methods is from their
RFCs. Then it spoils one frame of the log, in each trial and direction that decides, and demands that what is derived from trials shows it.
"""
import base64
import json
import math
import re
import struct
import sys
import zlib
from copy import copy
from statistics import mean, stdev

import witness_plr

TAG_NUMBERS, TIMES = 1 << 16, 1 << 40
UNRECEIVED = {"payload", "due", "trial", "magic", "damage", "pad", "fragment", "length", "tags", "back", "icmp", "unsent"}
# The kernel may take the CPU away between the arrival of a frame and its stamp. So this many frames may be this much later, and all by this.
SPOILT, SPOILT_NS, LATER_NS = 3, 2e8, 20000
RANKS = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p99_9_ns": 0.999, "p99_99_ns": 0.9999}
SPOILT_LOG = 3
BURST = 16  # each search for the longest burst begins with so many frames
UNTOLD_NS = 5e7  # how long before the end of phase d a frame may be given that comes after it
BEFORE_NS = 1e9  # a trial counts from before its first frame is due
LATE_NS = 1e12  # of a frame that is spoilt
STOP_NS = 1e5  # from so long on a stop of the tester is counted
PLR_ERROR = 0.01  # of estimates, as a part of their standard deviation
NEAR_RATIO = 0.1  # trials so near to the estimate tell of each frame that was lost
CROWD = 100  # frames that a spoilt log has depart together
BUCKET_RATIO = 0.002  # how exactly a histogram knows a latency
CLOSE = 1e-9


# --- the log ----------------------------------------------------------------------------------------------------------------


class Way:
    """What a direction of a trial sent, in that order, and what of it was given on, by flow and number."""

    def __init__(self):
        self.sent = []  # (flow, number, due)
        self.left = []  # of each of these: by how much it departed late, by how much more that may be, and whether it was marked
        self.given = {}  # (flow, number): (least latency, most latency, when)
        self.late = {}  # the same, of those given when the next trial had begun
        self.copies = 0

    def lost(self):
        return len(self.sent) - len(self.given)

    def counts(self):
        return {"sent": len(self.sent), "received": len(self.given), "lost": self.lost(), "duplicate": self.copies}

    def of_flow(self, flow):
        """What of it is of one flow."""
        part = Way()
        part.sent = [frame for frame in self.sent if frame[0] == flow]
        part.given = {frame: given for frame, given in self.given.items() if frame[0] == flow}
        return part

    def flows(self):
        return sorted({frame[0] for frame in self.sent})


def start_of(ways):
    """When the first frame of a trial was due, by the clock of its log. Tags have the lower bits of that."""
    due = min(way.sent[0][2] for way in ways.values())
    when = min((given[2] for way in ways.values() for given in [*way.given.values(), *way.late.values()]), default=due)
    return when - (when - due) % TIMES


def next_start(trials, number):
    """When the next trial began. Parts of a suite leave a number out."""
    return start_of(trials[min(other for other in trials if other > number)]) if number < max(trials) else math.inf


def last_due(ways):
    return start_of(ways) + max((way.sent[-1][2] - way.sent[0][2]) % TIMES for way in ways.values())


def put_late_aside(trials, wait_s):
    """Returns the trials of which frames were given when phase d ended, so that nobody knows whether they came before."""
    untold = set()
    for number, ways in trials.items():
        ends = last_due(ways) + wait_s * 1e9
        over = min(next_start(trials, number), ends + SPOILT_NS)
        if any(ends - UNTOLD_NS <= given[2] < over for way in ways.values() for given in way.given.values()):
            untold.add(number)
        for way in ways.values():
            way.late = {frame: given for frame, given in way.given.items() if given[2] >= over}
            way.given = {frame: given for frame, given in way.given.items() if given[2] < over}
    return untold


def read_log(path):
    """Trials of the log by their numbers, each as its directions by name."""
    trials, first = {}, None
    with open(path, encoding="ascii") as log:
        for words in map(str.split, log):
            first = int(words[2]) if first is None else first
            way = trials.setdefault((int(words[2]) - first) % TAG_NUMBERS + 1, {}).setdefault(words[1], Way())
            frame = int(words[3]), int(words[4])
            if words[0] == "in":
                way.sent.append((*frame, int(words[5])))
                way.left.append(tuple(map(int, words[6:9])))
            elif words[6] not in UNRECEIVED and frame in way.given:
                way.copies += 1
            elif words[6] not in UNRECEIVED:
                way.given[frame] = int(words[9]), int(words[10]), int(words[8])
    return trials


# --- what is compared -------------------------------------------------------------------------------------------------------


class Untold(Exception):
    """The log cannot tell."""


class Differences(list):
    def same(self, what, told, seen):
        near = isinstance(told, float) and isinstance(seen, (int, float)) and math.isclose(told, seen, rel_tol=CLOSE, abs_tol=CLOSE)
        if told != seen and not near:
            self.append(f"{what}: told {told}, seen {seen}")

    def near(self, what, told, seen, error):
        if not abs(told - seen) <= error:
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


def put_direction(differ, what, trial, told, way):
    for count, seen in way.counts().items():
        differ.same(f"{what}: {count}", told["counts"][count], seen)
    differ.same(f"{what}: loss_ratio", float(told["loss_ratio"]), ratio_of(way, intended_of(trial)))
    put_latency(differ, f"{what}: latency", told["latency"], way)


class Result:
    def __init__(self, document, trials):
        self.document = document
        self.trials = trials
        self.untold = put_late_aside(trials, self.wait_s())
        self.first = document["measurer"]["ports"][0]["name"]
        self.derived_only = False  # compare what is derived from trials, not the trials themselves

    def way(self, told):
        return "ab" if told["from"] == self.first else "ba"

    def wait_s(self):
        """How long phase d may last."""
        return float(re.search(r"\bd=([0-9.]+)", self.document["configuration"]["wait"]).group(1))

    def ways(self, trial):
        return self.trials[trial["trial_number"]]

    def loss_ratio(self, trial):
        """Of the worst direction."""
        return max(ratio_of(way, intended_of(trial)) for way in self.ways(trial).values())

    def sum_ratio(self, trial):
        """Of both directions together (RFC 9971, 4.5.7)."""
        both = Way()
        for way in self.ways(trial).values():
            both.sent += way.sent
            both.given.update(way.given)
        return ratio_of(both, len(self.ways(trial)) * intended_of(trial))

    def put_trial(self, differ, what, trial):
        """Each direction of a trial: counts, loss ratio, latency. And the worst of them."""
        if self.derived_only or trial["trial_number"] in self.untold and trial.get("warmup"):
            return
        ways = self.ways(trial)
        for told in trial["directions"]:
            put_direction(differ, f"{what}, trial {trial['trial_number']}, from {told['from']}", trial, told, ways[self.way(told)])
        differ.same(f"{what}: loss_ratio", float(trial["loss_ratio"]), self.loss_ratio(trial))
        self.put_worst(differ, f"{what}, trial {trial['trial_number']}", trial)

    def put_worst(self, differ, what, trial):
        """Of both directions the smallest minimum, else the largest figure; and whose it is, where the log tells them apart."""
        told, seen = trial["latency"], {name: latencies(way) for name, way in self.ways(trial).items()}
        if told is None or None in seen.values():
            return
        for name in seen["ab"]:
            worst = bounds_of(min if name == "min_ns" else max, [seen["ab"][name], seen["ba"][name]])
            differ.within(f"{what}: {name} of both", told[name], worst, told["error_bound_ns"] if name in RANKS else 0)
            largest = max(seen, key=lambda way: seen[way][name][0])
            if name in told["worst_direction"] and seen["ba" if largest == "ab" else "ab"][name][1] < seen[largest][name][0]:
                differ.same(f"{what}: whose {name}", self.way(told["worst_direction"][name]), largest)


# --- a trial: order ---------------------------------------------------------------------------------------------------------


def order_of(way, window):
    """What a receiver sees that remembers the last numbers of each flow. Older ones are copies to it. Returns what it received, and the order."""
    seen, expected = Way(), {}
    seen.sent, seen.copies = way.sent, way.copies
    gaps, depths, beyond = [], [], 0
    for flow, number, _ in way.sent:
        expected.setdefault(flow, number)
    for (flow, number), given in way.given.items():
        ahead = number - expected[flow]
        if -ahead >= window:  # behind the largest number by one less
            seen.copies, beyond = seen.copies + 1, beyond + 1
            continue
        seen.given[flow, number] = given
        if ahead > 0:
            gaps.append(ahead)
        if ahead < 0:
            depths.append(-ahead - 1)
        else:
            expected[flow] = number + 1
    return seen, {
        "beyond_window": beyond, "gaps": len(gaps), "gap_frames": sum(gaps), "gap_max_frames": max(gaps, default=0),
        "reorder_depth_max": max(depths, default=0), "reorder_depth_mean": mean(depths) if depths else None,
        "reorder_depths_by_power_of_2": [sum(depth >> power == 1 for depth in depths) for power in range(32)],
    }, len(depths)


def check_window(result, differ):
    trial = result.document["trial_result"]
    if any(way.late for way in result.ways(trial).values()):
        raise Untold("the witness was too slow to give each frame before phase d ended")
    for told in trial["directions"]:
        what = f"from {told['from']}"
        way, order, reordered = order_of(result.ways(trial)[result.way(told)], told["order"]["window"])
        put_direction(differ, what, trial, told, way)
        differ.same(f"{what}: reordered", told["counts"]["reordered"], reordered)
        for figure, seen in order.items():
            differ.same(f"{what}: {figure}", told["order"][figure], seen)
    return [trial["trial_number"]]


# --- a trial: how its frames departed ----------------------------------------------------------------------------------------


class Departures:
    """When frames of a direction departed, in ns after the first of them was due."""

    def __init__(self, way, load):
        self.interval = 1e9 / load
        self.due = [(frame[2] - way.sent[0][2]) % TIMES for frame in way.sent]
        self.at = [due + left[0] for due, left in zip(self.due, way.left)]
        self.error = max(left[1] for left in way.left) + 1
        # by how much the schedule moved just before each frame; due times are rounded to a ns
        self.moves = [0] + [due - before - self.interval for before, due in zip(self.due, self.due[1:])]
        self.moves = [move if move > 1 else 0 for move in self.moves]

    def moved_ns(self):
        return self.due[-1] - (len(self.due) - 1) * self.interval

    def stops(self):
        """Each stop that the log shows: it lasted so long at least, and at most from then till then.

        The transmitter looked at the clock after the frame before had departed, and before this one was due. It looked again when this one departed.
        """
        for before, due, move, at in zip(self.at, self.due[1:], self.moves[1:], self.at[1:]):
            if before + self.error < due - move and at - (due - move) > STOP_NS:
                yield at - (due - move), before, at

    def gaps(self):
        return list(zip(self.at, self.at[1:]))

    def queues(self, interval, latest=False):
        """How long the queue in front of a server is when each frame has come.

        A call that sends frames may last until the next one, and all of them may depart at its end. Then the server has served none of them.
        """
        queue, together, queues = 0, 0, []
        for before, at in zip([-math.inf, *self.at], self.at):
            if not latest or at - before > self.error:
                queue, together = max(queue - max(at - before, 0), together * self.interval if latest else 0), 0
            queue, together = queue + interval, together + 1
            queues.append(queue)
        return queues

    def over_ns(self, asked, latest):
        """For how long a server that is a sixteenth faster has more than so many frames before it."""
        interval = self.interval * 15 / 16
        return sum(queue - max(queue - interval, asked * self.interval) for queue in self.queues(interval, latest) if queue > asked * self.interval)


def check_departures(result, differ):
    """The schedule, stops, and the longest queue of what departed, by the lateness in tags. Of both directions the worst counts."""
    trial, told = result.document["trial_result"], result.document["pacing"]
    ways, load = result.ways(trial), trial["trial_load"]
    for direction in trial["directions"]:
        put_direction(differ, f"from {direction['from']}", trial, direction, ways[result.way(direction)])
    seen = [Departures(way, load) for way in ways.values()]
    if len({way.sent[0][2] for way in ways.values()}) > 1:
        raise Untold("the schedule moved before the first frame")
    error = max(each.error for each in seen)
    # the schedule
    differ.same("moves", told["moves"], max(sum(map(bool, each.moves)) for each in seen))
    differ.within("moved_ns", told["moved_ns"], [max(each.moved_ns() for each in seen)] * 2)
    busy = [max(each.at[-1] / 1e9 + 1 / load, trial["trial_duration"]) for each in seen]
    differ.within("transmit_duration", told["transmit_duration"] * 1e9, [max(busy) * 1e9] * 2, error)
    rates = [len(each.at) / length for each, length in zip(seen, busy)]
    differ.within("achieved_fps", told["achieved_fps"] * 1e9, [mean(rates) * 1e9] * 2, error * load)
    differ.within("error_ppm", told["error_ppm"], [(mean(rates) / load - 1) * 1e6] * 2, error * load / 1e3)
    # stops
    stops = [stop for each in seen for stop in each.stops()]
    longest, at = told["stop_max_ns"], told["stop_max_at"] * 1e9
    differ.within("stop_count", told["stop_count"], (len(stops), math.inf), -1)
    differ.within("stop_total_ns", told["stop_total_ns"], (sum(stop[0] for stop in stops) - len(stops) * error, math.inf))
    differ.within("stop_max_ns", longest, (max((stop[0] for stop in stops), default=0) - error, math.inf))
    if not any(begin - error <= at and at + longest <= end + error for each in seen for begin, end in each.gaps()):
        differ.append(f"the longest stop: told {longest} ns at {at:.0f}, seen no such gap")
    # the queue
    excess, when, near = told["excess_frames_max"], told["excess_at"] * 1e9, error * load / 1e9 + 0.5
    least, most = (max(max(each.queues(each.interval, latest)) for each in seen) * load / 1e9 for latest in (False, True))
    if not least - near <= excess <= most + near:
        differ.append(f"excess_frames_max: told {excess}, seen {least} to {most}")
    if not any(queue * load / 1e9 >= excess - near and at - error <= when <= until + error
               for each in seen for queue, at, until in zip(each.queues(each.interval, True), each.at, [*each.at[1:], math.inf])):
        differ.append(f"excess_at: told {when:.0f} ns, seen no such queue")
    over = [max(each.over_ns(told["burst_allowed"], latest) for each in seen) for latest in (False, True)]
    differ.within("excess_duration", told["excess_duration"] * 1e9, over, seen[0].interval)
    return [trial["trial_number"]]


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
    return [trial["trial_number"] for trial in told["trials"]]


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
    return [trial["trial_number"] for trial in told["trials"]]


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
    return [trial["trial_number"] for trial in told["trials"]]


def after_start(way, frame):
    return (frame[2] - way.sent[0][2]) % TIMES / 1e9


def lost_times(way, since_s=0):
    """When frames that were lost had been due, after the first one."""
    times = [after_start(way, frame) for frame in way.sent if frame[:2] not in way.given]
    return [time for time in times if time >= since_s]


def check_recovery(result, differ):
    """26.5: from the change of the load until the last frame that was lost was due."""
    told = result.document["frame_sizes"][0]["recovery"]
    run, number = told["runs"][-1], max(result.trials)
    change, recoveries = told["overload_duration"], {}
    differ.same("recovery: overload", float(told["overload"]), told["overload_ratio"] * result.document["frame_sizes"][0]["throughput"]["throughput"])
    differ.same("recovery: reduced load", float(told["reduced_load"]), told["overload"] / 2)
    for direction in run["directions"]:
        way, what = result.trials[number][result.way(direction)], f"recovery, from {direction['from']}"
        after = [time - change for time in lost_times(way, change - 1e-6)]
        first = sum(after_start(way, frame) < change - 1e-6 for frame in way.sent)
        differ.same(f"{what}: of the overload", first, math.floor(told["overload"] * change + 0.5))
        differ.same(f"{what}: of the reduced load", len(way.sent) - first, math.floor(told["reduced_load"] * told["reduced_duration"] + 0.5))
        differ.same(f"{what}: lost", direction["frames_lost"], way.lost())
        differ.same(f"{what}: lost after", direction["frames_lost_after"], len(after))
        differ.same(f"{what}: recovered", direction["lost_at_end"], bool(after) and max(after) > told["reduced_duration"] * 0.98)
        if not way.lost() or direction["lost_at_end"]:
            differ.same(f"{what}: none", direction["recovery"], None)
            continue
        end = max(after, default=0) * 1e9
        if direction["recovery"] is None:
            differ.append(f"{what}: told none, seen {end:g} ns")
            continue
        recoveries[result.way(direction)] = direction["recovery"]
        differ.within(what, direction["recovery"] * 1e9, (end, end + 2e6 if after else 0))
    if recoveries:
        differ.same("recovery: worst", run["recovery"], max(recoveries.values()))
        differ.same("recovery: whose", recoveries.get(result.way(run["worst_direction"]["recovery"])), max(recoveries.values()))
    differ.same("recovery: lost", run["frames_lost"], all_lost(result.trials[number]))
    differ.same("recovery: lost after", run["frames_lost_after"], sum(direction["frames_lost_after"] for direction in run["directions"]))
    if len(told["runs"]) == 1:
        for figure in ("average", "min", "max"):
            differ.same(f"recovery: {figure}", told[figure], run["recovery"])
    return [number]


def outages(way, since_s):
    """Between the frames around each time in which each frame was lost: when they were due."""
    found, begin, last = [], None, 0
    for frame in way.sent:
        time = after_start(way, frame)
        if frame[:2] not in way.given:
            begin = last if begin is None and time >= since_s else begin
        elif begin is not None:
            found.append((begin, time))
            begin = None
        last = time
    return found


SOON_S = 1  # how long after its command a reset begins


def longest_outage(of, default=(0, 0)):
    return max(of, key=lambda each: each[1] - each[0], default=default)


def check_reset(result, differ):
    """26.6: the longest time soon after the command in which nothing came, of frames as they were due."""
    told, number = result.document["reset"], max(result.trials)
    load = told["load"]
    for direction in told["directions"]:
        way, what = result.trials[number][result.way(direction)], f"reset, from {direction['from']}"
        found = outages(way, told["command_at"])
        begin, end = longest_outage(each for each in found if each[0] <= told["command_until"] + SOON_S)
        other = longest_outage((each for each in found if each[0] > told["command_until"] + SOON_S), None)
        lost, error = len(lost_times(way, told["command_at"])), (direction["resolution"] + 2 / load) * 1e9
        differ.same(f"{what}: frames", len(way.sent), math.floor(load * told["trial_duration"] + 0.5))
        differ.same(f"{what}: lost", direction["frames_lost"], lost)
        differ.same(f"{what}: by loss", direction["reset_time_by_loss"], lost / load if lost else None)
        for name, time in zip(("unrelated_from", "unrelated_to"), other or (None, None)):
            if time is None or direction[name] is None:
                differ.same(f"{what}: {name}", direction[name], time)
            else:
                differ.within(f"{what}: {name}", direction[name] * 1e9, [time * 1e9] * 2, error)
        if direction["reset_time"] is None:
            differ.within(f"{what}: no outage", (end - begin) * 1e9, (0, 4 * error))
            continue
        differ.within(f"{what}: time", direction["reset_time"] * 1e9, [(end - begin) * 1e9] * 2, error)
        differ.within(f"{what}: from", direction["outage_from"] * 1e9, [begin * 1e9] * 2, error)
        differ.within(f"{what}: to", direction["outage_to"] * 1e9, [end * 1e9] * 2, error)
    times = [direction["reset_time"] or 0 for direction in told["directions"]]
    differ.same("reset: time", told["reset_time"], max(times))
    others = [(direction["unrelated_from"], direction["unrelated_to"]) for direction in told["directions"] if direction["unrelated_to"]]
    differ.same("reset: unrelated", (told["unrelated_from"], told["unrelated_to"]), longest_outage(others, (None, None)))
    differ.same("reset: lost", told["frames_lost"], sum(direction["frames_lost"] for direction in told["directions"]))
    differ.same("reset: load", float(load), result.document["frame_sizes"][0]["throughput"]["throughput"])
    return [number]


def check_reconf(result, differ):
    """As FD.io CSIT has it: what was lost after the command, and the time that so many frames take at the load."""
    told, number = result.document["reconf"], max(result.trials)
    load, times = told["load"], {}
    for direction in told["directions"]:
        way, what, part = result.trials[number][result.way(direction)], f"reconf, from {direction['from']}", direction["resolution"]
        lost = lost_times(way, told["command_at"])
        differ.same(f"{what}: frames", len(way.sent), math.floor(load * told["trial_duration"] + 0.5))
        differ.same(f"{what}: lost", direction["frames_lost"], len(lost))
        times[result.way(direction)] = direction["blocked_time"]
        if not lost:
            differ.same(f"{what}: none", [direction[name] for name in ("blocked_time", "blocked_from", "blocked_to")], [0, None, None])
            continue
        differ.near(f"{what}: time", direction["blocked_time"], len(lost) / load, 2 * part)
        differ.near(f"{what}: from", direction["blocked_from"], min(lost) - part, part + 1e-6)
        differ.near(f"{what}: to", direction["blocked_to"], max(lost) + part / 2, part / 2 + 1e-6)
    differ.same("reconf: time", told["blocked_time"], max(times.values()))
    differ.same("reconf: whose", times[result.way(told["worst_direction"]["blocked_time"])], max(times.values()))
    differ.same("reconf: lost", told["frames_lost"], sum(direction["frames_lost"] for direction in told["directions"]))
    differ.same("reconf: load", float(load), result.document["frame_sizes"][0]["throughput"]["throughput"])
    return [number]


def bursts_of(result, told):
    """The bursts of each search, which begins with a short one. That may be sent again: before it the SUT had worked for the throughput."""
    searches = []
    for number in sorted(result.trials)[-told["trial_count"]:]:
        ways = result.trials[number]
        if len(ways["ab"].sent) == BURST and (not searches or max(frames for frames, _ in searches[-1]) > BURST):
            searches.append([])
        searches[-1].append((len(ways["ab"].sent), ways))
    return searches


def check_bursts(result, differ):
    """26.4 and RFC 9004: the longest burst of which nothing is lost, found to the frame, and the times that follow from it."""
    told = result.document["frame_sizes"][0]["back_to_back"]
    throughput, rate, searches = told["measured_throughput"], told["burst_rate"], bursts_of(result, told)
    kept = [max(frames for frames, ways in bursts if not all_lost(ways)) for bursts in searches]
    lossy = [min(frames for frames, ways in bursts if all_lost(ways) and frames > most) for bursts, most in zip(searches, kept)]
    differ.same("bursts: values", told["values"], kept)
    differ.same("bursts: to the frame", [each - 1 for each in lossy], kept)
    differ.same("bursts: tests", told["tests"], len(searches))
    differ.same("bursts: average", float(told["average"]), mean(kept))
    differ.same("bursts: min", told["min"], min(kept))
    differ.same("bursts: max", told["max"], max(kept))
    differ.same("bursts: stdev", told["stdev"], stdev(map(float, kept)) if len(kept) > 1 else None)
    differ.same("bursts: throughput", throughput, result.document["frame_sizes"][0]["throughput"]["throughput"])
    differ.same("bursts: buffer time", told["implied_buffer_time"], mean(kept) / rate)
    differ.same("bursts: corrected time", told["corrected_buffer_time"], mean(kept) / rate * (1 - throughput / rate))
    for direction in told["directions"]:
        lost = [ways[result.way(direction)].lost() for bursts in searches for _, ways in bursts]
        differ.same(f"bursts, from {direction['from']}: lossy", direction["lossy_bursts"], sum(map(bool, lost)))
        differ.same(f"bursts, from {direction['from']}: lost", direction["frames_lost"], sum(lost))
    worst = max(told["directions"], key=lambda direction: direction["frames_lost"])
    differ.same("bursts: worst direction", told["worst_direction"]["average"]["from"], worst["from"])
    return sorted(result.trials)[-told["trial_count"]:]


# --- frames that come when their trial is over ---------------------------------------------------------------------------


def trials_of(document):
    """All trials of a document, by number."""
    if isinstance(document, dict):
        found = {document["trial_number"]: document} if {"trial_load", "trial_number"} <= document.keys() else {}
        values = document.values()
    else:
        found, values = {}, document if isinstance(document, list) else []
    for value in values:
        found.update(trials_of(value))
    return found


def end_of(ways, trial):
    return start_of(ways) + trial["trial_duration"] * 1e9


def check_late(result, differ):
    """Frames are late of the trial that runs when they come, and by the number of the one that they were sent in."""
    told, trials, told_trials = result.document["measurer"]["late_frames"], result.trials, trials_of(result.document)
    last = max(trials)
    over = end_of(trials[last], told_trials[last])
    seen = {number: sum(given[2] < over for way in ways.values() for given in way.late.values()) for number, ways in trials.items()}
    most = {number: sum(len(way.late) for way in ways.values()) for number, ways in trials.items()}
    listed = {each["trial_number"]: each["frames"] for each in told["of_trials"]}
    for number in trials:
        differ.within(f"late frames of trial {number}", listed.get(number, 0), (seen[number], most[number]), -1)
    differ.within("late frames in all", told["total"], (sum(seen.values()), sum(most.values())), -1)
    differ.same("late frames of trials", sum(listed.values()), told["total"])
    differ.same("late frames in trials and between", told["in_trials"] + told["between_trials"], told["total"])
    differ.same("late frames of others", told["of_others"], 0)
    for number, trial in told_trials.items():
        begin, end = start_of(trials[number]), end_of(trials[number], trial)
        came = [given[2] for ways in trials.values() for way in ways.values() for given in way.late.values()]
        following = next_start(trials, number)
        surely, perhaps = (sum(a <= when < b for when in came) for a, b in ((begin, end), (begin - BEFORE_NS, following)))
        result.put_trial(differ, "late", trial)
        differ.within(f"late frames in trial {number}", trial["counts"]["late"], (surely, perhaps), -1)
        differ.same(f"late frames in trial {number}, by direction", sum(each["counts"]["late"] for each in trial["directions"]), trial["counts"]["late"])
    if len(told_trials) == len(trials):
        differ.same("late frames in trials", told["in_trials"], sum(trial["counts"]["late"] for trial in told_trials.values()))
    return [number for number in trials if seen[number] and seen[number] == most[number]]


def check_residual(result, differ):
    """Phase d ends once all frames have come, or lasts as long as it may. It is over before the next trial."""
    told_trials, trials = trials_of(result.document), result.trials
    for number, trial in told_trials.items():
        if number in result.untold:
            continue
        ways, what = trials[number], f"phase d of trial {number}"
        least = 0 if trial["residual_ended_by"] != "time" else result.wait_s() * 1e9
        differ.same(f"{what}: ended by all frames", trial["residual_ended_by"] == "all frames", not all_lost(ways))
        differ.within(what, trial["residual_duration"] * 1e9, (least, next_start(trials, number) - last_due(ways)))
    return [number for number in told_trials if not all_lost(trials[number])] or list(told_trials)


# --- searches -----------------------------------------------------------------------------------------------------------------


def bounds_seen(result, goal):
    """The Relevant Lower Bound and the Relevant Upper Bound (RFC 9971, 4.8.4), by losses that the witness saw."""
    loads = {}
    for trial in result.document["trials"]:
        if not trial.get("warmup") and trial["trial_duration"] >= goal["final_trial_duration"]:
            loads.setdefault(trial["trial_load"], []).append((trial, result.sum_ratio(trial)))
    lows, highs = [], []
    for load, trials in loads.items():
        low, high = (sum(trial["trial_duration"] for trial, ratio in trials if (ratio > goal["loss_ratio"]) == lossy) for lossy in (False, True))
        whole = max(low + high, goal["duration_sum"])
        if whole - low <= whole * goal["exceed_ratio"]:
            lows.append(load)
        if high > whole * goal["exceed_ratio"]:
            highs.append(load)
    upper = min(highs, default=math.inf)
    return max((load for load in lows if load < upper), default=0), upper


def conditional_throughput(result, goal, load):
    """RFC 9971, Appendix B: by the loss ratio up to which the trials at the bound last as long as is not exceeded."""
    trials = [trial for trial in result.document["trials"] if not trial.get("warmup") and trial["trial_load"] == load]
    whole = [(result.sum_ratio(trial), trial["trial_duration"]) for trial in trials if trial["trial_duration"] >= goal["final_trial_duration"]]
    remaining = max(sum(duration for _, duration in whole), goal["duration_sum"]) * (1 - goal["exceed_ratio"])
    for ratio, duration in sorted(whole):
        remaining -= duration
        if remaining <= CLOSE:
            return load * (1 - ratio)
    return 0


def leb128(octets):
    """The numbers of an HdrHistogram: ZigZag LEB128, whose ninth octet has eight bits."""
    at = 0
    while at < len(octets):
        value, shift = 0, 0
        while True:
            octet = octets[at]
            at += 1
            value |= (octet if shift == 56 else octet & 0x7F) << shift
            if shift == 56 or octet < 0x80:
                break
            shift += 7
        yield value >> 1 ^ -(value & 1)


def histogram_of(text):
    """Buckets of an HdrHistogram V2, compressed, in base64: the least and the largest value of each, and how many are in it."""
    octets = base64.b64decode(text)
    cookie, length = struct.unpack(">II", octets[:8])
    inner = zlib.decompress(octets[8:8 + length])
    kind, payload, offset, digits, lowest, _, ratio = struct.unpack(">IIIIqqd", inner[:40])
    if (cookie & ~0xF0, kind & ~0xF0, offset, digits, lowest, ratio) != (0x1C849304, 0x1C849303, 0, 3, 1, 1.0):
        raise ValueError(f"a histogram of another kind: {cookie:x} {kind:x} {offset} {digits} {lowest} {ratio}")
    buckets, index, half = [], 0, 1024
    for count in leb128(inner[40:40 + payload]):
        if count < 0:
            index -= count
            continue
        shift = max(index // half - 1, 0)
        least = (index - shift * half) << shift
        if count:
            buckets.append((least, least + (1 << shift) - 1, count))
        index += 1
    return buckets


def check_histograms(result, differ):
    """Each latency of a histogram, from the smallest to the largest, is that of a frame."""
    for each in result.document["latency_at"]:
        trial = each["trial"]
        result.put_trial(differ, "latency-at", trial)
        for direction in trial["directions"]:
            way, what = result.ways(trial)[result.way(direction)], f"histogram at {trial['trial_load']:g}, from {direction['from']}"
            least, most = (sorted(given[i] for given in way.given.values()) for i in (0, 1))
            told = [bucket[:2] for bucket in histogram_of(direction["latency"]["histogram"]) for _ in range(bucket[2])]
            differ.same(f"{what}: count", len(told), len(least))
            for rank, (low, high) in enumerate(told[:len(least)]):
                last = most[rank + SPOILT] + LATER_NS if rank + SPOILT < len(most) else most[-1] + SPOILT_NS
                if not least[rank] * (1 - BUCKET_RATIO) - 1 <= high or not low <= last * (1 + BUCKET_RATIO) + 1:
                    differ.append(f"{what}: rank {rank} told {low} to {high}, seen {least[rank]} to {last}")
    return [each["trial"]["trial_number"] for each in result.document["latency_at"]]


def put_bound_latency(result, differ, told, load):
    """The worst of the trials at the bound. The smallest of a trial is that of both directions."""
    trials = [trial for trial in result.document["trials"] if trial["trial_load"] == load and not trial.get("warmup")
              and trial["trial_duration"] >= told["goal"]["final_trial_duration"]]
    seen = [[latencies(way) for way in result.ways(trial).values()] for trial in trials]
    differ.same("latency at the bound: trials", told["latency"]["trials"], len(trials))
    for name in () if not seen or None in sum(seen, []) else seen[0][0]:
        here = [bounds_of(min if name == "min_ns" else max, [way[name] for way in ways]) for ways in seen]
        error = max(trial["latency"]["error_bound_ns"] for trial in trials) if name in RANKS else 0
        differ.within(f"latency at the bound: {name}", told["latency"][name], bounds_of(max, here), error)


def check_search(result, differ):
    for trial in result.document["trials"]:
        result.put_trial(differ, "search", trial)
    for told in result.document["search_result"]:
        lower, upper = bounds_seen(result, told["goal"])
        differ.same("search: lower bound", told["relevant_lower_bound"], lower)
        differ.same("search: upper bound", told["relevant_upper_bound"], upper)
        differ.same("search: Conditional Throughput", told["conditional_throughput"], conditional_throughput(result, told["goal"], lower))
        put_bound_latency(result, differ, told, lower)
        for each in result.document["latency_at"]:
            if each["goal"] == told["goal"]["name"]:
                differ.same("search: load of latency", float(each["trial"]["trial_load"]), each["share"] * lower)
    return [trial["trial_number"] for trial in result.document["trials"]]


# --- sweeps and soaks ------------------------------------------------------------------------------------------------------


def rate_of(result, trial):
    """What comes through of the load, of both directions together."""
    ways = result.ways(trial).values()
    return trial["trial_load"] * sum(len(way.given) for way in ways) / sum(len(way.sent) for way in ways)


def check_sweep(result, differ):
    """RFC 2285: the largest forwarding rate, and the loads without loss below the first with loss."""
    told, trials = result.document["curve"], result.document["trials"]
    for trial in trials:
        result.put_trial(differ, "sweep", trial)
        differ.same(f"sweep at {trial['trial_load']:g}: rate", float(trial["trial_forwarding_rate"]), rate_of(result, trial))
    rates = [(rate_of(result, trial), trial["trial_load"]) for trial in trials]
    lossy = min((trial["trial_load"] for trial in trials if all_lost(result.ways(trial))), default=math.inf)
    differ.same("sweep: loads", result.document["loads"], [trial["trial_load"] for trial in trials])
    differ.same("sweep: with loss", told["first_loss_load"], None if lossy == math.inf else lossy)
    differ.same("sweep: without loss", told["lossless_load"], max((load for _, load in rates if load < lossy), default=None))
    differ.same("sweep: maximum rate", told["maximum_forwarding_rate"], max(rates)[0])
    at_most = min(load for rate, load in rates if math.isclose(rate, max(rates)[0], rel_tol=CLOSE))
    differ.same("sweep: at load", told["maximum_forwarding_rate_load"], at_most)
    at_maximum = min(rate for rate, load in rates if load == max(load for _, load in rates))
    differ.same("sweep: rate at the maximum load", told["forwarding_rate_at_maximum_load"], at_maximum)
    return [trial["trial_number"] for trial in trials]


def check_soak(result, differ):
    trials, steps = result.document["trials"], result.document["time_line"]
    for trial in trials:
        result.put_trial(differ, "soak", trial)
        differ.same(f"soak at {trial['trial_load']:g}: loss ratio", float(trial["trial_loss_ratio"]), result.sum_ratio(trial))
    differ.same("soak: loads", [step["trial_load"] for step in steps], [trial["trial_load"] for trial in trials])
    return [trial["trial_number"] for trial in trials]


def offered_and_lost(result, trial):
    ways = result.ways(trial).values()
    return sum(len(way.sent) for way in ways), sum(way.lost() for way in ways)


def put_moments(differ, what, told, seen):
    """Of the critical load. The tester's integral and ours differ by a part of the standard deviation."""
    differ.near(f"{what}: mean", told["mean"], seen[0], PLR_ERROR * seen[1])
    differ.near(f"{what}: stdev", told["stdev"], seen[1], PLR_ERROR * seen[1])


def mixture(a, b):
    """Both curves with the same weight (4.3.3)."""
    return mean([a[0], b[0]]), math.sqrt(mean([a[1] ** 2, b[1] ** 2]) + ((a[0] - b[0]) / 2) ** 2)


def estimates_seen(result, steps):
    """By the trials of so many steps. Those that look below the critical load are not used."""
    document = result.document
    used = [trial for step, trial in zip(steps, document["trials"]) if not step["scan"]]
    trials = [(trial["trial_load"], *offered_and_lost(result, trial)) for trial in used]
    return {name: witness_plr.estimate(name, trials, (document["min_load"], document["max_load"]), document["target_loss_ratio"])
            for name in witness_plr.FITTINGS}


def check_estimate(result, differ):
    told, steps = result.document["critical_load"], result.document["time_line"]
    seen = estimates_seen(result, steps)
    differ.same("estimates", [each["fitting"] for each in result.document["estimates"]], list(seen))
    for each in result.document["estimates"]:
        put_moments(differ, f"estimate by {each['fitting']}", each, seen[each["fitting"]])
        differ.near(f"estimate by {each['fitting']}: log evidence", each["log_evidence"], seen[each["fitting"]][3], PLR_ERROR)
    put_moments(differ, "critical load", told, mixture(*seen.values()))
    for bound, name in enumerate(("min", "max")):
        differ.near(f"probability at the {name} load", result.document[f"{name}_load_probability"], mean(each[2][bound] for each in seen.values()), PLR_ERROR)
    if told["robust_stdev"] < told["stdev"]:
        differ.append(f"critical load: a robust stdev of {told['robust_stdev']} is below the stdev")
    near = [trial["trial_number"] for step, trial in zip(steps, result.document["trials"])
            if not step["scan"] and abs(step["trial_load"] / told["mean"] - 1) < NEAR_RATIO]
    if not near:
        raise Untold("the soak performed too few trials to come near the critical load")
    return near


def load_asked(result, steps, trials):
    """5.6: the load of the next trial. None: it is another than the estimate, because of trials without loss."""
    document = result.document
    if len(steps) < 2:
        return [mean([document["min_load"], document["max_load"]]), document["max_load"]][len(steps)]
    offered, lost = offered_and_lost(result, trials[-1])
    if len(steps) < 4:
        load = trials[-1]["trial_load"] * (1 - lost / offered) / (1 - document["target_loss_ratio"])
        return min(max(load, document["min_load"]), document["max_load"])
    last = [trial for step, trial in zip(steps, trials) if not step["scan"]][-1]
    return steps[-1]["together"]["mean"] if offered_and_lost(result, last)[1] else None


def check_time_line(result, differ):
    """The estimate after each trial, and the load that follows from it. One trial in five is below, unless losses were found there."""
    steps, trials = result.document["time_line"], result.document["trials"]
    scans_lost = False
    for number, step in enumerate(steps):
        what, asked = f"soak, step {number + 1}", load_asked(result, steps[:number], trials[:number])
        if not scans_lost:
            differ.same(f"{what}: scan", step["scan"], number % 5 == 4)
        if step["scan"]:
            scans_lost = scans_lost or offered_and_lost(result, trials[number])[1] > 0
        elif asked is not None:
            differ.near(f"{what}: load", step["trial_load"], asked, CLOSE * asked)
        if number >= 4:
            seen = estimates_seen(result, steps[:number + 1])
            for name in seen:
                put_moments(differ, f"{what}, {name}", step[name], seen[name])
            put_moments(differ, f"{what}, together", step["together"], mixture(*seen.values()))
    return [trial["trial_number"] for trial in trials]


# --- Y.1564 -----------------------------------------------------------------------------------------------------------------


def service_figures(way, load, intended):
    """Of a service in one direction; each between two."""
    rate, loss = load * len(way.given) / intended, way.lost() / len(way.sent)
    seen = {"received_rate": (rate, rate), "loss_ratio": (loss, loss)}
    times = latencies(way)
    if times:
        seen["delay_mean_ns"], seen["delay_max_ns"] = times["mean_ns"], times["max_ns"]
        seen["delay_variation_ns"] = max(times["p99_9_ns"][0] - times["min_ns"][1], 0), times["p99_9_ns"][1] - times["min_ns"][0]
    return seen


AGREED = {"loss_ratio": "loss", "delay_mean_ns": "delay", "delay_max_ns": "delay_max", "delay_variation_ns": "variation"}


def faults_of(seen, agreed, limits):
    """Faults that there are, and those that there may be."""
    sure, possible = set(), set()
    for name, fault in AGREED.items() if limits == (None, None) else ():
        if agreed[name] is not None and name in seen:
            sure |= {fault} if seen[name][0] > agreed[name] else set()
            possible |= {fault} if seen[name][1] > agreed[name] else set()
    least, most = limits
    if least is not None and seen["received_rate"][0] < least:
        sure.add("too_little")
    if most is not None and seen["received_rate"][0] > most:
        sure.add("too_much")
    if agreed["availability_ratio"] is not None and "availability_ratio" in seen and seen["availability_ratio"][0] < agreed["availability_ratio"]:
        sure.add("availability")
    return sure, possible | sure


def put_service(result, differ, what, told, by_way, agreed, limits, octets):
    """Each direction of a service, then the worst figures, whose they are, and the verdict on all."""
    all_sure, all_possible = set(), set()
    for direction in told["directions"]:
        way, seen = by_way[result.way(direction)]
        name = f"{what}, from {direction['from']}"
        for count in ("sent", "received", "lost"):
            differ.same(f"{name}: {count}", direction["counts"][count], way.counts()[count])
        put_figures(differ, name, direction, seen)
        sure, possible = faults_of(seen, agreed, limits)
        if not sure <= set(direction["faults"]) <= possible:
            differ.append(f"{name}: told {direction['faults']}, seen {sure} to {possible}")
        if direction["passed"] is not None:
            differ.same(f"{name}: passed", direction["passed"], not direction["faults"])
        all_sure |= sure
        all_possible |= possible
    for name in by_way["ab"][1]:
        least = name == "availability_ratio" or name == "received_rate" and told["faults"] != ["too_much"]
        worst = bounds_of(min if least else max, [seen[name] for _, seen in by_way.values()])
        put_figures(differ, f"{what}, worst", told, {name: worst})
        whose = told["worst_direction"].get(name)
        if whose:
            here = by_way[result.way(whose)][1][name]
            differ.within(f"{what}: the worst {name}", here[1] if not least else here[0], (worst[0] if not least else here[0], math.inf if not least else worst[1]))
        elif by_way["ab"][1][name][1] < by_way["ba"][1][name][0] or by_way["ba"][1][name][1] < by_way["ab"][1][name][0]:
            differ.append(f"{what}: {name} differs, and whose is worst is not told")
    if not all_sure <= set(told["faults"]) <= all_possible:
        differ.append(f"{what}: told {told['faults']}, seen {all_sure} to {all_possible}")
    passed = [direction["passed"] for direction in told["directions"]]
    differ.same(f"{what}: passed", told["passed"], False if False in passed else None if None in passed else True)
    for count in ("sent", "received", "lost"):
        differ.same(f"{what}: {count}", told["counts"][count], sum(way.counts()[count] for way, _ in by_way.values())) if "counts" in told else None
    for rate in ("load", "received_rate"):
        differ.same(f"{what}: {rate} of frames", told[f"{rate}_l2_bps"], told[rate] * octets * 8)
        differ.same(f"{what}: {rate} on the line", told[f"{rate}_l1_bps"], told[rate] * (octets + 20) * 8)


def put_figures(differ, what, told, seen):
    for name, bounds in seen.items():
        if bounds[0] == bounds[1]:
            differ.same(f"{what}: {name}", float(told[name]), bounds[0])
        else:
            differ.within(f"{what}: {name}", told[name], bounds, told["delay_variation_error_ns"] if name == "delay_variation_ns" else 0)


def steps_of(service, ratios):
    """8.1: parts of CIR, CIR + EIR, and a quarter more of EIR, or where that is little, of CIR. With what has to come, and may."""
    cir, eir = service["cir"], service["eir"]
    least = cir * (1 - service["sla"]["loss_ratio"])
    steps = [("cir", ratio * cir, (None, None)) for ratio in ratios]
    if eir:
        steps.append(("eir", cir + eir, (least, None)))
    beyond = cir + 1.25 * eir if eir >= cir / 5 else 1.25 * cir + eir
    return [*steps, ("policing", beyond, (least, (cir + eir) * (1 + service["margin_ratio"])))]


def check_configuration(result, differ):
    numbers = []
    for service in result.document["services"]:
        told = service["configuration"]
        steps = steps_of(service, [float(ratio.rstrip("%")) / 100 for ratio in result.document["configuration"]["cir-steps"].split(",")])
        differ.same(f"{service['name']}: steps", [step["step"] for step in told["steps"]], [step[0] for step in steps])
        for step, trial, (kind, load, limits) in zip(told["steps"], told["trials"], steps):
            what = f"{service['name']}, {kind} at {load:g}"
            ways, intended = result.ways(trial), math.floor(load * told["step_duration"] + 0.5)
            by_way = {name: (way, service_figures(way, load, intended)) for name, way in ways.items()}
            result.put_trial(differ, what, trial)
            differ.same(f"{what}: load", float(step["load"]), load)
            differ.same(f"{what}: least", step["received_rate_min"], limits[0])
            differ.same(f"{what}: most", step["received_rate_max"], limits[1])
            put_service(result, differ, what, step, by_way, service["sla"], limits, service["frame_size_octets"])
            numbers.append(trial["trial_number"])
        passed = [step["passed"] for step in told["steps"]]
        differ.same(f"{service['name']}: passed", told["passed"], False if False in passed else None if None in passed else True)
    return numbers


def by_second(way, start, seconds):
    """Frames that were due in each second, and those of them that were given on."""
    due, given = [0] * seconds, [0] * seconds
    for flow, number, when in way.sent:
        second = int((when - start + 1) % TIMES // 1e9)
        due[second] += 1
        given[second] += (flow, number) in way.given
    return due, given


def unavailable(severe):
    """Y.1563: the seconds of times that ten severely errored seconds in a row begin, and ten others in a row end."""
    state, states = False, []
    for second in range(len(severe)):
        ahead = severe[second:second + 10]
        if len(ahead) == 10 and len(set(ahead)) == 1 and ahead[0] != state:
            state = ahead[0]
        states.append(state)
    return states


def put_seconds(differ, what, told, way, start):
    """What becomes of each second. Returns availability, and the loss ratio of the seconds that were available."""
    due, given = by_second(way, start, told["seconds"])
    severe = [came < sent / 2 for sent, came in zip(due, given)]
    states = unavailable(severe)
    differ.same(f"{what}: due by second", told["due_by_second"], due)
    differ.same(f"{what}: received by second", told["received_by_second"], given)
    differ.same(f"{what}: severely errored", told["severely_errored_seconds"], sum(severe))
    differ.same(f"{what}: unavailable", told["unavailable_seconds"], sum(states))
    sent, lost = (sum(each for each, state in zip(frames, states) if not state) for frames in (due, [a - b for a, b in zip(due, given)]))
    return 1 - sum(states) / len(states), lost / sent


def check_performance(result, differ):
    """8.2: all services at once, in each second of each direction."""
    trial = result.document["performance"]["trials"][0]
    ways = result.ways(trial)
    result.put_trial(differ, "performance", trial)
    for number, service in enumerate(result.document["services"]):
        told, what, by_way = service["performance"], service["name"], {}
        intended = math.floor(told["load"] * told["trial_duration"] + 0.5)
        for direction in told["directions"]:
            name = result.way(direction)
            way = ways[name].of_flow(ways[name].flows()[number])
            available, loss = put_seconds(differ, f"{what} {name}", direction, way, ways[name].sent[0][2])
            seen = service_figures(way, told["load"], intended)
            by_way[name] = way, {**seen, "availability_ratio": (available, available), "loss_ratio": (loss, loss)}
        put_service(result, differ, what, told, by_way, service["sla"], (None, None), service["frame_size_octets"])
        for figure in ("severely_errored_seconds", "unavailable_seconds"):
            differ.same(f"{what}: {figure}", told[figure], max(direction[figure] for direction in told["directions"]))
        for figure in ("due_by_second", "received_by_second"):
            sums = list(map(sum, zip(*(direction[figure] for direction in told["directions"]))))
            differ.same(f"{what}: {figure}", told[figure], sums)
    return [trial["trial_number"]]


# --- that the check can fail ------------------------------------------------------------------------------------------------


def take_out(way):
    way.given.popitem()


def take_late_out(way):
    way.late.popitem()


def make_late(way):
    frame, (least, most, when) = way.given.popitem()
    way.given[frame] = least + LATE_NS, most + LATE_NS, when + LATE_NS


def come_in_order(way):
    way.given = dict(sorted(way.given.items()))


def move_more(way):
    flow, number, due = way.sent[-1]
    way.sent[-1] = flow, number, due + SPOILT_NS


def stop_more(way):
    """A frame is late, and the one before it was not."""
    number = 1 + min(range(len(way.left) - 1), key=lambda i: way.left[i][0])
    late, *others = way.left[number]
    way.left[number] = late + LATE_NS, *others


def depart_together(way):
    """The last ones depart when the first of them does."""
    at = way.sent[-CROWD][2]
    way.left[-CROWD:] = [(at - frame[2], *left[1:]) for frame, left in zip(way.sent[-CROWD:], way.left[-CROWD:])]


IN_TRIALS, IN_SUMS, LATE_IN_SUMS, NOT_LATE = (take_out, False), (take_out, True), (make_late, True), (take_late_out, True)

OUT_OF_ORDER, MOVES, STOPS, BURSTS = (come_in_order, False), (move_more, True), (stop_more, True), (depart_together, True)

CHECKS = {
    "window": [(check_window, [IN_TRIALS, OUT_OF_ORDER])],
    "departures": [(check_departures, [IN_TRIALS, MOVES, STOPS, BURSTS])],
    "tables": [
        (check_throughput, [IN_TRIALS]),
        (check_latency_table, [IN_TRIALS, IN_SUMS, LATE_IN_SUMS]),
        (check_loss_table, [IN_TRIALS, IN_SUMS]),
        (check_residual, [IN_TRIALS]),
    ],
    "recovery": [(check_recovery, [IN_TRIALS])],
    "reset": [(check_reset, [IN_TRIALS])],
    "reconf": [(check_reconf, [IN_TRIALS])],
    "bursts": [(check_bursts, [IN_TRIALS])],
    "search": [(check_search, [IN_TRIALS]), (check_histograms, [IN_TRIALS, IN_SUMS, LATE_IN_SUMS])],
    "sweep": [(check_sweep, [IN_TRIALS, IN_SUMS])],
    "soak": [(check_soak, [IN_TRIALS, IN_SUMS]), (check_estimate, [IN_SUMS]), (check_time_line, [])],
    "configuration": [
        (check_late, [NOT_LATE]),
        (check_residual, []),
        (check_configuration, [IN_TRIALS, IN_SUMS, LATE_IN_SUMS]),
    ],
    "performance": [(check_performance, [IN_TRIALS, IN_SUMS, LATE_IN_SUMS])],
}


def prove(check, result, spoil, derived_only, numbers):
    """What the check does not see though a frame of the log is spoilt, in each direction of these trials."""
    blind = []
    result.derived_only = derived_only
    for number in numbers:
        for direction, way in result.trials[number].items():
            before, differ = {name: copy(value) for name, value in vars(way).items()}, Differences()
            if not (way.late if spoil is take_late_out else way.given):
                continue
            spoil(way)
            check(result, differ)
            vars(way).update(before)
            if not differ:
                blind.append(f"{check.__name__}: does not see {spoil.__name__} in trial {number} {direction}")
    result.derived_only = False
    return blind


def main(kind, log, path):
    with open(path, encoding="utf-8") as file:
        result = Result(json.load(file), read_log(log))
    warmups = {number for number, trial in trials_of(result.document).items() if trial.get("warmup")}
    if result.untold - warmups:
        print(f"frames were given when phase d of trials {sorted(result.untold)} ended")
        return SPOILT_LOG
    differences = []
    for check, spoils in CHECKS[kind]:
        differ = Differences()
        numbers = check(result, differ)
        if not numbers:
            differ.append(f"{check.__name__}: there was nothing to compare")
        if not differ:
            numbers = [number for number in numbers if number not in result.untold]
            differ += [line for spoil in spoils for line in prove(check, result, *spoil, numbers)]
        differences += differ
    print("\n".join(differences))
    return 1 if differences else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Untold as reason:
        print(reason)
        sys.exit(SPOILT_LOG)
