/* SPDX-License-Identifier: MIT
 * Vectors of 3 and 3x3 matrices (row by row) of nums, for the kernels of the loop. All functions are inline and without
 * branches. */
#ifndef MATH_VEC3_H
#define MATH_VEC3_H

#include "math/num.h"

#include <math.h>

static inline void v3_copy(num o[3], const num a[3])
{
  for (int i = 0; i < 3; i++) o[i] = a[i];
}

static inline num v3_dot(const num a[3], const num b[3])
{
  return num_fma(a[2], b[2], num_fma(a[1], b[1], a[0] * b[0]));
}

/* o = a x b; o may not be a or b */
static inline void v3_cross(num o[3], const num a[3], const num b[3])
{
  o[0] = num_fma(-a[2], b[1], a[1] * b[2]);
  o[1] = num_fma(-a[0], b[2], a[2] * b[0]);
  o[2] = num_fma(-a[1], b[0], a[0] * b[1]);
}

/* o += k a */
static inline void v3_axpy(num o[3], num k, const num a[3])
{
  for (int i = 0; i < 3; i++) o[i] = num_fma(k, a[i], o[i]);
}

/* o = a - b */
static inline void v3_sub(num o[3], const num a[3], const num b[3])
{
  for (int i = 0; i < 3; i++) o[i] = a[i] - b[i];
}

/* o = M a; o may not be a */
static inline void m3_mul(num o[3], const num M[9], const num a[3])
{
  for (int i = 0; i < 3; i++) o[i] = v3_dot(M + 3 * i, a);
}

/* o = M a; diagonal: only the diagonal of M is read. */
static inline void m3_mul_as(bool diagonal, num o[3], const num M[9], const num a[3])
{
  if (diagonal) {
    for (int i = 0; i < 3; i++) o[i] = M[4 * i] * a[i];
  } else {
    m3_mul(o, M, a);
  }
}

/* o = M' a; o may not be a */
static inline void m3_tmul(num o[3], const num M[9], const num a[3])
{
  for (int i = 0; i < 3; i++) o[i] = num_fma(M[6 + i], a[2], num_fma(M[3 + i], a[1], M[i] * a[0]));
}

#if LANES == 1
/* Two unit vectors that form a right-handed frame with the unit vector a. */
static inline void v3_perpendicular(const double a[3], double u[3], double v[3])
{
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (a[i] * a[i] < a[k] * a[k]) k = i;
  const double e[3] = {k == 0, k == 1, k == 2};
  v3_cross(u, a, e);
  double norm = sqrt(v3_dot(u, u));
  for (int i = 0; i < 3; i++) u[i] /= norm;
  v3_cross(v, a, u);
}
#endif

#endif
