# SPDX-License-Identifier: MIT
"""Files in /dev/shm that pretend to be a daemon."""
import contextlib
import fcntl
import os
import random
import struct


class FalseBlock:
    """A file ali3-NAME, locked like the file of a running daemon. Use as a context."""

    def __init__(self, name, data):
        self.path, self.data = f"/dev/shm/ali3-{name}", data

    def __enter__(self):
        self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        self.write(self.data)
        fcntl.fcntl(self.file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        return self

    def __exit__(self, *_):
        os.close(self.file)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    def write(self, data):
        os.pwrite(self.file, data, 0)

    def cut(self, size):
        os.ftruncate(self.file, size)


KEPT = 40  # bytes at the start: magic, version, size, process, start; a reader refuses others at once


def mutate(data, seed):
    """Changes 8 to 2000 bytes, to anything or to the worst that a count or a text can hold. A seed gives one result."""
    rng, out = random.Random(seed), bytearray(data)
    for _ in range(rng.choice((8, 40, 200, 1000, 2000))):
        out[rng.randrange(KEPT, len(out))] = rng.choice((0, 1, 0x1b, 0x0a, 0x7f, 0x80, 0xff, rng.randrange(256)))
    for _ in range(rng.randrange(6)):  # unterminated texts, huge counts
        at, n = rng.randrange(KEPT, 600), rng.randrange(8, 300)
        out[at:at + n] = bytes([rng.choice((0xff, ord("a"), 0x1b))]) * min(n, len(out) - at)
    return bytes(out)
