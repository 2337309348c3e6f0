#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: soak_estop.py BIN [COUNT [RATE]]: COUNT e-stops (1000) while a peer that may only read asks RATE (2800) datagrams a second.

Each must act within 20 ms. Takes about a minute. The time for which the host withheld its processors is printed beside the
figures. Exit status 0: all acted in time; 1: not all; 77: all acted, some of them late, and the host withheld processors."""
import os
import sys
import time

import bench
import held_up
import questions

LIMIT = 0.020  # s


def main():
    bench.BIN = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 2800
    with questions.daemon() as d, held_up.HeldUp(bench.BIN) as host:
        with questions.Flood(d.osc_port, rate, 3600):
            time.sleep(0.5)
            host.begin()
            took = questions.estops(d, count)
        excuse = host.excuse()
        counters = d.watch()["counters"]
    ms = sorted(1e3 * t for t in took if t is not None)
    late = sum(t > 1e3 * LIMIT for t in ms)
    print(f"{count} e-stops at {rate:.0f} datagrams a second: {took.count(None)} without effect in 0.3 s, {late} later than "
          f"{1e3 * LIMIT:.0f} ms; median {ms[len(ms) // 2]:.1f} ms, p99 {ms[int(0.99 * len(ms))]:.1f}, max {ms[-1]:.1f} ms; received "
          f"{counters['osc_received']}, over budget {counters['osc_over_budget']}, overflow {counters['osc_overflow']}")
    if excuse:
        print(excuse)
    if None in took:
        return 1
    return 0 if late == 0 else 77 if excuse else 1


if __name__ == "__main__":
    sys.exit(main())
