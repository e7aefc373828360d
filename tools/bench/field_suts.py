"""Twenty models of real systems under test, for held_out. Written by somebody who did not know the search.

lost(rng, load, duration) answers a trial by frames lost. Some remember: seen() and judges() make fresh objects."""
import math
import random

MAX_LOAD = 14_880_952.0
REST = 0.02   # seconds between two trials, for the models that keep a clock


def poisson(rng, mean):
    if mean > 50.0:
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, count, product = math.exp(-mean), -1, 1.0
    while True:
        product *= rng.random()
        count += 1
        if product <= limit:
            return count


class BurstCredits:
    """Cloud VM with a network burst allowance: full rate while credits last, the base rate after; unused base refills them."""
    def __init__(self, capacity, base, seconds):
        self.capacity, self.base = capacity, base * capacity
        self.bucket = self.tokens = (1.0 - base) * capacity * seconds

    def lost(self, rng, load, duration):
        self.tokens = min(self.bucket, self.tokens + self.base * REST)
        drain = min(load, self.capacity) - self.base
        if drain <= 0.0:
            self.tokens = min(self.bucket, self.tokens - drain * duration)
            return 0.0
        fast = min(duration, self.tokens / drain)
        self.tokens -= drain * fast
        return max(0.0, load - self.capacity) * fast + (load - self.base) * (duration - fast)


class FlowCache:
    """Virtual switch with a flow cache: cold it takes the slow path, frames warm it up, idle flows age out (no noise)."""
    def __init__(self, capacity, slow, flows, age):
        self.capacity, self.slow, self.flows, self.age, self.warm = capacity, slow, flows * capacity, age, 0.0

    def lost(self, rng, load, duration):
        lost, steps = 0.0, max(1, math.ceil(duration / 0.1))
        rate = load / self.flows + 1.0 / self.age
        target, keep = load / self.flows / rate, math.exp(-rate * duration / steps)
        self.warm *= math.exp(-REST / self.age)
        for _ in range(steps):
            now = self.capacity / (self.warm + (1.0 - self.warm) / self.slow)
            lost += max(0.0, load - now) * duration / steps
            self.warm = target + (self.warm - target) * keep
        return lost


class GcPause:
    """User-space router in a garbage-collected language: every `heap` frames the world stops, and the ring may overflow."""
    def __init__(self, capacity, heap, pause, ring, filled):
        self.capacity, self.heap, self.pause, self.ring = capacity, heap * capacity, pause, ring * capacity
        self.filled = filled * self.heap

    def lost(self, rng, load, duration):
        lost = max(0.0, load - self.capacity) * duration
        self.filled += min(load, self.capacity) * duration
        while self.filled >= self.heap:
            self.filled -= self.heap
            lost += max(0.0, self.pause * rng.uniform(0.7, 1.3) * load - self.ring)
        return lost


class StormControl:
    """Access switch with storm control: broadcast, then multicast, is shut off whole above a rate (plateaus, no noise)."""
    def __init__(self, capacity, classes):
        self.capacity, self.classes = capacity, classes

    def lost(self, rng, load, duration):
        off = sum(share for share, knee in self.classes if load > knee * self.capacity)
        return (load * off + max(0.0, load * (1.0 - off) - self.capacity)) * duration


class AdaptivePoll:
    """Driver that goes from interrupts to polling: interrupts give out before it switches, and it switches back late (no noise)."""
    def __init__(self, capacity, irq, up, down):
        self.capacity, self.irq, self.up, self.down, self.polling = capacity, irq, up, down, False

    def lost(self, rng, load, duration):
        use, late = load / self.capacity, 0.0
        if not self.polling and use > self.up:
            self.polling, late = True, min(duration, 0.002)
        elif use < self.down:
            self.polling = False
        slow = max(0.0, load - self.irq * self.capacity)
        return slow * late + max(0.0, load - self.capacity) * (duration - late) if self.polling else slow * duration


class LagHash:
    """Link aggregation or ECMP: each trial's flows hash anew onto the links, and the fullest link loses first."""
    def __init__(self, capacity, links, flows):
        self.capacity, self.links, self.flows = capacity, links, flows

    def lost(self, rng, load, duration):
        count = [0] * self.links
        for _ in range(self.flows):
            count[int(rng.random() * self.links)] += 1
        return sum(max(0.0, load * n / self.flows - self.capacity / self.links) for n in count) * duration


class ParetoSteal:
    """Virtual router on an overcommitted hypervisor: stolen time comes in stalls of heavy-tailed (Pareto) length."""
    def __init__(self, capacity, per_s, shape, shortest, ring):
        self.capacity, self.per_s, self.shape, self.shortest, self.ring = capacity, per_s, shape, shortest, ring

    def lost(self, rng, load, duration):
        lost = max(0.0, load - self.capacity) * duration
        for _ in range(poisson(rng, self.per_s * duration)):
            lost += max(0.0, min(0.5, self.shortest * rng.paretovariate(self.shape)) * load - self.ring)
        return lost


class MarginalOptics:
    """Line-rate hardware switch behind a marginal optic: no limit below line rate, rare error bursts and rarer single errors."""
    def __init__(self, per_s, burst, ratio):
        self.capacity, self.per_s, self.burst, self.ratio = MAX_LOAD, per_s, burst, ratio

    def lost(self, rng, load, duration):
        lost = poisson(rng, load * duration * self.ratio)
        for _ in range(poisson(rng, self.per_s * duration)):
            lost += max(1.0, rng.expovariate(1.0 / self.burst) * load)
        return lost


class NoisyNeighbour:
    """Container on a shared host over the (shortened) day: the neighbours' load comes and goes, and takes some capacity."""
    def __init__(self, capacity, depth, period, phase, sigma):
        self.capacity, self.depth, self.period, self.sigma, self.clock = capacity, depth, period, sigma, phase * period

    def lost(self, rng, load, duration):
        lost, steps, luck = 0.0, max(1, math.ceil(duration)), math.exp(rng.gauss(0.0, self.sigma))
        for _ in range(steps):
            busy = 0.5 - 0.5 * math.cos(2.0 * math.pi * self.clock / self.period)
            lost += max(0.0, load - self.capacity * luck * (1.0 - self.depth * busy)) * duration / steps
            self.clock += duration / steps
        self.clock += REST
        return lost


class Microburst:
    """Shallow-buffered switch where ports meet: many short bursts at twice the rate; what the buffer cannot hold is lost."""
    def __init__(self, capacity, per_s, length, buffer):
        self.capacity, self.per_s, self.length, self.buffer = capacity, per_s, length, buffer * capacity

    def lost(self, rng, load, duration):
        lost, excess = max(0.0, load - self.capacity) * duration, 2.0 * load - self.capacity
        if excess > 0.0:
            for _ in range(poisson(rng, self.per_s * duration)):
                lost += max(0.0, rng.expovariate(1.0 / self.length) * excess - self.buffer)
        return lost


class Conntrack:
    """Stateful firewall: sessions fill a table and time out; once it is full, new sessions' frames are lost (no noise)."""
    def __init__(self, capacity, new, knee, timeout, frames):
        self.capacity, self.new, self.timeout, self.frames, self.held = capacity, new, timeout, frames, 0.0
        self.size = knee * capacity * new * timeout

    def lost(self, rng, load, duration):
        self.held *= math.exp(-REST / self.timeout)
        opened = min(load, self.capacity) * self.new
        target, full = opened * self.timeout, 0.0
        if target > self.size:
            until = self.timeout * math.log((target - self.held) / (target - self.size))
            full = max(0.0, duration - until)
        self.held = min(self.size, target + (self.held - target) * math.exp(-duration / self.timeout))
        return max(0.0, load - self.capacity) * duration + (opened - self.size / self.timeout) * self.frames * full


class ThermalSteps:
    """Fanless appliance: work heats it slowly, overload or not; hot, it drops a clock step every 2 s, cool it takes one back."""
    def __init__(self, capacity, tau, hot, gap, step):
        self.capacity, self.tau, self.hot, self.gap, self.step = capacity, tau, hot, gap, step
        self.heat, self.level, self.dwell = 0.3, 0, 0.0

    def lost(self, rng, load, duration):
        lost, steps = 0.0, max(1, math.ceil(duration / 0.25))
        dt = duration / steps
        for _ in range(steps):
            now = self.capacity * (1.0 - self.step * self.level)
            lost += max(0.0, load - now) * dt
            self.heat += (min(load, now) / self.capacity - self.heat) * (1.0 - math.exp(-dt / self.tau))
            self.dwell += dt
            move = (self.heat > self.hot and self.level < 4) - (self.heat < self.hot - self.gap and self.level > 0)
            if move and self.dwell >= 2.0:
                self.level, self.dwell = self.level + move, 0.0
        return lost


class Resonance:
    """NIC whose descriptor write-back timer beats with the frame rate: narrow lossy bands at multiples of a rate (no noise)."""
    def __init__(self, capacity, beat, width, depth):
        self.capacity, self.beat, self.width, self.depth = capacity, beat * capacity, width, depth

    def lost(self, rng, load, duration):
        lost, k = max(0.0, load - self.capacity), round(load / self.beat)
        if k >= 2:
            lost += load * self.depth * max(0.0, 1.0 - abs(load / (k * self.beat) - 1.0) / self.width)
        return lost * duration


class ClockPpm:
    """Hardware switch at line rate whose egress clock is some ppm slower than the tester's: loses only at the very top."""
    def __init__(self, ppm, buffer):
        self.capacity, self.buffer = MAX_LOAD * (1.0 - ppm * 1e-6), buffer

    def lost(self, rng, load, duration):
        return max(0.0, (load - self.capacity) * duration - self.buffer)


class StuckPlacement:
    """VM with unpinned vCPUs: now and then the scheduler puts two on one core, and it stays so for many trials."""
    def __init__(self, capacity, slow, good, bad):
        self.capacity, self.slow, self.hold, self.bad, self.left = capacity, slow, (good, bad), True, 0.0

    def lost(self, rng, load, duration):
        lost, todo = 0.0, duration
        self.left -= REST
        while todo > 0.0:
            if self.left <= 0.0:
                self.bad = not self.bad
                self.left = rng.expovariate(1.0 / self.hold[self.bad])
            part = min(todo, self.left)
            lost += max(0.0, load - self.capacity * (self.slow if self.bad else 1.0)) * part
            self.left, todo = self.left - part, todo - part
        return lost


class TimerStall:
    """Router whose control plane reads all counters every so many seconds by the clock, holding a lock the data plane needs."""
    def __init__(self, capacity, period, stall, ring, phase):
        self.capacity, self.period, self.stall, self.ring = capacity, period, stall, ring * capacity
        self.clock = phase * period

    def lost(self, rng, load, duration):
        before, self.clock = self.clock, self.clock + duration + REST
        stalls = math.floor((before + duration) / self.period) - math.floor(before / self.period)
        return max(0.0, load - self.capacity) * duration + stalls * max(0.0, load * self.stall - self.ring)


class RadioFading:
    """Microwave link with adaptive modulation: the signal fades slowly, the rate follows in steps, a queue bridges dips."""
    def __init__(self, capacity, tau, queue):
        self.capacity, self.tau, self.queue, self.filled, self.signal = capacity, tau, queue * capacity, 0.0, 0.0

    def lost(self, rng, load, duration):
        lost, steps, self.filled = 0.0, max(1, math.ceil(duration / 0.25)), 0.0
        dt = duration / steps
        keep = math.exp(-dt / self.tau)
        for _ in range(steps):
            self.signal = self.signal * keep + rng.gauss(0.0, math.sqrt(1.0 - keep * keep))
            rate = 1.0 - 0.12 * sum(self.signal < edge for edge in (-2.5, -1.8, -1.1)) + 0.1 * (self.signal > 1.5)
            self.filled = max(0.0, self.filled + (load - rate * self.capacity) * dt)
            lost += max(0.0, self.filled - self.queue)
            self.filled = min(self.filled, self.queue)
        return lost


class ElasticWorkers:
    """Virtual router that wakes a second core when its queue fills and parks it when little is to do: it hunts in between."""
    def __init__(self, capacity, one, park, linger, wake, queue):
        self.capacity, self.one, self.park, self.linger, self.wake = capacity, one, park, linger, wake
        self.queue, self.two, self.timer = queue * capacity, False, 0.0

    def lost(self, rng, load, duration):
        lost, filled, steps = 0.0, 0.0, max(1, math.ceil(duration / 0.01))
        dt = duration / steps
        for _ in range(steps):
            filled = max(0.0, filled + (load - self.capacity * (1.0 if self.two else self.one)) * dt)
            lost, filled = lost + max(0.0, filled - self.queue), min(filled, self.queue)
            due = load < self.park * self.capacity if self.two else filled > 0.5 * self.queue
            self.timer = self.timer + dt * rng.uniform(0.5, 1.5) if due else 0.0
            if self.timer > (self.linger if self.two else self.wake):
                self.two, self.timer = not self.two, 0.0
        return lost


class BackupWindow:
    """Shared storage-and-network node: by the (shortened) day's schedule a backup runs, taking capacity and a few frames."""
    def __init__(self, capacity, depth, period, part, phase, ratio):
        self.capacity, self.depth, self.period, self.part, self.ratio = capacity, depth, period, part, ratio
        self.clock = phase * period

    def lost(self, rng, load, duration):
        lost, steps = 0.0, max(1, math.ceil(duration))
        for _ in range(steps):
            ramp = min(1.0, max(0.0, (self.part - self.clock / self.period % 1.0) * self.period / 10.0))
            lost += max(0.0, load - self.capacity * (1.0 - self.depth * ramp)) * duration / steps
            lost += poisson(rng, load * self.ratio * ramp * duration / steps)
            self.clock += duration / steps
        self.clock += REST
        return lost


class IpsecReplay:
    """Many-core IPsec gateway: cores reorder frames, the more the busier, and those outside the anti-replay window are lost."""
    def __init__(self, capacity, window, depth, sigma):
        self.capacity, self.window, self.depth, self.sigma = capacity, window, depth, sigma

    def lost(self, rng, load, duration):
        use = min(0.999, load / self.capacity)
        spread = self.depth * math.exp(rng.gauss(0.0, self.sigma)) * use / (1.0 - use)
        late = min(load, self.capacity) * math.exp(-self.window / spread)
        return max(0.0, load - self.capacity) * duration + poisson(rng, late * duration)


def seen(seed):
    """Those that were looked at while lib/ changed on November 23, 2026, in the afternoon."""
    rng = random.Random(f"dev/{seed}")
    u = rng.uniform
    c = math.exp(u(math.log(1e5), math.log(1.2e7)))
    return {
        "burst_credits": BurstCredits(c, u(0.65, 0.85), u(8.0, 40.0)),
        "flow_cache": FlowCache(c, u(0.4, 0.7), u(2.0, 8.0), u(60.0, 180.0)),
        "gc_pause": GcPause(c, math.exp(u(math.log(1.2), math.log(8.0))), u(0.003, 0.008), u(0.001, 0.002), rng.random()),
        "storm_control": StormControl(c, [(u(0.001, 0.003), u(0.2, 0.4)), (u(0.001, 0.003), u(0.8, 0.95))]),
        "adaptive_poll": AdaptivePoll(c, u(0.65, 0.75), u(0.8, 0.88), u(0.5, 0.62)),
        "lag_hash": LagHash(c, rng.choice([2, 4, 8]), rng.randrange(64, 257)),
        "pareto_steal": ParetoSteal(c, u(0.3, 1.5), u(1.1, 1.5), 1e-4, 256),
        "marginal_optics": MarginalOptics(u(0.005, 0.05), u(1e-5, 2e-4), 1e-10),
        "noisy_neighbour": NoisyNeighbour(c, u(0.03, 0.1), u(600.0, 3600.0), rng.random(), u(0.0005, 0.004)),
        "microburst": Microburst(c, u(50.0, 150.0), u(0.0006, 0.0009), 0.001),
    }


def judges(seed):
    """Those that judged what had come of it, once."""
    rng = random.Random(f"judge/{seed}")
    u = rng.uniform
    c = math.exp(u(math.log(1e5), math.log(1.2e7)))
    return {
        "conntrack": Conntrack(c, u(0.008, 0.02), u(0.6, 0.9), u(4.0, 30.0), u(1.0, 3.0)),
        "thermal_steps": ThermalSteps(c, u(8.0, 30.0), u(0.82, 0.92), u(0.05, 0.12), u(0.02, 0.05)),
        "resonance": Resonance(c, u(0.11, 0.29), u(0.003, 0.012), u(0.002, 0.02)),
        "clock_ppm": ClockPpm(u(15.0, 120.0), rng.choice([16, 64, 128])),
        "stuck_placement": StuckPlacement(c, u(0.8, 0.93), u(6.0, 30.0), u(4.0, 20.0)),
        "timer_stall": TimerStall(c, math.exp(u(math.log(0.9), math.log(9.0))), u(0.002, 0.012), u(0.0005, 0.0015), rng.random()),
        "radio_fading": RadioFading(c, u(1.0, 6.0), u(0.005, 0.05)),
        "elastic_workers": ElasticWorkers(c, u(0.5, 0.6), u(0.68, 0.8), u(0.4, 2.0), u(0.15, 0.3), u(0.005, 0.02)),
        "backup_window": BackupWindow(c, u(0.04, 0.12), u(120.0, 600.0), u(0.2, 0.4), rng.random(), 1e-6),
        "ipsec_replay": IpsecReplay(c, 64.0, u(3.0, 8.0), u(0.02, 0.08)),
    }
