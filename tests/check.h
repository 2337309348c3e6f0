/* SPDX-License-Identifier: MIT
 * What every unit test begins with: cmocka, behind the headers that it needs, and the head of a test. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A test without a state of its own: TEST(name) { ... }, listed as cmocka_unit_test(name). */
#define TEST(name) static void name(__attribute__((unused)) void **state)

/* Two numbers that differ by `tolerance` at most, or by (1 + |expected|) tolerance; `where` is a text that says which case it
 * is. NaN is near to nothing. */
#define assert_near(found, expected, tolerance)                                                              \
  check_near(#found, "", (found), (expected), (tolerance), __FILE__, __LINE__)
#define assert_near_in(where, found, expected, tolerance)                                                    \
  check_near(#found, (where), (found), (expected), (tolerance) * (1.0 + fabs((double)(expected))), __FILE__, \
             __LINE__)

static inline void check_near(const char *text, const char *where, double found, double expected,
                              double tolerance, const char *file, int line)
{
  if (fabs(found - expected) <= tolerance || found == expected) return;
  print_error("%s%s%s: expected %.17g within %g, found %.17g\n", where, *where ? ": " : "", text, expected,
              tolerance, found);
  _fail(file, line);
}

/* A time is below its limit. Judged in the tier timing alone, which sets ALI3_JUDGE_TIMES: elsewhere other programs share the
 * processors. */
#define assert_in_time(took, limit)                                                                          \
  do {                                                                                                       \
    if (getenv("ALI3_JUDGE_TIMES")) assert_true((took) < (limit));                                           \
  } while (0)

/* Between two points. */
static inline double check_distance(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* "seed 17", until the next call. */
static inline const char *check_seed(int seed)
{
  static char text[32];
  snprintf(text, sizeof text, "seed %d", seed);
  return text;
}

#endif
