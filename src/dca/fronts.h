/* SPDX-License-Identifier: MIT
 * Loop code: functions that the kernels of the condensation and of the sweeps share, and their interface to the code
 * around them. */
#ifndef DCA_FRONTS_H
#define DCA_FRONTS_H

#include "dca/condense.h"

/* Returns false if nothing holds one of the carried bodies of a group. The front of the group is assembled. */
bool hubs_are_held(const struct tree *t, const struct tree_work *w, int group);

#ifdef LANE_ISA
void LANE_NAME(sweep_up)(const struct tree *t, const struct tree_work *w, const double *beta, int first,
                         int end);
void LANE_NAME(sweep_down)(const struct tree *t, const struct tree_work *w, double *x, int first, int end);

/* A FLAT function takes the size of a pivot or part as a constant, so the compiler unrolls all its loops. */
#define FLAT static inline __attribute__((always_inline))

/* The next number of a list of places in `from`. */
FLAT num take_number(const double *from, const int **list)
{
  return *(const num *)(from + *(*list)++);
}

/* The sum of the next `count` numbers of the list. */
FLAT num take_sum(const double *from, const int **list, int count)
{
  num sum = count > 0 ? take_number(from, list) : num_all(0.0);
  for (int i = 1; i < count; i++) sum += take_number(from, list);
  return sum;
}

/* Element i of an aligned block. Many lanes: lane by lane in one tile. One lane: any place, with a stride. */
FLAT num aligned_number(const double *a, size_t at, size_t stride, int i)
{
  return ((const num *)(a + at))[LANES == 1 ? (size_t)i * stride : (size_t)i];
}

/* Element i of an aligned block whose place stands in a list; with one lane its stride follows there. */
enum { SOURCE = LANES == 1 ? 2 : 1 };
FLAT num listed_number(const double *a, const int *source, int i)
{
  return aligned_number(a, (size_t)source[0], LANES == 1 ? (size_t)source[1] : 0, i);
}

/* Unknown k of an aligned group, from an array stored like the vector of unknowns. */
FLAT num own_aligned(const struct tree_group *group, const double *x, int k)
{
  return *(const num *)(x + group->own[k]);
}

static inline num own_number(const struct tree_group *group, const double *x, int k)
{
  num v = num_all(0.0);
  if (group->aligned) return own_aligned(group, x, k);
  for (int l = 0; l < LANES; l++) num_lane(v, l) = x[group->own[k * LANES + l]];
  return v;
}

/* Calls function(t, w, group, pivot, more) with the pivot as a constant. */
#define BY_PIVOT(function, more)                                                                             \
  switch (group->pivot) {                                                                                    \
  case 1:                                                                                                    \
    function(t, w, group, 1, more);                                                                          \
    break;                                                                                                   \
  case 2:                                                                                                    \
    function(t, w, group, 2, more);                                                                          \
    break;                                                                                                   \
  case 3:                                                                                                    \
    function(t, w, group, 3, more);                                                                          \
    break;                                                                                                   \
  case 4:                                                                                                    \
    function(t, w, group, 4, more);                                                                          \
    break;                                                                                                   \
  case 5:                                                                                                    \
    function(t, w, group, 5, more);                                                                          \
    break;                                                                                                   \
  case 6:                                                                                                    \
    function(t, w, group, 6, more);                                                                          \
    break;                                                                                                   \
  default:                                                                                                   \
    function(t, w, group, 7, more);                                                                          \
  }
#endif

#endif
