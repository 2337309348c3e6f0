/* SPDX-License-Identifier: MIT */
#include "links/links.h"

#include <math.h>
#include <string.h>

/* Makes K[p][q] zero by a rotation of rows and columns p and q; V collects the rotations. */
static void rotate_pair(double *K, double *V, int n, int p, int q)
{
  const double half = 0.5 * (K[n * q + q] - K[n * p + p]) / K[n * p + q];
  const double t = copysign(1, half) / (fabs(half) + hypot(1, half)), c = 1 / hypot(1, t), s = t * c;
  for (int i = 0; i < n; i++) {
    const double a = K[n * i + p], b = K[n * i + q];
    K[n * i + p] = c * a - s * b;
    K[n * i + q] = s * a + c * b;
  }
  for (int i = 0; i < n; i++) {
    const double a = K[n * p + i], b = K[n * q + i];
    K[n * p + i] = c * a - s * b;
    K[n * q + i] = s * a + c * b;
  }
  for (int i = 0; i < n; i++) {
    const double a = V[n * i + p], b = V[n * i + q];
    V[n * i + p] = c * a - s * b;
    V[n * i + q] = s * a + c * b;
  }
}

/* Jacobi's rotations; K becomes diagonal. */
static void diagonalise(double *K, double *V, int n)
{
  enum { SWEEPS = 30 };
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool rotated = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (fabs(K[n * p + q]) <= 1e-18 * (fabs(K[n * p + p]) + fabs(K[n * q + q]))) continue;
        rotate_pair(K, V, n, p, q);
        rotated = true;
      }
    if (!rotated) return;
  }
}

void pseudo_inverse(double *o, double *K, int n, double cut)
{
  double V[PSEUDO_ROWS * PSEUDO_ROWS], largest = 0;
  memset(V, 0, sizeof *V * (size_t)(n * n));
  for (int i = 0; i < n; i++) V[n * i + i] = 1;
  diagonalise(K, V, n);
  for (int k = 0; k < n; k++) largest = fmax(largest, K[n * k + k]);
  memset(o, 0, sizeof *o * (size_t)(n * n));
  for (int k = 0; k < n; k++) {
    if (!(K[n * k + k] > cut * largest)) continue;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) o[n * i + j] += V[n * i + k] * V[n * j + k] / K[n * k + k];
  }
}
