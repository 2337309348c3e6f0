# SPDX-License-Identifier: MIT
"""An acceptance test of a bench: python3 -m pytest -p ali3.pytest_plugin test_bench.py. Each test starts ali3d in lockstep; with
--ali3-bench HOST:PORT the tests run against the bench there."""
import pathlib

import pytest

import ali3

FILE = pathlib.Path(__file__).resolve().parents[3] / "config" / "guides" / "lockstep.yaml"
pytestmark = pytest.mark.ali3(FILE)


def test_runs_after_a_reset(bench: ali3.Bench) -> None:
    """The pole begins upright and falls without a force."""
    bench.reset()
    first = bench.step()
    assert abs(first["joint.pivot.position"]) < 0.01
    assert abs(bench.step(100)["joint.pivot.position"]) > 0.1


def test_an_input_acts(bench: ali3.Bench) -> None:
    """A force of 10 N on the cart moves it to the side of the force."""
    bench.reset()
    bench.input("motor", 10.0)
    assert bench.step(20)["joint.rail.velocity"] > 0.5


def test_an_estop_is_latched(bench: ali3.Bench) -> None:
    """After an e-stop no step comes, until a person resets it."""
    bench.estop()
    with pytest.raises(ali3.BenchError):
        bench.step()
    bench.reset()
