# SPDX-License-Identifier: MIT
"""Shared by the tests of ali3-link: daemons in lockstep, and a case that writes LINK.yaml and runs the program."""
import json
import os
import subprocess
import tempfile
import unittest

import bench

STEPS = 100


def cart(mass=1.0, speed=0.3):
    """A pole on a cart."""
    return {"name": "cart", "gravity": [0, 0, -9.81],
            "bodies": [{"name": "cart", "mass": mass, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 0]},
                       {"name": "pole", "mass": 0.2, "inertia": [0.017, 0.017, 0.001], "position": [0, 0, -0.5],
                        "angular_velocity": [0, speed, 0], "velocity": [-0.5 * speed, 0, 0]}],
            "joints": [{"name": "rail", "type": "prismatic", "body_a": "ground", "body_b": "cart", "at": [0, 0, 0], "axis": [1, 0, 0]},
                       {"name": "pivot", "type": "revolute", "body_a": "cart", "body_b": "pole", "at": [0, 0, 0], "axis": [0, 1, 0]}],
            "forces": [{"name": "motor", "type": "motor", "joint": "rail"}]}


def daemon(model, inputs=("motor",), period=0.01, **changes):
    return bench.Daemon(model=model, cycle={"clock": "lockstep", "warmup": 1, "period": period},
                        inputs=[{"name": name, "force": name, "policy": "hold"} for name in inputs], **changes)


WIRES = [{"from": "a.joint.rail.position", "to": "b.input.motor", "scale": -30},
         {"from": "b.joint.pivot.position", "to": "a.input.motor", "scale": 5, "offset": 0.25}]


def children(pid):
    """Processes that a process has started."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def file(self, daemons, wires=None, ports=None, **keys):
        """LINK.yaml of {name: Daemon, or the keys of an FMU}; ports in place of theirs."""
        participants = {name: d if isinstance(d, dict) else
                        {"osc": f"127.0.0.1:{(ports or {}).get(name, d.osc_port)}", "config": d.config} for name, d in daemons.items()}
        path = os.path.join(self.dir.name, "link.yaml")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"participants": participants, "wires": WIRES if wires is None else wires, "patience": bench.PATIENCE, **keys}, f,
                      indent=1)
        return path

    @staticmethod
    def start(*arguments):
        return subprocess.Popen([bench.program("ali3-link"), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        out, errors = process.communicate(timeout=bench.PATIENCE)
        return process.returncode, out, errors

    def link(self, *arguments):
        return self.finish(self.start(*arguments))

    def rows(self, file, steps=STEPS, **options):
        """The lines of a recording."""
        record = os.path.join(self.dir.name, "values.csv")
        status, out, errors = self.link(file, "--steps", str(steps), "--record", record, **options)
        self.assertEqual(status, 0, errors)
        self.assertIn(f"{steps} communication steps", out)
        with open(record, encoding="utf-8") as f:
            return f.read().splitlines()
