# SPDX-License-Identifier: MIT
"""Recordings of ali3-record, by h5py where it is installed."""
from __future__ import annotations

import os
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import Ali3Error
from .model import Model


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.void):
        return {n: _plain(value[n]) for n in value.dtype.names or ()}
    return value.item() if isinstance(value, np.generic) else value


class Recording:
    """A file of ali3-record: r["body.car.position.x"] is a column, r.time its times."""

    def __init__(self, file: str | os.PathLike[str]) -> None:
        try:
            import h5py  # type: ignore[import] # it is optional
        except ImportError:
            raise Ali3Error("recordings need h5py: install the package python3-h5py") from None
        self._file = h5py.File(file, "r")
        try:
            self._find_columns()
        except KeyError as e:
            self._file.close()
            raise Ali3Error(f"{os.fspath(file)}: no recording of ali3-record: {e}") from None

    def _find_columns(self) -> None:
        values = self._file["frames/values"]
        self._values, self.names = values, [_plain(n) for n in values.attrs["names"]]
        self.units = dict(zip(self.names, (_plain(u) for u in values.attrs["units"])))
        self._index = {n: i for i, n in enumerate(self.names)}

    @property
    def time(self) -> npt.NDArray[np.float64]:
        """Simulated time of each row, s."""
        return self["time"]

    def __len__(self) -> int:
        return int(self._values.shape[0])

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        """The rows of a number, or of a vector by the name of its numbers without the last word."""
        if name in self._index:
            return np.asarray(self._values[:, self._index[name]], dtype=float)
        columns = [i for i, n in enumerate(self.names) if n.rpartition(".")[0] == name]
        if not columns:
            raise KeyError(name)
        return np.asarray(self._values[:, columns[0]:columns[-1] + 1], dtype=float)[:, [c - columns[0] for c in columns]]

    @property
    def events(self) -> list[Any]:
        """Events of the daemon, in their order."""
        return [_plain(e) for e in self._file["events"][()]]

    def model(self) -> Model:
        """The model that was recorded. Its inputs have no names here."""
        return Model(np.asarray(self._file["model/flat"][()]).tobytes())

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open(file: str | os.PathLike[str]) -> Recording:  # noqa: A001
    """Opens a recording."""
    return Recording(file)
