/* SPDX-License-Identifier: MIT */
#include "links/links.h"
#include "math/eigen.h"

#include <string.h>

void pseudo_inverse(double *o, const double *K, int n, double cut)
{
  double X[EIGEN_MOST * EIGEN_MOST], Lambda[EIGEN_MOST];
  memset(o, 0, sizeof *o * (size_t)(n * n));
  if (n == 0) return;
  symmetric_eigen(K, n, X, Lambda);
  const int rank = eigen_rank(Lambda, n, cut);
  for (int k = 0; k < rank; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) o[n * i + j] += X[n * i + k] * X[n * j + k] / Lambda[k];
}
