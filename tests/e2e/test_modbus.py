#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Modbus server with other programs, over TCP and over a serial line: mbpoll, pymodbus, and hand-made bytes."""
import contextlib
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import unittest

import bench

ORDERS = {"abcd": (0, 1, 2, 3), "cdab": (2, 3, 0, 1), "badc": (1, 0, 3, 2), "dcba": (3, 2, 1, 0)}
BODY = bench.four_bar()["model"]["bodies"][0]
SHOWN = [{"signal": "input.push.force", "table": "input", "address": 300, "type": "f64", "word_order": "abcd"}]
WRITTEN = {"signal": "input.push.force", "table": "holding", "address": 400}
STOPPED = {"cycle": {"autostart": False}, "inputs": [{"name": "push", "body": BODY["name"], "policy": "hold"}]}


def in_order(words, order):
    """Reorders registers of 32-bit numbers from ABCD."""
    raw = struct.pack(f">{len(words)}H", *words)
    out = bytearray()
    for at in range(0, len(raw), 4):
        part = bytearray(4)
        for byte, place in enumerate(ORDERS[order]):
            part[place] = raw[at + byte]
        out += part
    return bytes(out)


def mbpoll(*arguments, status=0):
    """Runs mbpoll once and returns its output; status None: any status is accepted."""
    patience = () if "-o" in arguments else ("-o", "10")  # s, the longest
    done = subprocess.run([bench.need("mbpoll"), "-0", "-1", *patience, *arguments], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
    said = done.stdout + done.stderr
    if status is not None and (done.returncode == 0) != (status == 0):
        raise AssertionError(f"mbpoll {' '.join(arguments)}: status {done.returncode}\n{said}")
    return said


def numbers(said):
    """The values that mbpoll printed, by address."""
    return {int(a): v for a, v in re.findall(r"^\[(\d+)\]:\s+(\S+)", said, re.M)}


class Line:
    """Two pseudo terminals joined by socat: bytes written to one come out of the other."""

    def __init__(self, test):
        folder = tempfile.mkdtemp(prefix="ali3-line-")
        self.ours, self.theirs = (os.path.join(folder, name) for name in ("ours", "theirs"))
        self.process = None
        test.addCleanup(shutil.rmtree, folder)
        test.addCleanup(self.unplug)
        self.plug_in()

    def plug_in(self):
        self.process = subprocess.Popen([bench.need("socat")] + [f"pty,raw,echo=0,link={end}" for end in (self.ours, self.theirs)],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bench.wait_for("the pseudo terminals", lambda: os.path.exists(self.ours) and os.path.exists(self.theirs))

    def unplug(self):
        for end in (self.ours, self.theirs):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(end)  # first: a closed terminal may be another test's right after
        self.process.terminate()
        self.process.wait()


class Mbpoll(unittest.TestCase):
    def shown_force(self, client):
        return list(struct.unpack(">3d", struct.pack(">12H", *client.inputs(300, 12))))

    def test_word_orders(self):
        for order in ORDERS:
            with self.subTest(order), bench.Daemon(modbus={"word_order": order, "map": [*SHOWN, WRITTEN]}, **STOPPED) as daemon:
                self.check_order(daemon, order)

    def check_order(self, daemon, order):
        client = bench.ModbusClient(daemon.modbus_port)
        self.addCleanup(client.close)
        bench.wait_for("STOPPED", lambda: client.state() == "STOPPED")
        where = ["-m", "tcp", "-p", str(daemon.modbus_port), "-a", "1"]
        words = numbers(mbpoll(*where, "-t", "3:hex", "-r", "1000", "-c", "6", "127.0.0.1"))
        got = struct.unpack(">3f", in_order([int(words[1000 + i], 16) for i in range(6)], order))
        for value, expected in zip(got, BODY["position"]):
            self.assertAlmostEqual(value, expected, places=4)
        self.assertEqual(numbers(mbpoll(*where, "-t", "3:hex", "-c", "2", "-r", "0", "127.0.0.1")), {0: "0x4133", 1: "0x0205"})
        value = 2.5
        if order in ("abcd", "cdab"):  # orders that mbpoll knows
            high_first = ["-B"] if order == "abcd" else []
            floats = numbers(mbpoll(*where, *high_first, "-t", "3:float", "-r", "1000", "-c", "3", "127.0.0.1"))
            for i in range(3):
                self.assertAlmostEqual(float(floats[1000 + 2 * i]), BODY["position"][i], places=4)
            mbpoll(*where, *high_first, "-t", "4:float", "-r", "400", "127.0.0.1", "--", str(value), "-1.25", "8")
        else:
            raw = in_order(struct.unpack(">6H", struct.pack(">3f", value, -1.25, 8)), order)
            client.write(400, struct.unpack(">6H", raw))
        bench.wait_for(lambda: f"the force in the loop: {self.shown_force(client)}",
                       lambda: self.shown_force(client) == [value, -1.25, 8])

    def test_serial_line(self):
        line = Line(self)
        serial = {"serial": line.ours, "parity": "none", "unit": 9, "map": SHOWN}
        with bench.Daemon(modbus=serial, **STOPPED) as daemon:
            self.assertIn(f"{line.ours} 19200 8N1 unit 9", daemon.said())
            client = bench.ModbusClient(daemon.modbus_port)
            self.addCleanup(client.close)
            bench.wait_for("STOPPED", lambda: client.state() == "STOPPED")
            where = ["-m", "rtu", "-b", "19200", "-P", "none", "-a", "9", "-o", "3"]
            theirs = line.theirs
            floats = numbers(mbpoll(*where, "-B", "-t", "3:float", "-r", "1000", "-c", "3", theirs))
            self.assertAlmostEqual(float(floats[1000]), BODY["position"][0], places=4)
            mbpoll(*where, "-B", "-t", "4:float", "-r", "100", theirs, "--", "-4.5")
            mbpoll(*where, "-t", "4", "-r", "164", theirs, "7")
            bench.wait_for("the force in the loop", lambda: self.shown_force(client)[0] == -4.5)
            self.assertIn("Illegal data address", mbpoll(*where, "-t", "3", "-r", "32", theirs, status=1))
            mbpoll("-m", "rtu", "-b", "19200", "-P", "none", "-a", "10", "-o", "0.3", "-t", "3", "-r", "0", theirs, status=1)
            mbpoll(*where, "-t", "0", "-r", "0", theirs, "1")  # enable
            bench.wait_for("READY", lambda: client.state() == "READY")
            self.assertEqual(daemon.counter("modbus_rtu_errors"), 0)
            self.assertGreaterEqual(daemon.counter("modbus_rtu_requests"), 5)

            line.unplug()  # the adapter is pulled out
            client.inputs(0, 32)
            bench.wait_for("a line in the log", lambda: f"modbus: the serial line {line.ours} has disappeared" in daemon.said())
            line.plug_in()
            bench.wait_for("the line opened again", lambda: daemon.counter("modbus_rtu_reopened") == 1)
            bench.wait_for("a line in the log", lambda: f"modbus: the serial line {line.ours} is back after" in daemon.said())
            mbpoll(*where, "-t", "3:hex", "-r", "0", theirs)
            self.assertEqual(daemon.stop()[0], 0)

    def test_line_missing(self):
        line = Line(self)
        missing = line.ours + "-not"
        with bench.Daemon(modbus={"serial": missing}, wait=False) as daemon:
            self.assertNotEqual(daemon.finish(), 0)
            self.assertIn(f"cannot open the serial line {missing}: No such file", daemon.said())

    def test_line_alone(self):
        line = Line(self)
        with bench.Daemon(modbus={"serial": line.ours, "tcp": False, "parity": "none"}) as daemon:
            with self.assertRaises(ConnectionRefusedError):
                bench.ModbusClient(daemon.modbus_port)
            words = mbpoll("-m", "rtu", "-b", "19200", "-P", "none", "-a", "1", "-o", "3", "-t", "3:hex", "-r", "0", line.theirs)
            self.assertEqual(numbers(words), {0: "0x4133"})

    def test_masters_that_know_function_3_only_or_fixed_blocks(self):
        keys = {"mirror": 10000, "gaps": "zero", "map": [*SHOWN, WRITTEN]}
        with bench.Daemon(**{**STOPPED, "modbus": keys}) as d:
            port = ("-m", "tcp", "-p", str(d.modbus_port), "-a", "1")
            read = mbpoll(*port, "-t", "4:hex", "-r", "10000", "-c", "3", "127.0.0.1")
            self.assertRegex(read, r"\[10000\]:\s+0x4133")
            block = mbpoll(*port, "-t", "3:hex", "-r", "0", "-c", "125", "127.0.0.1")
            self.assertRegex(block, r"\[0\]:\s+0x4133")
            self.assertRegex(block, r"\[40\]:\s+0x0000")
            client = bench.ModbusClient(d.modbus_port)
            self.addCleanup(client.close)
            self.assertEqual(client.read(3, 10300, 12), client.read(4, 300, 12))
            with self.assertRaises(bench.ModbusError) as refused:
                client.write(10300, [0])
            self.assertEqual(refused.exception.code, 2)
            length, server, on = client.request(17, b"")[:3]
            self.assertEqual((length, server, on), (2 + len(client.request(17, b"")[3:]), 0xA3, 0xFF))
            self.assertTrue(client.request(17, b"")[3:].startswith(b"ali3d "))


class Variables(unittest.TestCase):
    """The registers as Structured Text: balanced, with names that are unique, and compiled where MATIEC is installed."""

    def variables(self, text):
        """Name, location and type of each variable."""
        block = re.search(r"VAR_GLOBAL\n(.*?)  END_VAR\n", text, re.S).group(1)
        return [re.fullmatch(r"    (\w+)(?: AT %(\S+))? : ([^;]+); \(\*[^(]*(?:\([^*][^(]*)*\*\)", line).groups() for line in block.splitlines()]

    def test_structured_text(self):
        iec2c = shutil.which("iec2c")
        for file in ("config/four-bar.yaml", "config/guides/plc-cylinder.yaml", "config/demo/car.yaml"):
            for way in ("st", "st-located"):
                text = subprocess.run([bench.program("ali3d"), os.path.join(bench.ROOT, file), f"--print-map={way}"], capture_output=True,
                                      text=True, timeout=bench.PATIENCE, check=True).stdout
                found = self.variables(text)
                names = [name for name, _, _ in found]
                self.assertEqual(len({name.lower() for name in names}), len(names))
                self.assertEqual([name for name in names if not re.fullmatch(r"[A-Za-z](?:_?[A-Za-z0-9])*", name)], [])
                self.assertEqual([name for name in names if "unused" in name or "reserved" in name], [])
                self.assertTrue(all((place is not None) == (way == "st-located") for _, place, _ in found))
                self.assertTrue(any(kind == "ARRAY [0..15] OF UINT" for _, _, kind in found), file)
                for word in ("CONFIGURATION", "RESOURCE", "PROGRAM", "VAR"):
                    self.assertGreaterEqual(len(re.findall(rf"\bEND_{word}\b", text)), 1)
                if iec2c:
                    with tempfile.TemporaryDirectory() as folder:
                        path = os.path.join(folder, "map.st")
                        with open(path, "w", encoding="utf-8") as f:
                            f.write(text)
                        library = os.environ.get("MATIEC_INCLUDE_PATH", os.path.join(os.path.dirname(iec2c), "lib"))
                        done = subprocess.run([iec2c, "-I", library, "-T", folder, path], cwd=folder, capture_output=True, text=True,
                                              timeout=bench.PATIENCE, check=False)
                        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        if not iec2c:
            print("iec2c of MATIEC is missing, so the text was not compiled")


class Pymodbus(unittest.TestCase):
    def run_client(self, *arguments):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pymodbus_client.py")
        done = subprocess.run(["/usr/bin/python3", script, *arguments], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        if done.returncode == 77:
            self.skipTest(f"pymodbus is not installed: {done.stdout.strip()}")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check(self, got):
        self.assertEqual(got["head"][:3], [0x4133, 0x0205, bench.STATES.index("STOPPED")])
        for value, expected in zip(got["body"], BODY["position"]):
            self.assertAlmostEqual(value, expected, places=4)
        self.assertAlmostEqual(sum(v * v for v in got["body"][3:]), 1.0, places=5)
        self.assertEqual([got[k] for k in ("written", "sequence", "argument", "masked", "enable", "pair")], [16, 6, 6, 22, 5, 15])
        for value, expected in zip(got["force"], (12.5, -3.25, 1e-3)):
            self.assertAlmostEqual(value, expected, places=6)
        self.assertEqual((got["both"], got["after"]), ([2], [0x17]))
        self.assertEqual(got["coils"], [True] + [False] * 5)
        self.assertEqual(len(got["status"]), 16)
        self.assertEqual((got["hole"], got["half"]), (2, 2))
        self.assertEqual(got["product"], "ali3d")

    def stopped(self, daemon):
        client = bench.ModbusClient(daemon.modbus_port)
        self.addCleanup(client.close)
        bench.wait_for("STOPPED", lambda: client.state() == "STOPPED")

    def test_tcp(self):
        for order in ORDERS:
            with self.subTest(order), bench.Daemon(modbus={"word_order": order}, **STOPPED) as daemon:
                self.stopped(daemon)
                self.check(self.run_client("tcp", str(daemon.modbus_port), order))

    def test_rtu(self):
        line = Line(self)
        with bench.Daemon(modbus={"serial": line.ours, "parity": "none", "word_order": "dcba"}, **STOPPED) as daemon:
            self.stopped(daemon)
            self.check(self.run_client("rtu", line.theirs, "dcba"))


class Answers(unittest.TestCase):
    """One daemon, with hand-made requests."""

    @classmethod
    def setUpClass(cls):
        cls.map = [{"signal": "input.push.force.x", "table": "holding", "address": 200},
                   {"signal": "input.push.force.y", "table": "holding", "address": 202, "type": "i16", "scale": 0.5},
                   {"signal": "input.push.force.z", "table": "coil", "address": 16},
                   {"signal": "time", "table": "input", "address": 300, "safe": -1},
                   {"signal": "input.push.force", "table": "input", "address": 304, "type": "f64"}]
        cls.daemon = bench.Daemon(modbus={"map": cls.map, "safe_writes": "refuse"}, **STOPPED)
        cls.daemon.__enter__()
        cls.addClassCleanup(cls.daemon.__exit__)

    def setUp(self):
        self.client = self.connect()
        self.state_is("STOPPED")

    def connect(self):
        client = bench.ModbusClient(self.daemon.modbus_port)
        self.addCleanup(client.close)
        return client

    def state_is(self, state):
        bench.wait_for(lambda: f"state {state} (it is {self.client.state()})", lambda: self.client.state() == state)

    def refused(self, code, function, body, client=None):
        with self.assertRaises(bench.ModbusError) as caught:
            (client or self.client).request(function, body)
        self.assertEqual(caught.exception.code, code, f"function {function}, {body.hex()}")

    def coil(self, address, on):
        self.client.request(5, struct.pack(">HH", address, 0xFF00 if on else 0))

    def test_illegal_requests_are_answered(self):
        start = time.monotonic()
        words = struct.pack
        requests = [
            (1, 7, b""), (1, 20, bytes(7)), (1, 99, b""), (1, 43, b"\x0d\0\0"),
            (2, 4, words(">HH", 32, 1)), (2, 4, words(">HH", 9, 1)), (2, 4, words(">HH", 65535, 125)),
            (2, 3, words(">HH", 6, 1)), (2, 6, words(">HH", 100, 1)), (2, 22, words(">HHH", 200, 0, 1)),
            (2, 22, words(">HHH", 101, 0, 1)), (2, 5, words(">HH", 7, 0xFF00)), (2, 2, words(">HH", 0, 17)),
            (3, 4, words(">HH", 0, 126)), (3, 4, words(">HH", 0, 0)), (3, 5, words(">HH", 1, 0x1234)),
            (3, 16, words(">HHB", 0, 2, 2) + bytes(2)), (3, 16, words(">HHBHHH", 0, 3, 6, 99, 0, 1)),
            (3, 6, words(">HH", 4, 49)), (3, 6, words(">HH", 5, 1)), (3, 3, b"\0\0\0"),
            (3, 16, words(">HHBHH", 200, 2, 4, 0x7FC0, 0)),
        ]
        for code, function, body in requests:
            self.refused(code, function, body)
        print(f"{len(requests)} illegal requests answered in {(time.monotonic() - start) * 1e3:.1f} ms")
        bench.in_time(self, time.monotonic() - start, 5)  # half a second each with the reader of the library

    def test_inputs_of_ones_own_map(self):
        self.client.write(200, [*struct.unpack(">2H", struct.pack(">f", 7.5)), 0xFFF0])
        self.coil(16, True)
        force = [7.5, -8.0, 1.0]
        bench.wait_for("the force in the loop",
                       lambda: list(struct.unpack(">3d", struct.pack(">12H", *self.client.inputs(304, 12)))) == force)
        self.client.request(22, struct.pack(">HHH", 202, 0, 6))
        bench.wait_for("the masked force",
                       lambda: struct.unpack(">d", struct.pack(">4H", *self.client.inputs(308, 4))) == (3.0,))
        other = self.connect()
        self.refused(6, 6, struct.pack(">HH", 202, 1), other)
        self.assertEqual(self.client.read(3, 202, 1), [6])
        self.client.close()
        self.client = other
        bench.wait_for("the inputs free again", lambda: not self.busy(other))

    def busy(self, client):
        try:
            client.request(6, struct.pack(">HH", 202, 1))
        except bench.ModbusError as e:
            self.assertEqual(e.code, 6)
            return True
        return False

    def test_coils_and_safe_values(self):
        shown = lambda: self.client.floats(300, 1)[0]  # noqa: E731
        self.assertEqual(shown(), -1)
        self.coil(0, True)
        self.state_is("READY")
        self.assertEqual(shown(), 0)
        self.coil(1, True)
        self.state_is("RUNNING")
        bench.wait_for("time", lambda: shown() > 0)
        self.coil(2, True)
        self.state_is("PAUSED")
        self.coil(3, True)
        self.state_is("SAFE")
        self.assertEqual(shown(), -1)
        self.assertEqual(self.client.request(1, struct.pack(">HH", 0, 6)), bytes([1, 0b1111]))
        self.refused(4, 5, struct.pack(">HH", 5, 0xFF00))
        self.refused(4, 6, struct.pack(">HH", 202, 1))
        self.coil(0, False)
        self.coil(3, False)
        self.coil(4, True)
        self.state_is("STOPPED")
        self.assertEqual(self.client.request(1, struct.pack(">HH", 3, 1)), bytes([1, 0]))
        for coil in (1, 2, 4):
            self.coil(coil, False)

    def test_a_stalled_half_frame_stalls_nobody(self):
        """Latencies of a reader beside a client that stops within a frame; libmodbus' reader would make each wait half a second."""
        stalled = self.connect()
        stalled.socket.sendall(struct.pack(">HHHBB", 1, 0, 6, 1, 4))
        times = []
        end = time.monotonic() + 0.8  # the half frame is cut off after a second
        while time.monotonic() < end:
            start = time.monotonic()
            self.client.inputs(0, 32)
            times.append(time.monotonic() - start)
            bench.run_on(0.001)  # faster than 2000 a second the server would hold it back
        times.sort()
        p99 = times[int(0.99 * len(times))]
        print(f"{len(times)} reads beside a stalled half frame: median {times[len(times) // 2] * 1e6:.0f} us, "
              f"p99 {p99 * 1e6:.0f} us, max {times[-1] * 1e6:.0f} us")
        bench.in_time(self, p99, 0.25)
        self.assertEqual(stalled.socket.recv(1), b"", "the stalled client is cut off")
        self.assertGreaterEqual(self.daemon.counter("modbus_half_frames"), 1)

    def test_the_printed_map_is_the_served_one(self):
        said = subprocess.run([bench.program("ali3d"), self.daemon.config, "--print-map=json"], capture_output=True, text=True,
                              timeout=bench.PATIENCE, check=True).stdout
        served = [(c["host"], c["port"]) for c in json.loads(said)["connections"] if c["protocol"] == "Modbus TCP" and c["listens"]]
        self.assertEqual(served, [("127.0.0.1", self.daemon.modbus_port)])
        rows = json.loads(said)["modbus"]
        function = {"coil": 1, "discrete": 2, "holding": 3, "input": 4}
        for row in rows:
            for count, ok in ((row["registers"], True), (1, row["registers"] == 1)):
                body = struct.pack(">HH", row["address"], count)
                if ok:
                    self.client.request(function[row["table"]], body)
                else:
                    self.refused(2, function[row["table"]], body)
        by_name = {(r["table"], r["signal"]): r for r in rows}
        self.assertEqual(by_name["input", f"body.{BODY['name']}.position.x"]["address"], 1000)
        self.assertEqual(by_name["holding", "input.push.force.y"]["scale"], 0.5)
        for i, axis in enumerate("xyz"):
            row = by_name["input", f"body.{BODY['name']}.position.{axis}"]
            self.assertAlmostEqual(self.client.floats(row["address"], 1)[0], BODY["position"][i], places=4)


class Rights(unittest.TestCase):
    def daemon(self, access):
        peers = [{"host": "127.0.0.1", "access": access}] if access else [{"host": "10.0.0.0/8"}]
        return bench.Daemon(modbus={"peers": peers})

    def test_readers_may_stop_the_motion(self):
        with self.daemon("read") as daemon:
            client = bench.ModbusClient(daemon.modbus_port)
            self.addCleanup(client.close)
            for function, body in ((6, struct.pack(">HH", 0, 1)), (5, struct.pack(">HH", 1, 0xFF00)),
                                   (16, struct.pack(">HHBHHH", 0, 3, 6, 8, 0, 1))):
                with self.assertRaises(bench.ModbusError) as caught:
                    client.request(function, body)
                self.assertEqual(caught.exception.code, 1)
            client.request(5, struct.pack(">HH", 3, 0xFF00))
            bench.wait_for("SAFE", lambda: client.state() == "SAFE")

    def test_strangers_are_shut_out(self):
        with self.daemon(None) as daemon:
            with socket.create_connection(("127.0.0.1", daemon.modbus_port), timeout=bench.PATIENCE) as s:
                self.assertEqual(s.recv(1), b"")
            bench.wait_for("the counter", lambda: daemon.counter("modbus_denied") == 1)
            self.assertEqual(daemon.counter("modbus_accepted"), 0)


if __name__ == "__main__":
    bench.main()
