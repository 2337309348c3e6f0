#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Recordings from strangers: no file ends a program by a signal, lets it take gigabytes, or sends an escape sequence to a terminal."""
import concurrent.futures
import os
import re
import random
import subprocess
import unittest

import bench
from test_record import PYTHON, need_h5py, read
from test_replay import Case, Once
from viewer import Viewer

HERE = os.path.dirname(os.path.abspath(__file__))
MAKER = os.path.join(HERE, "hostile_h5.py")
# recover() outlives a crash of HDF5, which reads damaged files without care.
CARELESS = {**bench.OUTLIVES_CRASHES, "LSAN_OPTIONS": f"suppressions={os.path.join(HERE, 'hostile_leaks.txt')}:print_suppressions=0"}
FLIPS = 40
MEMORY = 1 << 30  # bytes; a sanitizer needs more


def run(*words, env=None):
    limited = [] if bench.SANITIZED else ["prlimit", f"--as={MEMORY}"]
    done = subprocess.run([*limited, bench.program(words[0]), *words[1:]], stdin=subprocess.DEVNULL, capture_output=True, timeout=bench.PATIENCE,
                          check=False, env={**os.environ, **CARELESS, **(env or {})})
    said = (done.stdout + done.stderr).decode(errors="replace")
    return done.returncode, re.sub(r"==(\d+)==ERROR: .*?==\1==ABORTING\n", report_of_ours, said, flags=re.S)


def report_of_ours(report):
    """The report of a sanitizer, or nothing if the fault is within HDF5."""
    frames = [frame for frame in re.findall(r"^ *#\d+ .*$", report[0], re.M) if "libsanitizer" not in frame]
    return "" if frames and "libhdf5" in frames[0] else report[0]


class Hostile(Case):
    @classmethod
    def setUpClass(cls):
        need_h5py()
        cls.daemon = bench.Daemon(inputs=[{"name": "push", "body": "A"}]).__enter__()
        cls.addClassCleanup(cls.daemon.__exit__, None, None, None)
        cls.base = os.path.join(cls.daemon.dir, "base.h5")
        with Once(cls.base, cls.daemon.name) as r:
            bench.wait_for("some cycles", lambda: cls.daemon.watch()["cycle"] > 150)
            r.stop()
        cls.lies = os.path.join(cls.daemon.dir, "lies")
        os.mkdir(cls.lies)
        done = subprocess.run([PYTHON, "-B", MAKER, cls.base, cls.lies], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        assert done.returncode == 0, done.stderr
        cls.files = done.stdout.split()

    def check(self, *words):
        status, said = run(*words)
        self.assertIn(status, range(6), f"{words}: {said}")
        self.assertNotIn("Sanitizer", said, f"{words}: {said}")
        for c in ("\x1b", "\x07", "\x9b"):
            self.assertNotIn(c, said, words)
        return status, said

    def test_one_lie(self):
        self.assertGreater(len(self.files), 150)

        def read_lie(file):
            self.check("ali3-replay", file)
            self.check("ali3-replay", "info", file)
            self.check("ali3-replay", "export", file, file + ".csv")
            self.check("ali3-replay", "recover", file, file + ".out")
            for made in (file + ".csv", file + ".out"):
                if os.path.exists(made):
                    os.unlink(made)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for f in [pool.submit(read_lie, file) for file in self.files]:
                f.result()

    def test_the_page_of_a_lie(self):
        for name in sorted(os.listdir(self.lies)):
            if not any(part in name for part in ("model.flat", "period_s", "frames.cycle", "frames.values", "extras", "rank20")):
                continue
            try:
                view = Viewer("--file", os.path.join(self.lies, name))
            except AssertionError:
                continue  # refused
            with view:
                for path in ("/api/v1/scene", "/api/v1/signals", "/api/v1/abilities"):
                    self.assertIn(view.ask(path)[0], (200, 404), (name, path))
                self.assertIsNone(view.process.poll(), name)

    def test_flips(self):
        """Single wrong bytes, for which `recover` exists."""
        with open(self.base, "rb") as f:
            good = f.read()
        random.seed(38)
        for k in range(FLIPS):
            file = os.path.join(self.daemon.dir, "flip.h5")
            at = random.randrange(min(len(good), 100000))
            with open(file, "wb") as f:
                f.write(good[:at] + bytes([good[at] ^ random.randrange(1, 256)]) + good[at + 1:])
            self.check("ali3-replay", "recover", file, file + ".out")
            self.check("ali3-replay", file)
            for made in (file, file + ".out"):
                if os.path.exists(made):
                    os.unlink(made)

    def test_hdf5_crashes(self):
        """A crash of HDF5 costs the quantities by name, not the recording."""
        environment = dict(os.environ, LD_PRELOAD=os.path.join(bench.BIN, "..", "tests", "no_copy.so"))
        if bench.SANITIZED:
            self.skipTest("a sanitizer is loaded first")
        out = os.path.join(self.daemon.dir, "copy.h5")
        status, said = run("ali3-replay", "recover", self.base, out, env=environment)
        self.assertEqual(status, 0, said)
        self.assertIn("HDF5 ends with SIGABRT; copying again without the quantities by name", said)
        status, said = run("ali3-replay", out)
        self.assertEqual(status, 0, said)
        self.assertIn("the same bits", said)


if __name__ == "__main__":
    bench.main()
