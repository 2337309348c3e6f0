#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The wall clock jumps by an hour in both directions, without effect on the daemon.

Only the daemon's wall clock jumps: wallclock.so, preloaded, shifts the results of the C library. The machine's clock stays."""
import math
import mmap
import os
import struct
import subprocess
import sys
import time
import unittest

import bench

PHASE = 1.5  # s
HOUR = 3600
ASK = ("import ctypes, time; c = ctypes.CDLL(None); c.time.restype = ctypes.c_long; t = (ctypes.c_long * 2)();"
       "c.gettimeofday(t, None); print(time.time(), c.time(None), t[0], time.monotonic())")


class Clock:
    """The file that wallclock.so reads."""

    def __init__(self, path):
        with open(path, "w+b") as f:
            f.truncate(mmap.PAGESIZE)
            self.map = mmap.mmap(f.fileno(), mmap.PAGESIZE)
        self.environment = {"LD_PRELOAD": os.path.join(bench.BIN, "..", "tests", "wallclock.so"), "ALI3_WALLCLOCK": path}

    def jump(self, seconds):
        self.map[:8] = struct.pack("q", seconds)

    def suspend(self, seconds):
        """As if the machine had been suspended for this time in all."""
        self.map[24:32] = struct.pack("q", seconds)

    def loaded(self):
        return struct.unpack_from("q", self.map, 8)[0]

    def asked(self):
        return struct.unpack_from("q", self.map, 16)[0]


@unittest.skipIf(bench.SANITIZED, "sanitizers take the place of the same functions")
class Jump(unittest.TestCase):
    def setUp(self):
        self.daemon = bench.Daemon(inputs=[{"name": "push", "body": bench.four_bar()["model"]["bodies"][0]["name"],
                                            "policy": "safe", "hold": 600}])
        self.addCleanup(self.daemon.__exit__)
        self.clock = Clock(os.path.join(self.daemon.dir, "clock"))

    def test_the_clock_jumps(self):
        """The preloaded library shifts every way to read the wall clock, and no other clock."""
        for hours in (0, 1, -1):
            self.clock.jump(hours * HOUR)
            done = subprocess.run([sys.executable, "-c", ASK], env=dict(os.environ, **self.clock.environment), check=True,
                                  capture_output=True, text=True, timeout=bench.PATIENCE)
            *wall, monotonic = map(float, done.stdout.split())
            for said in wall:
                self.assertAlmostEqual(said - time.time(), hours * HOUR, delta=30)
            self.assertAlmostEqual(monotonic, time.monotonic(), delta=30)
        self.assertEqual(self.clock.loaded(), 3)
        self.assertGreaterEqual(self.clock.asked(), 9)

    def watch(self):
        """The output of the monitor, and the time at which the loop wrote it."""
        before = time.monotonic()
        watched = self.daemon.watch()
        watched["at"] = (before + time.monotonic()) / 2 - watched["age_s"]
        return watched

    def check_phase(self, osc, modbus):
        """One phase without any effect. Returns the misses."""
        before = self.watch()
        end, heard = time.monotonic() + PHASE, 0
        while time.monotonic() < end:
            modbus.inputs(0, 32)
            osc.answer("/ali3/hdr")
            heard += 1
        after = self.watch()
        self.assertEqual(after["state"], "RUNNING", self.daemon.said())
        self.assertEqual(after["stale_mask"], 0)
        self.assertLess(after["input_age_ms"], 600e3)
        self.assertGreater(heard, 3)
        self.assertEqual((after["counters"]["osc_clients"], after["counters"]["modbus_clients"]), (1, 1))
        # One step per cycle, and the starts left out beside it: together the monotonic time that has gone by.
        cycles = after["cycle"] - before["cycle"]
        self.assertAlmostEqual(after["time_s"] - before["time_s"], cycles * 0.01, places=6)
        self.assertAlmostEqual((cycles + after["skipped"] - before["skipped"]) * 0.01, after["at"] - before["at"], delta=0.5)
        return after["misses"] - before["misses"]

    def test_nothing_changes(self):
        d = self.daemon
        d.environment = self.clock.environment
        d.__enter__()
        self.assertEqual(self.clock.loaded(), 1)
        osc, modbus = bench.OscClient(d.osc_port), bench.ModbusClient(d.modbus_port)
        self.addCleanup(osc.close)
        self.addCleanup(modbus.close)
        osc.send(bench.osc_message("/ali3/sub", "siii", "all", 0, 1, 0))
        self.assertEqual(osc.answer("/ali3/sub/ack"), ["all", 0])
        osc.send(bench.osc_message("/ali3/input/push/force", "fff", 1e-3, 0.0, 0.0))
        bench.wait_for("the input", lambda: d.watch()["input_age_ms"] is not None)
        calm = self.check_phase(osc, modbus) if d.watch()["realtime"] else math.inf
        for hours in (1, -1, 0):
            self.clock.jump(hours * HOUR)
            bench.no_more_misses(lambda: self.check_phase(osc, modbus), calm)
            print(f"wall clock off by {hours} h; calm: {calm} misses; the daemon has asked it {self.clock.asked()} times")
        self.assertEqual(osc.command("pause", 1), 0)
        self.assertEqual(d.stop()[0], 0, d.said())


if __name__ == "__main__":
    bench.main()
