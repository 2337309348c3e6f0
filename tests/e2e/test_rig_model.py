#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3d FILE --platform=model: the model of a rig goes to the poses to which the legs or cranks of its configuration belong."""
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

import bench
import test_hexapod

CONFIG = os.path.join(bench.ROOT, "config")
MOVE, END = 4.0, 5.0  # s


def ali3d(*arguments):
    return subprocess.run([os.path.join(bench.BIN, "ali3d"), *arguments], capture_output=True, text=True, timeout=bench.PATIENCE, stdin=subprocess.DEVNULL, check=False)


def cranks():
    """A symmetric rig with cranks that point outwards and are level at neutral."""
    base, top = [], []
    for i in range(6):
        side = -1 if i % 2 else 1
        low, high = [math.radians(x) for x in ((i + 1) // 2 * 120 + side * 10, i // 2 * 120 + 60 - side * 10)]
        base.append([0.4 * math.cos(low), 0.4 * math.sin(low), 0.0])
        top.append([0.45 * math.cos(high), 0.45 * math.sin(high), 0.0])
    tip = [b * (1 + 0.15 / 0.4) for b in base[0][:2]]
    height = math.sqrt(0.36 - math.dist(tip, top[0][:2]) ** 2)
    heading = [math.degrees(math.atan2(b[1], b[0])) for b in base]
    return f"""model: {{name: rig}}
inputs: [{{name: target, platform: pose, policy: hold}}]
platform: {{mode: external, input: target, kind: cranks, base: {base}, top: {top}, height: {height}, crank_length: 0.15,
  rod_length: 0.6, crank_heading: {heading}, leg_min: -60, leg_max: 60, leg_rate: 200, joint_max: 60, margin: 0.2}}
cycle: {{autostart: false}}
"""


class RigModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model_of(self, file):
        """Path of the model, and the figures of the platform."""
        printed, figures = ali3d(file, "--platform=model"), ali3d(file, "--platform=json")
        self.assertEqual((printed.returncode, printed.stderr, figures.returncode), (0, "", 0))
        path = self.folder / "model.yaml"
        path.write_text(printed.stdout, encoding="utf-8")
        checked = ali3d(str(path), "--check", "--strict")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn("freedoms 0", checked.stdout)
        return path, json.loads(figures.stdout)

    def pose_after(self, model, start, legs):
        """Position and Euler parameters of the top, a while after its legs went from the start to these lengths."""
        inputs = self.folder / "inputs.csv"
        rows = [["time", *[f"input.leg_{i}.value" for i in range(1, 7)]]]
        for k in range(int(100 * END) + 1):
            s = min(1.0, 0.01 * k / MOVE)
            s = s ** 3 * (10 - 15 * s + 6 * s * s)
            rows.append([0.01 * k, *[a + s * (b - a) for a, b in zip(start, legs)]])
        inputs.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
        run = subprocess.run([os.path.join(bench.BIN, "ali3-sim"), str(model), "--duration", str(END), "--inputs", str(inputs), "--output", "-", "--signals",
                              "sensor.top.position.*,sensor.top.orientation.*", "--every", str(int(100 * END))],
                             capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        last = [float(x) for x in list(csv.reader(io.StringIO(run.stdout)))[-1]]
        return last[-7:-4], last[-4:]

    def arrives(self, model, start, legs, position, angles):
        found, e = self.pose_after(model, start, legs)
        self.assertLess(math.dist(found, position), 1e-7)
        self.assertLess(math.dist(test_hexapod.of_euler(e), angles), 1e-7)

    def test_legs_given_one_by_one(self):
        """The rig of the demonstration, by the inverse kinematics of another test."""
        model, figures = self.model_of(os.path.join(CONFIG, "demo", "car.yaml"))
        for pose in (test_hexapod.POSES[1], test_hexapod.POSES[9]):
            self.arrives(model, figures["park"]["legs"], test_hexapod.legs(pose),
                         (pose[0], pose[1], pose[2] + test_hexapod.HEIGHT), [math.radians(x) for x in pose[3:]])

    def test_legs_on_circles(self):
        model, figures = self.model_of(os.path.join(CONFIG, "guides", "rig.yaml"))
        park, neutral, high = (figures[name] for name in ("park", "neutral", "highest"))
        _, e = self.pose_after(model, park["legs"], park["legs"])
        self.assertLess(math.dist(test_hexapod.of_euler(e), (0, 0, 0)), 1e-9)
        there, _ = self.pose_after(model, park["legs"], neutral["legs"])
        self.assertLess(math.hypot(*there[:2]), 1e-7)
        above, _ = self.pose_after(model, park["legs"], high["legs"])
        self.assertAlmostEqual(above[2] - there[2], high["pose"][2], delta=1e-7)

    def test_cranks(self):
        file = self.folder / "cranks.yaml"
        file.write_text(cranks(), encoding="utf-8")
        model, figures = self.model_of(str(file))
        park, neutral, high = (figures[name] for name in ("park", "neutral", "highest"))
        self.assertLess(max(map(abs, neutral["legs"])), 1e-9)
        there, _ = self.pose_after(model, park["legs"], neutral["legs"])
        above, _ = self.pose_after(model, park["legs"], [0.7 * x for x in high["legs"]])
        self.assertLess(math.hypot(*there[:2]), 1e-7)
        self.assertGreater(above[2], there[2] + 0.05)

    def test_without_a_platform(self):
        run = ali3d(os.path.join(CONFIG, "four-bar.yaml"), "--platform=model")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("no section platform", run.stderr)
        wrong = ali3d(os.path.join(CONFIG, "guides", "rig.yaml"), "--platform=xml")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("json, svg or model", wrong.stderr)


if __name__ == "__main__":
    bench.main()
