#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: test_tyre.py ALI3-SIM ALI3D: tyres and brakes, against the magic formula, the closed form of the relaxation, and a fine integration
by RK4: braking to a stop, slip alone and combined, standing on a slope, landing, order, energy, bits, states, methods."""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy

SIM, DAEMON = sys.argv.pop(1), sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
G, CART, HUB, WHEEL, SPIN, RADIUS, ROLLING = 9.81, 40.0, 280.0, 20.0, 1.2, 0.3, 0.295
K, DAMPING, LOAD, C, E, BRAKE_SLIP = 2e5, 2e3, 3000.0, 1.6, 0.2, 0.05
STIFF, RELAX, GRIP, CALM = (20.0, 15.0), (0.2, 0.5), (1.0, 0.9), (400.0, 300.0)
TYRE = f"""{{name: tyre, type: tyre, body_a: ground, body_b: wheel, normal: [0, 0, 2], axle: AXLE, radius: {RADIUS}, rolling_radius: {ROLLING},
       stiffness: {K}, damping: {DAMPING}, load: {LOAD}, slip_stiffness_along: {STIFF[0]}, slip_stiffness_across: {STIFF[1]},
       relaxation_along: {RELAX[0]}, relaxation_across: {RELAX[1]}, grip_along: {GRIP[0]}, grip_across: {GRIP[1]},
       slip_damping_along: {CALM[0]}, slip_damping_across: {CALM[1]}, shape: {C}, curvature: {E}}}"""

BALL = f"{{name: tyre, type: sphere_plane, body_a: ground, body_b: wheel, normal: [0, 0, 1], radius: {RADIUS}, stiffness: {K}}}"


def car(height, speed, rate, brake="type: brake, friction: 3000"):
    """A wheel on a hub that slides up and down on a cart, which slides along x."""
    motion = f"velocity: [{speed}, 0, 0]"
    return f"""
model:
  gravity: [0, 0, {-G}]
  bodies:
    - {{name: cart, mass: {CART}, inertia: [1, 1, 1], position: [0, 0, 0.8], {motion}}}
    - {{name: hub, mass: {HUB}, inertia: [1, 1, 1], position: [0, 0, {height}], {motion}}}
    - {{name: wheel, mass: {WHEEL}, inertia: [0.7, {SPIN}, 0.7], position: [0, 0, {height}], {motion}, angular_velocity: [0, {rate}, 0]}}
  joints:
    - {{name: road, type: prismatic, body_a: ground, body_b: cart, at: [0, 0, 0.8], axis: [1, 0, 0]}}
    - {{name: lift, type: prismatic, body_a: cart, body_b: hub, at: [0, 0, {height}], axis: [0, 0, 1]}}
    - {{name: spin, type: revolute, body_a: hub, body_b: wheel, at: [0, 0, {height}], axis: [0, 1, 0]}}
  forces:
    - {TYRE.replace("AXLE", "[0, 3, 0]")}
    - {{name: brake, joint: spin, slip: {BRAKE_SLIP}, {brake}}}
"""


def rig(speed, slip, angle, load):
    """A wheel that a cart moves and turns: all rates are given."""
    height, axle = RADIUS - load / K, f"[{math.sin(angle)}, {math.cos(angle)}, 0]"
    rate = speed * math.cos(angle) * (1 + slip) / ROLLING
    return f"""
model:
  bodies:
    - {{name: cart, mass: 100, inertia: [1, 1, 1], position: [0, 0, {height}]}}
    - {{name: wheel, mass: 20, inertia: [1, 1, 1], position: [0, 0, {height}]}}
  joints:
    - {{name: road, type: prismatic, body_a: ground, body_b: cart, at: [0, 0, {height}], axis: [1, 0, 0]}}
    - {{name: spin, type: revolute, body_a: cart, body_b: wheel, at: [0, 0, {height}], axis: {axle}}}
  forces:
    - {{name: haul, type: drive, joint: road, speed: {speed}}}
    - {{name: turn, type: drive, joint: spin, speed: {rate}}}
    - {TYRE.replace("AXLE", axle)}
"""


SLOPE = f"""
model:
  gravity: [2.5, 0.8, -9.5]
  bodies:
    - {{name: hub, mass: 300, inertia: [20, 20, 20], position: [0, 0, 0.285]}}
    - {{name: wheel, mass: 20, inertia: [0.6, 1.2, 0.6], position: [0, 0, 0.285]}}
  joints:
    - {{name: guide, type: planar, body_a: ground, body_b: hub, at: [0, 0, 0.285], axis_a: [0, 0, 1], axis_b: [0, 0, 1]}}
    - {{name: spin, type: revolute, body_a: hub, body_b: wheel, at: [0, 0, 0.285], axis: [0, 1, 0]}}
  forces:
    - {TYRE.replace("AXLE", "[0, 1, 0]").replace(f"along: {CALM[0]}", "along: 3000").replace(f"across: {CALM[1]}", "across: 3000")}
    - {{name: brake, type: brake, joint: spin, friction: 3000, slip: 1e-7}}
    - {{name: yaw, type: bushing, body_a: ground, body_b: hub, rotational_stiffness: [0, 0, 1e5], rotational_damping: [0, 0, 1e3]}}
inputs: [{{name: brake, force: brake}}]
"""


def formula(s):
    x = s / C
    return math.sin(C * math.atan((1 - E) * x + E * math.atan(x)))


def steady(load, slip, tangent):
    """Forces along and across at a slip and a tangent of the angle of slip."""
    s = STIFF[0] / GRIP[0] * slip, STIFF[1] / GRIP[1] * tangent
    size = math.hypot(*s)
    return [GRIP[i] * load * formula(size) * s[i] / size for i in (0, 1)]


def fading(load, along, across, rolling):
    """1/s of both deflections."""
    size = math.hypot(STIFF[0] / GRIP[0] * along, STIFF[1] / GRIP[1] * across)
    pace = size / formula(min(size / max(abs(rolling), 1e-300), 1e9)) if size > 1e-8 * abs(rolling) else abs(rolling)
    return [LOAD / (RELAX[i] * load) * pace for i in (0, 1)]


def derivative(y, brake):
    """The derivative of place, speed, height, its rate, rate of the wheel, deflection, heat of the brake."""
    x, v, z, up, w, u, heat = y
    gap = z - RADIUS
    load = max(0.0, -K * gap - DAMPING * up) if gap < 0 else 0.0
    slide, force, change = v - w * ROLLING, 0.0, 0.0
    if load > 0:
        change = -slide - fading(load, slide, 0, v)[0] * u
        force = STIFF[0] * LOAD / RELAX[0] * u + CALM[0] * load / LOAD * change
        force = max(-GRIP[0] * load, min(GRIP[0] * load, force))
    drag = brake * w / math.sqrt(w * w + BRAKE_SLIP**2)
    return (v, force / (CART + HUB + WHEEL), up, load / (HUB + WHEEL) - G, (-force * ROLLING - drag) / SPIN, change, drag * w)


def fine(y, brake, seconds, every, dt=1e-5):
    """By RK4: the states at multiples of `every`. In the air, or beyond the friction, the deflection is what the load allows."""
    y, out, per = list(y), [tuple(y)], round(every / dt)
    for i in range(1, round(seconds / dt) + 1):
        a = derivative(y, brake)
        b = derivative([p + 0.5 * dt * q for p, q in zip(y, a)], brake)
        c = derivative([p + 0.5 * dt * q for p, q in zip(y, b)], brake)
        d = derivative([p + dt * q for p, q in zip(y, c)], brake)
        y = [p + dt / 6 * (q + 2 * r + 2 * s + t) for p, q, r, s, t in zip(y, a, b, c, d)]
        gap = y[2] - RADIUS
        most = GRIP[0] * max(0.0, -K * gap - DAMPING * y[3]) / (STIFF[0] * LOAD / RELAX[0]) if gap < 0 else 0.0
        y[5] = max(-most, min(most, y[5]))
        if i % per == 0:
            out.append(tuple(y))
    return numpy.array(out)


def run(*words):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True)


REST = RADIUS - (HUB + WHEEL) * G / K
STATES = "body.cart.position.x,body.cart.velocity.x,body.hub.position.z,body.hub.velocity.z,joint.spin.velocity"
WAYS = ((), ("--extrapolate",), ("--method", "energy"))


class Tyre(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.inputs = self.folder / "inputs.csv"

    def rows(self, text, *words, signals, brake=None):
        """Numbers of a run, (steps + 1, signals)."""
        model, out = self.folder / "model.yaml", self.folder / "out.csv"
        if isinstance(text, str):
            has_brake = "type: brake" in text and "inputs:" not in text
            model.write_text(text + ("inputs: [{name: brake, force: brake}]\n" if has_brake else ""))
        else:
            model = text
        if brake is not None:
            self.inputs.write_text(f"time,input.brake.value\n0,{brake}\n99,{brake}\n")
            words = ("--inputs", self.inputs, *words)
        done = run(SIM, model, "--signals", signals, "--output", out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, encoding="utf-8") as f:
            head, *rows = csv.reader(f)
        names = head if "*" in signals else signals.split(",")
        return numpy.array(rows, dtype=float)[:, [head.index(n) for n in names]]

    def test_steady_slip(self):
        """Slip along, across and both, driving and braking, at three loads: the magic formula, to rounding."""
        for load in (1500, 3000, 6000):
            for slip in (-1, -0.4, -0.05, 0, 0.02, 0.3, 2):
                for angle in (-0.3, 0, 0.01, 0.08):
                    if slip == 0 and angle == 0:
                        continue
                    x = self.rows(rig(15, slip, angle, load), "--dt", 0.01, "--duration", 4, signals="force.tyre.value,force.tyre.along,"
                                  "force.tyre.across,force.tyre.slip,force.tyre.slip_angle")[-1]
                    along, across = steady(load, slip, -math.tan(angle))
                    for have, want in zip(x, (load, along, across, slip, -angle)):
                        self.assertAlmostEqual(have, want, delta=1e-8 * max(1, abs(want)), msg=(load, slip, angle))

    def test_relaxation(self):
        """After a step of the slip from rest, both forces approach the formula exponentially, over the way relaxation Fz/load."""
        for load, slip, angle in ((3000, 0, 1e-4), (6000, 0, 0.02), (2000, -0.03, 0.05)):
            speed, worst = 10.0, []
            for dt in (0.002, 0.001):
                x = self.rows(rig(speed, slip, angle, load), "--dt", dt, "--duration", 0.2, signals="force.tyre.along,force.tyre.across")
                time = dt * numpy.arange(len(x))
                rolling = speed * math.cos(angle)
                r = fading(load, -slip * rolling, speed * math.sin(angle), rolling)
                if abs(angle) < 1e-3:
                    self.assertAlmostEqual(r[1], speed / (RELAX[1] * load / LOAD), delta=1e-4 * r[1])
                off = 0.0
                for i, end in enumerate(steady(load, slip, -math.tan(angle))):
                    if end == 0:
                        continue
                    d = CALM[i] * load / LOAD * r[i] / (STIFF[i] * LOAD / RELAX[i])  # the damping of u' leads
                    off = max(off, numpy.abs(x[1:, i] / end - (1 - (1 - d) * numpy.exp(-r[i] * time[1:]))).max())
                worst.append(off)
            self.assertLess(worst[0], 2e-3)
            self.assertGreater(worst[0] / worst[1], 3.6)

    def test_braking(self):
        """From 20 m/s to a stop, with a wheel that rolls and with one that locks, against RK4 of 1e-5 s."""
        for brake, seconds in ((700.0, 3.3), (1500.0, 3.6)):
            want = fine((0, 20.0, REST, 0, 20 / ROLLING, 0, 0), brake, seconds, 0.1)
            self.assertLess(abs(want[-1, 1]), 0.5)
            for dt, within in ((0.01, 0.06), (0.002, 0.012)):
                every = round(0.1 / dt)
                x = self.rows(car(REST, 20, 20 / ROLLING), "--dt", dt, "--duration", seconds, "--iterations", 5, signals=STATES, brake=brake)[::every]
                self.assertLess(numpy.abs(x[:, 0] - want[:, 0]).max(), within, msg=(brake, dt))
                self.assertLess(numpy.abs(x[:-4, 1] - want[:-4, 1]).max(), within, msg=(brake, dt))
                self.assertLess(abs(x[8, 4] - want[8, 4]), within / ROLLING, msg=(brake, dt))

    def test_landing(self):
        """A wheel that does not turn falls on the road at 10 m/s, spins up and bounces. In the air nothing acts, and the tread is free."""
        want = fine((0, 10.0, 0.4, 0, 0, 0, 0), 0.0, 0.6, 0.05)
        self.assertGreater(want[-1, 4], 20)
        for words in WAYS:
            x = self.rows(car(0.4, 10, 0), "--dt", 0.001, "--duration", 0.6, *words, signals=STATES)[::50]
            self.assertLess(numpy.abs(x[:, [0, 2]] - want[:, [0, 2]]).max(), 1e-3, msg=words)
            self.assertLess(numpy.abs(x[:, 1] - want[:, 1]).max(), 1e-2, msg=words)
            self.assertLess(numpy.abs(x[:, 4] - want[:, 4]).max(), 0.3, msg=words)
            y = self.rows(car(0.4, 10, 0), "--dt", 0.01, "--duration", 3, *words, signals="force.tyre.gap,force.tyre.value,force.tyre.along,force.tyre.closed")
            air = y[:, 0] > 0
            self.assertTrue(5 < air.sum() < len(y) - 50)
            self.assertTrue((y[air][:, 1:] == 0).all())
            self.assertTrue((y[:, 1] >= 0).all())

    def test_order(self):
        """Braking without a corner converges with the order of each method."""
        want = fine((0, 20.0, REST, 0, 20 / ROLLING, 0, 0), 500.0, 0.1, 0.1, 5e-6)[-1]
        scale = numpy.array([1, 1, 1, 1, 10])
        for words, order in (((), 2), (("--extrapolate",), 4), (("--method", "energy"), 2)):
            off = [(numpy.abs(self.rows(car(REST, 20, 20 / ROLLING), "--dt", dt, "--duration", 0.1, "--iterations", 6, *words, signals=STATES,
                                        brake=500)[-1] - want[:5]) / scale).max() for dt in (0.005, 0.0025, 0.00125)]
            with self.subTest(words=words, off=off):
                self.assertLess(off[1], 1e-3)
                for coarse, finer in zip(off, off[1:]):
                    self.assertGreater(math.log2(coarse / finer), order - 0.3)

    def test_energy(self):
        """total + lost falls by the heat of the brake alone, lost never falls, and the report has it."""
        signals = "energy.total,force.tyre.lost,joint.spin.velocity,energy.kinetic"
        for words in WAYS:
            off = []
            for dt in (0.002, 0.001):
                x = self.rows(car(REST, 20, 20 / ROLLING), "--dt", dt, "--duration", 0.5, "--iterations", 5, *words, signals=signals, brake=600)
                heat = 600 * x[:, 2] ** 2 / numpy.sqrt(x[:, 2] ** 2 + BRAKE_SLIP**2)
                heat = dt * (heat.sum() - 0.5 * (heat[0] + heat[-1]))
                off.append(abs(x[-1, 0] - x[0, 0] + x[-1, 1] + heat))
                self.assertGreater(x[-1, 1], 300)
                self.assertGreaterEqual(numpy.diff(x[:, 1]).min(), 0)
            self.assertLess(off[0], 2.0)
            self.assertLess(off[1], max(0.4 * off[0], 1e-3))
            off = []
            for dt in (0.002, 0.0005):  # a landing without a brake
                x = self.rows(car(0.4, 10, 0), "--dt", dt, "--duration", 0.6, *words, signals=signals)
                self.assertGreaterEqual(numpy.diff(x[:, 1]).min(), -1e-9)
                self.assertGreater(x[-1, 1], 100)
                off.append(abs(x[-1, 0] - x[0, 0] + x[-1, 1]))
            self.assertLess(off[0], 5.0)
            self.assertLess(off[1], 0.5 * off[0])
        energy = json.loads(run(SIM, self.folder / "model.yaml", "--duration", 0.6, "--summary", "-").stdout)["energy"]
        self.assertGreater(energy["lost"], 100)

    def test_parked(self):
        """On a slope, with the brake on, for 60 s: the tread holds what gravity asks, and the wheel does not creep."""
        for words in WAYS:
            x = self.rows(SLOPE, "--dt", 0.01, "--duration", 60, *words, brake=2000, signals="body.hub.position.x,body.hub.position.y,"
                          "force.tyre.along,force.tyre.across,force.tyre.value")
            drift = (x[-1, :2] - x[1000, :2]) / 50
            self.assertLess(numpy.abs(drift).max(), 1e-8, msg=words)
            for have, want in zip(x[-1, 2:], (-320 * 2.5, -320 * 0.8, 200000 * 0.015)):
                self.assertAlmostEqual(have, want, delta=1e-6)
            held = numpy.array([320 * 2.5 / (STIFF[0] * LOAD / RELAX[0]), 320 * 0.8 / (STIFF[1] * LOAD / RELAX[1])])
            self.assertGreater((x[-1, :2] / held).min(), 0.9)
            self.assertLess((x[-1, :2] / held).max(), 4)  # it swings before it rests
        slides = self.rows(SLOPE.replace("2.5, 0.8", "8.9, 0.8"), "--dt", 0.01, "--duration", 5, brake=3000, signals="body.hub.velocity.x,force.tyre.along")
        self.assertGreater(slides[-1, 0], 5)
        self.assertLess(abs(slides[-1, 1]), 3000)

    def test_coarse_steps(self):
        """10 ms steps at 1 to 100 m/s: no step is degraded, and neither wheel nor force rings."""
        for speed in (2, 10, 40, 100):
            for words in WAYS:
                x = self.rows(car(REST, speed, speed / ROLLING), "--dt", 0.01, "--duration", 0.5, "--iterations", 5, *words, brake=200,
                              signals="joint.spin.velocity,force.tyre.along")
                self.assertLess(numpy.abs(numpy.diff(x[25:, 1], 2)).max(), 30, msg=(speed, words))
                self.assertLess(abs(x[-1, 1] + 200 / ROLLING), 60, msg=(speed, words))

    def test_hard_braking(self):
        """The car of the models brakes until its wheels lock within a few steps of 10 ms: every step converges, extrapolated ones, too."""
        table = self.folder / "braking.csv"
        wheels = ("front_left", "front_right", "rear_left", "rear_right")
        names = [f"input.motor_{side}.value" for side in ("left", "right")] + [f"input.brake_{wheel}.value" for wheel in wheels]
        rows = [(0, 600, 600, 0, 0, 0, 0), (5, 600, 600, 0, 0, 0, 0), (5.1, 0, 0, 0, 0, 0, 0), (6, 0, 0, 0, 0, 0, 0), (6.2, 0, 0, 2000, 2000, 1000, 1000),
                (20, 0, 0, 2000, 2000, 1000, 1000)]
        table.write_text(",".join(["time", *names]) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        for words in WAYS:
            done = run(SIM, ROOT / "config" / "models" / "braked_car.yaml", "--inputs", table, "--duration", 9, "--dt", 0.01, *words, "--summary", "-", "--quantities",
                       "joint.hub_front_left.velocity,body.chassis.velocity.x")
            summary = json.loads(done.stdout)
            self.assertEqual((summary["outcome"], summary["degraded_steps"]), ("ok", 0), msg=words)
            self.assertGreater(summary["quantities"]["joint.hub_front_left.velocity"]["max"], 50)
            self.assertLess(abs(summary["quantities"]["joint.hub_front_left.velocity"]["final"]), 1e-3)

    def test_brake(self):
        """A brake acts as a friction of the same torque, from the first step on; an input beyond its limits is limited; without one it is open."""
        signals = STATES + ",force.brake.value,force.tyre.lost"
        for words in (*WAYS, ("--method", "rk4")):
            text = car(REST, 20, 20 / ROLLING)
            if "rk4" in words:
                text = text.replace(TYRE.replace("AXLE", "[0, 3, 0]"), BALL)
            names = signals.replace(",force.tyre.lost", "") if "rk4" in words else signals
            common = ("--dt", 5e-5 if "rk4" in words else 1e-3, "--duration", 0.2, *words)
            friction = text.replace("type: brake, friction: 3000", "type: friction, friction: 600")
            want = self.rows(friction, *common, signals=names)
            self.assertTrue(numpy.allclose(self.rows(text, *common, signals=names, brake=600)[1:], want[1:], rtol=1e-6, atol=5e-6), msg=words)
            most = self.rows(friction.replace("friction: 600", "friction: 3000"), *common, signals=names)
            self.assertTrue(numpy.allclose(self.rows(text, *common, signals=names, brake=1e9)[1:], most[1:], rtol=1e-3, atol=1e-4), msg=words)
            free = self.rows(text, *common, signals=names)
            self.assertTrue((self.rows(text, *common, signals=names, brake=-5) == free).all())
            self.assertTrue((free[:, 5] == 0).all())

    def test_bits(self):
        """0 to 3 workers, and a run from a saved state, have equal bits."""
        state, every = self.folder / "state", "force.*,joint.*,energy.*"
        for words in WAYS:
            whole = self.rows(SLOPE, "--duration", 2, "--dt", 0.01, *words, brake=700, signals=every)
            for workers in (1, 2, 3):
                self.assertTrue((self.rows(SLOPE, "--duration", 2, "--dt", 0.01, "--workers", workers, *words, brake=700, signals=every) == whole).all())
            self.rows(SLOPE, "--duration", 1, "--dt", 0.01, "--state-out", state, *words, brake=700, signals=every)
            later = self.rows(SLOPE, "--inputs-time", "simulated", "--duration", 1, "--dt", 0.01, "--state-in", state, *words, brake=700, signals=every)
            self.assertTrue((later[1:] == whole[101:]).all())

    def test_refused(self):
        """Explicit methods name the reason; a brake is no input of the linear system, which has the radial spring."""
        model = self.folder / "model.yaml"
        model.write_text(SLOPE)
        done = run(SIM, model, "--method", "rk4")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the method rk4 cannot follow the oil of cylinders, the current of motors and the tread of tyres, and force 'tyre' is of "
                      "type tyre; choose the method ali3 or energy", done.stderr)
        done = run(SIM, model, "--linearise", self.folder / "x.npz", "--from", "brake", "--to", "body.hub.position.x")
        self.assertEqual(done.returncode, 1)
        self.assertIn('force "brake" is a brake, whose force depends on the direction of the rate: expected a motor or a drive', done.stderr)
        model.write_text(car(REST, 0, 0) + "inputs: [{name: push, body: hub}]\n")
        out = self.folder / "x.json"
        done = run(SIM, model, "--linearise", out, "--from", "push.force.x", "--to", "body.hub.position.z")
        self.assertEqual(done.returncode, 0, done.stderr)
        poles = numpy.array(json.loads(out.read_text())["poles"])
        # up and down
        mass = HUB + WHEEL
        sigma, omega = DAMPING / (2 * mass), math.sqrt(K / mass - (DAMPING / (2 * mass)) ** 2)
        self.assertLess(min(abs(p[0] + sigma) + abs(p[1] - omega) for p in poles), 1e-4)


if __name__ == "__main__":
    unittest.main()
