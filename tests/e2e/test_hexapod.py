#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""config/models/hexapod.yaml: the platform goes to the pose that follows from the legs by inverse kinematics, written here; park and
neutral match the files; forces stay finite on the way."""
import json
import math
import os
import re
import unittest

import bench
from lockstep import Lockstep

# m: joints of the base, and of the platform in its own frame
BASE = [(0.611, 0.108), (-0.212, 0.583), (-0.399, 0.475), (-0.399, -0.475), (-0.212, -0.583), (0.611, -0.108)]
TOP = [(0.334, 0.398), (0.178, 0.489), (-0.512, 0.09), (-0.512, -0.09), (0.178, -0.489), (0.334, -0.398)]
HEIGHT, PARK = 0.749, 0.598  # m, of the platform's frame at neutral and at the start
WEIGHT = (200 + 6 * 17) * 9.81
DEGREE = math.pi / 180
# surge, sway, heave in m; roll, pitch, yaw in degrees
POSES = [(0, 0, 0, 0, 0, 0), (0.12, 0, 0, 0, 0, 0), (0, -0.12, 0, 0, 0, 0), (0, 0, 0.1, 0, 0, 0), (0, 0, -0.1, 0, 0, 0),
         (0, 0, 0, 15, 0, 0), (0, 0, 0, -15, 0, 0), (0, 0, 0, 0, 15, 0), (0, 0, 0, 0, 0, 18), (0.05, 0.06, -0.02, -7, 5, -9),
         (0, 0, PARK - HEIGHT, 0, 0, 0)]


def rotation(roll, pitch, yaw):
    """Platform to base axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    (a, b, c), (d, e, f) = [[fun(x) for x in (roll, pitch, yaw)] for fun in (math.cos, math.sin)]
    return [[c * b, c * e * d - f * a, c * e * a + f * d], [f * b, f * e * d + c * a, f * e * a - c * d], [-e, b * d, b * a]]


def legs(pose):
    R = rotation(*[x * DEGREE for x in pose[3:]])
    at = (pose[0], pose[1], pose[2] + HEIGHT)
    return [math.dist([at[k] + R[k][0] * t[0] + R[k][1] * t[1] for k in range(3)], (*b, 0)) for b, t in zip(BASE, TOP)]


def of_euler(e):
    """Roll, pitch, yaw in rad."""
    return (math.atan2(2 * (e[2] * e[3] + e[0] * e[1]), 1 - 2 * (e[1] ** 2 + e[2] ** 2)), math.asin(2 * (e[0] * e[2] - e[1] * e[3])),
            math.atan2(2 * (e[1] * e[2] + e[0] * e[3]), 1 - 2 * (e[2] ** 2 + e[3] ** 2)))


class Hexapod(unittest.TestCase):
    def test_the_platform_block_of_the_demonstration_has_the_same_numbers(self):
        with open(os.path.join(bench.ROOT, "config", "demo", "car.yaml"), encoding="utf-8") as f:
            said = dict(re.findall(r"^  (\w+): ([-\[0-9][^#\n]*)", f.read(), re.M))
        for name, points in (("base", BASE), ("top", TOP)):
            self.assertEqual(json.loads(said[name]), [[*p, 0] for p in points])
        self.assertEqual(float(said["height"]), HEIGHT)
        self.assertAlmostEqual(json.loads(said["park_position"])[2], PARK - HEIGHT, places=12)

    def test_it_goes_where_inverse_kinematics_say(self):
        names = {f"leg_{i}": {"lower": 0.7, "upper": 1.0, "safe": 0.72} for i in range(1, 7)}
        with Lockstep("hexapod", names) as rig:
            (start,) = rig.run(1)
            self.assertLess(math.dist(start["sensor/top/position"], (0, 0, PARK)), 1e-8)
            worst, largest = [0.0, 0.0], 0.0
            for pose in POSES:
                wanted = legs(pose)
                self.assertTrue(all(0.7 < x < 1.0 for x in wanted), (pose, wanted))
                frames = rig.run(200, **{f"leg_{i}": x for i, x in enumerate(wanted, 1)})
                forces = [abs(x) for f in frames for name, values in f.items()
                          if name.startswith(("joint/", "force/")) and "position" not in name for x in values]
                self.assertTrue(all(map(math.isfinite, forces)))
                largest = max(largest, *forces)
                end = frames[-1]
                for i, x in enumerate(wanted, 1):  # the coordinate of a drive is the length of the leg
                    self.assertAlmostEqual(end[f"joint/leg_{i}/position"][0], x, delta=1e-9)
                x, y, z = end["sensor/top/position"]
                worst[0] = max(worst[0], math.dist((x, y, z - HEIGHT), pose[:3]))
                worst[1] = max(worst[1], *[abs(a - b * DEGREE) for a, b in zip(of_euler(end["sensor/top/orientation"]), pose[3:])])
                held = sum(end[f"joint/base_{i}/force"][2] for i in range(1, 7))
                self.assertAlmostEqual(held, WEIGHT, delta=0.01)
            print(f"{len(POSES)} poses: {worst[0]:.1e} m and {worst[1]:.1e} rad off at most; largest load {largest:.0f} N or N m")
            self.assertLess(worst[0], 1e-6)
            self.assertLess(worst[1], 1e-6)
            self.assertLess(largest, 10 * WEIGHT)

    def test_rates_and_accelerations_are_those_of_the_drives(self):
        names = {f"leg_{i}": {} for i in range(1, 7)}
        with Lockstep("hexapod", {n: {"lower": 0.7, "upper": 1.0, "safe": 0.72} for n in names}) as rig:
            frames = rig.run(150, **dict.fromkeys(names, 0.98))
            rates = [f["joint/leg_1/velocity"][0] for f in frames]
            print(f"0.72 to 0.98 m at {max(rates):.3f} m/s, to rest after {sum(abs(r) > 1e-9 for r in rates) * 0.01:.2f} s")
            self.assertLessEqual(max(rates), 0.6 + 1e-9)
            self.assertGreater(max(rates), 0.59)
            self.assertLessEqual(max(abs(b - a) for a, b in zip(rates, rates[1:])), 8 * 0.01 + 1e-9)
            self.assertAlmostEqual(frames[-1]["joint/leg_1/position"][0], 0.98, delta=1e-9)


if __name__ == "__main__":
    bench.main()
