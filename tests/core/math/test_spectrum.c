/* SPDX-License-Identifier: MIT
 * Matrices that are made from their eigenvalues, with repeated ones and pairs. */
#include "check.h"
#include "common/random.h"
#include "math/spectrum.h"

#include <string.h>

enum { MOST = 40 };

/* A random rotation in n dimensions, as a product of reflections. */
static void random_rotation(struct random *random, int n, double *Q)
{
  for (int i = 0; i < n * n; i++) Q[i] = i % (n + 1) == 0;
  for (int pass = 0; pass < n; pass++) {
    double v[MOST], square = 0.0;
    for (int i = 0; i < n; i++) {
      v[i] = random_between(random, -1, 1);
      square += v[i] * v[i];
    }
    for (int r = 0; r < n; r++) {
      double sum = 0.0;
      for (int i = 0; i < n; i++) sum += Q[r * n + i] * v[i];
      for (int i = 0; i < n; i++) Q[r * n + i] -= 2.0 * sum * v[i] / square;
    }
  }
}

/* A = Q D Q' */
static void turn_matrix(const double *Q, const double *D, int n, double *A)
{
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      A[r * n + c] = 0.0;
      for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) A[r * n + c] += Q[r * n + i] * D[i * n + k] * Q[c * n + k];
    }
}

TEST(symmetric_matrices)
{
  for (int seed = 1; seed <= 30; seed++) {
    struct random random = {(uint64_t)seed};
    const int n = 1 + random_below(&random, MOST);
    double Q[MOST * MOST], D[MOST * MOST] = {0}, A[MOST * MOST], X[MOST * MOST], kept[MOST * MOST],
                                    lambda[MOST], room[MOST];
    for (int i = 0; i < n; i++)
      D[i * (n + 1)] = seed % 3 == 0 ? random_below(&random, 4) : random_between(&random, -3, 3);
    random_rotation(&random, n, Q);
    turn_matrix(Q, D, n, A);
    memcpy(kept, A, sizeof A);
    assert_true(spectrum_symmetric(A, n, X, lambda, room));
    double trace = 0.0;
    for (int i = 0; i < n; i++) {
      trace += lambda[i] - D[i * (n + 1)];
      if (i > 0) assert_true(lambda[i] >= lambda[i - 1]);
      for (int r = 0; r < n; r++) {
        double sum = 0.0, product = 0.0;
        for (int c = 0; c < n; c++) {
          sum += kept[r * n + c] * X[i * n + c];
          product += X[i * n + c] * X[r * n + c];
        }
        assert_near_in(check_seed(seed), sum, lambda[i] * X[i * n + r], 1e-12);
        assert_near_in(check_seed(seed), product, i == r, 1e-12);
      }
    }
    assert_near_in(check_seed(seed), trace, 0.0, 1e-11);
  }
}

/* Blocks [a b; -b a] and single numbers on the diagonal, numbers above it. */
TEST(general_matrices)
{
  for (int seed = 1; seed <= 60; seed++) {
    struct random random = {(uint64_t)seed};
    const int n = 1 + random_below(&random, MOST);
    double Q[MOST * MOST], D[MOST * MOST] = {0}, A[MOST * MOST], value[MOST][2];
    double expected[MOST][2] = {{0}};
    bool taken[MOST] = {false};
    for (int i = 0; i < n; i++) {
      expected[i][0] = D[i * (n + 1)] = i - 0.5 * n + random_between(&random, -0.2, 0.2);
      if (i + 1 < n && random_below(&random, 2)) {
        const double b = random_between(&random, 0.5, 5);
        expected[i][1] = D[i * n + i + 1] = b;
        D[(i + 1) * n + i] = expected[i + 1][1] = -b;
        D[(i + 1) * (n + 1)] = expected[i + 1][0] = expected[i][0];
        i++;
      }
    }
    for (int r = 0; r < n; r++)
      for (int c = r + 2; c < n; c++) D[r * n + c] = 0.1 * random_between(&random, -1, 1);
    random_rotation(&random, n, Q);
    turn_matrix(Q, D, n, A);
    for (int r = 0; r < n; r++) /* balancing has work to do */
      for (int c = 0; c < n; c++) A[r * n + c] *= ldexp(1.0, (r % 5) * 3 - (c % 5) * 3);
    assert_true(spectrum_general(A, n, value));
    for (int i = 0; i < n; i++) {
      int best = -1;
      double least = INFINITY;
      for (int k = 0; k < n; k++) {
        const double off = hypot(value[k][0] - expected[i][0], value[k][1] - expected[i][1]);
        if (taken[k] || off >= least) continue;
        least = off;
        best = k;
      }
      taken[best] = true;
      assert_near_in(check_seed(seed), least, 0.0, 1e-8);
    }
  }
}

TEST(small_and_empty_matrices)
{
  double value[3][2], one[1] = {-4}, zero[9] = {0}, X[9], lambda[3], room[3];
  assert_true(spectrum_general(NULL, 0, value));
  assert_true(spectrum_general(one, 1, value));
  assert_near(value[0][0], -4, 0);
  assert_true(spectrum_general(zero, 3, value));
  for (int i = 0; i < 3; i++) assert_near(hypot(value[i][0], value[i][1]), 0.0, 0);
  double turn[4] = {0, 1, -1, 0};
  assert_true(spectrum_general(turn, 2, value));
  assert_near(fabs(value[0][1]), 1.0, 1e-15);
  assert_true(spectrum_symmetric(zero, 3, X, lambda, room));
  for (int i = 0; i < 3; i++) assert_near(lambda[i], 0.0, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symmetric_matrices),
      cmocka_unit_test(general_matrices),
      cmocka_unit_test(small_and_empty_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
