/* SPDX-License-Identifier: MIT
 * A yardstick: work like that of a step, in separate code, so that it does not change with the stepper. Times on a busy machine
 * compare as multiples of it.
 *
 * A single factorisation mostly waits for its square roots and divisions, and would hardly notice a neighbour on the other half
 * of the core, which slows a step by a third. So four factorisations run side by side. The compile options forbid vectors, so
 * that the yardstick does not depend on the instruction set. */
#include "bench.h"

#include "rt/clock.h"

#include <math.h>

enum { N = 6, SIDE_BY_SIDE = 4, FACTORISATIONS = 1000 };

typedef double matrix[N][N][SIDE_BY_SIDE];

/* A = L L', lower triangle, in place, 1/L on the diagonal. */
static void factor_matrices(matrix A)
{
  for (int j = 0; j < N; j++) {
    for (int k = 0; k < j; k++)
      for (int l = 0; l < SIDE_BY_SIDE; l++) A[j][j][l] -= A[j][k][l] * A[j][k][l];
    for (int l = 0; l < SIDE_BY_SIDE; l++) A[j][j][l] = 1.0 / sqrt(A[j][j][l]);
    for (int i = j + 1; i < N; i++) {
      for (int k = 0; k < j; k++)
        for (int l = 0; l < SIDE_BY_SIDE; l++) A[i][j][l] -= A[i][k][l] * A[j][k][l];
      for (int l = 0; l < SIDE_BY_SIDE; l++) A[i][j][l] *= A[j][j][l];
    }
  }
}

/* The last pivot of A = d I + 1 1' is the ratio of two determinants, d^5 (d + 6) and d^4 (d + 5). The result is the sum of these
 * pivots, so the compiler can skip nothing. */
static double diagonal_of(int i)
{
  return 1.0 + i / (double)FACTORISATIONS;
}

static double factor_all(void)
{
  double sum = 0.0;
  matrix A;
  for (int f = 0; f < FACTORISATIONS; f += SIDE_BY_SIDE) {
    for (int i = 0; i < N; i++)
      for (int k = 0; k <= i; k++)
        for (int l = 0; l < SIDE_BY_SIDE; l++) A[i][k][l] = i == k ? diagonal_of(f + l) + 1.0 : 1.0;
    factor_matrices(A);
    for (int l = 0; l < SIDE_BY_SIDE; l++) sum += 1.0 / (A[N - 1][N - 1][l] * A[N - 1][N - 1][l]);
  }
  return sum;
}

bool calibrate(uint32_t *ns, int n)
{
  static volatile double result; /* keeps the work between the two readings of the clock */
  double wanted = 0.0;
  bool good = true;
  for (int f = 0; f < FACTORISATIONS; f++)
    wanted += diagonal_of(f) * (diagonal_of(f) + N) / (diagonal_of(f) + N - 1);
  for (int i = 0; i < n; i++) {
    uint64_t begin = clock_now_ns();
    result = factor_all();
    ns[i] = (uint32_t)(clock_now_ns() - begin);
    good &= fabs(result - wanted) < 1e-9 * wanted;
  }
  return good;
}

/* --- a product of matrices, by which times of other programs on other machines were calibrated --- */

enum { SIZE = 7, PRODUCTS = 1000, ROUNDS = 101 };
typedef double square[SIZE][SIZE];

__attribute__((noinline)) static void multiply_squares(square o, square a, square b)
{
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      double sum = 0.0;
      for (int k = 0; k < SIZE; k++) sum += a[i][k] * b[k][j];
      o[i][j] = sum;
    }
}

double calibrate_product(void)
{
  uint32_t ns[ROUNDS];
  square a, x[2];
  double sum = 0.0;
  /* The columns of A = 1/2 I + 1/14 1 1' have the sum 1, so that all products have the sum of X. */
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) {
      a[i][j] = (i == j ? 0.5 : 0.0) + 0.5 / SIZE;
      x[0][i][j] = i == j;
    }
  for (int i = 0; i < ROUNDS; i++) {
    uint64_t begin = clock_now_ns();
    for (int k = 0; k < PRODUCTS; k++) multiply_squares(x[(k + 1) % 2], a, x[k % 2]);
    ns[i] = (uint32_t)(clock_now_ns() - begin);
  }
  for (int i = 0; i < SIZE * SIZE; i++) sum += x[0][i / SIZE][i % SIZE];
  return fabs(sum - SIZE) < 1e-9 ? 1e3 * times_of(ns, ROUNDS).median / PRODUCTS : NAN;
}
