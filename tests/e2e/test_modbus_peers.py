#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Modbus clients beside others: values that waited, shared places, inputs with another owner."""
import contextlib
import signal
import struct
import time
import unittest

import bench

BODY = bench.four_bar()["model"]["bodies"][0]["name"]
FORCE = [{"signal": "input.push.force.x", "table": "input", "address": 300, "type": "f64"}]


def push(**keys):
    return [{"name": "push", "body": BODY, "policy": "hold", **keys}]


class Client(bench.ModbusClient):
    def write_unheard(self, first, values):
        """Sends a write and does not wait for the answer."""
        self.transaction += 1
        body = struct.pack(">HHB", first, len(values), 2 * len(values)) + struct.pack(f">{len(values)}H", *values)
        self.socket.sendall(struct.pack(">HHHBB", self.transaction, 0, len(body) + 2, 1, 16) + body)

    def forget_answers(self, count):
        for _ in range(count):
            self._receive(struct.unpack(">HHH", self._receive(6))[2])

    def push(self, force, sequence, wait=True):
        values = [*struct.unpack(">2H", struct.pack(">f", force)), *[0] * 62, sequence]
        (self.write if wait else self.write_unheard)(100, values)

    def age(self):
        """s"""
        return self.inputs(16, 1)[0] * 1e-3

    def force(self):
        return struct.unpack(">d", struct.pack(">4H", *self.inputs(300, 4)))[0]


class Peers(unittest.TestCase):
    def start(self, **changes):
        daemon = bench.Daemon(**changes)
        daemon.__enter__()
        self.addCleanup(daemon.__exit__)
        return daemon

    def connect(self, daemon, source="127.0.0.1"):
        client = Client(daemon.modbus_port, source)
        self.addCleanup(client.close)
        return client

    def test_values_age_while_the_process_is_stopped(self):
        daemon = self.start(inputs=push(), modbus={"map": FORCE})
        client = self.connect(daemon)
        client.push(1.0, 1)
        bench.wait_for("the first value", lambda: client.force() == 1.0)
        bench.in_time(self, client.age(), 5)

        daemon.process.send_signal(signal.SIGSTOP)
        for sequence in (2, 3, 4):
            bench.run_on(0.4)
            client.push(float(sequence), sequence, wait=False)
            sent = time.monotonic()
        bench.run_on(0.5)
        woken = time.monotonic()
        daemon.process.send_signal(signal.SIGCONT)
        client.forget_answers(3)
        bench.wait_for("the last value", lambda: client.force() == 4.0)
        age, after = client.age(), time.monotonic()
        print(f"a value that waited for {woken - sent:.3f} s is {age:.3f} s old {after - woken:.3f} s later")
        self.assertGreaterEqual(age, woken - sent - 0.001)
        bench.in_time(self, age, after - sent + 0.02)  # nor older than in truth

    def test_an_age_of_weeks_is_none_of_none(self):
        """50 days in steps of 10 s: too long for 32 bits of milliseconds."""
        rest = {"gravity": [0, 0, 0], "joints": [], "bodies": [{"name": BODY, "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 0]}]}
        daemon = self.start(model=rest, inputs=push(), cycle={"period": 10, "clock": "lockstep"})
        client, osc = self.connect(daemon), bench.OscClient(daemon.osc_port)
        self.addCleanup(osc.close)
        self.assertEqual(client.inputs(16, 1), [65535])
        client.push(0.0, 1)
        bench.wait_for("RUNNING", lambda: client.state() == "RUNNING")
        steps = 432000
        osc.send(bench.osc_message("/ali3/step", "ii", steps, 7))
        time_register = lambda: struct.unpack(">d", struct.pack(">4H", *client.inputs(21, 4)))[0]  # noqa: E731
        bench.wait_for("the last step", lambda: time_register() == 10.0 * steps)
        self.assertEqual(client.inputs(16, 1), [65534])

    def test_another_protocol_owns_an_input(self):
        """An accepted write acts, and a write that does not act is refused."""
        daemon = self.start(inputs=[*push(hold=1.0), {"name": "pull", "body": BODY, "policy": "hold"}], modbus={"map": FORCE})
        client, osc = self.connect(daemon), bench.OscClient(daemon.osc_port)
        self.addCleanup(osc.close)

        def osc_pushes():
            osc.send(bench.osc_message("/ali3/input/push/force", "fff", 5.0, 0.0, 0.0))
            bench.pace(0.02)
            return client.force() == 5.0

        bench.wait_for("OSC's force", osc_pushes)
        for _ in range(3):
            osc_pushes()
            with self.assertRaises(bench.ModbusError) as refused:
                client.push(2.0, 1)
            self.assertEqual(refused.exception.code, 6)
        self.assertGreaterEqual(daemon.counter("modbus_owned"), 3)
        self.assertEqual(daemon.counter("inputs_refused"), 0)
        client.write(112, [*struct.unpack(">2H", struct.pack(">f", 3.0))])  # the other input is free
        client.write(164, [9])
        self.assertEqual(client.force(), 5.0)

        def taken():
            with contextlib.suppress(bench.ModbusError):
                client.push(2.0, 10)
                return True
            return False

        bench.wait_for("the input free again", taken)
        bench.wait_for("Modbus' force", lambda: client.force() == 2.0)

    def test_readers_leave_room_for_an_estop(self):
        peers = [{"host": "127.0.0.1", "access": "write"}, {"host": "127.0.0.0/8", "access": "read"}]
        daemon = self.start(modbus={"peers": peers})
        readers = [self.connect(daemon, f"127.0.0.{2 + k % 5}") for k in range(20)]
        for reader in readers:
            with contextlib.suppress(ConnectionError):  # there is no room for all of them
                reader.inputs(0, 1)
        writer = self.connect(daemon)
        writer.request(5, struct.pack(">HH", 3, 0xFF00))
        bench.wait_for("SAFE", lambda: writer.state() == "SAFE")
        more = [self.connect(daemon) for _ in range(3)]
        for client in more:
            client.inputs(0, 1)
        counters = daemon.watch()["counters"]
        self.assertEqual(counters["modbus_clients"], 8)
        self.assertEqual(counters["modbus_replaced"], 3)
        self.assertGreater(counters["modbus_refused"], 0)
        for client in (writer, *more):  # none of them is silent for long enough to be replaced
            client.inputs(0, 1)
        one_more = self.connect(daemon)  # no host gets more than half
        self.assertEqual(one_more.socket.recv(1), b"")

    def test_connections_that_nobody_closed(self):
        """A PLC that was switched off and on connects again, at the latest when its old connections have been silent for a second."""
        daemon = self.start()
        left = [self.connect(daemon) for _ in range(8)]
        start = time.monotonic()
        for client in left[:4]:
            client.inputs(0, 1)

        def gets_in():
            client = self.connect(daemon)
            with contextlib.suppress(ConnectionError):
                return client.inputs(0, 1)
            return None

        bench.wait_for("a place", gets_in)
        self.assertGreater(time.monotonic() - start, 0.5)
        self.assertGreaterEqual(daemon.counter("modbus_replaced"), 1)

    def test_few_places(self):
        for most in (1, 2):
            with self.subTest(most):
                daemon = self.start(modbus={"max_clients": most})
                self.assertEqual(self.connect(daemon).state(), "RUNNING")
                again = self.connect(daemon)
                with contextlib.suppress(ConnectionError):
                    again.state()
                bench.wait_for("a place after a second", lambda d=daemon: self.served(d))
                if most == 2:
                    self.assertEqual(self.connect(daemon, "127.0.0.2").state(), "RUNNING")

    def served(self, daemon):
        with contextlib.suppress(ConnectionError):
            return self.connect(daemon).inputs(0, 1)
        return None


if __name__ == "__main__":
    bench.main()
