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

#include "math/euler.h"
#include "model/model.h"

enum { BODY_Y = 7 }; /* length of y */

/* Everything here is of nums: in a kernel with lanes a struct is that of LANES bodies, and has the layout of a tile of them
 * (math/num.h). The functions are all inline and have no branches on data. */

/* q, q', q'' of one body: 21 numbers in a row, used as such by the predictor. */
struct body_state {
  num r[3], p[4];     /* m, -       centre of mass, world; Euler parameters body to world */
  num rd[3], pd[4];   /* per s */
  num rdd[3], pdd[4]; /* per s^2 */
};
_Static_assert(sizeof(struct body_state) == 21 * sizeof(num), "no padding");

/* What follows from the pose alone. */
struct body_frame {
  num R[9]; /* body to world, A(p)/s */
  num s;    /* p'p */
};

/* delta = h M^^^-1, block diagonal. */
struct body_delta {
  num r;     /* h/m */
  num th[9]; /* h J'^-1 */
  num n;     /* 1/(4 alpha) */
  num alpha; /* penalty of the normalisation p'p = 1 */
};

/* External and constant load: force at the centre of mass and torque, both world axes. */
struct body_load {
  num force[3], torque[3];
};

extern const struct body_state body_ground; /* in ordinary sources */
extern const struct body_frame body_ground_frame;

static inline void body_frame_update(struct body_frame *f, const struct body_state *x)
{
  f->s = p_rotation(f->R, x->p);
}

/* y' and y'' of a state. RT. */
static inline void body_velocity(const struct body_state *x, num y[BODY_Y])
{
  v3_copy(y, x->rd);
  p_to_rotation(y + 3, x->p, x->pd);
  y[6] = p_dot(x->p, x->pd);
}

static inline void body_acceleration(const struct body_state *x, num y[BODY_Y])
{
  v3_copy(y, x->rdd);
  p_to_rotation(y + 3, x->p, x->pdd);
  y[6] = p_dot(x->p, x->pdd);
}

/* The same the other way: rd, pd (rdd, pdd) from y. RT. */
static inline void body_set_velocity(struct body_state *x, const struct body_frame *f, const num y[BODY_Y])
{
  v3_copy(x->rd, y);
  p_from_rotation(x->pd, x->p, f->s, y + 3, y[6]);
}

static inline void body_set_acceleration(struct body_state *x, const struct body_frame *f,
                                         const num y[BODY_Y])
{
  v3_copy(x->rdd, y);
  p_from_rotation(x->pdd, x->p, f->s, y + 3, y[6]);
}

/* q := q + y. RT. */
static inline void body_move(struct body_state *x, const struct body_frame *f, const num y[BODY_Y])
{
  num dp[4];
  for (int i = 0; i < 3; i++) x->r[i] += y[i];
  p_from_rotation(dp, x->p, f->s, y + 3, y[6]);
  for (int i = 0; i < 4; i++) x->p[i] += dp[i];
}

/* Residual of the equations of motion without the rows, in dual body coordinates:
 *   g = M q'' + Psi_q' (mu + alpha Psi) - Q,    Q: gravity, load, gyroscopic terms.
 * From M and Q of paper 1, (7) and (8), with G G' = s I and G Gd' = (p'p') I + w~/2:
 *   g_th = J' 2 G p'' + (w x J'w + 2 (p'pd) J'w)/s - n_b
 *   g_n  = -2 w'J'w / s + 2 (mu + alpha Psi). RT. */
static inline void body_unbalanced(num mass, const num inertia[9], const struct body_state *x,
                                   const struct body_frame *f, const double gravity[3], num mu_total,
                                   num g[BODY_Y])
{
  num w[3], wd[3], Jw[3], Jwd[3], gyro[3], k = 1.0 / f->s;
  p_to_rotation(w, x->p, x->pd);
  p_to_rotation(wd, x->p, x->pdd);
  m3_mul(Jw, inertia, w);
  m3_mul(Jwd, inertia, wd);
  v3_cross(gyro, w, Jw);
  num turn = 2.0 * p_dot(x->p, x->pd);
  for (int i = 0; i < 3; i++) {
    g[i] = mass * (x->rdd[i] - gravity[i]);
    g[3 + i] = Jwd[i] + k * (gyro[i] + turn * Jw[i]);
  }
  g[6] = 2.0 * mu_total - 2.0 * k * v3_dot(w, Jw);
}

/* Less a load. */
static inline void body_unload(const struct body_frame *f, const struct body_load *load, num g[BODY_Y])
{
  num torque[3];
  m3_tmul(torque, f->R, load->torque);
  for (int i = 0; i < 3; i++) {
    g[i] -= load->force[i];
    g[3 + i] -= torque[i];
  }
}

/* The same of a body of the model, in ordinary sources. RT. */
void body_residual(const struct body *b, const struct body_state *x, const struct body_frame *f,
                   const double gravity[3], const struct body_load *load, double mu_total, double g[BODY_Y]);

/* o = delta g; o may not be g. RT. */
static inline void body_apply_delta(const struct body_delta *delta, const num g[BODY_Y], num o[BODY_Y])
{
  for (int i = 0; i < 3; i++) o[i] = delta->r * g[i];
  m3_mul(o + 3, delta->th, g + 3);
  o[6] = delta->n * g[6];
}

#endif
