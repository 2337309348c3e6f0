/* SPDX-License-Identifier: MIT
 * Loop code: residuals, Jacobians and bias of the primitives of rows.h, and what is read off them.
 *
 * Two gradients make every Jacobian. For a world vector k and a body with R, s (A = s R):
 *
 *              |  r    th               n
 *   k . dP     |  k    a x (R'k)        2 k.(R a)         P = r + A a,  a fixed in the body
 *   k . dU     |  0    u x (R'k)        2 k.(R u)         U = A u
 *
 * since dP = dr + B dp with B G' = -2 A a~ and B p = 2 A a. */
#include "dynamics/rows.h"
#include "math/euler.h"

enum { SIDES = 2 * BODY_Y };

static const double TURN = 6.28318530717958647693;

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
static inline void separation(const struct joint_rows *j, const struct joint_view *v, double d[3])
{
  double a[3], b[3];
  world_vector(a, v->f[0], j->point[0]);
  world_vector(b, v->f[1], j->point[1]);
  for (int i = 0; i < 3; i++) d[i] = (v->x[1]->r[i] - v->x[0]->r[i]) + (b[i] - a[i]);
}

/* Angle of b about the axis of a, (-pi, pi]. */
static double wrapped_angle(const struct joint_rows *j, const struct joint_view *v)
{
  double U0[3], U1[3], V0[3];
  m3_mul(U0, v->f[0]->R, j->u0);
  m3_mul(U1, v->f[0]->R, j->u1);
  m3_mul(V0, v->f[1]->R, j->v0);
  return atan2(v3_dot(V0, U1), v3_dot(V0, U0));
}

/* The three rows of one side of a coinciding point: the first line of the table for k = e_i, where R'k is row
 * i of R. */
static inline void coincide(double *row, double sign, const struct body_frame *f, const double a[3])
{
  for (int i = 0; i < 3; i++, row += SIDES) {
    const double *Ri = f->R + 3 * i;
    v3_cross(row + 3, a, Ri);
    for (int k = 3; k < 6; k++) row[k] *= sign;
    row[i] = sign;
    row[6] = sign * 2.0 * v3_dot(a, Ri);
  }
}

void rows_evaluate(const struct joint_rows *j, const struct joint_view *v, double *Phi, double *J)
{
  double d[3], U[3], V[3];
  separation(j, v, d);
  for (int i = 0; i < SIDES * j->count; i++) J[i] = 0.0;
  for (int k = 0; k < j->primitives; k++) {
    const struct primitive *p = &j->primitive[k];
    double *a = J, *b = J + BODY_Y;
    switch (p->kind) {
    case ROW_COINCIDE:
      /* rows x y z:  a (-I, .., ..)   b (I, .., ..) */
      coincide(a, -1.0, v->f[0], j->point[0]);
      coincide(b, 1.0, v->f[1], j->point[1]);
      for (int i = 0; i < 3; i++) Phi[i] = d[i];
      Phi += 3;
      J += 3 * SIDES;
      continue;
    case ROW_DOT:
      world_vector(U, v->f[0], p->u);
      world_vector(V, v->f[1], p->v);
      add_vector(a, 1.0, v->f[0], p->u, V);
      add_vector(b, 1.0, v->f[1], p->v, U);
      *Phi = v3_dot(U, V);
      break;
    case ROW_IN_PLANE:
      world_vector(U, v->f[0], p->u);
      add_vector(a, 1.0, v->f[0], p->u, d);
      add_point(a, -1.0, v->f[0], j->point[0], U);
      add_point(b, 1.0, v->f[1], j->point[1], U);
      *Phi = v3_dot(U, d);
      break;
    case ROW_DISTANCE:
      for (int i = 0; i < 3; i++) U[i] = d[i] / j->length;
      add_point(a, -1.0, v->f[0], j->point[0], U);
      add_point(b, 1.0, v->f[1], j->point[1], U);
      *Phi = 0.5 * (v3_dot(U, d) - j->length);
      break;
    case ROW_LENGTH: {
      /* at length 0 the direction is undefined: the spring does not pull there */
      double length = sqrt(v3_dot(d, d)), k1 = length > 0.0 ? 1.0 / length : 0.0;
      for (int i = 0; i < 3; i++) U[i] = k1 * d[i];
      add_point(a, -1.0, v->f[0], j->point[0], U);
      add_point(b, 1.0, v->f[1], j->point[1], U);
      *Phi = length - j->length;
      break;
    }
    case ROW_SLIDE:
      world_vector(U, v->f[0], p->u);
      add_vector(a, 1.0, v->f[0], p->u, d);
      add_point(a, -1.0, v->f[0], j->point[0], U);
      add_point(b, 1.0, v->f[1], j->point[1], U);
      *Phi = v3_dot(U, d) - j->length;
      break;
    case ROW_ANGLE:
      /* rate = axis . (w_b - w_a), each in its own body's axes */
      m3_mul(U, v->f[0]->R, p->u);
      m3_tmul(V, v->f[1]->R, U);
      v3_axpy(a + 3, -1.0, p->u);
      v3_axpy(b + 3, 1.0, V);
      *Phi = v->turn + remainder(wrapped_angle(j, v) - v->turn, TURN) - j->length;
      break;
    }
    Phi++;
    J += SIDES;
  }
}

/* d(A a)/dt = R (w x a) + 2 R a n, with y' = (., w, n); and its derivative without the p'' part, 2 A(p') a */
static void vector_rate(double o[3], const struct body_frame *f, const double y[BODY_Y], const double a[3])
{
  double local[3];
  v3_cross(local, y + 3, a);
  v3_axpy(local, 2.0 * y[6], a);
  m3_mul(o, f->R, local);
}

static void vector_bias(double o[3], const struct body_state *x, const double a[3])
{
  p_homogeneous(o, x->pd, a);
  for (int i = 0; i < 3; i++) o[i] *= 2.0;
}

void rows_bias(const struct joint_rows *j, const struct joint_view *v, double *bias)
{
  double y[2][BODY_Y], rate[2][3], second[2][3];
  double d[3], dd[3], d2[3], U[3], V[3], Ud[3], Vd[3], U2[3], V2[3];
  separation(j, v, d);
  for (int side = 0; side < 2; side++) {
    body_velocity(v->x[side], y[side]);
    vector_rate(rate[side], v->f[side], y[side], j->point[side]);
    vector_bias(second[side], v->x[side], j->point[side]);
  }
  for (int i = 0; i < 3; i++) {
    dd[i] = (v->x[1]->rd[i] - v->x[0]->rd[i]) + (rate[1][i] - rate[0][i]);
    d2[i] = second[1][i] - second[0][i];
  }
  for (int k = 0; k < j->primitives; k++) {
    const struct primitive *p = &j->primitive[k];
    switch (p->kind) {
    case ROW_COINCIDE:
      for (int i = 0; i < 3; i++) bias[i] = d2[i];
      bias += 3;
      continue;
    case ROW_DOT:
      world_vector(U, v->f[0], p->u);
      world_vector(V, v->f[1], p->v);
      vector_rate(Ud, v->f[0], y[0], p->u);
      vector_rate(Vd, v->f[1], y[1], p->v);
      vector_bias(U2, v->x[0], p->u);
      vector_bias(V2, v->x[1], p->v);
      *bias = v3_dot(U2, V) + 2.0 * v3_dot(Ud, Vd) + v3_dot(U, V2);
      break;
    case ROW_SLIDE:
    case ROW_IN_PLANE:
      world_vector(U, v->f[0], p->u);
      vector_rate(Ud, v->f[0], y[0], p->u);
      vector_bias(U2, v->x[0], p->u);
      *bias = v3_dot(U2, d) + 2.0 * v3_dot(Ud, dd) + v3_dot(U, d2);
      break;
    case ROW_DISTANCE:
      *bias = (v3_dot(dd, dd) + v3_dot(d, d2)) / j->length;
      break;
    case ROW_LENGTH: {
      double length = sqrt(v3_dot(d, d)), k1 = length > 0.0 ? 1.0 / length : 0.0, along = k1 * v3_dot(d, dd);
      *bias = k1 * (v3_dot(dd, dd) - along * along + v3_dot(d, d2));
      break;
    }
    case ROW_ANGLE: {
      /* the axis turns with a: (w_a x axis) . w_b */
      double wa[3], wb[3];
      m3_mul(U, v->f[0]->R, p->u);
      m3_mul(wa, v->f[0]->R, y[0] + 3);
      m3_mul(wb, v->f[1]->R, y[1] + 3);
      v3_cross(Ud, wa, U);
      *bias = v3_dot(Ud, wb);
      break;
    }
    }
    bias++;
  }
}

void rows_rate(const struct joint_rows *j, const struct joint_view *v, const double *J, double *rate)
{
  double y[2][BODY_Y];
  for (int side = 0; side < 2; side++) body_velocity(v->x[side], y[side]);
  for (int i = 0; i < j->count; i++, J += SIDES) {
    rate[i] = 0.0;
    for (int k = 0; k < BODY_Y; k++) rate[i] += J[k] * y[0][k] + J[BODY_Y + k] * y[1][k];
  }
}

void rows_coordinate(const struct joint_rows *j, const struct joint_view *v, double *position,
                     double *velocity)
{
  double axis[3], d[3], dd[3], ya[BODY_Y], yb[BODY_Y], wa[3], wb[3], pa[3], pb[3];
  *position = *velocity = 0.0;
  if (j->coordinate == COORDINATE_NONE) return;
  m3_mul(axis, v->f[0]->R, j->axis);
  body_velocity(v->x[0], ya);
  body_velocity(v->x[1], yb);
  m3_mul(wa, v->f[0]->R, ya + 3);
  m3_mul(wb, v->f[1]->R, yb + 3);
  if (j->coordinate == COORDINATE_ANGLE) {
    *position = wrapped_angle(j, v);
    *velocity = v3_dot(axis, wb) - v3_dot(axis, wa);
    return;
  }
  double turn[3];
  separation(j, v, d);
  vector_rate(pa, v->f[0], ya, j->point[0]);
  vector_rate(pb, v->f[1], yb, j->point[1]);
  for (int i = 0; i < 3; i++) dd[i] = (yb[i] - ya[i]) + (pb[i] - pa[i]);
  v3_cross(turn, wa, axis);
  *position = v3_dot(axis, d);
  *velocity = v3_dot(axis, dd) + v3_dot(turn, d);
}

/* -J_b' lambda is a force at the centre of mass and a torque in body axes; moved to point b. */
void rows_reaction(const struct joint_rows *j, const struct joint_view *v, const double *J,
                   const double *lambda, double force[3], double torque[3])
{
  /* the ground has no columns of its own to read: use the other side with the opposite sign */
  int side = j->body[1] != ALI3_GROUND;
  double sign = side ? -1.0 : 1.0, local[3] = {0}, arm[3], moment[3], other[3];
  for (int i = 0; i < 3; i++) force[i] = 0.0;
  for (int k = 0; k < j->count; k++) {
    const double *row = J + SIDES * k + BODY_Y * side;
    v3_axpy(force, sign * lambda[k], row);
    v3_axpy(local, sign * lambda[k], row + 3);
  }
  m3_mul(torque, v->f[side]->R, local);
  world_vector(arm, v->f[1], j->point[1]); /* from the reference of b to point b */
  if (!side) {                             /* from the centre of a to point b */
    v3_sub(other, v->x[1]->r, v->x[0]->r);
    v3_axpy(arm, 1.0, other);
  }
  v3_cross(moment, arm, force);
  v3_axpy(torque, -1.0, moment);
}
