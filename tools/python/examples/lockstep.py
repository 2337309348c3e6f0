#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: lockstep.py [STEPS]: balances the pole of config/guides/lockstep.yaml. ali3d runs in lockstep: it steps when this program has
computed the force. Two runs print equal numbers."""
import pathlib
import sys

import ali3

FILE = pathlib.Path(__file__).resolve().parents[3] / "config" / "guides" / "lockstep.yaml"
GAINS = {"joint.rail.position": 3.2, "joint.rail.velocity": 5.0, "joint.pivot.position": 39.0, "joint.pivot.velocity": 10.5}


def main() -> None:
    """Steps, and prints the joints every 100 steps."""
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with ali3.Daemon(FILE) as daemon, ali3.Bench(daemon.address, streams=["joint"]) as bench:
        bench.reset()
        values = bench.step()
        for n in range(2, steps + 1):
            bench.input("motor", sum(gain * values[name] for name, gain in GAINS.items()))
            values = bench.step()
            if n % 100 == 0:
                print(f"t {values['time']:.2f} s  cart {values['joint.rail.position']:+.4f} m  pole {values['joint.pivot.position']:+.5f} rad")
    sys.exit(0 if abs(values["joint.pivot.position"]) < 0.01 else 1)


if __name__ == "__main__":
    main()
