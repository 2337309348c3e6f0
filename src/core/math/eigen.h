/* SPDX-License-Identifier: MIT
 * Eigenvalues of small symmetric matrices, by Jacobi's rotations. */
#ifndef MATH_EIGEN_H
#define MATH_EIGEN_H

enum { EIGEN_MOST = 54 };
/* A = X diag(Lambda) X', (n, n) with n at most EIGEN_MOST; Lambda falls. A is only read. */
void symmetric_eigen(const double *A, int n, double *X, double *Lambda);
/* How many of the falling eigenvalues are above `cut` times the largest. */
int eigen_rank(const double *Lambda, int n, double cut);

#endif
