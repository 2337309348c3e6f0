#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: hostile_h5.py RECORDING FOLDER: copies of a recording, each with one lie: an attribute that is a list, a text or empty, a
dataset of another rank, length or type, one that claims gigabytes, a text with escape sequences. Prints their names."""
import os
import shutil
import sys

import h5py
import numpy

base, folder = sys.argv[1:]
ESCAPE = b"\x1b]0;owned\x07\x1b[31m\xc2\x9bX"


def case(name):
    path = os.path.join(folder, name.replace("/", ".") + ".h5")
    shutil.copy(base, path)
    print(path)
    return h5py.File(path, "r+", libver=("v110", "v110"))


def replace(file, path, data, **more):
    attributes = dict(file[path].attrs)
    del file[path]
    made = file.create_dataset(path, data=data, **more)
    for name, value in attributes.items():
        made.attrs[name] = value


def lies_of_attribute(name, value):
    number = not isinstance(value, bytes) and getattr(value, "dtype", numpy.dtype("S1")).kind != "S"
    yield "list", numpy.full(4000, 0x4141414141414141, dtype=numpy.uint64)
    yield "none", h5py.Empty("f8")
    if number:
        yield "nan", float("nan")
        yield "text", numpy.bytes_(b"A" * 5000)
    else:
        yield "escape", numpy.bytes_(ESCAPE)
        yield "number", 5


def lies_of_dataset(data):
    yield "rank0", data.dtype.type() if data.dtype.names is None else numpy.zeros((), data.dtype)
    yield "rank5", numpy.zeros((1, 2, 3, 2, 1), dtype="u1")
    yield "rank20", numpy.zeros((1,) * 20, dtype="u8")
    yield "one", data[:1]
    yield "empty", data[:0]
    if data.ndim == 2:
        yield "narrow", data[:, :1]
    if data.dtype.names is None:
        yield "words", numpy.full(data.shape, b"x" * 3)


with h5py.File(base, "r") as f:
    attributes, datasets = dict(f.attrs), {}
    f.visititems(lambda path, node: datasets.update({path: node[()]}) if isinstance(node, h5py.Dataset) and not node.is_virtual else None)
for name, value in attributes.items():
    for lie, wrong in lies_of_attribute(name, value):
        with case(f"attribute-{name}-{lie}") as f:
            del f.attrs[name]
            f.attrs[name] = wrong
for path, data in datasets.items():
    for lie, wrong in lies_of_dataset(data):
        wrong = numpy.asarray(wrong)
        grows = {"maxshape": (None,) + wrong.shape[1:], "chunks": tuple(max(1, n) for n in wrong.shape)} if wrong.ndim else {}
        with case(f"{path}-{lie}") as f:
            replace(f, path, wrong, **grows)
    if data.ndim and data.dtype.names is None:
        with case(f"{path}-huge") as f:  # nothing of it is stored
            kept = dict(f[path].attrs)
            del f[path]
            d = f.create_dataset(path, shape=(1 << 31,) + data.shape[1:], maxshape=(None,) + data.shape[1:], chunks=(1 << 16,) + data.shape[1:],
                                 dtype=data.dtype)
            d.attrs.update(kept)
for member, value in (("text", ESCAPE), ("text", b"A" * 160), ("kind", 0xffffffff), ("cycle", 2**64 - 1)):
    with case(f"events-{member}-{str(value)[:4].strip(chr(39))}") as f:
        events = f["events"][:]
        events[member] = value
        replace(f, "events", events, maxshape=(None,), chunks=(64,))
