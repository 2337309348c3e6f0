#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-exporter with clients of every kind adds no miss to the daemon, and stays within its limits.

A host without real time misses deadlines by itself, so the load is compared with a calm
phase of equal length. If the daemon was not granted real time, the numbers are only printed."""
import math
import os
import socket
import struct
import threading
import time
import unittest

import bench
from exporter import Exporter, shipped

RATE, SECONDS = 1000, 3
HALF_OPEN, DEAF = 20, 4
PER_IP = 32


def rss_kb(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return int(next(line for line in f if line.startswith("VmRSS")).split()[1])


def cpu_s(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        field = f.read().rsplit(")", 1)[1].split()
    return (int(field[11]) + int(field[12])) / os.sysconf("SC_CLK_TCK")


class KeepAlive:
    """One connection with repeated requests."""

    def __init__(self, exporter, path):
        self.socket = exporter.connect()
        self.request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()

    def ask(self):
        self.socket.sendall(self.request)
        answer = self.socket.recv(65536)
        while b"\r\n\r\n" not in answer:
            answer += self.more()
        head, _, body = answer.partition(b"\r\n\r\n")
        missing = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0]) - len(body)
        while missing > 0:
            missing -= len(self.more())
        return int(head.split()[1])

    def more(self):
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("the exporter closed the connection")
        return part


def storm(exporter, stop, counted):
    """Connects and resets, as fast as 200 times a second."""
    while not stop.wait(0.005):
        s = exporter.connect()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.sendall(b"GET /metrics HTTP/1.1\r\n")
        s.close()
        counted.append(1)


class Load(unittest.TestCase):
    def setUp(self):
        self.exporter = Exporter()
        self.addCleanup(self.exporter.__exit__)

    def half_open(self, count):
        """Connections that begin a request and never end it."""
        out = []
        for _ in range(count):
            s = self.exporter.connect()
            self.addCleanup(s.close)
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: ")
            out.append(s)
        return out

    def deaf(self, count):
        """Connections that ask for much more than they will ever read."""
        for _ in range(count):
            s = socket.socket()
            self.addCleanup(s.close)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", self.exporter.port))
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)

    def test_no_miss_is_added(self):
        with shipped() as d:
            before = d.watch()
            bench.run_on(SECONDS)
            calm = d.watch()["misses"] - before["misses"]

            self.half_open(HALF_OPEN)
            self.deaf(DEAF)
            stop, storms = threading.Event(), []
            thread = threading.Thread(target=storm, args=(self.exporter, stop, storms))
            thread.start()
            self.addCleanup(thread.join)
            self.addCleanup(stop.set)
            clients = [KeepAlive(self.exporter, "/api/v1/status"), KeepAlive(self.exporter, "/metrics")]

            def misses_beside_requests():
                before, cpu = d.watch(), cpu_s(self.exporter.process.pid)
                start, asked, slowest = time.monotonic(), 0, 0
                while asked < RATE * SECONDS:
                    due = start + asked / RATE
                    now = time.monotonic()
                    if now < due:
                        bench.run_on(due - now)
                    begin = time.monotonic()
                    # One scrape in a hundred, the rest is status.
                    self.assertEqual(clients[asked % 100 == 0].ask(), 200)
                    slowest = max(slowest, time.monotonic() - begin)
                    asked += 1
                took = time.monotonic() - start
                after, cpu = d.watch(), cpu_s(self.exporter.process.pid) - cpu
                misses = after["misses"] - before["misses"]
                rss = rss_kb(self.exporter.process.pid)
                print(f"{asked} requests in {took:.1f} s beside {HALF_OPEN} half-open and {DEAF} deaf clients and "
                      f"{len(storms)} reconnects: {misses} misses (calm: {calm}), slowest answer {slowest * 1e3:.1f} ms, "
                      f"{cpu / took * 100:.0f} % of a CPU, {rss} kB")
                self.assertLess(took, 3 * SECONDS, f"far from {RATE} requests a second")
                self.assertGreater(len(storms), 100)
                self.assertGreater(after["cycle"], before["cycle"])
                self.assertEqual(after["state"], "RUNNING")
                if not bench.SANITIZED:  # a sanitizer keeps freed memory, so the size of the process means nothing
                    self.assertLess(rss, 32 << 10)
                return misses

            bench.no_more_misses(misses_beside_requests, calm if before["realtime"] else math.inf)
            stop.set()
            thread.join()
            if not before["realtime"]:
                self.skipTest(f"the misses mean nothing: {before['realtime_reason']}")

    def test_one_address_does_not_take_all(self):
        """A client with too many connections gets no more, and its connections are served; after their end there is room again."""
        good = KeepAlive(self.exporter, "/")
        self.assertEqual(good.ask(), 200)
        halves = self.half_open(PER_IP - 1)
        for _ in range(50):
            with self.exporter.connect() as s:
                try:
                    s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    self.assertEqual(s.recv(10), b"", "one connection more was served")
                except (ConnectionResetError, BrokenPipeError):
                    pass
            self.assertEqual(good.ask(), 200)
        for s in halves:
            s.close()

        def room():
            try:
                return self.exporter.get("/")[0] == 200
            except (ConnectionError, IndexError):
                return False

        bench.wait_for("room again", room)


if __name__ == "__main__":
    bench.main()
