#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_findings.py ALI3D: what --check says of mechanisms with one mistake each, in its first line, and of good ones."""
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = sys.argv[1]


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


def find(model, kind, name):
    return next(e for e in model[kind] if e["name"] == name)


def without(model, kind, *names):
    model[kind] = [e for e in model[kind] if e["name"] not in names]


def scale(value, by):
    return [scale(v, by) for v in value] if isinstance(value, list) else value * by


def in_mm(model):
    for e in model["bodies"]:
        e["position"] = scale(e["position"], 1000)
    for e in model["joints"]:
        e["at"] = scale(e["at"], 1000)


def each(model, key, by):
    for e in model["bodies"]:
        e[key] = scale(e[key], by)


def pin_for_roller(m):
    without(m, "joints", "way")
    m["joints"].append(pin("way", "ground", "roller", (0.9, 0)))


# mechanism, mistake, what the first line has to say
MISTAKES = {
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
                              r'error: .*"(one|two)".*"(one|two)"'),
    "a drive too many": (slider_crank,
                         lambda m: m["forces"].append({"name": "push", "type": "drive", "joint": "way", "speed": 1}),
                         r'error: .*"(turn|push)".*"(turn|push)"'),
}


class Findings(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ali3-findings-")
        self.addCleanup(lambda: [os.unlink(f) for f in glob.glob(self.dir + "/*")] + [os.rmdir(self.dir)])

    def write(self, model, **more):
        path = os.path.join(self.dir, "model.yaml")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"model": model, **more}, f, indent=1)
        return path

    def check(self, path, *options):
        return subprocess.run([PROGRAM, path, *(options or ("--check",))], capture_output=True, text=True, check=False, timeout=60)

    def first(self, done):
        return (done.stderr or done.stdout).split("\n", maxsplit=1)[0]

    def test_mistakes_are_named_in_the_first_line(self):
        for name, (make, spoil, expected) in MISTAKES.items():
            with self.subTest(name):
                model = make()
                spoil(model)
                done = self.check(self.write(model))
                self.assertRegex(self.first(done), expected, done.stderr + done.stdout)
                self.assertEqual(done.returncode, 2 if expected.startswith("error") else 0, done.stderr)
                self.assertEqual(self.check(self.write(model), "--check", "--strict").returncode, 2)

    def test_good_mechanisms_are_ok(self):
        for make in (boom, four_bar, slider_crank):
            with self.subTest(make.__name__):
                self.good(self.write(make()))

    def good(self, path):
        done = self.check(path, "--check", "--strict")
        self.assertRegex(self.first(done), r": ok: ", done.stderr + done.stdout)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("warning", done.stdout)

    def test_shipped_files_are_free_of_warnings(self):
        files = [f for p in ("config/*.yaml", "config/models/*.yaml", "config/demo/*.yaml", "tests/reference/*.json")
                 for f in sorted(glob.glob(os.path.join(ROOT, p)))]
        self.assertGreater(len(files), 20)
        for path in files:
            with self.subTest(path):
                self.good(path)

    def test_every_line_has_its_place(self):
        path = self.write(boom())
        text = open(path, encoding="utf-8").read().split("\n")
        done = self.check(path)
        for line in done.stdout.strip().split("\n")[1:]:
            found = re.fullmatch(re.escape(path) + r"(?::(\d+):(\d+))?: info: (.*) \[[a-z-]+\]", line)
            self.assertIsNotNone(found, line)
            named = re.match(r'largest reaction at the start: \S+ k?N in joint "(\w+)"', found.group(3))
            if named:  # the place is that of the brace before the name
                self.assertIn(f'"name": "{named.group(1)}"', text[int(found.group(1))])

    def test_json(self):
        model = boom()
        find(model, "forces", "ends")["lower"] = 0.1
        path = self.write(model)
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
        model = boom()
        model["joints"][0]["body_b"] = "bom"
        done = self.check(self.write(model), "--check=json")
        self.assertEqual(done.returncode, 2)
        out = json.loads(done.stdout)
        self.assertEqual(out["status"], "error")
        self.assertIn('did you mean "boom"', out["findings"][0]["text"])
        self.assertIn('did you mean "boom"', done.stderr)
        self.assertGreater(out["findings"][0]["place"]["line"], 1)

    def test_command_line(self):
        path = self.write(boom())
        for options, said in ((["--strict"], "--check only"), (["--check=xml"], "expected json")):
            done = self.check(path, *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_gravity_of_zero_may_be_meant(self):
        model = four_bar()
        model["gravity"] = [0, 0, 0]
        done = self.check(self.write(model))
        self.assertIn(": ok: ", self.first(done))
        self.assertIn("info: gravity is 0, as the file says", done.stdout)

    def test_what_hangs_or_turns_is_no_loose_end(self):
        """A load on a hook, a wheel and a turntable at a boom fall about nothing."""
        for body, joint in ((rod("hook", (3, 1), (3, 0)), pin("eye", "boom", "hook", (3, 1))),
                            (rod("wheel", (2.8, 1), (3.2, 1)), pin("axle", "boom", "wheel", (3, 1))),
                            (rod("table", (3, 1), (4, 1)), {**pin("post", "boom", "table", (3, 1)), "axis": [0, 0, 1]})):
            with self.subTest(body["name"]):
                model = boom()
                model["bodies"].append(body)
                model["joints"].append(joint)
                self.good(self.write(model))

    def test_large_models_take_seconds(self):
        def chain(n):
            return {"name": "chain", "gravity": [0, 0, -9.81], "bodies": [rod(f"b{i}", (i, 0), (i + 1, 0)) for i in range(n)],
                    "joints": [pin(f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}", (i, 0)) for i in range(n)]}
        begin = time.monotonic()
        done = self.check(self.write(chain(10000)))
        took = time.monotonic() - begin
        print(f"10000 bodies: {took:.1f} s")
        self.assertIn(": ok: ", self.first(done))
        self.assertLess(took, 30)


if __name__ == "__main__":
    program = unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[2:], exit=False)
    sys.exit(0 if program.result.wasSuccessful() else 1)
