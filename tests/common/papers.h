/* SPDX-License-Identifier: MIT
 * The matrices of the papers, written out: slow twins of math/euler.h. Matrices are stored row by row. */
#ifndef COMMON_PAPERS_H
#define COMMON_PAPERS_H

/* o = a~, the matrix of a x */
static inline void paper_tilde(double o[9], const double a[3])
{
  const double t[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int i = 0; i < 9; i++) o[i] = t[i];
}

/* G(p) = [-e, -e~ + e0 I], 3x4 */
static inline void paper_G(double G[12], const double p[4])
{
  double t[9];
  paper_tilde(t, p + 1);
  for (int i = 0; i < 3; i++) {
    G[4 * i] = -p[1 + i];
    for (int j = 0; j < 3; j++) G[4 * i + 1 + j] = -t[3 * i + j] + (i == j ? p[0] : 0.0);
  }
}

/* A(p) = (e0^2 - e'e) I + 2 e e' + 2 e0 e~ */
static inline void paper_A(double A[9], const double p[4])
{
  double t[9], d = p[0] * p[0] - p[1] * p[1] - p[2] * p[2] - p[3] * p[3];
  paper_tilde(t, p + 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      A[3 * i + j] = (i == j ? d : 0.0) + 2.0 * p[1 + i] * p[1 + j] + 2.0 * p[0] * t[3 * i + j];
}

/* B(p, a) = d(A a)/dp, 3x4. A is quadratic in p, so a central difference is exact except for rounding. */
static inline void paper_B(double B[12], const double p[4], const double a[3])
{
  for (int k = 0; k < 4; k++) {
    double high[4], low[4], H[9], L[9];
    for (int i = 0; i < 4; i++) {
      high[i] = p[i] + (i == k ? 0.5 : 0.0);
      low[i] = p[i] - (i == k ? 0.5 : 0.0);
    }
    paper_A(H, high);
    paper_A(L, low);
    for (int i = 0; i < 3; i++) {
      B[4 * i + k] = 0.0;
      for (int j = 0; j < 3; j++) B[4 * i + k] += (H[3 * i + j] - L[3 * i + j]) * a[j];
    }
  }
}

/* o (n x m) = X (n x k) Y (k x m) */
static inline void paper_mul(double *o, const double *X, const double *Y, int n, int k, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double sum = 0.0;
      for (int l = 0; l < k; l++) sum += X[i * k + l] * Y[l * m + j];
      o[i * m + j] = sum;
    }
}

/* o (m x n) = X' for X (n x m) */
static inline void paper_transpose(double *o, const double *X, int n, int m)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) o[j * n + i] = X[i * m + j];
}

#endif
