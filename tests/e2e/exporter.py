# SPDX-License-Identifier: MIT
"""Shared by the tests of ali3-exporter: the program on a free port, daemons with a shipped configuration,
and a strict reader of the text format."""
import os
import re
import socket

import bench
from served import Served


class Exporter(Served):
    """One running ali3-exporter. Use as a context. Its pages are text."""

    def __init__(self, *arguments, **options):
        super().__init__("ali3-exporter", r"http://127\.0\.0\.1:(\d+)/metrics", arguments, **options)

    def get(self, path, method="GET", headers=None, host="localhost"):
        status, head, body = self.ask(path, method, {"Host": host, **(headers or {})})
        return status, head, body.decode()

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
