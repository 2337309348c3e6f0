/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/random.h"
#include "math/dense.h"

#include <stddef.h>
#include <string.h>

enum { MOST = 24, LD = 29 };

/* A = B B' + I, n x n in the lower triangle of LD columns; the rest is poison. */
static void positive(struct random *random, double *A, int n)
{
  double B[MOST * MOST];
  random_vector(random, B, n * n);
  for (int i = 0; i < MOST * LD; i++) A[i] = NAN;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      A[i * LD + j] = i == j;
      for (int k = 0; k < n; k++) A[i * LD + j] += B[i * n + k] * B[j * n + k];
    }
}

TEST(factors_and_solves)
{
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct random random = {seed};
    double A[MOST * LD], L[MOST * LD], x[MOST], b[MOST];
    int n = 1 + random_below(&random, MOST);
    positive(&random, A, n);
    random_vector(&random, b, n);
    memcpy(L, A, sizeof L);
    memcpy(x, b, sizeof x);
    assert_true(chol_factor(L, n, LD));
    chol_solve(L, n, LD, x);
    for (int i = 0; i < n; i++) {
      double r = -b[i];
      for (int j = 0; j < n; j++) r += (j <= i ? A[i * LD + j] : A[j * LD + i]) * x[j];
      if (!(fabs(r) < 1e-12)) fail_msg("seed %d: residual %g", (int)seed, r);
      for (int j = i + 1; j < n; j++) assert_true(isnan(L[i * LD + j])); /* upper triangle untouched */
    }
  }
}

TEST(a_pivot_that_is_not_positive_is_refused)
{
  double indefinite[4] = {1, 0, 2, 1}, zero[1] = {0}, nothing[1] = {NAN};
  assert_false(chol_factor(indefinite, 2, 2));
  assert_false(chol_factor(zero, 1, 1));
  assert_false(chol_factor(nothing, 1, 1));
}

TEST(inverse_is_exactly_symmetric)
{
  struct random random = {7};
  for (int round = 0; round < 200; round++) {
    double J[9], K[9];
    random_inertia(&random, J);
    assert_true(sym3_inverse(K, J));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += J[3 * i + k] * K[3 * k + j];
        assert_true(fabs(sum - (i == j)) < 1e-14);
        assert_true(K[3 * i + j] == K[3 * j + i]);
      }
  }
  double singular[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0}, K[9];
  assert_false(sym3_inverse(K, singular));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_and_solves),
      cmocka_unit_test(a_pivot_that_is_not_positive_is_refused),
      cmocka_unit_test(inverse_is_exactly_symmetric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
