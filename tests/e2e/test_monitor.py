#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-top against a real daemon: there, stopped, stuck, gone, and not there yet."""
import json
import re
import signal
import subprocess
import unittest

import bench
from exporter import Exporter


def top(*arguments):
    return subprocess.run([bench.program("ali3-top"), *arguments], capture_output=True, text=True, timeout=bench.PATIENCE,
                          stdin=subprocess.DEVNULL)


class Monitor(unittest.TestCase):
    def test_running(self):
        with bench.Daemon() as d:
            done = top("--once", "--instance", d.name)
            self.assertIn(done.returncode, (0, 1), done.stderr)  # 1: this host missed a deadline
            self.assertIn("RUNNING", done.stdout)
            first = d.watch()["cycle"]
            bench.wait_for("the loop advancing", lambda: d.watch()["cycle"] > first)
            self.assertIn(d.name, top("--list").stdout)
            status, report = d.stop()
            self.assertEqual(status, 0)
            self.assertGreater(report["cycles"] + report["warmup_cycles"], first)
            self.assertEqual(top("--once", "--instance", d.name).returncode, 3)

    def test_line(self):
        with bench.Daemon() as d:
            done = top("--line", "--seconds", "2", "--instance", d.name)
            lines = [line for line in done.stdout.splitlines() if "RUNNING" in line]
            self.assertGreaterEqual(len(lines), 2, done.stdout + done.stderr)

    def test_values(self):
        """Chosen signals: the input is clamped to its range, min and max count every cycle, and the sum of energy is there."""
        push = {"name": "push", "body": bench.four_bar()["model"]["bodies"][0]["name"], "policy": "hold", "limit_force": 5}
        with bench.Daemon(inputs=[push]) as d:
            osc = bench.OscClient(d.osc_port)

            def watch(*more):
                osc.send(bench.osc_message("/ali3/input/push/force", "fff", 9, 1, 0))
                return top("--once", "--watch", "energy.total,input.push.force", "--instance", d.name, *more)

            bench.wait_for("the value at its limit", lambda: "AT ITS RANGE" in watch().stdout)
            signals = json.loads(watch("--json").stdout)["values"]["signals"]
            self.assertEqual([s["name"] for s in signals], ["energy.total"] + [f"input.push.force.{c}" for c in "xyz"])
            self.assertEqual([(s["value"], s["min"], s["max"], s["unit"], s["input"]) for s in signals[1:3]],
                             [(5.0, 0.0, 5.0, "N", "push"), (1.0, 0.0, 1.0, "N", "push")])
            self.assertEqual(json.loads(watch("--json").stdout)["inputs"][0]["channels"][:3],
                             [{"acting": min(w, 5.0), "written": w, "lower": -5.0, "upper": 5.0} for w in (9.0, 1.0, 0.0)])
            self.assertIn("  written 9, range -5 to 5 AT A LIMIT\n", watch().stdout)
            self.assertRegex(watch("--line").stdout, r"  energy\.total \S+ J  input\.push\.force\.x 5 N AT A LIMIT")
            # A reload changes the range.
            with open(d.config, encoding="utf-8") as f:
                config = f.read()
            self.assertEqual(config.count('"limit_force": 5'), 1)
            d.file("bench.json", config.replace('"limit_force": 5', '"limit_force": 6'))
            d.process.send_signal(signal.SIGHUP)
            bench.wait_for("the new range", lambda: "  written 9, range -6 to 6 AT A LIMIT\n" in watch().stdout)
            osc.close()
            self.assertIn('matches "nix"', top("--once", "--watch", "nix", "--instance", d.name).stdout)

    def test_no_ring(self):
        with bench.Daemon(telemetry={"frames": 0}) as d:
            said = json.loads(top("--json", "--watch", "time", "--instance", d.name).stdout)["values"]
            self.assertEqual((said["signals"], said["cycle"]), ([], None))
            self.assertIn("telemetry.frames is 0", said["problem"])

    def test_unhealthy(self):
        with bench.Daemon() as d:
            osc = bench.OscClient(d.osc_port)
            self.assertEqual(osc.command("estop", 1), 0)
            osc.close()
            bench.wait_for("SAFE", lambda: d.watch()["state"] == "SAFE")
            self.assertEqual(top("--once", "--instance", d.name).returncode, 1)

    def test_elements_beyond_their_range(self):
        """The log names a spring whose points pass each other, and a bushing that passes half a turn."""
        sled = {"name": "sled", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0.1, 0, 0], "velocity": [-1, 0, 0]}
        drum = {"name": "drum", "mass": 1, "inertia": [0.01, 0.01, 0.01], "position": [0, 2, 0]}
        model = {"name": "ranges", "gravity": [0, 0, 0], "bodies": [sled, drum],
                 "joints": [{"name": "rail", "type": "prismatic", "body_a": "ground", "body_b": "sled", "at": [0, 0, 0], "axis": [1, 0, 0]},
                            {"name": "axle", "type": "revolute", "body_a": "ground", "body_b": "drum", "at": [0, 2, 0], "axis": [0, 1, 0]}],
                 "forces": [{"name": "coil", "type": "spring_damper", "body_a": "ground", "body_b": "sled", "stiffness": 10, "rest_length": 0.1},
                            {"name": "rubber", "type": "bushing", "body_a": "ground", "body_b": "drum", "rotational_stiffness": [1, 1, 1],
                             "rotational_damping": [0.1, 0.1, 0.1]},
                            {"name": "twist", "type": "torque", "body": "drum", "torque": [0, 4, 0]}]}
        with bench.Daemon(model=model, inputs=[]) as d:
            for text in ('degraded: spring_damper "coil": its points pass each other', 'degraded: bushing "rubber" passes half a turn'):
                bench.wait_for(text, lambda text=text: text in d.said())
            self.assertEqual(d.watch()["status"], "degraded")

    def test_steps_that_do_not_converge(self):
        """A free rotor too fast for its iterations gains energy: the verdict is degraded, and names a remedy."""
        rotor = {**bench.four_bar()["model"]["bodies"][0], "inertia": [[1, 0, 0], [0, 2, 0], [0, 0, 3]],
                 "angular_velocity": [100, 50, 20]}
        with bench.Daemon(model={"bodies": [rotor], "joints": []}, solver={"iterations": 3}) as d:
            bench.wait_for("a degraded step", lambda: d.watch()["degraded_steps"] > 0)
            said = d.watch()
            self.assertEqual(said["status"], "degraded")
            self.assertTrue(any(re.fullmatch(r"\d+ steps? did not converge, the last 0 s ago: raise solver.iterations or shorten "
                                             r"the period", reason) for reason in said["reasons"]), said["reasons"])
            self.assertLessEqual(said["cycle"] - said["degraded_cycle"], 1)
            done = top("--once", "--instance", d.name)
            self.assertEqual(done.returncode, 1)
            self.assertIn("did not converge", done.stdout)
            with Exporter("--name", d.name) as e:
                status, _, body = e.get("/healthz")
                self.assertEqual(status, 503)
                self.assertIn("did not converge", body)

    def test_killed(self):
        with bench.Daemon() as d:
            bench.kill_client(d.process)
            self.assertEqual(top("--once", "--instance", d.name).returncode, 3)

    def test_comes_later_and_goes_away(self):
        d = bench.Daemon()
        watcher = subprocess.Popen([bench.program("ali3-top"), "--line", "--seconds", "3000", "--instance", d.name],
                                   stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
        try:
            bench.run_on(1)
            self.assertIsNone(watcher.poll(), "it must wait for the daemon")
            with d:
                for line in watcher.stdout:
                    if "RUNNING" in line:
                        break
                else:
                    self.fail("it never saw the daemon")
            bench.run_on(1)
            self.assertIsNone(watcher.poll(), "it must survive the daemon")
        finally:
            watcher.send_signal(signal.SIGTERM)
            watcher.wait(10)
            watcher.stdout.close()

    def test_usage(self):
        self.assertEqual(top("--no-such-option").returncode, 2)
        self.assertEqual(top("--once", "--instance", "no-such-instance").returncode, 3)
        self.assertEqual(top("--help").returncode, 0)


if __name__ == "__main__":
    bench.main()
