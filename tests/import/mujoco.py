#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: mujoco.py WITH_MUJOCO LIST ROOT [--poses N] [--only NUMBER]

Compares oracle.py with libmujoco, which has none of our code: masses, centres of mass and inertia of all links, and at N random
positions (5) the place of every link and its accelerations from rest. WITH_MUJOCO is the program of with_mujoco.c; LIST and ROOT are as
for corpus.py. libmujoco 2.2.2 does not know mimic, so all joints are independent here. It refuses moving bodies without mass; these
files are counted, and are not compared. Exit status: 0 all agree, 1 one does not.

libmujoco searches the principal axes of each inertia by turns, and stops at a turn of up to 4e-6 rad. Inertia is therefore compared to
TURN times its difference of principal moments. Accelerations are compared with the inertia of libmujoco in the oracle, so they need no
such allowance."""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus  # noqa: E402
import oracle  # noqa: E402

TURN = 5e-6  # rad
PLACE, MASS, ACCELERATION = 1e-9, 1e-12, 1e-9


class Refused(Exception):
    pass


class Difference(Exception):
    pass


def near(what, found, expected, tolerance):
    worst = np.max(np.abs(np.asarray(found) - np.asarray(expected)), initial=0.0)
    if not worst <= tolerance:
        raise Difference(f"{what}: {worst:.3g} apart, allowed {tolerance:.3g}")


def run(program, file, positions, *options):
    """(model as lines of words and name, motion: an array for each position)."""
    lines = "".join(" ".join(f"{x:.17g}" for x in q) + "\n" for q in positions)
    done = subprocess.run([program, file, *options], input=lines, capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr.strip() or f"exit status {done.returncode}")
    model, motion = [], []
    for line in done.stdout.splitlines():
        head, _, name = line.partition("\t")
        words = head.split()
        if words[0] == "motion":
            motion.append([float(x) for x in words[1:]])
        else:
            model.append((words[0], [float(x) for x in words[1:]], name))
    return model, np.array(motion).reshape(len(positions), -1, 18) if positions else None


def bare(path, folder):
    """A copy without shapes, which libmujoco would load from files that are not there, and with every link as a body."""
    tree = xml.etree.ElementTree.parse(path)
    root = tree.getroot()
    for link in root.findall("link"):
        for kind in ("visual", "collision"):
            for shape in link.findall(kind):
                link.remove(shape)
    for old in root.findall("mujoco"):
        root.remove(old)
    extension = xml.etree.ElementTree.SubElement(root, "mujoco")
    xml.etree.ElementTree.SubElement(extension, "compiler", fusestatic="false")
    written = os.path.join(folder, "bare.urdf")
    tree.write(written)
    return written


def take_bodies(robot, model):
    """Compares the inertia of all links, and leaves that of libmujoco in the oracle. Returns the links in the order of libmujoco."""
    names = []
    for kind, numbers, name in model:
        if kind != "body" or name == "world":
            continue
        link = robot.links[name]
        names.append(name)
        scale = max(np.max(np.abs(link.centre)), 1.0)
        near(f"mass of {name}", numbers[1], link.mass, MASS * link.mass)
        near(f"centre of {name}", numbers[2:5], link.centre if link.mass else numbers[2:5], MASS * scale)
        inertia = np.array(numbers[5:14]).reshape(3, 3)
        moments = np.linalg.eigvalsh(link.inertia)
        near(f"inertia of {name}", inertia, link.inertia, TURN * (moments[2] - moments[0]) + MASS * moments[2])
        near(f"moments of {name}", np.linalg.eigvalsh(inertia), moments, 1e-9 * moments[2])
        link.inertia = 0.5 * (inertia + inertia.T)
    return names


def compare(program, file, poses, random, folder):
    # Joints do not follow each other, the base is the ground, and all links count, with and without mass.
    robot = oracle.Robot(file, free=False)
    for joint in robot.joints.values():
        joint.leader = None
    robot.dropped = set()
    written = bare(file, folder)
    model, _ = run(program, written, (), "free")
    names = take_bodies(robot, model)
    place = {name: int(numbers[1]) for kind, numbers, name in model if kind == "joint"}
    moving = [joint.name for joint in robot.joints.values() if joint.type in oracle.MOVING]
    if set(place) != set(moving):
        raise Difference(f"joints: {sorted(set(place) ^ set(moving))}")
    positions = [{name: random.uniform(-1.5, 1.5) for name in moving} for _ in range(poses)]
    _, motion = run(program, written, [[x for _, x in sorted((place[name], q[name]) for name in moving)] for q in positions], "free")
    for q, found in zip(positions, motion):
        T = robot.places(q)
        accelerations, _, _ = robot.accelerations(q)
        scale = max([1.0, *(np.max(np.abs(x)) for pair in accelerations.values() for x in pair)])
        for name, row in zip(names, found):
            near(f"place of {name}", row[:3], T[name][:3, 3], PLACE)
            near(f"axes of {name}", row[3:12].reshape(3, 3), T[name][:3, :3], PLACE)
            body = robot.body[name]
            if body not in accelerations:
                continue
            # From the centre of the body to that of the link.
            a, alpha = accelerations[body]
            _, centre, _ = robot.weigh(T, robot.members(body))
            own = T[name][:3, :3] @ robot.links[name].centre + T[name][:3, 3]
            if robot.links[name].mass:
                near(f"acceleration of {name}", row[12:15], a + np.cross(alpha, own - centre), ACCELERATION * scale)
            near(f"angular acceleration of {name}", row[15:18], alpha, ACCELERATION * scale)


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    program, names, root, *rest = arguments
    poses = int(rest[rest.index("--poses") + 1]) if "--poses" in rest else 5
    only = int(rest[rest.index("--only") + 1]) if "--only" in rest else None
    agreed = refused = bad = 0
    files = corpus.listed(names)
    with tempfile.TemporaryDirectory() as folder:
        for number, (repository, path) in enumerate(files):
            if only is not None and number != only:
                continue
            try:
                compare(program, os.path.join(root, repository, path), poses, np.random.default_rng(number), folder)
                agreed += 1
            except Refused as reason:
                refused += 1
                if only is not None:
                    print(reason)
            except (xml.etree.ElementTree.ParseError, ValueError, KeyError) as reason:  # no robot
                refused += 1
                if only is not None:
                    print(type(reason).__name__, reason)
            except (Difference, np.linalg.LinAlgError) as error:
                bad += 1
                print("BAD", number, path, str(error)[:300], flush=True)
    print(f"{agreed} files agree with libmujoco at {poses} positions, {bad} do not; {refused} are refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
