# SPDX-License-Identifier: MIT
"""pytest fixtures: `bench`, a daemon of its own in lockstep for each test, or the bench at --ali3-bench HOST:PORT.

    # conftest.py
    pytest_plugins = ["ali3.pytest_plugin"]

    # test_stop.py
    @pytest.mark.ali3("vehicle.yaml")
    def test_stop(bench): ...
"""
from __future__ import annotations

import pathlib
from typing import Any, Iterator

import pytest

from .bench import Bench, bench_of


def pytest_addoption(parser: Any) -> None:
    """The address of a bench that runs, and the file of those that are started."""
    parser.addoption("--ali3-bench", metavar="HOST:PORT", help="tests use the daemon at this address in place of one of their own")
    parser.addoption("--ali3-file", metavar="FILE", help="configuration file of the daemons that tests start")


def pytest_configure(config: Any) -> None:
    """The marker that names a file."""
    config.addinivalue_line("markers", "ali3(file): configuration file of the daemon of this test, relative to the test's folder")


@pytest.fixture
def bench(request: Any) -> Iterator[Bench]:
    """A connection to a bench."""
    marker = request.node.get_closest_marker("ali3")
    file = request.config.getoption("--ali3-file")
    if marker is not None and marker.args:
        file = pathlib.Path(request.node.path).parent / marker.args[0]
    address = request.config.getoption("--ali3-bench")
    if not address and file is None:
        pytest.fail("the fixture bench needs @pytest.mark.ali3(FILE), --ali3-file FILE or --ali3-bench HOST:PORT")
    with bench_of(address, file) as found:
        yield found
