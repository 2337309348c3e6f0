# SPDX-License-Identifier: MIT
"""libali3.so.0 with the types of its functions."""
from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Any

from . import _layout
from ._errors import LibraryMissingError

ABI = _layout.CONSTANTS["ALI3_ABI"]


def _load() -> ctypes.CDLL:
    folder = pathlib.Path(__file__).resolve().parents[3]  # lib of PREFIX/lib/python3/dist-packages/ali3
    beside = [*folder.glob("libali3.so.0"), *folder.glob("*/libali3.so.0")] if folder.name == "lib" else []
    name = os.environ.get("ALI3_LIBRARY") or (str(beside[0]) if beside else "libali3.so.0")
    try:
        found = ctypes.CDLL(name)
    except OSError as e:
        raise LibraryMissingError(f"libali3 is missing ({e}): install the package libali3-0, or set ALI3_LIBRARY to the path of "
                                  "libali3.so.0") from None
    try:
        abi = found.ali3_abi()
    except AttributeError:
        raise LibraryMissingError(f"{name} is no libali3: it has no ali3_abi()") from None
    if abi != ABI:
        found.ali3_version.restype = ctypes.c_char_p
        raise LibraryMissingError(f"libali3 {found.ali3_version().decode()} has other structs (ABI {abi}) than this package (ABI {ABI}): "
                                  "install the package python3-ali3 of the version of the library")
    for function, (result, arguments) in _layout.FUNCTIONS.items():
        entry = getattr(found, function)
        entry.restype = result
        entry.argtypes = arguments
    return found


lib: Any = _load()


def daemon_program() -> str:
    """ali3d: $ALI3D, or the one beside the package, or by PATH."""
    beside = pathlib.Path(__file__).resolve().parents[4] / "bin" / "ali3d"
    return os.environ.get("ALI3D") or (str(beside) if beside.exists() else "ali3d")


def library_version() -> str:
    """Version of the library that is loaded."""
    return str(lib.ali3_version().decode())


def status_text(status: int) -> str:
    """A sentence for a status."""
    return str(lib.ali3_status_text(status).decode())
