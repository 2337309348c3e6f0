/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "envelope/glide.h"

#include <math.h>

static struct platform_motion at(const struct glide *g, double t)
{
  struct glide copy = *g;
  struct platform_motion m = {0};
  copy.time = t;
  glide_add(&copy, &m);
  return m;
}

static void random_motion(struct random *r, struct platform_motion *m)
{
  random_vector(r, m->p, PLATFORM_DOF);
  random_vector(r, m->v, PLATFORM_DOF);
  random_vector(r, m->a, PLATFORM_DOF);
}

TEST(begins_as_given_and_ends_at_nothing)
{
  struct random r = {.state = 1};
  struct platform_motion from, to;
  struct glide g;
  random_motion(&r, &from);
  random_motion(&r, &to);
  glide_begin(&g, &from, &to, 1.7);
  const struct platform_motion start = at(&g, 0.0), end = at(&g, 1.7 * (1.0 - 1e-12)), after = at(&g, 1.7);
  for (int k = 0; k < PLATFORM_DOF; k++) {
    assert_true(fabs(start.p[k] - (from.p[k] - to.p[k])) < 1e-14);
    assert_true(fabs(start.v[k] - (from.v[k] - to.v[k])) < 1e-14);
    assert_true(fabs(start.a[k] - (from.a[k] - to.a[k])) < 1e-13);
    assert_true(fabs(end.p[k]) < 1e-10 && fabs(end.v[k]) < 1e-10 && fabs(end.a[k]) < 1e-9);
    assert_true(after.p[k] == 0.0 && after.v[k] == 0.0 && after.a[k] == 0.0);
  }
}

TEST(rates_are_derivatives)
{
  struct random r = {.state = 2};
  struct platform_motion from, to;
  struct glide g;
  random_motion(&r, &from);
  random_motion(&r, &to);
  glide_begin(&g, &from, &to, 0.8);
  for (double t = 0.05; t < 0.75; t += 0.01) {
    const double h = 1e-6;
    const struct platform_motion m = at(&g, t), a = at(&g, t - h), b = at(&g, t + h);
    for (int k = 0; k < PLATFORM_DOF; k++) {
      assert_true(fabs((b.p[k] - a.p[k]) / (2.0 * h) - m.v[k]) < 1e-7);
      assert_true(fabs((b.v[k] - a.v[k]) / (2.0 * h) - m.a[k]) < 1e-6);
    }
  }
}

/* The constants by which moves are planned. */
TEST(peaks_from_rest_to_rest)
{
  const struct platform_motion from = {.p = {1.0}}, to = {0};
  struct glide g;
  double rate = 0.0, acceleration = 0.0, jerk = 0.0, before;
  glide_begin(&g, &from, &to, 1.0);
  before = at(&g, 0.0).a[0];
  for (int i = 1; i <= 100000; i++) {
    const struct platform_motion m = at(&g, i * 1e-5 * (1.0 - 1e-12));
    rate = fmax(rate, fabs(m.v[0]));
    acceleration = fmax(acceleration, fabs(m.a[0]));
    jerk = fmax(jerk, fabs(m.a[0] - before) / 1e-5);
    before = m.a[0];
  }
  assert_true(fabs(rate - GLIDE_RATE) < 1e-8);
  assert_true(fabs(acceleration - GLIDE_ACCELERATION) < 1e-8);
  assert_true(fabs(jerk - GLIDE_JERK) < 1e-2);
}

/* It starts at the motion and ends at the target; rates and accelerations are its derivatives. */
TEST(a_fade_passes_from_one_motion_to_another)
{
  struct random r = {.state = 3};
  struct platform_motion now, to, m;
  struct fade f;
  random_motion(&r, &now);
  random_motion(&r, &to);
  fade_begin(&f, &now, 0.8);
  m = to;
  fade_mix(&f, &m);
  for (int k = 0; k < PLATFORM_DOF; k++)
    assert_true(fabs(m.p[k] - now.p[k]) < 1e-14 && fabs(m.v[k] - now.v[k]) < 1e-14 &&
                fabs(m.a[k] - now.a[k]) < 1e-12);
  const double h = 1e-5;
  struct platform_motion last[2] = {now, now};
  for (int i = 1; !fade_over(&f); i++) {
    fade_advance(&f, h);
    for (int k = 0; k < PLATFORM_DOF; k++) { /* at constant velocity */
      m.p[k] = to.p[k] + to.v[k] * h * i;
      m.v[k] = to.v[k];
      m.a[k] = 0.0;
    }
    fade_mix(&f, &m);
    for (int k = 0; k < PLATFORM_DOF && i > 1; k++) {
      assert_true(fabs((m.p[k] - last[1].p[k]) / (2.0 * h) - last[0].v[k]) < 1e-4);
      assert_true(fabs((m.v[k] - last[1].v[k]) / (2.0 * h) - last[0].a[k]) < 1e-2);
    }
    last[1] = last[0];
    last[0] = m;
  }
  for (int k = 0; k < PLATFORM_DOF; k++) assert_true(fabs(m.v[k] - to.v[k]) < 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(begins_as_given_and_ends_at_nothing),
      cmocka_unit_test(rates_are_derivatives),
      cmocka_unit_test(peaks_from_rest_to_rest),
      cmocka_unit_test(a_fade_passes_from_one_motion_to_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
