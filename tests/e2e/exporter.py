# SPDX-License-Identifier: MIT
"""Shared by the tests of ali3-exporter: the program on a free port, daemons with a shipped configuration,
and a strict reader of the text format."""
import os
import re
import signal
import socket
import subprocess

import bench


class Exporter:
    """One running ali3-exporter. Use as a context."""

    def __init__(self, *arguments, executable=None, before=None, **options):
        self.process = subprocess.Popen([executable or bench.program("ali3-exporter"), "--listen", "127.0.0.1:0", *arguments],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        preexec_fn=before, **options)
        self.said = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", self.said)
        if not found:
            self.__exit__()
            raise AssertionError(f"ali3-exporter said: {self.said!r}")
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(10)

    def connect(self, source="127.0.0.1"):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=10, source_address=(source, 0))
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def get(self, path, method="GET", headers="", host="localhost"):
        """(status, {header: value}, body) over a new connection."""
        with self.connect() as s:
            s.sendall(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n".encode())
            answer = b""
            while part := s.recv(65536):
                answer += part
        head, _, body = answer.partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        return int(first.split()[1]), dict(line.split(": ", 1) for line in rest), body.decode()

    def metrics(self):
        status, _, text = self.get("/metrics")
        assert status == 200, status
        return read(text)


def shipped():
    """A daemon of config/four-bar.yaml with other ports and names."""
    d = bench.Daemon()
    with open(os.path.join(bench.ROOT, "config", "four-bar.yaml"), encoding="utf-8") as f:
        text = f.read()
    for line, change in ((r"^  port: 9100$", f"  port: {d.osc_port}"), (r"^  port: 1502$", f"  port: {d.modbus_port}"),
                         (r"^(telemetry: \{name: )four_bar\}", rf"\g<1>{d.name}}}"),
                         (r"port: 9101\}", f"port: {bench.free_port(socket.SOCK_DGRAM)}}}")):
        text, n = re.subn(line, change, text, flags=re.M)
        assert n == 1, f"config/four-bar.yaml has {n} lines {line}"
    with open(d.config, "w", encoding="utf-8") as f:
        f.write(text)
    return d


LABELS = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')


def read(text):
    """{(name, (label, value), ...): number}. Checks the rules of the format: HELP and TYPE before the lines of a metric, once,
    no line twice, histograms cumulative with count and sum."""
    out, kind, current = {}, {}, None
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            current = line.split()[2]
            assert current not in kind, f"{current} twice"
        elif line.startswith("# TYPE "):
            _, _, name, of = line.split()
            assert name == current and of in ("gauge", "counter", "histogram"), line
            kind[name] = of
        else:
            name, labels, value = re.fullmatch(r"([a-z_][a-z0-9_]*)\{(.*)\} (\S+)", line).groups()
            base = re.sub(r"_(bucket|sum|count)$", "", name) if kind[current] == "histogram" else name
            assert base == current, f"{line} below {current}"
            assert kind[current] != "counter" or name.endswith("_total"), line
            assert LABELS.sub("", labels) == "", line
            key = (name, *LABELS.findall(labels))
            assert key not in out, f"{line} twice"
            out[key] = float(value)
    for name in [name for name, of in kind.items() if of == "histogram"]:
        for instance in {key[1] for key in out if key[0] == name + "_bucket"}:
            buckets = [(float(key[2][1]), v) for key, v in out.items() if key[:2] == (name + "_bucket", instance)]
            assert buckets == sorted(buckets) and [v for _, v in buckets] == sorted(v for _, v in buckets), buckets
            assert buckets[-1] == (float("inf"), out[(name + "_count", instance)]), buckets
            assert out[(name + "_sum", instance)] >= 0
    return out
