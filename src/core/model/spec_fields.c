/* SPDX-License-Identifier: MIT */
#include "model/spec_fields.h"

#define ROW(spec, kind, name)                                                                                \
  {                                                                                                          \
#name, kind, offsetof(spec, name), 1                                                                     \
  }
#define NUMBERS(spec, name)                                                                                  \
  {                                                                                                          \
#name, SPEC_NUMBERS, offsetof(spec, name), (int)(sizeof(((spec *)0)->name) / sizeof(double))             \
  }

#define B ali3_body_spec
static const struct spec_field body_fields[] = {
    ROW(B, SPEC_NAME, name), NUMBERS(B, mass),     NUMBERS(B, inertia),         NUMBERS(B, position),
    NUMBERS(B, orientation), NUMBERS(B, velocity), NUMBERS(B, angular_velocity)};

#define J ali3_joint_spec
static const struct spec_field joint_fields[] = {ROW(J, SPEC_NAME, name),   ROW(J, SPEC_TYPE, type),
                                                 ROW(J, SPEC_BODY, body_a), ROW(J, SPEC_BODY, body_b),
                                                 NUMBERS(J, point_a),       NUMBERS(J, point_b),
                                                 NUMBERS(J, axis_a),        NUMBERS(J, axis_b),
                                                 NUMBERS(J, length),        NUMBERS(J, relative_orientation),
                                                 NUMBERS(J, position),      NUMBERS(J, velocity),
                                                 ROW(J, SPEC_BITS, dropped)};

#define L ali3_load_spec
static const struct spec_field load_fields[] = {ROW(L, SPEC_NAME, name), ROW(L, SPEC_TYPE, type),
                                                ROW(L, SPEC_BODY, body), NUMBERS(L, vector),
                                                NUMBERS(L, point),       ROW(L, SPEC_FLAG, body_axes)};

#define F ali3_force_spec
static const struct spec_field force_fields[] = {
    /* The name, the type, and the bodies or joints. */
    ROW(F, SPEC_NAME, name), ROW(F, SPEC_TYPE, type), ROW(F, SPEC_BODY, body_a), ROW(F, SPEC_BODY, body_b),
    NUMBERS(F, point_a), NUMBERS(F, point_b), ROW(F, SPEC_JOINT, joint),
    /* Springs, stops, friction, contacts. */
    NUMBERS(F, stiffness), NUMBERS(F, damping), NUMBERS(F, rest), ROW(F, SPEC_TABLE, force_table),
    ROW(F, SPEC_TABLE, damping_table), NUMBERS(F, lower), NUMBERS(F, upper), NUMBERS(F, friction),
    NUMBERS(F, slip), NUMBERS(F, normal), NUMBERS(F, radius_a), NUMBERS(F, radius_b),
    /* Gears and drives. */
    ROW(F, SPEC_JOINT, joint_b), NUMBERS(F, ratio), NUMBERS(F, offset), NUMBERS(F, speed),
    NUMBERS(F, amplitude), NUMBERS(F, frequency), NUMBERS(F, phase), ROW(F, SPEC_TABLE, motion),
    ROW(F, SPEC_FLAG, external), NUMBERS(F, max_rate), NUMBERS(F, max_acceleration),
    /* Hydraulic cylinders. */
    NUMBERS(F, bore), NUMBERS(F, rod), NUMBERS(F, retracted), NUMBERS(F, stroke), NUMBERS(F, dead_volume),
    NUMBERS(F, bulk_modulus), NUMBERS(F, leakage), NUMBERS(F, supply), NUMBERS(F, tank), NUMBERS(F, flow),
    NUMBERS(F, flow_drop), NUMBERS(F, overlap), NUMBERS(F, lag), NUMBERS(F, pressure),
    /* Electric motors. */
    NUMBERS(F, resistance), NUMBERS(F, inductance), NUMBERS(F, constant), NUMBERS(F, max_current),
    NUMBERS(F, max_voltage), NUMBERS(F, current),
    /* Tyres. */
    NUMBERS(F, axle), NUMBERS(F, rolling_radius), NUMBERS(F, load), NUMBERS(F, slip_stiffness),
    NUMBERS(F, relaxation), NUMBERS(F, grip), NUMBERS(F, slip_damping), NUMBERS(F, shape),
    NUMBERS(F, curvature)};

#define S ali3_sensor_spec
static const struct spec_field sensor_fields[] = {
    /* Its name, its type, and the element that it measures. */
    ROW(S, SPEC_NAME, name), ROW(S, SPEC_TYPE, type), ROW(S, SPEC_BODY, body), ROW(S, SPEC_BODY, body_b),
    NUMBERS(S, point), NUMBERS(S, point_b), NUMBERS(S, orientation), NUMBERS(S, axis), NUMBERS(S, start),
    ROW(S, SPEC_JOINT, joint), ROW(S, SPEC_FORCE, force),
    /* Its chain. */
    NUMBERS(S, cutoff), ROW(S, SPEC_WHOLE, filter_order), NUMBERS(S, delay), NUMBERS(S, noise),
    NUMBERS(S, lower), NUMBERS(S, upper), NUMBERS(S, resolution), ROW(S, SPEC_WHOLE, seed),
    ROW(S, SPEC_WHOLE, stuck), NUMBERS(S, stuck_at), NUMBERS(S, scale_error), NUMBERS(S, bias),
    NUMBERS(S, force_bias), NUMBERS(S, angular_bias)};

#define ELEMENT(id, name)                                                                                    \
  [id] = {#name, sizeof(ali3_##name##_spec), name##_fields, sizeof name##_fields / sizeof *name##_fields}
const struct spec_fields spec_fields[SPEC_ELEMENTS] = {
    ELEMENT(SPEC_OF_BODY, body), ELEMENT(SPEC_OF_JOINT, joint), ELEMENT(SPEC_OF_LOAD, load),
    ELEMENT(SPEC_OF_FORCE, force), ELEMENT(SPEC_OF_SENSOR, sensor)};
