# SPDX-License-Identifier: MIT
"""Modbus over TCP and over serial lines, as far as a controller of a motion platform needs it: clients that read input registers and
write holding registers, and servers."""
import socket
import struct
import time

from .layout import crc16_modbus
from .terminal import Terminal

READ_MOST, READ_INPUT, WRITE_SEVERAL, ERROR = 125, 4, 16, 0x80
TYPES = {"u16": (">H", 1), "i16": (">h", 1), "u32": (">I", 2), "i32": (">i", 2), "f32": (">f", 2), "f64": (">d", 4)}
ORDERS = {"": (0, 1, 2, 3), "abcd": (0, 1, 2, 3), "badc": (1, 0, 3, 2), "cdab": (2, 3, 0, 1), "dcba": (3, 2, 1, 0)}


class Refused(Exception):
    """The server answered with an exception."""


def ordered(data, order):
    """Bytes in the order of a word_order, or back: every order is its own inverse. Eight bytes are two times four."""
    if len(data) == 8:
        return ordered(data[4:], order) + ordered(data[:4], order) if order in ("cdab", "dcba") else ordered(data[:4], order) + ordered(data[4:], order)
    return data if len(data) < 4 else bytes(data[i] for i in ORDERS[order])


def number_of(row, registers):
    """The signal's value in its registers."""
    form, count = TYPES[row["type"]]
    raw = struct.unpack(form, ordered(struct.pack(f">{count}H", *registers[:count]), row["word_order"]))[0]
    return row["scale"] * raw + row["offset"]


def registers_of(row, value):
    form, count = TYPES[row["type"]]
    number = (value - row["offset"]) / row["scale"]
    raw = struct.pack(form, number if form[1] in "fd" else round(number))
    return list(struct.unpack(f">{count}H", ordered(raw, row["word_order"])))


def spans(rows):
    """[(address, rows)]: neighbours together, as far as one request reaches."""
    found = []
    for row in sorted(rows, key=lambda r: r["address"]):
        last = found[-1][1] if found else []
        if last and last[-1]["address"] + last[-1]["registers"] == row["address"] and row["address"] + row["registers"] - found[-1][0] <= READ_MOST:
            last.append(row)
        else:
            found.append((row["address"], [row]))
    return found


class Reader:
    """The requests of a client."""

    def read(self, first, count):
        answer = self.request(READ_INPUT, struct.pack(">HH", first, count))
        if len(answer) != 1 + 2 * count:
            raise ConnectionError("an answer to another request")
        return struct.unpack(f">{count}H", answer[1:])

    def write(self, first, registers):
        n = len(registers)
        self.request(WRITE_SEVERAL, struct.pack(">HHB", first, n, 2 * n) + struct.pack(f">{n}H", *registers))


class Client(Reader):
    """A connection that comes back: every request makes it again if it is lost."""

    def __init__(self, host, port, timeout=0.5):
        self.place, self.timeout, self.socket, self.transaction = (host, port), timeout, None, 0

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def receive(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise ConnectionError("the server closed the connection")
            data += more
        return data

    def request(self, function, body):
        """The answer without its head. Raises Refused, or OSError if the server is not there."""
        try:
            if not self.socket:
                self.socket = socket.create_connection(self.place, timeout=self.timeout)
            self.transaction = (self.transaction + 1) & 0xFFFF
            self.socket.sendall(struct.pack(">HHHBB", self.transaction, 0, len(body) + 2, 1, function) + body)
            transaction, _, length = struct.unpack(">HHH", self.receive(6))
            answer = self.receive(length)
        except OSError:
            self.close()
            raise
        if transaction != self.transaction or answer[1] & ~ERROR != function:
            self.close()
            raise ConnectionError("an answer to another request")
        if answer[1] & ERROR:
            raise Refused(f"exception {answer[2]} to function {function}")
        return answer[2:]


def sealed(unit, pdu):
    """A frame of Modbus RTU."""
    frame = bytes([unit]) + pdu
    return frame + struct.pack("<H", crc16_modbus(frame))


class LineClient(Reader):
    """The master of a serial line."""

    def __init__(self, path, unit, timeout=0.1):
        self.terminal, self.unit, self.timeout, self.pause = Terminal(path), unit or 1, timeout, 0.0

    def close(self):
        self.terminal.close()

    def request(self, function, body):
        while self.terminal.read(self.pause):  # the rest of a late answer
            pass
        self.pause = 0.0
        self.terminal.write(sealed(self.unit, bytes([function]) + body))
        answer, end = b"", time.monotonic() + self.timeout
        while not whole_answer(answer):
            more = self.terminal.read(max(0.0, end - time.monotonic()))
            if not more:
                self.pause = self.timeout
                raise TimeoutError("no answer on the line")
            answer += more
        if answer != sealed(self.unit, answer[1:-2]) or answer[1] & ~ERROR != function:
            raise ConnectionError("an answer that is damaged, or to another request")
        if answer[1] & ERROR:
            raise Refused(f"exception {answer[2]} to function {function}")
        return answer[2:-2]


def whole_answer(frame):
    if len(frame) < 5:
        return False
    return len(frame) >= (5 if frame[1] & ERROR else 5 + frame[2] if frame[1] in (3, 4) else 8)


class Request:
    def __init__(self, pdu, answer):
        self.pdu, self.answer = pdu, answer


class Server:
    """A Modbus TCP server for any number of clients."""

    def __init__(self, host, port):
        self.listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, port))
        self.listener.listen()
        self.listener.setblocking(False)
        self.clients = {}

    def sources(self):
        return [self.listener, *self.clients]

    def requests(self):
        try:
            client, _ = self.listener.accept()
            client.setblocking(False)
            self.clients[client] = b""
        except BlockingIOError:
            pass
        for client in list(self.clients):
            yield from self.requests_of(client)

    def requests_of(self, client):
        try:
            data = client.recv(65536)
            self.clients[client] += data
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            del self.clients[client]
            client.close()
            return
        while len(buffer := self.clients[client]) >= 8 and len(buffer) >= (end := 6 + int.from_bytes(buffer[4:6], "big")):
            self.clients[client] = buffer[end:]
            yield Request(buffer[7:end], lambda pdu, head=buffer[:4], unit=buffer[6:7]: self.send(client, head + struct.pack(">H", len(pdu) + 1) + unit + pdu))

    @staticmethod
    def send(client, data):
        try:
            client.sendall(data)
        except OSError:
            pass  # it has gone

    def close(self):
        for client in self.clients:
            client.close()
        self.listener.close()


class LineServer:
    """A Modbus RTU device."""

    def __init__(self, path, unit):
        self.terminal, self.unit, self.buffer = Terminal(path), unit or 1, b""

    def sources(self):
        return [self.terminal.file]

    def requests(self):
        """A frame is complete with its length and its CRC; bytes that make none are skipped one by one."""
        self.buffer += self.terminal.read()
        while len(self.buffer) >= 8:
            end = 9 + self.buffer[6] if self.buffer[1] == WRITE_SEVERAL else 8
            if self.buffer[0] == self.unit and len(self.buffer) < end:
                return
            frame = self.buffer[:end]
            whole = frame == sealed(self.unit, frame[1:-2])
            self.buffer = self.buffer[end if whole else 1:]
            if whole:
                yield Request(frame[1:-2], lambda pdu: self.terminal.write(sealed(self.unit, pdu)))

    def close(self):
        self.terminal.close()
