/* SPDX-License-Identifier: MIT
 * One free rigid body in absolute coordinates q = (r, p), and the body coordinates in which the solver works.
 *
 * A change of q, a velocity or an acceleration is written as y = (r, th, n). r is that of q. The part x in R^4 is split into a
 * rotation in body axes th = 2 G(p) x and the component along p, n = p'x (math/euler.h). In these coordinates the mass matrix
 * with the normalisation penalty is constant and block diagonal,
 *
 *     M^^ = diag(m I, J', 4 h alpha)          (from paper 1, (7))
 *
 * and the Jacobian of a rigid row is the geometric Jacobian of textbooks with one more column, for n. */
#ifndef DYNAMICS_BODY_H
#define DYNAMICS_BODY_H

#include "math/euler.h"
#include "model/model.h"

enum { BODY_Y = 7 }; /* length of y */

/* All structs here consist of nums: in a kernel with lanes a struct holds LANES bodies in the layout of a tile (math/num.h). All
 * functions are inline and have no branches on data. */

/* q, q', q'' of one body. The predictor treats them as an array of 21 numbers. */
struct body_state {
  num r[3], p[4];     /* m, -       centre of mass, world; Euler parameters body to world */
  num rd[3], pd[4];   /* per s */
  num rdd[3], pdd[4]; /* per s^2 */
};
_Static_assert(sizeof(struct body_state) == 21 * sizeof(num), "no padding");

/* Numbers that depend on the pose alone. */
struct body_frame {
  num R[9];    /* body to world, A(p)/s */
  num s;       /* p'p */
  num inverse; /* 1/s */
};

/* delta = h M^^^-1, block diagonal. */
struct body_delta {
  num r;     /* h/m */
  num th[9]; /* h J'^-1 */
  num n;     /* 1/(4 alpha) */
  num alpha; /* penalty of the normalisation p'p = 1 */
};

/* External and constant load: force at the centre of mass and torque, both world axes. */
struct wrench {
  num force[3], torque[3];
};

extern const struct body_state body_ground; /* in ordinary sources */
extern const struct body_frame body_ground_frame;

static inline void body_frame_update(struct body_frame *f, const struct body_state *x)
{
  const num s = p_dot(x->p, x->p), inverse = 1.0 / s;
  p_rotation_by(f->R, x->p, inverse);
  f->s = s;
  f->inverse = inverse;
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

/* The inverse: rd, pd (rdd, pdd) from y. RT. */
static inline void body_set_velocity(struct body_state *x, const struct body_frame *f, const num y[BODY_Y])
{
  v3_copy(x->rd, y);
  p_from_rotation(x->pd, x->p, f->inverse, y + 3, y[6]);
}

static inline void body_set_acceleration(struct body_state *x, const struct body_frame *f,
                                         const num y[BODY_Y])
{
  v3_copy(x->rdd, y);
  p_from_rotation(x->pdd, x->p, f->inverse, y + 3, y[6]);
}

/* q := q + y. RT. */
static inline void body_move(struct body_state *x, const struct body_frame *f, const num y[BODY_Y])
{
  num dp[4];
  for (int i = 0; i < 3; i++) x->r[i] += y[i];
  p_from_rotation(dp, x->p, f->inverse, y + 3, y[6]);
  for (int i = 0; i < 4; i++) x->p[i] += dp[i];
}

/* Residual of the equations of motion without the rows, in dual body coordinates:
 *   g = M q'' + Psi_q' (mu + alpha Psi) - Q,    Q: gravity, load, gyroscopic terms.
 * From M and Q of paper 1, (7) and (8), with G G' = s I and G Gd' = (p'p') I + w~/2:
 *   g_th = J' 2 G p'' + (w x J'w + 2 (p'pd) J'w)/s - n_b
 *   g_n  = -2 w'J'w / s + 2 (mu + alpha Psi)
 * The function returns -g without the load. diagonal: the inertia is diagonal, and its other numbers are not read. RT. */
static inline void body_rhs(num mass, const num inertia[9], bool diagonal, const struct body_state *x,
                            const struct body_frame *f, const num gravity[3], num mu_total, num o[BODY_Y])
{
  const num pp[4] = {x->p[0] + x->p[0], x->p[1] + x->p[1], x->p[2] + x->p[2], x->p[3] + x->p[3]};
  const num k = f->inverse, turn = p_dot(pp, x->pd);
  num w[3], wd[3], Jw[3], Jwd[3];
  p_to_rotation_twice(w, pp, x->pd);
  p_to_rotation_twice(wd, pp, x->pdd);
  m3_mul_as(diagonal, Jw, inertia, w);
  m3_mul_as(diagonal, Jwd, inertia, wd);
  for (int i = 0; i < 3; i++) o[i] = mass * (gravity[i] - x->rdd[i]);
  o[3] = num_fma(-k, num_fma(-w[2], Jw[1], num_fma(w[1], Jw[2], turn * Jw[0])), -Jwd[0]);
  o[4] = num_fma(-k, num_fma(-w[0], Jw[2], num_fma(w[2], Jw[0], turn * Jw[1])), -Jwd[1]);
  o[5] = num_fma(-k, num_fma(-w[1], Jw[0], num_fma(w[0], Jw[1], turn * Jw[2])), -Jwd[2]);
  o[6] = 2.0 * num_fma(k, v3_dot(w, Jw), -mu_total);
}

/* o += load. RT. */
static inline void body_add_wrench(const struct body_frame *f, const struct wrench *load, num o[BODY_Y])
{
  num torque[3];
  m3_tmul(torque, f->R, load->torque);
  for (int i = 0; i < 3; i++) {
    o[i] += load->force[i];
    o[3 + i] += torque[i];
  }
}

/* g of a body of the model, with its load, in ordinary sources. RT. */
void body_residual(const struct body *b, const struct body_state *x, const struct body_frame *f,
                   const double gravity[3], const struct wrench *load, double mu_total, double g[BODY_Y]);

/* o = delta g; diagonal: the inertia of the body is. o may not be g. RT. */
static inline void body_apply_delta_as(bool diagonal, const struct body_delta *delta, const num g[BODY_Y],
                                       num o[BODY_Y])
{
  m3_mul_as(diagonal, o + 3, delta->th, g + 3);
  for (int i = 0; i < 3; i++) o[i] = delta->r * g[i];
  o[6] = delta->n * g[6];
}

/* o = w - delta g; diagonal: the inertia of the body is. RT. */
static inline void body_less_delta(bool diagonal, const struct body_delta *delta, const num g[BODY_Y],
                                   const num w[BODY_Y], num o[BODY_Y])
{
  if (diagonal) {
    for (int i = 0; i < 3; i++) o[3 + i] = num_fma(-delta->th[4 * i], g[3 + i], w[3 + i]);
  } else {
    num turn[3];
    m3_mul(turn, delta->th, g + 3);
    v3_sub(o + 3, w + 3, turn);
  }
  for (int i = 0; i < 3; i++) o[i] = num_fma(-delta->r, g[i], w[i]);
  o[6] = num_fma(-delta->n, g[6], w[6]);
}

static inline void body_apply_delta(const struct body_delta *delta, const num g[BODY_Y], num o[BODY_Y])
{
  body_apply_delta_as(false, delta, g, o);
}

#endif
