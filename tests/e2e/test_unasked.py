#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nothing moves unasked: a motion platform needs signs that the rig sent itself."""
import subprocess
import time
import unittest

import bench
from test_rig import PLATFORM

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
        done = subprocess.run([bench.program("ali3d"), d.config, "--check"], capture_output=True, text=True, timeout=60, check=False)
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


bench.main()
