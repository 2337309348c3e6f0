#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-record around conditions, with the defaults of the daemon's configuration."""
import glob
import os
import signal
import time

import bench
from test_record import KEEP, MARK, Case, Recorder, read, read_all

TRIGGERED = 1
FORCE = "input.push.force.x"


class Triggers(Case):
    def push(self, client, force, seconds):
        """A force for a time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            client.send(bench.osc_message("/ali3/input/push/force", "fff", force, 0.0, 0.0))
            bench.pace(0.01)

    def test_a_signal_above_a_value(self):
        """The window reaches from `before` ahead of the first row to `after` behind the last one; the ring is shorter than `before`."""
        record = dict(KEEP, trigger=f"{FORCE} > 5, body.A.position.z < -1e9", before=3.2, after=1.5)
        push = bench.push(policy="safe", hold=1.5)
        with bench.Daemon(telemetry={"frames": 3}, record=record, inputs=[push]) as d:
            client = bench.OscClient(d.osc_port)
            with Recorder("--to", d.dir, d.name) as r:
                bench.wait_for("3.5 s of a run", lambda: d.watch()["cycle"] > 370)
                self.push(client, 4.0, 0.3)
                self.push(client, 6.0, 0.2)
                self.push(client, 4.0, 0.2)
                self.push(client, 7.0, 0.1)  # within `after`: the same window
                self.finished(d, 1)
                self.assertEqual(r.stop(), 0)
                self.assertIn("keeps the last 321 cycles itself", r.said)
            client.close()
            got = read(self.files(d)[0])
        column = got["names"].index(FORCE)
        cycles, above = got["head"]["cycle"], [i for i, row in enumerate(got["values"]) if row[column] > 5]
        self.check_no_hole(cycles)
        self.assertEqual((above[0], len(cycles) - 1 - above[-1]), (320, 151), "rows before and behind the condition")
        begins = [i for i in above if i - 1 not in above]
        self.assertGreater(len(begins), 1)
        self.assertEqual(self.marks(got), [(cycles[i], f"{FORCE} > 5") for i in begins])
        mark = [e for e in got["events"] if e["kind"] == MARK][0]
        self.assertEqual((mark["code"], mark["a"], mark["b"]), (TRIGGERED, got["values"][begins[0]][column], 5.0))
        self.assertEqual(got["attributes"]["reason"], "no condition holds")

    def test_misses_and_faults(self):
        """A file for each, and none for what lies between."""
        with bench.Daemon() as d:
            client = bench.OscClient(d.osc_port)
            with Recorder("--to", d.dir, "--trigger", "miss,fault", "--before", "0.2", "--after", "0.2", "--min-free", "0", d.name) as r:
                bench.wait_for("a run", lambda: d.watch()["cycle"] > 60)
                d.process.send_signal(signal.SIGSTOP)
                bench.run_on(0.05)
                d.process.send_signal(signal.SIGCONT)
                bench.wait_for("a file of the miss", lambda: self.files(d))
                bench.run_on(0.5)
                client.send(bench.osc_message("/ali3/cmd/estop", "i", 20))
                bench.wait_for("SAFE", lambda: d.watch()["state"] == "SAFE")
                cycle = d.watch()["cycle"]
                bench.wait_for("the file of the fault", lambda: (w := d.watch())["cycle"] > cycle + 40 and w["recorder"] == "waiting")
                self.assertEqual(r.stop(), 0)
            client.close()
            got = read_all(self.files(d))
        self.assertEqual({text for _, text in self.marks(got[0])}, {"miss"})
        # The host may miss further deadlines: they have files of their own, or marks in that of the fault.
        (run,) = (run for run in got if "fault" in {text for _, text in self.marks(run)})
        self.assertLessEqual({text for run in got for _, text in self.marks(run)}, {"miss", "fault"})
        (cycle,), head = (cycle for cycle, text in self.marks(run) if text == "fault"), run["head"]
        at = head["cycle"].index(cycle)
        self.assertEqual((head["fault"][at - 1], head["fault"][at] > 0), (0, True))

    def test_marks_in_any_recording(self):
        with bench.Daemon() as d:
            file = os.path.join(d.dir, "run.h5")
            with Recorder("--once", file, "--when", "always", "--trigger", "time > 0.5", "--before", "60", d.name) as r:
                bench.wait_for("1 s of a run", lambda: d.watch()["cycle"] > 120)
                self.assertEqual(r.stop(), 0)
            got = read(file)
        column = got["names"].index("time")
        later = [c for c, row in zip(got["head"]["cycle"], got["values"]) if row[column] > 0.5]
        self.assertEqual(self.marks(got), [(later[0], "time > 0.5")])

    def test_wrong_conditions(self):
        with bench.Daemon() as d:
            for words, wanted in (("none.x > 1", 'no signal "none.x"'), ("time", "found \"time\""), ("time > 1 s", "SIGNAL > NUMBER"), ("miss,", "found")):
                with Recorder("--to", d.dir, "--trigger", words, d.name) as r:
                    self.assertEqual(r.finish(), 2, r.said)
                    self.assertIn(wanted, r.said)
            self.assertEqual(glob.glob(os.path.join(d.dir, "*.h5*")), [])


bench.main()
