/* SPDX-License-Identifier: MIT
 * Points on slides, and errors against expected values, for the tests of bodies without mass. */
#ifndef COMMON_POINTS_H
#define COMMON_POINTS_H

#include "check.h"
#include "common/toys.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double none[3] = {0.0};

static inline ali3_options options_with(double dt)
{
  ali3_options o = ali3_options_default();
  o.dt = dt;
  return o;
}

static inline void larger(double *largest, double x)
{
  if (!(fabs(x) <= *largest)) *largest = fabs(x); /* keeps NaN */
}

/* The step is good, not only no failure. */
static inline void run_well(const ali3_model *m, ali3_data *d, int steps)
{
  for (int i = 0; i < steps; i++) {
    char text[400];
    if (ali3_step(m, d) == ALI3_OK) continue;
    ali3_report_text(m, d, text, sizeof text);
    fail_msg("step %d: %s", (int)ali3_data_report(d)->step + 1, text);
  }
}

static inline ali3_model *falling(void)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0.0, -9.81, 0.0}));
  return m;
}

static inline void done(ali3_model *m, ali3_data *d)
{
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Linear problems consist of points on slides. All points are turned by one rotation, and the slides hold it.
 */
static const double ASKEW[4] = {0.5, 0.1, -0.7, 0.5};

/* A point: it has no inertia, with or without mass. */
static inline int point(ali3_model *m, const char *name, double mass, double x, double y, double vx,
                        double vy)
{
  ali3_body_spec s = toy_body(name, (const double[]){x, y, 0.0}, mass, 0.0);
  s.velocity[0] = vx;
  s.velocity[1] = vy;
  memcpy(s.orientation, ASKEW, sizeof s.orientation);
  return toy_added(m, ali3_model_add_body(m, &s));
}

/* World vector in the axes of a point. */
static inline void to_point(const double v[3], double o[3])
{
  const double e[3] = {-ASKEW[1], -ASKEW[2], -ASKEW[3]};
  double t[3] = {2 * (e[1] * v[2] - e[2] * v[1]), 2 * (e[2] * v[0] - e[0] * v[2]),
                 2 * (e[0] * v[1] - e[1] * v[0])};
  o[0] = v[0] + ASKEW[0] * t[0] + e[1] * t[2] - e[2] * t[1];
  o[1] = v[1] + ASKEW[0] * t[1] + e[2] * t[0] - e[0] * t[2];
  o[2] = v[2] + ASKEW[0] * t[2] + e[0] * t[1] - e[1] * t[0];
}

/* b slides on a along a world axis; the coordinate is 0 if both are in one place. */
static inline int slide(ali3_model *m, const char *name, int a, int b, int axis)
{
  ali3_joint_spec s = {.name = name, .type = ALI3_JOINT_PRISMATIC, .body_a = a, .body_b = b};
  double v[3] = {0};
  v[axis] = 1.0;
  if (a == ALI3_GROUND)
    memcpy(s.axis_a, v, sizeof v);
  else
    to_point(v, s.axis_a);
  s.position = m->body[b].spec.position[axis] - (a == ALI3_GROUND ? 0.0 : m->body[a].spec.position[axis]);
  return toy_added(m, ali3_model_add_joint(m, &s));
}

/* A spring on the coordinate of a joint, slack at 0. */
static inline void spring(ali3_model *m, int joint, double stiffness, double damping)
{
  char name[32];
  snprintf(name, sizeof name, "F%d", ali3_model_forces(m));
  toy_added(m, ali3_model_add_force(m, &(ali3_force_spec){.name = name,
                                                          .type = ALI3_FORCE_JOINT_SPRING,
                                                          .joint = joint,
                                                          .stiffness = {stiffness},
                                                          .damping = {damping}}));
}

struct error {
  double position, velocity; /* m, m/s; largest over the run */
};

/* Error of a point along a world axis. */
static inline void compare(const ali3_model *m, const ali3_data *d, int body, int axis, double position,
                           double velocity, struct error *e)
{
  ali3_body_state x;
  ali3_body_get(m, d, body, &x);
  larger(&e->position, x.position[axis] - position);
  larger(&e->velocity, x.velocity[axis] - velocity);
}

static inline void below(const char *what, const char *mass, struct error e, double position, double velocity)
{
  print_message("%s, mass %s: off by %.2e m, %.2e m/s\n", what, mass, e.position, e.velocity);
  if (!(e.position < position && e.velocity < velocity))
    fail_msg("%s, mass %s: off by %.2e m, %.2e m/s", what, mass, e.position, e.velocity);
}

/* A tenth of the step has a hundredth of the error. */
static inline void second_order(const char *mass, struct error coarse, struct error fine)
{
  double position = coarse.position / fine.position, velocity = coarse.velocity / fine.velocity;
  if (!(position > 80 && position < 120 && velocity > 70 && velocity < 130))
    fail_msg("mass %s: a tenth of the step divides the errors by %.0f and %.0f", mass, position, velocity);
}

#endif
