#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packets of a fixed layout, over UDP and over pseudo terminals as serial lines, decoded by the struct module and compared
with the OSC stream of these cycles."""
import json
import math
import os
import pty
import select
import socket
import struct
import subprocess
import time
import tty
import unittest
import zlib

import bench

CYCLES = 200
BODY = bench.four_bar()["model"]["bodies"][0]["name"]
MIDDLE = 0x7FFFFF
STUCK = os.path.join("..", "tests", "ali3d_stuck")
LEG = {"type": "u24", "scale": 1 / MIDDLE, "offset": -1.0}


def udp_packet(port, **more):
    """Number, cycle, state, time, pose and velocity of a body, position in micrometres, CRC: all little-endian except one."""
    return dict({
        "name": "udp", "host": "127.0.0.1", "port": port, "endian": "little",
        "fields": [
            {"type": "u16", "counter": True},
            {"type": "u64", "frame": "cycle"},
            {"type": "u8", "frame": "state", "values": [[3, 130], [4, 140]], "else": 210},
            {"type": "f64", "signal": "time"},
            {"type": "f32", "signal": f"body.{BODY}.position"},
            {"type": "f64", "signal": f"body.{BODY}.velocity", "endian": "big"},
            {"type": "i32", "signal": f"body.{BODY}.position.y", "scale": -1e-6},
            {"type": "zeros", "count": 3},
            {"type": "crc32"},
        ]}, **more)


UDP_FORMAT = "<HQBd3f24si3sI"


def line_packet(path, **more):
    """The frame of SimTools controllers: here positions of the body, and constants."""
    return dict({
        "name": "line", "serial": path, "baud": 115200,
        "fields": [{"type": "bytes", "hex": "FF FF"}] +
                  [dict(LEG, signal=f"body.{BODY}.position.{axis}") for axis in "xyz"] +
                  [{"type": "u24", "frame": "cycle"}] +
                  [{"type": "u24", "value": MIDDLE}] * 4 + [{"type": "bytes", "hex": "0A 0D"}]}, **more)


class Line:
    """A serial line with a constant name for changing pseudo terminals."""

    def __init__(self, folder_of):
        self.path = os.path.join(folder_of, f"ali3-line-{os.getpid()}")
        self.data = b""
        self.master = -1
        self.plug_in()

    def plug_in(self):
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        if os.path.islink(self.path):
            os.unlink(self.path)
        os.symlink(os.ttyname(slave), self.path)
        self.slave = slave

    def let_go(self):
        """Closes our descriptor of the daemon's end: while it is open, the daemon would not notice the end of ours."""
        if self.slave >= 0:
            os.close(self.slave)
        self.slave = -1

    def unplug(self):
        os.unlink(self.path)  # first: a closed terminal may be another test's right after
        self.let_go()
        os.close(self.master)
        self.master = -1
        self.data = b""

    def close(self):
        if self.master >= 0:
            self.unplug()

    def receive(self, n, seconds=bench.PATIENCE):
        end = time.monotonic() + seconds
        while len(self.data) < n:
            if not select.select([self.master], [], [], max(0.0, end - time.monotonic()))[0]:
                raise AssertionError(f"{len(self.data)} of {n} bytes within {seconds} s")
            self.data += os.read(self.master, 65536)
        out, self.data = self.data[:n], self.data[n:]
        return out

    def waiting(self):
        return bool(self.data) or bool(select.select([self.master], [], [], 0)[0])


def legs(frame):
    """The eight numbers of 24 bits of a frame."""
    assert len(frame) == 28 and frame[:2] == b"\xff\xff" and frame[26:] == b"\x0a\x0d", frame.hex(" ")
    return [int.from_bytes(frame[i:i + 3], "big") for i in range(2, 26, 3)]


def in_order(receive, cycle_of, count):
    """The next `count` results of receive(), of rising and mostly consecutive cycles. A host that stops an
    ordinary thread for longer than a cycle makes a gap from time to time; if half of them are gaps, the daemon is at fault."""
    out = [receive() for _ in range(count)]
    steps = [cycle_of(b) - cycle_of(a) for a, b in zip(out, out[1:])]
    assert min(steps) > 0, f"cycles do not rise: by {steps}"
    assert steps.count(1) > len(steps) // 2, f"most cycles are left out: steps of {steps}"
    return out


class Packets(unittest.TestCase):
    def setUp(self):
        self.osc = bench.OscReceiver()
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.udp.bind(("127.0.0.1", 0))
        self.udp.settimeout(bench.PATIENCE)
        self.port = self.udp.getsockname()[1]
        self.line = Line("/tmp")
        self.targets = {"targets": [{"host": "127.0.0.1", "port": self.osc.port, "profile": "d", "stream": "body"}]}

    def tearDown(self):
        self.osc.close()
        self.udp.close()
        self.line.close()

    def datagram(self):
        """(number, cycle, command, time, position, velocity, micrometres) of the next packet, checked by its CRC."""
        packet = self.udp.recv(65536)
        self.assertEqual(len(packet), struct.calcsize(UDP_FORMAT))
        number, cycle, command, t, x, y, z, velocity, micro, zeros, crc = struct.unpack(UDP_FORMAT, packet)
        self.assertEqual(zeros, b"\0\0\0")
        self.assertEqual(crc, zlib.crc32(packet[:-4]))
        return number, cycle, command, t, (x, y, z), struct.unpack(">3d", velocity), micro

    def test_values_are_those_of_osc(self):
        with bench.Daemon(osc=self.targets, packets=[udp_packet(self.port), line_packet(self.line.path)]) as daemon:
            self.line.let_go()
            bench.wait_for("RUNNING", lambda: daemon.watch()["state"] == "RUNNING")
            got = in_order(self.datagram, lambda g: g[1], CYCLES)
            frames = in_order(lambda: legs(self.line.receive(28)), lambda f: f[3], CYCLES)
            osc = {cycle: (t, body) for cycle, t, _, body in self.osc.frames(max(got[-1][1], frames[-1][3]) - 5, BODY)}
            said = daemon.said()
            status, _ = daemon.stop()
        self.assertEqual(status, 0)
        self.assertIn(f"packet udp to 127.0.0.1:{self.port}, packet line on {self.line.path} 115200 8N1", said)

        self.assertEqual([g[0] for g in got], list(range(got[0][0], got[0][0] + CYCLES)), "numbers with gaps")
        compared = 0
        for _, cycle, command, t, position, velocity, micro in got:
            if cycle not in osc:
                continue
            compared += 1
            t_osc, body = osc[cycle]
            self.assertEqual(t, t_osc)
            self.assertEqual(position, struct.unpack("<3f", struct.pack("<3f", *body[:3])))
            self.assertEqual(velocity, tuple(body[7:10]))
            self.assertLessEqual(abs(micro + body[1] * 1e6), 0.5 + 1e-6)
            self.assertEqual(command, 130 if t > 0 else 210)
        self.assertGreater(compared, CYCLES // 2)

        compared = 0
        for x, y, z, cycle, *rest in frames:
            self.assertEqual(rest, [MIDDLE] * 4)
            if cycle not in osc:
                continue
            compared += 1
            for raw, value in zip((x, y, z), osc[cycle][1][:3]):
                exact = (value + 1) * MIDDLE
                self.assertLessEqual(abs(raw - min(max(exact, 0), 0xFFFFFF)), 0.5 + 1e-6)
        self.assertGreater(compared, CYCLES // 2)

    def test_a_reader_that_stops_costs_drops_and_delays_nobody(self):
        big = line_packet(self.line.path, baud=4000000)
        big["fields"] += [{"type": "zeros", "count": 1400}]
        with bench.Daemon(osc=self.targets, packets=[udp_packet(self.port), big]) as daemon:
            self.line.let_go()
            bench.wait_for("drops", lambda: daemon.counter("packets_dropped") >= 50)
            self.osc.drain()
            in_order(self.datagram, lambda g: g[1], 100)  # the other packet goes on, and the loop with OSC
            cycles = [f[0] for f in in_order(lambda: self.osc.frames(1, BODY)[0], lambda f: f[0], 100)]
            before = daemon.watch()["counters"]
            seen = []
            while self.line.waiting():  # the begun packet comes complete, then the newest one
                frame = self.line.receive(1428)
                self.assertEqual(frame[28:], bytes(1400))
                seen.append(legs(frame[:28])[3])
            self.assertEqual(seen, sorted(set(seen)))
            last = legs(self.line.receive(1428)[:28])[3]
            self.assertGreater(last, cycles[-1])
            self.assertGreater(before["packets_sent"], 0)
            self.assertEqual(before["packets_errors"], 0)
            status, _ = daemon.stop()
        self.assertEqual(status, 0)

    def test_a_line_that_is_plugged_in_again(self):
        with bench.Daemon(packets=[line_packet(self.line.path)]) as daemon:
            self.line.let_go()
            for _ in range(20):
                legs(self.line.receive(28))
            self.line.unplug()
            bench.wait_for("errors", lambda: daemon.counter("packets_errors") > 5)
            line = f"packet line: the serial line {self.line.path} "
            gone, back = line + "has disappeared\n", line + "is back after "
            bench.wait_for("a line of the log", lambda: gone in daemon.said())
            self.assertNotIn(back, daemon.said())
            self.line.plug_in()
            bench.wait_for("the line", lambda: daemon.counter("packets_reopened") == 1)
            bench.wait_for("another one", lambda: back in daemon.said())
            self.line.let_go()
            in_order(lambda: legs(self.line.receive(28)), lambda f: f[3], 20)
            self.assertEqual(daemon.stop()[0], 0)
            said = daemon.said()
        self.assertEqual((said.count(gone), said.count(back)), (1, 1), said)

    def test_a_stuck_loop_sends_nothing(self):
        daemon = bench.Daemon(executable=STUCK, packets=[udp_packet(self.port)])
        pipe = os.path.join(daemon.dir, "gate")
        os.mkfifo(pipe)
        daemon.environment = {"STUCK_AT": "150", "STUCK_UNTIL": pipe}
        with daemon:
            bench.wait_for("the loop to be missed", lambda: "loop stuck" in daemon.said())
            self.udp.setblocking(False)
            with self.assertRaises(BlockingIOError):
                while True:
                    last = struct.unpack(UDP_FORMAT, self.udp.recv(65536))[:2]
            bench.run_on(0.5)  # OSC says SAFE now, again and again
            with self.assertRaises(BlockingIOError):
                self.udp.recv(65536)
            with open(pipe, "wb") as gate:
                gate.write(b"\n")
            self.udp.settimeout(bench.PATIENCE)
            number, cycle, command = self.datagram()[:3]
            self.assertEqual(number, last[0] + 1)
            self.assertGreater(cycle, last[1])  # by more than 1 where the sender came late
            self.assertEqual(command, 210, "that cycle was of a loop declared SAFE")
            daemon.stop()

    def test_the_sheet_says_where_everything_stands(self):
        with bench.Daemon(packets=[udp_packet(self.port), line_packet(self.line.path, divisor=2)]) as daemon:
            config = daemon.config
            daemon.stop()
            text = subprocess.run([bench.program("ali3d"), config, "--print-map"], capture_output=True, text=True, check=True)
            sheet = subprocess.run([bench.program("ali3d"), config, "--print-map=json"], capture_output=True, text=True,
                                   check=True)
        connections = {c["text"]: c for c in json.loads(sheet.stdout)["connections"]}
        self.assertEqual((connections["udp"]["host"], connections["udp"]["port"]), ("127.0.0.1", self.port))
        self.assertEqual(connections["line"]["line"], f"{self.line.path} 115200 8N1")
        rows = [r for r in json.loads(sheet.stdout)["packets"] if r["packet"] == "udp"]
        self.assertEqual([(r["at"], r["bytes"]) for r in rows],
                         [(0, 2), (2, 8), (10, 1), (11, 8), (19, 4), (23, 4), (27, 4), (31, 8), (39, 8), (47, 8), (55, 4),
                          (59, 3), (62, 4)])
        self.assertEqual(rows[7]["endian"], "big")
        self.assertEqual((rows[10]["signal"], rows[10]["unit"]), (f"body.{BODY}.position.y", "m"))
        self.assertTrue(math.isclose(rows[10]["scale"], -1e-6))
        self.assertIn(f"Packet udp to 127.0.0.1:{self.port}, 66 bytes, every cycle", text.stdout)
        self.assertIn(f"Packet line on {self.line.path} 115200 8N1, 28 bytes, every 2 cycles", text.stdout)


if __name__ == "__main__":
    bench.main()
