#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing moves unasked: a motion platform needs signs that the rig sent itself."""
import json
import os
import signal
import subprocess
import time
import unittest

import bench
import test_jog
from test_rig import PLATFORM
from test_wallclock import Clock

NOT_READY = 4  # a result
INPUTS = [{"name": "lead", "platform": "pose", "policy": "hold"},
          {"name": "status", "platform": "number", "hold": 0.2, "watchdog": 0.3, "recover": 1}]
RIG = {"permissives": [{"name": "enabled", "input": "status", "bit": 0}, {"name": "chain", "input": "status", "bit": 1, "on_loss": "hold"}]}


class Unasked(unittest.TestCase):
    def begin(self, **more):
        self.d = bench.Daemon(**{"cycle": {"autostart": False}, "inputs": INPUTS, "platform": PLATFORM, "rig": RIG, **more})
        self.d.__enter__()
        self.addCleanup(self.d.__exit__)
        self.osc = bench.OscClient(self.d.osc_port)
        self.addCleanup(self.osc.close)
        self.number = 0

    def order(self, name):
        self.number += 1
        return self.osc.command(name, self.number)

    def state(self):
        return self.d.watch()["state"]

    def report(self, word):
        self.osc.send(bench.osc_message("/ali3/input/status/value", "f", float(word)))

    def test_a_word_that_comes_back_meets_no_permissive_on_its_way(self):
        """0, silence for longer than the watchdog, then 8: a straight line between them would pass 3, which has both bits."""
        self.begin()
        self.report(0)
        self.assertEqual(self.order("run"), NOT_READY)
        bench.wait_for("the watchdog", lambda: self.d.watch()["inputs"][1]["state"] == "timeout")
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            self.report(8)
            self.assertEqual(self.order("run"), NOT_READY, self.d.said())
        self.assertEqual(self.state(), "STOPPED")

    def check(self, **more):
        """The messages of --check for a file."""
        d = bench.Daemon(wait=False, **{"cycle": {"autostart": False}, "inputs": INPUTS, "platform": PLATFORM, "rig": RIG, **more})
        self.addCleanup(d.__exit__)
        d.file("words.csv", "time,input.lead.position.heave,input.status.value\n0,0,3\n1,0,3\n")
        done = subprocess.run([bench.program("ali3d"), d.config, "--check"], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        return done.returncode, done.stderr

    def test_no_file_stands_in_for_the_rig(self):
        for kind, more in (("bias", {"value": 3}), ("stick", {"value": 3}), ("noise", {"amplitude": 1}), ("freeze", {}), ("nan", {}),
                           ("replay", {"cycles": 3}), ("reorder", {})):
            status, said = self.check(injections=[{"name": "fake", "input": "status", "kind": kind, **more}])
            self.assertEqual(status, 2, kind)
            self.assertIn(f"kind: input 'status' brings a sign of the rig, which {kind} could replace", said)
        for kind, more in (("drop", {}), ("delay", {"cycles": 3})):
            self.assertEqual(self.check(injections=[{"name": "gone", "input": "status", "kind": kind, **more}])[0], 0, kind)
        status, said = self.check(stimulus=[{"name": "words", "file": "words.csv"}])
        self.assertEqual(status, 2)
        self.assertIn("words.csv:1: expected no column of an input that brings a sign of the rig", said)
        self.assertIn("found input.status.value", said)

    def test_a_command_raises_no_limit_of_the_file(self):
        slow = dict(PLATFORM, vel_max=[0.1, 0.1, 0.1])
        self.begin(platform=slow, rig={"enabled": False})
        for name, value, result in (("vel_max.z", 0.2, 3), ("vel_max.z", 0.05, 0), ("vel_max.z", 0.1, 0), ("pos_max.z", 9.0, 3), ("gain_lin.x", 1.0, 0)):
            self.number += 1
            self.osc.send(bench.osc_message("/ali3/platform/set", "sfi", name, value, self.number))
            self.assertEqual(self.osc.answer("/ali3/ack"), ["platform", self.number, result], name)
        bench.wait_for("the reason", lambda: "vel_max.z: 0.2 is above 0.1 m/s, its limit in the file" in self.d.said())
        # A reload raises it once the platform is parked.
        self.assertEqual(self.order("run"), 0)
        bench.wait_for("a ride", lambda: self.d.watch()["platform"]["state"] == "run")
        with open(self.d.config, encoding="utf-8") as f:
            text = f.read()
        self.d.file("bench.json", text.replace(json.dumps(slow["vel_max"], indent=1).replace("\n", "\n  "), "[0.1, 0.1, 0.3]"))
        self.d.process.send_signal(signal.SIGHUP)
        bench.wait_for("the reload", lambda: "platform.vel_max.z: raised from 0.1 to 0.3 m/s, which counts once the platform is parked" in self.d.said())

        def sets():
            self.number += 1
            self.osc.send(bench.osc_message("/ali3/platform/set", "sfi", "vel_max.z", 0.3, self.number))
            return self.osc.answer("/ali3/ack")[2]

        self.assertEqual(sets(), 3)
        self.assertEqual(self.order("park"), 0)
        bench.wait_for("the park pose", lambda: self.d.watch()["platform"]["state"] == "parked")
        bench.wait_for("the limit", lambda: sets() == 0)


class Gaps(unittest.TestCase):
    """The platform rides, and the daemon stands still for a while."""

    def begin(self, **more):
        lead = {"name": "lead", "platform": "pose", "policy": "hold", "hold": 600}
        self.d = bench.Daemon(cycle={"autostart": False}, inputs=[lead], platform=PLATFORM, wait=False)
        self.addCleanup(self.d.__exit__)
        self.d.environment = more.get("environment") or {}
        self.d.wait = True
        self.d.__enter__()
        self.osc = bench.OscClient(self.d.osc_port)
        self.addCleanup(self.osc.close)
        self.number = 0
        self.lead(0.02)
        self.assertEqual(self.order("run"), 0)
        bench.wait_for("a ride", lambda: self.d.watch()["platform"]["state"] == "run")

    def order(self, name):
        self.number += 1
        return self.osc.command(name, self.number)

    def lead(self, heave):
        self.osc.send(bench.osc_message("/ali3/input/lead/position", "fff", 0.0, 0.0, heave))

    @unittest.skipIf(bench.SANITIZED, "sanitizers take the place of the same functions")
    def test_after_a_suspension_nothing_moves_by_itself(self):
        clock = Clock(os.path.join(self.enterContext(bench.tempfile.TemporaryDirectory()), "clock"))
        self.begin(environment=clock.environment)
        self.assertGreater(clock.loaded(), 0)
        clock.suspend(600)
        bench.wait_for("SAFE", lambda: self.d.watch()["state"] == "SAFE")
        bench.wait_for("the reason", lambda: "RUNNING -> SAFE: the loop was stuck: the machine was suspended for 600.0 s" in self.d.said())
        self.lead(-0.02)
        self.assertNotEqual(self.order("run"), 0)
        bench.wait_for("the park pose", lambda: self.d.watch()["platform"]["state"] == "parked")
        self.assertEqual(self.d.watch()["state"], "SAFE")

    def test_a_reset_from_a_gap_does_not_lift_its_stop(self):
        """The process stands still, and somebody who does not know that sends a reset."""
        self.begin()
        self.d.process.send_signal(signal.SIGSTOP)
        bench.run_on(0.3)
        for name in ("reset", "arm", "run"):
            self.osc.send(bench.osc_message(f"/ali3/cmd/{name}"))
        self.d.process.send_signal(signal.SIGCONT)
        bench.wait_for("the answer to the reset", lambda: "reset" in self.d.said())
        bench.wait_for("SAFE", lambda: self.d.watch()["state"] == "SAFE")
        self.assertNotIn("SAFE -> STOPPED", self.d.said())
        self.assertEqual(self.order("reset"), 0)


class Hands(unittest.TestCase):
    """Programs that jog a platform over OSC."""

    def begin(self):
        self.d = bench.Daemon(cycle={"autostart": False}, inputs=INPUTS[:1], platform=dict(PLATFORM, jog={"speed": 0.02, "timeout": 1}), osc={"peers": test_jog.PEERS})
        self.d.__enter__()
        self.addCleanup(self.d.__exit__)
        self.osc = bench.OscClient(self.d.osc_port)
        self.addCleanup(self.osc.close)
        bench.wait_for("ready", lambda: "warm-up cycles done" in self.d.said())

    def result(self, packet):
        self.osc.send(packet)
        return self.osc.answer("/ali3/ack")[2]

    def heave(self):
        return self.d.watch()["platform"]["pose"][2]

    def test_an_old_datagram_moves_nothing(self):
        self.begin()
        hand = test_jog.Presser("heave", 1.0)
        packets = [hand.packet()]
        self.assertEqual(self.result(packets[0]), 0)
        bench.wait_for("a motion", lambda: packets.append(hand.packet()) or self.result(packets[-1]) == 0 and "jog of heave by" in self.d.said() and len(packets) > 5)
        hand.speed = 0.0
        released = hand.packet()
        self.assertEqual(self.result(released), 0)
        bench.wait_for("rest", lambda: "jog of heave over" in self.d.said())
        at = self.heave()
        for again in (*packets, packets[-1], released, packets[-1], packets[-2]):
            self.assertEqual(self.result(again), 0 if again in (packets[0], released) else 4)
            bench.pace(0.05)
        self.assertEqual(self.result(bench.osc_message("/ali3/platform/jog", "sf", "heave", 1.0)), 3)  # no number
        bench.run_on(0.4)
        self.assertEqual(self.result(packets[-1]), 4)
        self.assertEqual(self.heave(), at)
        self.assertEqual(self.d.said().count("jog of heave by"), 1)
        bench.wait_for("the reason", lambda: "its number does not rise: the command is late or repeated" in self.d.said())

    def test_two_hands_do_not_share_a_motion(self):
        self.begin()
        first, second = test_jog.Presser("heave", 1.0), test_jog.Presser("heave", 1.0)
        self.assertEqual(self.result(second.packet()), 0)  # its release
        button = test_jog.Button(lambda: self.osc.send(first.packet()))
        self.addCleanup(button.die)
        bench.wait_for("a motion", lambda: "jog of heave by" in self.d.said())
        other = bench.OscClient(self.d.osc_port)
        self.addCleanup(other.close)
        answers = set()

        def press():
            other.send(second.packet())
            answers.add(other.answer("/ali3/ack")[2])

        for _ in range(3):
            press()
        button.die()
        self.osc.send(bench.osc_message("/ali3/platform/jog", "sfiii", "heave", 0.0, 99999, first.hand, 99999))
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            press()
        self.assertEqual(answers, {4})
        bench.wait_for("the end", lambda: "jog of heave over" in self.d.said())
        self.assertEqual(self.d.said().count("jog of heave by"), 1)


bench.main()
