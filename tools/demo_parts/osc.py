# SPDX-License-Identifier: MIT
"""Open Sound Control for tools/demo: messages and bundles, and the client of one daemon. The coder is that of the end-to-end tests,
too: written from the 1.0 specification, it shares nothing with the daemon."""
import select
import socket
import struct
import time

SO_TIMESTAMPNS = 35  # a constant of Linux: the kernel tells when a datagram came
NUMBERS = {"i": (">i", 4), "f": (">f", 4), "h": (">q", 8), "d": (">d", 8)}


def text(value):
    raw = value.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def message(address, types="", *values):
    body = b"".join(text(v) if t == "s" else struct.pack(NUMBERS[t][0], v) for t, v in zip(types, values))
    return text(address) + text("," + types) + body


def decode(packet):
    """[(address, types, values)] of a packet, bundles opened."""
    if packet.startswith(b"#bundle\0"):
        out, at = [], 16
        while at < len(packet):
            (size,) = struct.unpack_from(">i", packet, at)
            out += decode(packet[at + 4:at + 4 + size])
            at += 4 + size
        return out

    def string(at):
        end = packet.index(b"\0", at)
        return packet[at:end].decode(), end + 4 - end % 4

    address, at = string(0)
    types, at = string(at)
    values = []
    for t in types[1:]:
        if t == "s":
            value, at = string(at)
        else:
            (value,), at = struct.unpack_from(NUMBERS[t][0], packet, at), at + NUMBERS[t][1]
        values.append(value)
    return [(address, types[1:], values)]


class Client:
    """Subscribes to streams of one daemon and keeps the messages: series[address] is a list of (time of arrival, values, cycle)."""

    LEASE = 10.0  # s, of a subscription

    def __init__(self, port, prefix, streams, kept):
        self.to, self.prefix, self.streams = ("127.0.0.1", port), prefix, streams
        self.series = {address: [] for address in kept}
        self.last, self.renewed = {}, None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)

    def send(self, address, types="", *values):
        try:
            self.socket.sendto(message(self.prefix + address, types, *values), self.to)
        except ConnectionRefusedError:
            pass  # an earlier datagram found no listener

    def renew(self):
        """Subscribes to the streams, and again before the lease ends; ten times a second until a message has come."""
        now = time.monotonic()
        if self.renewed is not None and now - self.renewed < (self.LEASE / 4 if "/hdr" in self.last else 0.1):
            return
        self.renewed = now
        for stream in self.streams:
            self.send("/sub", "siii", stream, 0, 1, 1)
        self.send("/status")

    def receive(self):
        """Takes the datagrams that have come."""
        self.renew()
        while True:
            try:
                packet, ancillary, _, _ = self.socket.recvmsg(65536, 128)
            except ConnectionRefusedError:
                continue
            except BlockingIOError:
                return
            seconds, nanoseconds = struct.unpack("@qq", next(data for _, kind, data in ancillary if kind == SO_TIMESTAMPNS))
            for address, _, values in decode(packet):
                address = address.removeprefix(self.prefix)
                self.last[address] = values
                if address in self.series:
                    self.series[address].append((seconds + 1e-9 * nanoseconds, values, self.last["/hdr"][0]))


def receive_until(clients, end):
    """Lets both clients receive until the time `end` of time.monotonic()."""
    while True:
        for client in clients:
            client.receive()
        left = end - time.monotonic()
        if left <= 0:
            return
        select.select([c.socket for c in clients], [], [], left)
