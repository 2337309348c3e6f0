/* SPDX-License-Identifier: MIT
 * The coordinate of a joint: the angle of a revolute joint, or the distance along the axis of a prismatic joint. This file alone
 * defines its zero. Springs, stops, motors, drives and gears act on the coordinate. */
#ifndef DYNAMICS_COORDINATE_H
#define DYNAMICS_COORDINATE_H

#include "dynamics/kinematics.h"

struct coordinate {
  enum { COORDINATE_NONE, COORDINATE_ANGLE, COORDINATE_SLIDE } kind;
  double point[2][3];  /* m, body frames */
  double axis[3];      /* unit, frame of a */
  double u0[3], u1[3]; /* angle: with the axis a right-handed frame, in a */
  double v0[3];        /* angle: from u0 to v0 of b, 0 in the poses that the model gives */
  double zero;         /* rad or m, added: what the joint says the coordinate is in these poses */
};

/* RT. The angle within half a turn of `zero`, or m. */
double coordinate_wrapped(const struct coordinate *c, const struct body_pair *v);
/* RT. The same without wrap: nearest to `turn`. */
double coordinate_value(const struct coordinate *c, const struct body_pair *v, double turn);
double coordinate_rate(const struct coordinate *c, const struct body_pair *v);
/* RT. Second derivative for q'' = 0. */
double coordinate_bias(const struct coordinate *c, const struct body_pair *v);
/* RT. a, b += scale * gradient with respect to the body coordinates of a and b. */
void coordinate_gradient(const struct coordinate *c, const struct body_pair *v, double scale, double *a,
                         double *b);

#endif
