#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/ali3-rig over every wire and map of config/platform: OSC and Modbus both ways, with faults, and packets over UDP and a serial
line. The rig stands where the daemon wants it."""
import os
import re
import socket
import unittest

import bench
import test_rig

MAPS = os.path.join(bench.ROOT, "config", "platform")
MOOG_INPUTS = [{"name": name, "platform": "number", "hold": 0.5} for name in ("faults", "discretes", "machine")] + [
    {"name": "base", "platform": "actual_pose", "hold": 0.5}]
MOOG_RIG = {"feedback": "base", "judged": "ride", "delay": 0.03, "filter": 0.05, "position_trip": 0.05, "permissives": [
    {"name": "no_fault", "input": "faults", "lower": 0, "upper": 0}, {"name": "chain", "input": "discretes", "bit": 7, "is": 0},
    {"name": "in_order", "input": "machine", "bit": 3, "is": 0}, {"name": "powered", "input": "machine", "bit": 0, "for": "ride"},
    {"name": "up", "input": "machine", "bit": 1, "for": "ride"}, {"name": "stays_up", "input": "machine", "bit": 2, "is": 0, "for": "ride"}]}
# A poll takes longer than a packet.
SLOW_RIG = dict(test_rig.RIG, delay=0.06, leg_trip=0.1)
# A worker of the kernel, with an ordinary priority, passes the bytes of a line on. A busy host may hold it up for more than a second, and
# no following error is too large then.
LINE_RIG = dict(SLOW_RIG, leg_trip=0)
SLOW_INPUTS, LINE_INPUTS = ([dict(i, hold=hold) if "hold" in i else i for i in test_rig.INPUTS] for hold in (2, 5))
# Registers of the legs for a PLC, and the same ones in a device.
LEGS_MAP = [{"signal": "platform.legs", "table": "input", "address": 210, "type": "f32"},
            {"signal": "platform.state", "table": "input", "address": 200, "type": "u16"}]
DEVICE = {"name": "rig", "period": 0.02, "timeout": 0.5, "map": [
    {"signal": "platform.state", "table": "holding", "address": 0, "type": "u16"},
    {"signal": "platform.legs", "table": "holding", "address": 10, "type": "f32", "word_order": "cdab"},
    {"signal": "input.status.value", "table": "input", "address": 0, "type": "u16"},
    {"signal": "input.legs.leg", "table": "input", "address": 10, "type": "f32"}]}
SLACK = 0.02  # normalised leg, rad, or m: the lag of the rig, and the steps of an integer


class Wires(unittest.TestCase):
    def begin(self, over, rig=test_rig.RIG, inputs=test_rig.INPUTS, platform=test_rig.PLATFORM, options=(), **changes):
        if rig:
            changes["rig"] = rig
        self.d = bench.Daemon(cycle={"autostart": False}, inputs=inputs if rig else inputs[:1], platform=platform, **changes)
        self.addCleanup(self.d.__exit__)
        self.rig = test_rig.Simulated(self.d.config, "--over", over, *options)  # first, because it makes the serial line
        self.addCleanup(self.rig.close)
        self.assertEqual(self.rig.state()["faults"], [])
        self.d.__enter__()
        self.osc = bench.OscClient(self.d.osc_port)
        self.addCleanup(self.osc.close)
        self.number = 0

    def order(self, name):
        self.number += 1
        return self.osc.command(name, self.number)

    def platform(self):
        return self.d.watch()["platform"]

    def ride(self):
        bench.wait_for("the end of the warm-up", lambda: "warm-up cycles done" in self.d.said())
        self.assertEqual([self.order("arm"), self.order("run")], [0, 0], self.d.said())
        bench.wait_for(lambda: f"the state run; the log: {self.d.said()}", lambda: self.platform()["state"] == "run")
        self.osc.send(bench.osc_message("/ali3/input/lead/position", "fff", 0.02, 0.0, 0.05))

    def follows(self, signal, wanted):
        """The rig comes to where the daemon is."""
        def near():
            place, aim = self.rig.state()["places"][signal], wanted()
            return abs(place - aim) < SLACK and abs(aim) > SLACK
        bench.wait_for(lambda: f"{signal} at {wanted()}; the rig is {self.rig.state()}", near)

    def heave(self):
        return self.platform()["pose"][2]

    def safe_by(self, fault, reason):
        self.rig.order(fault)
        bench.wait_for("SAFE", lambda: self.d.watch()["state"] == "SAFE")
        bench.wait_for(lambda: f"'{reason}' in:\n{self.d.said()}", lambda: reason in self.d.said())
        self.rig.order("clear")

    def both_ways(self):
        """A ride, whose feedback is near the command; then the chain opens, and after a reset a leg sticks."""
        bench.wait_for("the rig", lambda: "ready to move" in self.d.said())
        self.ride()
        self.follows("platform.pose.heave", self.heave)
        bench.wait_for("a small error", lambda: max(map(abs, self.d.watch()["rig"]["leg_error"])) < 0.01)
        self.safe_by("chain", "SAFE: a permissive of the rig is missing: permissive chain of input status")
        bench.wait_for("a reset", lambda: self.order("reset") == 0)
        test_rig.arm(self)
        self.assertEqual(self.order("run"), 0, self.d.said())
        bench.wait_for("run", lambda: self.platform()["state"] == "run")
        self.rig.order("stick 3")
        self.osc.send(bench.osc_message("/ali3/input/lead/position", "fff", 0.0, 0.0, -0.08))
        bench.wait_for(lambda: f"leg 3 in:\n{self.d.said()}", lambda: "leg 3 is off by" in self.d.said())
        self.assertEqual(self.rig.state()["faults"], ["stick"])

    def test_osc(self):
        target = bench.free_port(socket.SOCK_DGRAM)
        self.begin("osc", inputs=SLOW_INPUTS, osc={"map": {"file": f"{MAPS}/hexapod-osc.yaml"}, "targets": [{"host": "127.0.0.1", "port": target, "stream": "out"}]})
        self.both_ways()

    def test_modbus(self):
        self.begin("modbus", inputs=SLOW_INPUTS, modbus={"map": {"file": f"{MAPS}/hexapod-osc.yaml"}})
        self.both_ways()

    def line(self):
        return os.path.join(self.enterContext(bench.tempfile.TemporaryDirectory()), "ttyRIG")

    def ride_and_stop(self):
        """A ride, whose feedback is near the command, until the chain opens."""
        bench.wait_for(lambda: f"the rig; {self.rig.state()}, the log:\n{self.d.said()}", lambda: "ready to move" in self.d.said())
        self.ride()
        low, high = test_rig.PLATFORM["leg_min"], test_rig.PLATFORM["leg_max"]
        self.follows("platform.legs.1", lambda: low + (self.platform()["legs_normalised"][0] + 1) / 2 * (high - low))
        bench.wait_for("a small error", lambda: max(map(abs, self.d.watch()["rig"]["leg_error"])) < 0.01)
        self.safe_by("chain", "SAFE: a permissive of the rig is missing: permissive chain of input status")

    def test_modbus_line(self):
        """A PLC that is the master of the line."""
        path = self.line()
        self.begin("modbus", rig=LINE_RIG, inputs=LINE_INPUTS, modbus={"tcp": False, "serial": path, "baud": 115200, "map": LEGS_MAP})
        self.ride_and_stop()
        self.assertEqual(self.rig.close(), 0)
        self.assertFalse(os.path.lexists(path))

    def test_device(self):
        self.begin("device", rig=SLOW_RIG, inputs=SLOW_INPUTS, devices=[dict(DEVICE, host="127.0.0.1", port=bench.free_port(socket.SOCK_STREAM))])
        self.ride_and_stop()

    def test_device_on_a_line(self):
        """A device that falls silent: the daemon misses its feedback, and takes it up again."""
        self.begin("device", rig=LINE_RIG, inputs=LINE_INPUTS, devices=[dict(DEVICE, serial=self.line(), baud=115200)])
        self.ride_and_stop()
        self.rig.order("silent")
        bench.wait_for("silence", lambda: "device rig: failing" in self.d.said() and not self.d.watch()["rig"]["flags"]["reports"])
        self.rig.order("clear")
        bench.wait_for("the device", lambda: self.d.watch()["rig"]["flags"]["reports"])

    def test_simtools(self):
        path = self.line()
        self.begin("packets", rig=None, packets={"file": f"{MAPS}/simtools-serial.yaml", "serial": path, "baud": 115200})
        self.ride()
        for leg in (1, 4):
            self.follows(f"platform.legs_normalised.{leg}", lambda leg=leg: self.platform()["legs_normalised"][leg - 1])
        self.assertEqual(self.rig.close(), 0)
        self.assertFalse(os.path.lexists(path))

    def test_moog(self):
        self.begin("packets", rig=None, packets={"file": f"{MAPS}/moog-udp.yaml", "host": "127.0.0.1", "port": bench.free_port(socket.SOCK_DGRAM)})
        self.ride()
        self.follows("platform.pose.heave", self.heave)
        state = self.rig.state()
        self.assertEqual((state["state"], state["refused"]), (2, 0))  # the command word 130 is that of neutral, run and freeze
        self.assertEqual(self.order("park"), 0)
        bench.wait_for("the command word of park", lambda: self.rig.state()["state"] == 5)  # that of stop, fault and park

    def test_moog_both_ways(self):
        """The base answers the port from which commands come. It is heard before the first arm, raises itself, follows, and its
        e-stop word stops the ride; nothing moves until it is in order again."""
        self.begin("packets", inputs=test_rig.INPUTS[:1] + MOOG_INPUTS, rig=MOOG_RIG, options=("--like", "moog"),
                   platform=dict(test_rig.PLATFORM, park_position=[0, 0, 0], engage_time=2),
                   packets={"file": f"{MAPS}/moog-udp-both.yaml", "host": "127.0.0.1", "port": bench.free_port(socket.SOCK_DGRAM)})
        bench.wait_for("the rig", lambda: "ready to move" in self.d.said())
        self.assertEqual(self.rig.state()["machine"], "idle")
        before = self.rig.state()
        bench.wait_for("more packets before the arm", lambda: self.rig.state()["accepted"] > before["accepted"] + 10)
        self.assertEqual(self.rig.state()["places"], before["places"])
        self.ride()
        self.assertEqual(self.rig.state()["machine"], "engaged")
        self.follows("platform.pose.heave", self.heave)
        bench.wait_for("the actual pose", lambda: abs(self.d.watch()["rig"]["pose"][2] - self.heave()) < 1e-3)
        self.safe_by("chain", "SAFE: a permissive of the rig is missing: permissive")
        self.rig.order("chain")
        bench.wait_for("parked", lambda: self.platform()["state"] == "parked")
        bench.wait_for("a reset", lambda: self.order("reset") == 0)
        bench.wait_to_rearm()
        self.assertEqual(self.order("arm"), 4)
        bench.wait_for(lambda: f"the reason in:\n{self.d.said()}", lambda: re.search(r"arm by .* refused: permissive \w+ of input \w+ is missing", self.d.said()))
        self.rig.order("clear")
        bench.wait_for("the base in its idle state", lambda: self.rig.state()["machine"] == "idle")
        self.assertEqual([self.order("arm"), self.order("run")], [0, 0], self.d.said())
        bench.wait_for("run", lambda: self.platform()["state"] == "run")

    def test_openmotionsim(self):
        self.begin("packets", rig=None, packets={"file": f"{MAPS}/openmotionsim-udp.yaml", "host": "127.0.0.1", "port": bench.free_port(socket.SOCK_DGRAM)})
        self.ride()
        self.follows("platform.pose.heave", self.heave)
        self.osc.send(bench.osc_message("/ali3/input/lead/angle", "fff", 0.0, 0.0, 0.08))
        self.follows("platform.pose.yaw", lambda: self.platform()["pose"][5])


if __name__ == "__main__":
    bench.main()
