# SPDX-License-Identifier: MIT
"""The commands of README.md and of the EXAMPLES in the man pages, run as a reader runs them: in the order given, each with status 0.

Default ports are the point of these commands, so the test is skipped where another program holds one and the host gives no other
network."""
import os
import pathlib
import re
import subprocess
import unittest

import bench
import reader

ELSEWHERE = ("tools/quickstart", "tools/demo", "tests/run", "cmake -S", "cmake --build")  # other tests, and what started this one, run these
if bench.SANITIZED:
    ELSEWHERE += ("PYTHONPATH=", "gcc rod.c")  # Python and the reader's program are built without the sanitizer, which the library needs
STATUSES = {"build/bin/ali3-doctor": (0, 1, 2)}  # it speaks of the host


def examples(page):
    """Commands of the section EXAMPLES of a man page."""
    section = re.search(r"^\.SH EXAMPLES\n(.*?)(?=^\.SH|\Z)", page, re.S | re.M)
    for body in re.findall(r"^\.EX\n(.*?)^\.EE", section.group(1) if section else "", re.S | re.M):
        yield from (line.replace("\\-", "-") for line in body.splitlines() if line.strip())


class TestCommands(unittest.TestCase):
    def setUp(self):
        reader.ports_are_free(self)
        for tool in ("oscsend", "oscdump", "mbpoll", "gcc"):
            bench.need(tool)

    def test_readme(self):
        text = pathlib.Path(bench.ROOT, "README.md").read_text(encoding="utf-8")
        ran, _ = reader.follow(self, text, ELSEWHERE, STATUSES)
        self.assertGreaterEqual(ran, 8)

    def test_man_pages(self):
        ran = 0
        with reader.Reader() as r:
            r.run("build/bin/ali3d config/four-bar.yaml &")
            for page in sorted(pathlib.Path(bench.ROOT, "tools", "man").glob("*.[0-9]")):
                for command in examples(page.read_text(encoding="utf-8")):
                    if command.startswith(("oscsend", "oscdump", "mbpoll", "build/")):
                        with self.subTest(command):
                            status, out = r.run(command)
                            self.assertEqual(status, 0, out)
                            ran += 1
        self.assertGreaterEqual(ran, 6)


class TestTables(unittest.TestCase):
    def test_omct(self):
        """The tables of the cueing test in tests/README.md are those that ali3-omct prints."""
        text = pathlib.Path(bench.ROOT, "tests", "README.md").read_text(encoding="utf-8")
        section = text[text.index("## Measured: objective motion cueing test"):]
        for force, table in re.findall(r"^`ali3-omct config/demo/car.yaml --force ([\d.]+)`.*?\n\n((?:    [^\n]*\n)+)", section, re.S | re.M):
            with self.subTest(force):
                done = subprocess.run([bench.program("ali3-omct"), os.path.join(bench.ROOT, "config", "demo", "car.yaml"), "--force", force],
                                      capture_output=True, text=True, check=True)
                self.assertGreater(table.count("\n"), 3)
                printed = [" ".join(line.split()) for line in done.stdout.splitlines()]
                at = 0
                for line in (" ".join(line.split()) for line in table.splitlines()):
                    self.assertIn(line, printed[at:])
                    at = printed.index(line, at) + 1


if __name__ == "__main__":
    bench.main()
