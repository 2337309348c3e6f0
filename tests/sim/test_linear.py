#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_linear.py ALI3-SIM ALI3D: --settle, --linearise, --bode and --modes, against closed forms and numpy."""
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import numpy

SIM, DAEMON = sys.argv.pop(1), sys.argv.pop(1)
MODELS = pathlib.Path(__file__).resolve().parents[2] / "config" / "models"

FALLING = """
model:
  gravity: [0, 0, -9.81]
  bodies: [{name: stone, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]
"""


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


class Linear(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def system(self, model, source, to, *more):
        out = self.folder / "linear.json"
        done = run(SIM, model, "--linearise", out, "--from", source, "--to", to, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(out.read_text())
        return found, [numpy.array(found[k], dtype=float).reshape(len(found["states" if k in "AB" else "outputs"]), -1) for k in "ABCD"]

    def test_quarter_car(self):
        """The response to the road, by the masses, stiffnesses and the side of the damper's table."""
        found, (A, B, C, D) = self.system(MODELS / "quarter_car.yaml", "road", "body.body.position.z", "--settle", "--bode", self.folder / "bode.svg")
        self.assertEqual(found["corners"], ["damper"])
        self.assertEqual(found["states"][:3], ["joint.plate.position", "joint.wheel.position", "joint.body.position"])
        numpy.testing.assert_allclose(sorted(numpy.abs(numpy.linalg.eigvals(A))), [math.hypot(*p) for p in found["poles"]], atol=1e-6)
        for hz in numpy.geomspace(0.1, 50, 50):
            s = 2j * math.pi * hz
            y = (C @ numpy.linalg.solve(s * numpy.eye(len(A)) - A, B) + D)[0, 0] * s**2  # of the target
            damper, tyre = 4500 * s + 22e3, 60 * s + 190e3  # a rate of 0 belongs to the piece above it
            wheel, body = 40 * s**2 + damper + tyre, 315 * s**2 + damper
            self.assertLess(abs(y - tyre * damper / (wheel * body - damper**2)), 1e-8)
        picture = xml.etree.ElementTree.parse(self.folder / "bode.svg").getroot()
        self.assertEqual(len(picture.findall("{*}polyline")), 2)

    def test_wrench(self):
        """A force on a body of an input, and a motor of the model."""
        model = self.folder / "push.yaml"
        model.write_text(FALLING + "inputs: [{name: push, body: stone}]\n")
        found, (A, B, _, D) = self.system(model, "push.force.x,push.torque.z", "body.stone.acceleration.*,body.stone.angular_acceleration.z")
        self.assertEqual(found["inputs"][0]["name"], "push.force.x")
        numpy.testing.assert_allclose(D, [[1, 0], [0, 0], [0, 0], [0, 1]], atol=1e-12)
        self.assertEqual(A.shape, (12, 12))
        self.assertEqual(B.shape, (12, 2))

    def test_settle(self):
        """A run from the equilibrium stays there; nothing holds a stone."""
        out = self.folder / "out.csv"
        done = run(SIM, MODELS / "double_pendulum.yaml", "--settle", "--duration", 2, "--output", out, "--signals", "body.B.position.*")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [[float(x) for x in line.split(",")] for line in out.read_text().splitlines()[1:]]
        numpy.testing.assert_allclose(rows, [rows[0]] * len(rows), atol=1e-8)
        self.assertAlmostEqual(rows[0][1], -1.5, 10)
        stone = self.folder / "stone.yaml"
        stone.write_text(FALLING)
        done = run(SIM, stone, "--settle")
        self.assertEqual(done.returncode, 1)
        self.assertIn('nothing holds body "stone"', done.stderr)

    def test_start_rest(self):
        """The file may ask for the equilibrium; the check names the body that nothing holds."""
        text = (MODELS / "double_pendulum.yaml").read_text().replace("simulation:", "simulation:\n  start: rest")
        model, stone = self.folder / "rest.yaml", self.folder / "stone.yaml"
        model.write_text(text)
        done = run(SIM, model, "--duration", 1, "--output", "-", "--signals", "body.B.position.y", "--every", 100)
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in done.stdout.splitlines()[1:]:
            self.assertAlmostEqual(float(row), -1.5, 8)
        stone.write_text(FALLING + "simulation: {start: rest}\n")
        for words in ([SIM, stone], [DAEMON, stone, "--check"]):
            done = run(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn('nothing holds body "stone"', done.stderr)

    def test_mode_as_a_page(self):
        """A page without a server that has the frames of a mode."""
        page = self.folder / "mode.html"
        done = run(SIM, MODELS / "quarter_car.yaml", "--view", page, "--mode", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("<html", page.read_text(errors="replace")[:2000])
        self.assertEqual(run(SIM, MODELS / "quarter_car.yaml", "--view", page, "--mode", 3).returncode, 2)
        self.assertEqual(run(SIM, MODELS / "quarter_car.yaml", "--mode", 1).returncode, 2)

    def test_wrong(self):
        """Options that miss one another, and names that do not exist."""
        for words, text in ((["--from", "road"], "--linearise as well"), (["--linearise", "-"], "--from and --to as well"),
                            (["--linearise", "-", "--from", "x", "--to", "*"], 'no input "x"'),
                            (["--linearise", "-", "--from", "road", "--to", "energy.total"], "is no number of a body")):
            done = run(SIM, MODELS / "quarter_car.yaml", *words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(text, done.stderr)

    def test_modes(self):
        """The undamped modes of the quarter car, and the steps of a period."""
        done = run(DAEMON, MODELS / "quarter_car.yaml", "--modes")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = re.findall(r"^ +\d+ +([\d.]+) +([\d.]+) +([\d.]+) +(\w+)", done.stdout, re.M)
        M, K = numpy.diag([40, 315]), numpy.array([[212e3, -22e3], [-22e3, 22e3]])
        expected = numpy.sort(numpy.sqrt(numpy.linalg.eigvals(numpy.linalg.solve(M, K)))) / (2 * math.pi)
        for (hz, _, steps, _), value in zip(rows, expected):
            self.assertAlmostEqual(float(hz), value, 3)
            self.assertAlmostEqual(float(steps), 100 / value, 1)
        self.assertEqual([r[3] for r in rows], ["body", "wheel"])
        done = run(DAEMON, MODELS / "hexapod.yaml", "--modes")
        self.assertIn("no motion is free", done.stdout)


if __name__ == "__main__":
    unittest.main()
