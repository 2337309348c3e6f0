#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-link --pace frames: FMUs beside a daemon in real time. Its outputs are inputs with age, policy and limits, and the
loop goes on whatever it does."""
import contextlib
import csv
import itertools
import json
import math
import os
import re
import signal
import sys

import bench
import linked
from linked import cart, children

sys.path.insert(0, os.path.join(bench.ROOT, "tests", "fmi"))
import brake  # noqa: E402

SECONDS = 3  # of each phase that counts misses
WIRES = [{"from": "a.joint.rail.velocity", "to": "brake.speed"}, {"from": "brake.force", "to": "a.input.motor"}]


def running_daemon(inputs=("motor",), cycle=None, **input_keys):
    keys = {"policy": "ramp", "ramp": 0, "hold": 0.3, "recover": 1, **input_keys}
    model = cart()
    model["forces"].append({"name": "turn", "type": "motor", "joint": "pivot"})
    return bench.Daemon(model=model, cycle={"period": 0.01, "warmup": 1, **(cycle or {})},
                        inputs=[{"name": name, "force": name, **keys} for name in inputs])


class Case(linked.Case):
    def brake(self, name="brake.fmu", **start):
        library = os.path.join(os.path.dirname(bench.BIN), "tests", "brake.so")
        fmu = {"fmu": brake.write(os.path.join(self.dir.name, name), library)}
        return {**fmu, "start": start} if start else fmu

    def begin(self, participants, *arguments, wires=None, **keys):
        """ali3-link, whose messages go to a file."""
        self.said_file = os.path.join(self.dir.name, "said")
        with open(self.said_file, "w", encoding="utf-8") as f:
            process = linked.subprocess.Popen(
                [bench.program("ali3-link"), self.file(participants, wires or WIRES, **keys), "--pace", "frames", "--json", *arguments],
                stdin=linked.subprocess.DEVNULL, stdout=linked.subprocess.PIPE, stderr=f, text=True)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def said(self):
        with open(self.said_file, encoding="utf-8") as f:
            return f.read()

    def wait_for_text(self, text):
        bench.wait_for(lambda: f"{text}; it said:\n{self.said()}", lambda: re.search(text, self.said()))

    @staticmethod
    def condition(daemon, name="motor"):
        return next(i for i in daemon.watch()["inputs"] if i["name"] == name)["state"]

    def wait_for_state(self, daemon, state, name="motor"):
        bench.wait_for(f"{name} {state}", lambda: self.condition(daemon, name) == state)

    def result(self, process):
        out, _ = process.communicate(timeout=bench.PATIENCE)
        return process.returncode, json.loads(out)


class Frames(Case):
    def test_outputs_are_inputs(self):
        """The brake stops the cart, whose recorded speeds and forces fit."""
        record = os.path.join(self.dir.name, "values.csv")
        with running_daemon() as a:
            process = self.begin({"a": a, "brake": self.brake(gain=4.0)}, "--steps", "300", "--record", record)
            self.wait_for_state(a, "fresh")
            status, end = self.result(process)
            self.assertEqual(status, 0, self.said())
            of_brake = end["participants"][1]
            self.assertEqual(end["steps"], 300)
            self.assertGreater(of_brake["steps"], 0)
            self.assertLessEqual(of_brake["steps"] + of_brake["skipped"], 300)
            self.assertEqual(a.watch()["state"], "RUNNING")
            self.wait_for_state(a, "stale")
            with open(record, encoding="utf-8") as f:
                rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]
            self.assertEqual(len(rows), 300)
            speeds = {-4.0 * row["a.joint.rail.velocity"] for row in rows}
            self.assertTrue({row["brake.force"] for row in rows[1:]} <= speeds | {0.0})
            self.assertGreater(len({row["brake.force"] for row in rows}), 20)

    def test_an_fmu_that_hangs_dies_and_is_alone(self):
        with running_daemon(("motor", "turn")) as a:
            wires = WIRES + [{"from": "a.joint.pivot.velocity", "to": "other.speed", "scale": 1},
                             {"from": "other.force", "to": "a.input.turn", "scale": 0.001}]
            process = self.begin({"a": a, "brake": self.brake(gain=4.0), "other": self.brake("other.fmu")}, wires=wires, patience=2)
            self.wait_for_state(a, "fresh")
            self.wait_for_state(a, "fresh", "turn")
            # ali3-link starts them in the order of the file.
            first, second = children(process.pid)
            os.kill(first, signal.SIGSTOP)
            self.wait_for_state(a, "stale")
            self.wait_for_text(r"ali3-link: brake: its step from \S+ s does not end; its outputs are not sent meanwhile")
            self.wait_for_state(a, "fresh", "turn")
            bench.wait_for("the line of the log", lambda: "input motor: stale" in a.said())
            os.kill(first, signal.SIGCONT)
            self.wait_for_state(a, "fresh")
            self.wait_for_text(r"ali3-link: brake: answers again after \S+ s; its outputs are sent again")
            os.kill(first, signal.SIGKILL)
            self.wait_for_text(r"ali3-link: brake: (its process was ended|.* ended the process) by signal 9 \(Killed\).*; its outputs are not sent any more")
            self.wait_for_state(a, "stale")
            self.wait_for_state(a, "fresh", "turn")
            self.assertIsNone(process.poll())
            os.kill(second, signal.SIGKILL)
            status, end = self.result(process)
            self.assertEqual((status, end["ended_by"]), (1, "brake"))
            self.assertEqual(a.watch()["state"], "RUNNING")
            cycle = a.watch()["cycle"]
            bench.wait_for("later cycles", lambda: a.watch()["cycle"] > cycle + 20)

    def test_the_policy_safe_stops_the_motion(self):
        """As with every client. The death of an FMU that is idle meanwhile is seen, too."""
        with running_daemon(policy="safe") as a:
            process = self.begin({"a": a, "brake": self.brake()}, patience=3)
            self.wait_for_state(a, "fresh")
            child = children(process.pid)[0]
            os.kill(child, signal.SIGSTOP)
            bench.wait_for("SAFE", lambda: a.watch()["state"] == "SAFE")
            os.kill(child, signal.SIGCONT)
            self.wait_for_state(a, "fresh")
            os.kill(child, signal.SIGKILL)
            status, end = self.result(process)
            self.assertEqual((status, end["ended_by"]), (1, "brake"))
            self.assertRegex(self.said(), r"brake: (its process was ended|.* ended the process) by signal 9 \(Killed\).*; its outputs are not sent any more")

    def test_an_input_of_two_fmus(self):
        """A message with a value of an FMU that hangs is not sent, though the other FMU answers."""
        model = cart()
        with bench.Daemon(model=model, cycle={"period": 0.01, "warmup": 1},
                          inputs=[{"name": "push", "body": "cart", "policy": "safe", "hold": 0.3, "recover": 1}]) as a:
            wires = [{"from": "one.force", "to": "a.input.push.force.x"}, {"from": "two.force", "to": "a.input.push.force.y"}]
            process = self.begin({"a": a, "one": self.brake("one.fmu"), "two": self.brake("two.fmu")}, wires=wires)
            self.wait_for_state(a, "fresh", "push")
            os.kill(children(process.pid)[1], signal.SIGSTOP)
            self.wait_for_state(a, "stale", "push")

    def test_a_required_input_lets_it_start(self):
        with running_daemon(cycle={"autostart": False}, required=True) as a:
            client = bench.OscClient(a.osc_port)
            self.addCleanup(client.close)
            self.assertEqual(client.command("arm", 1), 4)
            self.begin({"a": a, "brake": self.brake()})
            numbers = itertools.count(2)

            def ran():
                """Without a stop before it a run needs no arm; between the two the input may become fresh, or stale on a busy host."""
                client.command("arm", next(numbers))
                return client.command("run", next(numbers)) == 0
            bench.wait_for("a run", ran)
            bench.wait_for("RUNNING", lambda: a.watch()["state"] == "RUNNING")

    def test_a_daemon_that_ends_is_named(self):
        with running_daemon() as a:
            process = self.begin({"a": a, "brake": self.brake()}, patience=3)
            self.wait_for_state(a, "fresh")
            a.process.kill()
            status, end = self.result(process)
            self.assertEqual((status, end["ended_by"]), (3, "a"), self.said())

    def test_another_owner_is_reported(self):
        with running_daemon() as a, contextlib.closing(bench.OscClient(a.osc_port)) as other:
            push = bench.osc_message("/ali3/input/motor/value", "f", 1.0)
            bench.wait_for("an owner", lambda: other.send(push) or self.condition(a) == "fresh")
            self.begin({"a": a, "brake": self.brake()})
            bench.wait_for("the message", lambda: other.send(push) or "a: another client owns an input" in self.said())

    def test_mistakes(self):
        with running_daemon() as a, linked.daemon(cart()) as b:
            for participants, pace, text in (
                    ({"a": a}, "frames", "--pace frames: expected one ali3d and at least one FMU, found 1 and 0"),
                    ({"a": a, "c": a, "brake": self.brake()}, "frames", "expected one ali3d and at least one FMU, found 2 and 1"),
                    ({"a": b, "brake": self.brake()}, "frames", "has cycle.clock lockstep, which has no pace; leave out --pace frames"),
                    ({"a": a, "brake": self.brake()}, "lockstep", "a: expected cycle.clock lockstep in ")):
                status, _, errors = self.link(self.file(participants, WIRES), "--pace", pace, "--check")
                self.assertEqual(status, 2, errors)
                self.assertIn(text, errors)
            status, _, errors = self.link(self.file({"a": a}, WIRES), "--pace", "fast")
            self.assertEqual(status, 2)
            self.assertIn("--pace: expected lockstep or frames, found fast", errors)


class Misses(Case):
    def test_no_miss_is_added(self):
        """Beside a calm phase: an FMU that works, one that hangs, and one that dies."""
        with running_daemon() as a:
            counts = []

            def phase():
                before = a.watch()["misses"]
                bench.run_on(SECONDS)
                counts.append(a.watch()["misses"] - before)
                return counts[-1]

            calm = phase() if a.watch()["realtime"] else math.inf
            process = self.begin({"a": a, "brake": self.brake()})
            self.wait_for_state(a, "fresh")
            bench.no_more_misses(phase, calm, 1)
            os.kill(children(process.pid)[0], signal.SIGSTOP)
            self.wait_for_state(a, "stale")
            bench.no_more_misses(phase, calm, 1)
            os.kill(children(process.pid)[0], signal.SIGKILL)
            bench.no_more_misses(phase, calm, 1)
            print(f"misses in phases of {SECONDS} s, the first of them calm: {counts}")


if __name__ == "__main__":
    bench.main()
