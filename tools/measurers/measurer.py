# SPDX-License-Identifier: GPL-2.0-or-later
"""What all Measurers here share: the exec protocol (docs/reference/exec.md) on standard input and output.

A Measurer passes serve() a function that performs one trial and returns Counts, and what it says of itself.
"""
import dataclasses
import json
import signal
import subprocess
import sys
import time

ETHERNET_IPV4_UDP_FCS_OCTETS = 14 + 20 + 8 + 4
WIRE_OVERHEAD_OCTETS = 20  # preamble, start of frame and the gap between frames
TRIES = 3  # of a trial that the generator spoilt
ON_TIME_S, ON_TIME_RATIO = 0.005, 0.001  # by so much a generator may end late
LOAD_TOLERANCE_RATIO = 0.01  # by so much the load of a generator that sends by time may be off

COMMON = {
    "loss": "Frames to send less frames received. What the generator did not send counts as lost, and makes the trial limited.",
    "duplicates": "Not told apart: a duplicated frame counts as received. Reordered frames count as received.",
    "unsent": "Frames that the generator did not send in the Trial Duration count as lost. The trial is performed again, "
              "three times in all; then it is limited.",
    "effective_duration": "The time from the question to the answer, by the Measurer's own monotonic clock.",
    "units": "Counts are in frames, times in seconds.",
    "latency": "It is not measured.",
}


@dataclasses.dataclass
class Counts:
    """Of one trial, in frames: what was to be sent, what was, what came back, and what the generator's own receiver dropped."""

    intended: int
    sent: int
    received: int
    missed: int = 0
    was_stalled: bool = False  # The generator stopped, and sent in a burst what was due meanwhile.
    was_fast: bool = False  # The generator sent more than the Trial Load.

    def is_limited(self):
        lost = self.received < self.sent  # What cost no frame changes nothing.
        return self.sent < self.intended or (lost and (self.missed > 0 or self.was_stalled or self.was_fast))


def sent_in_time(frames, took_s, duration_s):
    """How many of frames, sent evenly in took_s, were sent by the end of the Trial Duration."""
    if took_s <= duration_s * (1 + ON_TIME_RATIO) + ON_TIME_S:
        return frames
    return round(frames * duration_s / took_s)


def is_fast(sent, frames):
    """Whether so many were sent in the time of so many frames that the load was another."""
    return sent > 1 + frames * (1 + LOAD_TOLERANCE_RATIO)


def counts_of_time(frames, sent, received, missed=0, tolerance_ratio=LOAD_TOLERANCE_RATIO):
    """Of a generator that sends by time: so many frames are due, and it may send a few more or less."""
    intended = sent if sent >= frames * (1 - tolerance_ratio) - 1 else frames
    return Counts(intended, sent, received, missed, was_fast=is_fast(sent, frames))


def answer_of(counts, took_s):
    received = min(counts.received, counts.sent)
    lost = counts.intended - received
    answer = {
        "trial_loss_ratio": lost / counts.intended if counts.intended else 0.0,
        "trial_effective_duration": took_s,
        "frames_sent": counts.intended,
        "frames_lost": lost,
    }
    if counts.is_limited():
        # what is late is caught up in a burst, so none of the loss is known to be the SUT's: there is no sut_loss_ratio
        answer["tester_limited"] = True
        answer["unsent"], answer["missed"] = counts.intended - counts.sent, counts.missed
    return answer


def perform(measure, duration_s, load_fps):
    """A trial, again where the generator spoilt it: a busy machine does so now and then."""
    for _ in range(TRIES):
        counts = measure(duration_s, load_fps)
        if not counts.is_limited():
            break
    return counts


def serve(measure, described):
    """Answer questions until there are none. measure(duration_s, load_fps) returns Counts, or raises what the search ends with."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    described = {**COMMON, **described}
    for line in sys.stdin:
        question = json.loads(line)
        begin_s = time.monotonic()
        try:
            counts = perform(measure, question["trial_duration"], question["trial_load"])
            # an exchange that was recorded takes no time
            answer = answer_of(counts, max(question["trial_duration"], time.monotonic() - begin_s))
        except Exception as error:
            answer = {"error": "%s: %s" % (type(error).__name__, error)}
        if described:
            answer["measurer"] = described
            described = None
        print(json.dumps(answer), flush=True)


def frames_of(duration_s, load_fps):
    return max(1, round(duration_s * load_fps))


def run(command):
    """The output of a command that must succeed."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError("'%s' ended with %d: %s" % (" ".join(command), done.returncode, (done.stderr or done.stdout).strip()))
    return done.stdout


def line_rate(octets, link_bps):
    """The words for it: the most frames of a size that a link carries."""
    if not link_bps:
        return "The link has no line rate that is known here."
    return "%.6g frames/s of %d octets on a link of %.6g bit/s" % (link_bps / 8 / (octets + WIRE_OVERHEAD_OCTETS), octets, link_bps)


def udp_profile(octets, generator, flows="one flow"):
    """The Traffic Profile of a constant load of UDP over IPv4."""
    return {
        "description": "UDP over IPv4, %s, %d octets with FCS, sent by %s" % (flows, octets, generator),
        "frame_size_octets": octets,
    }


def add_frame_size(parser):
    parser.add_argument("--frame-size", type=int, default=64, help="octets, with FCS (default 64)")
    parser.add_argument("--link-bps", type=float, default=0, help="the bit rate of the link, for the report")
    parser.add_argument("--limits", default="", help="what the generator itself can do, and how you measured it, for the report")


def of_run(arguments, generator, waits, load_shape, deviations):
    """What depends on the generator of what a Measurer says of itself."""
    octets = arguments.frame_size
    return {
        "traffic_profile": udp_profile(octets, generator),
        "frame_size_octets": octets,
        "protocol": "UDP over IPv4",
        "line_rate": line_rate(octets, arguments.link_bps),
        "load_shape": load_shape,
        "waits": waits,
        "limits": arguments.limits or "What %s itself can do was not measured here." % generator,
        "deviations": deviations,
    }
