/* SPDX-License-Identifier: MIT
 * The dense algebra of the laboratory: systems of 3 to 100 unknowns, matrices full and row by row. */
#ifndef LAB_LINEAR_H
#define LAB_LINEAR_H

#include "math/dense.h"

#include <stddef.h>

/* Solves A x = b by LU with partial pivoting; A is overwritten, b becomes x. False if a pivot is 0 or not a
 * number. */
bool lu_solve(double *A, int n, double *b);
/* lu_solve() in two steps, for several right-hand sides. pivot: (n). */
bool lu_factor(double *A, int n, int *pivot);
void lu_apply(const double *LU, int n, const int *pivot, double *b);

/* A := M + alpha B'B, the lower triangle; B is (m, n). */
void penalty_matrix(double *A, const double *M, double alpha, const double *B, int m, int n);
/* o += k B'x and o += k B x */
void add_transposed(double *o, double k, const double *B, const double *x, int m, int n);
void add_product(double *o, double k, const double *B, const double *x, int m, int n);

/* o (r, c) += factor A B, or A'B where At; A is (r, inner), or (inner, r) where At. */
void add_block(double *o, double factor, const double *A, bool At, const double *B, int r, int inner, int c);
/* o (c, r) = A', A (r, c) */
void transpose_block(double *o, const double *A, int r, int c);

double euclidean_norm(const double *x, int n);
double largest_entry(const double *x, int n); /* NaN if one is */

#endif
