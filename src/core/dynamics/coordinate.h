/* SPDX-License-Identifier: MIT
 * The coordinate of a joint: the angle of a revolute joint, or the distance along the axis of a prismatic joint. This file alone
 * defines its zero. Springs, stops, motors, drives and gears act on the coordinate. */
#ifndef DYNAMICS_COORDINATE_H
#define DYNAMICS_COORDINATE_H

#include "dynamics/kinematics.h"
#include "math/angle.h"

struct coordinate {
  enum { COORDINATE_NONE, COORDINATE_ANGLE, COORDINATE_SLIDE } kind;
  double point[2][3]; /* m, body frames */
  double axis[3];     /* unit, frame of a */
  double angle[9];    /* angle: from u0 to v0 about the axis, see enum angle */
  double zero;        /* rad or m, added: what the joint says the coordinate is in these poses */
};

/* Three vectors: u0, u1 in a are a right-handed frame with the axis, v0 in b is u0 in the poses that the model gives. */
enum angle { ANGLE_U0 = 0, ANGLE_U1 = 3, ANGLE_V0 = 6, ANGLE_NUMBERS = 9 };

/* The angle from u0 to v0 about the axis, and zero, nearest to `turn`. */
static inline num coordinate_angle(const num angle[ANGLE_NUMBERS], num zero, const struct body_pair *v,
                                   num turn)
{
  num U0[3], U1[3], V0[3];
  m3_mul(U0, v->f[0]->R, angle + ANGLE_U0);
  m3_mul(U1, v->f[0]->R, angle + ANGLE_U1);
  m3_mul(V0, v->f[1]->R, angle + ANGLE_V0);
  return num_nearest_angle(num_angle(v3_dot(V0, U1), v3_dot(V0, U0)) + zero, turn);
}

/* RT. The angle nearest to `turn`, or m. */
double coordinate_value(const struct coordinate *c, const struct body_pair *v, double turn);
double coordinate_rate(const struct coordinate *c, const struct body_pair *v);
/* RT. Second derivative for q'' = 0. */
double coordinate_bias(const struct coordinate *c, const struct body_pair *v);
/* RT. a, b += scale * gradient with respect to the body coordinates of a and b. */
void coordinate_gradient(const struct coordinate *c, const struct body_pair *v, double scale, double *a,
                         double *b);

#endif
