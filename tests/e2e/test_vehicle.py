#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""config/models/vehicle.yaml compared with formulas for a car: rest, acceleration, a circle by Ackermann, braking; and a
random driver: the car neither falls over nor gets energy from nowhere."""
import math
import random
import unittest

import bench
from lockstep import Lockstep

GRAVITY, MASS, RADIUS = 9.81, 1067.0, 0.3  # m/s^2, kg, m: radius of the tyres
SPIN = 4 * 0.9 + 0.05                      # kg m^2 about the axles: wheels, case
FRONT, REAR, KINGPIN, TRACK = 1.2, -1.3, 0.65, 1.44  # m, from the centre of the chassis: axles; half of, and all of their width
ARM, LEVER = (-0.1451734, 0.0377451), 0.1451734      # m, of the uprights and of the steering
RESISTANCE, DRAG = 35.0, 16.0              # N m, N m s/rad on the rear axle
SOLVER = {"iterations": 5}  # as in the files


def car():
    return Lockstep("vehicle", {"steering": {"limit": 0.5}, "throttle": {"limit": 1200}}, solver=SOLVER)


def turned(q, v):
    """From body to world axes."""
    t = [2 * x for x in cross(q[1:], v)]
    return [a + q[0] * b + c for a, b, c in zip(v, t, cross(q[1:], t))]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class State:
    """The values of a frame that the tests use."""

    def __init__(self, frame):
        self.t, q = frame["time"], frame["sensor/chassis/orientation"]
        self.position, self.velocity = frame["sensor/chassis/position"], frame["sensor/chassis/velocity"]
        self.turning, self.felt = frame["sensor/chassis/angular_velocity"], frame["sensor/head/specific_force"]
        self.ahead, self.up = turned(q, (1, 0, 0)), turned(q, (0, 0, 1))
        self.speed = sum(a * b for a, b in zip(self.velocity, self.ahead))
        self.rear = [a + REAR * b for a, b in zip(self.position, self.ahead)]  # above the middle of the rear axle
        self.energy, self.shaft = frame["energy/total"][0], frame["joint/drive_shaft/velocity"][0]
        self.load = sum(frame[f"force/tyre_{w}/value"][0] for w in ("front_left", "front_right", "rear_left", "rear_right"))
        self.wheels = [self.shaft + frame[f"joint/hub_rear_{side}/velocity"][0] for side in ("left", "right")]
        self.steering = [frame[f"force/steering/{x}"][0] for x in ("value", "position")]


def states(frames):
    return [State(f) for f in frames]


def wheel_angle(lever, side):
    """Angle of an upright (side 1 left, -1 right) where the tie rod from the lever has its length: by bisection."""
    def rod(lever, angle):
        x = FRONT + ARM[0] * math.cos(angle) + side * ARM[1] * math.sin(angle)
        y = side * KINGPIN + ARM[0] * math.sin(angle) - side * ARM[1] * math.cos(angle)
        return math.dist((x, y), (FRONT - LEVER * math.cos(lever), -LEVER * math.sin(lever)))
    wanted, low, high = rod(0, 0), lever - 0.3, lever + 0.3
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (rod(lever, middle) - wanted) * (rod(lever, low) - wanted) > 0:
            low = middle
        else:
            high = middle
    return low


def circle(points):
    """Radius of the circle through three points, above 0 to the left."""
    (ax, ay), (bx, by), (cx, cy) = [p[:2] for p in points]
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    return math.dist((ax, ay), (bx, by)) * math.dist((bx, by), (cx, cy)) * math.dist((ax, ay), (cx, cy)) / (2 * area)


def hold_speed(rig, wanted, seconds, steering):
    """A driver who holds a speed: the states, one every 0.05 s."""
    out, torque = [], RESISTANCE + DRAG * wanted / RADIUS
    for _ in range(round(seconds / 0.05)):
        out += states(rig.run(5, every=5, steering=steering, throttle=max(-600, min(600, torque))))
        torque = RESISTANCE + DRAG * wanted / RADIUS + 1500 * (wanted - out[-1].speed)
    return out


class Vehicle(unittest.TestCase):
    def test_it_stands_where_it_starts(self):
        with car() as rig:
            seen = states(rig.run(500))
            fastest = max(max(map(abs, s.velocity)) for s in seen)
            end = max(max(map(abs, s.velocity)) for s in seen if s.t > 3)
            print(f"speeds up to {fastest:.1e} m/s at first, {end:.1e} after 3 s")
            self.assertLess(fastest, 1e-3)
            self.assertLess(end, 1e-6)
            self.assertLess(math.dist(seen[-1].position, (0, 0, 0.5)), 1e-3)
            self.assertAlmostEqual(seen[-1].load / (MASS * GRAVITY), 1, delta=1e-5)
            self.assertLess(math.dist(seen[-1].felt, (0, 0, GRAVITY)), 1e-3)

    def test_torque_over_radius_is_mass_times_acceleration(self):
        torque, inert = 500.0, MASS + SPIN / RADIUS ** 2
        with car() as rig:
            seen = states(rig.run(500, steering=0, throttle=torque))
            # inert v' = (torque - RESISTANCE - DRAG v/RADIUS)/RADIUS, from rest
            most, rate = (torque - RESISTANCE) * RADIUS / DRAG, DRAG / (inert * RADIUS ** 2)
            for s in seen[199::50]:
                self.assertAlmostEqual(s.speed / (most * (1 - math.exp(-rate * s.t))), 1, delta=0.02, msg=f"at {s.t} s")
                force = (torque - RESISTANCE - DRAG * s.shaft) / RADIUS
                self.assertAlmostEqual(s.felt[0] / (force / inert), 1, delta=0.05, msg=f"at {s.t} s")
            self.assertLess(max(abs(s.position[1]) for s in seen), 1e-6)
            # brakes until it almost stands, then nothing: friction stops it
            fast = seen[-1]
            force = (800 + RESISTANCE + DRAG * fast.shaft) / RADIUS
            braking = [states(rig.run(1, throttle=-800))[0]]
            while braking[-1].speed > 0.3:
                self.assertLess(len(braking), 500)
                braking += states(rig.run(1))
            self.assertLess(-sum(s.felt[0] for s in braking[20:]) / len(braking[20:]), 1.02 * force / inert)
            self.assertLess(fast.speed / (len(braking) * 0.01), 1.02 * force / inert)
            self.assertGreater(fast.speed / (len(braking) * 0.01), 0.8 * force / inert)
            stood = states(rig.run(600, every=10, throttle=0))
            print(f"{fast.speed:.2f} m/s after 5 s; from there to rest in {len(braking) * 0.01:.2f} s; "
                  f"after 6 s more {abs(stood[-1].speed):.1e} m/s")
            self.assertLess(max(map(abs, stood[-1].velocity)), 1e-3)
            self.assertAlmostEqual(stood[-1].load / (MASS * GRAVITY), 1, delta=1e-4)

    def test_a_slow_circle_follows_ackermann(self):
        for lever in (0.15, 0.3, -0.4):
            inner, outer = wheel_angle(lever, 1), wheel_angle(lever, -1)
            expected = 0.5 * (FRONT - REAR) * (1 / math.tan(inner) + 1 / math.tan(outer))
            with self.subTest(lever), car() as rig:
                seen = hold_speed(rig, 1.0, 16, lever)
                found = circle([s.rear for s in (seen[-120], seen[-60], seen[-1])])
                end = seen[-1]
                print(f"lever {lever}: wheels {inner:.4f} and {outer:.4f}, radius {expected:.3f} m on paper, {found:.3f} m found")
                self.assertAlmostEqual(found / expected, 1, delta=0.02)
                self.assertAlmostEqual(end.turning[2] * found / end.speed, 1, delta=0.01)
                self.assertAlmostEqual(end.wheels[0] / end.wheels[1], (found - TRACK / 2) / (found + TRACK / 2), delta=0.02)
                self.assertAlmostEqual(end.shaft, 0.5 * sum(end.wheels), delta=1e-6)

    def test_faster_it_leans_outwards_and_the_driver_feels_it(self):
        with car() as rig:
            hold_speed(rig, 8.0, 8, 0.0)
            seen = hold_speed(rig, 8.0, 8, 0.12)
            end, radius = seen[-1], circle([s.rear for s in (seen[-60], seen[-30], seen[-1])])
            lateral = end.speed ** 2 / radius
            feels = end.turning[2] ** 2 * (radius - 0.35)  # 0.35 m to the left of the middle, in a body that leans
            lean = math.asin(end.up[0] * end.ahead[1] - end.up[1] * end.ahead[0])
            print(f"radius {radius:.2f} m at {end.speed:.2f} m/s: {lateral:.2f} m/s^2, felt {end.felt[1]:.2f}; "
                  f"leans {math.degrees(lean):.2f} degrees to the outside")
            self.assertGreater(lateral, 2)
            self.assertGreater(lean, 0.005)
            self.assertLess(lean, 0.1)
            self.assertAlmostEqual(end.felt[1] / (feels * math.cos(lean) + GRAVITY * math.sin(lean)), 1, delta=0.02)

    def test_a_driver_who_does_whatever_comes(self):
        chance, work, step = random.Random(1), 0.0, 0.01
        with car() as rig:
            last = start = State(rig.run(1)[0])
            fastest, surplus = 0.0, -math.inf
            while last.t < 60:
                torque, steering, steps = chance.uniform(-800, 1200), chance.uniform(-0.4, 0.4), chance.randrange(20, 200)
                if last.t % 20 < 7:  # fast from time to time, which does not happen by chance
                    torque, steering = 1200, 0
                for s in states(rig.run(steps, steering=steering, throttle=torque)):
                    work += torque * 0.5 * (s.shaft + last.shaft) * step
                    work += 0.5 * (last.steering[0] + s.steering[0]) * (s.steering[1] - last.steering[1])
                    self.assertGreater(s.up[2], 0.97, f"it tips over at {s.t} s")
                    self.assertLess(abs(s.position[2] - 0.5), 0.1, f"at {s.t} s")
                    surplus = max(surplus, s.energy - start.energy - work)
                    fastest, last = max(fastest, math.hypot(*s.velocity)), s
            print(f"up to {fastest:.1f} m/s, {work / 1000:.0f} kJ of work, {(last.energy - start.energy) / 1000:.1f} of them left; "
                  f"energy at most {surplus:.1f} J above what was put in")
            self.assertGreater(fastest, 10)
            self.assertLess(fastest, (1200 - RESISTANCE) / DRAG * RADIUS + 1)
            self.assertLess(surplus, 20)


if __name__ == "__main__":
    bench.main()
