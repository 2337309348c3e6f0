#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sends data that an OSC receiver must survive, from a raw socket and without any OSC library.

usage: osc_hostile.py HOST PORT PREFIX INPUT

INPUT is the name of a declared input. Prints the counts that the receiver must have at the end, one "COUNTER N" a line.
Nothing sent here may change an input, start a command, or be answered.
"""
import collections
import socket
import struct
import sys
import time

NAN, INF = float("nan"), float("inf")


def string(s):
    raw = s.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def message(address, types="", *values):
    code = {"i": ">i", "f": ">f", "d": ">d", "h": ">q"}
    return string(address) + string("," + types) + b"".join(struct.pack(code[t], v) for t, v in zip(types, values))


def bundle(*elements, tag=1):
    return b"#bundle\0" + struct.pack(">Q", tag) + b"".join(struct.pack(">I", len(e)) + e for e in elements)


def nested(depth, inner):
    for _ in range(depth):
        inner = bundle(inner)
    return inner


def good_for_4_kb(element):
    """A bundle of more than 4096 bytes that is well formed also when cut off there."""
    n = (4096 - 16 - 16) // (4 + len(element))
    room = 4096 - 16 - n * (4 + len(element))
    filler = message("/" + "x" * (room - 4 - 4 - 2))
    assert len(bundle(*[element] * n, filler)) == 4096
    return bundle(*[element] * n, filler, element)


def packets(prefix, name):
    force = f"{prefix}/input/{name}/force"
    run = message(f"{prefix}/cmd/run")
    good = message(force, "fff", 1, 2, 3)
    malformed = {
        "empty datagram": b"",
        "one byte": b"/",
        "zeros": b"\0" * 64,
        "noise": bytes(range(256)),
        "no slash": string("ali3") + string(","),
        "arguments without type tags": string(force) + struct.pack(">fff", 1, 2, 3),
        "unpadded command": string(f"{prefix}/cmd/run")[:-1],
        "type tags without a comma": string(f"{prefix}/cmd/run") + string("iii"),
        "address without an end": b"/" + b"a" * 127,
        "type tags without an end": string(force) + b"," + b"f" * 63,
        "arguments missing": message(force, "fff", 1, 2, 3)[:-4],
        "arguments cut in the middle": message(force, "fff", 1, 2, 3)[:-2],
        "arguments left over": good + b"\0" * 4,
        "blob without a size": string(force) + string(",b"),
        "blob longer than the packet": string(force) + string(",b") + struct.pack(">I", 0x7FFFFFFC),
        "blob of almost 4 GB": string(f"{prefix}/in/blob") + string(",iib") + struct.pack(">III", 1, 2, 0xFFFFFFFF) + b"1234",
        "blob without its zeros": string(f"{prefix}/in/blob") + string(",iib") + struct.pack(">III", 1, 2, 5) + b"1234",
        "zeros that are none": b"/a\0x" + string(","),
        "string without an end": string(f"{prefix}/unsub") + string(",s") + b"body",
        "60 kB of nothing": b"\0" * 60000,
        "60 kB message": string(force) + string("," + "f" * 12000) + b"\0" * 48000,
        "5 kB, good for the first 4": good_for_4_kb(good),
        "60 kB of bundles": nested(2900, good),
        "4 kB of bundles": nested(190, good),
        "bundle without a time tag": b"#bundle\0" + b"\0" * 4,
        "bundle whose end is missing": bundle(run, run)[:-8],
        "bundle element of a huge size": b"#bundle\0" + struct.pack(">QI", 1, 0xFFFFFFFC) + run,
        "bundle element of a negative size": b"#bundle\0" + struct.pack(">Qi", 1, -4) + run,
        "bundle element of an odd size": b"#bundle\0" + struct.pack(">QI", 1, 3) + run,
        "bundle element of no size": bundle(run, b""),
        "good command before a bad element": bundle(run, b"junk" * 4),
    }
    nonfinite = {
        "NaN": message(force, "fff", 1, NAN, 3),
        "infinity": message(force, "fff", INF, 2, 3),
        "NaN as a double": message(force, "ddd", 1, 2, NAN),
        "minus infinity in a bundle for the far future": bundle(message(force, "fff", 1, 2, -INF), tag=0xFFFFFFFF << 32),
    }
    unknown = {
        "pattern for all commands": message(f"{prefix}/cmd/*"),
        "pattern in braces": message(f"{prefix}/cmd/{{run,stop}}"),
        "pattern with NaN": message("/*/input/*/force", "fff", NAN, NAN, NAN),
        "enumeration": message(f"{prefix}/"),
        "other input": message(f"{prefix}/input/{name}x/force", "fff", 1, 2, 3),
    }
    type_errors = {
        "too few numbers": message(force, "ff", 1, 2),
        "too many numbers": message(force, "ffff", 1, 2, 3, 4),
        "unknown types": string(force) + string(",[]{}qrmX"),
    }
    for counter, kind in (
        ("osc_malformed", malformed),
        ("osc_nonfinite", nonfinite),
        ("osc_unknown", unknown),
        ("osc_type_errors", type_errors),
    ):
        for packet in kind.values():
            yield counter, packet


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    host, port, prefix, name = sys.argv[1:]
    counted = collections.Counter()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect((host, int(port)))
        for counter, packet in packets(prefix, name):
            s.send(packet)
            counted[counter] += 1
            time.sleep(0.002)  # the receiver's buffer must not overflow
        s.settimeout(0.2)
        try:
            sys.exit(f"osc_hostile: answered with {s.recv(65536)!r}")
        except TimeoutError:
            pass
    for counter, n in sorted(counted.items()):
        print(counter, n)


if __name__ == "__main__":
    main()
