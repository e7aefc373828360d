# SPDX-License-Identifier: GPL-2.0-or-later
"""Replays a recorded exchange of a Measurer (tests/data/otg.jsonl, tests/data/trex.jsonl), and refuses what is not asked as recorded.

As a program it is an OTG controller that prints its port. With RECORDING in its environment, it is TRex's library for
"from trex.stl.api import ...", where a module of that name imports it.
"""
import http.server
import json
import os
import sys


class Recording:
    def __init__(self, path):
        with open(path) as lines:
            self.exchanges = [exchange for exchange in map(json.loads, lines) if "note" not in exchange]

    def next(self, kind, name, asked):
        exchange = self.exchanges.pop(0) if self.exchanges else {}
        recorded = (exchange.get(kind), exchange.get("asked", exchange.get("arguments")))
        if recorded != (name, asked):
            raise AssertionError("recorded is %s, asked was %s" % (json.dumps(recorded), json.dumps((name, asked))))
        return exchange


# --- TRex -----------------------------------------------------------------------------------------------------------


class Layer(bytes):
    def __truediv__(self, other):
        return Layer(bytes(self) + (other.encode() if isinstance(other, str) else other))


def Ether(): return Layer(14)
def IP(src, dst): return Layer(20)
def UDP(sport, dport): return Layer(8)
def STLPktBuilder(pkt): return pkt
def STLTXCont(pps): return pps
def STLStream(packet, mode): return {"octets": len(packet), "pps": mode}


class STLClient:
    def __init__(self, server):
        self.recording = Recording(os.environ["RECORDING"])

    def add_streams(self, stream, ports):
        self.recording.next("call", "add_streams", {**stream, "ports": ports})

    def __getattr__(self, name):
        def call(**arguments):
            exchange = self.recording.next("call", name, arguments)
            if "error" in exchange:
                raise TimeoutError(exchange["error"])
            answer = exchange["answer"]
            return {int(key) if key.isdigit() else key: value for key, value in answer.items()} if answer else answer
        return call


# --- OTG ------------------------------------------------------------------------------------------------------------


class Controller(http.server.BaseHTTPRequestHandler):
    recording = None

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            exchange = self.recording.next("post", self.path, asked)
        except AssertionError as error:
            exchange = {"status": 400, "answer": {"errors": [str(error)]}}
        body = json.dumps(exchange["answer"]).encode()
        self.send_response(exchange["status"])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Controller.recording = Recording(sys.argv[1])
    server = http.server.HTTPServer(("127.0.0.1", 0), Controller)
    print(server.server_port, flush=True)
    server.serve_forever()
