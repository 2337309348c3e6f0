# SPDX-License-Identifier: MIT
"""OSC messages and bundles, as far as a controller of a motion platform needs them: numbers, texts and flags."""
import struct

SIZES = {"i": (">i", 4), "f": (">f", 4), "d": (">d", 8), "h": (">q", 8)}


def padded(data):
    """A text with its end, filled up to four bytes."""
    data += b"\0"
    return data + b"\0" * (-len(data) % 4)


def message(address, values):
    return padded(address.encode()) + padded(("," + "f" * len(values)).encode()) + b"".join(struct.pack(">f", v) for v in values)


def bundle(messages):
    return b"#bundle\0" + struct.pack(">Q", 1) + b"".join(struct.pack(">i", len(m)) + m for m in messages)


def take_text(data, at):
    end = data.index(b"\0", at)
    return data[at:end].decode(), end + 4 - end % 4


def messages(data):
    """[(address, values)] of a datagram. Raises ValueError or struct.error if it is no OSC."""
    if data.startswith(b"#bundle\0"):
        found, at = [], 16
        while at < len(data):
            size = struct.unpack_from(">i", data, at)[0]
            if not 0 < size <= len(data) - at - 4:
                raise ValueError("a wrong size in a bundle")
            found += messages(data[at + 4:at + 4 + size])
            at += 4 + size
        return found
    address, at = take_text(data, 0)
    types, at = take_text(data, at)
    if not address.startswith("/") or not types.startswith(","):
        raise ValueError("no message")
    values = []
    for kind in types[1:]:
        if kind in SIZES:
            form, size = SIZES[kind]
            values.append(struct.unpack_from(form, data, at)[0])
            at += size
        elif kind == "s":
            text, at = take_text(data, at)
            values.append(text)
        else:
            values.append({"T": 1, "F": 0}.get(kind))
    return [(address, values)]
