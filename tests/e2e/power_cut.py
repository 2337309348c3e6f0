# SPDX-License-Identifier: MIT
"""usage: power_cut.py ALI3_RECORD LOG CLOSED FOLDER CASES: files as a power cut leaves them, from the log of writes.c.

Each file has all writes up to a synchronisation, and of the writes behind it either the first few or random pages of 4 KiB.
The copy that --recover makes must have every row that the synchronisation kept, and no number that differs from the closed file.
The superblock must have the end of the file at each synchronisation."""
import os
import random
import struct
import subprocess
import sys

import h5py
import numpy

WRITTEN, CUT, SYNCED = 1, 2, 3
PAGE = 4096


def read_log(path):
    with open(path, "rb") as f:
        while head := f.read(24):
            what, offset, size = struct.unpack("<QQQ", head)
            yield what, offset, f.read(size) if what == WRITTEN else b""


def apply(image, entry):
    what, offset, data = entry
    if what == CUT:
        del image[offset:]
        image.extend(bytes(offset - len(image)))
    elif what == WRITTEN:
        image.extend(bytes(max(0, offset + len(data) - len(image))))
        image[offset:offset + len(data)] = data


def apply_pages(image, entries):
    """Random pages of these writes reach the disk."""
    after = bytearray(image)
    for entry in entries:
        apply(after, entry)
    touched = {page for what, offset, data in entries if what == WRITTEN for page in range(offset // PAGE, (offset + len(data) + PAGE - 1) // PAGE)}
    share = random.random()
    for page in sorted(touched):
        if random.random() < share:
            apply(image, (WRITTEN, page * PAGE, bytes(after[page * PAGE:(page + 1) * PAGE])))


def read_frames(file):
    with h5py.File(file, "r") as f:
        return {name: d[()] for name, d in f["frames"].items()}


def recover(program, image, folder):
    """The rows of the copy, by dataset."""
    cut, copy = os.path.join(folder, "cut.part"), os.path.join(folder, "copy.h5")
    with open(cut, "wb") as f:
        f.write(image)
    done = subprocess.run([program, "--recover", cut, "--once", copy], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    frames = read_frames(copy)
    os.unlink(copy)
    return frames


def check_superblock(image):
    """It has the end of all that was synchronised: programs that repair a file cut it there."""
    assert image[:8] == b"\x89HDF\r\n\x1a\n" and image[8] == 3, "expected a superblock of version 3"
    (end,) = struct.unpack_from("<Q", image, 28)
    assert end >= len(image), f"the superblock ends the file at {end}, of {len(image)} bytes"


def main():
    program, log, closed, folder, cases = *sys.argv[1:5], int(sys.argv[5])
    entries, wanted = list(read_log(log)), read_frames(closed)
    syncs = [i for i, entry in enumerate(entries) if entry[0] == SYNCED]
    assert len(syncs) >= 4, "expected four synchronisations"
    rows, worst = {}, 0
    for case in range(cases):
        k = random.randrange(len(syncs) - 1)
        image = bytearray()
        for entry in entries[:syncs[k] + 1]:
            apply(image, entry)
        if k not in rows:
            check_superblock(image)
            rows[k] = len(recover(program, image, folder)["cycle"])
        between = entries[syncs[k] + 1:syncs[k + 1]]
        if case % 2:
            apply_pages(image, between)
        else:
            for entry in between[:random.randrange(len(between) + 1)]:
                apply(image, entry)
        got = recover(program, image, folder)
        n = len(got["cycle"])
        assert n >= rows[k], f"case {case}: {n} rows, {rows[k]} were synchronised"
        for name, values in got.items():
            assert len(values) == n and numpy.array_equal(values, wanted[name][:n]), f"case {case}: {name} differs from the closed file"
        worst = max(worst, n - rows[k])
    kept = [rows[k] for k in sorted(rows)]
    assert kept == sorted(kept) and len(set(kept)) >= 4, f"synchronisations kept {kept} rows"
    print(f"{cases} power cuts: every synchronised row was recovered, and up to {worst} behind it")


main()
