/* SPDX-License-Identifier: MIT
 * Euler parameters p = (e0, e), in the homogeneous form: A(p) = (e0^2 - e'e) I + 2 e e' + 2 e0 e~ = s R with
 * s = p'p, so that derivatives are exact off the unit sphere.
 *
 *   G(p) = [-e, -e~ + e0 I]   3x4,   G p = 0,   G G' = s I,   G'G + p p' = s I,   w_b = 2 G p'
 *   B(p,a) = d(A a)/dp        3x4,   B G' = -2 A a~,   B p = 2 A a
 *
 * Any vector x of R^4 is split as x = G' th / (2 s) + p n / s, with th = 2 G x (a rotation in body axes) and
 * n = p'x. */
#ifndef MATH_EULER_H
#define MATH_EULER_H

#include "math/vec3.h"

static inline num p_dot(const num p[4], const num q[4])
{
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
}

/* R = A(p)/s, s = p'p */
static inline num p_rotation(num R[9], const num p[4])
{
  num e0 = p[0], x = p[1], y = p[2], z = p[3];
  num s = p_dot(p, p), k = 1.0 / s, d = (e0 * e0 - x * x - y * y - z * z) * k;
  k *= 2.0;
  R[0] = d + k * x * x;
  R[1] = k * (x * y - e0 * z);
  R[2] = k * (x * z + e0 * y);
  R[3] = k * (x * y + e0 * z);
  R[4] = d + k * y * y;
  R[5] = k * (y * z - e0 * x);
  R[6] = k * (x * z - e0 * y);
  R[7] = k * (y * z + e0 * x);
  R[8] = d + k * z * z;
  return s;
}

/* o = A(q) a, also for q that is no rotation: 2 A(p') a is the part of the acceleration of A(p) a without p''
 */
static inline void p_homogeneous(num o[3], const num q[4], const num a[3])
{
  num c[3], ea = v3_dot(q + 1, a), d = q[0] * q[0] - v3_dot(q + 1, q + 1);
  v3_cross(c, q + 1, a);
  for (int i = 0; i < 3; i++) o[i] = d * a[i] + 2.0 * (q[1 + i] * ea + q[0] * c[i]);
}

/* o = 2 G(p) x */
static inline void p_to_rotation(num o[3], const num p[4], const num x[4])
{
  num c[3];
  v3_cross(c, p + 1, x + 1);
  for (int i = 0; i < 3; i++) o[i] = 2.0 * (p[0] * x[1 + i] - p[1 + i] * x[0] - c[i]);
}

/* o = G(p)' th / (2 s) + p n / s */
static inline void p_from_rotation(num o[4], const num p[4], num s, const num th[3], num n)
{
  num c[3], inverse = 1.0 / s, k = 0.5 * inverse, m = n * inverse;
  v3_cross(c, p + 1, th);
  o[0] = -k * v3_dot(p + 1, th) + m * p[0];
  for (int i = 0; i < 3; i++) o[1 + i] = k * (c[i] + p[0] * th[i]) + m * p[1 + i];
}

/* o = a b (first b, then a); o may not be a or b */
static inline void p_mul(num o[4], const num a[4], const num b[4])
{
  num c[3];
  v3_cross(c, a + 1, b + 1);
  o[0] = a[0] * b[0] - v3_dot(a + 1, b + 1);
  for (int i = 0; i < 3; i++) o[1 + i] = a[0] * b[1 + i] + b[0] * a[1 + i] + c[i];
}

static inline void p_normalise(num p[4])
{
  num k = 1.0 / num_sqrt(p_dot(p, p));
  for (int i = 0; i < 4; i++) p[i] *= k;
}

#endif
