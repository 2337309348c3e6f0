/* SPDX-License-Identifier: MIT
 * The kernels over arrays of numbers, for every instruction set of this machine, compared with loops. */
#include "base/arena.h"
#include "check.h"
#include "kernels/kernels.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 41, APART = 8 };

static double number(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

static double *row(unsigned seed)
{
  double *a = aligned_zalloc(MOST * sizeof *a);
  assert_non_null(a);
  for (int i = 0; i < MOST; i++) a[i] = number(&seed);
  return a;
}

typedef void check(const struct norm_kernels *k);

static void everywhere(check *what)
{
  for (int i = 0; i < ISA_COUNT; i++)
    if (isa_supported((enum isa)i)) {
      what(step_kernels((enum isa)i, 1)->norms);
      what(step_kernels((enum isa)i, isa_lanes((enum isa)i))->norms);
    }
}

/* Eight partial sums, then one sum: every kernel gives equal bits. */
static double in_order(const double *a, int n)
{
  double part[APART] = {0.0}, sum = 0.0;
  int whole = n / APART * APART;
  for (int i = 0; i < n; i++) part[i < whole ? i % APART : 0] += a[i];
  for (int i = 0; i < APART; i++) sum += part[i];
  return sum;
}

static void check_sum(const struct norm_kernels *k)
{
  double *a = row(1);
  for (int n = 0; n <= MOST; n++) assert_true(k->sum(a, n) == in_order(a, n));
  free(a);
}

static void check_largest(const struct norm_kernels *k)
{
  double *a = row(2), wanted = 0.0;
  for (int n = 0; n <= MOST; n++) {
    if (n > 0) wanted = fmax(wanted, fabs(a[n - 1]));
    assert_true(k->largest(a, n) == wanted);
    for (int i = 0; i < n; i++) {
      double was = a[i];
      a[i] = NAN;
      assert_true(isnan(k->largest(a, n)));
      a[i] = -INFINITY;
      assert_true(isinf(k->largest(a, n)));
      a[i] = was;
    }
  }
  free(a);
}

static void check_find(const struct norm_kernels *k)
{
  static const double odd[] = {2.0, -2.0, NAN, INFINITY, -3.0};
  double *a = row(3);
  for (int n = 1; n <= MOST; n++)
    for (int first = 0; first < n; first++) {
      assert_int_equal(k->find(a, first, n, 2.0), -1);
      for (int i = 0; i < n; i++) {
        double was = a[i];
        a[i] = odd[(first + i) % 5];
        assert_int_equal(k->find(a, first, n, 2.0), i >= first ? i : -1);
        a[i] = was;
      }
    }
  a[7] = a[19] = a[20] = -5.0;
  assert_int_equal(k->find(a, 0, MOST, 5.0), 7);
  assert_int_equal(k->find(a, 8, MOST, 5.0), 19);
  assert_int_equal(k->find(a, 20, MOST, 5.0), 20);
  assert_int_equal(k->find(a, 21, MOST, 5.0), -1);
  free(a);
}

static void check_along(const struct norm_kernels *k)
{
  double *a = row(4), *b = row(5), *c = row(7), *o = row(6);
  for (int n = 0; n <= MOST; n++) {
    for (int i = 0; i < MOST; i++) o[i] = 9.0;
    k->along(o, a, 0.5, b, n);
    for (int i = 0; i < MOST; i++) assert_true(o[i] == (i < n ? a[i] + 0.5 * b[i] : 9.0));
    for (int i = 0; i < MOST; i++) o[i] = b[i];
    k->combine(o, a, c, (const double[2]){1.0 / 12.0, -4.0 / 3.0}, n);
    for (int i = 0; i < MOST; i++)
      assert_true(i < n ? fabs(o[i] - (a[i] / 12.0 - 4.0 / 3.0 * c[i] + 2.25 * b[i])) < 4e-15 : o[i] == b[i]);
  }
  free(a);
  free(b);
  free(c);
  free(o);
}

TEST(sums)
{
  everywhere(check_sum);
}

TEST(the_largest)
{
  everywhere(check_largest);
}

TEST(found)
{
  everywhere(check_find);
}

TEST(moved_along)
{
  everywhere(check_along);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums),
      cmocka_unit_test(the_largest),
      cmocka_unit_test(found),
      cmocka_unit_test(moved_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
