#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: loops.py BIN LIST ROOT [OPTION of ali3-import]...

Robots with loops: for every file of the list that has a file robot.yaml, robot.loops or loops.srdf beside it, the model of ali3-import is started and
runs 2 s. BIN, LIST and ROOT are as for corpus.py. ALI3_LIBRARY names libali3.so.0 of the same build.

Frames are placed by oracle.py in the bodies of the started model, so the points of the model are checked, too: the frames of each loop
meet to 1e-12. The freedoms are the coordinates of the tree less the rank of the rows of the loops. No step is violated. A robot that is
refused is printed with the reason. Exit status: 0 all of this holds, 1 it does not."""
import os
import sys
import tempfile
import warnings
import xml.etree.ElementTree

import numpy as np
import yaml

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), *part) for part in ((".",), ("..", "..", "tools", "python"))]
import ali3  # noqa: E402
import compare  # noqa: E402
import corpus  # noqa: E402
import oracle  # noqa: E402

CLOSED = 1e-12  # m, and 1: elements of rotation matrices
RANK = 1e-7     # of the largest singular value
SECONDS = 2
ROWS = {"6d": range(6), "3d": range(3)}
MASK = {word: row for row, word in enumerate(("x", "y", "z", "roll", "pitch", "yaw"))}


class Refused(Exception):
    pass


def read_loops(path):
    """([(link, link, rows)], {joint: axes of its coordinates, in its own frame})."""
    if path.endswith(".srdf"):
        return [(e.get("frame1"), e.get("frame2"), [MASK[word] for word in e.get("mask", " ".join(MASK)).split()])
                for e in xml.etree.ElementTree.parse(path).getroot().findall("loop_constraint")], {}
    with open(path, encoding="utf-8") as file:
        text = yaml.safe_load(file)
    unit = dict(zip("XYZ", np.eye(3)))
    axes = {}
    for name, kind in zip(text.get("joint_name", ()), text.get("joint_type", ())):
        axes[name] = [] if kind == "FIXED" else list(np.eye(3)) if kind == "SPHERICAL" else [unit[letter] for letter in kind[-2:]]
    types = text.get("type", ["6d"] * len(text["closed_loop"]))
    return [(a, b, ROWS[kind.lower()]) for (a, b), kind in zip(text["closed_loop"], types)], axes


class Placed:
    """A robot whose bodies are where the started model has them."""

    def __init__(self, robot, model, data):
        self.robot, self.T = robot, {}
        names, zero = compare.body_names(model, robot), robot.places({})
        for body, name in [(body, names[body]) for body in robot.bodies()]:
            state, root = data.body(name), np.eye(4)
            root[:3, :3] = compare.matrix(np.asarray(state["orientation"]))
            # The origin of a body is its centre of mass.
            _, centre, _ = robot.weigh(zero, robot.members(body))
            own = np.linalg.inv(zero[body])
            root[:3, 3] = np.asarray(state["position"]) - root[:3, :3] @ (own[:3, :3] @ centre + own[:3, 3])
            self.T[body] = root
        self.T.setdefault(robot.root, np.eye(4))
        for link in robot.order:
            joint = robot.above.get(link)
            if link not in self.T and joint:
                self.T[link] = self.T[joint.parent] @ joint.origin if joint.parent in self.T else None

    def twist(self, joint, axes, at):
        """Rows: velocity of the point `at` of what the joint carries, and its rate of turning, for each coordinate."""
        T, rows = self.T[joint.child], []
        parent = self.T[joint.parent] @ joint.origin
        if joint.type == "prismatic":
            return [np.concatenate((parent[:3, :3] @ joint.axis, np.zeros(3)))]
        for number, axis in enumerate([joint.axis] if axes is None else axes):
            # The first axis of a fork is in the parent, the second one in the child.
            turn = (T if number == len(axes or ()) - 1 and len(axes or ()) == 2 else parent)[:3, :3] @ axis
            rows.append(np.concatenate((np.cross(turn, at - T[:3, 3]), turn)))
        return rows


def path_up(robot, link):
    while link != robot.root:
        joint = robot.above[link]
        yield joint
        link = joint.parent


def find_freedoms(placed, loops, axes):
    robot = placed.robot
    columns, count = {}, 6 if robot.free else 0
    for body in robot.bodies():
        if body == robot.root:
            continue
        joint = robot.above[body]
        lead, ratio, _ = robot.factor(joint.name)
        if lead not in columns:
            size = len(axes[lead]) if lead in axes else 1
            columns[lead] = range(count, count + size)
            count += size
    rows = []
    for a, b, which in loops:
        block = np.zeros((6, count))
        frame = placed.T[a]
        for link, sign in ((a, -1), (b, 1)):
            for joint in path_up(robot, link):
                if joint.type == "fixed":
                    continue
                lead, ratio, _ = robot.factor(joint.name)
                for column, twist in zip(columns[lead], placed.twist(joint, axes.get(joint.name), frame[:3, 3])):
                    block[:, column] += sign * ratio * twist
        block = np.vstack((frame[:3, :3].T @ block[:3], frame[:3, :3].T @ block[3:]))
        rows.append(block[list(which)])
    values = np.linalg.svd(np.vstack(rows), compute_uv=False)
    return count - int(np.sum(values > RANK * values[0])), count


def find_opening(placed, loops):
    worst = 0.0
    for a, b, which in loops:
        T = np.linalg.inv(placed.T[a]) @ placed.T[b]
        turn = 0.5 * np.array([T[2, 1] - T[1, 2], T[0, 2] - T[2, 0], T[1, 0] - T[0, 1]])
        worst = max(worst, *np.abs(np.concatenate((T[:3, 3], turn)))[list(which)])
    return worst


def run(data):
    """Numbers of steps that did not converge. A violated step raises."""
    rough = 0
    for _ in range(round(SECONDS / data.model.dt)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            data.step()
        rough += bool(said)
    return rough


def check(binaries, file, beside, folder, options):
    loops, axes = read_loops(beside)
    text, said = compare.imported_with_notes(binaries, file, "--loops", beside, *options)
    if text is None:
        raise Refused(next(line for line in said.splitlines() if " error: " in line).partition(" error: ")[2])
    model, written = yaml.load(text, compare.Loader), os.path.join(folder, "robot.yaml")
    with open(written, "w", encoding="utf-8") as output:
        output.write(text)
    free = {"fixed": False, "free": True, "": None}[options[options.index("--base") + 1] if "--base" in options else ""]
    fixed = [name for name, list_ in axes.items() if not list_]
    # A name of a joint means its child.
    children = {name: joint.child for name, joint in oracle.Robot(file).joints.items()}
    links = oracle.Robot(file).links
    loops = [(*(name if name in links else children[name] for name in pair), rows) for *pair, rows in loops]
    robot = oracle.Robot(file, free, fixed, [link for *pair, _ in loops for link in pair])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = ali3.Model.load(written)
        d = ali3.Data(m)
    try:
        placed = Placed(robot, model, d)
        opening = find_opening(placed, loops)
        if not opening <= CLOSED:
            raise compare.Difference(f"loops are open by {opening:.3g}")
        expected, coordinates = find_freedoms(placed, loops, axes)
        found = d.freedoms(drives_free=True).count
        if found != expected:
            raise compare.Difference(f"freedoms without drives: found {found}, expected {expected} of {coordinates} coordinates")
        return opening, found, run(d)
    finally:
        d.close()
        m.close()


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    binaries, names, root, *options = arguments
    good = refused = bad = 0
    files = corpus.listed(names)
    with tempfile.TemporaryDirectory() as folder:
        for repository, path in files:
            file = os.path.join(root, repository, path)
            beside = [name for name in (os.path.join(os.path.dirname(file), end) for end in ("robot.yaml", "robot.loops", "loops.srdf")) if os.path.exists(name)]
            if not beside:
                continue
            try:
                opening, freedoms, rough = check(binaries, file, beside[0], folder, options)
                good += 1
                print(f"{path}: closed to {opening:.1e}, {freedoms} freedoms without drives, {rough} steps did not converge")
            except Refused as reason:
                refused += 1
                print(f"{path}: refused: {reason}")
            except (compare.Difference, ali3.Ali3Error, KeyError) as error:
                bad += 1
                print("BAD", path, type(error).__name__, str(error)[:400])
    print(f"{good} robots with loops are closed and run, {bad} do not; {refused} are refused")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
