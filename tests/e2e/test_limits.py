#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The daemon bounds everything from outside: files, their size, log lines, the memory of a reload."""
import contextlib
import json
import os
import re
import signal
import time
import unittest

import bench

MB = 1 << 20


def memory_mb(pid):
    """{VmRSS, VmLck: MB}"""
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return {name: int(kb) / 1024 for name, kb in re.findall(r"^(VmRSS|VmLck):\s+(\d+) kB", f.read(), re.MULTILINE)}


class Files(unittest.TestCase):
    def test_a_fifo_in_place_of_the_file_holds_nobody_up(self):
        with bench.Daemon() as d:
            os.unlink(d.config)
            os.mkfifo(d.config)
            d.process.send_signal(signal.SIGHUP)
            bench.wait_for(lambda: f"the refusal; it said:\n{d.said()}",
                           lambda: "error: expected a regular file, found a FIFO" in d.said())
            bench.wait_for("the remedy", lambda: "not applied; correct the file and reload again" in d.said())
            d.process.send_signal(signal.SIGTERM)
            self.assertEqual(d.finish(10), 0, d.said())

    def test_files_are_refused_by_kind_and_size(self):
        for model in ({"file": "/dev/zero"}, {"file": "large.yaml"}):
            d = bench.Daemon(["--check"], wait=False, model=model)
            with open(os.path.join(d.dir, "large.yaml"), "wb") as f:
                f.truncate(80 * MB)
            with d:
                self.assertEqual(d.finish(), 2, d.said())
                self.assertRegex(d.said(), r"/dev/zero: error: expected a regular file, found a device"
                                 r"|large\.yaml: error: expected at most 64 MB, found 80\.0 MB")

    def test_a_file_of_somebody_else_is_not_printed(self):
        """As root: map: {file: /etc/shadow}."""
        for text in ("root:$6$secret:19000:0:99999:7:::\nbin:*:19000::\n", "password: secret\n", "a: [secret\n"):
            for section in ({"modbus": {"map": {"file": "other"}}}, {"osc": {"map": {"file": "other"}}}, {"model": {"file": "other"}},
                            {"packets": {"file": "other"}}):
                d = bench.Daemon(["--check"], wait=False, **section)
                d.file("other", text)
                with d, self.subTest(text=text, section=section):
                    self.assertEqual(d.finish(), 2, d.said())
                    self.assertNotIn("secret", d.said())
                    self.assertRegex(d.said(), r"other(:\d+:\d+)?: error: ")

    def test_names_do_not_speak_to_terminals(self):
        d = bench.Daemon(["--check"], wait=False)
        config = json.loads(open(d.config, encoding="utf-8").read())
        config["model"]["name"] = "\x1b[2J\n<0>gone"
        d.file("bench.json", json.dumps(config))
        with d:
            self.assertEqual(d.finish(), 2, d.said())
            self.assertIn("error: expected a text without control characters", d.said())
            self.assertNotIn("\x1b", d.said())

    def test_limit_of_file_sizes(self):
        """The miss log is a line short of the limit: the daemon continues, with one message."""
        blocks = 16384  # blocks of 512 bytes, more than the shared memory takes
        d = bench.Daemon(["--miss-log", "misses"], prefix=["bash", "-c", f'ulimit -f {blocks // 2}; exec "$@"', "bash"])
        d.file("misses", "\n" * (blocks * 512 - 2000))
        with d:
            for _ in range(12):
                d.process.send_signal(signal.SIGSTOP)
                bench.run_on(0.05)
                d.process.send_signal(signal.SIGCONT)
                bench.pace(0.05)
            bench.wait_for(lambda: f"the complaint; it said:\n{d.said()}", lambda: "misses: cannot write the miss log" in d.said())
            self.assertEqual(d.watch()["state"], "RUNNING")
            self.assertEqual(d.stop()[0], 0, d.said())
            self.assertEqual(d.said().count("cannot write the miss log"), 1)
            self.assertRegex(d.said(), r"misses: \d+ records of misses could not be written")

    def test_duration_below_a_period(self):
        with bench.Daemon(["--duration", "1e-300"], wait=False) as d:
            self.assertEqual(d.finish(), 0, d.said())
            self.assertEqual(d.report()["cycles"], 1)


class Memory(unittest.TestCase):
    def test_a_large_file_that_does_not_apply_leaves_nothing(self):
        bodies = [{"name": f"b{i}", "mass": 1, "inertia": [1, 1, 1], "position": [i, 0, 0]} for i in range(20000)]
        with bench.Daemon() as d:
            config = json.loads(open(d.config, encoding="utf-8").read())
            before = memory_mb(d.process.pid)
            for line, change in (("needs a restart: .*model", {}), ("not applied", {"cycle": {"period": "x"}})):
                d.file("bench.json", json.dumps({**config, "model": {"name": "big", "bodies": bodies}, "inputs": [], **change}))
                d.process.send_signal(signal.SIGHUP)
                bench.wait_for(lambda line=line: f"{line}; it said:\n{d.said()}", lambda line=line: re.search(line, d.said()))

            def little_more():
                now = memory_mb(d.process.pid)
                return all(now[key] < before[key] + 20 for key in now)

            if not bench.SANITIZED:  # a sanitizer keeps freed memory
                bench.wait_for(lambda: f"memory given back: {before}, then {memory_mb(d.process.pid)} MB", little_more)
            print(f"before {before}, after {memory_mb(d.process.pid)} MB")
            self.assertEqual(d.stop()[0], 0)


def answers_behind(osc):
    """True if the daemon answered a question that it answers after all earlier commands of this client. It may be lost."""
    osc.send(bench.osc_message("/ali3/sync", "i", 1))
    with contextlib.suppress(AssertionError):
        return bool(osc.answer("/ali3/synced", 1))
    return False


class Log(unittest.TestCase):
    def test_a_flood_of_resets(self):
        """Every reset restores the model and is logged: at most five lines and a sum a second, with correct sums."""
        seconds = 2.0
        with bench.Daemon() as d:
            osc = bench.OscClient(d.osc_port)
            self.addCleanup(osc.close)
            start, sent = time.monotonic(), 0
            while time.monotonic() - start < seconds:
                osc.send(bench.osc_message("/ali3/cmd/reset", "i", sent + 1))
                sent += 1
                bench.pace(0.0006)
            # All of them have acted: a reset that comes with an e-stop is refused.
            bench.wait_for("an answer behind the resets", lambda: answers_behind(osc))
            osc.send(bench.osc_message("/ali3/cmd/estop", "i", 1000000))
            bench.wait_for("SAFE in the log", lambda: "-> SAFE: e-stop requested" in d.said())
            status, report = d.stop()
            self.assertEqual(status, 0, d.said())
            lines = [line for line in d.said().splitlines() if ": reset by osc " in line]
            sums = [int(n) for n in re.findall(r"^ali3d: (\d+) more in the last [\d.]+ s; the last: .*: reset by osc ", d.said(),
                                               re.MULTILINE)]
            one_by_one = len(lines) - len(sums)
            took = time.monotonic() - start
            print(f"{sent} resets in {seconds} s: {one_by_one} lines and the sums {sums}")
            self.assertGreater(sent, 100)
            self.assertLessEqual(len(lines), 6 * (took + 1))
            # Each was done, or found no room, which is counted.
            lost = max((int(n) for n in re.findall(r"events not logged, (\d+) since the start", d.said())), default=0)
            lost += report["commands_dropped"] + report["counters"]["osc_over_budget"] + report["counters"]["osc_overflow"]
            self.assertGreaterEqual(one_by_one + sum(sums) + lost, sent)
            self.assertLessEqual(one_by_one + sum(sums), sent)


if __name__ == "__main__":
    bench.main()
