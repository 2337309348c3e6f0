# SPDX-License-Identifier: MIT
"""The driver of tools/demo: laps of 34 s that begin and end at rest, each with amplitudes drawn from the seed. The driver
accelerates, drives a slalom, brakes, drives a bend to either side, and stops; at the end of the time the driver always stops."""
import math
import random

LAP, STOPPING = 34.0, 4.0          # s
HAND = 0.3                         # rad/s of the wheels, largest rate of the steering: hands are not faster
TORQUE = 900.0                     # N m, largest torque at the rear axle, in both directions
RADIUS, RESISTANCE, DRAG = 0.3, 35.0, 16.0  # m, N m, N m s/rad: tyres and drag of config/models/vehicle.yaml


class Driver:
    def __init__(self, seed):
        self.chance, self.lap = random.Random(seed), -1
        self.fast = self.slalom = self.bend = 0.0
        self.steering = self.last = 0.0

    def draw(self):
        self.fast = self.chance.uniform(9.0, 12.0)      # m/s
        self.slalom = self.chance.uniform(0.05, 0.08)   # rad
        self.bend = self.chance.uniform(0.15, 0.25)   # rad

    def plan(self, t):
        """Wanted speed (m/s) and steering (rad) at the time t of the lap."""
        if t < 6:
            return self.fast, 0.0
        if t < 14:
            return self.fast, self.slalom * math.sin(2 * math.pi * (t - 6) / 2.667)
        if t < 17:
            return 3.0, 0.0
        if t < 30:
            return 5.0, self.bend * math.sin(2 * math.pi * (t - 17) / 13) ** 3
        return 0.0, 0.0

    def act(self, t, end, speed):
        """Steering (rad) and throttle (N m) at t s since the start; the car stops before the end."""
        while self.lap < int(t / LAP):
            self.lap += 1
            self.draw()
        wanted, steering = self.plan(t % LAP) if t < end - STOPPING else (0.0, 0.0)
        turn = HAND * (t - self.last)
        self.steering = max(self.steering - turn, min(self.steering + turn, steering))
        self.last = t
        return self.steering, throttle(wanted, speed)


def throttle(wanted, speed):
    if wanted == 0.0 and abs(speed) < 0.2:
        return 0.0  # rolling resistance holds it
    hold = (RESISTANCE + DRAG * wanted / RADIUS) * (wanted > 0)
    return max(-TORQUE, min(TORQUE, hold + 800.0 * (wanted - speed)))
