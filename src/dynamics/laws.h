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
  LAW_VALUE,    /* what comes from outside, whatever the state */
  LAW_SWAY      /* nothing; in the factors the geometric stiffness of the pull of the link's first row */
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
 * x' changes by v_d times x. LAW_LINEAR, LAW_TABLE, LAW_LIMITS. */
double law_force(const struct law *law, double x, double rate, double v_d, double *slope);
/* RT. Mean of LAW_LIMITS over a step dt from x0 to x: what is stored, over the way, and what the damper takes beyond the
 * limit. Beyond it all the way that is the mean of both ends; across it the mean of the ends would do work
 * where nothing acts. Nothing jumps as x moves across the limit. end: instead of the mean the force of the
 * spring at the end. */
double law_mean(const struct law *law, double x0, double x, double dt, bool end, double *slope);
/* RT. Friction at a rate v, one component with the other across; normal: 1 for LAW_FRICTION. */
double law_friction(const struct law *law, double normal, double v, double across);
/* RT. Friction over rate of LAW_FRICTION, or with a normal force of LAW_SLIP, as it is where the row will be sliding:
 * `push` is the rate it would have without friction, `mobility` how much of it one unit of force takes away.
 * Secant, not tangent: the line through the origin goes through the solution. The tangent there tells how tightly it
 * sticks. */
double law_drag(const struct law *law, double normal, double push, double mobility, double *tangent);
/* RT. Energy stored at x, J. */
double law_energy(const struct law *law, double x);
/* RT. Which smooth piece of its law a row is on, 0 or more; LAW_NO_PIECE: on none, since friction sticks or nearly does.
 * speed: rate, of LAW_SLIP that of both rows together. */
#define LAW_NO_PIECE (-1)
int law_piece(const struct law *law, double x, double rate, double speed);
/* True if the law has corners: the factors then follow every iteration. */
bool law_switches(const struct law *law);
/* True if the force over a step is not the mean of its ends; see stepper/soft.c. */
bool law_jumps(const struct law *law);

#endif
