/* SPDX-License-Identifier: MIT
 * The list of forces: each type of force element in a file, compared with the specification in the model. */
#include "scratch.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>

#define MECHANISM                                                                                            \
  "model:\n  bodies:\n"                                                                                      \
  "    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                                      \
  "    - {name: B, mass: 1, inertia: [1, 1, 1], position: [3, 4, 0]}\n"                                      \
  "  joints:\n"                                                                                              \
  "    - {name: slide, type: prismatic, body_a: ground, body_b: B, at: [3, 4, 0], axis: [1, 0, 0]}\n"        \
  "    - {name: pivot, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: [0, 0, 1]}\n"         \
  "  forces:\n"
enum { BODY_A, BODY_B, SLIDE = 0, PIVOT };

#define LINE(text) "    - {name: F, " text "}\n"
#define BODIES     "body_a: A, body_b: B, point_a: [1, 2, 3], point_b: [4, 5, 6], "

/* Fields without a key of the type keep the defaults of the core. */
static ali3_force_spec on_joint(ali3_force_type type, int joint)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.joint = joint;
  return s;
}

static ali3_force_spec on_bodies(ali3_force_type type)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.body_a = BODY_A;
  s.body_b = BODY_B;
  for (int i = 0; i < 3; i++) {
    s.point_a[i] = i + 1;
    s.point_b[i] = i + 4;
  }
  return s;
}

static void assert_tables(const ali3_table *found, const ali3_table *expected)
{
  assert_int_equal(found->n, expected->n);
  if (found->n) assert_memory_equal(found->point, expected->point, (size_t)found->n * sizeof *found->point);
}

#define SAME(field) assert_memory_equal(&found->field, &expected->field, sizeof found->field) /* NaN too */

static void assert_same(const ali3_force_spec *found, const ali3_force_spec *expected)
{
  SAME(type);
  SAME(body_a);
  SAME(body_b);
  SAME(point_a);
  SAME(point_b);
  SAME(joint);
  SAME(stiffness);
  SAME(damping);
  SAME(rest);
  assert_tables(&found->force_table, &expected->force_table);
  assert_tables(&found->damping_table, &expected->damping_table);
  SAME(lower);
  SAME(upper);
  SAME(friction);
  SAME(slip);
  SAME(normal);
  SAME(radius_a);
  SAME(radius_b);
  SAME(joint_b);
  SAME(ratio);
  SAME(offset);
  SAME(speed);
  SAME(amplitude);
  SAME(frequency);
  SAME(phase);
  assert_tables(&found->motion, &expected->motion);
  SAME(external);
  SAME(max_rate);
  SAME(max_acceleration);
}

static void assert_reads(const char *line, const ali3_force_spec *expected)
{
  char text[2000];
  snprintf(text, sizeof text, MECHANISM "%s", line);
  struct settings *s = load_good(text);
  assert_int_equal(ali3_model_forces(s->model), 1);
  assert_string_equal(ali3_model_force_name(s->model, 0), "F");
  assert_same(&s->model->force[0].spec, expected);
  settings_free(s);
}

TEST(springs)
{
  ali3_force_spec s = on_bodies(ALI3_FORCE_SPRING);
  s.stiffness[0] = 100;
  s.damping[0] = 7;
  s.rest = 2.5;
  assert_reads(LINE("type: spring_damper, " BODIES "stiffness: 100, damping: 7, rest_length: 2.5"), &s);

  s = on_bodies(ALI3_FORCE_BUSHING);
  for (int i = 0; i < 6; i++) {
    s.stiffness[i] = i + 1;
    s.damping[i] = i + 11;
  }
  assert_reads(LINE("type: bushing, " BODIES "stiffness: [1, 2, 3], damping: [11, 12, 13],\n"
                    "       rotational_stiffness: [4, 5, 6], rotational_damping: [14, 15, 16]"),
               &s);

  s = on_joint(ALI3_FORCE_JOINT_SPRING, PIVOT);
  s.stiffness[0] = 3;
  s.rest = -1;
  assert_reads(LINE("type: joint_spring, joint: pivot, stiffness: 3, rest: -1"), &s);
}

TEST(tables)
{
  static const double force[][2] = {{-0.5, -100}, {0, 0}, {0.25, 1e3}}, damping[][2] = {{-1, -2}, {1, 20}};
  ali3_force_spec s = on_bodies(ALI3_FORCE_SPRING);
  s.force_table = (ali3_table){3, force};
  s.damping_table = (ali3_table){2, damping};
  assert_reads(LINE("type: spring_damper, " BODIES "force_table: [[-0.5, -100], [0, 0], [0.25, 1e3]],\n"
                    "       damping_table: [[-1, -2], [1, 20]]"),
               &s);

  s = on_joint(ALI3_FORCE_JOINT_SPRING, SLIDE);
  s.stiffness[0] = 8;
  s.damping_table = (ali3_table){2, damping};
  assert_reads(LINE("type: joint_spring, joint: slide, stiffness: 8, damping_table: [[-1, -2], [1, 20]]"),
               &s);
}

TEST(cables_and_stops)
{
  ali3_force_spec s = on_bodies(ALI3_FORCE_CABLE);
  s.stiffness[0] = 1e5;
  s.damping[0] = 20;
  s.rest = 5;
  assert_reads(LINE("type: cable, " BODIES "stiffness: 1e5, damping: 20, rest_length: 5"), &s);

  s = on_bodies(ALI3_FORCE_END_STOP);
  s.stiffness[0] = 1e6;
  s.upper = 2;
  assert_reads(LINE("type: end_stop, " BODIES "stiffness: 1e6, upper: 2"), &s);
  s.lower = 0.5;
  s.damping[0] = 3;
  assert_reads(LINE("type: end_stop, " BODIES "stiffness: 1e6, damping: 3, lower: 0.5, upper: 2"), &s);

  s = on_joint(ALI3_FORCE_STOP, PIVOT);
  s.stiffness[0] = 500;
  s.damping[0] = 5;
  s.lower = -1;
  assert_reads(LINE("type: stop, joint: pivot, stiffness: 500, damping: 5, lower: -1"), &s);
}

TEST(friction_and_motors)
{
  ali3_force_spec s = on_joint(ALI3_FORCE_FRICTION, SLIDE);
  s.friction = 4;
  assert_reads(LINE("type: friction, joint: slide, friction: 4"), &s);
  s.damping[0] = 0.5;
  s.slip = 0.01;
  assert_reads(LINE("type: friction, joint: slide, friction: 4, damping: 0.5, slip: 0.01"), &s);

  s = on_joint(ALI3_FORCE_MOTOR, PIVOT);
  assert_reads(LINE("type: motor, joint: pivot"), &s);
}

TEST(drives_and_gears)
{
  static const double motion[][2] = {{0, 0}, {1, 0.5}, {3, 0.25}};
  ali3_force_spec s = on_joint(ALI3_FORCE_DRIVE, PIVOT);
  assert_reads(LINE("type: drive, joint: pivot"), &s); /* holds the coordinate of the start */
  s.offset = 0.1;
  s.speed = 2;
  s.amplitude = 0.3;
  s.frequency = 4;
  s.phase = 0.5;
  assert_reads(
      LINE("type: drive, joint: pivot, offset: 0.1, speed: 2, amplitude: 0.3, frequency: 4, phase: 0.5,\n"
           "       external: false"),
      &s);

  s = on_joint(ALI3_FORCE_DRIVE, SLIDE);
  s.motion = (ali3_table){3, motion};
  assert_reads(LINE("type: drive, joint: slide, motion: [[0, 0], [1, 0.5], [3, 0.25]]"), &s);

  s = on_joint(ALI3_FORCE_DRIVE, SLIDE);
  s.external = true;
  s.max_rate = 0.5;
  s.max_acceleration = 2;
  assert_reads(LINE("type: drive, joint: slide, external: true, max_rate: 0.5, max_acceleration: 2"), &s);

  s = on_joint(ALI3_FORCE_GEAR, PIVOT);
  s.joint_b = SLIDE;
  assert_reads(LINE("type: gear, joint: pivot, joint_b: slide"), &s);
  s.ratio = -3;
  assert_reads(LINE("type: gear, joint: pivot, joint_b: slide, ratio: -3"), &s);
}

TEST(contacts)
{
  ali3_force_spec s = on_bodies(ALI3_FORCE_SPHERE_PLANE);
  s.normal[1] = 2;
  s.radius_b = 0.1;
  s.stiffness[0] = 1e5;
  assert_reads(LINE("type: sphere_plane, " BODIES "normal: [0, 2, 0], radius: 0.1, stiffness: 1e5"), &s);
  s.damping[0] = 100;
  s.friction = 0.4;
  s.slip = 0.02;
  assert_reads(LINE("type: sphere_plane, " BODIES "normal: [0, 2, 0], radius: 0.1, stiffness: 1e5,\n"
                    "       damping: 100, friction: 0.4, slip: 0.02"),
               &s);

  s = on_bodies(ALI3_FORCE_SPHERE_SPHERE);
  s.radius_a = 0.2;
  s.radius_b = 0.1;
  s.stiffness[0] = 1e5;
  s.friction = 0.4;
  assert_reads(
      LINE("type: sphere_sphere, " BODIES "radius_a: 0.2, radius_b: 0.1, stiffness: 1e5, friction: 0.4"), &s);
}

/* One run reports all mistakes, each at its place. A table that was read before a mistake does not leak. */
TEST(mistakes_of_one_force_are_reported_together)
{
  struct loaded l =
      load_text(MECHANISM "    - {name: F, type: spring_damper, body_a: A, body_b: Z, stiffness: 1,\n"
                          "       force_table: [[0, 0], [1, 1]]}\n"
                          "    - {name: G, type: joint_spring, joint: pivot, force_table: [[0, 0], [1, 1]],\n"
                          "       damping_table: [[0, 0], [1, x]]}\n");
  assert_null(l.settings);
  assert_non_null(strstr(l.errors, ":9:57: error: body_b: no body is named \"Z\""));
  assert_non_null(strstr(l.errors, ":10:8: error: \"force_table\" stands for \"stiffness\""));
  assert_non_null(strstr(l.errors, ":12:36: error: damping_table: expected a number, found x"));
  free(l.errors);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs),
      cmocka_unit_test(tables),
      cmocka_unit_test(cables_and_stops),
      cmocka_unit_test(friction_and_motors),
      cmocka_unit_test(drives_and_gears),
      cmocka_unit_test(contacts),
      cmocka_unit_test(mistakes_of_one_force_are_reported_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
