/* SPDX-License-Identifier: MIT
 * Ranks of times for the tools that time steps. */
#ifndef ALI3_COMMON_RANKS_H
#define ALI3_COMMON_RANKS_H

#include <math.h>
#include <stdint.h>

/* For qsort() of times in ns. */
static inline int compare_times_ns(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Nearest rank among n sorted times, us; NaN if n is 0. */
static inline double percentile_us(const uint32_t *ns, long n, double fraction)
{
  const long rank = (long)ceil(fraction * (double)n);
  return n == 0 ? (double)NAN : ns[rank > 0 ? rank - 1 : 0] / 1e3;
}

#endif
