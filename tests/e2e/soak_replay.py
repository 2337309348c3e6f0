#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: soak_replay.py BIN: the demo under each policy of a late cycle. The recordings of both daemons have commands, e-stops,
injected faults, misses, a reload, parameters, and states that were saved and loaded. ali3-replay finds the same bits from the
start and from every state, with 0 and 3 workers, and finds one wrong bit of an input in its cycle."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import bench
import yaml
from demo_parts.course import Driver
from test_record import PYTHON, Recorder, need_h5py

DEMO = os.path.join(bench.ROOT, "config", "demo")
MOST_MISSES = {"skip": 0, "catch_up": 0, "slip": 0, "stop": 2}  # of each overrun policy
TICK = 0.01  # s, of the driver
STEPPED, TUNED, LOADED = 1, 4, 8  # actions
FLIP = """import sys, h5py, numpy
f = h5py.File(sys.argv[1], "r+")
d, a = f["replay/inputs"], f["replay/action"][()]
k = max(range(d.shape[1]), key=lambda k: len(set(d[:, k])))
n = numpy.flatnonzero((d[:, k] != 0) & (a == 1))
n = int(n[len(n) // 2])
row = d[n]
row.view(numpy.uint64)[k] ^= numpy.uint64(1)
d[n] = row
print(f["replay/cycle"][n])"""
CONTENT = """import collections, json, sys, h5py
f = h5py.File(sys.argv[1])
cycle, kinds = f["frames/cycle"][()], collections.Counter(f["events"][()]["kind"].tolist())
print(json.dumps({"rows": len(cycle), "states": [int(k) - int(cycle[0]) for k in f["state/cycle"][()]], "events": sorted(kinds.items()),
                  "actions": sorted(set(f["frames/action"][()].tolist()))}))"""


def sections(name):
    """The sections of a file of the demo, for bench.Daemon."""
    with open(os.path.join(DEMO, name + ".yaml"), encoding="utf-8") as f:
        config = yaml.safe_load(f)
    config["model"]["file"] = os.path.normpath(os.path.join(DEMO, config["model"]["file"]))
    for key in ("telemetry", "modbus", "realtime"):
        config.pop(key, None)
    config["osc"].pop("port")
    return config


def run(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=bench.PATIENCE, check=False)
    return done.returncode, done.stdout + done.stderr


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_h5py()

    def begin(self, name, policy, noisy, **more):
        config = sections(name)
        config.update(more)
        cycle = {"autostart": name != "car", "overrun": policy, "max_misses": MOST_MISSES[policy]}
        if policy == "catch_up":
            config.pop("platform", None)
            config["osc"].pop("map", None)
        d = bench.Daemon(cycle=cycle, state={"every": 0}, record={"min_free": 0, "when": "always"}, telemetry={"frames": 20},
                         injections=[{"name": "noisy", "input": noisy, "kind": "noise", "amplitude": 1e-3}],
                         **{key: value for key, value in config.items() if key != "cycle"})
        self.addCleanup(d.__exit__)
        d.__enter__()
        client = bench.OscClient(d.osc_port, config["osc"].get("prefix", "/ali3"))
        self.addCleanup(client.close)
        return d, client

    def send(self, client, address, types, *arguments):
        client.send(bench.osc_message(f"{client.prefix}/{address}", types, *arguments))

    def ask(self, client, address, types, *arguments):
        self.send(client, address, types + "i", *arguments, 77)
        answer = client.answer(f"{client.prefix}/ack")
        while answer[1] != 77:
            answer = client.answer(f"{client.prefix}/ack")
        self.assertEqual(answer[2], 0, f"{address} {arguments}")

    def drive(self, seconds):
        """The course of the demo; the platform follows, and so does the second daemon."""
        end = self.course + seconds
        while self.course < end:
            steering, throttle = self.driver.act(self.course, 1e9, 5.0)
            for name, value in (("steering", steering), ("throttle", throttle)):
                self.send(self.car[1], f"in/{name}", "f", value)
            if self.policy == "catch_up":  # the lengths of the legs come from here
                for k in range(6):
                    self.send(self.base[1], f"in/leg_{k + 1}", "f", 0.8 + 0.2 * steering)
            self.course += TICK
            time.sleep(TICK)

    def reload(self, d, change):
        with open(d.config, encoding="utf-8") as f:
            config = json.load(f)
        change(config)
        d.file("bench.json", json.dumps(config))
        said = len(d.said())
        d.process.send_signal(signal.SIGHUP)
        bench.wait_for(lambda: f"the reload; the log:\n{d.said()[-2000:]}", lambda: ": changed: " in d.said()[said:])

    def change_car(self, config):
        config["inputs"][0]["limit"] = 0.4
        config["solver"]["iterations"] = 4
        if "platform" in config:
            config["platform"]["hp_wn"] = [3, 3, 4]

    def hold_up(self, d, client):
        d.process.send_signal(signal.SIGSTOP)
        time.sleep(0.08)
        d.process.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        if d.watch()["state"] == "SAFE":  # the policy stop
            bench.run_again(lambda name: client.command(name, 10))

    def incidents(self):
        """Everything that a recording can hold, in both daemons."""
        for number, (d, client) in enumerate((self.car, self.base)):
            # An injected fault, a pause with a saved state, a miss.
            for on in (1, 0):
                self.send(client, "inject", "sii", "noisy", on, 40 + on)
                self.drive(1)
            client.command("pause", 2)
            self.drive(0.3)
            self.ask(client, "state/save", "s", "here")
            client.command("run", 3)
            self.hold_up(d, client)
            self.drive(2)
            # Parameters: at once, over a time, and of the platform.
            self.ask(client, "param/set", "sd", ("body.chassis.mass", "body.platform.mass")[number], (930.0, 120.0)[number])
            self.send(client, "param/set", "sddi", ("force.spring_front_left.damping", "body.platform.mass")[number],
                      (1900.0, 130.0)[number], 0.5, 5)
            self.drive(1)
            if number == 0 and self.policy != "catch_up":
                for k, (name, value) in enumerate((("blend", 0.3), ("gain_lin.x", 0.4), ("vel_max.x", 0.4))):
                    self.send(client, "cmd/platform", "sdi", name, value, 50 + k)
                self.drive(1)
            # An e-stop, a reload, a loaded state.
            self.send(client, "cmd/estop", "i", 20)
            bench.wait_for("SAFE", lambda watched=d: watched.watch()["state"] == "SAFE")
            bench.run_again(lambda name, asked=client: asked.command(name, 21))
            self.drive(2)
            self.reload(d, (self.change_car, lambda config: config["inputs"][0].update(upper=0.99))[number])
            self.drive(1)
            client.command("pause", 4)
            self.drive(0.3)
            self.ask(client, "state/save", "s", "there")
            client.command("run", 5)
            self.drive(1)
            client.command("pause", 6)
            self.drive(0.3)
            self.ask(client, "state/load", "s", "there")
            client.command("run", 7)
            self.drive(1)

    def check_same(self, name, *arguments):
        status, said = run(bench.program("ali3-replay"), *arguments)
        self.assertEqual(status, 0, f"{name} {self.policy} {arguments}: {said}")
        return re.search(r"the same bits: (.*)", said).group(1)

    def check_recording(self, name, file, misses):
        got = json.loads(run(PYTHON, "-c", CONTENT, file)[1])
        self.assertGreater(misses, 0)
        self.assertLessEqual({STEPPED, STEPPED | TUNED, LOADED}, set(got["actions"]))
        whole = {self.check_same(name, file, "--workers", str(workers)) for workers in (0, 3)}
        self.assertEqual(len(whole), 1)
        for k in got["states"]:
            if 0 <= k < got["rows"] - 2:
                self.check_same(name, file, "--from", str((k + 1) * 0.01 + 0.001), "--workers", "3")
        wrong = file + ".wrong"
        shutil.copy(file, wrong)
        status, cycle = run(PYTHON, "-c", FLIP, wrong)
        self.assertEqual(status, 0, cycle)
        status, said = run(bench.program("ali3-replay"), wrong)
        self.assertEqual(status, 1, said)
        self.assertIn(f"different from cycle {cycle.strip()} on, in ", said)
        print(f"{self.policy}, {name}: {whole.pop()}, {len(got['states'])} states, {misses} misses, actions {got['actions']}, events "
              f"{got['events']}; one bit found in cycle {cycle.strip()}", flush=True)

    def check_policy(self, policy):
        self.policy, self.course, self.driver = policy, 0.0, Driver(1)
        # Both daemons, and their recorders.
        self.base = self.begin("motion-base", policy, "leg_1")
        target = {"host": "127.0.0.1", "port": self.base[0].osc_port, "stream": "out", "profile": "d"}
        self.car = self.begin("car", policy, "steering", osc=dict(sections("car")["osc"], targets=[target]))
        both = {"car": self.car[0], "motion-base": self.base[0]}
        files = {name: os.path.join(d.dir, "run.h5") for name, d in both.items()}
        recorders = [Recorder("--once", files[name], "--before", "60", d.name) for name, d in both.items()]
        for file in files.values():
            bench.wait_for("the recorder", lambda name=file: os.path.exists(name + ".part"))
        # The run.
        for name in ("arm", "run"):
            self.assertEqual(self.car[1].command(name, 1), 0)
        self.drive(7)
        self.incidents()
        misses = {name: d.watch()["misses"] for name, d in both.items()}
        for d in both.values():
            d.process.terminate()
        for d, r in zip(both.values(), recorders):
            self.assertEqual(d.finish(60), 0)
            self.assertEqual(r.finish(60), 0, r.said)
        for name, file in files.items():
            self.check_recording(name, file, misses[name])

    def test_skip(self):
        self.check_policy("skip")

    def test_catch_up(self):
        """A platform does not allow this policy: the car drives without one."""
        self.check_policy("catch_up")

    def test_slip(self):
        self.check_policy("slip")

    def test_stop(self):
        self.check_policy("stop")


bench.main()
