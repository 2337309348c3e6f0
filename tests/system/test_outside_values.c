/* SPDX-License-Identifier: MIT
 * Contracts of include/ali3/ali3.h and stepper.h for values from outside: NaN makes a step fail and keeps the state, and a reset
 * keeps, restores or clears each of them as its comment says. */
#include "check.h"
#include "common/toys.h"

#include <string.h>

/* A pendulum with a load, a motor and, if `driven`, an external drive on its hinge. */
static ali3_model *loaded_pendulum(bool driven)
{
  ali3_model *m = ali3_model_new();
  assert_non_null(m);
  ali3_body_spec rod = toy_body("rod", (const double[]){0.5, 0.0, 0.0}, 1.0, 0.1);
  toy_added(m, ali3_model_add_body(m, &rod));
  ali3_joint_spec hinge = {.name = "hinge", .type = ALI3_JOINT_REVOLUTE, .body_a = ALI3_GROUND, .body_b = 0};
  hinge.point_b[0] = -0.5;
  hinge.axis_a[2] = hinge.axis_b[2] = 1.0;
  toy_added(m, ali3_model_add_joint(m, &hinge));
  ali3_load_spec push = {.name = "push", .type = ALI3_LOAD_FORCE, .vector = {0.0, 1.0, 0.0}};
  toy_added(m, ali3_model_add_load(m, &push));
  ali3_force_spec force = ali3_force_spec_default(driven ? ALI3_FORCE_DRIVE : ALI3_FORCE_MOTOR);
  force.name = "force";
  force.external = driven;
  force.max_rate = 1.0;
  force.max_acceleration = 10.0;
  toy_added(m, ali3_model_add_force(m, &force));
  toy_freeze(m, 0.01);
  return m;
}

static double angle_of(const ali3_model *m, const ali3_data *d)
{
  ali3_joint_state joint;
  ali3_joint_get(m, d, 0, &joint);
  return joint.position;
}

/* Angle after 10 steps. */
static double swing(const ali3_model *m, ali3_data *d)
{
  toy_run(m, d, 10);
  return angle_of(m, d);
}

TEST(nan_fails_a_step_and_keeps_the_state)
{
  static const double nothing[3] = {0.0}, bad[] = {NAN, INFINITY, -INFINITY};
  for (int driven = 0; driven < 2; driven++) {
    ali3_model *m = loaded_pendulum(driven);
    ali3_data *d = toy_start(m, ALI3_OK);
    for (int i = 0; i < 9; i++) {
      const double x = bad[i % 3], v[3] = {0.0, x, 0.0};
      ali3_body_state before, after;
      toy_run(m, d, 3);
      ali3_body_get(m, d, 0, &before);
      /* One value is bad, and then good again. */
      if (i < 3) ali3_set_wrench(m, d, 0, v, nothing);
      if (i >= 3 && i < 6) ali3_set_load(m, d, 0, v);
      if (i >= 6) ali3_set_command(m, d, 0, x);
      const int status = ali3_step(m, d);
      if (driven && i >= 7) { /* a drive goes towards an infinite target as fast as its limits allow */
        assert_int_equal(status, ALI3_OK);
      } else {
        if (status != ALI3_E_DIVERGED) fail_msg("value %d, driven %d: status %d", i, driven, status);
        ali3_body_get(m, d, 0, &after);
        assert_memory_equal(&before, &after, sizeof before);
      }
      ali3_set_wrench(m, d, 0, nothing, nothing);
      ali3_set_load(m, d, 0, nothing);
      ali3_set_command(m, d, 0, 0.0);
    }
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

TEST(reset_keeps_loads_and_restores_the_rest)
{
  ali3_model *m = loaded_pendulum(false);
  ali3_data *d = toy_start(m, ALI3_OK);
  const double up[3] = {0.0, 2.0, 0.0}, nothing[3] = {0.0};
  const double as_given = swing(m, d);
  /* The load vector and the value of the motor are those of the model again. */
  ali3_set_load(m, d, 0, up);
  ali3_set_command(m, d, 0, 3.0);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  assert_true(swing(m, d) == as_given);
  /* The external load stays. */
  ali3_set_wrench(m, d, 0, up, nothing);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  const double loaded = swing(m, d);
  assert_true(loaded > as_given);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  assert_true(swing(m, d) == loaded);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(reset_makes_the_coordinate_the_target_of_a_drive)
{
  ali3_model *m = loaded_pendulum(true);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_set_command(m, d, 0, 0.5);
  assert_true(swing(m, d) > 1e-3);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  assert_near(swing(m, d), 0.0, 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nan_fails_a_step_and_keeps_the_state),
      cmocka_unit_test(reset_keeps_loads_and_restores_the_rest),
      cmocka_unit_test(reset_makes_the_coordinate_the_target_of_a_drive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
