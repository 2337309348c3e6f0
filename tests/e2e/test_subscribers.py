#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The state of 128 bodies to eight subscribers in every cycle: the frames arrive complete, and the report has their cost."""
import contextlib
import json
import os
import selectors
import socket
import time
import unittest

import bench

SECONDS = float(os.environ.get("ALI3_SUBSCRIBER_SECONDS", "4"))
BODIES, SUBSCRIBERS = 128, 8
HEADER_AT = 20  # offset of the header message, after the head of the bundle and its size


class Subscriber:
    def __init__(self, port, profile):
        self.client, self.profile = bench.OscClient(port), profile
        self.client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.client.socket.setblocking(False)
        self.parts, self.whole, self.first = {}, 0, None

    def lease(self):
        self.client.send(bench.osc_message("/ali3/sub", "siii", "body", 0, 1, self.profile))

    def drain(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                packet = self.client.socket.recv(2048)
                if packet.startswith(b"#bundle\0"):
                    self.take(packet)

    def take(self, packet):
        size = int.from_bytes(packet[HEADER_AT - 4:HEADER_AT], "big")
        ((_, _, (cycle, _, _, _, part, parts)),) = bench.osc_decode(packet[HEADER_AT:HEADER_AT + size])
        assert part < parts and len(packet) <= 1452
        seen = self.parts.setdefault(cycle, set())
        assert part not in seen, f"part {part} of cycle {cycle} came twice"
        seen.add(part)
        if len(seen) == parts:
            self.whole += 1
            self.first = cycle if self.first is None else self.first
            del self.parts[cycle]
            self.last = cycle


class Subscribers(unittest.TestCase):
    def test_eight_of_them(self):
        with open(os.path.join(bench.ROOT, "tests", "reference", "chain_128.json"), encoding="utf-8") as f:
            model = json.load(f)["model"]
        with bench.Daemon(model=model, inputs=[]) as daemon:
            all_of_them = [Subscriber(daemon.osc_port, k % 2) for k in range(SUBSCRIBERS)]
            wait = selectors.DefaultSelector()
            for s in all_of_them:
                wait.register(s.client.socket, selectors.EVENT_READ, s)
            end, leased = time.monotonic() + SECONDS, 0.0
            while time.monotonic() < end:
                if time.monotonic() > leased + 4:
                    leased = time.monotonic()
                    for s in all_of_them:
                        s.lease()
                for key, _ in wait.select(0.1):
                    key.data.drain()
            wait.close()
            for s in all_of_them:
                s.client.close()
            status, report = daemon.stop()
            self.assertEqual(status, 0, daemon.said())
        counters = report["counters"]
        for s in all_of_them:
            cycles = s.last - s.first + 1
            self.assertGreater(s.whole, 0.9 * cycles, "most cycles arrive whole")
            self.assertGreater(cycles, 20)
        self.assertGreater(counters["osc_frames"], 0)
        per_frame = counters["osc_send_ns"] / counters["osc_frames"] / 1e3
        print(f"{BODIES} bodies to {SUBSCRIBERS} subscribers: {report['misses']} of {report['cycles']} deadlines missed, "
              f"{counters['osc_send_errors']} packets not sent, {per_frame:.0f} us of an ordinary thread in each cycle; whole cycles "
              f"{min(s.whole / (s.last - s.first + 1) for s in all_of_them):.4f} and more of those shown")


if __name__ == "__main__":
    bench.main()
