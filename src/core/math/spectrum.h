/* SPDX-License-Identifier: MIT
 * Eigenvalues of dense matrices of some hundreds of rows, for set-up. math/eigen.h has those of small symmetric ones. */
#ifndef MATH_SPECTRUM_H
#define MATH_SPECTRUM_H

#include <stdbool.h>

/* A = sum of lambda_i x_i x_i' for a symmetric A (n, n). X (n, n): row i has x_i, of length 1. lambda rises. A is destroyed.
 * room: (n) each. By Householder's reflections and the implicit QL iteration. False: no convergence. */
bool spectrum_symmetric(double *A, int n, double *X, double *lambda, double *room);
/* Eigenvalues (real, imaginary) of A (n, n), which is destroyed. By balancing, Householder's reflections and Francis' QR
 * iteration with double shifts. False: no convergence. */
bool spectrum_general(double *A, int n, double (*value)[2]);

#endif
