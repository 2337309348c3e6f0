# SPDX-License-Identifier: MIT
"""The wires between a simulated controller and ali3d: packets over UDP or a serial line, OSC, and Modbus TCP. All have the same members:

  signals    signals that move the rig, as far as they come over this wire
  sources()  files to wait for
  take()     [{signal: value}] since the last call; None stands for something that was not understood
  answer(controller)   sends what the controller reports"""
import os
import re
import socket
import struct
import tty

from . import modbus, osc

MOVES = re.compile(r"platform\.(legs|pose|legs_normalised)\.(\w+)$")
STATE = "platform.state"
SEQUENCE = 164  # holding register: the inputs act together when it changes; the next one is their CRC


def moves_rig(signal):
    return bool(MOVES.match(signal))


class Datagrams:
    """Packets over UDP."""

    def __init__(self, moving, answers):
        self.moving, self.answers, self.count, self.last = moving, answers, 0, {}
        self.signals, self.peer = moving.signals, None
        self.socket = socket.socket(socket.AF_INET6 if ":" in moving.host else socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((moving.host, moving.port))
        self.socket.setblocking(False)

    def sources(self):
        return [self.socket]

    def take(self):
        found = []
        while True:
            try:
                data, self.peer = self.socket.recvfrom(65536)
                found.append(self.moving.parse(data))
            except BlockingIOError:
                return found

    def answer(self, controller):
        for packet in self.answers:
            data = controller.distort(packet.build(controller.report(packet.signals), self.count), self.last.get(packet.name))
            if data:
                self.last[packet.name] = data
                self.send(data, packet)
        self.count += 1

    def send(self, data, packet):
        """An answer goes to the port from which the last command came."""
        to = self.peer if packet.answers else (packet.host, packet.port)
        if to:
            self.socket.sendto(data, to)


class Line(Datagrams):
    """Packets over a serial line: the other end of a pseudo terminal, to which the path of the configuration leads."""

    def __init__(self, moving, answers):
        self.moving, self.answers, self.count, self.last = moving, answers, 0, {}
        self.signals, self.buffer = moving.signals, b""
        self.path = moving.line.split()[0]
        self.file, device = os.openpty()
        tty.setraw(device)
        os.set_blocking(self.file, False)
        if os.path.islink(self.path) and os.readlink(self.path).startswith("/dev/pts/"):
            os.unlink(self.path)  # an earlier run left it
        os.symlink(os.ttyname(device), self.path)

    def sources(self):
        return [self.file]

    def take(self):
        """A frame begins with the constant bytes of its packet; what does not fit is skipped byte by byte."""
        found, skipped = [], False
        try:
            self.buffer += os.read(self.file, 65536)
        except (BlockingIOError, OSError):
            pass
        while len(self.buffer) >= self.moving.size:
            values = self.moving.parse(self.buffer[:self.moving.size])
            if values is None and not skipped:
                found.append(None)
            skipped = values is None
            if values is not None:
                found.append(values)
            self.buffer = self.buffer[1 if skipped else self.moving.size:]
        return found

    def send(self, data, packet):
        try:
            os.write(self.file, data)
        except BlockingIOError:
            pass  # nobody reads

    def close(self):
        os.unlink(self.path)


class Osc:
    """OSC over UDP: the first target of ali3d whose stream has a pose or legs, and the inputs of the rig."""

    def __init__(self, io_map, inputs):
        places = [c for c in io_map["connections"] if c["protocol"] == "OSC over UDP"]
        self.to = next(((c["host"], c["port"]) for c in places if c["listens"]), None)
        self.last, self.rows, self.signals = None, {}, []
        for place in places:
            stream = re.match(r"stream (\w+)", place["text"])
            rows = {r["address"]: r for r in io_map["osc"] if stream and r["out"] and not r["in"] and f"in stream {stream.group(1)}" in r["text"]}
            signals = [s for r in rows.values() for s in r["signals"] if moves_rig(s)]
            if signals and not self.rows:
                self.own, self.rows, self.signals = (place["host"], place["port"]), rows, signals
        # The longest address of an input has the words of its signals.
        self.inputs = {}
        for row in io_map["osc"]:
            if row["in"] and row["signals"] and row["signals"][0].split(".")[1] in inputs:
                self.inputs[row["signals"][0]] = row
        if self.rows:
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.bind(self.own)
            self.socket.setblocking(False)

    def sources(self):
        return [self.socket]

    def take(self):
        found = []
        while True:
            try:
                found.append(self.values_of(self.socket.recv(65536)))
            except BlockingIOError:
                return found
            except (ValueError, struct.error):
                found.append(None)

    def values_of(self, data):
        values = {}
        for address, arguments in osc.messages(data):
            row = self.rows.get(address)
            for signal, number in zip(row["signals"] if row else [], arguments):
                scale = re.search(rf"; {re.escape(signal)} = (\S+) argument ([+-]\S+?)(;|$)", row["text"])
                values[signal] = number * float(scale.group(1)) + float(scale.group(2)) if scale else number
        return values

    def answer(self, controller):
        messages = []
        for row in self.inputs.values():
            values = controller.report(row["signals"])
            messages.append(osc.message(row["address"], [values[s] for s in row["signals"]]))
        data = controller.distort(osc.bundle(messages), self.last)
        if data and "checksum" in controller.faults:
            data = data[:-3]  # OSC has no checksum: the last message is cut
        if data:
            self.last = data
            self.socket.sendto(data, self.to)


class Modbus:
    """A PLC that polls the Modbus server of ali3d, and writes the inputs of the rig. It uses the registers that the configuration gives a
    signal, else those of the default map."""

    def __init__(self, io_map, inputs):
        place = next((c for c in io_map["connections"] if c["protocol"] == "Modbus TCP" and c["listens"]), None)
        rows = [r for r in io_map["modbus"] if not r["device"]]
        read = {r["signal"]: r for r in rows if r["table"] == "input" and (moves_rig(r["signal"]) or r["signal"] == STATE)}
        written = {r["signal"]: r for r in rows if r["table"] == "holding" and r["signal"].startswith("input.") and r["signal"].split(".")[1] in inputs}
        self.signals = [s for s in read if moves_rig(s)]
        # The state can be read before the platform is armed, the motion cannot.
        self.reads = modbus.spans([r for s, r in read.items() if s != STATE]) + modbus.spans([r for s, r in read.items() if s == STATE])
        self.writes, self.together = modbus.spans(written.values()), any(r["address"] < SEQUENCE for r in written.values())
        self.client = modbus.Client(place["host"], place["port"]) if place else None
        self.count = 0

    def sources(self):
        return []

    def take(self):
        values = {}
        for first, rows in self.reads:
            try:
                registers = self.client.read(first, sum(r["registers"] for r in rows))
            except modbus.Refused:
                continue
            except OSError:
                return []
            for row in rows:
                values[row["signal"]] = modbus.number_of(row, registers[row["address"] - first:])
        return [values]

    def answer(self, controller):
        """The bytes of a write are distorted like those of a packet. A frozen PLC writes the old values again, which do not act."""
        if "frozen" in controller.faults:
            return
        for first, rows in self.writes:
            values = controller.report([r["signal"] for r in rows])
            registers = [n for r in rows for n in modbus.registers_of(r, values[r["signal"]])]
            data = controller.distort(struct.pack(f">{len(registers)}H", *registers), None)
            if not data:
                return
            self.write(first, struct.unpack(f">{len(registers)}H", data))
        if self.together:
            self.count = self.count % 65535 + 1
            self.write(SEQUENCE, [self.count])

    def write(self, first, registers):
        try:
            self.client.write(first, registers)
        except (modbus.Refused, OSError):
            pass  # the next one comes soon
