#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: plc_cyclic.py [--port PORT] [--cycles N]

A PLC program that writes all its outputs in every cycle and in every state, as most PLCs do: the coils, the force of the cylinder of
plc-cylinder.yaml, and its heartbeat. It arms, runs, pauses, runs again, stops by the e-stop, resets and runs again. It needs pymodbus
(Debian: python3-pymodbus), and a daemon with modbus.safe_writes: ignore, the default. It prints each state that it reaches, and at the
end the number of cycles and of Modbus exceptions. Exit status: 0 all states were reached without an exception, 1 they were not."""
import argparse
import sys
import time

from pymodbus.client import ModbusTcpClient

STATES = ("INIT", "STOPPED", "READY", "RUNNING", "PAUSED", "FAULT", "SAFE", "EXIT")
ENABLE, RUN, PAUSE, ESTOP, RESET, PARK = range(6)  # coils
STATE, LENGTH, FORCE, HEARTBEAT, CONDITION = 2, 300, 300, 3, 7000  # registers
PERIOD = 0.02  # s
PULSE, WAIT = 5, 35  # cycles that a coil is 1, and cycles between two pulses: an arm counts 0.5 s after a reset or a refused arm
SEQUENCE = ((ENABLE, "READY"), (RUN, "RUNNING"), (PAUSE, "PAUSED"), (RUN, "RUNNING"), (ESTOP, "SAFE"), (RESET, "STOPPED"),
            (ENABLE, "READY"), (RUN, "RUNNING"))


class Plc:
    """One cycle: read the inputs, compute, write all outputs."""

    def __init__(self, port):
        self.client = ModbusTcpClient("127.0.0.1", port=port)
        if not self.client.connect():
            sys.exit(f"plc_cyclic.py: 127.0.0.1:{port}: cannot connect; start ali3d with modbus.port {port}")
        self.coils = [False] * 6
        self.step = self.since = self.cycles = self.exceptions = 0
        self.integral = 0.0

    def asked(self, answer):
        """Counts an exception. Every cycle goes on with the next one."""
        self.exceptions += answer.isError()
        return answer.registers if hasattr(answer, "registers") else []

    def force(self, length, velocity):
        error = 0.9 - 1e-4 * length
        self.integral = max(-300.0, min(300.0, self.integral + 6000 * error * PERIOD))
        return int(max(0.0, min(3000.0, 780 + 6000 * error - 1.2 * velocity + self.integral)))

    def sequence(self, state):
        """Sets the coils. The coil of a step is pulsed until its state is reached. Then enable stays 1 while the motor may run."""
        coil, aim = SEQUENCE[self.step]
        if state == aim:
            print(f"cycle {self.cycles}: {state}", flush=True)
            self.coils = [self.coils[ENABLE] and aim != "SAFE"] + [False] * 5
            self.step += 1
            self.since = 0
            return
        self.since += 1
        self.coils[coil] = self.since % (WAIT + PULSE) >= WAIT or coil not in (ENABLE, RUN)

    def cycle(self):
        state = self.asked(self.client.read_input_registers(STATE, count=1))
        cylinder = self.asked(self.client.read_input_registers(LENGTH, count=2))
        self.asked(self.client.read_input_registers(CONDITION, count=4))  # state, limits, age and owner of the force
        if not state or len(cylinder) < 2:
            return
        length, velocity = (v - 65536 if v > 32767 else v for v in cylinder)
        self.sequence(STATES[state[0]])
        self.asked(self.client.write_register(FORCE, self.force(length, velocity)))
        self.asked(self.client.write_register(HEARTBEAT, self.cycles % 65536))
        self.asked(self.client.write_coils(ENABLE, self.coils))
        self.cycles += 1


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--port", type=int, default=1502)
    parser.add_argument("--cycles", type=int, default=1000, help="at most")
    options = parser.parse_args()
    plc = Plc(options.port)
    begin = time.monotonic()
    while plc.step < len(SEQUENCE) and plc.cycles < options.cycles:
        plc.cycle()
        time.sleep(max(0.0, begin + plc.cycles * PERIOD - time.monotonic()))
    print(f"{plc.cycles} cycles, {plc.exceptions} exceptions")
    plc.client.close()
    return 0 if plc.step == len(SEQUENCE) and plc.exceptions == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
