#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_fmu.py ALI3-FMU ALI3-SIM ROOT BRAKE: FMUs of the shipped models, run by the importer of importer.py, beside ali3-sim.

With FMPY, a folder with the package fmpy, FMPy validates each FMU, too. With FMI_SCHEMAS, a folder with the files of the standard's
repository (fmi3ModelDescription.xsd, and fmi2ModelDescription.xsd if it has that), xmllint compares modelDescription.xml with them."""
import csv
import ctypes
import glob
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
import zipfile

import brake
import importer
from importer import ERROR, OK, WARNING

FMU, SIM, ROOT, BRAKE = sys.argv.pop(1), sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
MODELS = ROOT / "config" / "models"

PUSHED = """
model:
  gravity: [0, 0, -9.81]
  bodies:
    - {name: rod-1, mass: 2, inertia: [0.17, 0.17, 0.001], position: [0, 0, -0.5]}
    - {name: sled, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}
  joints:
    - {name: pivot, type: revolute, body_a: ground, body_b: rod-1, at: [0, 0, 0], axis: [0, 1, 0]}
    - {name: rail, type: prismatic, body_a: ground, body_b: sled, at: [2, 0, 0], axis: [1, 0, 0]}
  forces:
    - {name: bearing, type: friction, joint: pivot, damping: 0.2}
    - {name: spring, type: joint_spring, joint: pivot, stiffness: 3, damping: 0.1, rest: 0}
    - {name: rope, type: drive, joint: rail, external: true, max_rate: 2, max_acceleration: 20}
  sensors:
    - {name: tip, type: point, body: rod-1, point: [0, 0, -0.5]}
inputs:
  - {name: push, body: rod-1, point: [0, 0, -0.5], limit_force: 4, rate_force: 50}
  - {name: pull, force: rope, lower: -0.5, upper: 0.5}
"""


def run(*words, **more):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False, **more)


def bits(numbers):
    return struct.pack(f"{len(numbers)}d", *numbers)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def export(self, model, *more, name="x"):
        file = self.folder / f"{name}.fmu"
        done = run(FMU, "export", model, file, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        at = tempfile.mkdtemp(dir=self.folder)  # a new one: nobody may change the file of an object that is loaded
        return importer.Fmu(file, at)

    def write(self, text, name="model.yaml"):
        file = self.folder / name
        file.write_text(text)
        return file

    def simulate(self, model, seconds, signals, *more):
        """Rows of numbers by ali3-sim."""
        out = self.folder / "out.csv"
        done = run(SIM, model, "--duration", seconds, "--isa", "baseline", "--output", out, "--signals", ",".join(signals), *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        with out.open() as f:
            rows = list(csv.reader(f))
        place = [rows[0].index(s) for s in signals]
        return [[float(r[p]) for p in place] for r in rows[1:]]

    def assert_good(self, instance, status):
        self.assertIn(status, (OK, WARNING), instance.log)


class Units(Case):
    def test_the_chain_of_a_sensor_has_the_unit_of_what_it_shows(self):
        file = self.folder / "x.fmu"
        done = run(FMU, "export", ROOT / "config" / "guides" / "sensors.yaml", file, "--fmi", 3)
        self.assertEqual(done.returncode, 0, done.stderr)
        with zipfile.ZipFile(file) as z:
            tree = xml.etree.ElementTree.fromstring(z.read("modelDescription.xml"))
        unit = {v.get("name"): v.get("unit") for v in tree.find("ModelVariables")}
        chains = [n.removesuffix(".noise") for n in unit if n.endswith(".noise")]
        self.assertGreaterEqual(len(chains), 4, sorted(unit))
        for sensor in chains:
            shown = next(n for n in unit if n in (f"{sensor}.value", f"{sensor}.specific_force.x"))
            self.assertEqual(unit[f"{sensor}.noise"], unit[shown], sensor)


class Bits(Case):
    """Every output has the bits of ali3-sim in every step."""

    def compare(self, model, version, seconds):
        fmu = self.export(model, "--fmi", version)
        outputs = fmu.names("output")
        want = self.simulate(model, seconds, [o.replace("'", "") for o in outputs])
        i = fmu.instantiate()
        self.assertIsNotNone(i.handle, i.log)
        self.assert_good(i, i.start())
        found = [i.get(*outputs)]
        for k in range(len(want) - 1):
            self.assert_good(i, i.step(k * fmu.period, fmu.period))
            found.append(i.get(*outputs))
        i.call("Terminate")
        i.free()
        for k, (a, b) in enumerate(zip(want, found)):
            self.assertEqual(bits(a), bits(b), f"{model}: step {k}")

    def test_models(self):
        for model in sorted(MODELS.glob("*.yaml")):
            with self.subTest(model=model.name):
                self.compare(model, 3, 1)

    def test_ten_seconds(self):
        for name, version in (("four_bar", 3), ("vehicle", 2), ("hexapod", 3)):
            with self.subTest(model=name):
                self.compare(MODELS / f"{name}.yaml", version, 10)

    def test_inputs(self):
        """Inputs with limits, a rate and a drive, as ali3-sim takes them from a table."""
        model, period = self.write(PUSHED), 0.01
        names = ["input.push.force.x", "input.push.force.z", "input.pull.value"]
        values = [[3 * math.sin(0.1 * k), 6 if k > 20 else 1, -0.7 if k > 50 else 0.3] for k in range(100)]
        table = self.folder / "in.csv"
        with table.open("w") as f:
            f.write("time," + ",".join(names) + "\n")
            for k, row in enumerate(values):
                f.write(f"{(k + 1) * 0.01!r}," + ",".join(map(repr, row)) + "\n")
        fmu = self.export(model)
        outputs = fmu.names("output")
        self.assertIn("sensor.tip.position.x", outputs)
        want = self.simulate(model, 1, outputs, "--inputs", table)
        i = fmu.instantiate()
        i.start()
        self.assertEqual(bits(i.get(*outputs)), bits(want[0]))
        for k, row in enumerate(values):
            self.assertEqual(i.put(dict(zip(names, row))), OK)
            self.assert_good(i, i.step(k * period, period))
            self.assertEqual(bits(i.get(*outputs)), bits(want[k + 1]), f"step {k}")

    def test_wrench(self):
        """A force on a body that the file gives no input."""
        fmu = self.export(self.write(PUSHED), "--inputs", "body.rod-1.force.x", "--outputs", "joint.pivot.position")
        self.assertEqual(fmu.names("input"), ["body.'rod-1'.force.x"])
        i = fmu.instantiate()
        i.start()
        i.put({"body.'rod-1'.force.x": 5.0})
        for k in range(200):
            i.step(0.01 * k, 0.01)
        self.assertLess(i.get("joint.pivot.position")[0], -0.1)
        i.call("Reset")  # without the force
        i.start()
        i.step(0.0, 0.01)
        self.assertAlmostEqual(i.get("joint.pivot.position")[0], 0.0, 12)

    def test_start_at_rest(self):
        """simulation.start: rest."""
        model, rest = MODELS / "quarter_car.yaml", ["--set", "simulation.start=rest"]
        fmu = self.export(model, "--outputs", "body.body.position.z", *rest)
        want = self.simulate(model, 0.5, ["body.body.position.z"], *rest)
        i = fmu.instantiate()
        i.start()
        self.assertEqual(bits(i.get("body.body.position.z")), bits(want[0]))
        i.step(0.0, 0.5)
        self.assertEqual(bits(i.get("body.body.position.z")), bits(want[-1]))


class Files(Case):
    def test_repeatable(self):
        files = []
        for k in range(2):
            self.export(MODELS / "four_bar.yaml", name="same")
            files.append((self.folder / "same.fmu").read_bytes())
        self.assertEqual(*files)

    def test_object(self):
        """libc and libm alone, of any system since glibc 2.17; every function of FMI 3, and nothing but both standards."""
        fmu = self.export(MODELS / "four_bar.yaml")
        symbols = {line.split()[-1] for line in run("nm", "-D", "--defined-only", fmu.object).stdout.splitlines()}
        self.assertEqual({s for s in symbols if not re.match("fmi[23][A-Z]", s)}, set())
        self.assertEqual(len([s for s in symbols if s.startswith("fmi3")]), 75)
        needed = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", fmu.object).stdout)
        self.assertEqual(sorted(needed), ["libc.so.6", "libm.so.6"])
        versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", fmu.object).stdout)
        self.assertTrue(versions)
        self.assertLessEqual(max((int(a), int(b)) for a, b in versions), (2, 17))

    def test_extras(self):
        """The configuration in the FMU runs with the same bits."""
        fmu = self.export(MODELS / "double_wishbone.yaml")
        outputs = [o for o in fmu.names("output")][:6]
        again = fmu.folder / "extra" / "org.ali3" / "config.yaml"
        self.assertEqual(self.simulate(again, 0.2, outputs), self.simulate(MODELS / "double_wishbone.yaml", 0.2, outputs))
        self.assertIn("<table>", (fmu.folder / "documentation" / "index.html").read_text())

    def test_choices(self):
        fmu = self.export(MODELS / "four_bar.yaml", "--outputs", "body.A.position.*", "--locals", "energy.*", "--parameters", "body.?.mass",
                          "--period", 0.002)
        self.assertEqual(len(fmu.names("output")), 3)
        self.assertEqual(len(fmu.names("local")), 3)
        self.assertEqual(fmu.names("parameter"), ["body.A.mass", "body.B.mass", "body.C.mass"])
        self.assertEqual(fmu.period, 0.002)

    def test_another_platform(self):
        folder = self.folder / "riscv64-linux"
        folder.mkdir()
        (folder / "fmu.so").write_bytes(b"object")
        fmu = self.export(MODELS / "four_bar.yaml", "--platform-binary", folder)
        self.assertEqual((fmu.folder / "binaries" / "riscv64-linux" / "x.so").read_bytes(), b"object")

    def test_mistakes(self):
        for words, expected in ((["--outputs", "no.such"], 'no signal has a name such as "no.such"'), (["--fmi", "1"], "expected 3 or 2"),
                                (["--period", "-1"], "expected a number"), (["--isa", "z80"], "expected auto, baseline")):
            done = run(FMU, "export", MODELS / "four_bar.yaml", self.folder / "x.fmu", *words)
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(expected, done.stderr)
        self.assertEqual(run(FMU, "export", self.folder / "none.yaml", self.folder / "x.fmu").returncode, 2)
        self.assertEqual(run(FMU, "export", MODELS / "four_bar.yaml", self.folder / "x.zip").returncode, 2)
        done = run(FMU, "export", MODELS / "four_bar.yaml", "/proc/none/x.fmu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("export: /proc/none/x.fmu: the folder /proc/none does not exist; make it", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])  # no part of a file stays

    def compare_with_fmpy(self, model, fmu, fmpy):
        """FMPy gets the bits of ali3-sim in every step of a second."""
        outputs = fmu.names("output")
        program = ("import sys, fmpy; file, out, period, *names = sys.argv[1:]; "
                   "rows = fmpy.simulate_fmu(file, fmi_type='CoSimulation', stop_time=1.0, output_interval=float(period), output=names); "
                   "open(out, 'wb').write(b''.join(rows[name].tobytes() for name in names))")
        out = self.folder / "out.bin"
        done = run(sys.executable, "-c", program, fmu.file, out, fmu.period, *outputs, env=dict(os.environ, PYTHONPATH=fmpy))
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        want = self.simulate(model, 1, [o.replace("'", "") for o in outputs])
        self.assertEqual(out.read_bytes(), b"".join(bits(column) for column in zip(*want)), f"{model}, FMI {fmu.version}")

    def test_validation(self):
        """FMPy, and the schemas of the standard, where they are there."""
        fmpy, schemas = os.environ.get("FMPY"), os.environ.get("FMI_SCHEMAS")
        if not fmpy and not schemas:
            self.skipTest("FMPY and FMI_SCHEMAS name no folders with FMPy and with the schemas of FMI")
        for model in [*sorted(MODELS.glob("*.yaml")), ROOT / "config" / "four-bar.yaml"]:
            for version in (3, 2):
                fmu = self.export(model, "--fmi", version)
                if fmpy:
                    done = run(sys.executable, "-m", "fmpy", "validate", fmu.file, env=dict(os.environ, PYTHONPATH=fmpy))
                    self.assertIn("No problems found", done.stdout + done.stderr, model)
                    self.compare_with_fmpy(model, fmu, fmpy)
                for schema in glob.glob(f"{schemas}/**/fmi{version}ModelDescription.xsd", recursive=True)[:1]:
                    done = run("xmllint", "--noout", "--schema", schema, fmu.folder / "modelDescription.xml")
                    self.assertEqual(done.returncode, 0, done.stderr)


class Sources(Case):
    """The sources in an FMU make an object with the bits of the one beside them; the compiler is told nothing but its own options."""

    @staticmethod
    def outputs(fmu):
        i = fmu.instantiate()
        i.start()
        rows = []
        for k in range(50):
            rows += i.get(*fmu.names("output"))
            i.step(k * fmu.period, fmu.period)
        i.free()
        return bits(rows)

    def test_compiled(self):
        three, two = (self.export(MODELS / "hexapod.yaml", "--sources", "--fmi", v) for v in (3, 2))
        folder = three.folder / "sources"
        listed = [f.get("name") for f in xml.etree.ElementTree.parse(folder / "buildDescription.xml").iter("SourceFile")]
        self.assertEqual(listed, [f.get("name") for f in xml.etree.ElementTree.parse(two.folder / "modelDescription.xml").iter("File")])
        self.assertEqual(listed, sorted(f.name for f in folder.glob("*.c")))
        for name in listed:
            self.assertEqual((folder / name).read_bytes(), (two.folder / "sources" / name).read_bytes())
        self.assertIn("MIT", (folder / "LICENSE").read_text())
        compiled = run("xargs", "-P2", "-n8", "cc", "-c", "-fPIC", "-w", "-O0", input="\n".join(listed), cwd=folder)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        linked = run("cc", "-shared", "-Wl,--no-undefined", "-o", "own.so", *(f.replace(".c", ".o") for f in listed), "-lm", cwd=folder)
        self.assertEqual(linked.returncode, 0, linked.stderr)
        for fmu in (three, two):
            want = self.outputs(fmu)
            fmu.exports = ctypes.CDLL(str(folder / "own.so"))
            self.assertEqual(self.outputs(fmu), want)

    def test_none_without_the_option(self):
        self.assertFalse((self.export(MODELS / "four_bar.yaml").folder / "sources").exists())


class Check(Case):
    def rewrite(self, change):
        """A copy of an FMU with another description."""
        file = self.folder / "x.fmu"
        with zipfile.ZipFile(file) as z:
            entries = {n: z.read(n) for n in z.namelist()}
        entries["modelDescription.xml"] = change(entries["modelDescription.xml"].decode()).encode()
        with zipfile.ZipFile(self.folder / "y.fmu", "w") as z:
            for name, content in entries.items():
                z.writestr(name, content)
        return run(FMU, "check", self.folder / "y.fmu", "--json")

    def test_good(self):
        for version in (3, 2):
            fmu = self.export(MODELS / "four_bar.yaml", "--fmi", version)
            done = run(FMU, "check", fmu.file)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("a run after a reset has the same bits", done.stdout)
            info = json.loads(run(FMU, "info", fmu.file, "--json").stdout)
            self.assertEqual([v["name"] for v in info["variables"]], list(fmu.variables))

    def test_wrong(self):
        self.export(MODELS / "four_bar.yaml")
        for old, new, expected in (("instantiationToken=\"{", "instantiationToken=\"{0", "cannot be instantiated"),
                                   ("valueReference=\"2\"", "valueReference=\"1\"", "same value reference 1"),
                                   ("joint.J2.position", "joint.J1.position", "two variables have the name"),
                                   ("modelIdentifier=\"x\"", "modelIdentifier=\"y\"", "no object for this machine"),
                                   ("stepSize=\"0.01\"", "stepSize=\"0.015\"", "ends with status Error")):
            done = self.rewrite(lambda text, old=old, new=new: text.replace(old, new, 1))
            self.assertEqual(done.returncode, 1, expected)
            self.assertIn(expected, done.stdout)
        self.assertEqual(run(FMU, "check", ROOT / "README.md").returncode, 1)

    def test_moods(self):
        """FMUs that crash, hang or end the process are named, with the findings before."""
        cases = (("crash", [], "the FMU ended its process by signal 11 (Segmentation fault)"), ("exit", [], "the FMU ended its process with exit status 7"),
                 ("exit well", [], "the FMU ended its process with exit status 0"), ("error", [], "the step from 0 s ends with status Error"),
                 ("hang", ["--patience", "1"], "the run takes longer than 1 s; --patience S gives it more"),
                 ("nan", [], "\"force\" is nan"))
        for mood, more, expected in cases:
            file = brake.write(self.folder / "brake.fmu", BRAKE, mood=mood)
            done = run(FMU, "check", file, *more, "--json")
            self.assertEqual(done.returncode, 1, (mood, done.stdout))
            findings = json.loads(done.stdout)["findings"]
            self.assertEqual(findings[0], {"level": "ok", "text": "FMI 3.0, 12 variables"})
            self.assertIn(expected, findings[-1]["text"])
        # It compares the time of each step with its own sum, bit by bit.
        done = run(FMU, "check", brake.write(self.folder / "brake.fmu", BRAKE))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("a run after a reset has the same bits", done.stdout)
        done = run(FMU, "check", brake.write(self.folder / "brake.fmu", BRAKE, mood="end"), "--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("the FMU asks to end in the step from 0 s, so no more was run", done.stdout)

    def test_stop_time_and_arrays(self):
        """The run ends before the stop time, and arrays are not read as scalars."""
        self.export(MODELS / "four_bar.yaml")
        done = self.rewrite(lambda text: text.replace("stopTime=\"30\"", "stopTime=\"0.25\""))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("20 steps of 0.01 s", done.stdout)
        scalars = re.search(r"(\d+) real variables", done.stdout).group(1)
        done = self.rewrite(lambda text: re.sub(r"(<Float64 name=.joint.J1.position.[^/]*)/>", r"\1><Dimension start='2'/></Float64>", text))
        self.assertIn(f"{int(scalars) - 1} real variables", done.stdout)


class Time(Case):
    def test_sums_of_steps(self):
        """t += h in doubles is never refused, and the count is right; a million steps are in test_instance.c."""
        # A body that falls freely costs least.
        model = self.write("model: {bodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]}\n")
        for period, h, steps in ((0.01, 0.01, 30000), (0.001, 0.001, 30000), (0.01, 0.04, 30000)):
            with self.subTest(h=h):
                fmu = self.export(model, "--period", period)
                i = fmu.instantiate()
                i.start()
                step, t = fmu.exports.fmi3DoStep, 0.0
                step.argtypes = [importer.pointer, importer.double, importer.double, importer.boolean, *[importer.pointer] * 4]
                last = ctypes.c_double()
                for _ in range(steps):
                    if step(i.handle, t, h, True, None, None, None, ctypes.byref(last)) != OK:
                        self.fail(f"{t}: {i.log}")
                    t += h
                self.assertAlmostEqual(last.value, steps * h, 9)
                self.assertEqual(i.get("time")[0], last.value)

    def test_wrong_steps(self):
        fmu = self.export(MODELS / "four_bar.yaml")
        i = fmu.instantiate()
        i.start(5.0)
        for at, h, expected in ((5.0, 0.015, "whole"), (5.0, 0.0, ""), (5.0, -0.01, ""), (5.0, math.nan, ""), (5.0, 1e9, ""), (0.0, 0.01, ""),
                                (5.006, 0.01, "communication point"), (math.nan, 0.01, "")):
            self.assertEqual(i.step(at, h), ERROR, (at, h))
            self.assertIn("expected", i.log[-1][2])
        self.assertEqual(i.step(5.0, 0.02), OK, i.log)
        self.assertEqual(i.last, 5.02)


class State(Case):
    def course(self, i, first, count, fmu):
        rows = []
        for k in range(first, first + count):
            self.assert_good(i, i.step(k * fmu.period, fmu.period))
            rows.append(bits(i.get(*fmu.names("output"))))
        return rows

    def test_goes_on(self):
        for version in (3, 2):
            fmu = self.export(MODELS / "vehicle.yaml", "--fmi", version)
            i = fmu.instantiate()
            i.start()
            self.course(i, 0, 50, fmu)
            state = i.save()
            want = self.course(i, 50, 100, fmu)
            self.assertEqual(i.load(state), OK, i.log)
            self.assertEqual(self.course(i, 50, 100, fmu), want)
            raw = i.serialise(state)
            i.free_state(state)
            self.assertFalse(state)
            i.free()
            # In another instance, with the state of bytes.
            j = fmu.instantiate()
            state = j.deserialise(raw)
            self.assertEqual(j.load(state), OK, j.log)
            self.assertEqual(self.course(j, 50, 100, fmu), want)
            j.free_state(state)
            j.free()

    def test_another_process(self):
        """With a parameter that was tuned before, and an input."""
        fmu = self.export(self.write(PUSHED))
        script = """if True:
            import sys
            sys.path.insert(0, sys.argv[1])
            import importer
            f = importer.Fmu(sys.argv[2], sys.argv[2] + "-again")
            i = f.instantiate()
            assert i.load(i.deserialise(open(sys.argv[3], "rb").read())) == 0, i.log
            for k in range(20, 60):
                assert i.step(k * 0.01, 0.01) <= 1, i.log
            print([x.hex() for x in i.get(*f.names("output"))])"""
        i = fmu.instantiate()
        i.start()
        i.put({"input.push.force.x": 2.0, "force.spring.stiffness": 30.0})
        self.course(i, 0, 20, fmu)
        i.put({"force.bearing.damping": 0.5})  # waits for the next step
        raw = self.folder / "state"
        raw.write_bytes(i.serialise(i.save()))
        self.course(i, 20, 40, fmu)
        done = run(sys.executable, "-B", "-c", script, pathlib.Path(__file__).parent, fmu.file, raw)
        self.assertEqual(done.stdout.strip(), str([x.hex() for x in i.get(*fmu.names("output"))]), done.stderr)

    def test_size_is_constant(self):
        fmu = self.export(self.write(PUSHED))
        i = fmu.instantiate()
        sizes = [len(i.serialise(i.save()))]
        i.start()
        sizes.append(len(i.serialise(i.save())))
        i.put({"body.sled.mass": 5.0})
        self.course(i, 0, 3, fmu)
        sizes.append(len(i.serialise(i.save())))
        self.assertEqual(len(set(sizes)), 1)

    def test_damaged(self):
        fmu = self.export(MODELS / "four_bar.yaml")
        i = fmu.instantiate()
        i.start()
        self.course(i, 0, 3, fmu)
        raw = i.serialise(i.save())
        for at in range(0, len(raw), 37):
            wrong = bytearray(raw)
            wrong[at] ^= 0x10
            state = i.deserialise(bytes(wrong))
            self.assertEqual(i.load(state), ERROR, at)
            i.free_state(state)
        i.deserialise(raw[:-1])
        self.assertEqual(i.status, ERROR)
        self.course(i, 3, 3, fmu)

    def test_another_instruction_set(self):
        """A state of another instruction set goes on with a warning."""
        if " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("this machine has no avx2")
        if "no kernels for avx2" in run(FMU, "export", MODELS / "four_bar.yaml", self.folder / "probe.fmu", "--isa", "avx2").stderr:
            self.skipTest("this build has no avx2")
        a, b = self.export(MODELS / "four_bar.yaml"), self.export(MODELS / "four_bar.yaml", "--isa", "avx2", name="y")
        i, j = a.instantiate(), b.instantiate()
        self.assertIsNotNone(j.handle, j.log)
        i.start()
        self.course(i, 0, 50, a)
        self.assertEqual(j.load(j.deserialise(i.serialise(i.save()))), WARNING, j.log)
        self.assertIn("instruction set", j.log[-1][2])
        self.compare(i.get(*a.names("output")), j.get(*b.names("output")), 1e-9)
        self.course(i, 50, 50, a)
        self.course(j, 50, 50, b)
        self.compare(i.get(*a.names("output")), j.get(*b.names("output")), 1e-5)  # accelerations were computed anew

    def compare(self, found, want, tolerance):
        for x, y in zip(found, want):
            self.assertLess(abs(x - y), tolerance)


class Parameters(Case):
    def test_before_the_start(self):
        """The bits of the changed file, by a value that is set before or within initialization."""
        model = self.write(PUSHED)
        fmu = self.export(model)
        outputs = fmu.names("output")
        want = self.simulate(model, 0.5, outputs, "--set", "model.forces.spring.stiffness=30", "--set", "model.bodies.sled.mass=4")
        values = {"force.spring.stiffness": 30.0, "body.sled.mass": 4.0}
        for when in ("before", "within"):
            i = fmu.instantiate()
            if when == "before":
                i.put(values)
            i.enter()
            if when == "within":
                i.get(*outputs)
                i.put(values)
            self.assertEqual(bits(i.get(*outputs)), bits(want[0]))
            i.call("ExitInitializationMode")
            i.step(0.0, 0.5)
            self.assertEqual(bits(i.get(*outputs)), bits(want[-1]), when)
            # A reset takes the values of the file.
            i.call("Reset")
            self.assertEqual(i.get("force.spring.stiffness"), [3.0])

    def test_while_it_moves(self):
        fmu = self.export(self.write(PUSHED), "--outputs", "joint.pivot.*,joint.rail.*")
        i = fmu.instantiate()
        i.start()
        i.put({"input.push.force.x": 3.0})
        i.step(0.0, 0.5)
        before = i.get("joint.pivot.position", "joint.pivot.velocity")
        self.assertEqual(i.put({"force.spring.stiffness": 300.0, "force.bearing.damping": 20.0, "model.gravity.z": -1.6}), OK)
        self.assertEqual(i.get("joint.pivot.position", "joint.pivot.velocity"), before)  # until the next step
        i.step(0.5, 0.01)
        after = i.get("joint.pivot.position")[0]
        self.assertLess(abs(after - before[0]), 0.05)
        i.step(0.51, 5.0)
        self.assertLess(abs(i.get("joint.pivot.position")[0]), 0.05)
        self.assertEqual(i.put_whole("solver.iterations", 5), OK)
        self.assert_good(i, i.step(5.51, 0.01))

    def test_refused(self):
        fmu = self.export(self.write(PUSHED))
        i = fmu.instantiate()
        for name, value in (("body.sled.mass", -1.0), ("force.spring.stiffness", -5.0), ("body.sled.mass", math.inf),
                            ("force.bearing.friction", math.nan), ("solver.gamma", 0.4)):
            self.assertEqual(i.put({name: value}), ERROR, name)
            self.assertIn(name, i.log[-1][2])
        self.assertEqual(i.put_whole("solver.iterations", 0), ERROR)
        self.assertEqual(i.put({"solver.iterations": 2.0}), ERROR)
        i.start()
        # Numbers that are right one by one, but no inertia of a body.
        self.assertEqual(i.put({"body.sled.inertia.xx": 100.0}), OK)
        self.assertEqual(i.step(0.0, 0.01), ERROR)
        self.assertIn("inertia", i.log[-1][2])
        self.assertEqual(i.step(0.0, 0.01), ERROR)
        i.call("Reset")
        i.start()
        self.assertEqual(i.step(0.0, 0.01), OK, i.log)

    def test_every_parameter(self):
        """Each number alone, a little larger, is taken while the mechanism moves."""
        fmu = self.export(MODELS / "vehicle.yaml")
        i = fmu.instantiate()
        i.start()
        t = 0.0
        for name in fmu.names("parameter"):
            if fmu.variables[name]["type"] != "Float64" or name.startswith("solver."):
                continue
            value = i.get(name)[0]
            self.assertEqual(i.put({name: value * 1.0001}), OK, i.log)
            self.assert_good(i, i.step(t, 0.01))
            t += 0.01


class Paths(Case):
    def test_forms(self):
        folder = self.folder / "a blank and {braces}"
        folder.mkdir()
        run(FMU, "export", MODELS / "four_bar.yaml", self.folder / "x.fmu")
        fmu = importer.Fmu(self.folder / "x.fmu", folder)
        at = str(fmu.resources)
        coded = at.replace(" ", "%20").replace("{", "%7B").replace("}", "%7D")
        forms = [at, at + "/", coded, "file:" + at, "file://" + at, "file://" + coded, "file://localhost" + coded + "/", "file:" + coded,
                 os.path.relpath(at), "/no/such/folder", "", "file:///no/such/folder", "file:"]
        for form in forms:
            i = fmu.instantiate(form)
            self.assertIsNotNone(i.handle, (form, i.log))
            i.free()

    def test_refused(self):
        fmu = self.export(MODELS / "four_bar.yaml")
        i = fmu.instantiate(token="{wrong}")
        self.assertIsNone(i.handle)
        self.assertIn("{wrong}", i.log[-1][2])
        table = fmu.resources / "variables"
        whole = table.read_text()
        for wrong in (whole[:-1], whole.replace("signal", "sign", 1), whole.replace("joint.", "join."), "", whole + "x\n"):
            table.write_text(wrong)
            i = fmu.instantiate()
            self.assertIsNone(i.handle)
            self.assertEqual(len(i.log), 1)
        table.unlink()
        i = fmu.instantiate("/none")
        self.assertIsNone(i.handle)
        self.assertIn("/none", i.log[-1][2])


if __name__ == "__main__":
    unittest.main()
