# SPDX-License-Identifier: MIT
"""Shared by the tests of programs that serve HTTP: one running program on a free port, and its requests."""
import re
import signal
import socket
import subprocess

import bench


class Served:
    """One running program. Use as a context. It prints its address first; `found` is the match of the pattern in that line, whose
    first group is the port."""

    def __init__(self, program, pattern, arguments, executable=None, before=None, **options):
        self.process = subprocess.Popen([executable or bench.program(program), "--listen", "127.0.0.1:0", *arguments],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        preexec_fn=before, **options)
        self.said = self.process.stdout.readline()
        self.found = re.search(pattern, self.said)
        if not self.found:
            self.__exit__()
            raise AssertionError(f"{program} said: {self.said!r}")
        self.port = int(self.found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(bench.PATIENCE)

    def connect(self, source="127.0.0.1"):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=bench.PATIENCE, source_address=(source, 0))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def ask(self, path, method="GET", headers=None, body=b""):
        """(status, {header: value}, body) over a new connection. A header None is left out."""
        lines = {"Host": "localhost", "Connection": "close", **({"Content-Length": str(len(body))} if body else {}), **(headers or {})}
        head = "".join(f"{k}: {v}\r\n" for k, v in lines.items() if v is not None)
        with self.connect() as s:
            s.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
            answer = b""
            while part := s.recv(65536):
                answer += part
        head, _, rest = answer.partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), rest
