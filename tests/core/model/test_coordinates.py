#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_coordinates.py ALI3_SIM: where the coordinate of a joint is 0, which way it grows, and which way reactions point.

The section JOINTS of ali3d.yaml(5) and the key model.joints.position state these facts. Each test runs ali3-sim on a model of one or
two bodies."""
import csv
import io
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

SIM = sys.argv[1]
TYPES = "fixed revolute prismatic cylindrical universal spherical planar point_on_line point_in_plane distance".split()
GRAVITY = 9.81


def body(name, position, **more):
    return {"name": name, "mass": 2, "inertia": [1, 1, 1], "position": position, **more}


def about(axis, angle):
    """Euler parameters of a turn about a unit vector."""
    return [math.cos(angle / 2), *(math.sin(angle / 2) * x for x in axis)]


def run(model, duration=0.1):
    """The first and the last row of every signal."""
    with tempfile.TemporaryDirectory(prefix="ali3-coordinates-") as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"model": model}, f)
        done = subprocess.run([SIM, path, "--duration", str(duration), "--dt", "0.001", "--isa", "baseline", "--output", "-"],
                              capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    return [{name: float(value) for name, value in row.items()} for row in (rows[0], rows[-1])]


def joined(kind, first, second, axis, bodies, **more):
    """A model with one joint J."""
    return {"bodies": bodies, "joints": [{"name": "J", "type": kind, "body_a": first, "body_b": second, "at": [0.3, 0.2, 0.1], "axis": axis, **more}]}


def turning(angular_velocity):
    """A body on an axis along z through (0.3, 0.2), on which its centre of mass lies."""
    return body("A", [0.3, 0.2, 0.7], angular_velocity=[0, 0, angular_velocity])


def sliding(velocity):
    return body("A", [0.5, 0, 0.4], velocity=[0, 0, velocity], orientation=about((0.6, 0, 0.8), 1.0))


class Coordinates(unittest.TestCase):
    def test_the_coordinate_is_0_in_the_poses_of_the_file(self):
        """The orientation of the body and the place of the joint on it do not move the zero."""
        for kind, angle, position in itertools.product(("revolute", "prismatic"), (0, 2.0, -3.0), ([0.3, 0.2, 0.1], [1, 2, 3])):
            model = joined(kind, "ground", "A", [0, 0, 1], [body("A", position, orientation=about((0, 0, 1), angle))])
            start, _ = run(model, 0.001)
            self.assertAlmostEqual(start["joint.J.position"], 0, delta=1e-14, msg=(kind, angle, position))

    def test_points_that_the_file_gives_apart_do_not_move_the_zero(self):
        """Point b lies 0.5 m along the axis from point a, and the axes of the bodies differ by 0.4 rad about the joint's axis."""
        points = {"name": "J", "type": "prismatic", "body_a": "ground", "body_b": "A", "point_a": [0, 0, 0], "axis_a": [0, 0, 1],
                  "point_b": [0, 0, 0.5]}
        start, _ = run({"bodies": [body("A", [0, 0, 0])], "joints": [points]}, 0.001)
        self.assertAlmostEqual(start["joint.J.position"], 0, delta=1e-14)
        pin = {**points, "type": "revolute", "point_b": [0, 0, 0], "axis_b": [0, 0, 1]}
        start, _ = run({"bodies": [body("A", [0, 0, 0], orientation=about((0, 0, 1), 0.4))], "joints": [pin]}, 0.001)
        self.assertAlmostEqual(start["joint.J.position"], 0, delta=1e-14)

    def test_an_assembly_moves_the_joint_away_from_the_zero(self):
        """The rod between (1, 1) and the body at (0.5, 0) is 3 mm shorter than in the poses of the file."""
        model = joined("revolute", "ground", "A", [0, 0, 1], [body("A", [0.5, 0, 0])])
        model["joints"][0]["at"] = [0, 0, 0]
        model["joints"].append({"name": "D", "type": "distance", "body_a": "ground", "body_b": "A", "point_a": [1, 1, 0],
                                "point_b": [0.5, 0, 0], "length": 0.997})
        start, _ = run(model, 0.001)
        self.assertAlmostEqual(start["joint.J.position"], 0.003, delta=1e-6)

    def test_the_key_position_sets_another_value_there(self):
        for kind, given, expected in (("revolute", 7.0, 7.0), ("revolute", "400 deg", math.radians(400)), ("prismatic", -0.72, -0.72)):
            model = joined(kind, "ground", "A", [0, 0, 1], [turning(0)], position=given)
            start, _ = run(model, 0.001)
            self.assertAlmostEqual(start["joint.J.position"], expected, delta=1e-14, msg=(kind, given))

    def check_direction(self, kind, make):
        """Body A moves by +1 per second along or about z. The coordinate grows if A is body b and the axis points along z."""
        for (first, second, sign), axis in itertools.product((("ground", "A", 1), ("A", "ground", -1)), (1, -1)):
            start, end = run(joined(kind, first, second, [0, 0, axis], [make(1.0)]))
            self.assertAlmostEqual(start["joint.J.velocity"], sign * axis, delta=1e-12, msg=(first, axis))
            self.assertAlmostEqual(end["joint.J.position"], 0.1 * sign * axis, delta=1e-6, msg=(first, axis))

    def test_an_angle_grows_as_body_b_turns_about_the_axis_of_body_a_by_the_right_hand_rule(self):
        self.check_direction("revolute", turning)

    def test_a_distance_grows_as_point_b_moves_along_the_axis_of_body_a(self):
        self.check_direction("prismatic", sliding)

    def test_the_axis_of_body_a_decides_where_the_axes_point_against_each_other(self):
        joint = {"name": "J", "type": "revolute", "body_a": "ground", "body_b": "A", "point_a": [0.3, 0.2, 0], "point_b": [0, 0, -0.7],
                 "axis_a": [0, 0, 1], "axis_b": [0, 0, -1]}
        start, _ = run({"bodies": [turning(1.0)], "joints": [joint]}, 0.001)
        self.assertAlmostEqual(start["joint.J.velocity"], 1, delta=1e-12)

    def test_an_angle_counts_full_turns(self):
        for speed in (30, -30):
            _, end = run(joined("revolute", "ground", "A", [0, 0, 1], [turning(speed)], position=1.0), 1.0)
            self.assertAlmostEqual(end["joint.J.position"], 1 + speed, delta=1e-2)

    def test_only_revolute_and_prismatic_joints_have_a_coordinate(self):
        for kind in TYPES:
            joint = {"name": "J", "type": kind, "body_a": "ground", "body_b": "A", "point_a": [0, 0, 0], "point_b": [0, 0, 0]}
            if kind == "distance":
                joint["point_b"] = [1, 0, 0]
            if kind not in ("fixed", "spherical", "distance"):
                joint["axis_a"] = [0, 0, 1]
            if kind in ("revolute", "cylindrical", "universal", "planar"):
                joint["axis_b"] = [1, 0, 0] if kind == "universal" else [0, 0, 1]
            start, _ = run({"bodies": [body("A", [0, 0, 0])], "joints": [joint]}, 0.001)
            self.assertEqual("joint.J.position" in start, kind in ("revolute", "prismatic"), kind)
            self.assertEqual("joint.J.velocity" in start, kind in ("revolute", "prismatic"), kind)

    def test_the_reaction_is_the_one_on_body_b_in_world_axes(self):
        """A body of 2 kg hangs from a fixed joint, 0.2 m beside its centre of mass."""
        for first, second, sign in (("ground", "A", 1), ("A", "ground", -1)):
            model = joined("fixed", first, second, None, [body("A", [0.5, 0.2, 0.1])])
            del model["joints"][0]["axis"]
            _, end = run({**model, "gravity": [0, 0, -GRAVITY]})
            self.assertAlmostEqual(end["joint.J.force.z"], sign * 2 * GRAVITY, delta=1e-4)
            self.assertAlmostEqual(end["joint.J.torque.y"], -sign * 0.2 * 2 * GRAVITY, delta=1e-4)

    def loaded(self, kind, force):
        """The last row, with a force element on a joint whose coordinate begins at 1."""
        model = joined(kind, "ground", "A", [0, 0, 1], [turning(0)], position=1.0)
        model["forces"] = [{"name": "f", "joint": "J", **force}]
        return run(model, 0.05)[1]

    def test_a_spring_above_0_drives_the_coordinate_down(self):
        for kind in ("revolute", "prismatic"):
            end = self.loaded(kind, {"type": "joint_spring", "stiffness": 10, "rest": 0.5})
            self.assertAlmostEqual(end["force.f.value"], 10 * (end["joint.J.position"] - 0.5), delta=1e-9)
            self.assertLess(end["joint.J.position"], 1)

    def test_a_stop_above_0_drives_the_coordinate_down(self):
        for kind in ("revolute", "prismatic"):
            end = self.loaded(kind, {"type": "stop", "upper": 0.9, "stiffness": 10})
            self.assertGreater(end["force.f.value"], 0)
            self.assertLess(end["joint.J.position"], 1)

    def test_a_drive_above_0_drives_the_coordinate_up(self):
        for kind in ("revolute", "prismatic"):
            end = self.loaded(kind, {"type": "drive", "motion": [[0, 1], [1, 3]]})
            self.assertAlmostEqual(end["joint.J.position"], end["force.f.target"], delta=1e-9)
            self.assertGreater(end["joint.J.position"], 1)
            self.assertGreater(end["force.f.value"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
