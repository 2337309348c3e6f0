#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: mjcf.py BIN WITH_MUJOCO FILE... [--poses N]

Compares the models of MJCF files with libmujoco itself: masses, freedoms, the place of every body that moves, and its accelerations from
rest, without contacts and limits, but with springs. The positions are those of the file, of its keyframes, and N random ones (5), in which
hinges and slides move. ALI3_LIBRARY names libali3.so.0 of the same build. Loops are checked for closure: the constraints of MuJoCo are
soft, so its accelerations differ there. Exit status: 0 all agree, 1 one does not."""
import os
import re
import sys
import tempfile
import warnings
import xml.etree.ElementTree

import numpy as np
import yaml

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *part) for part in ((".",), ("..", "..", "tools", "python"))]
import ali3  # noqa: E402
import compare  # noqa: E402
import mujoco  # noqa: E402

FREE, BALL = 0, 1
PLACE, MASS, ACCELERATION = 1e-9, 1e-12, 1e-8


class Tree:
    """The model of a file, as with_mujoco prints it."""

    def __init__(self, program, file):
        self.program, self.file = program, file
        self.model, _ = mujoco.run(program, file, ())
        sizes = next(numbers for kind, numbers, _ in self.model if kind == "sizes")
        self.nq = int(sizes[0])
        self.bodies = [(numbers, name) for kind, numbers, name in self.model if kind == "body"]
        self.bodies = [(numbers, name or f"body_{i}") for i, (numbers, name) in enumerate(self.bodies)]
        self.joints = [(int(numbers[0]), int(numbers[1]), int(numbers[2]), name) for kind, numbers, name in self.model if kind == "joint"]
        self.joints = [(*rest, name or f"joint_{i}") for i, (*rest, name) in enumerate(self.joints)]
        # Bodies without joints are part of the body above them.
        own = {body for _, _, body, _ in self.joints}
        self.leader = [0]
        for number, (numbers, _) in enumerate(self.bodies[1:], 1):
            self.leader.append(number if number in own else self.leader[int(numbers[0])])

    def start(self):
        return next(np.array(numbers) for kind, numbers, _ in self.model if kind == "start")

    def freedoms(self):
        return sum({FREE: 6, BALL: 3}.get(kind, 1) for kind, _, _, _ in self.joints)


def label(name):
    return re.sub("[^A-Za-z0-9-]", "_", name)[:48]


def compare_position(tree, path, q):
    """q: position of MuJoCo."""
    model = yaml.load(open(path, encoding="utf-8"), compare.Loader)["model"]
    _, motion = mujoco.run(tree.program, tree.file, [q])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = ali3.Model.load(path)
        d = ali3.Data(m)
    try:
        entries = {entry["name"]: entry for entry in model["bodies"]}
        scale = max(1.0, np.max(np.abs(motion[0, :, 12:])))
        for number, (_, name) in enumerate(tree.bodies):
            if number == 0 or tree.leader[number] != number:
                continue
            members = [i for i in range(1, len(tree.bodies)) if tree.leader[i] == number]
            weights = np.array([tree.bodies[i][0][1] for i in members])
            rows = motion[0, [i - 1 for i in members]]
            centres = np.array([row[:3] + row[3:12].reshape(3, 3) @ tree.bodies[i][0][2:5] for i, row in zip(members, rows)])
            centre = weights @ centres / weights.sum()
            found = d.body(label(name))
            R = compare.matrix(np.asarray(found["orientation"]))
            compare.near(f"mass of {name}", entries[label(name)]["mass"], weights.sum(), MASS * weights.sum())
            compare.near(f"place of {name}", found["position"], centre, PLACE)
            compare.near(f"axes of {name}", R, rows[0, 3:12].reshape(3, 3), PLACE)
            alpha = rows[0, 15:18]
            compare.near(f"acceleration of {name}", found["acceleration"], rows[0, 12:15] + np.cross(alpha, centre - centres[0]), ACCELERATION * scale)
            compare.near(f"angular acceleration of {name}", R @ np.asarray(found["angular_acceleration"]), alpha, ACCELERATION * scale)
        if d.freedoms().count != tree.freedoms():
            raise compare.Difference(f"freedoms: found {d.freedoms().count}, expected {tree.freedoms()}")
    finally:
        d.close()
        m.close()


def write_model(binaries, file, written, *options):
    text, said = compare.imported_with_notes(binaries, file, "--drives", "none", "--armature", *options)
    if text is None:
        raise compare.Difference(said[-300:])
    model = yaml.load(text, compare.Loader)
    model["model"]["forces"] = [force for force in model["model"].get("forces", ()) if force["type"] in ("joint_spring", "gear")]
    with open(written, "w", encoding="utf-8") as output:
        yaml.dump(model, output, yaml.CSafeDumper, sort_keys=False)


def close_file(binaries, file, folder):
    """The points of the spherical joints meet, and the rank of a loop in a plane is 2 of its 3 rows."""
    written = os.path.join(folder, "robot.yaml")
    write_model(binaries, file, written)
    with open(written, encoding="utf-8") as text:
        model = yaml.load(text, compare.Loader)["model"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = ali3.Model.load(written)
        d = ali3.Data(m)
    try:
        for joint in (entry for entry in model["joints"] if entry["type"] == "spherical"):
            ends = [np.asarray(d.point(joint[f"body_{side}"], joint[f"point_{side}"])[0]) for side in "ab"]
            compare.near(f"ends of {joint['name']}", ends[0], ends[1], 1e-12)
        return d.freedoms().count
    finally:
        d.close()
        m.close()


def compare_file(binaries, program, file, poses, random, folder):
    tree, written, pose = Tree(program, file), os.path.join(folder, "robot.yaml"), os.path.join(folder, "pose.yaml")
    write_model(binaries, file, written)
    compare_position(tree, written, tree.start())
    keys = 0
    for key in xml.etree.ElementTree.parse(file).getroot().iter("key"):
        write_model(binaries, file, written, "--pose", key.get("name"))
        compare_position(tree, written, [float(x) for x in key.get("qpos").split()])
        keys += 1
    for _ in range(poses):
        q = np.array(tree.start())
        given = {}
        for kind, at, _, name in tree.joints:
            if kind not in (FREE, BALL):
                q[at] = given[name] = float(random.uniform(-0.55, 0.75))  # within the ranges of own files
        with open(pose, "w", encoding="utf-8") as output:
            yaml.safe_dump(given, output)
        write_model(binaries, file, written, "--pose", pose)
        compare_position(tree, written, q)
    return 1 + keys + poses


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    poses = 5
    if "--poses" in arguments:
        at = arguments.index("--poses")
        poses = int(arguments[at + 1])
        del arguments[at:at + 2]
    binaries, program, *files = arguments
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            try:
                if next(xml.etree.ElementTree.parse(file).getroot().iter("connect"), None) is not None:
                    print(f"{os.path.basename(file)}: closed to 1e-12, {close_file(binaries, file, folder)} freedoms")
                    continue
                count = compare_file(binaries, program, file, poses, np.random.default_rng(1), folder)
                print(f"{os.path.basename(file)}: agrees with libmujoco at {count} positions")
            except (compare.Difference, mujoco.Refused, ali3.Ali3Error, KeyError) as error:
                bad += 1
                print("BAD", os.path.basename(file), type(error).__name__, str(error)[:400])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
