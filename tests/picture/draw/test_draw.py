#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_draw.py ALI3D: drawings of mechanisms: valid SVG with every name, inside the page, with equal bytes each time; projected
distances; the legs of a platform; files that cannot be written."""
import glob
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ALI3D = sys.argv.pop(1)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
SVG = "{http://www.w3.org/2000/svg}"
FLAT = """
model:
  name: a <flat> & "quoted" one
  gravity: [0, 0, -9.81]
  bodies:
    - {name: bar, mass: 1, shape: {type: box, size: [2, 0.01, 0.5]}, position: [1, 0, 0]}
  joints:
    - {name: hinge, type: revolute, body_a: ground, body_b: bar, at: [0, 0, 0], axis: [0, 1, 0]}
"""


class Drawings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def draw(self, file, name="out.svg"):
        made = subprocess.run([ALI3D, file, "--draw", self.path(name)], capture_output=True, text=True, check=False)
        self.assertEqual((made.returncode, made.stderr, made.stdout), (0, "", ""))
        return xml.etree.ElementTree.parse(self.path(name)).getroot()

    def texts(self, root):
        return [t.text for t in root.iter(f"{SVG}text")]

    def test_every_model_has_all_its_names_on_the_page(self):
        files = sorted(glob.glob(os.path.join(ROOT, "config/models/*.yaml")))
        self.assertGreaterEqual(len(files), 12)
        for file in files:
            root = self.draw(file)
            plain = subprocess.run([ALI3D, file, "--expand"], capture_output=True, text=True, check=True).stdout
            elements = re.search(r"  bodies:\n(.*?)(\n  \w|\n\w|$)", plain, re.S).group(1)
            names = re.findall(r"name: ([\w-]+)", elements)
            if joints := re.search(r"  joints:\n(.*?)(\n  \w|\n\w|$)", plain, re.S):
                names += re.findall(r"name: ([\w-]+)", joints.group(1))
            self.assertEqual([n for n in names if n not in self.texts(root)], [], file)
            _, _, width, height = (float(x) for x in root.get("viewBox").split())
            for mark in root.iter(f"{SVG}circle"):
                self.assertTrue(0 < float(mark.get("cx")) < width and 0 < float(mark.get("cy")) < height, file)
            for label in root.iter(f"{SVG}text"):
                self.assertTrue(0 <= float(label.get("x")) < width and 0 < float(label.get("y")) <= height, file)

    def test_equal_files_have_equal_bytes(self):
        file = os.path.join(ROOT, "config/models/delta.yaml")
        self.draw(file, "a.svg")
        self.draw(file, "b.svg")
        with open(self.path("a.svg"), "rb") as a, open(self.path("b.svg"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_a_flat_mechanism_is_seen_from_its_side(self):
        """The box of 2 m by 0.5 m has these proportions, the hinge is 1 m left of its middle, and the scale fits."""
        with open(self.path("flat.yaml"), "w", encoding="utf-8") as f:
            f.write(FLAT)
        root = self.draw(self.path("flat.yaml"))
        self.assertIn('a <flat> & "quoted" one: 1 body, 1 joint, at the start', self.texts(root))
        faces = [[[float(x) for x in p.split(",")] for p in f.get("points").split()] for f in root.iter(f"{SVG}polygon")]
        left, right = (pick(x for f in faces for x, _ in f) for pick in (min, max))
        top, bottom = (pick(y for f in faces for _, y in f) for pick in (min, max))
        self.assertAlmostEqual((right - left) / (bottom - top), 4, delta=0.01)
        (hinge,) = (c for c in root.iter(f"{SVG}circle") if c.get("class") == "ground")
        arm = (left + right) / 2 - float(hinge.get("cx"))
        self.assertAlmostEqual(arm, (right - left) / 2, delta=0.05 * arm)
        self.assertAlmostEqual(float(hinge.get("cy")), (top + bottom) / 2, delta=0.2)
        scale = next(t for t in self.texts(root) if re.fullmatch(r"[\d.e-]+ m", t))
        bar = [line for line in root.iter(f"{SVG}line") if line.get("class") == "link"][-1]
        self.assertAlmostEqual((float(bar.get("x2")) - float(bar.get("x1"))) / float(scale.split()[0]), arm, delta=0.5)

    def outline(self, shape):
        """(width, height, colour) of the outline of a shape in place of the box, where the box is 2 units wide."""
        with open(self.path("own.yaml"), "w", encoding="utf-8") as f:
            f.write(FLAT.replace("\n  joints:", f"\n  visual:\n    - {{body: bar, {shape}}}\n    - {{body: ground, shape: box, "
                                 "size: [2, 1.0e-9, 0.5], position: [1, 0, 0], color: '#000000'}\n  joints:"))
        own, box = ([[float(x) for x in p.split(",")] for p in polygon.get("points").split()] for polygon in sorted(
            self.draw(self.path("own.yaml")).iter(f"{SVG}polygon"), key=lambda f: f.get("fill") == "#000000"))
        unit = 0.5 * (max(x for x, _ in box) - min(x for x, _ in box))
        return [(max(p[k] for p in own) - min(p[k] for p in own)) / unit for k in (0, 1)]

    def test_shapes_of_the_file_have_outlines(self):
        corners = ((0, 0, 0), (1000, 0, 0), (0, 10, 250))
        with open(self.path("part.stl"), "wb") as f:
            f.write(b"\0" * 80 + struct.pack("<I12f2x", 1, 0, 0, 1, *(x for p in corners for x in p)))
        for shape, expected in (("shape: box, size: [0.5, 0.2, 0.3]", (0.5, 0.3)), ("shape: sphere, size: [0.4, 0.2, 0.6]", (0.4, 0.6)),
                                ("shape: cylinder, size: [0.4, 0.2, 0.9]", (0.4, 0.9)), ("shape: capsule, size: [0.2, 0.2, 0.9]", (0.2, 0.9)),
                                ("shape: cylinder, size: [0.2, 0.2, 1], orientation: {axis: [0, 1, 0], angle: 90 deg}", (1, 0.2)),
                                ("shape: mesh, file: part.stl, scale: 0.002", (2, 0.5))):
            with self.subTest(shape):
                for found, wanted in zip(self.outline(shape), expected):
                    self.assertAlmostEqual(found, wanted, delta=0.01)

    def drawn(self, text):
        with open(self.path("drawn.yaml"), "w", encoding="utf-8") as f:
            f.write(text)
        self.draw(self.path("drawn.yaml"), "drawn.svg")
        with open(self.path("drawn.svg"), encoding="utf-8") as f:
            return f.read()

    def test_the_shape_of_a_body_is_drawn(self):
        """As the same shape in the list visual, for which the centre of mass was computed by hand. A rod shows below a cone."""
        for shape, visual in (("type: box, size: [0.4, 0.2, 0.6]", "shape: box, size: [0.4, 0.2, 0.6]"),
                              ("type: sphere, radius: 0.3, color: '#123456'", "shape: sphere, size: [0.6, 0.6, 0.6], color: '#123456'"),
                              ("type: cylinder, from: [0, 0, -0.5], to: [0, 0, 0.5], radius: 0.1", "shape: cylinder, size: [0.2, 0.2, 1]"),
                              ("type: tube, length: 1, radius: 0.2, inner_radius: 0.1", "shape: tube, size: [0.4, 0.4, 1], inner: 0.5"),
                              ("type: tube, length: 1, radius: 0.2, inner_radius: 0", "shape: cylinder, size: [0.4, 0.4, 1]"),
                              ("type: rod, length: 1", "shape: capsule, size: [0.03, 0.03, 1]"),
                              ("type: cone, radius: 0.2, length: 0.8, position: [0, 0, -0.2]", "shape: cone, size: [0.4, 0.4, 0.8], position: [0, 0, 0.2]")):
            with self.subTest(shape):
                model = FLAT.replace("type: box, size: [2, 0.01, 0.5]", shape)
                listed = model.replace(", color: '#123456'", "").replace("\n  joints:", f"\n  visual:\n    - {{body: bar, rods: true, {visual}}}\n  joints:")
                self.assertEqual(self.drawn(model), self.drawn(listed))
                # Another shape in the list replaces it.
                other = self.drawn(model.replace("\n  joints:", "\n  visual:\n    - {body: bar, shape: sphere, size: [0.1, 0.1, 0.1]}\n  joints:"))
                self.assertEqual((other.count('class="own"'), other.count('class="rod')), (1, 0))

    def test_a_mirror_turns_a_cone_over(self):
        """A cone that points up in a part, and its mirror image across z, which points down."""
        part = "model:\n  name: m\n  parts:\n    - {%sbodies: [{name: c, shape: {type: cone, mass: 1, radius: 0.2, length: %s}, position: [0, 0, 1]}]}\n"
        plain = subprocess.run([ALI3D, self.write("m.yaml", part % ("mirror: z, ", 0.8)), "--expand"], capture_output=True, text=True, check=True).stdout
        cone = self.drawn(part % ("mirror: z, ", 0.8))
        self.assertEqual(cone, self.drawn(plain))
        ys = [float(y) for y in re.findall(r"[\d.]+,([\d.]+)", re.search(r'points="([^"]*)"[^>]*class="own"', cone).group(1))]
        widest = max(ys, key=lambda y: sum(abs(y - other) < 8 for other in ys))  # the base
        self.assertLess(widest, 0.5 * (min(ys) + max(ys)))

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def test_no_name_lies_on_another(self):
        """Names of 11 pixels in height and at least 5.5 in mean width of a letter, in every model."""
        for file in [*sorted(glob.glob(os.path.join(ROOT, "config/models/*.yaml"))), os.path.join(ROOT, "config/demo/car.yaml")]:
            boxes = [(float(t.get("x")), float(t.get("y")) - 9, 5.5 * len(t.text), 11, t.text) for t in self.draw(file).iter(f"{SVG}text")
                     if t.get("class") in ("body", "joint", "force")]
            self.assertGreater(len(boxes), 1)
            lying = [(a[4], b[4]) for i, a in enumerate(boxes) for b in boxes[:i]
                     if a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]]
            self.assertEqual(lying, [], file)

    def test_legs_of_a_platform_have_their_numbers(self):
        root = self.draw(os.path.join(ROOT, "config/demo/car.yaml"))
        legs = [t.text for t in root.iter(f"{SVG}text") if t.get("class") == "leg"]
        self.assertEqual(sorted(legs), ["1", "2", "3", "4", "5", "6"])
        struts = [line for line in root.iter(f"{SVG}line") if line.get("class") == "strut"]
        self.assertEqual(len(struts), 6)
        for strut in struts:
            self.assertGreater(math.dist([float(strut.get(k)) for k in ("x1", "y1")], [float(strut.get(k)) for k in ("x2", "y2")]), 50)

    def test_failures_are_said(self):
        file = os.path.join(ROOT, "config/models/delta.yaml")
        made = subprocess.run([ALI3D, file, "--draw", self.path("no/such.svg")], capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 2)
        self.assertRegex(made.stderr, "--draw: .*no/such.svg: the folder .*no does not exist; make it")
        made = subprocess.run([ALI3D, file, "--draw", "/dev/full"], capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 1)
        self.assertIn("No space left", made.stderr)


unittest.main()
