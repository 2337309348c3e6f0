# SPDX-License-Identifier: MIT
"""The commands of README.md and of the EXAMPLES in the man pages, run as a reader runs them: in the order given, each with status 0.

A ```yaml or ```c block is the file that the text before it names in backquotes. A command that never ends by itself gets some seconds.
Default ports are the point of these commands, so the test is skipped where another program holds one."""
import os
import pathlib
import re
import shlex
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import bench

ELSEWHERE = ("tools/quickstart", "tools/demo", "tests/run", "cmake ")  # other tests, and what started this one, run these
ENDLESS = ("oscdump",)
OUTPUT = {  # text in the output of a command
    "oscdump -L 9101": "/ali3/sensor/tip/position",
    "mbpoll -m tcp -p 1502 -a 1 -0 -r 4000 -c 3 -t 3:float -B -1 127.0.0.1": "[4004]:",
    "build/bin/ali3d pendulum.yaml --check": "freedoms 1",
    "build/bin/ali3d pendulum.yaml --print-map": "/ali3/input/push/force",
}
UNFIT = {"build/bin/ali3-doctor": (0, 1, 2)}  # statuses that say something about the host


def blocks(text):
    """(language, body, text before it) of every fenced block."""
    for m in re.finditer(r"^```(\w+)\n(.*?)^```", text, re.S | re.M):
        yield m.group(1), m.group(2), text[:m.start()]


def file_named_before(text):
    return re.findall(r"`([\w-]+\.(?:yaml|c))`", text)[-1]


def examples(page):
    """Commands of the section EXAMPLES of a man page."""
    section = re.search(r"^\.SH EXAMPLES\n(.*?)(?=^\.SH|\Z)", page, re.S | re.M)
    for body in re.findall(r"^\.EX\n(.*?)^\.EE", section.group(1) if section else "", re.S | re.M):
        yield from (line.replace("\\-", "-") for line in body.splitlines() if line.strip())


class Reader:
    """A shell in a folder that looks like the repository after tools/quickstart."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        for name in ("config", "include", "tools", "tests"):
            (self.folder / name).symlink_to(os.path.join(bench.ROOT, name))
        (self.folder / "build").symlink_to(os.path.dirname(os.path.abspath(bench.BIN)))
        self.daemons = []

    def run(self, command):
        command = re.split(r"\s{2,}#", command)[0].strip()
        if command.endswith("&"):
            self.daemons.append(subprocess.Popen(shlex.split(command[:-1]), cwd=self.folder, start_new_session=True))
            time.sleep(2.5)  # warm-up
            return None
        bound = 3 if command.startswith(ENDLESS) else 60
        p = subprocess.Popen(["/bin/sh", "-c", "exec " + command if "&&" not in command else command], cwd=self.folder,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            out, _ = p.communicate(timeout=bound)
        except subprocess.TimeoutExpired:
            p.send_signal(signal.SIGINT)
            out, _ = p.communicate()
            return 0 if command.startswith(ENDLESS) else 124, out
        return p.returncode, out

    def close(self):
        for d in self.daemons:
            d.terminate()
            d.wait()


class TestCommands(unittest.TestCase):
    def setUp(self):
        for kind, port in ((socket.SOCK_DGRAM, 9100), (socket.SOCK_STREAM, 1502), (socket.SOCK_DGRAM, 9101)):
            with socket.socket(socket.AF_INET, kind) as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    s.bind(("127.0.0.1", port))
                except OSError as e:
                    self.skipTest(f"port {port}: {e}")
        for tool in ("oscsend", "oscdump", "mbpoll", "gcc"):
            bench.need(tool)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.reader = Reader(folder.name)
        self.addCleanup(self.reader.close)

    def check(self, command, shown=""):
        with self.subTest(command):
            got = self.reader.run(command)
            if got is None:
                return
            status, out = got
            self.assertIn(status, UNFIT.get(command, (0,)), out)
            self.assertIn(shown, out)

    def test_readme(self):
        text = pathlib.Path(bench.ROOT, "README.md").read_text(encoding="utf-8")
        ran = 0
        for language, body, before in blocks(text):
            if language != "sh":
                (self.reader.folder / file_named_before(before)).write_text(body, encoding="utf-8")
                continue
            for command in body.splitlines():
                if not command.startswith(ELSEWHERE):
                    self.check(command, OUTPUT.get(command, ""))
                    ran += 1
        self.assertGreaterEqual(ran, 8)
        self.assertEqual([d.poll() for d in self.reader.daemons], [None] * len(self.reader.daemons), "a daemon has ended")

    def test_man_pages(self):
        self.reader.run(f"build/bin/ali3d {shlex.quote('config/four-bar.yaml')} &")
        ran = 0
        for page in sorted(pathlib.Path(bench.ROOT, "tools", "man").glob("*.[0-9]")):
            for command in examples(page.read_text(encoding="utf-8")):
                if command.startswith(("oscsend", "oscdump", "mbpoll", "build/")):
                    self.check(command)
                    ran += 1
        self.assertGreaterEqual(ran, 6)


if __name__ == "__main__":
    bench.main()
