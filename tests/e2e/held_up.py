# SPDX-License-Identifier: MIT
"""Measures how long the host withheld processors, by held_up.c, whose priority is above the tests.

A shared machine may stop a virtual processor for a tenth of a second. The daemon then correctly reports missed
deadlines and a stuck loop, and a test that waits for something else fails. So a test that failed while the host
was at fault runs once more. If it fails again for this reason, it is skipped with the state of the host."""
import os
import subprocess
import time

SHARE = 0.01  # fraction of the time; above it the host is at fault
AT_ONCE = 0.05  # s, a single stop; above it the host is at fault


class HeldUp:
    """Use as a context. Watches from its start and from each begin()."""

    def __init__(self, programs):
        self.program = os.path.join(programs, "..", "tests", "held_up")
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.begin()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def begin(self):
        self.process.stdout.read()
        self.since = time.monotonic()

    def excuse(self):
        """The state of the host since begin(), in words, if the host is at fault; else an empty string."""
        took = time.monotonic() - self.since
        seen = [line.split() for line in (self.process.stdout.read() or b"").decode().splitlines()]
        held = {}
        for cpu, seconds in seen:
            held.setdefault(cpu, []).append(float(seconds))
        if not held:
            return ""
        share = max(map(sum, held.values())) / took
        longest = max(map(max, held.values()))
        if share < SHARE and longest < AT_ONCE:
            return ""
        return (f"the host withheld a processor for {100 * share:.1f} % of {took:.0f} s, up to {longest * 1e3:.0f} ms at once, "
                f"{len(seen)} times in all")
