/* SPDX-License-Identifier: MIT
 * Loop code, built for each instruction set (math/num.h): arrays of n numbers, which begin at a multiple of 64 bytes. */
#include "kernels/kernels.h"

#include <math.h>

/* Number of partial sums, for every value of LANES: all builds thus add in one order. */
enum { PARTIAL = 8, VECTORS = PARTIAL / LANES };
_Static_assert(PARTIAL % LANES == 0, "");

static double sum_of(const double *a, int n)
{
  const num *v = (const num *)a;
  num sum[VECTORS];
  double partial[PARTIAL], total = 0.0;
  int i = 0;
  for (int k = 0; k < VECTORS; k++) sum[k] = num_all(0.0);
  for (; i + PARTIAL <= n; i += PARTIAL)
    for (int k = 0; k < VECTORS; k++) sum[k] += *v++;
  for (int k = 0; k < VECTORS; k++)
    for (int l = 0; l < LANES; l++) partial[k * LANES + l] = num_lane(sum[k], l);
  for (; i < n; i++) partial[0] += a[i];
  for (int k = 0; k < PARTIAL; k++) total += partial[k];
  return total;
}

static double largest_size(const double *a, int n)
{
  const num *v = (const num *)a;
  num most[VECTORS], all[VECTORS];
  double one = 0.0, check = 0.0;
  int i = 0;
  for (int k = 0; k < VECTORS; k++) most[k] = all[k] = num_all(0.0);
  for (; i + PARTIAL <= n; i += PARTIAL)
    for (int k = 0; k < VECTORS; k++) {
      num own = num_max(*v, -*v);
      most[k] = num_max(own, most[k]);
      all[k] += own;
      v++;
    }
  /* add the remaining numbers, then the partial sums */
  for (; i < n; i++) {
    one = fabs(a[i]) > one ? fabs(a[i]) : one;
    check += fabs(a[i]);
  }
  for (int k = 0; k < VECTORS; k++)
    for (int l = 0; l < LANES; l++) {
      one = num_lane(most[k], l) > one ? num_lane(most[k], l) : one;
      check += num_lane(all[k], l);
    }
  return isnan(check) ? NAN : one;
}

static void largest_by_lane(const double *a, int n, double *o)
{
  num most = num_all(0.0), all = most;
  for (int i = 0; i < n; i += LANES) {
    const num v = *(const num *)(a + i), own = num_max(v, -v);
    most = num_max(own, most);
    all += own;
  }
  for (int l = 0; l < LANES; l++) o[l] = isnan(num_lane(all, l)) ? NAN : num_lane(most, l);
}

static inline bool is_above(double x, double value)
{
  return !(fabs(x) < value); /* also true for NaN */
}

static int find_above(const double *a, int first, int n, double value)
{
  int i = first;
  for (; i < n && i % LANES; i++)
    if (is_above(a[i], value)) return i;
  const num *v = (const num *)(a + i);
  for (num all = num_all(value); i + LANES <= n; i += LANES, v++)
    if (!num_everywhere(num_greater(all, num_max(*v, -*v)))) break;
  for (; i < n; i++)
    if (is_above(a[i], value)) return i;
  return -1;
}

static void add_scaled(double *o, const double *a, double k, const double *b, int n)
{
  for (int i = 0; i < n; i++) o[i] = a[i] + k * b[i];
}

static void take_products(double *o, double k, const double *a, const double *b, int n)
{
  for (int i = 0; i < n; i++) o[i] -= k * (a[i] * b[i]);
}

static void combine_branches(double *restrict c, const double *a, const double *b, const double weight[2],
                             int n)
{
  const double w1 = weight[0], w2 = weight[1];
  for (int i = 0; i < n; i++) c[i] += w1 * (a[i] - c[i]) + w2 * (b[i] - c[i]);
}

extern const struct norm_kernels LANE_NAME(norm_kernels);
const struct norm_kernels LANE_NAME(norm_kernels) = {sum_of,     largest_size,  largest_by_lane, find_above,
                                                     add_scaled, take_products, combine_branches};
