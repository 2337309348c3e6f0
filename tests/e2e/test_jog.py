#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A jog of one leg or axis over OSC and Modbus, with a simulated rig (tools/ali3-rig): the leg moves alone, silence, an e-stop, a lost
permissive and a lost client end it, and nobody jogs without the right. usage: test_jog.py BIN"""
import json
import os
import random
import re
import socket
import threading
import unittest

import bench
import test_rig
from rig_parts.modbus import LineClient, Refused


STOPPED, READY, SAFE = "STOPPED", "READY", "SAFE"
JOG = {"speed": 0.02, "timeout": 1}  # s: the longest, because a busy host holds buttons up
PEERS = [{"host": "127.0.0.1", "access": "jog"}, {"host": "127.0.0.2", "access": "write"}]


class Button:
    """A button that is held: it sends its command until it is released, or dies without a word."""

    def __init__(self, press):
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.hold, args=(press,))
        self.thread.start()

    def hold(self, press):
        while not self.over.wait(0.05):
            press()

    def die(self):
        self.over.set()
        self.thread.join()


class Presser:
    """A hand: the packets of its release and then of its presses, with numbers that rise."""

    def __init__(self, part, speed):
        self.part, self.speed = part, speed
        self.hand, self.number = random.randrange(1, 1 << 31), 0

    def packet(self):
        self.number += 1
        speed = self.speed if self.number > 1 else 0.0
        return bench.osc_message("/ali3/platform/jog", "sfiii", self.part, speed, self.number, self.hand, self.number)

    def body(self):
        """The body of a POST to ali3-view."""
        self.number += 1
        return {"part": self.part, "speed": self.speed if self.number > 1 else 0, "hand": self.hand, "number": self.number}


class Jog(unittest.TestCase):
    def begin(self, **more):
        command, echo = bench.free_port(socket.SOCK_DGRAM), bench.free_port(socket.SOCK_DGRAM)
        folder = self.enterContext(bench.tempfile.TemporaryDirectory())
        self.rides = os.path.join(folder, "rides.jsonl")
        platform = dict(test_rig.PLATFORM, jog=JOG)
        self.d = bench.Daemon(cycle={"autostart": False}, inputs=test_rig.INPUTS, platform=platform,
                              rig=dict(test_rig.RIG, ride_log=self.rides), packets=test_rig.packets(command, echo), **more)
        self.d.__enter__()
        self.addCleanup(self.d.__exit__)
        self.osc = bench.OscClient(self.d.osc_port)
        self.addCleanup(self.osc.close)
        self.number = 0
        bench.wait_for("ready", lambda: "warm-up cycles done" in self.d.said())

    def simulate(self):
        self.rig = test_rig.Simulated(self.d.config)
        self.addCleanup(self.rig.close)
        bench.wait_for("the rig", lambda: "ready to move" in self.d.said())

    def order(self, name):
        self.number += 1
        return self.osc.command(name, self.number)

    def jog(self, part, speed):
        """The result of one command."""
        self.number += 1
        self.osc.send(bench.osc_message("/ali3/platform/jog", "sfi", part, speed, self.number))
        while True:
            what, number, result = self.osc.answer("/ali3/ack")
            if (what, number) == ("jog", self.number):
                return result

    def press(self, part, speed):
        """Holds a button. Its acks are not read."""
        hand, client = Presser(part, speed), bench.OscClient(self.d.osc_port)
        self.addCleanup(client.close)
        button = Button(lambda: client.send(hand.packet()))
        self.addCleanup(button.die)
        return button

    def platform(self):
        return self.d.watch()["platform"]

    def legs(self):
        low, high = test_rig.PLATFORM["leg_min"], test_rig.PLATFORM["leg_max"]
        return [low + (x + 1) / 2 * (high - low) for x in self.platform()["legs_normalised"]]

    def said(self, text):
        bench.wait_for(lambda: f"{text!r} in:\n{self.d.said()}", lambda: re.search(text, self.d.said()))

    def test_a_leg_moves_alone_and_silence_stops_it(self):
        self.begin(osc={"peers": PEERS})
        self.assertEqual(self.jog("leg3", 1.0), 4)  # no rig, no motion
        self.said("jog by osc 127.0.0.1:.* refused: permissive chain of input status is missing")
        self.assertEqual(self.jog("leg3", 0.0), 0)  # the release of the button that was refused
        self.simulate()
        self.assertEqual(self.jog("leg9", 1.0), 7)
        self.said("expected surge, sway, heave, roll, pitch, yaw or leg1 to leg6, and -1 to 1")
        self.assertEqual(self.jog("leg3", 1.5), 3)
        button = self.press("leg3", 1.0)
        bench.wait_for("jog", lambda: self.platform()["state"] == "jog")
        start = self.legs()
        bench.wait_for("the leg", lambda: self.legs()[2] - start[2] > 0.02)
        self.assertEqual(self.d.watch()["state"], STOPPED)
        button.die()
        self.said(r"jog of leg3 over, \+[\d.]+ mm: its command was not repeated in time")
        end = self.legs()
        self.assertGreater(end[2] - start[2], 0.02)
        for i in (0, 1, 3, 4, 5):
            self.assertLess(abs(end[i] - start[i]), 1e-4)
        self.assertEqual(self.platform()["state"], "jog")  # it stays where it is
        bench.wait_for("the rig", lambda: abs(self.d.watch()["rig"]["legs"][2] - end[2]) < 1e-3)
        self.assertEqual(self.order("park"), 0)
        bench.wait_for("parked", lambda: self.platform()["state"] == "parked")
        bench.wait_for("the log of rides", lambda: os.path.getsize(self.rides) > 0)
        with open(self.rides, encoding="utf-8") as f:
            ride = json.loads(f.readline())
        self.assertTrue(ride["started_by"].startswith("osc 127.0.0.1:"), ride)
        self.assertRegex(ride["jogs"][0], "jog of leg3 by osc 127.0.0.1")
        self.assertRegex(ride["jogs"][1], r"jog of leg3 over, \+")
        self.assertEqual(self.d.stop()[0], 0, self.d.said())

    def test_stops_end_a_jog(self):
        self.begin(osc={"peers": PEERS})
        self.simulate()
        # From neutral, an e-stop: the rig is held (rig.estop). The button goes on, and nothing moves.
        self.assertEqual(self.order("arm"), 0)
        bench.wait_for("neutral", lambda: self.platform()["state"] == "neutral")
        button = self.press("heave", -1.0)
        bench.wait_for("jog", lambda: self.platform()["state"] == "jog" and self.platform()["pose"][2] < -0.005)
        self.osc.send(bench.osc_message("/ali3/cmd/estop", ""))
        bench.wait_for("SAFE", lambda: self.d.watch()["state"] == SAFE and self.platform()["state"] == "freeze")
        self.said("jog of heave over, -[0-9.]+ mm: ended by another command or by a stop")
        self.said("jog by osc .* refused: a stop is latched")
        place = self.platform()["pose"]
        button.die()
        bench.wait_for("a reset", lambda: self.order("reset") == 0)
        self.assertEqual(self.jog("heave", -1.0), 1)  # motion needs an arm
        self.assertEqual(self.jog("heave", 0.0), 0)
        self.assertLess(max(abs(a - b) for a, b in zip(self.platform()["pose"], place)), 1e-3)
        test_rig.arm(self)
        bench.wait_for("neutral", lambda: self.platform()["state"] == "neutral")
        # The chain opens.
        button = self.press("yaw", 1.0)
        bench.wait_for("jog", lambda: self.platform()["state"] == "jog")
        self.rig.order("chain")
        bench.wait_for("SAFE", lambda: self.d.watch()["state"] == SAFE and self.platform()["state"] == "freeze")
        self.said("SAFE: a permissive of the rig is missing: permissive chain of input status")
        button.die()
        self.assertEqual(self.d.stop()[0], 0, self.d.said())

    def test_a_plc_jogs_and_dies(self):
        self.begin(modbus={"peers": PEERS})
        self.simulate()
        plc = bench.ModbusClient(self.d.modbus_port)
        self.addCleanup(plc.close)
        stranger = bench.ModbusClient(self.d.modbus_port, "127.0.0.2")
        self.addCleanup(stranger.close)
        # Only a client with the right; parts and speeds that exist.
        for client, values, code in ((stranger, [9, 1000], 1), (plc, [13, 1000], 3), (plc, [0, 1000], 3), (plc, [9, 1001], 3)):
            with self.assertRaises(bench.ModbusError) as wrong:
                client.write(6, values)
            self.assertEqual(wrong.exception.code, code)
        stranger.write(6, [0, 0])  # a cyclic write without a jog
        self.assertEqual(plc.inputs(27, 1), [8])  # unknown
        plc.write(6, [9, 0])  # a press begins after a release
        button = Button(lambda: plc.write(6, [9, 1000]))
        self.addCleanup(button.die)
        reader = stranger
        bench.wait_for("jog", lambda: reader.inputs(27, 1) == [9])
        start = reader.floats(136, 6)
        bench.wait_for("leg 3", lambda: reader.floats(136, 6)[2] - start[2] > 0.01)
        button.die()
        plc.close()  # without a word
        self.said(r"jog of leg3 over, \+[\d.]+ mm: its command was not repeated in time")
        end = reader.floats(136, 6)
        self.assertLess(max(abs(end[i] - start[i]) for i in (0, 1, 3, 4, 5)), 1e-4)
        self.assertEqual(self.d.stop()[0], 0, self.d.said())

    def test_a_plc_jogs_over_a_serial_line(self):
        folder = self.enterContext(bench.tempfile.TemporaryDirectory())
        path = os.path.join(folder, "line")
        plc = LineClient(path, 1, timeout=bench.PATIENCE)
        self.addCleanup(plc.close)
        self.begin(modbus={"serial": path, "serial_access": "jog", "baud": 115200, "tcp": False})
        self.simulate()
        with self.assertRaisesRegex(Refused, "exception 3"):
            plc.write(6, [13, 1000])
        plc.write(6, [9, 0])  # a press begins after a release
        button = Button(lambda: plc.write(6, [9, 1000]))
        self.addCleanup(button.die)
        bench.wait_for("jog", lambda: self.platform()["state"] == "jog")
        start = self.legs()
        bench.wait_for("leg 3", lambda: self.legs()[2] - start[2] > 0.01)
        button.die()
        self.said(r"jog of leg3 by modbus serial")
        self.said(r"jog of leg3 over, \+[\d.]+ mm: its command was not repeated in time")
        end = self.legs()
        bench.wait_for("the rig", lambda: abs(self.d.watch()["rig"]["legs"][2] - end[2]) < 1e-3)
        self.assertLess(max(abs(end[i] - start[i]) for i in (0, 1, 3, 4, 5)), 1e-4)
        self.assertEqual(self.d.stop()[0], 0, self.d.said())

    def test_a_serial_line_jogs_only_with_the_right(self):
        folder = self.enterContext(bench.tempfile.TemporaryDirectory())
        for access, exceptions in (("write", ["exception 1", None]), ("read", ["exception 1", "exception 1"])):
            with self.subTest(access):
                path = os.path.join(folder, access)
                plc = LineClient(path, 1, timeout=bench.PATIENCE)
                self.addCleanup(plc.close)
                with bench.Daemon(cycle={"autostart": False}, inputs=test_rig.INPUTS, platform=test_rig.PLATFORM,
                                  modbus={"serial": path, "serial_access": access, "baud": 115200, "tcp": False}):
                    for (first, values), exception in zip(((6, [9, 1000]), (3, [1])), exceptions):
                        if exception:
                            with self.assertRaisesRegex(Refused, exception):
                                plc.write(first, values)
                        else:
                            plc.write(first, values)
                    self.assertEqual(plc.read(0, 1)[0], 0x4133)

    def test_nobody_has_the_right_by_default(self):
        self.begin()
        self.simulate()
        self.assertEqual(self.jog("leg3", 1.0), 2)
        self.said("osc: /ali3/platform/jog .* refused: the host needs access: jog in osc.peers")
        self.assertEqual(self.platform()["state"], "unknown")
        self.assertEqual(self.d.stop()[0], 0, self.d.said())


if __name__ == "__main__":
    bench.main()
