/* SPDX-License-Identifier: MIT
 * Set-up: from a force of the model to its primitives and laws. */
#include "actuators/cylinder.h"
#include "actuators/tyre.h"
#include "actuators/winding.h"
#include "dynamics/compile.h"

#include <ali3/model.h>
#include <math.h>
#include <string.h>

/* Rows along and about the axes of a that have stiffness or damping. The rotation is that since the start. */
static void compile_bushing(struct joint_rows *j, const ali3_force_spec *spec, const struct rows_start *start)
{
  static const double E[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const double *a = start->x[0].p, back[4] = {a[0], -a[1], -a[2], -a[3]};
  double q[4];
  p_mul(q, back, start->x[1].p);
  const double k = copysign(1.0 / sqrt(p_dot(q, q)), q[0]);
  for (int i = 0; i < 4; i++) q[i] *= k;
  for (int i = 0; i < 6; i++) {
    if (spec->stiffness[i] == 0.0 && spec->damping[i] == 0.0) continue;
    j->law[j->count] = (struct law){.stiffness = spec->stiffness[i], .damping = spec->damping[i]};
    if (i < 3) {
      rows_add(j, ROW_IN_PLANE, E[i], NULL);
    } else {
      rows_add(j, ROW_ROTATION, E[i - 3], q + 1);
    }
  }
}

/* Index of the side of body `b`, which is added if it is missing. The ground is a side, too. */
static int side_of_joint(struct joint_rows *j, int b)
{
  int side = 0;
  while (side < j->sides && j->body[side] != b) side++;
  if (side == j->sides) j->body[j->sides++] = b;
  return side;
}

/* One row on the coordinates of one or two joints. Returns the value of their sum at the start. */
static double on_joints(const ali3_model *m, const struct joint_rows *joint, const ali3_force_spec *spec,
                        struct joint_rows *j)
{
  double sum = 0.0;
  /* A gear couples two joints, everything else acts on one. */
  const int of[2] = {spec->joint, spec->joint_b};
  j->coordinates = spec->type == ALI3_FORCE_GEAR ? 2 : 1;
  j->ratio[0] = 1.0;
  j->ratio[1] = -spec->ratio;
  memcpy(j->point, joint[spec->joint].point, sizeof j->point);
  /* Copy each coordinate with its bodies, and add up the weighted sum at the start. */
  for (int k = 0; k < j->coordinates; k++) {
    const struct joint_rows *own = &joint[of[k]];
    struct rows_start start;
    j->joint[k] = of[k];
    j->coordinate[k] = own->coordinate[0];
    for (int s = 0; s < 2; s++) j->side[k][s] = side_of_joint(j, own->body[s]);
    rows_start_at(m, own->body, own->point, &start);
    sum += j->ratio[k] * coordinate_value(&own->coordinate[0],
                                          &(struct body_pair){.x = {&start.x[0], &start.x[1]},
                                                              .f = {&start.f[0], &start.f[1]}},
                                          own->coordinate[0].zero);
  }
  rows_add(j, ROW_COORDINATE, NULL, NULL);
  return sum;
}

static void compile_tyre(struct joint_rows *j, const ali3_force_spec *spec)
{
  double axle[3], norm = sqrt(v3_dot(spec->axle, spec->axle));
  for (int i = 0; i < 3; i++) axle[i] = spec->axle[i] / norm;
  if (!isnan(spec->rolling_radius)) j->radius[1] = spec->rolling_radius;
  rows_add(j, ROW_ROLL, NULL, axle);
  for (int i = 0; i < 2; i++)
    j->law[1 + i] = (struct law){.kind = LAW_TYRE, .actuator = spec, .direction = i};
}

static void compile_contact(struct joint_rows *j, const ali3_force_spec *spec)
{
  bool plane = spec->type != ALI3_FORCE_SPHERE_SPHERE;
  double n[3], norm = sqrt(v3_dot(spec->normal, spec->normal));
  for (int i = 0; i < 3; i++) n[i] = spec->normal[i] / norm;
  /* the gap */
  j->radius[0] = plane ? 0.0 : spec->radius_a;
  j->radius[1] = spec->radius_b;
  j->length = j->radius[0] + j->radius[1];
  rows_add(j, plane ? ROW_GAP : ROW_LENGTH, plane ? n : NULL, NULL);
  j->law[0].lower = 0.0;
  j->law[0].upper = INFINITY;
  /* sliding */
  if (spec->type == ALI3_FORCE_TYRE) compile_tyre(j, spec);
  if (spec->type == ALI3_FORCE_TYRE || spec->friction == 0.0) return;
  double t[2][3] = {{0}};
  if (plane) v3_perpendicular(n, t[0], t[1]);
  rows_add(j, ROW_SLIP, t[0], t[1]);
  for (int i = 1; i < 3; i++)
    j->law[i] = (struct law){.kind = LAW_SLIP, .friction = spec->friction, .slip = spec->slip};
}

static enum law_kind law_of(const ali3_force_spec *spec)
{
  switch (spec->type) { /* other types are springs */
  case ALI3_FORCE_CABLE:
  case ALI3_FORCE_END_STOP:
  case ALI3_FORCE_STOP:
  case ALI3_FORCE_SPHERE_PLANE:
  case ALI3_FORCE_SPHERE_SPHERE:
  case ALI3_FORCE_TYRE:
    return LAW_LIMITS;
  case ALI3_FORCE_FRICTION:
  case ALI3_FORCE_BRAKE:
    return LAW_FRICTION;
  case ALI3_FORCE_MOTOR:
    return LAW_VALUE;
  case ALI3_FORCE_CYLINDER:
    return LAW_CYLINDER;
  case ALI3_FORCE_WINDING:
    return LAW_WINDING;
  default:
    return spec->force_table.n || spec->damping_table.n ? LAW_TABLE : LAW_LINEAR;
  }
}

void rows_compile_force(const ali3_model *m, int index, const struct joint_rows *joint, struct joint_rows *j,
                        double *at_start)
{
  const ali3_force_spec *spec = &m->force[index].spec;
  struct rows_start start;
  *j = (struct joint_rows){.joint = {-1, -1}, .soft = true};
  /* The law. */
  j->law[0] = (struct law){.kind = law_of(spec),
                           .stiffness = spec->stiffness[0],
                           .damping = spec->damping[0],
                           .lower = spec->lower,
                           .upper = spec->upper,
                           .friction = spec->friction,
                           .slip = spec->slip,
                           .force = &spec->force_table,
                           .damping_table = &spec->damping_table,
                           .user = &m->force[index].law};
  if (m->force[index].law.force) j->law[0].kind = LAW_USER;
  j->law[0].actuator = spec;
  if (spec->type == ALI3_FORCE_BRAKE) {
    j->law[0].friction = 1.0;
    j->law[0].damping = 0.0;
    j->law[0].asked = true;
  }
  if (spec->type == ALI3_FORCE_CYLINDER) j->law[0].stiffness = cylinder_stiffest(spec);
  *at_start = 0.0;
  /* On a joint: one row of its coordinate. A drive and a gear are rigid. */
  if (ali3_force_type_on_joint(spec->type)) {
    *at_start = on_joints(m, joint, spec, j);
    j->soft = spec->type != ALI3_FORCE_DRIVE && spec->type != ALI3_FORCE_GEAR;
    if (spec->type == ALI3_FORCE_JOINT_SPRING) j->length = isnan(spec->rest) ? *at_start : spec->rest;
    if (spec->type == ALI3_FORCE_GEAR) j->length = *at_start;
    return;
  }
  /* Between two points of two bodies. */
  j->sides = 2;
  j->body[0] = spec->body_a;
  j->body[1] = spec->body_b;
  v3_copy(j->point[0], spec->point_a);
  v3_copy(j->point[1], spec->point_b);
  rows_start_at(m, j->body, j->point, &start);
  if (spec->type == ALI3_FORCE_BUSHING) {
    compile_bushing(j, spec, &start);
    return;
  }
  if (ali3_force_type_is_contact(spec->type)) {
    compile_contact(j, spec);
    return;
  }
  /* Along the line between the points. Without a rest length, the initial distance is used. */
  rows_add(j, ROW_LENGTH, NULL, NULL);
  *at_start = sqrt(v3_dot(start.d, start.d));
  if (spec->type == ALI3_FORCE_CYLINDER) return; /* its coordinate is the distance itself */
  if (spec->type != ALI3_FORCE_END_STOP) j->length = isnan(spec->rest) ? *at_start : spec->rest;
  if (spec->type == ALI3_FORCE_CABLE) {
    j->law[0].lower = -INFINITY;
    j->law[0].upper = 0.0;
  }
}

int rows_states(const struct joint_rows *j)
{
  const enum law_kind first = j->law[0].kind;
  if (first == LAW_CYLINDER) return CYLINDER_STATES;
  if (first == LAW_WINDING) return WINDING_STATES;
  return j->soft && j->count > 1 && j->law[1].kind == LAW_TYRE ? TYRE_STATES : 0;
}

void rows_add_sway(struct joint_rows *j, double stiffness)
{
  rows_add(j, ROW_COINCIDE, NULL, NULL);
  for (int k = 1; k < j->count; k++) j->law[k] = (struct law){.kind = LAW_SWAY, .stiffness = stiffness};
}
