# SPDX-License-Identifier: MIT
"""A bench that ali3d runs, over OSC: commands, inputs, parameters and values. See ali3-osc(7)."""
from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import re
import socket
import struct
import subprocess
import tempfile
import threading
import time as clock
from types import TracebackType
from typing import Any, Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from . import _osc
from ._errors import Ali3Error, BenchError
from ._library import daemon_program

RESULTS = {0: "done", 1: "wrong state", 2: "not allowed, or another client owns the input", 3: "bad argument",
           4: "a required input is not fresh, or the rig is not ready: see the log",
           5: "the queue is full, steps of another client are made, or the parameter moves",
           6: "too soon after a stop", 7: "no injection or platform parameter has this name"}
COMMANDS = ("init", "arm", "run", "pause", "stop", "reset", "park", "estop", "clear")
BODY_PARTS = (("position", 0, 3), ("orientation", 3, 7), ("velocity", 7, 10), ("angular_velocity", 10, 13))
RENEW, HEARTBEAT, INPUT_PERIOD = 4.0, 1.0, 0.04  # s: subscriptions end after 10 s, inputs age after their hold
TRIES = 5  # starts of a daemon, if other programs take its ports


class _Params:
    """b.param["force.strut.damping"] = 1500, and float or list back."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    def __getitem__(self, name: str) -> Any:
        found = self._bench._ask("/ali3/param/get", "s", [name], "param")
        for address, values in found:
            if address == "/ali3/param/value" and values[0] == name:
                return values[4] if len(values) == 5 else values[4:]
        raise BenchError(f"no answer with parameter {name}")

    def __setitem__(self, name: str, value: Any) -> None:
        numbers = [float(x) for x in np.atleast_1d(np.asarray(value, dtype=float))]
        self._bench._ask("/ali3/param/set", "s" + "d" * len(numbers), [name, *numbers], "param")


class Bench:
    """A connection to a daemon. It sends no arm and no run by itself, and lifts an e-stop only by the two commands that a person
    would send. While the connection is open, a thread repeats the inputs and a heartbeat; after it, inputs age by their own policy."""

    def __init__(self, address: str | tuple[str, int] = "127.0.0.1:9100", streams: Sequence[str] = ("body", "sensor", "joint", "force"),
                 prefix: str = "/ali3", timeout: float = 5.0) -> None:
        host, port = address.rsplit(":", 1) if isinstance(address, str) else (address[0], str(address[1]))
        self._to, self._prefix, self._streams, self.timeout = (host.strip("[]"), int(port)), prefix, tuple(streams), float(timeout)
        self._numbers, self._changed = itertools.count(1), threading.Condition()
        self._values: dict[str, Any] = {}
        self._heard: list[tuple[str, list[Any]]] = []  # answers while a request waits
        self._inputs: dict[str, bytes] = {}
        self._input_lock = threading.Lock()  # a repetition of an old value never follows a newer one, or a reset
        self._request, self._open, self._frames = threading.Lock(), False, 0
        self._error: str | None = None
        self._frame: tuple[int, set[int]] = (-1, set())  # cycle of the newest frame, its parts that have come
        self.param = _Params(self)

    # --- life ---

    def open(self) -> Bench:
        """Connects, subscribes and waits for an answer."""
        if self._open:
            raise Ali3Error("the bench is open")
        family = socket.getaddrinfo(*self._to, type=socket.SOCK_DGRAM)[0]
        self._socket = socket.socket(family[0], socket.SOCK_DGRAM)
        self._socket.connect(family[4])
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)  # frames of many steps come at once
        self._socket.settimeout(0.2)
        self._open = True
        self._threads = [threading.Thread(target=f, daemon=True, name=f"ali3-{f.__name__}") for f in (self._listen, self._keep)]
        for t in self._threads:
            t.start()
        try:
            self.status()
            self._subscribe()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """Ends the connection. Nothing is sent any more."""
        if not self._open:
            return
        self._open = False
        for t in self._threads:
            t.join()
        self._socket.close()

    def __enter__(self) -> Bench:
        return self.open()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    # --- threads ---

    def _send(self, packet: bytes) -> None:
        if not self._open:
            raise Ali3Error("the bench is closed")
        with contextlib.suppress(ConnectionRefusedError):  # no daemon there: the wait for an answer says so
            self._socket.send(packet)

    def _listen(self) -> None:
        while self._open:
            try:
                packet = self._socket.recv(65536)
                found = list(_osc.messages(packet))
            except (TimeoutError, socket.timeout, ConnectionRefusedError):
                continue
            except (ValueError, IndexError, KeyError, struct.error):
                continue  # a datagram of a stranger
            except OSError:
                return
            with self._changed:
                for address, values in found:
                    self._take(address, values)
                self._changed.notify_all()

    def _take(self, address: str, values: list[Any]) -> None:
        """One message, under the lock."""
        head = address[len(self._prefix):]
        if not address.startswith(self._prefix):
            return
        if head == "/hdr":
            self._values["time"], self._values["cycle"], self._frames = float(values[1]), int(values[0]), self._frames + 1
            if self._frame[0] != values[0]:
                self._frame = (int(values[0]), set())
            self._frame[1].add(int(values[4]))
        elif head in ("/ack", "/stepped", "/status", "/synced", "/sub/ack", "/unsub/ack") or head.startswith(("/param", "/state", "/record")):
            if head == "/ack" and values[:2] == ["input", 0] and values[2] != 0:
                self._error = f"an input is not taken: {RESULTS.get(values[2], values[2])}"
            self._heard.append((address, values))
            del self._heard[:-4096]
        elif head.startswith("/body/") and head.endswith("/state") and len(values) == 13:
            name = head[6:-6]
            for part, first, end in BODY_PARTS:
                self._values[f"body.{name}.{part}"] = np.array(values[first:end])
        else:
            self._values[head[1:].replace("/", ".")] = values[0] if len(values) == 1 else np.array(values)

    def _keep(self) -> None:
        beat, next_beat, next_renewal = 0, 0.0, clock.monotonic() + RENEW
        while self._open:
            now = clock.monotonic()
            with contextlib.suppress(OSError, Ali3Error):
                if now >= next_beat:
                    beat, next_beat = beat + 1, now + HEARTBEAT
                    self._send(_osc.message(f"{self._prefix}/heartbeat", "i", beat & 0x7fffffff))
                if now >= next_renewal:
                    next_renewal = now + RENEW
                    for stream in self._streams:
                        self._send(_osc.message(f"{self._prefix}/sub", "siii", stream, 0, 1, 1))
                with self._input_lock:
                    for packet in self._inputs.values():
                        self._send(packet)
            clock.sleep(INPUT_PERIOD)

    def _subscribe(self) -> None:
        for stream in self._streams:
            self._subscribe_to(stream)

    def _subscribe_to(self, stream: str) -> None:
        packet = _osc.message(f"{self._prefix}/sub", "siii", stream, 0, 1, 1)
        answer = self._wait_answer(packet, lambda a, v: a.endswith("/sub/ack") and v[0] == stream)[-1][1]
        if answer[1] != 0:
            raise BenchError(f"stream {stream}: no place is free, or there is no such stream")

    # --- requests ---

    def _wait_answer(self, packet: bytes, is_answer: Callable[[str, list[Any]], bool],
                     again: bool = True) -> list[tuple[str, list[Any]]]:
        """Sends a request, once more every second if that is harmless. Returns what came up to its answer."""
        with self._request:
            with self._changed:
                self._heard.clear()
            deadline, resend = clock.monotonic() + self.timeout, clock.monotonic() + 1.0
            self._send(packet)
            seen = 0
            while True:
                with self._changed:
                    heard = list(self._heard)
                    for i in range(seen, len(heard)):
                        if is_answer(*heard[i]):
                            return heard[:i + 1]
                    seen = len(heard)
                    now = clock.monotonic()
                    if now >= deadline:
                        raise BenchError(f"{self._to[0]}:{self._to[1]} does not answer within {self.timeout:g} s; is ali3d running there?")
                    self._changed.wait(min(deadline - now, 0.1))
                if again and clock.monotonic() >= resend:
                    resend += 1.0
                    self._send(packet)

    def _ask(self, address: str, types: str, values: Sequence[Any], word: str, again: bool = False) -> list[tuple[str, list[Any]]]:
        """A request with a number. Raises the words of a refusal."""
        number = next(self._numbers)
        address = self._prefix + address[len("/ali3"):]
        packet = _osc.message(address, types + "i", *values, number)
        heard = self._wait_answer(packet, lambda a, v: a.endswith("/ack") and v[:2] == [word, number], again)
        result = heard[-1][1][2]
        if result != 0:
            reason = [v[2] for a, v in heard if a.endswith("/error") and v[1] == number]
            raise BenchError(f"{address.rsplit('/', 1)[1]}: {RESULTS.get(result, result)}{': ' + str(reason[0]) if reason else ''}")
        return heard

    def command(self, name: str) -> None:
        """One of init, arm, run, pause, stop, reset, park, estop, clear."""
        if name not in COMMANDS:
            raise BenchError(f"no command {name!r}; there are {', '.join(COMMANDS)}")
        self._ask(f"/ali3/cmd/{name}", "", [], name)

    def arm(self) -> None:
        """Command arm."""
        self.command("arm")

    def run(self) -> None:
        """Command run."""
        self.command("run")

    def pause(self) -> None:
        """Command pause."""
        self.command("pause")

    def stop(self) -> None:
        """Command stop."""
        self.command("stop")

    def reset(self) -> None:
        """Command reset: the model is at its start, and all inputs are unset."""
        with self._input_lock:
            self._inputs.clear()
        self.command("reset")

    def estop(self) -> None:
        """An e-stop, from any state."""
        self.command("estop")

    def step(self, n: int = 1) -> dict[str, Any]:
        """n cycles of a daemon in lockstep, with the inputs set before. Returns the values after them. A step that the network
        loses is sent again; the daemon makes it once."""
        number = next(self._numbers)
        stepped: list[list[Any]] = []

        def is_done(address: str, values: list[Any]) -> bool:
            if address.endswith("/stepped") and values[0] == number:
                stepped.append(values)
            if not (address.endswith("/ack") and values[:2] == ["step", number]):
                return False
            if values[2] != 0 or not stepped:  # refused; without `stepped`, the answer to the next repetition brings it
                return bool(values[2] != 0)
            cycle, packets = int(stepped[-1][1]), int(stepped[-1][2])
            return packets == 0 or self._frame[0] > cycle or (self._frame[0] == cycle and len(self._frame[1]) >= packets)

        packets = [*self._inputs.values(), _osc.message(f"{self._prefix}/step", "ii", int(n), number)]
        result = self._wait_answer(_osc.bundle(packets), is_done)[-1][1][2]
        if result != 0:
            raise BenchError(f"step: {RESULTS.get(result, result)}")
        return self.values

    def input(self, name: str, value: float | None = None, *, force: npt.ArrayLike | None = None, torque: npt.ArrayLike | None = None) -> None:
        """Sets an input, and repeats it while the bench is open: value=.. of a force element, force=.. and torque=.. of a body."""
        given: list[tuple[str, Sequence[float]]] = []
        if value is not None:
            given.append(("value", [float(value)]))
        for word, vector in (("force", force), ("torque", torque)):
            if vector is not None:
                numbers = [float(x) for x in np.asarray(vector, dtype=float)]
                if len(numbers) != 3:
                    raise BenchError(f"{word}: expected three numbers")
                given.append((word, numbers))
        if not given:
            raise BenchError("input: expected value, force or torque")
        for word, values in given:
            packet = _osc.message(f"{self._prefix}/input/{name}/{word}", "d" * len(values), *values)
            with self._input_lock:
                self._inputs[f"{name}/{word}"] = packet
                self._send(packet)

    def release(self, name: str) -> None:
        """Stops repeating an input, which then ages by its policy."""
        with self._input_lock:
            for key in [k for k in self._inputs if k.startswith(f"{name}/")]:
                del self._inputs[key]

    def status(self) -> dict[str, Any]:
        """State, misses, and codes of the daemon."""
        packet = _osc.message(f"{self._prefix}/status")
        values = self._wait_answer(packet, lambda a, v: a == f"{self._prefix}/status")[-1][1]
        names = ("state", "code", "period_ms", "cycle_us", "longest_us", "misses", "input_age_ms", "fault", "clients")
        return dict(zip(names, values))

    @property
    def state(self) -> str:
        """Name of the state: RUNNING, STOPPED, ..."""
        return str(self.status()["state"])

    def save_state(self, name: str) -> None:
        """Saves the state of the model under this name."""
        self._ask("/ali3/state/save", "s", [name], "state")

    def load_state(self, name: str) -> None:
        """Loads a state, in STOPPED or PAUSED."""
        self._ask("/ali3/state/load", "s", [name], "state")

    def mark(self, text: str) -> None:
        """A mark in the recording."""
        self._ask("/ali3/record/mark", "s", [text], "record")

    # --- values ---

    @property
    def values(self) -> dict[str, Any]:
        """Newest values by their names, as copies."""
        with self._changed:
            return {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in self._values.items()}

    def __getitem__(self, name: str) -> Any:
        with self._changed:
            value = self._values[name]
            return value.copy() if isinstance(value, np.ndarray) else value

    def wait(self, condition: Callable[[dict[str, Any]], bool] | None = None, *, state: str | None = None, timeout: float = 10.0) -> dict[str, Any]:
        """Waits until the daemon is in a state, or until a condition on the values holds; BenchError after the time."""
        deadline = clock.monotonic() + timeout
        while True:
            if (state is None or self.state == state) and (condition is None or condition(self.values)):
                return self.values
            if clock.monotonic() >= deadline:
                raise BenchError(f"{'state ' + state if state else 'the condition'} is not there after {timeout:g} s; the state is {self.state}")
            if self._error:
                error, self._error = self._error, None
                raise BenchError(error)
            with self._changed:
                self._changed.wait(0.05)


def _free_port(kind: int) -> int:
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


class Daemon:
    """ali3d FILE in a process of its own, on free ports of this host. lockstep: without a clock, by Bench.step()."""

    def __init__(self, file: str | os.PathLike[str], lockstep: bool = True, options: Sequence[str] = (), program: str | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.log = pathlib.Path(self._folder.name, "log")
        for tries in range(TRIES):
            trouble = self._start(os.fspath(file), lockstep, options, program or daemon_program())
            if not trouble:
                return
            if "Address already in use" not in trouble or tries == TRIES - 1:  # another program may have taken a port that was free
                self.close()
                raise BenchError(f"ali3d does not start:\n{trouble}")

    def _start(self, file: str, lockstep: bool, options: Sequence[str], program: str) -> str | None:
        """Begins the process and waits until it is ready. Returns its log if it is not."""
        self.port = _free_port(socket.SOCK_DGRAM)
        self.instance = f"python-{os.getpid()}-{self.port}"  # its name for ali3-record and ali3-top
        sets = [f"osc.port={self.port}", "osc.bind=127.0.0.1", f"telemetry.name={self.instance}"]
        if lockstep:
            sets.append("cycle.clock=lockstep")
        if re.search(r"^modbus:", pathlib.Path(file).read_text(encoding="utf-8"), re.M):
            sets.append(f"modbus.port={_free_port(socket.SOCK_STREAM)}")
        command = [program, file, "--state-dir", self._folder.name, *(f"--set={s}" for s in sets), *options]
        try:
            with self.log.open("wb") as log:
                self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        except OSError as e:
            raise Ali3Error(f"cannot run ali3d ({e}): install the package ali3d, or set ALI3D to its path") from None
        deadline = clock.monotonic() + 60
        while "ali3d: ready: " not in self.log.read_text(errors="replace"):
            if self.process.poll() is not None or clock.monotonic() > deadline:
                return self.log.read_text(errors="replace") or "it printed nothing"
            clock.sleep(0.02)
        return None

    @property
    def address(self) -> str:
        """HOST:PORT for Bench."""
        return f"127.0.0.1:{self.port}"

    def close(self) -> None:
        """Ends the daemon in order."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._folder.cleanup()

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


@contextlib.contextmanager
def bench_of(address: str | None, file: str | os.PathLike[str] | None, streams: Sequence[str] = ("body", "sensor", "joint", "force")) -> Iterator[Bench]:
    """A bench at an address, or one of a daemon of its own."""
    if address:
        with Bench(address, streams) as b:
            yield b
        return
    if file is None:
        raise BenchError("expected an address, or a file for ali3d")
    with Daemon(file) as daemon, Bench(daemon.address, streams) as b:
        yield b
