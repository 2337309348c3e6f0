#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OSC for a bench: streams, questions, barriers, checked frames, mapped addresses, rights, multicast; read by
decoders of other projects; and its description, which ali3-exporter serves."""
import itertools
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
import zlib

import bench

CHANNELS = 6
GROUP = "239.255.43.22"


def mapped(signal_name, address, **more):
    return {"signal": signal_name, "address": address, **more}


MAP = [mapped("joint.J1.position", "/rig/crank", scale=0.017453292519943295), mapped("time", "/rig/crank"),
       mapped("input.push.force.x", "/rig/push", scale=10.0)]

# An input that stays while its sender is held up.
HELD = [bench.push(policy="hold", hold=10)]


class Subscriber(bench.OscClient):
    def __init__(self, port):
        super().__init__(port)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)  # streams must not push answers out

    def subscribe(self, stream, profile=0):
        self.send(bench.osc_message("/ali3/sub", "siii", stream, 0, 1, profile))
        assert self.answer("/ali3/sub/ack") == [stream, 0]

    def frames(self, count):
        """The next complete frames: all their parts, as {address: values} each."""
        frames, parts = [], {}
        self.socket.settimeout(bench.PATIENCE)
        while len(frames) < count:
            packet = bench.osc_decode(self.socket.recv(65536))
            if packet[0][0] != "/ali3/hdr":
                continue
            cycle, part, of = packet[0][2][0], *packet[0][2][4:6]
            parts.setdefault(cycle, {})[part] = packet
            if len(parts[cycle]) == of:
                messages = [m for part in parts.pop(cycle).values() for m in part]
                addresses = [m[0] for m in messages if m[0] != "/ali3/hdr"]
                assert len(addresses) == len(set(addresses)), f"twice in one frame: {addresses}"
                frames.append({m[0]: m[2] for m in messages})
        return frames


class Interface(unittest.TestCase):
    def setUp(self):
        self.receiver = bench.OscReceiver()
        self.addCleanup(self.receiver.close)
        self.daemon = bench.Daemon(inputs=HELD, osc={"map": MAP, "targets": [
            {"host": "127.0.0.1", "port": self.receiver.port, "stream": "out", "profile": "d"}]})
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__)
        self.client = Subscriber(self.daemon.osc_port)
        self.addCleanup(self.client.close)

    def ask(self, address):
        self.client.send(bench.osc_message(address))
        return self.client.answer(address)

    def test_streams(self):
        for stream in ("all", "body", "joint", "force", "energy", "input", "out", "loop"):
            self.client.subscribe(stream)
        frame = self.client.frames(3)[-1]
        for address in ("/ali3/body/A/state", "/ali3/joint/J1/force", "/ali3/energy/total", "/ali3/constraint/position",
                        "/ali3/solver/status", "/ali3/input/push/force", "/rig/crank", "/ali3/loop/step"):
            self.assertIn(address, frame)
        self.client.send(bench.osc_message("/ali3/unsub", "s", "all"))
        self.client.answer("/ali3/unsub/ack")
        frame = self.client.frames(3)[-1]
        self.assertNotIn("/ali3/body/A/state", frame)
        self.assertIn("/ali3/energy/total", frame)
        self.assertEqual(self.daemon.watch()["counters"]["osc_clients"], 2)

    def test_questions(self):
        self.assertEqual(len(self.ask("/ali3/body/A/state")), 13)
        self.assertEqual(len(self.ask("/ali3/body/A/acceleration")), 3)
        self.assertEqual(len(self.ask("/ali3/input/push")), CHANNELS)
        self.assertGreater(self.ask("/ali3/time")[0], 0)
        degrees, t = self.ask("/rig/crank")
        self.assertGreater(t, 0)
        self.assertEqual(self.client.command("pause", 1), 0)
        self.client.send(bench.osc_message("/ali3/sync", "i", 9))
        self.assertEqual(self.client.answer("/ali3/synced"), [9])
        bench.wait_for("a standing crank", lambda: self.ask("/ali3/joint/J1/position") == self.ask("/ali3/joint/J1/position"))
        radians, (degrees, _) = self.ask("/ali3/joint/J1/position")[0], self.ask("/rig/crank")
        self.assertAlmostEqual(degrees * 0.017453292519943295, radians, 5)

    def test_a_target_gets_the_users_addresses(self):
        self.receiver.socket.settimeout(bench.PATIENCE)
        messages = bench.osc_decode(self.receiver.socket.recv(65536))
        self.assertEqual([(m[0], m[1]) for m in messages], [("/ali3/hdr", "hdiiii"), ("/rig/crank", "dd")])
        self.assertAlmostEqual(messages[0][2][1], messages[1][2][1])  # simulated time, twice

    def test_inputs(self):
        def acts(value):
            self.client.send(bench.osc_message("/rig/push", "f", value / 10.0))
            return abs(self.ask("/ali3/input/push/force")[0] - value) < 1e-6

        bench.wait_for("7 N", lambda: acts(7.0))
        self.assertAlmostEqual(self.ask("/rig/push")[0], 0.7, 6)
        packed = struct.pack(">6f", 3, 0, 0, 0, 0, 0)

        def blob(sequence, checksum):
            head = bench.osc_string("/ali3/in/blob") + bench.osc_string(",iib")
            self.client.send(head + struct.pack(">iIi", sequence, checksum, len(packed)) + packed)
            return abs(self.ask("/ali3/input/push/force")[0] - 3) < 1e-6

        numbers = iter(range(1, 1000))
        bench.wait_for("3 N", lambda: blob(next(numbers), zlib.crc32(packed)))
        blob(next(numbers), zlib.crc32(packed) ^ 1)
        bench.wait_for("a wrong checksum", lambda: self.daemon.counter("osc_checksum") == 1)
        stranger = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(stranger.close)
        blob(next(numbers), zlib.crc32(packed))
        stranger.send(bench.osc_message("/ali3/in/push/force", "fff", 99.0, 0.0, 0.0))
        self.assertEqual(stranger.answer("/ali3/ack"), ["input", 0, 2])
        self.assertGreaterEqual(self.daemon.counter("osc_refused"), 1)

    def test_a_fault_is_reported(self):
        self.client.subscribe("status")
        self.client.send(bench.osc_message("/ali3/cmd/estop"))
        self.assertEqual(self.client.answer("/ali3/fault"), [1, -1, "e-stop requested"])

    def test_the_cost_is_in_the_report(self):
        self.client.subscribe("all")
        self.client.frames(20)
        counters = self.daemon.watch()["counters"]
        self.assertGreater(counters["osc_send_ns"], 0)
        status, report = self.daemon.stop()
        self.assertEqual(status, 0)
        self.assertGreaterEqual(report["counters"]["osc_frames"], 20)
        self.assertGreater(report["counters"]["osc_send_ns"], counters["osc_send_ns"])

    def test_the_command_has_its_senders_name_in_the_log(self):
        self.client.command("pause", 1)
        port = self.client.socket.getsockname()[1]
        bench.wait_for(lambda: f"127.0.0.1:{port} in the log:\n{self.daemon.said()}",
                       lambda: f"127.0.0.1:{port}" in self.daemon.said())


class Others(unittest.TestCase):
    """Programs with their own OSC code."""

    def test_oscsend_and_oscdump(self):
        oscsend, oscdump = bench.need("oscsend"), bench.need("oscdump")
        port = bench.free_port(socket.SOCK_DGRAM)
        with subprocess.Popen([oscdump, "-L", str(port)], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as dump:
            try:
                target = {"host": "127.0.0.1", "port": port, "stream": "out"}
                with bench.Daemon(osc={"map": MAP, "targets": [target]}) as d:
                    line = bench.wait_for("a line", lambda: next((x for x in iter(dump.stdout.readline, "") if "/rig/" in x), None))
                    self.assertRegex(line, r" /rig/crank ff -?\d+\.\d+ \d+\.\d+$")
                    subprocess.run([oscsend, "127.0.0.1", str(d.osc_port), "/rig/push", "T"], check=True, timeout=bench.PATIENCE)
                    bench.wait_for("the T of oscsend", lambda: d.counter("osc_received") == 1)
                    self.assertEqual(d.counter("osc_type_errors"), 0)
            finally:
                dump.kill()

    def test_tshark(self):
        tshark = bench.need("tshark")
        with bench.Daemon(osc={"map": MAP}) as d, tempfile.TemporaryDirectory() as folder:
            client = Subscriber(d.osc_port)
            self.addCleanup(client.close)
            log, errors = os.path.join(folder, "log"), os.path.join(folder, "errors")
            with open(log, "w", encoding="utf-8") as out, open(errors, "w", encoding="utf-8") as err:
                capture = subprocess.Popen([tshark, "-i", "lo", "-f", f"udp port {d.osc_port}", "-l", "-V",
                                            "--enable-heuristic", "osc_udp"], stdin=subprocess.DEVNULL, stdout=out, stderr=err)

            def read(name):
                with open(name, encoding="utf-8", errors="replace") as f:
                    return f.read()

            wanted = ["/ali3/hdr ,ifiiii", "/ali3/body/A/state ,fffffffffffff", "/ali3/joint/J1/force ,fff", "/rig/crank ,ff",
                      "/ali3/pong ,ihhh", "/ali3/status ,sifffiiii"]
            try:
                end = time.monotonic() + bench.PATIENCE
                while missing := [w for w in wanted if w not in read(log)]:
                    if capture.poll() is not None:
                        self.skipTest(f"tshark cannot capture on lo: {read(errors).strip().splitlines()[-1:]}")
                    self.assertLess(time.monotonic(), end, missing)
                    for stream in ("all", "joint", "out"):
                        client.subscribe(stream)
                    client.send(bench.osc_message("/ali3/ping", "ih", 1, 2))
                    client.send(bench.osc_message("/ali3/status"))
                    bench.run_on(0.2)
                self.assertNotIn("Malformed", read(log))
            finally:
                capture.kill()
                capture.wait()

    def test_a_multicast_group_is_heard(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.bind((GROUP, 0))
            try:
                s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP) + socket.inet_aton("127.0.0.1"))
            except OSError as e:
                self.skipTest(f"cannot join a multicast group on 127.0.0.1: {e}")
            s.settimeout(bench.PATIENCE)
            target = {"host": GROUP, "port": s.getsockname()[1], "interface": "127.0.0.1", "stream": "energy"}
            with bench.Daemon(osc={"targets": [target]}):
                addresses = [m[0] for m in bench.osc_decode(s.recv(65536))]
            self.assertEqual(addresses[:2], ["/ali3/hdr", "/ali3/energy/kinetic"])


class Rights(unittest.TestCase):
    def test_reading_is_not_writing(self):
        with bench.Daemon(osc={"peers": [{"host": "127.0.0.1", "access": "read"}]}) as d:
            client = bench.OscClient(d.osc_port)
            self.addCleanup(client.close)
            self.assertEqual(client.command("pause", 1), 2)
            client.send(bench.osc_message("/ali3/input/push/force", "fff", 1.0, 0.0, 0.0))
            client.send(bench.osc_message("/ali3/time"))
            self.assertGreater(client.answer("/ali3/time")[0], 0)
            self.assertEqual(d.counter("osc_denied"), 2)
            self.assertEqual(client.command("estop", 2), 0)
        with bench.Daemon(osc={"peers": [{"host": "10.0.0.0/8"}]}) as d:
            client = bench.OscClient(d.osc_port)
            self.addCleanup(client.close)
            client.send(bench.osc_message("/ali3/status"))
            bench.wait_for("it counted", lambda: d.counter("osc_denied") == 1)
            with self.assertRaises(AssertionError):
                client.answer("/ali3/status", 0.2)


class Owners(unittest.TestCase):
    def setUp(self):
        self.daemon = bench.Daemon(inputs=HELD)
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__)
        self.client = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(self.client.close)

    def owner(self):
        return self.daemon.watch()["inputs"][0]["owner"]

    def test_an_input_of_modbus_is_refused(self):
        """The sender is told, the log names both, ali3-top names the owner, and the refused value does not act."""
        modbus, ends = bench.ModbusClient(self.daemon.modbus_port), threading.Event()

        def write():
            for sequence in itertools.count(1):
                modbus.write(100, [0] * 12)
                modbus.write(164, [sequence & 0xFFFF])
                if ends.wait(0.05):
                    return

        writer = threading.Thread(target=write)
        self.assertIsNone(self.owner())
        writer.start()
        try:
            bench.wait_for("Modbus as the owner", lambda: (self.owner() or "").startswith("modbus "))
            self.client.send(bench.osc_message("/ali3/input/push/force", "fff", 5.0, 0.0, 0.0))
            self.assertEqual(self.client.answer("/ali3/ack"), ["input", 0, 2])
            self.client.send(bench.osc_message("/ali3/input/push/force"))
            self.assertEqual(self.client.answer("/ali3/input/push/force"), [0.0] * 3)
            own = self.client.socket.getsockname()[1]
            bench.wait_for("the refusal in the log", lambda: f"input push: refused for osc client 127.0.0.1:{own}: "
                           "owned by modbus client " in self.daemon.said())
            self.assertEqual(self.daemon.counter("osc_refused"), 1)
        finally:
            ends.set()
            writer.join()
            modbus.close()

        def taken():
            self.client.send(bench.osc_message("/ali3/input/push/force", "fff", 5.0, 0.0, 0.0))
            self.client.send(bench.osc_message("/ali3/input/push/force"))
            return self.client.answer("/ali3/input/push/force")[0] == 5.0

        bench.wait_for("the input to be free", taken)
        bench.wait_for("OSC as the owner", lambda: taken() and self.owner() == f"osc 127.0.0.1:{own}")

    def test_another_sender_is_named(self):
        other = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(other.close)
        for client in (self.client, other):
            client.send(bench.osc_message("/ali3/input/push/force", "fff", 5.0, 0.0, 0.0))
        self.assertEqual(other.answer("/ali3/ack"), ["input", 0, 2])
        first, second = (c.socket.getsockname()[1] for c in (self.client, other))
        bench.wait_for("the refusal in the log", lambda: f"input push: refused for osc client 127.0.0.1:{second}: "
                       f"owned by osc client 127.0.0.1:{first}" in self.daemon.said())


class Full(unittest.TestCase):
    def test_datagrams_dropped_by_the_kernel_are_reported(self):
        """The daemon is stopped for a moment, and more datagrams come than its socket holds."""
        with bench.Daemon() as d:
            client = bench.OscClient(d.osc_port)
            self.addCleanup(client.close)
            packet = bytes(4096)
            d.process.send_signal(signal.SIGSTOP)
            try:
                for _ in range(6000):
                    client.send(packet)
            finally:
                d.process.send_signal(signal.SIGCONT)

            def told():
                client.send(bench.osc_message("/ali3/status"))  # brings the count, once there is room
                seen = d.watch()
                reasons = [reason for reason in seen["reasons"] if "the socket was full" in reason]
                return seen["counters"]["osc_overflow"] and seen["status"] == "degraded" and reasons

            bench.wait_for("the verdict", told)
            bench.wait_for("the log", lambda: "because the socket was full" in d.said())
            client.send(bench.osc_message("/ali3/status"))
            client.answer("/ali3/status")


class Query(unittest.TestCase):
    def setUp(self):
        self.daemon = bench.Daemon(osc={"map": MAP})
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__)
        self.exporter = subprocess.Popen(
            [bench.program("ali3-exporter"), "--name", self.daemon.name, "--listen", "127.0.0.1:0", "--oscquery", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.stop)
        said = self.exporter.stdout.readline() + self.exporter.stdout.readline()
        self.url = re.search(r"OSCQuery on (http://127\.0\.0\.1:\d+)/", said).group(1)
        self.metrics = re.search(r"(http://127\.0\.0\.1:\d+)/metrics", said).group(1)

    def stop(self):
        self.exporter.send_signal(signal.SIGTERM)
        self.exporter.wait(10)
        self.exporter.stdout.close()

    def get(self, path, url=None):
        """(status, JSON or None)"""
        try:
            with urllib.request.urlopen((url or self.url) + path, timeout=bench.PATIENCE) as answer:
                text = answer.read().decode()
                return answer.status, json.loads(text) if answer.headers["Content-Type"] == "application/json" else None
        except urllib.error.HTTPError as e:
            e.close()
            return e.code, None

    def test_the_tree(self):
        status, host = self.get("/?HOST_INFO")
        self.assertEqual((status, host["NAME"], host["OSC_PORT"], host["OSC_IP"], host["OSC_TRANSPORT"]),
                         (200, self.daemon.name, self.daemon.osc_port, "127.0.0.1", "UDP"))
        _, root = self.get("/")
        self.assertEqual(sorted(root["CONTENTS"]), ["ali3", "rig"])
        paths = []

        def walk(node):
            paths.append(node["FULL_PATH"])
            for child in node.get("CONTENTS", {}).values():
                walk(child)

        walk(root)
        self.assertEqual(len(paths), len(set(paths)))
        done = subprocess.run([bench.program("ali3d"), self.daemon.config, "--print-map=json"], capture_output=True, text=True,
                              timeout=bench.PATIENCE, check=True)
        rows = json.loads(done.stdout)["osc"]
        self.assertEqual({r["address"] for r in rows} - set(paths), set())

        _, push = self.get("/ali3/input/push/force")
        self.assertEqual((push["TYPE"], push["ACCESS"], push["UNIT"]), ("fff", 3, ["N"] * 3))
        self.assertEqual(push["RANGE"][0], {"MIN": -1e4, "MAX": 1e4})
        self.assertEqual(self.get("/rig/push?RANGE")[1], {"RANGE": [{"MIN": -1e3, "MAX": 1e3}]})
        self.assertEqual(self.get("/rig/crank?VALUE")[0], 204)
        self.assertEqual(self.get("/rig/nothing")[0], 404)
        self.assertEqual(self.get("/?name=x")[0], 400)
        self.assertEqual(self.get("/healthz?HOST_INFO", self.metrics)[0], 400)
        curl = shutil.which("curl")
        if curl:
            done = subprocess.run([curl, "-sS", "--fail", self.url + "/ali3/time"], capture_output=True, text=True, timeout=bench.PATIENCE,
                                  check=True)
            self.assertEqual(json.loads(done.stdout)["TYPE"], "f")
        else:
            print("curl is not installed: urllib alone was the client")

    def test_described_addresses_exist(self):
        """Every readable address of the tree answers over OSC, with its described types."""
        client = Subscriber(self.daemon.osc_port)
        self.addCleanup(client.close)
        client.subscribe("status")  # else questions are limited
        _, root = self.get("/")
        asked = 0

        def walk(node):
            nonlocal asked
            if "UNIT" in node:
                client.send(bench.osc_message(node["FULL_PATH"]))
                self.assertEqual("f" * len(client.answer(node["FULL_PATH"])), node["TYPE"])
                self.assertEqual(len(node["UNIT"]), len(node["TYPE"]))
                asked += 1
            for child in node.get("CONTENTS", {}).values():
                walk(child)

        walk(root)
        self.assertGreater(asked, 50)

    def test_it_goes_with_the_daemon(self):
        path = f"/dev/shm/ali3-{self.daemon.name}.osc"
        self.assertTrue(os.path.exists(path))
        self.assertEqual(self.daemon.stop()[0], 0)
        self.assertFalse(os.path.exists(path))
        self.assertEqual(self.get("/")[0], 404)

    def test_a_killed_one_describes_nothing(self):
        bench.kill_client(self.daemon.process)
        self.assertEqual(self.get("/")[0], 404)


if __name__ == "__main__":
    bench.main()
