/* SPDX-License-Identifier: MIT
 * The number that kernels compute with. In ordinary sources it is a double. Sources named *_lanes.c are built for each
 * instruction set of base/isa.h twice, with LANES 1 and with all its lanes: there a num is LANES doubles side by side,
 * one of each of LANES bodies, links or nodes, and the same source serves both.
 *
 * Storage of such a group, a tile: element f of lane l at f * width + l, so that element f is one num. */
#ifndef MATH_NUM_H
#define MATH_NUM_H

#include <stdbool.h>
#include <stddef.h>

#ifndef LANES
#define LANES 1
#endif

#if LANES == 1
typedef double num;
#define num_lane(v, l) (v)
typedef bool num_mask;
static inline num num_all(double x)
{
  return x;
}
static inline num_mask num_positive(num x)
{
  return x > 0.0;
}
static inline bool num_everywhere(num_mask m)
{
  return m;
}
#else
typedef double num __attribute__((vector_size(8 * LANES), may_alias));
#define num_lane(v, l) ((v)[l])
static inline num num_all(double x)
{
  return x - (num){0};
}
typedef long long num_mask __attribute__((vector_size(8 * LANES)));
/* False of what is not a number. */
static inline num_mask num_positive(num x)
{
  return x > (num){0};
}
static inline bool num_everywhere(num_mask m)
{
  long long all = m[0];
  for (int l = 1; l < LANES; l++) all &= m[l];
  return all;
}
#endif

/* kernel names: LANE_NAME(f) is f_avx512_8 or the like */
#define LANE_JOIN3(f, isa, lanes) f##_##isa##_##lanes
#define LANE_JOIN2(f, isa, lanes) LANE_JOIN3(f, isa, lanes)
#define LANE_NAME(f)              LANE_JOIN2(f, LANE_ISA, LANES)

/* Where each lane of a tile finds the storage of an item elsewhere: element f at `at` + f * `stride`. */
struct lane_at {
  size_t at;
  size_t stride; /* width of the tile it lies in; 0: nothing there, `at` is a zero */
};

/* Element f of what LANES places hold. */
static inline num num_pick(const double *a, const struct lane_at *from, size_t f)
{
#if LANES == 1
  return a[from->at + f * from->stride];
#else
  num v;
  for (int l = 0; l < LANES; l++) v[l] = a[from[l].at + f * from[l].stride];
  return v;
#endif
}

#endif
