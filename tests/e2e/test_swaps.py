#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A change of parameters costs no deadline: chains of 128 and 1024 bodies whose masses change as often as a model can be built, beside a
calm phase of equal length. The longest times of the phases show what a swap takes in the loop."""
import math
import time
import unittest

import bench

SECONDS = 3
PHASES = ("account", "prepare", "feedback")


def chain(bodies):
    """Links of 1 m on spherical joints, along x."""
    one = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
    return {"name": "chain", "gravity": [0, 0, -0.1],
            "bodies": [{"name": f"b{i}", "position": [i + 0.5, 0, 0], **one} for i in range(bodies)],
            "joints": [{"name": f"j{i}", "type": "spherical", "body_a": f"b{i - 1}" if i else "ground", "body_b": f"b{i}", "at": [i, 0, 0]}
                       for i in range(bodies)]}


class Swaps(unittest.TestCase):
    def phase(self, d, osc, act):
        """Misses, acts and longest times of a phase."""
        self.assertEqual(osc.command("clear", 1), 0)
        bench.run_on(0.1)
        before, end, acts = d.watch(), time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            acts += act(acts)
        now = d.watch()
        longest = {name: now["phases"][name].get("max_us", now["phases"][name].get("max")) for name in PHASES}
        return now["misses"] - before["misses"], acts, longest

    def test_masses_change(self):
        for bodies in (128, 1024):
            with bench.Daemon(model=chain(bodies), inputs=[], modbus={"enabled": False},
                                                           realtime={"workers": 0}) as d:
                osc = bench.OscClient(d.osc_port)
                self.addCleanup(osc.close)

                def change(n):
                    osc.send(bench.osc_message("/ali3/param/set", "sdi", f"body.b{n % bodies}.mass", 1 + 0.1 * (n % 7), n + 10))
                    self.assertEqual(osc.answer("/ali3/ack"), ["param", n + 10, 0])
                    return 1

                def rest(_):
                    bench.run_on(0.1)
                    return 0

                calm, _, longest = self.phase(d, osc, rest)
                print(f"{bodies} bodies: calm: {calm} misses, {longest}")

                def busy():
                    misses, swaps, longest = self.phase(d, osc, change)
                    print(f"{bodies} bodies: {swaps} swaps: {misses} misses, {longest}")
                    self.assertEqual(d.watch()["state"], "RUNNING")
                    self.assertGreater(swaps, 20)
                    return misses

                bench.no_more_misses(busy, calm if d.watch()["realtime"] else math.inf)


if __name__ == "__main__":
    bench.main()
