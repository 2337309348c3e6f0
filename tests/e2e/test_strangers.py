#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Any local user may put any file into /dev/shm: tools and daemons neither wait for it, nor trust it, nor crash.

ALI3_SOAK_CUTS and ALI3_SOAK_BLOCKS: how often a block is truncated and how many false ones are shown."""
import contextlib
import os
import signal
import socket
import subprocess
import threading
import unittest

import bench
from exporter import Exporter
from strangers import FalseBlock, mutate

NOBODY = 65534
CUTS = int(os.environ.get("ALI3_SOAK_CUTS", "200"))
BLOCKS = int(os.environ.get("ALI3_SOAK_BLOCKS", "12"))
PAGES = ("/metrics", "/api/v1/instances", "/healthz", "/")
ROOT_ONLY = unittest.skipIf(os.geteuid() != 0, "needs root, to become another user")


def top(*arguments):
    return subprocess.run([bench.program("ali3-top"), *arguments], capture_output=True, timeout=bench.PATIENCE, stdin=subprocess.DEVNULL)


def block_of(daemon):
    with open(f"/dev/shm/ali3-{daemon.name}", "rb") as f:
        return f.read()


class Odd:
    """Something under the name of a block. Use as a context."""

    def __init__(self, name, make, user=None):
        self.path, self.make, self.user = f"/dev/shm/ali3-{name}", make, user

    def __enter__(self):
        self.make(self.path)
        if self.user is not None:
            os.lchown(self.path, self.user, self.user)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(FileNotFoundError):
            (os.rmdir if os.path.isdir(self.path) and not os.path.islink(self.path) else os.unlink)(self.path)


def make_socket(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.bind(path)


ODD = [(os.mkfifo, "is a FIFO"), (os.mkdir, "is a directory"), (lambda path: os.symlink("/etc/passwd", path), "is a symbolic link"),
       (make_socket, "is a socket")]


class Files(unittest.TestCase):
    def test_tools_do_not_wait(self):
        name = f"e2e-{os.getpid()}-odd"
        for make, said in ODD:
            with self.subTest(said=said), Odd(name, make), Exporter() as e, Exporter("--name", name) as one:
                done = top("--once", "--instance", name)
                self.assertEqual(done.returncode, 3)
                self.assertIn(f"/dev/shm/ali3-{name} {said}".encode(), done.stdout)
                self.assertNotIn(name.encode(), top("--list").stdout)
                self.assertNotIn(name, e.get("/metrics")[2])
                self.assertEqual(one.metrics()[("ali3_up", ("daemon", name))], 0)
                status, _, body = one.get("/healthz")
                self.assertEqual(status, 503)
                self.assertIn(said, body)
                for exporter in (e, one):
                    self.assertEqual(exporter.stop(signal.SIGTERM), 0)

    @ROOT_ONLY
    def test_a_daemon_does_not_wait(self):
        """Root replaces a stranger's file under its name; another user gets a message with the remedy."""
        with bench.Daemon() as d:
            self.assertEqual(d.stop()[0], 0)
            for user, strange in ((None, NOBODY), (NOBODY, 0)):
                with self.subTest(user=user), Odd(d.name, os.mkfifo, strange):
                    d.user, d.wait = user, user is None
                    os.chmod(d.dir, 0o777)
                    for name in os.listdir(d.dir):  # the report and the folder of root's daemon, which the other user writes again
                        os.chmod(os.path.join(d.dir, name), 0o777)
                    d.notified.clear()
                    d.start()
                    if user is None:
                        self.assertEqual(d.watch()["state"], "RUNNING")
                        self.assertEqual(d.stop()[0], 0)
                    else:
                        self.assertEqual(d.finish(), 1)
                        self.assertIn(f"/dev/shm/ali3-{d.name} is a FIFO: remove it as its owner or as root, or choose another "
                                      "telemetry.name", d.said())

    @ROOT_ONLY
    def test_a_block_of_a_stranger_is_not_believed(self):
        """It names a living process of another user."""
        with bench.Daemon() as d:
            data = block_of(d)
        name = f"e2e-{os.getpid()}-false"
        with bench.Daemon() as other, FalseBlock(name, data) as block, Exporter() as e:
            block.write(data[:16] + (1).to_bytes(8, "little") + data[24:])
            os.chown(block.path, NOBODY, NOBODY)
            done = top("--once", "--instance", name)
            self.assertEqual(done.returncode, 3)
            self.assertIn(b"belongs to user 65534, but process 1, which it names, runs as another user: refused", done.stdout)
            page = e.get("/metrics")[2]
            self.assertNotIn(name, page)
            self.assertIn(other.name, page)

    def test_a_process_number_given_out_again_stops_no_start(self):
        """A killed daemon's block names a living process: ours."""
        with bench.Daemon() as d:
            bench.kill_client(d.process)
            with open(f"/dev/shm/ali3-{d.name}", "r+b") as f:
                f.seek(16)
                f.write(os.getpid().to_bytes(8, "little"))
            self.assertEqual(top("--once", "--instance", d.name).returncode, 3)
            d.notified.clear()
            d.start()
            self.assertEqual(d.watch()["pid"], d.process.pid)
            self.assertEqual(d.stop()[0], 0)


class Contents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with bench.Daemon() as d:
            cls.data = block_of(d)
            # The process that the copies name has to live: it is us, or a user other than root could not read them.
            cls.data = cls.data[:16] + os.getpid().to_bytes(8, "little") + cls.data[24:]
        cls.name = f"e2e-{os.getpid()}-false"

    def test_a_block_that_is_cut_ends_nobody(self):
        with FalseBlock(self.name, self.data) as block, Exporter() as e:
            ends, failed = threading.Event(), []

            def read(what):
                while not ends.is_set():
                    try:
                        what()
                    except Exception as error:  # noqa: BLE001: whatever it is, the test fails by it
                        failed.append(error)
                        return

            def run_top():
                status = top("--line", "--watch", "0.02", "--seconds", "0.5", "--instance", self.name).returncode
                assert status in (0, 1, 3), status

            readers = [threading.Thread(target=read, args=(what,))
                       for what in (lambda: e.get("/metrics"), lambda: e.get(f"/api/v1/status?name={self.name}"), run_top)]
            for r in readers:
                r.start()
            for i in range(CUTS):
                block.cut(i * 977 % len(self.data) if i % 2 else 0)
                bench.pace(0.0005)
                block.write(self.data)
                bench.pace(0.0015)
            ends.set()
            for r in readers:
                r.join()
            self.assertEqual(failed, [])
            self.assertIsNone(e.process.poll())
            # A page is as old as the last look at the daemons, up to 10 ms, when the block may have been cut.
            bench.wait_for("the whole block", lambda: e.metrics().get(("ali3_up", ("daemon", self.name))) == 1)

    def test_hostile_bytes(self):
        """Every page and every view of a block with any content: no crash, no control character of a terminal."""
        with Exporter() as e:
            for seed in range(BLOCKS):
                with self.subTest(seed=seed), FalseBlock(self.name, mutate(self.data, seed)):
                    for arguments in (("--once",), ("--json", "--once"), ("--line", "--once")):
                        done = top(*arguments, "--instance", self.name)
                        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
                        shown = done.stdout.decode("utf-8").replace("\n", "")
                        self.assertTrue(shown.isprintable(), [c for c in shown if not c.isprintable()])
                    for path in (*PAGES, f"/api/v1/status?name={self.name}"):
                        e.get(path)
                    self.assertIsNone(e.process.poll())


if __name__ == "__main__":
    bench.main()
