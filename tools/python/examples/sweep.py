#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: sweep.py [MODEL]: settles a quarter car of several masses and stiffnesses, and prints how far its body sinks.

MODEL: config/models/quarter_car.yaml, if not given."""
import pathlib
import sys

import ali3

MODEL = pathlib.Path(__file__).resolve().parents[3] / "config" / "models" / "quarter_car.yaml"


def sag(data: ali3.Data) -> dict[str, float]:
    """Height of the body in the equilibrium under 500 N more, and the frequency of its mode."""
    data.wrench("body", force=(0, 0, -500))
    data.equilibrium()
    return {"sag_mm": 1000 * (0.9 - data["body.body.position.z"]), "hz": min(m.frequency for m in data.modes())}


def main() -> None:
    """Prints a table."""
    rows = ali3.sweep(sys.argv[1] if len(sys.argv) > 1 else MODEL,
                      {"parameters.suspension": ["18 N/mm", "22 N/mm", "26 N/mm"], "parameters.m_body": ["280 kg", "315 kg"]}, seconds=0.5,
                      measure=sag, processes=2)
    for row in rows:
        print(f"{row['parameters.suspension']:>8}  {row['parameters.m_body']:>6}  sinks {row['sag_mm']:6.2f} mm  {row['hz']:.3f} Hz")


if __name__ == "__main__":
    main()
