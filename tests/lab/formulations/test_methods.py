#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_methods.py ALI3_LAB: the energy-momentum step, the product's stepper as a method, their tables, that of paper 4, and
ali3-lab compare."""
import csv
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from test_lab import LAB, ROOT, LabTest, reference

REFERENCES = os.path.join(ROOT, "tests", "reference")
EM = ("--tolerance", "1e-14", "--alpha", "1e9")


def mechanism(name):
    return os.path.join(REFERENCES, name + ".json")


class EnergyMomentum(LabTest):
    def errors(self, model, duration, steps, *method):
        """Errors of the centres of mass at the end, for each step."""
        exact, found = reference(model, duration), []
        for dt in steps:
            row = self.rows(mechanism(model), *method, "--dt", repr(dt), "--duration", repr(duration), "--every", str(round(duration / dt)))[-1]
            found.append(max(abs(row[k] - exact[k]) for k in row.keys() & exact.keys() if ".position." in k))
        return found

    def test_order(self):
        """The step is of order two, extrapolated from two branches of three, from three branches of four."""
        for integrator, order in (("nr", 2), ("nrx", 3), ("nrx3", 4)):
            errors = self.errors("five_bar_asym", 4, (0.04, 0.02, 0.01), "--method", "em", "--integrator", integrator, *EM)
            for coarse, fine in zip(errors, errors[1:]):
                self.assertAlmostEqual(math.log2(coarse / fine), order, delta=0.35, msg=f"{integrator} {errors}")

    def test_error_before_the_first_singular_position(self):
        exact = reference("slider_crank", 0.3)
        row = self.rows(mechanism("slider_crank"), "--method", "em", "--integrator", "nr", *EM, "--dt", "0.001", "--duration", "0.3")[-1]
        error = 2 * math.hypot(*(row[k] - exact[k] for k in ("body.A.position.x", "body.A.position.y")))
        self.assertAlmostEqual(error / 1.2e-7, 1, delta=0.1)

    def test_redundant_rows_in_space(self):
        """One row of 30 is redundant, and not because of a plane: J_1' in place of J_f' in the projection breaks down here."""
        s = self.summary(mechanism("bricard"), "--method", "em", "--integrator", "nr", *EM, "--dt", "0.01")
        self.assertLess(s["energy"]["drift"], 1e-5)
        self.assertLess(s["constraint"]["velocity"], 1e-10)

    def test_a_summary_has_no_accelerations(self):
        s = self.summary(mechanism("five_bar"), "--method", "em", "--integrator", "nr", "--duration", "0.1")
        self.assertIsNone(s["constraint"]["acceleration"])

    def test_what_does_not_go_together(self):
        for method, integrator, text in (("em", "step", "use --method product"), ("product", "nr", "use step, substeps or stepx"),
                                         ("ali3", "nrx", "cannot bring an extrapolated state"), ("penalty", "nrx", "no Newton form")):
            said = self.lab("run", mechanism("five_bar"), "--method", method, "--integrator", integrator, status=2).stderr
            self.assertIn(text, said)
        self.assertIn("--substeps: expected", self.lab("run", mechanism("five_bar"), "--substeps", "0", status=2).stderr)


class Tables(LabTest):
    def table(self, name, *arguments, status=0):
        with tempfile.NamedTemporaryFile() as f:
            text = self.lab("table", name, *arguments, "--json", f.name, status=status).stdout
            return text, json.load(f)

    def test_em(self):
        text, rows = self.table("em")
        self.assertIn("14 of 14 demanded rows hold", text)
        for row in rows:
            with self.subTest(row=row):
                if row["integrator"] == "nr":
                    self.assertLess(row["drift"], 0.1 * row["product_drift"])
                    self.assertLess(row["error"], row["product_error"])
                if row["integrator"] == "nrx3":
                    self.assertLess(row["drift"], row["product_drift"])
                    self.assertLess(row["error"], 1.3 * row["product_error"])

    def test_paper_4(self):
        text, rows = self.table("p4-oscillator")
        self.assertIn("14 of 14 demanded rows hold", text)
        steps = [row for row in rows if row["part"] == "steps"]
        self.assertEqual(len(steps), 24)
        for row in steps:
            self.assertAlmostEqual(row["steps"] / row["steps_expected"], 1, delta=0.2, msg=str(row))

    def test_another_folder_of_references(self):
        said = self.lab("table", "p4-oscillator", "--references", "/nowhere", status=2).stderr
        self.assertIn("/nowhere/point_masses_1_mi_1e-1.csv: no such file; give its folder by --references", said)
        with tempfile.TemporaryDirectory() as folder:
            for name in os.listdir(REFERENCES):
                if name.startswith(("point_masses", "small_mass")):
                    shutil.copy(os.path.join(REFERENCES, name), folder)
            wrong = os.path.join(folder, "point_masses_2_mi_0.csv")
            with open(wrong, encoding="utf-8") as f:
                text = f.read()
            with open(wrong, "w", encoding="utf-8") as f:
                f.write(re.sub("\n1,[^,]*", "\n1,9", text))
            said = self.lab("table", "p4-oscillator", "--references", folder, status=1).stdout
            self.assertIn("not reproduced", said)
            self.assertIn("13 of 14 demanded rows hold", said)
            with open(wrong, "w", encoding="utf-8") as f:
                f.write(text.replace("\n1,", "\n1;"))
            said = self.lab("table", "p4-oscillator", "--references", folder, status=2).stderr
            self.assertRegex(said, r"point_masses_2_mi_0\.csv:12: expected a number for each name")


def has_tyres(file):
    """The laboratory refuses them: test_wrong_usage."""
    with open(file, encoding="utf-8") as f:
        return "type: tyre" in f.read()


class Compare(LabTest):
    MODEL = (mechanism("five_bar_asym"), "--budget", "0.1")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def compare(self, *arguments):
        return json.loads(self.lab("compare", *arguments, "--json", "-").stdout)

    def test_methods_fall_at_their_order(self):
        known = ("--reference", os.path.join(REFERENCES, "five_bar_asym.csv"))
        made = self.compare(self.MODEL[0], "--budget", "0.5", "--duration", "2", *known, "--methods", "product,em,al1/nr,ali3,al1-dca-projected/ode45")
        self.assertEqual((made["duration"], made["known_to"]), (2, 0))
        errors = {}
        for run in made["runs"]:
            if run["outcome"] == "completed":
                errors.setdefault((run["method"], run["integrator"]), []).append((run["length"], run["error"]))
        for method, order in ((("product", "step"), 2), (("product", "substeps"), 2), (("product", "stepx"), 4), (("em", "nr"), 2),
                              (("em", "nrx"), 3), (("al1", "nr"), 2), (("ali3", "nr"), 2)):
            (h, coarse), (half, fine) = errors[method][0:2]
            self.assertAlmostEqual(math.log(coarse / fine) / math.log(h / half), order, delta=0.5, msg=str(method))
        self.assertEqual({run["coordinates"] for run in made["runs"]}, {"natural", "absolute"})
        loose, tight = errors[("al1-dca-projected", "ode45")][0], errors[("al1-dca-projected", "ode45")][-1]
        self.assertLess(tight[1], 1e-3 * loose[1])

    def test_a_fine_solution_of_its_own_is_the_reference(self):
        method = ("--methods", "product/step")
        own = self.compare(*self.MODEL, *method)
        exact = self.compare(*self.MODEL, *method, "--reference", os.path.join(REFERENCES, "five_bar_asym.csv"))
        self.assertLess(own["known_to"], 1e-7)
        for a, b in zip(own["runs"], exact["runs"]):
            self.assertAlmostEqual(a["error"], b["error"], delta=1e-7)

    def test_what_is_written(self):
        paths = [os.path.join(self.folder, name) for name in ("it's.csv", "it's.json", "it's.png")]
        drawn = shutil.which("gnuplot") is not None
        text = self.lab("compare", *self.MODEL, "--methods", "product/step,em/nr", "--duration", "1", "--csv", paths[0], "--json", paths[1],
                        *(("--png", paths[2]) if drawn else ())).stdout
        with open(paths[0], encoding="utf-8") as f, open(paths[1], encoding="utf-8") as g:
            rows, runs = list(csv.DictReader(f)), json.load(g)["runs"]
        self.assertEqual([(r["method"], r["integrator"], int(r["calls"])) for r in rows], [(r["method"], r["integrator"], r["calls"]) for r in runs])
        self.assertEqual({r["method"] for r in rows}, {"product", "em"})
        self.assertRegex(text, r"(?m)^em +nr +absolute\|")
        quiet = self.lab("compare", *self.MODEL, "--methods", "em/nr", "--duration", "1", "--quiet", "--csv", "-")
        self.assertEqual({r["integrator"] for r in csv.DictReader(io.StringIO(quiet.stdout))}, {"nr"})
        self.assertNotIn("steps", quiet.stderr.replace("not in natural", ""))
        if drawn:
            with open(paths[2], "rb") as f:
                self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")

    def test_oracles_take_part_only_when_they_are_asked_for(self):
        short = ("--duration", "0.1", "--budget", "0.001", "--quiet")
        names = {run["method"] for run in self.compare(mechanism("five_bar_asym"), *short)["runs"]}
        self.assertLessEqual({"penalty", "al1", "hamiltonian", "ali3", "product", "em", "al1-dca", "al1-dca-projected"}, names)
        self.assertFalse(names & {"al1-dense", "em-newton", "em-unprojected"})
        runs = self.compare(mechanism("five_bar_asym"), *short, "--budget", "1e-7")["runs"]
        self.assertEqual({run["method"] for run in runs}, names)
        self.assertEqual({run["outcome"] for run in runs}, {"stopped: it takes more than twice the --budget"})
        names = {run["method"] for run in self.compare(mechanism("five_bar_asym"), *short, "--methods", "al1-d*")["runs"]}
        self.assertLessEqual({"al1-dense", "al1-dca"}, names)

    def test_a_model_in_space_has_no_natural_coordinates(self):
        done = self.lab("compare", mechanism("bricard"), "--duration", "0.5", "--budget", "0.02", "--methods", "ali3,hamiltonian")
        self.assertIn("not in natural coordinates: body b3: not planar", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ali3 +nr +absolute\|")
        self.assertNotIn("hamiltonian", done.stdout)

    def test_reactions_are_compared(self):
        """They fall with the step; and a run writes the names and values of ali3-sim."""
        made = self.compare(mechanism("slider_crank"), "--duration", "0.3", "--budget", "0.2", "--methods", "product/step,al1-dca-projected/ode45,hdca/ode45,"
                            "dca/ode45,ali3,hamiltonian/nr,em/nr")
        self.assertLess(made["forces_known_to"], 1e-6)
        best = {}
        for run in made["runs"]:
            if run["outcome"] == "completed":
                best[run["method"]] = min(run["force_error"], best.get(run["method"], 1e9))
        for method, bound in (("product", 1e-2), ("al1-dca-projected", 1e-3), ("hdca", 1e-3), ("dca", 1e-3), ("ali3", 1), ("hamiltonian", 0.1), ("em", 1)):
            self.assertLess(best[method], bound, msg=method)
        rows = self.rows(mechanism("slider_crank"), "--method", "hdca", "--integrator", "ode45", "--duration", "0.3", "--rtol", "1e-9", "--atol", "1e-9",
                         "--signals", "time,joint.*")
        self.assertIn("joint.J1.force.x", rows[0])
        self.assertGreater(abs(rows[-1]["joint.J1.force.y"]), 1)

    def test_every_shipped_model_is_compared(self):
        models = os.path.join(ROOT, "config", "models")
        for name in sorted(n for n in os.listdir(models) if n.endswith(".yaml")):
            if has_tyres(os.path.join(models, name)):
                continue
            with self.subTest(model=name):
                made = self.compare(os.path.join(models, name), "--duration", "0.1", "--quiet", "--methods", "product/step")
                self.assertLess(made["known_to"], 1e-5)
                self.assertEqual({run["method"] for run in made["runs"]}, {"product"})

    def test_every_shipped_model_moves_alike(self):
        """The product's step beside formulations in absolute and in joint coordinates, where the model has these."""
        models, joint = os.path.join(ROOT, "config", "models"), 0
        for name in sorted(n for n in os.listdir(models) if n.endswith(".yaml")):
            if has_tyres(os.path.join(models, name)):
                continue
            with self.subTest(model=name):
                arguments = (os.path.join(models, name), "--duration", "0.1", "--signals", "body.*.position.*")
                exact = self.rows(*arguments, "--method", "product", "--integrator", "stepx", "--dt", "5e-4")[-1]
                for method in ("al1-dca-projected", "dca"):
                    done = subprocess.run([LAB, "run", *arguments, "--method", method, "--integrator", "ode45", "--rtol", "1e-8", "--atol", "1e-8",
                                           "--alpha", "1e6", "--output", "-"], capture_output=True, text=True, check=False)
                    if method == "dca" and done.returncode == 2:
                        self.assertIn("more than 48 rows of cut joints", done.stderr)
                        continue
                    self.assertEqual(done.returncode, 0, done.stderr)
                    joint += method == "dca"
                    found = list(csv.DictReader(io.StringIO(done.stdout)))[-1]
                    for key, value in exact.items():
                        self.assertAlmostEqual(float(found[key]), value, delta=2e-5, msg=f"{method} {key}")
        self.assertGreaterEqual(joint, 15)

    ACTUATED = """model:
  name: actuated
  gravity: [0, 0, -9.81]
  bodies:
    - {name: boom, mass: 50, inertia: [2, 8, 8], position: [1, 0, 0], angular_velocity: [0, -0.3, 0], velocity: [0, 0, 0.3]}
    - {name: rotor, mass: 1, inertia: [1e-2, 1e-2, 1e-2], position: [0, 1, 0], angular_velocity: [0, -30, 0]}
  joints:
    - {name: boom, type: revolute, body_a: ground, body_b: boom, at: [0, 0, 0], axis: [0, -1, 0]}
    - {name: shaft, type: revolute, body_a: ground, body_b: rotor, at: [0, 1, 0], axis: [0, -1, 0]}
  forces:
    - {name: lift, type: hydraulic_cylinder, body_a: ground, body_b: boom, point_a: [0.5, 0, -1], point_b: [0, 0, 0], bore: 0.05, rod: 0.03,
       retracted: 0.8, stroke: 0.6, dead_volume_a: 1e-4, dead_volume_b: 1e-4, damping: 500, leakage: 2e-11, supply: 150e5, tank: 5e5, flow: 3e-4,
       overlap: 0.05, pressure_a: 20e5, pressure_b: 10e5}
    - {name: motor, type: electric_motor, joint: shaft, resistance: 0.8, inductance: 2e-2, constant: 0.15, current: 3}
"""

    def test_forces_with_states_of_their_own(self):
        """A cylinder whose valve is closed and which leaks, and a winding without voltage, beside the product's step and the closed solution
        of rotor and winding, two linear equations."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write(self.ACTUATED)
            f.flush()
            signals = ("--duration", "0.2", "--signals", "body.*")
            exact = self.rows(f.name, *signals, "--method", "product", "--integrator", "stepx", "--dt", "2e-5")[-1]
            # J w' = k i, L i' = -R i - k w, w about the joint's axis
            J, k, L, R, w, i, steps = 1e-2, 0.15, 2e-2, 0.8, 30.0, 3.0, 200000
            for _ in range(steps):  # the midpoint rule, whose error is 1e-10 here
                h = 0.2 / steps
                wm, im = w + h / 2 * k * i / J, i + h / 2 * (-R * i - k * w) / L
                w, i = w + h * k * im / J, i + h * (-R * im - k * wm) / L
            self.assertLess(w, 25)
            for method, integrator, delta in (("al1-dca-projected", "ode45", 3e-7), ("dca", "ode45", 3e-7), ("dca", "ode113", 3e-7), ("hdca", "ode45", 3e-7),
                                              ("hdca", "ode23", 3e-7), ("al1", "tr", 1e-4), ("dca", "tr", 1e-4), ("dca", "fe", 3e-2)):
                row = self.rows(f.name, *signals, "--method", method, "--integrator", integrator, "--rtol", "1e-9", "--atol", "1e-9", "--dt", "1e-4",
                                "--coordinates", "absolute" if method.startswith("al1") else "joint")[-1]
                for key, value in exact.items():
                    self.assertAlmostEqual(row[key], value, delta=delta * (100 if "velocity" in key else 1), msg=f"{method} {integrator} {key}")
                self.assertAlmostEqual(-row["body.rotor.angular_velocity.y"], w, delta=10 * delta, msg=f"{method} {integrator}")
            said = self.lab("run", f.name, "--method", "em", "--integrator", "nr", status=2).stderr
            self.assertIn("em with nr: it steps no states of forces", said)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write(self.ACTUATED.replace("inductance: 2e-2", "inductance: 0"))
            f.flush()
            said = self.lab("run", f.name, "--method", "dca", "--integrator", "ode45", status=2).stderr
            self.assertRegex(said, r":14:7: error: force motor: without inductance the current of an electric_motor has no rate")

    def test_wrong_usage(self):
        car = os.path.join(ROOT, "config", "models", "braked_car.yaml")
        self.assertIn("force tyre_front_left: the laboratory does not step the tread of a tyre", self.lab("compare", car, status=2).stderr)
        for arguments, text in ((("--methods", "al9"), "--methods: expected globs"), (("--dt", "1"), "options of compare"),
                                (("--methods", "hamiltonian"), "no method of --methods takes this model"), (("--budget", "0"), "--budget: expected"),
                                (("--csv", "-", "--json", "-"), "one of them at most"),
                                (("--reference", "/none.csv", "--duration", "1"), "/none.csv: No such file"),
                                (("--reference", os.path.join(REFERENCES, "bricard.csv"), "--duration", "0.123"), "expected a row for 0.123 s"),
                                (("--reference", os.path.join(REFERENCES, "four_bar.csv")), "expected body.NAME.position.x of a body of the model")):
            with self.subTest(arguments=arguments):
                self.assertIn(text, self.lab("compare", mechanism("bricard"), "--duration", "0.5", *arguments, status=2).stderr)
        self.assertIn("expected options of table, found --quiet", self.lab("table", "em", "--quiet", status=2).stderr)


class Reactions(LabTest):
    SLIDER = os.path.join(ROOT, "config", "models", "lab", "slider_crank.yaml")

    def reactions(self, *arguments):
        text = self.lab("reactions", self.SLIDER, "--joint", "J1", "--duration", "1", *arguments, "--csv", "-").stdout
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(io.StringIO(text))]

    def test_all_formulations_over_a_singular_pass(self):
        rows = self.reactions()
        self.assertEqual(len(rows), 1001)
        self.assertLessEqual({"exact", "penalty/tr", "al1/nr", "hamiltonian/nr", "ali3/nr", "product/step", "em/nr", "al1-dca/tr", "hdca/tr", "dca/tr"},
                             set(rows[0]))
        for name, bound in (("al1/nr", 0.05), ("hamiltonian/nr", 0.05), ("product/step", 0.2), ("hdca/tr", 0.05), ("dca/tr", 0.05), ("em/nr", 1)):
            self.assertLess(max(abs(row[name] - row["exact"]) for row in rows), bound, msg=name)
        # Without multipliers that go on from step to step there is an impact.
        self.assertGreater(max(abs(row["penalty/tr"] - row["exact"]) for row in rows), 10)

    def test_beside_a_reference(self):
        rows = self.reactions("--methods", "hdca", "--reference", os.path.join(REFERENCES, "slider_crank.csv"), "--component", "force.x")
        exact = [row for row in rows if not math.isnan(row["exact"])]
        self.assertEqual(len(exact), 21)
        self.assertLess(max(abs(row["hdca/tr"] - row["exact"]) for row in exact), 0.05)

    @unittest.skipUnless(shutil.which("gnuplot"), "no gnuplot")
    def test_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "it's.png")
            self.lab("reactions", self.SLIDER, "--joint", "J1", "--duration", "0.1", "--methods", "dca,ali3", "--png", path)
            with open(path, "rb") as f:
                self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")

    def test_wrong_usage(self):
        for arguments, text in ((("--csv", "-"), "--joint: expected"), (("--joint", "J1"), "--csv or --png"),
                                (("--joint", "J9", "--csv", "-"), "--joint: expected a joint of the model, found J9"),
                                (("--joint", "J1", "--component", "y", "--csv", "-"), "--component: expected force.x, .., torque.z, found y"),
                                (("--joint", "J1", "--csv", "-", "--budget", "1"), "options of reactions"),
                                (("--joint", "J1", "--csv", "-", "--component", "torque.z", "--reference",
                                  os.path.join(REFERENCES, "slider_crank.csv")), "expected a column joint.J1.torque.z, found none")):
            with self.subTest(arguments=arguments):
                self.assertIn(text, self.lab("reactions", self.SLIDER, *arguments, status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
