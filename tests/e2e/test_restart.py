#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A stop survives the process: the start of a daemon after one that was killed, crashed, or ended by an order."""
import contextlib
import json
import os
import signal
import socket
import stat
import unittest

import bench

HALF = "starting in STOPPED: send arm, then run"


class Restart(unittest.TestCase):
    def begin(self, **more):
        d = bench.Daemon(**more)
        self.addCleanup(d.__exit__)
        d.__enter__()
        osc, modbus = bench.OscClient(d.osc_port), bench.ModbusClient(d.modbus_port)
        self.addCleanup(osc.close)
        self.addCleanup(modbus.close)
        self.requests = iter(range(1, 1000))
        self.osc = osc
        self.in_state(d, "RUNNING")
        return d

    def command(self, name):
        return self.osc.command(name, next(self.requests))

    def in_state(self, d, state):
        bench.wait_for(lambda: f"{state}; it said:\n{d.said()}", lambda: d.watch()["state"] == state)

    def kill(self, d, number=signal.SIGKILL):
        d.process.send_signal(number)
        d.process.wait()

    def stopped(self, d):
        """E-stop, latched and on disk."""
        self.assertEqual(self.command("estop"), 0)
        self.in_state(d, "SAFE")
        bench.wait_for("the state file", lambda: d.kept()["fault"] == 1)
        return f"osc client 127.0.0.1:{self.osc.socket.getsockname()[1]}"

    def check_latched(self, d, who, nobody_ordered=True):
        """The new start is in SAFE with the old fault, for every client, and leaves it in the documented way."""
        self.in_state(d, "SAFE")
        how = "without an order" if nobody_ordered else "as ordered"
        self.assertIn(f"the last run ended in SAFE (e-stop requested{who}), {how}; starting in SAFE: send reset, wait 0.5 s, "
                      "send arm, then run\n", d.said())
        self.assertIn("INIT -> SAFE: warm-up over; the last run left a stop latched: e-stop requested\n", d.said())
        self.assertEqual(d.watch()["fault"], 1)
        self.osc.send(bench.osc_message("/ali3/status"))
        status = self.osc.answer("/ali3/status")
        self.assertEqual((status[0], status[7]), ("SAFE", 1))
        modbus = bench.ModbusClient(d.modbus_port)
        self.addCleanup(modbus.close)
        self.assertEqual((modbus.state(), modbus.inputs(4, 1)[0]), ("SAFE", 1))
        self.assertNotEqual(self.command("run"), 0)
        bench.run_again(self.command)
        self.in_state(d, "RUNNING")

    def test_a_kill_does_not_lift_an_estop(self):
        d = self.begin()
        who = self.stopped(d)
        for number in (signal.SIGKILL, signal.SIGABRT):
            self.kill(d, number)
            d.start_again()
            self.in_state(d, "SAFE")
            self.assertEqual(d.kept()["latched_by"], who)
        self.check_latched(d, f", by {who}")

    def test_either_home_is_enough(self):
        d = self.begin()
        who = self.stopped(d)
        self.kill(d)
        os.unlink(f"/dev/shm/ali3-{d.name}")  # a reboot
        d.start_again()
        self.in_state(d, "SAFE")
        self.assertIn(f"by {who}", d.said())
        self.kill(d)
        os.unlink(d.state_file)
        d.start_again()
        self.check_latched(d, f", by {who}")  # the block has it in words by now
        self.assertEqual(self.command("estop"), 0)
        self.in_state(d, "SAFE")
        self.kill(d)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(d.state_file)
        d.start_again()
        self.in_state(d, "SAFE")
        self.assertRegex(d.said(), r"ended in SAFE \(e-stop requested, by osc client \d+\)")

    def test_a_crash_in_motion_leads_to_stopped(self):
        d = self.begin()
        for lost in (None, f"/dev/shm/ali3-{d.name}", d.state_file):
            self.kill(d)
            if lost:
                os.unlink(lost)
            d.start_again()
            self.in_state(d, "STOPPED")
            self.assertIn(f"the last run ended in RUNNING, without an order; {HALF}\n", d.said())
            self.assertIn("INIT -> STOPPED: warm-up over; no autostart: the last run ended without an order", d.said())
            self.assertEqual(self.command("run"), 1)
            bench.run_again(self.command)
            self.in_state(d, "RUNNING")
            bench.wait_for("the state file", lambda: (k := d.kept())["state"] == "RUNNING" and not k["disarmed"])  # within a second

    def test_an_end_on_purpose(self):
        d = self.begin()
        self.assertEqual(d.stop()[0], 0)
        self.assertTrue(d.kept()["ended"])
        d.start_again()
        self.in_state(d, "RUNNING")
        self.assertNotIn("the last run", d.said())
        who = self.stopped(d)
        self.assertEqual(d.stop()[0], 0)
        d.start_again()
        self.check_latched(d, f", by {who}", nobody_ordered=False)

    def test_an_end_between_reset_and_arm(self):
        d = self.begin()
        self.stopped(d)
        self.assertEqual(self.command("reset"), 0)
        self.assertEqual(d.stop()[0], 0)
        d.start_again()
        self.in_state(d, "STOPPED")
        self.assertIn(f"the last run ended in STOPPED, as ordered, before an arm; {HALF}\n", d.said())
        bench.run_again(self.command)
        self.in_state(d, "RUNNING")

    def test_a_start_that_fails_forgets_nothing(self):
        d = self.begin()
        self.stopped(d)
        self.kill(d)
        d.wait = False
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("127.0.0.1", d.modbus_port))
            other.listen()
            d.start_again()
            self.assertEqual(d.finish(), 1)
        d.wait = True
        d.start_again()
        self.in_state(d, "SAFE")

    def test_a_loop_that_does_not_end(self):
        """Declared stuck, then killed, like the watchdog of the service manager does it."""
        d = bench.Daemon(executable=os.path.join("..", "tests", "ali3d_stuck"))
        self.addCleanup(d.__exit__)
        pipe = os.path.join(d.dir, "gate")
        os.mkfifo(pipe)
        d.environment = {"STUCK_AT": "150", "STUCK_UNTIL": pipe}
        d.__enter__()
        bench.wait_for("the state file", lambda: d.kept()["fault"] == 7)
        self.kill(d, signal.SIGABRT)
        d.executable = "ali3d"
        d.start_again()
        self.in_state(d, "SAFE")
        self.assertEqual(d.watch()["fault"], 7)
        self.assertIn("the last run ended in SAFE (the loop was stuck), without an order; starting in SAFE", d.said())

    def test_a_file_that_says_nothing(self):
        d = self.begin()
        self.assertEqual(d.stop()[0], 0)
        with open(d.state_file, "r+", encoding="utf-8") as f:
            f.truncate(40)
        d.start_again()
        self.in_state(d, "STOPPED")
        self.assertIn(f"state file {d.state_file}: not understood: ", d.said())
        self.assertIn(f"{d.state_file} cannot be understood, which counts as an end without an order; {HALF}\n", d.said())

    def test_nobody_can_reset_it(self):
        """Without a port for commands the message names the file."""
        d = bench.Daemon(osc={"enabled": False}, modbus={"enabled": False})
        self.addCleanup(d.__exit__)
        d.__enter__()
        self.in_state(d, "RUNNING")
        self.kill(d)
        d.start_again()
        self.in_state(d, "STOPPED")
        self.assertIn(f"so nobody can send arm: stop ali3d, delete {d.state_file}, start it again\n", d.said())
        self.assertEqual(d.stop()[0], 0)
        os.unlink(d.state_file)
        d.start_again()
        self.in_state(d, "RUNNING")

    def test_a_folder_that_cannot_be_written(self):
        """The default folder; one that --state-dir names is refused at the start (tools/output_files)."""
        d = bench.Daemon()
        self.addCleanup(d.__exit__)
        d.state_dir = None
        d.environment["STATE_DIRECTORY"] = os.path.join(d.file("no-folder", ""), "x")
        d.__enter__()
        self.in_state(d, "RUNNING")
        self.assertIn("will not survive a reboot or a restart of the service; give --state-dir\n", d.said())
        e = bench.Daemon(platform={"mode": "external", "input": "lead", "height": 0.77, "leg_min": 0.70, "leg_max": 1.00,
                                   "leg_rate": 0.5, "base": [[0.587, -0.125, 0], [0.587, 0.125, 0], [-0.185, 0.571, 0],
                                                             [-0.401, 0.446, 0], [-0.401, -0.446, 0], [-0.185, -0.571, 0]],
                                   "top": [[0.301, -0.334, 0], [0.301, 0.334, 0], [0.139, 0.428, 0], [-0.440, 0.094, 0],
                                           [-0.440, -0.094, 0], [0.139, -0.428, 0]]},
                         inputs=[{"name": "lead", "platform": "pose", "policy": "hold"}], wait=False)
        self.addCleanup(e.__exit__)
        e.state_dir = None
        e.environment["STATE_DIRECTORY"] = os.path.join(e.file("no-folder", ""), "x")
        e.__enter__()
        self.assertEqual(e.finish(), 1)
        self.assertIn("error: ", e.said())
        self.assertIn("autostart with a platform needs it, to keep an e-stop over a restart; give --state-dir\n", e.said())


class Report(unittest.TestCase):
    def test_the_report_of_the_last_run_stays_until_there_is_a_new_one(self):
        with bench.Daemon() as d:
            self.assertEqual(d.stop()[0], 0)
            report = d.report()
            cycles = report["cycles"]
            d.start_again()
            self.assertEqual(d.report()["cycles"], cycles)
            d.process.kill()
            d.process.wait()
            self.assertEqual(d.report()["cycles"], cycles)
            os.chmod(d.report_file, 0o640)
            d.start_again()
            bench.wait_for("more cycles", lambda: d.watch()["cycle"] > report["warmup_cycles"] + cycles + 1)
            self.assertEqual(d.stop()[0], 0)
            self.assertGreater(d.report()["cycles"], cycles)
            self.assertEqual(stat.S_IMODE(os.stat(d.report_file).st_mode), 0o640)
            left = [name for name in os.listdir(d.dir) if name.startswith("report")]
            self.assertEqual(left, ["report.json"])

    def test_a_link_stays_a_link(self):
        d = bench.Daemon()
        self.addCleanup(d.__exit__)
        there = d.file("there.json", "{}")
        os.symlink(there, d.report_file)
        with d:
            self.assertEqual(d.stop()[0], 0)
            self.assertTrue(os.path.islink(d.report_file))
            with open(there, encoding="utf-8") as f:
                self.assertIn("cycles", json.load(f))


if __name__ == "__main__":
    bench.main()
