#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: bode.py [PICTURE.svg]: the response of a quarter car to its road, linearised about its equilibrium. Prints it as a table, and
draws it if matplotlib is installed and a picture is asked for."""
import pathlib
import sys

import numpy as np

import ali3

MODEL = pathlib.Path(__file__).resolve().parents[3] / "config" / "models" / "quarter_car.yaml"


def main() -> None:
    """From the height of the plate to the height of the body and the force of the spring."""
    data = ali3.Model.load(MODEL).data()
    data.equilibrium()
    system = data.linearise(inputs=["road"], outputs=["body.body.position.z", "force.spring.value"])
    hz = np.geomspace(0.1, 50, 13)
    response = system.response(hz)[:, :, 0] * (2j * np.pi * hz[:, None])**2  # the input is the acceleration of the target
    print("      Hz  body m/m   degrees   spring N/m")
    for f, (body, spring) in zip(hz, response):
        print(f"{f:8.3f}  {abs(body):8.4f}  {np.degrees(np.angle(body)):8.1f}  {abs(spring):11.0f}")
    poles = np.linalg.eigvals(system.A)
    print("poles:", ", ".join(f"{p:.3f}" for p in sorted(poles[np.abs(poles) > 1e-6], key=abs)))
    if len(sys.argv) > 1:
        import matplotlib  # type: ignore[import] # it is optional
        matplotlib.use("svg")
        from matplotlib import pyplot
        _, axes = pyplot.subplots(2, 1, sharex=True)
        axes[0].loglog(hz, np.abs(response[:, 0]))
        axes[1].semilogx(hz, np.degrees(np.unwrap(np.angle(response[:, 0]))))
        axes[1].set_xlabel("frequency, Hz")
        pyplot.savefig(sys.argv[1])


if __name__ == "__main__":
    main()
