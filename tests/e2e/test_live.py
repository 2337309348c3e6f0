#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""States and parameters of a running daemon: saved, loaded and resumed with equal bits; sets of parameters that act as one; the
same bits as a daemon that was started with the changed file; nothing moves by itself."""
import json
import os
import re
import signal
import time
import unittest

import bench
import test_platform

SLOW = {"warmup": 5, "clock": "lockstep", "autostart": False}
SPRUNG = {
    "name": "sprung", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "wheel", "mass": 40, "inertia": [1, 1, 1], "position": [0, 0, 0.3]},
               {"name": "car", "mass": 400, "inertia": [10, 10, 10], "position": [0, 0, 1]}],
    "joints": [{"name": "axle", "type": "prismatic", "body_a": "ground", "body_b": "wheel", "at": [0, 0, 0.3], "axis": [0, 0, 1]},
               {"name": "slide", "type": "prismatic", "body_a": "wheel", "body_b": "car", "at": [0, 0, 1], "axis": [0, 0, 1]}],
    "forces": [{"name": "tyre", "type": "sphere_plane", "body_a": "ground", "body_b": "wheel", "normal": [0, 0, 1], "radius": 0.3,
                "stiffness": 2e5, "friction": 0.8},
               {"name": "strut", "type": "joint_spring", "joint": "slide", "stiffness": 2e4, "damping": 1500},
               {"name": "wind", "type": "force", "body": "car", "force": [0, 0, 10]}],
}

# Oil flows without a command, because all edges of the valve are open; the motor begins with a current; the wheel slides and rolls.
ACTUATED = {
    "name": "actuated", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "slide", "mass": 2000, "inertia": [100, 100, 100], "position": [0, 0, 1]},
               {"name": "rotor", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [1, 0, 0]},
               {"name": "cart", "mass": 50, "inertia": [5, 5, 5], "position": [0, 5, 0.28], "velocity": [8, 0.5, 0]},
               {"name": "hub", "mass": 200, "inertia": [5, 5, 5], "position": [0, 5, 0.28], "velocity": [8, 0.5, 0]},
               {"name": "wheel", "mass": 20, "inertia": [0.5, 1, 0.5], "position": [0, 5, 0.28], "velocity": [8, 0.5, 0], "angular_velocity": [0, 20, 0]}],
    "joints": [{"name": "guide", "type": "prismatic", "body_a": "ground", "body_b": "slide", "at": [0, 0, 1], "axis": [0, 0, 1]},
               {"name": "shaft", "type": "revolute", "body_a": "ground", "body_b": "rotor", "at": [1, 0, 0], "axis": [1, 0, 0]},
               {"name": "road", "type": "prismatic", "body_a": "ground", "body_b": "cart", "at": [0, 5, 0.28], "axis": [8, 0.5, 0]},
               {"name": "strut", "type": "prismatic", "body_a": "cart", "body_b": "hub", "at": [0, 5, 0.28], "axis": [0, 0, 1]},
               {"name": "axle", "type": "revolute", "body_a": "hub", "body_b": "wheel", "at": [0, 5, 0.28], "axis": [0, 1, 0]}],
    "forces": [{"name": "ram", "type": "hydraulic_cylinder", "body_a": "ground", "body_b": "slide", "bore": 0.08, "rod": 0.05, "retracted": 0.7,
                "stroke": 0.6, "supply": 160e5, "flow": 5e-4, "overlap": -0.05, "damping": 1e4},
               {"name": "motor", "type": "electric_motor", "joint": "shaft", "resistance": 0.5, "inductance": 0.2, "constant": 0.1, "current": 4},
               {"name": "tyre", "type": "tyre", "body_a": "ground", "body_b": "wheel", "normal": [0, 0, 1], "axle": [0, 1, 0], "radius": 0.3,
                "rolling_radius": 0.29, "stiffness": 2e5, "damping": 500, "load": 2600, "slip_stiffness_along": 16, "slip_stiffness_across": 12,
                "relaxation_along": 0.15, "relaxation_across": 0.4},
               {"name": "brake", "type": "brake", "joint": "axle", "friction": 2500}],
}
# Every key of a tyre and a brake that is live, with a new value.
LIVE_WHEEL = {"tyre": {"stiffness": 2.4e5, "damping": 700.0, "load": 3000.0, "slip_stiffness_along": 20.0, "slip_stiffness_across": 9.0,
                       "relaxation_along": 0.25, "relaxation_across": 0.6, "grip_along": 0.8, "grip_across": 0.7, "slip_damping_along": 600.0,
                       "slip_damping_across": 400.0, "shape": 1.3, "curvature": 0.25},
              "brake": {"friction": 900.0, "slip": 0.01}}


class Live(unittest.TestCase):
    def setUp(self):
        self.requests = iter(range(1, 100000))

    def begin(self, *arguments, **changes):
        changes.setdefault("model", SPRUNG)
        changes.setdefault("cycle", SLOW)
        changes.setdefault("state", {"every": 0})
        changes.setdefault("inputs", [])
        d = bench.Daemon(arguments, **changes)
        self.addCleanup(d.__exit__)
        d.__enter__()
        return self.meet(d)

    def meet(self, d):
        self.osc = bench.OscClient(d.osc_port)
        self.addCleanup(self.osc.close)
        self.folder = os.path.join(d.state_dir, d.name)
        return d

    def ask(self, address, *arguments, types=None):
        """The result, and the messages before the ack."""
        types = types or "".join({str: "s", float: "d", int: "i"}[type(x)] for x in arguments)
        number = next(self.requests)
        self.osc.send(bench.osc_message(f"/ali3/{address}", types + "i", *arguments, number))
        got, end = [], time.monotonic() + bench.PATIENCE
        while time.monotonic() < end:
            self.osc.socket.settimeout(max(0.01, end - time.monotonic()))
            for at, _, values in bench.osc_decode(self.osc.socket.recv(65536)):
                if at == "/ali3/ack" and values[1] == number:
                    return values[2], got
                if not at.endswith("/ack"):
                    got.append((at[len("/ali3/"):], values))
        raise AssertionError(f"no answer to {address} {arguments}")

    def good(self, address, *arguments, **more):
        result, got = self.ask(address, *arguments, **more)
        self.assertEqual(result, 0, f"{address} {arguments}: {got}")
        return got

    def refused(self, expected, text, address, *arguments, **more):
        result, got = self.ask(address, *arguments, **more)
        self.assertEqual(result, expected, f"{address} {arguments}: {got}")
        said = got[-1][1][2] if got else ""
        self.assertIn(text, said)

    def value(self, name):
        return tuple(self.good("param/get", name)[0][1][4:])

    def step(self, cycles):
        self.good("step", cycles)

    def state(self, d):
        return d.watch()["state"]

    def saved(self, name):
        self.good("state/save", name)
        with open(os.path.join(self.folder, name + ".state"), "rb") as f:
            return f.read()

    def go(self, name="run"):
        self.assertEqual(self.osc.command(name, next(self.requests)), 0, name)

    # ---- states

    def test_a_loaded_state_goes_on_with_equal_bits(self):
        for model in (SPRUNG, *({"file": os.path.join(bench.ROOT, "config", "models", name)}
                                for name in ("double_wishbone.yaml", "four_bar.yaml", "sprung_pendulum.yaml"))):
            with self.subTest(model=model.get("file", "sprung")):
                d = self.begin(model=model)
                self.go()
                self.step(37)
                middle = self.saved("middle")
                self.step(60)
                end = self.saved("end")
                self.assertNotEqual(middle, end)
                self.refused(1, "STOPPED and PAUSED only", "state/load", "middle")
                self.go("pause")
                self.assertEqual(self.saved("paused"), end)
                self.good("state/load", "middle")
                self.assertEqual(self.state(d), "PAUSED")
                self.assertEqual(self.saved("again"), middle)
                self.go()
                self.step(60)
                self.assertEqual(self.saved("again"), end)
                # From STOPPED, too; the next run begins at the initial state again.
                self.go("stop")
                self.good("state/load", "middle")
                self.assertEqual(self.state(d), "PAUSED")
                self.go()
                self.step(60)
                self.assertEqual(self.saved("again"), end)
                self.go("stop")
                self.go()
                self.step(37)
                self.assertEqual(self.saved("again"), middle)
                self.assertEqual(d.stop()[0], 0)

    def test_names_and_files_are_checked(self):
        d = self.begin()
        self.refused(3, "A-Z", "state/save", "../up")
        self.refused(3, "No such file", "state/load", "nothing")
        self.saved("short")
        path = os.path.join(self.folder, "short.state")
        with open(path, "r+b") as f:
            f.truncate(os.path.getsize(path) - 1)
        self.refused(3, "another size", "state/load", "short")
        self.saved("one")
        names = {values[0] for at, values in self.good("state/list") if at == "state/entry"}
        self.assertEqual(names, {"short", "one"})
        self.assertEqual(self.state(d), "STOPPED")

    def test_without_the_section_states_are_off(self):
        self.begin(state={"enabled": False})
        self.refused(2, "section state", "state/save", "a")
        self.assertEqual(self.value("body.car.mass"), (400.0,))

    def test_the_end_is_saved_and_resumed_and_nothing_moves_by_itself(self):
        d = self.begin(cycle={**SLOW, "autostart": True}, state={"every": 0, "keep": 2, "resume": "if_clean"})
        self.step(20)
        first = self.saved("first")
        self.assertEqual(d.stop()[0], 0)
        with open(os.path.join(self.folder, "auto.state"), "rb") as f:
            self.assertEqual(f.read(), first)
        d.start_again()
        self.meet(d)
        self.assertEqual(self.state(d), "STOPPED")
        self.assertEqual(self.saved("second"), first)
        self.go()
        self.step(10)
        goes_on = self.saved("goes_on")
        # A run without the end gives equal bits.
        self.go("pause")
        self.good("state/load", "first")
        self.go()
        self.step(10)
        self.assertEqual(self.saved("goes_on"), goes_on)
        # Two automatic states are kept; after a kill nobody resumes.
        self.assertEqual(d.stop()[0], 0)
        d.start_again()
        self.meet(d)
        d.process.kill()
        d.process.wait()
        self.assertEqual(sorted(f for f in os.listdir(self.folder) if f.startswith("auto")), ["auto.state", "auto_1.state"])
        d.start_again()
        self.meet(d)
        self.assertEqual(self.state(d), "STOPPED")
        self.assertNotIn("continues from a state", d.said())
        self.assertEqual(self.osc.command("run", next(self.requests)), 1)  # an arm is needed
        # By order it resumes, but motion still needs an arm.
        d.process.kill()
        d.process.wait()
        d.arguments.append(f"--resume={os.path.join(self.folder, 'first.state')}")
        d.start_again()
        self.meet(d)
        self.assertEqual(self.state(d), "STOPPED")
        self.assertEqual(self.saved("third"), first)
        self.assertEqual(self.osc.command("run", next(self.requests)), 1)
        bench.wait_to_rearm()
        self.go("arm")
        self.go()
        self.step(10)
        self.assertEqual(self.saved("goes_on"), goes_on)

    def test_a_latched_stop_comes_before_a_state(self):
        """--resume after an e-stop and a kill: the log says what to do, and it helps."""
        d = self.begin(cycle={**SLOW, "autostart": True}, state={"every": 0})
        self.step(5)
        self.good("state/save", "first")
        saved = self.saved("again")
        self.osc.send(bench.osc_message("/ali3/cmd/estop", "i", 1))
        bench.wait_for("SAFE", lambda: self.state(d) == "SAFE")
        d.stop()
        d.arguments.append(f"--resume={os.path.join(self.folder, 'first.state')}")
        d.start_again()
        self.meet(d)
        self.assertIn("left a stop latched (e-stop requested): send reset, then load", d.said())
        self.assertNotIn("continues from a state", d.said())
        self.assertEqual(self.state(d), "SAFE")
        self.good("cmd/reset")
        self.good("state/load", "first")
        self.assertEqual(self.saved("once_more"), saved)

    def test_automatic_states_come_every_so_often(self):
        self.begin(cycle={"autostart": True, "warmup": 5}, state={"every": 0.2})
        path = os.path.join(self.folder, "auto_2.state")
        bench.wait_for(path, lambda: os.path.exists(path))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "auto_3.state")))

    def test_a_kill_leaves_complete_states(self):
        d = self.begin(cycle={"autostart": True, "warmup": 1}, state={"every": 0.001})
        for n in range(8):
            path = os.path.join(self.folder, "auto.state")
            bench.wait_for(path, lambda: os.path.exists(path))
            bench.run_on(0.05 + 0.013 * n)
            d.process.kill()
            d.process.wait()
            states = [f for f in os.listdir(self.folder) if f.endswith(".state")]
            self.assertLessEqual(len(states), 4)  # the next one may be on its way
            for name in states:
                done = bench.subprocess.run([bench.program("ali3-sim"), d.config, "--state-in", os.path.join(self.folder, name),
                                             "--duration", "0.01", "--summary", "-"], capture_output=True, text=True, timeout=bench.PATIENCE)
                self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
            d.start_again()
        self.meet(d)

    def test_the_frame_ring_has_versions_and_events(self):
        d = self.begin(cycle={"autostart": True, "warmup": 5})
        if not os.path.exists(bench.program("ali3-record")):
            self.skipTest("ali3-record is not built")
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        file = os.path.join(d.dir, "run.h5")
        with bench.subprocess.Popen([bench.program("ali3-record"), "--once", file, d.name], stdin=bench.subprocess.DEVNULL,
                                    stdout=bench.subprocess.DEVNULL, stderr=bench.subprocess.DEVNULL) as recorder:
            bench.wait_for("rows of the recording", lambda: d.watch()["recorder_flush_s"] > 0)
            self.good("param/set", "body.car.mass", 380.0)
            self.good("param/set", "model.gravity", 0.0, 0.0, -9.5)
            bench.run_on(0.5)
            recorder.send_signal(signal.SIGTERM)
            recorder.wait(20)
        with h5py.File(file) as f:
            events = [e for e in f["events"] if e["kind"] == 4]
            found = [(int(e["code"]), bytes(e["text"]).rstrip(b"\0").decode(), float(e["a"])) for e in events]
            self.assertEqual(found, [(1, "body.car.mass", 380.0), (2, "model.gravity.x", 0.0), (2, "model.gravity.y", 0.0),
                                     (2, "model.gravity.z", -9.5)])
            tuned = [int(c) for c, action in zip(f["frames/cycle"], f["frames/action"]) if action & 4]
            self.assertEqual(tuned, sorted({int(e["cycle"]) for e in events}))

    def test_modbus_saves_and_loads_slots(self):
        bench.COMMANDS.update(save=14, load=15)
        d = self.begin(cycle={"autostart": True, "warmup": 5})
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)
        self.assertEqual(modbus.command("load", 1, 4), 3)  # there is none
        self.assertEqual(modbus.command("save", 2, 4), 0)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "slot4.state")))
        self.assertEqual(modbus.command("load", 3, 4), 1)
        self.assertEqual(modbus.command("pause", 4), 0)
        self.assertEqual(modbus.command("load", 5, 4), 0)
        self.assertEqual(self.saved("again"), open(os.path.join(self.folder, "slot4.state"), "rb").read())
        self.assertRaises(bench.ModbusError, modbus.command, "save", 6, 10)

    def test_modbus_writes_parameters(self):
        d = self.begin(cycle={"autostart": True, "warmup": 5}, modbus={"parameters": [
            {"name": "body.car.mass", "address": 400}, {"name": "force.strut.damping", "address": 402, "type": "u16", "scale": 10}]})
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)

        def registers():
            body = modbus.request(3, bench.struct.pack(">HH", 400, 3))[-6:]
            return bench.struct.unpack(">fH", body)

        self.assertEqual(registers(), (400.0, 150))
        # One write is one set.
        modbus.write(400, [*bench.struct.unpack(">HH", bench.struct.pack(">f", 380.0)), 90])
        bench.wait_for("the set", lambda: (self.value("body.car.mass"), self.value("force.strut.damping")) == ((380.0,), (900.0,)))
        bench.wait_for("its registers", lambda: registers() == (380.0, 90))
        bench.wait_for("its lines in the log", lambda: d.said().count("(version 1)") == 2)
        # A refusal changes nothing, and the registers show it.
        modbus.write(400, [*bench.struct.unpack(">HH", bench.struct.pack(">f", -1.0)), 80])
        bench.wait_for("the old values", lambda: registers() == (380.0, 90))
        self.assertEqual(self.value("force.strut.damping"), (900.0,))
        # The registers show changes of other clients, too.
        self.good("param/set", "body.car.mass", 410.0)
        bench.wait_for("the new mass", lambda: registers() == (410.0, 90))
        modbus.write(402, [100])
        bench.wait_for("the damping", lambda: self.value("force.strut.damping") == (1000.0,))
        # Many changes, while no client asks.
        modbus.close()
        for i in range(90):
            self.good("param/set", "model.gravity", 0.0, 0.0, -9.0 - 0.01 * i)
        self.good("param/set", "body.car.mass", 420.0)
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)
        self.assertEqual(registers(), (420.0, 100))
        # A write acts as one, or not at all.
        for _ in range(8):
            self.meet(d)
            self.good("param/begin")
        modbus.write(400, [*bench.struct.unpack(">HH", bench.struct.pack(">f", 390.0)), 80])
        bench.wait_for("the old values", lambda: registers() == (420.0, 100))
        bench.wait_for("the reason", lambda: "eight clients have begun a set" in d.said())
        self.assertEqual((self.value("body.car.mass"), self.value("force.strut.damping")), ((420.0,), (1000.0,)))

    # ---- parameters

    CHANGES = (("force.strut.stiffness", 3e4), ("force.strut.damping", 900.0), ("body.car.mass", 350.0),
               ("model.gravity", 0.0, 0.1, -9.5), ("force.wind.force", 5.0, 0.0, 20.0), ("force.tyre.friction", 0.5),
               ("solver.iterations", 5))

    def test_a_set_gives_the_bits_of_a_daemon_with_the_changed_file(self):
        d = self.begin()
        self.go()
        self.step(25)
        before = self.saved("before")
        self.good("param/begin")
        for change in self.CHANGES:
            self.good("param/set", *change)
        self.assertEqual(self.value("body.car.mass"), (400.0,))
        self.good("param/commit")
        for name, *value in self.CHANGES:
            self.assertEqual(self.value(name), tuple(map(float, value)))
        start = self.saved("start")
        self.assertNotEqual(before[24:56], start[24:56])  # another model
        self.step(100)
        end = self.saved("end")
        path = os.path.join(self.folder, "start.state")
        changed = json.loads(json.dumps(SPRUNG))
        changed["forces"][1].update(stiffness=3e4, damping=900)
        changed["forces"][2]["force"] = [5, 0, 20]
        changed["forces"][0]["friction"] = 0.5
        changed["bodies"][1]["mass"] = 350
        changed["gravity"] = [0, 0.1, -9.5]
        other = self.begin(f"--resume={path}", model=changed, solver={"iterations": 5})
        self.go()
        self.step(100)
        self.assertEqual(self.saved("end"), end)
        # A reset goes to the initial state of the changed model.
        self.go("stop")
        initial = self.saved("initial")
        self.assertEqual(other.stop()[0], 0)
        self.meet(d)
        self.go("stop")
        self.assertEqual(self.saved("initial"), initial)

    def test_actuators_keep_their_states(self):
        """Oil, currents and treads go through a set, and on with the bits of a daemon with the changed file."""
        changes = (("force.ram.supply", 120e5), ("force.ram.overlap", -0.1), ("force.ram.leakage", 1e-12), ("force.motor.resistance", 0.8),
                   ("force.motor.max_current", 5.0), *((f"force.{force}.{key}", value) for force, keys in LIVE_WHEEL.items() for key, value in keys.items()))
        d = self.begin(model=ACTUATED)
        for force, keys in LIVE_WHEEL.items():
            listed = [values[0] for at, values in self.good("param/list", f"force.{force}.") if at == "param/value"]
            self.assertEqual(sorted(listed), sorted(f"force.{force}.{key}" for key in keys))
        self.go()
        self.step(25)
        before = self.saved("before")
        self.good("param/begin")
        for change in changes:
            self.good("param/set", *change)
        self.good("param/commit")
        self.assertNotEqual(before[24:56], self.saved("start")[24:56])  # another model
        self.step(60)
        end = self.saved("end")
        path = os.path.join(self.folder, "start.state")
        changed = json.loads(json.dumps(ACTUATED))
        for name, value in changes:
            _, force, key = name.split(".")
            next(f for f in changed["forces"] if f["name"] == force)[key] = value
        other = self.begin(f"--resume={path}", model=changed)
        self.go()
        self.step(60)
        self.assertEqual(self.saved("end"), end)
        self.assertEqual(other.stop()[0], 0)

    def test_refusals_change_nothing(self):
        self.begin()
        state = self.saved("a")
        self.refused(3, "no parameter of this name", "param/set", "force.strut.colour", 3.0)
        self.refused(3, "expected a number > 0", "param/set", "force.tyre.stiffness", -1.0)
        self.refused(3, "expected three numbers", "param/set", "model.gravity", 1.0)
        self.refused(3, "inertia", "param/set", "body.car.inertia", 1.0, 1.0, 10.0)
        self.refused(3, "adds or removes rows", "param/set", "force.tyre.friction", 0.0)
        self.refused(1, "no set was begun", "param/commit")
        self.good("param/begin")
        self.good("param/set", "body.car.mass", 300.0)
        self.refused(3, "expected", "param/set", "body.wheel.mass", -1.0)
        self.good("param/set", "body.wheel.inertia", 1.0, 1.0, 10.0)
        self.refused(3, "inertia", "param/commit")  # none of both
        self.good("param/begin")
        self.good("param/set", "body.car.mass", 300.0)
        self.good("param/abort")
        self.refused(1, "no set was begun", "param/commit")
        self.assertEqual(self.saved("a"), state)

    def test_a_name_means_the_whole_or_a_part(self):
        """One rule: NAME has all numbers, NAME.x, .y, .z one of a vector, NAME.xx to .yz one of an inertia; also in a set, a ramp and a file."""
        self.begin(inputs=test_platform.INPUTS, platform=test_platform.PLATFORM, cycle={"autostart": False, "warmup": 5})
        self.good("param/set", "model.gravity.z", -9.0)
        self.assertEqual(self.value("model.gravity"), (0.0, 0.0, -9.0))
        self.assertEqual(self.value("model.gravity.z"), (-9.0,))
        # Parts of one set join, and a whole before them is their base.
        self.good("param/begin")
        self.good("param/set", "model.gravity.x", 0.25)
        self.good("param/set", "model.gravity.y", 0.5)
        self.good("param/set", "force.wind.force", 1.0, 2.0, 3.0)
        self.good("param/set", "force.wind.force.y", 20.0)
        self.good("param/set", "body.car.inertia.xy", 1.0)
        self.good("param/commit")
        self.assertEqual(self.value("model.gravity"), (0.25, 0.5, -9.0))
        self.assertEqual(self.value("force.wind.force"), (1.0, 20.0, 3.0))
        self.assertEqual(self.value("body.car.inertia"), (10.0, 1.0, 0.0, 1.0, 10.0, 0.0, 0.0, 0.0, 10.0))
        self.assertEqual(self.value("body.car.inertia.xy"), (1.0,))
        self.good("param/set", "force.wind.force.z", 7.0, 0.05, types="sdd")
        bench.wait_for("the end of the ramp", lambda: self.value("force.wind.force") == (1.0, 20.0, 7.0))
        # The platform has the same rule.
        self.good("param/set", "platform.gain_lin", 0.25, 0.375, 0.5)
        self.assertEqual([self.value("platform.gain_lin" + part) for part in ("", ".x", ".y", ".z")], [(0.25, 0.375, 0.5), (0.25,), (0.375,), (0.5,)])
        self.good("param/set", "platform.gain_lin.y", 0.75)
        self.assertEqual(self.value("platform.gain_lin"), (0.25, 0.75, 0.5))
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, "parts.yaml"), "w", encoding="utf-8") as f:
            f.write("model.gravity.y: 0\nforce.wind.force.z: 7\nplatform.gain_lin: [0.5, 0.75, 0.5]\nplatform.gain_lin.z: 0.25\n")
        self.good("param/load", "parts")
        self.assertEqual((self.value("model.gravity"), self.value("platform.gain_lin")), ((0.25, 0.0, -9.0), (0.5, 0.75, 0.25)))
        # A wrong form is answered with the right one.
        for what, name, numbers in (("model.gravity has the parts .x, .y and .z", "model.gravity.w", (1.0,)),
                                    ("model.gravity has the parts .x, .y and .z", "model.gravity[2]", (1.0,)),
                                    ("model.gravity has the parts .x, .y and .z", "model.gravity.2", (1.0,)),
                                    ("body.car.inertia has the parts .xx, .yy, .zz, .xy, .xz and .yz", "body.car.inertia.x", (1.0,)),
                                    ("body.car.mass has one number, and no parts", "body.car.mass.x", (1.0,)),
                                    ("; for one of them set model.gravity.x", "model.gravity", (1.0,)),
                                    ("model.gravity.z: expected a number", "model.gravity.z", (1.0, 2.0, 3.0)),
                                    ("platform.gain_lin: expected three numbers, found 1", "platform.gain_lin", (0.5,)),
                                    ("platform.gain_lin.z: out of range: expected 0 to 1.5", "platform.gain_lin", (0.5, 0.5, 2.0))):
            with self.subTest(name=name, numbers=numbers):
                self.refused(3, what, "param/set", name, *numbers, types="s" + "d" * len(numbers))
                if "parts" in what:
                    self.refused(3, what, "param/get", name)

    def test_lists_and_files_have_all_parameters(self):
        self.begin()
        names = [values[0] for at, values in self.good("param/list") if at == "param/value"]
        self.assertIn("force.strut.damping", names)
        self.assertIn("body.car.inertia", names)
        self.assertEqual(len(names), len(set(names)))
        some = [values for at, values in self.good("param/list", "force.strut") if at == "param/value"]
        self.assertEqual([(v[0], v[1], v[2]) for v in some[:2]],
                         [("force.strut.stiffness", "N m/rad or N/m", 0.0), ("force.strut.damping", "N m s/rad or N s/m", 0.0)])
        self.good("param/set", "force.strut.damping", 1234.5)
        self.good("param/save", "tuned")
        with open(os.path.join(self.folder, "tuned.yaml"), encoding="utf-8") as f:
            text = f.read()
        self.assertIn("\nforce.strut.damping: 1234.5\n", text)
        self.assertIn("\nmodel.gravity: [0, 0, -9.8100000000000005]\n", text)
        self.assertEqual(sum(line[0] != "#" for line in text.splitlines()), len(names))
        # The file acts again, as one set; a file with a mistake changes nothing.
        self.good("param/set", "force.strut.damping", 99.0)
        self.good("param/set", "body.car.mass", 350.0)
        self.good("param/load", "tuned")
        self.assertEqual((self.value("force.strut.damping"), self.value("body.car.mass")), ((1234.5,), (400.0,)))
        for line, wanted in (("body.none.mass: 3", "line 2: body.none.mass: no parameter"), ("body.car.mass: heavy", "line 2: expected NAME: NUMBER"),
                             ("body.car.mass: -1", "line 2: ")):
            with open(os.path.join(self.folder, "wrong.yaml"), "w", encoding="utf-8") as f:
                f.write(f"force.strut.damping: 50\n{line}\n")
            self.refused(3, wanted, "param/load", "wrong")
        self.refused(3, "No such file", "param/load", "missing")
        self.refused(3, "A-Z", "param/load", "../tuned")
        self.assertEqual(self.value("force.strut.damping"), (1234.5,))

    def test_a_file_has_parameters_of_the_platform(self):
        """They act again beside those of the model; values that the platform has already, and mistakes, change nothing."""
        self.begin(inputs=test_platform.INPUTS, platform=test_platform.PLATFORM, cycle={"autostart": False, "warmup": 5})
        names = ("platform.blend", "platform.vel_max.x", "body.car.mass")
        first = [self.value(name) for name in names]
        self.good("param/set", "platform.vel_max.x", 0.25)
        self.good("param/save", "tuned")
        with open(os.path.join(self.folder, "tuned.yaml"), encoding="utf-8") as f:
            self.assertIn("\nplatform.vel_max.x: 0.25\n", f.read())
        for name, value in zip(names, (0.4, 0.3, 350.0)):
            self.good("param/set", name, value)
        self.good("param/load", "tuned")
        wanted = [first[0], (0.25,), first[2]]
        self.assertEqual([self.value(name) for name in names], wanted)
        for line, said in (("platform.none: 3", "line 2: platform.none: no parameter"), ("platform.blend: soon", "line 2: expected NAME: NUMBER"),
                           ("platform.vel_max.x: -1", "line 2: platform.vel_max.x: out of range"), ("platform.hp_wn.x: 3", "platform.lp_wn: expected")):
            with open(os.path.join(self.folder, "wrong.yaml"), "w", encoding="utf-8") as f:
                f.write(f"platform.blend: 0.3\n{line}\n")
            self.refused(3, said, "param/load", "wrong")
            self.assertEqual([self.value(name) for name in names], wanted, line)
        # The loop knows the ceiling of a limit: what it refuses keeps the whole set from acting, the model's part, too.
        with open(os.path.join(self.folder, "above.yaml"), "w", encoding="utf-8") as f:
            f.write("body.car.mass: 444\nplatform.hp_wn.x: 4\nplatform.lp_wn: 9\nplatform.vel_max.x: 2.9\nplatform.blend: 0.3\n")
        self.refused(3, "platform.vel_max.x: 2.9 is above", "param/load", "above")
        self.assertEqual([self.value(name) for name in names], wanted)
        self.assertNotEqual(self.value("platform.lp_wn"), (9.0,))
        # Values that fit together only, in the wrong order.
        with open(os.path.join(self.folder, "both.yaml"), "w", encoding="utf-8") as f:
            f.write("platform.hp_wn.x: 4\nplatform.hp_wn.y: 3.5\nplatform.lp_wn: 9\n")
        self.good("param/load", "both")
        self.assertEqual((self.value("platform.hp_wn.x"), self.value("platform.lp_wn")), ((4.0,), (9.0,)))

    def test_a_parameter_moves_over_a_time(self):
        self.begin(cycle={"autostart": True, "warmup": 5})
        self.good("param/set", "force.strut.damping", 500.0, 3.0, types="sdd")
        self.refused(5, "moves", "param/set", "force.strut.damping", 700.0)
        seen = []
        bench.wait_for("the end of the ramp", lambda: seen.append(self.value("force.strut.damping")[0]) or seen[-1] == 500.0)
        self.assertEqual(seen, sorted(seen, reverse=True))
        self.assertGreater(len(set(seen)), 4)
        self.good("param/set", "force.strut.damping", 700.0)

    def test_sets_and_movements_have_bounds(self):
        """A set without a commit is dropped after 10 s; eight parameters move at a time."""
        d = self.begin(cycle={"autostart": True, "warmup": 5})
        self.good("param/begin")
        self.good("param/set", "body.car.mass", 300.0)
        bench.wait_for("the end of the set", lambda: "dropped: no commit for 10 s" in d.said())
        self.refused(1, "no set was begun", "param/commit")
        numbers = [(v[0], 1.01 * v[4]) for at, v in self.good("param/list") if at == "param/value" and len(v) == 5 and v[4] > 0]
        for name, value in [pair for pair in numbers if pair[0] != "solver.iterations"][:8]:
            self.good("param/set", name, value, 30.0, types="sdd")
        self.refused(5, "eight parameters move", "param/set", "model.gravity", 0.0, 0.0, -9.0, 30.0, types="sdddd")

    def reload(self, d, config):
        """Writes the file, reloads it, and returns what the log says then."""
        before = len(d.said())
        d.file("bench.json", json.dumps(config))
        d.process.send_signal(signal.SIGHUP)
        bench.wait_for("the reload", lambda: re.search(r"bench\.json: |parameter ", d.said()[before:]))
        return lambda: d.said()[before:]

    def test_a_reload_changes_parameters_without_a_restart(self):
        d = self.begin(cycle={"autostart": True, "warmup": 5})
        with open(d.config, encoding="utf-8") as f:
            config = json.load(f)
        config["model"]["bodies"][1]["mass"] = 500
        config["solver"] = {"iterations": 4}
        said = self.reload(d, config)
        bench.wait_for("the new mass", lambda: self.value("body.car.mass") == (500.0,))
        self.assertEqual(self.value("solver.iterations"), (4.0,))
        self.assertNotIn("needs a restart", d.said())
        self.assertIn("bench.json: changed: model.bodies.car.mass, solver.iterations\n", said())
        self.assertNotIn("nothing changed", said())
        config["model"]["bodies"][1]["position"] = [0, 0, 1.1]
        said = self.reload(d, config)
        bench.wait_for("the refusal", lambda: "needs a restart: model.bodies.car.position\n" in said())
        self.assertNotIn("nothing changed", said())

    def test_live_keys_act_beside_keys_that_need_a_restart(self):
        d = self.begin(cycle={"autostart": True, "warmup": 5})
        with open(d.config, encoding="utf-8") as f:
            config = json.load(f)
        model = config["model"]
        model["bodies"][1]["mass"] = 470
        model["sensors"] = [{"name": "late", "type": "point", "body": "car"}]
        said = self.reload(d, config)
        bench.wait_for("the new mass", lambda: self.value("body.car.mass") == (470.0,))
        self.assertIn("changed: model.bodies.car.mass\n", said())
        self.assertIn("needs a restart: model.sensors.late\n", said())
        # A parameter that a client has set goes back to the file, and the log does not say that nothing changed.
        self.good("param/set", "body.car.mass", 480.0)
        said = self.reload(d, config)
        bench.wait_for("the mass of the file", lambda: self.value("body.car.mass") == (470.0,))
        self.assertNotIn("nothing changed", said())
        # One parameter that would add rows does not hold back the others.
        model["forces"][0]["friction"] = 0
        model["forces"][1]["damping"] = 1600
        said = self.reload(d, config)
        bench.wait_for("the new damping", lambda: self.value("force.strut.damping") == (1600.0,))
        bench.wait_for("the refusal", lambda: "bench.json: not applied: force.tyre.friction: it adds or removes rows of the mechanism, "
                       "which needs a restart\n" in said())
        self.assertEqual(self.value("force.tyre.friction"), (0.8,))


if __name__ == "__main__":
    bench.main()
