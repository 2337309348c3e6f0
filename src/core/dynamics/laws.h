/* SPDX-License-Identifier: MIT
 * The laws of soft rows: lambda = L(coordinate, rate). A positive multiplier drives the coordinate down. */
#ifndef DYNAMICS_LAWS_H
#define DYNAMICS_LAWS_H

#include <ali3/model.h>

enum law_kind {
  LAW_LINEAR,   /* stiffness x + damping x' */
  LAW_TABLE,    /* a table replaces stiffness x, damping x' or both */
  LAW_USER,     /* a function of the caller */
  LAW_LIMITS,   /* stiffness and damping beyond a limit, and never a pull; otherwise 0 */
  LAW_FRICTION, /* friction x'/sqrt(x'^2 + slip^2) + damping x' */
  LAW_SLIP,     /* friction of a contact: two rows share one friction coefficient */
  LAW_VALUE,    /* the value from outside, for every state */
  LAW_CYLINDER, /* a hydraulic cylinder, with states of its own: actuators/cylinder.h */
  LAW_WINDING,  /* an electric motor, with a current: actuators/winding.h */
  LAW_TYRE,     /* sliding of a tyre, with a deflection: actuators/tyre.h */
  LAW_SWAY      /* 0; the factors get the geometric stiffness of the pull in the link's first row */
};

struct law {
  enum law_kind kind;
  double stiffness, damping;
  double lower, upper;                     /* limits */
  double friction, slip;                   /* N, N m or a coefficient; m/s or rad/s */
  const ali3_table *force, *damping_table; /* n 0: none */
  const ali3_law *user;                    /* LAW_USER */
  const ali3_force_spec *actuator;         /* LAW_CYLINDER, LAW_WINDING, LAW_TYRE */
  int direction;                           /* LAW_TYRE: 0 along the wheel, 1 across it */
  bool asked; /* LAW_FRICTION: of a brake, whose force is 1 times the force that an input asks for */
};

/* Compliance of a row whose force does not depend on the coordinate. */
#define LAW_OPEN 1e30

/* RT. Returns L. *slope: dL/dx + v_d dL/dx', 0 or more: the stiffness of the row over the step, in which a change of x changes x'
 * by v_d times that. own: the states of the force, which stay; laws other than LAW_CYLINDER have none. For LAW_LINEAR, LAW_TABLE,
 * LAW_USER, LAW_LIMITS, LAW_CYLINDER. */
double law_force(const struct law *law, const double *own, double x, double rate, double v_d, double *slope);
/* RT. Mean force of LAW_LINEAR, LAW_TABLE or LAW_USER over a step dt from x0 to x: the change of the stored energy over the
 * distance, plus the force of the damper at the mean rate. *slope: its derivative by x, 0 or more. */
double law_average(const struct law *law, double x0, double x, double dt, double *slope);
/* RT. Mean force of LAW_LIMITS over a step dt from x0 to x: stored energy over distance, plus the work of the damper beyond the
 * limit. If the whole step is beyond the limit, this is the mean of both ends. If x crosses the limit, the mean of the ends would
 * do work before the limit. The result is continuous as x crosses the limit. end: returns the force of the spring at the end
 * instead. */
double law_mean(const struct law *law, double x0, double x, double dt, bool end, double *slope);
/* RT. Friction at a rate v. across: the other component of the slip rate; normal: normal force; for LAW_FRICTION 1, or the force
 * that is asked for. */
double law_friction(const struct law *law, double normal, double v, double across);
/* RT. Friction over rate of LAW_FRICTION, or of LAW_SLIP with its normal force, at the solution. push: rate without friction;
 * mobility: decrease of the rate per unit of force. The result is the secant, because the line through the origin contains the
 * solution. *tangent: the slope there, which measures how tightly the row sticks. */
double law_drag(const struct law *law, double normal, double push, double mobility, double *tangent);
/* RT. Slopes of the force at a state: *stiffness along x, *damping along the rate, 0 or more. normal, across: as for
 * law_friction(); friction has the larger of its slopes along and across the slip rate. */
void law_slopes(const struct law *law, const double *own, double x, double rate, double normal, double across,
                double *stiffness, double *damping);
/* RT. Energy stored at x, J. */
double law_energy(const struct law *law, const double *own, double x);
/* RT. Index of the smooth piece of the law at this state; LAW_NO_PIECE: friction sticks or almost sticks. speed: the magnitude of
 * the rate; for LAW_SLIP of both rows together. */
#define LAW_NO_PIECE (-1)
int law_piece(const struct law *law, double x, double rate, double speed);
/* True if the law has corners: the factors then follow every iteration. */
bool law_switches(const struct law *law);
/* True if the force over a step is not the mean of its ends; see stepper/soft.c. */
bool law_jumps(const struct law *law);

#endif
