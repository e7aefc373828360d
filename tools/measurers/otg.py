#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A Measurer that sends by a controller of the Open Traffic Generator API, as ixia-c. README.md says how to use it."""
import argparse
import json
import ssl
import time
import urllib.error
import urllib.request

import measurer

RESIDUAL_S = 2
PATIENCE_S = 30
FLOW = "trial"


def arguments():
    parser = argparse.ArgumentParser(description="A Measurer for xdp-mlr that sends by an OTG controller.")
    parser.add_argument("controller", help="its address, as https://localhost:8443")
    parser.add_argument("--locations", required=True, metavar="TX,RX", help="of the two ports, as localhost:5555,localhost:5556")
    parser.add_argument("--sender", default="198.18.0.2,198.18.0.1", help="address and gateway of the first port")
    parser.add_argument("--receiver", default="198.19.0.2,198.19.0.1", help="those of the second port")
    parser.add_argument("--insecure", action="store_true", help="accept any certificate, as ixia-c has a self-signed one")
    measurer.add_frame_size(parser)
    return parser.parse_args()


class Controller:
    """Its three resources. What it refuses is raised with its own words."""

    def __init__(self, address, insecure):
        self.address = address.rstrip("/")
        self.context = ssl._create_unverified_context() if insecure else None

    def post(self, resource, value):
        request = urllib.request.Request(self.address + resource, json.dumps(value).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S, context=self.context) as response:
                return json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise RuntimeError("%s answered %d: %s" % (resource, error.code, error.read(500).decode(errors="replace"))) from error

    def configure(self, configuration):
        self.post("/config", configuration)

    def protocols(self, state):
        self.post("/control/state", {"choice": "protocol", "protocol": {"choice": "all", "all": {"state": state}}})

    def transmit(self, state):
        self.post("/control/state", {"choice": "traffic",
                                     "traffic": {"choice": "flow_transmit", "flow_transmit": {"flow_names": [FLOW], "state": state}}})

    def flow(self):
        metrics = self.post("/monitor/metrics", {"choice": "flow", "flow": {"flow_names": [FLOW]}})
        return next(metric for metric in metrics["flow_metrics"] if metric["name"] == FLOW)


def device(name, address, gateway, mac):
    return {"name": name, "ethernets": [{
        "name": name + "-ethernet", "mac": mac, "connection": {"choice": "port_name", "port_name": name + "-port"},
        "ipv4_addresses": [{"name": name + "-ipv4", "address": address, "gateway": gateway, "prefix": 24}]}]}


def fixed(value):
    return {"choice": "value", "value": value}


def configuration(options, load_fps, duration_s):
    (source, source_gateway), (destination, destination_gateway) = options.sender.split(","), options.receiver.split(",")
    locations = options.locations.split(",")
    return {
        "ports": [{"name": "sender-port", "location": locations[0]}, {"name": "receiver-port", "location": locations[1]}],
        "devices": [device("sender", source, source_gateway, "02:00:00:00:00:01"),
                    device("receiver", destination, destination_gateway, "02:00:00:00:00:02")],
        "flows": [{
            "name": FLOW,
            "tx_rx": {"choice": "device", "device": {"mode": "one_to_one", "tx_names": ["sender-ipv4"], "rx_names": ["receiver-ipv4"]}},
            "packet": [{"choice": "ethernet", "ethernet": {}},
                       {"choice": "ipv4", "ipv4": {"src": fixed(source), "dst": fixed(destination)}},
                       {"choice": "udp", "udp": {"src_port": fixed(49184), "dst_port": fixed(7)}}],
            "size": {"choice": "fixed", "fixed": options.frame_size},
            "rate": {"choice": "pps", "pps": max(1, round(load_fps))},
            # so many frames would all be sent, however long that takes
            "duration": {"choice": "fixed_seconds", "fixed_seconds": {"seconds": duration_s}},
            "metrics": {"enable": True}}],
    }


def await_end(controller, duration_s):
    """Wait until it sends no more. Return how many frames it sent."""
    deadline_s = time.monotonic() + duration_s + PATIENCE_S
    while time.monotonic() < deadline_s:
        flow = controller.flow()
        if flow.get("transmit") == "stopped" and int(flow.get("frames_tx", 0)):
            return int(flow["frames_tx"])
        time.sleep(0.05)
    raise RuntimeError("the flow did not send for %g s and then stop: it is %s, after %s frames" %
                       (duration_s, flow.get("transmit"), flow.get("frames_tx", 0)))


def main():
    options = arguments()
    controller = Controller(options.controller, options.insecure)

    def measure(duration_s, load_fps):
        controller.configure(configuration(options, load_fps, duration_s))
        controller.protocols("start")
        controller.transmit("start")
        sent = await_end(controller, duration_s)
        time.sleep(RESIDUAL_S)
        received = int(controller.flow().get("frames_rx", 0))
        controller.transmit("stop")
        # an OTG rate is a whole number of frames/s
        return measurer.counts_of_time(measurer.frames_of(duration_s, max(1, round(load_fps))), sent, received)

    measurer.serve(measure, measurer.of_run(
        options, "an OTG controller",
        waits="Residual frames are waited for %d s." % RESIDUAL_S,
        load_shape="Constant, in whole frames/s: Trial Load is rounded to them.",
        deviations=["Section 23 of RFC 2544: no learning frames are sent but ARP, and there is no wait of five seconds after a trial.",
                    "OTG does not tell what the receiving port had no room for: that counts as lost by the SUT."]))


main()
