#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A running daemon whose other clients send only errors: datagrams and Modbus streams mutated from good ones, as
fast as they can be made. The loop keeps its time, and a good client is served as before."""
import os
import random
import socket
import threading
import time
import unittest

import bench

SECONDS = float(os.environ.get("ALI3_FUZZ_SECONDS", "8"))


def osc_seeds():
    m = bench.osc_message
    return [m("/ali3/in/frame", "ihffffff", 1, 0, *[0.5] * 6), m("/ali3/input/push", "ffffff", *[0.5] * 6), m("/ali3/ping", "ih", 1, 2),
            m("/ali3/sub", "siii", "body", 0, 1, 0), m("/ali3/unsub", "s", "body"), m("/ali3/status"), m("/ali3/sync", "i", 1),
            m("/ali3/cmd/clear", "i", 3), m("/ali3/body/A/position"), m("/ali3/heartbeat", "i", 1),
            bench.osc_bundle(m("/ali3/status"), bench.osc_bundle(m("/ali3/ping", "ih", 1, 2)))]


def modbus_seeds():
    def frame(function, *data):
        body = bytes([1, function, *data])
        return bytes([0, 1, 0, 0, 0, len(body)]) + body
    return [frame(4, 0, 0, 0, 21), frame(4, 3, 232, 0, 14), frame(3, 0, 0, 0, 3), frame(1, 0, 1, 0, 4), frame(2, 0, 0, 0, 16),
            frame(16, 0, 100, 0, 2, 4, 63, 128, 0, 0), frame(6, 0, 164, 0, 1), frame(23, 0, 0, 0, 3, 0, 100, 0, 2, 4, 63, 128, 0, 0),
            frame(43, 14, 1, 0), frame(22, 0, 1, 0, 255, 0, 1)]


# Mutations must not contain an e-stop, which any client may send: this test needs the motion.
FORBIDDEN_OSC = (b"/cmd/estop", b"/cmd/stop", b"/cmd/pause", b"/cmd/park", b"/cmd/reset", b"/cmd/init", b"/cmd/run", b"/cmd/arm")


def mutate(data, choice):
    data = bytearray(data)
    for _ in range(choice.randrange(5)):
        kind = choice.randrange(5)
        at = choice.randrange(len(data)) if data else 0
        if kind == 0 and data:
            data[at] = choice.randrange(256)
        elif kind == 1 and data:
            data[at] ^= 1 << choice.randrange(8)
        elif kind == 2:
            data[at:at] = bytes(choice.randrange(256) for _ in range(choice.randrange(9)))
        elif kind == 3:
            del data[at:at + choice.randrange(9)]
        else:
            data += data[at:]
    return bytes(data[:4000])


class Flood(threading.Thread):
    def __init__(self, work, *arguments):
        super().__init__(daemon=True)
        self.work, self.arguments, self.sent, self.failure = work, arguments, 0, None

    def run(self):
        try:
            self.work(self, *self.arguments)
        except Exception as failure:  # told by the test
            self.failure = failure


def flood_osc(flood, port, end):
    choice, seeds, client = random.Random(1), osc_seeds(), bench.OscClient(port)
    client.socket.setblocking(False)
    while time.monotonic() < end:
        packet = mutate(choice.choice(seeds), choice)
        if any(word in packet for word in FORBIDDEN_OSC):
            continue
        try:
            client.send(packet)
            flood.sent += 1
        except BlockingIOError:
            bench.pace(0.001)
    client.close()


def stops(stream):
    """Whether a Modbus stream may hold a write to coils or commands."""
    return any(stream[k + 1] in (5, 6, 15, 16, 22, 23) and stream[k + 2] == 0 and stream[k + 3] < 64
               for k in range(6, len(stream) - 3))


def flood_modbus(flood, port, end):
    choice, seeds = random.Random(2), modbus_seeds()
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
                connection.setblocking(False)
                for _ in range(choice.randrange(1, 40)):
                    packet = b"".join(mutate(choice.choice(seeds), choice) for _ in range(choice.randrange(1, 4)))
                    if not stops(packet):
                        connection.send(packet)
                        flood.sent += 1
        except OSError:  # full, or correctly closed by the daemon
            bench.pace(0.001)


class FuzzLive(unittest.TestCase):
    def test_nothing_that_comes_in_stops_it(self):
        with bench.Daemon(inputs=[{"name": "push", "body": bench.four_bar()["model"]["bodies"][0]["name"], "policy": "hold",
                                   "limit_force": 1.0, "limit_torque": 1.0}], modbus={"max_clients": 16}) as daemon:
            end = time.monotonic() + SECONDS
            floods = [Flood(flood_osc, daemon.osc_port, end), Flood(flood_modbus, daemon.modbus_port, end)]
            for flood in floods:
                flood.start()
            good, rounds = bench.OscClient(daemon.osc_port), 0
            while time.monotonic() < end:
                good.send(bench.osc_message("/ali3/ping", "ih", rounds, 7))
                while good.answer("/ali3/pong")[0] != rounds:
                    pass
                rounds += 1
                bench.pace(0.05)
            good.close()
            for flood in floods:
                flood.join()
                self.assertIsNone(flood.failure)
                self.assertGreater(flood.sent, 100)
            self.assertEqual(daemon.watch()["state"], "RUNNING")
            client = bench.ModbusClient(daemon.modbus_port)
            self.assertEqual(client.state(), "RUNNING")
            client.close()
            status, report = daemon.stop()
            self.assertEqual(status, 0, daemon.said())
            counters = report["counters"]
            print(f"{floods[0].sent} datagrams, {floods[1].sent} pieces of Modbus streams in {SECONDS:g} s: "
                  f"{report['misses']} of {report['cycles']} deadlines missed; {rounds} good pings answered")
            self.assertGreater(counters["osc_malformed"], 0)
            self.assertGreater(counters["modbus_exceptions"], 0)
            self.assertGreater(counters["modbus_bad_frames"], 0)


if __name__ == "__main__":
    bench.main()
