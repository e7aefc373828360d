#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A Measurer that sends by TRex, through its stateless API. README.md says how to use it."""
import argparse
import sys

import measurer

SENDER, RECEIVER = 0, 1
RESIDUAL_MS = 2000


def arguments():
    parser = argparse.ArgumentParser(description="A Measurer for xdp-mlr that sends by TRex.")
    parser.add_argument("server", help="the host where 't-rex-64 -i' runs")
    parser.add_argument("--sender", default="198.18.0.2,198.18.0.1", help="address and gateway of port 0 (default 198.18.0.2,198.18.0.1)")
    parser.add_argument("--receiver", default="198.19.0.2,198.19.0.1", help="those of port 1 (default 198.19.0.2,198.19.0.1)")
    measurer.add_frame_size(parser)
    return parser.parse_args()


def client_library():
    try:
        from trex.stl import api
    except ModuleNotFoundError as error:
        sys.exit(f"trex_stl.py: {error}: PYTHONPATH must have automation/trex_control_plane/interactive of TRex")
    return api


def prepare(api, client, options):
    source, sender_gateway = options.sender.split(",")
    destination, receiver_gateway = options.receiver.split(",")
    client.connect()
    client.reset(ports=[SENDER, RECEIVER])
    client.set_service_mode(ports=[SENDER, RECEIVER], enabled=True)
    client.set_l3_mode(port=SENDER, src_ipv4=source, dst_ipv4=sender_gateway)  # asks the router by ARP
    client.set_l3_mode(port=RECEIVER, src_ipv4=destination, dst_ipv4=receiver_gateway)
    client.set_service_mode(ports=[SENDER, RECEIVER], enabled=False)
    packet = api.Ether() / api.IP(src=source, dst=destination) / api.UDP(sport=49184, dport=7)
    packet = packet / ("x" * (options.frame_size - 4 - len(packet)))  # TRex does not count the FCS
    client.add_streams(api.STLStream(packet=api.STLPktBuilder(pkt=packet), mode=api.STLTXCont(pps=1)), ports=[SENDER])


def main():
    options = arguments()
    api = client_library()
    client = api.STLClient(server=options.server)

    def measure(duration_s, load_fps):
        client.clear_stats()
        client.start(ports=[SENDER], mult="%.3fpps" % load_fps, duration=duration_s, force=True)
        client.wait_on_traffic(ports=[SENDER], timeout=duration_s + 30, rx_delay_ms=RESIDUAL_MS)
        stats = client.get_stats()
        # its duration ends at a frame's border: it may send one more or one less
        return measurer.counts_of_time(measurer.frames_of(duration_s, load_fps), stats[SENDER]["opackets"],
                                       stats[RECEIVER]["ipackets"], stats[RECEIVER]["ierrors"], measurer.ON_TIME_RATIO)

    try:
        prepare(api, client, options)
        measurer.serve(measure, measurer.of_run(
            options, "TRex",
            waits="Residual frames are waited for %d s." % (RESIDUAL_MS // 1000),
            load_shape="Constant, as TRex paces a continuous stream.",
            deviations=["Section 23 of RFC 2544: no learning frames are sent but ARP, and there is no wait of five seconds after a trial.",
                        "Every frame that arrives at the receiving port counts, also a foreign one."]))
    finally:
        client.disconnect()


main()
