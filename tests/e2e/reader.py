# SPDX-License-Identifier: MIT
"""A reader of a document: runs its commands in one shell, in the order given, in a folder that looks like the repository after
tools/quickstart, and looks for the output that the document shows.

In a Markdown file a ```yaml, ```c or ```python block is the file that the text before it names in backquotes, a ```sh block holds commands, and
a ```text block after it is their output: every line shown must come, in the order shown, while numbers may differ. Three dots stand for
text or lines that are left out. After "```text figures" numbers may differ by a part in a hundred only.
"```text host" shows what one host said: it is not looked for."""
import contextlib
import functools
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

import bench

ENDLESS = ("oscdump",)  # commands that a reader ends with Ctrl-C
PORTS = ((socket.SOCK_DGRAM, 9100), (socket.SOCK_STREAM, 1502), (socket.SOCK_DGRAM, 9101))  # the default ports
# A host for itself: no other program holds a default port or shows among the instances, and none of its processes outlives the shell.
APART = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/sh", "-c",
         'ip link set lo up && mount -t tmpfs tmpfs /dev/shm && exec "$@"', "sh")
COMMAND_SECONDS, OUTPUT_SECONDS = bench.PATIENCE, bench.PATIENCE
WAIT_SECONDS = 4 * bench.PATIENCE  # while the other tests with the default ports run
NUMBER = re.compile(r"[0-9a-f]{8}\.[0-9a-f]{8}(?= /)|[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
READY = "ali3d: ready:"
END = re.compile(r"\x1e(\d+)\n")
HOST = re.compile(r"; hypervisor took processors for [\d.]+ m?s about then|\d+ deadlines? missed(?:, the last \d+ s ago)?; ")


def blocks(text):
    """(language, words after it, body, text before it) of every fenced block."""
    for m in re.finditer(r"^```(\w+)([^\n]*)\n(.*?)^```", text, re.S | re.M):
        yield m.group(1), m.group(2).split(), m.group(3), text[:m.start()]


def commands(block):
    """Lines of a block, those that end in a backslash joined."""
    return [line for line in block.replace("\\\n", " ").splitlines() if line.strip()]


def file_named_before(text, language):
    return re.findall(rf"`([\w-]+\.{dict(python='py').get(language, language)})`", text)[-1]


def pattern(line):
    """A line of a document as a regular expression, each number as a group. Any blanks match any blanks, three dots any text."""
    parts = [r"\s+".join(map(re.escape, re.split(r"\s+", part))) for part in NUMBER.split(line.strip())]
    return re.compile(re.sub(r"(\\s\+)?\\\.\\\.\\\.(\\s\+)?", ".*", rf"({NUMBER.pattern})".join(parts)))


def missing(shown, out, tight):
    """The first line of a block that the output does not have after the lines before it. None: it has all."""
    at = 0
    for line in shown.splitlines():
        if line.strip() in ("", "..."):
            continue
        for m in pattern(line).finditer(out, at):
            if not tight or all(abs(float(a) - float(b)) <= 0.01 * abs(float(a)) for a, b in zip(NUMBER.findall(line), m.groups())):
                at = m.end()
                break
        else:
            return line
    return None


@functools.cache
def apart():
    """The words before a command that give it a host for itself; none where this host refuses that."""
    return APART if subprocess.run([*APART, "true"], capture_output=True, check=False).returncode == 0 else ()


class Reader:
    """One shell, on a host for itself where that can be. Use as a context; ends every process that the shell started."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="ali3-e2e-")
        self.path = pathlib.Path(self.folder.name)
        for name in ("config", "include", "tools", "tests"):
            (self.path / name).symlink_to(os.path.join(bench.ROOT, name))
        (self.path / "build").symlink_to(os.path.dirname(os.path.abspath(bench.BIN)))
        self.terminal = open(self.path / ".terminal", "w+", encoding="utf-8", errors="replace")
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "STATE_DIRECTORY": self.folder.name}
        self.shell = subprocess.Popen([*apart(), "/bin/bash"], cwd=self.path, stdin=subprocess.PIPE, stdout=self.terminal,
                                      stderr=subprocess.STDOUT, text=True, start_new_session=True, env=environment)
        self.begin = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for number in (signal.SIGKILL,) if apart() else (signal.SIGTERM, signal.SIGKILL):  # the session that it began, nobody else's
            end = time.monotonic() + 3
            while time.monotonic() < end and self.signalled(number):
                self.shell.poll()
                time.sleep(0.05)
        self.shell.wait()
        self.terminal.close()
        self.folder.cleanup()

    def signalled(self, number):
        try:
            os.killpg(self.shell.pid, number)
        except ProcessLookupError:
            return False
        return True

    def terminal_text(self):
        return (self.path / ".terminal").read_text(encoding="utf-8", errors="replace")

    def seen(self):
        """Everything on the terminal since the last command block began, without what ali3d says of a busy host in the midst of a line."""
        return HOST.sub("", self.terminal_text()[self.begin:])

    def turn(self):
        """A block of commands begins."""
        self.begin = len(self.terminal_text())

    def run(self, command):
        """(exit status, what the terminal has shown since the last turn). A command in the background counts as done after 0.2 s, and a
        daemon when it is ready: a reader sees that before the next command."""
        if command.startswith(ENDLESS):
            command = "timeout 3 " + command
        command = command.replace("mbpoll ", "mbpoll -o 10 ", 1)  # s; its own patience is 1 s
        count, daemons = len(END.findall(self.seen())), self.seen().count(READY)
        self.shell.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\036%d\\n' $?\n")
        self.shell.stdin.flush()
        bench.wait_for(lambda: f"the end of {command}; the terminal shows:\n{self.terminal_text()}",
                       lambda: len(END.findall(self.seen())) > count, COMMAND_SECONDS)
        if command.rstrip().endswith("&"):
            time.sleep(0.2)
            if command.startswith("build/bin/ali3d "):
                bench.wait_for(lambda: f"the daemon of {command}; the terminal shows:\n{self.terminal_text()}",
                               lambda: self.seen().count(READY) > daemons, OUTPUT_SECONDS)
        status = int(END.findall(self.seen())[-1])
        return 0 if status == 124 and command.startswith("timeout ") else status, self.seen()

    def wait_for_output(self, shown, tight):
        """Waits until the terminal has shown a block of output."""
        bench.wait_for(lambda: f"the line {missing(shown, self.seen(), tight)!r}; the terminal shows:\n{self.terminal_text()}",
                       lambda: missing(shown, self.seen(), tight) is None, OUTPUT_SECONDS)


def takes(lock, name):
    """A socket gets a name that no other has."""
    with contextlib.suppress(OSError):
        lock.bind(name)
        return True
    return False


def ports_are_free(test):
    """Takes the default ports for a test, one test at a time; skips it where another program holds one. A shell on a host for itself
    has its own ports."""
    if apart():
        return
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    test.addCleanup(lock.close)
    bench.wait_for("the end of other tests with the default ports", lambda: takes(lock, "\0ali3-e2e-default-ports"), WAIT_SECONDS)
    for kind, port in PORTS:
        with socket.socket(socket.AF_INET, kind) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError as e:
                test.skipTest(f"port {port}: {e}")


def follow(test, text, elsewhere=(), statuses=None):
    """Runs a document up to the first mistake. elsewhere: beginnings of commands that other tests run; their output is skipped, too.
    statuses: {command: statuses that it may end with}; (0,) by default. Returns the number of commands that it ran, and everything
    that the terminal showed."""
    ran, skipped = 0, False
    with Reader() as reader:
        for language, words, body, before in blocks(text):
            if language in ("yaml", "c", "python"):
                (reader.path / file_named_before(before, language)).write_text(body, encoding="utf-8")
            elif language == "sh":
                skipped = commands(body)[0].startswith(elsewhere) if elsewhere else False
                reader.turn()
                for command in commands(body):
                    if elsewhere and command.startswith(elsewhere):
                        continue
                    status, out = reader.run(command)
                    test.assertIn(status, (statuses or {}).get(command, (0,)), f"{command}: {out}")
                    ran += 1
            elif language == "text" and not skipped and "host" not in words:
                reader.wait_for_output(body, "figures" in words)
        reader.begin = 0
        return ran, reader.seen()
