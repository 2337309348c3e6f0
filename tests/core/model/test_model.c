/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static ali3_body_spec body(const char *name)
{
  return (ali3_body_spec){
      .name = name, .mass = 1, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1}};
}

TEST(elements_are_numbered_and_found)
{
  ali3_model *m = ali3_model_new();
  char name[16];
  assert_string_equal(ali3_model_name(m), "model");
  assert_int_equal(ali3_model_set_name(m, "crane"), ALI3_OK);
  assert_string_equal(ali3_model_name(m), "crane");
  assert_int_equal(ali3_model_set_name(m, "\x1b[2J\n<0>gone"), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "name");
  assert_string_equal(ali3_model_name(m), "crane");
  for (int i = 0; i < 1000; i++) { /* more than one growth of every array */
    snprintf(name, sizeof name, "b%d", i);
    ali3_body_spec b = body(name); /* the model copies the name */
    assert_int_equal(ali3_model_add_body(m, &b), i);
    snprintf(name, sizeof name, "j%d", i);
    ali3_joint_spec j = {.name = name, .type = ALI3_JOINT_SPHERICAL, .body_a = i - 1, .body_b = i};
    assert_int_equal(ali3_model_add_joint(m, &j), i);
    ali3_load_spec l = {.name = name, .body = i};
    assert_int_equal(ali3_model_add_load(m, &l), i);
  }
  assert_int_equal(ali3_model_bodies(m), 1000);
  assert_int_equal(ali3_model_joints(m), 1000);
  assert_int_equal(ali3_model_loads(m), 1000);
  assert_int_equal(ali3_model_find_body(m, "b777"), 777);
  assert_int_equal(ali3_model_find_joint(m, "j777"), 777);
  assert_int_equal(ali3_model_find_body(m, "j777"), -2);
  assert_int_equal(ali3_model_find_joint(m, "ground"), -2);
  assert_int_equal(ali3_model_find_body(m, "ground"), ALI3_GROUND);
  assert_string_equal(ali3_model_body_name(m, 999), "b999");
  assert_string_equal(ali3_model_joint_name(m, 0), "j0");
  assert_int_equal(ali3_model_joint_type(m, 5), ALI3_JOINT_SPHERICAL);
  ali3_model_free(m);
  ali3_model_free(NULL);
}

TEST(loads_and_forces_have_separate_numbers)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = body("b");
  assert_int_equal(ali3_model_add_body(m, &b), 0);
  ali3_load_spec l = {.name = "push"};
  assert_int_equal(ali3_model_add_load(m, &l), 0);
  ali3_force_spec s = {
      .name = "coil", .type = ALI3_FORCE_SPRING, .body_a = ALI3_GROUND, .stiffness = {1}, .rest = NAN};
  assert_int_equal(ali3_model_add_force(m, &s), 0);
  assert_int_equal(ali3_model_forces(m), 1);
  assert_string_equal(ali3_model_force_name(m, 0), "coil");
  assert_int_equal(ali3_model_force_type(m, 0), ALI3_FORCE_SPRING);
  l.name = "coil"; /* loads and forces share names */
  assert_int_equal(ali3_model_add_load(m, &l), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "name");
  assert_int_equal(ali3_model_find_load(m, "push"), 0);
  assert_int_equal(ali3_model_find_force(m, "coil"), 0);
  assert_int_equal(ali3_model_find_load(m, "coil"), -2);
  assert_int_equal(ali3_model_find_force(m, "push"), -2);
  assert_int_equal(ali3_model_find_force(m, "b"), -2);
  for (int i = 1; i <= 2; i++) { /* any number of loads without a name */
    l.name = NULL;
    assert_int_equal(ali3_model_add_load(m, &l), i);
  }
  l.name = "last";
  assert_int_equal(ali3_model_add_load(m, &l), 3);
  assert_int_equal(ali3_model_find_load(m, "last"), 3);
  ali3_model_free(m);
}

TEST(sensors_are_numbered_and_copied)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = body("b");
  char name[16];
  assert_int_equal(ali3_model_add_body(m, &b), 0);
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "s%d", i);
    ali3_sensor_spec s = {
        .name = name, .type = (ali3_sensor_type)(i % 3), .point = {i}, .orientation = {0, 0, 1.0009}};
    assert_int_equal(ali3_model_add_sensor(m, &s), i);
  }
  assert_int_equal(ali3_model_sensors(m), 40);
  assert_string_equal(ali3_model_sensor_name(m, 39), "s39");
  assert_int_equal(ali3_model_sensor_type(m, 38), ALI3_SENSOR_IMU);
  assert_true(m->sensor[38].spec.point[0] == 38 && m->sensor[38].spec.orientation[2] == 1.0);
  assert_true(m->sensor[38].rotation[0] == -1.0 && m->sensor[38].rotation[4] == 1.0);
  assert_true(m->sensor[39].spec.orientation[0] == 1.0); /* a point has the axes of its body */
  ali3_model_free(m);
}

TEST(gravity_is_finite)
{
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, (const double[]){0, 0, -9.81}), ALI3_OK);
  assert_int_equal(ali3_model_set_gravity(m, (const double[]){0, NAN, 0}), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "gravity");
  assert_int_equal(ali3_model_set_gravity(m, (const double[]){0, 0, INFINITY}), ALI3_E_MODEL);
  assert_true(m->gravity[2] == -9.81);
  double read[3] = {7.0, 7.0, 7.0};
  ali3_model_gravity(NULL, read);
  ali3_model_gravity(m, NULL);
  assert_true(read[0] == 7.0);
  ali3_model_free(m);
}

TEST(joint_types)
{
  const struct {
    const char *name;
    bool a, b;
  } wanted[ALI3_JOINT_TYPES] = {
      {"fixed", false, false},     {"revolute", true, true},       {"prismatic", true, false},
      {"cylindrical", true, true}, {"universal", true, true},      {"spherical", false, false},
      {"planar", true, true},      {"point_on_line", true, false}, {"point_in_plane", true, false},
      {"distance", false, false},
  };
  for (int t = 0; t < ALI3_JOINT_TYPES; t++) {
    assert_string_equal(ali3_joint_type_name(t), wanted[t].name);
    assert_int_equal(ali3_joint_type_has_axis_a(t), wanted[t].a);
    assert_int_equal(ali3_joint_type_has_axis_b(t), wanted[t].b);
  }
  assert_null(ali3_joint_type_name(ALI3_JOINT_TYPES));
  assert_null(ali3_joint_type_name((ali3_joint_type)-1));
}

TEST(force_types)
{
  assert_string_equal(ali3_force_type_name(ALI3_FORCE_SPRING), "spring_damper");
  assert_string_equal(ali3_force_type_name(ALI3_FORCE_BUSHING), "bushing");
  assert_string_equal(ali3_force_type_name(ALI3_FORCE_JOINT_SPRING), "joint_spring");
  assert_null(ali3_force_type_name(ALI3_FORCE_TYPES));
}

TEST(sensor_types)
{
  assert_string_equal(ali3_sensor_type_name(ALI3_SENSOR_POINT), "point");
  assert_string_equal(ali3_sensor_type_name(ALI3_SENSOR_POSE), "pose");
  assert_string_equal(ali3_sensor_type_name(ALI3_SENSOR_IMU), "imu");
  assert_null(ali3_sensor_type_name(ALI3_SENSOR_TYPES));
  assert_string_equal(ali3_method_name(ALI3_METHOD_ALI3), "ali3");
  assert_null(ali3_method_name(ALI3_METHODS));
  assert_int_equal(ali3_method_named("ali3"), ALI3_METHOD_ALI3);
  assert_int_equal(ali3_method_named("ali4"), ALI3_METHODS);
  assert_int_equal(ali3_method_named(NULL), ALI3_METHODS);
}

TEST(options_by_default)
{
  ali3_options o = ali3_options_default();
  assert_true(o.dt == 0.01 && o.iterations == 3 && o.alpha == 0.0);
  assert_true(o.substeps == 1 && !o.extrapolate);
  ali3_model *m = ali3_model_new();
  assert_true(ali3_model_options(m)->dt == o.dt);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_are_numbered_and_found),
      cmocka_unit_test(loads_and_forces_have_separate_numbers),
      cmocka_unit_test(sensors_are_numbered_and_copied),
      cmocka_unit_test(gravity_is_finite),
      cmocka_unit_test(joint_types),
      cmocka_unit_test(force_types),
      cmocka_unit_test(sensor_types),
      cmocka_unit_test(options_by_default),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
