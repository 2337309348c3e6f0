#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manners towards control surfaces and PLCs: buttons of the shipped layout for Open Stage Control, messages
that nobody takes, conditions of inputs, a PLC that writes in every state, and the map as lists."""
import contextlib
import csv
import itertools
import json
import os
import re
import socket
import struct
import subprocess
import time
import unittest
from xml.etree import ElementTree

import bench

GUIDES = os.path.join(bench.ROOT, "config", "guides")
LAYOUT = os.path.join(bench.ROOT, "config", "surface", "open-stage-control.json")


class Surface:
    """The buttons of a layout. A press and a release send the messages that Open Stage Control sends."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.session = json.load(f)
        self.widgets = {w["id"]: w for w in self.session["content"]["widgets"]}

    def message(self, widget, value):
        """The pre-arguments and the value, with the types of typeTags; numbers are floats without it. null: no argument."""
        before = widget["preArgs"] if isinstance(widget["preArgs"], list) else [a for a in [widget["preArgs"]] if a != ""]
        values = before + ([] if value is None else [value])
        tags = [widget["typeTags"][min(i, len(widget["typeTags"]) - 1)] if widget["typeTags"] else "f" for i in range(len(values))]
        return bench.osc_message(widget["address"], "".join(tags), *values)

    def press(self, name):
        widget = self.widgets[name]
        return self.message(widget, None if widget["mode"] == "momentary" else widget["on"])

    def release(self, name):
        widget = self.widgets[name]
        return None if widget["mode"] in ("tap", "momentary") else self.message(widget, widget["off"])


class Conditions(unittest.TestCase):
    """State, limits and owner of an input over OSC, over Modbus, in the log and in ali3-top; and its watchdog."""

    def setUp(self):
        push = {"name": "push", "body": bench.four_bar()["model"]["bodies"][0]["name"], "policy": "hold", "hold": 0.3, "limit_force": 5,
                "watchdog": 3.0, "on_timeout": "ramp", "ramp": 0.1, "recover": 2}
        self.daemon = bench.Daemon(inputs=[push])
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__)
        self.osc = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(self.osc.close)
        self.modbus = bench.ModbusClient(self.daemon.modbus_port)
        self.addCleanup(self.modbus.close)

    def asked(self):
        """(state, limits, owner), written and acting force along x."""
        self.osc.send(bench.osc_message("/ali3/inputs", "s", "push"))
        name, state, limits, _, owner, written, acting = self.osc.answer("/ali3/inputs/state")[:7]
        self.assertEqual(name, "push")
        return (state, limits, owner), written, acting

    def becomes(self, condition, send=None):
        def same():
            if send:
                send()
            return self.asked()[0] == condition
        bench.wait_for(lambda: f"{condition}, it is {self.asked()}", same)

    def registers(self):
        """(state, limits, owner code, owner name) and the acting force along x."""
        words = self.modbus.inputs(7000, 20)
        name = b"".join(w.to_bytes(2, "big") for w in words[4:]).rstrip(b"\0").decode()
        return (words[0], words[1], words[3], name), self.modbus.floats(3000, 1)[0]

    def test_a_client_is_silent_and_comes_back(self):
        self.becomes(("never", "", ""))
        me = "osc 127.0.0.1:%d" % self.osc.socket.getsockname()[1]
        self.osc.send(bench.osc_message("/ali3/sub", "siii", "status", 0, 1, 0))
        force, told, beat = bench.osc_message("/ali3/input/push/force", "fff", 9, 1, 0), [], itertools.count(1)

        def fresh():
            self.osc.send(force)
            with contextlib.suppress(AssertionError):
                told.append(self.osc.answer("/ali3/inputs/state", 0.05))  # without a question
            return any((t[0], t[1], t[4]) == ("push", "fresh", me) for t in told) and \
                f"input push: fresh, clamped to its range, owner {me}" in self.daemon.said()

        bench.wait_for(lambda: f"fresh for {me}: {told}, {self.daemon.said()}", fresh)
        silent = (("stale", "clamped", me), 9.0, 5.0), ((2, 1, 1, me), 5.0)

        def shown():
            self.osc.send(bench.osc_message("/ali3/heartbeat", "i", next(beat)))
            seen = self.asked(), self.registers()
            if seen[0][0][2] == "":  # it had its owner for a second, and this test was held up: a new silence
                self.osc.send(force)
            return seen == silent

        bench.wait_for(lambda: f"{silent}, it is {self.asked(), self.registers()}", shown)

        def said():
            self.osc.send(bench.osc_message("/ali3/heartbeat", "i", next(beat)))
            return re.search(r"input push: stale, age \S+ s \(hold 0\.3 s\), clamped to its range, owner nobody", self.daemon.said())
        bench.wait_for("the line of the stale input", said)
        # Heartbeats keep the watchdog quiet for longer than its time, and then it expires.
        end = time.monotonic() + 4
        while time.monotonic() < end:
            self.osc.send(bench.osc_message("/ali3/heartbeat", "i", next(beat)))
            self.assertEqual(self.asked()[0][0], "stale")
        bench.wait_for("the timeout", lambda: self.asked()[0][0] == "timeout")
        bench.wait_for("the safe value", lambda: self.asked()[2] == 0.0)
        self.assertEqual(self.daemon.watch()["inputs"][0]["state"], "timeout")
        self.becomes(("fresh", "clamped", me), lambda: self.osc.send(bench.osc_message("/ali3/input/push/force", "fff", 9, 1, 0)))
        bench.wait_for("the line of the timeout", lambda: "input push: timeout" in self.daemon.said())


class Watchdog(unittest.TestCase):
    """A watchdog with on_timeout: safe, from a client that writes on changes to one that has died."""

    def test_a_dead_client_stops_the_motion(self):
        push = {"name": "push", "body": bench.four_bar()["model"]["bodies"][0]["name"], "policy": "hold", "hold": 0.3, "limit_force": 50,
                "watchdog": 3.0, "on_timeout": "safe", "recover": 1, "blend": 0}
        with bench.Daemon(inputs=[push]) as daemon:
            plc, reader = bench.ModbusClient(daemon.modbus_port), bench.ModbusClient(daemon.modbus_port)
            self.addCleanup(reader.close)
            # One write of the value; then heartbeats alone keep the motion on for longer than the watchdog.
            plc.write(100, struct.unpack(">2H", struct.pack(">f", 3.0)))
            plc.write(164, [1])
            bench.wait_for("the force", lambda: reader.floats(3000, 1)[0] == 3.0)
            end = time.monotonic() + 4
            for beat in itertools.count(1):
                plc.write(3, [beat % 65536])
                self.assertEqual((reader.state(), reader.floats(3000, 1)[0]), ("RUNNING", 3.0), daemon.said())
                if time.monotonic() > end:
                    break
            # The client dies: its input goes to 0 at once, and the daemon to SAFE, which names the input.
            plc.close()
            bench.wait_for("SAFE", lambda: daemon.watch()["state"] == "SAFE")
            self.assertEqual(reader.floats(3000, 1)[0], 0.0)
            self.assertEqual(reader.inputs(7000, 1), [4])
            bench.wait_for("the log", lambda: "RUNNING -> SAFE: an input has not come for too long: push" in daemon.said())
            # A new client and a reset start nothing; motion needs an arm and a run.
            osc = bench.OscClient(daemon.osc_port)
            self.addCleanup(osc.close)
            self.assertEqual(osc.command("reset", 1), 0)
            self.assertEqual(osc.command("run", 2), 1)
            bench.wait_to_rearm()
            osc.send(bench.osc_message("/ali3/input/push/force", "fff", 2, 0, 0))
            self.assertEqual([osc.command("arm", 3), osc.command("run", 4)], [0, 0], daemon.said())
            self.assertEqual(daemon.stop()[0], 0, daemon.said())


class Plc(unittest.TestCase):
    """The example config/guides/plc_cyclic.py, which writes all its outputs in every state."""

    def run_it(self, safe_writes, cycles):
        """(exit status, output, number of ignored writes)"""
        daemon = bench.Daemon()
        daemon.config = os.path.join(GUIDES, "plc-cylinder.yaml")
        for key, value in (("modbus.port", daemon.modbus_port), ("telemetry.name", daemon.name), ("modbus.safe_writes", safe_writes)):
            daemon.arguments += ["--set", f"{key}={value}"]
        with daemon:
            done = subprocess.run(["/usr/bin/python3", os.path.join(GUIDES, "plc_cyclic.py"), "--port", str(daemon.modbus_port), "--cycles",
                                   str(cycles)], capture_output=True, text=True, timeout=bench.PATIENCE)
            if "No module named 'pymodbus'" in done.stderr:
                self.skipTest("pymodbus is not installed")
            return done.returncode, done.stdout + done.stderr, daemon.counter("modbus_ignored")

    def test_no_exception_with_ignore(self):
        status, output, ignored = self.run_it("ignore", 2000)
        self.assertEqual(status, 0, output)
        self.assertEqual([line.split()[2] for line in output.splitlines()[:-1]],
                         ["READY", "RUNNING", "PAUSED", "RUNNING", "SAFE", "STOPPED", "READY", "RUNNING"])
        self.assertIn(" 0 exceptions", output)
        self.assertGreater(ignored, 0)

    def test_exceptions_with_refuse(self):
        status, output, ignored = self.run_it("refuse", 400)
        self.assertEqual((status, ignored), (1, 0), output)
        self.assertNotIn(" 0 exceptions", output)


class Lists(unittest.TestCase):
    """The map as CSV and as variables of a PLC has the registers of the map as JSON."""

    def printed(self, form):
        return subprocess.run([bench.program("ali3d"), os.path.join(bench.ROOT, "config", "four-bar.yaml"), f"--print-map={form}"], check=True,
                              capture_output=True, text=True).stdout

    def test_lists(self):
        rows = json.loads(self.printed("json"))["modbus"]
        table = [r for r in csv.DictReader(self.printed("csv").splitlines()) if r["kind"] == "modbus"]
        self.assertEqual([(r["name"], r["table"], int(r["address"]), r["type"], float(r["scale"])) for r in table],
                         [(r["signal"], r["table"], r["address"], r["type"], r["scale"]) for r in rows])
        force = next(r for r in table if r["name"] == "input.push.force.x" and r["table"] == "holding")
        self.assertEqual((force["order"], force["one"], float(force["upper"])), ("abcd", "3F80 0000", -float(force["lower"])))
        # Each variable has a name of its own that a PLC takes.
        text = re.findall(r"^    (\w+) : ([^;]+); \(\* (\w+) (\d+)", self.printed("st"), re.M)
        idle = ("unused", "reserved", "no platform")
        self.assertEqual([(t, int(a)) for _, _, t, a in text], [(r["table"], r["address"]) for r in rows if r["signal"] not in idle])
        names = [name for name, *_ in text]
        self.assertEqual(len({name.lower() for name in names}), len(names))
        for name in names:
            self.assertRegex(name, r"^[A-Za-z](_?[A-Za-z0-9])*$")
        space = "{http://www.plcopen.org/xml/tc6_0201}"
        variables = ElementTree.fromstring(self.printed("plcopen")).findall(f".//{space}globalVars/{space}variable")

        def kind(variable):
            """The type as Structured Text writes it."""
            found = variable.find(f"{space}type")[0]
            if not found.tag.endswith("array"):
                return found.tag.removeprefix(space)
            size = found.find(f"{space}dimension")
            return f"ARRAY [{size.get('lower')}..{size.get('upper')}] OF " + found.find(f"{space}baseType")[0].tag.removeprefix(space)

        self.assertEqual([(v.get("name"), kind(v)) for v in variables], [(name, what) for name, what, *_ in text])


    def test_no_registers(self):
        """A file without Modbus is refused, and every other form is printed."""
        path = os.path.join(bench.ROOT, "config", "guides", "rig.yaml")
        for form, status in (("st", 2), ("plcopen", 2), ("csv", 0)):
            done = subprocess.run([bench.program("ali3d"), path, f"--print-map={form}"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, bool(done.stdout)), (status, status == 0), done.stderr)
            if status:
                self.assertIn(f"--print-map={form}: {path} has no Modbus registers", done.stderr)


class Refusals(unittest.TestCase):
    def test_each_has_a_line_with_its_sender(self):
        with bench.Daemon() as d:
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            sender = "127.0.0.1:%d" % osc.socket.getsockname()[1]
            for address, types, words, line in (
                    ("param/set", "sd", ("no.such.name", 1.5), f"param/set no.such.name 1.5 by {sender} refused: "),
                    ("param/set", "sd", ("body.A.mass", -1.0), f"param/set body.A.mass -1 by {sender} refused: "),
                    ("param/save", "s", ("kept",), f"param/save kept by {sender} refused: "),
                    ("state/load", "s", ("kept",), f"state/load kept by {sender} refused: "),
                    ("input/push/force", "fff", (1.0, float("nan"), 0.0), f"osc: /ali3/input/push/force from {sender} ignored: a number in it is NaN")):
                osc.send(bench.osc_message(f"/ali3/{address}", types, *words))
                bench.wait_for(line, lambda: line in d.said())
            for _ in range(20):
                osc.send(bench.osc_message("/ali3/param/get", "s", "no.such.name"))
            bench.wait_for("all are taken", lambda: d.counter("osc_received") >= 24)
            self.assertLessEqual(d.said().count(" refused: "), 5)

    def test_a_stranger_has_a_line(self):
        with bench.Daemon(osc={"peers": [{"host": "192.0.2.1", "access": "write"}]},
                          modbus={"peers": [{"host": "192.0.2.1", "access": "write"}]}) as d:
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            osc.send(bench.osc_message("/ali3/status", ""))
            line = "osc: 127.0.0.1:%d is not served: osc.peers gives this host no access" % osc.socket.getsockname()[1]
            bench.wait_for(line, lambda: line in d.said())
            with socket.create_connection(("127.0.0.1", d.modbus_port)) as s:
                line = "modbus: 127.0.0.1:%d is not served: modbus.peers gives this host no access" % s.getsockname()[1]
                bench.wait_for(line, lambda: line in d.said())


class OpenStageControl(unittest.TestCase):
    def setUp(self):
        self.daemon = bench.Daemon(cycle={"autostart": False})
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__)
        self.osc = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(self.osc.close)
        self.surface = Surface(LAYOUT)

    def state(self):
        self.osc.send(bench.osc_message("/ali3/status", ""))
        return self.osc.answer("/ali3/status")[0]

    def touch(self, name):
        """Presses and releases the button. Returns the result of its command; the release has none."""
        self.osc.send(self.surface.press(name))
        command, number, result = self.osc.answer("/ali3/ack")
        self.assertEqual((command, number), (name, 0))
        self.osc.send(self.surface.release(name))
        self.osc.send(bench.osc_message("/ali3/sync", "i", 1))
        while True:  # no ack comes before the answer to the sync
            got = [m for m in bench.osc_decode(self.osc.socket.recv(65536)) if m[0] in ("/ali3/ack", "/ali3/synced")]
            if got:
                self.assertEqual(got[0][0], "/ali3/synced", f"the release of {name} was answered")
                return result

    def state_becomes(self, state):
        bench.wait_for(f"state {state}", lambda: self.state() == state)

    def test_form_of_the_session(self):
        session = self.surface.session
        self.assertEqual((session["createdWith"], session["type"], session["content"]["type"]), ("Open Stage Control", "session", "root"))
        self.assertGreaterEqual(tuple(map(int, session["version"].split("."))), (1, 25, 0))  # no conversion of older properties
        self.assertEqual(len(self.surface.widgets), len(session["content"]["widgets"]), "two widgets have one id")
        for widget in self.surface.widgets.values():
            self.assertIn(widget["type"], ("button", "text"))
            self.assertTrue(widget["address"].startswith("/ali3/"))
            if widget["type"] == "button":
                self.assertIn(widget["mode"], ("push", "toggle", "tap", "momentary"))
                self.assertNotEqual(widget["on"], widget["off"])

    def test_buttons_drive_the_daemon(self):
        for name, state in (("arm", "READY"), ("run", "RUNNING"), ("pause", "PAUSED"), ("run", "RUNNING"), ("stop", "STOPPED"),
                            ("run", "RUNNING"), ("estop", "SAFE")):
            self.assertEqual(self.touch(name), 0, name)
            self.state_becomes(state)
        # The release of the e-stop button after a reset does not stop again.
        self.osc.send(self.surface.press("estop"))
        self.osc.answer("/ali3/ack")
        bench.run_again(self.touch)
        self.osc.send(self.surface.release("estop"))
        self.assertEqual(self.touch("pause"), 0)
        self.state_becomes("PAUSED")
        self.assertEqual(self.daemon.counter("osc_type_errors") + self.daemon.counter("osc_unknown"), 0)

    def test_strays_are_named(self):
        for k in range(20):
            self.osc.send(bench.osc_message("/ali3/cmd/runn", "f", 1.0))
            self.osc.send(bench.osc_message("/ali3/cmd/run", "s", "now"))
            self.osc.send(bench.osc_message(f"/toggle{k}", "f", 1.0))
        bench.wait_for("all are counted", lambda: self.daemon.counter("osc_unknown") == 40)
        bench.wait_for("five lines", lambda: self.daemon.said().count(" ignored") >= 5)
        said = self.daemon.said()
        self.assertEqual(said.count(" ignored"), 5, said)
        sender = "127.0.0.1:%d" % self.osc.socket.getsockname()[1]
        self.assertIn(f"osc: unknown address /ali3/cmd/runn from {sender} ignored; ali3d FILE --print-map prints all addresses", said)
        self.assertIn(f'osc: /ali3/cmd/run with the types "s" from {sender} ignored: expected nothing or T or F or I or N or d or f or i', said)
        shown = self.daemon.watch()["osc_ignored"]
        self.assertEqual(len(shown), 4)
        self.osc.send(bench.osc_message("/ali3/cmd/run", "s", "now"))
        newest = bench.wait_for("the newest message in ali3-top",
                                lambda: [m for m in self.daemon.watch()["osc_ignored"][:1] if m["address"] == "/ali3/cmd/run"])[0]
        self.assertEqual((newest["types"], newest["sender"], newest["reason"]), ("s", sender, "wrong types"))
        text = self.top()
        self.assertIn(f'OSC from {sender} ignored: /ali3/cmd/run with wrong types "s"', text)

    def test_an_estop_of_any_form_stops(self):
        self.osc.send(b"/ali3/cmd/estop")  # neither padded nor with type tags
        self.state_becomes("SAFE")
        sender = "127.0.0.1:%d" % self.osc.socket.getsockname()[1]
        line = f'osc: malformed datagram "/ali3/cmd/estop" from {sender} ignored: the estop in it acts'
        bench.wait_for("the log names the datagram", lambda: line in self.daemon.said())
        self.assertEqual(self.daemon.watch()["osc_ignored"][0]["reason"], "malformed datagram")

    def top(self):
        done = subprocess.run([bench.program("ali3-top"), "--once", "--instance", self.daemon.name], capture_output=True, text=True,
                                    timeout=bench.PATIENCE, stdin=subprocess.DEVNULL)
        return done.stdout


if __name__ == "__main__":
    bench.main()
