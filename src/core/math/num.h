/* SPDX-License-Identifier: MIT
 * The number type of kernels. In ordinary sources a num is a double. Sources named *_lanes.c are built twice for each instruction
 * set of base/isa.h, with LANES 1 and with all its lanes; those of dca only with all. There a num is a vector of LANES doubles,
 * one for each of LANES bodies, links or nodes, and one source serves both builds.
 *
 * A group of bodies, links or nodes is stored as a tile: element f of lane l is at f * width + l, so that element f is one
 * num. */
#ifndef MATH_NUM_H
#define MATH_NUM_H

#include <stdbool.h>
#include <stddef.h>

#ifndef LANES
#define LANES 1
#endif

/* num_fma(a, b, c) is a b + c, rounded once in sources that are compiled with NUM_FUSED. The compiler fuses no product by itself:
 * it would choose others for one lane, for several, and in its next version. So the bits of a run follow from the sources. */
#if defined(NUM_FUSED) && LANES > 1
#include <immintrin.h>
#endif

#if LANES == 1
typedef double num;
typedef int num_mask;
#define num_lane(v, l) (v)
static inline num num_all(double x)
{
  return x;
}
static inline num num_sqrt(num v)
{
  return __builtin_sqrt(v);
}
static inline num num_fma(num a, num b, num c)
{
#ifdef NUM_FUSED
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
/* a where the mask of a comparison is true; b elsewhere */
static inline num num_select(num_mask mask, num a, num b)
{
  return mask ? a : b;
}
static inline num_mask num_greater(num a, num b)
{
  return a > b;
}
static inline bool num_everywhere(num_mask m)
{
  return m;
}
static inline bool num_some(num_mask m)
{
  return m;
}
static inline num_mask num_flags(const bool *flag)
{
  return *flag;
}
#else
typedef double num __attribute__((vector_size(8 * LANES), may_alias));
typedef long long num_mask __attribute__((vector_size(8 * LANES), may_alias));
#define num_lane(v, l) ((v)[l])
static inline num num_all(double x)
{
  return x - (num){0};
}
static inline num num_sqrt(num v)
{
  for (int l = 0; l < LANES; l++) v[l] = __builtin_sqrt(v[l]);
  return v;
}
static inline num num_fma(num a, num b, num c)
{
#if defined(NUM_FUSED) && LANES == 8
  return (num)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(NUM_FUSED) && LANES == 4
  return (num)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}
static inline num num_select(num_mask mask, num a, num b)
{
  return (num)((mask & (num_mask)a) | (~mask & (num_mask)b));
}
static inline num_mask num_greater(num a, num b)
{
  return (num_mask)(a > b);
}
static inline num_mask num_flags(const bool *flag)
{
  num_mask mask;
  for (int l = 0; l < LANES; l++) mask[l] = -(long long)flag[l];
  return mask;
}
#endif

/* The larger of a and b; b where a is NaN. */
static inline num num_max(num a, num b)
{
  return num_select(num_greater(a, b), a, b);
}

/* kernel names: LANE_NAME(f) is f_avx512_8 or the like */
#define LANE_JOIN3(f, isa, lanes) f##_##isa##_##lanes
#define LANE_JOIN2(f, isa, lanes) LANE_JOIN3(f, isa, lanes)
#define LANE_NAME(f)              LANE_JOIN2(f, LANE_ISA, LANES)

/* For each lane of a tile, the offset of an item in another tile: element f is at `at` + f * `stride`. */
struct lane_at {
  size_t at;
  size_t stride; /* width of the tile of the item; 0: no item, and `at` is a zero */
};

/* Element f of LANES items. */
static inline num num_pick(const double *a, const struct lane_at *from, int f)
{
#if LANES == 1
  return a[from->at + (size_t)f * from->stride];
#else
  num v;
  for (int l = 0; l < LANES; l++) v[l] = a[from[l].at + (size_t)f * from[l].stride];
  return v;
#endif
}

/* `count` elements from element `first` on. */
static inline void num_pick_all(const double *a, const struct lane_at *from, size_t first, size_t count,
                                num *o)
{
  const double *at[LANES];
  for (int l = 0; l < LANES; l++) at[l] = a + from[l].at + first * from[l].stride;
  for (size_t f = 0; f < count; f++) {
    num v = num_all(0.0);
    for (int l = 0; l < LANES; l++) {
      num_lane(v, l) = *at[l];
      at[l] += from[l].stride;
    }
    o[f] = v;
  }
}

/* Items in at most two sources. A source is a tile, with items in any of its lanes, or single numbers for all lanes. Reading
 * takes loads and a shuffle. lane_shuffle_find() of math/lanes.h fills it. */
enum { LANES_MOST = 8 };
struct lane_shuffle {
  int sources;                                             /* 1, 2 */
  int tiles;                                               /* sources that are tiles; they come first */
  size_t at[2];                                            /* element 0 */
  long long lane[LANES_MOST] __attribute__((aligned(64))); /* lane of each item, over both sources */
};

static inline num_mask num_lanes(const long long *lane)
{
#if LANES == 1
  return lane[0] != 0;
#else
  return *(const num_mask *)lane;
#endif
}

static inline num num_shuffle(num a, num b, num_mask which)
{
#if LANES == 1
  return which ? b : a;
#elif defined(__clang__)
  num v = a;
  for (int l = 0; l < LANES; l++) v[l] = which[l] < LANES ? a[which[l]] : b[which[l] - LANES];
  return v;
#else
  return __builtin_shuffle(a, b, which);
#endif
}

#if LANES > 1
/* Each lane of the result has the mask of the lane `step` lanes away. */
static inline __attribute__((always_inline)) num_mask num_swapped(num_mask m, int step)
{
  num_mask from;
  for (int l = 0; l < LANES; l++) from[l] = l ^ step;
  return (num_mask)num_shuffle((num)m, (num)m, from);
}
static inline bool num_everywhere(num_mask m)
{
  m &= num_swapped(m, 1);
  if (LANES > 2) m &= num_swapped(m, 2);
  if (LANES > 4) m &= num_swapped(m, 4);
  return m[0] != 0;
}
static inline bool num_some(num_mask m)
{
  return !num_everywhere(~m);
}
#endif

/* Numbers of items elsewhere, as rows of ROW_NUMBERS: those of one item side by side, so that they are loaded at once. */
enum { ROW_NUMBERS = 8 };

#if LANES > 1
/* One butterfly of a transpose: swaps a[l] with b[l - step] in every lane l that has the bit `step`. step is a constant:
 * otherwise the compiler builds the shuffles at run time. */
static inline __attribute__((always_inline)) void num_exchange(num *a, num *b, int step)
{
  num_mask low, high;
  for (int l = 0; l < LANES; l++) {
    low[l] = l & step ? LANES + l - step : l;
    high[l] = l & step ? LANES + l : l + step;
  }
  const num first = *a;
  *a = num_shuffle(first, *b, low);
  *b = num_shuffle(first, *b, high);
}

/* Element l of v[k] becomes element k of v[l]: numbers change places over a distance of 1, 2, 4. */
static inline __attribute__((always_inline)) void num_transpose(num v[LANES])
{
  for (int k = 0; k < LANES; k += 2) num_exchange(&v[k], &v[k + 1], 1);
  for (int k = 0; k < LANES && LANES > 2; k++)
    if (!(k & 2)) num_exchange(&v[k], &v[k + 2], 2);
  for (int k = 0; k < LANES && LANES > 4; k++)
    if (!(k & 4)) num_exchange(&v[k], &v[k + 4], 4);
}

/* Lane l of the result is the sum over the lanes of v[l]. */
static inline __attribute__((always_inline)) num num_sum_lanes(num v[LANES])
{
  for (int k = 0; k < LANES; k += 2) {
    num_exchange(&v[k], &v[k + 1], 1);
    v[k] += v[k + 1];
  }
  for (int k = 0; k < LANES && LANES > 2; k += 4) {
    num_exchange(&v[k], &v[k + 2], 2);
    v[k] += v[k + 2];
  }
  if (LANES > 4) {
    num_exchange(&v[0], &v[4 % LANES], 4);
    v[0] += v[4 % LANES];
  }
  return v[0];
}
#endif

/* From a number of each lane, `count` of them, to a row for each lane at `o`. */
static inline void num_put_rows(const num *from, int count, double *o)
{
#if LANES == 1
  for (int f = 0; f < count; f++) o[f] = from[f];
#else
  for (int first = 0; first < ROW_NUMBERS; first += LANES) {
    num v[LANES];
    for (int k = 0; k < LANES; k++) v[k] = first + k < count ? from[first + k] : num_all(0.0);
    num_transpose(v);
    for (int l = 0; l < LANES; l++) *(num *)(o + ROW_NUMBERS * l + first) = v[l];
  }
#endif
}

/* o += the sums of `rows` rows of each lane, `count` numbers; row: (rows, LANES) their offsets in `a`. */
static inline void num_add_rows(const double *a, const int *row, int rows, int count, num *o)
{
#if LANES == 1
  for (int i = 0; i < rows; i++)
    for (int f = 0; f < count; f++) o[f] += a[row[i] + f];
#else
  for (int first = 0; first < ROW_NUMBERS; first += LANES) {
    num v[LANES];
    for (int l = 0; l < LANES; l++) v[l] = *(const num *)(a + row[l] + first);
    for (int i = 1; i < rows; i++)
      for (int l = 0; l < LANES; l++) v[l] += *(const num *)(a + row[LANES * i + l] + first);
    num_transpose(v);
    for (int k = 0; k < LANES && first + k < count; k++) o[first + k] += v[k];
  }
#endif
}

/* tiles: number of sources that are tiles; they come first. */
static inline __attribute__((always_inline)) void num_shuffle_of(const double *a, const double *b,
                                                                 int sources, int tiles, num_mask which,
                                                                 size_t first, size_t count, num *o)
{
  for (size_t f = 0; f < count; f++) {
    num v = tiles > 0 ? ((const num *)a)[first + f] : num_all(a[first + f]);
    if (sources > 1)
      v = num_shuffle(v, tiles > 1 ? ((const num *)b)[first + f] : num_all(b[first + f]), which);
    else if (tiles > 0)
      v = num_shuffle(v, v, which);
    o[f] = v;
  }
}

/* `count` elements from element `first` on. at: the offsets, for items with one number each; numbers: the count of numbers that
 * `a` has of each item. */
static inline void num_shuffle_all(const double *a, const struct lane_shuffle *shuffle, size_t numbers,
                                   size_t first, size_t count, num *o)
{
  const double *one = a + shuffle->at[0] * numbers, *other = a + shuffle->at[1] * numbers;
  const num_mask which = num_lanes(shuffle->lane);
  if (shuffle->sources == 1 && shuffle->tiles == 1)
    num_shuffle_of(one, other, 1, 1, which, first, count, o);
  else if (shuffle->sources == 1)
    num_shuffle_of(one, other, 1, 0, which, first, count, o);
  else if (shuffle->tiles == 2)
    num_shuffle_of(one, other, 2, 2, which, first, count, o);
  else if (shuffle->tiles == 1)
    num_shuffle_of(one, other, 2, 1, which, first, count, o);
  else
    num_shuffle_of(one, other, 2, 0, which, first, count, o);
}

#endif
