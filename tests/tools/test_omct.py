#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_omct.py ALI3_OMCT: the objective motion cueing test of a rig's configuration: figures, files, exit codes."""
import csv
import functools
import io
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

OMCT = sys.argv.pop(1)
CONFIG = pathlib.Path(__file__).resolve().parents[2] / "config"
CAR = CONFIG / "demo" / "car.yaml"


def omct(*arguments):
    return subprocess.run([OMCT, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True)


@functools.cache
def yaw_at_a_tenth():
    """The file of the car on its hexapod with a tenth of the gain in yaw: its figures as JSON, and the rows of its CSV."""
    text = CAR.read_text().replace("../models", str(CONFIG / "models"))
    with tempfile.TemporaryDirectory() as folder:
        changed, table = pathlib.Path(folder) / "changed.yaml", pathlib.Path(folder) / "out.csv"
        changed.write_text(text.replace("platform:\n", "platform:\n  gain_rot: [0.5, 0.5, 0.06]\n", 1))
        run = omct(changed, "--json", "--csv", table)
        assert (run.returncode, run.stderr) == (0, ""), run.stderr
        return json.loads(run.stdout), list(csv.DictReader(io.StringIO(table.read_text())))


@functools.cache
def as_shipped():
    run = omct(CAR, "--json")
    assert (run.returncode, run.stderr) == (0, ""), run.stderr
    return json.loads(run.stdout)


def responses(run):
    """{(test, frequency): row}"""
    rows = csv.DictReader(io.StringIO(run.stdout))
    return {(row["test"], round(float(row["frequency"]), 3)): row for row in rows}


class Omct(unittest.TestCase):
    def good(self, *arguments):
        run = omct(*arguments)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run

    def test_responses_agree_with_the_filters(self):
        """At 0.1 rad/s surge is felt by tilt alone, at the gain of the file. Yaw is a high-pass: nothing low, its gain high."""
        with tempfile.TemporaryDirectory() as folder:
            png = os.path.join(folder, "rig's.png")
            picture = ["--png", png] if shutil.which("gnuplot") else []
            found = responses(self.good(CAR, "--force", "0.4", "--csv", "-", *picture))
            if picture:
                with open(png, "rb") as file:
                    self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertEqual(len(found), 120)
        surge = found["6 surge", 0.1]
        self.assertAlmostEqual(float(surge["modulus"]), 0.45, delta=0.01)
        self.assertAlmostEqual(float(surge["phase"]), 0, delta=5)
        self.assertEqual(surge["limited"], "0")
        self.assertLess(float(found["5 yaw", 0.1]["modulus"]), 0.02)
        self.assertGreater(float(found["5 yaw", 15.849]["modulus"]), 0.5)
        # Nothing that is felt jumps: columns of the CSV, m/s^2 and rad/s.
        self.assertLess(max(float(row["false_force"]) for row in found.values()), 0.1)
        self.assertLess(max(float(row["false_rate"]) for row in found.values()), math.radians(0.5))
        # The rig is the same to the left and to the right.
        for frequency in (0.1, 1.0, 15.849):
            self.assertAlmostEqual(float(found["6 surge", frequency]["modulus"]), float(found["8 sway", frequency]["modulus"]), 6)

    def test_a_large_amplitude_reaches_the_limits(self):
        """The file that cannot be written ends the program with 1; the table is printed anyway."""
        run = omct(CAR, "--force", "3", "--csv", "/dev/full")
        self.assertEqual(run.returncode, 1)
        self.assertIn("/dev/full: No space left on device", run.stderr)
        table = run.stdout.splitlines()
        self.assertEqual(table[-1], "* the platform reached a limit of the tilt or of a coordinate")
        surge = next(line for line in table if line.startswith("6 surge"))
        self.assertEqual(len(re.findall(r"[0-9.]+\*", surge)) > 3, True, surge)

    def test_gains_of_the_file_count(self):
        """JSON and CSV have equal figures; with a tenth of the gain, yaw has a tenth of the modulus."""
        data, rows = yaw_at_a_tenth()
        self.assertEqual((data["force_m_s2"], len(data["tests"])), (1, 10))
        flat = [r for test in data["tests"] for r in test["responses"]]
        self.assertEqual([round(float(row["modulus"]), 6) for row in rows], [round(r["modulus"], 6) for r in flat])
        yaw = [file["tests"][4]["responses"][-1]["modulus"] for file in (as_shipped(), data)]
        self.assertAlmostEqual(yaw[1] / yaw[0], 0.1, delta=1e-3)

    def test_set_is_the_value_in_the_file(self):
        """The first --set changes nothing that the last one does not change; a gnuplot that keeps its commands shows both runs."""
        gain = "platform.gain_rot=[0.5, 0.5, 0.06]"
        with tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "commands"
            by_option = json.loads(self.good(CAR, "--set", gain.replace("0.06", "0.4"), "--set", gain, "--json").stdout)["tests"]
            self.assertEqual(by_option, yaw_at_a_tenth()[0]["tests"])
            before = as_shipped()["tests"]
            gnuplot = pathlib.Path(folder) / "gnuplot"
            gnuplot.write_text(f"#!/bin/sh\ncat >{kept}\n")
            gnuplot.chmod(0o755)
            run = subprocess.run([OMCT, CAR, "--set", gain, "--png", os.path.join(folder, "a.png"), "--compare"], stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            commands = kept.read_text()
            for name, tests in (("test", by_option), ("before", before)):
                drawn = re.search(rf"\${name}4 << END\n(.*?)END", commands, re.S)[1].splitlines()
                self.assertEqual([float(line.split()[1]) for line in drawn],
                                 [float(f"{r['modulus']:.6g}") for r in tests[4]["responses"]], name)
            self.assertEqual(commands.count("dashtype 2"), 2 * len(by_option))

    def test_mistakes_exit_2(self):
        for arguments, part in [
                ([], "expected one file, found none"),
                ([CAR, CAR], "found several"),
                ([CAR, "--force", "0"], "--force: expected a number above 0, at most 1000, found 0"),
                ([CAR, "--rate", "fast"], "--rate: expected a number above 0"),
                ([CAR, "--json", "--csv", "-"], "one of them at most on standard output"),
                ([CAR, "--png", "a.png", "--compare"], "--compare: expected --set and --png beside it, found no --set"),
                ([CAR, "--set", "platform.gain_lin=[0.3, 0.3, 0.5]", "--compare"], "found no --png"),
                ([CAR, "--set", "platform.gain_til=0.3"], "gain_til"),
                ([CONFIG / "four-bar.yaml"], "expected a section platform, found none"),
                (["nowhere.yaml"], "nowhere.yaml"),
                (["--nonsense"], "nonsense")]:
            with self.subTest(arguments):
                run = omct(*arguments)
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertIn(part, run.stderr)

    def test_help_and_version(self):
        self.assertIn("Exit status: 0", self.good("--help").stdout)
        self.assertTrue(self.good("--version").stdout.startswith("ali3-omct 0."))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
