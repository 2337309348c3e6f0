#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_import.py BIN: the rules of ali3-import, one after another: models, notes, errors with their lines, options."""
import importlib.util
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import yaml

BIN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
HERE = pathlib.Path(__file__).resolve().parent
PRELUDE = '<robot name="r">\n'
HEAVY = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def heavy(name, more=""):
    return f'<link name="{name}">{HEAVY}{more}</link>\n'


def light(name, more=""):
    return f'<link name="{name}">{more}</link>\n'


def joint(name, kind, parent, child, more=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>\n'


class Loader(yaml.SafeLoader):
    """Numbers such as 1e-05 have no point."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+(\.[0-9]*)?e[-+]?[0-9]+$"), list("-+0123456789"))


class Import(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_import(self, text, *options, environment=None):
        """text: the elements of a robot, or a whole file."""
        file = self.folder / ("robot.xml" if "<mujoco" in text else "robot.urdf")
        file.write_text(text if text.startswith("<?xml") or "<robot" in text or "<mujoco" in text else PRELUDE + text + "</robot>\n", encoding="utf-8")
        return subprocess.run([os.path.join(BIN, "ali3-import"), str(file), *options], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.folder, env=os.environ | (environment or {}))

    def model(self, text, *options):
        """(model as a tree, notes); ali3d accepts it."""
        done = self.run_import(text, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        file = self.folder / "robot.yaml"
        file.write_text(done.stdout, encoding="utf-8")
        check = subprocess.run([os.path.join(BIN, "ali3d"), str(file), "--check"], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)
        for line in done.stderr.splitlines():
            self.assertRegex(line, r"^\S+robot\.(urdf:\d+|xml(:\d+)?): note: ")
        tree = yaml.load(done.stdout, Loader)
        return tree["model"] | {"inputs": tree.get("inputs", [])}, done.stderr

    def refused(self, text, line, words, *options):
        done = self.run_import(text, *options)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        file = "robot.xml" if "<mujoco" in text else "robot.urdf"
        place = f"{file}:{line}: error: " if line else f"{file}: error: "
        errors = [said for said in done.stderr.splitlines() if place in said]
        self.assertTrue(errors and re.search(words, errors[0]), done.stderr)

    ARM = light("world") + heavy("a") + joint("j", "revolute", "world", "a", '<limit lower="-1" upper="1" effort="5" velocity="2"/>')

    def forces(self, model, kind):
        return [force for force in model.get("forces", ()) if force["type"] == kind]

    # --- structure ---

    def test_structure(self):
        self.refused(heavy("a") + heavy("b"), 3, "one link that is no child")
        self.refused(heavy("a") + joint("j", "fixed", "a", "c"), 3, "there is no link 'c'")
        self.refused(heavy("a") + heavy("b") + heavy("c") + joint("j", "fixed", "a", "c") + joint("k", "fixed", "b", "c"), 6, "'c' is the child of two")
        self.refused(heavy("a") + heavy("b") + heavy("c") + joint("j", "fixed", "b", "c") + joint("k", "fixed", "c", "b"), 5, "form a circle")
        self.refused(heavy("a") + joint("j", "fixed", "a", "a"), 3, "its parent and its child")
        self.refused(heavy("a") + heavy("a"), 3, "line 2 has a link of this name")
        self.refused(heavy("a") + heavy("b") + '<joint name="j" type="ball"/>', 4, "'ball'")
        self.refused(heavy("a") + heavy("b") + '<joint name="j" type="fixed"><parent link="a"/></joint>', 4, "<child link>")
        self.refused("", 0, "expected a link")

    def test_xml(self):
        self.refused('<robot name="r"><link name="a">\n</robot>', 2, "not well-formed")
        self.refused('<robot', 1, "not well-formed")
        self.refused('<!DOCTYPE robot [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<robot name="r"/>', 1, "entit")
        self.refused('<sdf/><!-- <robot -->', 1, "expected <robot>")
        self.refused('<?xml version="1.0"?>\n<robot xmlns:xacro="http://ros.org/wiki/xacro">\n<!-- -->\n<xacro:macro name="m"/></robot>', 4, "xacro first")
        _, notes = self.model(self.ARM + "<xacro:sensor/>")
        self.assertIn("<xacro:sensor> was not expanded", notes)
        self.model("<!-- <xacro:macro/> -->" + self.ARM)
        self.refused(heavy("a") + heavy("b") + joint("j", "fixed", "a", "b", '<origin\n xyz="${x} 0 0"/>'), 4, "xacro first")

    def test_numbers(self):
        for text, words in (('xyz="1 2"', "3 finite numbers"), ('xyz="1 2 3 4"', "3 finite"), ('xyz="1 nan 3"', "finite"), ('xyz="1,2,3"', "'1,2,3'")):
            self.refused(heavy("a") + heavy("b") + joint("j", "fixed", "a", "b", f"<origin {text}/>"), 4, words)
        self.refused('<link name="a"><inertial><mass value="-1"/></inertial></link>', 2, "0 kg or more")
        self.refused(light("world") + heavy("a") + joint("j", "revolute", "world", "a", '<axis xyz="0 0 0"/>'), 4, "axis")
        self.model(heavy("a") + heavy("b") + joint("j", "fixed", "a", "b", '<axis xyz="0 0 0"/>'))

    def test_nothing_is_lost_in_silence(self):
        text = self.ARM + '<gazebo/><transmission name="t"/><gazebo/>' + light("f", '<visual colour="x"><geometry><mesh filename="m.dae"/></geometry></visual>')
        model, notes = self.model(text + joint("k", "fixed", "a", "f"))
        for words in ("<gazebo> is not imported (2 times)", "<transmission> is not imported", "attribute 'colour' of <visual>", "a mesh of <visual>"):
            self.assertIn(words, notes)
        done = self.run_import(text + joint("k", "fixed", "a", "f"), "--strict")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("with --strict", done.stderr)
        quiet = light("world") + heavy("a").replace("<inertia ", '<inertia ixy="0" ixz="0" iyz="0" ') + joint("j", "continuous", "world", "a")
        self.assertEqual(self.run_import(quiet, "--strict", "--drives", "hold").stderr, "")

    # --- bodies ---

    def test_base(self):
        free, notes = self.model(heavy("a"))
        self.assertIn("is free to move", notes)
        self.assertEqual([body["name"] for body in free["bodies"]], ["a"])
        self.assertIn("taken as the ground", self.model(light("root") + heavy("a") + joint("j", "revolute", "root", "a", "<limit/>"))[1])
        self.assertNotIn("ground", self.model(self.ARM)[1])
        chain = heavy("a") + heavy("b") + joint("j", "continuous", "a", "b")
        self.assertEqual([body["name"] for body in self.model(chain, "--base", "fixed")[0]["bodies"]], ["b"])
        self.assertEqual(len(self.model(chain, "--base", "free")[0]["bodies"]), 2)
        self.refused(self.ARM, 2, "the base has no mass", "--base", "free")
        self.refused(heavy("a") + heavy("b") + joint("j", "fixed", "a", "b"), 2, "no link moves", "--base", "fixed")

    def test_fixed_links_are_one_body(self):
        text = light("world") + heavy("a") + heavy("b") + joint("j", "continuous", "world", "a") + joint("k", "fixed", "a", "b", '<origin xyz="1 0 0"/>')
        body, = self.model(text)[0]["bodies"]
        self.assertEqual((body["name"], body["mass"], body["position"]), ("a", 4, [0.5, 0, 0]))
        self.assertEqual(body["inertia"], [[2, 0, 0], [0, 3, 0], [0, 0, 3]])
        kept, _ = self.model(text, "--keep-fixed")
        self.assertEqual([(j["name"], j["type"]) for j in kept["joints"]], [("j", "revolute"), ("k", "fixed")])

    def test_inertial_rpy(self):
        text = self.ARM.replace('<mass value="2"/><inertia ixx="1" iyy="1" izz="1"/>',
                                f'<origin rpy="0 0 {math.pi / 2}"/><mass value="2"/><inertia ixx="1" iyy="2" izz="2.5"/>')
        body, = self.model(text)[0]["bodies"]
        for i, expected in enumerate((2, 1, 2.5)):
            self.assertAlmostEqual(body["inertia"][i][i], expected, 14)

    def test_no_mass(self):
        tip = light("tip") + joint("t", "revolute", "a", "tip", '<origin xyz="0 0 1"/><limit/>')
        model, notes = self.model(self.ARM + tip)
        self.assertIn("robot.urdf:6: note: link 'tip' has no mass and is dropped with its joint 't'", notes)
        self.assertEqual(len(model["bodies"]), 1)
        sensor, = self.model(self.ARM + tip, "--frames", "ti*")[0]["sensors"]
        self.assertEqual((sensor["name"], sensor["body"], sensor["point"]), ("tip", "a", [0, 0, 1]))
        between = light("world") + light("m") + heavy("a") + joint("j", "prismatic", "world", "m", '<limit lower="-1" upper="1"/>') + joint("k", "continuous", "m", "a")
        self.assertEqual([(body["name"], body["mass"]) for body in self.model(between)[0]["bodies"]], [("m", 0), ("a", 2)])
        self.refused(light("world") + light("a") + joint("j", "continuous", "world", "a"), 2, "--density")
        self.refused(light("world") + light("a") + heavy("b") + joint("j", "floating", "world", "a") + joint("k", "continuous", "a", "b"), 3, "no joint holds it")

    def test_inertia(self):
        bad = self.ARM.replace('izz="1"', 'izz="2.5"')
        self.refused(bad, 3, r"principal moments 2\.5, 1, 1 .*--repair-inertia")
        model, notes = self.model(bad, "--repair-inertia")
        inertia = model["bodies"][0]["inertia"]
        for i, expected in enumerate((1.25, 1.25, 2.5)):  # the negative second moment (1 + 1 - 2.5)/2 becomes 0
            self.assertAlmostEqual(inertia[i][i], expected, 14)
        self.assertIn("were repaired", notes)
        self.refused(self.ARM.replace('izz="1"', 'izz="-1"'), 3, "expected 0 or more")
        self.model(self.ARM.replace('izz="1"', 'izz="-1"'), "--repair-inertia")
        for none in ("1e-20", "-1e-20", "0"):  # a ball of 2 kg of aluminium: r = (3 m/(4 pi 2700))^(1/3), 2/5 m r^2
            model, notes = self.model(self.ARM.replace('ixx="1" iyy="1" izz="1"', f'ixx="{none}" iyy="{none}" izz="{none}"'), "--repair-inertia")
            self.assertIn("those of a ball", notes)
            for i in range(3):
                self.assertAlmostEqual(model["bodies"][0]["inertia"][i][i], 0.8 * (6 / (4 * math.pi * 2700)) ** (2 / 3), 15)
        point = self.ARM.replace('ixx="1" iyy="1" izz="1"', 'ixx="0" iyy="0" izz="0"')
        self.assertEqual(self.model(point)[0]["bodies"][0]["inertia"], [[0, 0, 0]] * 3)  # only the option invents moments
        self.model(light("world") + heavy("a") + heavy("b").replace('izz="1"', 'izz="2.5"') + joint("j", "continuous", "world", "a")
                   + joint("k", "fixed", "a", "b"))  # the sum is possible
        self.assertIn("has no ixy", self.model(self.ARM)[1])

    def test_density(self):
        def mass(shape, kind="collision"):
            text = light("world") + light("a", f'<{kind}><origin xyz="1 0 0"/><geometry>{shape}</geometry></{kind}>') + joint("j", "continuous", "world", "a")
            body, = self.model(text, "--density", "1000")[0]["bodies"]
            for got, expected in zip(body["position"], (1, 0, 0)):
                self.assertAlmostEqual(got, expected, 6)
            return body["mass"], [body["inertia"][i][i] for i in range(3)]
        weight, moments = mass('<box size="0.1 0.2 0.3"/>')
        self.assertAlmostEqual(weight, 6, 12)
        for got, expected in zip(moments, (0.065, 0.05, 0.025)):
            self.assertAlmostEqual(got, expected, 12)
        self.assertAlmostEqual(mass('<cylinder radius="0.1" length="0.5"/>', "visual")[0], 5 * math.pi, 9)
        self.assertAlmostEqual(mass('<sphere radius="0.1"/>')[1][0], 0.4 * 0.01 * 4 / 3 * math.pi, 12)
        capsule, sphere = mass('<capsule radius="0.1" length="1e-9"/>'), mass('<sphere radius="0.1"/>')
        for got, expected in zip(capsule[1], sphere[1]):
            self.assertAlmostEqual(got, expected, 7)
        corner = {(x, y, z): f"vertex {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)}
        faces = []
        for axis in range(3):
            for side in (0, 1):
                square = [[side if i == axis else (u, v)[(i - axis - 1) % 3] for i in range(3)] for u, v in ((0, 0), (1, 0), (1, 1), (0, 1))]
                square = square if side else square[::-1]
                faces += [(square[0], square[1], square[2]), (square[0], square[2], square[3])]
        solid = "solid s\n" + "".join("facet normal 0 0 0\nouter loop\n" + "\n".join(corner[tuple(p)] for p in face) + "\nendloop\nendfacet\n" for face in faces)
        (self.folder / "cube.stl").write_text(solid + "endsolid s\n")
        (self.folder / "open.stl").write_text(solid.replace("endfacet\n", "", 0).rsplit("facet normal", 1)[0] + "endsolid s\n")
        at = '<collision><origin xyz="{x} -0.1 -0.15"/><geometry><mesh filename="{f}" scale="{s}"/></geometry></collision>'
        for scale, x in (("0.1 0.2 0.3", 0.95), ("-0.1 0.2 0.3", 1.05)):
            text = light("world") + light("a", at.format(x=x, f="cube.stl", s=scale)) + joint("j", "continuous", "world", "a")
            body, = self.model(text, "--density", "1000")[0]["bodies"]
            self.assertAlmostEqual(body["mass"], 6, 6)
            for i, expected in enumerate((0.065, 0.05, 0.025)):
                self.assertAlmostEqual(body["inertia"][i][i], expected, 6)
            self.assertAlmostEqual(body["position"][0], 1, 6)
        self.refused(light("world") + light("a", at.format(x=0, f="open.stl", s="1 1 1")) + joint("j", "continuous", "world", "a"), 2, "has a mass", "--density", "9")

    # --- joints ---

    def test_limits(self):
        model, _ = self.model(self.ARM)
        stop, = self.forces(model, "stop")
        self.assertEqual((stop["lower"], stop["upper"], stop["stiffness"]), (-1, 1, 500))

        def one(limit, kind="revolute"):
            return self.model(light("world") + heavy("a") + joint("j", kind, "world", "a", limit))
        model, notes = one('<limit effort="1" velocity="1"/>')
        self.assertIn("without lower and upper limit gets no stop", notes)
        self.assertEqual(self.forces(model, "stop"), [])
        self.assertIn("both limits are 0", one('<limit lower="0" upper="0"/>')[1])
        self.assertIn("has no upper, which counts as 0", one('<limit lower="-1"/>')[1])
        self.assertIn("is above the upper limit", one('<limit lower="1" upper="-1"/>')[1])
        self.assertIn("counts as no limit", one('<limit lower="-1e16" upper="1e16"/>')[1])
        self.assertIn("of a continuous joint", one('<limit lower="-1" upper="1"/>', "continuous")[1])
        model, notes = one('<limit lower="0.5" upper="1"/>')
        self.assertIn("0 is outside its limits 0.5 to 1; it starts at 0.5", notes)
        self.assertEqual(model["joints"][0]["position"], 0.5)

    def test_mimic(self):
        def two(mimic, more=""):
            return (light("world") + heavy("a") + heavy("b") + joint("j", "revolute", "world", "a", '<limit lower="0.5" upper="1"/>' + more)
                    + joint("k", "continuous", "world", "b", mimic))
        model, _ = self.model(two('<mimic joint="j" multiplier="-2" offset="0.25"/>'))
        gear, = self.forces(model, "gear")
        self.assertEqual((gear["joint"], gear["joint_b"], gear["ratio"]), ("k", "j", -2))
        self.assertEqual({j["name"]: j["position"] for j in model["joints"]}, {"j": 0.5, "k": -0.75})
        self.assertEqual([force["joint"] for force in self.forces(model, "drive")], ["j"])
        self.refused(two('<mimic joint="x"/>'), 6, "there is no joint 'x'")
        self.refused(two('<mimic joint="k"/>'), 6, "follows itself")
        self.refused(two('<mimic joint="j"/>', '<mimic joint="k"/>'), 5, "circle")
        self.assertIn("is held at 3", self.model(two('<mimic joint="j" multiplier="0" offset="3"/>'))[1])

    def test_drives(self):
        model, notes = self.model(self.ARM)
        self.assertEqual(len(self.forces(model, "drive")), 1)
        self.assertIn("a drive holds the joint", notes)
        self.assertEqual(self.forces(self.model(self.ARM, "--drives", "none")[0], "drive"), [])
        model, _ = self.model(self.ARM, "--drives", "position", "--acceleration", "7")
        drive, = self.forces(model, "drive")
        self.assertEqual((drive["external"], drive["max_rate"], drive["max_acceleration"]), (True, 2, 7))
        self.assertEqual(model["inputs"], [{"name": "j", "force": "j_drive", "policy": "hold", "lower": -1, "upper": 1, "safe": 0}])
        model, notes = self.model(self.ARM, "--drives", "position")
        self.assertIn("needs --acceleration", notes)
        self.assertNotIn("external", self.forces(model, "drive")[0])
        model, _ = self.model(self.ARM, "--drives", "effort")
        self.assertEqual(model["inputs"], [{"name": "j", "force": "j_motor", "limit": 5}])

    def test_friction(self):
        model, _ = self.model(light("world") + heavy("a") + joint("j", "continuous", "world", "a", '<dynamics damping="2" friction="3"/>'))
        friction, = self.forces(model, "friction")
        self.assertEqual((friction["damping"], friction["friction"]), (2, 3))
        self.refused(light("world") + heavy("a") + joint("j", "continuous", "world", "a", '<dynamics damping="-2"/>'), 4, "0 or more")

    def test_pose(self):
        pose = self.folder / "pose.yaml"
        pose.write_text("j: 0.75\n")
        model, _ = self.model(self.ARM, "--pose", str(pose))
        self.assertEqual(model["joints"][0]["position"], 0.75)
        pose.write_text("x: 0.75\n")
        done = self.run_import(self.ARM, "--pose", str(pose))
        self.assertEqual(done.returncode, 1)
        self.assertIn("pose.yaml:1: 'x' is no joint", done.stderr)

    def test_names(self):
        model, notes = self.model(light("world") + heavy("a/1") + heavy("a:1") + joint("j", "continuous", "world", "a/1") + joint("k", "continuous", "a/1", "a:1"))
        self.assertEqual([body["name"] for body in model["bodies"]], ["a_1", "a_1_2"])
        self.assertIn("link 'a/1' is called a_1 in the model", notes)

    def test_visuals(self):
        shape = '<visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="0.4"/></geometry><material name="m"><color rgba="1 0.5 0 1"/></material></visual>'
        model, _ = self.model(light("world") + heavy("a", shape) + joint("j", "continuous", "world", "a"))
        visual, = model["visual"]
        self.assertEqual((visual["body"], visual["shape"], visual["size"], visual["position"], visual["color"]),
                         ("a", "cylinder", [0.2, 0.2, 0.4], [0, 0, 1], "#ff8000"))

    # --- loops ---

    FOUR_BAR = (light("world") + heavy("crank", "") + heavy("coupler") + heavy("rocker") + light("end_a") + light("end_b")
                + joint("j1", "continuous", "world", "crank", '<axis xyz="0 1 0"/>')
                + joint("j2", "continuous", "crank", "coupler", '<origin xyz="0 0 1"/><axis xyz="0 1 0"/>')
                + joint("j3", "continuous", "world", "rocker", '<origin xyz="3 0 0"/><axis xyz="0 1 0"/>')
                + joint("f1", "fixed", "coupler", "end_a", '<origin xyz="3 0 0"/>') + joint("f2", "fixed", "rocker", "end_b", '<origin xyz="0 0 2"/>'))

    def loops(self, text, robot=None, *options):
        """The arguments of model() and refused() for a file of loops."""
        file = self.folder / "loops.yaml"
        file.write_text(text, encoding="utf-8")
        return (robot or self.FOUR_BAR), "--loops", str(file), *options

    def freedoms(self, text):
        file = self.folder / "checked.yaml"
        file.write_text(text, encoding="utf-8")
        check = subprocess.run([os.path.join(BIN, "ali3d"), str(file), "--check"], capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stderr)
        return int(re.search(r"freedoms (\d+)", check.stdout + check.stderr)[1])

    def test_loops(self):
        """The frames are 1 m apart in the file; the importer moves the joints until they meet."""
        for kind, freedoms in (("revolute", 1), ("spherical", 1), ("cylindrical", 1), ("fixed", 0)):
            arguments = self.loops(f"loops: [{{name: pin, type: {kind}, frame_a: end_a, frame_b: end_b, axis: [0, 1, 0]}}]", None, "--drives", "none")
            model, notes = self.model(*arguments)
            self.assertIn("so that the loops close", notes)
            pin, = (entry for entry in model["joints"] if entry["name"] == "pin")
            self.assertEqual((pin["type"], pin["body_a"], pin["body_b"]), (kind, "coupler", "rocker"))
            self.assertEqual(self.freedoms(self.run_import(*arguments).stdout), freedoms)

    def test_motors(self):
        model, _ = self.model(*self.loops("loops: [{type: revolute, axis: [0, 1, 0], frame_a: end_a, frame_b: end_b}]\nmotors: [j1]\n"))
        self.assertEqual([force["joint"] for force in self.forces(model, "drive")], ["j1"])

    def test_robot_yaml(self):
        text = "closed_loop: [[end_a, end_b]]\ntype: [3d]\nname_mot: [j1]\njoint_name: [j2, j3]\njoint_type: [SPHERICAL, UJOINT_YX]\n"
        model, _ = self.model(*self.loops(text))
        self.assertEqual([entry["type"] for entry in model["joints"]], ["revolute", "universal", "spherical", "spherical"])
        self.assertEqual([force["joint"] for force in self.forces(model, "drive")], ["j1"])
        arguments = self.loops(text)
        self.assertEqual(self.freedoms(self.run_import(*arguments).stdout), 2)  # a sphere, a fork and a sphere: both rods turn about themselves

    def test_mistakes_of_loops(self):
        for text, words in (("loops: [{frame_a: x, frame_b: end_b}]", 'yaml:1: .*found x'), ("loops: [{frame_a: end_a, frame_b: end_a}]", "twice"),
                            ("loops: [{frame_a: end_a, frame_b: coupler}]", "are one body"), ("loops: [{frame_a: end_a, frame_b: end_b, type: x}]", "expected fixed"),
                            ("closed_loop: [[end_a]]", "pair of links"), ("closed_loop: [[end_a, end_b]]\ntype: [5d]", "6d or 3d"), ("motors: [x]", "name of a joint"),
                            ("joint_name: [j2]\njoint_type: [X]", "SPHERICAL"), ("[]", "expected the keys"), ("loops: [{frame_a: end_a, frame_b: end_b, x: 1}]", "unknown key")):
            robot, *options = self.loops(text)
            self.refused(robot, 0, words, *options)
        far = self.FOUR_BAR.replace('xyz="3 0 0"/><axis', 'xyz="30 0 0"/><axis')
        robot, *options = self.loops("loops: [{frame_a: end_a, frame_b: end_b, type: spherical}]", far)
        self.refused(robot, 0, "yaml:1: no motion of the joints closes the loop of 'end_a' and 'end_b': it stays open .* --pose", *options)

    TWO_LOOPS = (FOUR_BAR + light("end_c") + joint("f3", "fixed", "coupler", "end_c", '<origin xyz="1 {y} 0"/>') + heavy("strut")
                 + joint("j4", "continuous", "world", "strut", '<origin xyz="1 0 0"/><axis xyz="0 1 0"/>') + light("end_d")
                 + joint("f4", "fixed", "strut", "end_d", '<origin xyz="0 0 1.5"/>'))

    def test_a_loop_that_nothing_closes_is_named(self):
        """The second loop is 0.25 m beside its plane, whatever the first one does."""
        robot, *options = self.loops("loops:\n- {frame_a: end_a, frame_b: end_b, type: spherical}\n- {frame_a: end_c, frame_b: end_d, type: spherical}",
                                     self.TWO_LOOPS.replace("{y}", "0.25"))
        self.refused(robot, 0, "yaml:3: no motion of the joints closes the loop of 'end_c' and 'end_d', not even if all other loops are open: "
                     r"it stays open by 0\.25 m", *options)

    def test_closing_moves_no_other_joint_and_makes_no_full_turns(self):
        outside = heavy("waist") + joint("turn", "continuous", "world", "waist") + self.FOUR_BAR.replace('<parent link="world"/>', '<parent link="waist"/>')
        model, _ = self.model(*self.loops("loops: [{frame_a: end_a, frame_b: end_b, type: spherical}]", light("world") + outside.replace(light("world"), "")))
        positions = {j["name"]: j.get("position", 0) for j in model["joints"]}
        self.assertEqual(positions["turn"], 0)
        self.assertTrue(all(abs(value) <= math.pi for value in positions.values()), positions)
        limited = self.FOUR_BAR.replace(joint("j3", "continuous", "world", "rocker", '<origin xyz="3 0 0"/><axis xyz="0 1 0"/>'),
                                        joint("j3", "revolute", "world", "rocker", '<origin xyz="3 0 0"/><axis xyz="0 1 0"/><limit lower="3" upper="3.1"/>'))
        self.assertRegex(self.model(*self.loops("loops: [{frame_a: end_a, frame_b: end_b, type: spherical}]", limited))[1],
                         r"joint 'j3': the loops close at .*, outside its limits 3 to 3\.1")

    SRDF = '<?xml version="1.0"?>\n<robot name="r">\n<group name="x"/>{more}\n<loop_constraint frame1="end_a" frame2="end_b" {mask}/>\n</robot>\n'

    def test_srdf(self):
        """A mask becomes the joint that prevents its motions."""
        masks = (("", "fixed", None), ("x y z", "spherical", None), ("x y z roll yaw", "revolute", 1), ("z yaw x roll", "cylindrical", 1), ("y roll yaw", "planar", 1),
                 ("y z pitch yaw", "cylindrical", 0), ("z roll pitch", "planar", 2), ("x z pitch", "fixed", None), ("x z", "spherical", None))
        for mask, kind, axis in masks:
            arguments = self.loops(self.SRDF.format(more="", mask=f'mask="{mask}"' if mask else ""), None, "--drives", "none")
            done = self.run_import(*arguments)
            self.assertEqual(done.returncode, 0, (mask, done.stderr))
            loop = yaml.load(done.stdout, Loader)["model"]["joints"][-1]
            self.assertEqual(loop["type"], kind, mask)
            if axis is not None:
                self.assertAlmostEqual(abs(loop["axis_a"][axis]), 1, 12, mask)
            self.assertEqual("prevents the other motions" in done.stderr, mask in ("x z pitch", "x z"), mask)
        passive = "".join(f'<passive_joint name="{name}"/>' for name in ("j2", "j3"))
        done = self.run_import(*self.loops(self.SRDF.format(more=passive, mask='mask="x y z"')))
        self.assertEqual([force["joint"] for force in self.forces(yaml.load(done.stdout, Loader)["model"], "drive")], ["j1"])
        for more, mask, words in (("", 'mask="roll"', "srdf|yaml:4: mask: expected x y z"), ("", 'mask="x q"', ":4: mask: expected"),
                                  ('<passive_joint name="q"/>', "", ":3: <passive_joint>: expected the name of a joint"), ("<", "", "not well-formed")):
            robot, *options = self.loops(self.SRDF.format(more=more, mask=mask))
            self.refused(robot, 0, words, *options)
        robot, *options = self.loops('<robot name="r"/>')
        self.refused(robot, 0, "expected <loop_constraint>, found none", *options)
        robot, *options = self.loops('<robot>\n<loop_constraint frame1="end_a" frame2="q"/></robot>')
        self.refused(robot, 0, ":2: frame2: expected the name of a link of the robot, found 'q'", *options)

    def test_meshes(self):
        """A file is copied once. A negative factor mirrors, two of them turn."""
        (self.folder / "deep").mkdir()
        triangle = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n"
        (self.folder / "deep" / "a b.STL").write_text(triangle)
        shape = '<visual><geometry><mesh filename="{f}" scale="{s}"/></geometry></visual>'
        shapes = "".join(shape.format(f="deep/a b.STL", s=s) for s in ("0.1 0.1 0.1", "-1 1 1", "1 -1 -1", "-1 -1 -1", "1 1 2"))
        text = light("world") + heavy("a", shapes + shape.format(f="package://p/a b.STL", s="1 1 1") + shape.format(f="x.dae", s="1 1 1")) + joint("j", "continuous", "world", "a")
        model, notes = self.model(text, "--meshes", "pictures", "--package", f"p={self.folder / 'deep'}")
        self.assertIn("scale differs", notes)
        self.assertIn("'x.dae': expected an STL or GLB file", notes)
        self.assertEqual((self.folder / "pictures" / "a_b.stl").read_text(), triangle)
        found = [(v["file"], v.get("scale"), v.get("mirror"), v["orientation"]) for v in model["visual"]]
        self.assertEqual(found[:4], [("pictures/a_b.stl", 0.1, None, [1, 0, 0, 0]), ("pictures/a_b.stl", None, "x", [1, 0, 0, 0]),
                                     ("pictures/a_b.stl", None, None, [0, 1, 0, 0]), ("pictures/a_b.stl", None, "x", [0, 1, 0, 0])])
        self.assertEqual(len(found), 5)
        self.assertEqual(self.run_import(text, "--meshes", "/pictures").returncode, 2)

    # --- MJCF ---

    BODY = '<body name="{name}" pos="{pos}">{joint}<inertial pos="0 0 -0.1" mass="2" diaginertia="0.1 0.2 0.15"/>{more}</body>'

    def mjcf(self, world, more="", option=""):
        return f'<mujoco model="m"><compiler angle="radian" autolimits="true"/><option {option}/>\n<worldbody>\n{world}\n</worldbody>\n{more}\n</mujoco>\n'

    def arm(self, joint='<joint name="j" axis="0 1 0" {j}/>', more="", j=""):
        return self.BODY.format(name="a", pos="0 0 1", joint=joint.format(j=j), more=more)

    def needs_mujoco(self):
        if not os.environ.get("WITH_MUJOCO"):
            self.skipTest("needs libmujoco-dev when the tests are built, and no sanitizer")

    def test_mjcf_joints(self):
        self.needs_mujoco()
        model, notes = self.model(self.mjcf(self.arm(j='ref="0.5" springref="0.2" stiffness="30" damping="2" frictionloss="3" range="-1 2"'), option='gravity="0 0 -1.6"'))
        joint, = model["joints"]
        self.assertEqual((joint["type"], joint["position"], model["gravity"]), ("revolute", 0.5, [0, 0, -1.6]))
        spring, = self.forces(model, "joint_spring")
        self.assertEqual((spring["stiffness"], spring["rest"]), (30, 0.2))
        friction, = self.forces(model, "friction")
        self.assertEqual((friction["damping"], friction["friction"]), (2, 3))
        stop, = self.forces(model, "stop")
        self.assertEqual((stop["lower"], stop["upper"]), (-1, 2))
        self.assertIn("robot.xml:3: note: softness of stops", notes)
        ball, notes = self.model(self.mjcf(self.arm('<joint type="ball" stiffness="1" damping="1" armature="0.1"/>')), "--drives", "none")
        self.assertEqual(ball["joints"][0]["type"], "spherical")
        self.assertIn("robot.xml:3: note: stiffness, damping and friction of ball and free joints are not imported", notes)
        self.assertIn("armature of ball and free joints", notes)
        done = self.run_import(self.mjcf(self.arm('<joint type="ball" damping="1"/>')), "--strict")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        three = '<joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="z" axis="0 0 1"/>'
        model, _ = self.model(self.mjcf(self.arm(three)))
        self.assertEqual([(body["name"], body["mass"]) for body in model["bodies"]], [("a_1", 0), ("a_2", 0), ("a", 2)])
        self.assertEqual([j["type"] for j in model["joints"]], ["prismatic", "prismatic", "revolute"])

    def test_mjcf_base(self):
        self.needs_mujoco()
        free = self.mjcf(self.arm("<freejoint/>"))
        model, _ = self.model(free)
        self.assertEqual((model.get("joints"), model["bodies"][0]["position"]), (None, [0, 0, 0.9]))
        self.refused(free, 0, "no link moves", "--base", "fixed")
        pose = '<keyframe><key name="high" qpos="1 2 3 0 0 0 2"/></keyframe>'
        model, notes = self.model(self.mjcf(self.arm("<freejoint/>"), pose), "--pose", "high")
        self.assertNotIn("keyframes", notes)
        for found, expected in zip(model["bodies"][0]["position"], (1, 2, 2.9)):
            self.assertAlmostEqual(found, expected, 12)
        self.refused(self.mjcf(self.arm("<freejoint/>"), pose), 0, r"expected a file or a keyframe of the robot \(high\)", "--pose", "low")
        self.assertIn("--pose NAME starts at one of them", self.model(self.mjcf(self.arm("<freejoint/>"), pose))[1])

    def test_mjcf_equalities(self):
        self.needs_mujoco()
        two = self.arm() + self.BODY.format(name="b", pos="1 0 1", joint='<joint name="k" axis="0 1 0" ref="0.2"/>', more="")
        third = self.BODY.format(name="c", pos="0 0 -0.5", joint='<joint name="l" axis="0 1 0"/>', more="")
        chain = self.arm(more=third) + self.BODY.format(name="b", pos="1 0 1", joint='<joint name="k" axis="0 1 0" ref="0.2"/>', more="")
        for kind, element in (("spherical", '<connect name="pin" body1="c" body2="b" anchor="1 0 0.5"/>'), ("fixed", '<weld name="pin" body1="c" body2="b"/>'),
                              ("spherical", '<weld name="pin" body1="c" body2="b" torquescale="0"/>')):
            model, _ = self.model(self.mjcf(chain, f"<equality>{element}</equality>"), "--drives", "none")
            self.assertEqual([(j["name"], j["type"]) for j in model["joints"]][-1], ("pin", kind), element)
        joint = '<equality><joint joint1="k" joint2="j" polycoef="{p}"/></equality>'
        model, _ = self.model(self.mjcf(two, joint.format(p="0.3 -2 0 0 0")))
        gear, = self.forces(model, "gear")
        self.assertEqual((gear["joint"], gear["joint_b"], gear["ratio"]), ("k", "j", -2))
        self.assertEqual({j["name"]: j.get("position", 0) for j in model["joints"]}, {"j": 0, "k": 0.5})
        self.assertIn("robot.xml:5: note: joints 'k' and 'j': a relation that is not linear", self.model(self.mjcf(two, joint.format(p="0 1 0.5 0 0")))[1])
        model, notes = self.model(self.mjcf(two, '<equality><joint joint1="k" polycoef="0.1 0 0 0 0"/></equality>'))
        self.assertIn("'k' is held at 0.3", notes)
        self.assertIn("not active", self.model(self.mjcf(two, joint.format(p="0 1 0 0 0").replace("<joint", '<joint active="false"')))[1])

    def test_mjcf_actuators(self):
        self.needs_mujoco()
        def motor(attributes, *options, kind="motor"):
            return self.model(self.mjcf(self.arm(), f'<actuator><{kind} joint="j" {attributes}/></actuator>'), *options)
        model, notes = motor('gear="16" ctrlrange="-12 12"', "--drives", "effort")
        self.assertEqual(model["inputs"], [{"name": "j", "force": "j_motor", "limit": 192}])
        self.assertIn("robot.xml:5: note: the input of a motor is the force on its joint: control times gear", notes)
        model, _ = motor('gear="-2" ctrlrange="-1 3" forcerange="-2 9"', "--drives", "effort")
        self.assertEqual(model["inputs"], [{"name": "j", "force": "j_motor", "limit": 6, "lower": -6, "upper": 2}])
        self.assertIn("gains of a position actuator", motor('kp="30"', kind="position")[1])
        self.assertIn("no motor", motor('dyntype="integrator"', kind="general")[1])
        model, _ = motor("", "--drives", "position", "--acceleration", "9", "--velocity", "2")
        drive, = self.forces(model, "drive")
        self.assertEqual((drive["max_rate"], drive["max_acceleration"]), (2, 9))
        passive = self.arm() + self.BODY.format(name="b", pos="1 0 1", joint='<joint name="k" axis="0 1 0"/>', more="")
        model, _ = self.model(self.mjcf(passive, '<actuator><motor joint="j"/></actuator>'))
        self.assertEqual([force["joint"] for force in self.forces(model, "drive")], ["j"])

    def test_mjcf_armature(self):
        """The rotor has the armature, and the model that of libmujoco: M = 0.22 + 0.5."""
        self.needs_mujoco()
        arm = self.mjcf(self.arm(j='armature="0.5" ref="0.3"'), '<actuator><motor joint="j" gear="20"/></actuator>')
        self.assertIn("--armature makes rotors of it", self.model(arm)[1])
        model, notes = self.model(arm, "--armature", "--drives", "none")
        self.assertNotIn("armature", notes)
        rotor, = (body for body in model["bodies"] if body["name"] == "j_rotor")
        self.assertAlmostEqual(rotor["inertia"][1][1], 0.5 / 400, 15)
        gear, = self.forces(model, "gear")
        self.assertEqual((gear["joint"], gear["joint_b"], gear["ratio"]), ("j_rotor", "j", 20))

    def test_mjcf_shapes_and_sites(self):
        self.needs_mujoco()
        geoms = ('<geom type="box" size="0.1 0.2 0.3" rgba="1 0.5 0 1" mass="0"/><geom type="capsule" size="0.1 0.2" mass="0" group="3"/>'
                 '<geom type="ellipsoid" size="0.1 0.2 0.3" mass="0"/><site name="tip" pos="0 0 0.5"/>')
        model, notes = self.model(self.mjcf(self.arm(j='pos="0 0 0.1"', more=geoms)), "--frames", "ti*")
        box, ellipsoid = model["visual"]
        self.assertEqual((box["shape"], box["size"], box["color"], box["position"]), ("box", [0.2, 0.4, 0.6], "#ff8000", [0, 0, 0.1]))
        self.assertEqual((ellipsoid["shape"], ellipsoid["size"]), ("sphere", [0.2, 0.4, 0.6]))
        sensor, = model["sensors"]
        self.assertEqual(sensor["name"], "tip")
        self.assertAlmostEqual(sensor["point"][2], 0.6, 14)
        self.assertIn("contacts are not imported", notes)
        tetrahedron = 'asset><mesh name="t 1" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/></asset'
        mesh = self.mjcf(self.arm(more='<geom type="mesh" mesh="t 1" mass="0" pos="0 0 2"/>'), f"<{tetrahedron}>")
        self.assertIn("a mesh of <visual> is not imported", self.model(mesh)[1])
        visual, = self.model(mesh, "--meshes", "pictures")[0]["visual"]
        self.assertEqual((visual["shape"], visual["file"]), ("mesh", "pictures/t_1.stl"))
        stl = (self.folder / "pictures" / "t_1.stl").read_bytes()
        self.assertEqual(len(stl), 84 + 4 * 50)
        # libmujoco turns a mesh into its principal axes, and places it so that the corners are where they were.
        w, x, y, z = visual["orientation"]
        corners = set()
        for face in range(4):
            numbers = struct.unpack_from("<9f", stl, 84 + 50 * face + 12)
            for corner in range(3):
                v, q = numbers[3 * corner:3 * corner + 3], (x, y, z)
                t = [2 * (q[(i + 1) % 3] * v[(i + 2) % 3] - q[(i + 2) % 3] * v[(i + 1) % 3]) for i in range(3)]
                at = [v[i] + w * t[i] + q[(i + 1) % 3] * t[(i + 2) % 3] - q[(i + 2) % 3] * t[(i + 1) % 3] + visual["position"][i] for i in range(3)]
                corners.add(tuple(round(value, 5) + 0.0 for value in at))
        self.assertEqual(corners, {(0, 0, 2.1), (1, 0, 2.1), (0, 1, 2.1), (0, 0, 3.1)})  # from the centre of mass, 0.1 below the body
        self.assertIn("1 sensor is not imported", self.model(self.mjcf(self.arm(), '<sensor><jointpos joint="j"/></sensor>'))[1])
        self.assertIn("2 tendons are not", self.model(self.mjcf(self.arm(), "<tendon>" + '<fixed><joint joint="j" coef="1"/></fixed>' * 2 + "</tendon>"))[1])

    def test_mjcf_mistakes(self):
        self.needs_mujoco()
        self.refused(self.mjcf("<bodies/>"), 3, "libmujoco 2.2.2: XML Error: Schema violation")
        self.refused(self.mjcf(self.arm().replace('mass="2"', 'mass="x"')), 3, "libmujoco 2.2.2: ")
        self.refused("<mujoco>\n<worldbody>\n</mujoco>", 0, "libmujoco 2.2.2: ")
        self.refused(self.mjcf(""), 0, "no link moves")
        arm = self.mjcf(self.arm())
        done = self.run_import(arm, environment={"LD_PRELOAD": os.environ["NO_MUJOCO"]})
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"robot\.xml: error: MJCF needs libmujoco 2\.2\.2: install the package libmujoco2\.2\.2")
        self.model("<!-- <robot> -->\n" + arm)

    def test_usage(self):
        for options, words in (((), "expected one file"), (("--base", "x", "f"), "fixed or free"), (("--drives", "x", "f"), "hold, none"),
                               (("--density", "-1", "f"), "above 0"), (("--package", "x", "f"), "NAME=DIR"), (("--acceleration", "1", "f"), "--drives position"),
                               (("/nowhere/robot.urdf",), "No such file")):
            done = subprocess.run([os.path.join(BIN, "ali3-import"), *options], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)
        self.assertTrue(subprocess.run([os.path.join(BIN, "ali3-import"), "--version"], capture_output=True, text=True).stdout.startswith("ali3-import 0."))


@unittest.skipUnless(importlib.util.find_spec("numpy") and os.environ.get("ALI3_LIBRARY"), "needs numpy, and libali3.so.0 without a sanitizer")
class Oracle(unittest.TestCase):
    def test_own_robots(self):
        listing = "".join(f"robots {path.name}\n" for path in sorted((HERE / "robots").glob("*.urdf")))
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
            names.write(listing)
            names.flush()
            done = subprocess.run([sys.executable, "-B", str(HERE / "compare.py"), BIN, names.name, str(HERE), "--poses", "5"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, f"{listing.count('robots ')} files agree with the oracle at 6 positions, 0 do not; 0 are refused\n"), done.stderr)

    @unittest.skipUnless(os.environ.get("WITH_MUJOCO"), "needs libmujoco-dev when the tests are built, and no sanitizer")
    def test_mjcf(self):
        done = subprocess.run([sys.executable, "-B", str(HERE / "mjcf.py"), BIN, os.environ["WITH_MUJOCO"], *map(str, sorted((HERE / "robots").glob("*.xml"))), "--poses", "8"],
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout),
                         (0, "crane.xml: agrees with libmujoco at 10 positions\ndriven.xml: agrees with libmujoco at 9 positions\nlinkage.xml: closed to 1e-12, 1 freedoms\n"), done.stderr)

    def test_loops(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
            names.write("robots fourbar/robot.urdf\nrobots split/robot.urdf\n")
            names.flush()
            done = subprocess.run([sys.executable, "-B", str(HERE / "loops.py"), BIN, names.name, str(HERE)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["2 robots with loops are closed and run, 0 do not; 0 are refused"]),
                         done.stdout + done.stderr)
        self.assertIn("fourbar/robot.urdf: closed to", done.stdout)
        self.assertIn(" 1 freedoms without drives, 0 steps", done.stdout)

    @unittest.skipUnless(os.environ.get("WITH_MUJOCO"), "needs libmujoco-dev when the tests are built, and no sanitizer")
    def test_libmujoco(self):
        """The oracle against libmujoco, and a wrong inertia is found."""
        right = (HERE / "robots" / "tree.urdf").read_text(encoding="utf-8")
        for change, status in (("", 0), ('ixx="0.0004"', 1)):
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "robots").mkdir()
                pathlib.Path(folder, "robots", "tree.urdf").write_text(right, encoding="utf-8")
                pathlib.Path(folder, "list").write_text("robots tree.urdf\n", encoding="utf-8")
                program = os.environ["WITH_MUJOCO"]
                if change:  # libmujoco sees another file than the oracle
                    program = os.path.join(folder, "other")
                    pathlib.Path(program).write_text(f"#!/bin/sh\nsed 's/{change}/ixx=\"0.00041\"/' \"$1\" > {folder}/other.urdf\n"
                                                     f"exec {os.environ['WITH_MUJOCO']} {folder}/other.urdf $2\n", encoding="utf-8")
                    os.chmod(program, 0o755)
                done = subprocess.run([sys.executable, "-B", str(HERE / "mujoco.py"), program, f"{folder}/list", folder], capture_output=True, text=True)
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                self.assertIn("inertia of wheel" if change else "1 files agree with libmujoco at 5 positions, 0 do not; 0 are refused\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
