#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_full_disk.py BIN ROOT: every program says that its output is cut off by a full disk, and fails, whatever it prints."""
import os
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

BIN, ROOT = (os.path.abspath(word) for word in sys.argv[1:3])
FOUR_BAR = os.path.join(ROOT, "config", "models", "four_bar.yaml")
HEXAPOD = os.path.join(ROOT, "config", "models", "hexapod.yaml")
PROGRAMS = sorted(name for name in os.listdir(BIN) if name.startswith("ali3") and os.access(os.path.join(BIN, name), os.X_OK))
MORE = {
    "ali3d": [["--help", "all"], ["--help", "model.bodies"], ["--print-reference"], ["--schema"], ["--new", "four_bar"], [FOUR_BAR, "--check"],
              [FOUR_BAR, "--check=json"], [FOUR_BAR, "--expand"], [FOUR_BAR, "--print-map"], [FOUR_BAR, "--print-map=json"]],
    "ali3-sim": [[FOUR_BAR, "--duration", "0.1", "--output", "-"], [FOUR_BAR, "--duration", "0.1", "--summary", "-"]],
    "ali3-doctor": [[], ["--json"]],
    "ali3-top": [["--list"]],
}


def outputs(program, words):
    """The text that the program prints, and how it ends when the disk is full."""
    command = [os.path.join(BIN, program), *words]
    whole = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    with open("/dev/full", "w", encoding="ascii") as full:
        return whole.stdout, subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, check=False)


class FullDisk(unittest.TestCase):
    def test_every_output(self):
        self.assertGreaterEqual(len(PROGRAMS), 12)
        cases = [(program, words) for program in PROGRAMS for words in [["--help"], ["--version"], *MORE.get(program, [])]]
        with ThreadPoolExecutor(4) as pool:  # ali3-doctor measures for seconds, and mostly sleeps
            ends = list(pool.map(lambda case: outputs(*case), cases))
        for (program, words), (text, done) in zip(cases, ends):
            with self.subTest(program=program, words=words):
                if not text or "no daemon is running" in done.stderr:
                    continue  # it prints nothing on this host, or the daemons that it listed first have ended
                self.assertGreater(done.returncode, 0)
                self.assertRegex(done.stderr, "standard output|cannot be written|No space left")


if __name__ == "__main__":
    if not os.path.exists("/dev/full"):
        print("skip: no /dev/full here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
