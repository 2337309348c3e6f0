# SPDX-License-Identifier: MIT
"""Models and runs of them. Every index and every lifetime is checked here, because the library does not check calls of the step."""
from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import pathlib
import subprocess
import tempfile
import threading
import warnings
from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from . import _names
from ._errors import Ali3Error, DivergedError, NoEquilibriumError, NotConvergedWarning, RefusedError
from ._layout import (CONSTANTS, ali3_body_state, ali3_energy, ali3_equilibrium_options, ali3_equilibrium_report, ali3_linear, ali3_mode,
                      ali3_point_state, ali3_port, ali3_ports, ali3_problem)
from ._library import daemon_program, lib, status_text

Array = npt.NDArray[np.float64]
OK, E_STATE = 0, CONSTANTS["ALI3_E_STATE"]
PORTS = {k: CONSTANTS[f"ALI3_PORT_{k.upper()}"] for k in ("wrench", "load", "command", "body", "joint", "force", "sensor")}


def _vector(values: Any, count: int, what: str) -> Any:
    """A C array of `count` numbers."""
    array = np.asarray(values, dtype=float)
    if array.shape != (count,):
        raise RefusedError(f"{what}: expected {count} numbers, found shape {array.shape}")
    return (ctypes.c_double * count)(*array)


def _port_array(ports: Sequence[tuple[int, int, int]]) -> Any:
    array = (ali3_port * max(len(ports), 1))()
    for i, port in enumerate(ports):
        array[i] = ali3_port(*port)
    return array


def _text_of(call: Any, *arguments: Any) -> str:
    text = ctypes.create_string_buffer(600)
    call(*arguments, text, len(text))
    return text.value.decode(errors="replace")


def _check_problem(status: int, problem: Any, kind: type[Ali3Error] = RefusedError) -> None:
    if status < 0:
        raise kind(problem.text.decode(errors="replace") or status_text(status))


class Model:
    """A frozen mechanism. It is constant; any number of threads may use it, each with a Data of its own."""

    def __init__(self, flat: bytes, inputs: Sequence[Mapping[str, Any]] = ()) -> None:
        """From the bytes that `ali3d FILE --flat` writes; inputs: what `--flat-inputs` writes."""
        if not isinstance(flat, (bytes, bytearray, memoryview)):
            raise RefusedError(f"expected the bytes of a flat model, found {type(flat).__name__}; Model.load() reads files")
        self._flat = bytes(flat)
        self._inputs = {str(i["name"]): dict(i) for i in inputs}
        self._handle: int | None = lib.ali3_model_new()
        if not self._handle:
            raise MemoryError
        status = lib.ali3_model_flat_read(self._handle, self._flat, len(self._flat))
        if status >= 0:
            status = lib.ali3_model_freeze(self._handle, lib.ali3_model_options(self._handle))
        if status < 0:
            text = ctypes.cast(lib.ali3_model_problem(self._handle), ctypes.POINTER(ali3_problem)).contents.text.decode(errors="replace")
            self.close()
            raise RefusedError(text or status_text(status))
        self._names = _names.Names(self._handle)

    @classmethod
    def load(cls, file: str | os.PathLike[str], set: Mapping[str, Any] | None = None, program: str | None = None) -> Model:  # noqa: A002
        """A model or configuration file, read by ali3d. set: values by their path in the file. program: ali3d, else $ALI3D or by PATH."""
        with tempfile.TemporaryDirectory() as folder:
            flat, inputs = pathlib.Path(folder, "model"), pathlib.Path(folder, "inputs")
            values = [f"--set={k}={v if isinstance(v, str) else json.dumps(_plain(v))}" for k, v in (set or {}).items()]
            command = [program or daemon_program(), os.fspath(file), "--flat", str(flat), "--flat-inputs", str(inputs)]
            try:
                done = subprocess.run([*command, *values], capture_output=True, text=True, check=False)
            except OSError as e:
                raise Ali3Error(f"cannot run ali3d ({e}): install the package ali3d, or set ALI3D to its path") from None
            if done.returncode != 0:
                raise RefusedError(done.stderr.strip() or f"ali3d ends with {done.returncode}")
            return cls(flat.read_bytes(), json.loads(inputs.read_text(encoding="utf-8")))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self._flat, list(self._inputs.values()))

    def close(self) -> None:
        """Frees the model; Data of it must not be used any more, and raises."""
        if getattr(self, "_handle", None):
            lib.ali3_model_free(self._handle)
        self._handle = None

    def __del__(self) -> None:
        self.close()

    @property
    def handle(self) -> int:
        """The ali3_model * of the library."""
        if not self._handle:
            raise Ali3Error("the model is closed")
        return self._handle

    @property
    def flat(self) -> bytes:
        """The model as bytes."""
        return self._flat

    @property
    def name(self) -> str:
        """Name of the model."""
        return str(lib.ali3_model_name(self.handle).decode())

    @property
    def dt(self) -> float:
        """Length of a step, s."""
        return float(lib.ali3_model_options(self.handle).contents.dt)

    @property
    def signals(self) -> list[str]:
        """Names of all numbers, in the order of Data.observe(): those of ali3-sim and of recordings."""
        return list(self._names.names)

    @property
    def inputs(self) -> dict[str, dict[str, Any]]:
        """Inputs of the file, by name."""
        return {k: dict(v) for k, v in self._inputs.items()}

    def _elements(self, kind: str) -> list[str]:
        count = getattr(lib, f"ali3_model_{'bodies' if kind == 'body' else kind + 's'}")(self.handle)
        return [getattr(lib, f"ali3_model_{kind}_name")(self.handle, i).decode() for i in range(count)]

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self._elements("body")

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return self._elements("joint")

    @property
    def forces(self) -> list[str]:
        """Names of the force elements."""
        return self._elements("force")

    @property
    def sensors(self) -> list[str]:
        """Names of the sensors."""
        return self._elements("sensor")

    def find(self, kind: str, element: str | int) -> int:
        """Index of a body, joint, force, load or sensor, by name or index."""
        if isinstance(element, str):
            found = int(getattr(lib, f"ali3_model_find_{kind}")(self.handle, element.encode()))
            if found < 0:
                raise KeyError(f"no {kind} {element!r}")
            return found
        plural = {"body": "bodies"}.get(kind, kind + "s")
        index = int(element)
        if index != element or not 0 <= index < getattr(lib, f"ali3_model_{plural}")(self.handle):
            raise IndexError(f"no {kind} {element!r}")
        return index

    def data(self, state: bytes | None = None) -> Data:
        """A run of the model, at its start or in a state that Data.state() gave."""
        return Data(self, state)

    def linearise(self, data: Data, inputs: Sequence[str] = (), outputs: Sequence[str] = (), joints: Sequence[str] = ()) -> Linear:
        """See Data.linearise()."""
        return data.linearise(inputs, outputs, joints)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


class Mode(NamedTuple):
    """A mode without damping, and the damping of this motion for itself."""
    frequency: float  # Hz
    damping: float
    stiffness: float  # rad^2/s^2, below 0: unstable
    shape: dict[str, Array]  # body: displacement (m) and rotation (rad), world axes


class Linear(NamedTuple):
    """x' = A x + B u, y = C x + D u; A, B, C, D = linear unpacks the first four."""
    A: Array
    B: Array
    C: Array
    D: Array

    def response(self, frequency: npt.ArrayLike) -> npt.NDArray[np.complex128]:
        """C (s - A)^-1 B + D at frequencies in Hz, (frequencies, outputs, inputs)."""
        s = 2j * np.pi * np.atleast_1d(np.asarray(frequency, dtype=float))
        unit = np.eye(len(self.A))
        return np.array([self.C @ np.linalg.solve(x * unit - self.A, self.B) + self.D for x in s])


class Data:
    """A run of a model. One thread at a time may use it; another one gets an Ali3Error."""

    def __init__(self, model: Model, state: bytes | None = None) -> None:
        if not isinstance(model, Model):
            raise RefusedError(f"expected a Model, found {type(model).__name__}")
        self.model = model
        self._lock = threading.Lock()
        self._handle: int | None = lib.ali3_data_new(model.handle)
        if not self._handle:
            raise MemoryError
        try:
            if state is None:
                self.reset()
            else:
                self.load(state)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Frees the data. The object raises afterwards."""
        if getattr(self, "_handle", None):
            lib.ali3_data_free(self._handle)
        self._handle = None

    def __del__(self) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return Data, (self.model, self.state())

    @contextlib.contextmanager
    def _use(self) -> Iterator[tuple[int, int]]:
        """The handles of model and data, for one thread."""
        if not self._lock.acquire(blocking=False):
            raise Ali3Error("another thread uses this Data; make one for each thread")
        try:
            if not self._handle:
                raise Ali3Error("the data is closed")
            yield self.model.handle, self._handle
        finally:
            self._lock.release()

    def _judge(self, m: int, d: int, status: int) -> None:
        if status == OK or status == CONSTANTS["ALI3_MOVED"]:
            return
        text = _text_of(lib.ali3_report_text, m, d) or status_text(status)
        if status < 0:
            raise DivergedError(text)
        warnings.warn(text, NotConvergedWarning, stacklevel=4)

    # --- running ---

    def reset(self) -> None:
        """Puts the run to the start of the model."""
        with self._use() as (m, d):
            self._judge(m, d, lib.ali3_reset(m, d))

    def step(self, n: int = 1) -> None:
        """n steps, without the lock of the interpreter. A step that fails raises, and the data keeps the last good state."""
        if int(n) != n or not 0 <= n < 2**31:
            raise RefusedError(f"expected a number of steps, found {n!r}")
        with self._use() as (m, d):
            self._judge(m, d, lib.ali3_steps(m, d, int(n)))

    def state(self) -> bytes:
        """The state as bytes: a run that goes on from it has the bits of this one."""
        with self._use() as (m, d):
            out = ctypes.create_string_buffer(lib.ali3_state_size(m))
            if lib.ali3_state_save(m, d, out) != OK:
                raise Ali3Error("the data holds no state")
            return out.raw

    def load(self, state: bytes) -> None:
        """Puts the run into a state of this model."""
        if not isinstance(state, (bytes, bytearray)):
            raise RefusedError(f"expected the bytes of a state, found {type(state).__name__}")
        with self._use() as (m, d):
            raw = bytes(state)
            if lib.ali3_state_load(m, d, raw, len(raw)) != OK:
                raise RefusedError(_text_of(lambda *a: lib.ali3_state_text(m, raw, len(raw), *a)))

    # --- setting ---

    def wrench(self, body: str | int, force: npt.ArrayLike = (0, 0, 0), torque: npt.ArrayLike = (0, 0, 0)) -> None:
        """Force at the centre of mass and torque, world axes, until changed."""
        with self._use() as (m, d):
            lib.ali3_set_wrench(m, d, self.model.find("body", body), _vector(force, 3, "force"), _vector(torque, 3, "torque"))

    def load_vector(self, load: str | int, vector: npt.ArrayLike) -> None:
        """Vector of a load of the model, until changed."""
        with self._use() as (m, d):
            lib.ali3_set_load(m, d, self.model.find("load", load), _vector(vector, 3, "vector"))

    def command(self, force: str | int, value: float) -> None:
        """Force of a motor or target of an external drive, until changed."""
        with self._use() as (m, d):
            index = self.model.find("force", force)
            if not lib.ali3_model_force_takes_command(m, index):
                raise RefusedError(f"force {force!r} takes no command: expected a motor, a hydraulic_cylinder, an electric_motor, a brake or an external drive")
            lib.ali3_set_command(m, d, index, float(value))

    def input(self, name: str, value: float | None = None, *, force: npt.ArrayLike | None = None,  # noqa: A003
              torque: npt.ArrayLike | None = None) -> None:
        """An input of the file, by its name: value=.. of a force element, force=.. and torque=.. of a body."""
        spec = self.model._inputs.get(name)
        if spec is None:
            raise KeyError(f"no input {name!r}")
        given = {k for k, v in (("value", value), ("force", force), ("torque", torque)) if v is not None}
        if not given <= ({"value"} if spec["kind"] == "value" else {"force", "torque"}) or not given:
            raise RefusedError(f"input {name!r} takes {'value' if spec['kind'] == 'value' else 'force and torque'}")
        if value is not None:
            self.command(int(spec["force"]), value)
        if force is not None:
            self.load_vector(int(spec["load"]), force)
        if torque is not None:
            self.load_vector(int(spec["load"]) + 1, torque)

    # --- getting ---

    @property
    def time(self) -> float:
        """Simulated time, s."""
        with self._use() as (_, d):
            return float(lib.ali3_data_report(d).contents.time)

    def _number(self, m: int, d: int, place: _names.Place) -> float:
        report = lib.ali3_data_report(d).contents
        if place.kind == "time":
            return float(report.time)
        if place.kind == "energy":
            energy = ali3_energy()
            lib.ali3_energy_get(m, d, ctypes.byref(energy))
            return float((energy.kinetic, energy.potential, energy.total)[place.number])
        if place.kind == "constraint":
            return float((report.position, report.velocity, report.acceleration)[place.number])
        if place.kind == "solver":
            return float((report.status, report.increment)[place.number])
        state, numbers = _names.read_state(m, d, place.kind, place.element)
        if place.number >= 0:
            return float(numbers[place.number])
        if place.kind == "joint":
            return 0.0 if state.held else 1.0
        if place.kind == "reading":
            return 1.0 if state.good else 0.0
        return 1.0 if state.value > 0.0 and state.position < 0.0 else 0.0

    def __getitem__(self, name: str) -> Any:
        """A number, or a copy of the vector with this name: d["body.car.position"]."""
        names = self.model._names
        if name in names.groups and name not in names.index:
            first, count = names.groups[name]
        elif name in names.index:
            first, count = names.index[name], 0
        else:
            raise KeyError(name)
        with self._use() as (m, d):
            values = [self._number(m, d, p) for p in names.places[first:first + max(count, 1)]]
        return np.array(values) if count else values[0]

    def observe(self, out: Array | None = None) -> Array:
        """All numbers in the order of Model.signals; out: an array that takes them."""
        names = self.model._names
        if out is None:
            out = np.empty(len(names.names))
        if out.shape != (len(names.names),) or out.dtype != np.float64:
            raise RefusedError(f"out: expected {len(names.names)} numbers of 64 bits, found {out.dtype} {out.shape}")
        with self._use() as (m, d):
            last: tuple[str, int] | None = None
            numbers: Any = None
            for i, place in enumerate(names.places):
                if place.kind in _names.STATES and place.number >= 0:
                    if last != (place.kind, place.element):
                        last = (place.kind, place.element)
                        numbers = _names.read_state(m, d, place.kind, place.element)[1]
                    out[i] = numbers[place.number]
                else:
                    out[i] = self._number(m, d, place)
        return out

    def point(self, body: str | int, point: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity and acceleration of a point of a body, world axes; point: body frame."""
        with self._use() as (m, d):
            o = ali3_point_state()
            lib.ali3_point_get(m, d, self.model.find("body", body), _vector(point, 3, "point"), ctypes.byref(o))
            return np.array(o.position), np.array(o.velocity), np.array(o.acceleration)

    def body(self, body: str | int) -> dict[str, Array]:
        """Copies of the vectors of a body: position, orientation, velocity, ..."""
        with self._use() as (m, d):
            state, _ = _names.read_state(m, d, "body", self.model.find("body", body))
            return {f: np.array(getattr(state, f)) for f, *_ in ali3_body_state._fields_}

    # --- analysis ---

    def equilibrium(self, nearest: bool = False) -> dict[str, Any]:
        """Moves to the static equilibrium, at rest. nearest: the nearest one, which may be unstable. Returns the report."""
        report, problem = ali3_equilibrium_report(), ali3_problem()
        options = ali3_equilibrium_options(nearest=bool(nearest))
        with self._use() as (m, d):
            status = lib.ali3_equilibrium(m, d, ctypes.byref(options), ctypes.byref(report), ctypes.byref(problem))
        _check_problem(status, problem, NoEquilibriumError)
        return {f: getattr(report, f) for f, *_ in ali3_equilibrium_report._fields_}

    def place(self, bodies: Mapping[str, Mapping[str, npt.ArrayLike]], time: float | None = None) -> None:
        """Puts bodies into poses and velocities, {name: {position: .., velocity: ..}}; joints close. Others stay where they are."""
        at = self.time if time is None else float(time)
        if not (math.isfinite(at) and at >= 0):
            raise RefusedError(f"expected a time of 0 or more, found {time!r}")
        with self._use() as (m, d):
            count = lib.ali3_model_bodies(m)
            states = (ali3_body_state * max(count, 1))()
            for i in range(count):
                lib.ali3_body_get(m, d, i, ctypes.byref(states[i]))
            for name, values in bodies.items():
                state = states[self.model.find("body", name)]
                for field, vector in values.items():
                    if field not in ("position", "orientation", "velocity", "angular_velocity"):
                        raise RefusedError(f"{field!r}: expected position, orientation, velocity or angular_velocity")
                    setattr(state, field, _vector(vector, len(getattr(state, field)), field))
            status = lib.ali3_place(m, d, states, at)
            if status == CONSTANTS["ALI3_E_ARGUMENT"]:
                raise RefusedError("a number is not finite, or an orientation has no length")
            self._judge(m, d, status)

    def freedoms(self, joints: Sequence[str | int] = (), drives_free: bool = False) -> Freedoms:
        """Independent velocities; the rates of `joints` are the first of them."""
        return Freedoms(self, joints, drives_free)

    def modes(self, drives_free: bool = False) -> list[Mode]:
        """Modes about this position, as if it were in balance."""
        problem = ali3_problem()
        with self._use() as (m, d):
            found = lib.ali3_modes_new(m, d, 1 if drives_free else 0, ctypes.byref(problem))
            if not found:
                _check_problem(-1, problem)
            out = []
            try:
                mode, twist = ali3_mode(), (ctypes.c_double * 6)()
                for i in range(lib.ali3_modes_count(found)):
                    lib.ali3_modes_get(found, i, ctypes.byref(mode))
                    shape = {}
                    for b, name in enumerate(self.model.bodies):
                        lib.ali3_modes_shape(found, i, b, twist)
                        shape[name] = np.array(twist)
                    out.append(Mode(mode.frequency, mode.damping, mode.stiffness, shape))
            finally:
                lib.ali3_modes_free(found)
        return out

    def _input_port(self, word: str) -> tuple[int, int, int]:
        """A motor or drive, an input of the file or a channel of it (push.force.x), or body.NAME.force.x of the world axes."""
        parts = word.split(".")
        if parts[0] == "body" and len(parts) == 4 and parts[2] in ("force", "torque") and parts[3] in _names.XYZ:
            return PORTS["wrench"], self.model.find("body", parts[1]), _names.XYZ.index(parts[3]) + (3 if parts[2] == "torque" else 0)
        name = parts[1] if parts[0] in ("force", "input") and len(parts) > 1 else parts[0]
        spec = self.model._inputs.get(name) if parts[0] != "force" else None
        if spec is not None and spec["kind"] == "value":
            return PORTS["command"], int(spec["force"]), 0
        rest = parts[2:] if parts[0] == "input" else parts[1:]
        if spec is not None and len(rest) == 2 and rest[0] in ("force", "torque") and rest[1] in _names.XYZ:
            return PORTS["load"], int(spec["load"]) + (rest[0] == "torque"), _names.XYZ.index(rest[1])
        return PORTS["command"], self.model.find("force", name), 0

    def _output_ports(self, word: str) -> list[tuple[int, int, int]]:
        names = self.model._names
        if word in names.groups:
            first, count = names.groups[word]
        elif word in names.index:
            first, count = names.index[word], 1
        else:
            raise KeyError(word)
        places = [_names.exact(p) for p in names.places[first:first + count]]
        if any(p.kind not in PORTS or p.number < 0 for p in places):
            raise RefusedError(f"{word}: no number of a body, joint, force or sensor")
        return [(PORTS[p.kind], p.element, p.number) for p in places]

    def linearise(self, inputs: Sequence[str] = (), outputs: Sequence[str] = (), joints: Sequence[str | int] = ()) -> Linear:
        """A, B, C, D about the state. joints: their coordinates and rates are the first states. The input of a drive is the
        acceleration of its target; position and rate of the target are then the first states."""
        given = [self._input_port(w) for w in ([inputs] if isinstance(inputs, str) else inputs)]
        asked = [p for w in ([outputs] if isinstance(outputs, str) else outputs) for p in self._output_ports(w)]
        chosen = [self.model.find("joint", j) for j in ([joints] if isinstance(joints, str) else joints)]
        problem, out = ali3_problem(), ali3_linear()
        ins, outs = _port_array(given), _port_array(asked)
        names = (ctypes.c_int * max(len(chosen), 1))(*chosen)
        ports = ali3_ports(input=ctypes.cast(ins, ctypes.POINTER(ali3_port)), inputs=len(given),
                           output=ctypes.cast(outs, ctypes.POINTER(ali3_port)), outputs=len(asked),
                           joint=ctypes.cast(names, ctypes.POINTER(ctypes.c_int)), joints=len(chosen))
        with self._use() as (m, d):
            status = lib.ali3_linearise(m, d, ctypes.byref(ports), ctypes.byref(out), ctypes.byref(problem))
        _check_problem(status, problem)
        shapes = {"A": (out.states, out.states), "B": (out.states, out.inputs), "C": (out.outputs, out.states), "D": (out.outputs, out.inputs)}
        try:
            made = {k: np.array(getattr(out, k)[:r * c], dtype=float).reshape(r, c) for k, (r, c) in shapes.items()}
        finally:
            lib.ali3_linear_free(ctypes.byref(out))
        return Linear(**made)


class Freedoms:
    """Independent velocities of a mechanism at a position."""

    def __init__(self, data: Data, joints: Sequence[str | int] = (), drives_free: bool = False) -> None:
        self._handle: int | None = None
        self.model = data.model  # the handle refers to it
        chosen = [self.model.find("joint", j) for j in ([joints] if isinstance(joints, str) else joints)]
        names, problem = (ctypes.c_int * max(len(chosen), 1))(*chosen), ali3_problem()
        with data._use() as (m, d):
            self._handle = lib.ali3_freedoms_new(m, d, names, len(chosen), 1 if drives_free else 0, ctypes.byref(problem))
        if not self._handle:
            _check_problem(-1, problem)
        self.count = int(lib.ali3_freedoms_count(self._handle))

    def __del__(self) -> None:
        if self._handle:
            lib.ali3_freedoms_free(self._handle)
        self._handle = None

    def _matrix(self, rows: int, call: Any, *arguments: Any) -> Array:
        if not self._handle or not self.model._handle:
            raise Ali3Error("the model is closed")
        out = np.zeros((rows, self.count))
        if call(self._handle, *arguments, out.ctypes.data) != OK:
            raise RefusedError("the joint has no coordinate")
        return out

    def mass(self) -> Array:
        """Mass matrix of the constrained mechanism."""
        return self._matrix(self.count, lib.ali3_freedoms_mass)

    def twist(self, body: str | int) -> Array:
        """(6, n) velocity of the centre of mass and angular velocity, world axes."""
        return self._matrix(6, lib.ali3_freedoms_twist, self.model.find("body", body))

    def jacobian(self, body: str | int, point: npt.ArrayLike) -> Array:
        """(6, n) velocity of a point of a body and angular velocity, world axes; point: body frame."""
        return self._matrix(6, lib.ali3_freedoms_jacobian, self.model.find("body", body), _vector(point, 3, "point"))

    def joint(self, joint: str | int) -> Array:
        """(n) rate of the coordinate of a joint."""
        return self._matrix(1, lib.ali3_freedoms_joint, self.model.find("joint", joint)).reshape(-1)
