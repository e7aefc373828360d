#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A Measurer that sends by iperf3, as UDP. README.md says how to use it."""
import argparse
import json
import shlex
import subprocess
import time

import measurer

CUT_OFF_S = 0.02
INTERVAL_S, STALL_S = 0.1, 0.05  # iperf3's shortest interval of counts, and by how much one may be off
LEAST_PAYLOAD_OCTETS = 16  # iperf3's own header


def arguments():
    parser = argparse.ArgumentParser(description="A Measurer for xdp-mlr that sends UDP by iperf3.")
    parser.add_argument("server", help="the address of the receiving end, through the SUT")
    parser.add_argument("--client-by", default="", metavar="COMMAND", help="what runs the client, as 'ip netns exec a' or 'ssh a'")
    parser.add_argument("--server-by", default=None, metavar="COMMAND",
                        help="what runs the server; '' for this machine. Without it a server must run already")
    parser.add_argument("--bind", help="the client's own address")
    parser.add_argument("--port", type=int, default=5201, help="of the server (default 5201)")
    parser.add_argument("--pacing-us", type=int, default=200, help="how often iperf3 looks whether it has to send (default 200)")
    measurer.add_frame_size(parser)
    return parser.parse_args()


class Server:
    """iperf3 -s, started by the Measurer where it is told how; and what its sockets had no room for."""

    def __init__(self, options):
        self.by = None if options.server_by is None else shlex.split(options.server_by)
        self.process = None
        if self.by is not None:
            self.process = subprocess.Popen(self.by + ["iperf3", "-s", "-p", str(options.port)], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def missed(self):
        """UDP datagrams that found no room in a socket, of the server's network; 0 where it cannot be asked."""
        if self.by is None:
            return 0
        names, values = [line.split() for line in measurer.run(self.by + ["cat", "/proc/net/snmp"]).splitlines()
                         if line.startswith("Udp:")]
        return int(values[names.index("RcvbufErrors")])

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


def client_command(options, frames, load_fps):
    payload_octets = options.frame_size - measurer.ETHERNET_IPV4_UDP_FCS_OCTETS
    command = shlex.split(options.client_by) + ["iperf3", "-c", options.server, "-p", str(options.port), "-u", "-J", "-l",
                                                str(payload_octets), "-b", "%d" % round(load_fps * payload_octets * 8),
                                                "-k", str(frames), "--pacing-timer", str(options.pacing_us), "-i", str(INTERVAL_S)]
    return command + (["-B", options.bind] if options.bind else [])


def ask(command, tries=20):
    """The client's report. A server that has just begun, or is busy with what came before, is asked again."""
    for left in reversed(range(tries)):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        report = json.loads(done.stdout)
        if not left or not any(word in report.get("error", "") for word in ("busy", "refused", "unable to connect")):
            break
        time.sleep(0.25)
    if "error" in report:
        raise RuntimeError("iperf3 says: " + report["error"])
    return report


def was_stalled(report, load_fps):
    """Whether the client stopped for a while: an interval took too long, or had what was due before it."""
    counts = [interval["sum"] for interval in report["intervals"]]
    return any(count["seconds"] > INTERVAL_S + STALL_S or count["packets"] > load_fps * (count["seconds"] + STALL_S) + 1
               for count in counts)


def main():
    options = arguments()
    if options.frame_size < measurer.ETHERNET_IPV4_UDP_FCS_OCTETS + LEAST_PAYLOAD_OCTETS:
        raise SystemExit("iperf3.py: a frame of iperf3 has at least %d octets" %
                         (measurer.ETHERNET_IPV4_UDP_FCS_OCTETS + LEAST_PAYLOAD_OCTETS))
    server = Server(options)

    def measure(duration_s, load_fps):
        missed = server.missed()
        frames = measurer.frames_of(duration_s, load_fps)
        report = ask(client_command(options, frames, load_fps))
        sent, received = report["end"]["sum_sent"], report["end"]["sum_received"]
        # the server's "packets" is the highest number that came; it stops reading at once when the client has ended
        cut_off = sent["packets"] - received["packets"]
        if 0 < cut_off <= 1 + load_fps * CUT_OFF_S:
            frames -= cut_off
            sent["packets"] -= cut_off
        frames = max(frames, sent["packets"])  # on a busy machine it may send one more than it was asked for
        in_time = measurer.sent_in_time(sent["packets"], sent["seconds"], duration_s)
        return measurer.Counts(frames, in_time, received["packets"] - received["lost_packets"], server.missed() - missed,
                               was_stalled(report, load_fps))

    try:
        measurer.serve(measure, measurer.of_run(
            options, "iperf3",
            waits="iperf3 has no phases: the server stops counting when the client says over TCP that it has sent all.",
            load_shape="Constant over %d us; within that, and after a stall of the machine, what is due is sent in one burst."
            % options.pacing_us,
            deviations=["Section 23 of RFC 2544: no learning frames, and no wait of two seconds for residual frames.",
                        "Of the last %d ms, frames behind the last one that the server saw are not judged: it stops counting "
                        "when the client ends." % round(CUT_OFF_S * 1000),
                        "iperf3's control connection, by TCP, goes through the SUT as well."] +
            ([] if options.server_by is not None else
             ["Without --server-by nobody asks what the server had no room for: that counts as lost by the SUT."])))
    finally:
        server.end()


main()
