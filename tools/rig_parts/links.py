# SPDX-License-Identifier: MIT
"""The wires between a simulated controller and ali3d: packets over UDP or a serial line, OSC, and Modbus. All have the same members:

  signals    signals that move the rig, as far as they come over this wire
  sources()  files to wait for
  take()     [{signal: value}] since the last call; None stands for something that was not understood
  answer(controller)   sends what the controller reports"""
import os
import re
import socket
import struct

from . import modbus, osc
from .terminal import Terminal

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
    """Packets over a serial line."""

    def __init__(self, moving, answers):
        self.moving, self.answers, self.count, self.last = moving, answers, 0, {}
        self.signals, self.buffer = moving.signals, b""
        self.terminal = Terminal(moving.line.split()[0])

    def sources(self):
        return [self.terminal.file]

    def take(self):
        """A frame begins with the constant bytes of its packet; what does not fit is skipped byte by byte."""
        found, skipped = [], False
        self.buffer += self.terminal.read()
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
        self.terminal.write(data)

    def close(self):
        self.terminal.close()


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
        places = [c for c in io_map["connections"] if c["protocol"].startswith("Modbus") and c["listens"]]
        rows = [r for r in io_map["modbus"] if not r["device"]]
        read = {r["signal"]: r for r in rows if r["table"] == "input" and (moves_rig(r["signal"]) or r["signal"] == STATE)}
        written = {r["signal"]: r for r in rows if r["table"] == "holding" and r["signal"].startswith("input.") and r["signal"].split(".")[1] in inputs}
        self.signals = [s for s in read if moves_rig(s)]
        # The state can be read before the platform is armed, the motion cannot.
        self.reads = modbus.spans([r for s, r in read.items() if s != STATE]) + modbus.spans([r for s, r in read.items() if s == STATE])
        self.writes, self.together = modbus.spans(written.values()), any(r["address"] < SEQUENCE for r in written.values())
        self.client, self.count = client_of(places) if self.signals else None, 0

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

    def close(self):
        self.client.close()

    def write(self, first, registers):
        try:
            self.client.write(first, registers)
        except (modbus.Refused, OSError):
            pass  # the next one comes soon


def client_of(places):
    """A client of the Modbus server of ali3d: over TCP if it has both."""
    place = min(places, key=lambda c: bool(c["line"]))
    return modbus.LineClient(place["line"].split()[0], place["unit"]) if place["line"] else modbus.Client(place["host"], place["port"])


class Device:
    """A Modbus device, over TCP or at the end of a serial line, that the Modbus client of ali3d polls: it writes the registers that move
    the rig, and reads those with its signs."""

    def __init__(self, io_map, inputs):
        places = {c["text"]: c for c in io_map["connections"] if c["protocol"].startswith("Modbus") and not c["listens"]}
        rows = [r for r in io_map["modbus"] if r["device"]]
        moving = [r for r in rows if r["writable"] and moves_rig(r["signal"])]
        self.signals, self.place = [r["signal"] for r in moving], places.get(moving[0]["device"].split(" ")[0]) if moving else None
        mine = [r for r in rows if moving and r["device"] == moving[0]["device"]]
        self.written = {r["address"]: r for r in mine if r["writable"] and r["table"] == "holding"}
        self.shown = {(r["table"], r["address"]): r for r in mine if not r["writable"] and r["signal"].split(".")[0] == "input" and r["signal"].split(".")[1] in inputs}
        self.controller, self.commands, self.last, self.server = None, [], {}, None
        if self.place:
            self.server = modbus.LineServer(self.place["line"].split()[0], self.place["unit"]) if self.place["line"] else modbus.Server(self.place["host"], self.place["port"])

    def sources(self):
        return self.server.sources()

    def take(self):
        for request in self.server.requests():
            pdu = self.pdu_of(request.pdu)
            if self.controller:
                pdu = self.controller.distort(pdu, self.last.get(request.pdu))
            if pdu:
                self.last[request.pdu] = pdu
                request.answer(pdu)
        found, self.commands = self.commands, []
        return found

    def pdu_of(self, pdu):
        """The answer to a request: functions 3, 4, 6 and 16; other functions and bits get exception 1."""
        function = pdu[0]
        first, count = struct.unpack(">HH", pdu[1:5])
        if function in (3, 4):
            return struct.pack(f">BB{count}H", function, 2 * count, *self.registers("holding" if function == 3 else "input", first, count))
        if function not in (6, 16):
            return bytes([function | modbus.ERROR, 1])
        registers = [count] if function == 6 else struct.unpack(f">{count}H", pdu[6:6 + 2 * count])
        values = {r["signal"]: modbus.number_of(r, registers[a - first:]) for a, r in self.written.items() if first <= a and a + r["registers"] <= first + len(registers)}
        if values:
            self.commands.append(values)
        return pdu[:5]

    def registers(self, table, first, count):
        """A register that no sign has is 0."""
        found = [0] * count
        rows = [r for (t, a), r in self.shown.items() if t == table and first <= a and a + r["registers"] <= first + count]
        values = self.controller.report([r["signal"] for r in rows]) if self.controller else {}
        for r in rows:
            at = r["address"] - first
            found[at:at + r["registers"]] = modbus.registers_of(r, values.get(r["signal"], 0.0))
        return found

    def answer(self, controller):
        """The device only answers."""
        self.controller = controller

    def close(self):
        self.server.close()
