/* SPDX-License-Identifier: MIT
 * Loop code. With M = A T / 2^k, the exponential of the augmented matrix (A B; 0 0) T / 2^k is (I + M S, S B T / 2^k; 0 1), with
 *
 *   S = I + M/2! + M^2/3! + ...      by Horner's rule, to the last digit.
 *
 * Squaring k times leads back to T:   E <- 2 E + E E,   F <- 2 F + E F.   E is the exponential less the identity. */
#include "cueing/filter.h"

#include <math.h>

typedef double matrix[FILTER_STATES][FILTER_STATES];

#define SMALL      0.125 /* largest norm of M for which the series is summed */
#define LAST_DIGIT 1e-17
#define SQUARINGS  64 /* norms are below 1e4, so 20 squarings and 10 terms suffice */
#define TERMS      32
#define INLINE     static inline __attribute__((always_inline))

/* The largest sum of a row. */
INLINE double row_norm(const matrix A, int n)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += fabs(A[i][j]);
    most = fmax(most, sum);
  }
  return most;
}

/* o = X Y */
INLINE void multiply_matrices(matrix o, const matrix X, const matrix Y, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = X[i][0] * Y[0][j];
      for (int k = 1; k < n; k++) sum += X[i][k] * Y[k][j];
      o[i][j] = sum;
    }
}

/* Number of terms after the identity for which the next term is below the last digit. */
INLINE int series_terms(double size)
{
  int count = 0;
  double next = 0.5 * size;
  while (next > LAST_DIGIT && count < TERMS) {
    count++;
    next *= size / (count + 2);
  }
  return count;
}

/* S, from M. */
INLINE void sum_series(matrix S, const matrix M, double size, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) S[i][j] = i == j;
  for (int k = series_terms(size); k > 0; k--) {
    matrix product;
    multiply_matrices(product, M, S, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) S[i][j] = (i == j) + product[i][j] / (k + 1);
  }
}

INLINE void square_filter(struct filter *f, int n)
{
  matrix EE;
  double EF[FILTER_STATES];
  multiply_matrices(EE, f->E, f->E, n);
  for (int i = 0; i < n; i++) {
    EF[i] = 0.0;
    for (int j = 0; j < n; j++) EF[i] += f->E[i][j] * f->F[j];
  }
  for (int i = 0; i < n; i++) {
    f->F[i] = 2.0 * f->F[i] + EF[i];
    for (int j = 0; j < n; j++) f->E[i][j] = 2.0 * f->E[i][j] + EE[i][j];
  }
}

INLINE void make_filter(struct filter *f, const struct filter_law *law, double period, int n)
{
  /* Halve the time until the norm of M is small. */
  int halvings = 0;
  double size = row_norm(law->A, n) * period, scale = period;
  for (; size > SMALL && halvings < SQUARINGS; halvings++) {
    size *= 0.5;
    scale *= 0.5;
  }
  /* The first step: E = M S, F = S B T / 2^k. */
  matrix M, S;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) M[i][j] = law->A[i][j] * scale;
  sum_series(S, M, size, n);
  multiply_matrices(f->E, M, S, n);
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += S[i][j] * law->B[j];
    f->F[i] = scale * sum;
  }
  /* Square back to the whole period. */
  for (; halvings > 0; halvings--) square_filter(f, n);
  f->states = n;
}

/* A constant number of states lets the compiler unroll the loops. */
void filter_make(struct filter *f, const struct filter_law *law, double period)
{
  switch (law->states) {
  case 1:
    make_filter(f, law, period, 1);
    return;
  case 2:
    make_filter(f, law, period, 2);
    return;
  case 3:
    make_filter(f, law, period, 3);
    return;
  default:
    make_filter(f, law, period, FILTER_STATES);
    return;
  }
}

void filter_step(const struct filter *f, double *x, double u)
{
  double change[FILTER_STATES];
  for (int i = 0; i < f->states; i++) {
    change[i] = f->F[i] * u;
    for (int j = 0; j < f->states; j++) change[i] += f->E[i][j] * x[j];
  }
  for (int i = 0; i < f->states; i++) x[i] += change[i];
}
