# SPDX-License-Identifier: MIT
"""What the host did meanwhile: how long it withheld processors, as held_up.c saw it, from above all that the tests start.

A shared machine may stop a virtual processor for a tenth of a second. The daemon then says, as it should, that deadlines were
missed and that the loop stood still, and a test that waits for something else fails. So what failed while the host was at
fault runs once more, and is skipped, with how the host was, if it fails again for the same reason."""
import os
import subprocess
import time

SHARE = 0.01  # of the time; more is held against the host
AT_ONCE = 0.05  # s, likewise


class HeldUp:
    """Use as a context. Watches from then on, and from each begin()."""

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
        """How the host was since begin(), in words, where that is bad enough; else an empty string."""
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
