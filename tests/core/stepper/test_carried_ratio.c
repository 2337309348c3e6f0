/* SPDX-License-Identifier: MIT
 * Light bodies between heavy ones and the ground: a double pendulum whose second body weighs up to 1e9 times as much as the
 * first, compared with its equations of motion in two angles. */
#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81, HALF = 0.5;

/* Masses and inertias of two links of 1 m, centres of mass in the middle. */
struct links {
  double mass[2], inertia[2];
};

/* s: angles below the x axis, then their rates; o = s'. In long double, because the determinant is a difference of large
 * numbers. */
static void motion(const struct links *k, const long double s[4], long double o[4])
{
  const long double m[2] = {k->mass[0], k->mass[1]};
  const long double c = cosl(s[0] - s[1]), n = sinl(s[0] - s[1]);
  const long double M11 = k->inertia[0] + m[0] * HALF * HALF + m[1], M12 = m[1] * HALF * c,
                    M22 = k->inertia[1] + m[1] * HALF * HALF;
  const long double f1 = (m[0] * HALF + m[1]) * G * cosl(s[0]) - m[1] * HALF * n * s[3] * s[3];
  const long double f2 = m[1] * G * HALF * cosl(s[1]) + m[1] * HALF * n * s[2] * s[2];
  const long double det = M11 * M22 - M12 * M12;
  o[0] = s[2];
  o[1] = s[3];
  o[2] = (f1 * M22 - f2 * M12) / det;
  o[3] = (M11 * f2 - M12 * f1) / det;
}

/* Runge-Kutta method of order four from rest on the x axis. */
static void exact(const struct links *k, double seconds, int steps, long double s[4])
{
  const long double h = seconds / steps, part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1, 2, 2, 1};
  memset(s, 0, 4 * sizeof *s);
  for (int i = 0; i < steps; i++) {
    long double slope[4] = {0}, sum[4] = {0};
    for (int q = 0; q < 4; q++) {
      long double at[4];
      for (int n = 0; n < 4; n++) at[n] = s[n] + h * part[q] * slope[n];
      motion(k, at, slope);
      for (int n = 0; n < 4; n++) sum[n] += weight[q] * slope[n];
    }
    for (int n = 0; n < 4; n++) s[n] += h / 6.0 * sum[n];
  }
}

static void add_links(ali3_model *m, const struct links *k, const char *name, double y)
{
  int last = ALI3_GROUND;
  for (int i = 0; i < 2; i++) {
    char body[20], joint[20];
    const double at[3] = {HALF + i, y, 0};
    snprintf(body, sizeof body, "%s%d", name, i);
    snprintf(joint, sizeof joint, "j%s%d", name, i);
    ali3_body_spec b = toy_body(body, at, k->mass[i], k->inertia[i]);
    ali3_joint_spec j = {.name = joint,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = last,
                         .body_b = toy_added(m, ali3_model_add_body(m, &b)),
                         .point_a = {i ? HALF : 0, i ? 0 : y, 0},
                         .point_b = {-HALF, 0, 0},
                         .axis_a = {0, 1, 0},
                         .axis_b = {0, 1, 0}};
    toy_added(m, ali3_model_add_joint(m, &j));
    last = j.body_b;
  }
}

static ali3_model *pendulum(const struct links *k, double dt, bool extrapolate)
{
  ali3_model *m = ali3_model_new();
  ali3_options o = ali3_options_default();
  o.dt = dt;
  o.extrapolate = extrapolate;
  ali3_model_set_gravity(m, (const double[]){0, 0, -G});
  add_links(m, k, "b", 0);
  toy_freeze_with(m, &o);
  return m;
}

/* Returns the error of the centres of mass after 1 s. start: relative error of the force at the ground at the start. */
static double error_of(const struct links *k, double dt, bool extrapolate, double *start)
{
  long double s[4], slope[4];
  const long double rest[4] = {0};
  double worst = 0.0;
  ali3_model *m = pendulum(k, dt, extrapolate);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_joint_state ground;
  ali3_joint_get(m, d, 0, &ground);
  motion(k, rest, slope);
  double force = (double)(k->mass[0] * (G - HALF * slope[2]) + k->mass[1] * (G - slope[2] - HALF * slope[3]));
  *start = fabs(ground.force[2] / force - 1.0);
  for (int i = 0; i < (int)lround(1.0 / dt); i++) assert_int_equal(ali3_step(m, d), ALI3_OK);
  exact(k, 1.0, 50000, s);
  for (int i = 0; i < 2; i++) {
    ali3_body_state x;
    ali3_body_get(m, d, i, &x);
    double at[2] = {HALF * (double)cosl(s[i]), -HALF * (double)sinl(s[i])};
    if (i) at[0] += (double)cosl(s[0]);
    if (i) at[1] -= (double)sinl(s[0]);
    worst = fmax(worst, fmax(fabs(x.position[0] - at[0]), fabs(x.position[2] - at[1])));
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return worst;
}

TEST(any_ratio_of_masses_is_as_good)
{
  for (double ratio = 1; ratio < 2e9; ratio *= 10) {
    const struct links k = {{1, ratio}, {0.1, 0.1 * ratio}};
    double start, plain = error_of(&k, 0.01, false, &start), combined = error_of(&k, 0.01, true, &start);
    print_message("1:%.0e  plain %.2e m, extrapolated %.2e m, force at the start %.1e\n", ratio, plain,
                  combined, start);
    assert_true(plain < 1.2e-3 && combined < 1e-7);
    assert_true(start < 1e-9);
  }
}

/* The heavy body is a point at the end of its lever arm: only the inertia of the light one keeps the pair from folding. */
TEST(a_heavy_point_on_a_light_link_is_not_refused)
{
  for (double ratio = 1e2; ratio < 2e7; ratio *= 10) {
    const struct links k = {{1, ratio}, {1, 1}};
    ali3_model *m = pendulum(&k, 0.01, false);
    ali3_data *d = toy_start(m, ALI3_OK);
    ali3_data_free(d);
    ali3_model_free(m);
    if (ratio > 2e6) continue;
    double start, error = error_of(&k, 1e-4, false, &start);
    print_message("1:%.0e  at 0.1 ms %.2e m, force at the start %.1e\n", ratio, error, start);
    assert_true(error < 1e-4 && start < 1e-7);
  }
}

/* Beyond the accuracy of the step its status is not ALI3_OK. The report does not claim that the light body has no inertia. */
TEST(too_little_is_not_nothing)
{
  for (int proper = 0; proper < 2; proper++) {
    const struct links k = {{1, 1e13}, {1, proper ? 1e12 : 1}};
    char text[400];
    ali3_model *m = pendulum(&k, 0.01, false);
    ali3_data *d = toy_start(m, ALI3_OK);
    int status = ALI3_OK;
    for (int i = 0; i < 100 && status == ALI3_OK; i++) status = ali3_step(m, d);
    assert_int_not_equal(status, ALI3_OK);
    ali3_report_text(m, d, text, sizeof text);
    assert_null(strstr(text, "has no"));
    ali3_data_free(d);
    ali3_model_free(m);
  }
}

/* Mechanisms without a connection do not make each other's bodies light. */
TEST(another_mechanism_does_not_matter)
{
  const struct links light = {{1e-6, 2e-6}, {1e-7, 3e-7}}, heavy = {{1e6, 2e6}, {1e5, 3e5}};
  ali3_model *alone = pendulum(&light, 0.01, false), *both = ali3_model_new();
  ali3_model_set_gravity(both, (const double[]){0, 0, -G});
  add_links(both, &light, "b", 0);
  add_links(both, &heavy, "h", 3);
  toy_freeze(both, 0.01);
  ali3_data *d = toy_start(alone, ALI3_OK), *e = toy_start(both, ALI3_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(ali3_step(alone, d), ALI3_OK);
    assert_int_equal(ali3_step(both, e), ALI3_OK);
  }
  for (int b = 0; b < 2; b++) {
    ali3_body_state x, y;
    ali3_body_get(alone, d, b, &x);
    ali3_body_get(both, e, b, &y);
    for (int i = 0; i < 3; i++) assert_true(fabs(x.position[i] - y.position[i]) < 1e-11);
  }
  ali3_data_free(d);
  ali3_data_free(e);
  ali3_model_free(alone);
  ali3_model_free(both);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_ratio_of_masses_is_as_good),
      cmocka_unit_test(a_heavy_point_on_a_light_link_is_not_refused),
      cmocka_unit_test(too_little_is_not_nothing),
      cmocka_unit_test(another_mechanism_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
