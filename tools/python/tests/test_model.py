# SPDX-License-Identifier: MIT
"""Models and runs of the package ali3: bits of ali3-sim, wrong calls, lifetimes, memory, threads, analysis."""
import math
import os
import pathlib
import pickle
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools" / "python"))
import ali3  # noqa: E402

MODELS = sorted((ROOT / "config" / "models").glob("*.yaml"))
REFERENCES = sorted((ROOT / "tests" / "reference").glob("*.json"))
QUARTER_CAR = ROOT / "config" / "models" / "quarter_car.yaml"
PENDULUM = ROOT / "config" / "models" / "sprung_pendulum.yaml"


def simulate(file, steps, dt, folder):
    """The first and the last row of ali3-sim, by name."""
    out = pathlib.Path(folder, "out.csv")
    done = subprocess.run([os.environ.get("ALI3_SIM", "ali3-sim"), str(file), "--duration", repr(steps * dt), "--every", str(steps), "--output", str(out),
                           "--summary", os.devnull], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        return None
    names, *rows = [line.split(",") for line in out.read_text().splitlines()]
    return [dict(zip(names, map(float, row))) for row in rows]


class Version(unittest.TestCase):
    def test_it_is_that_of_the_library(self):
        self.assertEqual(ali3.__version__, ali3.library_version())


class Names(unittest.TestCase):
    def test_every_type_has_the_signals_of_ali3_sim(self):
        """signals.yaml has every type of element. Its run need not succeed: ali3-sim writes the names first."""
        file = ROOT / "tests" / "man" / "signals.yaml"
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out.csv")
            subprocess.run([os.environ.get("ALI3_SIM", "ali3-sim"), str(file), "--duration", "0.01", "--output", str(out)], capture_output=True,
                           check=False)
            columns = out.read_text().splitlines()[0].split(",")
        of_model = [c for c in columns if not c.startswith(("input.", "platform.", "rig."))]
        self.assertEqual(ali3.Model.load(file).signals, of_model)


class Bits(unittest.TestCase):
    """The numbers of ali3-sim, to the last bit."""

    def test_all_models(self):
        compared = 0
        for file in [*MODELS, *REFERENCES]:
            with self.subTest(file.name), tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore", ali3.NotConvergedWarning)
                if file.suffix == ".json" and '"model"' not in file.read_text():
                    continue
                model = ali3.Model.load(file)
                data = model.data()
                rows = simulate(file, 1000, model.dt, folder)
                if rows is None:
                    with self.assertRaises(ali3.DivergedError):
                        data.step(1000)
                    continue
                self.assertEqual([n for n in rows[0] if n in set(model.signals)], model.signals)
                for row in rows:
                    for name, value in zip(model.signals, data.observe()):
                        if name == "solver.status" and row is rows[0]:
                            continue  # of the reset
                        self.assertEqual(value.hex(), row[name].hex(), name)
                        compared += 1
                    if row is rows[0]:
                        data.step(1000)
        self.assertGreater(compared, 10000)

    def test_a_state_goes_on_in_another_process(self):
        data = ali3.Model.load(PENDULUM).data()
        data.step(50)
        raw = pickle.dumps(data)
        code = "import pickle, sys; d = pickle.load(sys.stdin.buffer); d.step(50); sys.stdout.buffer.write(d.state())"
        other = subprocess.run([sys.executable, "-c", code], input=raw, capture_output=True, check=True,
                               env={**os.environ, "PYTHONPATH": str(ROOT / "tools" / "python")}).stdout
        self.assertEqual(pickle.loads(raw).state(), data.state())
        data.step(50)
        self.assertEqual(other, data.state())

    def test_denormals_stay_as_numpy_has_them(self):
        data = ali3.Model.load(PENDULUM).data()
        data.step(10)
        self.assertGreater(np.float64(5e-324) + np.float64(0.0), 0.0)


class Wrong(unittest.TestCase):
    """Every mistake is an exception."""

    def test_500_wrong_calls(self):
        model = ali3.Model.load(QUARTER_CAR)
        data, closed = model.data(), model.data()
        closed.close()
        rng = random.Random(5)
        bad_names = ["", "nobody", "bodyx", "body..x", "ground\0", "é", "body.car"]
        bad_index = [-1, -2, 99, 2**40, 1.5, float("nan"), None, b"body", "x" * 1000]
        bad_vectors = [(), (1, 2), (1, 2, 3, 4), "abc", None, [[1, 2, 3]], ["a", "b", "c"]]
        element = lambda: rng.choice(bad_names + bad_index)  # noqa: E731
        calls = [
            lambda: data.wrench(element()), lambda: data.wrench("body", force=rng.choice(bad_vectors[:5] + bad_vectors[5:])),
            lambda: data.load_vector(element(), (0, 0, 0)), lambda: data.command(element(), 1.0), lambda: data.command("spring", 1.0),
            lambda: data.command("road", rng.choice(["x", None, []])), lambda: data[rng.choice(bad_names)], lambda: data.point(element(), (0, 0, 0)),
            lambda: data.body(element()), lambda: data.step(rng.choice([-1, 2**31, 0.5, 1e300])), lambda: data.load(rng.choice([b"", b"x" * 100, data.state()[:-1], 3, None])),
            lambda: data.input(rng.choice(["nobody", ""]), 1.0), lambda: data.input("road"), lambda: data.input("road", force=(1, 2, 3)),
            lambda: data.observe(np.zeros(rng.choice([0, 3]))), lambda: data.observe(np.zeros(len(model.signals), dtype=np.float32)),
            lambda: data.freedoms([element()]), lambda: data.freedoms(["plate"]), lambda: data.freedoms().jacobian("body", rng.choice(bad_vectors)),
            lambda: data.freedoms().twist(element()), lambda: data.linearise([rng.choice(bad_names)]), lambda: data.linearise(outputs=[rng.choice(bad_names)]),
            lambda: data.linearise(outputs=["energy.total"]), lambda: data.place({"nobody": {}}), lambda: data.place({"body": {"position": (1, 2)}}),
            lambda: data.place({"body": {"colour": (1, 2, 3)}}), lambda: data.place({"body": {"orientation": (0, 0, 0, 0)}}),
            lambda: data.place({"body": {"position": (math.nan, 0, 0)}}), lambda: data.place({}, time=rng.choice([-1, math.nan, math.inf])),
            lambda: closed.step(), lambda: closed.state(), lambda: closed["time"], lambda: closed.equilibrium(), lambda: closed.modes(),
            lambda: ali3.Model(rng.choice([b"", b"ALI3", model.flat[:-8], model.flat + b"x", 5, None])), lambda: ali3.Data(rng.choice([None, 5, "x"])),
            lambda: model.data(rng.choice([b"", b"state", 7])), lambda: ali3.Model.load("/nonexistent.yaml"),
        ]
        state = data.state()
        for i in range(500):
            call = calls[i % len(calls)]
            with self.assertRaises((ali3.Ali3Error, KeyError, IndexError, TypeError, ValueError, OverflowError), msg=f"call {i % len(calls)}"):
                call()
        self.assertEqual(data.state(), state)
        data.step()

    def test_a_closed_model_ends_its_data(self):
        model = ali3.Model.load(PENDULUM)
        data, freedoms = model.data(), model.data().freedoms()
        model.close()
        for call in (data.step, data.state, freedoms.mass, model.data, lambda: model.name):
            with self.assertRaises(ali3.Ali3Error):
                call()

    def test_two_threads_on_one_data(self):
        data = ali3.Model.load(PENDULUM).data()
        errors = []

        def hold():
            with data._use():
                entered.set()
                release.wait(10)

        entered, release = threading.Event(), threading.Event()
        thread = threading.Thread(target=hold)
        thread.start()
        entered.wait(10)
        try:
            data.step()
        except ali3.Ali3Error as e:
            errors.append(str(e))
        release.set()
        thread.join()
        self.assertIn("another thread", errors[0])

    def test_without_the_library(self):
        done = subprocess.run([sys.executable, "-c", "import ali3"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(ROOT / "tools" / "python"), "ALI3_LIBRARY": "/nonexistent/libali3.so.0"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("install the package libali3-0", done.stderr.splitlines()[-1])

    def test_a_step_that_fails_says_where(self):
        data = ali3.Model.load(PENDULUM).data()
        data.wrench("bob", force=(math.nan, 0, 0))
        with self.assertRaises(ali3.DivergedError) as caught:
            data.step()
        self.assertIn("bob", str(caught.exception))


class Runs(unittest.TestCase):
    def test_memory_of_models_and_data(self):
        raw = ali3.Model.load(PENDULUM).flat
        most = []
        for i in range(4000):
            data = ali3.Model(raw).data()
            data.step()
            if i in (1000, 3999):
                most.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
            del data
        self.assertLess(most[1] - most[0], 2048)

    def test_two_threads_step_at_once(self):
        """The lock of the interpreter is free during steps."""
        model = ali3.Model.load(ROOT / "tests" / "reference" / "chain_128.json")
        data = [model.data(), model.data()]
        steps = 3000
        begin = time.perf_counter()
        data[0].step(steps)
        one = time.perf_counter() - begin
        begin = time.perf_counter()
        threads = [threading.Thread(target=d.step, args=(steps,)) for d in data]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        gain = 2 * one / (time.perf_counter() - begin)
        print(f"two threads: {gain:.2f} times the steps of one")
        if os.environ.get("ALI3_JUDGE_TIMES"):
            self.assertGreater(gain, 1.8)

    def test_inputs_of_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "push.yaml")
            file.write_text("model: {bodies: [{name: stone, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}]}\n"
                            "inputs: [{name: push, body: stone}]\n")
            data = ali3.Model.load(file).data()
            data.input("push", force=(4, 0, 0), torque=(0, 0, 3))
            data.step(100)
            np.testing.assert_allclose(data["body.stone.acceleration"], [2, 0, 0])
            np.testing.assert_allclose(data["body.stone.angular_acceleration"], [0, 0, 3])

    def test_sweep(self):
        rows = ali3.sweep(QUARTER_CAR, {"parameters.m_body": [300, 320], "solver.iterations": [3, 4]}, 0.1, ["body.body.position.z"])
        self.assertEqual([(r["parameters.m_body"], r["solver.iterations"]) for r in rows], [(300, 3), (300, 4), (320, 3), (320, 4)])
        again = ali3.sweep(QUARTER_CAR, {"parameters.m_body": [300, 320], "solver.iterations": [3, 4]}, 0.1, ["body.body.position.z"], processes=2)
        self.assertEqual(rows, again)


class Analysis(unittest.TestCase):
    def test_mass_and_jacobian(self):
        data = ali3.Model.load(ROOT / "config" / "models" / "six_axis_arm.yaml").data()
        f = data.freedoms(drives_free=True)
        u = np.linspace(-1, 1, f.count)
        energy = sum(0.5 * ((f.twist(b)[:3] @ u)**2).sum() * 0 for b in data.model.bodies)
        self.assertEqual(energy, 0)
        self.assertGreater(np.linalg.eigvalsh(f.mass()).min(), 0)
        body = data.model.bodies[-1]
        np.testing.assert_allclose(f.jacobian(body, (0, 0, 0)), f.twist(body))

    def test_equilibrium_and_modes(self):
        data = ali3.Model.load(PENDULUM).data()
        report = data.equilibrium()
        self.assertEqual(report["unstable"], 0)
        modes = data.modes()
        linear = data.linearise(inputs=["body.bob.force.y"], outputs=["body.bob.position"], joints=["pivot"])
        self.assertEqual(linear.C.shape, (3, len(linear.A)))
        poles = np.abs(np.linalg.eigvals(linear.A))
        for mode in modes:
            if mode.frequency > 0:
                self.assertLess(np.abs(poles / (2 * np.pi * mode.frequency) - 1).min(), 2e-3)
        before = data["body.bob.position"]
        data.step(500)
        np.testing.assert_allclose(data["body.bob.position"], before, atol=1e-8)

    def test_no_equilibrium(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "stone.yaml")
            file.write_text("model: {gravity: [0, 0, -9.81], bodies: [{name: stone, mass: 2, inertia: [1, 1, 1], position: [0, 0, 0]}]}\n")
            with self.assertRaises(ali3.NoEquilibriumError) as caught:
                ali3.Model.load(file).data().equilibrium()
            self.assertIn('"stone"', str(caught.exception))


if __name__ == "__main__":
    unittest.main()
