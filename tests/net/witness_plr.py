# SPDX-License-Identifier: GPL-2.0-or-later
"""What draft-vpolak-bmwg-plrsearch-02 makes of trials, by its formulas as they are printed (5.3, 5.4), summed over a grid.

It shares no code with the tester, which uses logarithms, peaks and Gauss rules. For loads of some hundred frames/s the printed formulas neither
overflow nor cancel by much.
"""
import math

GRID = 64
ZOOMS = 4
NATS = 25  # what is less likely than the likeliest by so much is left out
LEAST = 1e-300


def stretch(load, mrr, spread):
    """5.3.1, with exponents relative to the largest."""
    top = max(load, mrr) / spread
    both = top + math.log(math.exp(load / spread - top) + math.exp(mrr / spread - top))
    inverse = math.exp(-mrr / spread)
    return spread * (1 + inverse) * (both - mrr / spread - math.log1p(inverse))


def erf(load, mrr, spread):
    """5.3.2."""
    bells = (math.exp(-((load - mrr) / spread) ** 2) - math.exp(-((mrr / spread) ** 2))) * spread / math.sqrt(math.pi)
    return (bells + mrr * math.erfc(mrr / spread) + (load - mrr) * math.erfc((mrr - load) / spread)) / (1 + math.erf(mrr / spread))


FITTINGS = {"stretch": stretch, "erf": erf}


def likelihood(rate, trials, mrr, spread):
    """The logarithm of that of Poisson losses, but for what does not depend on the curve."""
    total = 0
    for load, offered, lost in trials:
        mean = max(min(rate(load, mrr, spread) / load, 1) * offered, LEAST)
        total += (lost * (math.log(mean / lost) + 1) if lost else 0) - mean
    return total


def critical_load(rate, mrr, spread, bounds, target):
    """The load at which the loss ratio is the target, clipped. The ratio rises with the load."""
    low, high = bounds
    if rate(low, mrr, spread) >= target * low:
        return low
    if rate(high, mrr, spread) <= target * high:
        return high
    while high - low > 1e-7 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if rate(middle, mrr, spread) > target * middle else (middle, high)
    return (low + high) / 2


def middles(low, high):
    return [low + (high - low) * (i + 0.5) / GRID for i in range(GRID)]


def parameters(quantile, power, most):
    """mrr is 1 and more by Lomax's distribution of alpha 1; spread is it to a power between 0 and 1 (5.4). Both are uniform here."""
    mrr = 1 + most / 2 * quantile / (1 - quantile)
    return mrr, mrr**power


def estimate(name, trials, bounds, target):
    """Mean and standard deviation of the critical load, how likely it is at each bound, and the logarithm of the evidence."""
    rate, box = FITTINGS[name], [(0, 1), (0, 1)]
    for _ in range(ZOOMS):
        cells = [(*parameters(a, b, bounds[1]), (a, b)) for a in middles(*box[0]) for b in middles(*box[1])]
        logs = [likelihood(rate, trials, mrr, spread) for mrr, spread, _ in cells]
        highest = max(logs)
        kept = [(log, cell) for log, cell in zip(logs, cells) if log > highest - NATS]
        area = math.prod((high - low) / GRID for low, high in box)
        for side, (low, high) in enumerate(box):
            at, cell = [cell[2][side] for _, cell in kept], (high - low) / GRID
            box[side] = max(low, min(at) - cell), min(high, max(at) + cell)
    weights = [math.exp(log - highest) for log, _ in kept]
    loads = [critical_load(rate, mrr, spread, bounds, target) for _, (mrr, spread, _) in kept]
    whole = sum(weights)
    mean = sum(map(math.prod, zip(weights, loads))) / whole
    variance = sum(weight * (load - mean) ** 2 for weight, load in zip(weights, loads)) / whole
    at_bound = [sum(weight for weight, load in zip(weights, loads) if load == bound) / whole for bound in bounds]
    return mean, math.sqrt(variance), at_bound, highest + math.log(whole * area)
