#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A measured road drives a quarter car: on the bench and offline, with the same bits; started by command and with the motion."""
import csv
import json
import math
import os
import subprocess
import time
import unittest

import bench
from test_record import Recorder, need_h5py, read

QUARTER = {
    "name": "quarter", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "road", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 0]},
               {"name": "wheel", "mass": 40, "inertia": [1, 1, 1], "position": [0, 0, 0.3]},
               {"name": "car", "mass": 400, "inertia": [10, 10, 10], "position": [0, 0, 1]}],
    "joints": [{"name": "plate", "type": "prismatic", "body_a": "ground", "body_b": "road", "at": [0, 0, 0], "axis": [0, 0, 1]},
               {"name": "axle", "type": "prismatic", "body_a": "ground", "body_b": "wheel", "at": [0, 0, 0.3], "axis": [0, 0, 1]},
               {"name": "slide", "type": "prismatic", "body_a": "ground", "body_b": "car", "at": [0, 0, 1], "axis": [0, 0, 1]}],
    "forces": [{"name": "profile", "type": "drive", "joint": "plate", "external": True, "max_rate": 5, "max_acceleration": 500},
               {"name": "tyre", "type": "spring_damper", "body_a": "road", "body_b": "wheel", "stiffness": 2e5, "damping": 100},
               {"name": "strut", "type": "spring_damper", "body_a": "wheel", "body_b": "car", "stiffness": 2e4, "damping": 1500}],
}
INPUTS = [{"name": "road", "force": "profile", "policy": "hold"}]
STEPS = 200  # more than a round


def write_road(folder, rows=40, step=0.037):
    """Heights at times that are no multiples of the period."""
    path = os.path.join(folder, "road.csv")
    with open(path, "w", encoding="utf-8") as f:
        f.write("time,speed,input.road.value\n")
        f.writelines(f"{k * step},20,{0.02 * math.sin(3 * k * step) * (1 + 0.1 * (k % 3))}\n" for k in range(rows))
    return path


class Stimulus(unittest.TestCase):
    def daemon(self, stimulus, **cycle):
        """The file of the road is written before the daemon reads it."""
        d = bench.Daemon(model=QUARTER, inputs=INPUTS, cycle=cycle, stimulus=stimulus)
        self.addCleanup(d.__exit__)
        write_road(d.dir)
        d.__enter__()
        self.osc = bench.OscClient(d.osc_port)
        self.addCleanup(self.osc.close)
        return d

    def simulate(self, d, duration, *options):
        out = os.path.join(d.dir, "sim.csv")
        subprocess.run([bench.program("ali3-sim"), d.config, "--duration", str(duration), "--output", out, *options], check=True, capture_output=True, timeout=bench.PATIENCE)
        with open(out, encoding="utf-8") as f:
            return [{name: float(v) for name, v in row.items()} for row in csv.DictReader(f)]

    def ask(self, address, types, *arguments):
        self.osc.send(bench.osc_message(f"/ali3/{address}", types + "i", *arguments, 9))
        return self.osc.answer("/ali3/ack")[2]

    def record(self, d, act):
        """The rows of a recording, by simulated time."""
        need_h5py()
        file = os.path.join(d.dir, "run.h5")
        with Recorder("--once", file, "--before", "60", d.name) as r:
            bench.wait_for("the recorder", lambda: os.path.exists(file + ".part"))
            act()
            d.stop()
            self.assertEqual(r.finish(), 0, r.said)
        got = read(file)
        done = subprocess.run([bench.program("ali3-replay"), file], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [dict(zip(got["names"], row)) for row, action in zip(got["values"], got["head"]["action"]) if action & 1 and not action & 16]

    def check_equal(self, rows, simulated):
        self.assertEqual(len(rows), len(simulated))
        self.assertGreater(max(row["body.car.position.z"] for row in rows) - min(row["body.car.position.z"] for row in rows), 0.005)
        for row, wanted in zip(rows, simulated):
            self.assertEqual({name: row[name] for name in wanted}, wanted, f"at {wanted['time']} s")

    def test_with_the_motion_as_offline(self):
        for interpolate, loop in (("linear", False), ("hold", False), ("linear", True)):
            with self.subTest(interpolate, loop=loop):
                d = self.daemon([{"name": "road", "file": "road.csv", "interpolate": interpolate, "loop": loop, "start": "motion"}],
                                clock="lockstep", warmup=20)
                rows = self.record(d, lambda: self.assertEqual(self.ask("step", "i", STEPS), 0))
                self.check_equal(rows, self.simulate(d, STEPS * 0.01)[1:])
                if interpolate == "linear" and not loop:
                    self.assertEqual(self.simulate(d, STEPS * 0.01, "--inputs", os.path.join(d.dir, "road.csv")), self.simulate(d, STEPS * 0.01))

    def test_on_command_as_offline(self):
        """Started ahead of the first step, it drives the model as --inputs does."""
        d = self.daemon([{"name": "road", "file": "road.csv"}], clock="lockstep", warmup=20)

        def act():
            self.assertEqual(self.ask("stimulus", "si", "road", 1), 0)
            self.assertEqual(self.ask("step", "i", STEPS), 0)

        self.check_equal(self.record(d, act), self.simulate(d, STEPS * 0.01, "--inputs", os.path.join(d.dir, "road.csv"))[1:])

    def test_a_reset_begins_it_anew(self):
        """By the clock: the second round has the bits of the first one."""
        d = self.daemon([{"name": "road", "file": "road.csv", "start": "motion"}])

        def act():
            bench.run_on(0.6)
            self.assertEqual(self.ask("cmd/reset", ""), 0)
            bench.run_on(0.6)

        rows = self.record(d, act)
        again = [i for i, row in enumerate(rows) if row["time"] == 0.01]
        self.assertEqual(len(again), 2)
        length = min(again[1], len(rows) - again[1])
        model = [name for name in rows[0] if not name.startswith("loop.")]
        for first, second in zip(rows[:length], rows[again[1]:]):
            self.assertEqual([first[name] for name in model], [second[name] for name in model], first["time"])

    def test_on_command(self):
        d = self.daemon([{"name": "road", "file": "road.csv", "loop": True}])

        def act():
            bench.run_on(0.3)
            self.assertEqual(self.ask("stimulus", "si", "none", 1), 7)
            self.assertEqual(self.ask("stimulus", "si", "road", 1), 0)
            bench.run_on(2.5)
            self.assertEqual(self.ask("stimulus", "si", "road", 0), 0)
            bench.run_on(0.5)

        heights = [row["input.road.value"] for row in self.record(d, act)]
        self.assertEqual(heights[0], 0.0)
        begin = next(i for i, v in enumerate(heights) if v != 0.0)
        period = round(39 * 0.037 / 0.01)
        self.assertGreater(begin, 5)
        for k in range(10, 60):  # the next round, to the rounding of its time
            self.assertAlmostEqual(heights[begin + k], heights[begin + k + period], delta=2e-3)
        self.assertEqual(len(set(heights[-10:])), 1, "the policy hold keeps the last value")

    def test_mistakes(self):
        with bench.Daemon(wait=False) as d:
            d.process.kill()
            d.process.wait()
            for text, wanted in (("time,input.rod.value\n0,1\n", "road.csv:1: expected channels of the inputs"), ("input.road.value\n0\n", "\"time\""),
                                 ("time,input.road.value\n0,1\n0,2\n", "road.csv:3: expected a time after"),
                                 ("time,input.road.value\n0,x\n", "road.csv:2: expected a number, found x"),
                                 ("time,input.road.value\n", "expected rows"), ("time,a\n0,1\n", "a column of an input"),
                                 ("time,input.road.value\n0\n", "as many fields"),
                                 ("time;input.road.value\n0;1,5\n", "expected commas between the columns and points in the numbers"),
                                 ('time,input.road.value\n0,"1,5"\n', "expected a number with a decimal point, found 1,5"),
                                 ("time [ms],input.road.value\n0,1\n", "expected time [s], found ms"),
                                 ("t,input.road.value\n0,1\n", 'expected a column "time" in the first line, found t')):
                d.file("road.csv", text)
                config = {"model": QUARTER, "inputs": INPUTS, "stimulus": [{"name": "road", "file": "road.csv"}]}
                file = d.file("wrong.json", json.dumps(config))
                done = subprocess.run([bench.program("ali3d"), file, "--check"], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
                self.assertEqual(done.returncode, 2, text)
                self.assertIn(wanted, done.stderr)
                self.assertIn("wrong.json:1:", done.stderr)
            # As a spreadsheet writes it: a byte order mark, quotes, units, blanks.
            d.file("road.csv", '\ufeff"time [s]" , "input.road.value [m]","a ""note"", long"\r\n0,"1.5",x\r\n"1", 2 ,\r\n')
            self.assertEqual(self.check(file)[0], 0, self.check(file)[1])
            # No daemon waits for a FIFO, or takes a device into its memory.
            road = os.path.join(d.dir, "road.csv")
            for make in (os.mkfifo, lambda path: os.symlink("/dev/zero", path), os.mkdir):
                os.unlink(road)
                make(road)
                status, said = self.check(file)
                self.assertEqual(status, 2)
                self.assertIn("expected a regular file", said)
            os.rmdir(road)
            with open(road, "wb") as f:
                f.truncate((64 << 20) + 1)
            self.assertIn("expected at most 64 MB, found 64.0 MB", self.check(file)[1])

    @staticmethod
    def check(file):
        done = subprocess.run([bench.program("ali3d"), file, "--check"], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        return done.returncode, done.stderr


bench.main()
