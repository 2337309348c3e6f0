/* SPDX-License-Identifier: MIT
 * Assertions of seeded tests: a failure names its seed. After <cmocka.h>. */
#ifndef COMMON_SEEDED_H
#define COMMON_SEEDED_H

#include <math.h>

#define assert_near(seed, a, b, tolerance)                                                                   \
  do {                                                                                                       \
    double near_a = (a), near_b = (b);                                                                       \
    if (!(fabs(near_a - near_b) <= (tolerance) * (1.0 + fabs(near_b))))                                      \
      fail_msg("seed %d: %s = %.17g, not %.17g", (seed), #a, near_a, near_b);                                \
  } while (0)

#define check(seed, what)                                                                                    \
  do {                                                                                                       \
    if (!(what)) fail_msg("seed %d: not %s", (seed), #what);                                                 \
  } while (0)

#endif
