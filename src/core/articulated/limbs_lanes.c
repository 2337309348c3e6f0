/* SPDX-License-Identifier: MIT
 * Loop code: the passes over the limbs, one limb after the other, for each instruction set. limbs.h has the algebra. */
#include "articulated/limbs.h"

#if LANES == 1
#include <math.h>
#include <string.h>

#define LIMB_PASS static inline __attribute__((always_inline))

/* --- positions and orientations --- */

/* Cosine and sine of x, from a series if x is small, as in a step. */
LIMB_PASS void cosine_sine(double x, double *c, double *s)
{
  static const double SMALL = 0.3;
  const double y = x * x;
  *c = 1.0 + y * (-0.5 + y * (1.0 / 24 + y * (-1.0 / 720 + y * (1.0 / 40320 - y * (1.0 / 3628800)))));
  *s = x * (1.0 +
            y * (-1.0 / 6 + y * (1.0 / 120 + y * (-1.0 / 5040 + y * (1.0 / 362880 - y * (1.0 / 39916800))))));
  if (fabs(x) < SMALL) return;
  *c = cos(x);
  *s = sin(x);
}

/* o = p turned by an angle about an axis of the body: the half angle that `half` has, and x/2. */
LIMB_PASS void turn_about(const double p[4], const double axis[3], const double half[2], double x,
                          double o[4])
{
  double c, s, turned[4];
  cosine_sine(0.5 * x, &c, &s);
  const double cosine = half[0] * c - half[1] * s, sine = half[1] * c + half[0] * s;
  const double by[4] = {0.0, axis[0], axis[1], axis[2]};
  p_mul(turned, p, by);
  for (int i = 0; i < 4; i++) o[i] = num_fma(sine, turned[i], cosine * p[i]);
}

/* The point of a limb, by the arm and the ways of its joint. */
LIMB_PASS void place_limb_point(const struct limb *b, const struct limb_at *parent, const double *way,
                                int ways, struct limb_at *o)
{
  double arm[3];
  v3_copy(arm, b->arm);
  for (int i = 0; i < ways; i++) v3_axpy(arm, way[i], b->way[i]);
  m3_mul(o->r, parent->R, arm);
  for (int i = 0; i < 3; i++) o->o[i] = parent->o[i] + o->r[i];
  for (int i = 0; i < ways; i++) m3_mul(o->column[b->columns - ways + i].s, parent->R, b->way[i]);
}

LIMB_PASS void turn_limb(const struct limb *b, const struct limb_at *parent, const double *half, double x,
                         struct limb_at *o)
{
  double p[4];
  p_mul(p, parent->p, b->rest);
  turn_about(p, b->axis, half, x, o->p);
}

LIMB_PASS void pose_limb(const struct limb *b, const struct limb_at *parent, const double *x,
                         const double *half, struct limb_at *o)
{
  double p[4], q[4];
  /* point and orientation */
  switch (b->motion) {
  case LIMB_REVOLUTE:
    place_limb_point(b, parent, NULL, 0, o);
    turn_limb(b, parent, half, x[0], o);
    break;
  case LIMB_CYLINDRICAL:
    place_limb_point(b, parent, x + 1, 1, o);
    turn_limb(b, parent, half, x[0], o);
    break;
  case LIMB_PLANAR:
    place_limb_point(b, parent, x + 1, 2, o);
    turn_limb(b, parent, half, x[0], o);
    break;
  case LIMB_UNIVERSAL:
    place_limb_point(b, parent, NULL, 0, o);
    turn_about(parent->p, b->outer, half, x[0], p);
    p_mul(q, p, b->rest);
    turn_about(q, b->axis, half + 2, x[1], o->p);
    m3_mul(o->column[0].s, parent->R, b->outer);
    break;
  case LIMB_SPHERICAL:
    place_limb_point(b, parent, NULL, 0, o);
    memcpy(o->p, x, sizeof o->p);
    p_normalise(o->p);
    break;
  case LIMB_FREE:
    v3_copy(o->r, x);
    v3_copy(o->o, x);
    memcpy(o->p, x + 3, sizeof o->p);
    p_normalise(o->p);
    break;
  case LIMB_PRISMATIC:
    place_limb_point(b, parent, x, 1, o);
    p_mul(o->p, parent->p, b->rest);
    break;
  default:
    place_limb_point(b, parent, NULL, 0, o);
    p_mul(o->p, parent->p, b->rest);
    break;
  }
  /* frame, and the axis in the body */
  p_rotation_by(o->R, o->p, 1.0);
  if (b->turning >= 0) m3_mul(o->column[b->turning].s, o->R, b->axis);
}

static void pose_limbs(const struct limbs *l, const double *state, struct limb_at *at)
{
  const double *half = state + 3 * l->coordinates;
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    pose_limb(b, &at[b->parent], state + b->x, half + 2 * b->half, &at[i]);
  }
}

/* --- velocities --- */

/* Angular velocity, world axes, of Euler parameters p of any length that change at the rate pd. */
LIMB_PASS void angular_velocity(const double R[9], const double p[4], const double pd[4], double w[3])
{
  double own[3];
  const double k = 1.0 / p_dot(p, p);
  p_to_rotation(own, p, pd);
  for (int i = 0; i < 3; i++) own[i] *= k;
  m3_mul(w, R, own);
}

/* Adds a rotation about a column. The axis turns with what the limb has so far; its own rate does not move it. */
LIMB_PASS void add_turn(struct limb_at *o, const double s[3], double rate)
{
  double turn[3], change[3];
  for (int i = 0; i < 3; i++) turn[i] = rate * s[i];
  v3_cross(change, o->w, turn);
  for (int i = 0; i < 3; i++) {
    o->w[i] += turn[i];
    o->al[i] += change[i];
  }
}

/* Adds a way along a column, whose direction turns with the earlier limb. */
LIMB_PASS void add_way(struct limb_at *o, const double w[3], const double s[3], double rate)
{
  double along[3], change[3];
  for (int i = 0; i < 3; i++) along[i] = rate * s[i];
  v3_cross(change, w, along);
  for (int i = 0; i < 3; i++) {
    o->v[i] += along[i];
    o->ac[i] += 2.0 * change[i];
  }
}

/* The motion of the point as a point of the earlier limb. */
LIMB_PASS void move_along(const struct limb_at *parent, struct limb_at *o)
{
  double part[3], turned[3], twice[3];
  v3_cross(part, parent->w, o->r);
  v3_cross(twice, parent->w, part);
  v3_cross(turned, parent->al, o->r);
  for (int k = 0; k < 3; k++) {
    o->w[k] = parent->w[k];
    o->al[k] = parent->al[k];
    o->v[k] = parent->v[k] + part[k];
    o->ac[k] = parent->ac[k] + (turned[k] + twice[k]);
  }
}

LIMB_PASS void rates_of_limb(const struct limb *b, const struct limb_at *parent, const double *x,
                             const double *xd, const double gravity[3], struct limb_at *o)
{
  /* with the earlier limb, then by the joint */
  move_along(parent, o);
  switch (b->motion) {
  case LIMB_REVOLUTE:
    add_turn(o, o->column[0].s, xd[0]);
    break;
  case LIMB_PRISMATIC:
    add_way(o, parent->w, o->column[0].s, xd[0]);
    break;
  case LIMB_CYLINDRICAL:
    add_turn(o, o->column[0].s, xd[0]);
    add_way(o, parent->w, o->column[1].s, xd[1]);
    break;
  case LIMB_UNIVERSAL:
    add_turn(o, o->column[0].s, xd[0]);
    add_turn(o, o->column[1].s, xd[1]);
    break;
  case LIMB_PLANAR:
    add_turn(o, o->column[0].s, xd[0]);
    add_way(o, parent->w, o->column[1].s, xd[1]);
    add_way(o, parent->w, o->column[2].s, xd[2]);
    break;
  case LIMB_SPHERICAL:
    angular_velocity(o->R, x, xd, o->w);
    for (int k = 0; k < 3; k++) o->al[k] = 0.0;
    break;
  case LIMB_FREE:
    angular_velocity(o->R, x + 3, xd + 3, o->w);
    for (int k = 0; k < 3; k++) {
      o->v[k] = xd[k];
      o->al[k] = 0.0;
      o->ac[k] = -gravity[k];
    }
    break;
  default:
    break;
  }
}

static void move_limbs(const struct limbs *l, const double *state, const double gravity[3],
                       struct limb_at *at)
{
  for (int i = 0; i < 3; i++) at[0].ac[i] = -gravity[i];
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    rates_of_limb(b, &at[b->parent], state + b->x, state + l->coordinates + b->x, gravity, &at[i]);
  }
}

/* --- inertias --- */

/* o = A a, A packed */
LIMB_PASS void packed_mul(double o[3], const double A[6], const double a[3])
{
  o[0] = num_fma(A[2], a[2], num_fma(A[1], a[1], A[0] * a[0]));
  o[1] = num_fma(A[4], a[2], num_fma(A[3], a[1], A[1] * a[0]));
  o[2] = num_fma(A[5], a[2], num_fma(A[4], a[1], A[2] * a[0]));
}

/* A -= k a a' */
LIMB_PASS void packed_less(double A[6], const double k[3], const double a[3])
{
  A[0] = num_fma(-k[0], a[0], A[0]);
  A[1] = num_fma(-k[0], a[1], A[1]);
  A[2] = num_fma(-k[0], a[2], A[2]);
  A[3] = num_fma(-k[1], a[1], A[3]);
  A[4] = num_fma(-k[1], a[2], A[4]);
  A[5] = num_fma(-k[2], a[2], A[5]);
}

/* The inertia of the body alone: J = R J_b R', H = (m c)~, M = m I. */
LIMB_PASS void own_inertia(const struct limb *b, struct limb_at *o)
{
  double T[9], c[3];
  const double *R = o->R;
  for (int i = 0; i < 3; i++) packed_mul(T + 3 * i, b->inertia, R + 3 * i);
  o->J[0] = v3_dot(T, R);
  o->J[1] = v3_dot(T, R + 3);
  o->J[2] = v3_dot(T, R + 6);
  o->J[3] = v3_dot(T + 3, R + 3);
  o->J[4] = v3_dot(T + 3, R + 6);
  o->J[5] = v3_dot(T + 6, R + 6);
  m3_mul(c, R, b->first);
  v3_copy(o->first, c);
  const double H[9] = {0.0, -c[2], c[1], c[2], 0.0, -c[0], -c[1], c[0], 0.0};
  const double M[6] = {b->mass, 0.0, 0.0, b->mass, 0.0, b->mass};
  memcpy(o->H, H, sizeof H);
  memcpy(o->M, M, sizeof M);
}

/* Takes a column out of the inertia. False: it has none. */
LIMB_PASS bool eliminate_column(struct limb_at *o, struct limb_column *c, bool turns)
{
  double kn[3], kf[3];
  if (turns) {
    packed_mul(c->Un, o->J, c->s);
    m3_tmul(c->Uf, o->H, c->s);
  } else {
    m3_mul(c->Un, o->H, c->s);
    packed_mul(c->Uf, o->M, c->s);
  }
  /* I -= U U'/d */
  const double d = v3_dot(c->s, turns ? c->Un : c->Uf);
  c->inverse = 1.0 / d;
  for (int i = 0; i < 3; i++) {
    kn[i] = c->inverse * c->Un[i];
    kf[i] = c->inverse * c->Uf[i];
  }
  packed_less(o->J, kn, c->Un);
  packed_less(o->M, kf, c->Uf);
  for (int i = 0; i < 9; i++) o->H[i] = num_fma(-kn[i / 3], c->Uf[i % 3], o->H[i]);
  return d > 0.0;
}

/* The inertia about the point of the parent: h = H + r~ M,  J + T + T', T = r~ (H' + (r~ M)'/2). */
LIMB_PASS void shift_inertia(const struct limb_at *o, struct limb_at *parent)
{
  const double *r = o->r, *M = o->M;
  const double full[9] = {M[0], M[1], M[2], M[1], M[3], M[4], M[2], M[4], M[5]};
  double B[9], mean[9], T[9];
  for (int k = 0; k < 3; k++) { /* column k of r~ M, which is symmetric in its rows */
    double column[3];
    v3_cross(column, r, full + 3 * k);
    for (int i = 0; i < 3; i++) B[3 * i + k] = column[i];
  }
  for (int i = 0; i < 9; i++) {
    mean[i] = num_fma(0.5, B[i], o->H[i]);
    parent->H[i] += o->H[i] + B[i];
  }
  for (int k = 0; k < 3; k++) v3_cross(T + 3 * k, r, mean + 3 * k); /* column k of T */
  parent->J[0] += o->J[0] + 2.0 * T[0];
  parent->J[1] += o->J[1] + (T[1] + T[3]);
  parent->J[2] += o->J[2] + (T[2] + T[6]);
  parent->J[3] += o->J[3] + 2.0 * T[4];
  parent->J[4] += o->J[4] + (T[5] + T[7]);
  parent->J[5] += o->J[5] + 2.0 * T[8];
  for (int i = 0; i < 6; i++) parent->M[i] += M[i];
}

LIMB_PASS bool eliminate_columns(const struct limb *b, struct limb_at *o)
{
  struct limb_column *c = o->column;
  /* the last column is the outermost one */
  switch (b->motion) {
  case LIMB_REVOLUTE:
    return eliminate_column(o, c, true);
  case LIMB_PRISMATIC:
    return eliminate_column(o, c, false);
  case LIMB_CYLINDRICAL:
    return eliminate_column(o, c + 1, false) && eliminate_column(o, c, true);
  case LIMB_UNIVERSAL:
    return eliminate_column(o, c + 1, true) && eliminate_column(o, c, true);
  case LIMB_PLANAR:
    return eliminate_column(o, c + 2, false) && eliminate_column(o, c + 1, false) &&
           eliminate_column(o, c, true);
  case LIMB_SPHERICAL:
    return eliminate_column(o, c + 2, true) && eliminate_column(o, c + 1, true) &&
           eliminate_column(o, c, true);
  case LIMB_FREE:
    return eliminate_column(o, c + 5, false) && eliminate_column(o, c + 4, false) &&
           eliminate_column(o, c + 3, false) && eliminate_column(o, c + 2, true) &&
           eliminate_column(o, c + 1, true) && eliminate_column(o, c, true);
  default:
    return true;
  }
}

static bool eliminate_limbs(const struct limbs *l, struct limb_at *at)
{
  for (int i = 1; i < l->count; i++) own_inertia(&l->limb[i], &at[i]);
  for (int i = l->count - 1; i > 0; i--) {
    const struct limb *b = &l->limb[i];
    if (!eliminate_columns(b, &at[i])) return false;
    if (b->parent > 0) shift_inertia(&at[i], &at[b->parent]);
  }
  return true;
}

/* --- forces and accelerations --- */

/* Moves a wrench to the point of the parent. */
LIMB_PASS void shift_wrench(const struct limb_at *o, struct limb_at *parent)
{
  double moment[3];
  v3_cross(moment, o->r, o->f);
  for (int k = 0; k < 3; k++) {
    parent->n[k] += o->n[k] + moment[k];
    parent->f[k] += o->f[k];
  }
}

/* n, f of the body alone: its inertia forces at the bias accelerations, less the load. */
LIMB_PASS void own_bias(const struct limb *b, struct limb_at *o)
{
  double lever[3], turned[3], own[3], moment[3], spin[3];
  const double *c = o->first;
  v3_cross(turned, o->al, c);
  v3_cross(lever, o->w, c);
  v3_cross(own, o->w, lever);
  for (int k = 0; k < 3; k++) o->f[k] = num_fma(b->mass, o->ac[k], turned[k] + own[k]) - o->load[1][k];
  /* moments in body axes */
  double w[3], al[3], Jw[3], Jal[3];
  m3_tmul(w, o->R, o->w);
  m3_tmul(al, o->R, o->al);
  packed_mul(Jw, b->inertia, w);
  packed_mul(Jal, b->inertia, al);
  v3_cross(spin, w, Jw);
  for (int k = 0; k < 3; k++) Jal[k] += spin[k];
  m3_mul(spin, o->R, Jal);
  v3_cross(moment, c, o->ac);
  for (int k = 0; k < 3; k++) o->n[k] = spin[k] + moment[k] - o->load[0][k];
}

LIMB_PASS void bias_of_column(struct limb_at *o, struct limb_column *c, bool turns)
{
  c->u = -v3_dot(c->s, turns ? o->n : o->f);
  const double x = c->inverse * c->u;
  v3_axpy(o->n, x, c->Un);
  v3_axpy(o->f, x, c->Uf);
}

static void load_limbs(const struct limbs *l, struct limb_at *at)
{
  for (int i = 1; i < l->count; i++) own_bias(&l->limb[i], &at[i]);
  for (int i = l->count - 1; i > 0; i--) {
    const struct limb *b = &l->limb[i];
    for (int k = b->columns - 1; k >= 0; k--) bias_of_column(&at[i], &at[i].column[k], limb_turns(b, k));
    if (b->parent > 0) shift_wrench(&at[i], &at[b->parent]);
  }
}

static void accelerate_limbs(const struct limbs *l, struct limb_at *at)
{
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    const struct limb_at *parent = &at[b->parent];
    struct limb_at *o = &at[i];
    double al[3], ac[3];
    v3_copy(al, parent->dal);
    v3_cross(ac, al, o->r);
    for (int k = 0; k < 3; k++) ac[k] += parent->dac[k];
    for (int k = 0; k < b->columns; k++) {
      struct limb_column *c = &o->column[k];
      c->x = c->inverse * (c->u - (v3_dot(c->Un, al) + v3_dot(c->Uf, ac)));
      v3_axpy(limb_turns(b, k) ? al : ac, c->x, c->s);
    }
    v3_copy(o->dal, al);
    v3_copy(o->dac, ac);
  }
}

const struct limb_passes LANE_NAME(limb_passes) = {pose_limbs, move_limbs, eliminate_limbs, load_limbs,
                                                   accelerate_limbs};
#else
typedef int nothing_for_lanes; /* one limb after the other */
#endif
