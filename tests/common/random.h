/* SPDX-License-Identifier: MIT
 * Repeatable random numbers for tests: the seed identifies a failure. */
#ifndef COMMON_RANDOM_H
#define COMMON_RANDOM_H

#include <math.h>
#include <stdint.h>

struct random {
  uint64_t state;
};

/* splitmix64: any seed is a good one */
static inline uint64_t random_next(struct random *r)
{
  uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* [low, high) */
static inline double random_between(struct random *r, double low, double high)
{
  return low + (high - low) * ((double)(random_next(r) >> 11) * 0x1p-53);
}

/* 0 .. n-1 */
static inline int random_below(struct random *r, int n)
{
  return (int)(random_next(r) % (uint64_t)n);
}

/* n numbers in [-1, 1) */
static inline void random_vector(struct random *r, double *o, int n)
{
  for (int i = 0; i < n; i++) o[i] = random_between(r, -1.0, 1.0);
}

static inline void random_unit(struct random *r, double *o, int n)
{
  double s;
  do {
    random_vector(r, o, n);
    s = 0.0;
    for (int i = 0; i < n; i++) s += o[i] * o[i];
  } while (s < 0.1 || s > 1.0);
  for (int i = 0; i < n; i++) o[i] /= sqrt(s);
}

/* Symmetric positive definite 3x3 with eigenvalues 1 .. 1.8: a possible inertia. */
static inline void random_inertia(struct random *r, double J[9])
{
  double u[3], k = random_between(r, 0.3, 0.8);
  random_unit(r, u, 3);
  for (int i = 0; i < 9; i++) J[i] = (i % 4 == 0 ? 1.0 : 0.0) + k * u[i / 3] * u[i % 3];
}

#endif
