/* SPDX-License-Identifier: MIT
 * The primitives of rows.h between two bodies, of nums: one link, or one link in each lane. RT. Coordinates and sliding are in
 * rows.c. */
#ifndef DYNAMICS_PRIMITIVES_H
#define DYNAMICS_PRIMITIVES_H

#include "dynamics/rows.h"

enum {
  PAIR = 2 * BODY_Y,     /* a row of the Jacobian of two bodies */
  TURNS = 4,             /* its th and n columns at one body */
  PAIR_TURNS = 2 * TURNS /* at both bodies: a row of a point or direction, whose r columns are constant */
};

/* Numbers of a primitive besides its bodies. */
struct primitive_values {
  const num (*point)[3]; /* of a and b */
  const num *u, *v;
  num length; /* L */
  /* For an angle: its nine numbers, its zero, the value that is expected, and that at the start of the inner step. */
  const num *angle;
  num zero, turn, turn_last;
};

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

/* o = the th and n columns of one side of a row along k at point a. */
static inline void turn_row(num *restrict o, double sign, const struct body_frame *f, const num a[3],
                            const num k[3])
{
  num local[3], turn[3];
  m3_tmul(local, f->R, k);
  v3_cross(turn, a, local);
  for (int i = 0; i < 3; i++) o[i] = sign * turn[i];
  o[3] = sign * 2.0 * v3_dot(a, local);
}

/* A coinciding point. J: th and n columns, (3, PAIR_TURNS). The n column is twice the term of Phi, so one product with the
 * rotation serves both. The loop goes row by row, so that everything fits into registers. */
static inline void coincide_turns(const struct body_pair *pair, const num (*point)[3], num *restrict Phi,
                                  num *restrict J)
{
  for (int i = 0; i < 3; i++, J += PAIR_TURNS) {
    const num *a = pair->f[0]->R + 3 * i, *b = pair->f[1]->R + 3 * i;
    num arm_a = v3_dot(a, point[0]), arm_b = v3_dot(b, point[1]);
    v3_cross(J, a, point[0]);
    v3_cross(J + TURNS, point[1], b);
    J[3] = -2.0 * arm_a;
    J[TURNS + 3] = 2.0 * arm_b;
    Phi[i] = (pair->x[1]->r[i] - pair->x[0]->r[i]) + num_fma(pair->f[1]->s, arm_b, -(pair->f[0]->s * arm_a));
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
    Phi[i] = (pair->x[1]->r[i] - pair->x[0]->r[i]) +
             num_fma(pair->f[1]->s, arm[1][i], -(pair->f[0]->s * arm[0][i]));
}

/* Two directions. J: th and n columns, PAIR_TURNS. */
static inline void dot_turns(const struct body_pair *pair, const struct primitive_values *p,
                             num *restrict Phi, num *restrict J)
{
  num U[3], V[3];
  world_vector(U, pair->f[0], p->u);
  world_vector(V, pair->f[1], p->v);
  turn_row(J, 1.0, pair->f[0], p->u, V);
  turn_row(J + TURNS, 1.0, pair->f[1], p->v, U);
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

/* The rotation vector rho of b in a since the start, axes of a, up to half a turn. Its rate is
 *
 *   rho' = (I - rho~/2 + A rho~^2) w,   A = (1 - h cot h)/|rho|^2,  h = |rho|/2,   w = R_a'(w_b - w_a)
 *
 * so that a torque k rho about it, transposed by that matrix, is the gradient of an energy k |rho|^2/2. */
struct rotation_vector {
  num rho[3];
  num A, slope; /* slope: A' over |rho|, derivative by |rho| */
};

static inline void rotation_vector(struct rotation_vector *o, const struct body_pair *pair,
                                   const num start[3])
{
  static const double SMALL = 1e-2; /* rad^2 */
  const num *a = pair->x[0]->p;
  const num back[4] = {a[0], -a[1], -a[2], -a[3]};
  const num undo[4] = {num_sqrt(num_max(1.0 - v3_dot(start, start), num_all(0.0))), -start[0], -start[1],
                       -start[2]};
  num now[4], q[4];
  p_mul(now, back, pair->x[1]->p);
  p_mul(q, now, undo);
  /* the shorter way */
  const num sign = num_select(num_greater(num_all(0.0), q[0]), num_all(-1.0), num_all(1.0));
  const num sine = num_sqrt(v3_dot(q + 1, q + 1)), cosine = sign * q[0],
            least = num_max(sine, num_all(1e-300));
  const num angle = 2.0 * num_angle(sine, cosine), x2 = angle * angle;
  const num_mask small = num_greater(num_all(SMALL), x2);
  const num k = num_select(num_greater(sine, num_all(1e-8)), angle / least, 2.0 / num_sqrt(p_dot(q, q)));
  for (int i = 0; i < 3; i++) o->rho[i] = sign * k * q[1 + i];
  const num far2 = num_max(x2, num_all(SMALL)), h = 0.5 * angle, cot = cosine / least,
            per_sine2 = (sine * sine + cosine * cosine) / (least * least);
  const num A = (1.0 - h * cot) / far2,
            slope = (-0.5 * (cot - h * per_sine2) / num_sqrt(far2) - 2.0 * A) / far2;
  o->A = num_select(small, 1.0 / 12.0 + x2 * (1.0 / 720.0 + x2 * (1.0 / 30240.0)), A);
  o->slope = num_select(small, 1.0 / 360.0 + x2 * (1.0 / 7560.0), slope);
}

/* o = x + k/2 rho x x + A rho x (rho x x): the matrix above for k = -1, and its transpose for k = 1. */
static inline void rotation_map(const struct rotation_vector *r, double k, const num x[3], num o[3])
{
  num once[3], twice[3];
  v3_cross(once, r->rho, x);
  v3_cross(twice, r->rho, once);
  for (int i = 0; i < 3; i++) o[i] = x[i] + 0.5 * k * once[i] + r->A * twice[i];
}

/* g' w = Phi' of a rotation row about u; g, axes of a. */
static inline void rotation_row(const struct body_pair *pair, const num g[3], num *restrict J)
{
  num world[3], own[3];
  m3_mul(world, pair->f[0]->R, g);
  m3_tmul(own, pair->f[1]->R, world);
  for (int i = 0; i < PAIR; i++) J[i] = num_all(0.0);
  for (int i = 0; i < 3; i++) {
    J[3 + i] = -pair->f[0]->inverse * g[i];
    J[BODY_Y + 3 + i] = pair->f[1]->inverse * own[i];
  }
}

/* Phi'' of a rotation row about u, for q'' = 0. The angular velocity of a body is w/s, of which n changes s. y: y' of both. */
static inline num rotation_bias(const struct rotation_vector *r, const struct body_pair *pair, const num u[3],
                                const num (*y)[BODY_Y])
{
  num world[3], a[3], b[3], w[3], wd[3], rate[3], g[3], gd[3], once[3], twice[3], part[3], fade[2];
  for (int side = 0; side < 2; side++) fade[side] = -2.0 * y[side][6] * pair->f[side]->inverse;
  m3_mul(world, pair->f[1]->R, y[1] + 3);
  m3_tmul(b, pair->f[0]->R, world);
  for (int i = 0; i < 3; i++) {
    a[i] = pair->f[0]->inverse * y[0][3 + i];
    b[i] *= pair->f[1]->inverse;
    w[i] = b[i] - a[i];
  }
  v3_cross(wd, b, a);
  for (int i = 0; i < 3; i++) wd[i] += fade[1] * b[i] - fade[0] * a[i];
  rotation_map(r, -1.0, w, rate);
  rotation_map(r, 1.0, u, g);
  /* the rate of g */
  v3_cross(once, r->rho, u);
  v3_cross(twice, r->rho, once);
  const num A_rate = r->slope * v3_dot(r->rho, rate);
  v3_cross(gd, rate, u);
  for (int i = 0; i < 3; i++) gd[i] = 0.5 * gd[i] + A_rate * twice[i];
  v3_cross(part, rate, once);
  for (int i = 0; i < 3; i++) gd[i] += r->A * part[i];
  v3_cross(once, rate, u);
  v3_cross(part, r->rho, once);
  for (int i = 0; i < 3; i++) gd[i] += r->A * part[i];
  return v3_dot(gd, w) + v3_dot(g, wd);
}

/* Phi and J, (rows, 2, 7), of one primitive; d = P_b - P_a. */
static inline void primitive_rows(enum primitive_kind kind, const struct body_pair *pair,
                                  const struct primitive_values *p, const num d[3], num *restrict Phi,
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
  case ROW_ROTATION: {
    struct rotation_vector r;
    rotation_vector(&r, pair, p->v);
    rotation_map(&r, 1.0, p->u, V);
    rotation_row(pair, V, J);
    *Phi = v3_dot(r.rho, p->u);
    break;
  }
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
                                  const struct primitive_values *p, const struct pair_motion *m, num *bias)
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
  case ROW_ROTATION: {
    struct rotation_vector r;
    rotation_vector(&r, pair, p->v);
    *bias = rotation_bias(&r, pair, p->u, m->y);
    break;
  }
  default:
    break;
  }
}

#endif
