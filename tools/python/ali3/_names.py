# SPDX-License-Identifier: MIT
"""Names of the numbers of a model, in the order of the signals of ali3d: tests compare them with ali3-sim."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple

from ._layout import CONSTANTS as C
from ._layout import ali3_body_state, ali3_force_state, ali3_joint_state, ali3_reading, ali3_sensor_state
from ._library import lib

XYZ = ("x", "y", "z")
E = ("e0", "e1", "e2", "e3")
BODY = (("position", XYZ), ("orientation", E), ("velocity", XYZ), ("angular_velocity", XYZ), ("acceleration", XYZ),
        ("angular_acceleration", XYZ))
# (name, number in ali3_force_state, components)
LENGTH, GAP, POSITION = ("length", 0, ()), ("gap", 0, ()), ("position", 0, ())
VALUE, TARGET, FORCE, TORQUE = ("value", 2, ()), ("target", 3, ()), ("force", 4, XYZ), ("torque", 7, XYZ)
CLOSED = ("closed", -1, ())
LOST = ("lost", 11, ())
SPENT = (("supplied", 10, ()), LOST)
OIL = (("pressure_a", 12, ()), ("pressure_b", 13, ()), ("flow_a", 14, ()), ("flow_b", 15, ()), ("spool", 16, ()))
CURRENT = (("current", 17, ()), ("voltage", 18, ()))
TREAD = (("along", 19, ()), ("across", 20, ()), ("slip", 21, ()), ("slip_angle", 22, ()))
RATE = 6  # number in ali3_reading, after the values
OF_FORCE = {
    "SPRING": (LENGTH, VALUE), "BUSHING": (FORCE, TORQUE), "JOINT_SPRING": (POSITION, VALUE), "CABLE": (LENGTH, VALUE),
    "END_STOP": (LENGTH, VALUE), "STOP": (POSITION, VALUE), "FRICTION": (POSITION, VALUE), "MOTOR": (POSITION, VALUE),
    "DRIVE": (POSITION, TARGET, VALUE), "GEAR": (VALUE,), "SPHERE_PLANE": (GAP, VALUE, FORCE, CLOSED),
    "SPHERE_SPHERE": (GAP, VALUE, FORCE, CLOSED), "CYLINDER": (LENGTH, VALUE, *OIL, *SPENT),
    "WINDING": (POSITION, VALUE, *CURRENT, *SPENT), "BRAKE": (POSITION, VALUE), "TYRE": (GAP, VALUE, FORCE, CLOSED, *TREAD, LOST),
}
FORCE_BY_TYPE = {C[f"ALI3_FORCE_{n}"]: q for n, q in OF_FORCE.items()}


class Place(NamedTuple):
    """Where a number stands: kind and element, and its number in the state of the element."""
    kind: str
    element: int
    number: int


def exact(place: Place) -> Place:
    """The number without the measuring chain of a sensor, which a linear system does not have."""
    if place.kind == "imu":
        return Place("sensor", place.element, (19, 20, 21, 10, 11, 12)[place.number])
    if place.kind == "reading" and place.number >= 0:
        return Place("sensor", place.element, 23 if place.number == RATE else 22)
    return place


class Names:
    """name -> index in the vector of all numbers, and groups of them."""

    def __init__(self, model: int) -> None:
        self.names: list[str] = []
        self.places: list[Place] = []
        self.groups: dict[str, tuple[int, int]] = {}
        self._add_all(model)
        self.index = {n: i for i, n in enumerate(self.names)}

    def _group(self, prefix: str, quantity: str, components: tuple[str, ...], kind: str, element: int, number: int) -> None:
        name = prefix + quantity
        count = len(components) or 1
        self.groups[name] = (len(self.names), count)
        self.names += [f"{name}.{c}" for c in components] or [name]
        self.places += [Place(kind, element, number + i if number >= 0 else number) for i in range(count)]

    def _add_all(self, m: int) -> None:
        self._group("", "time", (), "time", 0, 0)
        for i in range(lib.ali3_model_bodies(m)):
            prefix, number = f"body.{lib.ali3_model_body_name(m, i).decode()}.", 0
            for quantity, components in BODY:
                self._group(prefix, quantity, components, "body", i, number)
                number += len(components)
        for i in range(lib.ali3_model_joints(m)):
            prefix = f"joint.{lib.ali3_model_joint_name(m, i).decode()}."
            self._group(prefix, "force", XYZ, "joint", i, 0)
            self._group(prefix, "torque", XYZ, "joint", i, 3)
            if lib.ali3_model_joint_type(m, i) in (C["ALI3_JOINT_REVOLUTE"], C["ALI3_JOINT_PRISMATIC"]):
                self._group(prefix, "position", (), "joint", i, 6)
                self._group(prefix, "velocity", (), "joint", i, 7)
            self._group(prefix, "quality", (), "joint", i, -1)
        for i in range(lib.ali3_model_forces(m)):
            prefix = f"force.{lib.ali3_model_force_name(m, i).decode()}."
            for quantity, number, components in FORCE_BY_TYPE[lib.ali3_model_force_type(m, i)]:
                self._group(prefix, quantity, components, "force", i, number)
        for i in range(lib.ali3_model_sensors(m)):
            prefix, kind = f"sensor.{lib.ali3_model_sensor_name(m, i).decode()}.", lib.ali3_model_sensor_type(m, i)
            if kind == C["ALI3_SENSOR_IMU"]:
                self._group(prefix, "specific_force", XYZ, "imu", i, 0)
                self._group(prefix, "angular_velocity", XYZ, "imu", i, 3)
                continue
            if lib.ali3_sensor_type_readings(kind) == 1:
                self._group(prefix, "value", (), "reading", i, 0)
                if kind != C["ALI3_SENSOR_LOAD_CELL"]:
                    self._group(prefix, "rate", (), "reading", i, RATE)
                self._group(prefix, "quality", (), "reading", i, -1)
                continue
            number = 0
            for quantity, components in BODY:
                turns = quantity in ("orientation", "angular_velocity", "angular_acceleration")
                if kind == C["ALI3_SENSOR_POSE"] or not turns:
                    self._group(prefix, quantity, components, "sensor", i, number)
                number += len(components)
        for i, quantity in enumerate(("kinetic", "potential", "total")):
            self._group("energy.", quantity, (), "energy", 0, i)
        for i, quantity in enumerate(("position", "velocity", "acceleration")):
            self._group("constraint.", quantity, (), "constraint", 0, i)
        self._group("solver.", "status", (), "solver", 0, 0)
        self._group("solver.", "increment", (), "solver", 0, 1)


STATES: dict[str, tuple[Any, Callable[..., None]]] = {
    "body": (ali3_body_state, lib.ali3_body_get),
    "joint": (ali3_joint_state, lib.ali3_joint_get),
    "force": (ali3_force_state, lib.ali3_force_get),
    "sensor": (ali3_sensor_state, lib.ali3_sensor_get),
    "imu": (ali3_reading, lib.ali3_sensor_read),
    "reading": (ali3_reading, lib.ali3_sensor_read),
}


def read_state(model: int, data: int, kind: str, element: int) -> tuple[Any, Any]:
    """The state of an element, and its numbers."""
    made, get = STATES[kind]
    state = made()
    numbers = sum(ctypes.sizeof(type_) for _, type_ in made._fields_ if type_ is not ctypes.c_bool)
    count = numbers // ctypes.sizeof(ctypes.c_double)
    get(model, data, element, ctypes.byref(state))
    return state, (ctypes.c_double * count).from_buffer(state)
