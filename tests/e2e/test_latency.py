#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-latency against a running daemon: every question is answered, with a clock and paced by frames; and its refusals."""
import json
import signal
import subprocess
import unittest

import bench

SHOWN = [{"signal": "input.push.force.x", "table": "input", "address": 200},
         {"signal": "input.push.force.y", "table": "holding", "address": 200, "type": "f64", "word_order": "cdab"},
         {"signal": "input.push.force.y", "table": "input", "address": 204, "type": "f64", "word_order": "dcba"}]


def latency(*arguments):
    return subprocess.run([bench.program("ali3-latency"), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=bench.PATIENCE, check=False)


class Latency(unittest.TestCase):
    def daemon(self, **changes):
        body = bench.four_bar()["model"]["bodies"][0]["name"]
        return bench.Daemon(inputs=[{"name": "push", "body": body, "policy": "hold"}], modbus={"map": SHOWN}, **changes)

    def measure(self, daemon, *arguments):
        done = latency(daemon.config, "--json", "--count", "60", "--wait", "60", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr + daemon.said())
        figures = json.loads(done.stdout)
        for one in figures:
            self.assertEqual((one["answers"], one["lost"], len(one["us"])), (60, 0, 60))
            self.assertEqual(one["us"], sorted(one["us"]))
            self.assertEqual([one["min"], one["max"]], [one["us"][0], one["us"][-1]])
            self.assertLess(0, one["min"])
            print(f"{one['protocol']}, {one['input']}: median {one['median']:.0f} us, p99 {one['p99']:.0f} us, max {one['max']:.0f} us")
        return figures

    def test_by_the_clock(self):
        with self.daemon() as daemon:
            self.assertEqual([one["protocol"] for one in self.measure(daemon)], ["OSC", "Modbus"])
            self.measure(daemon, "--input", "input.push.force.y", "--value", "-0.25", "--protocol", "modbus")
            self.assertEqual(daemon.watch()["state"], "RUNNING")

    def test_an_answer_that_takes_a_second(self):
        """It waits for an answer to a request as long as for that of a measurement."""
        with self.daemon() as daemon:
            run = subprocess.Popen([bench.program("ali3-latency"), daemon.config, "--json", "--protocol", "modbus", "--count", "200", "--wait", "60"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            bench.wait_for("its requests", lambda: daemon.counter("modbus_requests") > 20)
            daemon.process.send_signal(signal.SIGSTOP)
            bench.run_on(1.0)
            daemon.process.send_signal(signal.SIGCONT)
            out, said = run.communicate(timeout=bench.PATIENCE)
            self.assertEqual((run.returncode, said), (0, ""))
            (figures,) = json.loads(out)
            self.assertEqual((figures["answers"], figures["lost"]), (200, 0))
            self.assertGreater(figures["max"], 0.9e6)

    def test_a_range_without_zero(self):
        """It alternates within the range of the input, and refuses a value outside."""
        motor = {"forces": [{"name": "M", "type": "motor", "joint": "J1"}]}
        wire = {"name": "wire", "force": "M", "policy": "hold", "lower": 1, "upper": 2.6, "safe": 1}
        with bench.Daemon(model=motor, inputs=[wire]) as daemon:
            self.measure(daemon, "--input", "input.wire.value", "--protocol", "osc", "--value", "2.127")
            done = latency(daemon.config, "--value", "2.7")
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("--value: expected another value than 1, within 1 to 2.6, the range of input.wire.value, found 2.7", done.stderr)

    def test_silence_ends_the_run_with_a_reason(self):
        body = bench.four_bar()["model"]["bodies"][0]["name"]
        slow = {"name": "push", "body": body, "policy": "hold", "rate_force": 1e-9}
        with bench.Daemon(inputs=[slow]) as daemon:
            done = latency(daemon.config, "--wait", "0.05", "--protocol", "osc")
            self.assertEqual(done.returncode, 1, done.stdout)
            lost = [line for line in done.stderr.splitlines() if " is lost: " in line]
            self.assertGreaterEqual(len(lost), 10, done.stderr)
            for line in lost:
                self.assertRegex(line, r"^ali3-latency: OSC: measurement \d+ is lost: (no frame came|\d+ frames? came, the last one with )")
            self.assertRegex(done.stderr, r"is lost: \d+ frames? came, the last one with \S+ instead of 0\.001\n")
            self.assertIn("OSC: no answer to 10 measurements in a row. The daemon must run this file, be in none of SAFE and FAULT", done.stderr)

    def test_each_loss_over_modbus_has_a_reason(self):
        body = bench.four_bar()["model"]["bodies"][0]["name"]
        slow = {"name": "push", "body": body, "policy": "hold", "rate_force": 1e-9}
        with bench.Daemon(inputs=[slow], modbus={"map": SHOWN}) as daemon:
            done = latency(daemon.config, "--count", "1", "--wait", "0.05", "--protocol", "modbus")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("Modbus: 0 answers, 1 lost", done.stdout)
            self.assertRegex(done.stderr, r"^ali3-latency: Modbus: measurement 1 is lost: the register shows \S+ instead of 0\.001\n$")

    def test_paced_by_frames(self):
        """The tool paces the loop: between its runs there is no beat, which would lead to SAFE."""
        with self.daemon(cycle={"clock": "input", "beat": "osc", "autostart": False}, wait=False) as daemon:
            bench.wait_for("its sockets", lambda: "instance" in daemon.said())
            figures = self.measure(daemon, "--protocol", "osc")
            self.assertGreater(figures[0]["period_us"], 0)

    def test_the_text(self):
        with self.daemon() as daemon:
            done = latency(daemon.config, "--count", "20", "--protocol", "osc", "--limit", "0.001")
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("OSC: 20 answers, 0 lost", done.stdout)
            self.assertIn("#", done.stdout)

    def test_nobody_answers(self):
        with self.daemon() as daemon:
            daemon.stop()
            done = latency(daemon.config, "--count", "2", "--wait", "0.1", "--protocol", "modbus")
            self.assertEqual(done.returncode, 1)
            self.assertIn("Connection refused", done.stderr)

    def test_refused(self):
        with self.daemon() as daemon:
            for arguments, said in ((["--input", "body.A.position.x"], "--input"), (["--value", "0"], "--value"),
                                    (["--protocol", "both"], "--protocol"), ([], "FILE: expected one configuration, found none")):
                done = latency(*([daemon.config] if arguments else []), *arguments)
                self.assertEqual(done.returncode, 2, done.stdout)
                self.assertIn(said, done.stderr)
            done = latency(daemon.config, "--protocol", "modbus", "--input", "input.push.force.z")
            self.assertEqual(done.returncode, 1)
            self.assertIn("add {signal: input.push.force.z, table: input, address: 202} to modbus.map", done.stderr,
                          "the first free address: SHOWN has 200 and 201, and 204 to 207")


if __name__ == "__main__":
    bench.main()
