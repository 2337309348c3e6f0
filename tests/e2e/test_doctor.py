#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ali3-doctor on any host: the report is complete and consistent, also with the exit status."""
import contextlib
import json
import os
import pty
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

import bench

WORDS = ["fit", "usable", "unfit"]
CHECKS = ["rtprio", "memlock", "cgroup", "preempt", "throttling", "virtual", "container", "cpus", "isolated", "smt",
          "irqbalance", "governor", "turbo", "idle", "clocksource", "thp", "swap", "watchdog", "hwlat", "interrupts"]
FIGURES = ["fifo", "locked", "wakeup_p999", "wakeup_max", "skipped", "gap", "faults", "preempted", "clock"]
MEASURED = {"seconds", "period_us", "fifo", "fifo_reason", "priority", "cpu", "locked", "locked_reason", "wakeup_us",
            "skipped", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches", "clock_ns", "gap_us",
            "hwlat_us"}


def doctor(*arguments, path=None, **options):
    return subprocess.run([path or bench.program("ali3-doctor"), *arguments], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=bench.PATIENCE, **options)


class Doctor(unittest.TestCase):
    def report(self, *arguments, **options):
        """The JSON object, after the checks that apply to every report."""
        run = doctor("--json", *arguments, **options)
        self.assertIn(run.returncode, (0, 1, 2), run.stderr)
        self.assertEqual(run.stderr, "")
        report = json.loads(run.stdout)
        self.assertEqual(report["verdict"], WORDS[run.returncode])
        states = {check["id"]: check["state"] for check in report["checks"]}
        for check in report["checks"]:
            self.assertEqual(set(check), {"id", "state", "found", "why", "fix", "measured"})
            self.assertIn(check["state"], ("ok", "info", "unknown", "warn", "bad"))
            self.assertTrue(check["found"] and check["why"])
            self.assertEqual(check["measured"], check["id"] in FIGURES)
            if check["state"] in ("warn", "bad") and check["id"] != "interrupts":
                self.assertTrue(check["fix"], check)
        measured = report["measured"]
        self.assertEqual(list(states), CHECKS + (FIGURES if measured else []))
        self.assertEqual(run.returncode, 2 if "bad" in states.values() else
                         1 if "warn" in states.values() or not measured else 0)
        worst = {2: "bad", 1: "warn"}.get(run.returncode)
        self.assertEqual([r for r in report["reasons"] if r != "not measured"],
                         [name for name, state in states.items() if state == worst])
        self.assertEqual(report.get("label"), "UNREPRESENTATIVE" if measured and run.returncode == 2 else None)
        return report, states

    def check_figures(self, m, seconds, period_us):
        self.assertEqual(set(m), MEASURED)
        woken, instants = m["wakeup_us"], seconds * 1e6 / period_us
        self.assertEqual(m["period_us"], period_us)
        self.assertGreaterEqual(m["seconds"], seconds)
        self.assertGreaterEqual(woken["count"] + m["skipped"], instants)
        self.assertLessEqual(woken["count"], instants + 1)
        figures = [woken[k] for k in ("min", "median", "p99", "p999", "max")]
        self.assertEqual(figures, sorted(figures))
        self.assertGreater(figures[0], 0)
        self.assertGreater(m["clock_ns"], 0)
        self.assertGreater(m["gap_us"] * 1e3, m["clock_ns"])
        self.assertIsNone(m["hwlat_us"])
        for key in ("minor_faults", "major_faults", "involuntary_switches"):
            self.assertGreaterEqual(m[key], 0)
        self.assertGreater(m["voluntary_switches"], woken["count"] / 2)

    def test_this_host(self):
        report, states = self.report("--seconds", "1", "--priority", "70")
        m = report["measured"]
        self.check_figures(m, 1, 1000)
        self.assertEqual(report["host"]["kernel"], os.uname().release)
        self.assertGreater(report["host"]["cpus"], 0)
        self.assertEqual(states["locked"], "ok" if m["locked"] else "bad")
        self.assertEqual(bool(m["locked_reason"]), not m["locked"])
        self.assertEqual(states["fifo"], "ok" if m["fifo"] else "bad")
        if not m["fifo"]:
            self.assertTrue(m["fifo_reason"])
            self.skipTest(f"real time is refused here: {m['fifo_reason']}")
        self.assertEqual((m["priority"], m["fifo_reason"]), (70, ""))

    def test_a_cpu_and_a_period(self):
        cpu = min(os.sched_getaffinity(0))
        report, states = self.report("--seconds", "0.3", "--period", "500", "--cpu", str(cpu))
        self.check_figures(report["measured"], 0.3, 500)
        self.assertEqual(report["measured"]["cpu"], cpu)
        self.assertNotEqual(states["cpus"], "bad")
        self.assertNotIn("no CPU is reserved", str(report["checks"]))

    def test_a_cpu_that_is_not_there(self):
        report, states = self.report("--seconds", "0.2", "--cpu", "1023")
        self.assertEqual((states["cpus"], states["fifo"]), ("bad", "bad"))
        self.assertIn("CPU 1023", report["measured"]["fifo_reason"])

    def test_checks_only(self):
        report, _ = self.report("--seconds", "0")
        self.assertIsNone(report["measured"])
        self.assertEqual(report["not_measured"], "--seconds is 0")
        self.assertIn(report["verdict"], ("usable", "unfit"))

    def test_table_for_people(self):
        run = doctor("--seconds", "0.3")
        self.assertEqual(run.stderr, "")
        for name in CHECKS + FIGURES:
            self.assertRegex(run.stdout, rf"(?m)^(ok|info|unknown|warn|bad) +{name} +\S")
        self.assertRegex(run.stdout, r"\n\d+ wake-ups every 1 ms, 0\.[3-9]\d* s; ")
        self.assertRegex(run.stdout.splitlines()[-1], ["^FIT: ", "^USABLE, ", "^UNFIT "][run.returncode])
        self.assertEqual("UNREPRESENTATIVE" in run.stdout, run.returncode == 2)

    def test_without_rights(self):
        """As user nobody without raised limits: unfit, with reasons, and the figures have the heading UNREPRESENTATIVE."""
        if os.geteuid() != 0:
            self.skipTest("takes root, to become nobody")

        def lower():
            resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (65536, 65536))

        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            path = shutil.copy(bench.program("ali3-doctor"), folder)
            nobody = {"path": path, "cwd": folder, "user": 65534, "group": 65534, "extra_groups": [], "preexec_fn": lower}
            report, states = self.report("--seconds", "0.2", **nobody)
            for name in ("rtprio", "memlock", "fifo", "locked"):
                self.assertEqual(states[name], "bad")
            self.assertIs(report["measured"]["fifo"], False)
            self.check_figures(report["measured"], 0.2, 1000)
            run = doctor("--seconds", "0.2", **nobody)
            self.assertEqual(run.returncode, 2)
            self.assertIn("\nUNREPRESENTATIVE: ", run.stdout)
            self.assertIn("`@realtime - rtprio 95` in /etc/security/limits.d/95-ali3.conf", re.sub(r"\s+", " ", run.stdout))
            self.assertRegex(run.stdout, r"\nUNFIT for real time: rtprio, memlock, (\w+, )*fifo, locked")

    def test_trace(self):
        """The trace names the thread that keeps the probe from its processor, or the report says why there is none."""
        run = doctor("--json", "--trace", "--seconds", "0.2")
        self.assertIn(run.returncode, (0, 1, 2), run.stderr)
        checks = {check["id"]: check for check in json.loads(run.stdout)["checks"]}
        found = checks["trace"]
        print(found["found"])
        if found["state"] == "unknown":
            self.assertRegex(found["found"], "only root may trace|tracefs is not mounted|SCHED_FIFO")
            return
        self.assertIn(found["state"], ("ok", "warn"))
        self.assertRegex(found["found"], r"thread \d+")
        self.assertRegex(checks["trace_cost"]["found"], r"median wake-up \d+\.\d us with the trace, \d+\.\d us without")

    def test_files_of_another_host(self):
        with tempfile.TemporaryDirectory() as root:
            run = doctor("--root", root)
            self.assertEqual((run.returncode, run.stdout), (3, ""))
            self.assertIn("neither proc nor sys", run.stderr)
            os.makedirs(f"{root}/proc/sys/kernel")
            with open(f"{root}/proc/sys/kernel/version", "w", encoding="utf-8") as f:
                f.write("#1 SMP PREEMPT_RT\n")
            report, states = self.report("--root", root, "--cpu", "1")
            self.assertEqual((states["preempt"], states["rtprio"], states["interrupts"]), ("ok", "unknown", "unknown"))
            self.assertEqual((report["verdict"], report["reasons"]), ("usable", ["not measured"]))
            self.assertEqual(report["not_measured"], "--root names the files of another host")
            self.assertEqual(report["host"]["root"], root)
            run = doctor("--root", root)
            self.assertEqual(run.returncode, 1)
            self.assertTrue(run.stdout.endswith("\nUSABLE, without guarantees: not measured\n"))

    def test_progress_on_a_terminal(self):
        leader, follower = pty.openpty()
        subprocess.run([bench.program("ali3-doctor"), "--seconds", "0.2"], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=follower, timeout=bench.PATIENCE, check=False)
        os.close(follower)
        seen = b""
        with contextlib.suppress(OSError):  # EIO: all is read, and nobody writes
            while piece := os.read(leader, 65536):
                seen += piece
        os.close(leader)
        seen = seen.decode()
        self.assertRegex(seen, r"^\rmeasuring \d+\.\d of 0\.7 s\r")
        self.assertTrue(seen.endswith("\r\033[K"))

    def test_interrupted(self):
        process = subprocess.Popen([bench.program("ali3-doctor"), "--seconds", "3000"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            bench.wait_for("its measuring thread", lambda: len(os.listdir(f"/proc/{process.pid}/task")) >= 2)
            bench.run_on(0.1)
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=bench.PATIENCE)
        finally:
            process.kill()
            process.wait()
        self.assertEqual((process.returncode, out, errors), (-signal.SIGINT, b"", b""))

    def test_help_version_usage(self):
        run = doctor("--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("Exit status: 0 fit, 1 usable, 2 unfit", run.stdout)
        self.assertRegex(doctor("--version").stdout, r"^ali3-doctor \d+\.\d+\.\d+\ncommit [0-9a-f+unkow]+, .*, kernels for baseline")
        for arguments, part in [
                (["--nonsense"], "nonsense"),
                (["file"], 'expected options only, found file'),
                (["--seconds", "-1"], "--seconds: expected a number from 0 to 3600"),
                (["--seconds", "nan"], "--seconds"),
                (["--seconds", "1x"], 'found 1x'),
                (["--seconds", "0.01"], "time for 100 wake-ups"),
                (["--period", "50"], "--period: expected a number from 100 to 1000000"),
                (["--priority", "0"], "--priority: expected a whole number from 1 to 99"),
                (["--priority", "1.5"], "--priority"),
                (["--cpu", "1024"], "from 0 to 1023"),
                (["--cpu"], "requires an argument"),
                (["--root", ""], "--root: expected DIR")]:
            with self.subTest(arguments):
                run = doctor(*arguments)
                self.assertEqual((run.returncode, run.stdout), (3, ""))
                self.assertIn(part, run.stderr)


if __name__ == "__main__":
    bench.main()
