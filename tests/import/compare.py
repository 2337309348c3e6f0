#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: compare.py BIN LIST ROOT [--poses N] [--only NUMBER]

Compares the model of every file that ali3-import accepts with oracle.py: mass and inertia of all bodies together, freedoms, places and
accelerations from rest at the start and at N random positions (20). BIN, LIST and ROOT are as for corpus.py. ALI3_LIBRARY names
libali3.so.0 of the same build. Exit status: 0 all agree, 1 one does not."""
import os
import re
import subprocess
import sys
import tempfile
import warnings
import xml.etree.ElementTree

import numpy as np
import yaml

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *part) for part in ((".",), ("..", "..", "tools", "python"))]
import ali3  # noqa: E402
import corpus  # noqa: E402
import oracle  # noqa: E402


class Loader(yaml.CSafeLoader):
    """Numbers such as 1e-05 have no point."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+(\.[0-9]*)?e[-+]?[0-9]+$"), list("-+0123456789"))


def imported_with_notes(binaries, file, *options):
    """(the model as text, None if it is refused; what the program says)."""
    done = subprocess.run([os.path.join(binaries, "ali3-import"), file, *options], stdin=subprocess.DEVNULL, capture_output=True)
    return done.stdout.decode() if done.returncode == 0 else None, done.stderr.decode(errors="replace")


def imported(binaries, file, *options):
    return imported_with_notes(binaries, file, *options)[0]


def label(name):
    return re.sub(rb"[^A-Za-z0-9-]", b"_", name.encode())[:48].decode()


def matrix(e):
    w, x, y, z = e / np.linalg.norm(e)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


class Difference(Exception):
    pass


def near(what, found, expected, tolerance):
    worst = np.max(np.abs(np.asarray(found) - np.asarray(expected)), initial=0.0)
    if not worst <= tolerance:
        raise Difference(f"{what}: {worst:.3g} apart, allowed {tolerance:.3g}")


def body_names(model, robot):
    """{first link of a body: its name in the model}, by the joint that leads to it."""
    joints = {joint["name"]: joint["body_b"] for joint in model["model"].get("joints", ())}
    names = {}
    for body in robot.bodies():
        if body != robot.root and robot.above[body].type != "floating":
            names[body] = joints[label(robot.above[body].name)]
    rest = [entry["name"] for entry in model["model"]["bodies"] if entry["name"] not in names.values()]
    loose = [body for body in robot.bodies() if body not in names]
    names.update(zip(loose, rest, strict=True))
    return names


def compare_mass(model, robot, names, q):
    """Sums over all bodies, about the origin."""
    T = robot.places(q)
    sums, expected = np.zeros(10), np.zeros(10)
    entries = {entry["name"]: entry for entry in model["model"]["bodies"]}
    for body, name in names.items():
        entry = entries[name]
        R = matrix(np.array(entry.get("orientation", [1, 0, 0, 0]), float))
        own = (entry["mass"], np.array(entry["position"], float), R @ np.array(entry["inertia"], float) @ R.T)
        for total, (mass, centre, inertia) in ((sums, own), (expected, robot.weigh(T, robot.members(body)))):
            about = inertia + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
            total += np.concatenate(([mass], about.ravel()))
    near("total mass", sums[0], expected[0], 1e-12 * expected[0])
    near("total inertia", sums[1:], expected[1:], 1e-12 * np.max(np.abs(expected[1:])))


def compare_motion(path, robot, names, q, held):
    """Returns the number of freedoms."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = ali3.Model.load(path)
        d = ali3.Data(m)
    try:
        T = robot.places(q)
        accelerations, freedoms, condition = robot.accelerations(q, held)
        for body, name in names.items():
            found = d.body(name)
            mass, centre, _ = robot.weigh(T, robot.members(body))
            near(f"place of {name}", found["position"], centre, 1e-9)
            R = matrix(np.asarray(found["orientation"]))
            near(f"orientation of {name}", R, T[body][:3, :3], 1e-9)
            a, alpha = accelerations[body]
            scale = max(1.0, *(np.max(np.abs(x)) for pair in accelerations.values() for x in pair))
            # The rounding of the numbers in a model moves the solution by the condition of the mass matrix, which is up to 4e9
            # where joints without motors carry light parts.
            allowed = max(1e-8, 4 * np.finfo(float).eps * condition) * scale
            near(f"acceleration of {name} (condition {condition:.2g})", found["acceleration"], a, allowed)
            near(f"angular acceleration of {name} (condition {condition:.2g})", R @ np.asarray(found["angular_acceleration"]), alpha, allowed)
        if m.joints or m.bodies:
            found = d.freedoms(drives_free=False).count
            if found != freedoms:
                raise Difference(f"freedoms: found {found}, expected {freedoms}")
    finally:
        d.close()
        m.close()


def start(robot):
    """Independent coordinates at the start: 0, or the nearest limit."""
    q = {}
    for name, joint in robot.joints.items():
        if joint.lower is not None and joint.lower <= joint.upper and joint.leader is None:
            q[name] = min(max(0.0, joint.lower), joint.upper)
    return q


def random_position(robot, random):
    """Within the limits of the leaders, and of the followers where a leader has none."""
    q = {}
    for name in robot.leads():
        joint = robot.joints[name]
        low, high = (joint.lower, joint.upper) if joint.lower is not None and joint.lower <= joint.upper else (-1.5, 1.5)
        low, high = max(low, -3.0), min(high, 3.0)
        q[name] = random.uniform(low, high) if low < high else low
    return {**start(robot), **q}


def compare(binaries, file, poses, random, folder, options=()):
    """False: the file is refused."""
    options = ("--drives", "none", *options) if "--drives" not in options else options
    written = os.path.join(folder, "robot.yaml")
    text = imported(binaries, file, *options)
    if text is None:
        return False
    robot = oracle.Robot(file)
    for number in range(poses + 1):
        q = random_position(robot, random) if number else start(robot)
        if number:
            pose = os.path.join(folder, "pose.yaml")
            with open(pose, "w", encoding="utf-8") as output:
                given = {name: value for name, value in q.items() if robot.joints[name].leader is None}
                yaml.safe_dump({name: float(value) for name, value in given.items()} or {}, output)
            text = imported(binaries, file, "--pose", pose, *options) if given else text
        # Stops and friction do not act at rest within the limits; a follower may be outside its own.
        model = yaml.load(text, Loader)
        model["model"]["forces"] = [force for force in model["model"].get("forces", ()) if force["type"] in ("gear", "drive")]
        with open(written, "w", encoding="utf-8") as output:
            yaml.dump(model, output, yaml.CSafeDumper, sort_keys=False)
        names = body_names(model, robot)
        compare_mass(model, robot, names, q)
        compare_motion(written, robot, names, q, "hold" in options)
    return True


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    binaries, names, root, *rest = arguments
    poses = int(rest[rest.index("--poses") + 1]) if "--poses" in rest else 20
    only = int(rest[rest.index("--only") + 1]) if "--only" in rest else None
    agreed = refused = bad = 0
    files = corpus.listed(names)
    with tempfile.TemporaryDirectory() as folder:
        for number, (repository, path) in enumerate(files):
            if only is not None and number != only:
                continue
            try:
                file, random = os.path.join(root, repository, path), np.random.default_rng(number)
                try:
                    done = compare(binaries, file, poses, random, folder)
                except ali3.DivergedError as error:
                    # A body without inertia about its own axis moves only if a drive holds it.
                    print("held", number, path, str(error)[:200], flush=True)
                    done = compare(binaries, file, poses, random, folder, ("--drives", "hold"))
                if done:
                    agreed += 1
                else:
                    refused += 1
            except (Difference, ali3.Ali3Error, np.linalg.LinAlgError, KeyError, ValueError, xml.etree.ElementTree.ParseError) as error:
                bad += 1
                print("BAD", number, path, type(error).__name__, str(error)[:300], flush=True)
    print(f"{agreed} files agree with the oracle at {poses + 1} positions, {bad} do not; {refused} are refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
