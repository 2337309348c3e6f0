/* SPDX-License-Identifier: MIT
 * Set-up: from a joint of the model to its primitives. */
#include "dynamics/rows.h"
#include "math/euler.h"

#include <string.h>

/* Two unit vectors that make a right-handed frame with the unit vector a. */
static void perpendicular(const double a[3], double u[3], double v[3])
{
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(a[i]) < fabs(a[k])) k = i;
  double e[3] = {k == 0, k == 1, k == 2};
  v3_cross(u, a, e);
  double norm = sqrt(v3_dot(u, u));
  for (int i = 0; i < 3; i++) u[i] /= norm;
  v3_cross(v, a, u);
}

static void add(struct joint_rows *j, enum primitive_kind kind, const double *u, const double *v)
{
  struct primitive *p = &j->primitive[j->primitives++];
  p->kind = kind;
  if (u) v3_copy(p->u, u);
  if (v) v3_copy(p->v, v);
  j->count += kind == ROW_COINCIDE ? 3 : 1;
}

/* Orientation of b in a at the start, or as given. */
static void relative_rotation(const struct joint *joint, const struct joint_view *v, double R[9])
{
  double q[4] = {0};
  if (p_dot(joint->relative, joint->relative) > 0.0) {
    memcpy(q, joint->relative, sizeof q);
  } else {
    const double *pa = v->x[0]->p;
    double conjugate[4] = {pa[0], -pa[1], -pa[2], -pa[3]};
    p_mul(q, conjugate, v->x[1]->p);
  }
  p_rotation(R, q);
}

/* Three rows that hold the relative orientation: with e_i the axes of a and f_i the same axes seen from b at
 * the wanted orientation, e1.f2 = e2.f3 = e3.f1 = 0. The rows are independent around the solution. */
static void add_orientation(struct joint_rows *j, const struct joint *joint, const struct joint_view *v)
{
  double R[9];
  relative_rotation(joint, v, R);
  for (int i = 0; i < 3; i++) {
    double e[3] = {i == 0, i == 1, i == 2};
    add(j, ROW_DOT, e, R + 3 * ((i + 1) % 3)); /* R' e_k is row k of R */
  }
}

/* Zero of the angle: the initial configuration. */
static void set_angle(struct joint_rows *j, const struct joint *joint, const struct joint_view *v)
{
  double world[3], seen[3];
  j->coordinate = COORDINATE_ANGLE;
  v3_copy(j->axis, joint->axis[0]);
  perpendicular(j->axis, j->u0, j->u1);
  m3_mul(world, v->f[0]->R, j->u0);
  m3_tmul(seen, v->f[1]->R, world);
  v3_axpy(seen, -v3_dot(seen, joint->axis[1]), joint->axis[1]);
  double norm = sqrt(v3_dot(seen, seen));
  if (norm > 1e-6)
    for (int i = 0; i < 3; i++) j->v0[i] = seen[i] / norm;
  else /* the axes are a right angle apart: far from assembled, any reference serves */
    perpendicular(joint->axis[1], j->v0, seen);
}

/* Where a link stands at the start: its bodies, and d = P_b - P_a. */
struct start {
  struct body_state x[2];
  struct body_frame f[2];
  double d[3];
};

static void place(const ali3_model *m, const struct joint_rows *j, struct start *s)
{
  double P[2][3];
  for (int side = 0; side < 2; side++) {
    s->x[side] = body_ground;
    s->f[side] = body_ground_frame;
    if (j->body[side] != ALI3_GROUND) {
      v3_copy(s->x[side].r, m->body[j->body[side]].position);
      memcpy(s->x[side].p, m->body[j->body[side]].orientation, sizeof s->x[side].p);
      body_frame_update(&s->f[side], &s->x[side]);
    }
    m3_mul(P[side], s->f[side].R, j->point[side]);
    v3_axpy(P[side], 1.0, s->x[side].r);
  }
  v3_sub(s->d, P[1], P[0]);
}

/* Along and about the axes of a, where there is something to give way against. Small rotations: with f_i the
 * axes of a seen from b at the start, e1.f2, e2.f3, e3.f1 are minus the rotations about axes 3, 1, 2. */
static void compile_bushing(struct joint_rows *j, const ali3_force_spec *spec, const struct start *start)
{
  static const double E[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 6; i++) {
    if (spec->stiffness[i] == 0.0 && spec->damping[i] == 0.0) continue;
    j->law[j->count] = (struct law){spec->stiffness[i], spec->damping[i]};
    if (i < 3) {
      add(j, ROW_IN_PLANE, E[i], NULL);
    } else {
      double world[3], seen[3];
      m3_mul(world, start->f[0].R, E[(i + 2) % 3]); /* f_2 for axis 3 pairs with e_1, and so on round */
      m3_tmul(seen, start->f[1].R, world);
      add(j, ROW_DOT, E[(i + 1) % 3], seen);
    }
  }
}

void rows_compile_force(const ali3_model *m, int index, const struct joint_rows *joint, struct joint_rows *j)
{
  const ali3_force_spec *spec = &m->force[index].spec;
  bool on_joint = spec->type == ALI3_FORCE_JOINT_SPRING;
  struct start start;
  if (on_joint) {
    *j = *joint;
    j->primitives = j->count = 0;
    j->joint = spec->joint;
  } else {
    *j = (struct joint_rows){.body = {spec->body_a, spec->body_b}, .joint = -1};
    v3_copy(j->point[0], spec->point_a);
    v3_copy(j->point[1], spec->point_b);
  }
  j->soft = true;
  place(m, j, &start);
  if (spec->type == ALI3_FORCE_BUSHING) {
    compile_bushing(j, spec, &start);
    return;
  }
  double at_start;
  if (!on_joint) {
    add(j, ROW_LENGTH, NULL, NULL);
    at_start = sqrt(v3_dot(start.d, start.d));
  } else if (j->coordinate == COORDINATE_ANGLE) {
    add(j, ROW_ANGLE, j->axis, NULL);
    at_start = 0.0;
  } else {
    double axis[3];
    m3_mul(axis, start.f[0].R, j->axis);
    add(j, ROW_SLIDE, j->axis, NULL);
    at_start = v3_dot(axis, start.d);
  }
  j->length = isnan(spec->rest) ? at_start : spec->rest;
  j->law[0] = (struct law){spec->stiffness[0], spec->damping[0]};
}

int rows_compile(ali3_model *m, int index, struct joint_rows *j)
{
  const struct joint *joint = &m->joint[index];
  struct start start;
  double u[3] = {0}, v[3] = {0}; /* unused where the type has no axis */

  *j = (struct joint_rows){.body = {joint->body[0], joint->body[1]}, .length = joint->length, .joint = -1};
  memcpy(j->point, joint->point, sizeof j->point);
  place(m, j, &start);
  const struct joint_view view = {.x = {&start.x[0], &start.x[1]}, .f = {&start.f[0], &start.f[1]}};
  const double *axis_a = joint->axis[0], *axis_b = joint->axis[1];
  if (ali3_joint_type_has_axis_a(joint->type)) perpendicular(axis_a, u, v);

  switch (joint->type) {
  case ALI3_JOINT_FIXED:
    add(j, ROW_COINCIDE, NULL, NULL);
    add_orientation(j, joint, &view);
    break;
  case ALI3_JOINT_REVOLUTE:
    add(j, ROW_COINCIDE, NULL, NULL);
    add(j, ROW_DOT, u, axis_b);
    add(j, ROW_DOT, v, axis_b);
    set_angle(j, joint, &view);
    break;
  case ALI3_JOINT_PRISMATIC:
    add(j, ROW_IN_PLANE, u, NULL);
    add(j, ROW_IN_PLANE, v, NULL);
    add_orientation(j, joint, &view);
    j->coordinate = COORDINATE_SLIDE;
    v3_copy(j->axis, axis_a);
    break;
  case ALI3_JOINT_CYLINDRICAL:
    add(j, ROW_IN_PLANE, u, NULL);
    add(j, ROW_IN_PLANE, v, NULL);
    add(j, ROW_DOT, u, axis_b);
    add(j, ROW_DOT, v, axis_b);
    break;
  case ALI3_JOINT_UNIVERSAL:
    add(j, ROW_COINCIDE, NULL, NULL);
    add(j, ROW_DOT, axis_a, axis_b);
    break;
  case ALI3_JOINT_SPHERICAL:
    add(j, ROW_COINCIDE, NULL, NULL);
    break;
  case ALI3_JOINT_PLANAR:
    add(j, ROW_IN_PLANE, axis_a, NULL);
    add(j, ROW_DOT, u, axis_b);
    add(j, ROW_DOT, v, axis_b);
    break;
  case ALI3_JOINT_POINT_ON_LINE:
    add(j, ROW_IN_PLANE, u, NULL);
    add(j, ROW_IN_PLANE, v, NULL);
    break;
  case ALI3_JOINT_POINT_IN_PLANE:
    add(j, ROW_IN_PLANE, axis_a, NULL);
    break;
  case ALI3_JOINT_DISTANCE:
    if (j->length == 0.0) j->length = sqrt(v3_dot(start.d, start.d));
    if (!(j->length > 1e-9))
      return model_refuse(m, ALI3_E_MODEL, "joint", "length",
                          "joint '%.60s': the two points coincide at the start; expected a length above 0 m",
                          joint->name);
    add(j, ROW_DISTANCE, NULL, NULL);
    break;
  default:
    return model_refuse(m, ALI3_E_MODEL, "joint", "type", "joint '%.60s': unknown type", joint->name);
  }
  return ALI3_OK;
}
