#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: reference.py ALI3-LINK FMUS FMPY [FMI-2-FMUS]: the reference FMUs of the Modelica Association as participants of ali3-link,
beside FMPy.

FMUS has BouncingBall.fmu, Dahlquist.fmu, Feedthrough.fmu, Stair.fmu and VanDerPol.fmu, built from
https://github.com/modelica/Reference-FMUs; FMPY is the folder with the package fmpy. Both are for checking only. Prints the largest
difference of every output, and ends with status 1 if one is above 1e-12."""
import csv
import json
import os
import subprocess
import sys
import tempfile

LINK, FOLDERS = sys.argv[1], [sys.argv[2], *sys.argv[4:]]
sys.path.insert(0, sys.argv[3])
import fmpy  # noqa: E402

# Outputs, their receivers in Feedthrough, the step and the number of steps.
CASES = {"BouncingBall": (["h", "v"], "Float64_continuous_input", 0.01, 300), "VanDerPol": (["x0", "x1"], "Float64_continuous_input", 0.01, 2000),
         "Dahlquist": (["x"], "Float64_continuous_input", 0.1, 100), "Stair": (["counter"], "Int32_input", 0.2, 44)}
worst = 0.0


def link(folder, participants, wires, steps):
    """Rows of values on the wires."""
    with tempfile.TemporaryDirectory() as at:
        file, out = os.path.join(at, "link.yaml"), os.path.join(at, "out.csv")
        with open(file, "w", encoding="utf-8") as f:
            json.dump({"participants": {name: {"fmu": os.path.abspath(os.path.join(folder, fmu)), **keys}
                                        for name, (fmu, keys) in participants.items()},
                       "wires": [{"from": a, "to": b, "scale": 1} for a, b in wires], "patience": 60}, f)
        done = subprocess.run([LINK, file, "--steps", str(steps), "--record", out], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{folder}: {done.stderr}")
        with open(out, encoding="utf-8") as f:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]


def report(what, difference):
    global worst
    worst = max(worst, difference)
    print(f"{what}: {difference:.3g}")


for folder in FOLDERS:
    for name, (outputs, receiver, step, steps) in CASES.items():
        parts = {"it": (name + ".fmu", {"step": step}), **{f"sink{i}": ("Feedthrough.fmu", {"step": step}) for i in range(len(outputs))}}
        rows = link(folder, parts, [(f"it.{o}", f"sink{i}.{receiver}") for i, o in enumerate(outputs)], steps)
        want = fmpy.simulate_fmu(os.path.join(folder, name + ".fmu"), fmi_type="CoSimulation", stop_time=steps * step, output_interval=step,
                                 output=outputs)
        for o in outputs:
            report(f"{folder}: {name}.{o}, {steps} steps",
                   max(abs(float(want[o][k + 1]) - row[f"it.{o}"]) for k, row in enumerate(rows)))
    # Every type goes through an input and an output, and arrives two steps later.
    types = [v.name[:-len("_input")] for v in fmpy.read_model_description(os.path.join(folder, "Feedthrough.fmu")).modelVariables
             if v.causality == "input" and not v.name.startswith(("String", "Binary", "Enumeration"))]
    rows = link(folder, {"source": ("Stair.fmu", {"step": 0.2}), "a": ("Feedthrough.fmu", {"step": 0.2}), "b": ("Feedthrough.fmu", {"step": 0.2})},
                [("source.counter", "a.Int32_input"), *((f"a.{t}_output", f"b.{t}_input") for t in types),
                 *((f"b.{t}_output", f"a.{t}_input") for t in types if t not in ("Int32", "Boolean"))], 20)
    moved = [row["a.Int32_output"] for row in rows]
    report(f"{folder}: Feedthrough, {len(types)} types", max(abs(a - b["source.counter"]) for a, b in zip(moved[1:], rows)))
sys.exit(worst > 1e-12)
