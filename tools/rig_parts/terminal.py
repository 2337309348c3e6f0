# SPDX-License-Identifier: MIT
"""A pseudo terminal in place of a serial line: the path of the configuration leads to one end, the simulated controller has the other."""
import os
import select
import tty


class Terminal:
    def __init__(self, path):
        self.path = path
        self.file, device = os.openpty()
        tty.setraw(device)
        os.set_blocking(self.file, False)
        if os.path.islink(path) and os.readlink(path).startswith("/dev/pts/"):
            os.unlink(path)  # an earlier run left it
        os.symlink(os.ttyname(device), path)

    def read(self, seconds=0.0):
        """Bytes that are there, or that come within this time."""
        try:
            return os.read(self.file, 65536) if select.select([self.file], [], [], seconds)[0] else b""
        except (BlockingIOError, OSError):
            return b""

    def write(self, data):
        try:
            os.write(self.file, data)
        except BlockingIOError:
            pass  # nobody reads

    def close(self):
        os.unlink(self.path)
