/* SPDX-License-Identifier: MIT
 * Points and directions of a body, and their gradients in body coordinates: what every row is built of. RT.
 *
 * Two gradients make every Jacobian. For a world vector k and a body with R, s (A = s R):
 *
 *              |  r    th               n
 *   k . dP     |  k    a x (R'k)        2 k.(R a)         P = r + A a,  a fixed in the body
 *   k . dU     |  0    u x (R'k)        2 k.(R u)         U = A u
 *
 * since dP = dr + B dp with B G' = -2 A a~ and B p = 2 A a. */
#ifndef DYNAMICS_KINEMATICS_H
#define DYNAMICS_KINEMATICS_H

#include "dynamics/body.h"
#include "math/euler.h"

/* Two bodies looked at together: a, b. */
struct body_pair {
  const struct body_state *x[2];
  const struct body_frame *f[2];
};

/* row += sign * gradient of k . (A a); the th and n columns of both lines of the table */
static inline void add_vector(double *row, double sign, const struct body_frame *f, const double a[3],
                              const double k[3])
{
  double local[3], turn[3];
  m3_tmul(local, f->R, k);
  v3_cross(turn, a, local);
  v3_axpy(row + 3, sign, turn);
  row[6] += sign * 2.0 * v3_dot(a, local);
}

static inline void add_point(double *row, double sign, const struct body_frame *f, const double a[3],
                             const double k[3])
{
  v3_axpy(row, sign, k);
  add_vector(row, sign, f, a, k);
}

/* o = A a = s R a */
static inline void world_vector(double o[3], const struct body_frame *f, const double a[3])
{
  m3_mul(o, f->R, a);
  for (int i = 0; i < 3; i++) o[i] *= f->s;
}

/* d = P_b - P_a */
static inline void separation(const struct body_pair *v, const double (*point)[3], double d[3])
{
  double a[3], b[3];
  world_vector(a, v->f[0], point[0]);
  world_vector(b, v->f[1], point[1]);
  for (int i = 0; i < 3; i++) d[i] = (v->x[1]->r[i] - v->x[0]->r[i]) + (b[i] - a[i]);
}

/* d(A a)/dt = R (w x a) + 2 R a n, with y' = (., w, n) */
static inline void vector_rate(double o[3], const struct body_frame *f, const double y[BODY_Y],
                               const double a[3])
{
  double local[3];
  v3_cross(local, y + 3, a);
  v3_axpy(local, 2.0 * y[6], a);
  m3_mul(o, f->R, local);
}

/* Its derivative without the p'' part, 2 A(p') a. */
static inline void vector_bias(double o[3], const struct body_state *x, const double a[3])
{
  p_homogeneous(o, x->pd, a);
  for (int i = 0; i < 3; i++) o[i] *= 2.0;
}

/* d' and d'' without the parts of q'', of the separation above; y' of both bodies. */
static inline void separation_rate(const struct body_pair *v, const double (*point)[3], double y[2][BODY_Y],
                                   double d1[3], double d2[3])
{
  double rate[2][3], second[2][3];
  for (int side = 0; side < 2; side++) {
    body_velocity(v->x[side], y[side]);
    vector_rate(rate[side], v->f[side], y[side], point[side]);
    vector_bias(second[side], v->x[side], point[side]);
  }
  for (int i = 0; i < 3; i++) {
    d1[i] = (v->x[1]->rd[i] - v->x[0]->rd[i]) + (rate[1][i] - rate[0][i]);
    d2[i] = second[1][i] - second[0][i];
  }
}

#endif
