#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_bench.py ALI3_BENCH MODELS: every mechanism of ali3-bench steps as it should, and the figures are there.
How long anything takes is not judged."""
import itertools
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import unittest

BENCH, MODELS = sys.argv.pop(1), sys.argv.pop(1)
CASES = ["chain", "chain_revolute", "four_bars", "random_tree", "star", "ladder", "bricard", "stewart_farm", "arm", "delta",
         "scissor_lift", "chain_drive", "truss", "at_rest", "denormal", "singular"]
STILL = CASES[-3:]
ISAS = ("baseline", "avx2", "avx512")
FIXED = {"bricard": 5, "arm": 7, "delta": 16}
PHASES = ["predict", "rows", "condense", "sweep", "bodies", "project"]
KEYS = {"case", "bodies", "rows", "workers", "workers_chosen", "isa", "method", "extrapolated", "step_us", "feedback_us", "phases_us",
        "bytes_per_body", "flops", "instructions", "calibration_us", "chain_ratio", "lanes_used", "checksum"}


def bench(*arguments):
    return subprocess.run([BENCH, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)


class Bench(unittest.TestCase):
    def good(self, *arguments):
        run = bench(*arguments)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def figures(self, *arguments):
        return json.loads(self.good(*arguments, "--json"))

    def test_help_version_and_list(self):
        self.assertIn("Exit status: 0", self.good("--help"))
        self.assertRegex(self.good("--version"), r"^ali3-bench \d+\.\d+\.\d+\ncommit [0-9a-f+unkow]+, .*, kernels for baseline")
        self.assertEqual([line.split()[0] for line in self.good("--list").splitlines()[:-1]], CASES)

    def errors(self, name):
        file = os.path.join(MODELS, "..", "..", "tests", "reference", name + ".json")
        (case,) = json.loads(self.good("--accuracy", file, "--json"))
        self.assertTrue(case["table"] and all(s["us"] > 0 for s in case["settings"]))
        return {(s["method"], s["extrapolated"], s["iterations"], s["substeps"]): s["error"] for s in case["settings"]}

    def test_accuracy_of_every_method(self):
        """The error falls with the substeps, and a method of order four is better than the plain step."""
        error = self.errors("four_bar")
        self.assertTrue(1e-3 < error["ali3", False, 3, 1] < 1e-2)
        for method in ("rk4", "dp5", "ab4", "abm8"):
            self.assertLess(error[method, False, 3, 4], 0.02 * error[method, False, 3, 1])
        self.assertLess(error["rk4", False, 3, 1], 1e-6)

    def test_accuracy_of_dp8(self):
        """Its error is below that of one solve in a stage, 8e-11 m. four_bar passes a singular position, which sets a larger error."""
        error = self.errors("bricard")
        self.assertLess(error["dp8", False, 3, 1], 1e-13)
        self.assertLess(error["dp8", False, 3, 1], 1e-4 * error["dp5", False, 3, 1])

    def test_accuracy_sees_rotations(self):
        """A body that tumbles about its centre, without a table beside its file: the error is that of a sensor 0.5 m away."""
        body = {"name": "T", "mass": 1, "inertia": [0.01, 0.02, 0.025], "position": [0, 0, 0], "angular_velocity": [0.3, 30, 0.3]}
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "top.json")
            with open(file, "w", encoding="utf-8") as f:
                json.dump({"model": {"gravity": [0, 0, 0], "bodies": [body],
                                     "joints": [{"name": "j", "type": "spherical", "body_a": "ground", "body_b": "T", "at": [0, 0, 0]}],
                                     "sensors": [{"name": "tip", "type": "point", "body": "T", "point": [0.5, 0, 0]}]}}, f)
            (case,) = json.loads(self.good("--accuracy", file, "--json"))
        error = {(s["method"], s["extrapolated"], s["iterations"], s["substeps"]): s["error"] for s in case["settings"]}
        self.assertFalse(case["table"])
        self.assertGreater(error["ali3", False, 3, 1], 0.02)
        self.assertLess(error["ali3", False, 3, 16], 0.05)

    def test_usage_errors_exit_2(self):
        for arguments, part in [
                (["--nonsense"], "nonsense"),
                (["--accuracy"], "--accuracy: expected at least one FILE"),
                (["--list", "file"], "expected options only, found file"),
                (["--case", "chian"], "--case: expected all or a name that --list shows, found chian"),
                (["--bodies", "0"], "--bodies: expected a whole number from 1 to"),
                (["--steps", "1e3"], "found 1e3"),
                (["--steps", "0"], "--steps"),
                (["--workers", "64"], "from 0 to 63, found 64"),
                (["--workers", "0,"], "--workers"),
                (["--workers", "0,automatic"], "--workers: expected auto or a whole number from 0 to 63, found automatic"),
                (["--workers", ",".join("0" * 17)], "at most 16"),
                (["--workers"], "requires an argument"),
                (["--predict-workers", "auto"], "--predict-workers: expected a whole number from 0 to 63, found auto"),
                (["--isa", "sse2"], "--isa: expected auto"),
                (["--isa", ""], "--isa: expected auto")]:
            with self.subTest(arguments):
                run = bench(*arguments)
                self.assertEqual(run.returncode, 2)
                self.assertEqual(run.stdout, "")
                self.assertIn(part, run.stderr)

    def test_every_case_in_full_gives_the_same_bits_for_any_workers(self):
        """A failed step, an open constraint or a number that is not finite ends the program with 1."""
        figures = self.figures("--steps", "4", "--workers", "0,2")
        self.assertEqual([(f["case"], f["workers"]) for f in figures], [(c, w) for c in CASES for w in (0, 2)])
        for alone, shared in zip(figures[::2], figures[1::2]):
            with self.subTest(alone["case"]):
                self.assertRegex(alone["checksum"], "^[0-9a-f]{16}$")
                self.assertEqual(alone["checksum"], shared["checksum"])
        self.assertEqual(len({f["checksum"] for f in figures}), len(CASES))

    def test_workers_are_chosen_where_that_is_asked_for(self):
        """How many pay is not judged; a mechanism of a few bodies has none."""
        large = self.figures("--case", "chain", "--bodies", "300", "--steps", "4", "--workers", "0,auto,1")
        self.assertEqual([f["workers_chosen"] for f in large], [False, True, False])
        self.assertEqual([f["workers"] for f in large[::2]], [0, 1])
        self.assertIn(large[1]["workers"], range(len(os.sched_getaffinity(0))))
        self.assertEqual(len({f["checksum"] for f in large}), 1)
        (small,) = self.figures("--case", "bricard", "--steps", "4", "--workers", "auto")
        self.assertTrue(small["workers_chosen"])
        if not os.environ.get("ALI3_SANITIZE"):  # steps take so long there that a worker can pay
            self.assertEqual(small["workers"], 0)

    def test_figures(self):
        for f in self.figures("--bodies", "40", "--steps", "100"):
            with self.subTest(f["case"]):
                self.assertEqual(set(f), KEYS)
                self.assertEqual((f["workers"], f["workers_chosen"]), (0, False))
                self.assertLess(abs(f["bodies"] - FIXED.get(f["case"], 40)), 7)
                self.assertGreaterEqual(f["rows"], 3 * f["bodies"])
                for times in (f["step_us"], f["feedback_us"]):
                    self.assertEqual(list(times), ["min", "median", "p99", "max"])
                    self.assertEqual(list(times.values()), sorted(times.values()))
                    self.assertGreater(times["min"], 0)
                for k, v in f["feedback_us"].items():
                    self.assertLessEqual(v, f["step_us"][k])
                self.assertEqual(list(f["phases_us"]), PHASES)
                self.assertGreater(min(f["phases_us"].values()), -1e-9)
                self.assertGreater(sum(f["phases_us"].values()), 0)
                self.assertGreater(f["bytes_per_body"], 1000)
                self.assertGreater(f["flops"], 100 * f["bodies"])
                self.assertTrue(f["instructions"] is None or f["instructions"] > f["flops"] / 32)
                self.assertGreater(f["calibration_us"], 1)
                self.assertGreater(f["chain_ratio"], 0)
                self.assertGreater(f["lanes_used"], 0)
                self.assertLessEqual(f["lanes_used"], 1)
                self.assertIs(f["extrapolated"], False)
                self.assertIn(f["isa"], ISAS)

    def test_mechanisms_of_files(self):
        files = [os.path.join(MODELS, name) for name in ("vehicle.yaml", "double_wishbone.yaml", "hexapod.yaml")]
        figures = self.figures("--steps", "4", *files)
        self.assertEqual([(f["case"], f["bodies"]) for f in figures], list(zip(files, (11, 6, 13))))
        both = self.figures("--steps", "4", "--case", "bricard", files[0])
        self.assertEqual([f["case"] for f in both], ["bricard", files[0]])
        self.assertEqual(both[1]["checksum"], figures[0]["checksum"])
        run = bench("--steps", "4", "nowhere.yaml")
        self.assertEqual(run.returncode, 1)
        self.assertIn("nowhere.yaml", run.stderr)

    def test_a_long_run_is_the_same_motion_again(self):
        once, again = (self.figures("--case", "bricard", "--steps", n)[0]["checksum"] for n in ("7", "507"))
        self.assertEqual(once, again)

    def test_extrapolated_and_small(self):
        plain = self.figures("--bodies", "1", "--steps", "50")
        better = self.figures("--bodies", "1", "--steps", "50", "--extrapolate")
        for a, b in zip(plain, better):
            with self.subTest(a["case"]):
                self.assertIs(b["extrapolated"], True)
                self.assertEqual(a["bodies"], b["bodies"])
                self.assertGreater(b["flops"], 3 * a["flops"])
                if a["case"] not in STILL:
                    self.assertNotEqual(a["checksum"], b["checksum"])

    def test_an_instruction_set_is_forced(self):
        """Or refused, where the machine does not have it; what is chosen without a word is one that can be forced."""
        (best,) = self.figures("--case", "chain", "--bodies", "20", "--steps", "50")
        found = {}
        for isa in ISAS:
            run = bench("--case", "chain", "--bodies", "20", "--steps", "50", "--json", "--isa", isa)
            if run.returncode:
                self.assertIn("isa", run.stderr)
                self.assertRegex(run.stderr, f"does not have the instruction set {isa}|has no kernels for {isa}|expected auto")
                continue
            (f,) = json.loads(run.stdout)
            self.assertEqual(f["isa"], isa)
            found[isa] = f["checksum"]
        self.assertIn("baseline", found)
        self.assertEqual(found[best["isa"]], best["checksum"])
        self.assertEqual(self.figures("--case", "chain", "--bodies", "20", "--steps", "50", "--isa", "auto")[0]["isa"], best["isa"])
        if "avx2" in found:
            self.assertNotEqual(found["baseline"], found["avx2"])  # fused multiplications

    def test_levels_of_the_tree(self):
        """Every body and row in a node, all that is estimated, and how two shares do what is theirs."""
        for f in self.figures("--bodies", "60", "--steps", "20", "--report", "--workers", "0,1", "--isa", "baseline"):
            with self.subTest(f["case"], workers=f["workers"]):
                self.assertEqual(set(f), KEYS | {"levels"})
                levels = f["levels"]
                names = [level["level"] for level in levels]
                shared = names.count("band")
                self.assertEqual([level.get("band") for level in levels[:shared]], list(range(shared)))
                self.assertEqual(names[shared:], sorted(set(names[shared:])))
                joints = sum(level["nodes"] for level in levels) - f["bodies"]
                # a node has one body, or joints of at most seven rows in all
                self.assertLessEqual(f["rows"] / 7, joints)
                self.assertLessEqual(joints, f["rows"])
                self.assertGreater(f["flops"], sum(level["flops"] for level in levels))
                for level in levels:
                    self.assertGreaterEqual(level["groups"], level["runs"])
                    self.assertLessEqual(level["groups"], level["nodes"])
                    self.assertLessEqual(level["nodes"], level["lanes"])
                    self.assertLessEqual(level["lanes"], 2 * level["groups"])
                    self.assertGreater(level["condense_us"] + level["sweep_us"], 0)
                    self.assertEqual("condense_shares" in level, level["level"] == "band")
                for band, key in itertools.product(levels[:shared], ("condense_shares", "sweep_shares")):
                    for threads, over_mean in band["imbalance"].items():
                        self.assertLessEqual(0.999, over_mean)
                        self.assertLessEqual(over_mean, int(threads) * 1.001)
                    s = band[key]
                    if f["workers"] == 0:
                        self.assertIsNone(s)
                    elif s:
                        self.assertEqual(len(s["busy_us"]), 2)
                        self.assertGreaterEqual(s["skew_us"], 0)
                        self.assertGreater(s["utilisation"], 0)
                        self.assertLessEqual(s["utilisation"], 1.001)
        (f,) = self.figures("--case", "chain", "--bodies", "300", "--steps", "20", "--report", "--workers", "1", "--isa",
                            "baseline")
        self.assertEqual(f["levels"][0]["level"], "band")
        self.assertGreater(min(f["levels"][0]["condense_shares"]["busy_us"]), 0)

    def test_prediction_of_workers(self):
        """How right it is, is not judged: other load may hold up every barrier."""
        rows = json.loads(self.good("--case", "chain", "--bodies", "2000", "--steps", "20", "--predict-workers", "0,1,40", "--json"))
        self.assertEqual([row["workers"] for row in rows], [0, 1, 40])
        for row in rows:
            self.assertGreater(row["predicted_us"]["min"], 0)
            self.assertLessEqual(row["predicted_us"]["min"], row["predicted_us"]["median"])
            self.assertGreater(row["barrier_us"], 0)
        self.assertGreater(rows[0]["measured_us"]["min"], 0)
        if os.cpu_count() <= 40:
            self.assertIsNone(rows[2]["measured_us"])
        table = self.good("--case", "chain", "--bodies", "20", "--steps", "10", "--predict-workers", "0,2")
        self.assertIn("predicted min", table)
        self.assertEqual(len(table.splitlines()), 4)

    def test_table_for_people(self):
        table = self.good("--case", "chain", "--bodies", "300", "--steps", "10", "--workers", "1", "--isa", "baseline", "--report")
        lines = table.splitlines()[2:]
        self.assertEqual(lines[1].split(), "level runs groups nodes lanes Mflop condense GFLOP/s sweep of 2 of 4 of 8".split())
        rows = [re.sub("^ *band ", "band", line).split() for line in lines[2:] if re.match(r" *(band \d+|\d+|all) ", line)]
        self.assertEqual((rows[0][0], rows[-1][0]), ("band0", "all"))
        self.assertEqual(len(rows[0]), 12)
        self.assertEqual([int(n) for n in rows[-1][1:5]], [sum(int(row[i]) for row in rows[:-1]) for i in range(1, 5)])
        self.assertIn("band 0, condense: skew ", table)
        table = self.good("--case", "chain", "--bodies", "8", "--steps", "10", "--workers", "1")
        head, columns, line = table.splitlines()
        self.assertIn("10 steps each", head)
        self.assertEqual(line.split()[:4], ["chain", "8", "24", "1"])
        self.assertEqual(len(columns.replace("step min", "step").split()), len(line.split()))

    def test_calibration_alone(self):
        self.assertRegex(self.good("--calibrate"), r"^calibration min .* median [^\n]*\nproduct of two 7x7 matrices: median \d+\.\d ns\n$")
        found = json.loads(self.good("--calibrate", "--json"))
        self.assertGreater(found["calibration_us"], 1)
        self.assertGreater(found["product_ns"], 1)

    def test_progress_on_a_terminal(self):
        leader, terminal = pty.openpty()
        try:
            run = subprocess.run([BENCH, "--case", "arm", "--steps", "5"], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=terminal, check=False)
            self.assertEqual(run.returncode, 0)
            self.assertIn(b"arm, 0 workers", os.read(leader, 1000))
        finally:
            os.close(terminal)
            os.close(leader)

    def test_a_full_disk_exits_1(self):
        for more in ([], ["--json"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                run = subprocess.run([BENCH, "--steps", "1", *more], stdin=subprocess.DEVNULL, stdout=full,
                                     stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertIn("No space left on device", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
