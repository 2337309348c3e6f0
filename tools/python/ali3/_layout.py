# SPDX-License-Identifier: MIT
# Made by tools/python/layout.py from include/ali3: do not change it by hand.
# mypy: ignore-errors
"""Structs, constants and functions of libali3."""
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_ubyte, c_uint, c_uint64,
                    c_void_p)

CONSTANTS = {
    "ALI3_ABI": 12,
    "ALI3_COORDINATES": 3,
    "ALI3_COORDINATES_AUTO": 0,
    "ALI3_COORDINATES_BODY": 1,
    "ALI3_COORDINATES_JOINT": 2,
    "ALI3_DRIVES_FREE": 1,
    "ALI3_DROP_ALONG": 1,
    "ALI3_DROP_FIRST": 2,
    "ALI3_DROP_SECOND": 4,
    "ALI3_DROP_THIRD": 8,
    "ALI3_E_ARGUMENT": -100,
    "ALI3_E_ASSEMBLE": -104,
    "ALI3_E_DIVERGED": -105,
    "ALI3_E_FROZEN": -103,
    "ALI3_E_MEMORY": -101,
    "ALI3_E_MODEL": -102,
    "ALI3_E_SINGULAR": -106,
    "ALI3_E_STATE": -108,
    "ALI3_E_STIFF": -109,
    "ALI3_E_VIOLATED": -107,
    "ALI3_FLAT_VERSION": 11,
    "ALI3_FORCE_BRAKE": 14,
    "ALI3_FORCE_BUSHING": 1,
    "ALI3_FORCE_CABLE": 3,
    "ALI3_FORCE_CYLINDER": 12,
    "ALI3_FORCE_DRIVE": 8,
    "ALI3_FORCE_END_STOP": 4,
    "ALI3_FORCE_FRICTION": 6,
    "ALI3_FORCE_GEAR": 9,
    "ALI3_FORCE_JOINT_SPRING": 2,
    "ALI3_FORCE_MOTOR": 7,
    "ALI3_FORCE_SPHERE_PLANE": 10,
    "ALI3_FORCE_SPHERE_SPHERE": 11,
    "ALI3_FORCE_SPRING": 0,
    "ALI3_FORCE_STOP": 5,
    "ALI3_FORCE_TYPES": 16,
    "ALI3_FORCE_TYRE": 15,
    "ALI3_FORCE_WINDING": 13,
    "ALI3_FREEDOMS_MOST": 500,
    "ALI3_GROUND": -1,
    "ALI3_JOINT_CYLINDRICAL": 3,
    "ALI3_JOINT_DISTANCE": 9,
    "ALI3_JOINT_FIXED": 0,
    "ALI3_JOINT_PLANAR": 6,
    "ALI3_JOINT_POINT_IN_PLANE": 8,
    "ALI3_JOINT_POINT_ON_LINE": 7,
    "ALI3_JOINT_PRISMATIC": 2,
    "ALI3_JOINT_REVOLUTE": 1,
    "ALI3_JOINT_SPHERICAL": 5,
    "ALI3_JOINT_TYPES": 10,
    "ALI3_JOINT_UNIVERSAL": 4,
    "ALI3_LOAD_FORCE": 0,
    "ALI3_LOAD_TORQUE": 1,
    "ALI3_METHODS": 7,
    "ALI3_METHOD_AB4": 4,
    "ALI3_METHOD_ABM8": 5,
    "ALI3_METHOD_ALI3": 0,
    "ALI3_METHOD_DP5": 3,
    "ALI3_METHOD_DP8": 6,
    "ALI3_METHOD_ENERGY": 1,
    "ALI3_METHOD_RK4": 2,
    "ALI3_MODEL_HASH_SIZE": 32,
    "ALI3_MOVED": 2,
    "ALI3_NONE": -2,
    "ALI3_NOT_CONVERGED": 1,
    "ALI3_OK": 0,
    "ALI3_PHASES": 7,
    "ALI3_PHASE_BODIES": 4,
    "ALI3_PHASE_CONDENSE": 2,
    "ALI3_PHASE_IDLE": 6,
    "ALI3_PHASE_PREDICT": 0,
    "ALI3_PHASE_PROJECT": 5,
    "ALI3_PHASE_ROWS": 1,
    "ALI3_PHASE_SWEEP": 3,
    "ALI3_PORT_BODY": 3,
    "ALI3_PORT_COMMAND": 2,
    "ALI3_PORT_FORCE": 5,
    "ALI3_PORT_JOINT": 4,
    "ALI3_PORT_LOAD": 1,
    "ALI3_PORT_SENSOR": 6,
    "ALI3_PORT_WRENCH": 0,
    "ALI3_RUNS_SHARED": -1,
    "ALI3_SENSOR_ANGLE": 4,
    "ALI3_SENSOR_DISTANCE": 3,
    "ALI3_SENSOR_ENCODER": 5,
    "ALI3_SENSOR_IMU": 2,
    "ALI3_SENSOR_LOAD_CELL": 6,
    "ALI3_SENSOR_POINT": 0,
    "ALI3_SENSOR_POSE": 1,
    "ALI3_SENSOR_TYPES": 7,
    "ALI3_STATE_VERSION": 5,
    "ALI3_UNRESOLVED": 4,
    "ALI3_VIOLATED": 3,
}

STATUS_NAMES = {
    0: "ALI3_OK",
    1: "ALI3_NOT_CONVERGED",
    2: "ALI3_MOVED",
    3: "ALI3_VIOLATED",
    4: "ALI3_UNRESOLVED",
    -100: "ALI3_E_ARGUMENT",
    -101: "ALI3_E_MEMORY",
    -102: "ALI3_E_MODEL",
    -103: "ALI3_E_FROZEN",
    -104: "ALI3_E_ASSEMBLE",
    -105: "ALI3_E_DIVERGED",
    -106: "ALI3_E_SINGULAR",
    -107: "ALI3_E_VIOLATED",
    -108: "ALI3_E_STATE",
    -109: "ALI3_E_STIFF",
}


class ali3_options(Structure):
    _fields_ = [
        ("method", c_int),
        ("dt", c_double),
        ("iterations", c_int),
        ("alpha", c_double),
        ("compliance", c_double),
        ("substeps", c_int),
        ("interpolate", c_bool),
        ("extrapolate", c_bool),
        ("gamma", c_double),
        ("beta", c_double),
        ("assembly_position", c_double),
        ("assembly_angle", c_double),
        ("assembly_velocity", c_double),
        ("violation", c_double),
        ("retry", c_int),
        ("isa", c_char * 12),
        ("coordinates", c_int),
    ]


class ali3_body_spec(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("mass", c_double),
        ("inertia", c_double * 9),
        ("position", c_double * 3),
        ("orientation", c_double * 4),
        ("velocity", c_double * 3),
        ("angular_velocity", c_double * 3),
    ]


class ali3_joint_spec(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("body_a", c_int),
        ("body_b", c_int),
        ("point_a", c_double * 3),
        ("point_b", c_double * 3),
        ("axis_a", c_double * 3),
        ("axis_b", c_double * 3),
        ("length", c_double),
        ("relative_orientation", c_double * 4),
        ("position", c_double),
        ("velocity", c_double),
        ("dropped", c_uint),
    ]


class ali3_load_spec(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("body", c_int),
        ("vector", c_double * 3),
        ("point", c_double * 3),
        ("body_axes", c_bool),
    ]


class ali3_table(Structure):
    _fields_ = [
        ("n", c_int),
        ("point", POINTER(c_double)),
    ]


class ali3_force_spec(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("body_a", c_int),
        ("body_b", c_int),
        ("point_a", c_double * 3),
        ("point_b", c_double * 3),
        ("joint", c_int),
        ("stiffness", c_double * 6),
        ("damping", c_double * 6),
        ("rest", c_double),
        ("force_table", ali3_table),
        ("damping_table", ali3_table),
        ("lower", c_double),
        ("upper", c_double),
        ("friction", c_double),
        ("slip", c_double),
        ("normal", c_double * 3),
        ("radius_a", c_double),
        ("radius_b", c_double),
        ("joint_b", c_int),
        ("ratio", c_double),
        ("offset", c_double),
        ("speed", c_double),
        ("amplitude", c_double),
        ("frequency", c_double),
        ("phase", c_double),
        ("motion", ali3_table),
        ("external", c_bool),
        ("max_rate", c_double),
        ("max_acceleration", c_double),
        ("bore", c_double),
        ("rod", c_double),
        ("retracted", c_double),
        ("stroke", c_double),
        ("dead_volume", c_double * 2),
        ("bulk_modulus", c_double),
        ("leakage", c_double),
        ("supply", c_double),
        ("tank", c_double),
        ("flow", c_double),
        ("flow_drop", c_double),
        ("overlap", c_double),
        ("lag", c_double),
        ("pressure", c_double * 2),
        ("resistance", c_double),
        ("inductance", c_double),
        ("constant", c_double),
        ("max_current", c_double),
        ("max_voltage", c_double),
        ("current", c_double),
        ("axle", c_double * 3),
        ("rolling_radius", c_double),
        ("load", c_double),
        ("slip_stiffness", c_double * 2),
        ("relaxation", c_double * 2),
        ("grip", c_double * 2),
        ("slip_damping", c_double * 2),
        ("shape", c_double),
        ("curvature", c_double),
    ]


class ali3_sensor_spec(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("body", c_int),
        ("body_b", c_int),
        ("point", c_double * 3),
        ("point_b", c_double * 3),
        ("orientation", c_double * 4),
        ("axis", c_double * 3),
        ("start", c_double),
        ("joint", c_int),
        ("force", c_int),
        ("cutoff", c_double),
        ("filter_order", c_int),
        ("delay", c_double),
        ("noise", c_double * 2),
        ("lower", c_double * 2),
        ("upper", c_double * 2),
        ("resolution", c_double * 2),
        ("seed", c_int),
        ("stuck", c_int),
        ("stuck_at", c_double),
        ("scale_error", c_double * 2),
        ("bias", c_double),
        ("force_bias", c_double * 3),
        ("angular_bias", c_double * 3),
    ]


class ali3_problem(Structure):
    _fields_ = [
        ("status", c_int),
        ("element", c_char_p),
        ("field", c_char_p),
        ("text", c_char * 240),
    ]


class ali3_law(Structure):
    _fields_ = [
        ("context", c_void_p),
        ("force", c_void_p),
        ("energy", c_void_p),
    ]


class ali3_exec(Structure):
    _fields_ = [
        ("context", c_void_p),
        ("shares", c_int),
        ("run", c_void_p),
        ("worth", c_double),
    ]


class ali3_initial(Structure):
    _fields_ = [
        ("moved_position", c_double),
        ("moved_orientation", c_double),
        ("moved_velocity", c_double),
        ("moved_angular_velocity", c_double),
        ("body_position", c_int),
        ("body_orientation", c_int),
        ("body_rate", c_int),
        ("rate_turns", c_bool),
        ("rate_given", c_double),
        ("rate_possible", c_double),
        ("rate_changed", c_double),
        ("too_far", c_bool),
    ]


class ali3_opening(Structure):
    _fields_ = [
        ("distance", c_double),
        ("angle", c_double),
        ("open", c_bool),
    ]


class ali3_report(Structure):
    _fields_ = [
        ("status", c_int),
        ("retried", c_bool),
        ("held", c_int),
        ("step", c_uint64),
        ("time", c_double),
        ("increment", c_double),
        ("position", c_double),
        ("velocity", c_double),
        ("acceleration", c_double),
        ("worst_joint", c_int),
        ("worst_force", c_int),
        ("worst_body", c_int),
        ("turn", c_double),
        ("longest_step", c_double),
        ("free_direction", c_double * 6),
    ]


class ali3_extrapolation(Structure):
    _fields_ = [
        ("combined", c_bool),
        ("stopped", c_int),
    ]


class ali3_violation(Structure):
    _fields_ = [
        ("rates", c_bool),
        ("relative", c_double),
        ("joint", c_int),
        ("force", c_int),
        ("length", c_double),
        ("angle", c_double),
        ("drive", c_int),
        ("other", c_int),
        ("aim", c_double),
        ("at", c_double),
        ("limit", c_double),
    ]


class ali3_body_state(Structure):
    _fields_ = [
        ("position", c_double * 3),
        ("orientation", c_double * 4),
        ("velocity", c_double * 3),
        ("angular_velocity", c_double * 3),
        ("acceleration", c_double * 3),
        ("angular_acceleration", c_double * 3),
    ]


class ali3_joint_state(Structure):
    _fields_ = [
        ("force", c_double * 3),
        ("torque", c_double * 3),
        ("position", c_double),
        ("velocity", c_double),
        ("held", c_bool),
    ]


class ali3_force_state(Structure):
    _fields_ = [
        ("position", c_double),
        ("rate", c_double),
        ("value", c_double),
        ("target", c_double),
        ("force", c_double * 3),
        ("torque", c_double * 3),
        ("supplied", c_double),
        ("lost", c_double),
        ("pressure", c_double * 2),
        ("flow", c_double * 2),
        ("spool", c_double),
        ("current", c_double),
        ("voltage", c_double),
        ("along", c_double),
        ("across", c_double),
        ("slip", c_double),
        ("slip_angle", c_double),
    ]


class ali3_point_state(Structure):
    _fields_ = [
        ("position", c_double * 3),
        ("velocity", c_double * 3),
        ("acceleration", c_double * 3),
    ]


class ali3_sensor_state(Structure):
    _fields_ = [
        ("position", c_double * 3),
        ("orientation", c_double * 4),
        ("velocity", c_double * 3),
        ("angular_velocity", c_double * 3),
        ("acceleration", c_double * 3),
        ("angular_acceleration", c_double * 3),
        ("specific_force", c_double * 3),
        ("value", c_double),
        ("rate", c_double),
    ]


class ali3_reading(Structure):
    _fields_ = [
        ("value", c_double * 6),
        ("rate", c_double),
        ("good", c_bool),
    ]


class ali3_energy(Structure):
    _fields_ = [
        ("kinetic", c_double),
        ("potential", c_double),
        ("total", c_double),
        ("supplied", c_double),
        ("lost", c_double),
    ]


class ali3_mechanics_part(Structure):
    _fields_ = [
        ("bodies", c_int),
        ("joints", c_int),
        ("forces", c_int),
        ("rows", c_int),
        ("freedoms", c_int),
        ("freedoms_undriven", c_int),
        ("redundant", c_int),
        ("singular", c_int),
        ("grounded", c_bool),
        ("sprung", c_bool),
        ("smallest_kept", c_double),
        ("largest_dropped", c_double),
        ("doubtful", c_bool),
    ]


class ali3_mechanics_conflict(Structure):
    _fields_ = [
        ("force", c_int),
        ("other_force", c_int),
        ("velocity", c_double),
    ]


class ali3_equilibrium_options(Structure):
    _fields_ = [
        ("passes", c_int),
        ("nearest", c_bool),
    ]


class ali3_equilibrium_report(Structure):
    _fields_ = [
        ("passes", c_int),
        ("residual", c_double),
        ("moved_position", c_double),
        ("moved_orientation", c_double),
        ("indifferent", c_int),
        ("unstable", c_int),
        ("unstable_body", c_int),
        ("loose_body", c_int),
    ]


class ali3_port(Structure):
    _fields_ = [
        ("kind", c_int),
        ("element", c_int),
        ("component", c_int),
    ]


class ali3_ports(Structure):
    _fields_ = [
        ("input", POINTER(ali3_port)),
        ("inputs", c_int),
        ("output", POINTER(ali3_port)),
        ("outputs", c_int),
        ("joint", POINTER(c_int)),
        ("joints", c_int),
    ]


class ali3_linear(Structure):
    _fields_ = [
        ("states", c_int),
        ("inputs", c_int),
        ("outputs", c_int),
        ("A", POINTER(c_double)),
        ("B", POINTER(c_double)),
        ("C", POINTER(c_double)),
        ("D", POINTER(c_double)),
        ("error", c_double),
        ("corners", c_int),
        ("corner", POINTER(c_int)),
    ]


class ali3_mode(Structure):
    _fields_ = [
        ("frequency", c_double),
        ("damping", c_double),
        ("stiffness", c_double),
        ("body", c_int),
    ]


STRUCTS = [
    ali3_options,
    ali3_body_spec,
    ali3_joint_spec,
    ali3_load_spec,
    ali3_table,
    ali3_force_spec,
    ali3_sensor_spec,
    ali3_problem,
    ali3_law,
    ali3_exec,
    ali3_initial,
    ali3_opening,
    ali3_report,
    ali3_extrapolation,
    ali3_violation,
    ali3_body_state,
    ali3_joint_state,
    ali3_force_state,
    ali3_point_state,
    ali3_sensor_state,
    ali3_reading,
    ali3_energy,
    ali3_mechanics_part,
    ali3_mechanics_conflict,
    ali3_equilibrium_options,
    ali3_equilibrium_report,
    ali3_port,
    ali3_ports,
    ali3_linear,
    ali3_mode,
]

# name: (result, arguments)
FUNCTIONS = {
    "ali3_abi": (c_uint, []),
    "ali3_body_get": (None, [c_void_p, c_void_p, c_int, c_void_p]),
    "ali3_data_extrapolation": (ali3_extrapolation, [c_void_p]),
    "ali3_data_free": (None, [c_void_p]),
    "ali3_data_initial": (POINTER(ali3_initial), [c_void_p]),
    "ali3_data_new": (c_void_p, [c_void_p]),
    "ali3_data_place": (c_void_p, [c_void_p, c_void_p, c_size_t]),
    "ali3_data_report": (POINTER(ali3_report), [c_void_p]),
    "ali3_data_set_exec": (None, [c_void_p, c_void_p]),
    "ali3_data_size": (c_size_t, [c_void_p]),
    "ali3_data_violation": (POINTER(ali3_violation), [c_void_p]),
    "ali3_energy_get": (None, [c_void_p, c_void_p, c_void_p]),
    "ali3_equilibrium": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "ali3_feedback": (c_int, [c_void_p, c_void_p]),
    "ali3_force_get": (None, [c_void_p, c_void_p, c_int, c_void_p]),
    "ali3_force_opening": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_force_opening_text": (c_int, [c_void_p, c_int, c_char_p, c_size_t]),
    "ali3_force_settled": (c_bool, [c_void_p, c_void_p, c_int]),
    "ali3_force_spec_default": (ali3_force_spec, [c_int]),
    "ali3_force_type_is_contact": (c_bool, [c_int]),
    "ali3_force_type_name": (c_char_p, [c_int]),
    "ali3_force_type_on_joint": (c_bool, [c_int]),
    "ali3_force_type_takes_command": (c_bool, [c_int]),
    "ali3_freedoms_count": (c_int, [c_void_p]),
    "ali3_freedoms_free": (None, [c_void_p]),
    "ali3_freedoms_jacobian": (c_int, [c_void_p, c_int, c_void_p, c_void_p]),
    "ali3_freedoms_joint": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_freedoms_mass": (c_int, [c_void_p, c_void_p]),
    "ali3_freedoms_new": (c_void_p, [c_void_p, c_void_p, c_void_p, c_int, c_uint, c_void_p]),
    "ali3_freedoms_twist": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_joint_get": (None, [c_void_p, c_void_p, c_int, c_void_p]),
    "ali3_joint_opening": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_joint_opening_text": (c_int, [c_void_p, c_int, c_char_p, c_size_t]),
    "ali3_joint_type_droppable": (c_uint, [c_int]),
    "ali3_joint_type_has_axis_a": (c_bool, [c_int]),
    "ali3_joint_type_has_axis_b": (c_bool, [c_int]),
    "ali3_joint_type_name": (c_char_p, [c_int]),
    "ali3_linear_free": (None, [c_void_p]),
    "ali3_linear_poles": (c_int, [c_void_p, c_void_p]),
    "ali3_linearise": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "ali3_mechanics_conflict_get": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_mechanics_conflicts": (c_int, [c_void_p]),
    "ali3_mechanics_droppable": (c_int, [c_void_p, c_void_p, c_void_p]),
    "ali3_mechanics_force_is_redundant": (c_bool, [c_void_p, c_int]),
    "ali3_mechanics_free": (None, [c_void_p]),
    "ali3_mechanics_joint_is_redundant": (c_bool, [c_void_p, c_int]),
    "ali3_mechanics_new": (c_void_p, [c_void_p, c_void_p]),
    "ali3_mechanics_part_get": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_mechanics_part_of_body": (c_int, [c_void_p, c_int]),
    "ali3_mechanics_part_of_force": (c_int, [c_void_p, c_int]),
    "ali3_mechanics_part_of_joint": (c_int, [c_void_p, c_int]),
    "ali3_mechanics_parts": (c_int, [c_void_p]),
    "ali3_method_is_explicit": (c_bool, [c_int]),
    "ali3_method_name": (c_char_p, [c_int]),
    "ali3_method_named": (c_int, [c_char_p]),
    "ali3_method_order": (c_int, [c_int]),
    "ali3_model_add_body": (c_int, [c_void_p, c_void_p]),
    "ali3_model_add_force": (c_int, [c_void_p, c_void_p]),
    "ali3_model_add_joint": (c_int, [c_void_p, c_void_p]),
    "ali3_model_add_load": (c_int, [c_void_p, c_void_p]),
    "ali3_model_add_sensor": (c_int, [c_void_p, c_void_p]),
    "ali3_model_bodies": (c_int, [c_void_p]),
    "ali3_model_body_name": (c_char_p, [c_void_p, c_int]),
    "ali3_model_body_spec": (ali3_body_spec, [c_void_p, c_int]),
    "ali3_model_coordinates": (c_int, [c_void_p]),
    "ali3_model_drop_rows": (c_int, [c_void_p, c_int, c_uint]),
    "ali3_model_find_body": (c_int, [c_void_p, c_char_p]),
    "ali3_model_find_force": (c_int, [c_void_p, c_char_p]),
    "ali3_model_find_joint": (c_int, [c_void_p, c_char_p]),
    "ali3_model_find_load": (c_int, [c_void_p, c_char_p]),
    "ali3_model_find_sensor": (c_int, [c_void_p, c_char_p]),
    "ali3_model_flat_read": (c_int, [c_void_p, c_void_p, c_size_t]),
    "ali3_model_flat_size": (c_size_t, [c_void_p]),
    "ali3_model_flat_write": (c_int, [c_void_p, c_void_p, c_size_t]),
    "ali3_model_flops": (c_double, [c_void_p]),
    "ali3_model_force_name": (c_char_p, [c_void_p, c_int]),
    "ali3_model_force_spec": (ali3_force_spec, [c_void_p, c_int]),
    "ali3_model_force_takes_command": (c_bool, [c_void_p, c_int]),
    "ali3_model_force_turns": (c_bool, [c_void_p, c_int]),
    "ali3_model_force_type": (c_int, [c_void_p, c_int]),
    "ali3_model_forces": (c_int, [c_void_p]),
    "ali3_model_free": (None, [c_void_p]),
    "ali3_model_freeze": (c_int, [c_void_p, c_void_p]),
    "ali3_model_gravity": (None, [c_void_p, c_void_p]),
    "ali3_model_hash": (c_int, [c_void_p, c_void_p]),
    "ali3_model_isa": (c_char_p, [c_void_p]),
    "ali3_model_joint_name": (c_char_p, [c_void_p, c_int]),
    "ali3_model_joint_spec": (ali3_joint_spec, [c_void_p, c_int]),
    "ali3_model_joint_type": (c_int, [c_void_p, c_int]),
    "ali3_model_joints": (c_int, [c_void_p]),
    "ali3_model_load_spec": (ali3_load_spec, [c_void_p, c_int]),
    "ali3_model_loads": (c_int, [c_void_p]),
    "ali3_model_name": (c_char_p, [c_void_p]),
    "ali3_model_new": (c_void_p, []),
    "ali3_model_options": (POINTER(ali3_options), [c_void_p]),
    "ali3_model_problem": (POINTER(ali3_problem), [c_void_p]),
    "ali3_model_rows": (c_int, [c_void_p]),
    "ali3_model_sensor_name": (c_char_p, [c_void_p, c_int]),
    "ali3_model_sensor_spec": (ali3_sensor_spec, [c_void_p, c_int]),
    "ali3_model_sensor_type": (c_int, [c_void_p, c_int]),
    "ali3_model_sensors": (c_int, [c_void_p]),
    "ali3_model_set_gravity": (c_int, [c_void_p, c_void_p]),
    "ali3_model_set_law": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_model_set_name": (c_int, [c_void_p, c_char_p]),
    "ali3_model_takes_state": (c_bool, [c_void_p, c_void_p]),
    "ali3_modes_count": (c_int, [c_void_p]),
    "ali3_modes_free": (None, [c_void_p]),
    "ali3_modes_get": (c_int, [c_void_p, c_int, c_void_p]),
    "ali3_modes_new": (c_void_p, [c_void_p, c_void_p, c_uint, c_void_p]),
    "ali3_modes_shape": (c_int, [c_void_p, c_int, c_int, c_void_p]),
    "ali3_options_default": (ali3_options, []),
    "ali3_place": (c_int, [c_void_p, c_void_p, c_void_p, c_double]),
    "ali3_point_get": (None, [c_void_p, c_void_p, c_int, c_void_p, c_void_p]),
    "ali3_prepare": (c_int, [c_void_p, c_void_p]),
    "ali3_report_text": (c_int, [c_void_p, c_void_p, c_char_p, c_size_t]),
    "ali3_reset": (c_int, [c_void_p, c_void_p]),
    "ali3_sensor_get": (None, [c_void_p, c_void_p, c_int, c_void_p]),
    "ali3_sensor_read": (None, [c_void_p, c_void_p, c_int, c_void_p]),
    "ali3_sensor_type_name": (c_char_p, [c_int]),
    "ali3_sensor_type_readings": (c_int, [c_int]),
    "ali3_set_command": (None, [c_void_p, c_void_p, c_int, c_double]),
    "ali3_set_load": (None, [c_void_p, c_void_p, c_int, c_void_p]),
    "ali3_set_wrench": (None, [c_void_p, c_void_p, c_int, c_void_p, c_void_p]),
    "ali3_state_carry": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "ali3_state_convert": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_size_t]),
    "ali3_state_convert_text": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t, c_char_p, c_size_t]),
    "ali3_state_load": (c_int, [c_void_p, c_void_p, c_void_p, c_size_t]),
    "ali3_state_save": (c_int, [c_void_p, c_void_p, c_void_p]),
    "ali3_state_size": (c_size_t, [c_void_p]),
    "ali3_state_text": (c_int, [c_void_p, c_void_p, c_size_t, c_char_p, c_size_t]),
    "ali3_status_text": (c_char_p, [c_int]),
    "ali3_step": (c_int, [c_void_p, c_void_p]),
    "ali3_steps": (c_int, [c_void_p, c_void_p, c_int]),
    "ali3_turn_text": (c_int, [c_void_p, c_void_p, c_char_p, c_size_t]),
    "ali3_unprepare": (None, [c_void_p, c_void_p]),
    "ali3_version": (c_char_p, []),
    "ali3_violation_text": (c_int, [c_void_p, c_void_p, c_char_p, c_size_t]),
}
