#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run, pause, stop, reset and e-stop, each acknowledged, over OSC and over the Modbus command triple."""
import itertools
import struct
import subprocess
import time
import unittest

import bench


class Commands(unittest.TestCase):
    def setUp(self):
        self.daemon = bench.Daemon(cycle={"autostart": False})
        self.daemon.__enter__()
        self.addCleanup(self.daemon.__exit__)
        self.modbus = bench.ModbusClient(self.daemon.modbus_port)
        self.addCleanup(self.modbus.close)
        self.osc = bench.OscClient(self.daemon.osc_port)
        self.addCleanup(self.osc.close)

    def state_is(self, state):
        bench.wait_for(f"state {state} (it is {self.modbus.state()})", lambda: self.modbus.state() == state)

    def clock(self):
        """(cycle, simulated time) of one frame."""
        words = self.modbus.inputs(8, 4)
        return struct.unpack(">If", struct.pack(">4H", *words))

    def check_moves(self, moves):
        cycle, t = self.clock()
        bench.wait_for("ten more cycles", lambda: self.clock()[0] > cycle + 10)
        (self.assertGreater if moves else self.assertEqual)(self.clock()[1], t)

    def check_life(self, command):
        """The life of a run; command(name) returns the result of a command."""
        self.state_is("STOPPED")
        self.check_moves(False)
        self.assertEqual(command("pause"), 1, "pause while STOPPED is the wrong state")
        self.assertEqual(command("run"), 0)
        self.state_is("RUNNING")
        self.check_moves(True)
        self.assertEqual(command("pause"), 0)
        self.state_is("PAUSED")
        self.check_moves(False)
        self.assertGreater(self.clock()[1], 0)
        self.assertEqual(command("run"), 0)
        self.check_moves(True)
        self.assertEqual(command("pause"), 0)
        self.assertEqual(command("reset"), 0)
        bench.wait_for("time 0 after reset", lambda: self.clock()[1] == 0)
        self.assertEqual(command("run"), 0)
        self.check_moves(True)
        self.assertEqual(command("stop"), 0)
        self.state_is("STOPPED")
        self.assertEqual(command("run"), 0)

        self.assertEqual(command("estop"), 0)
        self.state_is("SAFE")
        self.check_moves(False)
        for name in ("run", "pause", "arm"):
            self.assertNotEqual(command(name), 0, f"{name} must not lead out of SAFE")
        self.assertEqual(self.modbus.state(), "SAFE")
        self.assertEqual(command("reset"), 0)
        self.state_is("STOPPED")
        while True:
            begin = time.monotonic()
            results = command("run"), command("arm")
            if time.monotonic() - begin < bench.REARM or results[1] != 0:
                break
            self.assertEqual(command("estop"), 0)  # the host held up this test: again
            self.state_is("SAFE")
            bench.wait_for("a reset", lambda: command("reset") == 0)
        self.assertEqual(results, (1, 6), "after SAFE run takes an arm before it, and the arm a while in which nobody asks")
        self.state_is("STOPPED")
        bench.wait_to_rearm()
        self.assertEqual(command("arm"), 0)
        self.assertEqual(command("run"), 0)
        self.state_is("RUNNING")

    def test_osc(self):
        requests = iter(range(100, 200))
        self.check_life(lambda name: self.osc.command(name, next(requests)))

    def test_modbus(self):
        sequences = iter(range(1, 100))

        def command(name):
            try:
                return self.modbus.command(name, next(sequences))
            except bench.ModbusError as refused:  # a write while SAFE: exception 4
                self.assertEqual(refused.code, 4)
                return 1

        self.check_life(command)

    def test_same_sequence_acts_once(self):
        self.assertEqual(self.modbus.command("run", 1), 0)
        self.state_is("RUNNING")
        self.modbus.write(0, [bench.COMMANDS["pause"], 0, 1])
        self.check_moves(True)

    def test_an_estop_acts_whatever_the_sequence_says(self):
        """Two clients that both count from 1; then a master that writes code 8 in each of its cycles."""
        self.assertEqual(self.modbus.command("run", 1), 0)
        other = bench.ModbusClient(self.daemon.modbus_port)
        self.addCleanup(other.close)
        other.write(0, [bench.COMMANDS["estop"], 0, 1])
        self.state_is("SAFE")
        for k in range(20):
            other.write(0, [bench.COMMANDS["estop"]])
            self.osc.command("reset", k)
        other.write(0, [bench.COMMANDS["estop"]])
        self.state_is("SAFE")

    def test_no_bundle_leads_from_safe_to_motion(self):
        """No single bundle leads to motion, no repeated bundle, and no arm repeated faster than every half second."""
        self.assertEqual(self.osc.command("run", 1), 0)
        self.assertEqual(self.osc.command("estop", 2), 0)
        self.state_is("SAFE")
        names = ("reset", "arm", "run")
        for k in range(5):
            self.osc.send(bench.osc_bundle(*[bench.osc_message(f"/ali3/cmd/{name}", "i", 10 + k) for name in names]))
            answers = [self.osc.answer("/ali3/ack") for _ in names]
            self.assertEqual(answers, [["reset", 10 + k, 0], ["arm", 10 + k, 6], ["run", 10 + k, 1]])
            self.state_is("STOPPED")
            bench.run_on(1.0 if k < 2 else 0.1)
        numbers = itertools.count(20)

        def arms():
            """The results of arms at short intervals after a reset; None if the host held this test up for half a second."""
            last, results = time.monotonic(), []
            self.assertEqual(self.osc.command("estop", next(numbers)), 0)
            self.state_is("SAFE")
            bench.wait_for("a reset", lambda: self.osc.command("reset", next(numbers)) == 0)
            for _ in range(12):
                bench.pace(0.05)
                begin, last = last, time.monotonic()
                results.append(self.osc.command("arm", next(numbers)))
                if time.monotonic() - begin >= bench.REARM:
                    return None
            return results
        self.assertEqual(bench.wait_for("arms at short intervals", arms), 12 * [6])
        self.assertEqual(self.modbus.state(), "STOPPED")
        bench.wait_to_rearm()
        self.assertEqual([self.osc.command(name, next(numbers)) for name in ("arm", "run")], [0, 0])
        self.state_is("RUNNING")

    def test_oscsend(self):
        """The commands from a shell, with the client of another project."""
        oscsend = bench.need("oscsend")
        for name, state in (("run", "RUNNING"), ("pause", "PAUSED"), ("run", "RUNNING"), ("estop", "SAFE"), ("reset", "STOPPED")):
            subprocess.run([oscsend, "127.0.0.1", str(self.daemon.osc_port), f"/ali3/cmd/{name}"], check=True, timeout=bench.PATIENCE)
            self.state_is(state)

    def test_status_and_ping(self):
        self.osc.send(bench.osc_message("/ali3/status"))
        name, code, period = self.osc.answer("/ali3/status")[:3]
        self.assertEqual(bench.STATES[code], name)
        self.assertAlmostEqual(period, 10.0, places=4)
        sent = time.time_ns()
        self.osc.send(bench.osc_message("/ali3/ping", "ih", 5, sent))
        self.assertEqual(self.osc.answer("/ali3/pong")[:2], [5, sent])


if __name__ == "__main__":
    bench.main()
