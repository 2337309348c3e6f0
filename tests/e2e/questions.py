#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: questions.py PORT RATE SECONDS: a peer that may only read asks the daemon at 127.0.0.1, from 127.0.0.2, as much as a
100 Mbit/s line carries: RATE datagrams a second of 127 pings each (4080 bytes). Prints how many it sent.

As a module: the daemon, the sender of an input, and other parts that the tests of such a flood share."""
import socket
import struct
import subprocess
import sys
import time

import bench

READER = "127.0.0.2"
PINGS = 127
STALE = 1 << 6  # of the flags in /ali3/hdr
PEERS = [{"host": "127.0.0.1"}, {"host": READER, "access": "read"}]


def flood(port, rate, seconds):
    packet = bench.osc_bundle(*[bench.osc_message("/ali3/ping", "ih", k, k) for k in range(PINGS)])
    assert len(packet) == 4080, len(packet)
    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.bind((READER, 0))
    begin, sent = time.monotonic(), 0
    while (gone := time.monotonic() - begin) < seconds:
        while sent < gone * rate:
            client.sendto(packet, ("127.0.0.1", port))
            sent += 1
        time.sleep(0.0005)
    print(sent)


class Flood:
    """A flood. Use as a context."""

    def __init__(self, port, rate=2800, seconds=60):
        self.arguments = [sys.executable, __file__, str(port), str(rate), str(seconds)]

    def __enter__(self):
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        bench.kill_client(self.process)


def daemon(**changes):
    """A daemon with an input whose value a test chooses, for example the time in milliseconds."""
    body = bench.four_bar()["model"]["bodies"][0]["name"]
    return bench.Daemon(inputs=[{"name": "push", "body": body, "policy": "hold", "hold": 0.05, "blend": 0,
                                 "limit_force": 1e-3}],
                        osc={"peers": PEERS}, **changes)


class Stamped:
    """A subscriber with the kernel's arrival time of each packet, not the time at which this program read it."""

    SO_TIMESTAMPNS = 35

    def __init__(self, port):
        self.client = bench.OscClient(port)
        self.socket = self.client.socket
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.setsockopt(socket.SOL_SOCKET, self.SO_TIMESTAMPNS, 1)

    def close(self):
        self.client.close()

    def heard(self, seconds):
        """Messages of the next packet by address, and its time by the monotonic clock; None: no packet."""
        self.socket.settimeout(seconds)
        try:
            data, control, _, _ = self.socket.recvmsg(65536, 128)
        except (TimeoutError, BlockingIOError):
            return None
        apart = time.monotonic() - time.time()
        stamp = next(struct.unpack("qq", value) for _, kind, value in control if kind == self.SO_TIMESTAMPNS)
        return {address: values for address, _, values in bench.osc_decode(data)}, stamp[0] + stamp[1] * 1e-9 + apart


def estops(d, count, seconds=0.3):
    """Time in s from sending each e-stop until the packet that shows SAFE was sent; None: not within `seconds`.

    Between them `reset` leads to STOPPED; nothing needs to move for that. An e-stop is sent again if this program was held up
    while it sent it, because its time of sending is then unknown."""
    stamped = Stamped(d.osc_port)
    sender = bench.OscClient(d.osc_port)
    took = []

    def subscribe():
        stamped.client.send(bench.osc_message("/ali3/sub", "siii", "body", 0, 1, 0))

    def wait_for_state(state, patience):
        end = time.monotonic() + patience
        while (left := end - time.monotonic()) > 0:
            got = stamped.heard(left)
            if got and "/ali3/hdr" in got[0] and bench.STATES[got[0]["/ali3/hdr"][2]] == state:
                return got[1]
        return None

    try:
        subscribe()
        k = 0
        while len(took) < count:
            k += 1
            if k % 20 == 1:
                subscribe()  # renews the lease
            for _ in range(20):
                sender.send(bench.osc_message("/ali3/cmd/stop", "i", 2 * k))
                sender.send(bench.osc_message("/ali3/cmd/reset", "i", 2 * k))
                if wait_for_state("STOPPED", 0.5):
                    break
            else:
                raise AssertionError("reset does not lead to STOPPED")
            begin = time.monotonic()
            sender.send(bench.osc_message("/ali3/cmd/estop", "i", 2 * k + 1))
            sent = time.monotonic()
            at = wait_for_state("SAFE", seconds)
            if sent - begin < 0.001:
                took.append(at - begin if at else None)
            if at is None and not wait_for_state("SAFE", 5):
                sender.send(bench.osc_message("/ali3/cmd/estop", "i", 0))
                wait_for_state("SAFE", 5)
    finally:
        stamped.close()
        sender.close()
    return took


if __name__ == "__main__":
    flood(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
