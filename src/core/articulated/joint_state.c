/* SPDX-License-Identifier: MIT
 * Loop code: from bodies to joint coordinates, and back. */
#include "articulated/limbs.h"

#include <math.h>
#include <string.h>

/* A body at the point of its limb. */
struct point_motion {
  double p[4], R[9], o[3], w[3], v[3];
};

static void point_motion(const struct limb *b, const struct body_state *x, struct point_motion *o)
{
  double own[3], c[3], part[3];
  const double s = p_dot(x->p, x->p), k = 1.0 / sqrt(s);
  p_rotation_by(o->R, x->p, 1.0 / s);
  for (int i = 0; i < 4; i++) o->p[i] = k * x->p[i];
  p_to_rotation(own, x->p, x->pd);
  for (int i = 0; i < 3; i++) own[i] /= s;
  m3_mul(o->w, o->R, own);
  m3_mul(c, o->R, b->centre);
  v3_cross(part, o->w, c);
  for (int i = 0; i < 3; i++) {
    o->o[i] = x->r[i] - c[i];
    o->v[i] = x->rd[i] - part[i];
  }
}

/* (cosine, sine) of the half angle about a unit axis, of q up to rounding. */
static void half_angle(const double q[4], const double axis[3], double o[2])
{
  const double c = q[0], s = v3_dot(q + 1, axis), k = 1.0 / sqrt(c * c + s * s);
  o[0] = k * c;
  o[1] = k * s;
}

/* The half angles of a universal joint. q rest^-1 = (c1, s1 a)(c2, s2 b), a at right angles to b, has the products of the cosines
 * and sines as its four numbers. */
static void two_half_angles(const double q[4], const struct limb *b, double o[4])
{
  const double back[4] = {b->rest[0], -b->rest[1], -b->rest[2], -b->rest[3]};
  double R[9], turned[4], second[3], third[3];
  p_mul(turned, q, back);
  p_rotation(R, b->rest);
  m3_mul(second, R, b->axis);
  v3_cross(third, b->outer, second);
  const double cc = turned[0], sc = v3_dot(turned + 1, b->outer), cs = v3_dot(turned + 1, second),
               ss = v3_dot(turned + 1, third);
  /* the larger column has the first angle; the second one follows */
  const bool first = cc * cc + sc * sc >= cs * cs + ss * ss;
  const double c = first ? cc : cs, s = first ? sc : ss, k = 1.0 / sqrt(c * c + s * s);
  o[0] = k * c;
  o[1] = k * s;
  o[2] = o[0] * cc + o[1] * sc;
  o[3] = o[0] * cs + o[1] * ss;
  const double length = 1.0 / sqrt(o[2] * o[2] + o[3] * o[3]);
  o[2] *= length;
  o[3] *= length;
}

/* The coordinates of ways, and their rates: d from the joint at 0 to the point, axes of the earlier limb. */
static void find_ways(const struct limb *b, const double d[3], const double rate[3], int ways, double *x,
                      double *xd)
{
  for (int i = 0; i < ways; i++) {
    x[i] = v3_dot(b->way[i], d);
    xd[i] = v3_dot(b->way[i], rate);
  }
}

/* Euler parameters of length 1, and rates that keep it. */
static void keep_orientation(const struct body_state *x, double *p, double *pd)
{
  const double s = p_dot(x->p, x->p), k = 1.0 / sqrt(s), along = p_dot(x->p, x->pd) / s;
  for (int i = 0; i < 4; i++) {
    p[i] = k * x->p[i];
    pd[i] = k * (x->pd[i] - along * x->p[i]);
  }
}

void limbs_from_body(const struct limbs *l, int limb, const struct body_state *body,
                     const struct body_state *parent, double *state)
{
  const struct limb *b = &l->limb[limb];
  double *x = state + b->x, *xd = x + l->coordinates, *half = state + 3 * l->coordinates + 2 * b->half;
  struct point_motion own, from;
  double q[4], base[4], back[4], d[3], part[3], rate[3], own_d[3], own_rate[3], turn[3];
  if (b->motion == LIMB_FREE || b->motion == LIMB_SPHERICAL) {
    const int turn_at = b->motion == LIMB_FREE ? 3 : 0;
    for (int i = 0; i < turn_at; i++) {
      x[i] = body->r[i];
      xd[i] = body->rd[i];
    }
    keep_orientation(body, x + turn_at, xd + turn_at);
    return;
  }
  point_motion(b, body, &own);
  point_motion(&l->limb[b->parent], parent, &from);
  /* angles */
  for (int i = 0; i < 4; i++) back[i] = i == 0 ? from.p[i] : -from.p[i];
  p_mul(q, back, own.p);
  v3_sub(turn, own.w, from.w);
  if (b->motion == LIMB_UNIVERSAL) {
    two_half_angles(q, b, half);
  } else if (b->turning >= 0) {
    const double rest[4] = {b->rest[0], -b->rest[1], -b->rest[2], -b->rest[3]};
    p_mul(base, rest, q);
    half_angle(base, b->axis, half);
  }
  for (int i = 0; i < b->turns; i++) {
    double axis[3];
    m3_mul(axis, i == b->turning ? own.R : from.R, i == b->turning ? b->axis : b->outer);
    x[i] = 0.0;
    xd[i] = v3_dot(axis, turn);
  }
  /* ways */
  v3_sub(d, own.o, from.o);
  v3_cross(part, from.w, d);
  for (int i = 0; i < 3; i++) rate[i] = own.v[i] - from.v[i] - part[i];
  m3_tmul(own_d, from.R, d);
  m3_tmul(own_rate, from.R, rate);
  for (int i = 0; i < 3; i++) own_d[i] -= b->arm[i];
  find_ways(b, own_d, own_rate, b->columns - b->turns, x + b->turns, xd + b->turns);
}

void limbs_rebase(const struct limbs *l, double *state)
{
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    for (int k = 0; k <= b->turning; k++) {
      double *half = state + 3 * l->coordinates + 2 * (b->half + k), *x = state + b->x + k;
      const double c = cos(0.5 * *x), s = sin(0.5 * *x), cosine = half[0] * c - half[1] * s,
                   sine = half[1] * c + half[0] * s, length = 1.0 / sqrt(cosine * cosine + sine * sine);
      half[0] = length * cosine;
      half[1] = length * sine;
      *x = 0.0;
    }
  }
}

/* p'' of Euler parameters p that change at the rate pd, from the angular acceleration in world axes. */
static void second_orientation(const double R[9], const double p[4], const double pd[4], const double al[3],
                               double o[4])
{
  const double s = p_dot(p, p), grows = 2.0 * p_dot(p, pd) / s;
  double own[3], w[3];
  m3_tmul(own, R, al);
  p_to_rotation(w, p, pd);
  for (int i = 0; i < 3; i++) own[i] = s * own[i] + grows * w[i];
  p_from_rotation(o, p, 1.0 / s, own, -p_dot(pd, pd));
}

void limbs_accelerate(const struct limbs *l, const struct limb_at *at, const double gravity[3], double *state)
{
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    const struct limb_at *o = &at[i];
    const double *x = state + b->x, *xd = x + l->coordinates;
    double *xdd = state + 2 * l->coordinates + b->x;
    const int turn_at = b->motion == LIMB_FREE ? 3 : 0;
    if (b->motion != LIMB_FREE && b->motion != LIMB_SPHERICAL) {
      for (int k = 0; k < b->columns; k++) xdd[k] = o->column[k].x;
      continue;
    }
    for (int k = 0; k < turn_at; k++) xdd[k] = o->ac[k] + o->dac[k] + gravity[k];
    const double al[3] = {o->al[0] + o->dal[0], o->al[1] + o->dal[1], o->al[2] + o->dal[2]};
    second_orientation(o->R, x + turn_at, xd + turn_at, al, xdd + turn_at);
  }
}

double limbs_add(const struct limbs *l, const struct limb_at *at, bool rates, double *state)
{
  double largest = 0.0;
  for (int i = 1; i < l->count; i++) {
    const struct limb *b = &l->limb[i];
    const struct limb_at *o = &at[i];
    double *x = state + b->x, *y = rates ? x + l->coordinates : x, own[3], change[4];
    const int turn_at = b->motion == LIMB_FREE ? 3 : 0;
    for (int k = 0; k < 3; k++) largest = fmax(largest, fmax(fabs(o->dal[k]), fabs(o->dac[k])));
    if (b->motion != LIMB_FREE && b->motion != LIMB_SPHERICAL) {
      for (int k = 0; k < b->columns; k++) y[k] += o->column[k].x;
      continue;
    }
    /* a position, and a rotation of the Euler parameters */
    for (int k = 0; k < turn_at; k++) y[k] += o->dac[k];
    m3_tmul(own, o->R, o->dal);
    const double s = p_dot(x + turn_at, x + turn_at);
    for (int k = 0; k < 3; k++) own[k] *= s;
    p_from_rotation(change, x + turn_at, 1.0 / s, own, 0.0);
    for (int k = 0; k < 4; k++) y[turn_at + k] += change[k];
  }
  return largest;
}

void limb_body(const struct limb *b, const struct limb_at *at, const double gravity[3], struct body_state *x)
{
  double c[3], part[3], twice[3], turned[3], own[3], own_al[3];
  const double al[3] = {at->al[0] + at->dal[0], at->al[1] + at->dal[1], at->al[2] + at->dal[2]};
  m3_mul(c, at->R, b->centre);
  v3_cross(part, at->w, c);
  v3_cross(twice, at->w, part);
  v3_cross(turned, al, c);
  for (int i = 0; i < 3; i++) {
    x->r[i] = at->o[i] + c[i];
    x->rd[i] = at->v[i] + part[i];
    x->rdd[i] = at->ac[i] + at->dac[i] + gravity[i] + (turned[i] + twice[i]);
  }
  memcpy(x->p, at->p, sizeof x->p);
  m3_tmul(own, at->R, at->w);
  m3_tmul(own_al, at->R, al);
  p_from_rotation(x->pd, at->p, 1.0, own, 0.0);
  p_from_rotation(x->pdd, at->p, 1.0, own_al, -p_dot(x->pd, x->pd));
}
