/* SPDX-License-Identifier: MIT
 * Loop code, built for each instruction set (math/num.h): the sweeps, with the factors that condense_lanes.c leaves in
 * the fronts. condense_parts.h has the sweeps of a pivot, and lone_lanes.c those of groups of one lane.
 *
 *     up     f = (-beta | 0) + sum of the children's f_b,    f_b -= K f_p,    f_p := P^-1 f_p
 *     down   x_p = f_p - K' x_b */
#include "condensation/condense_parts.h"

/* Rows of one block of the boundary: f = sum over `count` children, minus K x. */
FLAT void block_up(const double *vector, const int *list, int count, const num *K, const num *x, int rows,
                   num *f)
{
  for (int i = 0; i < rows; i++) {
    num had = num_all(0.0), sum = K[rows * i] * x[0];
    for (int k = 1; k < rows; k++) sum = num_fma(K[rows * i + k], x[k], sum);
    if (count > 0) had = listed_number(vector, list, i);
    for (int k = 1; k < count; k++) had += listed_number(vector, list + k, i);
    f[i] = had - sum;
  }
}

/* A front whose blocks have s rows each. */
FLAT void even_up(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int s,
                  const double *beta)
{
  const num *F = (const num *)(w->front + group->front), *K = F + tree_triangle(s);
  const int *list = t->list + group->up;
  num *f = (num *)(w->vector + group->vector), x[TREE_Y];
  /* Leaves add nothing: x = -beta. */
  if (group->leaf_children) {
    for (int i = 0; i < s; i++) x[i] = num_all(0.0) - own_aligned(group, beta, i);
    for (num *b = f + s, *end = b + group->boundary; b < end; b += s, K += s * s)
      block_up(w->vector, list, 0, K, x, s, b);
  } else {
    /* Sum over the children by their lists, pivot first, then each block of the boundary. */
    int count = *list++;
    for (int i = 0; i < s; i++) x[i] = num_all(0.0);
    for (const int *after = list + count; list < after; list++)
      for (int i = 0; i < s; i++) x[i] += listed_number(w->vector, list, i);
    for (int i = 0; i < s; i++) x[i] -= own_aligned(group, beta, i);
    for (num *b = f + s, *end = b + group->boundary; b < end; b += s, K += s * s) {
      count = *list++;
      if (count == 1)
        block_up(w->vector, list, 1, K, x, s, b);
      else
        block_up(w->vector, list, count, K, x, s, b);
      list += count;
    }
  }
  /* Solve last: the boundary above needs x before x := P^-1 x. */
  solve_pivot(F, s, x);
  for (int i = 0; i < s; i++) f[i] = x[i];
}

/* f = sums of the children's vectors, contribution by contribution. */
static void sum_contributions(const struct tree *t, const struct tree_work *w, const struct tree_group *group,
                              num *f)
{
  for (int i = 0; i < group->pivot + group->boundary; i++) f[i] = num_all(0.0);
  for (int r = group->child_first; r < group->child_end; r++) {
    const struct tree_contribution *c = &t->contribution[r];
    const num *from = (const num *)(w->vector + c->vector->at);
    if (c->leaf) continue; /* its free motion is part of beta */
    for (int i = 0; i < c->boundary; i++)
      if (c->to[i] >= 0) f[c->to[i]] += c->aligned ? from[i] : num_pick(w->vector, c->vector, i);
  }
}

/* Returns `sum` with the numbers at the next offset, and advances the list. */
static inline num next_listed(const int **list, const double *vector, num sum)
{
  const int *l = *list, count = *l++;
  for (int i = 0; i < count; i++) sum += *(const num *)(vector + l[i]);
  *list = l + count;
  return sum;
}

enum how { BARE, LISTED, ALONE, CONTRIBUTIONS };

FLAT void any_up_how(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                     const double *beta, enum how how)
{
  const num *F = (const num *)(w->front + group->front), *K = F + tree_triangle(p);
  const int *list = t->list + group->up;
  num *f = (num *)(w->vector + group->vector), *b = f + p, x[TREE_Y];
  bool joint = group->kind == TREE_JOINT;
  double sign = joint ? -1.0 : 1.0;
  if (how == CONTRIBUTIONS) sum_contributions(t, w, group, f);
  /* Sum the children's numbers for the pivot and the right-hand side of the group. */
  for (int i = 0; i < p; i++) {
    x[i] = num_all(0.0);
    if (how == ALONE && (joint || group->carried)) x[i] = sign * own_number(group, beta, i);
    if (how == LISTED || how == ALONE) x[i] = next_listed(&list, w->vector, x[i]);
    if (how == CONTRIBUTIONS) x[i] = f[i];
  }
  if (how != ALONE && (joint || group->carried))
    for (int i = 0; i < p; i++) x[i] += sign * own_number(group, beta, i);
  /* b = children's b - K x */
  for (int i = 0; i < group->boundary; i++, K += p) {
    num sum = K[0] * x[0], had = num_all(0.0);
    for (int k = 1; k < p; k++) sum = num_fma(K[k], x[k], sum);
    if (how == LISTED || how == ALONE) had = next_listed(&list, w->vector, had);
    if (how == CONTRIBUTIONS) had = b[i];
    b[i] = had - sum;
  }
  /* Solve last: the boundary above needs x before x := P^-1 x. */
  solve_pivot(F, p, x);
  for (int i = 0; i < p; i++) f[i] = x[i];
}

FLAT void any_up(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                 const double *beta)
{
  if (group->leaf_children)
    any_up_how(t, w, group, p, beta, BARE);
  else if (group->as_lone)
    any_up_how(t, w, group, p, beta, ALONE);
  else if (group->sum.aligned)
    any_up_how(t, w, group, p, beta, LISTED);
  else
    any_up_how(t, w, group, p, beta, CONTRIBUTIONS);
}

/* sum -= K' b, for one row of K */
FLAT void row_down(const num *K, num b, int p, num *sum)
{
  for (int k = 0; k < p; k++) sum[k] = num_fma(-K[k], b, sum[k]);
}

FLAT void even_down(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int s,
                    double *x)
{
  const num *K = (const num *)(w->front + group->front) + tree_triangle(s);
  const int *list = t->list + group->down;
  num *f = (num *)(w->vector + group->vector), sum[TREE_Y];
  for (int k = 0; k < s; k++) sum[k] = f[k];
  for (const num *end = K + s * group->boundary; K < end; K += s * s, list++)
    for (int i = 0; i < s; i++) row_down(K + s * i, listed_number(w->vector, list, i), s, sum);
  for (int k = 0; k < s; k++) f[k] = sum[k];
  for (int k = 0; k < s; k++) *(num *)(x + group->own[k]) = sum[k];
}

static inline void put_own(const struct tree *t, const struct tree_group *group, double *x, int k, num v)
{
  if (group->aligned)
    *(num *)(x + group->own[k]) = v;
  else
    for (int l = 0; l < LANES; l++)
      if (t->member[group->member_first + l] >= 0) x[group->own[k * LANES + l]] = num_lane(v, l);
}

/* Gathers the solution on one block of the boundary. */
static __attribute__((noinline)) void pick_gathered(const struct tree_work *w,
                                                    const struct tree_gather *gather, const double *x, num *b)
{
  if (gather->shuffle)
    num_shuffle_all(x, gather->shuffle, 1, 0, (size_t)gather->size, b);
  else
    num_pick_all(w->vector, gather->vector, 0, (size_t)gather->size, b);
}

FLAT void any_down(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                   double *x)
{
  const num *K = (const num *)(w->front + group->front) + tree_triangle(p);
  num *f = (num *)(w->vector + group->vector), *b = f + p, sum[TREE_Y];
  for (int k = 0; k < p; k++) sum[k] = f[k];
  for (int r = group->gather_first; r < group->gather_end; r++) {
    const struct tree_gather *gather = &t->gather[r];
    const num *from = (const num *)(w->vector + gather->vector->at);
    if (!gather->aligned) {
      pick_gathered(w, gather, x, b);
      from = b;
    }
    b += gather->size;
    for (int i = 0; i < gather->size; i++, K += p) row_down(K, from[i], p, sum);
  }
  for (int k = 0; k < p; k++) {
    f[k] = sum[k];
    put_own(t, group, x, k, sum[k]);
  }
}

/* A separate function, so that the other cases keep their registers. */
static __attribute__((noinline)) void up_by_pivot(const struct tree *t, const struct tree_work *w,
                                                  const struct tree_group *group, const double *beta)
{
  BY_PIVOT(any_up, beta);
}

/* A lone group adds every other row of its boundary to a second sum. */
FLAT void alone_down(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                     double *x)
{
  const num *K = (const num *)(w->front + group->front) + tree_triangle(p);
  num *f = (num *)(w->vector + group->vector), sum[2][TREE_Y];
  int row = 0;
  for (int k = 0; k < p; k++) sum[0][k] = f[k];
  for (int k = 0; k < p; k++) sum[1][k] = num_all(0.0);
  for (int r = group->gather_first; r < group->gather_end; r++) {
    const num *from = (const num *)(w->vector + t->gather[r].vector->at);
    for (int i = 0; i < t->gather[r].size; i++, K += p) row_down(K, from[i], p, sum[row++ & 1]);
  }
  for (int k = 0; k < p; k++) {
    f[k] = sum[0][k] + sum[1][k];
    put_own(t, group, x, k, f[k]);
  }
}

static __attribute__((noinline)) void down_as_lone(const struct tree *t, const struct tree_work *w,
                                                   const struct tree_group *group, double *x)
{
  BY_PIVOT(alone_down, x);
}

static __attribute__((noinline)) void down_by_pivot(const struct tree *t, const struct tree_work *w,
                                                    const struct tree_group *group, double *x)
{
  BY_PIVOT(any_down, x);
}

void LANE_NAME(sweep_up)(const struct tree *t, const struct tree_work *w, const double *beta, int first,
                         int end)
{
  for (const struct tree_group *group = t->group + first; group < t->group + end; group++) {
    if (group->kind == TREE_LEAF) continue;
    if (group->even == 3)
      even_up(t, w, group, 3, beta);
    else if (group->even == 5)
      even_up(t, w, group, 5, beta);
    else
      up_by_pivot(t, w, group, beta);
  }
}

void LANE_NAME(sweep_down)(const struct tree *t, const struct tree_work *w, double *x, int first, int end)
{
  for (const struct tree_group *group = t->group + end; group-- > t->group + first;) {
    if (group->kind == TREE_LEAF) continue;
    if (group->even == 3 && group->near)
      even_down(t, w, group, 3, x);
    else if (group->even == 5 && group->near)
      even_down(t, w, group, 5, x);
    else if (group->as_lone)
      down_as_lone(t, w, group, x);
    else
      down_by_pivot(t, w, group, x);
  }
}
