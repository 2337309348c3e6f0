#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every thread of the running daemon matches the table below, read back from the kernel; memory is locked, nothing is
bound late, and the loop and its workers make only the system calls of the list."""
import os
import re
import signal
import subprocess
import time
import unittest

import bench

NOBODY = 65534
# Name of the thread; None: ordinary, else its CPU counted from that of the loop.
THREADS = {
    r"ali3d": None,
    r"ali3-osc": None,
    r"modbus": None,
    r"dev-.+": None,
    r"ali3-state": None,
    r"ali3-params": None,
    r"ali3-loop": lambda: 0,
    r"ali3-w(\d+)": int,
}
BLOCKED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1}
# System calls of the real-time threads; clock_gettime only if the kernel has no faster way.
CALLS = {"clock_nanosleep", "clock_gettime", "futex", "write", "getrusage", "tgkill"}  # the last: a worker that is late
CALLS_OF_ATTACHING = {"restart_syscall", "rt_sigreturn"}
UNLOCKED = {"[vvar]", "[vvar_vclock]", "[vdso]", "[vsyscall]"}  # the kernel's own, always there
TRACED = 1.0  # s


def chain(links):
    """A model large enough for workers to be woken."""
    bodies = [{"name": f"b{i}", "mass": 1, "inertia": [1, 1, 1], "position": [i + 0.5, 0, 0]} for i in range(links)]
    joints = [{"name": f"j{i}", "type": "spherical", "body_a": f"b{i - 1}" if i else "ground", "body_b": f"b{i}", "at": [i, 0, 0]}
              for i in range(links)]
    return {"name": "chain", "gravity": [0, -9.81, 0], "bodies": bodies, "joints": joints}


class Thread:
    def __init__(self, pid, tid):
        self.tid = int(tid)
        with open(f"/proc/{pid}/task/{tid}/status", encoding="utf-8") as f:
            self.status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
        self.name = self.status["Name"]
        self.policy = os.sched_getscheduler(self.tid) & ~os.SCHED_RESET_ON_FORK
        self.priority = os.sched_getparam(self.tid).sched_priority
        self.cpus = os.sched_getaffinity(self.tid)
        blocked = int(self.status["SigBlk"], 16)
        self.blocked = {number for number in BLOCKED if blocked >> (number - 1) & 1}
        try:
            with open(f"/proc/{tid}/timerslack_ns", encoding="utf-8") as f:
                self.slack = f.read().strip()
        except OSError as e:
            self.slack = e.strerror

    def row(self):
        """(may it be there, its place behind the loop's CPU or None)"""
        for pattern, place in THREADS.items():
            found = re.fullmatch(pattern, self.name)
            if found:
                return True, place and place(*found.groups())
        return False, None

    def __str__(self):
        policy = {os.SCHED_FIFO: "SCHED_FIFO", os.SCHED_OTHER: "SCHED_OTHER"}.get(self.policy, self.policy)
        return (f"{self.name}: {policy} {self.priority}, CPU {sorted(self.cpus)}, "
                f"blocks {sorted(s.name for s in self.blocked)}, timer slack {self.slack} ns")


def threads(daemon):
    pid = daemon.process.pid
    return [Thread(pid, tid) for tid in sorted(os.listdir(f"/proc/{pid}/task"), key=int)]


@unittest.skipIf(bench.SANITIZED == "thread", "the thread sanitizer has a thread of its own")
class Threads(unittest.TestCase):
    def check(self, daemon, workers, cpu, priority):
        """priority None: nobody is real time; cpu None: nobody is pinned."""
        found = threads(daemon)
        everywhere = os.sched_getaffinity(0)
        for t in found:
            print(t)
            known, place = t.row()
            self.assertTrue(known, f"thread {t.name} is not in the table THREADS: declare what it is to be")
            fifo = place is not None and priority is not None
            self.assertEqual((t.policy, t.priority), (os.SCHED_FIFO, priority) if fifo else (os.SCHED_OTHER, 0), t.name)
            pinned = place is not None and cpu is not None
            self.assertEqual(t.cpus, {cpu + place} if pinned else everywhere, t.name)
            # The main thread waits for signals, and while it does the kernel shows them as not blocked.
            if t.tid != daemon.process.pid:
                self.assertEqual(t.blocked, BLOCKED, t.name)
        names = [t.name for t in found]
        for name in ["ali3d", "ali3-osc", "modbus", "ali3-loop"] + [f"ali3-w{i + 1}" for i in range(workers)]:
            self.assertEqual(names.count(name), 1, name)
        self.assertEqual(len([name for name in names if name.startswith("ali3-w")]), workers)

    def real_time(self, daemon):
        watched = daemon.watch()
        if not watched["realtime"]:
            self.skipTest(f"real time is refused here: {watched['realtime_reason']}")
        return watched

    def test_pinned(self):
        if not {0, 1} <= os.sched_getaffinity(0):
            self.skipTest("needs CPU 0 and CPU 1")
        with bench.Daemon(realtime={"workers": 1, "cpu": 0, "priority": 70}) as d:
            self.real_time(d)
            self.check(d, workers=1, cpu=0, priority=70)

    def test_by_default(self):
        device = {"name": "plc", "host": "127.0.0.1", "port": 1, "map": [{"signal": "time", "table": "holding", "address": 0}]}
        with bench.Daemon(realtime={"workers": 0}, devices=[device]) as d:
            self.assertIn("dev-plc", [t.name for t in threads(d)])
            self.check(d, workers=0, cpu=None, priority=self.real_time(d)["priority"])

    @unittest.skipIf(os.geteuid() != 0, "needs root, to become a user without any right to real time")
    def test_refused(self):
        with bench.Daemon(user=NOBODY, realtime={"workers": 1}) as d:
            self.check(d, workers=1, cpu=None, priority=None)

    def test_all_memory_is_locked(self):
        with bench.Daemon() as d:
            self.real_time(d)
            status = Thread(d.process.pid, d.process.pid).status
            locked, resident = (int(status[key].split()[0]) for key in ("VmLck", "VmRSS"))
            print(f"VmLck {locked} kB, VmRSS {resident} kB")
            # The counter of what is resident may be off by some pages for each thread.
            self.assertGreaterEqual(locked + 1024, resident)
            with open(f"/proc/{d.process.pid}/smaps", encoding="utf-8") as f:
                mappings = re.findall(r"^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ \S+ *(.*)$(?:\n\w+: .*)*?\nVmFlags: (.*)", f.read(), re.M)
            self.assertGreater(len(mappings), 20)
            for name, flags in mappings:
                self.assertTrue("lo" in flags.split() or name in UNLOCKED, f"not locked: {name or 'a nameless mapping'}")

    @unittest.skipIf(bench.SANITIZED, "a sanitizer binds functions of its own late")
    def test_nothing_is_bound_late(self):
        """The first call of a function that is bound then would take the loader's lock and time."""
        push = bench.push(policy="safe", hold=600)
        with bench.Daemon(environment={"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": "bound"}, inputs=[push]) as d:
            def bound():
                with open(os.path.join(d.dir, f"bound.{d.process.pid}"), encoding="utf-8") as f:
                    return f.read()

            before = bound()
            self.assertRegex(before, r"binding file \S*ali3d .*`clock_nanosleep'")
            osc, modbus = bench.OscClient(d.osc_port), bench.ModbusClient(d.modbus_port)
            self.addCleanup(osc.close)
            self.addCleanup(modbus.close)
            osc.send(bench.osc_message("/ali3/sub", "siii", "all", 0, 1, 0))
            osc.send(bench.osc_message("/ali3/input/push/force", "fff", 1.0, 0.0, 0.0))
            for number, command in enumerate(("pause", "run", "reset", "estop")):
                self.assertEqual(osc.command(command, number), 0, command)
            numbers = iter(range(10, 20))
            bench.run_again(lambda name: osc.command(name, next(numbers)))
            modbus.write(100, [0] * 12)
            self.assertEqual(modbus.command("pause", 1), 0)
            self.assertEqual(bound()[len(before):], "")


class SystemCalls(unittest.TestCase):
    def trace(self, thread, file):
        """A strace that is attached to the thread."""
        tracer = subprocess.Popen([bench.need("strace"), "-qq", "-o", file, "-p", str(thread.tid)], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(tracer.stderr.close)
        self.addCleanup(tracer.wait)
        self.addCleanup(tracer.kill)

        def attached():
            if tracer.poll() is not None:
                self.skipTest(f"strace cannot attach: {tracer.stderr.read().strip()}")
            with open(f"/proc/{thread.tid}/status", encoding="utf-8") as f:
                return f"TracerPid:\t{tracer.pid}\n" in f.read()

        bench.wait_for(f"strace attached to {thread.name}", attached)
        return tracer

    @unittest.skipIf(bench.SANITIZED, "sanitizers call the system themselves")
    def test_system_calls(self):
        bench.need("strace")
        with bench.Daemon(model=chain(1000), inputs=[], realtime={"workers": 1}) as d:
            watched = [t for t in threads(d) if t.row()[1] is not None]
            self.assertEqual([t.name for t in watched], ["ali3-loop", "ali3-w1"])
            files = [os.path.join(d.dir, t.name) for t in watched]
            tracers = [self.trace(t, file) for t, file in zip(watched, files)]
            bench.run_on(TRACED)
            for tracer in tracers:
                tracer.send_signal(signal.SIGINT)
                tracer.wait()
            for t, file in zip(watched, files):
                with open(file, encoding="utf-8") as f:
                    trace = f.read()
                calls = re.findall(r"^(?:<\.\.\. )?([a-z]\w*)", trace, re.M)
                self.assertEqual(set(re.findall(r"^clock_nanosleep\(([^{]*)", trace, re.M)) - {"CLOCK_MONOTONIC, TIMER_ABSTIME, "},
                                 set())
                counts = {name: calls.count(name) for name in sorted(set(calls))}
                print(f"{t.name}: {counts}")
                self.assertLessEqual(counts.keys(), CALLS | CALLS_OF_ATTACHING, t.name)
                # It was at work: the loop sleeps once a cycle, and a worker in every one.
                self.assertGreater(counts.get("clock_nanosleep" if t.name == "ali3-loop" else "futex", 0), 10)
            self.assertEqual(d.watch()["state"], "RUNNING")


if __name__ == "__main__":
    bench.main()
