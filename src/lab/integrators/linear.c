/* SPDX-License-Identifier: MIT */
#include "integrators/linear.h"

#include <math.h>

bool lu_factor(double *A, int n, int *pivot)
{
  for (int k = 0; k < n; k++) {
    /* Partial pivoting: the largest of column k. */
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    pivot[k] = best;
    if (!(fabs(A[best * n + k]) > 0)) return false;
    /* Swap the rows. */
    for (int j = 0; best != k && j < n; j++) {
      const double moved = A[k * n + j];
      A[k * n + j] = A[best * n + j];
      A[best * n + j] = moved;
    }
    /* Eliminate column k. */
    const double inverse = 1 / A[k * n + k];
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i * n + k] *= inverse;
      if (factor == 0) continue;
      for (int j = k + 1; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
    }
  }
  return true;
}

void lu_apply(const double *LU, int n, const int *pivot, double *b)
{
  for (int k = 0; k < n; k++) {
    const double moved = b[k];
    b[k] = b[pivot[k]];
    b[pivot[k]] = moved;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) b[i] -= LU[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= LU[i * n + j] * b[j];
    b[i] /= LU[i * n + i];
  }
}

bool lu_solve(double *A, int n, double *b)
{
  enum { UNKNOWNS_MAX = 512 };
  int pivot[UNKNOWNS_MAX];
  if (n > UNKNOWNS_MAX || !lu_factor(A, n, pivot)) return false;
  lu_apply(A, n, pivot, b);
  return true;
}

void penalty_matrix(double *A, const double *M, double alpha, const double *B, int m, int n)
{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) A[i * n + j] = M[i * n + j];
  for (int k = 0; k < m; k++) {
    const double *row = B + (size_t)k * (size_t)n;
    for (int i = 0; i < n; i++) {
      const double factor = alpha * row[i];
      if (factor == 0) continue; /* most entries of a Jacobian are */
      for (int j = 0; j <= i; j++) A[i * n + j] += factor * row[j];
    }
  }
}

void add_transposed(double *o, double k, const double *B, const double *x, int m, int n)
{
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) o[j] += k * x[i] * B[i * n + j];
}

void add_product(double *o, double k, const double *B, const double *x, int m, int n)
{
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += B[i * n + j] * x[j];
    o[i] += k * sum;
  }
}

double euclidean_norm(const double *x, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

double largest_entry(const double *x, int n)
{
  double largest = 0;
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) > largest || isnan(x[i])) largest = fabs(x[i]);
  return largest;
}

void add_block(double *o, double factor, const double *A, bool At, const double *B, int r, int inner, int c)
{
  for (int i = 0; i < r; i++)
    for (int k = 0; k < inner; k++) {
      const double a = factor * (At ? A[k * r + i] : A[i * inner + k]);
      for (int j = 0; j < c; j++) o[i * c + j] += a * B[k * c + j];
    }
}

void transpose_block(double *o, const double *A, int r, int c)
{
  for (int i = 0; i < r; i++)
    for (int j = 0; j < c; j++) o[j * r + i] = A[i * c + j];
}
