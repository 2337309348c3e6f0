# SPDX-License-Identifier: MIT
"""A simulated controller of a motion platform: it follows commanded legs or coordinates late and at a limited rate, has a chain of
interlocks, and gets faults that a person or a test switches on."""
import math
import random
import re

# Bits of the status word.
BITS = {"enabled": 0, "chain": 1, "fault": 2, "belt": 3, "key_released": 4, "door": 5, "commanded": 6}
FAULTS = ("late", "drop", "silent", "frozen", "checksum", "stick", "slow", "power", "chain", "belt", "door", "key", "deaf")
MOVES = re.compile(r"platform\.(legs|pose|legs_normalised)\.(\w+)$")


class Axis:
    """A leg or a coordinate of the rig."""

    def __init__(self, place, rate):
        self.place, self.aim, self.rate, self.speed = place, place, rate, 0.0

    def step(self, dt, lag, rate):
        wanted = (self.aim - self.place) * (1.0 - math.exp(-dt / lag))
        moved = max(-rate * dt, min(rate * dt, wanted))
        self.speed = moved / dt
        self.place += moved


class Controller:
    """lag: time constant of an axis, s. timeout: time without a command after which the axes stop, s. park: {signal: place} of the park
    pose. rates: {signal: rate}. ends: the lengths of a leg at -1 and at 1."""
    answers_commands = False  # True: it says nothing but an answer to a command

    def __init__(self, park, rates, lag=0.02, timeout=0.1, seed=1, ends=(0.0, 1.0)):
        self.axes = {s: Axis(place, rates[s]) for s, place in park.items()}
        self.ends, self.numbers = ends, numbers_of(park)
        self.lag, self.timeout, self.random = lag, timeout, random.Random(seed)
        self.faults, self.heard, self.now, self.beat = {}, None, 0.0, 0
        self.state = None             # platform.state of the last command
        self.history = []             # (time, places) for late reports
        self.refused = self.accepted = 0
        self.moved_without = 0.0      # largest change of a command while the chain was open or the power off, after its grace

    def set_fault(self, name, *values):
        if name not in FAULTS:
            raise ValueError(f"no fault {name}; expected one of {', '.join(FAULTS)}")
        self.faults[name] = [float(v) for v in values]

    def clear(self, name=None):
        if name is None:
            self.faults.clear()
        else:
            self.faults.pop(name, None)

    def command(self, values):
        """Signals of a packet that came; None: the packet was wrong."""
        if values is None:
            self.refused += 1
            return
        if "deaf" in self.faults:
            return
        self.accepted += 1
        self.heard = self.now
        self.state = values.get("platform.state", self.state)
        for signal, axis in self.axes.items():
            if signal in values and math.isfinite(values[signal]):
                axis.aim = values[signal]

    @property
    def commanded(self):
        return self.heard is not None and self.now - self.heard <= self.timeout

    @property
    def powered(self):
        return "power" not in self.faults and "chain" not in self.faults

    def step(self, dt):
        """Moves the axes. Brakes hold them without power or command."""
        self.now += dt
        self.beat += 1
        stuck = [int(x) for x in self.faults.get("stick", [])]
        slow = self.faults.get("slow")
        for signal, axis in self.axes.items():
            axis.speed, i = 0.0, self.numbers[signal]
            if not self.powered or not self.commanded or i in stuck:
                continue
            rate = slow[1] if slow and int(slow[0]) == i else axis.rate
            axis.step(dt, self.lag, rate)
        self.history.append((self.now, {s: a.place for s, a in self.axes.items()}))
        late = self.faults.get("late", [0.0])[0]
        while len(self.history) > 1 and self.history[1][0] <= self.now - late:
            self.history.pop(0)

    def words(self):
        """Figures of this kind of controller, for the order `state`."""
        return {}

    def status(self):
        """The status word."""
        on = {"enabled": self.powered, "chain": "chain" not in self.faults, "fault": "power" in self.faults,
              "belt": "belt" not in self.faults, "key_released": "key" not in self.faults, "door": "door" not in self.faults,
              "commanded": self.commanded}
        return sum(1 << BITS[name] for name, value in on.items() if value)

    def leg(self, places, name):
        """The length of a leg, however it was commanded."""
        if f"platform.legs.{name}" in places:
            return places[f"platform.legs.{name}"]
        low, high = self.ends
        return low + (places.get(f"platform.legs_normalised.{name}", 0.0) + 1.0) / 2.0 * (high - low)

    def report(self, signals):
        """Values for the signals of a status packet: actual places, the status word for a number, the beat for a number named beat."""
        places = self.history[0][1] if self.history else {s: a.place for s, a in self.axes.items()}
        values = {}
        for signal in signals:
            *_, part, name = signal.split(".")
            if part == "leg":
                values[signal] = self.leg(places, name)
            elif part in ("position", "angle"):
                values[signal] = places.get(f"platform.pose.{name}", 0.0)
            else:
                values[signal] = self.beat % 65536 if "beat" in signal else self.status()
        return values

    def distort(self, data, last):
        """The bytes that really go out; None: nothing does. last: the bytes before."""
        if "silent" in self.faults or self.random.random() < self.faults.get("drop", [0.0])[0]:
            return None
        if "frozen" in self.faults and last:
            return last
        if "checksum" in self.faults:
            return data[:-1] + bytes([data[-1] ^ 0x55])
        return data


def numbers_of(signals):
    """{signal: number by which a fault names it}: the number of a leg, or 1 to 6 for a coordinate if no legs are commanded; else 0."""
    kinds = {s: MOVES.match(s).groups() for s in signals}
    legs = any(kind != "pose" for kind, _ in kinds.values())
    coordinates = [s for s, (kind, _) in kinds.items() if kind == "pose"]
    return {s: int(name) if kind != "pose" else 0 if legs else coordinates.index(s) + 1 for s, (kind, name) in kinds.items()}


def axes_of(signals, figures):
    """({signal: place in the park pose}, {signal: rate}) of the axes among these signals. figures: `ali3d FILE --platform=json`."""
    park, rates, rate = {}, {}, figures["leg_rate"]
    coordinates = list(figures["axes"])
    low, high = figures["leg_min"], figures["leg_max"]
    for signal in signals:
        found = MOVES.match(signal)
        if not found:
            continue
        kind, name = found.groups()
        if kind == "pose":
            park[signal] = figures["park"]["pose"][coordinates.index(name)]
            rates[signal] = 1.5 * figures["axes"][name]["rate_limit"]
        else:
            leg = figures["park"]["legs"][int(name) - 1]
            normalised = kind == "legs_normalised"
            park[signal] = (2 * leg - low - high) / (high - low) if normalised else leg
            rates[signal] = 1.2 * rate * (2 / (high - low) if normalised else 1.0)
    return park, rates
