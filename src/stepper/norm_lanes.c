/* SPDX-License-Identifier: MIT
 * Loop code, built for each instruction set (math/num.h): plain rows of n numbers, which begin at a multiple of 64 bytes. */
#include "stepper/kernels.h"

#include <math.h>

/* Numbers that are summed up side by side, for any LANES: so the order is one. */
enum { APART = 8, PARTS = APART / LANES };
_Static_assert(APART % LANES == 0, "");

static double sum(const double *a, int n)
{
  const num *v = (const num *)a;
  num part[PARTS];
  double apart[APART], total = 0.0;
  int i = 0;
  for (int k = 0; k < PARTS; k++) part[k] = num_all(0.0);
  for (; i + APART <= n; i += APART)
    for (int k = 0; k < PARTS; k++) part[k] += *v++;
  for (int k = 0; k < PARTS; k++)
    for (int l = 0; l < LANES; l++) apart[k * LANES + l] = num_lane(part[k], l);
  for (; i < n; i++) apart[0] += a[i];
  for (int k = 0; k < APART; k++) total += apart[k];
  return total;
}

static double largest(const double *a, int n)
{
  const num *v = (const num *)a;
  num most[PARTS], all[PARTS];
  double one = 0.0, check = 0.0;
  int i = 0;
  for (int k = 0; k < PARTS; k++) most[k] = all[k] = num_all(0.0);
  for (; i + APART <= n; i += APART)
    for (int k = 0; k < PARTS; k++) {
      num own = num_max(*v, -*v);
      most[k] = num_max(own, most[k]);
      all[k] += own;
      v++;
    }
  for (; i < n; i++) {
    one = fabs(a[i]) > one ? fabs(a[i]) : one;
    check += fabs(a[i]);
  }
  for (int k = 0; k < PARTS; k++)
    for (int l = 0; l < LANES; l++) {
      one = num_lane(most[k], l) > one ? num_lane(most[k], l) : one;
      check += num_lane(all[k], l);
    }
  return isnan(check) ? NAN : one;
}

static inline bool sought(double x, double value)
{
  return !(fabs(x) < value); /* nothing is larger */
}

static int find(const double *a, int first, int n, double value)
{
  int i = first;
  for (; i < n && i % LANES; i++)
    if (sought(a[i], value)) return i;
  const num *v = (const num *)(a + i);
  for (num all = num_all(value); i + LANES <= n; i += LANES, v++)
    if (!num_everywhere(num_greater(all, num_max(*v, -*v)))) break;
  for (; i < n; i++)
    if (sought(a[i], value)) return i;
  return -1;
}

static void along(double *o, const double *a, double k, const double *b, int n)
{
  for (int i = 0; i < n; i++) o[i] = a[i] + k * b[i];
}

static void combine(double *restrict c, const double *a, const double *b, int n)
{
  const double w1 = 1.0 / 12.0, w2 = 4.0 / 3.0;
  for (int i = 0; i < n; i++) c[i] += w1 * (a[i] - c[i]) - w2 * (b[i] - c[i]);
}

extern const struct norm_kernels LANE_NAME(norm_kernels);
const struct norm_kernels LANE_NAME(norm_kernels) = {sum, largest, find, along, combine};
