#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-link: daemons in lockstep that exchange values, over good and bad networks."""
import contextlib
import csv
import itertools
import json
import os
import re
import signal
import time

import bench
import disorder
import linked
from linked import STEPS, WIRES, cart, daemon


class Link(linked.Case):
    @contextlib.contextmanager
    def pair(self):
        with daemon(cart()) as a, daemon(cart(2.0, -0.4)) as b:
            yield {"a": a, "b": b}

    def over(self, daemons, loss, **keys):
        with disorder.Relay(daemons["a"].osc_port, loss, seed=3) as near, disorder.Relay(daemons["b"].osc_port, loss, seed=4) as far:
            rows = self.rows(self.file(daemons, ports={"a": near.port, "b": far.port}, **keys))
            self.assertEqual(near.lost > 0, loss > 0)
        return rows

    def test_a_bad_network_changes_no_bit(self):
        with self.pair() as daemons:
            seen = {}
            for order in ("jacobi", "gauss_seidel"):
                good = self.rows(self.file(daemons, order=order))
                self.assertEqual(len(good), STEPS + 1)
                self.assertEqual(good[0], "time,a.joint.rail.position,b.joint.pivot.position")
                for loss in (0, 0.1, 0.3):
                    self.assertEqual(self.over(daemons, loss, order=order), good, f"{order}, loss {loss}")
                seen[order] = good
            self.assertNotEqual(seen["jacobi"][20:], seen["gauss_seidel"][20:])

    def test_a_pause_of_a_participant_changes_no_bit(self):
        with self.pair() as daemons:
            steps = 10000
            good = self.rows(self.file(daemons), steps)
            record = os.path.join(self.dir.name, "paused.csv")
            process = self.start(self.file(daemons, patience=3600), "--steps", str(steps), "--record", record)
            bench.wait_for("the first lines", lambda: os.path.exists(record) and os.path.getsize(record) > 0)
            daemons["b"].process.send_signal(signal.SIGSTOP)
            bench.run_on(3)
            self.assertIsNone(process.poll())
            daemons["b"].process.send_signal(signal.SIGCONT)
            status, _, errors = self.finish(process)
            self.assertEqual(status, 0, errors)
            with open(record, encoding="utf-8") as f:
                self.assertEqual(f.read().splitlines(), good)

    def test_a_pause_of_everything_at_the_start_is_no_silence(self):
        """As by a host that is held up for longer than the patience, before the daemons have answered."""
        with self.pair() as daemons:
            for d in daemons.values():
                d.process.send_signal(signal.SIGSTOP)
            process = self.start(self.file(daemons, patience=5), "--steps", "5")
            bench.run_on(0.5)
            process.send_signal(signal.SIGSTOP)
            bench.run_on(6)
            for p in (process, *(d.process for d in daemons.values())):
                p.send_signal(signal.SIGCONT)
            status, _, errors = self.finish(process)
            self.assertEqual(status, 0, errors)

    def test_the_exchange_is_what_it_says(self):
        """A client that sends the recorded values of b to a, one step late, gets the recorded values of a."""
        with self.pair() as daemons:
            rows = list(csv.DictReader(self.rows(self.file(daemons), 50)))
            force = [0.0] + [5 * float(r["b.joint.pivot.position"]) + 0.25 for r in rows]
            bench.run_on(1.2)  # an input belongs to a client until that client was silent for 1 s
            client = bench.OscClient(daemons["a"].osc_port)
            client.send(bench.osc_message("/ali3/sub", "siii", "joint", 0, 1, 1))
            client.answer("/ali3/sub/ack")
            self.assertEqual(client.command("reset", 900), 0)
            for n, row in enumerate(rows):
                client.send(bench.osc_bundle(bench.osc_message("/ali3/input/motor/value", "d", force[n]),
                                             bench.osc_message("/ali3/step", "ii", 1, 1001 + n)))
                position = None
                while True:
                    messages = {address: values for address, _, values in bench.osc_decode(client.socket.recv(65536))}
                    position = messages.get("/ali3/joint/rail/position", [position])[0]
                    if messages.get("/ali3/ack", [])[:2] == ["step", 1001 + n]:
                        break
                self.assertEqual(position, float(row["a.joint.rail.position"]), f"step {n}")
            client.close()

    def test_a_killed_peer_is_named(self):
        with self.pair() as daemons:
            process = self.start(self.file(daemons, patience=2), "--json")
            bench.wait_for("steps", lambda: daemons["b"].watch()["cycle"] > 200)
            daemons["b"].process.kill()
            begin = time.monotonic()
            status, out, errors = self.finish(process)
            self.assertEqual(status, 3, errors)
            bench.in_time(self, time.monotonic() - begin, 3.0)
            self.assertRegex(errors, r"ali3-link: b: silent for 2 s")
            self.assertRegex(errors, r"ali3-link: a: waits for a step, at [0-9.]+ s")
            end = json.loads(out)
            self.assertEqual((end["status"], end["ended_by"]), (3, "b"))
            self.assertGreater(end["steps"], 0)
            self.assertEqual(daemons["a"].watch()["state"], "RUNNING")

    def step_once(self, client):
        """A step that meets one of ali3-link is refused as busy."""
        numbers = itertools.count(1)

        def made():
            client.send(bench.osc_message("/ali3/step", "ii", 1, next(numbers)))
            result = client.answer("/ali3/ack")[2]
            self.assertIn(result, (0, 5))
            return result == 0
        bench.wait_for("a step", made)

    def test_other_clients_do_not_go_unseen(self):
        for what in ("step", "reset"):
            with self.pair() as daemons:
                process = self.start(self.file(daemons))
                bench.wait_for("steps", lambda d=daemons: d["a"].watch()["cycle"] > 200)
                client = bench.OscClient(daemons["a"].osc_port)
                if what == "step":
                    self.step_once(client)
                else:
                    self.assertEqual(client.command("reset", 7), 0)
                status, _, errors = self.finish(process)
                self.assertEqual(status, 1, errors)
                self.assertRegex(errors, "a: it(s time)? (.* in place of .*: another client|refuses a step: it (is not RUNNING|makes steps of another client))")
                client.close()

    def test_steps_of_unequal_periods(self):
        with daemon(cart()) as a, daemon(cart(2.0, -0.4), period=0.0025) as b:
            rows = self.rows(self.file({"a": a, "b": b}, steps=2), 20)
            self.assertEqual(rows[-1].split(",")[0], "0.4")
            for d in (a, b):
                bench.wait_for("the time", lambda d=d: abs(d.watch()["time_s"] - 0.4) < 1e-6)
        with daemon(cart()) as a, daemon(cart(), period=0.003) as b:
            status, _, errors = self.link(self.file({"a": a, "b": b}), "--check")
            self.assertEqual(status, 2)
            self.assertRegex(errors, r"link.yaml:\d+:\d+: error: the communication step of 0.01 s is no whole number of periods of b, 0.003 s")

    def test_mistakes_have_their_line(self):
        with self.pair() as daemons:
            cases = [
                ({"from": "a.joint.rail.positoin", "to": "b.input.motor"}, 'a has no signal that it sends "joint.rail.positoin"; did you mean "joint.rail.position"?'),
                ({"from": "a.joint.rail.position", "to": "b.input.moter.value"}, 'b has no input "input.moter.value"; did you mean "input.motor.value"?'),
                ({"from": "a.joint.rail.position", "to": "b.body.cart.position"}, '"body.cart.position" is no input of b'),
                ({"from": "a.body.cart.position", "to": "b.input.motor"}, "a.body.cart.position has 3 values, and b.input.motor has 1"),
                ({"from": "a.joint.rail.position", "to": "b.input.motor"}, 'joint.rail.position is in "m", and input.motor.value in "N"; add the key scale'),
                ({"from": "c.joint.rail.position", "to": "b.input.motor"}, "expected PARTICIPANT.SIGNAL with one of the names in participants"),
                ({"from": "a.joint.rail.position", "to": "b.input.motor", "gain": 1}, 'unknown key "gain" in a wire'),
            ]
            for wire, text in cases:
                status, _, errors = self.link(self.file(daemons, wires=[wire]), "--check")
                self.assertEqual(status, 2, errors)
                self.assertRegex(errors, r"link.yaml:\d+:\d+: error: " + re.escape(text))
            status, _, errors = self.link(self.file(daemons, wires=WIRES + [WIRES[0]]), "--check")
            self.assertEqual(status, 2)
            self.assertIn("b.input.motor.value has a wire already, from a.joint.rail.position", errors)
            status, out, errors = self.link(self.file(daemons), "--check", "--json")
            self.assertEqual(status, 0, errors)
            self.assertEqual([(w["from"], w["to"], w["scale"], w["offset"]) for w in json.loads(out)["wires"]],
                             [("a.joint.rail.position", "b.input.motor.value", -30, 0), ("b.joint.pivot.position", "a.input.motor.value", 5, 0.25)])

    def test_a_daemon_that_cannot_step_is_named(self):
        with daemon(cart()) as a, daemon(cart()) as b:
            client = bench.OscClient(b.osc_port)
            self.assertEqual(client.command("stop", 5), 0)
            status, _, errors = self.link(self.file({"a": a, "b": b}, patience=3), "--steps", "5")
            self.assertEqual(status, 1)
            self.assertRegex(errors, "b: it is in STOPPED, and expected in RUNNING")
            client.close()


if __name__ == "__main__":
    bench.main()
