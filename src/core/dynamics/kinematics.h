/* SPDX-License-Identifier: MIT
 * Points and directions of a body, and their gradients in body coordinates, from which every row is built. RT.
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

/* Two bodies: a, b. */
struct body_pair {
  const struct body_state *x[2];
  const struct body_frame *f[2];
};

/* row = sign * gradient of k . (A a): the second line of the table, and with a point the first */
static inline void vector_row(num row[BODY_Y], double sign, const struct body_frame *f, const num a[3],
                              const num k[3])
{
  num local[3], turn[3];
  m3_tmul(local, f->R, k);
  v3_cross(turn, a, local);
  for (int i = 0; i < 3; i++) {
    row[i] = num_all(0.0);
    row[3 + i] = sign * turn[i];
  }
  row[6] = sign * 2.0 * v3_dot(a, local);
}

static inline void point_row(num row[BODY_Y], double sign, const struct body_frame *f, const num a[3],
                             const num k[3])
{
  vector_row(row, sign, f, a, k);
  for (int i = 0; i < 3; i++) row[i] = sign * k[i];
}

/* row += sign * gradient of k . (A a) */
static inline void add_vector(num row[BODY_Y], double sign, const struct body_frame *f, const num a[3],
                              const num k[3])
{
  num own[BODY_Y];
  vector_row(own, sign, f, a, k);
  for (int i = 3; i < BODY_Y; i++) row[i] += own[i];
}

static inline void add_point(num row[BODY_Y], double sign, const struct body_frame *f, const num a[3],
                             const num k[3])
{
  num own[BODY_Y];
  point_row(own, sign, f, a, k);
  for (int i = 0; i < BODY_Y; i++) row[i] += own[i];
}

/* o = A a = s R a */
static inline void world_vector(num o[3], const struct body_frame *f, const num a[3])
{
  m3_mul(o, f->R, a);
  for (int i = 0; i < 3; i++) o[i] *= f->s;
}

/* d = P_b - P_a */
static inline void point_separation(const struct body_pair *v, const num (*point)[3], num d[3])
{
  num a[3], b[3];
  world_vector(a, v->f[0], point[0]);
  world_vector(b, v->f[1], point[1]);
  for (int i = 0; i < 3; i++) d[i] = (v->x[1]->r[i] - v->x[0]->r[i]) + (b[i] - a[i]);
}

/* d(A a)/dt = R (w x a) + 2 R a n, with y' = (., w, n) */
static inline void vector_rate(num o[3], const struct body_frame *f, const num y[BODY_Y], const num a[3])
{
  num local[3];
  v3_cross(local, y + 3, a);
  v3_axpy(local, 2.0 * y[6], a);
  m3_mul(o, f->R, local);
}

/* d2(A a)/dt2 for p'' = 0: 2 A(p') a. */
static inline void vector_bias(num o[3], const struct body_state *x, const num a[3])
{
  p_homogeneous(o, x->pd, a);
  for (int i = 0; i < 3; i++) o[i] *= 2.0;
}

/* d', from the y' of both bodies. */
static inline void separation_rate(const struct body_pair *v, const num (*point)[3], const num (*y)[BODY_Y],
                                   num o[3])
{
  num a[3], b[3];
  vector_rate(a, v->f[0], y[0], point[0]);
  vector_rate(b, v->f[1], y[1], point[1]);
  for (int i = 0; i < 3; i++) o[i] = (v->x[1]->rd[i] - v->x[0]->rd[i]) + (b[i] - a[i]);
}

/* d'' for q'' = 0. */
static inline void separation_bias(const struct body_pair *v, const num (*point)[3], num o[3])
{
  num a[3], b[3];
  vector_bias(a, v->x[0], point[0]);
  vector_bias(b, v->x[1], point[1]);
  for (int i = 0; i < 3; i++) o[i] = b[i] - a[i];
}

#endif
