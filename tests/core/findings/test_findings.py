#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_findings.py ALI3D ALI3_SIM: the first line that --check prints for mechanisms with one mistake each, and for good ones."""
import copy
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
PROGRAM, SIM = sys.argv[1:3]


def rod(name, a, b, mass=2.0, **more):
    """A slender rod from a to b, in the plane of x and z."""
    x, z = b[0] - a[0], b[1] - a[1]
    length = (x * x + z * z) ** 0.5
    i, thin = mass * length**2 / 12, mass * 0.02**2 / 2
    ex, ez = x / length, z / length
    inertia = [[thin * ex * ex + i * ez * ez, 0, (thin - i) * ex * ez], [0, i, 0], [(thin - i) * ex * ez, 0, thin * ez * ez + i * ex * ex]]
    return {"name": name, "mass": mass, "inertia": inertia, "position": [(a[0] + b[0]) / 2, 0, (a[1] + b[1]) / 2], **more}


def pin(name, a, b, at, **more):
    return {"name": name, "type": "revolute", "body_a": a, "body_b": b, "at": [at[0], 0, at[1]], "axis": [0, 1, 0], **more}


def slide(name, a, b, at, axis):
    return {"name": name, "type": "prismatic", "body_a": a, "body_b": b, "at": [at[0], 0, at[1]], "axis": [axis[0], 0, axis[1]]}


def boom():
    """A boom that a cylinder of tube and rod holds up, with a load at its end: 2 loops in 1 part, 1 freedom."""
    return {"name": "boom", "gravity": [0, 0, -9.81],
            "bodies": [rod("boom", (0, 1), (3, 1), 60), rod("tube", (1, 0), (1.25, 0.5), 5), rod("rod", (1.2, 0.4), (1.5, 1), 3)],
            "joints": [pin("foot", "ground", "boom", (0, 1)), pin("tube_pin", "ground", "tube", (1, 0)),
                       slide("cylinder", "tube", "rod", (1.25, 0.5), (1, 2)), pin("rod_pin", "rod", "boom", (1.5, 1))],
            "forces": [{"name": "oil", "type": "motor", "joint": "cylinder"},
                       {"name": "ends", "type": "stop", "joint": "cylinder", "lower": -0.2, "upper": 0.4, "stiffness": 2e6}]}


def four_bar():
    return {"name": "four_bar", "gravity": [0, 0, -9.81],
            "bodies": [rod("crank", (0, 0), (0, 0.3)), rod("coupler", (0, 0.3), (1, 0.6)), rod("rocker", (1, 0.6), (1, 0))],
            "joints": [pin("a", "ground", "crank", (0, 0)), pin("b", "crank", "coupler", (0, 0.3)),
                       pin("c", "coupler", "rocker", (1, 0.6)), pin("d", "rocker", "ground", (1, 0))]}


def slider_crank():
    return {"name": "slider_crank", "gravity": [0, 0, -9.81],
            "bodies": [rod("crank", (0, 0), (0.1, 0.2)), rod("rod", (0.1, 0.2), (0.9, 0)),
                       {"name": "roller", "mass": 1, "inertia": [1e-3, 1e-3, 1e-3], "position": [0.9, 0, 0]}],
            "joints": [pin("shaft", "ground", "crank", (0, 0)), pin("big_end", "crank", "rod", (0.1, 0.2)),
                       pin("small_end", "rod", "roller", (0.9, 0)), slide("way", "ground", "roller", (0.9, 0), (1, 0))],
            "forces": [{"name": "turn", "type": "drive", "joint": "shaft", "speed": 6}]}


def find(m, kind, name):
    return next(e for e in m[kind] if e["name"] == name)


def without(m, kind, *names):
    m[kind] = [e for e in m[kind] if e["name"] not in names]


def scale(value, by):
    return [scale(v, by) for v in value] if isinstance(value, list) else value * by


def in_mm(m):
    for e in m["bodies"]:
        e["position"] = scale(e["position"], 1000)
    for e in m["joints"]:
        e["at"] = scale(e["at"], 1000)


def each(m, key, by):
    for e in m["bodies"]:
        e[key] = scale(e[key], by)


def point_c(m, off):
    find(m, "joints", "c").update(at=None, axis=None, point_a=[0.5, 0, 0.15], point_b=[off, 0, 0.3], axis_a=[0, 1, 0], axis_b=[0, 1, 0])


def pin_for_roller(m):
    without(m, "joints", "way")
    m["joints"].append(pin("way", "ground", "roller", (0.9, 0)))


def box(name, at, mass, size, **more):
    i = mass * size**2 / 6
    return {"name": name, "mass": mass, "inertia": [i, i, i], "position": [at[0], 0, at[1]], **more}


def model(name, bodies, joints, forces=(), gravity=(0, 0, -9.81), **more):
    return {"name": name, "gravity": list(gravity), "bodies": list(bodies), "joints": list(joints), "forces": list(forces), **more}


def scissor_lift():
    """Two stages of scissors under a deck; rollers on slides; a cylinder between the lower arms."""
    a = [rod(f"up{i}", (0, i), (1.5, i + 1), 20) for i in range(2)] + [rod(f"down{i}", (0, i + 1), (1.5, i), 20) for i in range(2)]
    foot, shoe = box("foot", (1.5, 0), 2, 0.1), box("shoe", (1.5, 2), 2, 0.1)
    deck = box("deck", (0.75, 2.1), 240, 1.2)
    joints = [pin("base", "ground", "up0", (0, 0)), pin("foot_pin", "down0", "foot", (1.5, 0)),
              slide("foot_way", "ground", "foot", (1.5, 0), (1, 0)),
              *[pin(f"cross{i}", f"up{i}", f"down{i}", (0.75, i + 0.5)) for i in range(2)],
              pin("left", "down0", "up1", (0, 1)), pin("right", "up0", "down1", (1.5, 1)),
              pin("deck_pin", "down1", "deck", (0, 2)), pin("shoe_pin", "up1", "shoe", (1.5, 2)),
              slide("shoe_way", "deck", "shoe", (1.5, 2), (1, 0)),
              pin("tube_pin", "ground", "tube", (0.75, -0.5)), slide("cylinder", "tube", "piston", (0.75, 0), (0, 1)),
              pin("piston_pin", "piston", "up0", (0.75, 0.5))]
    return model("scissor_lift", [*a, foot, shoe, deck, rod("tube", (0.75, -0.5), (0.75, 0.1), 8), rod("piston", (0.75, -0.1), (0.75, 0.5), 5)],
                 joints, [{"name": "oil", "type": "motor", "joint": "cylinder"},
                          {"name": "rub", "type": "friction", "joint": "cylinder", "friction": 100},
                          {"name": "ends", "type": "stop", "joint": "cylinder", "lower": -0.5, "upper": 0.5, "stiffness": 1e7}])


def quarter_car():
    shaker = {"name": "shaker", "type": "drive", "joint": "rig", "external": True, "max_rate": 1, "max_acceleration": 20}
    spring = {"type": "spring_damper", "point_a": [0, 0, 0], "point_b": [0, 0, 0]}
    return model("quarter_car", [box("plate", (0, 0), 50, 0.5), box("wheel", (0, 0.4), 35, 0.4), box("body", (0, 1), 320, 1)],
                 [slide("rig", "ground", "plate", (0, 0), (0, 1)), slide("hub", "ground", "wheel", (0, 0.4), (0, 1)),
                  slide("frame", "ground", "body", (0, 1), (0, 1))],
                 [shaker, {**spring, "name": "tyre", "body_a": "plate", "body_b": "wheel", "stiffness": 2e5, "damping": 100},
                  {**spring, "name": "coil", "body_a": "wheel", "body_b": "body", "stiffness": 2.5e4, "damping": 1500}])


def cart_pole():
    """A pole that stands on a driven cart, without a motor in its joint."""
    return model("cart_pole", [box("cart", (0, 0), 5, 0.3), rod("pole", (0, 0), (0.05, 1), 1)],
                 [slide("track", "ground", "cart", (0, 0), (1, 0)), pin("hinge", "cart", "pole", (0, 0))],
                 [{"name": "belt", "type": "motor", "joint": "track"}])


def press():
    """A large flywheel on a small eccentric, a gear, a motor."""
    wheel = {"name": "wheel", "mass": 2000, "inertia": [300, 600, 300], "position": [0, 0, 0]}
    return model("press", [wheel, box("pinion", (1.2, 0), 40, 0.2), rod("rod", (0.04, 0), (0.04, -1), 60), box("ram", (0.04, -1), 300, 0.5)],
                 [pin("shaft", "ground", "wheel", (0, 0)), pin("motor_shaft", "ground", "pinion", (1.2, 0)),
                  pin("crank", "wheel", "rod", (0.04, 0)), pin("wrist", "rod", "ram", (0.04, -1)),
                  slide("guide", "ground", "ram", (0.04, -1), (0, 1))],
                 [{"name": "mesh", "type": "gear", "joint": "shaft", "joint_b": "motor_shaft", "ratio": -0.1},
                  {"name": "torque", "type": "motor", "joint": "motor_shaft"}])


def pendulum_of_a_point():
    """A small bob on a long massless arm."""
    return model("bob", [box("bob", (1, 0), 1, 0.01)], [pin("pivot", "ground", "bob", (0, 0))])


def satellite():
    return model("satellite", [box("bus", (0, 0), 500, 1), rod("panel", (0.5, 0), (3, 0), 20)], [pin("hinge", "bus", "panel", (0.5, 0))],
                 [{"name": "spring", "type": "joint_spring", "joint": "hinge", "stiffness": 10, "damping": 1}], gravity=(0, 0, 0))


def welded_dummy():
    return model("dummy", [box("dummy", (0, 0), 1, 1)], [{"name": "weld", "type": "fixed", "body_a": "ground", "body_b": "dummy", "at": [0, 0, 0]}])


def door_on_two_hinges():
    door = {"name": "door", "mass": 30, "inertia": [12, 15, 3], "position": [0.5, 0, 1]}
    hinge = {"type": "revolute", "body_a": "ground", "body_b": "door", "axis": [0, 0, 1]}
    return model("door", [door], [{**hinge, "name": "low", "at": [0, 0, 0.2]}, {**hinge, "name": "high", "at": [0, 0, 1.8]}])


def crane():
    """A load on a cable under a boom that a cylinder holds: the load hangs by intention."""
    m = boom()
    m["bodies"].append(box("load", (3, -1), 200, 0.5))
    m["forces"].append({"name": "rope", "type": "cable", "body_a": "boom", "body_b": "load", "point_a": [1.5, 0, 0], "point_b": [0, 0, 0],
                        "stiffness": 1e6, "damping": 1e4})
    return m


def ball_on_table():
    return model("ball", [box("ball", (0, 0.1), 1, 0.1)], [],
                 [{"name": "touch", "type": "sphere_plane", "body_a": "ground", "body_b": "ball", "point_a": [0, 0, 0], "point_b": [0, 0, 0],
                   "normal": [0, 0, 1], "radius": 0.1, "stiffness": 1e5, "damping": 100, "friction": 0.5}])


def flat():
    """A parallelogram with all its pins on a line."""
    return model("flat", [rod("crank", (0, 0), (0.3, 0)), rod("coupler", (0.3, 0), (1.3, 0)), rod("rocker", (1, 0), (1.3, 0))],
                 [pin("a", "ground", "crank", (0, 0)), pin("b", "crank", "coupler", (0.3, 0)),
                  pin("c", "coupler", "rocker", (1.3, 0)), pin("d", "rocker", "ground", (1, 0))])


GOOD = (scissor_lift, quarter_car, cart_pole, press, pendulum_of_a_point, satellite, welded_dummy, door_on_two_hinges, crane, ball_on_table)

# mechanism, mistake, pattern of the first line
MISTAKES = {
    "limits of a stop in degrees": (four_bar, lambda m: m.update(forces=[{"name": "s", "type": "stop", "joint": "a", "lower": -90, "upper": 120,
                                                                         "stiffness": 1e3}]),
                                    r'warning: force "s": lower -90 rad is -14.3 turns: are these degrees\? Write -90 deg'),
    "the coordinate of a pose in degrees": (four_bar, lambda m: find(m, "joints", "a").update(position=45),
                                            r'warning: joint "a": position 45 rad is 7.16 turns: are these degrees\? Write 45 deg'),
    "a point of a distance joint in world coordinates": (
        four_bar, lambda m: (m["bodies"].append(rod("arm", (3, 1), (4, 1))), m["joints"].extend([
            pin("e", "ground", "arm", (3, 1)),
            {"name": "tie", "type": "distance", "body_a": "ground", "body_b": "arm", "point_a": [3.5, 0, 3], "point_b": [3.5, 0, 1]}])),
        r'warning: joint "tie": point_b is 3.64 m away from body "arm", which reaches 500 mm: are these world coordinates\?'),
    "the pin of the rod forgotten": (boom, lambda m: without(m, "joints", "rod_pin"),
                                     r'warning: .*"(tube|rod)".*"tube_pin" alone.*joint at the other end forgotten'),
    "both pins of the cylinder forgotten": (boom, lambda m: without(m, "joints", "rod_pin", "tube_pin"),
                                            r'warning: .*"tube", "rod".*nothing holds'),
    "a body connected to nothing": (four_bar, lambda m: m["bodies"].append(rod("loose", (2, 2), (3, 2))),
                                    r'warning: body "loose".*nothing holds'),
    "a pin of a four-bar forgotten": (four_bar, lambda m: without(m, "joints", "c"),
                                      r'warning: body "coupler".*meets body "rocker" at \(1, 0, 0.6\).*forgotten'),
    "one inertia in kg mm2": (boom, lambda m: find(m, "bodies", "rod").update(inertia=[1e5, 1e5, 1e3]),
                              r'warning: body "rod".*radius of gyration.*kg mm\^2'),
    "inertias in kg mm2": (four_bar, lambda m: each(m, "inertia", 1e6), r"warning: 3 of 3 bodies.*kg mm\^2"),
    "masses in g": (four_bar, lambda m: each(m, "mass", 1000), r"warning: 2 of 2 bodies|warning: 3 of 3 bodies.*mass in g"),
    "a mass and an inertia in g": (boom, lambda m: find(m, "bodies", "boom").update(rod("boom", (0, 1), (3, 1), 60e3)),
                                   r'warning: body "boom": .*heavier than every metal: is the mass in g'),
    "lengths in mm": (four_bar, in_mm, r"warning: 3 of 3 bodies.*lengths in mm"),
    "all in mm": (boom, lambda m: (in_mm(m), each(m, "inertia", 1e6)), r"warning: .*lengths in mm"),
    "gravity up": (four_bar, lambda m: m.update(gravity=[0, 0, 9.81]), r"warning: gravity points along \+z"),
    "gravity forgotten": (four_bar, lambda m: m.pop("gravity"), r"warning: gravity is not given"),
    "a stop violated by 0.1 m": (boom, lambda m: find(m, "forces", "ends").update(lower=0.1),
                                 r'warning: force "ends".*violated by 100 mm.*200 kN'),
    "a roller entered as a pin": (slider_crank, pin_for_roller, r'error: .*drive "turn".*locked'),
    "a drive that begins past the geometry": (slider_crank,
                                              lambda m: m["forces"].append({"name": "pull", "type": "drive", "joint": "way", "offset": 2}),
                                              r'error: drive "pull" is out of reach'),
    "a drive that leads past the geometry": (four_bar,
                                             lambda m: m.update(forces=[{"name": "turn", "type": "drive", "joint": "d", "speed": 2}]),
                                             r'warning: drive "turn" leads out of reach'),
    "two drives on a joint": (four_bar,
                              lambda m: m.update(forces=[{"name": "one", "type": "drive", "joint": "a", "speed": 1},
                                                         {"name": "two", "type": "drive", "joint": "a", "speed": 2}]),
                              r"""error: .*['"]one['"] and .*['"]two['"].*remove"""),
    "two drives on a joint, in two places": (four_bar,
                                             lambda m: m.update(forces=[{"name": "one", "type": "drive", "joint": "a", "offset": 0},
                                                                        {"name": "two", "type": "drive", "joint": "a", "offset": 0.1}]),
                                             r"""error: .*['"]one['"] and .*['"]two['"].*remove"""),
    "three bars that are locked": (four_bar,
                                   lambda m: m["joints"].append({"name": "weld", "type": "fixed", "body_a": "crank", "body_b": "coupler",
                                                                 "at": [0, 0, 0.3]}),
                                   r'warning: the mechanism is locked: bodies "crank", "coupler", "rocker" have 0 freedoms'),
    "a singular start": (flat, lambda m: None, r"warning: the start is a singular position"),
    "axes 90 degrees apart": (four_bar,
                              lambda m: m["joints"].__setitem__(1, {"name": "q", "type": "revolute", "body_a": "crank", "body_b": "coupler",
                                                                    "point_a": [0, 0, 0.15], "point_b": [-0.5, 0, -0.15],
                                                                    "axis_a": [0, 1, 0], "axis_b": [0, 0, 1]}),
                              r'error: .*joint "q".*axes are 90\.0 degrees apart'),
    "a point 300 mm off": (four_bar, lambda m: point_c(m, 0.3), r'error: joint "c".* 300 mm'),
    "a point 2 mm off": (four_bar, lambda m: point_c(m, 0.002), r'warning: joint "c".* 2\.?0* mm'),
    "gravity in mm/s2": (four_bar, lambda m: m.update(gravity=[0, 0, -9810]), r"(warning|error): .*gravity is 9810 m/s\^2.*mm/s\^2"),  # 10 ms are too long then
    "gravity along two axes": (four_bar, lambda m: m.update(gravity=[0, -9.81, -9.81]), r"warning: gravity .* is along no axis"),
    "a ball in the table": (ball_on_table, lambda m: find(m, "bodies", "ball").update(position=[0, 0, 0.05]),
                            r'warning: force "touch": the bodies overlap by 50 mm'),
    "a drive too many": (slider_crank,
                         lambda m: m["forces"].append({"name": "push", "type": "drive", "joint": "way", "speed": 1}),
                         r'error: .*"(turn|push)".*"(turn|push)"'),
}


class Findings(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ali3-findings-")
        self.addCleanup(lambda: [os.unlink(f) for f in glob.glob(self.dir + "/*")] + [os.rmdir(self.dir)])

    def write(self, m, **more):
        path = os.path.join(self.dir, "model.yaml")
        m["joints"] = [{k: v for k, v in j.items() if v is not None} for j in m["joints"]]
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"model": m, **more}, f, indent=1)
        return path

    def check(self, path, *options):
        return subprocess.run([PROGRAM, path, *(options or ("--check",))], capture_output=True, text=True, check=False)

    def first(self, done):
        return (done.stderr or done.stdout).split("\n", maxsplit=1)[0]

    def test_mistakes_are_named_in_the_first_line(self):
        for name, (make, spoil, expected) in MISTAKES.items():
            with self.subTest(name):
                m = make()
                spoil(m)
                done = self.check(self.write(m))
                self.assertRegex(self.first(done), expected, done.stderr + done.stdout)
                self.assertEqual(done.returncode, 2 if ": error: " in self.first(done) else 0, done.stderr)
                self.assertEqual(self.check(self.write(m), "--check", "--strict").returncode, 2)

    def test_good_mechanisms_are_ok(self):
        for make in (boom, four_bar, slider_crank, *GOOD):
            with self.subTest(make.__name__):
                self.good(self.write(make()))

    def good(self, path):
        done = self.check(path, "--check", "--strict")
        self.assertRegex(self.first(done), r": ok: ", done.stderr + done.stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("warning", done.stdout)

    def test_shipped_files_are_free_of_warnings(self):
        files = [f for p in ("config/*.yaml", "config/models/*.yaml", "config/demo/*.yaml", "config/guides/*.yaml",
                             "tests/reference/*.json")
                 for f in sorted(glob.glob(os.path.join(ROOT, p)))]
        self.assertGreater(len(files), 20)
        for path in files:
            with self.subTest(path):
                self.good(path)

    def test_findings_have_the_place_of_their_element(self):
        """The place of an element is its brace, which json.dump() puts into the line above the name."""
        for name, (make, spoil, _) in MISTAKES.items():
            m = make()
            spoil(m)
            path = self.write(m)
            with open(path, encoding="utf-8") as f:
                lines = f.read().split("\n")
            for finding in json.loads(self.check(path, "--check=json").stdout)["findings"]:
                if finding["id"] == "file" or finding["element"]["kind"] == "model":
                    continue
                with self.subTest(f"{name}: {finding['text']}"):
                    self.assertIn(f'"name": "{finding["element"]["name"]}"', lines[finding["place"]["line"]])

    def test_every_line_has_its_place(self):
        path = self.write(boom())
        with open(path, encoding="utf-8") as f:
            text = f.read().split("\n")
        done = self.check(path)
        for line in done.stdout.strip().split("\n")[1:]:
            found = re.fullmatch(re.escape(path) + r"(?::(\d+):(\d+))?: info: (.*) \[[a-z-]+\]", line)
            self.assertIsNotNone(found, line)
            named = re.match(r'largest reaction at the start: \S+ k?N in joint "(\w+)"', found.group(3))
            if named:  # the place of an element is its brace, in the line above the name
                self.assertIn(f'"name": "{named.group(1)}"', text[int(found.group(1))])

    def test_the_accuracy_names_the_key_to_raise(self):
        """A stiff pendulum at a tenth of a second, and one iteration."""
        m = four_bar()
        m["joints"][0]["velocity"] = 3
        for options, said in (({"cycle": {"period": 0.05}}, r"warning: expected error: .* raise solver\.substeps from 1 to 4, or set solver\.extrapolate"),
                              ({"cycle": {"period": 0.02}, "solver": {"iterations": 1}}, r"warning: expected error: .* raise solver\.iterations from 1 to")):
            with self.subTest(options):
                done = self.check(self.write(m, **options))
                self.assertRegex(self.first(done), said, done.stdout + done.stderr)

    def test_a_failed_step_has_its_cause(self):
        m = four_bar()
        m["joints"][0]["velocity"] = 15
        slow = {"cycle": {"period": 0.1}}
        self.assertRegex(self.first(self.check(self.write(m, **slow))), r"error: the step at t = 0 s fails \(.*raise solver\.(substeps|iterations) to")
        m["forces"] = [{"name": "end", "type": "stop", "joint": "a", "upper": -1, "stiffness": 1e6}]
        self.assertRegex(self.first(self.check(self.write(m, **slow))), r'error: the step at t = 0 s fails .* cause is this: force "end": the stop')

    def numbers(self, m, finding, **more):
        out = json.loads(self.check(self.write(m, **more), "--check=json").stdout)
        found = [f for f in out["findings"] if f["id"] == finding]
        self.assertTrue(found, f"{finding} in {out}")
        return {name: n["value"] for name, n in found[0]["numbers"].items()}

    def test_freedoms(self):
        for make, free, undriven in ((boom, 1, 1), (four_bar, 1, 1), (slider_crank, 0, 1), (scissor_lift, 1, 1), (quarter_car, 2, 3),
                                     (press, 1, 1), (satellite, 7, 7), (welded_dummy, 0, 0), (crane, 7, 7), (ball_on_table, 6, 6)):
            with self.subTest(make.__name__):
                found = self.numbers(make(), "freedoms")
                self.assertEqual((found["freedoms"], found["freedoms_without_drives"]), (free, undriven))

    def test_springs_have_the_frequencies_of_theory(self):
        """A mass on a spring, and a rod on a joint with a spring at its end, where 1/(J M^-1 J') is a third of the mass of the rod."""
        mass = model("mass", [box("m", (0, -1), 2, 0.1)], [],
                     [{"name": "s", "type": "spring_damper", "body_a": "ground", "body_b": "m", "point_a": [0, 0, 0], "point_b": [0, 0, 0],
                       "stiffness": 800}])
        lever = model("lever", [rod("r", (0, 0), (2, 0), 3)], [pin("p", "ground", "r", (0, 0))],
                      [{"name": "s", "type": "spring_damper", "body_a": "ground", "body_b": "r", "point_a": [2, 0, 1], "point_b": [1, 0, 0],
                        "stiffness": 100}])
        for m, omega in ((mass, 20), (lever, 10)):
            with self.subTest(m["name"]):
                found = self.numbers(m, "soft-elements", cycle={"period": 0.005}, solver={"substeps": 2})
                self.assertAlmostEqual(found["frequency"] * 6.283185 / omega, 1, 3)
                self.assertAlmostEqual(found["steps_per_period"] * 0.0025 * omega / 6.283185, 1, 3)

    def test_largest_reaction(self):
        self.assertAlmostEqual(self.numbers(welded_dummy(), "largest-reaction")["force"], 9.81, 6)

    def test_expected_error_is_the_error_of_a_second(self):
        for path in ("config/models/four_bar.yaml", "config/models/stewart_platform.yaml", "config/models/double_wishbone.yaml",
                     "tests/reference/bricard.json"):
            path = os.path.join(ROOT, path)

            def positions(*options):
                done = subprocess.run([SIM, path, "--duration", "1", "--output", "-", "--signals", "body.*.position.*", *options],
                                      capture_output=True, text=True, check=True)
                return [[float(x) for x in line.split(",")] for line in done.stdout.strip().split("\n")[1:]]
            rows = zip(positions(), positions("--substeps", "16"))
            error = max(math.dist(a[k:k + 3], b[k:k + 3]) for a, b in rows for k in range(0, len(a), 3))
            found = next(f for f in json.loads(self.check(path, "--check=json").stdout)["findings"] if f["id"] == "accuracy")
            with self.subTest(path):
                # the measure adds the rotation of a body at its farthest place
                ratio = found["numbers"]["error_per_second"]["value"] / error
                self.assertTrue(0.5 < ratio < 4, ratio)

    def test_settings_for_an_accuracy(self):
        """The recommended settings are as accurate as they say."""
        path = os.path.join(ROOT, "config/models/four_bar.yaml")
        done = self.check(path, "--check=json", "--accuracy", "1e-5")
        found = next(f for f in json.loads(done.stdout)["findings"] if f["id"] == "settings")
        self.assertRegex(found["text"], r"for 0.01 mm in the first \S+ s set solver: {method: \w+, substeps: \d+")
        self.assertLess(found["numbers"]["error"]["value"], 1e-5)
        # a method that looks back needs the least work here; one of one step is named beside it
        self.assertRegex(found["text"], r"set solver: {method: (ab4|abm8), .*; \1 wants inputs that are smooth: if inputs jump, "
                                        r"set solver: {method: (ali3|energy|rk4|dp5), ")
        none = self.check(path, "--check=json", "--accuracy", "1e-13")
        (found,) = [f for f in json.loads(none.stdout)["findings"] if f["id"] == "settings"]
        self.assertEqual(found["severity"], "warning")
        self.assertEqual(self.check(path, "--check", "--accuracy", "0").returncode, 2)

    def test_iterations_that_auto_takes(self):
        """auto takes the fewest iterations whose error is small beside that of the step, the usual three for a mechanism at rest, and
        the bits of a run with that number."""
        auto = ("--set", "solver.iterations=auto")
        for name in ("four_bar", "bricard"):
            path = os.path.join(ROOT, "tests/reference", name + ".json")

            def run(*options, path=path):
                return subprocess.run([SIM, path, "--duration", "10", "--output", "-", "--signals", "body.*.position.*", *options],
                                      capture_output=True, text=True, check=True).stdout

            def rows(text):
                return [[float(x) for x in line.split(",")] for line in text.strip().split("\n")[1:]]

            def error(a, b):
                return max(math.dist(x[k:k + 3], y[k:k + 3]) for x, y in zip(a, b) for k in range(0, len(x), 3))
            done = self.check(path, "--check=json", *auto)
            (found,) = [f for f in json.loads(done.stdout)["findings"] if f["id"] == "settings"]
            taken = int(re.search(r"auto takes (\d): in the first 10 s", found["text"])[1])
            many = rows(run("--iterations", "8"))
            step = error(rows(run("--iterations", "8", "--substeps", "2")), many)
            with self.subTest(name):
                self.assertEqual(run(*auto), run("--iterations", str(taken)))
                self.assertLess(error(rows(run("--iterations", str(taken))), many), 0.3 * step)
                if taken > 1:
                    self.assertGreater(error(rows(run("--iterations", str(taken - 1))), many), 0.05 * step)
        rest = self.check(self.write(welded_dummy()), "--check", *auto).stdout
        self.assertRegex(rest, r"info: solver.iterations: auto takes 3, because the first steps .* show nothing \[settings\]")

    def test_singular_passes_of_explicit_methods(self):
        """The step is named in which the mechanism passes a singular position; motions without one have no such step."""
        for name, time in (("double_four_bar", "0.72"), ("chain_8", None), ("bricard", None)):
            for method in ("rk4", "dp5", "ali3"):
                path = os.path.join(ROOT, "tests/reference", name + ".json")
                done = self.check(path, "--check", "--set", f"solver.method={method}").stdout
                with self.subTest(name, method=method):
                    if time and method != "ali3":
                        self.assertRegex(done, rf"warning: at t = {time} s the projection moves a body \S+ times as far .* error of {method} ")
                    else:
                        self.assertNotIn("the projection moves", done)

    def test_steps_that_do_not_determine_reactions(self):
        """A step near a singular position is told apart from one that more iterations mend; both name what determines the reactions."""
        begin = r"warning: in {} steps, first at t = {} s, reactions are not determined: .*; "
        for name, settings, expected in (
                ("config/models/double_wishbone.yaml", ["cycle.period=20ms"],
                 begin.format("1 of the first 500", "0.02") + r"the motion is right; solver.iterations: 6 .*\[reactions-not-determined\]"),
                ("config/models/double_wishbone.yaml", ["cycle.period=20ms", "solver.iterations=6"], None),
                ("tests/reference/double_four_bar.json", ["cycle.period=20ms", "solver.method=energy"],
                 begin.format(r"\d of the first 500", "2.66") + r".* singular position .* rk4, .*\[singular-pass\]"),
                ("tests/reference/double_four_bar.json", ["cycle.period=20ms", "solver.method=rk4"], None)):
            done = self.check(os.path.join(ROOT, name), "--check", *(word for s in settings for word in ("--set", s))).stdout
            with self.subTest(name, settings=settings):
                if expected:
                    self.assertRegex(done, expected)
                else:
                    self.assertNotIn("not determined", done)

    def test_rows_that_redundant_leaves_out(self):
        """drop leaves the redundant rows of loops out, without an effect on the motion; auto takes the way with less work, and has
        the bits of the word that it stands for."""
        for name, rows, taken in (("tests/reference/four_bar.json", 3, "keep"), ("config/models/scissor_lift.yaml", 9, "drop")):
            path = os.path.join(ROOT, name)

            def run(word, path=path):
                return subprocess.run([SIM, path, "--duration", "2", "--output", "-", "--signals", "body.*.position.*",
                                       "--set", f"solver.redundant={word}"], capture_output=True, text=True, check=True).stdout
            moves = {word: run(word) for word in ("keep", "drop", "auto")}
            numbers = [[float(x) for x in re.split("[,\\n]", moves[word].strip().split("\n", 1)[1])] for word in ("keep", "drop")]
            with self.subTest(name):
                self.assertEqual(moves["auto"], moves[taken])
                self.assertNotEqual(moves["keep"], moves["drop"])
                self.assertLess(max(abs(a - b) for a, b in zip(*numbers)), 1e-8)
                for word in ("drop", "auto"):
                    done = self.check(path, "--check", "--set", f"solver.redundant={word}").stdout
                    does = "leaves out" if word == "drop" or taken == "drop" else "keeps"
                    self.assertRegex(done, rf"info: solver.redundant: {word} {does} {rows} rows of \d joint.*\[settings\]")
                    self.assertIn("(redundant 0)" if does == "leaves out" else f"(redundant {rows})", done.split("\n")[0])

    def test_rotations_that_a_step_does_not_resolve(self):
        """A balanced shaft is exact at any rate. An unbalanced one, a crank and a bent universal joint need substeps, with which the
        warning is gone."""
        def shaft(name, x, rate, **more):
            return {"name": name, "mass": 1, "inertia": [0.01, 0.01, 0.02], "position": [x, 0, 0], "angular_velocity": [0, 0, rate], **more}

        def bearing(name, b, x=0):
            return {"name": name, "type": "revolute", "body_a": "ground", "body_b": b, "at": [x, 0, 0], "axis": [0, 0, 1]}
        balanced = {"bodies": [shaft("rotor", 0, 320)], "joints": [bearing("j", "rotor")]}
        unbalanced = {"bodies": [shaft("rotor", 0.01, 320, velocity=[0, 3.2, 0])], "joints": [bearing("j", "rotor")]}
        leaning = {"bodies": [shaft("rotor", 0, 320, inertia=[[0.013, 0, 0.002], [0, 0.014, 0], [0.002, 0, 0.02]])],
                   "joints": [bearing("j", "rotor")]}
        for name, m, warns in (("balanced", balanced, False), ("unbalanced", unbalanced, True), ("leaning", leaning, True)):
            path = self.write({"name": name, "gravity": [0, 0, 0], **m})
            with self.subTest(name):
                done = self.check(path, "--check").stdout
                found = re.search(r'warning: body "rotor" turns by 3.2 rad in an inner step.*raise solver.substeps to (\d+)', done)
                self.assertEqual(bool(found), warns, done)
                if warns:
                    self.assertNotIn("in an inner step", self.check(path, "--check", "--set", f"solver.substeps={found[1]}").stdout)
                run = subprocess.run([SIM, path, "--duration", "0.1", "--output", "/dev/null"], capture_output=True, text=True, check=False)
                self.assertEqual('body "rotor" turns by' in run.stderr, warns, run.stderr)

    def test_a_rotation_that_makes_a_step_fail(self):
        """An unbalanced rotor and a gyroscope so fast that the first step fails: the error names body, turn and substeps, with which
        it is gone."""
        rotor = {"bodies": [{"name": "rotor", "mass": 1, "inertia": [0.01, 0.01, 0.02], "position": [0.05, 0, 0]}],
                 "joints": [{"name": "j", "type": "revolute", "body_a": "ground", "body_b": "rotor", "at": [0, 0, 0], "axis": [0, 0, 1],
                             "velocity": 1000}]}
        gyroscope = {"bodies": [{"name": n, "mass": 1, "inertia": [0.02 if n == "rotor" else 0.01, 0.01, 0.01], "position": [0, 0, 0]} for n in ("outer", "inner", "rotor")],
                     "joints": [{"name": n, "type": "revolute", "body_a": a, "body_b": b, "at": [0, 0, 0], "axis": axis, "velocity": v}
                                for n, a, b, axis, v in (("yaw", "ground", "outer", [0, 1, 0], 50), ("pitch", "outer", "inner", [0, 0, 1], 0),
                                                         ("spin", "inner", "rotor", [1, 0, 0], 500))]}
        for name, m in (("rotor", rotor), ("gyroscope", gyroscope)):
            path = self.write({"name": name, "gravity": [0, 0, 0], **m})
            with self.subTest(name):
                done = self.check(path, "--check").stderr
                found = re.search(r'error: the step at t = 0 s fails.*body "rotor" turns by [\d.]+ rad in an inner step.*raise solver.substeps to (\d+)',
                                  done)
                self.assertTrue(found, done)
                self.assertEqual(done.count("substeps"), 1, done)
                finer = self.check(path, "--check", "--set", f"solver.substeps={found[1]}")
                self.assertEqual(finer.returncode, 0, finer.stderr)
                self.assertNotIn("in an inner step", finer.stdout)

    def test_a_bent_universal_joint(self):
        """Two shafts at an angle of 0.3 rad turn at 3000 rpm: by every method --check names the joint and the substeps."""
        def shaft(name, x):
            return {"name": name, "mass": 1, "inertia": [0.01, 0.01, 0.02], "position": [0, 0, 0], "orientation": [math.cos(x), 0, math.sin(x), 0]}

        def joint(name, kind, a, b, **more):
            return {"name": name, "type": kind, "body_a": a, "body_b": b, "at": [0, 0, 0], **more}
        m = {"name": "cardan", "gravity": [0, 0, 0], "bodies": [shaft("a", 0), shaft("b", 0.15)],
             "joints": [joint("j", "revolute", "ground", "a", axis=[0, 0, 1], velocity=314),
                        joint("k", "revolute", "ground", "b", axis=[math.sin(0.3), 0, math.cos(0.3)]),
                        joint("u", "universal", "a", "b", axis_a=[1, 0, 0], axis_b=[0, 1, 0])]}
        path = self.write(m)
        for method in ("ali3", "energy", "rk4", "dp5", "ab4", "abm8", "dp8"):
            done = self.check(path, "--check", "--set", f"solver.method={method}")
            with self.subTest(method):
                self.assertRegex(done.stdout + done.stderr, r'(warning|error): .*joint "u" turns by [\d.]+ rad in an inner step.*raise solver.substeps to')

    def test_a_planetary_set(self):
        """The carrier turns its planet about the sun. Where a method cannot follow, --check names a body and the substeps, with which
        the mechanism runs for a second in mesh."""
        def wheel(name, mass, i, at, w, v=0.0):
            return {"name": name, "mass": mass, "inertia": [i, i, 2 * i], "position": [at, 0, 0], "angular_velocity": [0, 0, w],
                    "velocity": [0, v, 0]}

        def bearing(name, a, b, at=0.0):
            return {"name": name, "type": "revolute", "body_a": a, "body_b": b, "at": [at, 0, 0], "axis": [0, 0, 1]}
        named = set()
        for rate, method in ((w, m) for w in (400, 1000, 3000) for m in ("ali3", "energy", "rk4", "dp5")):
            turn = rate / 4  # of the carrier
            path = self.write({"name": "planetary", "gravity": [0, -9.81, 0],
                               "bodies": [wheel("sun", 1, 1e-3, 0, rate), wheel("carrier", 2, 0.01, 0, turn),
                                          wheel("planet", 0.5, 5e-4, 0.1, -2 * turn, 0.1 * turn)],
                               "joints": [bearing("s", "ground", "sun"), bearing("c", "ground", "carrier"), bearing("p", "carrier", "planet", 0.1)],
                               "forces": [{"name": "ring", "type": "gear", "joint": "p", "joint_b": "c", "ratio": -3},
                                          {"name": "mesh", "type": "gear", "joint": "s", "joint_b": "c", "ratio": 4}]})
            with self.subTest(rate=rate, method=method):
                options = ["--set", f"solver.method={method}"]
                done = self.check(path, "--check", *options)
                said = done.stdout + done.stderr
                found = re.findall(r"in an inner step.*raise solver.substeps to (\d+)", said)
                self.assertTrue(found or done.returncode == 0, said)
                if found:
                    named.add((rate, method))
                    options += ["--set", f"solver.substeps={max(map(int, found))}"]
                ran = subprocess.run([SIM, path, *options, "--duration", "1", "--output", "-", "--signals", "joint.*.position"],
                                     capture_output=True, text=True, check=False)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                c, p, s = (dict(zip(ran.stdout.split("\n", 1)[0].split(","), map(float, ran.stdout.split()[-1].split(","))))[f"joint.{j}.position"] for j in "cps")
                self.assertAlmostEqual(s, 4 * c, delta=1e-4)
                self.assertAlmostEqual(p, -3 * c, delta=1e-4)
        self.assertLessEqual({(1000, "energy"), (3000, "ali3")}, named)

    def test_densities(self):
        """Links of steel, and of foam, have no finding; one that is lighter than air has."""
        for mass, found in ((2.0, False), (0.01, True)):
            m = four_bar()
            find(m, "bodies", "coupler").update(mass=mass, inertia=[0.083 * mass] * 3)
            done = self.check(self.write(m), "--check").stdout
            with self.subTest(mass):
                self.assertEqual(bool(re.search('info: body "coupler": .*lighter than air: is the mass in t', done)), found, done)

    def test_a_bushing_that_passes_half_a_turn(self):
        """Case D of a public report: a torque that turns the body to half a radian, and one that the bushing cannot hold."""
        for torque, found in ((0.5, False), (4, True)):
            m = {"name": "D", "gravity": [0, 0, 0], "bodies": [{"name": "b", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0, 0, 0]}],
                 "joints": [{"name": "j", "type": "revolute", "body_a": "ground", "body_b": "b", "at": [0, 0, 0], "axis": [0, 1, 0]}],
                 "forces": [{"name": "u", "type": "bushing", "body_a": "ground", "body_b": "b", "rotational_stiffness": [1, 1, 1],
                             "rotational_damping": [0.1, 0.1, 0.1]},
                            {"name": "t", "type": "torque", "body": "b", "torque": [0, torque, 0]}]}
            path = self.write(m)
            with self.subTest(torque):
                done = self.check(path, "--check").stdout
                self.assertEqual('warning: bushing "u" passes half a turn' in done, found, done)
                run = subprocess.run([SIM, path, "--duration", "20", "--output", "-", "--signals", "joint.j.position"],
                                     capture_output=True, text=True, check=True)
                self.assertEqual('bushing "u" passes half a turn' in run.stderr, found, run.stderr)
                if not found:
                    self.assertAlmostEqual(float(run.stdout.rstrip().rsplit("\n", maxsplit=1)[1]), 0.5, 6)

    def test_a_spring_whose_points_pass_each_other(self):
        """A spring with a rest length pushes the other way beyond its point; one without a force at the length 0 does not."""
        for rest, found in ((0, False), (0.1, True)):
            m = {"name": "pass", "gravity": [0, 0, 0],
                 "bodies": [{"name": "b", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0.1, 0, 0], "velocity": [-1, 0, 0]}],
                 "joints": [{"name": "j", "type": "prismatic", "body_a": "ground", "body_b": "b", "at": [0, 0, 0], "axis": [1, 0, 0]}],
                 "forces": [{"name": "s", "type": "spring_damper", "body_a": "ground", "body_b": "b", "stiffness": 10, "rest_length": rest}]}
            path = self.write(m)
            with self.subTest(rest):
                done = self.check(path, "--check").stdout
                self.assertEqual('warning: spring_damper "s": its points pass each other' in done, found, done)
                run = subprocess.run([SIM, path, "--duration", "1"], capture_output=True, text=True, check=True)
                self.assertEqual('spring_damper "s": its points pass each other' in run.stdout + run.stderr, found, run.stderr)

    def test_the_accuracy_sees_rotations(self):
        """A body that tumbles about its centre: the sensor at its tip is off by millimetres, its centre of mass by nothing."""
        m = {"name": "T", "gravity": [0, 0, 0],
             "bodies": [{"name": "T", "mass": 1, "inertia": [0.01, 0.02, 0.025], "position": [0, 0, 0], "angular_velocity": [0.3, 30, 0.3]}],
             "joints": [{"name": "j", "type": "spherical", "body_a": "ground", "body_b": "T", "at": [0, 0, 0]}],
             "sensors": [{"name": "tip", "type": "point", "body": "T", "point": [0.5, 0, 0]}]}
        path = self.write(m)
        found = next(f for f in json.loads(self.check(path, "--check=json").stdout)["findings"] if f["id"] == "accuracy")
        self.assertGreater(found["numbers"]["error_per_second"]["value"], 0.01)
        self.assertLess(found["numbers"]["error_per_second"]["value"], 0.15)

    def test_rates_that_the_joints_do_not_allow(self):
        """A rod on a hinge keeps its only rate; a rate and a velocity that contradict each other are named."""
        body = {"name": "rod", "mass": 1, "inertia": [1e-3, 0.1, 0.1], "position": [0.5, 0, 0], "angular_velocity": [0, 0, 1]}
        joint = {"name": "j", "type": "revolute", "body_a": "ground", "body_b": "rod", "at": [0, 0, 0], "axis": [0, 0, 1]}
        for velocity, contradicts in (([0, 0, 0], False), ([0, 0.52, 0], True)):
            path = self.write({"name": "rod", "gravity": [0, 0, 0], "bodies": [{**body, "velocity": velocity}], "joints": [joint]})
            with self.subTest(velocity=velocity):
                done = self.check(path, "--check").stdout
                self.assertEqual("[velocity-not-possible]" in done, contradicts, done)
                run = subprocess.run([SIM, path, "--duration", "0.1", "--output", "-", "--signals", "joint.j.velocity"],
                                     capture_output=True, text=True, check=True)
                self.assertEqual('body "rod" starts with' in run.stderr, contradicts, run.stderr)
                if not contradicts:
                    self.assertAlmostEqual(float(run.stdout.split("\n")[1]), 1.0, 6)
        for more, expected in (({"assembly": {"velocity": 0.1}}, "raise assembly.velocity"), ({}, "set assembly.velocity"),
                               ({"assembly": {"velocity": 10}}, None)):
            done = self.check(self.write({"name": "rod", "gravity": [0, 0, 0], **more, "bodies": [{**body, "velocity": [0, 5, 0]}],
                                          "joints": [joint]}), "--check")
            with self.subTest(more=more):
                self.assertEqual(done.returncode, 2 if expected else 0)
                self.assertIn(expected or "[velocity-not-possible]", done.stdout + done.stderr)

    def test_a_light_body_is_better_without_mass(self):
        """A body that springs and dampers alone hold, and that weighs nothing beside the others. With mass 0 the advice is gone."""
        def spring(name, a, b):
            return {"name": name, "type": "spring_damper", "body_a": a, "body_b": b, "stiffness": 1000, "damping": 20,
                    "point_a": [0, 0, 1] if a == "ground" else [0, 0, 0], "rest_length": 0.5}
        for mass, advised in ((1e-9, True), (0, False)):
            m = {"name": "light", "gravity": [0, 0, -9.81],
                 "bodies": [{"name": "eye", "mass": mass, "inertia": [0, 0, 0], "position": [0, 0, 0.5]},
                            {"name": "load", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0, 0, 0]}],
                 "joints": [{"name": "guide", "type": "prismatic", "body_a": "ground", "body_b": "load", "at": [0, 0, 0], "axis": [0, 0, 1]}],
                 "forces": [spring("upper", "ground", "eye"), spring("lower", "load", "eye")]}
            with self.subTest(mass):
                done = self.check(self.write(m), "--check").stdout
                self.assertEqual('body "eye" of 1e-09 kg is held by springs and dampers only: write mass: 0' in done, advised, done)

    def test_json(self):
        m = boom()
        find(m, "forces", "ends")["lower"] = 0.1
        path = self.write(m)
        for options, status, severity in ((["--check=json"], 0, "warning"), (["--check=json", "--strict"], 2, "error")):
            done = self.check(path, *options)
            self.assertEqual((done.returncode, done.stderr), (status, ""))
            out = json.loads(done.stdout)
            self.assertEqual((out["status"], out["strict"], out["summary"]["bodies"]), (severity, status == 2, 3))
            worst = out["findings"][0]
            self.assertEqual((worst["id"], worst["severity"]), ("stop-violated", severity))
            self.assertEqual(worst["element"], {"kind": "force", "name": "ends"})
            self.assertEqual(worst["place"]["file"], path)
            self.assertGreater(worst["place"]["line"], 1)
            self.assertAlmostEqual(worst["numbers"]["violation"]["value"], 0.1, 6)
            self.assertEqual(worst["numbers"]["load"]["unit"], "N")

    def test_json_of_a_file_with_a_mistake(self):
        m = boom()
        m["joints"][0]["body_b"] = "bom"
        done = self.check(self.write(m), "--check=json")
        self.assertEqual(done.returncode, 2)
        out = json.loads(done.stdout)
        self.assertEqual(out["status"], "error")
        self.assertIn('did you mean "boom"', out["findings"][0]["text"])
        self.assertIn('did you mean "boom"', done.stderr)
        self.assertGreater(out["findings"][0]["place"]["line"], 1)

    def test_command_line(self):
        path = self.write(boom())
        for options, said in ((["--strict"], "--check as well"), (["--check=xml"], "expected json")):
            done = self.check(path, *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_a_given_gravity_of_zero_is_no_warning(self):
        m = four_bar()
        m["gravity"] = [0, 0, 0]
        done = self.check(self.write(m))
        self.assertIn(": ok: ", self.first(done))
        self.assertIn("info: gravity is 0, given by the key gravity", done.stdout)

    def test_bodies_that_hang_or_turn_are_no_loose_ends(self):
        """A load on a hook, a wheel and a turntable at a boom do not fall about their joints."""
        for body, joint in ((rod("hook", (3, 1), (3, 0)), pin("eye", "boom", "hook", (3, 1))),
                            (rod("wheel", (2.8, 1), (3.2, 1)), pin("axle", "boom", "wheel", (3, 1))),
                            (rod("table", (3, 1), (4, 1)), {**pin("post", "boom", "table", (3, 1)), "axis": [0, 0, 1]})):
            with self.subTest(body["name"]):
                m = boom()
                m["bodies"].append(body)
                m["joints"].append(joint)
                self.good(self.write(m))

    def test_large_models_take_seconds(self):
        def chain(n):
            return {"name": "chain", "gravity": [0, 0, -9.81], "bodies": [rod(f"b{i}", (i, 0), (i + 1, 0)) for i in range(n)],
                    "joints": [pin(f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", (i, 0)) for i in range(n)]}
        begin = time.monotonic()
        done = self.check(self.write(chain(10000)))
        took = time.monotonic() - begin
        print(f"10000 bodies: {took:.1f} s")
        self.assertIn(": ok: ", self.first(done))


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[3:], exit=False)
    sys.exit(0 if program.result.wasSuccessful() else 1)
