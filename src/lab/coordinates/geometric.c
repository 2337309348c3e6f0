/* SPDX-License-Identifier: MIT */
#include "coordinates/geometric.h"

#include "math/euler.h"

#include <string.h>

static const struct pose ground_pose = {.p = {1}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void geometric_poses(const struct problem *p, const double *q, struct pose *x)
{
  for (int b = 0; b < p->bodies; b++) {
    memcpy(x[b].r, q + ABSOLUTE_BODY * b, sizeof x[b].r);
    memcpy(x[b].p, q + ABSOLUTE_BODY * b + 3, sizeof x[b].p);
    p_normalise(x[b].p);
    p_rotation(x[b].R, x[b].p);
  }
}

static const struct pose *pose_of_body(const struct pose *x, int body)
{
  return body == ALI3_GROUND ? &ground_pose : &x[body];
}

/* The vectors of a row in the world: arms from the centres of mass to the points, d between the points, U and V. */
struct row_vectors {
  double arm[2][3], d[3], U[3], V[3];
};

static void vectors_at(const struct absolute_row *row, const struct pose *x, struct row_vectors *o)
{
  const struct pose *a = pose_of_body(x, row->body[0]), *b = pose_of_body(x, row->body[1]);
  m3_mul(o->arm[0], a->R, row->point[0]);
  m3_mul(o->arm[1], b->R, row->point[1]);
  for (int i = 0; i < 3; i++) o->d[i] = b->r[i] + o->arm[1][i] - a->r[i] - o->arm[0][i];
  m3_mul(o->U, a->R, row->u);
  m3_mul(o->V, b->R, row->v);
}

static void mean_vectors(const struct absolute_row *row, const struct pose *x0, const struct pose *x1,
                         struct row_vectors *o)
{
  struct row_vectors end;
  vectors_at(row, x0, o);
  vectors_at(row, x1, &end);
  for (int i = 0; i < 3; i++) {
    o->arm[0][i] = 0.5 * (o->arm[0][i] + end.arm[0][i]);
    o->arm[1][i] = 0.5 * (o->arm[1][i] + end.arm[1][i]);
    o->d[i] = 0.5 * (o->d[i] + end.d[i]);
    o->U[i] = 0.5 * (o->U[i] + end.U[i]);
    o->V[i] = 0.5 * (o->V[i] + end.V[i]);
  }
}

void geometric_residual(const struct problem *p, const struct pose *x, double *Phi)
{
  const struct absolute *o = p->own;
  for (int i = 0; i < o->plain; i++) {
    const struct absolute_row *row = &o->row[i];
    struct row_vectors k;
    vectors_at(row, x, &k);
    Phi[i] = row->kind == ROW_AXIS       ? v3_dot(row->u, k.d)
             : row->kind == ROW_ANGLE    ? v3_dot(k.U, k.V)
             : row->kind == ROW_IN_PLANE ? v3_dot(k.U, k.d)
                                         : 0.5 * (v3_dot(k.d, k.d) / row->length - row->length);
  }
}

/* J += the row's columns of a body for the vector u of it, where Phi changes by k . du: du = theta x u. */
static void add_turning(double *J, int body, const double u[3], const double k[3])
{
  double moment[3];
  if (body == ALI3_GROUND) return;
  v3_cross(moment, u, k);
  v3_axpy(J + GEOMETRIC_BODY * body + 3, 1, moment);
}

/* J += the columns of both bodies where Phi changes by k . d(d). */
static void add_point_columns(double *J, const struct absolute_row *row, const struct row_vectors *o,
                              const double k[3])
{
  for (int side = 0; side < 2; side++) {
    const double sign = side ? 1 : -1, pull[3] = {sign * k[0], sign * k[1], sign * k[2]};
    if (row->body[side] == ALI3_GROUND) continue;
    v3_axpy(J + GEOMETRIC_BODY * row->body[side], 1, pull);
    add_turning(J, row->body[side], o->arm[side], pull);
  }
}

static void add_row_columns(double *J, const struct absolute_row *row, const struct row_vectors *o)
{
  switch (row->kind) {
  case ROW_AXIS: /* k . d */
    add_point_columns(J, row, o, row->u);
    break;
  case ROW_ANGLE: /* U . V */
    add_turning(J, row->body[0], o->U, o->V);
    add_turning(J, row->body[1], o->V, o->U);
    break;
  case ROW_IN_PLANE: /* U . d */
    add_point_columns(J, row, o, o->U);
    add_turning(J, row->body[0], o->U, o->d);
    break;
  default: { /* d . d / (2 L) */
    const double k[3] = {o->d[0] / row->length, o->d[1] / row->length, o->d[2] / row->length};
    add_point_columns(J, row, o, k);
  }
  }
}

void geometric_jacobian(const struct problem *p, const struct pose *x0, const struct pose *x1, double *J)
{
  const struct absolute *o = p->own;
  const int n = GEOMETRIC_BODY * p->bodies;
  memset(J, 0, sizeof *J * (size_t)(o->rows * n));
  for (int i = 0; i < o->plain; i++) {
    struct row_vectors k;
    mean_vectors(&o->row[i], x0, x1, &k);
    add_row_columns(J + i * n, &o->row[i], &k);
  }
}
