/* SPDX-License-Identifier: MIT
 * Small dense symmetric matrices: the lower triangle, row by row, with a leading dimension. The order of sums is fixed. */
#ifndef MATH_DENSE_H
#define MATH_DENSE_H

#include <stdbool.h>

/* A = L L' in place (lower triangle); the diagonal of L is stored as its reciprocal. False if a pivot is not positive, or NaN.
 * RT. */
bool chol_factor(double *A, int n, int ld);
/* x := A^-1 x. RT. */
void chol_solve(const double *L, int n, int ld, double *x);

/* o = inverse of a symmetric positive definite 3x3, both full; false if it is not. */
bool sym3_inverse(double o[9], const double A[9]);

#endif
