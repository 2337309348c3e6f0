#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: plc.py [--target M] [--seconds S] [--reset]

Stands in for the PLC of plc-cylinder.md: every 20 ms it reads the length of the cylinder over Modbus TCP from 127.0.0.1:1502,
and writes the force that brings it to the target (m, default 0.95). It prints a line every half second. --reset acknowledges a
latched stop first. It stops the motion after S seconds (default 4). Exit status: 0 the cylinder is within 5 mm of the target, 1 it
is not."""
import argparse
import os
import socket
import struct
import sys
import time

LENGTH, VELOCITY = 300, 301          # input registers, 0.1 mm and mm/s
FORCE = 300                          # holding register, N
COMMAND, STATE, RESULT = 0, 2, 20    # holding 0 to 2: code, argument, sequence; input registers
ARM, RUN, STOP, RESET = 2, 3, 5, 6   # command codes
NAMES = ("INIT", "STOPPED", "READY", "RUNNING", "PAUSED", "FAULT", "SAFE", "EXIT")
NOT_READY, TOO_SOON = 4, 6           # results: the input is not fresh yet; the stop was seen only now
PERIOD, PATIENCE = 0.02, 20          # s
FRESH = 0.7                          # s: an arm counts 0.5 s after a reset or a refused arm; the input needs some samples
STIFFNESS, DAMPING, HOLDING = 6000, 1200, 780  # N/m, N s/m, N: the controller; the integral takes the rest
INTEGRAL = 6000                      # N/(m s)


class Server:
    """The Modbus server of ali3d."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=1)
        self.number = self.sequence = 0

    def request(self, function, body):
        self.number = self.number % 65535 + 1
        self.socket.sendall(struct.pack(">HHHBB", self.number, 0, 2 + len(body), 1, function) + body)
        header = self.receive(6)
        answer = self.receive(struct.unpack(">H", header[4:])[0])
        if answer[1] != function:
            raise OSError(f"Modbus exception {answer[2]} to function {function}")
        return answer[2:]

    def receive(self, size):
        data = b""
        while len(data) < size:
            data += self.socket.recv(size - len(data)) or sys.exit("plc.py: ali3d closed the connection")
        return data

    def read(self, address, count=1):
        """Input registers as signed numbers."""
        return struct.unpack(f">{count}h", self.request(4, struct.pack(">HH", address, count))[1:])

    def write(self, address, *values):
        data = struct.pack(f">{len(values)}h", *values)
        self.request(16, struct.pack(">HHB", address, len(values), len(data)) + data)

    def rest(self):
        """Keeps the inputs fresh without a motion."""
        self.write(FORCE, HOLDING)

    def command(self, code):
        """Sends a command and waits for its result: 0 done."""
        self.sequence = (int(time.monotonic() * 1000) + self.sequence) % 30000 + 1
        self.write(COMMAND, code, 0, self.sequence)
        while True:
            time.sleep(PERIOD)
            if code != RESET:  # in SAFE a write of the force is refused
                self.rest()
            last, sequence, result = self.read(RESULT - 2, 3)
            if (last, sequence) == (code, self.sequence):
                return result


def start(server, reset=False):
    """From STOPPED, or from SAFE with reset, to RUNNING."""
    for code in ([RESET] if reset else []) + [ARM, RUN]:
        result, until = None, time.monotonic() + PATIENCE
        while result is None or result in (NOT_READY, TOO_SOON) and time.monotonic() < until:
            fresh = time.monotonic() + (FRESH if code == ARM else 0)
            while time.monotonic() < fresh:
                server.rest()
                time.sleep(PERIOD)
            result = server.command(code)
        if result != 0:
            sys.exit(f"{os.path.basename(sys.argv[0])}: command {code} refused with result {result} in state {NAMES[server.read(STATE)[0]]}")


def drive(server, target, seconds):
    """The control loop. Returns the last error, m."""
    integral, begin, cycle = 0.0, time.monotonic(), 0
    while time.monotonic() < begin + seconds:
        length, velocity = server.read(LENGTH, 2)
        state = NAMES[server.read(STATE)[0]]
        error = target - 1e-4 * length
        integral = max(-300.0, min(300.0, integral + INTEGRAL * error * PERIOD))
        force = HOLDING + STIFFNESS * error - DAMPING * 1e-3 * velocity + integral
        server.write(FORCE, int(max(0.0, min(3000.0, force))))
        if cycle % 25 == 0:
            print(f"{state} length {1e-4 * length:.4f} m force {force:.0f} N", flush=True)
        cycle += 1
        time.sleep(max(0.0, begin + cycle * PERIOD - time.monotonic()))
    return error


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--target", type=float, default=0.95)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--reset", action="store_true")
    options = parser.parse_args()
    try:
        server = Server("127.0.0.1", 1502)
        start(server, options.reset)
        error = drive(server, options.target, options.seconds)
        server.command(STOP)
    except OSError as e:
        sys.exit(f"plc.py: 127.0.0.1:1502: {e}")
    return 0 if abs(error) < 0.005 else 1


if __name__ == "__main__":
    sys.exit(main())
