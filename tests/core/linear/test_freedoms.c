/* SPDX-License-Identifier: MIT
 * Independent velocities, mass matrices and Jacobians. */
#include "pendulums.h"

#include <string.h>

static const double LENGTH[2] = {1.2, 0.7}, MASS[2] = {2.0, 3.0}, INERTIA[2] = {0.3, 0.2},
                    ANGLE[2] = {0.4, -0.9};

static const int BOTH[2] = {0, 1};

TEST(a_double_pendulum_has_the_mass_of_textbooks)
{
  ali3_model *m = pendulum(2, LENGTH, MASS, INERTIA, ANGLE);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_freedoms *f = ali3_freedoms_new(m, d, BOTH, 2, 0, NULL);
  assert_non_null(f);
  assert_int_equal(ali3_freedoms_count(f), 2);
  double M[4], expected[4], row[2];
  assert_int_equal(ali3_freedoms_mass(f, M), ALI3_OK);
  double_pendulum_mass(LENGTH, MASS, INERTIA, ANGLE[1] - ANGLE[0], expected);
  for (int i = 0; i < 4; i++) assert_near(M[i], expected[i], 1e-11);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ali3_freedoms_joint(f, i, row), ALI3_OK);
    for (int k = 0; k < 2; k++) assert_near(row[k], i == k, 1e-14);
  }
  ali3_freedoms_free(f);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* The velocity of the tip is that which ali3_point_get() reads after a place with these rates. */
TEST(a_jacobian_is_the_motion_of_its_point)
{
  ali3_model *m = pendulum(2, LENGTH, MASS, INERTIA, ANGLE);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_freedoms *f = ali3_freedoms_new(m, d, BOTH, 2, 0, NULL);
  const double point[3] = {0.1, -0.35, 0.05}, u[2] = {0.7, -1.3};
  double J[12], T[12];
  assert_int_equal(ali3_freedoms_jacobian(f, 1, point, J), ALI3_OK);
  ali3_body_state body[2];
  for (int b = 0; b < 2; b++) {
    ali3_body_get(m, d, b, &body[b]);
    ali3_freedoms_twist(f, b, T);
    for (int i = 0; i < 3; i++) {
      body[b].velocity[i] = T[2 * i] * u[0] + T[2 * i + 1] * u[1];
      body[b].angular_velocity[i] =
          T[2 * (3 + i)] * u[0] + T[2 * (3 + i) + 1] * u[1]; /* about z in all axes */
    }
  }
  assert_int_equal(ali3_place(m, d, body, 0.0), ALI3_OK);
  ali3_point_state tip;
  ali3_point_get(m, d, 1, point, &tip);
  for (int i = 0; i < 3; i++) assert_near(tip.velocity[i], J[2 * i] * u[0] + J[2 * i + 1] * u[1], 1e-10);
  ali3_joint_state joint;
  for (int j = 0; j < 2; j++) {
    ali3_joint_get(m, d, j, &joint);
    assert_near(joint.velocity, u[j], 1e-10);
    assert_near(joint.position, ANGLE[j] - (j ? ANGLE[0] : 0.0), 1e-12);
  }
  ali3_freedoms_free(f);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(a_joint_that_is_not_independent_is_named)
{
  ali3_model *m = pendulum(2, LENGTH, MASS, INERTIA, ANGLE);
  ali3_force_spec gear = ali3_force_spec_default(ALI3_FORCE_GEAR);
  gear.name = "gear";
  gear.joint = 0;
  gear.joint_b = 1;
  gear.ratio = 2.0;
  toy_added(m, ali3_model_add_force(m, &gear));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_problem problem;
  assert_null(ali3_freedoms_new(m, d, BOTH, 2, 0, &problem));
  assert_int_equal(problem.status, ALI3_E_ARGUMENT);
  assert_non_null(strstr(problem.text, "\"hinge1\""));
  ali3_freedoms *f = ali3_freedoms_new(m, d, BOTH + 1, 1, 0, &problem);
  assert_int_equal(ali3_freedoms_count(f), 1);
  double row;
  ali3_freedoms_joint(f, 0, &row);
  assert_near(row, 2.0, 1e-12);
  ali3_freedoms_free(f);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(drives_hold_unless_they_are_released)
{
  ali3_model *m = pendulum(2, LENGTH, MASS, INERTIA, ANGLE);
  ali3_force_spec drive = ali3_force_spec_default(ALI3_FORCE_DRIVE);
  drive.name = "drive";
  drive.joint = 0;
  toy_added(m, ali3_model_add_force(m, &drive));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_freedoms *held = ali3_freedoms_new(m, d, NULL, 0, 0, NULL),
                *open = ali3_freedoms_new(m, d, NULL, 0, ALI3_DRIVES_FREE, NULL);
  assert_int_equal(ali3_freedoms_count(held), 1);
  assert_int_equal(ali3_freedoms_count(open), 2);
  ali3_freedoms_free(held);
  ali3_freedoms_free(open);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(wrong_arguments_are_refused)
{
  ali3_model *m = pendulum(2, LENGTH, MASS, INERTIA, ANGLE);
  toy_freeze(m, 0.01);
  ali3_data *d = ali3_data_new(m);
  ali3_problem problem;
  double M[4];
  const int unknown = 7;
  assert_null(ali3_freedoms_new(m, d, NULL, 0, 0, &problem)); /* before a reset */
  assert_int_equal(problem.status, ALI3_E_ARGUMENT);
  assert_true(ali3_reset(m, d) >= 0);
  assert_null(ali3_freedoms_new(m, d, &unknown, 1, 0, &problem));
  assert_int_equal(problem.status, ALI3_E_ARGUMENT);
  ali3_freedoms *f = ali3_freedoms_new(m, d, NULL, 0, 0, NULL);
  assert_int_equal(ali3_freedoms_mass(f, NULL), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_freedoms_twist(f, 2, M), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_freedoms_joint(f, 2, M), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_place(m, d, NULL, 0.0), ALI3_E_ARGUMENT);
  ali3_freedoms_free(f);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(more_freedoms_than_500_are_refused)
{
  ali3_model *m = toy_chain(170, true, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_problem problem;
  assert_null(ali3_freedoms_new(m, d, NULL, 0, 0, &problem));
  assert_non_null(strstr(problem.text, "510 freedoms"));
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A place with poses that no joint allows moves the bodies until the joints close, and keeps loads from outside. */
TEST(a_place_closes_joints_and_keeps_loads)
{
  ali3_model *m = pendulum(2, LENGTH, MASS, INERTIA, ANGLE);
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_body_state body[2], fits[2];
  for (int b = 0; b < 2; b++) ali3_body_get(m, d, b, &body[b]);
  body[1].position[0] += 0.2;
  ali3_set_wrench(m, d, 1, (const double[]){3, 4, 0}, (const double[3]){0});
  assert_int_equal(ali3_place(m, d, body, 0.5), ALI3_MOVED);
  assert_true(ali3_data_report(d)->position < 1e-12);
  assert_near(ali3_data_report(d)->time, 0.5, 1e-12);
  assert_true(ali3_data_initial(d)->moved_position > 0.01);
  /* poses that fit stay to the last bit, and the load acts */
  for (int b = 0; b < 2; b++) ali3_body_get(m, d, b, &fits[b]);
  assert_true(ali3_place(m, d, fits, 0.0) >= 0);
  for (int b = 0; b < 2; b++) {
    ali3_body_state now;
    ali3_body_get(m, d, b, &now);
    assert_memory_equal(now.position, fits[b].position, sizeof now.position);
    assert_memory_equal(now.acceleration, fits[b].acceleration, sizeof now.acceleration);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_double_pendulum_has_the_mass_of_textbooks),
      cmocka_unit_test(a_jacobian_is_the_motion_of_its_point),
      cmocka_unit_test(a_joint_that_is_not_independent_is_named),
      cmocka_unit_test(drives_hold_unless_they_are_released),
      cmocka_unit_test(wrong_arguments_are_refused),
      cmocka_unit_test(more_freedoms_than_500_are_refused),
      cmocka_unit_test(a_place_closes_joints_and_keeps_loads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
