#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A Measurer that sends by the kernel's pktgen. README.md says how to use it."""
import argparse
import pathlib
import re
import subprocess
import time

import measurer

PKTGEN = pathlib.Path("/proc/net/pktgen")
RESIDUAL_S = 2
FCS_OCTETS = 4


def arguments():
    parser = argparse.ArgumentParser(description="A Measurer for xdp-mlr that sends by the kernel's pktgen.")
    parser.add_argument("sender", help="the interface that sends")
    parser.add_argument("receiver", help="the interface that receives")
    parser.add_argument("--destination-mac", required=True, help="the SUT's, or the receiver's behind a bridge")
    parser.add_argument("--source", default="198.18.0.2")
    parser.add_argument("--destination", default="198.19.0.2")
    parser.add_argument("--cpu", type=int, default=0, help="whose thread sends (default 0)")
    measurer.add_frame_size(parser)
    return parser.parse_args()


def write(path, *lines):
    """pktgen takes one command a write, and an error of its own is the write's."""
    for line in lines:
        with open(path, "w") as file:
            file.write(line + "\n")


class Interface:
    """What the kernel counts of an interface."""

    def __init__(self, name):
        self.path = pathlib.Path("/sys/class/net/" + name)

    def sum(self, *names):
        return sum(int((self.path / "statistics" / name).read_text()) for name in names)

    def received(self):
        return self.sum("rx_packets")

    def without_room(self):
        """Drivers differ in which of the first three they use, and some use several for the same frame."""
        return max(map(self.sum, ("rx_missed_errors", "rx_fifo_errors", "rx_over_errors"))) + self.sum("rx_dropped")

    def kept_back(self):
        """What it was given and did not send. A veth counts there what its peer had no room for, so it says nothing."""
        return self.sum("tx_dropped", "tx_errors") if (self.path / "device").exists() else 0


def outcome(device):
    """How many frames it sent, and in what time: 'Result: OK: 1000034(c...) usec, 5000 (60byte,0frags)', after 'pkts-sofar: 5000'."""
    text = device.read_text()
    result = re.search(r"Result: OK: (\d+)\(", text)
    if not result:
        raise RuntimeError("pktgen says: " + text.strip().splitlines()[-1])
    return int(re.search(r"pkts-sofar: (\d+)", text).group(1)), int(result.group(1)) / 1e6


def main():
    options = arguments()
    if not PKTGEN.is_dir():
        subprocess.run(["modprobe", "pktgen"], stderr=subprocess.DEVNULL)
    if not PKTGEN.is_dir():
        raise SystemExit("pktgen.py: this kernel has no pktgen; its module is in the distribution's kernel package")
    thread, device = PKTGEN / ("kpktgend_%d" % options.cpu), PKTGEN / options.sender
    write(thread, "rem_device_all", "add_device " + options.sender)
    write(device, "pkt_size %d" % (options.frame_size - FCS_OCTETS), "delay 0", "clone_skb 0",
          "dst_mac " + options.destination_mac, "src_min " + options.source, "src_max " + options.source,
          "dst_min " + options.destination, "dst_max " + options.destination,
          "udp_src_min 49184", "udp_src_max 49184", "udp_dst_min 7", "udp_dst_max 7")

    sender, receiver = Interface(options.sender), Interface(options.receiver)

    def measure(duration_s, load_fps):
        frames = measurer.frames_of(duration_s, load_fps)
        # it computes an interval of whole ns from ratep, which is worse: give the interval
        write(device, "count %d" % frames, "delay %d" % round(1e9 / load_fps))
        before, no_room_before, kept_before = receiver.received(), receiver.without_room(), sender.kept_back()
        write(PKTGEN / "pgctrl", "start")  # returns when all is sent
        sent, took_s = outcome(device)
        time.sleep(RESIDUAL_S)
        sent -= sender.kept_back() - kept_before
        came = receiver.received() - before
        # rx_dropped also has frames that came, and that nobody wanted
        missed = min(max(sent - came, 0), receiver.without_room() - no_room_before)
        return measurer.Counts(frames, measurer.sent_in_time(sent, took_s, duration_s), came, missed,
                               was_fast=measurer.is_fast(sent, frames * took_s / duration_s))

    try:
        measurer.serve(measure, measurer.of_run(
            options, "pktgen",
            waits="Residual frames are waited for %d s." % RESIDUAL_S,
            load_shape="Constant: an interval of whole ns between frames. What is late is caught up.",
            deviations=["Section 23 of RFC 2544: no learning frames, and no wait of five seconds after a trial.",
                        "Every frame that the receiving interface counts is one received, also a foreign one."]))
    finally:
        write(thread, "rem_device_all")


main()
