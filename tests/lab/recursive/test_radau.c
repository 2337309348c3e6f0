/* SPDX-License-Identifier: MIT
 * Radau IIA: order, error control, stiffness, and systems of index 1. */
#include "recursive/radau.h"

#include "check.h"

#include <math.h>

static void circle(void *user, double t, const double *y, const double *yd, double *F)
{
  (void)user;
  (void)t;
  F[0] = yd[0] - y[1];
  F[1] = yd[1] + y[0];
}

/* y1' = -k (y1 - cos t) - sin t: the smooth solution is cos t for any k. */
static void stiff(void *user, double t, const double *y, const double *yd, double *F)
{
  const double *k = user;
  F[0] = yd[0] + *k * (y[0] - cos(t)) + sin(t);
}

/* y1' = y2, 0 = y1^2 + y2^2 - 1 + sin t (y2 - cos t): y1 = sin t, y2 = cos t. */
static void algebraic(void *user, double t, const double *y, const double *yd, double *F)
{
  (void)user;
  F[0] = yd[0] - y[1];
  F[1] = (y[1] - cos(t)) * (3 + y[1]) + (y[0] - sin(t));
}

static struct radau_result run(struct radau r, double end, double *y)
{
  struct radau_result o;
  r.first = 1e-4;
  r.most = 100000;
  r.atol = r.rtol;
  assert_true(radau_run(&r, 0, end, y, &o));
  assert_near(o.t, end, 0);
  return o;
}

TEST(the_error_follows_the_tolerance)
{
  double last = 1;
  for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
    double y[2] = {0, 1};
    const struct radau r = {.n = 2, .residual = circle, .rtol = tolerance};
    run(r, 10, y);
    const double error = hypot(y[0] - sin(10), y[1] - cos(10));
    assert_true(error < 20 * tolerance && error < 0.2 * last);
    last = error;
  }
}

/* Order 5 with an estimate of order 3: a tolerance 1e-4 as large takes 10 times as many steps. */
TEST(steps_grow_as_the_order_says)
{
  long steps[2];
  for (int k = 0; k < 2; k++) {
    double y[2] = {0, 1};
    const struct radau r = {.n = 2, .residual = circle, .rtol = k ? 1e-10 : 1e-6};
    steps[k] = run(r, 10, y).steps;
  }
  assert_near((double)steps[1] / (double)steps[0], 10, 3);
}

TEST(stiffness_costs_nothing)
{
  double k[2] = {1, 1e8};
  long steps[2];
  for (int i = 0; i < 2; i++) {
    double y[1] = {1};
    const struct radau r = {.n = 1, .residual = stiff, .user = &k[i], .rtol = 1e-6};
    steps[i] = run(r, 10, y).steps;
    assert_near(y[0], cos(10), 1e-5);
  }
  assert_true(steps[1] <= 2 * steps[0]);
}

TEST(an_algebraic_equation)
{
  double y[2] = {0, 1};
  const struct radau r = {.n = 2, .residual = algebraic, .rtol = 1e-9};
  run(r, 3, y);
  assert_near(y[0], sin(3), 1e-7);
  assert_near(y[1], cos(3), 1e-7);
}

TEST(a_run_without_end_says_so)
{
  struct radau_result o;
  double y[2] = {0, 1};
  const struct radau r = {.n = 2, .residual = circle, .rtol = 1e-10, .atol = 1e-10, .first = 1e-4, .most = 7};
  assert_false(radau_run(&r, 0, 10, y, &o));
  assert_int_equal(o.steps + o.rejected, 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_error_follows_the_tolerance), cmocka_unit_test(steps_grow_as_the_order_says),
      cmocka_unit_test(stiffness_costs_nothing), cmocka_unit_test(an_algebraic_equation),
      cmocka_unit_test(a_run_without_end_says_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
