# SPDX-License-Identifier: MIT
"""The package ali3 against daemons of its own, its example programs, and its types."""
import importlib.util
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "tools" / "python"
sys.path.insert(0, str(PACKAGE))
import ali3  # noqa: E402

LOCKSTEP = ROOT / "config" / "guides" / "lockstep.yaml"
TIMER = """
model:
  gravity: [0, 0, -9.81]
  bodies: [{name: mass, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]
  forces: [{name: spring, type: spring_damper, body_a: ground, body_b: mass, point_a: [0, 0, 1], stiffness: 500, damping: 5}]
inputs: [{name: push, body: mass, hold: 60, policy: safe}]
state: {keep: 2}
"""

REST = """
model:
  gravity: [0, -9.81, 0]
  bodies: [{name: arm, mass: 2, inertia: [0.01, 0.17, 0.17], position: [0.5, 0, 0]}]
  joints: [{name: pivot, type: revolute, body_a: ground, body_b: arm, at: [0, 0, 0], axis: [0, 0, 1]}]
  forces: [{name: turn, type: joint_spring, joint: pivot, stiffness: 5, damping: 0.5}]
simulation: {start: rest}
"""


def run_example(name, *words):
    return subprocess.run([sys.executable, str(PACKAGE / "examples" / name), *words], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)})


class OnABench(unittest.TestCase):
    def test_lockstep_has_the_bits_of_a_model(self):
        data = ali3.Model.load(LOCKSTEP).data()
        with ali3.Daemon(LOCKSTEP) as daemon, ali3.Bench(daemon.address) as b:
            b.reset()
            for n in range(20):
                b.input("motor", 0.5 * n)
                values = b.step()
                data.input("motor", 0.5 * n)
                data.step()
                self.assertEqual(float(values["joint.pivot.position"]).hex(), data["joint.pivot.position"].hex())
            self.assertEqual(values["body.pole.position"].tolist(), data["body.pole.position"].tolist())

    def test_timer_states_parameters_and_inputs(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "mass.yaml")
            file.write_text(TIMER)
            with ali3.Daemon(file, lockstep=False) as daemon:
                with ali3.Bench(daemon.address) as b:
                    b.wait(state="RUNNING")
                    b.input("push", force=(5, 0, 0))
                    b.wait(lambda v: "body.mass.position" in v and v["body.mass.position"][0] > 1e-3)
                    self.assertEqual(b.param["force.spring.damping"], 5)
                    b.param["force.spring.damping"] = 7.5
                    self.assertEqual(b.param["force.spring.damping"], 7.5)
                    with self.assertRaises(ali3.BenchError) as caught:
                        b.param["force.spring.dampness"] = 1
                    self.assertIn("bad argument", str(caught.exception))
                    b.pause()
                    b.wait(state="PAUSED")
                    b.save_state("here")
                    b.run()
                    b.wait(state="RUNNING")
                    with self.assertRaises(ali3.BenchError):
                        b.load_state("here")  # in RUNNING
                    b.estop()
                    b.wait(state="SAFE")
                    with self.assertRaises(ali3.BenchError):
                        b.run()
                    b.reset()
                    b.wait(state="STOPPED")
                with self.assertRaises(ali3.Ali3Error):
                    b.step()
                # nothing is sent any more: the input ages
                with ali3.Bench(daemon.address, streams=["input"]) as c:
                    self.assertEqual(c.state, "STOPPED")

    def test_a_file_that_starts_at_rest(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "rest.yaml")
            file.write_text(REST)
            data = ali3.Model.load(file).data()
            data.equilibrium()
            with ali3.Daemon(file) as daemon, ali3.Bench(daemon.address) as b:
                self.assertAlmostEqual(b.step(100)["joint.pivot.position"], data["joint.pivot.position"], 10)
                b.param["force.turn.stiffness"] = 8
                b.reset()
                values = b.step()  # the rest of the changed model
                self.assertGreater(values["joint.pivot.position"], data["joint.pivot.position"] + 0.1)
                self.assertAlmostEqual(values["joint.pivot.velocity"], 0, 10)
            file.write_text(TIMER.split("  forces")[0] + "simulation: {start: rest}\n")
            with self.assertRaises(ali3.BenchError) as caught:
                ali3.Daemon(file)
            self.assertIn('nothing holds body "mass"', str(caught.exception))

    def test_nobody_answers(self):
        with self.assertRaises(ali3.BenchError) as caught:
            ali3.Bench("127.0.0.1:9", timeout=0.5).open()
        self.assertIn("is ali3d running", str(caught.exception))

    def test_another_program_takes_the_port(self):
        """Between the search for a free port and the start of the daemon; the next try takes another one."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            ports = iter([taken.getsockname()[1], ali3.bench._free_port(socket.SOCK_DGRAM)])
            with mock.patch("ali3.bench._free_port", lambda kind: next(ports)), ali3.Daemon(LOCKSTEP) as daemon, ali3.Bench(daemon.address) as b:
                self.assertEqual(b.state, "RUNNING")

    def test_a_repeated_input_is_the_newest(self):
        """The thread that repeats inputs sends no old value after a newer one: the daemon keeps what came last."""
        b = ali3.Bench()
        sent = []
        slow = threading.Event()

        def send(packet):
            sent.append(packet)
            if packet == b"old":
                slow.set()
                time.sleep(0.1)  # held up in the middle of a repetition
        b._send, b._open, b._streams = send, True, ()
        b._inputs["a/value"] = b"old"
        b._inputs["b/value"] = b"old"
        repeats = threading.Thread(target=b._keep)
        repeats.start()
        self.assertTrue(slow.wait(300))
        b.input("a", 1.0)
        b.input("b", 2.0)
        newest = {name: b._inputs[f"{name}/value"] for name in "ab"}
        b._open = False
        repeats.join()
        for name in "ab":
            after = sent[sent.index(newest[name]) + 1:]
            self.assertNotIn(b"old", after)

    def test_a_daemon_that_does_not_start(self):
        with self.assertRaises(ali3.BenchError) as caught:
            ali3.Daemon(ROOT / "LICENSE")
        self.assertIn("error", str(caught.exception))


class Examples(unittest.TestCase):
    def test_sweep(self):
        done = run_example("sweep.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = done.stdout.splitlines()
        self.assertEqual(len(rows), 6)
        for row, rate in zip(rows, (18e3, 18e3, 22e3, 22e3, 26e3, 26e3)):
            self.assertIn(f"sinks {1000 * (500 / rate + 500 / 190e3):6.2f} mm", row)

    def test_lockstep(self):
        first, again = run_example("lockstep.py", "300"), run_example("lockstep.py", "300")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("t 3.00 s", first.stdout)
        self.assertEqual(first.stdout, again.stdout)

    def test_bode(self):
        done = run_example("bode.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("   0.100    1.0", done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 15)

    def test_controller(self):
        done = run_example("controller.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("unstable motions 1", done.stdout)

    def test_recording(self):
        recorder = os.environ.get("ALI3_RECORD", "ali3-record")
        if importlib.util.find_spec("h5py") is None or not shutil.which(recorder):
            self.skipTest("no h5py or no ali3-record")
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "run.h5")
            with ali3.Daemon(LOCKSTEP) as daemon, ali3.Bench(daemon.address) as b:
                record = subprocess.Popen([recorder, daemon.instance, "--once", str(out), "--anyway"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                b.reset()
                end = time.monotonic() + 300
                while not out.with_name("run.h5.part").exists() and time.monotonic() < end:
                    b.step()
                for _ in range(300):
                    b.step()
                record.terminate()
                errors = record.communicate(timeout=60)[1]
            self.assertTrue(out.exists(), errors)
            done = run_example("read_recording.py", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"lockstep: \d+ rows")
        self.assertIn("pole moves up to", done.stdout)

    def test_acceptance_test(self):
        if importlib.util.find_spec("pytest") is None:
            self.skipTest("no pytest")
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "ali3.pytest_plugin", "-p", "no:cacheprovider", str(PACKAGE / "examples" / "test_bench.py")],
                              capture_output=True, text=True, timeout=300, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("3 passed", done.stdout)


class Types(unittest.TestCase):
    def test_mypy(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("no mypy")
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "ali3", *sorted(str(p) for p in (PACKAGE / "examples").glob("*.py"))],
                                  cwd=PACKAGE, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
