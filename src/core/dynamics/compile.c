/* SPDX-License-Identifier: MIT
 * Set-up: from a joint of the model to its primitives. */
#include "dynamics/compile.h"
#include "math/euler.h"

#include <ali3/model.h>
#include <string.h>

void rows_add(struct joint_rows *j, enum primitive_kind kind, const double *u, const double *v)
{
  struct primitive *p = &j->primitive[j->primitives++];
  p->kind = kind;
  if (u) v3_copy(p->u, u);
  if (v) v3_copy(p->v, v);
  j->count += primitive_count(kind);
}

/* Orientation of b in a: the given one, or that of the initial poses. */
static void relative_rotation(const struct joint *joint, const struct joint_view *v, double R[9])
{
  double q[4] = {0};
  if (p_dot(joint->spec.relative_orientation, joint->spec.relative_orientation) > 0.0) {
    memcpy(q, joint->spec.relative_orientation, sizeof q);
  } else {
    const double *pa = v->x[0]->p;
    double conjugate[4] = {pa[0], -pa[1], -pa[2], -pa[3]};
    p_mul(q, conjugate, v->x[1]->p);
  }
  p_rotation(R, q);
}

/* Three rows that hold the relative orientation. e_i are the axes of a, and f_i are these axes in b at the wanted orientation:
 * e1.f2 = e2.f3 = e3.f1 = 0. The rows are independent near the solution. */
static void add_orientation(struct joint_rows *j, const struct joint *joint, const struct joint_view *v)
{
  double R[9];
  relative_rotation(joint, v, R);
  for (int i = 0; i < 3; i++) {
    double e[3] = {i == 0, i == 1, i == 2};
    rows_add(j, ROW_DOT, e, R + 3 * ((i + 1) % 3)); /* R' e_k is row k of R */
  }
}

/* Angle 0, before `zero` is added: the initial configuration. */
static void set_angle(struct coordinate *c, const struct joint *joint, const struct joint_view *v)
{
  double world[3], seen[3], *u0 = c->angle + ANGLE_U0, *v0 = c->angle + ANGLE_V0;
  c->kind = COORDINATE_ANGLE;
  c->zero = joint->spec.position;
  v3_copy(c->axis, joint->axis[0]);
  v3_perpendicular(c->axis, u0, c->angle + ANGLE_U1);
  m3_mul(world, v->f[0]->R, u0);
  m3_tmul(seen, v->f[1]->R, world);
  v3_axpy(seen, -v3_dot(seen, joint->axis[1]), joint->axis[1]);
  double norm = sqrt(v3_dot(seen, seen));
  if (norm > 1e-6)
    for (int i = 0; i < 3; i++) v0[i] = seen[i] / norm;
  else /* the axes are a right angle apart: far from assembled, any reference serves */
    v3_perpendicular(joint->axis[1], v0, seen);
}

/* The distance along the axis, with `position` in the initial configuration. */
static void set_slide(struct coordinate *c, const struct joint *joint, const struct joint_view *v)
{
  c->kind = COORDINATE_SLIDE;
  v3_copy(c->axis, joint->axis[0]);
  memcpy(c->point, joint->point, sizeof c->point);
  c->zero = joint->spec.position -
            coordinate_value(c, &(struct body_pair){{v->x[0], v->x[1]}, {v->f[0], v->f[1]}}, 0.0);
}

void rows_start_at(const ali3_model *m, const int body[2], const double (*point)[3], struct rows_start *s)
{
  for (int side = 0; side < 2; side++) {
    s->x[side] = body_ground;
    s->f[side] = body_ground_frame;
    if (body[side] != ALI3_GROUND) {
      v3_copy(s->x[side].r, m->body[body[side]].spec.position);
      memcpy(s->x[side].p, m->body[body[side]].spec.orientation, sizeof s->x[side].p);
      body_frame_update(&s->f[side], &s->x[side]);
    }
  }
  point_separation(&(struct body_pair){.x = {&s->x[0], &s->x[1]}, .f = {&s->f[0], &s->f[1]}}, point, s->d);
}

void rows_drop(struct joint_rows *j, unsigned dropped)
{
  const struct joint_rows all = *j;
  unsigned direction = ALI3_DROP_FIRST;
  j->primitives = j->count = 0;
  for (int k = 0; k < all.primitives; k++) {
    const struct primitive *p = &all.primitive[k];
    const bool along = p->kind == ROW_COINCIDE && (dropped & ALI3_DROP_ALONG);
    bool out = along;
    if (p->kind == ROW_DOT) {
      out = dropped & direction;
      direction *= 2;
    }
    if (!out) rows_add(j, p->kind, p->u, p->v);
    if (!along) continue;
    /* the point stays on the axis */
    double u[3], v[3];
    v3_perpendicular(j->coordinate[0].axis, u, v);
    rows_add(j, ROW_IN_PLANE, u, NULL);
    rows_add(j, ROW_IN_PLANE, v, NULL);
  }
}

int rows_compile(ali3_model *m, int index, struct joint_rows *j)
{
  const struct joint *joint = &m->joint[index];
  struct rows_start start;
  double u[3] = {0}, v[3] = {0}; /* unused where the type has no axis */

  /* Two bodies, their points, and the initial configuration. */
  *j = (struct joint_rows){.sides = 2,
                           .body = {joint->body[0], joint->body[1]},
                           .length = joint->spec.length,
                           .joint = {index, -1},
                           .side = {{0, 1}},
                           .drive = -1,
                           .rolling = -1,
                           .own = -1};
  memcpy(j->point, joint->point, sizeof j->point);
  rows_start_at(m, joint->body, joint->point, &start);
  const struct joint_view view = {.x = {&start.x[0], &start.x[1]}, .f = {&start.f[0], &start.f[1]}};
  const double *axis_a = joint->axis[0], *axis_b = joint->axis[1];
  if (ali3_joint_type_has_axis_a(joint->spec.type)) v3_perpendicular(axis_a, u, v);

  /* The rows of each type: number, order and kind define the joint. */
  switch (joint->spec.type) {
  case ALI3_JOINT_FIXED:
    rows_add(j, ROW_COINCIDE, NULL, NULL);
    add_orientation(j, joint, &view);
    break;
  case ALI3_JOINT_REVOLUTE:
    rows_add(j, ROW_COINCIDE, NULL, NULL);
    rows_add(j, ROW_DOT, u, axis_b);
    rows_add(j, ROW_DOT, v, axis_b);
    set_angle(&j->coordinate[0], joint, &view);
    break;
  case ALI3_JOINT_PRISMATIC:
    rows_add(j, ROW_IN_PLANE, u, NULL);
    rows_add(j, ROW_IN_PLANE, v, NULL);
    add_orientation(j, joint, &view);
    set_slide(&j->coordinate[0], joint, &view);
    break;
  case ALI3_JOINT_CYLINDRICAL:
    rows_add(j, ROW_IN_PLANE, u, NULL);
    rows_add(j, ROW_IN_PLANE, v, NULL);
    rows_add(j, ROW_DOT, u, axis_b);
    rows_add(j, ROW_DOT, v, axis_b);
    break;
  case ALI3_JOINT_UNIVERSAL:
    rows_add(j, ROW_COINCIDE, NULL, NULL);
    rows_add(j, ROW_DOT, axis_a, axis_b);
    break;
  case ALI3_JOINT_SPHERICAL:
    rows_add(j, ROW_COINCIDE, NULL, NULL);
    break;
  case ALI3_JOINT_PLANAR:
    rows_add(j, ROW_IN_PLANE, axis_a, NULL);
    rows_add(j, ROW_DOT, u, axis_b);
    rows_add(j, ROW_DOT, v, axis_b);
    break;
  case ALI3_JOINT_POINT_ON_LINE:
    rows_add(j, ROW_IN_PLANE, u, NULL);
    rows_add(j, ROW_IN_PLANE, v, NULL);
    break;
  case ALI3_JOINT_POINT_IN_PLANE:
    rows_add(j, ROW_IN_PLANE, axis_a, NULL);
    break;
  case ALI3_JOINT_DISTANCE:
    /* A length of 0 in the model means the initial distance. */
    if (j->length == 0.0) j->length = sqrt(v3_dot(start.d, start.d));
    if (!(j->length > 1e-9))
      return model_refuse(m, ALI3_E_MODEL, "joint", "length",
                          "joint '%.60s': the two points coincide at the start; expected a length above 0 m",
                          joint->name);
    rows_add(j, ROW_DISTANCE, NULL, NULL);
    break;
  default:
    return model_refuse(m, ALI3_E_MODEL, "joint", "type", "joint '%.60s': unknown type", joint->name);
  }
  /* A coordinate, where the type has one, uses the joint's points. */
  memcpy(j->coordinate[0].point, joint->point, sizeof joint->point);
  j->coordinates = j->coordinate[0].kind != COORDINATE_NONE;
  rows_drop(j, joint->spec.dropped);
  return ALI3_OK;
}
