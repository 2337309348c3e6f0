#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A peer that may only read floods OSC with questions: the inputs of others do not grow old by it, and e-stops overtake it. An
e-stop overtakes the steps that a loop in lockstep owes, too."""
import bisect
import os
import statistics
import threading
import time
import unittest

import bench
import questions

QUIET, LOUD = 1.0, 3.0  # s
MEDIAN, P99, HOLD = 0.015, 0.030, 0.050  # s
ESTOPS, ESTOP = 30, 0.020


class Sender(threading.Thread):
    """Sends every 10 ms the time, as a force in nN."""

    def __init__(self, port, zero):
        super().__init__()
        self.client = bench.OscClient(port)
        self.zero = zero
        self.sent = []  # s since zero
        self.ends = threading.Event()

    def run(self):
        while not self.ends.wait(0.01):
            self.sent.append(time.monotonic() - self.zero)
            force = self.sent[-1] * 1e-6
            self.client.send(bench.osc_message("/ali3/input/push/force", "ddd", force, 0.0, 0.0))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()
        self.client.close()


def part(sorted_list, p):
    return sorted_list[min(len(sorted_list) - 1, int(p * len(sorted_list)))]


class FloodAges(unittest.TestCase):
    def ages(self, stamped, sender, seconds):
        """By how many s the acting value of each frame is older than the newest one that was sent before the frame, so that a sender
        that the host holds up does not count; and the number of stale frames."""
        ages, stale, end = [], 0, time.monotonic() + seconds
        while time.monotonic() < end:
            got = stamped.heard(0.5)
            if not got or "/ali3/input/push/force" not in got[0]:
                continue
            values, at = got
            stale += values["/ali3/hdr"][3] & questions.STALE != 0
            newest = bisect.bisect_right(sender.sent, at - sender.zero) - 1
            ages.append(sender.sent[newest] - values["/ali3/input/push/force"][0] * 1e6)
        return sorted(ages), stale

    def test_inputs_stay_young(self):
        with questions.daemon() as d:
            stamped, zero = questions.Stamped(d.osc_port), time.monotonic()
            self.addCleanup(stamped.close)
            with Sender(d.osc_port, zero) as sender:
                stamped.client.send(bench.osc_message("/ali3/sub", "siii", "input", 0, 1, 1))
                bench.run_on(0.3)
                quiet, _ = self.ages(stamped, sender, QUIET)
                with questions.Flood(d.osc_port):
                    bench.run_on(0.5)
                    loud, stale = self.ages(stamped, sender, LOUD)
            said = d.watch()["counters"]
            print(f"age of the value in use: quiet {1e3 * part(quiet, 0.5):.1f} ms, p99 {1e3 * part(quiet, 0.99):.1f}; flooded "
                  f"{1e3 * part(loud, 0.5):.1f} ms, p99 {1e3 * part(loud, 0.99):.1f}, max {1e3 * loud[-1]:.1f} ms ({len(loud)} frames, "
                  f"{stale} stale); received {said['osc_received']}, over budget {said.get('osc_over_budget')}, "
                  f"overflow {said.get('osc_overflow')}, answers withheld {said['osc_withheld']}")
            self.assertGreater(len(loud), LOUD / 0.01 / 2)
            self.assertLess(part(loud, 0.5), MEDIAN)
            self.assertLess(part(loud, 0.99), P99)

    def test_estops_overtake(self):
        with questions.daemon() as d:
            with questions.Flood(d.osc_port):
                bench.run_on(0.5)
                took = questions.estops(d, ESTOPS)
            lost = took.count(None)
            ms = sorted(1e3 * t for t in took if t is not None)
            print(f"e-stop: {lost} of {ESTOPS} without effect; median {part(ms, 0.5):.1f} ms, max {ms[-1]:.1f} ms")
            self.assertEqual(lost, 0)
            self.assertLess(ms[-1], 1e3 * ESTOP)


class Lockstep(unittest.TestCase):
    def test_an_estop_overtakes_steps_on_one_processor(self):
        """All threads on one processor, and steps owed for days: the ports are still served."""
        cpu = str(max(os.sched_getaffinity(0)))
        took = []
        with bench.Daemon(cycle={"clock": "lockstep", "autostart": False}, prefix=[bench.need("taskset"), "-c", cpu]) as d:
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            for i in range(5):
                bench.run_again(lambda name, i=i: osc.command(name, 10 * i + 1))
                bench.run_on(0.1)
                osc.send(bench.osc_message("/ali3/step", "ii", 2147483647, 10 * i + 2))
                bench.run_on(0.3)
                start = time.monotonic()
                self.assertEqual(osc.command("estop", 10 * i + 3), 0)
                osc.send(bench.osc_message("/ali3/status"))
                self.assertEqual(osc.answer("/ali3/status")[0], "SAFE")
                took.append(time.monotonic() - start)
            self.assertEqual(d.stop()[0], 0)
        print("e-stop to SAFE in " + ", ".join(f"{1e3 * t:.1f}" for t in took) + " ms")
        self.assertLess(statistics.median(took), 0.020)


if __name__ == "__main__":
    bench.main()
