# SPDX-License-Identifier: GPL-2.0-or-later
"""Judge a search result by the measurer's own log of trials: Appendices A and B of draft-15, written down literally.

Nothing that the program says about its trials is believed; its bounds and Conditional Throughputs must follow from the log.
"""


def classify(goal, trials):
    """Appendix A. trials: (duration, loss_ratio, effective_duration) at one load. 'lower', 'upper' or 'undecided'."""
    sums = {(long, high): 0.0 for long in (False, True) for high in (False, True)}
    for duration, loss, effective in trials:
        sums[duration >= goal["final_trial_duration"], loss > goal["loss_ratio"]] += effective
    exceed = goal["exceed_ratio"]
    balancing_s = sums[False, False] * exceed / (1.0 - exceed)
    effect_high_loss_s = sums[True, True] + max(0.0, sums[False, True] - balancing_s)
    effect_whole_s = max(sums[True, False] + effect_high_loss_s, goal["duration_sum"])
    quantile_duration_s = effect_whole_s * exceed
    pessimistic = effect_whole_s - sums[True, False] <= quantile_duration_s
    optimistic = effect_high_loss_s <= quantile_duration_s
    return "lower" if pessimistic and optimistic else "upper" if not (pessimistic or optimistic) else "undecided"


def conditional_throughput(goal, load, trials):
    """Appendix B."""
    full = sorted((loss, effective) for duration, loss, effective in trials if duration >= goal["final_trial_duration"])
    remaining = max(goal["duration_sum"], sum(e for _, e in full)) * (1.0 - goal["exceed_ratio"])
    quantile = None
    for loss, effective in full:
        if quantile is not None and remaining <= 0.0:
            break
        quantile = loss
        remaining -= effective
    else:
        if remaining > 0.0:
            quantile = 1.0
    return load * (1.0 - quantile)


def read_log(path):
    with open(path) as file:
        return [tuple(map(float, line.split())) for line in file]


def judge(result, log, min_load, max_load, warmups=1):
    """(total time, list of faults). `log`: (load, duration, loss, effective) a trial, in order; the first `warmups` do not count."""
    faults = []
    time_s = sum(effective for *_, effective in log)
    by_load = {}
    for load, duration, loss, effective in log[warmups:]:
        by_load.setdefault(load, []).append((duration, loss, effective))
    for load, *_ in log:
        if not min_load * (1 - 1e-9) <= load <= max_load * (1 + 1e-9):
            faults.append(f"trial at {load}, outside Min and Max Load")
    for number, entry in enumerate(result["search_result"]):
        goal = entry["goal"]
        classes = {load: classify(goal, trials) for load, trials in by_load.items()}
        uppers = [load for load, c in classes.items() if c == "upper"]
        upper = min(uppers) if uppers else None
        lowers = [load for load, c in classes.items() if c == "lower" and (upper is None or load < upper)]
        lower = max(lowers) if lowers else None
        regular = lower is not None and upper is not None and (upper - lower) / upper <= goal["width"] * (1 + 1e-9)
        def differ(said, true):
            return (said is None) != (true is None) or (said is not None and abs(said / true - 1) > 1e-9)
        if differ(entry["relevant_upper_bound"], upper):
            faults.append(f"goal {number}: upper bound {entry['relevant_upper_bound']}, by the log {upper}")
        if differ(entry["relevant_lower_bound"], lower):
            faults.append(f"goal {number}: lower bound {entry['relevant_lower_bound']}, by the log {lower}")
        if bool(entry["regular"]) != regular:
            faults.append(f"goal {number}: regular {entry['regular']}, by the log {regular}")
        if lower is not None and differ(entry["conditional_throughput"], conditional_throughput(goal, lower, by_load[lower])):
            faults.append(f"goal {number}: conditional throughput {entry['conditional_throughput']}")
        finished = regular or (upper is None and lower is not None and lower >= max_load * (1 - 1e-9)) or (
            lower is None and upper is not None and upper <= min_load * (1 + 1e-9))
        if not finished:
            faults.append(f"goal {number}: ended at {lower} .. {upper} without reason")
    return time_s, faults
