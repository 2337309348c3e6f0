# SPDX-License-Identifier: MIT
"""ali3: mechanisms in libali3, and benches that ali3d runs. ctypes and numpy; nothing to compile.

    import ali3
    m = ali3.Model.load("vehicle.yaml", set={"parameters.mass": 900})
    d = m.data()
    d.equilibrium()
    d.step(1000)
    print(d["body.chassis.position"])
"""
from ._errors import Ali3Error, BenchError, DivergedError, LibraryMissingError, NoEquilibriumError, NotConvergedWarning, RefusedError
from ._library import library_version
from .bench import Bench, Daemon
from .model import Data, Freedoms, Linear, Mode, Model
from .runs import sweep

__version__ = "0.1.0"
__all__ = ["Ali3Error", "Bench", "BenchError", "Daemon", "Data", "DivergedError", "Freedoms", "LibraryMissingError", "Linear", "Mode", "Model",
           "NoEquilibriumError", "NotConvergedWarning", "RefusedError", "__version__", "library_version", "sweep"]
