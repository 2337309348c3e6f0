/* SPDX-License-Identifier: MIT
 * Loop code, built for each instruction set (math/num.h): condensation and sweeps of lone groups. The equations are those
 * of condense_lanes.c and sweep_lanes.c. Here a vector holds LANES rows of the border of one front:
 *
 *     P   the pivot's lower triangle, as numbers; the kernels copy each number to all lanes
 *     E   (pivot, padded) columns over the rows of the border; then Y, then K
 *     U   columns over the rows of the border. A column begins with the vector of its diagonal element (tree_column()).
 *         Numbers above the diagonal, and in rows beyond the border, have no meaning
 *
 * A lone child with rows in the same order adds column by column: a load, a shuffle (struct tree_shift), an addition. */
#include "dca/fronts.h"

#include <string.h>

/* A vector that begins at any number. */
typedef double loose_num __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

FLAT num load_anywhere(const double *a)
{
  return *(const loose_num *)a;
}

/* The parts of a front. Vectors of a column lie at multiples of LANES. */
struct lone_front {
  double *P, *E, *U;
  int padded;
};

static inline struct lone_front front_of(const struct tree_work *w, const struct tree_group *group)
{
  double *F = w->front + group->front;
  return (struct lone_front){F, F + tree_round_up(tree_triangle(group->pivot), LANES), w->front + group->columns,
                             group->padded};
}

/* Column j of the update, so that row r is at [r]. */
FLAT double *update_column(const struct lone_front *f, int j)
{
  return f->U + tree_column(LANES, f->padded, j);
}

/* o += the rows of a child's column */
FLAT void add_shifted(const struct tree_shift *s, const struct tree_shift *end, const double *child, double *o)
{
  for (; s < end; s++)
    *(num *)(o + s->to) += num_shuffle(load_anywhere(child + s->from), num_all(0.0), num_lanes(s->lane));
}

/* Adds the update of a lone child, column by column. */
FLAT void add_columns(const struct tree_work *w, const struct tree_group *child, const struct tree_branch *r,
                      const struct lone_front *f, int p)
{
  const struct tree_shift *s = r->shift, *end = s + r->shifts;
  const struct lone_front from = front_of(w, child);
  for (int j = 0; j < p; j++) {
    const double *column = update_column(&from, j);
    for (int i = j; i < p; i++) f->P[tree_triangle(i) + j] += column[i];
    add_shifted(s, end, column, f->E + f->padded * j);
  }
  for (int j = p; j < child->border; j++) {
    const int to = r->to[j] - p;
    while (s->to + LANES <= to) s++;
    add_shifted(s, end, update_column(&from, j), update_column(f, to));
  }
}

/* Adds the update of any other child, number by number. */
static void add_numbers(const struct tree_work *w, const struct tree_branch *r)
{
  const double *C = w->front + r->update->at;
  for (int i = 0; i < tree_triangle(r->border); i++, C += r->update->stride)
    if (r->into[i] >= 0) w->front[r->into[i]] += *C;
}

/* Adds J of hubs whose joints come later. */
static void add_lone_couples(const struct tree *t, const struct tree_group *group, const struct lone_front *f,
                             const double *J)
{
  for (int a = group->couple_first; a < group->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    const bool hub = group->kind == TREE_HUB;
    for (int i = 0; i < c->rows; i++)
      for (int y = 0; y < TREE_Y; y++) {
        const int row = c->at - group->pivot + (hub ? i : y), column = hub ? y : c->row + i;
        f->E[f->padded * column + row] += J[c->J->at + (size_t)(c->stride * i + y) * c->J->stride];
      }
  }
}

/* The numbers of a body's delta, each in all lanes. */
static inline void copy_delta(const struct tree_group *group, const struct tree_matrix *m, num *delta)
{
  const struct tree_body *b = group->body;
  const double *from = m->delta + (size_t)(b->first * m->numbers + b->lane);
  for (int i = 0; i < LEAF_NUMBERS; i++) delta[i] = num_all(from[i * b->width]);
}

FLAT void add_own(const struct tree_group *group, const struct tree_matrix *m, double *P, int p)
{
  num delta[LEAF_NUMBERS], F[TREE_Y * (TREE_Y + 1) / 2];
  if (group->kind == TREE_JOINT) {
    for (int i = 0; i < p; i++) P[tree_triangle(i) + i] -= m->c[group->own[i]];
    return;
  }
  copy_delta(group, m, delta);
  for (int i = 0; i < tree_triangle(TREE_Y); i++) F[i] = num_all(P[i]);
  add_hub(group, delta, F);
  for (int i = 0; i < tree_triangle(TREE_Y); i++) P[i] = num_lane(F[i], 0);
}

FLAT void sum_lone(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                   const struct tree_matrix *m)
{
  const struct lone_front f = front_of(w, group);
  for (int i = 0; i < tree_triangle(p); i++) f.P[i] = 0.0;
  memset(f.E, 0, (size_t)(p * f.padded) * sizeof *f.E);
  memset(f.U, 0, (size_t)(tree_column(LANES, f.padded, f.padded) + f.padded) * sizeof *f.U);
  for (int c = group->child_first; c < group->child_end; c++) {
    const struct tree_branch *r = &t->branch[c];
    if (r->into)
      add_numbers(w, r);
    else
      add_columns(w, &t->group[r->group], r, &f, p);
  }
  add_own(group, m, f.P, p);
  add_lone_couples(t, group, &f, m->J);
}

static void assemble_lone(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int index)
{
  const struct tree_group *group = &t->group[index];
  BY_PIVOT(sum_lone, m)
}

/* U := U - sum of a_k b_k' over `count` columns, in rows r .. r + LANES - 1. a: these rows. fresh: U was 0. */
FLAT void subtract_products(const struct lone_front *f, int border, int r, const num *a, const double *b, int count,
                            bool fresh)
{
  const int last = r + LANES < border ? r + LANES : border;
  for (int j = 0; j < last; j++) {
    num *u = (num *)(update_column(f, j) + r), sum = a[0] * b[j];
    for (int k = 1; k < count; k++) sum += a[k] * b[f->padded * k + j];
    *u = (fresh ? num_all(0.0) : *u) - sum;
  }
}

/* Computes L, D^-1, U and K of a front whose sums are complete. */
FLAT bool eliminate_lone(const struct tree_work *w, const struct tree_group *group, int p)
{
  const struct lone_front f = front_of(w, group);
  num P[TREE_Y * (TREE_Y + 1) / 2], y[TREE_Y], z[TREE_Y];
  for (int i = 0; i < tree_triangle(p); i++) P[i] = num_all(f.P[i]);
  const bool good = factorise_pivot(P, p, group->kind == TREE_JOINT ? -1.0 : 1.0);
  for (int i = 0; i < tree_triangle(p); i++) f.P[i] = num_lane(P[i], 0);
  for (int r = 0; r < f.padded; r += LANES) {
    for (int a = 0; a < p; a++) y[a] = *(num *)(f.E + f.padded * a + r);
    half_solve(P, p, y, z);
    for (int a = 0; a < p; a++) *(num *)(f.E + f.padded * a + r) = y[a];
    subtract_products(&f, group->border, r, z, f.E, p, false);
  }
  for (int r = 0; r < f.padded; r += LANES) {
    for (int a = 0; a < p; a++) z[a] = *(num *)(f.E + f.padded * a + r) * P[tree_triangle(a) + a];
    other_half(P, p, z, y);
    for (int a = 0; a < p; a++) *(num *)(f.E + f.padded * a + r) = y[a];
  }
  return good;
}

/* Loads LANES rows of the Jacobian, seven columns. list: place and stride of each row. */
static void load_rows(const double *J, const int *list, num *g)
{
  for (int part = 0; part < ROW_NUMBERS; part += LANES) {
    num v[LANES];
    for (int l = 0; l < LANES; l++) {
      const double *row = J + list[2 * l];
      const int stride = list[2 * l + 1];
      v[l] = num_all(0.0);
      if (stride == 1) v[l] = load_anywhere(row + part);
      for (int k = 0; stride > 1 && k < LANES && part + k < TREE_Y; k++) v[l][k] = row[(part + k) * stride];
    }
    num_transpose(v);
    for (int k = 0; k < LANES; k++) g[part + k] = v[k];
  }
}

/* U = -J delta J', over all rows of the body. */
static void condense_lone_leaf(const struct tree *t, const struct tree_work *w, const struct tree_group *group,
                               const struct tree_matrix *m)
{
  const struct lone_front f = front_of(w, group);
  num delta[LEAF_NUMBERS], g[ROW_NUMBERS], y[TREE_Y];
  double *G = f.E, *Y = G + TREE_Y * f.padded; /* (7, padded): J', delta J' */
  copy_delta(group, m, delta);
  for (int r = 0; r < f.padded; r += LANES) {
    load_rows(m->J, t->list + group->up + 2 * r, g);
    leaf_row(delta, g, y);
    for (int k = 0; k < TREE_Y; k++) {
      *(num *)(G + f.padded * k + r) = g[k];
      *(num *)(Y + f.padded * k + r) = y[k];
    }
  }
  for (int r = 0; r < f.padded; r += LANES) {
    for (int k = 0; k < TREE_Y; k++) g[k] = *(num *)(G + f.padded * k + r);
    subtract_products(&f, group->border, r, g, Y, TREE_Y, true);
  }
}

/* Stores the update row by row, too. */
static void pack_update(const struct tree_work *w, const struct tree_group *group)
{
  const struct lone_front f = front_of(w, group);
  double *o = w->front + group->update;
  for (int j = 0; j < group->border; j++) {
    const double *column = update_column(&f, j);
    for (int i = j; i < group->border; i++) o[tree_triangle(i) + j] = column[i];
  }
}

FLAT void condense_front(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                         bool *good)
{
  (void)t;
  *good &= eliminate_lone(w, group, p);
}

static bool condense_lone(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int index)
{
  const struct tree_group *group = &t->group[index];
  bool good = true;
  if (group->kind == TREE_LEAF) {
    condense_lone_leaf(t, w, group, m);
  } else {
    assemble_lone(t, w, m, index);
    if (group->carried && !hubs_are_held(t, w, index)) return false;
    BY_PIVOT(condense_front, &good)
  }
  if (group->packs) pack_update(w, group);
  return good;
}

static int condense_lone_groups(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m,
                                int first, int end)
{
  int failed = -1;
  for (int i = first; i < end; i++)
    if (!condense_lone(t, w, m, i) && failed < 0) failed = i;
  return failed;
}

/* The vector of a group: its pivot, in whole vectors, and its border. */
FLAT void lone_up(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                  const double *beta)
{
  const struct lone_front front = front_of(w, group);
  double *f = w->vector + group->vector, *b = f + tree_round_up(p, LANES);
  num P[TREE_Y * (TREE_Y + 1) / 2], x[TREE_Y];
  const double sign = group->kind == TREE_JOINT ? -1.0 : 1.0;
  for (int i = 0; i < p; i++) f[i] = 0.0;
  for (int r = 0; r < front.padded; r += LANES) *(num *)(b + r) = num_all(0.0);
  for (int c = group->child_first; c < group->child_end && !group->leaf_children; c++) {
    const struct tree_branch *r = &t->branch[c];
    const double *from = w->vector + r->vector->at;
    if (r->leaf) continue; /* its free motion is part of beta */
    if (r->into) {
      for (int i = 0; i < r->border; i++, from += r->vector->stride)
        if (r->to[i] >= 0) *(r->to[i] < p ? f + r->to[i] : b + r->to[i] - p) += *from;
    } else {
      for (int i = 0; i < p; i++) f[i] += from[i];
      add_shifted(r->shift, r->shift + r->shifts, from, b);
    }
  }
  /* b = children's b - K x. Solve last: the border needs x before x := P^-1 x. */
  const bool own = group->kind == TREE_JOINT || group->carried;
  for (int i = 0; i < p; i++) x[i] = num_all(own ? f[i] + sign * beta[group->own[i]] : f[i]);
  for (int r = 0; r < front.padded; r += LANES) {
    num sum = *(const num *)(front.E + r) * x[0];
    for (int k = 1; k < p; k++) sum += *(const num *)(front.E + front.padded * k + r) * x[k];
    *(num *)(b + r) -= sum;
  }
  for (int i = 0; i < tree_triangle(p); i++) P[i] = num_all(front.P[i]);
  solve_pivot(P, p, x);
  for (int i = 0; i < p; i++) f[i] = num_lane(x[i], 0);
}

/* Lane l of the result is the sum over the lanes of v[l]. */
FLAT num sum_lanes(num v[LANES])
{
  for (int step = 1; step < LANES; step += step) {
    num_mask even, odd;
    for (int l = 0; l < LANES; l++) {
      even[l] = l & step ? LANES + l - step : l;
      odd[l] = l & step ? LANES + l : l + step;
    }
    for (int k = 0; k < LANES; k += 2 * step)
      v[k] = num_shuffle(v[k], v[k + step], even) + num_shuffle(v[k], v[k + step], odd);
  }
  return v[0];
}

FLAT void lone_down(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                    double *x)
{
  const struct lone_front front = front_of(w, group);
  const int *list = t->list + group->down;
  double *f = w->vector + group->vector;
  num sum[ROW_NUMBERS];
  for (int k = 0; k < ROW_NUMBERS; k++) sum[k] = num_all(0.0);
  for (int r = 0; r < front.padded; r += LANES, list += LANES) {
    num b = num_all(0.0);
    for (int l = 0; l < LANES; l++) b[l] = w->vector[list[l]];
    for (int k = 0; k < p; k++) sum[k] += *(const num *)(front.E + front.padded * k + r) * b;
  }
  for (int part = 0; part < p; part += LANES) *(num *)(f + part) -= sum_lanes(sum + part);
  for (int k = 0; k < p; k++) x[group->own[k]] = f[k];
}

static void lone_up_groups(const struct tree *t, const struct tree_work *w, const double *beta, int first, int end)
{
  for (const struct tree_group *group = t->group + first; group < t->group + end; group++)
    if (group->kind != TREE_LEAF) BY_PIVOT(lone_up, beta)
}

static void lone_down_groups(const struct tree *t, const struct tree_work *w, double *x, int first, int end)
{
  for (const struct tree_group *group = t->group + end; group-- > t->group + first;)
    if (group->kind != TREE_LEAF) BY_PIVOT(lone_down, x)
}

extern const struct tree_kernels LANE_NAME(lone_kernels);
const struct tree_kernels LANE_NAME(lone_kernels) = {condense_lone_groups, assemble_lone, lone_up_groups,
                                                     lone_down_groups};
