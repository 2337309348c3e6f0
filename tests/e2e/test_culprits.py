#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The record of a miss names who had the processor: a real-time thread, an ordinary one, and an interrupt, as the kernel's own
trace tells. Needs root and a tracefs; where it is not mounted, this process mounts it for itself and its children alone."""
import ctypes
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time
import unittest

import bench

TRACING = "/sys/kernel/tracing"
TRIES = 12
HOG = 0.04  # s
NEWNS, PRIVATE_MOUNTS = 0x20000, 0x44000  # CLONE_NEWNS; MS_REC | MS_PRIVATE
ATTACH_FILTER, SOCKETS, DIVISIONS = 26, 1000, 3000


def mount_tracefs():
    """Skips the module where the host refuses."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("takes root, to trace the kernel")
    if os.path.exists(f"{TRACING}/trace_clock"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for call in (lambda: libc.unshare(NEWNS), lambda: libc.mount(b"none", b"/", None, PRIVATE_MOUNTS, None),
                 lambda: libc.mount(b"tracefs", TRACING.encode(), b"tracefs", 0, None)):
        if call() != 0:
            raise unittest.SkipTest(f"tracefs cannot be mounted: {os.strerror(ctypes.get_errno())}")


def hog(cpu, words):
    """Burns the processor for a while as soon as a line comes."""
    return subprocess.Popen([sys.executable, "-c", f"import os, sys, time\nos.sched_setaffinity(0, {{{cpu}}})\n{words}\n"
                             f"print('ready', flush=True)\nfor line in sys.stdin:\n  end = time.monotonic() + {HOG}\n"
                             "  while time.monotonic() < end: pass\n"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


class Broadcast:
    """A datagram to many sockets. The filter of each divides a few thousand times, all within one softirq."""

    def __init__(self):
        def word(code, k):
            return struct.pack("HBBI", code, 0, 0, k)

        program = ctypes.create_string_buffer(word(0x00, 0xffffffff) + word(0x01, 3) + word(0x3c, 0) * DIVISIONS + word(0x06, 0))
        filter_ = struct.pack("HxxxxxxQ", DIVISIONS + 3, ctypes.addressof(program))
        self.port = bench.free_port(socket.SOCK_DGRAM)
        self.sockets = []
        for _ in range(SOCKETS):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.sockets.append(s)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.255.255.255", self.port))
            s.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, filter_)
        self.sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sockets.append(self.sender)
        self.sender.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)

    def send(self):
        self.sender.sendto(b"x", ("127.255.255.255", self.port))

    def close(self):
        for s in self.sockets:
            s.close()


class Culprits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        mount_tracefs()

    def check(self, disturb, expected, cpu, **options):
        """After a disturbance a miss has the culprit `expected`, a regular expression, in its text."""
        options.setdefault("realtime", {}).update(trace=True, cpu=cpu, workers=0)
        with bench.Daemon(["--miss-log", "misses"], **options) as d:
            watch = d.watch()
            self.assertEqual((watch["traces"], watch["untraced_reason"]), (True, ""), d.said())
            self.assertIn(f"ali3-{d.name}", os.listdir(f"{TRACING}/instances"))
            for left in reversed(range(TRIES)):
                disturb()
                try:
                    miss = bench.wait_for(lambda: f"{expected}; the log:\n{d.said()}", lambda: self.named(d, expected), 0.7)
                    break
                except AssertionError:
                    if not left:
                        raise
            self.assertEqual(d.stop()[0], 0)
            self.assertNotIn(f"ali3-{d.name}", os.listdir(f"{TRACING}/instances"))
        print(miss["text"])
        return miss

    @staticmethod
    def named(daemon, expected):
        """The first miss with that culprit. The log has at most five lines a second, the file has a hundred."""
        with open(os.path.join(daemon.dir, "misses"), encoding="utf-8") as f:
            lines = [json.loads(line) for line in f if line.endswith("\n")]
        return next((m for m in lines if re.search(rf"; {expected} had its processor for", m.get("text", ""))), None)

    def run_hog(self, cpu, words):
        process = hog(cpu, words)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stdin.close)
        if process.stdout.readline() != "ready\n":
            self.skipTest(f"the host refuses: {words}")

        def disturb():
            process.stdin.write("\n")
            process.stdin.flush()
        return process.pid, disturb

    def cpu(self):
        return max(os.sched_getaffinity(0))

    def test_a_real_time_thread(self):
        pid, disturb = self.run_hog(self.cpu(), "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))")
        miss = self.check(disturb, rf"thread {pid} \(python3?[^,]*, SCHED_FIFO 90\)", self.cpu())
        culprit = miss["culprit"]
        self.assertEqual((culprit["kind"], culprit["id"], culprit["policy"]), ("thread", pid, "SCHED_FIFO 90"))
        self.assertEqual(culprit["cpu"], self.cpu())
        self.assertGreater(culprit["had_s"], HOG / 4)
        self.assertLess(culprit["had_s"], HOG + 0.1)
        self.assertLessEqual(culprit["had_s"], culprit["waited_s"])

    def test_an_ordinary_thread(self):
        """The loop is ordinary, too, and very nice."""
        bench.need("setpriv")
        hogs = [self.run_hog(self.cpu(), "os.setpriority(os.PRIO_PROCESS, 0, -20)") for _ in range(4)]

        def disturb():
            for _, begin in hogs:
                begin()
        pids = "|".join(str(pid) for pid, _ in hogs)
        prefix = ["prlimit", "--rtprio=0", "nice", "-n", "19", "setpriv", "--bounding-set", "-sys_nice"]
        miss = self.check(disturb, rf"thread (?:{pids}) \(python3?[^,]*, SCHED_OTHER, nice -20\)", self.cpu(),
                          prefix=prefix, cycle={"period": 0.002})
        self.assertEqual(miss["culprit"]["policy"], "SCHED_OTHER, nice -20")

    def test_an_interrupt(self):
        broadcast = Broadcast()
        self.addCleanup(broadcast.close)
        allowed = os.sched_getaffinity(0)

        def disturb():
            os.sched_setaffinity(0, {self.cpu()})
            broadcast.send()
            os.sched_setaffinity(0, allowed)
        begin = time.monotonic()
        disturb()
        if time.monotonic() - begin < 0.025:
            self.skipTest("this kernel divides faster than a period")
        miss = self.check(disturb, "softirq NET_RX", self.cpu())
        self.assertEqual((miss["culprit"]["kind"], miss["culprit"]["name"]), ("softirq", "NET_RX"))
        self.assertIn(miss["cause"], ("late-wake", "stolen"))


class Refused(unittest.TestCase):
    def test_without_the_right(self):
        """A user without the right runs on, is told why, and no name appears."""
        if os.geteuid() != 0:
            self.skipTest("takes root, to become nobody")
        with bench.Daemon(user=65534, realtime={"trace": True}) as d:
            self.assertRegex(d.said(), r"no trace, so misses do not name who had the processor: .*(root|mount -t tracefs)")
            watch = d.watch()
            self.assertFalse(watch["traces"])
            self.assertRegex(watch["untraced_reason"], "root")
            self.assertEqual(d.stop()[0], 0)

    def test_not_asked_for(self):
        with bench.Daemon() as d:
            self.assertEqual(d.watch()["untraced_reason"], "realtime.trace is false")
            self.assertNotIn("trace", d.said())


if __name__ == "__main__":
    bench.main()
