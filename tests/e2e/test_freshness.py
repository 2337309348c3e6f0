#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inputs that stop, come again, are required, or have injected faults: the reactions and messages of the daemon."""
import itertools
import signal
import time
import unittest

import bench

HOLD, RAMP = 2.0, 0.5  # s; long, because looking at the daemon takes a while
CRANK = bench.four_bar()["model"]["bodies"][0]["name"]


def push(**keys):
    return [{"name": "push", "body": CRANK, "hold": HOLD, "ramp": RAMP, **keys}]


class Sender(bench.OscClient):
    """A bench that pushes."""

    def push(self, force):
        self.send(bench.osc_message("/ali3/input/push/force", "fff", force, 0.0, 0.0))

    def push_until(self, what, condition, force, seconds=bench.PATIENCE):
        """Sends again and again until the condition is true."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"after {seconds} s still not: {what}")
            self.push(force)
            bench.pace(0.01)


# A mass of 1 kg that slides along x: its accelerometer reads the acting force.
SLIDER = {"gravity": [0, 0, 0], "bodies": [{"name": "A", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 0]}],
          "joints": [{"name": "J", "type": "prismatic", "body_a": "ground", "body_b": "A", "at": [0, 0, 0], "axis": [1, 0, 0]}],
          "sensors": [{"name": "s", "type": "imu", "body": "A"}]}


class Freshness(unittest.TestCase):
    def start(self, **changes):
        d = bench.Daemon(**changes)
        d.__enter__()
        self.addCleanup(d.__exit__)
        client = Sender(d.osc_port)
        self.addCleanup(client.close)
        return d, client

    def state(self, d):
        return d.watch()["inputs"][0]["state"]

    def test_a_stale_input_ramps_recovers_and_blends(self):
        """The acting force after each step in lockstep, where inputs age by steps of 10 ms."""
        d, client = self.start(model=SLIDER, cycle={"clock": "lockstep"},
                               inputs=[{"name": "push", "body": "A", "hold": 0.05, "ramp": 0.1, "recover": 3, "blend": 0.05}])
        client.send(bench.osc_message("/ali3/sub", "siii", "sensor", 0, 1, 1))
        client.answer("/ali3/sub/ack")
        bench.wait_for("RUNNING", lambda: d.watch()["state"] == "RUNNING")
        request = 0

        def stepped(force=None):
            nonlocal request
            request += 1
            step = bench.osc_message("/ali3/step", "ii", 1, request)
            push_it = [] if force is None else [bench.osc_message("/ali3/input/push/force", "fff", force, 0.0, 0.0)]
            client.send(bench.osc_bundle(*push_it, step))
            return client.answer("/ali3/sensor/s/specific_force")[0]

        for force, expected in ((10.0, [10.0]), (None, [10.0] * 5 + [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0, 0.0]),
                                (20.0, [0.0, 0.0, 0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 20.0])):
            for value in expected:
                self.assertAlmostEqual(stepped(force), value, places=6)

    def test_a_drive_stays_until_its_first_input(self):
        """At the start and after a reset, with limits that exclude 0; then from its present value, at its rate."""
        drive = {"name": "D", "type": "drive", "joint": "J", "external": True, "max_rate": 100, "max_acceleration": 1e6}
        model = dict(SLIDER, bodies=[dict(SLIDER["bodies"][0], position=[0.5, 0, 0])], forces=[drive])
        model["joints"] = [{"name": "J", "type": "prismatic", "body_a": "ground", "body_b": "A", "point_a": [0, 0, 0],
                            "point_b": [0, 0, 0], "axis_a": [1, 0, 0], "axis_b": [1, 0, 0], "position": 0.5}]
        d, client = self.start(model=model, cycle={"clock": "lockstep"}, inputs=[
            {"name": "go", "force": "D", "policy": "hold", "lower": 0.4, "upper": 1, "safe": 0.4, "rate": 1}])
        bench.wait_for("RUNNING", lambda: d.watch()["state"] == "RUNNING")

        def asked(address):
            client.send(bench.osc_message(address))
            return client.answer(address)[0]

        requests = itertools.count(1)

        def stepped(count):
            client.send(bench.osc_message("/ali3/step", "ii", count, next(requests)))
            client.answer("/ali3/ack")
            return asked("/ali3/joint/J/position"), asked("/ali3/input/go/value")

        for start in (0, 1):
            if start:
                self.assertEqual(client.command("reset", 2), 0)
            for at in stepped(50):
                self.assertAlmostEqual(at, 0.5, places=6)
            client.send(bench.osc_message("/ali3/input/go/value", "f", 0.9))
            self.assertAlmostEqual(stepped(1)[1], 0.51, places=6)
            for at in stepped(60):
                self.assertAlmostEqual(at, 0.9, places=4)

    def test_a_stale_input_is_shown_and_counted(self):
        d, client = self.start(inputs=push(policy="ramp", recover=10, blend=0.3))
        self.assertEqual(self.state(d), "never")
        client.push_until("fresh", lambda: self.state(d) == "fresh", 40.0)
        self.assertEqual(d.counter("inputs_stale"), 0)
        bench.wait_for("stale", lambda: self.state(d) == "stale")
        said = d.watch()
        self.assertEqual((said["counters"]["inputs_stale"], said["stale_mask"], said["state"]), (1, 1, "RUNNING"))
        self.assertEqual(said["status"], "degraded")
        # A single one is not enough. It counts for 2 s, and the look at it may come later.
        bench.wait_for("recovering", lambda: client.push(20.0) or self.state(d) == "recovering")
        bench.wait_for("stale again", lambda: self.state(d) == "stale")
        self.assertEqual(d.counter("inputs_stale"), 1)
        client.push_until("fresh again", lambda: self.state(d) == "fresh", 20.0)

    def test_the_motion_waits_for_required_inputs(self):
        d, client = self.start(inputs=push(policy="hold", required=True))
        self.assertIn("INIT -> STOPPED: warm-up over; no autostart: input push is required and not fresh\n", d.said())
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)
        self.assertEqual(client.command("run", 1), 4)
        self.assertEqual(client.command("arm", 2), 4)
        self.assertEqual(modbus.command("run", 1), 4)
        client.push_until("fresh", lambda: self.state(d) == "fresh", 1.0)
        client.send(bench.osc_bundle(bench.osc_message("/ali3/input/push/force", "fff", 1.0, 0.0, 0.0),
                                     bench.osc_message("/ali3/cmd/arm", "i", 3)))
        self.assertEqual(client.answer("/ali3/ack"), ["arm", 3, 0])
        client.send(bench.osc_bundle(bench.osc_message("/ali3/input/push/force", "fff", 1.0, 0.0, 0.0),
                                     bench.osc_message("/ali3/cmd/run", "i", 4)))
        self.assertEqual(client.answer("/ali3/ack"), ["run", 4, 0])
        bench.wait_for("SAFE without it", lambda: d.watch()["state"] == "SAFE")  # after a second, by default
        self.assertEqual(d.watch()["fault"], 3)
        bench.wait_for("it said which",
                       lambda: "RUNNING -> SAFE: an input has not come for too long: push\n" in d.said())

        self.assertEqual(client.command("reset", 5), 0)
        client.push(1.0)
        self.assertEqual(client.command("run", 6), 1, "after SAFE run takes an arm before it")
        bench.wait_to_rearm()
        client.send(bench.osc_bundle(bench.osc_message("/ali3/input/push/force", "fff", 1.0, 0.0, 0.0),
                                     bench.osc_message("/ali3/cmd/arm", "i", 7)))
        self.assertEqual(client.answer("/ali3/ack"), ["arm", 7, 0])
        self.assertEqual(client.command("run", 8), 0)

    def test_datagrams_that_came_while_it_was_stopped_are_old(self):
        d, client = self.start(inputs=push(policy="ramp", hold=0.4, ramp=0, recover=1, blend=0))
        client.push_until("fresh", lambda: self.state(d) == "fresh", 40.0)
        watcher = bench.OscClient(d.osc_port)
        self.addCleanup(watcher.close)
        watcher.send(bench.osc_message("/ali3/sub", "siii", "input", 0, 1, 1))
        watcher.answer("/ali3/sub/ack")
        d.process.send_signal(signal.SIGSTOP)
        bench.run_on(0.2)
        client.push(77.0)
        bench.run_on(1.0)
        d.process.send_signal(signal.SIGCONT)
        seen = [watcher.answer("/ali3/input/push/force")[0] for _ in range(40)]
        self.assertEqual(set(seen) - {40.0}, {0.0}, "a value of a second ago acts as if it were new")
        bench.wait_for("a new one acts", lambda: client.push(5.0) or watcher.answer("/ali3/input/push/force")[0] == 5.0)

    def test_one_protocol_owns_an_input(self):
        d, client = self.start(inputs=push(policy="hold"))
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)
        client.push_until("fresh", lambda: self.state(d) == "fresh", 1.0)
        sequences = iter(range(1, 60000))

        def refused():
            client.push(1.0)
            try:
                modbus.write(100, [0] * 64 + [next(sequences)])
            except bench.ModbusError as e:
                return e.code == 6
            return False

        bench.wait_for("the second writer refused", refused)
        self.assertGreater(d.counter("modbus_owned"), 0)

    def test_an_injection_acts_in_its_window_and_is_counted(self):
        d, client = self.start(cycle={"autostart": False}, inputs=push(policy="hold"),
                               injections=[{"name": "off", "input": "push", "kind": "bias", "value": 2e4, "active": True,
                                            "from": 0.2, "for": 4.0}])
        client.push_until("fresh", lambda: self.state(d) == "fresh", 1.0)
        self.assertEqual(d.watch()["clamped"], 0)
        self.assertEqual(client.command("run", 1), 0)
        client.push_until("clamped", lambda: d.watch()["clamped"] > 0, 1.0)
        bench.wait_for("it said so", lambda: "FAULT INJECTION off, bias of input push: starts acting\n" in d.said())
        self.assertGreater(d.counter("inputs_injected"), 0)
        bench.wait_for("over", lambda: "FAULT INJECTION off, bias of input push: stops acting\n" in d.said())
        self.assertFalse(d.watch()["fault_injection"])
        before = d.counter("inputs_injected")
        client.push_until("not clamped", lambda: not d.watch()["inputs"][0]["clamped"], 1.0)
        self.assertEqual(d.counter("inputs_injected"), before)

    def test_an_injection_is_switched_on_line(self):
        d, client = self.start(inputs=push(policy="ramp"),
                               injections=[{"name": "gone", "input": "push", "kind": "drop"},
                                           {"name": "broken", "input": "push", "kind": "nan"}])
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)
        client.push_until("fresh", lambda: self.state(d) == "fresh", 1.0)
        self.assertEqual(modbus.command("inject", 1, argument=4), 3, "there is no third")
        self.assertEqual(modbus.command("inject", 2, argument=1), 0)
        client.push_until("stale, though it sends", lambda: self.state(d) == "stale", 1.0)
        said = d.watch()
        self.assertTrue(said["fault_injection"])
        self.assertIn("FAULT INJECTION acts on the inputs", said["reasons"])
        self.assertEqual(modbus.inputs(3, 1)[0] >> 13 & 1, 1)
        self.assertRegex(d.said(), r"FAULT INJECTION gone, drop of input push: switched on by modbus \S+")
        self.assertEqual(modbus.command("inject", 3, argument=0), 0)
        self.assertEqual(modbus.command("inject", 4, argument=3), 0)
        client.push_until("NaN refused and counted", lambda: d.counter("inputs_nonfinite") > 0, 1.0)
        self.assertEqual(modbus.command("inject", 5, argument=2), 0)
        client.push_until("fresh again", lambda: self.state(d) == "fresh", 1.0)
        self.assertEqual(d.watch()["state"], "RUNNING")

    def test_without_a_list_nobody_can_inject(self):
        d, client = self.start(inputs=push(policy="ramp"))
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)
        self.assertEqual(modbus.command("inject", 1, argument=1), 3)
        self.assertNotIn("FAULT INJECTION", d.said())


if __name__ == "__main__":
    bench.main()
