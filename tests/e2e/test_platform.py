#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The motion platform of a running daemon: by state, over OSC, Modbus and shared memory, tuned, and parked before the end."""
import json
import signal
import unittest

import bench

PLATFORM = {
    "mode": "external", "input": "lead", "height": 0.77, "leg_min": 0.70, "leg_max": 1.00, "leg_rate": 0.5,
    "base": [[0.587, -0.125, 0], [0.587, 0.125, 0], [-0.185, 0.571, 0], [-0.401, 0.446, 0], [-0.401, -0.446, 0],
             [-0.185, -0.571, 0]],
    "top": [[0.301, -0.334, 0], [0.301, 0.334, 0], [0.139, 0.428, 0], [-0.440, 0.094, 0], [-0.440, -0.094, 0],
            [0.139, -0.428, 0]],
    "engage_time": 2, "park_time": 2, "fault_time": 0.5, "blend": 0.1}
INPUTS = [{"name": "lead", "platform": "pose", "policy": "hold"}]
PARKED, ENGAGED, WITHHELD = 1 << 9, 1 << 10, 1 << 14


def daemon(arguments=(), **more):
    """Its platform waits for an arm: see Platform.start()."""
    more.setdefault("cycle", {"autostart": False})
    return bench.Daemon(arguments, inputs=INPUTS, platform=dict(PLATFORM, **more.pop("platform", {})), **more)


def platform(d):
    return d.watch()["platform"]


class Platform(unittest.TestCase):
    def in_state(self, d, state, seconds=bench.PATIENCE):
        return bench.wait_for(lambda: f"state {state} of the platform; it is {platform(d)}; the log:\n{d.said()}",
                              lambda: platform(d)["state"] == state, seconds)

    def open(self, d):
        osc, modbus = bench.OscClient(d.osc_port), bench.ModbusClient(d.modbus_port)
        self.addCleanup(osc.close)
        self.addCleanup(modbus.close)
        return osc, modbus

    def start(self, osc):
        self.assertEqual([osc.command(name, 90 + k) for k, name in enumerate(("arm", "run"))], [0, 0])

    def test_it_follows_the_states_of_the_daemon(self):
        with daemon() as d:
            osc, modbus = self.open(d)
            self.assertEqual(platform(d)["state"], "unknown")
            self.assertEqual(modbus.inputs(3, 1)[0] & (PARKED | ENGAGED | WITHHELD), WITHHELD)
            self.assertEqual(osc.command("arm", 1), 0)
            low = modbus.floats(100, 24)
            bench.in_time(self, low[2], -0.01, "heave of the way from the park pose")
            self.in_state(d, "neutral")
            high = modbus.floats(100, 24)
            for i, value in enumerate(high[:18]):
                self.assertAlmostEqual(value, 0.0, delta=1e-3, msg=f"register {100 + 2 * i}")
            self.assertEqual(modbus.inputs(3, 1)[0] & (PARKED | ENGAGED | WITHHELD), ENGAGED)
            self.assertEqual(osc.command("run", 2), 0)
            self.in_state(d, "run")
            self.assertEqual(osc.command("pause", 3), 0)
            self.in_state(d, "freeze")
            self.assertEqual(osc.command("park", 4), 0)
            self.in_state(d, "parked")
            self.assertEqual(modbus.state(), "STOPPED")
            self.assertEqual(modbus.inputs(3, 1)[0] & (PARKED | ENGAGED | WITHHELD), PARKED)
            for change in ("unknown -> parked: its outputs begin at the park pose", "parked -> engage", "engage -> neutral",
                           "-> freeze", "park -> parked"):
                bench.wait_for(f"'{change}' in the log", lambda change=change: f"{change}\n" in d.said())
            self.assertEqual(d.stop()[0], 0, d.said())  # at once: it is parked

    def test_frames_are_whole_on_every_way_out(self):
        with daemon() as d:
            osc, modbus = self.open(d)
            osc.send(bench.osc_message("/ali3/sub", "siii", "platform", 0, 1, 1))
            self.assertEqual(osc.answer("/ali3/sub/ack"), ["platform", 0])
            self.start(osc)
            self.in_state(d, "run")
            bench.wait_for("a frame with the state run", lambda: osc.answer("/ali3/platform/state") == [3.0])
            legs = osc.answer("/ali3/platform/legs")
            self.assertEqual(len(legs), 6)
            self.assertTrue(all(0.7 <= leg <= 1.0 for leg in legs), legs)
            self.assertEqual(len(osc.answer("/ali3/platform/pose")), 6)
            start, rest = modbus.inputs(7, 1), modbus.inputs(100, 49)
            self.assertLess((rest[-1] - start[0]) % 65536, 1000)
            shown = platform(d)
            self.assertEqual(shown["mode"], "external")
            self.assertTrue(shown["flags"]["engaged"])
            self.assertEqual((shown["leg_min"], shown["leg_max"], shown["leg_unit"]), (0.7, 1.0, "m"))
            osc.send(bench.osc_message("/ali3/input/lead/position", "fff", 0.0, 0.0, 0.03))
            bench.wait_for("heave of 30 mm", lambda: abs(platform(d)["target"][2] - 0.03) < 1e-3)
            self.assertEqual(d.stop()[0], 0, d.said())

    def test_parameters_over_osc_and_from_the_file(self):
        with daemon() as d:
            osc, _ = self.open(d)
            for number, (name, value, result) in enumerate((("gain_lin.x", 0.4, 0), ("gain_lin.x", 9.0, 3), ("gain", 0.4, 7),
                                                            ("lp_wn", 1.0, 3))):
                osc.send(bench.osc_message("/ali3/platform/set", "sfi", name, value, number))
                self.assertEqual(osc.answer("/ali3/ack"), ["platform", number, result], name)
            # Three numbers act together.
            for number, (name, values, result) in enumerate((("gain_rot", (0.5, 0.25, 0.75), 0), ("gain_rot", (0.1, 0.1, 9.0), 3),
                                                             ("gain_rot.x", (0.1, 0.1, 0.1), 3), ("gain", (0.1, 0.1, 0.1), 7)), 10):
                osc.send(bench.osc_message("/ali3/platform/set", "sfffi", name, *values, number))
                self.assertEqual(osc.answer("/ali3/ack"), ["platform", number, result], name)
            for axis, value in zip("xyz", (0.5, 0.25, 0.75)):
                bench.wait_for("the three in the log", lambda: f"platform: gain_rot.{axis} set to {value} by osc 127.0.0.1:" in d.said())
            self.assertNotIn("set to 0.1 ", d.said())
            bench.wait_for("the change in the log", lambda: "platform: gain_lin.x set to 0.4 by osc 127.0.0.1:" in d.said())
            with open(d.config, encoding="utf-8") as f:
                config = json.load(f)
            config["platform"].update(blend=0.5, height=0.78, pos_max=[0.1, 0.1, 0.1])
            d.file("bench.json", json.dumps(config))
            d.process.send_signal(signal.SIGHUP)
            bench.wait_for("needs a restart", lambda: "needs a restart: platform.height, platform.pos_max, platform.blend\n" in d.said())
            self.assertNotIn("changed: platform", d.said())  # another platform: its parameters wait, too
            config["platform"].update(height=PLATFORM["height"])
            d.file("bench.json", json.dumps(config))
            d.process.send_signal(signal.SIGHUP)
            bench.wait_for("changed", lambda: "changed: platform.pos_max, platform.blend\n" in d.said())
            bench.wait_for("gain_lin back", lambda: "platform parameters set over OSC are back to the values of the file\n" in d.said())
            config["platform"].update(blend=0.6)
            config["cycle"].update(period=0.02)  # not known to the platform
            d.file("bench.json", json.dumps(config))
            d.process.send_signal(signal.SIGHUP)
            bench.wait_for("changed", lambda: "changed: platform.blend\n" in d.said())
            self.assertEqual(d.stop()[0], 0, d.said())

    def test_it_is_parked_before_the_end(self):
        with daemon(platform={"park_time": 10}) as d:
            osc, modbus = self.open(d)
            self.start(osc)
            self.in_state(d, "run")
            d.process.send_signal(signal.SIGTERM)
            bench.wait_for("EXIT", lambda: modbus.state() == "EXIT")
            cycle, simulated = modbus.inputs(6, 1), modbus.floats(10, 1)
            bench.wait_for("the loop to go on", lambda: modbus.inputs(6, 1) != cycle)
            self.assertEqual(modbus.floats(10, 1), simulated)
            self.assertEqual([osc.command(name, 1 + k) for k, name in enumerate(("run", "estop"))], [1, 0])
            self.assertEqual(modbus.state(), "EXIT")
            self.assertEqual(d.finish(), 0, d.said())
            said = d.said()
            self.assertLess(said.index("RUNNING -> EXIT: loop ended"), said.index("park -> parked"))
            bench.in_time(self, d.report()["misses"], 21)

    def test_a_slow_one_is_waited_for(self):
        """Its limits allow it to park in about 9 s, not within park_time and 5 s; the service manager is asked to wait, too."""
        with daemon(platform={"vel_max": [0.4, 0.4, 0.04], "acc_max": [4, 4, 0.01], "jerk_max": [100, 100, 0.1]}) as d:
            osc, _ = self.open(d)
            self.start(osc)
            bench.wait_for("a way to go", lambda: (platform(d)["pose"][2] or -1) > -0.12)
            d.process.send_signal(signal.SIGTERM)
            bench.wait_for("EXIT", lambda: "EXIT: loop ended" in d.said())
            osc.send(bench.osc_message("/ali3/cmd/run", "i", 1))  # changes nothing
            self.assertEqual(d.finish(40), 0, d.said())
            self.assertIn("park -> parked", d.said())
            self.assertTrue(any(line.startswith("EXTEND_TIMEOUT_USEC=") for line in d.hear()), d.hear())

    def test_a_change_that_moves_it_too_fast_needs_a_restart(self):
        with daemon() as d:
            with open(d.config, encoding="utf-8") as f:
                config = json.load(f)
            del config["platform"], config["inputs"]
            config["cycle"].update(overrun="catch_up", max_misses=7)
            d.file("bench.json", json.dumps(config))
            d.process.send_signal(signal.SIGHUP)
            bench.wait_for("needs a restart", lambda: "needs a restart: cycle.overrun: the platform does not allow catch_up\n"
                           in d.said())
            bench.wait_for("the rest", lambda: "changed: cycle.max_misses\n" in d.said())
            self.assertEqual(d.watch()["overrun"], "skip")

    def test_after_a_gap_it_parks(self):
        with daemon() as d:
            osc, _ = self.open(d)
            self.start(osc)
            self.in_state(d, "run")
            osc.send(bench.osc_message("/ali3/input/lead/position", "fff", 0.0, 0.0, 0.1))
            d.process.send_signal(signal.SIGSTOP)
            bench.run_on(1.5)
            d.process.send_signal(signal.SIGCONT)
            bench.wait_for("SAFE", lambda: "RUNNING -> SAFE: the loop was stuck" in d.said())
            self.in_state(d, "parked")

    def test_a_second_signal_does_not_wait(self):
        with daemon(platform={"park_time": 30}) as d:
            self.start(self.open(d)[0])
            self.in_state(d, "run")
            d.process.send_signal(signal.SIGTERM)
            bench.wait_for("the way to the park pose", lambda: "EXIT: loop ended" in d.said())
            bench.run_on(0.5)
            self.assertIsNone(d.process.poll())
            d.process.send_signal(signal.SIGTERM)
            self.assertEqual(d.finish(20), 0, d.said())
            self.assertIn("SIGTERM again: stopping at once", d.said())
            self.assertNotIn("park -> parked", d.said())

    def test_after_the_duration_too(self):
        with daemon(["--duration", "3"]) as d:
            self.start(self.open(d)[0])
            self.assertEqual(d.finish(30), 0, d.said())
            self.assertLess(d.said().index("RUNNING -> EXIT: loop ended"), d.said().index("park -> parked"))


if __name__ == "__main__":
    bench.main()
