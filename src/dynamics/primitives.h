/* SPDX-License-Identifier: MIT
 * The primitives of rows.h between two bodies, of nums: one link, or one link in each lane. RT. Coordinates and sliding are in
 * rows.c. */
#ifndef DYNAMICS_PRIMITIVES_H
#define DYNAMICS_PRIMITIVES_H

#include "dynamics/rows.h"

enum { PAIR = 2 * BODY_Y }; /* a row of the Jacobian of two bodies */

/* Numbers of a primitive besides its bodies. */
struct primitive_place {
  const num (*point)[3]; /* of a and b */
  const num *u, *v;
  num length; /* L */
  /* For an angle: its nine numbers, its zero, and its last value. */
  const num *angle;
  num zero, turn;
};

static inline int primitive_count(enum primitive_kind kind)
{
  return kind == ROW_COINCIDE ? 3 : kind == ROW_SLIP ? 2 : 1;
}

/* The three rows of one side of a coinciding point: the first line of the table of kinematics.h for k = e_i, where R'k
 * is row i of R. */
static inline void coincide_rows(num *restrict J, double sign, const struct body_frame *f, const num a[3])
{
  for (int i = 0; i < 3; i++, J += PAIR) {
    num turn[3];
    const num *Ri = f->R + 3 * i;
    v3_cross(turn, a, Ri);
    for (int k = 0; k < 3; k++) {
      J[k] = num_all(k == i ? sign : 0.0);
      J[3 + k] = sign * turn[k];
    }
    J[6] = sign * 2.0 * v3_dot(a, Ri);
  }
}

/* The th and n columns of one side of a row along k at point a. */
static inline void turn_row(num *restrict J, double sign, const struct body_frame *f, const num a[3],
                            const num k[3])
{
  num local[3], turn[3];
  m3_tmul(local, f->R, k);
  v3_cross(turn, a, local);
  for (int i = 0; i < 3; i++) J[3 + i] = sign * turn[i];
  J[6] = sign * 2.0 * v3_dot(a, local);
}

/* A coinciding point, without the constant r columns of J. The n column is twice the term of Phi, so one product with the
 * rotation serves both. The loop goes row by row, so that everything fits into registers. */
static inline void coincide_turns(const struct body_pair *pair, const num (*point)[3], num *restrict Phi,
                                  num *restrict J)
{
  for (int i = 0; i < 3; i++, J += PAIR) {
    const num *a = pair->f[0]->R + 3 * i, *b = pair->f[1]->R + 3 * i;
    num arm_a = v3_dot(a, point[0]), arm_b = v3_dot(b, point[1]);
    v3_cross(J + 3, a, point[0]);
    v3_cross(J + BODY_Y + 3, point[1], b);
    J[6] = -2.0 * arm_a;
    J[BODY_Y + 6] = 2.0 * arm_b;
    Phi[i] = (pair->x[1]->r[i] - pair->x[0]->r[i]) + (pair->f[1]->s * arm_b - pair->f[0]->s * arm_a);
  }
}

/* Phi of a coinciding point, and J'F of a force F at it, without J. */
static inline void coincide_push(const struct body_pair *pair, const num (*point)[3], const num F[3],
                                 num *restrict Phi, num load[PAIR])
{
  num arm[2][3];
  for (int side = 0; side < 2; side++, load += BODY_Y) {
    double sign = side ? 1.0 : -1.0;
    num local[3], turn[3];
    m3_mul(arm[side], pair->f[side]->R, point[side]);
    m3_tmul(local, pair->f[side]->R, F);
    v3_cross(turn, point[side], local);
    for (int i = 0; i < 3; i++) {
      load[i] = sign * F[i];
      load[3 + i] = sign * turn[i];
    }
    load[6] = sign * 2.0 * v3_dot(point[side], local);
  }
  for (int i = 0; i < 3; i++)
    Phi[i] = (pair->x[1]->r[i] - pair->x[0]->r[i]) + (pair->f[1]->s * arm[1][i] - pair->f[0]->s * arm[0][i]);
}

/* Two directions, without the r columns of J, which are 0. */
static inline void dot_turns(const struct body_pair *pair, const struct primitive_place *p, num *restrict Phi,
                             num *restrict J)
{
  num U[3], V[3];
  world_vector(U, pair->f[0], p->u);
  world_vector(V, pair->f[1], p->v);
  turn_row(J, 1.0, pair->f[0], p->u, V);
  turn_row(J + BODY_Y, 1.0, pair->f[1], p->v, U);
  *Phi = v3_dot(U, V);
}

/* 1/x, or 0 for 0: at length 0 the direction is undefined, and the spring exerts no force */
static inline num inverse_or_zero(num x)
{
  return num_select(num_greater(x, num_all(0.0)), 1.0 / x, num_all(0.0));
}

/* Both sides of a row along k at the points. */
static inline void points_row(num *restrict J, const struct body_pair *pair, const num (*point)[3],
                              const num k[3])
{
  point_row(J, -1.0, pair->f[0], point[0], k);
  point_row(J + BODY_Y, 1.0, pair->f[1], point[1], k);
}

/* Phi and J, (rows, 2, 7), of one primitive; d = P_b - P_a. */
static inline void primitive_rows(enum primitive_kind kind, const struct body_pair *pair,
                                  const struct primitive_place *p, const num d[3], num *restrict Phi,
                                  num *restrict J)
{
  num U[3], V[3], turn[BODY_Y], length, k;
  switch (kind) {
  case ROW_COINCIDE:
    /* rows x y z:  a (-I, .., ..)   b (I, .., ..) */
    coincide_rows(J, -1.0, pair->f[0], p->point[0]);
    coincide_rows(J + BODY_Y, 1.0, pair->f[1], p->point[1]);
    for (int i = 0; i < 3; i++) Phi[i] = d[i];
    break;
  case ROW_DOT:
    world_vector(U, pair->f[0], p->u);
    world_vector(V, pair->f[1], p->v);
    vector_row(J, 1.0, pair->f[0], p->u, V);
    vector_row(J + BODY_Y, 1.0, pair->f[1], p->v, U);
    *Phi = v3_dot(U, V);
    break;
  case ROW_IN_PLANE:
  case ROW_GAP:
    /* U'd, U turns with a */
    world_vector(U, pair->f[0], p->u);
    points_row(J, pair, p->point, U);
    vector_row(turn, 1.0, pair->f[0], p->u, d);
    for (int i = 3; i < BODY_Y; i++) J[i] += turn[i];
    *Phi = v3_dot(U, d);
    if (kind == ROW_GAP) *Phi -= p->length;
    break;
  case ROW_DISTANCE:
    /* (d'd - L^2) / 2L */
    k = 1.0 / p->length;
    for (int i = 0; i < 3; i++) U[i] = k * d[i];
    points_row(J, pair, p->point, U);
    *Phi = 0.5 * (v3_dot(U, d) - p->length);
    break;
  case ROW_LENGTH:
    length = num_sqrt(v3_dot(d, d));
    k = inverse_or_zero(length);
    for (int i = 0; i < 3; i++) U[i] = k * d[i];
    points_row(J, pair, p->point, U);
    *Phi = length - p->length;
    break;
  case ROW_ANGLE:
    /* d angle = axis . (th_b in axes of a - th_a) */
    m3_mul(U, pair->f[0]->R, p->u);
    m3_tmul(V, pair->f[1]->R, U);
    for (int i = 0; i < PAIR; i++) J[i] = num_all(0.0);
    for (int i = 0; i < 3; i++) {
      J[3 + i] = -p->u[i];
      J[BODY_Y + 3 + i] = V[i];
    }
    *Phi = coordinate_angle(p->angle, p->zero, pair, p->turn) - p->length;
    break;
  default:
    break;
  }
}

/* How a pair moves, without the parts of q''. */
struct pair_motion {
  num y[2][BODY_Y];             /* y' of both */
  num d[3], rate[3], second[3]; /* P_b - P_a and derivatives */
};

static inline void pair_motion(struct pair_motion *o, const struct body_pair *pair, const num (*point)[3])
{
  for (int side = 0; side < 2; side++) body_velocity(pair->x[side], o->y[side]);
  separation_bias(pair, point, o->second);
  point_separation(pair, point, o->d);
  separation_rate(pair, point, (const num(*)[BODY_Y])o->y, o->rate);
}

/* d(Phi_q)/dt q' of one primitive. */
static inline void primitive_bias(enum primitive_kind kind, const struct body_pair *pair,
                                  const struct primitive_place *p, const struct pair_motion *m, num *bias)
{
  num U[3], V[3], Ud[3], Vd[3], U2[3], V2[3], k, along;
  switch (kind) {
  case ROW_COINCIDE:
    for (int i = 0; i < 3; i++) bias[i] = m->second[i];
    break;
  case ROW_DOT:
    /* (U'V)'' with U'' and V'' at q'' = 0 */
    world_vector(U, pair->f[0], p->u);
    world_vector(V, pair->f[1], p->v);
    vector_rate(Ud, pair->f[0], m->y[0], p->u);
    vector_rate(Vd, pair->f[1], m->y[1], p->v);
    vector_bias(U2, pair->x[0], p->u);
    vector_bias(V2, pair->x[1], p->v);
    *bias = v3_dot(U2, V) + 2.0 * v3_dot(Ud, Vd) + v3_dot(U, V2);
    break;
  case ROW_GAP:
  case ROW_IN_PLANE:
    /* (U'd)'' at q'' = 0 */
    world_vector(U, pair->f[0], p->u);
    vector_rate(Ud, pair->f[0], m->y[0], p->u);
    vector_bias(U2, pair->x[0], p->u);
    *bias = v3_dot(U2, m->d) + 2.0 * v3_dot(Ud, m->rate) + v3_dot(U, m->second);
    break;
  case ROW_DISTANCE:
    *bias = (v3_dot(m->rate, m->rate) + v3_dot(m->d, m->second)) / p->length;
    break;
  case ROW_LENGTH:
    k = inverse_or_zero(num_sqrt(v3_dot(m->d, m->d)));
    along = k * v3_dot(m->d, m->rate);
    *bias = k * (v3_dot(m->rate, m->rate) - along * along + v3_dot(m->d, m->second));
    break;
  case ROW_ANGLE: /* the axis turns with a: (w_a x axis) . w_b */
    m3_mul(U, pair->f[0]->R, p->u);
    m3_mul(Ud, pair->f[0]->R, m->y[0] + 3);
    m3_mul(Vd, pair->f[1]->R, m->y[1] + 3);
    v3_cross(U2, Ud, U);
    *bias = v3_dot(U2, Vd);
    break;
  default:
    break;
  }
}

#endif
