/* SPDX-License-Identifier: MIT
 * math/angle.h beside the mathematics of the C library. */
#include "math/angle.h"

#include "check.h"

#include <math.h>

static const double ROUNDING = 1e-15; /* rad */

TEST(angle_is_that_of_the_library)
{
  for (int i = 0; i <= 20000; i++) {
    double at = (i / 10000.0 - 1.0) * 3.14159265358979, y = 3.7 * sin(at), x = 3.7 * cos(at);
    double error = fabs(num_angle(y, x) - atan2(y, x));
    if (!(error < ROUNDING)) fail_msg("angle %.17g: off by %g", at, error);
  }
}

TEST(angle_of_axes_and_extremes)
{
  static const double vector[][2] = {{0, 1},          {1, 0},         {-1, 0},          {1, 1},
                                     {-1, 1},         {-1, -1},       {1, -1},          {0, 1e-200},
                                     {1e-200, -3e-9}, {1e300, 1e300}, {-1e-150, 1e-160}};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++)
    assert_true(fabs(num_angle(vector[i][0], vector[i][1]) - atan2(vector[i][0], vector[i][1])) < ROUNDING);
  assert_true(num_angle(0.0, 0.0) == 0.0);
  assert_true(isnan(num_angle(NAN, 1.0)) && isnan(num_angle(1.0, NAN)));
}

TEST(nearest_angle_counts_turns)
{
  for (int turn = -1000; turn <= 1000; turn += 37)
    for (double at = -3.1; at < 3.11; at += 0.1) {
      double before = 0.3 + turn * ANGLE_TURN, now = num_nearest_angle(at, before);
      assert_true(fabs(now - before) <= 0.5 * ANGLE_TURN + 1e-9);
      assert_true(fabs(remainder(now - at, ANGLE_TURN)) < 1e-11);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(angle_is_that_of_the_library),
      cmocka_unit_test(angle_of_axes_and_extremes),
      cmocka_unit_test(nearest_angle_counts_turns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
