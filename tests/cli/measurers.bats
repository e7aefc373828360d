#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The Measurers of tools/measurers whose generators cannot be had here, over stand-ins that answer as those do.
load helper

nothing_else_is_missing() { # than what is about the configuration of the SUT
  is '[.checklist[] | select(.status == "missing") | .clause] - ["3", "4.9.3-sut"] == []' <<<"$output"
}

@test "each Measurer lists its options where its generator is missing, and TRex's says what it lacks" {
  command -v python3 >/dev/null || skip "python3 is not here"
  local file
  for file in tools/measurers/*.py; do
    [ "${file##*/}" = measurer.py ] || python3 "$file" --help | grep -q '^usage: ' || { echo "$file --help"; false; }
  done
  run --separate-stderr "$XDP_MLR" search --measurer "exec:python3 tools/measurers/trex_stl.py 127.0.0.1" --max-load 10Mfps
  [ "$status" -eq 5 ]
  [[ $stderr == *"trex_stl.py: No module named 'trex': PYTHONPATH must have"* ]]
}

@test "TRex measures, over a stand-in for TRex's client library" {
  command -v python3 >/dev/null || skip "python3 is not here"
  mkdir -p "$BATS_TEST_TMPDIR/trex/stl"
  touch "$BATS_TEST_TMPDIR"/trex/{,stl/}__init__.py
  cat >"$BATS_TEST_TMPDIR/trex/stl/api.py" <<'PYTHON'
import os


class Layer(bytes):
    def __truediv__(self, other):
        return Layer(bytes(self) + (other.encode() if isinstance(other, str) else other))


def Ether(): return Layer(14)
def IP(src, dst): return Layer(20)
def UDP(sport, dport): return Layer(8)
def STLPktBuilder(pkt): return pkt
def STLTXCont(pps): return pps


def STLStream(packet, mode):
    assert len(packet) == 60 and mode == 1
    return packet


class STLClient:
    def __init__(self, server): assert server == "127.0.0.1"
    def connect(self): self.calls = ["connect"]
    def reset(self, ports): assert ports == [0, 1]
    def set_service_mode(self, ports, enabled): self.service = enabled
    def set_l3_mode(self, port, src_ipv4, dst_ipv4): assert self.service
    def add_streams(self, stream, ports): assert ports == [0]
    def clear_stats(self): self.sent = self.received = 0

    def start(self, ports, mult, duration, force):
        assert ports == [0] and mult.endswith("pps") and force
        self.sent = round(float(mult[:-3]) * duration)
        self.received = min(self.sent, round(1.2e6 * duration))

    def wait_on_traffic(self, ports, timeout, rx_delay_ms): pass
    def get_stats(self): return {0: {"opackets": self.sent, "oerrors": 0}, 1: {"ipackets": self.received, "ierrors": self.missed()}}
    def missed(self): return self.sent - self.received if "MISSES" in os.environ else 0
    def disconnect(self): pass
PYTHON
  run --separate-stderr "$XDP_MLR" search \
    --measurer "exec:PYTHONPATH=$BATS_TEST_TMPDIR python3 tools/measurers/trex_stl.py 127.0.0.1" --max-load 10Mfps --format json
  [ "$status" -eq 0 ]
  is '.search_result[0] | .relevant_lower_bound <= 1.2e6 and .relevant_upper_bound > 1.2e6 and (.tester_limited | not)' <<<"$output"
  nothing_else_is_missing
  # what its own receiving port had no room for is no loss of the SUT
  MISSES=1 run --separate-stderr "$XDP_MLR" search \
    --measurer "exec:PYTHONPATH=$BATS_TEST_TMPDIR python3 tools/measurers/trex_stl.py 127.0.0.1" --max-load 10Mfps --format json
  [ "$status" -eq 1 ]
  is '.search_result[0].tester_limited' <<<"$output"
}

@test "an OTG controller measures, over a stand-in that checks what it is sent" {
  command -v python3 >/dev/null || skip "python3 is not here"
  cat >"$BATS_TEST_TMPDIR/controller.py" <<'PYTHON'
import http.server
import json
import sys


class Controller(http.server.BaseHTTPRequestHandler):
    flow = None
    sent = False

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = getattr(self, self.path.replace("/", "_"))(asked)
        body = json.dumps(answer).encode()
        self.send_response(200 if answer is not None else 400)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _config(self, asked):
        names = {port["name"] for port in asked["ports"]}
        flow = asked["flows"][0]
        ends = {address["name"]: ethernet["connection"]["port_name"] for device in asked["devices"]
                for ethernet in device["ethernets"] for address in ethernet["ipv4_addresses"]}
        used = flow["tx_rx"]["device"]["tx_names"] + flow["tx_rx"]["device"]["rx_names"]
        if {ends[name] for name in used} != names or flow["size"] != {"choice": "fixed", "fixed": 64} or not flow["metrics"]["enable"]:
            return None
        Controller.flow, Controller.sent = flow, False
        return {"warnings": []}

    def _control_state(self, asked):
        if asked["choice"] == "traffic":
            Controller.sent = asked["traffic"]["flow_transmit"]["state"] == "start" or Controller.sent
        return {"warnings": []}

    def _monitor_metrics(self, asked):
        duration_s, pps = Controller.flow["duration"]["fixed_seconds"]["seconds"], Controller.flow["rate"]["pps"]
        frames = round(min(pps, float(sys.argv[1])) * duration_s)
        passed = min(frames, round(1.2e6 * duration_s)) if Controller.sent else 0
        return {"choice": "flow_metrics", "flow_metrics": [{"name": Controller.flow["name"], "transmit": "stopped",
                "frames_tx": str(frames if Controller.sent else 0), "frames_rx": str(passed)}]}

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Controller)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
  coproc CONTROLLER { exec python3 "$BATS_TEST_TMPDIR/controller.py" 10e6; }
  local controller=$CONTROLLER_PID port
  read -r port <&"${CONTROLLER[0]}"
  run --separate-stderr "$XDP_MLR" search --goal final=1,sum=1,exceed=0,width=0.05 --max-load 4Mfps --min-load 400kfps --format json \
    --measurer "exec:python3 tools/measurers/otg.py http://127.0.0.1:$port --locations localhost:5555,localhost:5556"
  kill "$controller"
  [ "$status" -eq 0 ]
  is '.search_result[0] | .regular and .relevant_lower_bound <= 1.2e6 and .relevant_upper_bound > 1.2e6' <<<"$output"
  nothing_else_is_missing
  # one that sends 600 kfps at most does not show that the SUT passes a million
  coproc SLOW { exec python3 "$BATS_TEST_TMPDIR/controller.py" 600e3; }
  controller=$SLOW_PID
  read -r port <&"${SLOW[0]}"
  run --separate-stderr python3 tools/measurers/otg.py "http://127.0.0.1:$port" --locations localhost:5555,localhost:5556 \
    <<<'{"trial_duration": 1, "trial_load": 1e6}'
  kill "$controller"
  is '.tester_limited and .trial_loss_ratio == 0.4 and .unsent == 400000' <<<"$output"
}

@test "what a receiver had no room for limits no trial that lost nothing: it was of others" {
  command -v python3 >/dev/null || skip "python3 is not here"
  limited() { (cd tools/measurers && python3 -c "import measurer; print(measurer.Counts($1).is_limited())"); }
  [ "$(limited '100, 100, 99, missed=3')" = True ]
  [ "$(limited '100, 100, 100, missed=3')" = False ]
  [ "$(limited '100, 90, 90')" = True ]
}

# Of testpmd what is said to it, and what it answers. Its link has the pace of whole Mbit/s for 0.2 s, and its receiver lacks buffers for LACKING.
# The measurer's clock goes by its sleeps alone, so that no delay of this machine changes what it expects.
@test "what testpmd's receiver had no buffer for, and what was sent beyond the load, limits a trial" {
  command -v python3 >/dev/null || skip "python3 is not here"
  cat >"$BATS_TEST_TMPDIR/testpmd" <<'PYTHON'
#!/usr/bin/env python3
import os
import sys

sends = "--forward-mode=txonly" in sys.argv
sent = os.path.join(os.path.dirname(sys.argv[0]), "sent")
rate_fps = 0


def frames():
    with open(sent) as file:
        return int(file.read())


def answer(command):
    global rate_fps
    if command.startswith("set port 0 queue 0 rate "):
        rate_fps = int(command.split()[-1]) * 1e6 / 8 / 84
    elif command == "stop" and sends:
        with open(sent, "w") as file:
            file.write(str(round(rate_fps * 0.2)))
    elif command == "show port stats 0":
        lacking, lost = int(os.environ.get("LACKING", 0)), int(os.environ.get("LOST", 0))
        if sends:
            return "  TX-packets: %-10d TX-errors: 0          TX-bytes:  0\n" % frames()
        return "  RX-packets: %-10d RX-missed: 0          RX-bytes:  0\n  RX-errors: 0\n  RX-nombuf:  %-10d\n" % (
            frames() - lacking - lost, lacking)
    return ""


print(end="testpmd> ", flush=True)
for line in sys.stdin:
    if line == "quit\n":
        break
    print(end=answer(line.strip()) + "testpmd> ", flush=True)
PYTHON
  chmod +x "$BATS_TEST_TMPDIR/testpmd"
  cat >"$BATS_TEST_TMPDIR/sitecustomize.py" <<'PYTHON'
import time

now_s = 0


def sleep(duration_s):
    global now_s
    now_s += duration_s


time.sleep, time.monotonic = sleep, lambda: now_s
PYTHON
  trial() { # LOAD LOST LACKING
    PYTHONPATH=$BATS_TEST_TMPDIR LOST=$2 LACKING=$3 run --separate-stderr python3 tools/measurers/testpmd.py --program "$BATS_TEST_TMPDIR/testpmd" \
      --sender a --receiver b --destination-mac 02:00:00:00:00:01 <<<"{\"trial_duration\": 0.2, \"trial_load\": $1}"
  }
  trial 1.488e6 100 0
  is '.frames_lost == 100 and (.tester_limited | not)' <<<"$output"
  trial 1.488e6 0 100
  is '.frames_lost == 100 and .tester_limited and .missed == 100' <<<"$output"
  # 1 Mbit/s, the least pace, are 1488 frames/s
  trial 800 1 0
  is '.frames_lost == 1 and .tester_limited' <<<"$output"
}

# Of pktgen the files. Of a thousand frames a hundred do not arrive, and COUNTER of the receiving interface has so many more.
@test "what the interface that counts for pktgen had no room for limits a trial" {
  command -v python3 >/dev/null || skip "python3 is not here"
  cat >"$BATS_TEST_TMPDIR/pktgen.py" <<'PYTHON'
import os
import pathlib
import runpy
import sys

counters = {"rx_packets": 0, os.environ["COUNTER"]: 0}


class Path:
    def __init__(self, path): self.path = path
    def __truediv__(self, name): return Path(self.path + "/" + name)
    def __fspath__(self): return "/dev/null"
    def is_dir(self): return True
    def exists(self): return False

    def read_text(self):
        if self.path.startswith("/proc"):
            counters["rx_packets"] += 900
            counters[os.environ["COUNTER"]] += 100
            return "pkts-sofar: 1000\nResult: OK: %s(c0) usec, 1000 (60byte,0frags)" % os.environ["TOOK_US"]
        return str(counters.get(self.path.split("/")[-1], 0))


pathlib.Path = Path
sys.path.insert(0, "tools/measurers")
sys.argv = ["pktgen.py", "a", "b", "--destination-mac", "02:00:00:00:00:01"]
runpy.run_path("tools/measurers/pktgen.py")
PYTHON
  trial() { # COUNTER TOOK_US
    COUNTER=$1 TOOK_US=$2 run --separate-stderr python3 "$BATS_TEST_TMPDIR/pktgen.py" <<<'{"trial_duration": 1, "trial_load": 1000}'
  }
  trial none 1000000
  is '.frames_lost == 100 and (.tester_limited | not)' <<<"$output"
  local counter
  for counter in rx_missed_errors rx_dropped; do
    trial $counter 1000000
    is '.frames_lost == 100 and .tester_limited and .missed == 100' <<<"$output"
  done
  trial none 900000 # which is faster than what was asked for
  is '.tester_limited' <<<"$output"
}

# Two trials, of which the generator refuses the second one. tests/data says where the recordings are from.
answers_as_recorded() { # COMMAND...
  run --separate-stderr "$@" <<<'{"trial_duration": 1.0, "trial_load": 1000.0}
{"trial_duration": 1.0, "trial_load": 2000.0}'
  is 'select(.trial_loss_ratio) | .frames_sent == 1000 and .frames_lost == 8 and .trial_loss_ratio == 0.008 and (has("tester_limited") | not)' <<<"${lines[0]}"
}

@test "an exchange with TRex's library goes as recorded, and its error ends the search" {
  command -v python3 >/dev/null || skip "python3 is not here"
  mkdir -p "$BATS_TEST_TMPDIR/trex/stl"
  touch "$BATS_TEST_TMPDIR"/trex/{,stl/}__init__.py
  echo 'from replay import *' >"$BATS_TEST_TMPDIR/trex/stl/api.py"
  answers_as_recorded env RECORDING=tests/data/trex.jsonl PYTHONPATH="$BATS_TEST_TMPDIR:tests/tools" \
    python3 tools/measurers/trex_stl.py 127.0.0.1
  [ "$status" -eq 0 ]
  is '.error == "TimeoutError: Timeout of 31 seconds on wait for traffic"' <<<"${lines[1]}"
}

@test "an exchange with an OTG controller goes as recorded, and its error ends the search" {
  command -v python3 >/dev/null || skip "python3 is not here"
  coproc REPLAY { exec python3 tests/tools/replay.py tests/data/otg.jsonl; }
  local replay=$REPLAY_PID port
  read -r port <&"${REPLAY[0]}"
  answers_as_recorded python3 tools/measurers/otg.py "http://127.0.0.1:$port" --locations localhost:5555,localhost:5556
  kill "$replay"
  [ "$status" -eq 0 ]
  is '.error | test("/config answered 500: .*unable to connect to localhost:5555")' <<<"${lines[1]}"
}
