/* SPDX-License-Identifier: MIT
 * Loop code, for sources built in lanes: a body as a leaf of the condensation. Its delta is block diagonal in body coordinates: a
 * number for r, a 3x3 matrix for th, a number for n. These are the first LEAF_NUMBERS of struct body_delta; for a carried body
 * they are delta^-1. */
#ifndef DYNAMICS_LEAF_H
#define DYNAMICS_LEAF_H

#include "math/num.h"

#include <stdbool.h>

enum {
  LEAF_Y = 7, /* r, th, n */
  LEAF_R = 0,
  LEAF_TH = 1,
  LEAF_N = 10,
  LEAF_NUMBERS = 11,
  LEAF_TURN = LEAF_Y - 3 /* th and n: a row without its first three columns */
};
#define LEAF_INLINE static inline __attribute__((always_inline))

/* o = delta g */
LEAF_INLINE void leaf_row(const num *delta, const num *g, num *o)
{
  const num *th = delta + LEAF_TH;
  for (int k = 0; k < 3; k++) {
    o[k] = delta[LEAF_R] * g[k];
    o[3 + k] = num_fma(th[3 * k + 2], g[5], num_fma(th[3 * k + 1], g[4], th[3 * k] * g[3]));
  }
  o[6] = delta[LEAF_N] * g[6];
}

/* o = -delta g, th and n only. */
LEAF_INLINE void leaf_turn_row(const num *delta, const num *g, num *o)
{
  const num *th = delta + LEAF_TH;
  num turn[3];
  for (int k = 0; k < 3; k++)
    turn[k] = -num_fma(th[3 * k + 2], g[2], num_fma(th[3 * k + 1], g[1], th[3 * k] * g[0]));
  num n = -delta[LEAF_N] * g[3];
  for (int k = 0; k < 3; k++) o[k] = turn[k];
  o[3] = n;
}

LEAF_INLINE num leaf_turn_product(const num *g, const num *y)
{
  return num_fma(g[1], y[1], g[0] * y[0]) + num_fma(g[3], y[3], g[2] * y[2]);
}

/* delta^-1: r, the lower triangle of th, n. inverted: the numbers already are those of delta^-1. */
struct leaf_inverse {
  num r, th[6], n;
};
LEAF_INLINE struct leaf_inverse leaf_inverse(const num *delta, bool inverted)
{
  const num *th = delta + LEAF_TH;
  struct leaf_inverse o = {.r = delta[LEAF_R], .n = delta[LEAF_N]};
  /* Lower triangle of the stored inverse. */
  if (inverted) {
    for (int i = 0, e = 0; i < 3; i++)
      for (int k = 0; k <= i; k++) o.th[e++] = th[3 * i + k];
    return o;
  }
  /* Inverse of a symmetric 3 by 3 block by its cofactors. */
  o.r = 1.0 / o.r;
  o.n = 1.0 / o.n;
  num a = num_fma(-th[7], th[7], th[4] * th[8]), b = num_fma(-th[3], th[8], th[7] * th[6]),
      c = num_fma(-th[4], th[6], th[3] * th[7]);
  num k = 1.0 / num_fma(th[6], c, num_fma(th[3], b, th[0] * a));
  o.th[0] = k * a;
  o.th[1] = k * b;
  o.th[2] = k * num_fma(-th[6], th[6], th[0] * th[8]);
  o.th[3] = k * c;
  o.th[4] = k * num_fma(-th[0], th[7], th[6] * th[3]);
  o.th[5] = k * num_fma(-th[3], th[3], th[0] * th[4]);
  return o;
}

#endif
