#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A Measurer that sends by DPDK's testpmd. README.md says how to use it."""
import argparse
import os
import re
import shlex
import subprocess
import time

import measurer

RESIDUAL_S = 2
FCS_OCTETS = 4
MBUFS = 16384
PROMPT = b"testpmd> "


def arguments():
    parser = argparse.ArgumentParser(description="A Measurer for xdp-mlr that sends by DPDK's testpmd.")
    parser.add_argument("--sender", required=True, metavar="OPTIONS", help="DPDK's for the testpmd that sends, with one port")
    parser.add_argument("--receiver", required=True, metavar="OPTIONS", help="DPDK's for the one that receives, with one port")
    parser.add_argument("--destination-mac", required=True, help="the SUT's, or the receiver's behind a bridge")
    parser.add_argument("--pace", default="port", metavar="port|tc:INTERFACE",
                        help="by the NIC's own rate limit (default), or by the kernel's of an interface, under net_af_packet")
    parser.add_argument("--source", default="198.18.0.2")
    parser.add_argument("--destination", default="198.19.0.2")
    parser.add_argument("--sender-by", default="", metavar="COMMAND", help="what runs the first, as 'ip netns exec a' or 'ssh a'")
    parser.add_argument("--receiver-by", default="", metavar="COMMAND", help="what runs the second")
    parser.add_argument("--program", default="dpdk-testpmd")
    measurer.add_frame_size(parser)
    return parser.parse_args()


class Testpmd:
    """A testpmd with one port that waits for commands. Unbuffered, so that the answer comes before the next prompt."""

    def __init__(self, by, program, eal, mode, options):
        command = shlex.split(by) + ["stdbuf", "-o0", program] + shlex.split(eal) + [
            "--", "-i", "--portmask=0x1", "--port-topology=loop", "--no-flush-rx", "--total-num-mbufs=%d" % MBUFS,
            "--forward-mode=" + mode] + options
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.until_prompt()

    def until_prompt(self):
        text = b""
        while not text.endswith(PROMPT):
            piece = os.read(self.process.stdout.fileno(), 65536)
            if not piece:
                raise RuntimeError("testpmd ended: " + " / ".join(text.decode(errors="replace").strip().splitlines()[-3:]))
            text += piece
        return text.decode(errors="replace")

    def say(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        return self.until_prompt()

    def counts(self):
        text = self.say("show port stats 0")
        return {name: int(value) for name, value in re.findall(r"([RT]X-(?:packets|missed|errors|nombuf)): +(\d+)", text)}

    def end(self):
        if self.process.poll() is None:
            self.process.communicate(b"quit\n", timeout=30)


class Pace:
    """How the load is limited to what is asked."""

    def __init__(self, options, testpmd):
        self.octets, self.testpmd = options.frame_size, testpmd
        self.interface = options.pace[3:] if options.pace.startswith("tc:") else None
        self.by = shlex.split(options.sender_by)

    def set(self, load_fps):
        if self.interface:
            rate_octets_s = load_fps * (self.octets - FCS_OCTETS)
            measurer.run(self.by + ["tc", "qdisc", "replace", "dev", self.interface, "root", "handle", "1:", "tbf", "rate",
                                    "%dbps" % round(rate_octets_s), "burst", "%d" % max(2 * self.octets, round(rate_octets_s / 1000)),
                                    "limit", "1048576"])
            return
        mbps = round(load_fps * (self.octets + measurer.WIRE_OVERHEAD_OCTETS) * 8 / 1e6)
        text = self.testpmd.say("set port 0 queue 0 rate %d" % max(1, mbps))
        if "fail" in text.lower() or "not support" in text.lower():
            raise RuntimeError("this NIC has no rate limit of its own; --pace tc:INTERFACE needs net_af_packet: " + text.strip())

    def undo(self):
        if self.interface:
            subprocess.run(self.by + ["tc", "qdisc", "del", "dev", self.interface, "root"], stderr=subprocess.DEVNULL)


def main():
    options = arguments()
    receiver = Testpmd(options.receiver_by, options.program, options.receiver, "rxonly", [])
    sender = Testpmd(options.sender_by, options.program, options.sender, "txonly",
                     ["--eth-peer=0," + options.destination_mac, "--txpkts=%d" % (options.frame_size - FCS_OCTETS),
                      "--tx-ip=%s,%s" % (options.source, options.destination), "--tx-udp=49184,7"])
    pace = Pace(options, sender)

    def measure(duration_s, load_fps):
        pace.set(load_fps)
        sender.say("clear port stats 0")
        receiver.say("clear port stats 0")
        begin_s = time.monotonic()
        sender.say("start")
        time.sleep(max(0, duration_s - (time.monotonic() - begin_s)))
        sender.say("stop")
        took_s = time.monotonic() - begin_s
        time.sleep(RESIDUAL_S)
        sent, received = sender.counts()["TX-packets"], receiver.counts()
        # it sends by time, so how many frames there are to be follows from how long it sent
        missed = received["RX-missed"] + received["RX-nombuf"] + received["RX-errors"]
        return measurer.counts_of_time(measurer.frames_of(took_s, load_fps), sent, received["RX-packets"], missed)

    try:
        receiver.say("set promisc all on")
        receiver.say("start")
        measurer.serve(measure, measurer.of_run(
            options, "DPDK's testpmd",
            waits="Residual frames are waited for %d s." % RESIDUAL_S,
            load_shape="As the rate limit of %s shapes it." % (pace.interface or "the NIC"),
            deviations=["Section 23 of RFC 2544: no learning frames, and no wait of five seconds after a trial.",
                        "testpmd sends by time: the number of frames of a trial varies with the duration that was kept.",
                        "Every frame that arrives at the receiving port counts, also a foreign one."]))
    finally:
        pace.undo()
        sender.end()
        receiver.end()


main()
