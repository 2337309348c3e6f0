/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "envelope/axis.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const double PERIOD[] = {1e-3, 2e-3, 1e-2, 2e-2, 1e-1};
enum { PERIODS = sizeof PERIOD / sizeof *PERIOD };

static struct axis standard(double period)
{
  struct axis x;
  axis_set(&x, 0.4, 4.0, 100.0, period);
  return x;
}

static bool at_rest(const struct axis_state *s)
{
  return s->v == 0.0 && s->a == 0.0;
}

/* One cycle, with the checks of every cycle. */
static void advance(const struct axis *x, double jerk, struct axis_state *s)
{
  const struct axis_state b = *s;
  const double T = x->period;
  if (!(fabs(jerk) <= x->jerk * (1.0 + 1e-12))) fail_msg("jerk %.17g", jerk);
  axis_advance(x, jerk, s);
  const double a = b.a + jerk * T, v = b.v + (b.a + a) * T / 2.0;
  const double p = b.p + b.v * T + (2.0 * b.a + a) * T * T / 6.0;
  const double exact = 1e-12 * (1.0 + fabs(b.p) + fabs(b.v) + fabs(b.a));
  assert_true(fabs(s->a - a) < exact && fabs(s->v - v) < exact && fabs(s->p - p) < exact);
}

/* While the acceleration returns to zero, the velocity changes exactly by axis_release(). */
TEST(release_is_the_change_of_velocity)
{
  struct random random = {1};
  for (int round = 0; round < 2000; round++) {
    const struct axis x = standard(PERIOD[round % PERIODS]);
    struct axis_state s = {0, 0, random_between(&random, -8.0, 8.0)};
    const double v = axis_release(&x, s.a);
    for (int n = 0; n < 200; n++) advance(&x, -copysign(fmin(x.jerk, fabs(s.a) / x.period), s.a), &s);
    assert_true(fabs(s.v - v) < 1e-13 * (1.0 + fabs(v)));
  }
}

/* A stop from any state, also beyond the limits, takes about as long as in continuous time. */
TEST(braking_comes_to_rest)
{
  struct random random = {2};
  for (int round = 0; round < 20000; round++) {
    const double T = PERIOD[round % PERIODS];
    struct axis x;
    axis_set(&x, 1.0, pow(10.0, random_between(&random, -1.0, 1.5)),
             pow(10.0, random_between(&random, 0.5, 3.0)), T);
    struct axis_state s = {0, random_between(&random, -1.5, 1.5),
                           random_between(&random, -1.5, 1.5) * x.acceleration};
    const double first = s.v, e = s.v + axis_release(&x, s.a), A = x.acceleration, J = x.jerk;
    const double longest =
        fabs(s.a) / J + 1.5 * A / J + fabs(e) / fmin(A, sqrt(fabs(e) * J) + 1e-300) + A / J;
    const double exact = 1e-12 * (1.0 + fabs(axis_release(&x, s.a)));
    int n = 0;
    for (; !at_rest(&s); n++) {
      const struct axis_state before = s;
      advance(&x, axis_brake(&x, s.v, s.a), &s);
      assert_true(fabs(s.a) <= fmax(A * (1.0 + 1e-12), fabs(before.a)));
      if (fabs(before.a) > A * (1.0 + 1e-12)) assert_true(fabs(s.a) < fabs(before.a)); /* it returns */
      /* the velocity after the acceleration returns to zero decreases, and keeps its sign */
      const double was = before.v + axis_release(&x, before.a), is = s.v + axis_release(&x, s.a);
      if (!(is * (e < 0.0 ? -1.0 : 1.0) > -exact && fabs(is) <= fabs(was) + exact))
        fail_msg("cycle %d of %g s: %.17g to come, after %.17g", n, T, is, was);
      if (first * e > 0.0) assert_true(s.v * (e < 0.0 ? -1.0 : 1.0) > -exact); /* v keeps its sign */
      if (n > longest / T + 8.0) fail_msg("%d cycles of %g s, %g s expected", n, T, longest);
    }
  }
}

/* The jerk depends on v and a only. */
TEST(braking_knows_only_where_it_is)
{
  const struct axis x = standard(0.01);
  struct axis_state all[200] = {{0.1, 0.37, 2.3}};
  int n = 0;
  for (; n < 199 && !at_rest(&all[n]); n++) {
    all[n + 1] = all[n];
    advance(&x, axis_brake(&x, all[n].v, all[n].a), &all[n + 1]);
  }
  assert_true(n > 15);
  for (int from = n; from >= 0; from--) {
    struct axis_state s = all[from];
    for (int k = from; k < n; k++) {
      assert_memory_equal(&s, &all[k], sizeof s);
      axis_advance(&x, axis_brake(&x, s.v, s.a), &s);
    }
    assert_memory_equal(&s, &all[n], sizeof s);
  }
  assert_true(axis_brake(&x, 0.0, 0.0) == 0.0);
}

/* From constant velocity to rest: at most a few cycles longer than the shortest time. */
TEST(braking_is_about_as_fast_as_can_be)
{
  for (int k = 0; k < PERIODS; k++) {
    const struct axis x = standard(PERIOD[k]);
    struct axis_state s = {0, 0.4, 0};
    int n = 0;
    for (; n < 1000 && !at_rest(&s); n++) advance(&x, axis_brake(&x, s.v, s.a), &s);
    const double ideal = 0.4 / 4.0 + 4.0 / 100.0;
    if (n > ideal / PERIOD[k] + 4.0) fail_msg("%d cycles of %g s", n, PERIOD[k]);
  }
}

static void check_limits(const struct axis *x, const struct axis_state *s)
{
  const double most = s->v + axis_release(x, s->a);
  if (fabs(s->a) > x->acceleration * (1.0 + 1e-12) || fabs(s->v) > x->velocity * (1.0 + 1e-12) ||
      fabs(most) > x->velocity * (1.0 + 1e-12))
    fail_msg("v %.17g a %.17g, v to come %.17g", s->v, s->a, most);
}

TEST(steps_of_any_size_are_followed)
{
  for (int k = 0; k < PERIODS; k++)
    for (int size = 0; size < 17; size++) {
      const double step = 1e-8 * pow(3.0, size);
      const struct axis x = standard(PERIOD[k]);
      const struct axis_state target = {0.1 + step, 0, 0};
      struct axis_state s = {0.1, 0, 0};
      double over = 0.0, settled = 0.0, ideal = 2.0 * sqrt(step / 4.0) + step / 0.4 + 0.08 + 20.0 / x.gain;
      int n = 0;
      while (n * x.period < ideal + 10.0) {
        advance(&x, axis_follow(&x, &s, &target), &s);
        check_limits(&x, &s);
        over = fmax(over, s.p - target.p);
        n++;
        if (fabs(s.p - target.p) > 1e-3 * step) settled = n * x.period;
      }
      if (over > 0.01 * step) fail_msg("period %g, step %g: beyond by %g", x.period, step, over / step);
      if (settled > ideal) fail_msg("period %g, step %g: takes %g s", x.period, step, settled);
      assert_true(at_rest(&s) && fabs(s.p - target.p) <= 1e-12);
    }
}

/* Amplitude: just within the limits. */
static double follow_sine(const struct axis *x, double hz, double part)
{
  const double w = 2.0 * 3.14159265358979323846 * hz;
  const double size = part * fmin(x->velocity / w, fmin(x->acceleration / (w * w), x->jerk / (w * w * w)));
  struct axis_state s = {0, size * w, 0};
  double worst = 0.0;
  for (int n = 1; n * x->period < 5.0; n++) {
    const double t = w * n * x->period;
    const struct axis_state target = {size * sin(t), size * w * cos(t), -size * w * w * sin(t)};
    advance(x, axis_follow(x, &s, &target), &s);
    worst = fmax(worst, fabs(s.p - target.p));
  }
  return worst / size;
}

TEST(smooth_motion_passes_unchanged)
{
  struct axis x = standard(0.01);
  assert_true(follow_sine(&x, 0.25, 0.9) < 1e-7);
  assert_true(follow_sine(&x, 0.6, 0.9) < 1e-6);
  assert_true(follow_sine(&x, 1.0, 0.9) < 1e-5);
  assert_true(follow_sine(&x, 2.5, 0.9) < 5e-4);
  x = standard(0.001);
  assert_true(follow_sine(&x, 1.0, 0.9) < 1e-8);
  assert_true(follow_sine(&x, 2.5, 0.9) < 1e-6);
  assert_true(follow_sine(&x, 1.0, 1.5) > 0.1); /* beyond the limits it cannot follow */
}

/* A target with constant jerk is followed exactly. */
TEST(its_own_kind_of_motion_is_followed_exactly)
{
  const struct axis x = standard(0.01);
  struct axis_state target = {0.05, 0.1, 0.5}, s = target;
  struct random random = {3};
  for (int n = 0; n < 5000; n++) {
    const double jerk = n % 40 < 20 ? 50.0 - 100.0 * (n % 2) : axis_brake(&x, target.v, target.a);
    axis_advance(&x, jerk + (n % 40 < 20 ? random_between(&random, -20.0, 20.0) : 0.0), &target);
    advance(&x, axis_follow(&x, &s, &target), &s);
    assert_true(fabs(s.p - target.p) < 1e-12 && fabs(s.v - target.v) < 1e-10 && fabs(s.a - target.a) < 1e-8);
  }
}

TEST(no_target_takes_it_beyond_its_limits)
{
  struct random random = {4};
  for (int k = 0; k < PERIODS; k++) {
    const struct axis x = standard(PERIOD[k]);
    struct axis_state s = {0, 0, 0}, target = {0, 0, 0};
    for (int n = 0; n < 50000; n++) {
      if (random_below(&random, 20) == 0)
        target = (struct axis_state){random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0),
                                     random_between(&random, -10.0, 10.0)};
      advance(&x, axis_follow(&x, &s, &target), &s);
      check_limits(&x, &s);
    }
  }
}

/* After limits became smaller, the state returns within them, and does not exceed them more than necessary. */
TEST(what_is_beyond_comes_back)
{
  struct random random = {5};
  for (int round = 0; round < 5000; round++) {
    const struct axis x = standard(PERIOD[round % PERIODS]);
    struct axis_state s = {0, random_between(&random, -1.0, 1.0), random_between(&random, -8.0, 8.0)};
    const struct axis_state target = {10.0, 0, 0};
    const double most = fmax(fmax(fabs(s.v), fabs(s.v + axis_release(&x, s.a))), x.velocity);
    int n = 0;
    for (; n < 1000 + (int)(1.0 / x.period); n++) {
      const double a = fabs(s.a);
      advance(&x, axis_follow(&x, &s, &target), &s);
      assert_true(fabs(s.a) <= fmax(a, x.acceleration * (1.0 + 1e-12)));
      assert_true(fabs(s.v) <= most + 1e-12);
    }
    check_limits(&x, &s);
  }
}

/* p(t), plain and bent. */
static void bent_motion(double t, double limit, double knee, double o[3])
{
  o[0] = 0.9 * sin(2.0 * t) + 0.3 * t;
  o[1] = 1.8 * cos(2.0 * t) + 0.3;
  o[2] = -3.6 * sin(2.0 * t);
  axis_bend(limit, knee, &o[0], &o[1], &o[2]);
}

TEST(rates_stay_derivatives)
{
  for (double t = -3.0; t < 3.0; t += 0.0137) {
    const double h = 1e-6;
    double at[3], before[3], after[3];
    bent_motion(t, 0.7, 0.6, at);
    bent_motion(t - h, 0.7, 0.6, before);
    bent_motion(t + h, 0.7, 0.6, after);
    assert_true(fabs((after[0] - before[0]) / (2.0 * h) - at[1]) < 1e-8);
    assert_true(fabs((after[1] - before[1]) / (2.0 * h) - at[2]) < 1e-4); /* its derivative has corners */
  }
}

TEST(bends_behind_the_knee_only)
{
  double last = 0.0;
  for (double x = 0.0; x < 10.0; x += 0.01)
    for (int side = -1; side <= 1; side += 2) {
      double p = side * x, v = 1.0, a = 2.0;
      axis_bend(0.5, 0.6, &p, &v, &a);
      assert_true(fabs(p) < 0.5 && fabs(p) >= last && p * side >= 0.0);
      if (x <= 0.3) assert_true(p == side * x && v == 1.0 && a == 2.0);
      if (side == 1) last = fabs(p);
    }
  double p = 0.8, v = 1.0, a = 2.0;
  axis_bend(0.5, 1.0, &p, &v, &a);
  assert_true(p == 0.8 && v == 1.0 && a == 2.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(release_is_the_change_of_velocity),
      cmocka_unit_test(braking_comes_to_rest),
      cmocka_unit_test(braking_knows_only_where_it_is),
      cmocka_unit_test(braking_is_about_as_fast_as_can_be),
      cmocka_unit_test(steps_of_any_size_are_followed),
      cmocka_unit_test(smooth_motion_passes_unchanged),
      cmocka_unit_test(its_own_kind_of_motion_is_followed_exactly),
      cmocka_unit_test(no_target_takes_it_beyond_its_limits),
      cmocka_unit_test(what_is_beyond_comes_back),
      cmocka_unit_test(rates_stay_derivatives),
      cmocka_unit_test(bends_behind_the_knee_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
