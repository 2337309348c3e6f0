#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tests/side_by_side: the figures match the histograms, the CPUs change, nothing is left behind."""
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import unittest

import bench
import side

SCRIPT = os.path.join(bench.ROOT, "tests", "side_by_side")


def within(folder):
    """{process id: name} of the processes at work in a folder, also if it has been removed."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.readlink(f"/proc/{pid}/cwd").startswith(folder):
                with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
                    found[int(pid)] = f.read().strip()
    return found


class Side(unittest.TestCase):
    """Runs the script in a folder of its own, and looks for what it leaves behind."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="ali3-e2e-side-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.temporary = os.path.join(self.dir, "tmp")
        os.mkdir(self.temporary)
        self.json = os.path.join(self.dir, "side.json")

    def tearDown(self):
        self.assertEqual(within(self.dir), {}, "processes left behind")
        self.assertEqual(os.listdir(self.temporary), [], "files left behind")

    def start(self, *arguments, **environment):
        return subprocess.Popen(
            [sys.executable, SCRIPT, "--bin", bench.BIN, "--json", self.json, *arguments], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=dict(os.environ, TMPDIR=self.temporary, **environment))

    def finish(self, process):
        """(exit status, standard output, standard error)"""
        try:
            out, error = process.communicate(timeout=bench.PATIENCE)
        except BaseException:
            process.terminate()  # so that it ends what it has started
            process.communicate()
            raise
        return process.returncode, out, error

    def run_script(self, *arguments, **environment):
        status, out, error = self.finish(self.start(*arguments, **environment))
        if status == 77:
            self.skipTest(error.strip())
        return status, out, error


class Script(Side):
    def check_part(self, part, cycles):
        daemon, other = part["daemon"], part["cyclictest"]
        self.assertEqual((daemon["cycles"] + daemon["skipped"], other["cycles"]), (cycles, cycles))
        for program in (daemon, other):
            figures = [program["wakeup_us"][key] for key in ("min", "median", "p99", "p999", "p9999", "max")]
            self.assertEqual(figures, sorted(figures))
            self.assertEqual(sum(count for _, count in program["histogram_us"]) + program.get("overflow", 0),
                             program["cycles"])
        wakeup, bins = daemon["wakeup_us"], daemon["histogram_us"]
        if wakeup["max"] < 1000:  # above, bins are wider
            for key, fraction in (("median", 0.5), ("p9999", 0.9999)):
                self.assertAlmostEqual(side.percentile(bins, daemon["cycles"], wakeup["max"], fraction), wakeup[key], places=6)
        for key in ("max", "p9999", "median"):
            self.assertAlmostEqual(part["ratio"][key], wakeup[key] / other["wakeup_us"][key])
        if daemon["misses"] == 0:
            self.assertAlmostEqual(daemon["miss_rate_below_95"], 3 / daemon["cycles"])
        self.assertEqual((daemon["osc_datagrams"] > 0, daemon["modbus_requests"] > 0), (part["flood"], part["flood"]))

    def check(self, out, names, runs, cycles):
        with open(self.json, encoding="utf-8") as f:
            result = json.load(f)
        self.assertEqual(out.startswith("NOT REAL-TIME KERNEL"), not result["realtime_kernel"], out)
        self.assertEqual("label" in result, not result["realtime_kernel"])
        self.assertEqual(len(result["runs"]), runs)
        for k, run in enumerate(result["runs"]):
            self.assertEqual([run["daemon_cpu"], run["cyclictest_cpu"]], result["cpus"] if k % 2 == 0 else result["cpus"][::-1])
            self.assertEqual([part["name"] for part in run["parts"]], names)
            for part in run["parts"]:
                self.check_part(part, cycles)
        for k, name in enumerate(names):
            for key in ("max", "p9999"):
                ratios = [run["parts"][k]["ratio"][key] for run in result["runs"]]
                self.assertAlmostEqual(result["median_ratio"][name][key], statistics.median(ratios))
        print(out)

    def test_without_load(self):
        """Two runs, and a limit that cannot be kept."""
        status, out, error = self.run_script("--seconds", "1", "--runs", "2", "--no-load", "--limit", "1e-6")
        self.assertEqual(status, 1, error)
        self.assertIn("is above 1e-06: idle", error)
        self.check(out, ["idle"], 2, 100)

    def test_with_load(self):
        status, out, error = self.run_script("--seconds", "3", "--runs", "1", "--phases")
        self.assertEqual(status, 0, error)
        self.check(out, ["idle", "load", "load and flood"], 1, 100)

    def interrupt(self, number):
        """Exit status after the signal has come with everything at work."""
        process = self.start("--seconds", "20", "--runs", "1")

        def all_run():
            names = set(within(self.temporary).values())
            return process.poll() is not None or {"ali3d", "cyclictest", "stress-ng"} <= names

        try:
            bench.wait_for("ali3d, cyclictest and stress-ng", all_run)
        finally:
            process.send_signal(number)
            status, _, error = self.finish(process)
        if status == 77:
            self.skipTest(error.strip())
        return status

    def test_interrupted(self):
        self.assertEqual(self.interrupt(signal.SIGINT), 128 + signal.SIGINT)

    def test_killed(self):
        """Its processes end; its folder cannot be removed."""
        self.assertEqual(self.interrupt(signal.SIGKILL), -signal.SIGKILL)
        bench.wait_for("the end of all processes", lambda: not within(self.temporary))
        for folder in os.listdir(self.temporary):
            shutil.rmtree(os.path.join(self.temporary, folder))


class Usage(Side):
    def test_a_program_that_fails(self):
        model = os.path.join(self.dir, "model.yaml")
        with open(model, "w", encoding="utf-8") as f:
            f.write("model: {gravity: none}\n")
        status, _, error = self.run_script("--config", model, "--no-load")
        self.assertEqual(status, 1)
        self.assertIn("model.yaml:1:", error)

    def test_missing_rights_are_named(self):
        status, _, error = self.finish(self.start(PATH="/nonexistent"))
        self.assertEqual(status, 77)
        self.assertIn("skipped: cyclictest is not installed", error)

    def test_usage(self):
        for arguments in (["--seconds", "0"], ["--runs", "many"], ["--phases", "--no-load"], ["--phases", "--seconds", "2"],
                          ["--cpus", "0,0"], ["--bin", self.dir]):
            with self.subTest(arguments=arguments):
                status, _, error = self.finish(self.start(*arguments))
                self.assertEqual(status, 2, error)


class Percentile(unittest.TestCase):
    def test_as_the_daemon_counts(self):
        """The figures of tests/daemon/daemon/test_report.c, rare_wakeups_have_their_own_bins."""
        bins = [[10, 9998], [500, 1], [1200, 1]]
        self.assertEqual([side.percentile(bins, 10000, 1200, f) for f in (0.5, 0.999, 0.9999, 1)], [11, 11, 501, 1200])

    def test_beyond_the_last_bin(self):
        self.assertEqual([side.percentile([[10, 1]], 3, 12345, f) for f in (0.3, 0.5, 1)], [11, 12345, 12345])


if __name__ == "__main__":
    bench.main()
