/* SPDX-License-Identifier: MIT
 * Every law against its formula, its slope against differences, and its energy against quadrature. */
#include "check.h"
#include "common/random.h"
#include "dynamics/laws.h"

#include <stdio.h>

/* needs cmocka */
#include "common/seeded.h"

enum { SEEDS = 200 };

/* dL/dx + v_d dL/dx' by differences: if x changes by e, x' changes by v_d e. */
static double slope_by_differences(const struct law *law, double x, double rate, double v_d)
{
  const double e = 1e-6;
  double s;
  return (law_force(law, NULL, x + e, rate + v_d * e, v_d, &s) -
          law_force(law, NULL, x - e, rate - v_d * e, v_d, &s)) /
         (2 * e);
}

TEST(a_linear_law_is_stiffness_and_damping)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    const ali3_table none = {0};
    struct law law = {.kind = seed % 2 ? LAW_LINEAR : LAW_TABLE, /* LAW_TABLE without tables is linear */
                      .stiffness = random_between(&r, 0, 10),
                      .damping = random_between(&r, 0, 10),
                      .force = &none,
                      .damping_table = &none};
    double x = random_between(&r, -2, 2), rate = random_between(&r, -2, 2), v_d = random_between(&r, 1, 100),
           s;
    assert_near_in(check_seed(seed), law_force(&law, NULL, x, rate, v_d, &s),
                   law.stiffness * x + law.damping * rate, 1e-15);
    assert_near_in(check_seed(seed), s, law.stiffness + v_d * law.damping, 1e-15);
    assert_near_in(check_seed(seed), s, slope_by_differences(&law, x, rate, v_d), 1e-6);
    assert_near_in(check_seed(seed), law_energy(&law, NULL, x), 0.5 * law.stiffness * x * x, 1e-15);
  }
}

enum { POINTS = 5 };

/* Rising, over both sides of 0 or one of them. */
static void random_table(struct random *r, double point[POINTS][2], bool rising)
{
  double x = random_between(r, -3, 1), y = random_between(r, -5, 5);
  for (int i = 0; i < POINTS; i++) {
    point[i][0] = x;
    point[i][1] = y;
    x += random_between(r, 0.1, 1);
    y += random_between(r, rising ? 0 : -3, 3);
  }
}

/* Lagrange's formula on the interval that contains x, found by a linear search. */
static double by_hand(const double p[POINTS][2], double x)
{
  int i = 0;
  while (i < POINTS - 2 && x > p[i + 1][0]) i++;
  double w = (x - p[i][0]) / (p[i + 1][0] - p[i][0]);
  return (1 - w) * p[i][1] + w * p[i + 1][1];
}

TEST(a_table_is_lines_between_points_and_beyond_them)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    double f[POINTS][2], d[POINTS][2], s;
    const ali3_table force = {POINTS, (const double(*)[2])f}, damping = {POINTS, (const double(*)[2])d};
    struct law law = {
        .kind = LAW_TABLE, .stiffness = 3, .damping = 4, .force = &force, .damping_table = &damping};
    random_table(&r, f, seed % 2);
    random_table(&r, d, seed % 2);
    double far = seed % 3 ? 4 : 40, x = random_between(&r, -far, far), rate = random_between(&r, -far, far);
    assert_near_in(check_seed(seed), law_force(&law, NULL, x, rate, 7, &s), by_hand(f, x) + by_hand(d, rate),
                   1e-12);
    check(seed, s >= 0);
    if (seed % 2) assert_near_in(check_seed(seed), s, slope_by_differences(&law, x, rate, 7), 1e-5);
    /* both lines meet at a point */
    for (int i = 0; i < POINTS; i++)
      assert_near_in(check_seed(seed), law_force(&law, NULL, f[i][0], d[i][0], 7, &s), f[i][1] + d[i][1],
                     1e-14);
    /* a table replaces only its own coefficient */
    const ali3_table none = {0};
    law.force = &none;
    assert_near_in(check_seed(seed), law_force(&law, NULL, x, rate, 7, &s), 3 * x + by_hand(d, rate), 1e-12);
    law.force = &force;
    law.damping_table = &none;
    assert_near_in(check_seed(seed), law_force(&law, NULL, x, rate, 7, &s), by_hand(f, x) + 4 * rate, 1e-12);
  }
}

TEST(a_falling_stretch_has_no_slope)
{
  const double p[2][2] = {{0, 5}, {1, 2}};
  const ali3_table falls = {2, p}, none = {0};
  struct law law = {.kind = LAW_TABLE, .stiffness = 7, .damping = 2, .force = &falls, .damping_table = &none};
  double slope;
  assert_near_in(check_seed(0), law_force(&law, NULL, 0.5, 1, 10, &slope), 3.5 + 2, 1e-15);
  assert_near_in(check_seed(0), slope, 20, 1e-15);
}

/* Energy of a table by the trapezoidal rule over many small pieces, corners among their ends. */
TEST(what_a_table_stores_is_its_area)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    double f[POINTS][2], sum = 0, s;
    const ali3_table force = {POINTS, (const double(*)[2])f}, none = {0};
    struct law law = {.kind = LAW_TABLE, .force = &force, .damping_table = &none};
    enum { PIECES = 4000 };
    random_table(&r, f, false);
    double x = random_between(&r, -6, 6);
    if (seed % 10 == 0) x = f[seed / 10 % POINTS][0];
    if (seed % 10 == 1) f[2][0] = 0.5 * (f[1][0] + f[3][0]); /* another grid */
    for (int i = 0; i < PIECES; i++)
      sum += x / PIECES * law_force(&law, NULL, x * (i + 0.5) / PIECES, 0, 1, &s);
    assert_near_in(check_seed(seed), law_energy(&law, NULL, x), sum, 1e-5);
  }
  /* 0 is a point of the table */
  const double p[3][2] = {{-1, -2}, {0, 0}, {2, 1}};
  const ali3_table force = {3, p}, none = {0};
  struct law law = {.kind = LAW_TABLE, .force = &force, .damping_table = &none};
  assert_near_in(check_seed(0), law_energy(&law, NULL, 0), 0, 0);
  assert_near_in(check_seed(0), law_energy(&law, NULL, -1), 1, 1e-15);
  assert_near_in(check_seed(0), law_energy(&law, NULL, -2), 4, 1e-15);
  assert_near_in(check_seed(0), law_energy(&law, NULL, 2), 1, 1e-15);
  assert_near_in(check_seed(0), law_energy(&law, NULL, 4), 4, 1e-15);
}

static struct law random_limits(struct random *r, double damping)
{
  struct law law = {.kind = LAW_LIMITS,
                    .stiffness = random_between(r, 1, 100),
                    .damping = damping,
                    .lower = random_between(r, -1, 0),
                    .upper = random_between(r, 0.1, 1)};
  int which = random_below(r, 3);
  if (which == 1) law.lower = -INFINITY;
  if (which == 2) law.upper = INFINITY;
  return law;
}

static double beyond(const struct law *law, double x)
{
  return x > law->upper ? x - law->upper : x < law->lower ? x - law->lower : 0;
}

TEST(limits_push_back_and_never_pull)
{
  int pushed = 0, let_go = 0;
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    struct law law = random_limits(&r, random_between(&r, 0, 50));
    double x = random_between(&r, -2, 2), rate = random_between(&r, -2, 2), slope, mean;
    double out = beyond(&law, x), all = law.stiffness * out + law.damping * rate;
    double force = law_force(&law, NULL, x, rate, 30, &slope);
    check(seed, force * out >= 0);
    if (out == 0 || all * out <= 0) {
      check(seed, force == 0 && slope == 0);
      let_go += out != 0;
    } else {
      assert_near_in(check_seed(seed), force, all, 1e-15);
      assert_near_in(check_seed(seed), slope, law.stiffness + 30 * law.damping, 1e-15);
      assert_near_in(check_seed(seed), slope, slope_by_differences(&law, x, rate, 30), 1e-4);
      pushed++;
    }
    assert_near_in(check_seed(seed), law_energy(&law, NULL, x), 0.5 * law.stiffness * out * out, 1e-15);
    /* the mean over a step is continuous, too, for any start of the step */
    double x0 = random_between(&r, -2, 2), out0 = beyond(&law, x0);
    for (int end = 0; end < 2; end++) {
      mean = law_mean(&law, x0, x, 0.01, end, &slope);
      check(seed, slope >= 0);
      if (out0 * out >= 0) check(seed, mean * (out0 + out) >= 0);
      if (out0 == 0 && out == 0) check(seed, mean == 0 && slope == 0);
    }
  }
  assert_true(pushed > SEEDS / 10 && let_go > SEEDS / 20);
}

/* Mean force times distance equals the difference of stored energy, for ends on any side of the limits. */
TEST(the_mean_over_a_step_does_the_work_of_what_is_stored)
{
  enum { PLACES = 3 };
  int seen[PLACES][PLACES] = {{0}};
  for (int seed = 1; seed <= 10 * SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    struct law law = random_limits(&r, 0);
    double x0 = random_between(&r, -3, 3), x = random_between(&r, -3, 3), slope, other;
    double out0 = beyond(&law, x0), out = beyond(&law, x);
    double mean = law_mean(&law, x0, x, 0.01, false, &slope);
    seen[1 + (out0 > 0) - (out0 < 0)][1 + (out > 0) - (out < 0)]++;
    assert_near_in(check_seed(seed), mean * (x - x0), law_energy(&law, NULL, x) - law_energy(&law, NULL, x0),
                   1e-12);
    /* the slope is that of the mean as the end moves */
    const double e = 1e-7;
    double by_differences =
        (law_mean(&law, x0, x + e, 0.01, false, &other) - law_mean(&law, x0, x - e, 0.01, false, &other)) /
        (2 * e);
    if (fabs(x - law.lower) > e && fabs(x - law.upper) > e && fabs(x - x0) > 1e-2)
      assert_near_in(check_seed(seed), slope, by_differences, 1e-4);
  }
  for (int i = 0; i < PLACES; i++)
    for (int k = 0; k < PLACES; k++) assert_true(seen[i][k] > SEEDS / 10);
}

TEST(a_step_that_goes_nowhere_has_the_force_it_stands_in)
{
  const struct law law = {.kind = LAW_LIMITS, .stiffness = 10, .lower = -1, .upper = 1};
  double slope;
  assert_near_in(check_seed(0), law_mean(&law, 1.5, 1.5, 0.01, false, &slope), 5, 1e-15);
  assert_near_in(check_seed(0), slope, 5, 1e-15); /* half the slope at the end */
  assert_near_in(check_seed(0), law_mean(&law, -1.5, -1.5, 0.01, false, &slope), -5, 1e-15);
  assert_near_in(check_seed(0), law_mean(&law, 1, 1, 0.01, false, &slope), 0, 0);
  assert_near_in(check_seed(0), slope, 0, 0);
}

/* A damper at a stop removes energy for any step. */
TEST(damping_at_a_limit_takes_energy_out)
{
  for (int seed = 1; seed <= 10 * SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    struct law law = random_limits(&r, random_between(&r, 0, 20));
    const double dt = 0.01;
    /* within the limit at the start, without force; beyond it at the end */
    double x0 = fmax(random_between(&r, -1, 1), law.lower), slope;
    x0 = fmin(x0, law.upper);
    double x = random_between(&r, -2, 2);
    double mean = law_mean(&law, x0, x, dt, false, &slope);
    check(seed, mean * (x - x0) >= law_energy(&law, NULL, x) - law_energy(&law, NULL, x0) - 1e-12);
  }
}

/* The damper builds up from the first touch. At full strength there, the iteration would jump between open and closed. */
TEST(nothing_jumps_where_a_limit_begins)
{
  for (int seed = 1; seed <= SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    struct law law = random_limits(&r, random_between(&r, 0, 50));
    double x0 = fmin(fmax(random_between(&r, -1, 1), law.lower), law.upper), slope;
    for (int end = 0; end < 2; end++) {
      check(seed, fabs(law_mean(&law, x0, law.upper + 1e-9, 0.01, end, &slope)) < 1e-4);
      check(seed, fabs(law_mean(&law, x0, law.lower - 1e-9, 0.01, end, &slope)) < 1e-4);
    }
  }
}

/* With the mobility that law_drag() assumes, the row is on the law. */
TEST(the_drag_is_that_of_the_sliding_to_come)
{
  int sticks = 0, slides = 0;
  for (int seed = 1; seed <= 10 * SEEDS; seed++) {
    struct random r = {(uint64_t)seed};
    bool contact = seed % 2;
    struct law law = {.kind = contact ? LAW_SLIP : LAW_FRICTION,
                      .friction = random_between(&r, 0, 2),
                      .damping = contact ? 0.0 : random_between(&r, 0, 3),
                      .slip = pow(10, random_between(&r, -4, 0))};
    double normal = contact ? random_between(&r, 0, 100) : 1.0, push = pow(10, random_between(&r, -5, 1));
    double gives = pow(10, random_between(&r, -4, 0)), tangent;
    double drag = law_drag(&law, normal, push, gives, &tangent), v = push / (1.0 + gives * drag);
    double F = law.friction * normal, wanted = F / hypot(v, law.slip) + law.damping;
    assert_near_in(check_seed(seed), drag, wanted, 1e-3);
    check(seed, tangent >= 0 && tangent <= drag * (1 + 1e-12));
    check(seed, law_drag(&law, normal, -push, gives, &tangent) == drag); /* both directions */
    sticks += v < law.slip;
    slides += v > 10 * law.slip;
  }
  assert_true(sticks > SEEDS && slides > SEEDS);
}

TEST(laws_with_corners_are_known)
{
  static const bool switches[] = {[LAW_TABLE] = true,    [LAW_USER] = true, [LAW_LIMITS] = true,
                                  [LAW_FRICTION] = true, [LAW_SLIP] = true, [LAW_VALUE] = false};
  static const bool jumps[] = {
      [LAW_LIMITS] = true, [LAW_FRICTION] = true, [LAW_SLIP] = true, [LAW_VALUE] = false};
  for (int kind = LAW_LINEAR; kind <= LAW_VALUE; kind++) {
    const struct law law = {.kind = (enum law_kind)kind};
    assert_true(law_switches(&law) == switches[kind]);
    assert_true(law_jumps(&law) == jumps[kind]);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_linear_law_is_stiffness_and_damping),
      cmocka_unit_test(a_table_is_lines_between_points_and_beyond_them),
      cmocka_unit_test(a_falling_stretch_has_no_slope),
      cmocka_unit_test(what_a_table_stores_is_its_area),
      cmocka_unit_test(limits_push_back_and_never_pull),
      cmocka_unit_test(the_mean_over_a_step_does_the_work_of_what_is_stored),
      cmocka_unit_test(a_step_that_goes_nowhere_has_the_force_it_stands_in),
      cmocka_unit_test(damping_at_a_limit_takes_energy_out),
      cmocka_unit_test(nothing_jumps_where_a_limit_begins),
      cmocka_unit_test(the_drag_is_that_of_the_sliding_to_come),
      cmocka_unit_test(laws_with_corners_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
