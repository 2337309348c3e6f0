# SPDX-License-Identifier: MIT
"""The bench of the end-to-end tests: starts the real daemon on free ports in a folder of its own, and talks to it.

Three kinds of client: oscsend, oscdump and mbpoll (which share nothing with us, though the first two share liblo), an OSC
coder (tools/demo_parts/osc.py) and a Modbus client written from the specifications, and raw sockets. Python's own library is
all it needs. Every process it starts is ended by its pid; everything goes over 127.0.0.1."""
import contextlib
import ctypes
import itertools
import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import held_up

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
from demo_parts.osc import decode as osc_decode, message as osc_message, text as osc_string  # noqa: E402, F401

PORTS = None  # port_range(), at the first free_port()
BIN = ""  # folder of the programs; the command line sets it
SANITIZED = os.environ.get("ALI3_SANITIZE")  # what the programs are built with
# The environment of a program that outlives crashes of its children. The handlers of a sanitizer would report them.
OUTLIVES_CRASHES = {f"{name}_OPTIONS": f"{os.environ.get(f'{name}_OPTIONS', '')}:handle_segv=0:handle_sigbus=0" for name in ("ASAN", "TSAN")}
STATES = ["INIT", "STOPPED", "READY", "RUNNING", "PAUSED", "FAULT", "SAFE", "EXIT"]
PATIENCE = 300.0  # s: a limit that only bounds a failure, so it is far above what a busy host needs
JUDGES_TIMES = "ALI3_JUDGE_TIMES" in os.environ  # the tier timing sets it: nothing else runs then
REARM = 0.5  # s, between the frame that shows STOPPED after a stop and the arm that counts
COMMANDS = {"init": 1, "arm": 2, "run": 3, "pause": 4, "stop": 5, "reset": 6, "park": 7, "estop": 8, "step": 9, "clear": 10,
            "inject": 11, "record": 13}


def program(name):
    return os.path.join(BIN, name)


def need(tool):
    """Path of a client that the test needs; skips the test if it is not installed."""
    path = shutil.which(tool)
    if not path:
        raise unittest.SkipTest(f"{tool} is not installed")
    return path


def port_range():
    """The ports of this process: 200 below the range from which the kernel takes ports. No parallel test gets
    them, because only one process can bind the name in the abstract namespace."""
    for first in range(10000, 30000, 200):
        owner = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            owner.bind(f"\0ali3-e2e-ports-{first}")
        except OSError:
            owner.close()
            continue
        return owner, itertools.cycle(range(first, first + 200))
    raise AssertionError("all ranges of ports are taken")


def free_port(kind):
    """A port for a daemon to bind. The ports of a process take turns, so that a port comes back late."""
    global PORTS
    PORTS = PORTS or port_range()
    for port in itertools.islice(PORTS[1], 200):
        with socket.socket(socket.AF_INET, kind) as s, contextlib.suppress(OSError):
            s.bind(("127.0.0.1", port))
            return port
    raise AssertionError("no port is free")


def wait_for(what, condition, seconds=PATIENCE):
    """Waits until condition() is true and returns its result. The time limit only bounds a failure. `what` may be a function."""
    end = time.monotonic() + seconds
    while True:
        got = condition()
        if got:
            return got
        if time.monotonic() > end:
            raise AssertionError(f"after {seconds} s still not: {what() if callable(what) else what}")
        time.sleep(0.01)


def in_time(test, took, limit, what=None):
    """`took` is less than `limit`. Judged in the tier timing alone: elsewhere other programs share the processors."""
    if JUDGES_TIMES:
        test.assertLess(took, limit, what)


def no_more_misses(phase, calm, allowed=2):
    """phase() returns the misses of a phase with load. They may be `allowed` more than in the calm phase. A daemon that the load makes
    late is late each time, and a host that stands still for some cycles is not: the phase may run three times."""
    counts = []
    while len(counts) < 3 and (not counts or counts[-1] > calm + allowed):
        counts.append(phase())
    if counts[-1] > calm + allowed:
        raise AssertionError(f"{counts} misses in phases with load, {calm} in a calm one")


def run_on(seconds):
    """Lets the programs go on, or stand still, for at least this long. A busy host makes it longer, which must not matter."""
    time.sleep(seconds)


def pace(seconds):
    """Between two messages of a client, or two looks: at least this long."""
    time.sleep(seconds)


def wait_to_rearm():
    """After the frame that shows STOPPED, which is some cycles later, an arm counts."""
    time.sleep(REARM + 0.1)


def four_bar():
    with open(os.path.join(ROOT, "tests", "reference", "four_bar.json"), encoding="utf-8") as f:
        return json.load(f)


def push(**keys):
    """An input on a body of the four-bar."""
    return {"name": "push", "body": four_bar()["model"]["bodies"][0]["name"], **keys}


# ---- OSC, from the 1.0 specification

def osc_bundle(*elements):
    return b"#bundle\0" + struct.pack(">Q", 1) + b"".join(struct.pack(">i", len(e)) + e for e in elements)


class OscClient:
    """A UDP socket that sends to the daemon and receives its answers."""

    def __init__(self, port, prefix="/ali3"):
        self.to, self.prefix = ("127.0.0.1", port), prefix
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))

    def close(self):
        self.socket.close()

    def send(self, packet):
        self.socket.sendto(packet, self.to)

    def answer(self, address, seconds=PATIENCE):
        """Values of the next message to that address."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            with contextlib.suppress(TimeoutError):
                for got, _, values in osc_decode(self.socket.recv(65536)):
                    if got == address:
                        return values
        raise AssertionError(f"no {address} within {seconds} s")

    def command(self, name, request):
        """Result of a command: 0 done, 1 wrong state, 2 not authorised, 3 bad argument, 4 not ready, 5 busy, 6 too soon."""
        self.send(osc_message(f"{self.prefix}/cmd/{name}", "i", request))
        while True:
            command, got, result = self.answer(f"{self.prefix}/ack")
            if got == request:
                assert command == name, f"ack of '{command}' for '{name}'"
                return result


def run_again(command):
    """The way from SAFE, or from STOPPED after a crash, to RUNNING. command(name): result of a command; reset may be refused. A reset
    that comes before the frame that shows the last stop does not count; the state is then wrong for the arm."""
    end, result = time.monotonic() + PATIENCE, 1
    while result == 1 and time.monotonic() < end:
        command("reset")
        wait_to_rearm()
        result = command("arm")
    assert result == 0, f"arm after a stop: result {result}"
    result = command("run")
    assert result == 0, f"run after a stop: result {result}"


class OscReceiver:
    """A configured target: collects the state that the daemon sends."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()

    def drain(self):
        """Forgets the frames so far."""
        self.socket.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.socket.recv(65536)

    def frames(self, count, body, seconds=PATIENCE):
        """The next `count` frames as (cycle, time, state, 13 values of the body)."""
        out, end = [], time.monotonic() + seconds
        while len(out) < count:
            if time.monotonic() > end:
                raise AssertionError(f"{len(out)} of {count} frames within {seconds} s")
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                messages = {address: values for address, _, values in osc_decode(self.socket.recv(65536))}
            except TimeoutError:
                continue
            if f"/ali3/body/{body}/state" in messages:
                cycle, t, state = messages["/ali3/hdr"][:3]
                out.append((cycle, t, STATES[state], messages[f"/ali3/body/{body}/state"]))
        return out


# ---- Modbus TCP, from the specification

class ModbusError(Exception):
    def __init__(self, code):
        super().__init__(f"Modbus exception {code}")
        self.code = code


class ModbusClient:
    def __init__(self, port, source="127.0.0.1"):
        """source: the daemon takes 127.0.0.2 for another host."""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE, source_address=(source, 0))
        self.transaction = 0

    def close(self):
        self.socket.close()

    def _receive(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise ConnectionError("the server closed the connection")
            data += more
        return data

    def request(self, function, body):
        self.transaction = (self.transaction + 1) & 0xFFFF
        self.socket.sendall(struct.pack(">HHHBB", self.transaction, 0, len(body) + 2, 1, function) + body)
        transaction, protocol, length = struct.unpack(">HHH", self._receive(6))
        answer = self._receive(length)
        assert (transaction, protocol, answer[0]) == (self.transaction, 0, 1), "answer to another request"
        if answer[1] == function | 0x80:
            raise ModbusError(answer[2])
        assert answer[1] == function, f"function {answer[1]} answered to {function}"
        return answer[2:]

    def read(self, function, first, count):
        answer = self.request(function, struct.pack(">HH", first, count))
        return list(struct.unpack(f">{count}H", answer[1:]))

    def inputs(self, first, count):
        return self.read(4, first, count)

    def floats(self, first, count):
        return list(struct.unpack(f">{count}f", struct.pack(f">{2 * count}H", *self.inputs(first, 2 * count))))

    def write(self, first, values):
        self.request(16, struct.pack(">HHB", first, len(values), 2 * len(values)) + struct.pack(f">{len(values)}H", *values))

    def state(self):
        return STATES[self.inputs(2, 1)[0]]

    def command(self, name, sequence, argument=0):
        """Writes the command triple and waits for the loop's answer. Returns the result."""
        self.write(0, [COMMANDS[name], argument, sequence])
        return wait_for(f"answer to Modbus command {name}",
                        lambda: self.answered(COMMANDS[name], sequence)) - 1

    def answered(self, code, sequence):
        """1 + the result, or 0 while there is none."""
        last, got, result = self.inputs(18, 3)
        return 1 + result if (last, got) == (code, sequence) else 0


# ---- the daemon

LIBC, PR_SET_PDEATHSIG = ctypes.CDLL(None), 1


def end_with_this_test():
    """In the child, before it becomes the program: should the test be killed, its daemon holds no port any longer."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Daemon:
    """One running daemon. Use as a context; it removes everything at the end, also after a failure."""

    def __init__(self, arguments=(), user=None, wait=True, environment=None, executable="ali3d", prefix=(),
                 **changes):
        self.dir = tempfile.mkdtemp(prefix="ali3-e2e-")
        os.chmod(self.dir, 0o755)
        self.name = f"e2e-{os.getpid()}-{random.randrange(1 << 30):x}"
        self.osc_port = free_port(socket.SOCK_DGRAM)
        self.modbus_port = free_port(socket.SOCK_STREAM)
        self.report_file = os.path.join(self.dir, "report.json")
        self.state_dir = os.path.join(self.dir, "state")
        self.state_file = os.path.join(self.state_dir, self.name + ".state")
        case = four_bar()
        config = {
            "model": case["model"],
            "cycle": {"period": 0.01, "autostart": True, "warmup": 20},
            "inputs": [{"name": "push", "body": case["model"]["bodies"][0]["name"], "policy": "safe", "hold": 0.3}],
            "osc": {"port": self.osc_port},
            "modbus": {"port": self.modbus_port},
            "telemetry": {"name": self.name},
        }
        if "model" not in changes:  # with one step of 10 ms a four-bar that is pushed may diverge where its bodies lie in one line
            config["solver"] = {"substeps": 2}
        for section, keys in changes.items():
            if isinstance(keys, dict) and "file" not in keys:  # which stands alone
                config.setdefault(section, {}).update(keys)
            else:
                config[section] = keys
        if "platform" in config and config["cycle"]["autostart"] is True:
            config["cycle"]["autostart"] = "even_with_platform"
        self.config = self.file("bench.json", json.dumps(config, indent=1))
        self.notified = []
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(os.path.join(self.dir, "notify"))
        os.chmod(os.path.join(self.dir, "notify"), 0o777)
        self.arguments = list(arguments)
        self.user = user
        self.environment = environment or {}
        self.wait = wait
        self.executable = executable
        self.prefix = list(prefix)  # words before the program: something that becomes it
        self.process = None

    def file(self, name, text):
        path = os.path.join(self.dir, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        environment = dict(os.environ, NOTIFY_SOCKET=os.path.join(self.dir, "notify"), **self.environment)
        executable, states = program(self.executable), ["--state-dir", self.state_dir] if self.state_dir else []  # None: the default folder
        options = {}
        if self.user is not None:  # a copy, since the build folder may not be open to others
            executable = shutil.copy(executable, self.dir)
            os.chown(self.dir, self.user, -1)
            options = {"user": self.user, "group": self.user, "extra_groups": []}
        with open(os.path.join(self.dir, "log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*self.prefix, executable, self.config, "--report", self.report_file, *states, *self.arguments], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, env=environment, cwd=self.dir, preexec_fn=end_with_this_test, **options)
        if self.wait:
            wait_for(lambda: f"READY=1 from ali3d; it said:\n{self.said()}", self.ready)

    def start_again(self):
        """Starts the daemon again after its end."""
        self.hear()
        self.notified = []
        self.start()

    def kept(self):
        """The content of the state file."""
        with open(self.state_file, encoding="utf-8") as f:
            return json.load(f)

    def hear(self):
        """All service notifications so far."""
        self.notify.settimeout(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                for line in self.notify.recv(4096).decode().splitlines():
                    self.notified.append((time.monotonic(), line))
        return [line for _, line in self.notified]

    def ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"ali3d ended with {self.process.returncode}:\n{self.said()}")
        return "READY=1" in self.hear()

    def said(self):
        with open(os.path.join(self.dir, "log"), encoding="utf-8") as f:
            return f.read()

    def finish(self, seconds=PATIENCE):
        """Waits for the end and returns the exit status. Reads notifications, because a full queue takes no further ones."""
        def ended():
            self.hear()
            return self.process.poll() is not None

        wait_for(lambda: f"the end of ali3d; it said:\n{self.said()}", ended, seconds)
        return self.process.returncode

    def stop(self, number=signal.SIGTERM):
        """Clean stop: (exit status, report)."""
        self.process.send_signal(number)
        status = self.finish()
        return status, self.report()

    def report(self):
        with open(self.report_file, encoding="utf-8") as f:
            return json.load(f)

    def watch(self):
        """The output of ali3-top --json."""
        done = subprocess.run([program("ali3-top"), "--json", "--once", "--instance", self.name], capture_output=True,
                              text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            raise AssertionError(f"ali3-top --json: status {done.returncode}, {done.stdout!r} {done.stderr!r}") from None

    def counter(self, name):
        return self.watch()["counters"][name]

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.notify.close()
        for part in ("", ".new", ".osc", ".lock", ".frames", ".recorder"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"/dev/shm/ali3-{self.name}{part}")
        shutil.rmtree(self.dir, ignore_errors=True)


def kill_client(process):
    """kill -9, of a process this test started."""
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def names(result):
    """Names of failed tests to run again: 'Class.test'. None if more than tests failed, such as the set-up of a class."""
    failed = [getattr(test, "test_case", test) for test, _ in result.failures + result.errors]  # a subtest knows its test
    if not all(isinstance(test, unittest.TestCase) for test in failed):
        return None
    return sorted({test.id().split(".", 1)[1] for test in failed})


def run(arguments):
    return unittest.main(module="__main__", argv=[sys.argv[0], "-v", *arguments], exit=False, warnings="ignore").result


def stand_apart():
    """Lets this test and the programs that it starts go before other programs, where the host allows it: its clients stand for
    hardware that has a processor of its own, such as a PLC that writes an input every 20 ms."""
    with contextlib.suppress(PermissionError):
        os.nice(-10)


def main():
    """usage: test_NAME.py BIN [unittest argument]...; status 77 if every test was skipped."""
    global BIN
    stand_apart()
    BIN = os.path.abspath(sys.argv[1])
    # Where daemons that tests start by themselves leave their state files.
    with tempfile.TemporaryDirectory(prefix="ali3-e2e-") as folder, held_up.HeldUp(BIN) as host:
        os.environ["STATE_DIRECTORY"] = folder
        result = run(sys.argv[2:])
        skipped = [f"{test}: {reason}" for test, reason in result.skipped]
        count, failed = result.testsRun, not result.wasSuccessful()
        excuse = host.excuse() if failed else ""
        if excuse:
            print(f"once more what failed, since {excuse}", flush=True)
            again = names(result)
            host.begin()
            result = run(sys.argv[2:] if again is None else again)
            failed = not result.wasSuccessful()
            excuse = host.excuse() if failed else ""
            if excuse:
                skipped += [f"{name}: {excuse}" for name in names(result) or ["all"]]
    for line in skipped:
        print(f"skip: {line}")
    if failed and not excuse:
        sys.exit(1)
    sys.exit(77 if count <= len(skipped) or failed and names(result) is None else 0)
