/* SPDX-License-Identifier: MIT */
#include "math/dense.h"

#include <math.h>

bool chol_factor(double *A, int n, int ld)
{
  for (int j = 0; j < n; j++) {
    double *aj = A + j * ld, d = aj[j];
    for (int k = 0; k < j; k++) d -= aj[k] * aj[k];
    if (!(d > 0.0)) return false;
    double r = 1.0 / sqrt(d);
    aj[j] = r;
    for (int i = j + 1; i < n; i++) {
      double *ai = A + i * ld, t = ai[j];
      for (int k = 0; k < j; k++) t -= ai[k] * aj[k];
      ai[j] = t * r;
    }
  }
  return true;
}

static inline void solve_factored(const double *L, int n, int ld, double *x)
{
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int k = 0; k < i; k++) t -= L[i * ld + k] * x[k];
    x[i] = t * L[i * ld + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    double t = x[i];
    for (int k = i + 1; k < n; k++) t -= L[k * ld + i] * x[k];
    x[i] = t * L[i * ld + i];
  }
}

void chol_solve(const double *L, int n, int ld, double *x)
{
  /* The loops are unrolled for the numbers of rows that joints have. */
  switch (n) {
  case 1:
    solve_factored(L, 1, ld, x);
    return;
  case 3:
    solve_factored(L, 3, ld, x);
    return;
  case 5:
    solve_factored(L, 5, ld, x);
    return;
  case 6:
    solve_factored(L, 6, ld, x);
    return;
  default:
    solve_factored(L, n, ld, x);
    return;
  }
}

bool sym3_inverse(double o[9], const double A[9])
{
  double L[9], x[3];
  for (int i = 0; i < 9; i++) L[i] = A[i];
  if (!chol_factor(L, 3, 3)) return false;
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 3; i++) x[i] = i == j;
    chol_solve(L, 3, 3, x);
    for (int i = 0; i < 3; i++) o[3 * i + j] = x[i];
  }
  for (int i = 0; i < 3; i++) /* the condensation needs exact symmetry */
    for (int j = 0; j < i; j++) o[3 * i + j] = o[3 * j + i];
  return true;
}
