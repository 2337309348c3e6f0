# SPDX-License-Identifier: MIT
"""A simulated motion base of the Moog kind: it raises itself at ENGAGE, follows positions while it is engaged, parks itself, and
answers each command with its latched faults, its discretes, the state of its machine and its actual pose. The head of
config/platform/moog-udp-both.yaml has the rules and their sources."""
from .controller import Controller

# platform.state stands for a command word: the first state that the packet sends it for.
DOF_MODE, ENGAGE, NEW_POSITION, PARK = 0, 1, 2, 5
IDLE, STANDBY, ENGAGED, PARKING, FAULT = 1, 2, 3, 7, 9
NAMES = {IDLE: "idle", STANDBY: "standby", ENGAGED: "engaged", PARKING: "parking", FAULT: "fault"}
IN_DOF_MODE = 0x20
LATCHES = {"chain": 0x8000, "range": 0x0200, "power": 0x0020, "silence": 0x0008}
CHAIN_OPEN, ENABLED, POWER, AT_HOME = 0x80, 0x40, 0x20, 0x01
HEAVE = "platform.pose.heave"
SETTLED, RISE = -0.15, 0.15  # m below neutral, m/s
NEAR = 1e-4


class Base(Controller):
    """The places are those of the park pose of ali3d, which is neutral; the base stands below it until it is engaged."""
    answers_commands = True

    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        if set(self.numbers.values()) != set(range(1, 7)) or any(abs(a.place) > NEAR for a in self.axes.values()):
            raise ValueError("--like moog needs a packet with the pose, and platform.park_position: [0, 0, 0]")
        self.axes[HEAVE].place = SETTLED
        self.machine, self.latched = IDLE, 0

    def clear(self, name=None):
        """The end of all faults is the RESET of the base, too."""
        super().clear(name)
        if not self.faults and self.latched:
            self.latched, self.machine = 0, PARKING

    def fail(self, cause):
        self.latched |= LATCHES[cause]
        self.machine = FAULT

    def command(self, values):
        aims = {s: a.aim for s, a in self.axes.items()}
        super().command(values)
        if values is None or "deaf" in self.faults:
            return
        asked = {s: a.aim for s, a in self.axes.items()}
        if self.machine != ENGAGED:
            for s, a in self.axes.items():
                a.aim = aims[s]
        if self.state == ENGAGE and self.machine in (IDLE, STANDBY):
            if any(abs(v) > NEAR for v in asked.values()):
                self.fail("range")
            elif self.machine == IDLE:
                self.machine = STANDBY
        elif self.state == PARK and self.machine in (STANDBY, ENGAGED):
            self.machine = PARKING

    def step(self, dt):
        if self.machine in (STANDBY, ENGAGED):
            for cause in ("chain", "power"):
                if cause in self.faults:
                    self.fail(cause)
            if not self.commanded:
                self.fail("silence")
        home = {STANDBY: 0.0, PARKING: SETTLED}.get(self.machine)
        if home is not None:  # the base moves itself
            for s, a in self.axes.items():
                a.aim = home if s == HEAVE else 0.0
            heave = self.axes[HEAVE]
            heave.aim = max(min(heave.aim, heave.place + RISE * self.lag), heave.place - RISE * self.lag)
        elif self.machine != ENGAGED:
            for a in self.axes.values():
                a.aim = a.place
        heard, self.heard = self.heard, self.now if home is not None else self.heard
        super().step(dt)
        self.heard = heard
        if home is not None and abs(self.axes[HEAVE].place - home) < NEAR:
            self.machine = ENGAGED if self.machine == STANDBY else IDLE

    def words(self):
        return {"machine": NAMES[self.machine], "latched": self.latched}

    def report(self, signals):
        """The words by the names of their inputs: faults, discretes, machine."""
        values = super().report(signals)
        up = self.machine in (STANDBY, ENGAGED, PARKING)
        words = {"faults": self.latched, "machine": IN_DOF_MODE | self.machine,
                 "discretes": ("chain" in self.faults) * CHAIN_OPEN | up * ENABLED | ("power" not in self.faults) * POWER
                              | (self.machine == IDLE) * AT_HOME}
        for signal in signals:
            if signal.split(".")[1] in words and signal.endswith(".value"):
                values[signal] = words[signal.split(".")[1]]
        return values
