/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "cueing/tilt.h"

static const struct tilt_limits limits = {.rate = 0.05, .acc = 0.5, .jerk = 20.0, .most = 0.17};

static void sine(double o[3], double size, double w, double t)
{
  o[0] = size * sin(w * t);
  o[1] = size * w * cos(w * t);
  o[2] = -size * w * w * sin(w * t);
}

/* A sine within the limits is followed; what remains comes from a jerk that is constant over a cycle. */
TEST(is_transparent_within_its_limits)
{
  const double frequency[] = {0.5, 3.0, 9.9}, period[] = {1e-3, 1e-2};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) {
      const double w = frequency[i], size = 0.9 * fmin(limits.rate / w, limits.acc / (w * w)),
                   step = w * period[j];
      double wanted[3];
      sine(wanted, size, w, 0.0);
      struct tilt t = {.v = wanted[1]};
      for (int cycle = 1; cycle < 3000; cycle++) {
        sine(wanted, size, w, cycle * period[j]);
        tilt_step(&t, &limits, wanted, period[j]);
        assert_true(fabs(t.p - wanted[0]) < (1e-7 + 2.0 * step * step * step * step) * size);
        assert_false(t.rate_limited || t.angle_limited);
      }
    }
}

/* It moves almost as fast as allowed, does not overshoot, and ends at rest. */
TEST(a_step_takes_its_time_and_no_more)
{
  const double period[] = {1e-3, 1e-2, 0.037}, aim = 0.1, wanted[3] = {aim, 0, 0};
  const double shortest = aim / limits.rate + limits.rate / limits.acc;
  for (int j = 0; j < 3; j++) {
    struct tilt t = {0};
    double arrived = -1.0;
    for (int cycle = 1; cycle * period[j] < 5.0; cycle++) {
      tilt_step(&t, &limits, wanted, period[j]);
      assert_true(t.p <= aim);
      if (arrived < 0.0 && !t.rate_limited) arrived = cycle * period[j];
    }
    assert_true(aim - t.p < 1e-9 && t.v == 0.0);
    if (!(arrived >= shortest - 2.0 * period[j] && arrived < shortest + 0.05 + 7.0 * period[j]))
      fail_msg("period %g: arrived after %g s, the shortest is %g", period[j], arrived, shortest);
  }
}

/* Steps, noise and fast waves, beyond all limits. */
static double wild(struct random *random, double wanted[3], double t)
{
  static const double speed[] = {0.3, 2.0, 20.0};
  sine(wanted, 0.4, speed[(int)(t / 7.0) % 3], t);
  if ((int)(t / 3.0) % 4 == 0) {
    wanted[0] = random_between(random, -0.3, 0.3);
    wanted[1] = random_between(random, -1.0, 1.0);
    wanted[2] = random_between(random, -50.0, 50.0);
  }
  if ((int)(t / 5.0) % 5 == 0) wanted[1] = wanted[2] = 0.0;
  return wanted[0];
}

TEST(nothing_exceeds_the_limits)
{
  const double period[] = {1e-5, 1e-3, 1e-2, 0.1, 1.0, 10.0}, slack = 1.0 + 1e-12;
  struct random random = {11};
  for (int j = 0; j < 6; j++) {
    struct tilt t = {0};
    bool limited = false;
    for (int cycle = 1; cycle < 60000; cycle++) {
      const struct tilt before = t;
      double wanted[3];
      wild(&random, wanted, cycle * period[j]);
      tilt_step(&t, &limits, wanted, period[j]);
      limited = limited || t.rate_limited;
      assert_true(fabs(t.v) <= limits.rate * slack && fabs(t.a) <= limits.acc * slack);
      assert_true(fabs(t.a - before.a) <= limits.jerk * period[j] * slack);
      assert_true(fabs(t.v - before.v - 0.5 * period[j] * (t.a + before.a)) < 1e-15);
      assert_true(fabs(t.p - before.p) <= limits.rate * period[j] * slack + 1e-15);
      if (!(fabs(t.p) <= limits.most * slack))
        fail_msg("period %g: %g beyond", period[j], fabs(t.p) - limits.most);
    }
    assert_true(limited);
  }
}

/* After any motion it reaches a slow angle again, and stays on it. */
TEST(catches_up)
{
  const double period[] = {1e-3, 1e-2, 0.037};
  struct random random = {12};
  for (int j = 0; j < 3; j++)
    for (int round = 0; round < 50; round++) {
      struct tilt t = {.p = random_between(&random, -limits.most, limits.most)};
      const double w = random_between(&random, 0.2, 5.0), from = random_between(&random, 0.0, 10.0);
      const double size = 0.6 * fmin(limits.rate / w, limits.acc / (w * w));
      for (int cycle = 1; cycle * period[j] < 30.0; cycle++) {
        double wanted[3];
        sine(wanted, size, w, from + cycle * period[j]);
        tilt_step(&t, &limits, wanted, period[j]);
        if (cycle * period[j] > 20.0) assert_true(fabs(t.p - wanted[0]) < 0.01 * size && !t.rate_limited);
      }
    }
}

TEST(stops_at_the_largest_angle)
{
  struct tilt t = {0};
  for (int cycle = 1; cycle < 10000; cycle++) {
    const double wanted[3] = {0.04 * 1e-3 * cycle, 0.04, 0.0}; /* slow enough to follow, without end */
    tilt_step(&t, &limits, wanted, 1e-3);
    assert_true(t.p <= limits.most * (1.0 + 1e-12));
    assert_true(t.angle_limited == (wanted[0] > limits.most));
  }
  assert_true(limits.most - t.p < 1e-9 && t.v == 0.0);
}

TEST(a_smaller_largest_angle_is_gone_back_to)
{
  const struct tilt_limits smaller = {.rate = 0.05, .acc = 0.5, .jerk = 20.0, .most = 0.05};
  const double wanted[3] = {0.15, 0, 0}, slack = 1.0 + 1e-12;
  struct tilt t = {.p = 0.15};
  for (int cycle = 0; cycle < 4000; cycle++) {
    const double before = t.v;
    tilt_step(&t, &smaller, wanted, 1e-3);
    assert_true(fabs(t.v) <= 0.05 * slack && fabs(t.v - before) <= 0.5e-3 * slack && t.p >= 0.05 - 1e-12);
  }
  assert_true(t.p - 0.05 < 1e-9 && t.v == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_transparent_within_its_limits),
      cmocka_unit_test(a_step_takes_its_time_and_no_more),
      cmocka_unit_test(nothing_exceeds_the_limits),
      cmocka_unit_test(catches_up),
      cmocka_unit_test(stops_at_the_largest_angle),
      cmocka_unit_test(a_smaller_largest_angle_is_gone_back_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
