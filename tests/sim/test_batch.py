#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_batch.py ALI3_SIM: sweeps: the values of each run, shards, jobs, a batch that is killed and goes on, merge."""
import csv
import json
import math
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import h5py
except ImportError:
    h5py = None

SIM = sys.argv.pop(1)
CAR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config", "models", "double_wishbone.yaml")
SWEEPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config", "sweep")
BALL = """
model:
  gravity: [0, -10, 0]
  bodies:
    - {name: ball, mass: 2, inertia: [1, 1, 1], position: [0, 5, 0]}
"""
HUNG = BALL + """
  joints: [{name: rail, type: prismatic, body_a: ground, body_b: ball, at: [0, 5, 0], axis: [0, 1, 0]}]
  forces: [{name: hook, type: joint_spring, joint: rail, stiffness: 500, damping: 5}]
simulation: {start: rest}
"""
SWEEP = """
seed: 7
repeats: 250
parameters:
  - {key: model.bodies.chassis.mass, normal: [350, 20]}
  - {key: model.bodies.wheel.mass, values: [15, 18]}
  - {key: solver.iterations, from: 3, to: 4, count: 2}
"""
SHORT = SWEEP.replace("repeats: 250", "repeats: 40")  # 160 runs


def sim(*arguments, **more):
    given = {} if "input" in more else {"stdin": subprocess.DEVNULL}
    return subprocess.run([SIM, *arguments], capture_output=True, text=True, **given, **more)


SLIDER = """
model:
  bodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]
  joints: [{name: s, type: prismatic, body_a: ground, body_b: a, at: [0, 0, 0], axis: [1, 0, 0]}]
  forces: [{name: f, type: motor, joint: s}]
inputs: [{name: f, force: f}]
"""
PUSH = "time,input.f.value\n0,2\n10,2\n"
MASSES = "parameters: [{key: model.bodies.a.mass, values: [1, 2]}]\n"


class Batch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = os.path.join(self.folder.name, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def command(self, output, sweep=SWEEP, model=CAR, quantities="body.chassis.position.z"):
        return (model, "--batch", self.path("sweep.yaml", sweep), "--quantities", quantities, "--output", self.path(output),
                "--duration", "0.2")

    def good(self, *arguments):
        done = sim(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def rows(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as f:
            return list(csv.DictReader(f))

    def test_a_thousand_runs_are_equal_in_shards_and_jobs(self):
        self.good(*self.command("one.csv"))
        self.good(*self.command("jobs.csv"), "--jobs", "2")
        self.assertEqual(self.text("jobs.csv"), self.text("one.csv"))
        parts = [self.path(f"part-{k}.csv") for k in range(4)]
        for k, part in enumerate(parts):
            self.good(*self.command(os.path.basename(part)), "--shard", f"{k}/4", "--jobs", "2")
        self.good("merge", "--output", self.path("merged.csv"), *reversed(parts))
        self.assertEqual(self.text("merged.csv"), self.text("one.csv"))

        # The values: the grid in order, and numbers of the distribution.
        rows = self.rows("one.csv")
        self.assertEqual([int(r["index"]) for r in rows], list(range(1000)))
        self.assertEqual({r["runs"] for r in rows} | {r["outcome"] for r in rows}, {"1000", "ok"})
        self.assertEqual([(r["model.bodies.wheel.mass"], r["solver.iterations"]) for r in rows[:5]],
                         [("15", "3"), ("18", "3"), ("15", "4"), ("18", "4"), ("15", "3")])
        masses = [float(r["model.bodies.chassis.mass"]) for r in rows]
        self.assertEqual(len(set(masses)), 1000)
        self.assertLess(abs(statistics.mean(masses) - 350), 4 * 20 / math.sqrt(1000))
        self.assertLess(abs(statistics.stdev(masses) - 20), 4 * 20 / math.sqrt(2000))
        self.assertGreater(len({r["body.chassis.position.z.final"] for r in rows}), 900)

        # HDF5 has the columns by their names.
        self.good("merge", "--output", self.path("merged.h5"), *parts)
        self.assertFalse(os.path.exists(self.path("merged.h5.csv")))
        if h5py:
            with h5py.File(self.path("merged.h5")) as f:
                self.assertEqual(list(f), sorted(rows[0]))
                self.assertEqual(list(f["model.bodies.chassis.mass"]), masses)
                self.assertEqual({bytes(x) for x in f["outcome"]}, {b"ok"})

        # A part that is missing is a failure.
        lost = sim("merge", "--output", self.path("lost.csv"), *parts[1:])
        self.assertEqual((lost.returncode, lost.stderr), (1, "ali3-sim: merge: 250 of 1000 runs are missing\n"))

    def test_the_memory_of_a_merge_follows_its_lines(self):
        """A line may claim any number of runs: 1e9 of them took 8 GB."""
        part = self.path("claims.csv", "index,runs,x\n0,1000000000,a\n")

        def limit():
            if not os.environ.get("ALI3_SANITIZE"):  # a sanitizer needs more
                resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))

        lost = sim("merge", "--output", self.path("lost.csv"), part, preexec_fn=limit)
        self.assertEqual((lost.returncode, lost.stderr), (1, "ali3-sim: merge: 999999999 of 1000000000 runs are missing\n"))
        # A byte 0 ended the head, and the merged file had no line end behind it.
        for text in ("index,runs,x\0\n0,1,a\n", "index,runs,x\n0,1=,a\n"):
            refused = sim("merge", "--output", self.path("lost.csv"), self.path("broken.csv", text))
            self.assertEqual(refused.returncode, 1, text)
            self.assertIn("expected a file of a shard of the same work with whole lines", refused.stderr)
        other = self.path("other.csv", "index,runs,x\n0,2,a\n1,2,b\n1,2,c\n")
        twice = sim("merge", "--output", self.path("lost.csv"), other)
        self.assertEqual((twice.returncode, twice.stderr), (1, "ali3-sim: merge: run 1 has two different lines\n"))

    def test_a_row_has_the_figures_of_its_run(self):
        self.good(*self.command("one.csv", SHORT))
        row = self.rows("one.csv")[137]
        sets = [w for key in ("model.bodies.chassis.mass", "model.bodies.wheel.mass", "solver.iterations")
                for w in ("--set", f"{key}={row[key]}")]
        self.good(CAR, "--duration", "0.2", "--signals", "body.chassis.position.z", "--output", self.path("run.csv"), "--summary",
                  self.path("run.json"), *sets)
        values = [float(r["body.chassis.position.z"]) for r in self.rows("run.csv")]
        found = [float(row[f"body.chassis.position.z.{k}"]) for k in ("max", "min", "final")]
        self.assertEqual(found, [max(values), min(values), values[-1]])
        self.assertEqual(int(row["steps"]), len(values) - 1)

    def test_the_file_is_read_once(self):
        """A pipe has its text once, and each run needs it. The bodies B and C share nodes of A, which no run may change for the others."""
        linkage = os.path.join(os.path.dirname(CAR), "four_bar.yaml")
        sweep = "parameters: [{key: model.bodies.A.mass, from: 0.9, to: 1.2, count: 20}, {key: model.bodies.B.mass, values: [1, 2]}]\n"
        more = (sweep, linkage, "body.*.position.x"), (sweep, "/dev/stdin", "body.*.position.x")
        self.good(*self.command("file.csv", *more[0]), "--jobs", "2")
        with open(linkage, encoding="utf-8") as f:
            piped = sim(*self.command("pipe.csv", *more[1]), "--jobs", "2", input=f.read())
        self.assertEqual((piped.returncode, piped.stderr), (0, ""))
        self.assertEqual(self.text("pipe.csv"), self.text("file.csv"))
        # Each run is the run of its own values.
        row = self.rows("file.csv")[31]
        self.good(linkage, "--set", f"model.bodies.A.mass={row['model.bodies.A.mass']}", "--set", "model.bodies.B.mass=2", "--duration", "0.2",
                  "--signals", "body.C.position.x", "--output", self.path("run.csv"), "--summary", self.path("run.json"))
        self.assertEqual(float(row["body.C.position.x.final"]), float(self.rows("run.csv")[-1]["body.C.position.x"]))

    def test_a_batch_writes_hdf5(self):
        """The numbers of the CSV file, also after a batch that was interrupted."""
        self.good(*self.command("one.csv", SHORT))
        rows, lines = self.rows("one.csv"), self.text("one.csv").splitlines(keepends=True)
        self.path("one.h5.rows", "".join(lines[:70]))
        self.good(*self.command("one.h5", SHORT), "--resume", "--jobs", "2")
        self.assertFalse(os.path.exists(self.path("one.h5.rows")))
        refused = sim(*self.command("part.h5", SHORT), "--shard", "0/2")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("ali3-sim merge makes FILE.h5", refused.stderr)
        if not h5py:
            self.skipTest("h5py is not there")
        with h5py.File(self.path("one.h5")) as f:
            self.assertEqual(list(f), sorted(rows[0]))
            for name in rows[0]:
                wanted = [row[name] for row in rows]
                self.assertEqual([bytes(x).decode() for x in f[name]] if name == "outcome" else list(f[name]),
                                 wanted if name == "outcome" else [float(w) for w in wanted], name)

    def test_a_batch_that_was_killed_goes_on(self):
        self.good(*self.command("one.csv", SHORT))
        whole = self.text("one.csv")
        with subprocess.Popen([SIM, *self.command("cut.csv", SHORT), "--jobs", "2"], stdin=subprocess.DEVNULL) as p:
            deadline = time.monotonic() + 600
            while p.poll() is None and time.monotonic() < deadline:
                if os.path.exists(self.path("cut.csv")) and len(self.text("cut.csv").splitlines()) > 50:
                    break
                time.sleep(0.001)
            p.send_signal(signal.SIGKILL)
        self.good(*self.command("cut.csv", SHORT), "--resume", "--jobs", "2")
        self.assertEqual(self.text("cut.csv"), whole)
        for kept in (0, 40, len(whole) // 2, len(whole) - 3, len(whole)):
            self.path("cut.csv", whole[:kept])
            self.good(*self.command("cut.csv", SHORT), "--resume")
            self.assertEqual(self.text("cut.csv"), whole)
        # Rows of another seed are not mixed with these.
        other = sim(*self.command("cut.csv", SHORT.replace("seed: 7", "seed: 8")), "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertIn("does not hold the beginning of this shard", other.stderr)
        self.assertEqual(self.text("cut.csv"), whole)

    def test_gnu_parallel_computes_the_shards_and_goes_on_after_a_kill(self):
        if not shutil.which("parallel"):
            self.skipTest("parallel is not installed")
        car, sweep = (os.path.join(SWEEPS, name) for name in ("quarter_car.yaml", "sweep.yaml"))
        command = ["sh", os.path.join(SWEEPS, "parallel.sh"), car, sweep, "body.car.position.z", "4", self.path("parts"), "--duration", "0.1"]
        environment = dict(os.environ, ALI3_SIM=SIM, JOBS="2", HOME=self.folder.name)
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as p:
            deadline = time.monotonic() + 600
            while p.poll() is None and not os.path.exists(self.path("parts/part-1.csv")) and time.monotonic() < deadline:
                time.sleep(0.001)
            os.killpg(p.pid, signal.SIGKILL)
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.good(car, "--batch", sweep, "--quantities", "body.car.position.z", "--output", self.path("one.csv"), "--duration", "0.1")
        self.assertEqual(self.text("parts/sweep.csv"), self.text("one.csv"))
        self.assertEqual(len(self.rows("one.csv")), 1000)

    def lanes_and_single_runs(self, model, sweep, quantities, *more):
        """Rows of both ways are equal byte by byte; returns what --lanes 8 says about its runs."""
        file = self.path("sweep.yaml", sweep)
        command = (model, "--batch", file, "--quantities", quantities, "--output")
        single = sim(*command, self.path("single.csv"), *more, "--lanes", "1")
        lanes = sim(*command, self.path("lanes.csv"), *more, "--lanes", "8")
        self.assertEqual((single.returncode, lanes.returncode), (0, 0), lanes.stderr)
        self.assertEqual(self.text("lanes.csv"), self.text("single.csv"))
        self.assertEqual(lanes.stdout.replace("lanes.csv", "single.csv"), single.stdout)
        return lanes.stderr

    def test_runs_in_lanes_have_the_rows_of_single_runs(self):
        """The number of runs is no multiple of the lanes; quantities of some mechanisms are those of forces and joints, too."""
        models = os.path.join(SWEEPS, "..", "models")
        for model, key, quantities in ((os.path.join(SWEEPS, "quarter_car.yaml"), "forces.strut.damping", "body.*,force.*"),
                                       (os.path.join(models, "four_bar.yaml"), "bodies.B.mass", "body.*"),
                                       (os.path.join(models, "slider_crank.yaml"), "bodies.crank.mass", "*"),
                                       (os.path.join(models, "lab", "bricard.yaml"), "bodies.b2.mass", "body.*.position.*"),
                                       (os.path.join(models, "stewart_platform.yaml"), "bodies.plate.mass", "*"),
                                       (os.path.join(models, "vehicle.yaml"), "bodies.case.mass", "body.*"),
                                       (os.path.join(models, "double_pendulum.yaml"), "bodies.A.mass", "*")):
            sweep = f"parameters: [{{key: model.{key}, from: 1, to: 40, count: 19}}]\n"
            for isa in ("auto", "baseline"):
                said = self.lanes_and_single_runs(model, sweep, quantities, "--duration", "0.3", "--isa", isa)
                self.assertRegex(said, r"\Aali3-sim: 1[6-9] of 19 runs in lanes, side by side[^\n]*\n\Z", (model, isa))

    def test_a_run_that_fails_beside_others_fails_alone(self):
        """Runs of a bundle with values that make no model, that diverge, and that settle."""
        sweep = "parameters: [{key: model.forces.hook.stiffness, values: [500, 600, -1, 1e300, 700, 1e308, 800, 900, 1000]}]\n"
        self.lanes_and_single_runs(self.path("hung.yaml", HUNG.replace("simulation: {start: rest}", "")), sweep, "*", "--duration", "0.5")
        outcomes = [r["outcome"] for r in self.rows("lanes.csv")]
        self.assertEqual((len(outcomes), outcomes[0], outcomes[2]), (9, "ok", "refused"))

    def test_lanes_are_refused_with_a_reason(self):
        """Methods and numbers of iterations that differ."""
        sweep = "parameters: [{key: solver.method, values: [rk4, dp5]}]\n"
        said = self.lanes_and_single_runs(self.path("ball.yaml", BALL), sweep, "body.*", "--duration", "0.5")
        self.assertEqual(said, "ali3-sim: 0 of 2 runs in lanes, side by side; the others one at a time: lanes need the method ali3\n")
        sweep = "parameters: [{key: solver.iterations, from: 3, to: 4, count: 2}]\n"
        said = self.lanes_and_single_runs(self.path("ball.yaml", BALL), sweep, "body.*", "--duration", "0.5")
        self.assertEqual(said, "ali3-sim: 0 of 2 runs in lanes, side by side; the others one at a time: the runs differ in more than numbers\n")

    def test_the_table_and_the_picture(self):
        """Extremes of a mass that is pushed, and of one that is refused, beside the rows of the file."""
        model, push = self.path("model.yaml", SLIDER), self.path("push.csv", PUSH)
        sweep = self.path("sweep.yaml", "parameters: [{key: model.bodies.a.mass, values: [2, 1 kg, -1, 4]}]\n")
        command = [model, "--batch", sweep, "--quantities", "joint.s.*", "--output", self.path("out.csv"), "--inputs", push, "--duration", "1"]
        done = sim(*command)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], f"4 runs: 3 ok, 1 refused; every run is a row of {self.path('out.csv')}")
        rows = self.rows("out.csv")
        names = [n for n in rows[0] if n.startswith("joint.s.")]
        self.assertEqual([line.split()[0] for line in lines[2:]], names)
        final = next(line for line in lines if line.startswith("joint.s.position.final "))
        least, greatest, rest = final.split(None, 3)[1:]
        values = [float(r["joint.s.position.final"]) for r in rows if r["joint.s.position.final"]]
        self.assertEqual((least, greatest), (f"{min(values):.6g}", f"{max(values):.6g}"))
        self.assertEqual(rest, "run 3, mass 4; run 1, mass 1 kg")
        # A shard is a part; rows that a batch has already count.
        self.assertEqual(sim(*command[:-4], "--output", self.path("part.csv"), *command[-4:], "--shard", "0/2").stdout, "")
        self.assertEqual(sim(*command, "--resume").stdout, done.stdout)
        self.assertEqual(sim(*command, "--shard", "0/2", "--png", self.path("out.png")).returncode, 2)
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        drawn = sim(*command, "--png", self.path("out.png"))
        self.assertEqual((drawn.returncode, drawn.stdout), (0, done.stdout), drawn.stderr)
        with open(self.path("out.png"), "rb") as f:
            self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sim(*command, "--png", "/nowhere/x.png").returncode, 2)

    def test_a_stopped_batch_says_how_to_go_on(self):
        long = self.command("long.csv")[:-1] + ("1e6",)
        with subprocess.Popen([SIM, *long], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as p:
            deadline = time.monotonic() + 600
            while not os.path.exists(self.path("long.csv")) and time.monotonic() < deadline:
                time.sleep(0.01)
            p.send_signal(signal.SIGTERM)
            said = p.communicate()[1]
        self.assertEqual((p.returncode, said), (1, "ali3-sim: the file has 0 of 1000 runs of the shard; go on by --resume\n"))

    def test_a_stimulus_is_a_parameter(self):
        """Each run plays its own file; a force that rises by f N in a second gives 1 kg a velocity of f/2 m/s, and f/8 m/s at half of it."""
        for force in (1, 5):
            self.path(f"rise{force}.csv", f"time,input.push.force.x\n0,0\n1,{force}\n")
        model = self.path("pushed.yaml", "model:\n  bodies: [{name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]\n"
                          "inputs: [{name: push, body: b, policy: hold}]\nstimulus: [{name: road, file: rise1.csv, start: motion}]\n")
        sweep = "parameters:\n  - {key: stimulus.road.file, values: [rise1.csv, rise5.csv]}\n"
        self.good(*self.command("forces.csv", sweep, model, "body.b.velocity.x@0.5:1")[:-1], "1")
        rows = self.rows("forces.csv")
        self.assertEqual([r["stimulus.road.file"] for r in rows], ["rise1.csv", "rise5.csv"])
        for force, row in zip((1, 5), rows):
            self.assertAlmostEqual(float(row["body.b.velocity.x@0.5:1.max"]), force / 2, places=9)
            self.assertAlmostEqual(float(row["body.b.velocity.x@0.5:1.min"]), force / 8, places=9)

    def test_a_run_with_impossible_values_has_a_row(self):
        sweep = "parameters:\n  - {key: model.bodies.ball.mass, values: [1, -1, 2]}\n"
        done = sim(*self.command("r.csv", sweep, self.path("ball.yaml", BALL), "body.ball.position.y"))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "ali3-sim: run 1 is refused:\n--set model.bodies.ball.mass=-1: error: mass: expected a number "
                                      ">= 0 (kg), found -1\n")
        rows = self.rows("r.csv")
        self.assertEqual([r["outcome"] for r in rows], ["ok", "refused", "ok"])
        self.assertEqual(set(list(rows[1].values())[4:]), {"0", ""})
        # A mistake of the first run is a mistake of the sweep.
        done = sim(*self.command("r.csv", sweep.replace("ball.mass", "bal.mass"), self.path("ball.yaml", BALL)))
        self.assertEqual(done.returncode, 2)
        self.assertIn('did you mean "ball"?', done.stderr)

    def test_each_run_starts_at_its_own_rest(self):
        sweep = "parameters: [{key: model.bodies.ball.mass, values: [1, 2, 4]}]\n"
        done = sim(*self.command("rest.csv", sweep, self.path("hung.yaml", HUNG), "body.ball.position.y,body.ball.velocity.y"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for row, mass in zip(self.rows("rest.csv"), (1, 2, 4)):  # the spring carries the weight from the first step on
            for key, value in row.items():
                if key.endswith("settling_time"):  # of rounding, where a velocity is 0
                    self.assertTrue(float(value) == 0 or "velocity" in key, key)
                elif key == "body.ball.position.y.peak_to_peak":
                    self.assertAlmostEqual(float(value), 0, 9, key)
                elif key.startswith("body.ball.position.y"):
                    self.assertAlmostEqual(float(value), 5 - mass * 10 / 500, 9, key)
                elif key.startswith("body.ball.velocity.y"):
                    self.assertAlmostEqual(float(value), 0, 9, key)
        done = sim(*self.command("none.csv", "parameters: [{key: model.forces.hook.stiffness, values: [500, 0]}]\n", self.path("hung.yaml"),
                                 "body.ball.position.y"))
        self.assertEqual([r["outcome"] for r in self.rows("none.csv")], ["ok", "refused"])
        self.assertIn('nothing holds body "ball"', done.stderr)

    def test_mistakes_of_a_sweep_have_their_place(self):
        for text, place, said in (
                ("seed: x\nparameters: [{key: a, values: [1]}]", "1:7", "seed: expected a whole number from 0 to 2147483647, found x"),
                ("parameters: []", "1:1", 'expected a mapping with the list "parameters"'),
                ("repeat: 3\nparameters: [{key: a, values: [1]}]", "1:1", 'unknown key "repeat"'),
                ("parameters: [{key: a}]", "1:14", "expected one of the keys values, from, uniform and normal, found 0"),
                ("parameters: [{key: a, values: []}]", "1:31", "values: expected a list of one or more"),
                ("parameters: [{key: a, from: 1, to: 2}]", "1:14", 'missing key "count" beside "from"'),
                ("parameters: [{key: a, from: 0, to: 2, count: 3, log: true}]", "1:14", "log: expected from and to above 0"),
                ("parameters: [{key: a, uniform: [2, 1]}]", "1:32", "uniform: expected the smaller number first, found 2 and 1"),
                ("parameters: [{key: a, normal: [2]}]", "1:31", "normal: expected two numbers, [mean, standard deviation]")):
            with self.subTest(text):
                run = sim(*self.command("x.csv", text))
                self.assertEqual(run.returncode, 2)
                self.assertTrue(run.stderr.startswith(f"{self.path('sweep.yaml')}:{place}: error: {said}"), run.stderr)
                self.assertFalse(os.path.exists(self.path("x.csv")))

    def test_options_that_do_not_go_together(self):
        sweep = self.path("sweep.yaml", SWEEP)
        for arguments in ((CAR, "--shard", "0/2"), (CAR, "--batch", sweep), (CAR, "--batch", sweep, "--output", self.path("x.csv")),
                          (*self.command("x.csv"), "--summary", "-"), (*self.command("x.csv"), "--workers", "1"),
                          (*self.command("x.csv"), "--shard", "2/2"), ("merge", sweep)):
            run = sim(*arguments)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertRegex(run.stderr, r"\Aali3-sim: (--|merge).*: expected .*, found ")

    def test_tables_of_inputs_play_in_every_run(self):
        """A sweep of a driven machine has the figures of its single runs."""
        self.path("w.csv", PUSH)
        model = self.path("stimulus.yaml", SLIDER + "stimulus: [{name: w, file: w.csv, start: motion}]\n")
        bare = self.path("bare.yaml", SLIDER)
        what = ("--duration", "1", "--quantities", "joint.s.position")
        for file, inputs in ((model, ()), (bare, ("--inputs", self.path("w.csv")))):
            single = [json.loads(sim(file, *what, *inputs, "--summary", "-", "--set", f"model.bodies.a.mass={mass}").stdout)
                      ["quantities"]["joint.s.position"]["final"] for mass in (1, 2)]
            self.assertTrue(0.98 < single[0] < 1.02, single)
            for jobs in ("1", "2"):
                self.good(file, *what, *inputs, "--batch", self.path("masses.yaml", MASSES), "--jobs", jobs,
                          "--output", self.path("masses.csv"))
                self.assertEqual([float(row["joint.s.position.final"]) for row in self.rows("masses.csv")], single)
        done = sim(bare, *what, "--inputs", self.path("none.csv"), "--batch", self.path("masses.yaml"), "--output", self.path("o.csv"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.csv", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
