/* SPDX-License-Identifier: MIT
 * Loop code, built for each instruction set (math/num.h): condensation and sweeps of lone groups. The equations are those
 * of condense_lanes.c and sweep_lanes.c. Here a vector holds LANES rows of the boundary of one front:
 *
 *     P   the pivot's lower triangle, as numbers; the kernels copy each number to all lanes
 *     E   (pivot, padded) columns over the rows of the boundary; then Y, then K
 *     R   (boundary, 8) the rows of K
 *     U   columns over the rows of the boundary. A column begins with the vector of its diagonal element (tree_column()).
 *         Numbers above the diagonal, and in rows beyond the boundary, have no meaning
 *
 * A lone child with rows in the same order adds column by column: a load, a shuffle (struct tree_shift), an addition. */
#include "condensation/condense_parts.h"

enum { TREE_PIVOT = 32 }; /* numbers of the largest pivot, in whole vectors */

/* A vector that begins at any number. */
typedef double loose_num __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

FLAT num load_anywhere(const double *a)
{
  return *(const loose_num *)a;
}

/* The blocks of a front. Vectors of a column lie at multiples of LANES. */
struct lone_front {
  double *P, *E, *R, *U;
  int padded;
};

static inline struct lone_front front_of(const struct tree_work *w, const struct tree_group *group)
{
  double *P = w->front + group->front, *E = P + tree_round_up(tree_triangle(group->pivot), LANES);
  return (struct lone_front){P, E, E + group->pivot * group->padded, w->front + group->columns,
                             group->padded};
}

/* Column j of the update, so that row r is at [r]. */
FLAT double *update_column(const struct lone_front *f, int j)
{
  return f->U + tree_column(LANES, f->padded, j);
}

FLAT int update_size(const struct lone_front *f)
{
  return tree_column(LANES, f->padded, f->padded) + f->padded;
}

/* o += the rows of a child's column */
FLAT void add_shifted(const struct tree_shift *s, const struct tree_shift *end, const double *child,
                      double *o)
{
  for (; s < end; s++)
    *(num *)(o + s->to) += num_shuffle(load_anywhere(child + s->from), num_all(0.0), num_lanes(s->lane));
}

/* Adds the update of a lone child, column by column. partial: the child of a supernode, whose boundary has only some rows of the
 * pivot. */
FLAT void add_child_columns(const struct tree_work *w, const struct tree_group *child,
                            const struct tree_contribution *r, const struct lone_front *f, int p,
                            bool partial)
{
  const struct tree_shift *s = r->shift, *end = s + r->shifts;
  const struct lone_front from = front_of(w, child);
  const int inner = partial ? r->inner : p;
  for (int j = 0; j < inner; j++) {
    const double *column = update_column(&from, j);
    const int to = partial ? r->to[j] : j;
    for (int i = j; i < inner; i++) f->P[tree_triangle(partial ? r->to[i] : i) + to] += column[i];
    add_shifted(s, end, column, f->E + f->padded * to);
  }
  for (int j = inner; j < child->boundary; j++) {
    const int to = r->to[j] - p;
    while (s->to + LANES <= to) s++;
    add_shifted(s, end, update_column(&from, j), update_column(f, to));
  }
}

/* Out of line, so that the other children keep their code. */
__attribute__((noinline)) static void add_partial_columns(const struct tree_work *w,
                                                          const struct tree_group *child,
                                                          const struct tree_contribution *r,
                                                          const struct lone_front *f, int p)
{
  add_child_columns(w, child, r, f, p, true);
}

/* The sums over all lanes of groups of children that are coupled to the pivot alone. */
FLAT void sum_whole_groups(const struct tree *t, const struct tree_work *w, const struct tree_group *group,
                           int p, double *P)
{
  num sum[TREE_PIVOT];
  for (int i = 0; i < TREE_PIVOT; i++) sum[i] = num_all(0.0);
  for (int c = group->child_first; c < group->child_end; c++) {
    const num *C = (const num *)(w->front + t->contribution[c].update->at);
    for (int i = 0; i < tree_triangle(p) && t->contribution[c].whole; i++) sum[i] += C[i];
  }
  for (int i = 0; i < tree_triangle(p); i += LANES) *(loose_num *)(P + i) = num_sum_lanes(sum + i);
}

SUM_CHILDREN(sum_numbers, double)

/* Adds the update of any other child, number by number. */
static void add_numbers(const struct tree_work *w, const struct tree_contribution *r)
{
  const double *C = w->front + r->update->at;
  for (int i = 0; i < tree_triangle(r->boundary); i++, C += r->update->stride)
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
        const size_t at = c->J->at + (size_t)(c->stride * i + y) * c->J->stride;
        const bool stored = c->stores_all || y >= TREE_UNIT;
        f->E[f->padded * column + row] += stored ? J[at] : y == i ? c->unit[0] : 0.0;
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
  num delta[LEAF_NUMBERS], F[TREE_PIVOT];
  if (group->kind == TREE_JOINT) {
    for (int i = 0; i < p; i++) P[tree_triangle(i) + i] -= m->c[group->own[i]];
    return;
  }
  copy_delta(group, m, delta);
  for (int i = 0; i < tree_triangle(TREE_Y); i++) F[i] = num_all(P[i]);
  add_hub(group, delta, F);
  for (int i = 0; i < tree_triangle(TREE_Y); i++) P[i] = num_lane(F[i], 0);
}

/* Sums the children's updates where some of them are added as columns or as whole groups. */
FLAT void sum_columns(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p)
{
  const struct lone_front f = front_of(w, group);
  for (int i = 0; i < tree_triangle(p); i++) f.P[i] = 0.0;
  if (group->whole) sum_whole_groups(t, w, group, p, f.P);
  for (int i = 0; i < p * f.padded; i += LANES) *(num *)(f.E + i) = num_all(0.0);
  for (int i = 0, end = update_size(&f); i < end; i += LANES) *(num *)(f.U + i) = num_all(0.0);
  for (int c = group->child_first; c < group->child_end; c++) {
    const struct tree_contribution *r = &t->contribution[c];
    if (r->whole) continue;
    if (r->into)
      add_numbers(w, r);
    else if (r->inner == p)
      add_child_columns(w, &t->group[r->group], r, &f, p, false);
    else
      add_partial_columns(w, &t->group[r->group], r, &f, p);
  }
}

FLAT void sum_lone(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                   const struct tree_matrix *m)
{
  const struct lone_front f = front_of(w, group);
  if (group->sum.aligned)
    sum_numbers(t, &group->sum, w->front);
  else
    sum_columns(t, w, group, p);
  add_own(group, m, f.P, p);
  add_lone_couples(t, group, &f, m->J);
}

static void assemble_lone(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m,
                          int index)
{
  const struct tree_group *group = &t->group[index];
  BY_PIVOT(sum_lone, m);
}

/* U := U - sum of a_k b_k' over `count` columns, in rows r .. r + LANES - 1. a: these rows. fresh: U was 0. */
FLAT void subtract_products(const struct lone_front *f, int boundary, int r, const num *a, const double *b,
                            int count, bool fresh)
{
  const int last = r + LANES < boundary ? r + LANES : boundary;
  for (int j = 0; j < last; j++) {
    num *u = (num *)(update_column(f, j) + r), sum = a[0] * b[j];
    for (int k = 1; k < count; k++) sum = num_fma(a[k], num_all(b[f->padded * k + j]), sum);
    *u = (fresh ? num_all(0.0) : *u) - sum;
  }
}

/* Computes L, D^-1, U and K of a front whose sums are complete. */
FLAT bool eliminate_lone(const struct tree_work *w, const struct tree_group *group, int p)
{
  const struct lone_front f = front_of(w, group);
  num P[TREE_PIVOT], y[TREE_Y], z[TREE_Y];
  for (int i = 0; i < tree_triangle(p); i++) P[i] = num_all(f.P[i]);
  const num_mask positive = factorise_pivot(P, p, group->kind == TREE_JOINT ? -1.0 : 1.0);
  for (int i = 0; i < tree_triangle(p); i++) f.P[i] = num_lane(P[i], 0);
  /* Y in place of E, and U. */
  for (int r = 0; r < f.padded; r += LANES) {
    for (int a = 0; a < p; a++) y[a] = *(num *)(f.E + f.padded * a + r);
    half_solve(P, p, y, z);
    for (int a = 0; a < p; a++) *(num *)(f.E + f.padded * a + r) = y[a];
    subtract_products(&f, group->boundary, r, z, f.E, p, false);
  }
  /* K in place of Y. U needed all rows of Y. */
  for (int r = 0; r < f.padded; r += LANES) {
    for (int a = 0; a < p; a++) z[a] = *(num *)(f.E + f.padded * a + r) * P[tree_triangle(a) + a];
    other_half(P, p, z, y);
    for (int a = 0; a < p; a++) *(num *)(f.E + f.padded * a + r) = y[a];
    num_put_rows(y, p, f.R + ROW_NUMBERS * r);
  }
  return positive[0] != 0;
}

/* The columns that a row does not store. */
static const double unit_row_columns[UNIT_ROWS][ROW_NUMBERS] = {
    [UNIT_MINUS] = {-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0},
    [UNIT_PLUS] = {1.0, 0.0, 0.0},   {0.0, 1.0, 0.0},  {0.0, 0.0, 1.0}};

/* row: LANES numbers from column `first` on. The function replaces those that are not stored. */
FLAT num complete_row(num row, int first, enum unit_row unit)
{
  num_mask stored;
  for (int k = 0; k < LANES; k++) stored[k] = -(first + k >= TREE_UNIT);
  return num_select(stored, row, load_anywhere(unit_row_columns[unit] + first));
}

/* Loads LANES rows of the Jacobian, seven columns. list: offset, stride and enum unit_row of each row. */
static void load_rows(const double *J, const int *list, num *g)
{
  for (int first = 0; first < ROW_NUMBERS; first += LANES) {
    num v[LANES];
    for (int l = 0; l < LANES; l++) {
      const double *row = J + list[3 * l];
      const int stride = list[3 * l + 1];
      const enum unit_row unit = (enum unit_row)list[3 * l + 2];
      v[l] = num_all(0.0);
      if (stride == 1) v[l] = load_anywhere(row + first);
      for (int k = 0; stride > 1 && k < LANES && first + k < TREE_Y; k++) v[l][k] = row[(first + k) * stride];
      if (unit != UNIT_NONE && first < TREE_UNIT) v[l] = complete_row(v[l], first, unit);
    }
    num_transpose(v);
    for (int k = 0; k < LANES; k++) g[first + k] = v[k];
  }
}

/* U = -J delta J', over all rows of the body. */
static void condense_lone_leaf(const struct tree *t, const struct tree_work *w,
                               const struct tree_group *group, const struct tree_matrix *m)
{
  const struct lone_front f = front_of(w, group);
  num delta[LEAF_NUMBERS], g[ROW_NUMBERS], y[TREE_Y];
  double *G = f.E, *Y = G + TREE_Y * f.padded; /* (7, padded): J', delta J' */
  copy_delta(group, m, delta);
  for (int r = 0; r < f.padded; r += LANES) {
    load_rows(m->J, t->list + group->up + 3 * r, g);
    leaf_row(delta, g, y);
    for (int k = 0; k < TREE_Y; k++) {
      *(num *)(G + f.padded * k + r) = g[k];
      *(num *)(Y + f.padded * k + r) = y[k];
    }
  }
  for (int r = 0; r < f.padded; r += LANES) {
    for (int k = 0; k < TREE_Y; k++) g[k] = *(num *)(G + f.padded * k + r);
    subtract_products(&f, group->boundary, r, g, Y, TREE_Y, true);
  }
}

/* Stores the update row by row, too. */
static void pack_update(const struct tree_work *w, const struct tree_group *group)
{
  const struct lone_front f = front_of(w, group);
  double *o = w->front + group->update;
  for (int j = 0; j < group->boundary; j++) {
    const double *column = update_column(&f, j);
    for (int i = j; i < group->boundary; i++) o[tree_triangle(i) + j] = column[i];
  }
}

FLAT void condense_front(const struct tree *t, const struct tree_work *w, const struct tree_group *group,
                         int p, bool *good)
{
  (void)t;
  *good &= eliminate_lone(w, group, p);
}

static bool condense_lone(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m,
                          int index)
{
  const struct tree_group *group = &t->group[index];
  bool good = true;
  if (group->kind == TREE_LEAF) {
    condense_lone_leaf(t, w, group, m);
  } else {
    assemble_lone(t, w, m, index);
    if (group->carried && !hubs_are_held(t, w, index)) return false;
    BY_PIVOT(condense_front, &good);
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

/* LANES numbers at the offsets in a list. A child has just stored them: a load of a vector that no single store covers would
 * wait for all of these stores. */
FLAT num listed_numbers(const double *a, const int *list)
{
  num v = num_all(0.0);
  for (int l = 0; l < LANES; l++) v[l] = a[list[l]];
  return v;
}

/* Adds the children's numbers to x, the pivot, and to b, the boundary. Leaves have none: their free motion is part of beta. */
FLAT void sum_lone_vectors(const struct tree *t, const struct tree_work *w, const struct tree_group *group,
                           int p, double *x, double *b)
{
  const int *list = t->list + group->up;
  num whole[ROW_NUMBERS];
  for (int i = 0; i < ROW_NUMBERS; i++) whole[i] = num_all(0.0);
  for (int c = group->child_first; c < group->child_end; c++) {
    const struct tree_contribution *r = &t->contribution[c];
    if (r->leaf) continue;
    if (r->whole) {
      for (int i = 0; i < p; i++) whole[i] += ((const num *)(w->vector + r->vector->at))[i];
      continue;
    }
    for (int i = 0; i < p; i++) x[i] += w->vector[*list++];
    for (int i = 0; i < group->padded; i += LANES, list += LANES)
      *(num *)(b + i) += listed_numbers(w->vector, list);
  }
  for (int first = 0; first < p && group->whole; first += LANES) {
    const num sum = num_sum_lanes(whole + first);
    for (int i = first; i < p && i < first + LANES; i++) x[i] += num_lane(sum, i - first);
  }
}

/* The vector of a group: its pivot, in whole vectors, and its boundary. */
FLAT void lone_up(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                  const double *beta)
{
  const struct lone_front front = front_of(w, group);
  const bool own = group->kind == TREE_JOINT || group->carried;
  const double sign = group->kind == TREE_JOINT ? -1.0 : 1.0;
  double *f = w->vector + group->vector, *b = f + tree_round_up(p, LANES), sum[TREE_Y];
  num P[TREE_PIVOT], x[TREE_Y];
  for (int i = 0; i < p; i++) sum[i] = own ? sign * beta[group->own[i]] : 0.0;
  for (int r = 0; r < front.padded; r += LANES) *(num *)(b + r) = num_all(0.0);
  if (!group->leaf_children) sum_lone_vectors(t, w, group, p, sum, b);
  for (int i = 0; i < p; i++) x[i] = num_all(sum[i]);
  /* b = children's b - K x. Solve last: the boundary needs x before x := P^-1 x. */
  for (int r = 0; r < front.padded; r += LANES) {
    num product = *(const num *)(front.E + r) * x[0];
    for (int k = 1; k < p; k++)
      product = num_fma(*(const num *)(front.E + front.padded * k + r), x[k], product);
    *(num *)(b + r) -= product;
  }
  for (int i = 0; i < tree_triangle(p); i++) P[i] = num_all(front.P[i]);
  solve_pivot(P, p, x);
  for (int i = 0; i < p; i++) f[i] = num_lane(x[i], 0);
}

FLAT void lone_down(const struct tree *t, const struct tree_work *w, const struct tree_group *group, int p,
                    double *x)
{
  const double *R = front_of(w, group).R;
  const int *list = t->list + group->down;
  double *f = w->vector + group->vector;
  for (int first = 0; first < p; first += LANES) {
    num even = *(num *)(f + first), odd = num_all(0.0); /* two sums, which do not wait for each other */
    for (int i = 0; i < group->padded; i += 2) {
      even = num_fma(*(const num *)(R + ROW_NUMBERS * i + first), num_all(-w->vector[list[i]]), even);
      odd = num_fma(*(const num *)(R + ROW_NUMBERS * (i + 1) + first), num_all(-w->vector[list[i + 1]]), odd);
    }
    *(num *)(f + first) = even + odd;
  }
  for (int k = 0; k < p; k++) x[group->own[k]] = f[k];
}

static void lone_up_groups(const struct tree *t, const struct tree_work *w, const double *beta, int first,
                           int end)
{
  for (const struct tree_group *group = t->group + first; group < t->group + end; group++)
    if (group->kind != TREE_LEAF) BY_PIVOT(lone_up, beta);
}

static void lone_down_groups(const struct tree *t, const struct tree_work *w, double *x, int first, int end)
{
  for (const struct tree_group *group = t->group + end; group-- > t->group + first;)
    if (group->kind != TREE_LEAF) BY_PIVOT(lone_down, x);
}

extern const struct tree_kernels LANE_NAME(lone_kernels);
const struct tree_kernels LANE_NAME(lone_kernels) = {condense_lone_groups, assemble_lone, lone_up_groups,
                                                     lone_down_groups};
