/* SPDX-License-Identifier: MIT
 * What a row that gives way asks of its multiplier: lambda = L(coordinate, rate). Positive drives the
 * coordinate down. */
#ifndef DYNAMICS_LAWS_H
#define DYNAMICS_LAWS_H

#include <ali3/model.h>

enum law_kind {
  LAW_LINEAR,   /* stiffness x + damping x' */
  LAW_TABLE,    /* likewise, with tables in place of one or both */
  LAW_LIMITS,   /* stiffness and damping where x is beyond a limit, and only pushing back; else 0 */
  LAW_FRICTION, /* friction x'/sqrt(x'^2 + slip^2) + damping x' */
  LAW_SLIP,     /* the same of a contact: two rows share one friction, which is a coefficient */
  LAW_VALUE     /* what comes from outside, whatever the state */
};

struct law {
  enum law_kind kind;
  double stiffness, damping;
  double lower, upper;                     /* limits */
  double friction, slip;                   /* N, N m or a coefficient; m/s or rad/s */
  const ali3_table *force, *damping_table; /* n 0: none */
};

/* Compliance of a row that asks for a force and does not care what becomes of the coordinate. */
#define LAW_OPEN 1e30

/* RT. L, and in *slope dL/dx + v_d dL/dx', 0 or more: the stiffness of the row over the step, where
 * x' changes by v_d times x. Friction has the slope of its secant, which is never below the tangent: the
 * iteration then never overshoots into the other direction of sliding. Not for LAW_SLIP and LAW_VALUE. */
double law_force(const struct law *law, double x, double rate, double v_d, double *slope);
/* RT. One component of the friction of a contact: v of both components, and the normal force. */
double law_slip(const struct law *law, double v, double other, double normal, double v_d, double *slope);
/* RT. Mean of LAW_LIMITS over a step from x0, where it was force0, to x: what has been stored, over the way.
 * Within the limits, or beyond them all the way, that is the mean of both ends; across a limit the mean of the
 * ends would do work on the part of the way where nothing acts. */
double law_mean(const struct law *law, double x0, double force0, double x, double rate, double v_d,
                double *slope);
/* RT. Energy stored at x, J. */
double law_energy(const struct law *law, double x);
/* True if the law has corners: the factors then follow every iteration. */
bool law_switches(const struct law *law);
/* True if the force over a step is not the mean of its ends; see stepper/soft.c. */
bool law_jumps(const struct law *law);

#endif
