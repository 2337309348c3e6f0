/* SPDX-License-Identifier: MIT
 * A yardstick: work of the kind that a step does, in code of its own, so that it stays the same while the
 * stepper changes. Times taken beside it on a busy machine compare as multiples of it.
 *
 * A single factorisation mostly waits for its own square roots and divisions, and would hardly notice a
 * neighbour on the other half of the core, by which a step loses a third. So four go side by side; without
 * vectors (see the compile options), or the yardstick would be another one for each instruction set. */
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

/* Of every A = d I + 1 1' the last pivot is the ratio of two determinants, d^5 (d + 6) and d^4 (d + 5). Their
 * sum is what is asked for: nothing can be left out. */
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
  static volatile double
      result; /* written once per piece of work: it is done between the two looks at the clock */
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
