/* SPDX-License-Identifier: MIT
 * Static equilibria against closed forms. */
#include "pendulums.h"

#include <string.h>

static const double ONE[4] = {1, 1, 1, 1}, TENTH[4] = {0.1, 0.1, 0.1, 0.1};

/* From every angle a pendulum comes to hang, and it stays there. */
TEST(pendulums_hang)
{
  for (int i = 0; i < 12; i++) {
    const double angle[3] = {0.5 * i + 0.1, 0.3 * i, -0.4 * i};
    ali3_model *m = pendulum(3, ONE, ONE, TENTH, angle);
    toy_freeze_apart(m, 0.01);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_equilibrium_report r;
    ali3_problem problem;
    if (ali3_equilibrium(m, d, NULL, &r, &problem) < 0) fail_msg("%d: %s", i, problem.text);
    assert_int_equal(r.unstable, 0);
    ali3_body_state tip;
    ali3_body_get(m, d, 2, &tip);
    assert_near(tip.position[1], -2.5, 1e-12);
    toy_run(m, d, 1000);
    ali3_body_get(m, d, 2, &tip);
    assert_near(tip.position[0], 0.0, 1e-8);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* The nearest equilibrium of a pendulum that almost stands is unstable. */
TEST(a_standing_pendulum_is_unstable)
{
  const double angle[2] = {3.0, 3.3};
  ali3_model *m = pendulum(2, ONE, ONE, TENTH, angle);
  toy_freeze_apart(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_equilibrium_report r;
  const ali3_equilibrium_options nearest = {.nearest = true};
  assert_int_equal(ali3_equilibrium(m, d, &nearest, &r, NULL), ALI3_MOVED);
  ali3_body_state tip;
  ali3_body_get(m, d, 1, &tip);
  assert_near(tip.position[1], 1.5, 1e-12);
  assert_int_equal(r.unstable, 2);
  assert_true(r.unstable_body >= 0);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A body falls onto a plane and rests there, pressed in by m g / k; without the plane nothing holds it. */
TEST(a_ball_falls_onto_a_plane)
{
  for (int plane = 0; plane < 2; plane++) {
    ali3_model *m = ali3_model_new();
    ali3_model_set_gravity(m, (const double[]){0, 0, -PENDULUM_G});
    ali3_body_spec b = toy_body("ball", (const double[]){0.3, 0, 2.0}, 2.0, 0.1);
    toy_added(m, ali3_model_add_body(m, &b));
    ali3_force_spec f = ali3_force_spec_default(ALI3_FORCE_SPHERE_PLANE);
    f.name = "plane";
    f.body_a = ALI3_GROUND;
    f.body_b = 0;
    f.normal[2] = 1;
    f.radius_b = 0.25;
    f.stiffness[0] = 1e5;
    f.damping[0] = 100;
    f.friction = 0.5;
    if (plane) toy_added(m, ali3_model_add_force(m, &f));
    toy_freeze(m, 0.001);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_equilibrium_report r;
    ali3_problem problem;
    const ali3_status status = ali3_equilibrium(m, d, NULL, &r, &problem);
    ali3_body_state s;
    ali3_body_get(m, d, 0, &s);
    if (plane) {
      if (status < 0) fail_msg("%s", problem.text);
      assert_near(s.position[2], 0.25 - 2.0 * PENDULUM_G / 1e5, 1e-10);
      assert_near(s.position[0], 0.3, 1e-10);
      assert_int_equal(r.indifferent, 5);
    } else {
      assert_int_equal(status, ALI3_E_DIVERGED);
      assert_int_equal(r.loose_body, 0);
      assert_non_null(strstr(problem.text, "\"ball\""));
    }
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* Motors and wrenches from outside act: a torque holds a pendulum at an angle. */
TEST(motors_hold)
{
  const double angle[1] = {0.1};
  ali3_model *m = pendulum(1, ONE, ONE, TENTH, angle);
  ali3_force_spec motor = ali3_force_spec_default(ALI3_FORCE_MOTOR);
  motor.name = "motor";
  toy_added(m, ali3_model_add_force(m, &motor));
  toy_freeze_apart(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_set_command(m, d, 0, 0.5 * PENDULUM_G * sin(0.6));
  assert_int_equal(ali3_equilibrium(m, d, NULL, NULL, NULL), ALI3_MOVED);
  ali3_joint_state j;
  ali3_joint_get(m, d, 0, &j);
  assert_near(j.position, 0.6, 1e-11);
  assert_near(j.velocity, 0.0, 1e-15);
  ali3_force_state f;
  ali3_force_get(m, d, 0, &f);
  assert_near(f.value, 0.5 * PENDULUM_G * sin(0.6), 1e-12);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* A chain that lies and one that hangs have nothing in common: Newton's method alone does not find the way. */
TEST(a_long_chain_comes_to_hang)
{
  enum { LINKS = 24 };
  ali3_model *m = toy_chain(LINKS, true, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_equilibrium_report r;
  ali3_problem problem;
  if (ali3_equilibrium(m, d, NULL, &r, &problem) < 0) fail_msg("%s", problem.text);
  assert_int_equal(r.unstable, 0);
  for (int b = 0; b < LINKS; b++) {
    ali3_body_state s;
    ali3_body_get(m, d, b, &s);
    assert_near(s.position[1], -(b + 0.5), 1e-7);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulums_hang),
      cmocka_unit_test(a_standing_pendulum_is_unstable),
      cmocka_unit_test(a_ball_falls_onto_a_plane),
      cmocka_unit_test(motors_hold),
      cmocka_unit_test(a_long_chain_comes_to_hang),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
