/* SPDX-License-Identifier: MIT
 * The motion that a drive prescribes: a coordinate, its rate and its acceleration as functions of time. */
#ifndef DYNAMICS_MOTION_H
#define DYNAMICS_MOTION_H

#include <ali3/model.h>

struct reference {
  double position, rate, acceleration; /* of the coordinate */
};

struct motion {
  double offset, speed, amplitude, omega, phase;
  const ali3_table *table; /* n 0: none */
  double *curvature;       /* (table.n) second derivatives of the spline */
  bool external;           /* follows the value from outside within max_rate, max_acceleration */
  double max_rate, max_acceleration;
};

/* Set-up. False: out of memory. Freed by free(curvature). */
bool motion_compile(const ali3_force_spec *spec, double at_start, struct motion *m);

/* RT. Motion at the time t in s, for a motion that is not external. */
struct reference motion_at(const struct motion *m, double t);

/* RT. Acceleration, constant over a step dt, with which a reference follows a target within its limits: as fast as they allow,
 * without overshoot, and to rest in a whole number of steps. */
double motion_follow(const struct motion *m, const struct reference *from, double target, double dt);

/* RT. A reference after the time t of constant acceleration. */
static inline struct reference motion_go_on(const struct reference *from, double acceleration, double t)
{
  return (struct reference){from->position + t * (from->rate + 0.5 * t * acceleration),
                            from->rate + t * acceleration, acceleration};
}

#endif
