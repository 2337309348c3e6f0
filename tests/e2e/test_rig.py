#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A daemon and a simulated rig (tools/ali3-rig) over UDP: what the rig reports, refuses and stops, the log of rides, and random faults.
usage: test_rig.py BIN [FAULTS]"""
import json
import os
import random
import re
import socket
import subprocess
import sys
import time
import unittest

import bench

FAULTS = int(sys.argv.pop(2)) if len(sys.argv) > 2 and sys.argv[2].isdigit() else 3
PLATFORM = {
    "mode": "external", "input": "lead", "height": 0.77, "leg_min": 0.70, "leg_max": 1.00, "leg_rate": 0.5,
    "base": [[0.587, -0.125, 0], [0.587, 0.125, 0], [-0.185, 0.571, 0], [-0.401, 0.446, 0], [-0.401, -0.446, 0],
             [-0.185, -0.571, 0]],
    "top": [[0.301, -0.334, 0], [0.301, 0.334, 0], [0.139, 0.428, 0], [-0.440, 0.094, 0], [-0.440, -0.094, 0],
            [0.139, -0.428, 0]],
    "engage_time": 2, "park_time": 2, "blend": 0.1}
HOLD = 1.0  # s: on a busy host the simulated rig may be silent for half of it
INPUTS = [{"name": "lead", "platform": "pose", "policy": "hold"}, {"name": "legs", "platform": "actual_legs", "hold": HOLD},
          {"name": "status", "platform": "number", "hold": HOLD}]
RIG = {"feedback": "legs", "delay": 0.03, "filter": 0.05, "leg_warn": 0.03, "leg_trip": 0.06, "head_force": 8, "estop": "hold",
       "permissives": [{"name": "enabled", "input": "status", "bit": 0}, {"name": "chain", "input": "status", "bit": 1, "on_loss": "hold"},
                       {"name": "belt", "input": "status", "bit": 3}, {"name": "key", "input": "status", "bit": 4, "for": "reset"}]}
SAFE, RUNNING, STOPPED = 6, 3, 1
TOO_SOON = 6  # the result of an arm within half a second of a reset
# The text that the log must have after a fault, and the reaction.
EXPECTED = {"power": "permissive enabled", "chain": "permissive chain", "belt": "permissive belt", "silent": "permissive chain",
            "frozen": "permissive chain", "checksum": "permissive chain", "stick": "leg \\d is off by"}


def packets(command, echo):
    place = {"host": "127.0.0.1", "endian": "little"}
    return [dict(place, name="command", port=command,
                 fields=[{"type": "u16", "counter": True}, {"type": "u8", "signal": "platform.state"}, {"type": "f32", "signal": "platform.legs"},
                         {"type": "u16", "signal": "rig.heartbeat"}, {"type": "crc16_modbus"}]),
            dict(place, name="echo", direction="receive", port=echo,
                 fields=[{"type": "bytes", "hex": "A5"}, {"type": "u16", "counter": True}, {"type": "u16", "signal": "input.status.value"},
                         {"type": "f32", "signal": "input.legs.leg"}, {"type": "crc16_modbus"}])]


class Simulated:
    """tools/ali3-rig as a process that takes orders."""

    def __init__(self, config, *options):
        self.process = subprocess.Popen([sys.executable, os.path.join(bench.ROOT, "tools", "ali3-rig"), config, "--ali3d", bench.program("ali3d"), "--timeout", "1",
                                         "--priority", "20", *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def order(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def state(self):
        self.order("state")
        return json.loads(self.process.stdout.readline())

    def close(self):
        if self.process.poll() is None:
            self.order("quit")
        self.process.stdin.close()
        status = self.process.wait(30)
        self.process.stdout.close()
        return status


def arm(test):
    """An arm after a reset, which counts half a second after the frame that shows STOPPED."""
    def taken():
        bench.run_on(bench.REARM + 0.1)  # an arm that comes too soon begins this time again
        result = test.order("arm")
        return result != TOO_SOON and [result]
    test.assertEqual(bench.wait_for("an arm", taken), [0], test.d.said())


class Rig(unittest.TestCase):
    def begin(self):
        command, echo = bench.free_port(socket.SOCK_DGRAM), bench.free_port(socket.SOCK_DGRAM)
        folder = self.enterContext(bench.tempfile.TemporaryDirectory())
        self.rides = os.path.join(folder, "rides.jsonl")
        self.d = bench.Daemon(cycle={"autostart": False}, inputs=INPUTS, platform=PLATFORM, rig=dict(RIG, ride_log=self.rides),
                              packets=packets(command, echo))
        self.d.__enter__()
        self.addCleanup(self.d.__exit__)
        self.osc = bench.OscClient(self.d.osc_port)
        self.addCleanup(self.osc.close)
        self.number = 0

    def order(self, name):
        self.number += 1
        return self.osc.command(name, self.number)

    def simulate(self):
        self.rig = Simulated(self.d.config)
        self.addCleanup(self.rig.close)
        bench.wait_for("the rig", lambda: "ready to move" in self.d.said())

    def state(self):
        return self.d.watch()["state"]

    def lead(self, *pose):
        self.osc.send(bench.osc_message("/ali3/input/lead/position", "fff", *pose))

    def ride(self):
        self.assertEqual(self.order("arm"), 0, self.d.said())
        self.run_on()

    def run_on(self):
        self.assertEqual(self.order("run"), 0, self.d.said())
        bench.wait_for(lambda: f"the state run; the log: {self.d.said()}", lambda: self.d.watch()["platform"]["state"] == "run")

    def back(self):
        """The way from SAFE to a ride."""
        bench.wait_for("a reset", lambda: self.order("reset") == 0)
        arm(self)
        self.run_on()

    def logged_trips(self):
        with open(self.rides, encoding="utf-8") as f:
            return [text for line in f for text in json.loads(line)["trip_texts"]]

    def test_nothing_moves_without_the_rig(self):
        self.begin()
        bench.wait_for("ready", lambda: "warm-up cycles done" in self.d.said())
        self.assertEqual(self.order("arm"), 4)
        bench.wait_for("the reason", lambda: "arm by osc 127.0.0.1" in self.d.said() and "refused: permissive chain of input status is missing" in self.d.said())
        self.simulate()
        self.ride()
        for k in range(20):
            self.lead(0.0, 0.0, 0.06 if k % 2 else -0.06)
            bench.pace(0.05)
        rig = self.d.watch()["rig"]
        self.assertEqual((rig["permissives"]["chain"], rig["flags"]["reports"]), (True, True))
        bench.in_time(self, max(map(abs, rig["leg_error"])), 0.04)
        self.assertGreater(min(rig["legs"]), 0.7)
        # The chain opens: the rig brakes and stays, and a reset is refused until it is closed.
        self.rig.order("chain")
        bench.wait_for("SAFE", lambda: self.state() == "SAFE")
        reason = "SAFE: a permissive of the rig is missing: permissive chain of input status"
        bench.wait_for(lambda: f"'{reason}' in:\n{self.d.said()}", lambda: reason in self.d.said())
        bench.wait_for("freeze", lambda: self.d.watch()["platform"]["state"] == "freeze")
        self.assertEqual(self.order("reset"), 4)
        self.rig.order("clear")
        bench.wait_for("a reset", lambda: self.order("reset") == 0)
        self.assertEqual(self.d.watch()["platform"]["state"], "freeze")  # nothing moves by the reset alone
        self.assertEqual(self.order("park"), 0)
        bench.wait_for("parked", lambda: self.d.watch()["platform"]["state"] == "parked")
        bench.wait_for("the log of rides", lambda: os.path.getsize(self.rides) > 0)
        with open(self.rides, encoding="utf-8") as f:
            ride = json.loads(f.readline())
        self.assertTrue(ride["parked"] and ride["trips"] == 1 and ride["started_by"].startswith("osc 127.0.0.1:"), ride)
        self.assertIn("permissive chain", ride["trip_texts"][0])
        self.assertGreater(ride["largest"]["pose"][2], 0.05)
        bench.in_time(self, ride["largest"]["leg_error"], 0.04)
        self.assertEqual(ride["parameters"]["engage_time"], 2.0)
        self.assertEqual(self.d.stop()[0], 0, self.d.said())
        self.assertEqual(self.rig.close(), 0)

    def test_random_faults(self):
        self.begin()
        self.simulate()
        self.ride()
        chance, causes = random.Random(20261123), []
        for n in range(FAULTS):
            name = chance.choice(list(EXPECTED))
            causes.append(EXPECTED[name])
            leg = chance.randint(1, 6)
            said = len(self.d.said())
            self.rig.order(f"{name} {leg}" if name == "stick" else name)
            end, k = time.monotonic() + bench.PATIENCE, 0
            while self.state() == "RUNNING" and time.monotonic() < end:
                self.lead(chance.uniform(-0.05, 0.05), 0.0, 0.08 if k // 20 % 2 else -0.08)
                k += 1
                bench.pace(0.02)
            self.assertEqual(self.state(), "SAFE", f"fault {n}, {name}")
            bench.wait_for("the cause", lambda: re.search(f"RUNNING -> SAFE: .*{EXPECTED[name]}", self.d.said()[said:]))
            if name == "stick":
                self.assertIn(f"leg {leg} is off", self.d.said()[said:])
            self.rig.order("clear")
            self.back()
        # Bounds of the time from a fault to the first packet that stops the motion; a stuck leg counts from its error on.
        for name, took in self.rig.state()["reactions"]:
            self.assertIsNotNone(took, name)
            if name != "stick":
                bench.in_time(self, took, HOLD + 1, name)
        # The log of rides has the same causes in the same order.
        self.assertEqual(self.order("park"), 0)
        trips = bench.wait_for(lambda: f"{FAULTS} trips in the log of rides, found {self.logged_trips()}; the log:\n{self.d.said()}", lambda: len(texts := self.logged_trips()) == FAULTS and texts)
        for cause, text in zip(causes, trips):
            self.assertRegex(text, cause)
        self.assertEqual(self.d.stop()[0], 0, self.d.said())


if __name__ == "__main__":
    bench.main()
