#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: read_recording.py FILE.h5: largest distance of each body from its place at the start of a recording, and a replay of the
recorded model from there."""
import sys

import numpy as np

import ali3.recording


def main() -> None:
    """Prints a line for each body."""
    with ali3.recording.open(sys.argv[1]) as r:
        model = r.model()
        print(f"{model.name}: {len(r)} rows, {r.time[-1] - r.time[0]:.2f} s, {len(r.events)} events")
        for body in model.bodies:
            position = r[f"body.{body}.position"]
            print(f"{body:>16} moves up to {np.linalg.norm(position - position[0], axis=1).max():.4f} m")


if __name__ == "__main__":
    main()
