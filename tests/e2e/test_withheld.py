#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A daemon was killed while its platform was engaged: the next one sends nothing that could move the rig, as packet, OSC message,
answer or write to a device, until an arm. Then it sends the park pose first."""
import contextlib
import re
import signal
import socket
import struct
import time
import unittest

import bench
from test_devices import Device
from test_platform import INPUTS, PLATFORM

PARK = [0.0, 0.0, -0.05, 0.0, 0.0, 0.0]
WITHHELD, PARKED, ENGAGED = 1 << 14, 1 << 9, 1 << 10
BUSY = 6
STATES = ("state", "mode", "flags")
PERIOD = 0.01  # s


def way(seconds):
    """Bounds of the heave (m) and its rate (m/s) so long after the platform left the park pose: on the way to neutral it grows as
    10 t^3 - 15 t^4 + 6 t^5, where t is the part of engage_time that has passed."""
    t = seconds / PLATFORM["engage_time"]
    return -PARK[2] * 10 * t**3, -PARK[2] * 30 * t**2 / PLATFORM["engage_time"]


class Rig(Device):
    """A drive that records (register, words) of every write."""

    def answer(self, connection):
        header = self.receive(connection, 6)
        body = self.receive(connection, struct.unpack(">H", header[4:])[0])
        unit, function, first, count = struct.unpack(">BBHH", body[:6])
        assert function == 16, function
        self.written.append((first, struct.unpack(f">{count}H", body[7:])))
        connection.sendall(header[:4] + struct.pack(">HBBHH", 6, unit, function, first, count))

    def floats(self):
        """Every float that was written to register 0, and how often 10 was."""
        seen = list(self.written)
        assert all(first in (0, 10) for first, _ in seen), seen
        return [struct.unpack(">f", struct.pack(">2H", *words))[0] for first, words in seen if first == 0], \
            sum(first == 10 for first, _ in seen)


class Ears:
    """Two sockets: one for packets with and without a pose, which differ in length, and one for OSC."""

    def __init__(self):
        self.packets, self.osc = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for s in (self.packets, self.osc):
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
            s.bind(("127.0.0.1", 0))
            s.setblocking(False)

    def close(self):
        self.packets.close()
        self.osc.close()

    def hear(self):
        """Poses in packets, behind their cycles, packets without a pose, OSC messages of the pose, behind their cycles, OSC messages of
        the time."""
        poses, plain, messages, times = [], 0, [], 0
        with contextlib.suppress(BlockingIOError):
            while True:
                data = self.packets.recv(65536)
                if len(data) == 56:
                    cycle, *pose = struct.unpack(">Q6d", data)
                    poses.append((cycle, pose))
                plain += len(data) == 9
        with contextlib.suppress(BlockingIOError):
            while True:
                packet = bench.osc_decode(self.osc.recv(65536))
                for address, _, values in packet:
                    word = address.rpartition("/")[2]  # states and false cues move no rig
                    if address.startswith(("/rig/", "/ali3/platform/")) and word not in STATES and not word.startswith("false_"):
                        messages.append((packet[0][2][0], address, values))
                    times += address == "/plc/time"
        return poses, plain, messages, times


class Withheld(unittest.TestCase):
    def setUp(self):
        self.ears, self.rig = Ears(), Rig()
        self.addCleanup(self.ears.close)
        self.addCleanup(self.rig.listener.close)

    def daemon(self):
        host, port = "127.0.0.1", self.ears.packets.getsockname()[1]
        osc = self.ears.osc.getsockname()[1]
        heave, large = {"signal": "platform.pose.heave"}, {"signal": "platform.state", "type": "i16", "scale": 1e-6}
        return bench.Daemon(
            inputs=INPUTS, platform=dict(PLATFORM, park_position=PARK[:3]), cycle={"autostart": False},
            packets=[{"name": "rig", "host": host, "port": port,
                      "fields": [{"type": "u64", "frame": "cycle"}, {"type": "f64", "signal": "platform.pose"}]},
                     {"name": "alive", "host": host, "port": port,
                      "fields": [{"type": "u64", "frame": "cycle"}, {"type": "u8", "signal": "platform.state"}]}],
            osc={"targets": [{"host": host, "port": osc, "stream": s, "profile": "d"} for s in ("out", "platform")],
                 "map": [dict(heave, address="/rig/heave"), {"signal": "time", "address": "/plc/time"}]},
            modbus={"map": [dict(heave, table="input", address=200, type="i16", scale=0.001),
                            dict(large, table="input", address=201)]},
            devices=[{"name": "rig", "host": host, "port": self.rig.port, "period": 0.01, "timeout": 5,
                      "map": [dict(heave, table="holding", address=0), {"signal": "time", "table": "holding", "address": 10},
                              dict(large, table="holding", address=12)]}])

    def expect_silence(self, d, osc, modbus):
        """Every output except the pose goes on."""
        self.ears.hear()
        self.rig.written.clear()
        plain = times = 0
        end = time.monotonic() + bench.PATIENCE
        while plain < 50 or times < 50 or self.rig.floats()[1] < 10:
            poses, more, messages, told = self.ears.hear()
            plain, times = plain + more, times + told
            self.assertEqual((poses, messages, self.rig.floats()[0]), ([], [], []))
            self.assertLess(time.monotonic(), end, (plain, times, self.rig.floats()))
            bench.pace(0.02)
        for first, count in ((100, 48), (200, 1)):
            with self.assertRaises(bench.ModbusError) as refused:
                modbus.inputs(first, count)
            self.assertEqual(refused.exception.code, BUSY)
        self.assertEqual(modbus.inputs(3, 1)[0] & (WITHHELD | PARKED | ENGAGED), WITHHELD)
        self.assertEqual(modbus.request(2, struct.pack(">HH", 14, 1)), b"\x01\x01")
        for address in ("/ali3/platform/pose", "/rig/heave"):
            osc.send(bench.osc_message(address, ""))
        osc.send(bench.osc_message("/ali3/platform/state", ""))
        self.assertEqual(osc.answer("/ali3/platform/state"), [8.0])  # questions before this one got no answer
        watched = d.watch()
        self.assertEqual((watched["platform"]["state"], watched["platform"]["pose"]), ("unknown", [None] * 6))
        self.assertTrue(watched["platform_withheld"])
        self.assertEqual(watched["counters"]["packets_withheld"], 0)  # this is no fault
        self.assertEqual(watched["devices"][0]["errors"]["withheld"], 0)
        for clamped in (watched["devices"][0]["errors"]["clamped"], watched["counters"]["modbus_clamped"]):
            self.assertGreater(clamped, 0)  # 8 in units of 1e-6 does not fit into 16 bits
        self.assertEqual(modbus.inputs(201, 1), [32767])
        self.assertEqual([r for r in watched["reasons"] if "deadline" not in r], [])

    def arm(self, osc):
        """After a crash this may need a reset first, and a pause between both. Returns a time just before."""
        def armed():
            armed.number += 1
            begin = time.monotonic()
            return osc.command("arm", armed.number) == 0 and begin

        armed.number = 100
        return bench.wait_for("arm", armed)

    def expect_park_pose_first(self, d, armed):
        """The first frame that an output sends may be later than the first with a pose, because the thread may be late: it shows the
        park pose, or a pose as far from it as its cycle allows. `armed` is a time before the arm."""
        poses, messages, heaves, written = [], [], [], None
        end = time.monotonic() + bench.PATIENCE
        while len(poses) < 20 or len(messages) < 20 or len(heaves) < 5:
            more, _, told, _ = self.ears.hear()
            poses, messages, heaves = poses + more, messages + told, self.rig.floats()[0]
            if heaves and written is None:
                written = time.monotonic()
            self.assertLess(time.monotonic(), end, (poses, messages, heaves))
            bench.pace(0.02)
        said = "platform: unknown -> parked: its outputs begin at the park pose\n"
        bench.wait_for(said, lambda: said in d.said())
        parked = int(re.findall(rf"cycle (\d+): {said}", d.said())[-1])

        def expect(pose, seconds):
            self.assertEqual(pose[:2] + pose[3:], PARK[:2] + PARK[3:])
            self.assertAlmostEqual(pose[2], PARK[2], delta=way(seconds)[0])

        expect(poses[0][1], (poses[0][0] - parked) * PERIOD)
        first = {address: ((cycle - parked) * PERIOD, values) for cycle, address, values in reversed(messages)}
        late, heave = first["/rig/heave"]
        expect(PARK[:2] + heave + PARK[3:], late)
        late, pose = first["/ali3/platform/pose"]
        expect(pose, late)
        late, velocity = first["/ali3/platform/velocity"]
        self.assertEqual(velocity[:2] + velocity[3:], [0.0] * 5)
        self.assertAlmostEqual(velocity[2], 0, delta=way(late)[1])
        self.assertAlmostEqual(heaves[0], PARK[2], delta=way(written - armed + PERIOD)[0] + 1e-8)  # a float
        for (before, a), (after, b) in zip(poses, poses[1:]):
            self.assertLess(abs(b[2] - a[2]), 1e-3 * (after - before))

    def test_a_killed_daemon_does_not_move_the_rig_again(self):
        with self.daemon() as d:
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            for life in range(2):
                modbus = bench.ModbusClient(d.modbus_port)
                bench.wait_for("STOPPED or what a crash leads to", lambda m=modbus: m.state() in ("STOPPED", "SAFE"))
                self.expect_silence(d, osc, modbus)
                for number, name in enumerate(("estop", "reset", "stop", "park", "reset")):  # none of them arms it
                    osc.command(name, 10 + number)
                self.expect_silence(d, osc, modbus)
                self.assertIn("platform outputs are withheld until arm; move the rig to its park pose before you arm", d.said())
                self.expect_park_pose_first(d, self.arm(osc))
                self.assertEqual(modbus.inputs(3, 1)[0] & WITHHELD, 0)
                self.assertTrue(PARK[2] - 1e-6 < modbus.floats(100, 3)[2] < 1e-6)
                modbus.close()
                if life == 0:
                    bench.wait_for("neutral", lambda: d.watch()["platform"]["state"] == "neutral")
                    d.process.send_signal(signal.SIGKILL)
                    d.process.wait()
                    d.notified.clear()
                    self.ears.hear()
                    d.start()
            self.assertEqual(d.stop()[0], 0, d.said())

    def test_a_platform_that_was_never_armed_ends_at_once(self):
        with self.daemon() as d:
            heard = []
            bench.wait_for("frames", lambda: heard.append(self.ears.hear()[1]) or sum(heard) > 10)
            begin = time.monotonic()
            self.assertEqual(d.stop()[0], 0, d.said())
            bench.in_time(self, time.monotonic() - begin, 4)  # parking would take 2 s, and 5 s more if it did not come
            poses, _, messages, _ = self.ears.hear()
            self.assertEqual((poses, messages, self.rig.floats()[0]), ([], [], []))
            self.assertNotIn("platform: unknown ->", d.said())


if __name__ == "__main__":
    bench.main()
