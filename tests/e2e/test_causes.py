#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The daemon runs with a fault (broken.c), and its cause for the missed deadline is that fault. A process that was
stopped has that cause, also after a short stop.

Only the miss of the cycle with the fault is judged, because a host without real time misses others. It may
even disturb this cycle, so each fault has a few tries."""
import csv
import json
import os
import re
import signal
import subprocess
import time
import unittest

import bench

CYCLE = 60
TRIES = 3
BODY = "b128"


class Broken(bench.Daemon):
    def __init__(self, kind, **changes):
        environment = {"ALI3_BREAK": f"{kind}:{CYCLE}"}
        if kind == "worker-killed":  # the pool has it from the kernel that the thread is no more, which the sanitizer does not know
            environment["TSAN_OPTIONS"] = "exitcode=0"
        super().__init__(environment=environment, executable=os.path.join("..", "tests", "ali3d-broken"), **changes)

    def misses(self):
        """{cycle: text of its miss in the log}"""
        found = re.findall(r"^ali3d: miss \d+ at cycle (\d+): (.*)$", self.said(), re.MULTILINE)
        assert len({cycle for cycle, _ in found}) == len(found), "two records of one cycle"
        return {int(cycle): text for cycle, text in found}

    def told(self):
        return bench.wait_for(lambda: f"a miss at cycle {CYCLE}; it said:\n{self.said()}", lambda: self.misses().get(CYCLE))


def chain():
    """A model that hands out work: once in a step, the subtrees of the condensation; by instructions every processor has."""
    with open(os.path.join(bench.ROOT, "tests", "reference", "chain_128.json"), encoding="utf-8") as f:
        return {"model": json.load(f)["model"], "simulation": {"isa": "baseline"}, "inputs": []}


def offline(config, seconds, period, folder):
    """The motion by ali3-sim in one thread: {step: 13 values of the body}."""
    columns = ([f"body.{BODY}.position.{c}" for c in "xyz"] + [f"body.{BODY}.orientation.e{i}" for i in range(4)]
               + [f"body.{BODY}.velocity.{c}" for c in "xyz"] + [f"body.{BODY}.angular_velocity.{c}" for c in "xyz"])
    file = os.path.join(folder, "sim.csv")
    subprocess.run([bench.program("ali3-sim"), config, "--duration", str(seconds), "--workers", "0", "--output", file],
                   check=True, timeout=bench.PATIENCE, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    with open(file, encoding="utf-8") as f:
        return {round(float(row["time"]) / period): [float(row[c]) for c in columns] for row in csv.DictReader(f)}


def real_time_cpu(count):
    """The first of `count` processors one after the other, on which real time is granted; skips the test if there are none."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(90))  # that of the thread that takes the processor
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError as refused:
        raise unittest.SkipTest(f"SCHED_FIFO: {refused}") from None
    mine = os.sched_getaffinity(0)
    for cpu in sorted(mine):
        if all(cpu + i in mine for i in range(count)):
            return cpu
    raise unittest.SkipTest(f"needs {count} processors one after the other, may use {sorted(mine)}")


class Causes(unittest.TestCase):
    def check(self, kind, expected, **changes):
        """The log gives the cause of the miss in the words `expected`, a regular expression in which MS is a time."""
        expected = expected.replace("MS", r"\d+\.\d ms")
        for left in reversed(range(TRIES)):
            with Broken(kind, **changes) as d:
                told = d.told()
                print(f"{kind}: {told}")
                if not re.fullmatch(expected, told):
                    if left:
                        continue
                    if "loop preempted" in told and not d.watch()["realtime"]:
                        self.skipTest(f"an ordinary thread on a busy host: {told}")
                self.assertRegex(told, f"^{expected}$")
                self.assertEqual(d.watch()["state"], "RUNNING")
                bench.wait_for("a record of every miss, and of nothing else", lambda: d.watch()["misses"] == len(d.misses()))
                self.assertEqual(d.stop()[0], 0)
                return

    def test_sleep(self):
        self.check("sleep", r"observe MS, loop slept, or waited for a lock or a device, for MS \(.*voluntary "
                   r"switch.*\); \d+ starts? skipped")

    def test_sleep_in_another_phase(self):
        self.check("sleep-feedback", r"feedback MS, loop slept, .*")

    def test_lock(self):
        self.check("lock", r"latch MS, loop slept, or waited for a lock .*")

    def test_work(self):
        self.check("compute", r"feedback MS, loop computing for MS.*")

    def test_page_faults(self):
        self.check("page", r"prepare MS, loop waited for memory .*\b\d\d+ minor page faults\).*")

    def test_page_faults_of_memory_that_is_not_locked(self):
        self.check("page", r"prepare MS, loop waited for memory .*\b\d\d+ minor page faults\).*",
                   realtime={"lock_memory": False})

    def test_preempted(self):
        self.check("preempt", r"observe MS, loop preempted for MS \(\d+ involuntary switch.*",
                   realtime={"cpu": real_time_cpu(1)})

    def test_woken_late(self):
        self.check("late", r"woke MS late, then took .*", realtime={"cpu": real_time_cpu(1)})

    def test_worker_sleeps(self):
        self.check("worker-sleep", r"prepare MS, subtrees worker 1 slept, .* for MS \(.*voluntary.*\).*",
                   **chain(), realtime={"workers": 1})

    def test_worker_preempted(self):
        self.check("worker-preempt", r"prepare MS, subtrees worker 1 preempted for MS \(\d+ involuntary.*",
                   **chain(), realtime={"workers": 1, "cpu": real_time_cpu(2)})

    def test_worker_ends(self):
        """The cycle ends, the model stops, everything else goes on; after a reset the loop does the
        worker's share, and the motion is the undisturbed one to the bit."""
        period = 0.004  # the pool looks after 5 ms
        receiver = bench.OscReceiver()
        self.addCleanup(receiver.close)
        target = {"host": "127.0.0.1", "port": receiver.port, "profile": "d"}
        with Broken("worker-killed", cycle={"period": period}, **chain(), realtime={"workers": 1}, osc={"targets": [target]}) as d:
            told = d.told()
            print(f"worker-killed: {told}")
            self.assertRegex(told, r"^prepare .* ms, worker 1 has ended.*$")
            (safe_at,) = re.findall(r"cycle (\d+): RUNNING -> SAFE: a worker thread has ended", d.said())
            self.assertLessEqual(int(safe_at), CYCLE + 2)
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            osc.send(bench.osc_message("/ali3/status"))
            status = osc.answer("/ali3/status")
            self.assertEqual((status[0], status[7]), ("SAFE", 6))
            before = d.watch()["cycle"]
            bench.wait_for("more cycles", lambda: d.watch()["cycle"] > before + 10)

            reference = offline(d.config, 1, period, d.dir)
            requests = iter(range(1, 10))
            bench.run_again(lambda name: osc.command(name, next(requests)))
            receiver.drain()
            same = 0
            for _, t, state, values in receiver.frames(60, BODY):
                if state == "RUNNING" and round(t / period) in reference:
                    self.assertEqual(values, reference[round(t / period)], f"at {t} s")
                    same += 1
            self.assertGreater(same, 20)
            self.assertEqual(d.watch()["fault"], 0)
            self.assertEqual(d.stop()[0], 0)


class Stops(unittest.TestCase):
    STOPS = {0.015: 8, 0.025: 8, 0.060: 8}

    def test_short_stops(self):
        """Each miss in which the process was continued has that cause, and no other miss has it."""
        with bench.Daemon(["--miss-log", "misses"]) as d:
            continued = []  # length, and two instants within the stop
            for length, count in self.STOPS.items():
                for i in range(count):
                    d.process.send_signal(signal.SIGSTOP)
                    stopped = time.monotonic()
                    bench.run_on(length)
                    before = time.monotonic()
                    d.process.send_signal(signal.SIGCONT)
                    continued.append((length, stopped, before))
                    bench.run_on(0.11 + 0.0037 * i)
            self.assertEqual(d.stop()[0], 0, d.said())
            with open(os.path.join(d.dir, "misses"), encoding="utf-8") as f:
                misses = [m for m in map(json.loads, f) if "cause" in m]
        judged = 0
        for length, stopped, before in continued:
            for m in misses:
                if m["start_s"] < before < m["end_s"] and m["late_since_s"] is None:  # the end of the stop is within it
                    judged += 1
                    self.assertEqual(m["cause"], "suspended", f"stop of {length} s from {stopped}: {m['text']}")
        print(f"{judged} misses by {len(continued)} stops, each called suspended")
        self.assertGreater(judged, len(continued) // 3)


if __name__ == "__main__":
    bench.main()
