#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The full screen of ali3-top in a terminal of its own, against a real daemon, and the picture it draws."""
import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

import bench

CONTROL_L = "\x0c"


class Screen:
    """ali3-top in a separate terminal: its output, keys to it, and a changing size."""

    def __init__(self, *arguments, rows=24, columns=80, **environment):
        self.master, slave = pty.openpty()
        self.written = ""
        self.resize(rows, columns)
        self.before = termios.tcgetattr(slave)
        self.slave = slave  # kept open: the settings of the terminal can be read at the end
        self.process = subprocess.Popen(
            [bench.program("ali3-top"), *arguments], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment},
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.slave)
        os.close(self.master)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def key(self, text):
        os.write(self.master, text.encode())

    def read(self):
        while select.select([self.master], [], [], 0)[0]:
            self.written += os.read(self.master, 65536).decode(errors="replace")

    def hears(self, seconds=0.2):
        """The output of the next seconds."""
        self.read()
        start = len(self.written)
        bench.run_on(seconds)
        self.read()
        return self.written[start:]

    def sees(self, part, seconds=bench.PATIENCE):
        """The screen with this text on it, blanks counted as one. ali3-top writes changes only, so it is asked to redraw."""
        self.read()
        start, text = len(self.written), ""
        end = time.monotonic() + seconds
        while part not in text:
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"'{part}' is not on the screen: {text[-3000:]}")
            self.key(CONTROL_L)
            self.hears()
            text = re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][0AB]|[=>78])|\s", " ", self.written[start:])
            text = re.sub(r" +", " ", text)
        return text

    def finish(self):
        """Exit status; reads meanwhile, because a full terminal would block it."""
        def ended():
            self.read()
            return self.process.poll() is not None

        bench.wait_for("the end of ali3-top", ended)
        self.read()
        return self.process.returncode


class FullScreen(unittest.TestCase):
    def assert_restored(self, screen):
        self.assertEqual(termios.tcgetattr(screen.slave), screen.before, "the settings of the terminal are restored")
        self.assertIn("\x1b[?1049l", screen.written, "the page before is back")

    def test_shows_and_quits(self):
        # More lines than 80 x 24: the reason for not being real-time takes some.
        with bench.Daemon() as d, Screen("--instance", d.name, rows=34) as s:
            for part in (d.name, "RUNNING", "10 ms by timer, overrun skip", "load 1 s", "wakeup", "p99.9", "feedback", "push",
                         "q quit", "\u2588"):
                s.sees(part)
            s.key("q")
            self.assertIn(s.finish(), (0, 1))  # 1: this host missed a deadline
            self.assert_restored(s)

    def test_keys(self):
        with bench.Daemon() as d, Screen("--instance", d.name, "--watch", "0.1", rows=40, columns=100) as s:
            s.sees("predict")
            s.key("?")
            s.sees("Any key closes this.")
            s.key("x")
            s.key("s")
            s.sees("s max")
            s.key("4")
            s.sees("v levels")
            s.key("2")
            s.sees("v histograms")
            for _ in range(4):
                s.key("h")
            s.sees("wakeup, us m median")
            s.key("1")
            s.sees("v overview")
            s.key(" ")
            s.sees("HELD")
            bench.wait_for("a picture that stands still", lambda: s.hears(0.5) == "")
            s.key("p")
            s.sees("p hold")
            s.key("q")
            s.finish()
            self.assert_restored(s)

    def test_values(self):
        with bench.Daemon() as d, Screen("--instance", d.name, "--watch", "0.1", "--watch", "time", rows=40) as s:
            s.sees("signal value unit")
            s.key("w")
            s.sees("> time")
            s.key("\x15energy.kin")
            s.sees("> energy.kin")
            s.sees("0 of ")
            s.key("x\x7f*")
            s.sees("1 of ")
            s.key("\r")
            s.sees("v values")
            s.sees("energy.kinetic")
            s.sees("\u2588")
            s.key("q")
            s.finish()
            self.assert_restored(s)

    def test_resize(self):
        with bench.Daemon() as d, Screen("--instance", d.name) as s:
            s.sees("q quit")
            s.resize(60, 200)
            s.sees("Modbus clients connected now")  # no room for that before
            s.sees("step, us m median")
            s.resize(5, 20)
            s.sees("q quit v overv")
            s.sees("RUNNING")
            s.key("q")
            s.finish()
            self.assert_restored(s)

    def test_instances(self):
        def chosen():
            """The list has all daemons of this machine, newest first; those of other tests come and go meanwhile."""
            with Screen("--instance", one.name, columns=120) as s:
                s.sees(one.name)
                s.key("i")
                listed = s.sees(f"{one.name} (shown)").partition("Esc closes")[2]
                s.key("k" * (listed[listed.index(two.name):listed.index(one.name)].count("\u2502") // 2) + "\r")
                with contextlib.suppress(AssertionError):
                    return s.sees(f"{two.name} RUNNING", 10)

        with bench.Daemon() as one, bench.Daemon() as two:
            bench.wait_for("the other daemon", chosen)

    def test_goes_away(self):
        d = bench.Daemon()
        with Screen("--instance", d.name, "--watch", "0.1") as s:
            s.sees("Waiting for a daemon.")
            with d:
                s.sees("RUNNING")
                d.stop()
            s.sees("waiting for it to come back")
            s.key("r")
            s.sees("not reset: there is no daemon")
            s.process.send_signal(signal.SIGTERM)
            self.assertEqual(s.finish(), 3)
            self.assert_restored(s)

    def test_reset(self):
        with bench.Daemon() as d, Screen("--instance", d.name, "--watch", "0.1") as s:
            s.sees("RUNNING")
            before = d.watch()["cleared_cycle"]
            s.key("r")
            s.sees("maxima and distributions start at cycle")
            bench.wait_for("the book cleared", lambda: d.watch()["cleared_cycle"] > before)
            self.assertIsNone(d.process.poll())

    def test_without_colour_and_unicode(self):
        with bench.Daemon() as d:
            for changes in ({"NO_COLOR": "1"}, {"TERM": "vt100"}):
                with Screen("--instance", d.name, LC_ALL="C", **changes) as s:
                    s.sees("###")
                    s.sees("q quit")
                    s.key("q")
                    s.finish()
                    self.assertNotRegex(s.written, r"\x1b\[[0-9;]*3[0-7]m")
                    self.assertTrue(s.written.isascii())

    def test_terminal_that_cannot(self):
        with Screen(TERM="dumb") as s:
            self.assertEqual(s.finish(), 2)
            self.assertIn('terminal type "dumb" is unknown', s.written)

    def test_seconds(self):
        with bench.Daemon() as d, Screen("--instance", d.name, "--seconds", "1") as s:
            self.assertIn(s.finish(), (0, 1))
            self.assert_restored(s)


class Histogram(unittest.TestCase):
    def test_picture(self):
        bench.need("gnuplot")
        with bench.Daemon() as d:
            bench.wait_for("some cycles", lambda: d.watch()["cycle_us"]["count"] > 50)
            picture = os.path.join(d.dir, "it's \"a\" picture.png")
            done = subprocess.run([bench.program("ali3-top"), "--histogram", picture, "--instance", d.name],
                                  capture_output=True, text=True, timeout=bench.PATIENCE, stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            with open(picture, "rb") as f:
                data = f.read()
            self.assertTrue(data.startswith(b"\x89PNG\r\n\x1a\n"))
            self.assertEqual(struct.unpack(">II", data[16:24]), (1200, 1100))
            self.assertGreater(len(data), 10000)


if __name__ == "__main__":
    bench.main()
