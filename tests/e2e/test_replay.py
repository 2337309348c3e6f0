#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-replay: a recorded run is computed again to the same bits, whatever happened in it; a single wrong bit is found."""
import csv
import json
import os
import shutil
import signal
import subprocess
import unittest

import bench
import test_live
import test_jog
import test_platform
from mf4 import Mf4
from test_record import PYTHON, Recorder, need_h5py, read, read_all

NOISE = [{"name": "noisy", "input": "push", "kind": "noise", "amplitude": 2.0}]
CHAINS = [{"name": "travel", "type": "distance", "body": "car", "body_b": "ground", "delay": 0.033, "noise": 1e-3, "cutoff": 20},
          {"name": "cell", "type": "load_cell", "force": "strut", "lower": -20e3, "upper": 20e3, "bits": 14, "filter_order": 2, "cutoff": 30}]
INJECTED = 1 << 13  # a flag of a frame
WORKERS = ("0", "1", "2", "3")
STOPS = {"skip": 0, "catch_up": 0, "slip": 0, "stop": 2}  # overrun policy: max_misses


def replay(*arguments):
    done = subprocess.run([bench.program("ali3-replay"), *arguments], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
    return done.returncode, done.stdout + done.stderr


def hold_up(d, seconds):
    """Stops the daemon, which misses deadlines."""
    d.process.send_signal(signal.SIGSTOP)
    bench.run_on(seconds)
    d.process.send_signal(signal.SIGCONT)
    bench.pace(0.2)


def fast_shafts(pairs):
    """Pairs of geared shafts that turn at 1000 rad/s and more; each pair with a damper."""
    def shaft(name, x, rate):
        return {"name": name, "mass": 1, "inertia": [0.01, 0.01, 0.02], "position": [x, 0, 0], "angular_velocity": [0, 0, rate]}

    def bearing(name, body, x):
        return {"name": name, "type": "revolute", "body_a": "ground", "body_b": body, "at": [x, 0, 0], "axis": [0, 0, 1]}
    some = range(pairs)
    return {"name": "fast_shafts",
            "bodies": [b for i in some for b in (shaft(f"a{i}", i, 1000 + i), shaft(f"b{i}", i + 0.5, -0.5 * (1000 + i)))],
            "joints": [j for i in some for j in (bearing(f"j{i}", f"a{i}", i), bearing(f"k{i}", f"b{i}", i + 0.5))],
            "forces": [f for i in some for f in ({"name": f"mesh{i}", "type": "gear", "joint": f"k{i}", "joint_b": f"j{i}", "ratio": -0.5},
                                                 {"name": f"damper{i}", "type": "friction", "joint": f"k{i}", "damping": 1e-4})]}


class Once(Recorder):
    """A recorder of one file, from the first cycle on; it has begun."""

    def __init__(self, file, *arguments):
        super().__init__("--once", file, "--before", "60", *arguments)
        bench.wait_for("the recorder", lambda: os.path.exists(file + ".part"))


class Case(unittest.TestCase):
    def check_same(self, *arguments):
        status, said = replay(*arguments)
        self.assertEqual(status, 0, f"{arguments}: {said}")
        self.assertIn("the same bits", said)

    def open(self, d):
        client = bench.OscClient(d.osc_port)
        self.addCleanup(client.close)
        return client

    def push(self, client, n, force=3.0):
        for k in range(n):
            client.send(bench.osc_message("/ali3/input/push/force", "fff", force + 0.1 * k, -force, 0.5))
            bench.pace(0.01)

    def drive(self, d, client):
        """Inputs, an injected fault if there is one, commands, misses, an e-stop, and a start after it."""
        with open(d.config, encoding="utf-8") as f:
            noisy = "injections" in json.load(f)
        self.push(client, 10)
        for on in (1, 0):
            if noisy:
                client.send(bench.osc_message("/ali3/inject", "sii", "noisy", on, 40 + on))
                bench.wait_for("the injection to switch", lambda on=on: d.watch()["fault_injection"] == bool(on))
            self.push(client, 10)
        client.command("pause", 2)
        bench.run_on(0.15)
        client.command("run", 3)
        self.push(client, 10, 5.0)
        hold_up(d, 0.08)
        if d.watch()["state"] == "SAFE":  # the policy stop
            bench.run_again(lambda name: client.command(name, 10))
        client.send(bench.osc_message("/ali3/cmd/estop", "i", 20))
        bench.wait_for("SAFE", lambda: d.watch()["state"] == "SAFE")
        bench.run_again(lambda name: client.command(name, 21))
        self.push(client, 20, 7.0)
        client.command("reset", 30)
        bench.run_on(0.1)


class Written(Case):
    """Recordings of what a replay computes."""

    @classmethod
    def setUpClass(cls):
        need_h5py()

    def record(self, d, *arguments):
        file, client = os.path.join(d.dir, "run.h5"), self.open(d)
        with Once(file, *arguments, d.name) as r:
            self.drive(d, client)
            d.stop()
            self.assertEqual(r.finish(), 0, r.said)
        return file

    def changed(self, d, name, change):
        with open(d.config, encoding="utf-8") as f:
            config = json.load(f)
        change(config)
        return d.file(name, json.dumps(config))

    def test_a_stretch_with_signals_that_were_not_recorded(self):
        with bench.Daemon(cycle={"overrun": "skip"}, injections=NOISE) as d:
            file, out = self.record(d, "--signals", "time,body.A.*", "--divisor", "2"), os.path.join(d.dir, "out.h5")
            self.check_same(file, "--from", "0.4", "--to", "1", "--write", out, "--workers", "2")
            run, written = read_all([file, out])
            self.check_stretch(run, written)
            self.check_same(out)
            status, said = replay(file, "--write", out)
            self.assertEqual(status, 2, said)
            self.assertIn("does not replace", said)
            self.assertEqual(replay("info", file, "--write", out)[0], 2)

    def check_stretch(self, run, written):
        """The recorded rows of these cycles, with all signals; a reader finds everything that a recorder would have written."""
        first = run["head"]["cycle"].index(written["head"]["cycle"][0])
        rows = slice(first, first + len(written["head"]["cycle"]))
        self.assertEqual(len(written["head"]["cycle"]), 31)
        for name, values in written["head"].items():
            self.assertEqual(values, run["head"][name][rows], name)
        self.assertLess(len(run["names"]), 30)
        self.assertIn("body.B.position.x", written["names"])
        for name in run["names"]:
            columns = [[row[got["names"].index(name)] for row in got["values"]] for got in (run, written)]
            self.assertEqual(columns[0][rows], columns[1], name)
        last = written["head"]["cycle"][-1]
        self.assertTrue(all(e["cycle"] <= last for e in written["events"]))
        for name in ("instance", "model", "model_hash", "version", "isa", "period_s", "start_utc_ns", "config", "extras"):
            self.assertEqual(written["attributes"][name], run["attributes"][name], name)
        self.assertEqual((written["attributes"]["closed"], written["attributes"]["lost"]), (1, 0))

    def test_another_configuration_from_a_recorded_state(self):
        """It begins where the recorded model was, and its own recording is computed again to the bit."""
        with bench.Daemon() as d:
            file, out = self.record(d), os.path.join(d.dir, "out.h5")
            parts = os.path.join(d.dir, "parts.h5")
            self.check_same(file, "--from", "0.5", "--write", parts)  # its first state is in the middle of the run
            heavy = self.changed(d, "heavy.json", lambda c: c["model"]["bodies"][0].update(mass=c["model"]["bodies"][0]["mass"] * 1.5))
            status, said = replay(parts, "--with", heavy, "--write", out)
            self.assertEqual(status, 0, said)
            self.assertIn("largest differences", said)
            self.check_same(out)
            run, written = read_all([parts, out])
            self.assertEqual(written["head"]["cycle"], run["head"]["cycle"])
            self.assertNotEqual(written["attributes"]["model_hash"], run["attributes"]["model_hash"])
            for name in ("body.A.position.x", "body.A.velocity.y"):
                k = run["names"].index(name)
                self.assertLess(abs(run["values"][0][k] - written["values"][0][k]), 0.02, name)
                self.assertNotEqual(run["values"][20][k], written["values"][20][k], name)
            # The configuration of the recording goes on to the bit; a model without the recorded bodies is refused.
            self.assertIn("no difference", replay(parts, "--with", d.config)[1])
            other = self.changed(d, "other.json", lambda c: c["model"]["joints"][0].update(name="elsewhere"))
            status, said = replay(parts, "--with", other)
            self.assertEqual(status, 3, said)
            self.assertIn('joint "elsewhere" is in the model that takes the state only', said)


class Replay(Case):
    @classmethod
    def setUpClass(cls):
        need_h5py()

    def test_every_policy_of_a_late_cycle(self):
        push = bench.push(policy="safe", hold=10)
        for policy, most in STOPS.items():
            with self.subTest(policy), bench.Daemon(cycle={"overrun": policy, "max_misses": most}, inputs=[push], injections=NOISE) as d:
                file, client = os.path.join(d.dir, "run.h5"), self.open(d)
                with Once(file, d.name) as r:
                    self.drive(d, client)
                    self.assertGreater(d.watch()["misses"], 0)
                    d.stop()
                    self.assertEqual(r.finish(), 0, r.said)
                flags = read(file)["head"]["flags"]
                self.assertEqual({bool(f & INJECTED) for f in flags}, {False, True}, "the fault acted for a part of the time")
                self.check_same(file, "--workers", "0")
                self.check_same(file, "--workers", "3", "--from", "1")
                if policy == "skip":
                    self.find_one_bit(file, os.path.join(d.dir, "wrong.h5"))

    def find_one_bit(self, file, copy):
        """The lowest bit of one input, in one cycle in which it acted."""
        shutil.copy(file, copy)
        script = """import sys, h5py, numpy
f = h5py.File(sys.argv[1], "r+")
d, a = f["replay/inputs"], f["replay/action"][()]
n = int(numpy.flatnonzero((d[:, 0] != 0) & (a == 1))[5])
row = d[n]
row.view(numpy.uint64)[0] ^= numpy.uint64(1)
d[n] = row
print(f["replay/cycle"][n])"""
        cycle = subprocess.run([PYTHON, "-c", script, copy], capture_output=True, text=True, check=False, timeout=bench.PATIENCE)
        self.assertEqual(cycle.returncode, 0, cycle.stderr)
        status, said = replay(copy)
        self.assertEqual(status, 1, said)
        self.assertIn(f"different from cycle {cycle.stdout.strip()} on, in ", said)
        self.assertIn("units in the last place", said)

    def test_a_platform_its_parameters_and_a_reload(self):
        """Also with a fault that is injected into the pose that the platform follows."""
        noise = [dict(NOISE[0], input="lead", amplitude=0.01)]
        with test_platform.daemon(telemetry={"frames": 20}, injections=noise) as d:
            files, client = d.dir, self.open(d)
            with Recorder("--to", files, "--when", "always", "--before", "60", "--split", "3", "--min-free", "0", d.name) as r:
                self.assertEqual([client.command(name, 90 + k) for k, name in enumerate(("arm", "run"))], [0, 0])
                for k in range(150):
                    if k in (60, 110):
                        client.send(bench.osc_message("/ali3/inject", "sii", "noisy", k == 60, 40 + k))
                    client.send(bench.osc_message("/ali3/input/lead/position", "fff", 0.05, 0.02 * (k % 3), 0.01))
                    if k % 40 == 10:
                        self.ask(client, "platform/set", "sd", "blend", 0.2 + 0.001 * k)
                        self.ask(client, "platform/set", "sd", "vel_max.x", 0.3)
                        self.ask(client, "platform/set", "sddd", "acc_max", 3.0, 2.5, 2.0 + 0.001 * k)
                    bench.pace(0.02)
                with open(d.config, encoding="utf-8") as f:
                    config = json.load(f)
                config["platform"]["pos_max"] = [0.1, 0.1, 0.1]
                d.file("bench.json", json.dumps(config))
                d.process.send_signal(signal.SIGHUP)
                bench.wait_for("the reload", lambda: "pos_max" in d.said())
                bench.run_on(0.3)
                client.send(bench.osc_message("/ali3/cmd/estop", "i", 20))
                bench.run_on(1.5)
                d.stop()
                r.stop()
            found = sorted(name for name in os.listdir(files) if name.endswith(".h5"))
            self.assertGreater(len(found), 1)
            flags = {bool(f & INJECTED) for run in read_all([os.path.join(files, name) for name in found]) for f in run["head"]["flags"]}
            self.assertEqual(flags, {False, True}, "the fault acted for a part of the time")
            for k, name in enumerate(found):
                self.check_same(os.path.join(files, name))
                written = os.path.join(files, f"written{k}.h5")
                self.check_same(os.path.join(files, name), "--from", "0" if k else "1", "--write", written)  # the last part may be short
                self.check_same(written)

    def test_a_jog(self):
        """The commands of a jog, its end by silence, and an e-stop."""
        right = {"peers": [{"host": "127.0.0.1", "access": "jog"}]}
        with test_platform.daemon(telemetry={"frames": 20}, osc=right, platform={"jog": {"speed": 0.02, "timeout": 1}}) as d:
            files, client = d.dir, self.open(d)

            def jog(part, speed, ends):
                """Holds the button until the condition is met."""
                hand = test_jog.Presser(part, speed)

                def pressed():
                    client.send(hand.packet())
                    return ends()
                bench.wait_for(f"jog of {part}", pressed)
                return hand

            def far(limit, part=2):
                return lambda: abs(test_platform.platform(d)["pose"][part] or 0.0) > limit

            with Recorder("--to", files, "--when", "always", "--before", "60", "--min-free", "0", d.name) as r:
                jog("leg3", 1.0, far(0.002, 3))
                bench.wait_for("silence", lambda: "leg3 over" in d.said())
                bench.run_on(1.5)  # nothing begins for platform.jog.timeout
                last = jog("yaw", 1.0, lambda: "jog of yaw by" in d.said() and far(0.002, 5)())
                client.send(bench.osc_message("/ali3/platform/jog", "sfiii", "yaw", 0.0, 9999, last.hand, 9999))
                bench.wait_for("the release", lambda: "yaw over" in d.said())
                bench.run_on(1.5)  # nothing begins for platform.jog.timeout
                jog("yaw", -0.4, lambda: d.said().count("jog of yaw by") == 2)
                client.send(bench.osc_message("/ali3/cmd/estop", "i", 20))
                bench.wait_for("parked", lambda: "park -> parked" in d.said())
                d.stop()
                r.stop()
            found = [name for name in os.listdir(files) if name.endswith(".h5")]
            self.assertGreater(len(found), 0)
            for name in found:
                self.check_same(os.path.join(files, name))

    def ask(self, client, address, types, *arguments):
        client.send(bench.osc_message(f"/ali3/{address}", types + "i", *arguments, 77))
        answer = client.answer("/ali3/ack")
        while answer[1] != 77:
            answer = client.answer("/ali3/ack")
        self.assertEqual(answer[2], 0, f"{address} {arguments}")

    @unittest.skipIf(bench.SANITIZED, "a preloaded library would come before the sanitizer")
    def test_a_ramp_across_files(self):
        """A busy host may tell an event long after its cycle: each file waits for the parameters of its last row."""
        slow = {"LD_PRELOAD": os.path.join(bench.BIN, "..", "tests", "slow_watch.so")}
        with bench.Daemon(model=test_live.SPRUNG, inputs=[], state={"every": 0}, environment=slow) as d:
            client = self.open(d)
            with Recorder("--to", d.dir, "--when", "always", "--split", "0.5", "--min-free", "0", d.name) as r:
                client.send(bench.osc_message("/ali3/param/set", "sddi", "force.strut.stiffness", 4e4, 2.0, 5))
                bench.wait_for("the end of the ramp", lambda: "force.strut.stiffness: 40000 " in d.said())
                self.ask(client, "param/set", "sd", "body.car.mass", 500.0)
                self.assertEqual(r.stop(), 0, r.said)
            d.stop()
            found = sorted(name for name in os.listdir(d.dir) if name.endswith(".h5"))
            self.assertGreater(len(found), 3)
            for name in found:
                self.check_same(os.path.join(d.dir, name), "--workers", "0")

    def test_a_set_of_many_numbers(self):
        """More numbers than the daemon's threads hand on at once: the recording has all of them."""
        links = [{"name": f"link{i}", "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0.1 * i + 0.1, 0, 0]} for i in range(64)]
        hinges = [{"name": f"hinge{i}", "type": "revolute", "body_a": f"link{i - 1}" if i else "ground", "body_b": f"link{i}",
                   "at": [0.1 * i, 0, 0], "axis": [0, 1, 0]} for i in range(64)]
        model = {"name": "rope", "gravity": [0, 0, -9.81], "bodies": links, "joints": hinges}
        with bench.Daemon(model=model, inputs=[], state={"every": 0}) as d:
            client = self.open(d)
            with Recorder("--to", d.dir, "--when", "always", "--min-free", "0", d.name) as r:
                self.ask(client, "param/begin", "")
                for i in range(64):
                    self.ask(client, "param/set", "s" + "d" * 9, f"body.link{i}.inertia", 0.2, 1e-3 * i, 0.0, 1e-3 * i, 0.3, 0.0, 0.0, 0.0, 0.3)
                self.ask(client, "param/commit", "")
                bench.run_on(0.3)
                self.assertEqual(r.stop(), 0, r.said)
            d.stop()
            self.assertNotIn("lost", d.said())
            self.check_same(*(os.path.join(d.dir, name) for name in os.listdir(d.dir) if name.endswith(".h5")))

    def test_parameters_and_states_that_came_in(self):
        """A set, a ramp, a state that was loaded; each part of the recording stands alone. So do readings that depend on the past."""
        with bench.Daemon(model={**test_live.SPRUNG, "sensors": CHAINS}, inputs=[], state={"every": 0}) as d:
            client = self.open(d)
            with Recorder("--to", d.dir, "--when", "always", "--before", "60", "--split", "1", "--min-free", "0", d.name) as r:
                bench.run_on(0.3)
                self.ask(client, "param/set", "sd", "force.strut.damping", 900.0)
                self.ask(client, "state/save", "s", "here")
                self.ask(client, "param/set", "sd", "body.car.mass", 500.0)
                self.ask(client, "param/set", "sd", "sensor.travel.noise", 2e-3)
                self.ask(client, "param/set", "sd", "sensor.travel.scale_error", 0.05)
                self.ask(client, "param/set", "sd", "sensor.travel.bias", 0.25)
                self.ask(client, "param/set", "sd", "sensor.cell.stuck", 1.0)
                self.ask(client, "param/set", "sd", "force.wind.force.x", 2.5)
                client.send(bench.osc_message("/ali3/param/set", "sddi", "force.strut.stiffness", 4e4, 0.5, 5))
                bench.run_on(1.0)
                self.ask(client, "cmd/reset", "")
                for name in ("arm", "run"):
                    client.command(name, 10)
                bench.wait_for("the next run", lambda: d.watch()["state"] == "RUNNING")
                bench.run_on(0.5)
                self.ask(client, "cmd/pause", "")
                self.ask(client, "param/set", "sd", "body.car.mass", 400.0)
                self.ask(client, "state/save", "s", "there")
                self.ask(client, "cmd/run", "")
                bench.run_on(0.3)
                self.ask(client, "cmd/pause", "")
                self.ask(client, "state/load", "s", "there")
                self.ask(client, "cmd/run", "")
                bench.run_on(0.5)
                d.stop()
                r.stop()
            found = sorted(name for name in os.listdir(d.dir) if name.endswith(".h5"))
            self.assertGreater(len(found), 2)
            for k, name in enumerate(found):
                for workers in WORKERS:
                    self.check_same(os.path.join(d.dir, name), "--workers", workers)
                written = os.path.join(d.dir, f"written{k}.h5")
                self.check_same(os.path.join(d.dir, name), "--write", written)
                self.check_same(written)
            got = read_all([os.path.join(d.dir, name) for name in found])
            for name, kinds in (("sensor.travel.value", 50), ("sensor.cell.value", 10)):
                self.assertGreater(len({row[f["names"].index(name)] for f in got for row in f["values"]}), kinds, name)
            self.assertEqual({row[f["names"].index("sensor.cell.quality")] for f in got for row in f["values"]}, {0.0, 1.0})
            actions = {a for file in got for a in file["head"]["action"]}
            self.assertLessEqual({1, 1 | 4, 8}, actions)

    def test_actuators(self):
        """A valve, a voltage and a brake that an input commands, keys of all four elements set live, a state saved and loaded: equal bits."""
        inputs = [{"name": name, "force": name, "recover": 1, "hold": 2} for name in ("ram", "motor", "brake")]
        with bench.Daemon(model=test_live.ACTUATED, inputs=inputs, state={"every": 0}) as d:
            client = self.open(d)
            with Recorder("--to", d.dir, "--when", "always", "--before", "60", "--min-free", "0", d.name) as r:
                for k in range(60):
                    for name, value in (("ram", 0.3 - 0.01 * k), ("motor", 0.2 * k), ("brake", 20.0 * (k % 7))):
                        client.send(bench.osc_message(f"/ali3/input/{name}/value", "f", value))
                    for at, name, value in ((10, "force.ram.supply", 120e5), (20, "force.motor.resistance", 0.8), (30, "force.tyre.grip_along", 0.7),
                                            (35, "force.brake.friction", 900.0)):
                        if k == at:
                            self.ask(client, "param/set", "sd", name, value)
                    if k in (40, 50):
                        self.ask(client, "cmd/pause", "")
                        self.ask(client, "state/save" if k == 40 else "state/load", "s", "here")
                        self.ask(client, "cmd/run", "")
                    bench.pace(0.01)
                d.stop()
                r.stop()
            found = sorted(name for name in os.listdir(d.dir) if name.endswith(".h5"))
            self.assertGreater(len(found), 0)
            for name in found:
                for workers in WORKERS:
                    self.check_same(os.path.join(d.dir, name), "--workers", workers)
            got = read_all([os.path.join(d.dir, name) for name in found])
            for name in ("force.ram.pressure_a", "force.motor.current", "force.tyre.along", "force.brake.value"):
                self.assertGreater(len({row[f["names"].index(name)] for f in got for row in f["values"]}), 20, name)

    def test_fast_shafts(self):
        """Geared shafts at 1000 rad/s and more that an input accelerates, enough of them to wake workers: the same bits with 0 to 3
        workers, also in sensors of their ends, and the counts of turns go on from a recorded state."""
        pairs = 100
        ends = [{"name": "far", "type": "distance", "body": "a0", "body_b": f"b{pairs - 1}", "point": [0.1, 0, 0], "point_b": [0, 0.1, 0], "delay": 0.033,
                 "noise": 1e-3, "cutoff": 20},
                {"name": "shaken", "type": "imu", "body": f"b{pairs - 1}", "point": [0, 0.05, 0], "cutoff": 30, "filter_order": 2, "noise": 1e-2}]
        with bench.Daemon(model={**fast_shafts(pairs), "sensors": ends}, inputs=[{"name": "push", "body": "a0", "recover": 1}],
                          cycle={"clock": "lockstep", "warmup": 20}, realtime={"workers": 1}) as d:
            file, client = os.path.join(d.dir, "run.h5"), self.open(d)
            with Once(file, d.name) as r:
                for k in range(10):
                    client.send(bench.osc_message("/ali3/input/push/torque", "fff", 0.0, 0.0, 10.0 - k))
                    client.send(bench.osc_message("/ali3/step", "ii", 5, k))
                    client.answer("/ali3/ack")
                d.stop()
                self.assertEqual(r.finish(), 0, r.said)
            for workers in WORKERS:
                self.check_same(file, "--workers", workers)
            self.check_same(file, "--workers", "3", "--from", "0.2")
            got = read(file)
            for name in ("sensor.far.value", "sensor.shaken.specific_force.x"):
                self.assertGreater(len({row[got["names"].index(name)] for row in got["values"]}), 40, name)
            angle = {name: got["values"][-1][got["names"].index(f"joint.{name}.position")] for name in ("j0", "k0")}
        self.assertGreater(angle["j0"], 0.5 * 1000)
        self.assertAlmostEqual(angle["k0"], -0.5 * angle["j0"], delta=1e-9 * angle["j0"])

    def test_lockstep_and_another_configuration(self):
        with bench.Daemon(cycle={"clock": "lockstep", "warmup": 20}) as d:
            file, client = os.path.join(d.dir, "run.h5"), self.open(d)
            with Once(file, "--type", "f32", "--signals", "time,body.*", d.name) as r:
                for k in range(30):
                    client.send(bench.osc_message("/ali3/input/push/force", "fff", 0.2 * k, 1.0, 0.0))
                    client.send(bench.osc_message("/ali3/step", "ii", 7, k))
                    client.answer("/ali3/ack")
                d.stop()
                self.assertEqual(r.finish(), 0, r.said)
            self.check_same(file)
            with open(d.config, encoding="utf-8") as f:
                config = json.load(f)
            config["solver"] = {"iterations": 5}
            other = d.file("other.json", json.dumps(config))
            status, said = replay(file, "--with", other)
            self.assertEqual(status, 0, said)
            self.assertIn("largest differences", said)
            status, said = replay(file, "--with", d.config)
            self.assertIn("no difference", said)
            status, said = replay("info", file)
            self.assertEqual(status, 0)
            self.assertIn(f"instance         {d.name}", said)

    def test_a_file_that_starts_at_rest(self):
        """The replay finds the rest of the recorded start, and of a reset after a parameter has changed."""
        hung = dict(bench.four_bar()["model"], forces=[{"name": "turn", "type": "joint_spring", "joint": "J1", "stiffness": 90, "damping": 9}])
        with bench.Daemon(model=hung, simulation={"start": "rest"}, cycle={"clock": "lockstep"}) as d:
            file, client = os.path.join(d.dir, "run.h5"), self.open(d)
            bench.wait_for("RUNNING", lambda: d.watch()["state"] == "RUNNING")
            with Once(file, d.name) as r:
                for k in range(1, 5):
                    client.send(bench.osc_message("/ali3/step", "ii", 10, k))
                    client.answer("/ali3/ack")
                client.send(bench.osc_message("/ali3/param/set", "sfi", "force.turn.stiffness", 120.0, 9))
                client.answer("/ali3/ack")
                self.assertEqual(client.command("reset", 10), 0)
                for k in range(5, 9):
                    client.send(bench.osc_message("/ali3/step", "ii", 10, k))
                    client.answer("/ali3/ack")
                d.stop()
                self.assertEqual(r.finish(), 0, r.said)
            self.check_same(file)
            run = read_all([file])[0]
            turn = [row[run["names"].index("joint.J1.position")] for row in run["values"]]
            self.assertLess(max(abs(x - turn[1]) for x in turn[1:30]), 1e-9)  # it rests
            self.assertGreater(abs(turn[-1] - turn[1]), 1e-3)  # and elsewhere with the other spring

    def test_exports_and_a_feed(self):
        """Another daemon in lockstep gets the recorded inputs, and has the same motion to the bit."""
        cycle = {"clock": "lockstep", "warmup": 20}
        with bench.Daemon(cycle=cycle) as first, bench.Daemon(cycle=cycle) as second:
            file, again = os.path.join(first.dir, "run.h5"), os.path.join(second.dir, "again.h5")
            client = self.open(first)
            with Once(file, first.name) as r:
                for k in range(60):
                    client.send(bench.osc_message("/ali3/input/push/force", "fff", 0.2 * k, 1.0, 0.0))
                    client.send(bench.osc_message("/ali3/step", "ii", 1 + k % 3, k))
                    client.answer("/ali3/ack")
                first.stop()
                self.assertEqual(r.finish(), 0, r.said)
            with Once(again, second.name) as r:
                status, said = replay(file, "--feed", f"osc.udp://127.0.0.1:{second.osc_port}/ali3", "--lockstep")
                self.assertEqual(status, 0, said)
                self.assertIn("sent the inputs of 120 cycles", said)
                second.stop()
                self.assertEqual(r.finish(), 0, r.said)
            moved = [self.moved_rows(name) for name in (file, again)]
            self.assertGreater(len(moved[0]), 100)
            self.assertEqual(*moved)
            self.check_exports(file, first.dir)
            self.check_simulation(file, first)

    def check_simulation(self, file, d):
        """ali3-sim with the recorded inputs, from the recording and from its table, has the recorded motion to the bit."""
        table, got = os.path.join(d.dir, "inputs.csv"), read(file)
        self.assertEqual(replay("export", file, "--csv", table, "--signals", "time,input.*")[0], 0)
        wanted = {row[0]: row for row, action in zip(got["values"], got["head"]["action"]) if action == 1}
        with open(table, encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        shortened = os.path.join(d.dir, "table.csv")
        with open(shortened, "w", encoding="utf-8") as f:
            names = [name for name in rows[0] if name != "cycle"]
            f.write(",".join(names) + "\n")
            times = {float(row["time"]): row for row in rows}
            f.writelines(",".join(times[t][name] for name in names) + "\n" for t in sorted(times))
        for inputs in (file, shortened):
            out = os.path.join(d.dir, "sim.csv")
            subprocess.run([bench.program("ali3-sim"), d.config, "--inputs", inputs, "--duration", "1.2", "--output", out], check=True,
                           capture_output=True, timeout=bench.PATIENCE)
            with open(out, encoding="utf-8") as f:
                simulated = [row for row in csv.DictReader(f) if float(row["time"]) in wanted and float(row["time"]) > 0]
            self.assertEqual(len(simulated), 120)
            for row in simulated:
                now = dict(zip(got["names"], wanted[float(row["time"])]))
                self.assertEqual({name: float(v) for name, v in row.items()}, {name: now[name] for name in row}, row["time"])

    def moved_rows(self, file):
        """Every signal of every step, without the times of the loop."""
        got = read(file)
        return [[v for name, v in zip(got["names"], row) if not name.startswith("loop.")]
                for row, action in zip(got["values"], got["head"]["action"]) if action == 1]

    def check_exports(self, file, folder):
        got, table, mf4 = read(file), os.path.join(folder, "run.csv"), os.path.join(folder, "run.mf4")
        for options in (("--csv", table, "--signals", "time,body.A.*"), ("--mf4", mf4)):
            status, said = replay("export", file, *options)
            self.assertEqual(status, 0, said)
        with open(table, encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        self.assertEqual([int(row["cycle"]) for row in rows], got["head"]["cycle"])
        for name in rows[0]:
            if name != "cycle":
                self.assertEqual([float(row[name]) for row in rows], [row[got["names"].index(name)] for row in got["values"]], name)
        self.assertEqual(replay("export", file, "--csv", table, "--signals", "time,body.A.position.x", "--header", "units")[0], 0)
        with open(table, encoding="utf-8") as f:
            self.assertEqual(f.readline(), "cycle,time [s],body.A.position.x [m]\n")
        self.assertEqual(replay("export", file, "--mf4", mf4, "--header", "units")[0], 2)
        read_back = Mf4(mf4)
        self.assertEqual(read_back.channels.pop("cycle"), ("", got["head"]["cycle"]))
        self.assertEqual(read_back.channels.pop("t")[1][:2], [0.0, (got["head"]["t_ns"][1] - got["head"]["t_ns"][0]) * 1e-9])
        self.assertEqual(list(read_back.channels), got["names"])
        for i, (name, unit) in enumerate(zip(got["names"], got["units"])):
            self.assertEqual(read_back.channels[name], (unit, [row[i] for row in got["values"]]))
        self.assertEqual(replay("export", file, "--csv", table, "--signals", "none.*")[0], 2)
        self.assertEqual(replay("export", file)[0], 2)

    def test_what_cannot_be_replayed(self):
        with bench.Daemon(["--duration", "3"]) as d:
            file = os.path.join(d.dir, "run.h5")
            with Once(file, d.name) as r:
                self.assertEqual(d.finish(), 0)
                self.assertEqual(r.finish(), 0, r.said)
            edit = ["-c", "import sys, h5py, numpy; f = h5py.File(sys.argv[1], 'r+'); f.attrs[sys.argv[2]] = numpy.bytes_(sys.argv[3])", file]
            subprocess.run([PYTHON, *edit, "version", "ali3d 0.0.1"], check=True, timeout=bench.PATIENCE)
            status, said = replay(file)
            self.assertEqual(status, 3, said)
            self.assertIn("another build recorded it", said)
            self.assertEqual(replay(file, "--tolerance", "1e-9")[0], 0)
            self.assertEqual(replay(file, "--from", "1000")[0], 2)
            self.assertEqual(replay(d.config)[0], 2)
            self.assertEqual(replay(file, "--tolerance", "nan")[0], 2)


if __name__ == "__main__":
    bench.main()
