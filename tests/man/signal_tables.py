# SPDX-License-Identifier: MIT
"""The tables of signals in ali3d.yaml(5). Names and units come from the map of signals.yaml, which has every kind of signal; the meanings
stand here."""
import json
import pathlib
import re
import subprocess
import textwrap

HERE = pathlib.Path(__file__).parent
TYPES_WITH_TWO_UNITS = "-2"  # end of the names of force elements and inputs on a prismatic joint

MEANING = {
    "time": "simulated time",
    "body.NAME.position": "position of the centre of mass, in world axes",
    "body.NAME.orientation": "Euler parameters, from body to world",
    "body.NAME.velocity": "velocity of the centre of mass, in world axes",
    "body.NAME.angular_velocity": "angular velocity, in the axes of the body",
    "body.NAME.acceleration": "acceleration of the centre of mass, in world axes",
    "body.NAME.angular_acceleration": "angular acceleration, in the axes of the body",
    "joint.NAME.force": "force on body b at point b, in world axes",
    "joint.NAME.torque": "torque on body b, in world axes",
    "joint.NAME.position": "coordinate of a revolute or prismatic joint, see JOINTS",
    "joint.NAME.velocity": "rate of the coordinate",
    "joint.NAME.quality": "1; 0 after a step that did not determine force and torque, near a singular position, see ali3d(8)",
    "sensor.NAME.position": "point and pose: position, in world axes",
    "sensor.NAME.orientation": "pose: Euler parameters, from sensor to world",
    "sensor.NAME.velocity": "point and pose: velocity, in world axes",
    "sensor.NAME.angular_velocity": "pose and imu: angular velocity, in the axes of the sensor",
    "sensor.NAME.acceleration": "point and pose: acceleration, in world axes",
    "sensor.NAME.angular_acceleration": "pose: angular acceleration, in the axes of the sensor",
    "sensor.NAME.specific_force": "imu: acceleration less gravity, in the axes of the sensor; 9.81 upwards at rest, 0 in free fall",
    "sensor.NAME.value": "{value}: what the sensor shows",
    "sensor.NAME.rate": "{rate}: rate of the value; with a measuring chain its change in the last cycle",
    "sensor.NAME.quality": "{quality}: 1; 0 while the value is at a limit or stuck",
    "energy.kinetic": "kinetic energy of all bodies",
    "energy.potential": "energy of gravity, 0 at the origin of the world, and of springs, oil, windings and treads, 0 at rest",
    "energy.total": "kinetic plus potential energy",
    "constraint.position": "largest error of a row of a joint, drive or gear; rad or 1 for a row that holds an orientation",
    "constraint.velocity": "largest rate of such an error",
    "constraint.acceleration": "largest second derivative of such an error",
    "solver.status": "0; 1 after a step that did not converge; 3 after a step that left a joint, drive or gear open",
    "solver.increment": "norm of the last Newton increment of the step",
    "input.NAME.force": "input on a body: force in use",
    "input.NAME.torque": "input on a body: torque in use",
    "input.NAME.value": "input on a force element: N m or N of a motor, rad or m of an external drive, on a revolute or prismatic joint; spool of a hydraulic_cylinder, "
                         "-1 to 1; V of an electric_motor; N m or N of a brake; or a number of the rig",
    "input.NAME.position": "input for the platform, or measured on its rig: surge, sway and heave",
    "input.NAME.angle": "input for the platform, or measured on its rig: roll, pitch and yaw",
    "input.NAME.leg": "measured legs or cranks of the rig, with .1 to .6",
    "loop.PHASE": "time that a phase of the cycle took; PHASE is one of {phases}, see CYCLE in ali3d(8)",
    "loop.PHASE.max": "largest value of loop.PHASE since the warm-up or SIGUSR1",
    "loop.misses": "deadlines that were missed",
    "loop.grace_misses": "deadlines that were missed within cycle.grace; loop.misses does not count them",
    "loop.skipped": "starts that were skipped",
    "loop.late_starts": "cycles that began late to catch up",
    "loop.slipped": "time by which overrun: slip moved the grid",
    "loop.pulled": "time by which beats shifted the grid",
    "loop.beat_error": "start that the last beat asked for, less the start of the cycle",
    "loop.beats_lost": "times that no beat came within two periods",
    "loop.load.1s": "mean of the work over the period, in the last second",
    "loop.load.10s": "mean of the work over the period, in the last 10 s",
    "loop.load.60s": "mean of the work over the period, in the last 60 s",
    "loop.page_faults": "page faults of the loop's thread",
    "loop.preemptions": "times that the system took the processor from the loop's thread",
    "loop.level.LEVEL.busy": "longest work of one thread in this part of a step: {levels}, and level_0, level_1, ... of the tree",
    "loop.level.LEVEL.busy.max": "largest busy so far",
    "loop.level.LEVEL.wait": "longest time from handing a part to a worker to its start",
    "loop.level.LEVEL.wait.max": "largest wait so far",
}
LENGTH = "distance of the points"
COORDINATE = "coordinate of the joint"
DOWN = "torque or force; above 0 it drives the coordinate down"
UP = "torque or force; above 0 it drives the coordinate up"
CONTACT = {
    "gap": "distance of the surfaces; below 0 they overlap",
    "value": "force; above 0 it pushes the bodies apart",
    "force": "force on body b with friction, in world axes",
    "closed": "1 while the surfaces touch, else 0",
}
OF_FORCE = {
    **dict.fromkeys(("spring_damper", "cable", "end_stop"), {"length": LENGTH, "value": "force; above 0 it pulls the points together"}),
    "bushing": {"force": "force on body b at point b, in world axes", "torque": "torque on body b, in world axes"},
    **dict.fromkeys(("joint_spring", "stop", "friction", "brake"), {"position": COORDINATE, "value": DOWN}),
    "motor": {"position": COORDINATE, "value": UP},
    "drive": {"position": COORDINATE, "target": "coordinate that the drive aims at", "value": UP},
    "gear": {"value": "torque or force on joint; above 0 it drives its coordinate down"},
    **dict.fromkeys(("sphere_plane", "sphere_sphere"), CONTACT),
    "hydraulic_cylinder": {
        "length": LENGTH,
        "value": "force; above 0 it pushes the points apart",
        "pressure_a": "gauge pressure of chamber a",
        "pressure_b": "gauge pressure of chamber b",
        "flow_a": "flow through the valve into chamber a, as oil at pressure 0",
        "flow_b": "flow through the valve into chamber b, as oil at pressure 0",
        "spool": "position of the spool, -1 to 1",
        "supplied": "energy from the supply and the tank since the reset, less what went back",
        "lost": "energy that throttles, leakage and damping have taken since the reset",
    },
    "electric_motor": {
        "position": COORDINATE,
        "value": UP,
        "current": "current of the winding",
        "voltage": "voltage that acts",
        "supplied": "energy from the voltage since the reset, less what went back",
        "lost": "energy that the resistance has taken since the reset",
    },
    "tyre": {
        **CONTACT,
        "along": "force on the wheel, forward",
        "across": "force on the wheel along normal x forward: to the left",
        "slip": "(rolling_radius times the rate of the wheel less the speed)/|speed| along it, at most 10; 0 at standstill",
        "slip_angle": "angle of slip, above 0 if the wheel moves to the right; 0 at standstill",
        "lost": "energy that sliding and damping have taken since the reset",
    },
}


def fill(text):
    return "\n".join(textwrap.wrap(text.replace("-", "\\-"), 79, break_on_hyphens=False))


def table(form, head, rows):
    lines = [".TS", form + ".", "\t".join(f"\\fB{h}\\fP" for h in head), "_"]
    for *cells, text in rows:
        lines.append("\t".join(c.replace("-", "\\-") for c in cells) + f"\tT{{\n{fill(text)}\nT}}")
    return "\n".join([*lines, ".TE"])


def read_signals(ali3d):
    """{name: unit} of every quantity, as in body.A.position."""
    printed = subprocess.run([ali3d, HERE / "signals.yaml", "--print-map=json"], check=True, capture_output=True, text=True)
    rows = [r for r in json.loads(printed.stdout)["osc"] if r["out"] and "on request" in r["text"]]
    names = {r["address"].removeprefix("/ali3/").replace("/", "."): r["unit"] for r in rows}
    return {n: u for n, u in names.items() if not re.fullmatch(r"body\.[^.]+\.state|input\.[^.]+", n)}


def words(units):
    *first, last = units
    return f"{', '.join(first)} or {last}" if first else last


def types_of_readings(signals):
    """Types of sensors with the signals value, rate and quality. The name of a sensor in signals.yaml is its type."""
    found = {}
    for name in signals:
        if name.startswith("sensor."):
            _, element, quantity = name.split(".")
            found.setdefault(quantity, {})[element.removesuffix(TYPES_WITH_TWO_UNITS)] = True
    return {quantity: ", ".join(found[quantity]) for quantity in ("value", "rate", "quality")}


def missing_types(signals, types):
    """Types of force elements and sensors, as in {"force": [..]}, that no element of signals.yaml has: no table would have their signals."""
    named = {tuple(name.split(".")[:2]) for name in signals}
    return [f"{kind} {t}" for kind, all_types in types.items() for t in all_types if (kind, t) not in named]


def signal_table(signals):
    """Every signal except force.*, platform.* and rig.*, with elements and parts of the loop collected."""
    rows, phases, levels = {}, [], []
    for name, unit in signals.items():
        if name.startswith(("platform.", "rig.", "force.")):
            continue
        pattern = re.sub(r"^(body|joint|sensor|input)\.[^.]+", r"\1.NAME", name)
        if found := re.fullmatch(r"loop\.level\.([^.]+)(\..+)", name):
            pattern = "loop.level.LEVEL" + found.group(2)
            if not found.group(1).startswith("level_") and found.group(1) not in levels:
                levels.append(found.group(1))
        elif (found := re.fullmatch(r"loop\.([^.]+)(\.max)?", name)) and f"loop.{found.group(1)}.max" in signals:
            pattern = "loop.PHASE" + (found.group(2) or "")
            if found.group(1) not in phases:
                phases.append(found.group(1))
        rows.setdefault(pattern, {})[unit] = True
    if rows.keys() != MEANING.keys():
        raise SystemExit(f"signal_tables.py: signals and meanings differ: {rows.keys() ^ MEANING.keys()}")
    lists = types_of_readings(signals)
    lists |= {"phases": ", ".join(phases), "levels": ", ".join(levels)}
    return table("l l lx", ("name", "unit", "meaning"), [(p, words(rows[p]), text.format(**lists)) for p, text in MEANING.items()])


def force_table(signals):
    """force.NAME.*, by the type of the force element, which is its name in signals.yaml."""
    units = {}
    for name, unit in signals.items():
        if name.startswith("force."):
            _, element, quantity = name.split(".")
            units.setdefault((element.removesuffix(TYPES_WITH_TWO_UNITS), quantity), {})[unit] = True
    known = {(kind, quantity) for kind, texts in OF_FORCE.items() for quantity in texts}
    if units.keys() != known:
        raise SystemExit(f"signal_tables.py: signals of forces and meanings differ: {units.keys() ^ known}")
    rows = {}
    for (kind, quantity), found in units.items():
        rows.setdefault((quantity, words(found), OF_FORCE[kind][quantity]), []).append(kind)
    return table("lx l l lx", ("force type", "force.NAME.", "unit", "meaning"), [(", ".join(kinds), *row) for row, kinds in rows.items()])
