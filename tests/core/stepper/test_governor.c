/* SPDX-License-Identifier: MIT
 * Extrapolation beside stiff springs, judged row by row: the flyball governor of the IFToMM library of benchmark problems (A05),
 * whose rods are springs of 8e5 N/m with dampers of 4e4 N s/m. */
#include "check.h"
#include "common/toys.h"
#include "dynamics/region.h"

/* A shaft about z with two arms of 1 m at 30 degrees, a ball of 5 kg at the end of each, and a sleeve that springs from the middle
 * of each arm hold. All joints are given in the axes of the shaft, whose centre is the origin. */
static ali3_model *governor(double stiffness, double damping, const ali3_options *o)
{
  const double turn = 6.283185307179586, sine = 0.5, cosine = sqrt(0.75);
  ali3_model *m = ali3_model_new();
  assert_int_equal(ali3_model_set_gravity(m, (double[]){0, 0, -9.81}), ALI3_OK);
  ali3_body_spec shaft = toy_body("shaft", (double[]){0, 0, 0}, 10, 0.5);
  shaft.angular_velocity[2] = turn;
  toy_added(m, ali3_model_add_body(m, &shaft));
  ali3_body_spec sleeve = toy_body("sleeve", (double[]){0, 0, -2 * 0.5 * cosine}, 3, 0.05);
  sleeve.angular_velocity[2] = turn;
  toy_added(m, ali3_model_add_body(m, &sleeve));
  const ali3_joint_spec bearing = {.name = "bearing",
                                   .type = ALI3_JOINT_REVOLUTE,
                                   .body_a = ALI3_GROUND,
                                   .body_b = 0,
                                   .axis_a = {0, 0, 1},
                                   .axis_b = {0, 0, 1}};
  toy_added(m, ali3_model_add_joint(m, &bearing));
  ali3_joint_spec slide = {.name = "slide",
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = 0,
                           .body_b = 1,
                           .point_a = {0, 0, -cosine},
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
  toy_added(m, ali3_model_add_joint(m, &slide));
  for (int side = 0; side < 2; side++) {
    const double sign = side ? -1 : 1, at[3] = {sign * sine, 0, -cosine};
    ali3_body_spec ball = toy_body(side ? "left" : "right", at, 5, 0.02);
    ball.angular_velocity[2] = turn;
    ball.velocity[1] = sign * sine * turn;
    const int body = toy_added(m, ali3_model_add_body(m, &ball));
    ali3_joint_spec hinge = {.name = side ? "hinge_l" : "hinge_r",
                             .type = ALI3_JOINT_REVOLUTE,
                             .body_a = 0,
                             .body_b = body,
                             .point_b = {-at[0], 0, -at[2]},
                             .axis_a = {0, 1, 0},
                             .axis_b = {0, 1, 0}};
    toy_added(m, ali3_model_add_joint(m, &hinge));
    ali3_force_spec rod = ali3_force_spec_default(ALI3_FORCE_SPRING);
    rod.name = side ? "rod_l" : "rod_r";
    rod.body_a = 1;
    rod.body_b = body;
    rod.point_b[0] = -0.5 * at[0];
    rod.point_b[2] = -0.5 * at[2];
    rod.stiffness[0] = stiffness;
    rod.damping[0] = damping;
    rod.rest = 0.5;
    toy_added(m, ali3_model_add_force(m, &rod));
  }
  toy_freeze_with(m, o);
  return m;
}

static ali3_options with_steps(double dt, int substeps)
{
  ali3_options o = ali3_options_default();
  o.dt = dt;
  o.substeps = substeps;
  o.extrapolate = true;
  return o;
}

/* Largest distance of a centre of mass from the run with 40 substeps, in `seconds`. */
static double error_of(double stiffness, double damping, double dt, double seconds)
{
  const ali3_options o[2] = {with_steps(dt, 1), with_steps(dt, 40)};
  ali3_model *m[2];
  ali3_data *d[2];
  double largest = 0;
  for (int i = 0; i < 2; i++) {
    m[i] = governor(stiffness, damping, &o[i]);
    d[i] = ali3_data_new(m[i]);
    assert_true(ali3_reset(m[i], d[i]) >= 0);
  }
  for (int step = 0; step < lround(seconds / dt); step++) {
    for (int i = 0; i < 2; i++)
      if (ali3_step(m[i], d[i]) < 0)
        fail_msg("%g N/m, %g N s/m, %d substeps: status %d at %g s", stiffness, damping, i ? 40 : 1,
                 ali3_data_report(d[i])->status, ali3_data_report(d[i])->time);
    for (int b = 0; b < ali3_model_bodies(m[0]); b++) {
      ali3_body_state x, y;
      ali3_body_get(m[0], d[0], b, &x);
      ali3_body_get(m[1], d[1], b, &y);
      largest = fmax(largest, check_distance(x.position, y.position));
    }
  }
  for (int i = 0; i < 2; i++) {
    ali3_data_free(d[i]);
    ali3_model_free(m[i]);
  }
  return largest;
}

/* The step was that of three plain inner steps: 1.6e-3 m. */
TEST(a_stiff_damped_spring_is_settled_alone)
{
  const double coarse = error_of(8e5, 4e4, 0.01, 5), fine = error_of(8e5, 4e4, 0.005, 5);
  print_message("governor: %.2e m at 10 ms, %.2e m at 5 ms\n", coarse, fine);
  assert_true(coarse < 7e-6 && fine < 7e-6);
}

/* Springs without dampers, from soft ones to rods: no mode grows, and the slow motion is right. */
TEST(no_spring_grows)
{
  for (double stiffness = 1e3; stiffness < 1e9; stiffness *= 4) {
    const double error = error_of(stiffness, 0, 0.01, 5);
    print_message("%.0e N/m: %.2e m\n", stiffness, error);
    assert_true(error < 0.05);
  }
}

/* A mode that the rule follows has a growth of 1 or less, and the limit is about four steps a period. */
TEST(growth_of_modes)
{
  const double h = 0.01;
  assert_near(region_extrapolated_growth((struct mode){0, 0}, h), 1, 1e-12);
  assert_true(region_extrapolated_growth((struct mode){1e4, 0}, h) < 1 + 1e-5);
  assert_true(region_extrapolated_growth((struct mode){16 * 1e4, 0}, h) > 1.1);
  assert_true(region_extrapolated_growth((struct mode){1e4, 2e2}, h) < 0.5);
  assert_near(region_extrapolated_growth((struct mode){0, 1e8}, h), 11.0 / 3.0, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stiff_damped_spring_is_settled_alone),
      cmocka_unit_test(no_spring_grows),
      cmocka_unit_test(growth_of_modes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
