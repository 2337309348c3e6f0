#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_hydraulics.py ALI3-SIM ALI3D: hydraulic cylinders, against an integration of their textbook equations in numpy with small
steps, whose states are pressures: order, energy, holding, bits, states, methods."""
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
LOADER = pathlib.Path(__file__).resolve().parents[2] / "config" / "models" / "wheel_loader_lift.yaml"

E, BORE, ROD, RETRACTED, STROKE, DEAD, DAMPING, MASS, G = 1.4e9, 0.08, 0.05, 0.7, 0.6, 1e-4, 2000.0, 2000.0, 9.81
SUPPLY, TANK, FLOW, DROP, OVERLAP, LAG, LEAKAGE = 160e5, 2e5, 1e-3, 5e5, 0.05, 0.02, 1e-13
A = math.pi / 4 * BORE**2
B = A - math.pi / 4 * ROD**2
P_B = 40e5  # at the start
P_A = (MASS * G + P_B * B) / A

PRESS = f"""
model:
  gravity: [0, 0, -{G}]
  bodies: [{{name: slide, mass: {MASS}, inertia: [100, 100, 100], position: [0, 0, 1]}}]
  joints: [{{name: guide, type: prismatic, body_a: ground, body_b: slide, at: [0, 0, 1], axis: [0, 0, 1]}}]
  forces:
    - {{name: ram, type: hydraulic_cylinder, body_a: ground, body_b: slide, bore: {BORE}, rod: {ROD}, retracted: {RETRACTED}, stroke: {STROKE},
       damping: {DAMPING}, supply: {SUPPLY}, tank: {TANK}, flow: {FLOW}, overlap: {OVERLAP}, lag: {LAG}, leakage: {LEAKAGE}}}
inputs: [{{name: valve, force: ram}}, {{name: push, body: slide}}]
"""
STARTED = f"lag: {LAG}, pressure_a: {P_A!r}, pressure_b: {P_B!r}"
SIGNALS = "force.ram.length,body.slide.velocity.z,force.ram.pressure_a,force.ram.pressure_b,energy.total,force.ram.supplied,force.ram.lost"
COMMAND = 0.4



def through(opening, drop):
    laminar = 0.01 * DROP
    return opening * FLOW / math.sqrt(DROP) * drop / (drop * drop + laminar * laminar) ** 0.25


def opening(spool):
    return min(1.0, max(0.0, (spool - OVERLAP) / (1.0 - OVERLAP)))


def textbook(y, u, lag):
    """Derivatives of length, rate, both pressures and the spool: p' = (E Q - (E + p) V')/V."""
    x, v, a, b, spool = y
    Va, Vb = DEAD + A * (x - RETRACTED), DEAD + B * (STROKE - (x - RETRACTED))
    spool = spool if lag else u
    up, down = opening(spool), opening(-spool)
    leak = LEAKAGE * (a - b)
    Qa = through(up, SUPPLY - a) - through(down, a - TANK) - leak
    Qb = through(down, SUPPLY - b) - through(up, b - TANK) + leak
    return numpy.array([v, (a * A - b * B - DAMPING * v) / MASS - G, (E * Qa - (E + a) * A * v) / Va, (E * Qb + (E + b) * B * v) / Vb,
                        (u - spool) / lag if lag else 0.0])


def integrated(u, seconds, lag, h=5e-6):
    """The classical method of Runge and Kutta."""
    y = numpy.array([1.0, 0.0, P_A, P_B, 0.0])
    for _ in range(round(seconds / h)):
        k1 = textbook(y, u, lag)
        k2 = textbook(y + h / 2 * k1, u, lag)
        k3 = textbook(y + h / 2 * k2, u, lag)
        k4 = textbook(y + h * k3, u, lag)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[:4]


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


class Hydraulics(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.press, self.inputs = self.folder / "press.yaml", self.folder / "inputs.csv"
        self.press.write_text(PRESS.replace(f"lag: {LAG}", STARTED))
        self.inputs.write_text(f"time,input.valve.value\n0,{COMMAND}\n9,{COMMAND}\n")

    def rows(self, model, *words, signals=SIGNALS):
        out = self.folder / "out.csv"
        done = run(SIM, model, "--signals", signals, "--output", out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, encoding="utf-8") as f:
            head, *rows = csv.reader(f)
        names = head if "*" in signals else signals.split(",")
        return numpy.array(rows, dtype=float)[:, [head.index(n) for n in names]]

    def driven(self, dt, *words, model=None, seconds=0.3):
        return self.rows(model or self.press, "--inputs", self.inputs, "--dt", dt, "--duration", seconds, *words)

    def test_order(self):
        """Length, rate and both pressures converge to the oracle with the order of each method. A spool that moves would open an edge within a
        step, which is a corner."""
        self.press.write_text(PRESS.replace(f"lag: {LAG}", STARTED.replace(f"lag: {LAG}", "lag: 0")))
        exact = integrated(COMMAND, 0.3, 0.0)
        scale = numpy.array([0.1, 0.3, 1e7, 1e7])
        for words, order, within in (((), 2, 2e-3), (("--extrapolate",), 4, 1e-5), (("--method", "energy"), 2, 2e-3)):
            with self.subTest(words=words):
                off = [numpy.abs(self.driven(dt, *words)[-1, :4] - exact) / scale for dt in (0.002, 0.001, 0.0005)]
                self.assertLess(off[0].max(), within)
                for coarse, fine in zip(off, off[1:]):
                    self.assertGreater(math.log2(coarse.max() / fine.max()), order - 0.35)

    def test_coarse_steps(self):
        """At 10 ms the oil swings with three steps in a period; the motion still is that of the oracle."""
        exact = integrated(COMMAND, 0.3, LAG)
        for words in ((), ("--extrapolate",), ("--method", "energy")):
            length, rate, a, b = self.driven(0.01, *words)[-1, :4]
            self.assertLess(abs(length - exact[0]), 2e-3)
            self.assertLess(abs(rate - exact[1]), 0.02)
            self.assertLess(abs(a - exact[2]) + abs(b - exact[3]), 1.5e6)

    def test_energy(self):
        """total - supplied + lost stays, better with every step that is halved."""
        for words in ((), ("--extrapolate",), ("--method", "energy")):
            off = []
            for dt in (0.002, 0.001):
                x = self.driven(dt, *words)
                balance = x[:, 4] - x[:, 5] + x[:, 6]
                off.append(numpy.abs(balance - balance[0]).max())
                self.assertGreater(x[-1, 6], 500.0)
            self.assertLess(off[0], 3.0)
            self.assertLess(off[1], 0.4 * off[0])

    def test_report(self):
        """The report has the balance, and nothing about oil without a cylinder."""
        done = run(SIM, self.press, "--inputs", self.inputs, "--duration", 0.3, "--summary", "-")
        energy = json.loads(done.stdout)["energy"]
        self.assertGreater(energy["supplied"], energy["lost"])
        self.assertGreater(energy["lost"], 500.0)
        text = run(SIM, self.press, "--inputs", self.inputs, "--duration", 0.3).stdout
        self.assertRegex(text, r"actuators   supplied [0-9.]+  lost [0-9.]+ J; energy less supplied plus lost changed by")
        other = run(SIM, LOADER.with_name("four_bar.yaml"), "--duration", 0.1).stdout
        self.assertNotIn("actuators", other)

    def test_stiff(self):
        """Oil of 1e8 to 1e11 N/m under a valve that slams: every step of 10 ms is good, and nothing grows."""
        self.inputs.write_text("time,input.valve.value\n" + "".join(
            f"{t / 10},{c}\n{t / 10 + 0.0999},{c}\n" for t, c in enumerate((0, 1, 0, -1, 0.1, -0.1, 0, 0.3, -0.3, 0) * 3)))
        for modulus in (1.4e9, 1.4e10, 1.4e12):
            for words in ((), ("--extrapolate",), ("--method", "energy")):
                model = self.folder / "stiff.yaml"
                model.write_text(PRESS.replace(f"damping: {DAMPING}", f"bulk_modulus: {modulus}, damping: 2e4"))
                x = self.driven(0.01, *words, model=model, seconds=5.0)
                self.assertTrue(numpy.isfinite(x).all())
                self.assertLess(numpy.abs(x[-100:, 1]).max(), 1e-3)  # the valve is closed since 2 s
                self.assertLess(abs(x[-1, 2] * A - x[-1, 3] * B - MASS * G), 0.05 * MASS * G)

    def test_holds_at_the_start(self):
        """Without pressures the start is at rest, also where two cylinders share a load and the linkage has redundant loops."""
        x = self.rows(LOADER, "--duration", 0.2, signals="joint.*.velocity,force.lift.length,force.tilt.length,force.*.spool", )
        self.assertLess(numpy.abs(x[:, :5]).max(), 2e-4)
        model = self.folder / "two.yaml"
        line = next(s for s in PRESS.splitlines(keepends=True) if "name: ram" in s)
        rest = PRESS[PRESS.index(line) + len(line):].splitlines(keepends=True)[0]
        model.write_text(PRESS.replace(line + rest, line + rest + line.replace("ram", "second") + rest))
        x = self.rows(model, "--duration", 0.2, signals="force.ram.pressure_a,force.ram.pressure_b,force.second.pressure_a,"
                      "force.second.pressure_b,force.ram.value,body.slide.velocity.z")
        a, b, other_a, other_b = x[0, :4]
        pressures = sorted((a, b, other_a, other_b))
        self.assertAlmostEqual(pressures[0], TANK, delta=1e-3)
        self.assertAlmostEqual(pressures[3], (MASS * G / 2 + TANK * B) / A, delta=1.0)
        self.assertAlmostEqual(x[0, 4], MASS * G / 2, delta=0.01)
        self.assertLess(numpy.abs(x[:, 5]).max(), 1e-3)

    def test_bits(self):
        """0 to 3 workers, and a run from a saved state, have equal bits."""
        self.inputs.write_text("time,input.lift.value,input.tilt.value\n0,0.5,-0.4\n4,0.5,-0.4\n")
        state = self.folder / "state"
        for words in ((), ("--extrapolate",), ("--method", "energy")):
            every = "force.*,joint.*,energy.*"
            whole = self.rows(LOADER, "--inputs", self.inputs, "--duration", 2, *words, signals=every)
            for workers in (1, 2, 3):
                self.assertTrue((self.rows(LOADER, "--inputs", self.inputs, "--duration", 2, "--workers", workers, *words,
                                           signals=every) == whole).all())
            self.rows(LOADER, "--inputs", self.inputs, "--duration", 1, "--state-out", state, *words, signals=every)
            later = self.rows(LOADER, "--inputs", self.inputs, "--inputs-time", "simulated", "--duration", 1, "--state-in", state, *words,
                              signals=every)
            self.assertTrue((later[1:] == whole[101:]).all())

    def test_explicit_methods(self):
        """They are refused with the reason."""
        for method in ("rk4", "dp5", "ab4", "abm8"):
            done = run(SIM, LOADER, "--method", method)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"the method {method} cannot follow the oil of cylinders, the current of motors and the tread of tyres, and force 'lift' is of "
                          "type hydraulic_cylinder; choose the method ali3 or energy", done.stderr)

    def test_linear(self):
        """Modes are those of closed valves; a valve is no input of the linear system."""
        self.press.write_text(PRESS.replace(f"lag: {LAG}", STARTED).replace(f"damping: {DAMPING}", "damping: 0"))
        out = self.folder / "linear.json"
        self.assertEqual(run(SIM, self.press, "--linearise", out, "--from", "push.force.z", "--to", "body.slide.position.z").returncode, 0)
        Va, Vb = DEAD + A * (1 - RETRACTED), DEAD + B * (STROKE - (1 - RETRACTED))
        stiffness = A**2 * (E + P_A) / Va + B**2 * (E + P_B) / Vb
        poles = json.loads(out.read_text())["poles"]
        self.assertAlmostEqual(max(p[1] for p in poles), math.sqrt(stiffness / MASS), places=4)
        done = run(SIM, self.press, "--linearise", out, "--from", "valve", "--to", "body.slide.position.z")
        self.assertEqual(done.returncode, 1)
        self.assertIn('force "ram" is a hydraulic_cylinder, whose own states stay in the linear system', done.stderr)


if __name__ == "__main__":
    unittest.main()
