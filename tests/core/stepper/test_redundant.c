/* SPDX-License-Identifier: MIT
 * Redundant joints between moving bodies: the multipliers have a null-space part, which must not become a load as the
 * mechanism turns. */
#include "check.h"

#include <math.h>

#include <ali3/ali3.h>

/* Two bodies, the first on a hinge, the second on `hinges` further hinges with a common axis, `apart` from one another. The
 * motion is that of one hinge. The run ends at `seconds`; fills the coordinates of the second body. */
static void run(ali3_joint_type type, int hinges, double apart, double dt, double seconds, double position[3])
{
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, (double[]){0, 0, -10}), ALI3_OK);
  ali3_body_spec body = {
      .mass = 1, .inertia = {0.1, 0, 0, 0, 0.2, 0, 0, 0, 0.15}, .orientation = {1, 0, 0, 0}};
  for (int i = 0; i < 2; i++) {
    body.name = i ? "b" : "a";
    body.position[0] = i;
    assert_int_equal(ali3_model_add_body(m, &body), i);
  }
  ali3_joint_spec joint = {.name = "h",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .body_b = 0,
                           .point_a = {-0.5, 0, 0},
                           .point_b = {-0.5, 0, 0},
                           .axis_a = {0, 1, 0},
                           .axis_b = {0, 1, 0}};
  assert_int_equal(ali3_model_add_joint(m, &joint), 0);
  for (int i = 0; i < hinges; i++) {
    const char *const name[] = {"1", "2", "3", "4", "5"};
    double y = (i - 0.5 * (hinges - 1)) * apart;
    joint = (ali3_joint_spec){.name = name[i],
                              .type = type,
                              .body_a = 0,
                              .body_b = 1,
                              .point_a = {0.5, y, 0},
                              .point_b = {-0.5, y, 0},
                              .axis_a = {0, 1, 0},
                              .axis_b = {0, 1, 0}};
    assert_int_equal(ali3_model_add_joint(m, &joint), i + 1);
  }
  ali3_options o = ali3_options_default();
  o.dt = dt;
  assert_int_equal(ali3_model_freeze(m, &o), ALI3_OK);
  ali3_data *d = ali3_data_new(m);
  assert_int_equal(ali3_reset(m, d), ALI3_OK);
  /* each joint between the two bodies repeats the constraints of the others */
  const int rows = type == ALI3_JOINT_FIXED ? 6 : 5;
  ali3_mechanics_part whole;
  ali3_mechanics *a = ali3_mechanics_new(m, d);
  assert_non_null(a);
  assert_int_equal(ali3_mechanics_part_get(a, -1, &whole), ALI3_OK);
  if (whole.redundant != rows * (hinges - 1))
    fail_msg("%d joints %g m apart: %d rows depend on others", hinges, apart, whole.redundant);
  ali3_mechanics_free(a);
  double load = 0, violation = 0;
  for (int i = 0; i < (int)lround(seconds / dt); i++) {
    if (ali3_step(m, d) != ALI3_OK)
      fail_msg("%d joints %g m apart: %s at %g s", hinges, apart,
               ali3_status_text(ali3_data_report(d)->status), ali3_data_report(d)->time);
    violation = fmax(violation, ali3_data_report(d)->position);
    for (int j = 0; j <= hinges; j++) {
      ali3_joint_state s;
      ali3_joint_get(m, d, j, &s);
      for (int k = 0; k < 3; k++) load = fmax(load, fmax(fabs(s.force[k]), fabs(s.torque[k])));
    }
  }
  assert_true(violation < 1e-12);
  assert_true(load < 100); /* the largest of a single hinge is 57 N */
  ali3_body_state x;
  ali3_body_get(m, d, 1, &x);
  for (int k = 0; k < 3; k++) position[k] = x.position[k];
  ali3_data_free(d);
  ali3_model_free(m);
}

static void more_joints_than_needed_change_nothing(ali3_joint_type type, double dt, double seconds)
{
  double one[3], many[3];
  run(type, 1, 0, dt, seconds, one);
  for (int hinges = 2; hinges <= 5; hinges++)
    for (double apart = 0.1; apart < 2; apart += 0.45) {
      run(type, hinges, apart, dt, seconds, many);
      for (int k = 0; k < 3; k++) assert_true(fabs(many[k] - one[k]) < 1e-6);
    }
}

TEST(hinges_on_one_axis)
{
  more_joints_than_needed_change_nothing(ALI3_JOINT_REVOLUTE, 0.01, 10);
}

TEST(hinges_on_one_axis_at_a_short_step)
{
  more_joints_than_needed_change_nothing(ALI3_JOINT_REVOLUTE, 0.001, 2);
}

TEST(welds)
{
  more_joints_than_needed_change_nothing(ALI3_JOINT_FIXED, 0.01, 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hinges_on_one_axis),
      cmocka_unit_test(hinges_on_one_axis_at_a_short_step),
      cmocka_unit_test(welds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
