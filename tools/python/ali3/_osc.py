# SPDX-License-Identifier: MIT
"""OSC 1.0 messages as bytes."""
from __future__ import annotations

import struct
from typing import Any, Iterator, Sequence

NUMBERS = {"i": (">i", 4), "f": (">f", 4), "h": (">q", 8), "d": (">d", 8)}


def _text(value: str) -> bytes:
    raw = value.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def message(address: str, types: str = "", *values: Any) -> bytes:
    """types: s text, i and h integers, f and d numbers."""
    packed = [_text(v) if t == "s" else struct.pack(NUMBERS[t][0], v) for t, v in zip(types, values)]
    return _text(address) + _text("," + types) + b"".join(packed)


def bundle(messages: Sequence[bytes]) -> bytes:
    """Messages that arrive together."""
    return b"#bundle\0" + struct.pack(">Q", 1) + b"".join(struct.pack(">i", len(m)) + m for m in messages)


def messages(packet: bytes) -> Iterator[tuple[str, list[Any]]]:
    """(address, values) of each message in a packet; ValueError, IndexError or struct.error if it is none."""
    if packet.startswith(b"#bundle\0"):
        at = 16
        while at < len(packet):
            size = struct.unpack_from(">i", packet, at)[0]
            if size <= 0:
                raise ValueError("a bundle with an empty part")
            yield from messages(packet[at + 4:at + 4 + size])
            at += 4 + size
        return
    at = 0
    texts: list[str] = []
    while len(texts) < 2:  # address and types
        end = packet.index(b"\0", at)
        texts.append(packet[at:end].decode())
        at = end + 4 - end % 4
    values: list[Any] = []
    for t in texts[1][1:]:
        if t == "s":
            end = packet.index(b"\0", at)
            values.append(packet[at:end].decode(errors="replace"))
            at = end + 4 - end % 4
        elif t in "TF":
            values.append(t == "T")
        else:
            code, size = NUMBERS[t]
            values.append(struct.unpack_from(code, packet, at)[0])
            at += size
    yield texts[0], values
