# SPDX-License-Identifier: MIT
"""A reader of MDF 4.1, written from the standard: every link leads to a block of the right kind, and every block to its length."""
import struct


class Mf4:
    """One file. channels: {name: (unit, values)}."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        assert self.data[:16] == b"MDF     4.10    " and struct.unpack_from("<H", self.data, 28)[0] == 410
        assert self.data[60:64] == bytes(4), "the file says that it is not finished"
        (group, history, *others, comment), head = self.block(64, b"##HD", 6, 104)
        assert not any(others) and self.text(comment, b"##MD").startswith("<HDcomment")
        self.start = struct.unpack_from("<Q", head)[0]  # ns since 1970
        (following, note), _ = self.block(history, b"##FH", 2, 56)
        assert following == 0 and self.text(note, b"##MD").startswith("<FHcomment")
        (following, records, data, _), flags = self.block(group, b"##DG", 4, 64)
        assert following == 0 and flags == bytes(8)
        (following, channel, *rest), body = self.block(records, b"##CG", 6, 104)
        assert following == 0 and not any(rest)
        _, self.rows, _, _, _, self.width, unused = struct.unpack("<QQHHIII", body)
        assert unused == 0
        _, self.bytes = self.block(data, b"##DT", 0, 24 + self.rows * self.width)
        assert data + 24 + self.rows * self.width == len(self.data), "bytes behind the data"
        self.channels, self.master = {}, None
        while channel:
            channel = self.take(channel)
        assert self.next == self.width

    def block(self, at, kind, links, length):
        assert at % 8 == 0 and self.data[at:at + 4] == kind, f"{self.data[at:at + 4]} at {at}, not {kind}"
        _, found, count = struct.unpack_from("<IQQ", self.data, at + 4)
        assert count == links and (length is None or found == length) and at + found <= len(self.data), f"{kind} at {at}: {found}"
        return struct.unpack_from(f"<{links}Q", self.data, at + 24), self.data[at + 24 + 8 * links:at + found]

    def text(self, at, kind=b"##TX"):
        _, body = self.block(at, kind, 0, None)
        text, _, padding = body.partition(b"\0")
        assert not padding.strip(b"\0") and len(body) % 8 == 0
        return text.decode()

    def take(self, at):
        """A channel; the place of the next one."""
        (following, composition, name, source, conversion, more, unit, _), body = self.block(at, b"##CN", 8, 160)
        assert not any((composition, source, conversion, more))
        kind, sync, data_type, shift, offset, bits, flags = struct.unpack_from("<BBBBIII", body)
        assert shift == 0 and flags == 0 and offset == getattr(self, "next", 0)
        assert (kind, sync) == ((2, 1) if self.master is None else (0, 0)), "the first channel is the time"
        self.next = offset + bits // 8
        letter = {(4, 64): "d", (4, 32): "f", (0, 64): "Q"}[data_type, bits]
        values = [struct.unpack_from("<" + letter, self.bytes, row * self.width + offset)[0] for row in range(self.rows)]
        self.master = self.master or self.text(name)
        self.channels[self.text(name)] = self.text(unit), values
        return following
