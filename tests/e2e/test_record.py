#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-record: its files hold the numbers of ali3-sim under the same names, every cycle and every event; a killed daemon, a killed or
stopped recorder and a full disk cost no more than the man page says. h5py reads all files."""
import contextlib
import csv
import glob
import json
import os
import random
import re
import signal
import subprocess
import time
import unittest

import bench

PYTHON = "/usr/bin/python3"  # only this Python has the packages of the distribution
READER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recording.py")
CUTTER = os.path.join(os.path.dirname(READER), "power_cut.py")
CUTS = int(os.environ.get("ALI3_RECORD_CUTS", "40"))
KILLS, TOGETHER = int(os.environ.get("ALI3_RECORD_KILLS", "20")), 5
LOSS_LIMIT = 1.0  # s of a run that a kill may cost
RUNNING = bench.STATES.index("RUNNING")
STATE_EVENT, STEPPED, WARMING = 1, 1, 16
MARK = 3
KEEP = {"min_free": 0}  # in a section record, since test folders may be on small disks


def need_h5py():
    found = subprocess.run([PYTHON, "-c", "import h5py"], capture_output=True, text=True, check=False)
    if found.returncode:
        raise unittest.SkipTest(f"h5py is not there for {PYTHON} (Debian package python3-h5py): {found.stderr.strip().splitlines()[-1]}")


def read_all(files):
    done = subprocess.run([PYTHON, "-B", READER, *files], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
    if done.returncode:
        raise AssertionError(f"{files}: {done.stderr.strip().splitlines()[-1]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def read(file):
    return read_all([file])[0]


@contextlib.contextmanager
def small_disk(test, d):
    """A file system of 1.5 MB in the daemon's folder."""
    bench.need("mount")
    folder = os.path.join(d.dir, "small")
    os.mkdir(folder)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", folder], capture_output=True, text=True, check=False)
    if done.returncode:
        test.skipTest(f"no right to mount a tmpfs: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True, timeout=bench.PATIENCE)


class Recorder:
    """One ali3-record. Use as a context; it is killed at the end if it still runs."""

    def __init__(self, *arguments, cwd=None, environment=None):
        self.process = subprocess.Popen([bench.program("ali3-record"), *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, cwd=cwd, env=environment)
        self.said = None

    def finish(self, seconds=bench.PATIENCE):
        """Waits for the end and returns the exit status."""
        self.said = self.process.communicate(timeout=seconds)[1]
        return self.process.returncode

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.finish()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.said is None:
            self.process.kill()
            self.process.communicate()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_h5py()

    def check_no_hole(self, cycles, step=1):
        self.assertEqual({b - a for a, b in zip(cycles, cycles[1:])} - {step}, set(), "cycles are missing")

    def files(self, daemon):
        return sorted(glob.glob(os.path.join(daemon.dir, "*Z.h5")))

    def finished(self, d, count):
        return bench.wait_for(f"{count} finished files", lambda: self.files(d) if len(self.files(d)) == count else None)

    def marks(self, run):
        return [(e["cycle"], e["text"]) for e in run["events"] if e["kind"] == MARK]

    def shown(self, d, state):
        """The telemetry, once it shows this state of the recorder."""
        return bench.wait_for(f"recorder: {state}", lambda: (w := d.watch())["recorder"] == state and w)


class Content(Case):
    def test_equals_a_simulation(self):
        """From the first cycle to the last: names, units, values, states, events, inputs, model."""
        with bench.Daemon() as d:
            file, table = os.path.join(d.dir, "run.h5"), os.path.join(d.dir, "run.csv")
            with Recorder("--once", file, "--before", "60", "--label", "first run", d.name) as r:
                bench.wait_for("two seconds of a run", lambda: d.watch()["cycle"] > 220)
                d.stop()
                self.assertEqual(r.finish(), 0, r.said)
            subprocess.run([bench.program("ali3-sim"), d.config, "--duration", "20", "--output", table], check=True, capture_output=True, timeout=bench.PATIENCE)
            with open(table, encoding="utf-8") as f:
                wanted = {row["time"]: row for row in csv.DictReader(f)}
            got, printed = read(file), json.loads(subprocess.run(
                [bench.program("ali3d"), d.config, "--print-map=json"], check=True, capture_output=True, text=True, timeout=bench.PATIENCE).stdout)
            config = d.config
        cycles, head = got["head"]["cycle"], got["head"]
        self.assertEqual(cycles, list(range(1, len(cycles) + 1)))
        self.assertTrue(all(b > a for a, b in zip(head["t_ns"], head["t_ns"][1:])))
        # Every signal of a simulation, each step, to the last bit.
        common = [name for name in next(iter(wanted.values())) if not name.startswith("loop.")]
        self.assertLessEqual(set(common), set(got["names"]))
        wanted, steps = {float(t): row for t, row in wanted.items()}, 0
        for row, action, t in zip(got["values"], head["action"], head["time"]):
            if action & STEPPED and not action & WARMING:
                now = dict(zip(got["names"], row))
                self.assertEqual(now["time"], t)
                self.assertEqual([now[name] for name in common], [float(wanted[t][name]) for name in common], f"signals at {t} s")
                steps += 1
        self.assertGreater(steps, 150)
        units = {entry["signal"]: entry["unit"] for entry in printed["osc"] if "signal" in entry}
        for name, unit in zip(got["names"], got["units"]):
            if name in units:
                self.assertEqual(unit, units[name], name)
        # Events, inputs, and how the run began and ended.
        states = [e for e in got["events"] if e["kind"] == STATE_EVENT]
        self.assertEqual([(e["a"], e["b"]) for e in states], [(0, RUNNING), (RUNNING, bench.STATES.index("EXIT"))])
        self.assertEqual(head["state"][cycles.index(states[0]["cycle"])], RUNNING)
        self.assertEqual({tuple(row) for row in head["input_age_ms"]}, {(0xffffffff,)})
        self.assertGreater(got["flat"], 1000)
        for name, value in {"closed": 1, "complete": 1, "lost": 0, "cycles": len(cycles), "model": "four_bar", "config": config, "period_s": 0.01,
                            "label": "first run", "format": "ali3-recording 1", "reason": "the daemon ended"}.items():
            self.assertEqual(got["attributes"][name], value, name)

    def test_chosen_signals_and_rows(self):
        with bench.Daemon() as d:
            file = os.path.join(d.dir, "few.h5")
            with Recorder("--once", file, "--signals", "time,body.A.position*,energy.*", "--type", "f32", "--divisor", "7", "--compress", "4",
                          "--duration", "1.5", d.name) as r:
                self.assertEqual(r.finish(), 0, r.said)
            got = read(file)
            for arguments, wanted in ((("--signals", "body.none.*", d.name), "no signal of instance"), (("--divisor", "0"), "from 1 to"),
                                      (("--recover", file), "--once COPY")):
                with Recorder(*arguments, cwd=d.dir) as r:
                    self.assertEqual(r.finish(), 2, r.said)
                    self.assertIn(wanted, r.said)
        self.assertEqual(got["type"], "float32")
        self.assertEqual(got["names"][:4], ["time", "body.A.position.x", "body.A.position.y", "body.A.position.z"])
        self.assertTrue(all(name.startswith("energy.") for name in got["names"][4:]) and len(got["names"]) > 4)
        self.check_no_hole(got["head"]["cycle"], 7)
        self.assertEqual({c % 7 for c in got["head"]["cycle"]}, {0})

    def test_running_with_before_and_after(self):
        """Two runs of one daemon: a file for each, with the time before and behind it."""
        with bench.Daemon(cycle={"autostart": False}) as d:
            client = bench.OscClient(d.osc_port)
            with Recorder("--to", d.dir, "--when", "running", "--before", "0.5", "--after", "0.3", d.name) as r:
                bench.wait_for("the recorder", lambda: d.watch()["recorder"] == "waiting")
                bench.run_on(0.7)  # more than --before
                for k in range(2):
                    for name in ("arm", "run"):
                        self.assertEqual(client.command(name, 10 * k + len(name)), 0)
                    bench.run_on(0.8)
                    self.assertEqual(client.command("stop", 10 * k + 9), 0)
                    bench.wait_for("a finished file", lambda n=k + 1: len(self.files(d)) == n)
                    bench.run_on(0.7)  # more than --before
                self.assertEqual(r.stop(), 0)
            client.close()
            got = read_all(self.files(d))
        for run in got:
            states = run["head"]["state"]
            first, last = states.index(RUNNING), len(states) - states[::-1].index(RUNNING)
            self.check_no_hole(run["head"]["cycle"])
            self.assertEqual((first, len(states) - last), (50, 31), "cycles before and behind RUNNING")
            self.assertEqual((run["attributes"]["closed"], run["attributes"]["reason"]), (1, "stopped"))

    def test_split(self):
        """Files of one second: together they have every cycle once and every event."""
        with bench.Daemon() as d:
            with Recorder("--to", d.dir, "--split", "1", "--before", "60", "--when", "always", d.name) as r:
                bench.wait_for("four files", lambda: len(self.files(d)) >= 4)
                self.assertEqual(r.stop(), 0)
            files, got = self.files(d), read_all(self.files(d))
        self.assertFalse([f for f in files if d.name not in f])
        cycles = [c for run in got for c in run["head"]["cycle"]]
        self.assertEqual(cycles, list(range(1, len(cycles) + 1)))
        self.assertEqual([run["attributes"]["cycles"] for run in got[:-1]], [100] * (len(got) - 1))
        # Misses of a busy host are events, too.
        events = [tuple(sorted(e.items())) for run in got for e in run["events"]]
        self.assertEqual(len(events), len(set(events)))
        self.assertEqual(sum(e["kind"] == STATE_EVENT for run in got for e in run["events"]), 1)

    def test_keep(self):
        """The oldest files go."""
        with bench.Daemon() as d:
            with Recorder("--to", d.dir, "--split", "0.5", "--keep", "0.003", "--when", "always", d.name) as r:
                first = bench.wait_for("a file", lambda: self.files(d))[0]
                bench.wait_for("the removal of the first file", lambda: not os.path.exists(first))
                self.assertEqual(r.stop(), 0)
                self.assertIn("removed", r.said)
            files = self.files(d)
            self.assertGreater(len(files), 1)
            self.assertLessEqual(sum(os.path.getsize(f) for f in files), 3e6)
            self.assertNotIn(first, files)


class Losses(Case):
    def test_killed_daemon(self):
        with bench.Daemon() as d:
            file = os.path.join(d.dir, "run.h5")
            with Recorder("--once", file, d.name) as r:
                bench.wait_for("a run", lambda: d.watch()["cycle"] > 150)
                bench.run_on(random.uniform(0, 0.2))
                killed = time.monotonic_ns()
                bench.kill_client(d.process)
                self.assertEqual(r.finish(), 0, r.said)
            got = read(file)
        self.check_no_hole(got["head"]["cycle"])
        self.assertLess(killed - got["head"]["t_ns"][-1], 0.1e9, "the last cycles are missing")
        self.assertEqual((got["attributes"]["complete"], got["attributes"]["reason"]), (1, "the daemon ended"))

    def info(self, file):
        return subprocess.run([bench.program("ali3-replay"), "info", file], capture_output=True, text=True, timeout=bench.PATIENCE, check=False)

    def rows_on_disk(self, file):
        """Rows of a file that is written, as a reader sees them now."""
        found = re.search(r"^cycles .* (\d+) rows", self.info(file).stdout, re.M)
        return int(found.group(1)) if found else 0

    def lose(self, d, files):
        """Kills recorders at random times, and recovers their files. Returns how many seconds of the run are missing in each."""
        recorders, killed = [Recorder("--once", file, d.name) for file in files], []
        try:
            # A recorder that gets no processor makes its file late: the kills come while rows are written.
            for file in files:
                bench.wait_for(lambda name=file: f"rows of {name}: {self.info(name + '.part')}, recorders {[(r.process.poll(), r.said) for r in recorders]}, "
                               f"daemon {d.process.poll()}: {d.said()[-2000:]}",
                               lambda name=file: self.rows_on_disk(name + ".part") > 0)
            for r in recorders:
                bench.run_on(random.uniform(0, 0.7))
                killed.append(time.monotonic_ns())
                os.kill(r.process.pid, signal.SIGKILL)
        finally:
            for r in recorders:
                r.__exit__()
        for file in files:
            with Recorder("--recover", file + ".part", "--once", file) as again:
                self.assertEqual(again.finish(), 0, again.said)
        got = read_all(files)
        for run in got:
            self.assertGreater(len(run["head"]["cycle"]), 0, "rows that were on the disk are gone")
            self.check_no_hole(run["head"]["cycle"])
            self.assertNotIn("closed", run["attributes"])
        for file in files:
            os.unlink(file)
            os.unlink(file + ".part")
        return [(at - run["head"]["t_ns"][-1]) / 1e9 for at, run in zip(killed, got)]

    def test_killed_recorders(self):
        missing = []
        with bench.Daemon() as d:
            while len(missing) < KILLS:
                missing += self.lose(d, [os.path.join(d.dir, f"run{k}.h5") for k in range(min(TOGETHER, KILLS - len(missing)))])
        print(f"\n{len(missing)} kills cost at most {max(missing):.2f} s, on average {sum(missing) / len(missing):.2f} s", flush=True)
        bench.in_time(self, max(missing), LOSS_LIMIT)

    def test_power_cut(self):
        """Prefixes of the recorder's writes, and random pages since the last synchronisation."""
        if bench.SANITIZED:
            self.skipTest("a preloaded library would come before the sanitizer")
        with bench.Daemon() as d:
            file, log = os.path.join(d.dir, "run.h5"), os.path.join(d.dir, "writes")
            environment = dict(os.environ, LD_PRELOAD=os.path.join(bench.BIN, "..", "tests", "writes.so"), ALI3_WRITES=log)
            with Recorder("--once", file, "--duration", "5", d.name, environment=environment) as r:
                self.assertEqual(r.finish(), 0, r.said)
            done = subprocess.run([PYTHON, "-B", CUTTER, bench.program("ali3-record"), log, file, d.dir, str(CUTS)],
                                  capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        print("\n" + done.stdout.strip(), flush=True)

    @unittest.skipIf(bench.SANITIZED, "a preloaded library would come before the sanitizer")
    def test_a_reader_that_has_the_lock(self):
        """A program that opens the file in the moment in which it is made, or ends, does not keep the recorder from writing."""
        environment = dict(os.environ, LD_PRELOAD=os.path.join(bench.BIN, "..", "tests", "taken_lock.so"))
        with bench.Daemon() as d:
            file = os.path.join(d.dir, "run.h5")
            with Recorder("--once", file, "--duration", "1", d.name, environment=environment) as r:
                self.assertEqual(r.finish(), 0, r.said)
            self.assertGreater(len(read(file)["head"]["cycle"]), 0)

    def test_unrecovered_file_is_not_replaced(self):
        with bench.Daemon() as d:
            file = os.path.join(d.dir, "run.h5")
            with Recorder("--once", file, d.name) as r:
                bench.wait_for("the file", lambda: os.path.exists(file + ".part"))
            size = os.path.getsize(file + ".part")
            with Recorder("--once", file, d.name) as r:
                self.assertEqual(r.finish(), 1)
                self.assertIn("--recover", r.said)
            self.assertEqual(os.path.getsize(file + ".part"), size)

    def test_stopped_for_longer_than_the_ring(self):
        """Two stops: the loop misses nothing, and the losses are counted to the cycle."""
        with bench.Daemon(telemetry={"frames": 1}) as d:
            file = os.path.join(d.dir, "run.h5")
            with Recorder("--once", file, d.name) as r:
                bench.wait_for("the file", lambda: os.path.exists(file + ".part"))
                for _ in range(2):
                    bench.run_on(0.5)
                    lost = d.watch()["recorder_lost"]
                    r.process.send_signal(signal.SIGSTOP)
                    bench.run_on(2.5)
                    r.process.send_signal(signal.SIGCONT)
                    bench.wait_for("the losses", lambda before=lost: d.watch()["recorder_lost"] > before)
                bench.run_on(0.5)
                self.assertEqual(r.stop(), 0)
            got, state = read(file), d.watch()["state"]
        cycles = got["head"]["cycle"]
        gaps = [b - a - 1 for a, b in zip(cycles, cycles[1:]) if b - a > 1]
        self.assertGreater(len([gap for gap in gaps if gap > 100]), 1, gaps)
        bench.in_time(self, len(gaps), 3, gaps)  # the disk of a busy host may add others, or make them longer
        bench.in_time(self, max(gaps), 400, gaps)
        self.assertEqual((got["attributes"]["lost"], got["attributes"]["complete"], got["attributes"]["closed"]), (sum(gaps), 0, 1))
        self.assertEqual(state, "RUNNING")

    def test_a_signal_loses_no_cycle_before_it(self):
        """The recorder is a second behind when it is asked to end."""
        with bench.Daemon() as d:
            file = os.path.join(d.dir, "run.h5")
            with Recorder("--once", file, d.name) as r:
                bench.wait_for("rows", lambda: d.watch()["recorder_flush_s"] > 0)
                r.process.send_signal(signal.SIGSTOP)
                bench.run_on(1.0)
                last = d.watch()["cycle"]
                r.process.send_signal(signal.SIGTERM)
                r.process.send_signal(signal.SIGCONT)
                self.assertEqual(r.finish(), 0, r.said)
            got = read(file)
        self.check_no_hole(got["head"]["cycle"])
        self.assertGreaterEqual(got["head"]["cycle"][-1], last)
        self.assertEqual((got["attributes"]["lost"], got["attributes"]["reason"]), (0, "stopped by a signal"))

    def test_full_disk(self):
        """A small file system that fills up: the recorder says so, the loop runs on, and the rows before are recovered."""
        with bench.Daemon() as d, small_disk(self, d) as small:
            self.fill(d, small)
            self.assertEqual(d.watch()["state"], "RUNNING")

    def fill(self, d, small):
        # Below --min-free the file is closed and whole, and recording goes on once there is space.
        with Recorder("--to", small, "--min-free", "0.0008", "--when", "always", "--before", "0", d.name) as r:
            finished = bench.wait_for("the end of the first file", lambda: glob.glob(os.path.join(small, "*Z.h5")))
            got = read(finished[0])
            self.assertEqual((got["attributes"]["reason"], got["attributes"]["complete"]), ("disk full", 1))
            self.check_no_hole(got["head"]["cycle"])
            # Cycles that pass meanwhile are lost, except the newest, with which the next file begins.
            bench.wait_for("50 lost cycles", lambda: d.watch()["recorder_lost"] > 50)
            self.assertEqual(d.watch()["recorder"], "disk full")
            os.unlink(finished[0])
            self.shown(d, "recording")
            self.assertEqual(r.stop(), 0)
            self.assertIn("disk full", r.said)
            later = read(glob.glob(os.path.join(small, "*Z.h5"))[0])["head"]["cycle"]
            lost = later[0] - got["head"]["cycle"][-1] - 1
            self.assertGreater(lost, 50)
            self.assertIn(f"{lost} cycles lost: the disk was full", r.said)
            self.assertEqual(d.watch()["recorder_lost"], lost)
        for file in glob.glob(os.path.join(small, "*")):
            os.unlink(file)
        # Without --min-free a write fails in the end.
        file = os.path.join(small, "run.h5")
        with Recorder("--once", file, "--min-free", "0", "--before", "0", d.name) as r:
            self.assertEqual(r.finish(60), 1, r.said)
            self.assertIn("a write failed", r.said)
        with Recorder("--recover", file + ".part", "--once", os.path.join(d.dir, "copy.h5")) as again:
            self.assertEqual(again.finish(), 0, again.said)
        got = read(os.path.join(d.dir, "copy.h5"))
        self.check_no_hole(got["head"]["cycle"])
        self.assertGreaterEqual(len(got["head"]["cycle"]), 75)


if __name__ == "__main__":
    bench.main()
