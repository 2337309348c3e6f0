/* SPDX-License-Identifier: MIT
 * Loads of rows over a step from one pose to another, for the energy-momentum step (Simo and Wong; Gonzalez). RT.
 *
 * The load of a multiplier acts along the means of the world vectors at both ends of the step. A body turns by theta =
 * 2 tan(phi/2) about the axis of its rotation phi, and moves by r1 - r0. Every world vector U of it then satisfies
 * U1 - U0 = theta x U_mean. Rows of points and directions are bilinear in such vectors, so lambda times the change of Phi is
 * exactly the work of the load. Lengths and angles are not bilinear. Their loads have a factor, or a small couple, by which that
 * equation holds for them, too (Gonzalez's discrete gradient).
 *
 * A load is a force and a moment about the mean centre of mass, both in world axes, and 0: 7 numbers, as in body coordinates. */
#ifndef DYNAMICS_MEAN_H
#define DYNAMICS_MEAN_H

#include "dynamics/primitives.h"

/* A pair of bodies at both ends of a step. The Euler parameters have norm 1. */
struct mean_pair {
  struct body_pair start, end;
};

/* theta of a body, world axes. */
static inline void mean_turn(num o[3], const struct body_state *start, const struct body_frame *frame,
                             const struct body_state *end)
{
  num own[3];
  p_to_rotation(own, start->p, end->p);
  const num k = 1.0 / p_dot(start->p, end->p);
  for (int i = 0; i < 3; i++) own[i] *= k;
  m3_mul(o, frame->R, own);
}

/* A vector of body `side` at the end of the step, and its mean. */
static inline void mean_vector(const struct mean_pair *o, int side, const num a[3], num end[3], num mean[3])
{
  num start[3];
  m3_mul(start, o->start.f[side]->R, a);
  m3_mul(end, o->end.f[side]->R, a);
  for (int i = 0; i < 3; i++) mean[i] = 0.5 * (start[i] + end[i]);
}

/* The points of a link. */
struct mean_points {
  num arm[2][3];      /* mean of each side, from the centre of mass */
  num d[3], d_end[3]; /* P_b - P_a: mean, and at the end */
};

static inline void mean_points(const struct mean_pair *o, const num (*point)[3], struct mean_points *m)
{
  num end[2][3];
  for (int side = 0; side < 2; side++) mean_vector(o, side, point[side], end[side], m->arm[side]);
  for (int i = 0; i < 3; i++) {
    const num r0 = o->start.x[1]->r[i] - o->start.x[0]->r[i], r1 = o->end.x[1]->r[i] - o->end.x[0]->r[i];
    m->d_end[i] = r1 + (end[1][i] - end[0][i]);
    m->d[i] = 0.5 * (r0 + r1) + (m->arm[1][i] - m->arm[0][i]);
  }
}

/* load += sign (a force k at an arm) */
static inline void mean_push(num load[BODY_Y], double sign, const num arm[3], const num k[3])
{
  num moment[3];
  v3_cross(moment, arm, k);
  for (int i = 0; i < 3; i++) {
    load[i] += sign * k[i];
    load[3 + i] += sign * moment[i];
  }
}

/* load a -= a couple k, load b += it */
static inline void mean_couple(num (*load)[BODY_Y], const num k[3])
{
  for (int i = 0; i < 3; i++) {
    load[0][3 + i] -= k[i];
    load[1][3 + i] += k[i];
  }
}

/* A force U lambda at both points, where U turns with a. */
static inline void mean_slide(num (*load)[BODY_Y], const struct mean_points *points, const num U[3],
                              num lambda)
{
  num k[3], couple[3];
  for (int i = 0; i < 3; i++) k[i] = lambda * U[i];
  mean_push(load[0], -1.0, points->arm[0], k);
  mean_push(load[1], 1.0, points->arm[1], k);
  v3_cross(couple, k, points->d);
  for (int i = 0; i < 3; i++) load[0][3 + i] += couple[i];
}

/* The couple of an angle about the mean axis. The angle turns by `change` while b turns by rho against a. stores: 1 for a law
 * that stores energy and for gears: a small part along rho is added, so that couple . rho = lambda change; otherwise 0, and 0
 * for bodies that may twist (struct joint_rows), which turn by more than their Cayley rotation. */
static inline void mean_angle(const struct mean_pair *o, const num axis[3], num change, num stores,
                              num lambda, num (*load)[BODY_Y])
{
  static const double TINY = 1e-14; /* rad^2: below, the mean axis is exact to rounding */
  num end[3], U[3], turn[2][3], rho[3];
  mean_vector(o, 0, axis, end, U);
  for (int side = 0; side < 2; side++)
    mean_turn(turn[side], o->start.x[side], o->start.f[side], o->end.x[side]);
  v3_sub(rho, turn[1], turn[0]);
  v3_axpy(U, stores * (change - v3_dot(U, rho)) / (v3_dot(rho, rho) + TINY), rho);
  for (int i = 0; i < 3; i++) U[i] *= lambda;
  mean_couple(load, U);
}

/* The couple of a component of a rotation vector: the mean of its gradients, and a part along rho, so that couple . rho is
 * lambda times the change. */
static inline void mean_rotation(const struct mean_pair *o, const struct primitive_values *p, num stores,
                                 num lambda, num (*load)[BODY_Y])
{
  static const double TINY = 1e-14; /* rad^2 */
  struct rotation_vector r[2];
  num g[3], world[2][3], turn[2][3], U[3], rho[3];
  const struct body_pair *pair[2] = {&o->start, &o->end};
  for (int end = 0; end < 2; end++) {
    rotation_vector(&r[end], pair[end], p->v);
    rotation_map(&r[end], 1.0, p->u, g);
    m3_mul(world[end], pair[end]->f[0]->R, g);
  }
  for (int side = 0; side < 2; side++)
    mean_turn(turn[side], o->start.x[side], o->start.f[side], o->end.x[side]);
  v3_sub(rho, turn[1], turn[0]);
  for (int i = 0; i < 3; i++) U[i] = 0.5 * (world[0][i] + world[1][i]);
  const num change = v3_dot(r[1].rho, p->u) - v3_dot(r[0].rho, p->u);
  v3_axpy(U, stores * (change - v3_dot(U, rho)) / (v3_dot(rho, rho) + TINY), rho);
  for (int i = 0; i < 3; i++) U[i] *= lambda;
  mean_couple(load, U);
}

/* Adds the load of one primitive to load (2, 7), and writes its Phi at the end. lengths: for a length, the sum of both ends.
 * stores: as for mean_angle(). */
static inline void mean_primitive(enum primitive_kind kind, const struct mean_pair *o,
                                  const struct primitive_values *p, const struct mean_points *points,
                                  num lengths, num stores, const num *lambda, num *Phi, num (*load)[BODY_Y])
{
  num U[3], V[3], U_end[3], V_end[3], k[3];
  switch (kind) {
  /* points and directions */
  case ROW_COINCIDE:
    mean_push(load[0], -1.0, points->arm[0], lambda);
    mean_push(load[1], 1.0, points->arm[1], lambda);
    v3_copy(Phi, points->d_end);
    break;
  case ROW_DOT:
    mean_vector(o, 0, p->u, U_end, U);
    mean_vector(o, 1, p->v, V_end, V);
    v3_cross(k, V, U);
    for (int i = 0; i < 3; i++) k[i] *= *lambda;
    mean_couple(load, k);
    *Phi = v3_dot(U_end, V_end);
    break;
  case ROW_IN_PLANE:
  case ROW_GAP:
    mean_vector(o, 0, p->u, U_end, U);
    mean_slide(load, points, U, *lambda);
    *Phi = v3_dot(U_end, points->d_end);
    if (kind == ROW_GAP) *Phi -= p->length;
    break;
  /* distances, lengths and angles */
  case ROW_DISTANCE:
  case ROW_LENGTH:
    for (int i = 0; i < 3; i++)
      k[i] =
          *lambda * points->d[i] * (kind == ROW_DISTANCE ? 1.0 / p->length : 2.0 * inverse_or_zero(lengths));
    mean_push(load[0], -1.0, points->arm[0], k);
    mean_push(load[1], 1.0, points->arm[1], k);
    if (kind == ROW_DISTANCE) *Phi = 0.5 * (v3_dot(points->d_end, points->d_end) / p->length - p->length);
    break;
  case ROW_ANGLE:
    mean_angle(o, p->u,
               coordinate_angle(p->angle, p->zero, &o->end, p->turn) -
                   coordinate_angle(p->angle, p->zero, &o->start, p->turn_last),
               stores, *lambda, load);
    break;
  case ROW_ROTATION:
    mean_rotation(o, p, stores, *lambda, load);
    break;
  default:
    break;
  }
}

/* The loads (sides, 7) of all rows of a link. start, end: the link at both ends of the step. */
void rows_mean_load(const struct joint_rows *j, const struct joint_view *start, const struct joint_view *end,
                    const double *lambda, double (*load)[BODY_Y]);

#endif
