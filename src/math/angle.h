/* SPDX-License-Identifier: MIT
 * The angle of a vector in a plane, of nums. RT. */
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
  for (int i = 0; i < (int)(sizeof C / sizeof *C); i++) sum = sum * z + C[i];
  return t + t * (z * sum);
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

/* The one of all x + k 2 pi that is nearest to `to`. */
static inline num num_nearest_angle(num x, num to)
{
  num off = x - to;
  return to + (off - ANGLE_TURN * num_round(off / ANGLE_TURN));
}

#endif
