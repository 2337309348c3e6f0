/* SPDX-License-Identifier: MIT
 * What several tools do with numbers: read a count, and rank times. */
#ifndef COMMON_NUMBERS_H
#define COMMON_NUMBERS_H

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A whole number from least to most, with nothing behind it. */
static inline bool parse_count(const char *text, long least, long most, long *out)
{
  char *end;
  errno = 0;
  *out = strtol(text, &end, 10);
  return end != text && !*end && !errno && *out >= least && *out <= most;
}

/* For qsort() of times in ns. */
static inline int compare_ns(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Nearest rank among n sorted times, us; NaN where n is 0. */
static inline double percentile_us(const uint32_t *ns, long n, double fraction)
{
  const long rank = (long)ceil(fraction * (double)n);
  return n == 0 ? (double)NAN : ns[rank > 0 ? rank - 1 : 0] / 1e3;
}

#endif
