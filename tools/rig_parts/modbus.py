# SPDX-License-Identifier: MIT
"""A Modbus TCP client, as far as a controller of a motion platform needs it: it reads input registers and writes holding registers."""
import socket
import struct

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


class Client:
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

    def read(self, first, count):
        return struct.unpack(f">{count}H", self.request(READ_INPUT, struct.pack(">HH", first, count))[1:])

    def write(self, first, registers):
        n = len(registers)
        self.request(WRITE_SEVERAL, struct.pack(">HHB", first, n, 2 * n) + struct.pack(f">{n}H", *registers))
