/* SPDX-License-Identifier: MIT
 * Helpers for the tests of contacts, friction and stops: a ball, its contact with a plane, and queries. */
#ifndef STEPPER_CORNERS_H
#define STEPPER_CORNERS_H

#include "check.h"
#include "common/toys.h"

#include <math.h>

static const double g = 9.81, RADIUS = 0.1;

static const ali3_body_spec BALL = {.name = "ball",
                                    .mass = 2,
                                    .inertia = {0.008, 0, 0, 0, 0.008, 0, 0, 0, 0.008}, /* 2/5 m r^2 */
                                    .orientation = {1, 0, 0, 0}};

static inline ali3_model *model(double gravity)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  toy_added(m, ali3_model_set_gravity(m, (double[]){0, -gravity, 0}));
  return m;
}

static inline ali3_data *start_with(ali3_model *m, double dt, double gamma)
{
  ali3_options o = ali3_options_default();
  o.dt = dt;
  o.gamma = gamma;
  toy_freeze_with(m, &o);
  return toy_start(m, ALI3_OK);
}

/* Freezes the model at dt and resets the data. */
static inline ali3_data *start(ali3_model *m, double dt)
{
  return start_with(m, dt, 0.5);
}

static inline void end(ali3_model *m, ali3_data *d)
{
  ali3_data_free(d);
  ali3_model_free(m);
}

static inline ali3_force_spec plane_contact(double stiffness, double friction)
{
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_SPHERE_PLANE);
  s.name = "contact";
  s.body_b = 0;
  s.normal[1] = 1;
  s.radius_b = RADIUS;
  s.stiffness[0] = stiffness;
  s.friction = friction;
  return s;
}

static inline ali3_body_state body(const ali3_model *m, const ali3_data *d, int b)
{
  ali3_body_state x;
  ali3_body_get(m, d, b, &x);
  return x;
}

static inline ali3_force_state force(const ali3_model *m, const ali3_data *d, int f)
{
  ali3_force_state x;
  ali3_force_get(m, d, f, &x);
  return x;
}

static inline double energy(const ali3_model *m, const ali3_data *d)
{
  ali3_energy e;
  ali3_energy_get(m, d, &e);
  return e.total;
}

#endif
