#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Faults of clients are counted, cost the loop nothing, and do not affect other clients.

A host without real time misses deadlines by itself. So each phase with faults is compared with a calm phase
of equal length. If the daemon was not granted real time, the numbers are only printed."""
import contextlib
import math
import socket
import struct
import subprocess
import time
import unittest

import bench

PHASE = 1.5  # s


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = bench.Daemon()
        cls.daemon.__enter__()
        cls.addClassCleanup(cls.daemon.__exit__)
        before = cls.daemon.watch()["misses"]
        bench.run_on(PHASE)
        cls.calm = cls.daemon.watch()["misses"] - before

    def setUp(self):
        self.osc = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(self.osc.close)

    def phase(self, what, faults):
        """faults() runs while a correct Modbus client reads; checks misses, its slowest answer, and that the loop runs."""
        bench.no_more_misses(lambda: self.misses_beside(what, faults), self.calm if self.daemon.watch()["realtime"] else math.inf)

    def misses_beside(self, what, faults):
        good = bench.ModbusClient(self.daemon.modbus_port)
        good.inputs(0, 1)
        before = self.daemon.watch()
        end = time.monotonic() + PHASE
        faults()
        slowest = 0
        while time.monotonic() < end:
            start = time.monotonic()
            good.inputs(0, 32)
            slowest = max(slowest, time.monotonic() - start)
            bench.pace(0.002)
        good.close()
        after = self.daemon.watch()
        misses = after["misses"] - before["misses"]
        print(f"{what}: {misses} misses (calm: {self.calm}); slowest answer to another client {slowest * 1e3:.1f} ms")
        self.assertGreater(after["cycle"], before["cycle"])
        self.assertEqual(after["state"], "RUNNING")
        self.assertLess(slowest, 0.4, "another client had to wait")
        return misses

    def flood(self, packet, count):
        for _ in range(count):
            self.osc.send(packet)

    def counted(self, name, at_least=1):
        """Context: the counter grows by at least that much."""
        @contextlib.contextmanager
        def watch():
            before = self.daemon.counter(name)
            yield
            bench.wait_for(f"{name} counted", lambda: self.daemon.counter(name) >= before + at_least)
        return watch()

    def test_force_that_is_no_number(self):
        for bad in (math.nan, math.inf, -math.inf):
            for types in ("fff", "ddd"):
                with self.counted("osc_nonfinite"):
                    self.osc.send(bench.osc_message("/ali3/input/push/force", types, 1.0, bad, 0.0))
        nan = bench.osc_message("/ali3/input/push/force", "fff", math.nan, 0.0, 0.0)
        self.phase("NaN forces", lambda: self.flood(nan, 300))

    def test_force_that_is_no_number_by_oscsend(self):
        oscsend = bench.need("oscsend")
        with self.counted("osc_nonfinite"):
            subprocess.run([oscsend, "127.0.0.1", str(self.daemon.osc_port), "/ali3/input/push/force", "fff", "nan", "0", "0"],
                           check=True, timeout=bench.PATIENCE)

    def test_force_that_is_no_number_by_modbus(self):
        c = bench.ModbusClient(self.daemon.modbus_port)
        nan = list(struct.unpack(">2H", struct.pack(">f", math.nan)))
        with self.counted("modbus_nonfinite"), self.assertRaises(bench.ModbusError) as refused:
            c.write(100, nan + [0] * 62 + [77])
        self.assertEqual(refused.exception.code, 3)
        c.close()

    def test_large_and_broken_packets(self):
        force = bench.osc_message("/ali3/input/push/force", "fff", 1.0, 0.0, 0.0)
        deep = force
        for _ in range(60):
            deep = bench.osc_bundle(deep)
        broken = [b"x" * 60000, b"/ali3/input/push/force\0\0,fff\0\0\0\0" + b"\0" * 59968, force[:-3], b"\0\0\0\0",
                  b"#bundle\0" + b"\0" * 8 + struct.pack(">i", 1 << 30) + force, b"#bundle\0", b"/ali3\0\0\0,sss\0\0\0\0abcd", deep]
        for packet in broken:
            with self.subTest(packet=packet[:24], size=len(packet)), self.counted("osc_malformed"):
                self.osc.send(packet)
        with self.counted("osc_unknown"):
            self.osc.send(bench.osc_message("/ali3/no/such"))
        with self.counted("osc_type_errors"):
            self.osc.send(bench.osc_message("/ali3/input/push/force", "s", "hard"))
        self.phase("60 kB packets", lambda: self.flood(b"y" * 60000, 200))

    def test_half_a_modbus_frame(self):
        def half_a_frame():
            half = socket.create_connection(("127.0.0.1", self.daemon.modbus_port))
            self.addCleanup(half.close)
            half.sendall(struct.pack(">HHH", 1, 0, 6))

        with self.counted("modbus_half_frames"):
            self.phase("half a Modbus frame", half_a_frame)

    def test_broken_modbus_frames(self):
        for frame in (struct.pack(">HHHBBHH", 1, 7, 6, 1, 4, 0, 1), struct.pack(">HHHB", 1, 0, 0, 1), struct.pack(">HHHB", 1, 0, 9999, 1)):
            with self.subTest(frame=frame), self.counted("modbus_bad_frames"):
                s = socket.create_connection(("127.0.0.1", self.daemon.modbus_port))
                s.sendall(frame)
                s.settimeout(bench.PATIENCE)
                self.assertEqual(s.recv(100), b"", "the server must close")
                s.close()
        c = bench.ModbusClient(self.daemon.modbus_port)

        def illegal_requests():
            for body, code in ((struct.pack(">HH", 50000, 1), 2), (struct.pack(">HH", 0, 126), 3), (struct.pack(">HH", 0, 0), 3)):
                with self.assertRaises(bench.ModbusError) as refused:
                    c.request(4, body)
                self.assertEqual(refused.exception.code, code)
            with self.assertRaises(bench.ModbusError) as refused:
                c.request(99, b"")
            self.assertEqual(refused.exception.code, 1)

        with self.counted("modbus_exceptions", 2):
            self.phase("illegal requests", illegal_requests)
        c.close()

    def test_killed_client(self):
        mbpoll = bench.need("mbpoll")

        def kill_clients():
            before = self.daemon.counter("modbus_accepted")
            polls = [subprocess.Popen(
                [mbpoll, "-m", "tcp", "-p", str(self.daemon.modbus_port), "-a", "1", "-0", "-r", "1000", "-c", "4", "-t", "3:float",
                 "-B", "-l", "10", "127.0.0.1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(3)]
            bench.wait_for("three clients polling", lambda: self.daemon.counter("modbus_accepted") >= before + 3)
            for poll in polls:
                bench.kill_client(poll)

        self.phase("kill -9 of a client", kill_clients)
        bench.wait_for("no client left", lambda: self.daemon.counter("modbus_clients") == 0)

    def test_connection_storm(self):
        most = 8

        def storm():
            crowd = [socket.create_connection(("127.0.0.1", self.daemon.modbus_port)) for _ in range(most + 8)]
            # Each is reset rather than closed, as by a client that dies with unread data.
            for s in crowd:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                s.close()

        with self.counted("modbus_refused"):
            self.phase("more connections than there is room for", storm)

    def test_request_flood(self):
        self.phase("flood of status requests", lambda: self.flood(bench.osc_message("/ali3/status"), 1000))

    def test_target_that_goes_away(self):
        """A receiver that is killed makes the sender's socket report errors: counted, nothing else."""
        receiver = bench.OscReceiver()
        with bench.Daemon(osc={"targets": [{"host": "127.0.0.1", "port": receiver.port}]}) as d:
            receiver.frames(3, "A")
            receiver.close()
            bench.wait_for("osc_send_errors counted", lambda: d.counter("osc_send_errors") > 0)
            self.assertEqual(d.watch()["state"], "RUNNING")


if __name__ == "__main__":
    bench.main()
