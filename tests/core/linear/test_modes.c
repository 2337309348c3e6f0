/* SPDX-License-Identifier: MIT
 * Modes against closed forms. */
#include "pendulums.h"

#include <time.h>

/* Zero i of the Laguerre polynomial of order n, by Newton's method without the zeros before. */
static double laguerre_zero(int n, const double *before, int i)
{
  double x = i ? before[i - 1] * 1.1 + 0.1 : 0.1 / n;
  for (int pass = 0; pass < 200; pass++) {
    double p0 = 1.0, p1 = 1.0 - x, slope;
    for (int k = 1; k < n; k++) {
      const double p2 = ((2 * k + 1 - x) * p1 - k * p0) / (k + 1);
      p0 = p1;
      p1 = p2;
    }
    slope = n * (p1 - p0) / x;
    double others = 0.0;
    for (int k = 0; k < i; k++) others += 1.0 / (x - before[k]);
    const double step = p1 / (slope - p1 * others);
    x -= step;
    if (fabs(step) < 1e-15 * x) break;
  }
  return x;
}

/* n equal masses on n equal strings without mass: omega^2 = g/l times the zeros of the Laguerre polynomial. Each mass is at the end of its
 * string, which the pendulum has at its middle: rods of length l from mass to mass carry nothing. */
TEST(a_hanging_chain_has_the_zeros_of_laguerre)
{
  enum { N = 10 };
  ali3_model *m = ali3_model_new();
  const double l = 0.4;
  double zero[N];
  ali3_model_set_gravity(m, (const double[]){0, -PENDULUM_G, 0});
  for (int i = 0; i < N; i++) {
    char name[20];
    snprintf(name, sizeof name, "mass%d", i);
    ali3_body_spec b = toy_body(name, (const double[]){0, -l * (i + 1), 0}, 1.5, 1e-12);
    b.inertia[0] = b.inertia[4] = 1e-12;
    b.inertia[8] = 0.0; /* about the hinges */
    b.inertia[8] = 1e-13;
    toy_added(m, ali3_model_add_body(m, &b));
    ali3_joint_spec j = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i - 1,
                         .body_b = i,
                         .point_b = {0, l, 0},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_modes *s = ali3_modes_new(m, d, 0, NULL);
  assert_int_equal(ali3_modes_count(s), N);
  for (int i = 0; i < N; i++) {
    ali3_mode mode;
    assert_int_equal(ali3_modes_get(s, i, &mode), ALI3_OK);
    zero[i] = laguerre_zero(N, zero, i);
    assert_near(mode.stiffness / (PENDULUM_G / l * zero[i]), 1.0, 1e-8);
    assert_near(mode.damping, 0.0, 1e-12);
  }
  ali3_modes_free(s);
  ali3_data_free(d);
  ali3_model_free(m);
}

/* Mass on a slide with a spring and a damper; a body without mass between two springs halves the stiffness. */
TEST(a_mass_on_springs)
{
  for (int between = 0; between < 2; between++) {
    ali3_model *m = ali3_model_new();
    const double k = 300, mass = 3;
    for (int i = 0; i <= between; i++) {
      char name[8];
      snprintf(name, sizeof name, "b%d", i);
      const bool last = i == between;
      ali3_body_spec b = toy_body(name, (const double[]){i + 1.0, 0, 0}, last ? mass : 0, last ? 1.0 : 0.0);
      toy_added(m, ali3_model_add_body(m, &b));
      ali3_joint_spec j = {.name = name,
                           .type = ALI3_JOINT_PRISMATIC,
                           .body_a = ALI3_GROUND,
                           .body_b = i,
                           .point_a = {i + 1.0},
                           .axis_a = {1},
                           .axis_b = {1}};
      toy_added(m, ali3_model_add_joint(m, &j));
      ali3_force_spec f = ali3_force_spec_default(ALI3_FORCE_SPRING);
      f.name = name;
      f.body_a = i - 1;
      f.body_b = i;
      f.stiffness[0] = k;
      f.damping[0] = between ? 0 : 6;
      toy_added(m, ali3_model_add_force(m, &f));
    }
    toy_freeze(m, 0.001);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_modes *s = ali3_modes_new(m, d, 0, NULL);
    assert_int_equal(ali3_modes_count(s), 1);
    ali3_mode mode;
    double twist[6];
    ali3_modes_get(s, 0, &mode);
    const double omega = sqrt(k / mass / (between + 1));
    assert_near(mode.frequency, omega / (2 * acos(-1.0)), 1e-10);
    assert_near(mode.damping, between ? 0 : 6 / (2 * mass * omega), 1e-10);
    assert_int_equal(ali3_modes_shape(s, 0, between, twist), ALI3_OK);
    assert_near(fabs(twist[0]), 1 / sqrt(mass), 1e-10);
    if (between) {
      const double end = twist[0];
      ali3_modes_shape(s, 0, 0, twist);
      assert_near(twist[0], 0.5 * end, 1e-10);
    }
    assert_int_equal(mode.body, between);
    assert_int_equal(ali3_modes_get(s, 1, &mode), ALI3_E_ARGUMENT);
    ali3_modes_free(s);
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* A chain of 128 with 384 freedoms takes less than a second. */
TEST(a_long_chain_takes_less_than_a_second)
{
  ali3_model *m = toy_chain(128, true, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  const clock_t start = clock();
  ali3_problem problem;
  ali3_modes *s = ali3_modes_new(m, d, 0, &problem);
  if (!s) fail_msg("%s", problem.text);
  const double took = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_int_equal(ali3_modes_count(s), 384);
  print_message("modes in %.3f s\n", took);
  assert_in_time(took, 1.0);
  ali3_modes_free(s);
  ali3_data_free(d);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hanging_chain_has_the_zeros_of_laguerre),
      cmocka_unit_test(a_mass_on_springs),
      cmocka_unit_test(a_long_chain_takes_less_than_a_second),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
