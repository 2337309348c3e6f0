#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: reference.py ALI3-LINK FMUS FMPY [FMI-2-FMUS]: the reference FMUs of the Modelica Association as participants of ali3-link,
beside FMPy.

FMUS has BouncingBall.fmu, Dahlquist.fmu, Feedthrough.fmu, Stair.fmu and VanDerPol.fmu, built from
https://github.com/modelica/Reference-FMUs; FMPY is the folder with the package fmpy. Both are for checking only. It also couples two
FMUs of ali3-fmu, which is beside ALI3-LINK, and compares with a loop of FMPy. Prints the largest difference of every output, and ends
with status 1 if one is above 1e-12."""
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
                       "wires": [{"from": w[0], "to": w[1], "scale": w[2] if len(w) > 2 else 1} for w in wires], "patience": 60}, f)
        done = subprocess.run([LINK, file, "--steps", str(steps), "--record", out], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{folder}: {done.stderr}")
        with open(out, encoding="utf-8") as f:
            return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(f)]


def coupled_in_fmpy(files, outputs, inputs, scale, step, steps):
    """Two FMUs in a loop of FMPy, with the exchange of jacobi: both get the output of the other after the last step, times scale."""
    folders = [fmpy.extract(f) for f in files]
    about = [fmpy.read_model_description(f) for f in files]
    run = [fmpy.instantiate_fmu(folder, a, "CoSimulation") for folder, a in zip(folders, about)]
    reference = [{v.name: v.valueReference for v in a.modelVariables} for a in about]
    get, put = ("getFloat64", "setFloat64") if about[0].fmiVersion.startswith("3") else ("getReal", "setReal")
    for i in run:
        if put == "setReal":
            i.setupExperiment()
        i.enterInitializationMode()
        i.exitInitializationMode()
    rows, last, t = [], [None, None], 0.0
    for _ in range(steps):
        for k, i in enumerate(run):
            getattr(i, put)([reference[k][inputs[k]]], [0.0 if last[1 - k] is None else scale * last[1 - k] + 0.0])
            i.doStep(currentCommunicationPoint=t, communicationStepSize=step)
        last = [getattr(i, get)([reference[k][outputs[k]]])[0] for k, i in enumerate(run)]
        rows.append(last)
        t += step
    return rows


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
# Two of our own, coupled: the carts of two-machines.md.
guides = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config", "guides")
with tempfile.TemporaryDirectory() as at:
    for version in ("3", "2"):
        files = [os.path.join(at, f"{name}{version}.fmu") for name in ("left", "right")]
        for name, file in zip(("left", "right"), files):
            subprocess.run([os.path.join(os.path.dirname(LINK), "ali3-fmu"), "export", os.path.join(guides, f"two-{name}.yaml"), file, "--fmi",
                            version], check=True, capture_output=True)
        position, other = "joint.rail.position", "input.other.value"
        rows = link(at, {"left": (files[0], {}), "right": (files[1], {})},
                    [(f"left.{position}", f"right.{other}", 20), (f"right.{position}", f"left.{other}", 20)], 1000)
        want = coupled_in_fmpy(files, [position] * 2, [other] * 2, 20.0, 0.01, 1000)
        report(f"two carts, FMI {version}.0, 1000 steps", max(abs(row[f"{n}.{position}"] - w[k]) for row, w in zip(rows, want)
                                                              for k, n in enumerate(("left", "right"))))
sys.exit(worst > 1e-12)
