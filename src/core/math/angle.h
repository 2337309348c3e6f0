/* SPDX-License-Identifier: MIT
 * The angle of a vector in a plane, sine and cosine, of nums. RT. */
#ifndef MATH_ANGLE_H
#define MATH_ANGLE_H

#include "math/num.h"

#define ANGLE_TURN 6.28318530717958647693 /* rad */

/* The nearest integer, for |x| below 2^51. */
static inline num num_round(num x)
{
  const double SHIFT = 6755399441055744.0; /* 1.5 2^52: sums with it have no digits behind the point */
  return (x + SHIFT) - SHIFT;
}

/* atan t for |t| <= tan(pi/8): t + t^3 times a polynomial in t^2, a Chebyshev fit of degree 10 with an error below 1e-17 t. */
static inline num num_arctan(num t)
{
  static const double C[] = {0.039229744536612230905,  -0.050853834888428314054, 0.058581362519061462790,
                             -0.066645099898180444678, 0.076921830873420259463,  -0.090909045736690599627,
                             0.11111111015146714628,   -0.14285714284665179609,  0.19999999999995514143,
                             -0.33333333333333330155};
  num z = t * t, sum = num_all(-0.01917454357202133235);
  for (int i = 0; i < (int)(sizeof C / sizeof *C); i++) sum = num_fma(sum, z, num_all(C[i]));
  return num_fma(t, z * sum, t);
}

/* atan2(y, x), rad, to 2 units of the last digit; 0 where both are 0. */
static inline num num_angle(num y, num x)
{
  const double EIGHTH = 0.41421356237309504880, TINY = 1e-300; /* tan(pi/8) */
  const num ax = num_max(x, -x), ay = num_max(y, -y), zero = num_all(0.0);
  const num_mask steep = num_greater(ay, ax);
  const num low = num_select(steep, ax, ay), high = num_max(num_all(TINY), num_select(steep, ay, ax));
  /* the first octant, turned by pi/4 where that brings it nearer to 0 */
  const num_mask turned = num_greater(low, EIGHTH * high);
  num o = num_arctan(num_select(turned, low - high, low) / num_select(turned, low + high, high));
  o += num_select(turned, num_all(0.125 * ANGLE_TURN), zero);
  /* the other octants */
  o = num_select(steep, 0.25 * ANGLE_TURN - o, o);
  o = num_select(num_greater(zero, x), 0.5 * ANGLE_TURN - o, o);
  return num_select(num_greater(zero, y), -o, o);
}

/* Sine and cosine of |x| up to 1e6 rad, to 3 units of the last digit of 1. */
static inline void num_sine_cosine(num x, num *sine, num *cosine)
{
  const double QUARTER[] = {1.57079632673412561417, 6.07710050630396597660e-11,
                            2.02226624879595063154e-21}; /* pi/2; the first two have 33 bits */
  const double S[] = {-7.6471637318198164759e-13, 1.6059043836821614599e-10, -2.5052108385441718775e-8,
                      2.7557319223985890653e-6,   -1.9841269841269841270e-4, 8.3333333333333333333e-3,
                      -1.6666666666666666667e-1};
  const double C[] = {4.7794773323873852974e-14, -1.1470745597729724714e-11,
                      2.0876756987868098979e-9,  -2.7557319223985890653e-7,
                      2.4801587301587301587e-5,  -1.3888888888888888889e-3,
                      4.1666666666666666667e-2,  -0.5};
  const num turns = num_round(x / QUARTER[0]);
  num r = x, s = num_all(0.0), c = num_all(0.0);
  for (int i = 0; i < 3; i++) r = num_fma(-turns, num_all(QUARTER[i]), r);
  const num z = r * r;
  for (int i = 0; i < (int)(sizeof S / sizeof *S); i++) s = num_fma(s, z, num_all(S[i]));
  for (int i = 0; i < (int)(sizeof C / sizeof *C); i++) c = num_fma(c, z, num_all(C[i]));
  s = num_fma(r, z * s, r);
  c = num_fma(z, c, num_all(1.0));
  /* the quarter of a turn: -2, -1, 0, 1 or 2 */
  const num quarter = turns - 4.0 * num_round(0.25 * turns), square = quarter * quarter;
  const num_mask back = num_greater(square, num_all(2.5));
  const num_mask side = num_greater(num_select(back, num_all(0.0), square), num_all(0.5));
  const num sign = num_select(back, num_all(-1.0), num_all(1.0));
  *sine = num_select(side, quarter * c, sign * s);
  *cosine = num_select(side, -quarter * s, sign * c);
}

/* The one of all x + k 2 pi that is nearest to `to`. */
static inline num num_nearest_angle(num x, num to)
{
  num off = x - to;
  return to + (off - ANGLE_TURN * num_round(off / ANGLE_TURN));
}

#endif
