#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_paper2.py ALI3_LAB: Hamiltonian DCA, Featherstone's DCA and joint coordinates, and the map of figure 12 of paper 3."""
import csv
import json
import os
import sys
import tempfile
import unittest

from test_lab import ROOT, LabTest, case, reference

ODE45 = ("--integrator", "ode45")


class Recursions(LabTest):
    def test_all_forms_take_the_same_steps(self):
        for name in ("hdca", "dca"):
            dense = self.summary(case("hdca_1"), "--method", name + "-dense", *ODE45)
            for form in (name, name + "-handles"):
                s = self.summary(case("hdca_1"), "--method", form, *ODE45)
                self.assertEqual((s["calls"], s["steps"]), (dense["calls"], dense["steps"]))
                self.assertAlmostEqual(s["energy"]["drift"], dense["energy"]["drift"], delta=1e-8)

    def test_bricard_in_space_follows_its_reference(self):
        """Axes that move, and a redundant row that does not stand alone."""
        exact = reference("bricard", 10)
        for method in ("hdca", "hdca-handles", "hdca-dense"):
            row = self.rows(case("bricard"), "--method", method, *ODE45, "--rtol", "1e-9", "--atol", "1e-9")[-1]
            for name in row.keys() & exact.keys():
                if ".position." in name:
                    self.assertAlmostEqual(row[name], exact[name], delta=1e-8, msg=f"{method} {name}")

    def test_velocities_of_the_loop_are_rounding_errors(self):
        for model in ("hdca_1", "hdca_2", "hdca_3"):
            for tolerance in ("1e-3", "1e-6"):
                s = self.summary(case(model), "--method", "hdca", *ODE45, "--rtol", tolerance, "--atol", tolerance)
                self.assertLess(s["constraint"]["velocity"], 1e-11)

    def test_handles_of_loops_that_share_bodies(self):
        """Case 3 of the paper and a loop that hangs on a loop, with compounds of three handles and more; and a redundant loop in space."""
        tight = ("--rtol", "1e-11", "--atol", "1e-11", "--duration", "1", *ODE45)
        for name in ("hdca_3", "double_loop", "bricard"):
            # Case 3 has no reference solution; the other two have one, which knows nothing of these methods.
            exact = self.rows(case(name), "--method", "al1-dca-projected", "--alpha", "1e6", *tight)[-1] if name == "hdca_3" else reference(name, 1)
            for method in ("hdca-handles", "dca-handles"):
                row = self.rows(case(name), "--method", method, *tight)[-1]
                compared = [key for key in row.keys() & exact.keys() if ".position." in key]
                self.assertGreater(len(compared), 8)
                for key in compared:
                    self.assertAlmostEqual(row[key], exact[key], delta=1e-9 if name == "hdca_3" else 2e-11, msg=f"{name} {method} {key}")

    def test_a_ball_is_no_joint_of_the_tree(self):
        """A body on a spherical joint floats, and the joint is cut."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("model:\n  name: ball\n  gravity: [0, 0, -9.81]\n  bodies:\n"
                    "    - {name: A, mass: 1, inertia: [1, 2, 3], position: [1, 0, 0], angular_velocity: [2, 0, 1], velocity: [0, 1, 0]}\n  joints:\n"
                    "    - {name: J, type: spherical, body_a: ground, body_b: A, point_a: [0, 0, 0], point_b: [-1, 0, 0]}\n")
            f.flush()
            tight = ("--rtol", "1e-11", "--atol", "1e-11", "--duration", "1", *ODE45)
            exact = self.rows(f.name, "--method", "al1-dca-projected", "--alpha", "1e6", *tight)[-1]
            for method in ("hdca", "hdca-handles", "dca"):
                row = self.rows(f.name, "--method", method, *tight)[-1]
                for key in row:
                    if key.startswith("body."):
                        self.assertAlmostEqual(row[key], exact[key], delta=1e-9, msg=f"{method} {key}")

    def test_what_has_no_form_is_refused(self):
        arm = os.path.join(ROOT, "config", "models", "six_axis_arm.yaml")
        said = self.lab("run", arm, "--method", "hdca-handles", *ODE45, status=2).stderr
        self.assertIn("handles belong to joints; a drive or a gear has none", said)
        said = self.lab("run", case("hdca_1"), "--method", "hdca", *ODE45, "--coordinates", "absolute", status=2).stderr
        self.assertIn("hdca in absolute coordinates: it is written in other coordinates", said)
        rail = os.path.join(ROOT, "config", "models", "hexapod_on_rail.yaml")
        said = self.lab("run", rail, "--method", "hdca", *ODE45, status=2).stderr
        self.assertRegex(said, r":22:7: error: force leg_6_leg: more than 48 rows of cut joints, drives and gears")


class Resets(LabTest):
    def test_impulses_start_again(self):
        """The motion goes on, and a long run keeps its energy better."""
        long = (case("hdca_1"), "--method", "hdca", "--integrator", "ode113", "--rtol", "1e-8", "--atol", "1e-8", "--duration", "300")
        without, reset = self.summary(*long), self.summary(*long, "--reset", "1")
        self.assertEqual(reset["parameters"]["reset"], 1)
        self.assertLess(reset["energy"]["drift"], 0.1 * without["energy"]["drift"])
        self.assertLess(reset["constraint"]["velocity"], 1e-11)
        for method in (("hdca", *ODE45, "--rtol", "1e-9", "--atol", "1e-9"), ("hamiltonian", "--integrator", "nr", "--alpha", "1e8", "--omega", "1", "--xi", "1e5"),
                       ("hamiltonian", "--integrator", "fe", "--alpha", "1e9", "--omega", "0.1", "--xi", "1000", "--dt", "1e-4")):
            arguments = (case("slider_crank"), "--method", *method, "--duration", "0.3")
            a, b = (self.rows(*arguments, *more)[-1] for more in ((), ("--reset", "0.1")))
            for name in a:
                if ".position." in name:
                    self.assertAlmostEqual(a[name], b[name], delta=1e-6, msg=f"{method[0]} {name}")

    def test_what_has_no_impulses_is_refused(self):
        said = self.lab("run", case("hdca_1"), "--method", "dca", *ODE45, "--reset", "1", status=2).stderr
        self.assertIn("dca with ode45: it has no impulses that could be reset", said)


class Adams(LabTest):
    """ode113 beside ode45: the same motion for fewer calls where the tolerance is small."""

    def test_it_follows_the_reference(self):
        exact = reference("five_bar_asym", 10)
        for tolerance, error in (("1e-6", 5e-5), ("1e-9", 5e-8)):
            arguments = (case("five_bar_asym"), "--method", "dca", "--rtol", tolerance, "--atol", tolerance)
            row = self.rows(*arguments, "--integrator", "ode113")[-1]
            for name in row.keys() & exact.keys():
                if ".position." in name:
                    self.assertAlmostEqual(row[name], exact[name], delta=error, msg=f"{tolerance} {name}")
            s, one_step = self.summary(*arguments, "--integrator", "ode113"), self.summary(*arguments, "--integrator", "ode45")
            self.assertEqual(s["calls"], 1 + 2 * s["steps"] + s["rejected_steps"])
            self.assertLess(s["calls"], one_step["calls"])
        self.assertLess(2 * s["calls"], one_step["calls"])

    def test_a_projection_would_change_its_past(self):
        said = self.lab("run", case("five_bar"), "--method", "al1-dca-projected", "--integrator", "ode113", status=2).stderr
        self.assertIn("would change the past", said)


class JointCoordinates(LabTest):
    def test_they_keep_more_energy_than_natural_ones(self):
        cell = (case("double_four_bar"), "--method", "al1", "--integrator", "tr", "--omega", "100")
        natural = self.summary(*cell)["energy"]["drift"]
        joint = self.summary(*cell, "--coordinates", "joint")
        self.assertEqual(joint["unknowns"], 5)
        self.assertLess(10 * joint["energy"]["drift"], natural)

    def test_a_point_on_a_line_is_a_cut_joint(self):
        exact = reference("slider_crank", 0.3)
        row = self.rows(case("slider_crank"), "--method", "hdca", *ODE45, "--duration", "0.3", "--rtol", "1e-9", "--atol", "1e-9")[-1]
        for name in row.keys() & exact.keys():
            if name.startswith("body."):
                self.assertAlmostEqual(row[name], exact[name], delta=1e-7, msg=name)


class Tables(LabTest):
    def table(self, name):
        with tempfile.NamedTemporaryFile() as f:
            text = self.lab("table", name, "--json", f.name).stdout
            return text, json.load(f)

    def test_calls(self):
        text, rows = self.table("p2-calls")
        self.assertIn("76 of 76 demanded rows hold", text)
        self.assertRegex(text, r"hdca_1 ode45 +1e-09 dca .* not reproduced, not demanded")
        # An independent program counted these; one machine type gives them exactly.
        counts = {("hdca_1", "hdca", 1e-6): 1381, ("hdca_1", "dca", 1e-6): 805, ("hdca_2", "hdca", 1e-6): 3643, ("hdca_2", "dca", 1e-6): 1933,
                  ("hdca_3", "hdca", 1e-6): 1729, ("hdca_3", "dca", 1e-6): 973, ("hdca_2", "hdca", 1e-9): 14539, ("hdca_3", "dca", 1e-9): 3817}
        found = {(r["model"], r["method"], round(r["tolerance"], 12)): r["calls"] for r in rows if r["integrator"] == "ode45"}
        for key, count in counts.items():
            self.assertAlmostEqual(found[key] / count, 1, delta=0.01, msg=key)

    def test_accuracy(self):
        text, rows = self.table("p2-accuracy")
        self.assertIn("10 of 10 demanded rows hold", text)
        at = {(r["model"], r["method"], r["tolerance"]): r for r in rows}
        for model in ("hdca_1", "hdca_2", "hdca_3"):
            hdca, dca = at[model, "hdca", 1e-6], at[model, "dca", 1e-6]
            self.assertLess(12 * hdca["position"], dca["position"])
            self.assertLess(2 * hdca["drift"], dca["drift"])
        # The paper's statement does not hold at every tolerance.
        self.assertGreater(at["hdca_1", "hdca", 1e-5]["drift"], at["hdca_1", "dca", 1e-5]["drift"])

    def test_times(self):
        text, rows = self.table("p2-time")
        self.assertEqual(text.count("machine-dependent"), 3)
        self.assertTrue(all(min(r["call_us"]) > 0 for r in rows))


class FixedPointMap(LabTest):
    """Figure 12 of paper 3: by the norm of q the valid points are scattered, by that of (q, p) they are a region; none is valid where the
    fixed point does not contract."""

    def valid(self, norm):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "12.csv")
            self.lab("map", case("double_four_bar"), "--dt", "0.005", "--method", "hamiltonian", "--integrator", "tr", "--omega", "1", "--norm",
                     norm, "--grid", "alpha=1e6:3.16e8:6:log", "--grid", "xi=1:1e3:16:log", "--csv", path)
            with open(path, encoding="utf-8") as f:
                rows = list(csv.DictReader(f))
        return {(r["alpha"], float(r["xi"])): r["status"] == "ok" and float(r["drift"]) <= 0.125 for r in rows}

    def test_norms(self):
        q, qp = self.valid("q"), self.valid("qp")
        self.assertLess(sum(q.values()), 0.35 * len(q))
        self.assertGreater(sum(qp.values()), 0.5 * len(qp))
        for key, good in [*q.items(), *qp.items()]:
            self.assertFalse(good and key[1] > 200, key)


class NamedMaps(LabTest):
    GRID = ("--grid", "alpha=1e6:3.1622776601683795e8:26:log", "--grid")

    def shard(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "map.csv")
            self.lab("map", *arguments, "--csv", path, "--shard", "77/331")
            with open(path, encoding="utf-8") as f:
                return f.read()

    def test_they_are_the_maps_of_the_paper(self):
        four_bar = (case("double_four_bar"), "--dt", "0.005", "--duration", "10")
        for name, method, integrator, axis, rest in (("p3-fig9", "penalty", "tr", "omega=5:255:51", ()), ("p3-fig10", "al1", "tr", "omega=5:255:51", ()),
                                                     ("p3-fig11", "al1", "nr", "omega=5:255:51", ()),
                                                     ("p3-fig12", "hamiltonian", "tr", "xi=1:1e3:51:log", ()),
                                                     ("p3-fig12-qp", "hamiltonian", "tr", "xi=1:1e3:51:log", ("--norm", "qp")),
                                                     ("p3-fig13", "hamiltonian", "nr", "xi=1:1e5:51:log", ())):
            whole = self.shard(*four_bar, "--method", method, "--integrator", integrator, "--omega", "1", *rest, *self.GRID, axis)
            self.assertEqual(len(whole.splitlines()), 5)
            self.assertEqual(self.shard(name), whole)

    def test_their_parameters_cannot_be_changed(self):
        for more in (("--dt", "0.001"), ("--grid", "xi=1:2:2")):
            self.assertIn(f"p3-fig11: expected options of p3-fig11, found {more[0]}", self.lab("map", "p3-fig11", *more, "--csv", "x", status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
