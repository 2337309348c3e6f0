#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Loops that are paced from outside: lockstep, input frames; and the loop's own figures as a stream."""
import contextlib
import csv
import os
import signal
import struct
import subprocess
import time
import unittest

import bench
import disorder

CRANK = bench.four_bar()["model"]["bodies"][0]["name"]
CHANNELS = 6  # of the one input of the bench


def offline(d, steps):
    """The motion by ali3-sim: {step: [time, 13 values of the crank]}, to the last digit."""
    file = os.path.join(d.dir, "sim.csv")
    columns = ([f"body.{CRANK}.position.{c}" for c in "xyz"] + [f"body.{CRANK}.orientation.e{i}" for i in range(4)]
               + [f"body.{CRANK}.velocity.{c}" for c in "xyz"] + [f"body.{CRANK}.angular_velocity.{c}" for c in "xyz"])
    subprocess.run([bench.program("ali3-sim"), d.config, "--duration", str(steps * 0.01), "--output", file], check=True,
                   timeout=bench.PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(file, encoding="utf-8") as f:
        return {round(float(row["time"]) / 0.01): [float(row[c]) for c in columns] for row in csv.DictReader(f)}


def packets_within(client, seconds):
    """The packets that come in this time, as {address: values}."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        client.socket.settimeout(max(0.001, end - time.monotonic()))
        with contextlib.suppress(TimeoutError):
            yield {address: values for address, _, values in bench.osc_decode(client.socket.recv(65536))}


class Subscriber(bench.OscClient):
    """Receives a stream in 64-bit numbers, and answers, in the order of arrival."""

    def __init__(self, port, stream):
        super().__init__(port)
        self.send(bench.osc_message("/ali3/sub", "siii", stream, 0, 1, 1))
        self.answer("/ali3/sub/ack")

    def packets(self):
        yield from packets_within(self, bench.PATIENCE)
        raise AssertionError(f"nothing that was waited for within {bench.PATIENCE} s")

    def stepped(self, count, request):
        """Asks for steps; returns the last state before the acknowledgement, and its result."""
        self.send(bench.osc_message("/ali3/step", "ii", count, request))
        state = None
        for packet in self.packets():
            if f"/ali3/body/{CRANK}/state" in packet:
                state = packet["/ali3/hdr"][1], packet[f"/ali3/body/{CRANK}/state"]
            if "/ali3/ack" in packet and packet["/ali3/ack"][:2] == ["step", request]:
                return packet["/ali3/ack"][2], state
        return None


class Clocking(unittest.TestCase):
    def test_lockstep_makes_requested_steps_to_the_bit(self):
        with bench.Daemon(cycle={"clock": "lockstep", "autostart": False}) as d:
            client = Subscriber(d.osc_port, "body")
            self.assertEqual(client.stepped(1, 1)[0], 1)  # not running yet
            self.assertEqual(client.command("run", 2), 0)
            done, counts = 0, [1, 1, 7, 30, 1, 160]
            seen = {}
            for i, count in enumerate(counts):
                if i == 3:  # the outside world does not matter
                    d.process.send_signal(signal.SIGSTOP)
                    bench.run_on(3)
                    d.process.send_signal(signal.SIGCONT)
                result, state = client.stepped(count, 100 + i)
                self.assertEqual(result, 0)
                done += count
                self.assertAlmostEqual(state[0], done * 0.01, places=9)  # the answer comes with the last of its frames
                seen[done] = state[1]
            expected = offline(d, done)
            for step, state in seen.items():
                self.assertEqual(struct.pack(">13d", *state), struct.pack(">13d", *expected[step]), f"after step {step}")
            bench.run_on(0.3)  # a loop that waits is neither late nor stuck
            said = d.watch()
            self.assertEqual((said["misses"], said["state"]), (0, "RUNNING"))
            self.assertEqual(said["status"], "healthy", said["reasons"])
            client.close()
            status, report = d.stop()
            self.assertEqual(status, 0)
            self.assertEqual(report["misses"], 0)

    def test_the_answer_never_overtakes_the_frame(self):
        cpus = sorted(os.sched_getaffinity(0))
        with bench.Daemon(cycle={"clock": "lockstep"}, realtime={"cpu": cpus[-1]}) as d:  # another CPU than the sender's
            client = Subscriber(d.osc_port, "body")
            bench.wait_for("RUNNING", lambda: d.watch()["state"] == "RUNNING")
            for i in range(1, 2001):
                if i % 500 == 0:
                    client.send(bench.osc_message("/ali3/sub", "siii", "body", 0, 1, 1))  # the lease
                result, state = client.stepped(3, i)
                self.assertEqual(result, 0)
                self.assertAlmostEqual(state[0], 3 * i * 0.01, places=9)
            client.close()

    def test_a_bad_network_changes_no_bit(self):
        seen = {}
        for loss in (0, 0.1, 0.3):
            with bench.Daemon(cycle={"clock": "lockstep"}, inputs=[{"name": "push", "body": CRANK, "policy": "hold"}]) as d:
                bench.wait_for("RUNNING", lambda d=d: d.watch()["state"] == "RUNNING")
                with disorder.Relay(d.osc_port, loss, seed=7) as relay:
                    seen[loss] = self.steps_over(relay, 100)
                    if loss:
                        self.assertGreater(relay.lost, 0.5 * loss * relay.carried)
            times = [struct.unpack_from(">d", state)[0] for state in seen[loss]]
            for n, t in enumerate(times, 1):  # each step is made once
                self.assertAlmostEqual(t, 0.01 * n, places=9)
        self.assertEqual(len(seen[0]), 100)
        self.assertEqual(seen[0], seen[0.1])
        self.assertEqual(seen[0], seen[0.3])

    @staticmethod
    def steps_over(relay, steps):
        """The crank after each step: time and state, as bytes. Each step has a new force, and is sent until its complete frame is there."""
        client, out = bench.OscClient(relay.port), []
        for n in range(1, steps + 1):
            packet = bench.osc_bundle(bench.osc_message("/ali3/input/push/force", "ddd", 1e-3 * n, 0.1, -1e-3 * n),
                                      bench.osc_message("/ali3/step", "ii", 1, n))
            frames, wanted, end = {}, None, time.monotonic() + bench.PATIENCE
            while wanted is None or wanted not in frames:
                assert time.monotonic() < end, f"step {n} gets no answer"
                if n == 1 or wanted is not None:
                    client.send(bench.osc_message("/ali3/sub", "siii", "body", 0, 1, 1))
                client.send(packet)
                for messages in packets_within(client, 0.03):
                    if f"/ali3/body/{CRANK}/state" in messages:
                        frames[messages["/ali3/hdr"][0]] = struct.pack(">14d", messages["/ali3/hdr"][1], *messages[f"/ali3/body/{CRANK}/state"])
                    if messages.get("/ali3/stepped", [0])[0] == n:
                        wanted = messages["/ali3/stepped"][1]
                    if wanted in frames:
                        break
            out.append(frames[wanted])
        client.close()
        return out

    def test_modbus_asks_for_steps_too(self):
        with bench.Daemon(cycle={"clock": "lockstep"}) as d:
            m = bench.ModbusClient(d.modbus_port)
            bench.wait_for("RUNNING", lambda: m.state() == "RUNNING")
            self.assertEqual(m.command("step", 1, argument=25), 0)
            self.assertAlmostEqual(m.floats(10, 1)[0], 0.25, places=6)
            m.close()

    def test_input_frames_pace_the_loop(self):
        # A long period, because the time-out is two periods and looking at the daemon takes a while.
        with bench.Daemon(cycle={"clock": "input", "beat": "osc", "warmup": 1, "period": 1.0}, solver={"substeps": 100},
                          inputs=[{"name": "push", "body": CRANK, "policy": "hold"}]) as d:
            client = bench.OscClient(d.osc_port)
            sequence = 0
            # The loop times out whenever this program is held up for two periods. An arm that comes too soon begins its time again.
            way = {"SAFE": "reset", "STOPPED": "arm", "READY": "run"}
            end = time.monotonic() + bench.PATIENCE

            def beat():
                nonlocal sequence
                sequence += 1
                client.send(bench.osc_message("/ali3/in/frame", "ih" + "d" * CHANNELS, sequence, 0, *[0.0] * CHANNELS))
                bench.run_on(0.004)  # faster than the period: the frames say when

            def settled():
                """The figures once the loop has taken every frame that was sent."""
                earlier, now = None, d.watch()
                while earlier is None or any(earlier[key] != now[key] for key in ("time_s", "skipped")):
                    earlier, now = now, d.watch()
                return now

            def lost(said):
                return said["counters"]["osc_over_budget"] + said["counters"]["osc_overflow"]

            after = None
            while after is None:
                beat()
                if sequence % 400 == 0:
                    before = settled()
                    if before["state"] in way:
                        client.send(bench.osc_message(f"/ali3/cmd/{way[before['state']]}", "i", sequence))
                    elif before["state"] == "RUNNING":
                        for _ in range(250):
                            beat()
                        after = settled()
                        if after["state"] != "RUNNING" or lost(after) != lost(before):
                            after = None  # this program was held up for two periods, or the daemon for a quarter of a second
                self.assertLess(time.monotonic(), end, "never RUNNING")
            made = round(after["time_s"] - before["time_s"])
            left_out = after["skipped"] - before["skipped"]
            self.assertEqual(made + left_out, 250)
            bench.wait_for("SAFE without frames", lambda: d.watch()["state"] == "SAFE")
            self.assertEqual(d.watch()["fault"], 8)
            bench.wait_for("the line of the log", lambda: "no input frame came" in d.said())
            client.close()

    def test_the_figures_of_the_loop_are_a_stream(self):
        with bench.Daemon() as d:
            client = Subscriber(d.osc_port, "loop")
            seen = {}
            for packet in client.packets():
                if "/ali3/hdr" in packet:
                    seen.update(packet)
                if {"/ali3/loop/cycle", "/ali3/loop/level/sweep/busy", "/ali3/loop/load/60s"} <= seen.keys():
                    break
            self.assertGreater(seen["/ali3/loop/cycle"][0], 0.0)
            self.assertLess(seen["/ali3/loop/feedback/max"][0], 10.0)
            self.assertGreaterEqual(seen["/ali3/loop/cycle/max"][0], seen["/ali3/loop/cycle"][0])
            self.assertEqual(client.command("clear", 9), 0)
            client.close()

    def test_a_file_that_asks_for_nobody_is_refused(self):
        with bench.Daemon(wait=False, cycle={"clock": "input"}) as d:
            self.assertEqual(d.finish(), 2)
            self.assertIn("clock: input starts cycles at beats: expected \"beat: osc\" or \"beat: modbus\" in cycle", d.said())


if __name__ == "__main__":
    bench.main()
