#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: lockstep.py [--steps N] [--pause S]

Balances the pole of lockstep.yaml: sets the force on the cart, asks ali3d for one step of 10 ms, reads the joints, and so on for N
steps (default 500). --pause sleeps S seconds after half of them. It prints the joints every 100 steps, and a checksum of every value
that it received: two runs with equal checksums are equal to the last bit. Exit status: 0 the pole stands, 1 it does not.

Lockstep is the class to copy: it needs nothing but Python's own library."""
import argparse
import socket
import struct
import sys
import time
import zlib


def osc_text(value):
    raw = value.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def osc_message(address, types, *values):
    """types: s text, i 32-bit integer, d 64-bit float."""
    pack = {"s": osc_text, "i": lambda v: struct.pack(">i", v), "d": lambda v: struct.pack(">d", v)}
    return osc_text(address) + osc_text("," + types) + b"".join(pack[t](v) for t, v in zip(types, values))


def osc_messages(packet):
    """(address, values) of each message in a packet."""
    if packet.startswith(b"#bundle\0"):
        at = 16
        while at < len(packet):
            size = struct.unpack_from(">i", packet, at)[0]
            yield from osc_messages(packet[at + 4:at + 4 + size])
            at += 4 + size
        return
    at, texts = 0, []
    while len(texts) < 2:  # address and types
        end = packet.index(b"\0", at)
        texts.append(packet[at:end].decode())
        at = end + 4 - end % 4
    values = []
    for t in texts[1][1:]:
        if t == "s":
            end = packet.index(b"\0", at)
            values.append(packet[at:end].decode())
            at = end + 4 - end % 4
        else:
            code, size = {"i": (">i", 4), "f": (">f", 4), "h": (">q", 8), "d": (">d", 8)}[t]
            values.append(struct.unpack_from(code, packet, at)[0])
            at += size
    yield texts[0], values


class Lockstep:
    """One ali3d with clock: lockstep. step() returns {address: values} of the frame after the step."""

    def __init__(self, streams, host="127.0.0.1", port=9100):
        self.to, self.streams, self.request, self.subscribed = (host, port), streams, 0, float("-inf")
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(1)
        self.socket.connect(self.to)

    def subscribe(self):
        """A subscription ends after 10 s. Profile 1: values are 64-bit floats."""
        if time.monotonic() - self.subscribed < 4:
            return
        self.subscribed = time.monotonic()
        for stream in self.streams:
            self.socket.send(osc_message("/ali3/sub", "siii", stream, 0, 1, 1))
            while ("/ali3/sub/ack", [stream, 0]) not in osc_messages(self.socket.recv(65536)):
                pass

    def reset(self):
        """Puts the model back to its initial state."""
        self.ask("reset", [("/ali3/cmd/reset", "i", [])])

    def step(self, inputs, steps=1):
        """inputs: {name: value} of inputs on force elements. They act together, in the first of the steps."""
        self.subscribe()
        return self.ask("step", [(f"/ali3/input/{name}/value", "d", [value]) for name, value in inputs.items()] +
                        [("/ali3/step", "ii", [steps])])

    def ask(self, command, messages):
        """Sends a bundle whose last message is a command, and adds a request number. Returns what comes before the answer."""
        self.request += 1
        messages[-1][2].append(self.request)
        packed = [osc_message(address, types, *values) for address, types, values in messages]
        bundle = b"#bundle\0" + struct.pack(">Q", 1) + b"".join(struct.pack(">i", len(m)) + m for m in packed)
        self.socket.send(bundle)
        frame, tries = {}, 0
        while True:
            try:
                packet = self.socket.recv(65536)
            except TimeoutError:
                tries += 1
                if command != "step" or tries == 5:
                    raise
                self.socket.send(bundle)  # the daemon makes a step once, and answers it again
                continue
            for address, values in osc_messages(packet):
                if address == "/ali3/ack" and values[0] == "input":
                    sys.exit("lockstep.py: another client owns the input; it is free 1 s after that client's last message")
                if address == "/ali3/ack" and values[:2] == [command, self.request]:
                    if values[2] != 0:
                        sys.exit(f"lockstep.py: {command} refused with result {values[2]}; ali3-osc(7) lists the results")
                    return frame
                if address not in ("/ali3/stepped", "/ali3/ack"):  # the answers to a step that was sent twice
                    frame[address] = values


def control(frame):
    """State feedback, N: gains of a linear-quadratic regulator for this cart and pole."""
    state = [frame[f"/ali3/joint/{joint}/{quantity}"][0] for joint in ("rail", "pivot") for quantity in ("position", "velocity")]
    return sum(gain * value for gain, value in zip((3.2, 5.0, 39.0, 10.5), state))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--pause", type=float, default=0)
    options = parser.parse_args()
    begin, checksum, force = time.monotonic(), 0, 0.0
    try:
        plant = Lockstep(["joint"])
        plant.reset()
        for n in range(1, options.steps + 1):
            frame = plant.step({"motor": force})
            force = control(frame)
            checksum = zlib.crc32(repr([v for a, v in sorted(frame.items()) if a != "/ali3/hdr"]).encode(), checksum)
            if n == options.steps // 2:
                time.sleep(options.pause)
            if n % 100 == 0:
                print(f"t {frame['/ali3/hdr'][1]:.2f} s  cart {frame['/ali3/joint/rail/position'][0]:+.4f} m  "
                      f"pole {frame['/ali3/joint/pivot/position'][0]:+.5f} rad", flush=True)
    except OSError as e:
        sys.exit(f"lockstep.py: 127.0.0.1:9100: {e}; start ali3d config/guides/lockstep.yaml")
    print(f"{options.steps} steps in {time.monotonic() - begin:.2f} s, checksum {checksum}")
    return 0 if abs(frame["/ali3/joint/pivot/position"][0]) < 0.01 else 1


if __name__ == "__main__":
    sys.exit(main())
