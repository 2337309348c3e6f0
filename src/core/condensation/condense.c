/* SPDX-License-Identifier: MIT
 * Loop code around the kernels of condense_lanes.c, and the search for a body that nothing holds. */
#include "condensation/condense.h"

#include "base/isa_built.h"
#include "condensation/condense_parts.h"

#include <math.h>

void tree_work_place(const struct tree *t, struct tree_work *w, struct arena *a)
{
  w->front = arena_take(a, t->front_size + 1, sizeof(double));
  w->vector = arena_take(a, t->vector_size + 1, sizeof(double));
}

#define DECLARE(isa)                                                                                         \
  extern const struct tree_kernels LANE_JOIN2(lone_kernels, isa, LANES_##isa),                               \
      LANE_JOIN2(tree_kernels, isa, LANES_##isa);
ISA_BUILT(DECLARE)
#define TABLES(isa)                                                                                          \
  [ISA_##isa] = {&LANE_JOIN2(lone_kernels, isa, LANES_##isa), &LANE_JOIN2(tree_kernels, isa, LANES_##isa)},
static const struct tree_kernels *const kernel_tables[ISA_COUNT][2] = {ISA_BUILT(TABLES)};

const struct tree_kernels *tree_kernels(enum isa isa, int lanes)
{
  return kernel_tables[isa][lanes > 1];
}

struct tree_solver tree_solver(const struct tree *t, enum isa isa)
{
  return (struct tree_solver){t, {tree_kernels(isa, 1), tree_kernels(isa, isa_lanes(isa))}};
}

static const struct tree_kernels *kernels_of_group(const struct tree_solver *s, int group)
{
  return s->kernels[s->tree->group[group].width > 1];
}

int tree_condense_groups(const struct tree_solver *s, const struct tree_work *w, const struct tree_matrix *m,
                         int first, int end)
{
  int failed = -1;
  for (int i = first, next; i < end; i = next) {
    next = s->tree->group[i].same_width_end < end ? s->tree->group[i].same_width_end : end;
    int own = kernels_of_group(s, i)->condense(s->tree, w, m, i, next);
    if (failed < 0) failed = own;
  }
  return failed;
}

void tree_up_groups(const struct tree_solver *s, const struct tree_work *w, const double *beta, int first,
                    int end)
{
  for (int i = first, next; i < end; i = next) {
    next = s->tree->group[i].same_width_end < end ? s->tree->group[i].same_width_end : end;
    kernels_of_group(s, i)->up(s->tree, w, beta, i, next);
  }
}

void tree_down_groups(const struct tree_solver *s, const struct tree_work *w, double *x, int first, int end)
{
  for (int i = end, next; i > first; i = next) {
    next = s->tree->group[i - 1].same_width_first > first ? s->tree->group[i - 1].same_width_first : first;
    kernels_of_group(s, next)->down(s->tree, w, x, next, i);
  }
}

/* Joints may hold a carried body in some directions only. The pivot of any other direction is rounding error, which is
 * below this fraction of its diagonal. */
static const double PIVOT_ROUNDING = 1e-13;
/* A row that prescribes only a force (LAW_OPEN) holds nothing. Its pivot is below this fraction of the largest diagonal. */
static const double OPEN = 1e-22;

/* Eliminates the pivot A of a carried body, 7x7 and full. The best held direction goes first: in any other order
 * rounding hides a weak direction that has a small component in the last unknown. p receives the order. Returns the
 * number of held directions. Row p[i] of A is then a row of the upper triangle. */
static int pivot_is_held(double A[TREE_Y][TREE_Y], int p[TREE_Y])
{
  double diagonal[TREE_Y], largest = 0.0;
  for (int i = 0; i < TREE_Y; i++) {
    p[i] = i;
    diagonal[i] = A[i][i];
    if (A[i][i] > largest) largest = A[i][i];
  }
  /* Take the unknown that keeps the largest fraction of its own diagonal, because the unknowns have different units. */
  for (int j = 0; j < TREE_Y; j++) {
    int best = j;
    for (int i = j + 1; i < TREE_Y; i++)
      if (A[p[i]][p[i]] * diagonal[p[best]] > A[p[best]][p[best]] * diagonal[p[i]]) best = i;
    int q = p[best];
    p[best] = p[j];
    p[j] = q;
    if (!(A[q][q] > PIVOT_ROUNDING * diagonal[q] && A[q][q] > OPEN * largest)) return j;
    /* Eliminate unknown q from the later rows. */
    for (int i = j + 1; i < TREE_Y; i++) {
      double f = A[p[i]][q] / A[q][q];
      for (int k = j + 1; k < TREE_Y; k++) A[p[i]][p[k]] -= f * A[q][p[k]];
    }
  }
  return TREE_Y;
}

static int pivot_of(const struct tree_work *w, const struct tree_group *group, int lane,
                    double A[TREE_Y][TREE_Y], int p[TREE_Y])
{
  const double *F = w->front + group->front + lane;
  for (int i = 0; i < TREE_Y; i++)
    for (int k = 0; k <= i; k++, F += group->width) A[i][k] = A[k][i] = *F;
  return pivot_is_held(A, p);
}

bool hubs_are_held(const struct tree *t, const struct tree_work *w, int group)
{
  const struct tree_group *o = &t->group[group];
  bool all = true;
  for (int l = 0; l < o->width; l++) {
    double A[TREE_Y][TREE_Y];
    int p[TREE_Y];
    if (t->member[o->member_first + l] < 0 || pivot_of(w, o, l, A, p) == TREE_Y) continue;
    w->front[o->front + (size_t)l] = NAN; /* for tree_failed() */
    all = false;
  }
  return all;
}

/* The joint that has row i of a bundle. */
static int joint_of_row(const struct tree *t, int joint, int i)
{
  for (int rows; i >= (rows = t->tile[t->tile_of_joint[joint]].rows); joint = t->after[joint]) i -= rows;
  return joint;
}

int tree_failed(const struct tree *t, const struct tree_work *w, int group, bool *is_body)
{
  const struct tree_group *o = &t->group[group];
  *is_body = o->kind != TREE_JOINT;
  for (int l = 0; l < o->width; l++)
    for (int i = 0; i < o->pivot; i++) {
      int item = t->member[o->member_first + l];
      double d = w->front[o->front + (size_t)((i * (i + 1) / 2 + i) * o->width + l)];
      if (o->kind == TREE_JOINT) d = -d;
      if (item >= 0 && !(d > 0.0 && d < INFINITY)) /* the pivot or its inverse */
        return *is_body ? item : joint_of_row(t, item, i);
    }
  return t->member[o->member_first];
}

/* Let U be the rows before the weak one. With x = 1 in the weak direction and U x = 0, A x is 0 up to rounding. */
void tree_weak_direction(const struct tree_solver *s, const struct tree_work *w, const struct tree_matrix *m,
                         int body, double o[TREE_Y])
{
  const struct tree *t = s->tree;
  double A[TREE_Y][TREE_Y], norm = 0.0;
  int p[TREE_Y], group = 0, lane;
  for (int i = 0; i < TREE_Y; i++) o[i] = 0.0;
  if (t->carried_at[body] < 0) return;
  /* The hub that holds the body, and the body's lane in it. */
  for (;; group++) {
    const struct tree_group *g = &t->group[group];
    for (lane = 0; lane < g->width && t->member[g->member_first + lane] != body;) lane++;
    if (g->kind == TREE_HUB && lane < g->width) break;
  }
  kernels_of_group(s, group)->assemble(t, w, m, group);
  int j = pivot_of(w, &t->group[group], lane, A, p);
  if (j == TREE_Y) return;
  /* Backward substitution: unknown p[j] is 1, and the unknowns eliminated before it follow. */
  o[p[j]] = 1.0;
  for (int i = j - 1; i >= 0; i--) {
    double x = 0.0;
    for (int k = i + 1; k <= j; k++) x -= A[p[i]][p[k]] * o[p[k]];
    o[p[i]] = x / A[p[i]][p[i]];
  }
  for (int i = 0; i < TREE_Y; i++) norm += o[i] * o[i];
  for (int i = 0; i < TREE_Y; i++) o[i] /= sqrt(norm);
}
