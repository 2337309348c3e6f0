/* SPDX-License-Identifier: MIT */
#include "math/eigen.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { EIGEN_SWEEPS = 30 };

/* Makes a_pq zero by a rotation of columns and rows p and q. False: it is as good as zero. */
static bool rotate_pair(double *a, double *X, int n, int p, int q)
{
  const double apq = a[p * n + q];
  if (fabs(apq) <= 1e-18 * (fabs(a[p * n + p]) + fabs(a[q * n + q]))) return false;
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
  const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  const double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; k++) { /* columns of a and X */
    const double ap = a[k * n + p], aq = a[k * n + q], xp = X[k * n + p], xq = X[k * n + q];
    a[k * n + p] = c * ap - s * aq;
    a[k * n + q] = s * ap + c * aq;
    X[k * n + p] = c * xp - s * xq;
    X[k * n + q] = s * xp + c * xq;
  }
  for (int k = 0; k < n; k++) { /* rows of a */
    const double ap = a[p * n + k], aq = a[q * n + k];
    a[p * n + k] = c * ap - s * aq;
    a[q * n + k] = s * ap + c * aq;
  }
  return true;
}

static void sort_falling(double *X, double *Lambda, int n)
{
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int k = i + 1; k < n; k++)
      if (Lambda[k] > Lambda[best]) best = k;
    const double moved = Lambda[i];
    Lambda[i] = Lambda[best];
    Lambda[best] = moved;
    for (int r = 0; r < n; r++) {
      const double x = X[r * n + i];
      X[r * n + i] = X[r * n + best];
      X[r * n + best] = x;
    }
  }
}

void symmetric_eigen(const double *A, int n, double *X, double *Lambda)
{
  double a[EIGEN_MOST * EIGEN_MOST];
  memcpy(a, A, sizeof *a * (size_t)(n * n));
  memset(X, 0, sizeof *X * (size_t)(n * n));
  for (int i = 0; i < n; i++) X[i * n + i] = 1;
  bool rotated = true;
  for (int sweep = 0; sweep < EIGEN_SWEEPS && rotated; sweep++) {
    rotated = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) rotated |= rotate_pair(a, X, n, p, q);
  }
  for (int i = 0; i < n; i++) Lambda[i] = a[i * n + i];
  sort_falling(X, Lambda, n);
}

int eigen_rank(const double *Lambda, int n, double cut)
{
  int rank = 0;
  while (rank < n && Lambda[rank] > cut * Lambda[0] && Lambda[rank] > 0) rank++;
  return rank;
}
