# SPDX-License-Identifier: MIT
"""Shared by the tests of ali3-view: the program on a free port, its requests, and a reader of its streams written from
ali3-view(1)."""
import json
import socket
import struct
import time

import bench
from served import Served

KINDS = {0: "still", 1: "head", 2: "frame", 3: "loop", 4: "event", 5: "gone", 6: "dense"}


def decode(kind, payload):
    if kind in ("head", "event", "gone"):
        return json.loads(payload)
    if kind == "frame":
        cycle, t, t_ns, state, flags, fault, count = struct.unpack_from("<QdQIIII", payload)
        return {"cycle": cycle, "time": t, "t_ns": t_ns, "state": bench.STATES[state], "flags": flags, "fault": fault,
                "values": struct.unpack_from(f"<{count}f", payload, 40)}
    if kind == "loop":
        return dict(zip(("wakeup", "step", "cycle", "cycles", "misses"), struct.unpack_from("<IIIIQ", payload)))
    if kind == "dense":
        cycles, count = struct.unpack_from("<II", payload)
        step = 24 + 4 * (count + count % 2)
        return [struct.unpack_from(f"<QdQ{count}f", payload, 8 + i * step) for i in range(cycles)]
    return None


class Stream:
    """One stream of a server, as a chunked answer."""

    def __init__(self, port, query, source="127.0.0.1", headers=""):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=bench.PATIENCE, source_address=(source, 0))
        self.socket.sendall(f"GET /api/v1/stream?{query} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n".encode())
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        while self.file.readline() not in (b"\r\n", b""):
            pass
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def more(self):
        size = int(self.file.readline() or b"0", 16)
        self.bytes += self.file.read(size)
        self.file.readline()
        return size > 0

    def record(self):
        """(kind, content) of the next record; None at the end of the stream."""
        while len(self.bytes) < 8 or len(self.bytes) < struct.unpack_from("<I", self.bytes)[0]:
            if not self.more():
                return None
        size, kind, version = struct.unpack_from("<IBB", self.bytes)
        assert version == 2 and size % 8 == 0, (size, version)
        payload, self.bytes = self.bytes[8:size], self.bytes[size:]
        return KINDS[kind], decode(KINDS[kind], payload)

    def next(self, kind, seconds=bench.PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            got = self.record()
            if got is None or got[0] == kind:
                return got and got[1]
        raise AssertionError(f"no {kind} within {seconds} s")


class Viewer(Served):
    """One running ali3-view. Use as a context."""

    def __init__(self, *arguments):
        super().__init__("ali3-view", r"http://127\.0\.0\.1:(\d+)/(?:#token=([0-9a-f]{32}))?", arguments)
        self.token = self.found.group(2)

    def json(self, path):
        status, _, body = self.ask(path)
        assert status == 200, (path, status, body)
        return json.loads(body)

    def post(self, path, content, token="", **headers):
        """token "": the right one; None: none."""
        lines = {"Content-Type": "application/json", "Authorization": f"Bearer {token or self.token}", **headers}
        if token is None:
            del lines["Authorization"]
        status, _, body = self.ask(path, "POST", lines, json.dumps(content).encode())
        return status, json.loads(body)

    def stream(self, query, source="127.0.0.1", headers=""):
        return Stream(self.port, query, source, headers)
