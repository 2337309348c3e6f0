#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The daemon as a service: stopped and continued, with a stuck loop, with histograms to
clear and a file to reread; and its messages."""
import contextlib
import json
import os
import re
import signal
import socket
import time
import unittest

import bench

STUCK = os.path.join("..", "tests", "ali3d_stuck")
SAFE, FAULT_STUCK = 6, 7
STOP = 3.0  # s


def misses_of(path):
    """The records of a miss log."""
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def wait_hearing(d, what, condition):
    """bench.wait_for() that takes the notifications as they come, so that each has the time of its arrival."""
    return bench.wait_for(what, lambda: d.hear() and condition())


class Suspended(unittest.TestCase):
    def stopped(self, overrun):
        """A daemon is stopped for a while: its report, and the record of the miss."""
        with bench.Daemon(["--miss-log", "misses"], cycle={"overrun": overrun}) as d:
            d.process.send_signal(signal.SIGSTOP)
            bench.run_on(STOP)
            d.process.send_signal(signal.SIGCONT)
            bench.wait_for("the miss in the log", lambda: "process stopped for" in d.said())
            watched = d.watch()
            status, report = d.stop()
            self.assertEqual(status, 0, d.said())
            self.assertEqual(watched["state"], "RUNNING", d.said())
            self.assertNotIn("stuck", d.said())
            stopped = re.search(r"SIGCONT: the process was stopped for (\d+\.\d+) s", d.said())
            self.assertGreater(float(stopped.group(1)), STOP - 1, d.said())
            self.assertEqual(report["misses_by_cause"]["suspended"], 1, d.said())
            self.assertEqual(sum(report["misses_by_cause"].values()), report["misses"])
            self.assertEqual(report["overrun"], overrun)
            (record,) = [m for m in misses_of(os.path.join(d.dir, "misses")) if m["cause"] == "suspended"]
            self.assertGreater(record["suspended_s"], STOP - 0.1)
            self.assertGreater(record["end_s"] - record["start_s"], STOP - 0.1)
            self.assertEqual((record["overrun"], record["state"]), (overrun, "RUNNING"))
            self.assertIn(record["text"], d.said())
            self.assertTrue(any(record["text"] == text for text in report["last_misses"]) or report["misses"] > 10)
            print(f"{overrun}: {record['text']}; misses {report['misses_by_cause']}, late starts {report['late_starts']}")
            return report, record

    def test_skip(self):
        report, record = self.stopped("skip")
        self.assertGreater(record["skipped"], STOP * 100 - 10)
        self.assertEqual((report["late_starts"], report["slipped_s"]), (0, 0))

    def test_catch_up(self):
        report, record = self.stopped("catch_up")
        self.assertGreaterEqual(report["misses_by_cause"]["carried"], 1)
        self.assertGreater(record["skipped"], STOP * 100 - 10)
        self.assertGreaterEqual(report["late_starts"], 3)

    def test_slip(self):
        report, record = self.stopped("slip")
        self.assertEqual((record["skipped"], report["skipped"]), (0, 0))
        self.assertGreater(report["slipped_s"], STOP - 0.1)


class Stuck(unittest.TestCase):
    @contextlib.contextmanager
    def stuck(self, **changes):
        """A daemon with a stuck loop, and the function that releases it."""
        d = bench.Daemon(executable=STUCK, **changes)
        pipe = os.path.join(d.dir, "gate")
        os.mkfifo(pipe)
        d.environment = {"STUCK_AT": "150", "STUCK_UNTIL": pipe, "WATCHDOG_USEC": "400000"}

        def let_go():
            gate = os.open(pipe, os.O_WRONLY)
            os.write(gate, b"\n")
            os.close(gate)

        with d:
            yield d, let_go

    def status(self, osc):
        osc.send(bench.osc_message("/ali3/status"))
        values = osc.answer("/ali3/status")
        return values[1], values[7]

    def fed(self, d, since):
        d.hear()
        return sum(1 for t, line in d.notified if line == "WATCHDOG=1" and t > since)

    def test_safe_to_the_outside_and_then_inside(self):
        with self.stuck() as (d, let_go):
            osc, modbus = bench.OscClient(d.osc_port), bench.ModbusClient(d.modbus_port)
            self.addCleanup(osc.close)
            self.addCleanup(modbus.close)
            wait_hearing(d, "SAFE over OSC", lambda: self.status(osc) == (SAFE, FAULT_STUCK))
            state, bits, fault = modbus.inputs(2, 3)
            self.assertEqual((state, fault), (SAFE, FAULT_STUCK))
            self.assertEqual(bits & 0b11111, 0b10000, "safe, and neither running nor ready")
            line = r"loop stuck at cycle \d+ for \d+\.\d+ s \(RUNNING\); reporting SAFE to clients; its thread \d+ sleeps"
            wait_hearing(d, "the line of the log", lambda: re.search(line, d.said()))
            print(re.search("loop stuck at.*", d.said()).group())

            self.assertEqual(osc.command("run", 1), 1)
            modbus.write(0, [bench.COMMANDS["run"], 0, 5])  # taken without effect, as in every SAFE
            osc.send(bench.osc_message("/ali3/cmd/reset", "i", 2))
            osc.send(bench.osc_message("/ali3/sub", "siii", "status", 0, 1, 0))
            for _ in range(2):  # without being asked, again and again
                self.assertEqual(osc.answer("/ali3/status")[1], SAFE)

            d.hear()  # messages from before the loop stood still
            since = time.monotonic()
            bench.run_on(0.5)
            self.assertEqual(self.fed(d, since), 0, "the watchdog was fed for a loop that stands still")

            let_go()
            wait_hearing(d, "the loop's own SAFE", lambda: "RUNNING -> SAFE: the loop was stuck" in d.said())
            wait_hearing(d, "the line of the log", lambda: re.search(r"the loop advances again, at cycle \d+ after \d+\.\d+ s", d.said()))
            self.assertEqual(osc.answer("/ali3/ack"), ["reset", 2, 6], "a reset from before must not lead out")
            cycle = d.watch()["cycle"]
            wait_hearing(d, "20 more cycles", lambda: d.watch()["cycle"] > cycle + 20)
            watched = d.watch()
            self.assertEqual((watched["state"], watched["fault"]), ("SAFE", FAULT_STUCK))
            self.assertEqual((modbus.state(), self.status(osc)), ("SAFE", (SAFE, FAULT_STUCK)))
            wait_hearing(d, "the watchdog fed again", lambda: self.fed(d, since) > 0)

            self.assertEqual(osc.command("arm", 3), 1)
            requests = iter(range(4, 10))
            bench.run_again(lambda name: osc.command(name, next(requests)))
            wait_hearing(d, "RUNNING over Modbus", lambda: modbus.state() == "RUNNING")
            self.assertEqual(d.stop()[0], 0)

    def test_lockstep(self):
        """A loop that waits for a command is not stuck; a loop that does not carry out its command is."""
        with self.stuck(cycle={"clock": "lockstep"}) as (d, let_go):
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            bench.run_on(0.5)
            since = time.monotonic()
            wait_hearing(d, "the watchdog fed while the loop waits", lambda: self.fed(d, since) > 2)
            self.assertNotIn("stuck", d.said())
            for step in range(300):
                osc.send(bench.osc_message("/ali3/step", "ii", 1, step))
                while not (stuck := "loop stuck" in d.said()):
                    with contextlib.suppress(AssertionError):
                        osc.answer("/ali3/ack", 0.5)
                        break
                if stuck:
                    break
            wait_hearing(d, "SAFE over OSC", lambda: self.status(osc) == (SAFE, FAULT_STUCK))
            let_go()
            wait_hearing(d, "the loop's own SAFE", lambda: "RUNNING -> SAFE: the loop was stuck" in d.said())
            self.assertEqual(osc.command("reset", 1000), 0)
            self.assertEqual(d.stop()[0], 0)

    def test_it_can_be_left(self):
        with self.stuck() as (d, _):
            wait_hearing(d, "the loop stuck", lambda: "loop stuck" in d.said())
            d.process.terminate()
            self.assertEqual(d.finish(30), 1, d.said())
            self.assertIn("the loop does not end", d.said())


class Signals(unittest.TestCase):
    def test_the_book_is_cleared(self):
        with bench.Daemon() as d:
            bench.wait_for("100 cycles", lambda: d.watch()["cycle_us"]["count"] > 100)
            d.process.send_signal(signal.SIGUSR1)
            bench.wait_for("a book that begins anew", lambda: (w := d.watch())["cycle_us"]["count"] < w["cycle"] - 100)
            self.assertIn("SIGUSR1", d.said())
            self.assertEqual(d.watch()["state"], "RUNNING")
            self.assertEqual(d.stop()[0], 0)

    def change(self, d, **sections):
        """Changes values in the file of the daemon."""
        with open(d.config, encoding="utf-8") as f:
            config = json.load(f)
        for section, keys in sections.items():
            config.setdefault(section, {}).update(keys)
        d.file("bench.json", json.dumps(config, indent=1))

    def reload(self, d, said):
        d.notified.clear()
        before = len(d.said())
        d.process.send_signal(signal.SIGHUP)
        bench.wait_for(lambda: f"'{said}' in:\n{d.said()[before:]}", lambda: re.search(said, d.said()[before:]))
        bench.wait_for("READY=1 after it", lambda: "READY=1" in d.hear())
        lines = d.hear()
        self.assertLess(lines.index("RELOADING=1"), lines.index("READY=1"))
        self.assertTrue(any(line.startswith("MONOTONIC_USEC=") for line in lines))
        return d.said()[before:]

    def test_reload(self):
        with bench.Daemon() as d:
            self.assertNotIn("changed:", self.reload(d, "reread, nothing changed"))
            self.change(d, cycle={"overrun": "catch_up", "grace": 7}, solver={"iterations": 4}, telemetry={"frames": 7})
            said = self.reload(d, "needs a restart: telemetry.frames\n")
            self.assertIn("bench.json: changed: solver.iterations, cycle.overrun, cycle.grace\n", said)
            self.change(d, cycle={"grace": 8, "max_misses": "many"})
            said = self.reload(d, "correct the file and reload again")
            self.assertRegex(said, r"error: .*bench\.json:\d+:\d+: error: max_misses: expected ")
            self.change(d, cycle={"grace": 8, "max_misses": 0})
            said = self.reload(d, "changed: cycle.grace\n")
            self.assertIn("needs a restart: telemetry.frames\n", said)
            self.assertEqual(d.watch()["state"], "RUNNING")
            status, report = d.stop()
            self.assertEqual((status, report["overrun"]), (0, "catch_up"))

    def fill(self, d):
        """Fills the queue of the service manager, which then takes nothing."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
            filler.setblocking(False)
            filler.connect(d.notify.getsockname())
            with contextlib.suppress(BlockingIOError):
                while True:
                    filler.send(b"X_FULL=1")

    def test_a_service_manager_that_takes_nothing(self):
        """The log, a reload and the end go on; a change of state is told when the manager takes messages again."""
        with bench.Daemon() as d:
            d.hear()
            d.notified.clear()
            self.fill(d)
            bench.wait_for("a line about it", lambda: "the service manager takes no messages" in d.said())
            d.process.send_signal(signal.SIGHUP)
            bench.wait_for("the reload", lambda: "reread, nothing changed" in d.said())
            self.assertNotIn("takes messages again", d.said())
            bench.wait_for("READY=1 after it", lambda: "READY=1" in d.hear())
            lines = d.hear()
            self.assertLess(lines.index("RELOADING=1"), lines.index("READY=1"))
            bench.wait_for("a line about its end", lambda: "takes messages again" in d.said())
            self.fill(d)
            d.process.terminate()
            self.assertEqual(d.process.wait(10), 0, d.said())

    def test_an_input_is_tuned(self):
        """A value beyond a lowered limit is clamped to it, without being sent again."""
        with bench.Daemon(inputs=[{"name": "push", "body": "A", "policy": "hold"}]) as d:
            osc, modbus = bench.OscClient(d.osc_port), bench.ModbusClient(d.modbus_port)
            self.addCleanup(osc.close)
            self.addCleanup(modbus.close)
            osc.send(bench.osc_message("/ali3/input/push/force", "fff", 30.0, 0.0, 0.0))
            bench.wait_for("the input there", lambda: d.watch()["input_age_ms"] is not None)
            self.assertEqual(modbus.inputs(3, 1)[0] >> 8 & 1, 0)
            with open(d.config, encoding="utf-8") as f:
                config = json.load(f)
            config["inputs"][0]["limit_force"] = 10
            d.file("bench.json", json.dumps(config))
            self.reload(d, "changed: inputs.push.limit_force\n")
            bench.wait_for("the input clamped", lambda: modbus.inputs(3, 1)[0] >> 8 & 1)

    def test_a_skipped_change_is_not_in_force(self):
        """Inputs that need a restart, and back again with another limit: the change is logged, and acts."""
        with bench.Daemon(inputs=[{"name": "push", "body": "A", "policy": "hold"}]) as d:
            with open(d.config, encoding="utf-8") as f:
                config = json.load(f)
            config["inputs"][0].update(point=[0, 1, 0], limit_force=20)
            d.file("bench.json", json.dumps(config))
            said = self.reload(d, "needs a restart: inputs.push.point, inputs.push.limit_force\n")
            self.assertNotIn("nothing changed", said)
            del config["inputs"][0]["point"]
            d.file("bench.json", json.dumps(config))
            said = self.reload(d, "changed: inputs.push.limit_force\n")
            self.assertNotIn("restart", said)
            self.assertNotIn("changed:", self.reload(d, "reread, nothing changed"))
            self.assertEqual(d.stop()[0], 0)

    def test_miss_log_is_rotated(self):
        with bench.Daemon(["--miss-log", "misses"]) as d:
            log = os.path.join(d.dir, "misses")
            os.rename(log, log + ".1")
            self.reload(d, "reread, nothing changed")
            self.assertTrue(os.path.exists(log))
            self.assertEqual(d.stop()[0], 0)

    def test_miss_log_that_cannot_be(self):
        with bench.Daemon(["--miss-log", "/nowhere/misses"], wait=False) as d:
            self.assertEqual(d.finish(), 2, d.said())
            self.assertIn("--miss-log: /nowhere/misses: the folder /nowhere does not exist; make it", d.said())


class Watchdog(unittest.TestCase):
    def test_a_period_longer_than_the_patience_of_the_service_manager(self):
        with bench.Daemon(environment={"WATCHDOG_USEC": "400000"}, cycle={"period": 1.0, "warmup": 1},
                          solver={"substeps": 100}) as d:
            start = time.monotonic()

            def fed():
                d.hear()
                return [t for t, line in d.notified if line == "WATCHDOG=1" and t > start]

            bench.wait_for("the watchdog fed ten times", lambda: len(fed()) >= 10)
            self.assertLess(d.watch()["cycle"], 10)
            self.assertEqual(d.stop()[0], 0)


if __name__ == "__main__":
    bench.main()
