#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: controller.py: designs a state feedback for a pole on a cart from A and B, and tries it on the nonlinear model."""
import pathlib
import sys

import numpy as np
import numpy.typing as npt

import ali3

FILE = pathlib.Path(__file__).resolve().parents[3] / "config" / "guides" / "lockstep.yaml"
JOINTS = ["rail", "pivot"]


def regulator(A: npt.NDArray[np.float64], B: npt.NDArray[np.float64], Q: npt.NDArray[np.float64], R: float) -> npt.NDArray[np.float64]:
    """Gains that minimise the integral of x'Qx + u'Ru, by the stable half of the Hamiltonian matrix."""
    n = len(A)
    values, vectors = np.linalg.eig(np.block([[A, -B @ B.T / R], [-Q, -A.T]]))
    stable = vectors[:, values.real < 0]
    gains: npt.NDArray[np.float64] = (B.T @ (stable[n:] @ np.linalg.inv(stable[:n])).real / R)[0]
    return gains


def main() -> None:
    """The pole begins with a push, and the cart catches it."""
    model = ali3.Model.load(FILE)
    data = model.data()
    start = data.state()
    data.place({"pole": {"velocity": (0, 0, 0), "angular_velocity": (0, 0, 0)}})
    report = data.equilibrium(nearest=True)  # upright: unstable
    A, B, _, _ = data.linearise(inputs=["motor"], joints=JOINTS)
    gains = regulator(A, B, np.diag([1.0, 10.0, 1.0, 1.0]), 0.1)
    closed = np.linalg.eigvals(A - np.outer(B, gains))
    print(f"unstable motions {report['unstable']}; gains {np.round(gains, 3)}; slowest pole {closed.real.max():.3f}/s")
    data.load(start)
    for n in range(800):
        x = np.array([data[f"joint.{j}.position"] for j in JOINTS] + [data[f"joint.{j}.velocity"] for j in JOINTS])
        data.command("motor", float(np.clip(-gains @ x, -20, 20)))
        data.step()
        if n % 200 == 199:
            print(f"t {data.time:.2f} s  cart {x[0]:+.4f} m  pole {x[1]:+.5f} rad")
    sys.exit(0 if abs(x[1]) < 1e-3 and closed.real.max() < 0 else 1)


if __name__ == "__main__":
    main()
