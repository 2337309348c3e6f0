#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_motor.py ALI3-SIM ALI3D: electric motors, against the matrix exponential of their linear equations: order, energy, limits, a
gear with inertia and friction, bits, states, methods."""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

SIM, DAEMON = sys.argv.pop(1), sys.argv.pop(1)
ARM = pathlib.Path(__file__).resolve().parents[2] / "config" / "models" / "geared_motor.yaml"
R, L, K, ROTOR, LOAD, RATIO, VISCOUS, VOLTAGE = 0.8, 2e-3, 0.15, 3e-4, 0.4, 30.0, 0.2, 24.0

GEARED = f"""
model:
  bodies:
    - {{name: rotor, mass: 0.8, inertia: [1e-3, 1e-3, {ROTOR}], position: [0, 0, 0.2]}}
    - {{name: load, mass: 5, inertia: [1, 1, {LOAD}], position: [0, 0, 0]}}
  joints:
    - {{name: shaft, type: revolute, body_a: ground, body_b: rotor, at: [0, 0, 0.2], axis: [0, 0, 1]}}
    - {{name: table, type: revolute, body_a: ground, body_b: load, at: [0, 0, 0], axis: [0, 0, 1]}}
  forces:
    - {{name: motor, type: electric_motor, joint: shaft, resistance: {R}, inductance: {L}, constant: {K}}}
    - {{name: gear, type: gear, joint: shaft, joint_b: table, ratio: {RATIO}}}
    - {{name: oil, type: friction, joint: table, damping: {VISCOUS}}}
inputs: [{{name: motor, force: motor}}]
"""
SIGNALS = "joint.shaft.velocity,force.motor.current,energy.total,force.motor.supplied,force.motor.lost,joint.table.velocity"


def exact(seconds):
    """Rate of the rotor and current at constant voltage from rest."""
    J = ROTOR + LOAD / RATIO**2
    M = numpy.array([[-VISCOUS / RATIO**2 / J, K / J], [-K / L, -R / L]])
    steady = -numpy.linalg.solve(M, [0, VOLTAGE / L])
    values, vectors = numpy.linalg.eig(M)
    return (steady - vectors @ (numpy.exp(values * seconds) * numpy.linalg.solve(vectors, steady))).real


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


class Motor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model, self.inputs = self.folder / "geared.yaml", self.folder / "inputs.csv"
        self.model.write_text(GEARED)
        self.inputs.write_text(f"time,input.motor.value\n0,{VOLTAGE}\n9,{VOLTAGE}\n")

    def rows(self, model, *words, signals=SIGNALS):
        out = self.folder / "out.csv"
        done = run(SIM, model, "--inputs", self.inputs, "--signals", signals, "--output", out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, encoding="utf-8") as f:
            head, *rows = csv.reader(f)
        names = head if "*" in signals else signals.split(",")
        return numpy.array(rows, dtype=float)[:, [head.index(n) for n in names]]

    def test_order(self):
        """Rate and current of a geared motor with friction converge to the closed form with the order of each method."""
        scale = numpy.array([100, 10])
        for words, order, within in (((), 2, 1e-2), (("--extrapolate",), 4, 1e-4), (("--method", "energy"), 2, 1e-2)):
            with self.subTest(words=words):
                off = [numpy.abs(self.rows(self.model, "--dt", dt, "--duration", 0.016, *words)[-1, :2] - exact(0.016)).__truediv__(scale).max()
                       for dt in (0.001, 0.0005, 0.00025)]
                self.assertLess(off[0], within)
                for coarse, fine in zip(off, off[1:]):
                    self.assertGreater(math.log2(coarse / fine), order - 0.3)

    def test_coarse_steps(self):
        """At 10 ms, four time constants of the winding, the motor comes to its rate without ringing."""
        for words in ((), ("--extrapolate",), ("--method", "energy")):
            x = self.rows(self.model, "--dt", 0.01, "--duration", 2, *words)
            self.assertLess(abs(x[-1, 0] - exact(2)[0]), 1e-2)
            self.assertLess(abs(x[-1, 1] - exact(2)[1]), 1e-3)
            self.assertLess(numpy.abs(x[:, 0]).max(), 1.02 * exact(2)[0])
            self.assertLess(numpy.abs(numpy.diff(x[20:, 1], 2)).max(), 0.02)

    def test_energy(self):
        """total - supplied + lost falls by the heat of the friction, which is that of its rate."""
        for words in ((), ("--extrapolate",), ("--method", "energy")):
            off = []
            for dt in (0.001, 0.0005):
                x = self.rows(self.model, "--dt", dt, "--duration", 0.1, *words)
                heat = VISCOUS * x[:, 5] ** 2
                heat = dt * (heat.sum() - 0.5 * (heat[0] + heat[-1]))
                off.append(abs(x[-1, 2] - x[-1, 3] + x[-1, 4] + heat))
                self.assertGreater(x[-1, 3], 10)
            self.assertLess(off[0], 0.05)
            self.assertLess(off[1], max(0.4 * off[0], 1e-6))

    def test_limits(self):
        """A current limit is a torque limit: a constant acceleration."""
        self.model.write_text(GEARED.replace(f"constant: {K}", f"constant: {K}, max_current: 4").replace(f"damping: {VISCOUS}", "damping: 1e-9"))
        x = self.rows(self.model, "--dt", 0.001, "--duration", 0.06)
        rise = numpy.diff(x[20:60, 0]) / 0.001
        self.assertLess(numpy.abs(x[:, 1]).max(), 4 + 1e-12)
        self.assertLess(numpy.abs(rise - K * 4 / (ROTOR + LOAD / RATIO**2)).max(), 1e-3 * rise.max())

    def test_bits(self):
        """0 to 3 workers, and a run from a saved state, have equal bits; the conversion of a state keeps the current."""
        state = self.folder / "state"
        self.inputs.write_text("time,input.motor.value\n0,30\n9,30\n")
        for words in ((), ("--extrapolate",), ("--method", "energy")):
            every = "force.*,joint.*,energy.*"
            whole = self.rows(ARM, "--duration", 2, *words, signals=every)
            for workers in (1, 2, 3):
                self.assertTrue((self.rows(ARM, "--duration", 2, "--workers", workers, *words, signals=every) == whole).all())
            self.rows(ARM, "--duration", 1, "--state-out", state, *words, signals=every)
            later = self.rows(ARM, "--inputs-time", "simulated", "--duration", 1, "--state-in", state, *words, signals=every)
            self.assertTrue((later[1:] == whole[101:]).all())

    def test_explicit_methods(self):
        done = run(SIM, ARM, "--method", "rk4")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the method rk4 cannot follow the oil of cylinders, the current of motors and the tread of tyres, and force 'motor' is of type electric_motor",
                      done.stderr)

    def test_report(self):
        """The report has what the motor took and lost."""
        energy = json.loads(run(SIM, self.model, "--inputs", self.inputs, "--duration", 0.2, "--summary", "-").stdout)["energy"]
        self.assertGreater(energy["supplied"], energy["lost"])
        self.assertGreater(energy["lost"], 10)


if __name__ == "__main__":
    unittest.main()
