#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_sim.py ALI3_SIM: the command line of ali3-sim: options, files, exit codes. The tests of the stepper judge
its figures."""
import csv
import glob
import io
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import unittest

SIM = sys.argv.pop(1)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
FOUR_BAR = os.path.join(ROOT, "config", "models", "four_bar.yaml")
DAEMON = os.path.join(ROOT, "config", "four-bar.yaml")
CAR = os.path.join(ROOT, "config", "demo", "car.yaml")
PLATFORM_RUN = 3.0  # platform.state; the words stand in ali3-platform(7)
DROP = """
model:
  gravity: [0, -10, 0]
  bodies:
    - {name: ball, mass: 2, inertia: [1, 1, 1], position: [0, 5, 0], velocity: [3, 0, 0]}
"""
SLIDER = """
model:
  bodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]
  joints: [{name: s, type: prismatic, body_a: ground, body_b: a, at: [0, 0, 0], axis: [1, 0, 0]}]
  forces: [{name: f, type: motor, joint: s}]
inputs: [{name: f, force: f}]
"""
# The joints cannot be closed: they hold one body at two points of the world.
TORN = """
model:
  bodies:
    - {name: bar, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}
  joints:
    - {name: left, type: spherical, body_a: ground, body_b: bar, point_a: [-1, 0, 0], point_b: [-0.5, 0, 0]}
    - {name: right, type: spherical, body_a: ground, body_b: bar, point_a: [1, 0, 0], point_b: [0.5, 0, 0]}
"""
# Turns by more than a radian in a step.
ROTOR = """
model:
  bodies:
    - {name: rotor, mass: 1, inertia: [1, 2, 3], position: [0, 0, 0], angular_velocity: [0.1, 113, 0.1]}
"""
# No step size can follow this mechanism.
FIGHT = """
solver: {{violation: {limit}}}
model:
  bodies:
    - {{name: A, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0.5, 0]}}
    - {{name: B, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.75, 1, 0]}}
    - {{name: C, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0.5, 0]}}
  joints:
    - {{name: J1, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: [0, 0, 1]}}
    - {{name: J2, type: revolute, body_a: A, body_b: B, at: [0, 1, 0], axis: [0, 0, 1]}}
    - {{name: J3, type: revolute, body_a: B, body_b: C, at: [1.5, 1, 0], axis: [0, 0, 1]}}
    - {{name: J4, type: revolute, body_a: ground, body_b: C, at: [1.5, 0, 0], axis: [0, 0, 1]}}
  forces:
    - {{name: one, type: drive, joint: J1, motion: [[0, 0], [1, 0.1]]}}
    - {{name: two, type: drive, joint: J4, motion: [[0, 0], [1, 0.3]]}}
"""

WILD = """
model:
  bodies:
    - {name: arm, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [1, 0, 0]}
    - {name: flail, mass: 1, inertia: [1e-3, 1e-3, 1e-3], position: [2, 0, 0]}
  joints:
    - {name: pin, type: revolute, body_a: ground, body_b: arm, at: [0, 0, 0], axis: [0, 0, 1]}
    - {name: knee, type: revolute, body_a: arm, body_b: flail, at: [1.5, 0, 0], axis: [0, 0, 1]}
  forces:
    - {name: kick, type: torque, body: arm, torque: [0, 0, 1e6]}
"""


def sim(*arguments, **options):
    return subprocess.run([SIM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)


class Sim(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def good(self, *arguments):
        run = sim(*arguments)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def table(self, *arguments):
        return list(csv.reader(io.StringIO(self.good(*arguments, "--output", "-"))))

    def test_help_and_version(self):
        self.assertIn("Exit status: 0", self.good("--help"))
        self.assertRegex(self.good("--version"), r"^ali3-sim \d+\.\d+\.\d+\ncommit [0-9a-f+unkow]+, .*, kernels for baseline")

    def test_usage_errors_exit_2(self):
        for arguments, part in [
                ([], "expected one file, found none"),
                (["a", "b"], "found several"),
                ([FOUR_BAR, "--nonsense"], "nonsense"),
                ([FOUR_BAR, "--duration", "1x"], "--duration: expected a number above 0, found 1x"),
                ([FOUR_BAR, "--duration", "nan"], "found nan"),
                ([FOUR_BAR, "--dt", "-0.01"], "--dt"),
                ([FOUR_BAR, "--iterations", "101"], "from 1 to 100, found 101"),
                ([FOUR_BAR, "--iterations", "2.5"], "whole number"),
                ([FOUR_BAR, "--alpha", "0"], "--alpha"),
                ([FOUR_BAR, "--workers", "64"], "auto or a whole number from 0 to 63, found 64"),
                ([FOUR_BAR, "--every", "0"], "--every"),
                ([FOUR_BAR, "--isa", "sse2"], "--isa: expected auto"),
                ([FOUR_BAR, "--substeps", "0"], "--substeps"),
                ([FOUR_BAR, "--duration", "1e-9"], "duration of 1 to"),
                ([FOUR_BAR, "--output", "-", "--summary", "-"], "both"),
                ([FOUR_BAR, "--signals", "time"], "--output"),
                ([FOUR_BAR, "--output", "-", "--signals", "tiem"], 'no signal has a name such as "tiem"'),
                ([FOUR_BAR, "--output", "/nonexistent/x.csv"], "--output: /nonexistent/x.csv: the folder /nonexistent does not exist"),
                (["/nonexistent.yaml"], "cannot read the file")]:
            with self.subTest(arguments):
                run = sim(*arguments)
                self.assertEqual(run.returncode, 2)
                self.assertEqual(run.stdout, "")
                self.assertIn(part, run.stderr)

    def test_a_mistake_in_the_file_is_shown_with_its_place(self):
        file = self.path("bad.yaml", DROP.replace("mass: 2", "mass: 1x"))
        run = sim(file)
        self.assertEqual(run.returncode, 2)
        first, source, caret = run.stderr.splitlines()
        self.assertEqual(first, f"{file}:5:26: error: mass: expected a number >= 0 (kg), found 1x")
        self.assertEqual(source[caret.index("^"):][:2], "1x")

    def test_summary_keys(self):
        d = json.loads(self.good(FOUR_BAR, "--duration", "1", "--summary", "-"))
        self.assertEqual(d["steps"], 100)
        self.assertGreater(d["wall_s"], 0)
        times = [d["step_us"][k] for k in ("min", "median", "p99", "max")]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[0], 0)
        self.assertEqual(set(d["constraint"]), {"position", "velocity", "acceleration"})
        self.assertLess(d["constraint"]["position"], 1e-11)
        e = d["energy"]
        self.assertLessEqual(e["min"], min(e["initial"], e["final"]))
        self.assertGreaterEqual(e["max"], max(e["initial"], e["final"]))
        self.assertAlmostEqual(e["initial"], 28.58843504688, places=9)
        self.assertGreaterEqual(d["newton"]["last_increment_max"], 0)
        self.assertEqual((d["model"], d["bodies"], d["joints"], d["outcome"]), ("four_bar", 3, 4, "ok"))

    def test_the_instruction_set_is_in_the_summary(self):
        """The option has priority over the file, and the file over the best one. A set that the machine lacks is refused by name."""
        known = ("baseline", "avx2", "avx512")

        def found(*arguments):
            return json.loads(self.good(*arguments, "--duration", "0.1", "--summary", "-"))["isa"]
        best = found(FOUR_BAR)
        self.assertIn(best, known)
        self.assertEqual(found(FOUR_BAR, "--isa", "auto"), best)
        self.assertEqual(found(FOUR_BAR, "--isa", "baseline"), "baseline")
        file = self.path("isa.yaml", DROP + "simulation: {isa: baseline}\n")
        self.assertEqual(found(file), "baseline")
        self.assertEqual(found(file, "--isa", "auto"), best)
        for isa in known[known.index(best) + 1:]:
            run = sim(file, "--isa", isa)
            self.assertEqual(run.returncode, 2)
            self.assertRegex(run.stderr, f"machine does not have the instruction set {isa}|build has no kernels for {isa}")
            self.assertNotIn(":8:", run.stderr)  # the file is not the cause

    def test_sensors_are_columns(self):
        """A thrown, spinning ball: its centre measures no force, a point of its rim the rotation. The columns keep their order."""
        file = self.path("s.yaml", DROP.rstrip().replace("}", ", angular_velocity: [0, 0, 2]}") + """
  sensors:
    - {name: heart, type: imu, body: ball}
    - {name: rim, type: point, body: ball, point: [0.5, 0, 0]}
""")
        rows = self.table(file, "--duration", "1", "--signals", "time,sensor.*")
        self.assertEqual(rows[0], ["time"] + [f"sensor.heart.{q}.{c}" for q in ("specific_force", "angular_velocity") for c in "xyz"]
                         + [f"sensor.rim.{q}.{c}" for q in ("position", "velocity", "acceleration") for c in "xyz"])
        first = [float(x) for x in rows[1]]
        for found, wanted in zip(first, [0] + [0, 0, 0, 0, 0, 2] + [0.5, 5, 0, 3, 1, 0, -2, -10, 0]):
            self.assertAlmostEqual(found, wanted, places=12)
        self.assertLess(max(abs(float(x)) for row in rows[1:] for x in row[1:4]), 1e-9)

    def test_summary_into_a_file_beside_the_table(self):
        table, summary = self.path("t.csv"), self.path("s.json")
        self.assertEqual(self.good(FOUR_BAR, "--duration", "0.1", "--output", table, "--summary", summary), "")
        with open(summary, encoding="utf-8") as f:
            self.assertEqual(json.load(f)["steps"], 10)
        with open(table, encoding="utf-8") as f:
            self.assertEqual(len(f.readlines()), 12)

    def test_table_begins_at_0_and_a_ball_falls(self):
        head, *rows = self.table(self.path("drop.yaml", DROP), "--duration", "1", "--dt", "0.125")
        self.assertEqual(head[0], "time")
        self.assertEqual([float(r[0]) for r in rows], [k / 8 for k in range(9)])
        x, y = head.index("body.ball.position.x"), head.index("body.ball.position.y")
        for r in rows:
            t = float(r[0])
            self.assertAlmostEqual(float(r[x]), 3 * t, places=12)
            self.assertAlmostEqual(float(r[y]), 5 - 5 * t * t, places=9)

    def test_columns_are_chosen_in_table_order(self):
        head, *rows = self.table(FOUR_BAR, "--duration", "0.1", "--signals", "energy.*,body.A.position.[xy],time")
        self.assertEqual(head, ["time", "body.A.position.x", "body.A.position.y", "energy.kinetic", "energy.potential",
                                "energy.total"])
        self.assertEqual(len(rows), 11)

    def test_every(self):
        rows = self.table(FOUR_BAR, "--duration", "1", "--every", "30", "--signals", "time")[1:]
        self.assertEqual([round(float(r[0]), 9) for r in rows], [0, 0.3, 0.6, 0.9])

    def test_numbers_read_back_to_the_same_bits(self):
        rows = self.table(FOUR_BAR, "--duration", "0.2", "--signals", "time,body.*")[1:]
        self.assertTrue(all(math.isfinite(float(v)) for r in rows for v in r))
        self.assertTrue(any(len(v) >= 18 for v in rows[-1]))
        # No number has more digits than it needs.
        self.assertEqual([r[0] for r in rows[:4]], ["0", "0.01", "0.02", "0.03"])
        digits = lambda text: len(text.lower().split("e")[0].lstrip("-0.").replace(".", ""))
        for v in (v for r in rows for v in r if float(v) != 0):
            self.assertLessEqual(digits(v), max(15, digits(repr(float(v)))), v)

    def test_the_first_line_has_units_or_is_missing(self):
        words = (FOUR_BAR, "--duration", "0.02", "--signals", "time,body.A.position.x,energy.total")
        self.assertEqual(self.table(*words, "--header", "units")[0], ["time [s]", "body.A.position.x [m]", "energy.total [J]"])
        names, bare = self.table(*words), self.table(*words, "--header", "none")
        self.assertEqual(names[1:], bare)
        for wrong, said in ((["--header", "unit"], "expected names, units or none, found unit"),
                            (["--header", "units"], "--header: expected --output as well")):
            run = subprocess.run([SIM, *words[:3], *(["--output", "-"] if wrong[1] == "unit" else []), *wrong], capture_output=True, text=True,
                                 stdin=subprocess.DEVNULL)
            self.assertEqual(run.returncode, 2)
            self.assertIn(said, run.stderr)

    def test_runs_are_repeatable_whatever_the_workers(self):
        one, two, shared, chosen = (self.good(FOUR_BAR, "--duration", "3", "--output", "-", *more)
                            for more in ([], [], ["--workers", "1"], ["--workers", "auto"]))
        self.assertEqual(one, two)
        self.assertEqual(one, shared)
        self.assertEqual(one, chosen)

    def test_workers_of_the_file_and_of_the_option(self):
        def workers(more, *arguments):
            file = self.path("w.yaml", DROP + more)
            return json.loads(self.good(file, "--duration", "0.1", "--summary", "-", *arguments))["workers"]

        self.assertEqual(workers("realtime: {workers: 2}\n"), 2)
        self.assertEqual(workers("realtime: {workers: 2}\n", "--workers", "0"), 0)
        self.assertEqual(workers("realtime: {workers: 2}\n", "--workers", "auto"), 0)  # one body
        for auto in ("", "realtime: {workers: auto}\n"):  # the daemon's business
            self.assertEqual(workers(auto), 0)

    def test_options_reach_the_solver(self):
        base = self.good(FOUR_BAR, "--duration", "1", "--output", "-")
        for more in (["--iterations", "1"], ["--alpha", "1e5"], ["--substeps", "2"], ["--extrapolate"]):
            run = sim(FOUR_BAR, "--duration", "1", "--output", "-", *more)
            self.assertRegex(run.stderr, r"\A(ali3-sim: \d+ of 100 steps are degraded: .*\n)?\Z")
            self.assertEqual(run.returncode, 0)
            self.assertNotEqual(base, run.stdout)
        rows = self.table(FOUR_BAR, "--duration", "0.01", "--dt", "0.001", "--signals", "time")
        self.assertEqual(len(rows), 12)

    def test_values_of_the_command_line(self):
        """A value of --set acts like the value in the file, and an option of its own has priority."""
        as_file = self.good(self.path("heavy.yaml", DROP.replace("[0, -10, 0]", "[0, -5, 1]")), "--duration", "1", "--output", "-")
        file = self.path("drop.yaml", DROP)
        self.assertEqual(self.good(file, "--set", "model.gravity=[0, -5, 1]", "--duration", "1", "--output", "-"), as_file)
        summary = self.good(file, "--set", "cycle.period=0.1", "--set", "simulation.duration=3", "--summary", "-")
        self.assertEqual((json.loads(summary)["steps"], json.loads(summary)["dt"]), (30, 0.1))
        summary = self.good(file, "--set", "cycle.period=0.1", "--dt", "0.5", "--summary", "-")
        self.assertEqual(json.loads(summary)["dt"], 0.5)
        for text, said in (("model.bodies.ball.mass=-1", "mass: expected a number >= 0 (kg), found -1"),
                           ("model.bodies.bal.mass=1", 'model.bodies: no element is named "bal"; did you mean "ball"?')):
            run = sim(file, "--set", text)
            self.assertEqual((run.returncode, run.stderr), (2, f"--set {text}: error: {said}\n"))

    def test_end_quantities_of_windows(self):
        """A window takes its samples alone, and both of its ends; the settling time is that of a search through the table."""
        model, name = os.path.join(ROOT, "config", "sweep", "quarter_car.yaml"), "body.car.position.z"
        windows = {"": (0, 4), "@0.5:2": (0.5, 2), "@1:": (1, 4), "@:0.3": (0, 0.3), "@9:10": (9, 10)}
        _, *rows = self.table(model, "--duration", "4", "--signals", f"time,{name}")
        found = json.loads(self.good(model, "--duration", "4", "--summary", "-", "--quantities",
                                     ",".join(name + w for w in windows) + f",{name}"))["quantities"]
        self.assertEqual(list(found), [name + w for w in windows])  # each once
        for window, (begin, end) in windows.items():
            got = found[name + window]
            inside = [(float(t), float(x)) for t, x in rows if begin - 1e-9 <= float(t) <= end + 1e-9]
            if not inside:
                self.assertEqual(set(got.values()), {None})
                continue
            values = [x for _, x in inside]
            size = max(values) - min(values)
            outside = [t for t, x in inside if abs(x - values[-1]) > 0.02 * size]
            self.assertEqual([got[k] for k in ("max", "min", "final", "peak_to_peak")], [max(values), min(values), values[-1], size])
            self.assertAlmostEqual(got["settling_time"], (outside[-1] if outside else inside[0][0]) - inside[0][0], places=12)
        self.assertGreater(found[name]["settling_time"], 0.1)
        for wrong in ("@", "@1", "@2:1", "@a:b", "@-1:2", "@:"):
            run = sim(model, "--quantities", name + wrong)
            self.assertEqual((run.returncode, run.stdout), (2, ""), wrong)
            self.assertIn("expected a window such as", run.stderr)

    def test_end_quantities_are_those_of_the_table(self):
        """max, min, rms and final take every step, also if the table has fewer rows."""
        names = ["body.A.position.x", "energy.total"]
        run = (FOUR_BAR, "--duration", "2")
        head, *rows = self.table(*run, "--signals", ",".join(names))
        self.assertEqual(head, names)
        found = json.loads(self.good(*run, "--quantities", ",".join(names), "--summary", "-", "--output", self.path("t.csv"),
                                     "--every", "50"))["quantities"]
        self.assertEqual(list(found), names)
        for i, name in enumerate(names):
            values = [float(row[i]) for row in rows]
            self.assertEqual([found[name][k] for k in ("max", "min", "final")], [max(values), min(values), values[-1]])
            self.assertAlmostEqual(found[name]["rms"], math.sqrt(math.fsum(v * v for v in values) / len(values)), places=12)
            self.assertEqual(found[name]["peak_to_peak"], max(values) - min(values))
        text = self.good(*run, "--quantities", names[0])
        self.assertRegex(text, r"(?m)^body.A.position.x  max [-+.e0-9]+ min [-+.e0-9]+ rms [.e0-9]+ final [-+.e0-9]+ "
                               r"peak_to_peak [.e0-9]+ settling_time [.e0-9]+$")
        wrong = sim(*run, "--quantities", "body.Z.*")
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn('ali3-sim: --quantities: no signal has a name such as "body.Z.*"', wrong.stderr)

    def test_duration_of_the_file_and_of_none(self):
        with_duration = self.path("d.yaml", DROP + "simulation: {duration: 0.5}\n")
        self.assertEqual(json.loads(self.good(with_duration, "--summary", "-"))["steps"], 50)
        self.assertEqual(json.loads(self.good(self.path("n.yaml", DROP), "--summary", "-"))["steps"], 1000)

    def test_every_shipped_mechanism_runs_clean(self):
        folder = os.path.join(ROOT, "config", "models")
        for name in sorted(n for n in os.listdir(folder) if n.endswith(".yaml")):
            with self.subTest(name):
                summary = json.loads(sim(os.path.join(folder, name), "--duration", "60", "--summary", "-").stdout)
                self.assertEqual((summary["outcome"], summary["degraded_steps"]), ("ok", 0))
                self.assertLess(summary["constraint"]["position"], 1e-8)

    def test_a_configuration_of_the_daemon_runs_too(self):
        head = self.table(DAEMON, "--duration", "0.01", "--signals", "input.*")[0]
        self.assertEqual(head, [f"input.push.{k}.{c}" for k in ("force", "torque") for c in "xyz"])

    def test_words_without_summary(self):
        self.assertIn("100 steps", self.good(FOUR_BAR, "--duration", "1"))

    def test_a_mechanism_that_cannot_be_put_together_exits_1(self):
        run = sim(self.path("torn.yaml", TORN), "--summary", "-")
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r'cannot be assembled.*joint "(left|right)"')
        self.assertEqual(json.loads(run.stdout)["steps"], 0)

    def test_a_step_that_diverges_exits_1_with_what_there_is(self):
        table, summary = self.path("t.csv"), self.path("s.json")
        wild = self.path("wild.yaml", WILD.replace("model:", "solver: {violation: 0}\nmodel:", 1))
        run = sim(wild, "--duration", "10", "--output", table, "--summary", summary)
        self.assertEqual(run.returncode, 1)
        self.assertRegex(run.stderr, r'diverged.*(body "(arm|flail)"|joint "(pin|knee)")')
        with open(summary, encoding="utf-8") as f:
            done = json.load(f)["steps"]
        self.assertLess(done, 1000)
        with open(table, encoding="utf-8") as f:
            self.assertEqual(len(f.readlines()), 2 + done)

    def test_a_full_disk_exits_1(self):
        run = sim(FOUR_BAR, "--duration", "1", "--output", "/dev/full")
        self.assertEqual(run.returncode, 1)
        self.assertIn("/dev/full: No space left on device", run.stderr)

    def test_an_interrupted_run_exits_1_with_what_there_is_and_shows_progress(self):
        """A run of days, on a terminal: stopped once the bar is seen."""
        leader, terminal = pty.openpty()
        summary = self.path("s.json")
        with subprocess.Popen([SIM, FOUR_BAR, "--duration", "5000000", "--summary", summary], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=terminal) as p:
            os.close(terminal)
            try:
                said = b""
                while b"%" not in said:
                    said += os.read(leader, 1000)
                p.send_signal(signal.SIGINT)
                self.assertEqual(p.wait(), 1)
                while b"interrupted" not in said:
                    said += os.read(leader, 1000)
            finally:
                if p.poll() is None:
                    p.kill()
                os.close(leader)
        self.assertIn(b"[", said)
        with open(summary, encoding="utf-8") as f:
            d = json.load(f)
        self.assertEqual(d["outcome"], "interrupted")
        self.assertGreater(d["steps"], 0)

    def test_degraded_steps_are_told_wherever_the_output_goes(self):
        file = self.path("rotor.yaml", ROTOR)
        for arguments in (["--output", "-"], ["--output", os.devnull], ["--summary", "-"], []):
            with self.subTest(arguments):
                done = sim(file, "--duration", "5", *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stderr, r"^ali3-sim: \d+ of 500 steps are degraded: their iterations did not converge; use ")
                if "--summary" in arguments:
                    summary = json.loads(done.stdout)
                    self.assertEqual(summary["outcome"], "degraded")
                    self.assertGreater(summary["degraded_steps"], 0)

    def test_violated_steps_have_an_exit_status_of_their_own(self):
        """Two drives on the one freedom of a four-bar: they separate a little, then by more than the limit."""
        for limit, steps in ((0, 30), (1e-3, None)):
            with self.subTest(limit):
                done = sim(self.path("fight.yaml", FIGHT.format(limit=limit)), "--duration", "0.3", "--summary", "-")
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertRegex(done.stderr, r'(?m)^ali3-sim: \d+ of \d+ steps are violated, the first at .* s: .*limit is .*; '
                                              r'drive "(one|two)" asks .* and drive "(one|two)" .* the joints do not allow both$')
                summary = json.loads(done.stdout)
                self.assertGreater(summary["violated_steps"], 0)
                self.assertGreaterEqual(summary["degraded_steps"], summary["violated_steps"])
                if steps:
                    self.assertEqual((summary["outcome"], summary["steps"]), ("violated", steps))
                else:
                    self.assertIn("cannot all be met: ", done.stderr)
                    self.assertLess(summary["steps"], 30)

    def test_rates_that_contradict_at_the_start_are_refused(self):
        text = FIGHT.format(limit=0).replace("motion: [[0, 0], [1, 0.1]]", "speed: 1").replace(
            "motion: [[0, 0], [1, 0.3]]", "speed: 2")
        done = sim(self.path("start.yaml", text))
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r'drive "(one|two)" asks [12] rad/s of joint "J[14]" and drive "(one|two)" of joint "J[14]" '
                                      r'.*allow both \(lines (14 and 15|15 and 14)\)$')

    def test_a_table_sets_inputs_of_every_protocol(self):
        """`from`, devices and packets say who sets an input of the daemon; a run has no clients, so its table plays their part."""
        table = self.path("push.csv", "time,input.f.value\n0,4\n1,4\n")
        modbus, osc = "modbus: {enabled: true}\n", "osc: {enabled: true}\n"
        device = "devices: [{name: plc, host: 127.0.0.1, map: [{signal: input.f.value, table: holding, address: 0}]}]\n"
        packet = "packets: [{name: bench, direction: receive, host: 127.0.0.1, port: 5005, fields: [{type: f64, signal: input.f.value}]}]\n"
        for source, sections in ((", from: modbus", modbus), (", from: osc", osc), ("", device), ("", packet)):
            text = SLIDER.replace("force: f}]", f"force: f{source}}}]") + sections
            done = sim(self.path("slider.yaml", text), "--inputs", table, "--duration", "1", "--quantities", "joint.s.velocity", "--summary", "-")
            with self.subTest(source=source, sections=sections):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertAlmostEqual(json.loads(done.stdout)["quantities"]["joint.s.velocity"]["final"], 4 * 0.995, delta=1e-9)  # the first step starts from 0 N

    def test_tables_of_inputs_beside_a_state_have_a_time_that_the_user_chooses(self):
        """The line on stderr says which time counts; simulated time continues that of the state, to the bit."""
        with tempfile.TemporaryDirectory() as folder:
            def path(name, text=None):
                if text:
                    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                        f.write(text)
                return os.path.join(folder, name)

            model = path("slider.yaml", SLIDER)
            table = path("w.csv", "time,input.f.value\n0,0\n0.9,0\n1,4\n2,4\n")

            def final(*more, status=0):
                done = subprocess.run([SIM, model, "--inputs", table, "--quantities", "joint.s.position", "--summary", "-", *more],
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stderr)
                return done.stderr, done.stdout and json.loads(done.stdout)["quantities"]["joint.s.position"]["final"]

            whole = final("--duration", "2")
            final("--duration", "1", "--state-out", path("state"))
            rest = ("--duration", "1", "--state-in", path("state"))
            said, late = final(*rest)
            self.assertEqual(said, f"ali3-sim: the times of {table} count from the start of this run, which is at 1 s of simulated time; "
                             "--inputs-time simulated takes them for simulated time, --inputs-time run drops this line\n")
            self.assertEqual(final(*rest, "--inputs-time", "run"), ("", late))
            self.assertEqual(final(*rest, "--inputs-time", "simulated"), whole)
            self.assertNotEqual(late, whole[1])
            path("w.csv", "time,input.f.value\n0,0\n0.5,1\n")
            said, _ = final(*rest, "--inputs-time", "simulated", status=2)
            self.assertIn("w.csv ends at 0.5 s, before the state at 1 s, so no value would act", said)
            said, _ = final("--inputs-time", "run", status=2)
            self.assertIn("expected --state-in as well", said)
            said, _ = final(*rest, "--inputs-time", "late", status=2)
            self.assertIn("expected run or simulated, found late", said)

    def test_a_run_goes_on_from_a_state_in_another_process(self):
        """In two parts, with workers in one of them, every model has the rows of one run, to the last bit."""
        models = sorted(glob.glob(os.path.join(ROOT, "config", "models", "*.yaml")))
        self.assertGreater(len(models), 8)
        for model in models:
            for options in ([], ["--substeps", "2"], ["--extrapolate"]):
                with self.subTest(model=os.path.basename(model), options=options):
                    state = os.path.join(self.folder.name, "state")
                    run = lambda *a: sim(model, *options, "--dt", "0.005", "--output", "-", *a)
                    whole, first = run("--duration", "1"), run("--duration", "0.6", "--state-out", state)
                    rest = run("--duration", "0.4", "--state-in", state, "--workers", "1")
                    self.assertEqual((whole.returncode, first.returncode, rest.returncode), (0, 0, 0), rest.stderr)
                    header, *rows = rest.stdout.splitlines()
                    self.assertEqual(first.stdout.splitlines() + rows[1:], whole.stdout.splitlines())
                    self.assertEqual(rows[0], first.stdout.splitlines()[-1])

    def test_a_state_of_another_run_is_refused(self):
        state = os.path.join(self.folder.name, "state")
        self.assertEqual(sim(FOUR_BAR, "--duration", "0.1", "--state-out", state).returncode, 0)
        with open(state, "rb") as file:
            good = file.read()
        damaged, short = self.path("damaged"), self.path("short")
        with open(damaged, "wb") as file:
            file.write(good[:-1] + bytes([good[-1] ^ 1]))
        with open(short, "wb") as file:
            file.write(good[:50])
        for arguments, reason in (([CAR, "--state-in", state], "the state is of another model or of other options: hash "),
                                  ([FOUR_BAR, "--dt", "0.002", "--state-in", state], "of other options"),
                                  ([FOUR_BAR, "--state-in", damaged], "the state is damaged: its CRC-32 differs"),
                                  ([FOUR_BAR, "--state-in", short], "the state is cut short: found 50 bytes, expected"),
                                  ([FOUR_BAR, "--state-in", state + ".none"], "No such file or directory")):
            with self.subTest(reason):
                done = sim(*arguments, "--duration", "0.1")
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, rf"^ali3-sim: --state-in: {re.escape(arguments[-1])}: .*{re.escape(reason)}")
        done = sim(FOUR_BAR, "--duration", "0.1", "--state-out", os.path.join(self.folder.name, "no", "state"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"(?m)^ali3-sim: --state-out: .*no/state: the folder .*no does not exist; make it, or name another file$")

    def test_a_motion_platform_moves_with_the_model(self):
        """The first row is a platform that runs at neutral; a push on the car then moves it, within its limits."""
        run = sim(CAR, "--duration", "2", "--output", "-", "--signals", "time,platform.*,sensor.*")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(run.stdout))]
        self.assertEqual(len(rows), 201)
        self.assertEqual({row["platform.state"] for row in rows}, {PLATFORM_RUN})
        for axis in ("surge", "sway", "heave", "roll", "pitch", "yaw"):
            self.assertLess(abs(rows[0][f"platform.pose.{axis}"]), 1e-6)
        # The legs follow the pose: their lengths are those of the geometry at neutral, and within the stroke later.
        for leg in range(1, 7):
            lengths = [row[f"platform.legs.{leg}"] for row in rows]
            self.assertTrue(all(0.7 <= length <= 1.0 for length in lengths))
            self.assertLess(max(abs(b - a) for a, b in zip(lengths, lengths[1:])), 0.5 * 0.01)
        again = sim(CAR, "--duration", "2", "--output", "-", "--signals", "time,platform.*,sensor.*")
        self.assertEqual(again.stdout, run.stdout)

    def test_a_model_without_a_platform_has_no_signals_of_one(self):
        run = sim(FOUR_BAR, "--duration", "0.1", "--output", "-", "--signals", "platform.*")
        self.assertEqual(run.returncode, 2)
        self.assertIn("no signal has a name such as", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
