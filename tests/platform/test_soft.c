/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "platform/rig.h"
#include "platform/soft.h"

#include <stddef.h>
#include <stdlib.h>

/* p(t), plain and bent. */
static void motion(double t, double limit, double knee, double o[3])
{
  o[0] = 0.9 * sin(2.0 * t) + 0.3 * t;
  o[1] = 1.8 * cos(2.0 * t) + 0.3;
  o[2] = -3.6 * sin(2.0 * t);
  soft_limit(limit, knee, &o[0], &o[1], &o[2]);
}

TEST(rates_stay_derivatives)
{
  for (double t = -3.0; t < 3.0; t += 0.0137) {
    const double h = 1e-6;
    double at[3], before[3], after[3];
    motion(t, 0.7, 0.6, at);
    motion(t - h, 0.7, 0.6, before);
    motion(t + h, 0.7, 0.6, after);
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
      soft_limit(0.5, 0.6, &p, &v, &a);
      assert_true(fabs(p) < 0.5 && fabs(p) >= last && p * side >= 0.0);
      if (x <= 0.3) assert_true(p == side * x && v == 1.0 && a == 2.0);
      if (side == 1) last = fabs(p);
    }
  double p = 0.8, v = 1.0, a = 2.0;
  soft_limit(0.5, 1.0, &p, &v, &a);
  assert_true(p == 0.8 && v == 1.0 && a == 2.0);
}

/* A push beyond the travel: smallest acceleration on the way. */
static double hardest(double knee)
{
  char error[200];
  struct platform_spec s;
  struct platform *p = calloc(1, sizeof *p);
  struct platform_input in = {.order = PLATFORM_TO_RUN, .specific_force = {0, 0, RIG_GRAVITY}};
  double least = 0.0, most = 0.0;
  rig_spec(&s);
  s.params.knee[0] = knee;
  if (!platform_init(p, &s, error, sizeof error)) fail_msg("%s", error);
  for (int i = 0; i < 1000; i++) {
    if (i >= 700) in.specific_force[0] = 3.0;
    platform_step(p, &in);
    least = fmin(least, p->out.acceleration[0]);
    most = fmax(most, p->out.pose[0]);
  }
  assert_true(most > 0.85 * s.params.pos_max[0] && most <= s.params.pos_max[0]);
  free(p);
  return least;
}

TEST(the_end_of_the_travel_is_come_to_gently)
{
  const double soft = hardest(0.6), hard = hardest(1.0);
  print_message("braking before the end of the travel: %.2f m/s^2, %.2f without a knee\n", -soft, -hard);
  assert_true(soft > -0.8);
  assert_true(hard < -2.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_stay_derivatives),
      cmocka_unit_test(bends_behind_the_knee_only),
      cmocka_unit_test(the_end_of_the_travel_is_come_to_gently),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
