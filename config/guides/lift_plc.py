#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: lift_plc.py [--seconds S]

Stands in for the PLC of hydraulic-lift.md: every 20 ms it reads the lengths of both cylinders over Modbus TCP from 127.0.0.1:1502, and
writes the commands of both valves. It raises the boom, then dumps the bucket, then brings both back, and prints a line every half
second. It stops the motion at the end, or after S seconds (default 60). Exit status: 0 both cylinders came to each of their lengths, 1
they did not."""
import argparse
import sys
import time

from plc import NAMES, PERIOD, STATE, STOP, Server, start

LENGTHS, VALVES = 300, 300  # input registers, 0.1 mm; holding registers, 1/1000
START = (1.2816, 1.1511)    # m: lift and tilt
WAY = ((1.80, 1.15), (1.80, 1.00), (1.80, 1.15), START)
GAIN, BAND, OVERLAP, LARGEST = 6.0, 0.003, 0.05, 0.6  # per m; m; the command at which an edge opens; the largest command


class Lift(Server):
    """The server, with both valves closed while it waits."""

    def rest(self):
        self.write(VALVES, 0, 0)


def valve_for(error):
    """Closed near the target, else proportional beyond the overlap."""
    if abs(error) < BAND:
        return 0.0
    return max(-LARGEST, min(LARGEST, GAIN * error + (OVERLAP if error > 0 else -OVERLAP)))


def drive(server, seconds):
    """The control loop. Returns the number of places that both cylinders came to."""
    place, begin, cycle = 0, time.monotonic(), 0
    while place < len(WAY) and time.monotonic() < begin + seconds:
        lengths = [1e-4 * n for n in server.read(LENGTHS, 2)]
        errors = [target - length for target, length in zip(WAY[place], lengths)]
        commands = [valve_for(e) for e in errors]
        server.write(VALVES, *(round(1000 * c) for c in commands))
        if cycle % 25 == 0:
            pressures = [1e4 * n / 1e5 for n in server.read(LENGTHS + 2, 2)]
            print(f"{NAMES[server.read(STATE)[0]]} lift {lengths[0]:.3f} m {pressures[0]:.0f} bar tilt {lengths[1]:.3f} m {pressures[1]:.0f} bar",
                  flush=True)
        if not any(commands):
            place += 1
            print(f"place {place} of {len(WAY)}", flush=True)
        cycle += 1
        time.sleep(max(0.0, begin + cycle * PERIOD - time.monotonic()))
    return place


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    try:
        server = Lift("127.0.0.1", 1502)
        start(server)
        place = drive(server, options.seconds)
        server.rest()
        server.command(STOP)
    except OSError as e:
        sys.exit(f"lift_plc.py: 127.0.0.1:1502: {e}")
    return 0 if place == len(WAY) else 1


if __name__ == "__main__":
    sys.exit(main())
