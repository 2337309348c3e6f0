#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-link with FMUs: exports of our own beside daemons, and a small brake (tests/fmi/brake.c) that does all that FMUs do."""
import csv
import json
import os
import re
import signal
import struct
import subprocess
import sys
import zipfile

import bench
import linked
from linked import WIRES, cart, children, daemon

sys.path.insert(0, os.path.join(bench.ROOT, "tests", "fmi"))
import brake  # noqa: E402

os.environ.update(bench.OUTLIVES_CRASHES)
A, B = cart(), cart(2.0, -0.4)
BUSY = 5  # the result of an order to step while steps of another one are under way


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def runs(pid):
    """The process is there, and no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Case(linked.Case):
    def setUp(self):
        super().setUp()
        self.library = os.path.join(os.path.dirname(bench.BIN), "tests", "brake.so")

    def brake(self, version=3, name="brake.fmu", start=None, more=None, **about):
        """The keys of a participant."""
        path = brake.write(os.path.join(self.dir.name, name), self.library, version, **about)
        return {"fmu": path, **({"start": start} if start else {}), **(more or {})}

    def mechanism(self, model, name, *more, period=0.01, inputs=("motor",)):
        """An FMU of a model, by ali3-fmu. Its instruction set is that of the daemons."""
        file = os.path.join(self.dir.name, f"{name}.json")
        with open(file, "w", encoding="utf-8") as f:
            json.dump({"model": model, "cycle": {"period": period},
                       "inputs": [{"name": i, "force": i, "policy": "hold"} for i in inputs]}, f)
        path = os.path.join(self.dir.name, f"{name}.fmu")
        subprocess.run([bench.program("ali3-fmu"), "export", file, path, "--isa", "auto", *more], check=True, capture_output=True)
        return {"fmu": path}

    def table(self, *arguments, **options):
        return list(csv.DictReader(self.rows(*arguments, **options)))


class Together(Case):
    def test_a_daemon_and_its_fmu_have_the_same_bits(self):
        steps = 500
        with daemon(A) as a, daemon(B) as b:
            for order in ("jacobi", "gauss_seidel"):
                want = self.rows(self.file({"a": a, "b": b}, order=order), steps)
                self.assertEqual(len(want), steps + 1)
                for version in ("3", "2"):
                    fmu = self.mechanism(A, "a", "--fmi", version)
                    self.assertEqual(self.rows(self.file({"a": fmu, "b": b}, order=order), steps), want, f"{order}, FMI {version}")
                both = {"a": fmu, "b": self.mechanism(B, "b")}
                self.assertEqual(self.rows(self.file(both, order=order), steps), want, order)

    def test_periods(self):
        """A communication step of four steps of one FMU, two of a daemon, and one of another FMU."""
        with daemon(B, period=0.005) as b:
            parts = {"a": self.mechanism(A, "a", period=0.0025), "b": b, "c": self.brake(more={"step": 0.01})}
            rows = self.table(self.file(parts, WIRES + [{"from": "a.joint.rail.velocity", "to": "c.speed"},
                                                        {"from": "c.count", "to": "c.gear"}], order="gauss_seidel"), 20)
            self.assertEqual(rows[-1]["time"], "0.2")
            self.assertEqual([r["c.count"] for r in rows], [str(k + 1) for k in range(20)])

    def test_without_a_period(self):
        file = self.file({"a": self.brake(step=None), "b": self.brake(step=0.02, name="b.fmu")}, [{"from": "a.force", "to": "b.pedal"}])
        self.assertEqual(self.table(file, 3)[-1]["time"], "0.06")
        file = self.file({"a": self.brake(step=None)}, [{"from": "a.force", "to": "a.pedal"}])
        status, _, errors = self.link(file, "--check")
        self.assertEqual(status, 2)
        self.assertRegex(errors, r"link.yaml:\d+:\d+: error: no participant has a period; add step: SECONDS to an FMU")
        file = self.file({"a": self.brake(step=None, varies=False)}, [{"from": "a.force", "to": "a.pedal"}])
        status, _, errors = self.link(file, "--check")
        self.assertEqual(status, 2)
        self.assertIn("a: the FMU takes steps of one length, and does not say of which", errors)
        file = self.file({"a": self.brake(step=0.01, varies=False), "b": self.brake(name="b.fmu", more={"step": 0.015})},
                         [{"from": "a.force", "to": "b.pedal"}])
        status, _, errors = self.link(file, "--check")
        self.assertEqual(status, 2)
        self.assertIn("the communication step of 0.015 s is no whole number of periods of a, 0.01 s; change steps, or step of the FMU", errors)


class Cut(Case):
    """Two carts with a spring between them, cut there: each has the spring to its own rail, and the place of the other as a force."""

    STIFFNESS, SECONDS = 20.0, 2

    def cart(self, name, mass, at, speed):
        return {"gravity": [0, 0, 0], "bodies": [{"name": name, "mass": mass, "inertia": [0.1, 0.1, 0.1], "position": [at, 0, 0],
                                                  "velocity": [speed, 0, 0]}],
                "joints": [{"name": "rail", "type": "prismatic", "body_a": "ground", "body_b": name, "at": [at, 0, 0], "axis": [1, 0, 0]}],
                "forces": [{"name": "spring", "type": "joint_spring", "joint": "rail", "stiffness": self.STIFFNESS, "rest": 0},
                           {"name": "other", "type": "motor", "joint": "rail"}]}

    def whole(self):
        """The place of the left cart in one model, every 20 ms."""
        left, right = self.cart("left", 1.0, 0.0, 0.5), self.cart("right", 2.0, 1.0, -0.25)
        model = {"gravity": [0, 0, 0], "bodies": left["bodies"] + right["bodies"],
                 "joints": [{**m["joints"][0], "name": m["bodies"][0]["name"]} for m in (left, right)],
                 "forces": [{"name": "spring", "type": "spring_damper", "body_a": "left", "body_b": "right", "stiffness": self.STIFFNESS,
                             "rest_length": 1.0}]}
        file, out = os.path.join(self.dir.name, "whole.json"), os.path.join(self.dir.name, "whole.csv")
        with open(file, "w", encoding="utf-8") as f:
            json.dump({"model": model, "cycle": {"period": 0.0005}}, f)
        subprocess.run([bench.program("ali3-sim"), file, "--duration", str(self.SECONDS), "--output", out, "--signals", "joint.left.position"],
                       check=True, capture_output=True)
        with open(out, encoding="utf-8") as f:
            return [float(line) for line in f.read().split()[1:]][::40]

    def test_the_error_falls_with_the_step(self):
        """By first order: half the step, half the error."""
        want = self.whole()
        wires = [{"from": "left.joint.rail.position", "to": "right.input.other", "scale": self.STIFFNESS},
                 {"from": "right.joint.rail.position", "to": "left.input.other", "scale": self.STIFFNESS}]
        for order in ("jacobi", "gauss_seidel"):
            errors = []
            for period in (0.02, 0.01, 0.005):
                parts = {"left": self.mechanism(self.cart("left", 1.0, 0.0, 0.5), "left", period=period, inputs=("other",)),
                         "right": self.mechanism(self.cart("right", 2.0, 1.0, -0.25), "right", period=period, inputs=("other",))}
                rows = self.table(self.file(parts, wires, order=order), round(self.SECONDS / period))
                every = round(0.02 / period)
                found = [0.0, *(float(r["left.joint.rail.position"]) for r in rows[every - 1::every])]
                self.assertEqual(len(found), len(want))
                errors.append(max(abs(a - b) for a, b in zip(found, want)))
            print(f"{order}: largest error {', '.join(f'{e:.2g}' for e in errors)} m at 20, 10 and 5 ms")
            for a, b in zip(errors, errors[1:]):
                self.assertTrue(1.9 < a / b < 2.2, errors)


class Values(Case):
    def test_every_type(self):
        """Two brakes: numbers, whole numbers and booleans along the wires, with scale and start values, computed again here."""
        for version in (3, 2):
            with self.subTest(version=version):
                one = self.brake(version, "one.fmu", {"gain": 3, "speed": 1.5, "mode": 1})
                two = self.brake(version, "two.fmu", {"gain": 0.5, "on": False, "gear": 2})
                wires = [{"from": "one.force", "to": "two.pedal", "scale": -0.25},
                         {"from": "one.braking", "to": "two.on"},
                         {"from": "one.count", "to": "two.gear", "scale": 0.4, "initial": 5},  # rounded to the nearest
                         {"from": "two.force", "to": "one.speed", "scale": 0.01, "offset": 0.5},
                         {"from": "two.heat", "to": "one.pedal", "scale": 1},
                         {"from": "one.gain", "to": "two.speed", "scale": 2}]
                rows = self.table(self.file({"one": one, "two": two}, wires), 50)
                force = {"one": 0.0, "two": 0.0}
                heat, braking, known = 0.0, 0.0, False
                for k, row in enumerate(rows):
                    speed = 0.01 * force["two"] + 0.5 if known else 0.0
                    pedal = 1.0 * heat + 0.0 if known else 0.0
                    gear = round(0.4 * k) if known else 5
                    pedal_two = -0.25 * force["one"] + 0.0 if known else 0.0
                    speed_two = 2 * 3.0 + 0.0 if known else 0.0
                    on = braking != 0.0 if known else False
                    new_one = -(3.0 * speed + pedal) * 1.0
                    new_two = -(0.5 * speed_two + pedal_two) * gear if on else 0.0
                    energy = heat + abs(new_two * speed_two) * 0.01
                    heat = as_float(energy)
                    force, braking, known = {"one": new_one, "two": new_two}, float(new_one != 0.0), True
                    self.assertEqual(float(row["one.force"]), new_one, f"step {k}")
                    self.assertEqual(float(row["two.force"]), new_two, f"step {k}")
                    self.assertEqual(float(row["two.heat"]), heat, f"step {k}")
                    self.assertEqual((row["one.braking"], row["one.count"]), (str(int(new_one != 0.0)), str(k + 1)))
                self.assertNotEqual(float(rows[-1]["two.force"]), 0.0)

    def test_a_value_that_does_not_fit(self):
        file = self.file({"a": self.brake()}, [{"from": "a.count", "to": "a.gear", "scale": 30}])
        status, _, errors = self.link(file, "--steps", "10")
        self.assertEqual(status, 1)
        self.assertIn('a: the setting of its inputs at 0.05 s ends with status none: the type of the variable cannot hold the value: '
                      '"gear" is of the type Int8, and gets 150', errors)

    def test_times_are_not_refused(self):
        """The brake compares the time of each step with its own sum, bit by bit, and with the number of its steps."""
        for version, step in ((3, 0.01), (2, 0.001), (3, 0.004), (2, 0.03)):
            with self.subTest(version=version, step=step):
                file = self.file({"a": self.brake(version, more={"step": step})}, [{"from": "a.force", "to": "a.pedal"}])
                status, out, errors = self.link(file, "--steps", "30000", "--json")
                self.assertEqual(status, 0, errors)
                self.assertEqual(json.loads(out)["steps"], 30000)

    def test_units(self):
        cases = [({"from": "a.force", "to": "a.pedal"}, 0, ""),
                 ({"from": "a.count", "to": "a.pedal"}, 0, ""),  # has no unit
                 ({"from": "a.force", "to": "a.speed"}, 2, 'force is in "N", and speed in "m/s"; add the key scale to convert'),
                 ({"from": "a.heat", "to": "b.input.turn"}, 2, 'heat is in "kJ", and input.turn.value in "N m"; scale: 1000 converts'),
                 ({"from": "a.gain", "to": "b.input.motor"}, 2, 'gain is in "N.s/m", and input.motor.value in "N"; add the key scale'),
                 ({"from": "a.force", "to": "b.input.motor"}, 0, ""),
                 ({"from": "b.joint.rail.velocity", "to": "a.speed"}, 0, "")]
        model = cart()
        model["forces"].append({"name": "turn", "type": "motor", "joint": "pivot"})
        with daemon(model, inputs=("motor", "turn")) as b:
            for wire, want, text in cases:
                status, _, errors = self.link(self.file({"a": self.brake(), "b": b}, [wire]), "--check")
                self.assertEqual(status, want, errors)
                self.assertIn(text, errors)


class Files(Case):
    def test_paths(self):
        """Blanks and per cent signs in the names of the file and of the folder of its contents; a relative name; nothing is left."""
        at = os.path.join(self.dir.name, "a b%20c")
        os.mkdir(at)
        for version in (3, 2):
            self.brake(version, "two words.fmu")
            file = self.file({"a": {"fmu": "two words.fmu"}}, [{"from": "a.force", "to": "a.pedal"}])
            process = subprocess.run([bench.program("ali3-link"), file, "--steps", "3"], capture_output=True, text=True, check=False,
                                     env={**os.environ, "TMPDIR": at}, cwd="/")
            self.assertEqual(process.returncode, 0, process.stderr)
            self.assertEqual(os.listdir(at), [])

    def test_one_file_twice(self):
        fmu = self.brake()
        rows = self.table(self.file({"a": {**fmu, "start": {"gain": 1}}, "b": {**fmu, "start": {"gain": 5}}},
                                    [{"from": "a.gain", "to": "b.speed", "scale": 1}, {"from": "b.gain", "to": "a.speed", "scale": 1}]), 2)
        self.assertEqual((rows[1]["a.gain"], rows[1]["b.gain"]), ("1", "5"))

    def test_mistakes_have_their_line(self):
        good, missing = self.brake(), os.path.join(self.dir.name, "none.fmu")
        broken = os.path.join(self.dir.name, "broken.fmu")
        with open(broken, "wb") as f:
            f.write(b"PK\3\4 and nothing else")
        cases = [({"fmu": missing}, "a: " + missing + ": No such file"), ({"fmu": broken}, "a: " + broken + ": "),
                 ({**good, "start": {"gian": 1}}, 'a has no variable "gian"; did you mean "gain"?'),
                 ({**good, "start": {"force": 1}}, '"force" of a is calculated, or constant, and cannot be set'),
                 ({**good, "start": {"gain": "much"}}, "gain: expected a number"),
                 ({**good, "start": {"gear": 1.5}}, "gear: expected a whole number, found 1.5"),
                 ({**good, "start": {"on": 3}}, "on: expected"),
                 ({**good, "start": [1]}, "start: expected {VARIABLE: VALUE}"),
                 ({**good, "step": -1}, "step: expected a number > 0 (s)"),
                 ({**good, "config": "x"}, 'unknown key "config" in a participant with the key fmu')]
        for keys, text in cases:
            status, _, errors = self.link(self.file({"a": keys}, [{"from": "a.force", "to": "a.pedal"}]), "--check")
            self.assertEqual(status, 2, errors)
            self.assertRegex(errors, r"link.yaml:\d+:\d+: error: " + re.escape(text))
        for wire, text in (({"from": "a.forse", "to": "a.pedal"}, 'a has no signal that it sends "forse"; did you mean "force"?'),
                           ({"from": "a.force", "to": "a.gain"}, '"gain" is no input of a'),
                           ({"from": "a.mood", "to": "a.pedal"}, 'a: "mood" is a String; a wire carries numbers')):
            status, _, errors = self.link(self.file({"a": good}, [wire]), "--check")
            self.assertEqual(status, 2, errors)
            self.assertIn(text, errors)
        wrong = os.path.join(self.dir.name, "windows.fmu")
        with zipfile.ZipFile(good["fmu"]) as own, zipfile.ZipFile(wrong, "w") as other:
            for name in own.namelist():
                other.writestr(name.replace("linux", "windows"), own.read(name))
        status, _, errors = self.link(self.file({"a": {"fmu": wrong}}, [{"from": "a.force", "to": "a.pedal"}]), "--check")
        self.assertEqual(status, 2)
        self.assertRegex(errors, r"windows.fmu has no object for this machine, binaries/\S+linux\S*/brake.so")


class Trouble(Case):
    """Whatever an FMU does, it is named, and neither ali3-link nor a daemon goes with it."""

    def run_with(self, start, version=3, patience=bench.PATIENCE, steps=100):
        """Status, report, messages; a daemon is there, too, which steps on afterwards."""
        with daemon(A) as a:
            file = self.file({"a": a, "brake": self.brake(version, start=start)},
                             [{"from": "a.joint.rail.velocity", "to": "brake.speed"}, {"from": "brake.force", "to": "a.input.motor"}],
                             patience=patience)
            status, out, errors = self.link(file, "--steps", str(steps), "--json")
            client = bench.OscClient(a.osc_port)

            def answered():
                client.send(bench.osc_message("/ali3/step", "ii", 3, 1))
                answer = client.answer("/ali3/ack")
                return answer != ["step", 1, BUSY] and answer
            self.assertEqual(bench.wait_for("the end of the step that ali3-link asked for last", answered), ["step", 1, 0])
            client.close()
        return status, json.loads(out), errors

    def test_moods(self):
        when = {"when": 0.2}
        cases = {
            "crash": (1, r"its step from 0.2 s ended the process by signal 11 \(Segmentation fault\)"),
            "exit": (1, "its step from 0.2 s ended the process with exit status 7"),
            "error": (1, "its step from 0.2 s ends with status Error: the pressure is negative in both circuits"),
            "discard": (1, "its step from 0.2 s ends with status Discard"),
            "end": (1, "it asked to end the simulation in its step from 0.2 s"),
            "nan": (1, "force is nan at 0.21 s"),
            "crash at start": (1, r"its initialization ended the process by signal 11 \(Segmentation fault\)"),
            "error at start": (1, "its initialization ends with status Error"),
        }
        for version in (3, 2):
            for mood, (want, text) in cases.items():
                with self.subTest(mood=mood, version=version):
                    status, end, errors = self.run_with({"mood": mood, **when}, version)
                    self.assertEqual(status, want, errors)
                    self.assertEqual(end["ended_by"], "brake")
                    self.assertRegex(errors, "ali3-link: brake: " + text)
                    self.assertRegex(errors, "ali3-link: a: (waits for a step|asked for a step)")

    def test_hangs(self):
        for mood, text in (("hang", "its step from 0.2 s does not end"), ("hang at start", "its initialization does not end")):
            with self.subTest(mood=mood):
                status, end, errors = self.run_with({"mood": mood, "when": 0.2}, patience=3)
                self.assertEqual((status, end["ended_by"]), (3, "brake"), errors)
                self.assertRegex(errors, "ali3-link: brake: silent for 3 s: " + text)

    def test_harmless_moods(self):
        want = None
        for mood in ("", "talk", "print", "round"):
            with self.subTest(mood=mood):
                status, end, errors = self.run_with({"mood": mood})
                self.assertEqual((status, end["steps"]), (0, 100), errors)
                if mood == "talk":
                    self.assertEqual(errors.count("brake says: brake: a word in each step"), 20)
                    self.assertIn("(its further messages are not shown)", errors)
                if mood == "print":
                    self.assertEqual(errors.count("a line on the standard output"), 100)
                want = want or end["time"]
                self.assertEqual(end["time"], want)

    def test_a_killed_process(self):
        process = self.start(self.file({"a": self.brake()}, [{"from": "a.force", "to": "a.pedal"}]))
        child = bench.wait_for("the process of the FMU", lambda: children(process.pid))[0]
        os.kill(child, signal.SIGKILL)
        status, _, errors = self.finish(process)
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"ali3-link: a: (its process was ended|.* ended the process) by signal 9 \(Killed\)")

    def test_no_process_is_left(self):
        """ali3-link ends by SIGINT, which frees the FMU, and by SIGKILL."""
        for number in (signal.SIGINT, signal.SIGKILL):
            process = self.start(self.file({"a": self.brake(), "b": self.brake(name="b.fmu")}, [{"from": "a.force", "to": "b.pedal"}]))
            both = bench.wait_for("two processes", lambda: len(children(process.pid)) == 2 and children(process.pid))
            process.send_signal(number)
            status, _, errors = self.finish(process)
            self.assertEqual(status, 0 if number == signal.SIGINT else -signal.SIGKILL, errors)
            for child in both:
                bench.wait_for(f"the end of {child}", lambda child=child: not runs(child))


if __name__ == "__main__":
    bench.main()
