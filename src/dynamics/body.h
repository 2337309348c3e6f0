/* SPDX-License-Identifier: MIT
 * One free rigid body in absolute coordinates q = (r, p), and the body coordinates in which the solver works.
 *
 * A change of q, a velocity or an acceleration is written as y = (r, th, n): r as it is, the part of R^4
 * split into a rotation in body axes th = 2 G(p) x and the part along p, n = p'x (math/euler.h). In these
 * coordinates the mass matrix with the normalisation penalty is constant and block diagonal,
 *
 *     M^^ = diag(m I, J', 4 h alpha)          (from paper 1, (7))
 *
 * and the Jacobian of a rigid row is the geometric one of the textbooks, with one more column for n. */
#ifndef DYNAMICS_BODY_H
#define DYNAMICS_BODY_H

#include "model/model.h"

enum { BODY_Y = 7 }; /* length of y */

/* q, q', q'' of one body: 21 doubles in a row, used as such by the predictor. */
struct body_state {
  double r[3], p[4];     /* m, -       centre of mass, world; Euler parameters body to world */
  double rd[3], pd[4];   /* per s */
  double rdd[3], pdd[4]; /* per s^2 */
};
_Static_assert(sizeof(struct body_state) == 21 * sizeof(double), "no padding");

/* What follows from the pose alone. */
struct body_frame {
  double R[9]; /* body to world, A(p)/s */
  double s;    /* p'p */
};

/* delta = h M^^^-1, block diagonal. */
struct body_delta {
  double r;     /* h/m */
  double th[9]; /* h J'^-1 */
  double n;     /* 1/(4 alpha) */
  double alpha; /* penalty of the normalisation p'p = 1 */
};

/* External and constant load: force at the centre of mass and torque, both world axes. */
struct body_load {
  double force[3], torque[3];
};

extern const struct body_state body_ground;
extern const struct body_frame body_ground_frame;

void body_frame_update(struct body_frame *f, const struct body_state *x);

/* y' and y'' of a state. RT. */
void body_velocity(const struct body_state *x, double y[BODY_Y]);
void body_acceleration(const struct body_state *x, double y[BODY_Y]);
/* The same the other way: rd, pd (rdd, pdd) from y. RT. */
void body_set_velocity(struct body_state *x, const struct body_frame *f, const double y[BODY_Y]);
void body_set_acceleration(struct body_state *x, const struct body_frame *f, const double y[BODY_Y]);
/* q := q + y. RT. */
void body_move(struct body_state *x, const struct body_frame *f, const double y[BODY_Y]);

/* Residual of the equations of motion without the rows, in dual body coordinates:
 *   g = M q'' + Psi_q' (mu + alpha Psi) - Q,    Q: gravity, load, gyroscopic terms. RT. */
void body_residual(const struct body *b, const struct body_state *x, const struct body_frame *f,
                   const double gravity[3], const struct body_load *load, double mu_total, double g[BODY_Y]);

/* o = delta g; o may not be g. RT. */
void body_apply_delta(const struct body_delta *delta, const double g[BODY_Y], double o[BODY_Y]);

#endif
