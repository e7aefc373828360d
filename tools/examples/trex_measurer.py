#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A measurer for xdp-mlr that sends by TRex: trex_measurer.py SERVER [FRAME SIZE]"""
import json
import sys

from trex.stl.api import Ether, IP, STLClient, STLPktBuilder, STLStream, STLTXCont, UDP

SENDER, RECEIVER = 0, 1
server = sys.argv[1]
frame_size = int(sys.argv[2]) if len(sys.argv) > 2 else 64  # octets with FCS, which TRex does not count


def prepare(client):
    client.connect()
    client.reset(ports=[SENDER, RECEIVER])
    client.set_service_mode(ports=[SENDER, RECEIVER], enabled=True)
    client.set_l3_mode(port=SENDER, src_ipv4="198.18.0.2", dst_ipv4="198.18.0.1")  # asks the router by ARP
    client.set_l3_mode(port=RECEIVER, src_ipv4="198.19.0.2", dst_ipv4="198.19.0.1")
    client.set_service_mode(ports=[SENDER, RECEIVER], enabled=False)
    packet = Ether() / IP(src="198.18.0.2", dst="198.19.0.2") / UDP(sport=49184, dport=7)
    packet = packet / ("x" * (frame_size - 4 - len(packet)))
    stream = STLStream(packet=STLPktBuilder(pkt=packet), mode=STLTXCont(pps=1))
    client.add_streams(stream, ports=[SENDER])


def measure(client, duration_s, load_fps):
    client.clear_stats()
    client.start(ports=[SENDER], mult="%.3fpps" % load_fps, duration=duration_s, force=True)
    client.wait_on_traffic(ports=[SENDER], timeout=duration_s + 30, rx_delay_ms=1000)
    stats = client.get_stats()
    # what TRex did not get out counts as lost
    sent = max(stats[SENDER]["opackets"], round(load_fps * duration_s))
    return sent, min(sent, stats[RECEIVER]["ipackets"])


client = STLClient(server=server)
try:
    prepare(client)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            sent, received = measure(client, question["trial_duration"], question["trial_load"])
            answer = {"trial_loss_ratio": (sent - received) / sent, "frames_sent": sent, "frames_lost": sent - received}
        except Exception as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)
finally:
    client.disconnect()
