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
  return num_fma(p[3], q[3], num_fma(p[2], q[2], num_fma(p[1], q[1], p[0] * q[0])));
}

/* R = A(p)/s with k = 1/s, s = p'p; on the diagonal (e0^2 - e'e)/s = 1 - 2 e'e/s */
static inline void p_rotation_by(num R[9], const num p[4], num k)
{
  const num e0 = p[0], x = p[1], y = p[2], z = p[3], twice = k + k;
  const num kx = twice * x, ky = twice * y, kz = twice * z;
  const num xy = kx * y, xz = kx * z, yz = ky * z, rest = num_fma(-z, kz, num_all(1.0));
  R[0] = num_fma(-y, ky, rest);
  R[1] = num_fma(-e0, kz, xy);
  R[2] = num_fma(e0, ky, xz);
  R[3] = num_fma(e0, kz, xy);
  R[4] = num_fma(-x, kx, rest);
  R[5] = num_fma(-e0, kx, yz);
  R[6] = num_fma(-e0, ky, xz);
  R[7] = num_fma(e0, kx, yz);
  R[8] = num_fma(-y, ky, num_fma(-x, kx, num_all(1.0)));
}

/* R = A(p)/s. Returns s. */
static inline num p_rotation(num R[9], const num p[4])
{
  num s = p_dot(p, p);
  p_rotation_by(R, p, 1.0 / s);
  return s;
}

/* o = A(q) a for any q. 2 A(p') a is the second derivative of A(p) a for p'' = 0. */
static inline void p_homogeneous(num o[3], const num q[4], const num a[3])
{
  num c[3], ea = v3_dot(q + 1, a), d = num_fma(q[0], q[0], -v3_dot(q + 1, q + 1));
  v3_cross(c, q + 1, a);
  for (int i = 0; i < 3; i++) o[i] = d * a[i] + 2.0 * (q[1 + i] * ea + q[0] * c[i]);
}

/* o = 2 G(p) x, given 2 p */
static inline void p_to_rotation_twice(num o[3], const num pp[4], const num x[4])
{
  o[0] = num_fma(-pp[2], x[3], num_fma(pp[3], x[2], num_fma(-pp[1], x[0], pp[0] * x[1])));
  o[1] = num_fma(-pp[3], x[1], num_fma(pp[1], x[3], num_fma(-pp[2], x[0], pp[0] * x[2])));
  o[2] = num_fma(-pp[1], x[2], num_fma(pp[2], x[1], num_fma(-pp[3], x[0], pp[0] * x[3])));
}

/* o = 2 G(p) x */
static inline void p_to_rotation(num o[3], const num p[4], const num x[4])
{
  const num pp[4] = {p[0] + p[0], p[1] + p[1], p[2] + p[2], p[3] + p[3]};
  p_to_rotation_twice(o, pp, x);
}

/* o = G(p)' th / (2 s) + p n / s with k = 1/s */
static inline void p_from_rotation(num o[4], const num p[4], num k, const num th[3], num n)
{
  const num half = 0.5 * k, m = n * k, x = half * th[0], y = half * th[1], z = half * th[2];
  o[0] = num_fma(-p[3], z, num_fma(-p[2], y, num_fma(-p[1], x, m * p[0])));
  o[1] = num_fma(-p[3], y, num_fma(p[2], z, num_fma(p[0], x, m * p[1])));
  o[2] = num_fma(-p[1], z, num_fma(p[3], x, num_fma(p[0], y, m * p[2])));
  o[3] = num_fma(-p[2], x, num_fma(p[1], y, num_fma(p[0], z, m * p[3])));
}

/* o = a b (first b, then a); o may not be a or b */
static inline void p_mul(num o[4], const num a[4], const num b[4])
{
  num c[3];
  v3_cross(c, a + 1, b + 1);
  o[0] = num_fma(a[0], b[0], -v3_dot(a + 1, b + 1));
  for (int i = 0; i < 3; i++) o[1 + i] = a[0] * b[1 + i] + b[0] * a[1 + i] + c[i];
}

static inline void p_normalise(num p[4])
{
  num k = 1.0 / num_sqrt(p_dot(p, p));
  for (int i = 0; i < 4; i++) p[i] *= k;
}

#endif
