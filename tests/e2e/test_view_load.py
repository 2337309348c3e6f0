#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-view with eight streams, a ninth that is refused, and a flood of requests adds no miss to the daemon, and stays within its
limits.

A host without real time misses deadlines by itself, so the load is compared with a calm phase of equal length. If the daemon was
not granted real time, the numbers are only printed."""
import math
import os
import threading
import time
import unittest

import bench
from viewer import Viewer

SECONDS, STREAMS = 3, 8


def used(pid):
    """(seconds of a processor, memory in MB)"""
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        field = f.read().rsplit(")", 1)[1].split()
    return (int(field[11]) + int(field[12])) / os.sysconf("SC_CLK_TCK"), int(field[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Load(unittest.TestCase):
    def test_no_miss_is_added(self):
        with bench.Daemon() as d, Viewer() as view:
            before = d.watch()
            bench.run_on(SECONDS)
            calm = d.watch()["misses"] - before["misses"]
            stop, frames, answers = threading.Event(), [0] * STREAMS, [0]
            query = f"name={d.name}&signals=pose,loop,events&dense=body.*&rate=50"

            def read(i, s):
                with s:
                    while not stop.is_set():
                        s.next("frame")
                        frames[i] += 1

            def flood():
                while not stop.is_set():
                    for path in ("/", "/api/v1/status", "/api/v1/scene", "/api/v1/signals", "/nothing"):
                        view.ask(f"{path}?name={d.name}")
                        answers[0] += 1

            streams = [view.stream(query, f"127.0.0.{1 + i % 2}") for i in range(STREAMS)]
            self.assertEqual([s.status for s in streams], [200] * STREAMS)
            with view.stream(query, "127.0.0.3") as ninth:
                self.assertEqual(ninth.status, 503)
            threads = [threading.Thread(target=read, args=pair) for pair in enumerate(streams)] + [threading.Thread(target=flood)]
            processor = used(view.process.pid)[0]
            for thread in threads:
                thread.start()
            start, counts = time.monotonic(), []

            def loaded():
                before = d.watch()["misses"]
                bench.run_on(SECONDS)
                counts.append(d.watch()["misses"] - before)
                return counts[-1]

            bench.no_more_misses(loaded, calm if d.watch()["realtime"] else math.inf, 1)
            took, (later, memory) = time.monotonic() - start, used(view.process.pid)
            stop.set()
            for thread in threads:
                thread.join(10)
            # The places are free again.
            bench.wait_for("a free place", lambda: self.opens(view, query))
            print(f"misses {calm} calm, {counts} with load; {min(frames)} to {max(frames)} frames a stream, {answers[0]} answers in {took:.1f} s; "
                  f"{(later - processor) / took:.2f} of a core, {memory:.0f} MB")
            self.assertLess(memory, 128)
            self.assertGreater(min(frames), SECONDS * 10)

    @staticmethod
    def opens(view, query):
        with view.stream(query) as s:
            return s.status == 200


if __name__ == "__main__":
    bench.main()
