# SPDX-License-Identifier: MIT
"""Many runs of one model."""
from __future__ import annotations

import concurrent.futures
import itertools
import multiprocessing
import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from .model import Data, Model


def _last_values(names: Sequence[str], data: Data) -> dict[str, Any]:
    return {n: data[n] for n in names}


def _one_run(job: tuple[str, str | None, dict[str, Any], float, Any, bool]) -> dict[str, Any]:
    file, program, values, seconds, measure, settle = job
    model = Model.load(file, set=values, program=program)
    data = model.data()
    if settle:
        data.equilibrium()
    data.step(round(seconds / model.dt))
    found = _last_values(measure, data) if isinstance(measure, tuple) else measure(data)
    return {**values, **found}


def sweep(file: str | os.PathLike[str], parameters: Mapping[str, Sequence[Any]], seconds: float, measure: Sequence[str] | Callable[[Data], dict[str, Any]] = ("time",),
          processes: int = 1, settle: bool = False, program: str | None = None) -> list[dict[str, Any]]:
    """Runs a file once for each combination of values; keys are paths in the file, as for --set. measure: names of numbers at the end of
    the run, or a function of the data (one that can be pickled, for several processes). settle: from the equilibrium. Returns a row with
    the values and the numbers of each run, in the order of the combinations, whatever the number of processes."""
    columns = [[v.item() if isinstance(v, np.generic) else v for v in values] for values in parameters.values()]
    asked = measure if callable(measure) else tuple(measure)
    jobs = [(os.fspath(file), program, dict(zip(parameters, row)), float(seconds), asked, settle) for row in itertools.product(*columns)]
    if processes <= 1:
        return [_one_run(j) for j in jobs]
    with concurrent.futures.ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        return list(pool.map(_one_run, jobs))
