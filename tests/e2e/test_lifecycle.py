#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Start, watch-dog, stop and every exit status of the daemon. Its threads: test_threads.py."""
import contextlib
import ctypes
import glob
import os
import pty
import re
import signal
import subprocess
import time
import unittest

import bench
import sentences

NOBODY = 65534
REPORT = {"realtime", "realtime_reason", "cycles", "misses", "skipped", "wakeup_us", "step_us", "cycle_us"}
TIMES = ["min", "median", "p99", "p999", "p9999", "max"]


def counters():
    """Names of all counters, from the list that makes them."""
    with open(os.path.join(bench.ROOT, "src", "realtime", "signals", "counters.h"), encoding="utf-8") as f:
        return {line.split("(")[1].split(",")[0] for line in f if line.startswith("  X(")}


def tasks(pid):
    """{thread id: name}"""
    out = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="utf-8") as f:
            out[int(tid)] = f.read().strip()
    return out


def fifo(pid):
    return [tid for tid in tasks(pid) if os.sched_getscheduler(tid) & ~os.SCHED_RESET_ON_FORK == os.SCHED_FIFO]


@contextlib.contextmanager
def halted(tid):
    """Stops one thread while its process goes on. Skips the test if the host does not let a parent do that."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    seize, interrupt, detach, wait_all = 0x4206, 0x4207, 17, 0x40000000
    if libc.ptrace(seize, tid, None, None) != 0:
        raise unittest.SkipTest(f"ptrace is refused: {os.strerror(ctypes.get_errno())}")
    libc.ptrace(interrupt, tid, None, None)
    os.waitpid(tid, wait_all)
    try:
        yield
    finally:
        libc.ptrace(detach, tid, None, None)


class Stop(unittest.TestCase):
    def check_report(self, report):
        self.assertLessEqual(REPORT, report.keys())
        for part in ("wakeup_us", "step_us", "cycle_us"):
            values = [report[part][k] for k in TIMES]
            self.assertEqual(values, sorted(values), part)
        self.assertEqual(report["counters"].keys(), counters())
        self.assertIsInstance(report["realtime"], bool)
        if not report["realtime"]:
            self.assertNotEqual(report["realtime_reason"], "")
            self.assertIn("NOT REAL-TIME", bench.json.dumps(report))
        self.assertGreater(report["cycles"], 0)

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number), bench.Daemon() as d:
                bench.wait_for("25 cycles after the warm-up", lambda: d.watch()["cycle"] > 125)
                status, report = d.stop(number)
                self.assertEqual(status, 0, d.said())
                self.check_report(report)
                self.assertGreater(report["cycles"], 20)
                self.assertEqual(glob.glob(f"/dev/shm/ali3-{d.name}*"), [], "shared memory left behind")
                self.assertIn("STOPPING=1", d.hear())
                print(f"realtime {report['realtime']}, {report['cycles']} cycles, {report['misses']} misses, "
                      f"wakeup {report['wakeup_us']}, step {report['step_us']}")

    def test_hangup(self):
        """The end of a terminal ends its daemon, but not one started by nohup. For a service see test_service.py."""
        d = bench.Daemon()
        self.addCleanup(d.__exit__)
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        environment = {k: v for k, v in os.environ.items() if k != "NOTIFY_SOCKET"}
        with open(os.path.join(d.dir, "log"), "w", encoding="utf-8") as log:
            d.process = subprocess.Popen([bench.program("ali3d"), d.config, "--report", d.report_file], stdin=theirs,
                                         stdout=log, stderr=log, env=environment)
        os.close(theirs)
        bench.wait_for(lambda: f"the end of the warm-up; it said:\n{d.said()}", lambda: "ready: " in d.said())
        self.assertEqual(d.stop(signal.SIGHUP)[0], 0, d.said())
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a child inherits that
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        with bench.Daemon() as d:
            d.process.send_signal(signal.SIGHUP)
            cycle = d.watch()["cycle"]
            bench.wait_for("50 more cycles", lambda: d.watch()["cycle"] > cycle + 50)
            self.assertNotIn("SIGHUP", d.said())
            self.assertEqual(d.stop()[0], 0)

    def test_duration(self):
        with bench.Daemon(["--duration", "1"], wait=False) as d:
            self.assertEqual(d.finish(), 0, d.said())
            self.check_report(d.report())

    def test_the_instruction_set_is_said_everywhere(self):
        """In the log, the monitor and the report; the option before the file."""
        for arguments, file in (([], "baseline"), (["--isa", "baseline"], "auto")):
            with self.subTest(arguments), bench.Daemon(arguments, simulation={"isa": file}) as d:
                self.assertIn("every 10 ms, baseline;", d.said())
                self.assertEqual(d.watch()["isa"], "baseline")
                status, report = d.stop()
                self.assertEqual((status, report["isa"]), (0, "baseline"), d.said())

    def check_workers(self, d, chosen):
        """The log, the monitor and the report agree with the threads of the process."""
        started = sum(1 for name in tasks(d.process.pid).values() if name.startswith("ali3-w"))
        watched = d.watch()
        status, report = d.stop()
        self.assertEqual(status, 0, d.said())
        self.assertEqual((started, watched["workers"], report["workers"]), (chosen, chosen, chosen), d.said())

    def test_workers_are_chosen(self):
        with bench.Daemon() as d:
            self.assertRegex(d.said(), r"0 workers \(auto\): ")
            self.check_workers(d, 0)
        with open(os.path.join(bench.ROOT, "tests", "reference", "chain_128.json"), encoding="utf-8") as f:
            chain = bench.json.load(f)["model"]
        begin = {"model": chain, "inputs": [], "realtime": {"workers": "auto"}}
        with bench.Daemon(**begin) as d:
            said = re.search(r"(\d+) workers? \(auto\): (step .*|no CPU .*)", d.said())
            self.assertIsNotNone(said, d.said())
            print(said.group())
            self.check_workers(d, int(said.group(1)))
        with bench.Daemon(realtime={"workers": 1}) as d:
            self.assertNotIn("(auto)", d.said())
            self.check_workers(d, 1)
        with bench.Daemon(["--check"], wait=False, **begin) as d:
            self.assertEqual(d.finish(), 0, d.said())
            self.assertNotIn("(auto)", d.said())

    def faults_of_a_loop(self):
        """Page faults within two seconds, and what the daemon has counted."""
        with bench.Daemon() as d:
            if not d.watch()["realtime"]:
                self.skipTest("real time is refused here")
            (loop,) = fifo(d.process.pid)

            def faults():
                with open(f"/proc/{d.process.pid}/task/{loop}/stat", encoding="utf-8") as f:
                    field = f.read().rsplit(")", 1)[1].split()
                return int(field[7]) + int(field[9])  # minflt, majflt

            before = faults()
            bench.run_on(2)
            return faults() - before, d.counter("loop_page_faults")

    def test_loop_takes_no_page_fault(self):
        """In one of three runs: the kernel may move a page of locked memory, and its next use counts as a fault."""
        found = [self.faults_of_a_loop()]
        while found[-1] != (0, 0) and len(found) < 3:
            found.append(self.faults_of_a_loop())
        self.assertEqual(found[-1], (0, 0), found)


class Service(unittest.TestCase):
    def test_watchdog_is_fed_only_while_the_loop_advances(self):
        with bench.Daemon(environment={"WATCHDOG_USEC": "2000000"}) as d:
            if not d.watch()["realtime"]:
                self.skipTest("real time is refused here: the loop cannot be told from the other threads")

            def fed_since(start):
                d.hear()
                return sum(1 for t, line in d.notified if line == "WATCHDOG=1" and t > start)

            start = time.monotonic()
            bench.wait_for("watchdog fed twice", lambda: fed_since(start) >= 2)
            (loop,) = fifo(d.process.pid)
            with halted(loop):
                bench.wait_for("the loop to be missed", lambda: "loop stuck" in d.said())
                d.hear()
                start = time.monotonic()
                bench.run_on(1.5)
                self.assertEqual(fed_since(start), 0, "fed while the loop was stuck")
            start = time.monotonic()
            bench.wait_for("watchdog fed again", lambda: fed_since(start) >= 1)
            status, report = d.stop()
            self.assertEqual(status, 0)
            self.assertGreater(report["misses"] + report["skipped"], 0, "two seconds of standstill went unnoticed")


class Exit(unittest.TestCase):
    def run_daemon(self, *arguments):
        return subprocess.run([bench.program("ali3d"), *arguments], capture_output=True, text=True, timeout=bench.PATIENCE,
                              stdin=subprocess.DEVNULL)

    def test_help_and_version(self):
        for option in ("--help", "--version"):
            done = self.run_daemon(option)
            self.assertEqual(done.returncode, 0)
            self.assertIn("ali3d", done.stdout)

    def test_usage(self):
        for arguments in ([], ["--no-such-option"], ["a.yaml", "--duration", "soon"], ["/no/such/file.yaml"]):
            with self.subTest(arguments=arguments):
                done = self.run_daemon(*arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertNotEqual(done.stderr, "")

    def test_check(self):
        with bench.Daemon(["--check"], wait=False) as d:
            self.assertEqual(d.finish(), 0, d.said())
            self.assertFalse(os.path.exists(d.report_file))
            self.assertEqual(d.hear(), [])

    def test_closed_streams(self):
        """No socket takes the place of a standard stream: a log or a report would go out in its datagrams."""
        receiver = bench.OscReceiver()
        self.addCleanup(receiver.close)
        d = bench.Daemon(osc={"targets": [{"host": "127.0.0.1", "port": receiver.port}]})
        self.addCleanup(d.__exit__)
        for closed, status in ((">&-", 1), ("<&- 2>&-", 0), ("<&- >&- 2>&-", 1)):
            with self.subTest(closed=closed):
                done = subprocess.run(["sh", "-c", f'exec "$0" "$1" --duration 0.3 --report - {closed}',
                                       bench.program("ali3d"), d.config], capture_output=True, timeout=bench.PATIENCE)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(bool(done.stdout), status == 0)
        receiver.socket.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.assertRegex(receiver.socket.recv(65536), rb"^(#bundle|/ali3)")

    def test_bad_file(self):
        d = bench.Daemon(cycle={"periode": 0.02}, wait=False)
        with d:
            self.assertEqual(d.finish(), 2, d.said())
            self.assertRegex(d.said(), r"bench\.json:\d+:\d+: error: .*periode")
            self.assertFalse(os.path.exists(d.report_file))

    def test_ports_in_use(self):
        with bench.Daemon() as first:
            for changes, port in (({"modbus": {"port": first.modbus_port}}, first.modbus_port),
                                  ({"osc": {"port": first.osc_port}}, first.osc_port)):
                with self.subTest(**changes), bench.Daemon(wait=False, **changes) as second:
                    self.assertEqual(second.finish(), 1, second.said())
                    self.assertIn(str(port), second.said())
            with bench.Daemon(wait=False, telemetry={"name": first.name}) as second:
                self.assertEqual(second.finish(), 1, second.said())
                self.assertIn(first.name, second.said())
            self.assertEqual(first.watch()["state"], "RUNNING")

    def test_instance_of_a_killed_daemon_is_taken_over(self):
        with bench.Daemon() as d:
            bench.kill_client(d.process)
            self.assertTrue(os.path.exists(f"/dev/shm/ali3-{d.name}"))
            d.notified.clear()
            d.start()
            self.assertEqual(d.stop()[0], 0)


@unittest.skipIf(os.geteuid() != 0, "needs root, to become a user without any right to real time")
class Refused(unittest.TestCase):
    def test_required(self):
        with bench.Daemon(["--require-realtime"], user=NOBODY, wait=False) as d:
            self.assertEqual(d.finish(), 3, d.said())
            self.assertIn(sentences.REALTIME_REQUIRED, d.said())
            self.assertNotIn("READY=1", d.hear())

    def test_labelled(self):
        with bench.Daemon(user=NOBODY) as d:
            self.assertFalse(d.watch()["realtime"])
            self.assertEqual(fifo(d.process.pid), [])
            status, report = d.stop()
            self.assertEqual(status, 0)
            self.assertFalse(report["realtime"])
            self.assertIn("Operation not permitted", report["realtime_reason"])
            self.assertIn(sentences.NOT_REALTIME, d.said())


if __name__ == "__main__":
    bench.main()
