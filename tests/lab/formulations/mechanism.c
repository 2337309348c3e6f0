/* SPDX-License-Identifier: MIT */
#include "formulations/mechanism.h"

#include "math/euler.h"

#include "check.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <string.h>

struct mechanism mechanism_new(void)
{
  struct mechanism o = {.m = ali3_model_new()};
  const double gravity[3] = {0, -9.81, 0};
  assert_int_equal(ali3_model_set_gravity(o.m, gravity), ALI3_OK);
  return o;
}

void mechanism_free(struct mechanism *o)
{
  ali3_data_free(o->d);
  ali3_model_free(o->m);
}

int mechanism_rod(struct mechanism *o, const char *name, double x0, double y0, double x1, double y1)
{
  const double half = 0.5 * atan2(y1 - y0, x1 - x0);
  const ali3_body_spec spec = {.name = name,
                               .mass = 1,
                               .inertia = {0.25, 0, 0, 0, 0.25, 0, 0, 0, 0.25},
                               .position = {0.5 * (x0 + x1), 0.5 * (y0 + y1), 0},
                               .orientation = {cos(half), 0, 0, sin(half)}};
  const int body = ali3_model_add_body(o->m, &spec);
  assert_in_range(body, 0, MECHANISM_BODIES - 1);
  o->pose[body] = (struct mechanism_pose){spec.position[0], spec.position[1], 2 * half};
  return body;
}

/* A place of the world in the frame of a body, which lies in the plane. */
static void place_in_body(const struct mechanism *o, int body, double x, double y, double point[3])
{
  memcpy(point, (double[3]){x, y, 0}, 3 * sizeof *point);
  if (body == ALI3_GROUND) return;
  const struct mechanism_pose *pose = &o->pose[body];
  const double d[2] = {x - pose->x, y - pose->y}, c = cos(pose->angle), s = sin(pose->angle);
  point[0] = c * d[0] + s * d[1];
  point[1] = -s * d[0] + c * d[1];
}

static ali3_joint_spec joint_at(const struct mechanism *o, const char *name, int a, int b, double x, double y)
{
  ali3_joint_spec spec = {.name = name, .body_a = a, .body_b = b, .axis_a = {0, 0, 1}, .axis_b = {0, 0, 1}};
  spec.type = ALI3_JOINT_REVOLUTE;
  place_in_body(o, a, x, y, spec.point_a);
  place_in_body(o, b, x, y, spec.point_b);
  return spec;
}

void mechanism_pin(struct mechanism *o, const char *name, int a, int b, double x, double y)
{
  const ali3_joint_spec spec = joint_at(o, name, a, b, x, y);
  assert_true(ali3_model_add_joint(o->m, &spec) >= 0);
}

void mechanism_slide(struct mechanism *o, const char *name, int a, int b, double x, double y, double angle)
{
  ali3_joint_spec spec = joint_at(o, name, a, b, x, y);
  const double turn = a == ALI3_GROUND ? angle : angle - o->pose[a].angle;
  spec.type = ALI3_JOINT_POINT_ON_LINE;
  memcpy(spec.axis_a, (double[3]){cos(turn), sin(turn), 0}, sizeof spec.axis_a);
  assert_true(ali3_model_add_joint(o->m, &spec) >= 0);
}

void mechanism_ready(struct mechanism *o)
{
  ali3_options options = ali3_options_default();
  options.assembly_velocity = INFINITY; /* given velocities need not suit the joints */
  assert_int_equal(ali3_model_freeze(o->m, &options), ALI3_OK);
  o->d = ali3_data_new(o->m);
  assert_true(ali3_reset(o->m, o->d) >= 0); /* also where it had to move something */
}

struct mechanism mechanism_slider(double angle)
{
  struct mechanism o = mechanism_new();
  const int crank = mechanism_rod(&o, "crank", 0, 0, 0.6, 0.8),
            rod = mechanism_rod(&o, "rod", 0.6, 0.8, 1.5, 0.2);
  mechanism_pin(&o, "J1", ALI3_GROUND, crank, 0, 0);
  mechanism_pin(&o, "J2", crank, rod, 0.6, 0.8);
  mechanism_slide(&o, "guide", ALI3_GROUND, rod, 1.5, 0.2, angle);
  mechanism_ready(&o);
  return o;
}

struct mechanism mechanism_chain(int rods, bool closed)
{
  struct mechanism o = mechanism_new();
  double x = 0, y = 0;
  int last = ALI3_GROUND;
  for (int i = 0; i < rods; i++) {
    char name[2][16];
    snprintf(name[0], sizeof name[0], "B%d", i);
    snprintf(name[1], sizeof name[1], "J%d", i);
    const double angle = 0.4 * sin(1 + 1.7 * i) - 0.3 * i,
                 to[2] = {x + 0.5 * cos(angle), y + 0.5 * sin(angle)};
    const int body = mechanism_rod(&o, name[0], x, y, to[0], to[1]);
    mechanism_pin(&o, name[1], last, body, x, y);
    last = body;
    x = to[0];
    y = to[1];
  }
  if (closed) mechanism_pin(&o, "end", ALI3_GROUND, last, x, y);
  mechanism_ready(&o);
  return o;
}

struct mechanism mechanism_with_loop(void)
{
  struct mechanism o = mechanism_new();
  const int crank = mechanism_rod(&o, "crank", 0, 0, 0, 1),
            coupler = mechanism_rod(&o, "coupler", 0, 1, 2, 1.2),
            rocker = mechanism_rod(&o, "rocker", 2, 1.2, 2.2, 0);
  const int left = mechanism_rod(&o, "left", 0, 1, 0.4, 2), top = mechanism_rod(&o, "top", 0.4, 2, 1.5, 2.1),
            right = mechanism_rod(&o, "right", 1.5, 2.1, 2, 1.2);
  const int near = mechanism_rod(&o, "near", 0, 0.5, -1, 0.5),
            far = mechanism_rod(&o, "far", -1, 0.5, -2, 0.7);
  mechanism_pin(&o, "J1", ALI3_GROUND, crank, 0, 0);
  mechanism_pin(&o, "J2", crank, coupler, 0, 1);
  mechanism_pin(&o, "J3", coupler, rocker, 2, 1.2);
  mechanism_pin(&o, "J4", ALI3_GROUND, rocker, 2.2, 0);
  mechanism_pin(&o, "J5", coupler, left, 0, 1);
  mechanism_pin(&o, "J6", left, top, 0.4, 2);
  mechanism_pin(&o, "J7", top, right, 1.5, 2.1);
  mechanism_pin(&o, "J8", coupler, right, 2, 1.2);
  mechanism_pin(&o, "J9", crank, near, 0, 0.5);
  mechanism_pin(&o, "J10", near, far, -1, 0.5);
  mechanism_ready(&o);
  return o;
}

struct mechanism mechanism_pair(ali3_joint_type type)
{
  struct mechanism o = mechanism_new();
  const ali3_body_spec spec[2] = {{.name = "A",
                                   .mass = 2,
                                   .inertia = {0.3, 0.02, 0, 0.02, 0.2, 0.01, 0, 0.01, 0.4},
                                   .position = {0.5, 0.1, 0.2},
                                   .orientation = {0.8, 0.2, 0.4, 0.4},
                                   .velocity = {0.3, -0.2, 0.1},
                                   .angular_velocity = {0.7, -0.4, 0.3}},
                                  {.name = "B",
                                   .mass = 1,
                                   .inertia = {0.1, 0, 0, 0, 0.3, 0, 0, 0, 0.2},
                                   .position = {1.2, 0.4, 0.1},
                                   .orientation = {0.6, 0, 0.8, 0},
                                   .velocity = {0.1, 0.2, -0.3},
                                   .angular_velocity = {0.2, 0.5, -0.6}}};
  ali3_joint_spec hold = {.name = "hold",
                          .type = ALI3_JOINT_SPHERICAL,
                          .body_a = ALI3_GROUND,
                          .body_b = 0,
                          .point_b = {-0.4, 0.1, 0}};
  ali3_joint_spec joint = {.name = "joint", .type = type, .body_a = 0, .body_b = 1, .axis_a = {0.6, 0, 0.8}};
  double R[2][9], world[3], axis[3], arm[3];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ali3_model_add_body(o.m, &spec[i]), i);
    p_rotation(R[i], spec[i].orientation);
  }
  m3_mul(hold.point_a, R[0], hold.point_b);
  v3_axpy(hold.point_a, 1, spec[0].position);
  /* The point of b: where that of a is, for a distance somewhere else. The axis of b: that of a, for a universal joint across. */
  v3_copy(joint.point_a, (const double[3]){0.3, 0.1, -0.1});
  m3_mul(world, R[0], joint.point_a);
  v3_axpy(world, 1, spec[0].position);
  if (type == ALI3_JOINT_DISTANCE) world[1] += 0.5;
  v3_sub(arm, world, spec[1].position);
  m3_tmul(joint.point_b, R[1], arm);
  m3_mul(axis, R[0], joint.axis_a);
  if (type == ALI3_JOINT_UNIVERSAL) m3_mul(axis, R[0], (const double[3]){0.8, 0, -0.6});
  m3_tmul(joint.axis_b, R[1], axis);

  assert_true(ali3_model_add_joint(o.m, &hold) >= 0);
  assert_true(ali3_model_add_joint(o.m, &joint) >= 0);
  mechanism_ready(&o);
  return o;
}

double mechanism_random(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}
