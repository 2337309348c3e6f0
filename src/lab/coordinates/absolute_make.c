/* SPDX-License-Identifier: MIT
 * From the joints of a model to the rows of absolute coordinates. */
#include "coordinates/absolute.h"
#include "coordinates/forces.h"
#include "math/euler.h"
#include "model/model.h"

#include <ali3/stepper.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row_maker {
  struct absolute *o;
  const struct joint *joint;
  const ali3_body_state *state; /* (bodies) at the start */
};

static void add_joint_row(struct row_maker *k, enum absolute_kind kind, const double u[3], const double v[3])
{
  struct absolute_row *row = &k->o->row[k->o->plain++];
  *row = (struct absolute_row){.kind = kind, .body = {k->joint->body[0], k->joint->body[1]}};
  memcpy(row->point, k->joint->point, sizeof row->point);
  if (u) v3_copy(row->u, u);
  if (v) v3_copy(row->v, v);
}

static void add_shared_point(struct row_maker *k)
{
  for (int i = 0; i < 3; i++) {
    const double axis[3] = {i == 0, i == 1, i == 2};
    add_joint_row(k, ROW_AXIS, axis, NULL);
  }
}

static const double *start_orientation(const struct row_maker *k, int side)
{
  static const double upright[4] = {1, 0, 0, 0};
  return k->joint->body[side] == ALI3_GROUND ? upright : k->state[k->joint->body[side]].orientation;
}

/* e1.f2 = e2.f3 = e3.f1 = 0: e_i the axes of a, f_i the same axes as b has them in the wanted orientation. */
static void add_orientation_rows(struct row_maker *k)
{
  double q[4], R[9];
  if (p_dot(k->joint->spec.relative_orientation, k->joint->spec.relative_orientation) > 0) {
    memcpy(q, k->joint->spec.relative_orientation, sizeof q);
  } else {
    const double *a = start_orientation(k, 0), conjugate[4] = {a[0], -a[1], -a[2], -a[3]};
    p_mul(q, conjugate, start_orientation(k, 1));
  }
  p_rotation(R, q);
  for (int i = 0; i < 3; i++) {
    const double e[3] = {i == 0, i == 1, i == 2};
    add_joint_row(k, ROW_ANGLE, e, R + 3 * ((i + 1) % 3));
  }
}

static void add_length_row(struct row_maker *k)
{
  double at[2][3];
  for (int side = 0; side < 2; side++) {
    const int body = k->joint->body[side];
    double R[9];
    p_rotation(R, start_orientation(k, side));
    m3_mul(at[side], R, k->joint->point[side]);
    if (body != ALI3_GROUND) v3_axpy(at[side], 1, k->state[body].position);
  }
  add_joint_row(k, ROW_LENGTH, NULL, NULL);
  const double d[3] = {at[1][0] - at[0][0], at[1][1] - at[0][1], at[1][2] - at[0][2]};
  k->o->row[k->o->plain - 1].length = k->joint->spec.length > 0 ? k->joint->spec.length : sqrt(v3_dot(d, d));
}

static void add_rows_of_joint(struct row_maker *k)
{
  const double *a = k->joint->axis[0], *b = k->joint->axis[1];
  double u[3] = {0}, v[3] = {0};
  if (ali3_joint_type_has_axis_a(k->joint->spec.type)) v3_perpendicular(a, u, v);
  /* The rows of each type are those of the daemon's joints; u and v span the plane normal to the axis. */
  switch (k->joint->spec.type) {
  case ALI3_JOINT_FIXED:
    add_shared_point(k);
    add_orientation_rows(k);
    break;
  case ALI3_JOINT_REVOLUTE:
    add_shared_point(k);
    /* revolute: b stays normal to u and v */
    add_joint_row(k, ROW_ANGLE, u, b);
    add_joint_row(k, ROW_ANGLE, v, b);
    break;
  case ALI3_JOINT_PRISMATIC:
  case ALI3_JOINT_CYLINDRICAL:
  case ALI3_JOINT_POINT_ON_LINE:
    add_joint_row(k, ROW_IN_PLANE, u, NULL);
    add_joint_row(k, ROW_IN_PLANE, v, NULL);
    if (k->joint->spec.type == ALI3_JOINT_PRISMATIC) add_orientation_rows(k);
    /* cylindrical: no turn but about the axis */
    if (k->joint->spec.type == ALI3_JOINT_CYLINDRICAL) {
      add_joint_row(k, ROW_ANGLE, u, b);
      add_joint_row(k, ROW_ANGLE, v, b);
    }
    break;
  case ALI3_JOINT_UNIVERSAL:
    add_shared_point(k);
    add_joint_row(k, ROW_ANGLE, a, b);
    break;
  case ALI3_JOINT_SPHERICAL:
    add_shared_point(k);
    break;
  case ALI3_JOINT_PLANAR:
    add_joint_row(k, ROW_IN_PLANE, a, NULL);
    add_joint_row(k, ROW_ANGLE, u, b);
    add_joint_row(k, ROW_ANGLE, v, b);
    break;
  case ALI3_JOINT_POINT_IN_PLANE:
    add_joint_row(k, ROW_IN_PLANE, a, NULL);
    break;
  default: /* distance */
    add_length_row(k);
  }
}

/* Drives and gears follow the joints. */
static void add_driven_rows(struct problem *p, struct absolute *o)
{
  p->driven = o->plain;
  p->driven_rows = forces_rows(p->model);
  o->rows = o->plain + p->driven_rows;
  for (int i = 0; i < p->driven_rows; i++) {
    struct absolute_joint *joint = &o->joint[o->joints++];
    *joint = (struct absolute_joint){.first = p->driven + i, .count = 1};
    forces_row_owner(p->model, i, joint->body);
  }
}

static void set_start(struct problem *p, const ali3_body_state *state)
{
  for (int b = 0; b < p->bodies; b++) {
    double *q = p->q + ABSOLUTE_BODY * b, *qd = p->qd + ABSOLUTE_BODY * b;
    memcpy(q, state[b].position, sizeof state[b].position);
    memcpy(q + 3, state[b].orientation, sizeof state[b].orientation);
    memcpy(qd, state[b].velocity, sizeof state[b].velocity);
    p_from_rotation(qd + 3, q + 3, 1, state[b].angular_velocity, 0);
  }
}

bool absolute_make(struct problem *p, const ali3_data *d, struct lab_refusal *why)
{
  const ali3_model *m = p->model;
  if (!forces_check_bodies(m, why)) return false;
  /* Memory, all or none. */
  struct absolute *o = p->own = calloc(1, sizeof *o);
  ali3_body_state *state = calloc((size_t)p->bodies, sizeof *state);
  if (o) {
    o->row = calloc((size_t)(ABSOLUTE_JOINT * m->joints + 1), sizeof *o->row);
    o->joint = calloc((size_t)(m->joints + forces_rows(m)) + 1, sizeof *o->joint);
  }
  if (o)
    o->joint_of_row =
        calloc((size_t)(ABSOLUTE_JOINT * m->joints + forces_rows(m)) + 1, sizeof *o->joint_of_row);
  p->n = ABSOLUTE_BODY * p->bodies;
  p->q = calloc((size_t)p->n, sizeof *p->q);
  p->qd = calloc((size_t)p->n, sizeof *p->qd);
  const bool good = o && state && o->row && o->joint && o->joint_of_row && p->q && p->qd;
  /* Rows of all joints in the poses at the start. */
  if (good) {
    ali3_model_gravity(m, o->gravity);
    for (int b = 0; b < p->bodies; b++) ali3_body_get(m, d, b, &state[b]);
    for (o->joints = 0; o->joints < m->joints; o->joints++) {
      struct row_maker k = {.o = o, .joint = &m->joint[o->joints], .state = state};
      struct absolute_joint *joint = &o->joint[o->joints];
      *joint = (struct absolute_joint){.body = {k.joint->body[0], k.joint->body[1], ALI3_GROUND, ALI3_GROUND},
                                       .first = o->plain};
      add_rows_of_joint(&k);
      joint->count = o->plain - joint->first;
    }
    add_driven_rows(p, o);
    for (int j = 0; j < o->joints; j++)
      for (int i = 0; i < o->joint[j].count; i++) o->joint_of_row[o->joint[j].first + i] = j;
    /* One row more for each body: p'p = 1. */
    p->m = o->rows + p->bodies;
    p->loaded = forces_load(m);
    set_start(p, state);
  }
  free(state);
  return good || problem_refuse(why, "model", -1, "out of memory");
}

void absolute_release(struct problem *p)
{
  struct absolute *o = p->own;
  if (!o) return;
  free(o->row);
  free(o->joint);
  free(o->joint_of_row);
  free(o);
}
