# SPDX-License-Identifier: MIT
"""usage: recording.py FILE...: recordings as JSON, one in a line, read with h5py by the names in the file.

It reads every number of every dataset, so each checksum is checked. Every view by name must equal its columns."""
import json
import sys

import h5py
import numpy


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, numpy.void):
        return {name: plain(value[name]) for name in value.dtype.names}
    if isinstance(value, numpy.ndarray):
        return [plain(v) for v in value]
    return value.item() if isinstance(value, numpy.generic) else value


def columns_of(quantity, names):
    """Columns of a quantity: its own name, or its parts."""
    if quantity in names:
        return [names.index(quantity)]
    return [i for i, name in enumerate(names) if name.rpartition(".")[0] == quantity]


def describe(file):
    with h5py.File(file, "r") as f:
        datasets = {}
        f.visititems(lambda path, node: datasets.update({path: node}) if isinstance(node, h5py.Dataset) else None)
        numbers = {path: d[()] for path, d in datasets.items()}
        values = numbers["frames/values"]
        names, units = (plain(datasets["frames/values"].attrs[key]) for key in ("names", "units"))
        covered = set()
        for path, d in datasets.items():
            if d.is_virtual:
                columns = columns_of(path.replace("/", "."), names)
                covered.update(columns)
                wanted = values[:, columns].reshape(numbers[path].shape)
                assert numpy.array_equal(wanted, numbers[path], equal_nan=True), f"{path} differs from its columns"
                assert plain(d.attrs["unit"]) == units[columns[0]], f"{path} has another unit than its columns"
        assert covered == set(range(len(names))), "a column has no view"
        rows = {len(numbers[path]) for path in numbers if path.startswith("frames/")}
        assert len(rows) == 1, f"datasets of different lengths: {rows}"
        return {
            "attributes": {name: plain(value) for name, value in f.attrs.items()},
            "names": names, "units": units, "values": values.tolist(), "type": values.dtype.name,
            "events": plain(numbers["events"]), "flat": len(numbers["model/flat"]),
            "head": {path.split("/")[1]: numbers[path].tolist() for path in numbers if path.startswith("frames/") and path != "frames/values"}}


for argument in sys.argv[1:]:
    print(json.dumps(describe(argument)))
