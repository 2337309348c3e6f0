/* SPDX-License-Identifier: MIT
 * Loop code: functions that the kernels of the condensation and of the sweeps share, and their interface to the code
 * around them. */
#ifndef CONDENSATION_CONDENSE_PARTS_H
#define CONDENSATION_CONDENSE_PARTS_H

#include "condensation/condense.h"
#include "dynamics/leaf.h"

/* Returns false if nothing holds one of the carried bodies of a group. The front of the group is assembled. */
bool hubs_are_held(const struct tree *t, const struct tree_work *w, int group);

#ifdef LANE_ISA
void LANE_NAME(sweep_up)(const struct tree *t, const struct tree_work *w, const double *beta, int first,
                         int end);
void LANE_NAME(sweep_down)(const struct tree *t, const struct tree_work *w, double *x, int first, int end);

_Static_assert((int)LEAF_Y == (int)TREE_Y, "");

/* A FLAT function takes the size of a pivot or block as a constant, so the compiler unrolls all its loops. */
#define FLAT static inline __attribute__((always_inline))

/* The next number of a list of offsets in `from`. */
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

/* Number i of a block whose offset stands in a list. */
FLAT num listed_number(const double *a, const int *source, int i)
{
  return ((const num *)(a + *source))[i];
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

/* Defines a function that sets a front of `number`s to the sums of the children's updates. */
#define SUM_CHILDREN(name, number)                                                                           \
  static inline void name(const struct tree *t, const struct tree_sum *s, double *front)                     \
  {                                                                                                          \
    const int *list = t->list + s->first;                                                                    \
    for (int i = 0; i < s->none; i++) *(number *)(front + *list++) = (number){0};                            \
    for (int i = 0; i < s->one; i++, list += 2)                                                              \
      *(number *)(front + list[0]) = *(const number *)(front + list[1]);                                     \
    for (int i = 0; i < s->two; i++, list += 3)                                                              \
      *(number *)(front + list[0]) =                                                                         \
          *(const number *)(front + list[1]) + *(const number *)(front + list[2]);                           \
    for (int i = 0; i < s->more; i++, list += 2)                                                             \
      *(number *)(front + list[0]) += *(const number *)(front + list[1]);                                    \
  }

/* Computes L and D^-1 of a pivot with p rows. Returns the lanes in which D is positive. */
FLAT num_mask factorise_pivot(num *P, int p, double sign)
{
  num_mask positive = num_greater(num_all(1.0), num_all(0.0));
  for (int j = 0; j < p; j++) {
    num d = P[tree_triangle(j) + j], r = 1.0 / d, column[TREE_Y];
    positive &= num_greater(sign * d, num_all(0.0));
    P[tree_triangle(j) + j] = r;
    for (int i = j + 1; i < p; i++) {
      column[i] = P[tree_triangle(i) + j];
      num l = column[i] * r;
      P[tree_triangle(i) + j] = l;
      for (int k = j + 1; k <= i; k++)
        P[tree_triangle(i) + k] = num_fma(-l, column[k], P[tree_triangle(i) + k]);
    }
  }
  return positive;
}

/* U := U - Y P^-1 Y' uses one half of the solution, Y = E L'^-1. With K E' instead, the condition of the pivot would
 * multiply the rounding errors. y: a row of E, becomes a row of Y. z: a row of Y D^-1. */
FLAT void half_solve(const num *P, int p, num *y, num *z)
{
  for (int a = 0; a < p; a++)
    for (int b = 0; b < a; b++) y[a] = num_fma(-P[tree_triangle(a) + b], y[b], y[a]);
  for (int a = 0; a < p; a++) z[a] = y[a] * P[tree_triangle(a) + a];
}

/* Computes a row of K from a row of Y D^-1. */
FLAT void other_half(const num *P, int p, const num *z, num *K)
{
  num k[TREE_Y];
  for (int a = p - 1; a >= 0; a--) {
    k[a] = z[a];
    for (int b = p - 1; b > a; b--) k[a] = num_fma(-P[tree_triangle(b) + a], k[b], k[a]);
  }
  for (int a = 0; a < p; a++) K[a] = k[a];
}

FLAT num row_product(const num *z, const num *y, int p)
{
  num sum = z[0] * y[0];
  for (int a = 1; a < p; a++) sum = num_fma(z[a], y[a], sum);
  return sum;
}

/* x := P^-1 x. Each sum takes the number that is known last at its end. */
FLAT void solve_pivot(const num *P, int p, num *x)
{
  for (int i = 0; i < p; i++)
    for (int k = 0; k < i; k++) x[i] = num_fma(-P[tree_triangle(i) + k], x[k], x[i]);
  for (int i = p - 1; i >= 0; i--) {
    x[i] *= P[tree_triangle(i) + i];
    for (int k = p - 1; k > i; k--) x[i] = num_fma(-P[tree_triangle(k) + i], x[k], x[i]);
  }
}

/* Adds delta^-1 of a hub. */
static inline void add_hub(const struct tree_group *group, const num *delta, num *F)
{
  const struct leaf_inverse o = leaf_inverse(delta, group->carried);
  for (int i = 0, e = 0; i < 3; i++) {
    F[tree_triangle(i) + i] += o.r;
    for (int k = 0; k <= i; k++) F[tree_triangle(3 + i) + 3 + k] += o.th[e++];
  }
  F[tree_triangle(6) + 6] += o.n;
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
