/* SPDX-License-Identifier: MIT
 * Helpers for the tests of fast rotation: every method, rates from 10 to 1e4 rad/s, shafts, bearings and forces on them. */
#ifndef STEPPER_TURNING_H
#define STEPPER_TURNING_H

#include "stepper/corners.h"

#include <string.h>

static const double none[3] = {0}, Z[3] = {0, 0, 1};

/* Methods and options under which every case runs. */
struct way {
  const char *name;
  ali3_method method;
  bool extrapolate;
  int substeps;
};
static const struct way WAY[] = {{"plain", ALI3_METHOD_ALI3, false, 1},
                                 {"extrapolated", ALI3_METHOD_ALI3, true, 1},
                                 {"3 substeps", ALI3_METHOD_ALI3, false, 3},
                                 {"energy", ALI3_METHOD_ENERGY, false, 1},
                                 {"energy extrapolated", ALI3_METHOD_ENERGY, true, 1},
                                 {"rk4", ALI3_METHOD_RK4, false, 1},
                                 {"dp5", ALI3_METHOD_DP5, false, 1},
                                 {"ab4", ALI3_METHOD_AB4, false, 1},
                                 {"abm8", ALI3_METHOD_ABM8, false, 1},
                                 {"dp8", ALI3_METHOD_DP8, false, 1}};
enum { WAYS = sizeof WAY / sizeof *WAY };
static const double RATE[] = {10, 100, 313, 314.15926535897932, 320, 377, 500, 1000, 3141.6, 1e4};
enum { RATES = sizeof RATE / sizeof *RATE };

static inline int shaft(ali3_model *m, const char *name, double rate)
{
  ali3_body_spec b = toy_body(name, none, 1.0, 0.01);
  b.inertia[8] = 0.02;
  b.angular_velocity[2] = rate;
  return toy_added(m, ali3_model_add_body(m, &b));
}

static inline int bearing(ali3_model *m, const char *name, int a, int b)
{
  ali3_joint_spec s = {.name = name, .type = ALI3_JOINT_REVOLUTE, .body_a = a, .body_b = b};
  memcpy(s.axis_a, Z, sizeof Z);
  memcpy(s.axis_b, Z, sizeof Z);
  return toy_added(m, ali3_model_add_joint(m, &s));
}

static inline ali3_force_spec on_joint(ali3_force_type type, int joint)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = "f";
  s.joint = joint;
  return s;
}

static inline int add(ali3_model *m, ali3_force_spec s)
{
  return toy_added(m, ali3_model_add_force(m, &s));
}

static inline void gear(ali3_model *m, int joint, int other, double ratio)
{
  ali3_force_spec s = on_joint(ALI3_FORCE_GEAR, joint);
  s.joint_b = other;
  s.ratio = ratio;
  add(m, s);
}

static inline ali3_options options_of(const struct way *way, double dt)
{
  ali3_options o = ali3_options_default();
  o.dt = dt;
  o.method = way->method;
  o.extrapolate = way->extrapolate;
  o.substeps = way->substeps;
  return o;
}

static inline ali3_data *begin(ali3_model *m, const struct way *way, double dt)
{
  const ali3_options o = options_of(way, dt);
  toy_freeze_with(m, &o);
  return toy_start(m, ALI3_OK);
}

static inline ali3_joint_state joint_of(const ali3_model *m, const ali3_data *d, int joint)
{
  ali3_joint_state s;
  ali3_joint_get(m, d, joint, &s);
  return s;
}

#endif
