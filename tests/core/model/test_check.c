/* SPDX-License-Identifier: MIT
 * Every refusal, by element and member. A refused element leaves the model unchanged. */
#include "base/isa.h"
#include "check.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ali3_model *m;

static int model_of_two_bodies(void **state)
{
  (void)state;
  ali3_body_spec b = {.name = "one", .mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};
  m = ali3_model_new();
  if (!m || ali3_model_add_body(m, &b) != 0) return -1;
  b.name = "two";
  if (ali3_model_add_body(m, &b) != 1) return -1;
  ali3_joint_spec j = {.name = "taken", .type = ALI3_JOINT_SPHERICAL, .body_a = 0, .body_b = 1};
  ali3_load_spec l = {.name = "taken"};
  return ali3_model_add_joint(m, &j) == 0 && ali3_model_add_load(m, &l) == 0 ? 0 : -1;
}

static int model_gone(void **state)
{
  (void)state;
  ali3_model_free(m);
  return 0;
}

static void refused(int status, const char *element, const char *field, const char *says)
{
  const ali3_problem *p = ali3_model_problem(m);
  assert_int_equal(status, ALI3_E_MODEL);
  assert_int_equal(p->status, ALI3_E_MODEL);
  assert_string_equal(p->element, element);
  assert_string_equal(p->field, field);
  if (!strstr(p->text, says)) fail_msg("expected '%s' in: %s", says, p->text);
  assert_int_equal(ali3_model_bodies(m), 2);
  assert_int_equal(ali3_model_joints(m), 1);
  assert_int_equal(ali3_model_loads(m), 1);
  assert_int_equal(ali3_model_forces(m), 0);
}

/* One line per refusal: the change of a valid spec `s`, the member of the report, and a part of its text. */
#define BODY(change, field, says)                                                                            \
  do {                                                                                                       \
    ali3_body_spec s = {                                                                                     \
        .name = "new", .mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};               \
    change;                                                                                                  \
    refused(ali3_model_add_body(m, &s), "body", field, says);                                                \
  } while (0)

TEST(bodies)
{
  const double bad[] = {NAN, INFINITY, -INFINITY};
  BODY(s.name = NULL, "name", "found none");
  BODY(s.name = "", "name", "found none");
  BODY(s.name = "two words", "name", "'two words'");
  BODY(s.name = "dot.dot", "name", "letters, digits");
  BODY(s.name = "\xc3\xa4", "name", "letters, digits");
  BODY(s.name = "one", "name", "another body is named 'one'");
  BODY(s.name = "ground", "name", "the world");
  BODY(s.mass = -1, "mass", "found -1");
  for (int i = 0; i < 3; i++) {
    BODY(s.mass = bad[i], "mass", "0 kg or more");
    for (int k = 0; k < 9; k++) BODY(s.inertia[k] = bad[i], "inertia", "finite");
    for (int k = 0; k < 4; k++) BODY(s.orientation[k] = bad[i], "orientation", "finite");
    for (int k = 0; k < 3; k++) {
      BODY(s.position[k] = bad[i], "position", "finite");
      BODY(s.velocity[k] = bad[i], "velocity", "finite");
      BODY(s.angular_velocity[k] = bad[i], "angular_velocity", "finite");
    }
  }
  BODY(s.mass = 1e-300, "mass", "from 1e-20 to 1e+15 kg, found 1e-300");
  BODY(s.mass = 1e300, "mass", "found 1e+300");
  BODY(s.inertia[0] = 1e100, "inertia", "a magnitude of at most 1e+30 kg m^2, found 1e+100");
  BODY(s.position[2] = -1.7e308, "position",
       "body 'new': expected a magnitude of at most 1e+09 m, found -1.7e+308");
  BODY(s.velocity[1] = 1e10, "velocity", "at most 1e+09 m/s");
  BODY(s.angular_velocity[0] = 1e10, "angular_velocity", "at most 1e+09 rad/s");
  BODY(s.orientation[0] = 0, "orientation", "found norm 0");
  BODY(s.orientation[0] = 1.002, "orientation", "norm 1, found norm 1.002");
  BODY(s.inertia[1] = 0.1, "inertia", "symmetric");
  BODY(s.inertia[0] = -1e-3, "inertia", "found a negative one");
  BODY(s.inertia[8] = -1, "inertia", "found a negative one");
  BODY(s.inertia[1] = s.inertia[3] = 1.5, "inertia", "found a negative one");
  BODY(s.inertia[0] = 2.1, "inertia", "larger than the sum");
  BODY(s.inertia[1] = s.inertia[3] = 0.9, "inertia", "larger than the sum"); /* 1.9, 0.1, 1 */
}

#define JOINT(change, field, says)                                                                           \
  do {                                                                                                       \
    ali3_joint_spec s = {.name = "new",                                                                      \
                         .type = ALI3_JOINT_REVOLUTE,                                                        \
                         .body_a = 0,                                                                        \
                         .body_b = 1,                                                                        \
                         .axis_a = {0, 0, 1},                                                                \
                         .axis_b = {0, 0, 1}};                                                               \
    change;                                                                                                  \
    refused(ali3_model_add_joint(m, &s), "joint", field, says);                                              \
  } while (0)

TEST(joints)
{
  JOINT(s.name = NULL, "name", "found none");
  JOINT(s.name = "taken", "name", "another joint is named 'taken'");
  JOINT(s.type = ALI3_JOINT_TYPES, "type", "expected a type of");
  JOINT(s.type = (ali3_joint_type)-1, "type", "expected a type of");
  JOINT(s.body_a = 2, "body_a", "a body or the ground");
  JOINT(s.body_b = -2, "body_b", "a body or the ground");
  JOINT(s.body_b = 0, "body_b", "two different bodies");
  JOINT(s.body_a = s.body_b = ALI3_GROUND, "body_b", "two different bodies");
  for (int k = 0; k < 3; k++) {
    JOINT(s.point_a[k] = NAN, "point_a", "finite");
    JOINT(s.point_a[k] = 1e10, "point_a", "joint 'new': expected a magnitude of at most 1e+09 m");
    JOINT(s.point_b[k] = INFINITY, "point_b", "finite");
    JOINT(s.axis_a[k] = NAN, "axis_a", "length");
    JOINT(s.axis_b[k] = INFINITY, "axis_b", "length");
  }
  JOINT(s.axis_a[2] = 0, "axis_a", "found length 0");
  JOINT(s.axis_b[2] = 1e-10, "axis_b", "length above 0");
  JOINT(s.type = ALI3_JOINT_DISTANCE; s.length = -1, "length", "found -1");
  JOINT(s.type = ALI3_JOINT_DISTANCE; s.length = NAN, "length", "above 0 m");
  JOINT(s.relative_orientation[1] = NAN, "relative_orientation", "finite");
  JOINT(s.relative_orientation[1] = 0.5, "relative_orientation", "found norm 0.5");
  JOINT(s.position = INFINITY, "position", "finite coordinate, found inf");
}

#define LOAD(change, field, says)                                                                            \
  do {                                                                                                       \
    ali3_load_spec s = {.name = "new", .type = ALI3_LOAD_FORCE, .body = 1};                                  \
    change;                                                                                                  \
    refused(ali3_model_add_load(m, &s), "load", field, says);                                                \
  } while (0)

TEST(loads)
{
  LOAD(s.name = "", "name", "found none");
  LOAD(s.name = "a b", "name", "'a b'");
  LOAD(s.name = NULL; s.body = 2, "body", "expected a body");
  LOAD(s.name = NULL; s.type = (ali3_load_type)2, "type", "expected a type of load, found 2");
  LOAD(s.name = "taken", "name", "another");
  LOAD(s.type = (ali3_load_type)2, "type", "expected a type of load, found 2");
  LOAD(s.body = ALI3_GROUND, "body", "not the ground");
  LOAD(s.body = 2, "body", "expected a body");
  LOAD(s.vector[0] = NAN, "vector", "finite");
  LOAD(s.point[2] = INFINITY, "point", "finite");
  LOAD(s.point[0] = 1e10, "point", "at most 1e+09 m");
  LOAD(s.vector[1] = 1e300, "vector", "a magnitude of at most 1e+20 N or N m, found 1e+300");
}

#define FORCE(change, field, says)                                                                           \
  do {                                                                                                       \
    ali3_force_spec s = {                                                                                    \
        .name = "new", .type = ALI3_FORCE_SPRING, .body_a = ALI3_GROUND, .body_b = 1, .stiffness = {10}};    \
    change;                                                                                                  \
    refused(ali3_model_add_force(m, &s), "force", field, says);                                              \
  } while (0)

TEST(forces)
{
  FORCE(s.name = "", "name", "found none");
  FORCE(s.name = "taken", "name", "another"); /* a load has this name; loads and forces share names */
  FORCE(s.type = ALI3_FORCE_TYPES, "type", "expected a type of");
  FORCE(s.body_a = 5, "body_a", "a body or the ground");
  FORCE(s.body_b = 5, "body_b", "a body or the ground");
  FORCE(s.body_a = 1, "body_b", "two different bodies");
  FORCE(s.point_a[0] = NAN, "point_a", "finite");
  FORCE(s.point_b[0] = NAN, "point_b", "finite");
  FORCE(s.point_a[2] = 1.7e308, "point_a", "a magnitude of at most 1e+09 m, found 1.7e+308");
  FORCE(s.stiffness[0] = 1e30, "stiffness", "at most 1e+20 N/m");
  FORCE(s.damping[0] = 1e30, "damping", "at most 1e+20 N s/m");
  FORCE(s.rest = 1e30, "rest_length", "at most 1e+09 m");
  const ali3_table far = {2, (const double[][2]){{0, 0}, {1, 1e30}}},
                   wide = {2, (const double[][2]){{0, 0}, {1e30, 1}}};
  FORCE(s.force_table = far, "force_table", "in point 2, found 1 and 1e+30");
  FORCE(s.damping_table = wide, "damping_table", "in point 2, found 1e+30 and 1");
  FORCE(s.type = ALI3_FORCE_SPHERE_SPHERE; s.radius_a = 1; s.radius_b = 1e30, "radius_b", "at most 1e+09 m");
  FORCE(s.type = ALI3_FORCE_SPHERE_SPHERE; s.radius_a = s.radius_b = s.friction = 1;
        s.slip = 1e-200, "slip", "velocity of 1e-12 m/s or rad/s or more, found 1e-200");
  FORCE(s.stiffness[0] = -1, "stiffness", "found -1");
  FORCE(s.stiffness[0] = NAN, "stiffness", "0 or more");
  FORCE(s.damping[0] = -2, "damping", "found -2");
  FORCE(s.damping[0] = INFINITY, "damping", "0 or more");
  FORCE(s.stiffness[0] = 0, "stiffness", "a stiffness or a damping");
  FORCE(s.rest = -0.1, "rest_length", "found -0.1");
  FORCE(s.rest = INFINITY, "rest_length", "0 m or more");
  FORCE(s.type = ALI3_FORCE_BUSHING; s.damping[2] = -3, "damping", "found -3");
  FORCE(s.type = ALI3_FORCE_BUSHING; s.damping[5] = -3, "rotational_damping", "found -3");
  FORCE(s.type = ALI3_FORCE_BUSHING; s.stiffness[3] = -3, "rotational_stiffness", "found -3");
  FORCE(s.type = ALI3_FORCE_JOINT_SPRING; s.joint = 7, "joint", "joint");
  FORCE(s.type = ALI3_FORCE_JOINT_SPRING; s.joint = 0, "joint", "revolute"); /* "taken" is spherical */
}

#define SENSOR(change, field, says)                                                                          \
  do {                                                                                                       \
    ali3_sensor_spec s = {.name = "new", .type = ALI3_SENSOR_POSE, .body = 1, .orientation = {1}};           \
    change;                                                                                                  \
    refused(ali3_model_add_sensor(m, &s), "sensor", field, says);                                            \
  } while (0)

TEST(sensors)
{
  ali3_sensor_spec first = {
      .name = "eye", .type = ALI3_SENSOR_POINT, .orientation = {NAN}}; /* a point has no orientation */
  assert_int_equal(ali3_model_add_sensor(m, &first), 0);
  SENSOR(s.name = "", "name", "found none");
  SENSOR(s.name = "eye", "name", "another sensor is named 'eye'");
  SENSOR(s.type = ALI3_SENSOR_TYPES, "type", "expected a type of sensor, found ");
  SENSOR(s.body = ALI3_GROUND, "body", "not the ground");
  SENSOR(s.body = 2, "body", "expected a body");
  SENSOR(s.point[1] = INFINITY, "point", "finite");
  SENSOR(s.point[1] = 1e10, "point", "at most 1e+09 m");
  SENSOR(s.orientation[2] = NAN, "orientation", "finite");
  SENSOR(s.orientation[0] = 0.9, "orientation", "found norm 0.9");
  SENSOR(s.orientation[0] = 0, "orientation", "found norm 0");
  ali3_sensor_spec taken = {.name = "taken",
                            .type = ALI3_SENSOR_IMU,
                            .orientation = {1}}; /* elements of other kinds may have this name */
  assert_int_equal(ali3_model_add_sensor(m, &taken), 1);
  assert_int_equal(ali3_model_sensors(m), 2);
}

#define OPTIONS(change, field, says)                                                                         \
  do {                                                                                                       \
    ali3_options s = ali3_options_default();                                                                 \
    change;                                                                                                  \
    refused(model_check_options(m, &s), "options", field, says);                                             \
  } while (0)

TEST(options)
{
  OPTIONS(s.dt = 0, "dt", "above 0 s, found 0");
  OPTIONS(s.dt = NAN, "dt", "above 0 s");
  OPTIONS(s.dt = INFINITY, "dt", "above 0 s");
  OPTIONS(s.dt = 1e-200, "dt", "from 1e-09 to 1e+06 s, found 1e-200");
  OPTIONS(s.dt = 1e200, "dt", "found 1e+200");
  OPTIONS(s.violation = -1, "violation", "found -1");
  OPTIONS(s.violation = 1e-6, "violation", "1e-5 to 1e6");
  OPTIONS(s.violation = NAN, "violation", "0 for no limit");
  OPTIONS(s.iterations = 0, "iterations", "found 0");
  OPTIONS(s.iterations = 101, "iterations", "1 to 100");
  OPTIONS(s.alpha = -1, "alpha", "found -1");
  OPTIONS(s.alpha = NAN, "alpha", "above 0");
  OPTIONS(s.compliance = 0, "compliance", "between 0 and 1");
  OPTIONS(s.compliance = 1, "compliance", "found 1");
  OPTIONS(s.compliance = NAN, "compliance", "between 0 and 1");
  OPTIONS(s.substeps = 0, "substeps", "found 0");
  OPTIONS(s.substeps = 1001, "substeps", "1 to 1000");
  OPTIONS(s.assembly_position = -1, "assembly_position", "0 m or more, found -1");
  OPTIONS(s.assembly_angle = NAN, "assembly_angle", "0 rad or more, found nan");
  OPTIONS(strcpy(s.isa, "sse9"), "isa", "expected one of baseline");
  OPTIONS(strcpy(s.isa, "sse9"), "isa", "found 'sse9'");
  OPTIONS(memset(s.isa, 'x', sizeof s.isa), "isa", "ends with a 0");
  ali3_options good = ali3_options_default();
  assert_int_equal(model_check_options(m, &good), ALI3_OK);
  for (int i = 0; i < ISA_COUNT; i++) {
    strcpy(good.isa, isa_name((enum isa)i));
    if (isa_supported((enum isa)i))
      assert_int_equal(model_check_options(m, &good), ALI3_OK);
    else
      refused(model_check_options(m, &good), "options", "isa",
              isa_built((enum isa)i) ? "does not have" : "this build has no kernels");
  }
}

/* Nearly normalised numbers are accepted and normalised. */
TEST(nearly_right_numbers_are_normalised)
{
  struct body b;
  struct joint j;
  ali3_body_spec s = {
      .name = "new", .mass = 1, .inertia = {2, 1e-10, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1.0009}};
  assert_int_equal(model_check_body(m, &s, &b), ALI3_OK); /* 2 = 1 + 1: a flat plate */
  assert_true(b.spec.orientation[0] == 1.0);
  assert_true(b.spec.inertia[1] == b.spec.inertia[3]);
  assert_true(fabs(b.inertia_inverse[0] - 0.5) < 1e-9);
  ali3_joint_spec k = {.name = "new",
                       .type = ALI3_JOINT_REVOLUTE,
                       .body_a = ALI3_GROUND,
                       .body_b = 1,
                       .axis_a = {0, 0, 5},
                       .axis_b = {3, 0, 4},
                       .relative_orientation = {0, 0.9995, 0, 0}};
  assert_int_equal(model_check_joint(m, &k, &j), ALI3_OK);
  assert_true(j.axis[0][2] == 1.0);
  assert_true(fabs(j.axis[1][0] - 0.6) < 1e-15 && fabs(j.axis[1][2] - 0.8) < 1e-15);
  assert_true(j.spec.relative_orientation[1] == 1.0);
  k.type = ALI3_JOINT_SPHERICAL; /* has no axes, so they are not checked */
  k.axis_a[2] = NAN;
  assert_int_equal(model_check_joint(m, &k, &j), ALI3_OK);
}

/* A long name does not overrun the text. */
TEST(long_names_are_cut)
{
  static char name[1000];
  memset(name, 'x', sizeof name - 1);
  BODY(s.name = name; s.mass = -1, "mass", "body 'xxx");
  assert_true(strlen(ali3_model_problem(m)->text) < sizeof ali3_model_problem(m)->text - 1);
}

int main(void)
{
#define WITH_MODEL(test) cmocka_unit_test_setup_teardown(test, model_of_two_bodies, model_gone)
  const struct CMUnitTest tests[] = {
      WITH_MODEL(bodies),
      WITH_MODEL(joints),
      WITH_MODEL(loads),
      WITH_MODEL(forces),
      WITH_MODEL(sensors),
      WITH_MODEL(options),
      WITH_MODEL(nearly_right_numbers_are_normalised),
      WITH_MODEL(long_names_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
