#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_runs.py ALI3D ALI3_SIM: short forms from the command line: what --expand prints has the bits of the file, parts move as
the laws of mechanics demand, options reach parameters and copies, messages name the line that a person wrote, and files that
would grow without limit are refused at once."""
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

SIM = sys.argv.pop(2)
ALI3D = sys.argv.pop(1)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
# A double pendulum that swings in three dimensions, as a part.
ARM = """
parameters: {length: 0.7, heavy: 3 kg}
model:
  bodies:
    - {name: upper, mass: heavy, inertia: [0.1, 0.2, 0.3], position: [length/2, 0.1, 0], angular_velocity: [0.5, -1, 2]}
    - {name: lower, shape: {type: cylinder, radius: 30 mm, from: [0, 0, 0], to: [0, length, 0.2], density: 800}}
  joints:
    - {name: shoulder, type: spherical, body_a: ground, body_b: upper, at: [0, 0, 0]}
    - {name: elbow, type: revolute, body_a: upper, body_b: lower, point_a: [length/2, 0, 0], point_b: [0, 0, 0], axis_a: [0, 1, 1], axis_b: [0, 0, 1], position: 20 deg}
  forces:
    - {name: motor, type: joint_spring, joint: elbow, stiffness: 2, rest: 1}
    - {name: push, type: force, body: upper, force: [1, 2, 3], point: [0.1, 0, 0]}
    - {name: twist, type: torque, body: lower, torque: [0.1, 0.2, 0.3]}
"""
USE = "model:\n  gravity: [0, 0, -9.81]\n  parts:\n    - {{use: arm.yaml, {}}}\n"


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("arm.yaml", ARM)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def csv(self, file, *options):
        made = run(SIM, file, "--duration", "0.5", "--output", "-", *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout

    def rows(self, file, signals, *options):
        lines = self.csv(file, "--signals", signals, *options).splitlines()
        return [[float(x) for x in row] for row in csv.reader(line for line in lines if line[0] in "0123456789-")]

    def test_plain_files_have_the_same_bits(self):
        files = sorted(glob.glob(os.path.join(ROOT, "config/models/*.yaml")))
        self.assertGreaterEqual(len(files), 12)
        for file in files:
            made = run(ALI3D, file, "--expand")
            self.assertEqual((made.returncode, made.stderr), (0, ""))
            for form in ("parts:", "parameters:", "<<", "${", "shape: {", "shapes:", "attach_to", " deg"):
                self.assertNotIn(form, made.stdout)
            plain = self.write("plain.yaml", made.stdout)
            self.assertEqual(run(ALI3D, plain, "--expand").stdout, made.stdout, file)
            self.assertEqual(self.csv(plain), self.csv(file), file)

    def test_three_machines_are_short(self):
        for name, most in (("hexapod", 30), ("delta", 40), ("scissor_lift", 40), ("quarter_car", 40)):
            with open(os.path.join(ROOT, f"config/models/{name}.yaml"), encoding="utf-8") as f:
                self.assertLessEqual(len(f.readlines()), most, name)

    def test_a_file_that_names_its_model_becomes_one_file(self):
        file = self.write("car.yaml", "model: {file: arm.yaml}\ncycle: {period: 5 ms}\nsolver: {iterations: 2*2}\n")
        plain = self.write("plain.yaml", run(ALI3D, file, "--expand").stdout)
        os.remove(self.path("arm.yaml"))
        self.assertIn("period: 0.005", run(ALI3D, plain, "--expand").stdout)
        self.write("arm.yaml", ARM)
        self.assertEqual(self.csv(plain), self.csv(file))

    def test_meshes_of_a_model_file_are_found_from_the_file_that_names_it(self):
        os.mkdir(self.path("sub"))
        with open(self.path("sub/link.stl"), "wb") as f:
            f.write(bytes(84))
        visual = "  visual:\n    - &link {body: upper, shape: mesh, file: link.stl}\n    - {<<: *link, body: lower}\n    - *link\n"
        self.write("sub/arm.yaml", ARM + visual)
        file = self.write("car.yaml", "model: {file: sub/arm.yaml}\n")
        made = run(ALI3D, file, "--expand")
        self.assertEqual(made.stdout.count("file: sub/link.stl"), 3, made.stdout)
        plain = run(ALI3D, self.write("plain.yaml", made.stdout), "--check")
        self.assertEqual(plain.returncode, 0, plain.stderr)

    def test_a_mirrored_part_moves_as_in_a_mirror(self):
        plain, mirrored = self.write("plain.yaml", USE.format("mirror: none")), self.write("mirror.yaml", USE.format("mirror: y"))
        for a, b in zip(self.rows(plain, "body.*.position.*"), self.rows(mirrored, "body.*.position.*"), strict=True):
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self.assertAlmostEqual(x, -y if i % 3 == 1 else y, delta=1e-12)
        # The coordinate of a revolute joint keeps its sign.
        self.assertGreater(max(abs(a[0]) for a in self.rows(plain, "joint.elbow.position")), 0.3)
        for a, b in zip(self.rows(plain, "joint.elbow.position"), self.rows(mirrored, "joint.elbow.position"), strict=True):
            self.assertAlmostEqual(a[0], b[0], delta=1e-12)

    def test_a_turned_and_shifted_part_moves_alike(self):
        """About the vertical by 90 degrees: x becomes y. Loads in world axes turn with the part."""
        plain = self.rows(self.write("plain.yaml", USE.format("prefix: a_")), "body.*.position.*")
        pose = "prefix: a_, position: [3, 4, 5], orientation: {axis: [0, 0, 1], angle: 90 deg}"
        for a, b in zip(plain, self.rows(self.write("turned.yaml", USE.format(pose)), "body.*.position.*"), strict=True):
            for body in range(2):
                x, y, z = a[3 * body : 3 * body + 3]
                for found, expected in zip(b[3 * body : 3 * body + 3], (3 - y, 4 + x, 5 + z), strict=True):
                    self.assertAlmostEqual(found, expected, delta=1e-12)

    def test_shapes_for_pictures_move_with_their_part(self):
        """In a mirror, turned about z by 90 degrees, from a file in a folder, and on a body whose shapes move its origin."""
        os.mkdir(self.path("parts"))
        with open(self.path("parts/bar.stl"), "w", encoding="ascii") as f:
            f.write("solid bar\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n")
        self.write("parts/bar.yaml", """
model:
  bodies: [{name: A, shapes: [{type: point, mass: 1, position: [0, 0, 0]}, {type: point, mass: 1, position: [0, 2, 0]}], position: [0, 0, 0]}]
  visual:
    - {body: A, shape: box, position: [1, 2, 3], orientation: [0.5, 0.5, 0.5, 0.5]}
    - {body: A, shape: mesh, file: bar.stl}
    - {body: ground, shape: sphere, position: [1, 2, 3]}
""")
        part = "use: parts/bar.yaml, mirror: y, orientation: {euler: [0, 0, 90 deg]}"
        file = self.write("bars.yaml", f"model:\n  parts:\n    - {{{part}, prefix: a_}}\n    - {{mirror: x, parts: [{{{part}, prefix: b_}}]}}\n")
        found = run(ALI3D, file, "--expand")
        self.assertEqual(found.stderr, "")
        lines = [line.strip() for line in found.stdout.splitlines() if "shape:" in line]
        self.assertEqual(lines[:2], ["- {body: a_A, shape: box, position: [1, -1, 3], orientation: [0.5, -0.5, 0.5, -0.5]}",
                                     '- {body: a_A, shape: mesh, file: "parts/bar.stl", mirror: y, position: [0, 1, 0]}'])
        # Two reflections are half a turn about the third axis.
        self.assertEqual(lines[3:5], ["- {body: b_A, shape: box, position: [-1, -1, 3], orientation: [0.5, -0.5, -0.5, 0.5]}",
                                      '- {body: b_A, shape: mesh, file: "parts/bar.stl", mirror: none, orientation: [0, 0, 0, 1], position: [0, 1, 0]}'])
        numbers = [float(x) for x in re.findall(r"-?[0-9][0-9.e-]*", lines[2])]
        for number, expected in zip(numbers, (2, 1, 3, 0.5**0.5, 0, 0, 0.5**0.5), strict=True):
            self.assertAlmostEqual(number, expected, delta=1e-12)
        self.assertEqual(run(ALI3D, file, "--draw", self.path("bars.svg")).returncode, 0)

    def test_shipped_parts_say_who_uses_them(self):
        parts = sorted(glob.glob(os.path.join(ROOT, "config/models/parts/*.yaml")))
        self.assertGreaterEqual(len(parts), 3)
        for part in parts:
            with open(part, encoding="utf-8") as f:
                head = f.read().split("parameters:")[0]
            user = re.search(r"^# (config/models/\S+\.yaml) uses it\.$", head, re.M).group(1)
            with open(os.path.join(ROOT, user), encoding="utf-8") as f:
                self.assertIn(f"use: parts/{os.path.basename(part)}", f.read())

    def test_a_corner_on_either_side_moves_as_in_a_mirror(self):
        """The shipped suspension corner on a car body that a joint holds: left and right wheels drop alike."""
        use = "use: " + os.path.abspath(os.path.join(ROOT, "config/models/parts/suspension_corner.yaml"))
        file = self.write("axle.yaml", f"""
model:
  gravity: [0, 0, -9.81]
  bodies: [{{name: chassis, mass: 900, inertia: [300, 900, 1000], position: [5, 0, 1], orientation: {{axis: [0, 0, 1], angle: 90 deg}}}}]
  joints: [{{name: hold, type: fixed, body_a: ground, body_b: chassis, at: [5, 0, 1]}}]
  parts:
    - repeat: {{side: [left, right], image: [none, y], y: [0.2, -0.2]}}
      parts: [{{{use}, attach_to: chassis, prefix: "${{side}}_", mirror: "${{image}}", position: [0, y, 0]}}]
""")
        left, right = (self.rows(file, f"body.{side}_wheel.position.*") for side in ("left", "right"))
        self.assertGreater(abs(left[-1][2] - left[0][2]), 0.01)
        for a, b in zip(left, right, strict=True):
            for x, y in zip(a, (10 - b[0], b[1], b[2]), strict=True):
                self.assertAlmostEqual(x, y, delta=1e-9)

    def test_options_reach_parameters_and_copies(self):
        file = self.write("two.yaml", "parameters: {L: 0.5}\n" + USE.format("repeat: {side: [left, right]}, prefix: '${side}_', parameters: {length: L}"))
        before = self.csv(file)
        changed = self.csv(file, "--set", "parameters.L=600 mm")
        self.assertNotEqual(changed, before)
        self.write("two.yaml", "parameters: {L: 0.6}\n" + USE.format("repeat: {side: [left, right]}, prefix: '${side}_', parameters: {length: L}"))
        self.assertEqual(self.csv(file), changed)
        # An element that only the part makes.
        heavy = self.rows(file, "body.*_upper.position.z", "--set", "model.bodies.right_upper.mass=30 kg")[-1]
        self.assertNotAlmostEqual(heavy[0], heavy[1], places=3)
        refused = run(SIM, file, "--duration", "1", "--set", "model.bodies.rigth_upper.mass=1")
        self.assertEqual(refused.returncode, 2)
        self.assertIn('--set model.bodies.rigth_upper.mass=1: error: model.bodies: no element is named "rigth_upper"; did you mean '
                      '"right_upper"?', refused.stderr)

    def test_a_message_leads_through_files_to_the_line(self):
        file = self.write("two.yaml", USE.format("repeat: {m: [1, -1]}, prefix: 'm${m + 2}_', parameters: {heavy: m}"))
        found = run(ALI3D, file, "--check").stderr
        self.assertIn("arm.yaml:5:27: error: mass: expected a number >= 0 (kg), found heavy (the value is -1)\n", found)
        self.assertIn("    - {name: upper, mass: heavy,", found)
        self.assertIn(f"{file}:4:7: note: in copy 2 of this part\n", found)

    def test_the_manual_has_an_example_and_all_units_and_functions(self):
        with open(os.path.join(ROOT, "tools/man/ali3d.yaml.5"), encoding="utf-8") as f:
            section = f.read().split(".SH SHORT FORMS")[1].split(".SH JOINTS")[0].replace("\\-", "-")
        example = self.write("example.yaml", section.split(".EX\n")[1].split(".EE\n")[0])
        self.assertIn("bodies 4, joints 4", run(ALI3D, example, "--check", "--strict").stdout)
        units = re.search(r'\)\? \?\(([A-Za-z|]+)\)', run(ALI3D, "--schema").stdout).group(1).split("|")
        self.assertGreater(len(units), 30)
        words = set(re.findall(r"[A-Za-z]+[0-9]?", section))
        self.assertEqual([u for u in units if u not in words], [])
        with open(os.path.join(ROOT, "src/file/expand/functions.c"), encoding="utf-8") as f:
            functions = re.findall(r'^    \{"(\w+)", \d, RULE', f.read(), re.M)
        self.assertGreater(len(functions), 15)
        self.assertEqual([f for f in functions if f not in words], [])

    def test_new_files_are_models_of_the_tree(self):
        for kind, model in (("hexapod", "hexapod"), ("delta", "delta"), ("four_bar", "four_bar"), ("car", "vehicle"), ("arm", "six_axis_arm")):
            with open(os.path.join(ROOT, f"config/models/{model}.yaml"), encoding="utf-8") as f:
                self.assertEqual(run(ALI3D, "--new", kind).stdout, f.read())
        refused = run(ALI3D, "--new", "hexapood")
        self.assertEqual(refused.returncode, 2)
        self.assertIn('did you mean "hexapod"?', refused.stderr)

    def refused_at_once(self, text, *expected):
        file = self.write("bomb.yaml", text)
        found = run(ALI3D, file, "--check")
        self.assertEqual(found.returncode, 2)
        for part in expected:
            self.assertIn(part, found.stderr)

    def test_files_that_would_grow_without_limit_are_refused(self):
        grows = "the file expands to too many elements"
        levels = "".join(f"  l{i}: &l{i} {{<<: [{', '.join([f'*l{i - 1}'] * 9)}]}}\n" for i in range(1, 30))
        self.refused_at_once(f"x:\n  l0: &l0 {{a: 1}}\n{levels}model: {{<<: *l29}}\n")
        deep = "{repeat: 1000, parts: [" * 6 + "{bodies: [{name: A}]}" + "]}" * 6
        self.refused_at_once(f"model:\n  parts: [{deep}]\n", grows)
        self.refused_at_once("model:\n  parts:\n    - {use: bomb.yaml}\n    - {use: bomb.yaml}\n", "more than 8 deep")
        wide = ", ".join(f"k{i}: 1" for i in range(3000))
        self.refused_at_once(f"x: &x {{{wide}}}\nmodel:\n  bodies:\n" + "    - {<<: *x}\n" * 3000, grows)


unittest.main()
