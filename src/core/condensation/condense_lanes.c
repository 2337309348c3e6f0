/* SPDX-License-Identifier: MIT
 * Loop code, built for each instruction set (math/num.h): it condenses groups, with one front in each lane. The pivot
 * P comes first in a front, then the boundary:
 *
 *         | P        |      P   pivot: -(c + sum D) of a joint, delta^-1 + sum of a hub; sign * P > 0
 *     F = | E    U   |      E   coupling of the boundary to the pivot
 *                           U   update for the parent
 *     P = L D L',   U := U - E P^-1 E',   K := E P^-1
 *
 * The sweeps need L and D^-1, which stay in place of P, and K, which stays in place of E. U lies elsewhere
 * (tree_offset()). Even fronts (struct tree_group) are summed, eliminated and stored block by block, some together with
 * their leaves. */
#include "condensation/condense_parts.h"

/* Returns delta of the bodies. If the bodies do not lie side by side, the function gathers it in `room`. */
static inline const num *delta_of(const struct tree_group *group, const struct tree_matrix *m, num *room)
{
  const struct tree_body *b = group->body;
  size_t numbers = (size_t)m->numbers;
  struct lane_at from[LANES];
  if (group->aligned) return (const num *)(m->delta + (size_t)b->first * numbers);
  for (int l = 0; l < LANES; l++)
    from[l] = (struct lane_at){(size_t)b[l].first * numbers + (size_t)b[l].lane, (size_t)b[l].width};
  num_pick_all(m->delta, from, 0, LEAF_NUMBERS, room);
  return room;
}

/* Delta of the leaves, 0 in unused lanes. */
static inline const num *delta_of_leaf(const struct tree *t, const struct tree_group *group,
                                       const struct tree_matrix *m, num *room)
{
  const num *d = delta_of(group, m, room);
  if (group->used == LANES) return d;
  const int *member = t->member + group->member_first;
  num used;
  for (int l = 0; l < LANES; l++) used[l] = member[l] >= 0 ? 1.0 : 0.0;
  for (int i = 0; i < LEAF_NUMBERS; i++) room[i] = used * d[i];
  return room;
}

/* Row i of a couple's blocks, from column `first` on, which is stored. If the blocks do not lie side by side, the function
 * gathers the row in `room`. */
FLAT const num *couple_row(const double *J, const struct tree_couple *c, int i, int first, num *room)
{
  const size_t from = (size_t)(c->stride * i + first), count = (size_t)(TREE_Y - first);
  if (c->aligned) return (const num *)(J + c->J->at) + from;
  if (c->shuffle)
    num_shuffle_all(J, c->shuffle, 1, from, count, room);
  else
    num_pick_all(J, c->J, from, count, room);
  return room;
}

/* Row i of a couple's blocks, in place or in `room`. */
FLAT const num *row_of_couple(const double *J, const struct tree_couple *c, int i, num *room)
{
  num turn[TREE_Y];
  if (c->stores_all) return couple_row(J, c, i, 0, room);
  const num *row = couple_row(J, c, i, TREE_UNIT, turn);
  for (int y = 0; y < TREE_UNIT; y++) room[y] = num_all(0.0);
  for (int l = 0; l < LANES && i < TREE_UNIT; l++) num_lane(room[i], l) = c->unit[l];
  for (int y = TREE_UNIT; y < TREE_Y; y++) room[y] = row[y - TREE_UNIT];
  return room;
}

/* U = -J delta J', over all rows of the body. */
static void leaf_update(const struct tree *t, const struct tree_group *group, num *U,
                        const struct tree_matrix *m)
{
  num room[LEAF_NUMBERS];
  const num *d = delta_of_leaf(t, group, m, room);
  num *Y = U + tree_triangle(group->boundary), J[6 * TREE_Y], at[TREE_Y];
  for (int a = group->couple_first; a < group->couple_end; a++) {
    const struct tree_couple *ca = &t->couple[a];
    /* Y_a = delta J_a' */
    for (int i = 0; i < ca->rows; i++) {
      num *g = J + TREE_Y * i, *o = Y + TREE_Y * (ca->at + i);
      const num *row = row_of_couple(m->J, ca, i, at);
      for (int y = 0; y < TREE_Y; y++) g[y] = row[y];
      leaf_row(d, g, o);
    }
    /* Rows of U: -J_a Y_b for all blocks b up to a. */
    for (int i = 0; i < ca->rows; i++) {
      const num *g = J + TREE_Y * i;
      num *line = U + tree_triangle(ca->at + i);
      for (int k = 0; k <= ca->at + i; k++) {
        const num *y = Y + TREE_Y * k;
        num sum = g[0] * y[0];
        for (int c = 1; c < TREE_Y; c++) sum = num_fma(g[c], y[c], sum);
        line[k] = -sum;
      }
    }
  }
}

/* U of a leaf whose couples all have unit columns. */
static void leaf_unit_columns(const struct tree *t, const struct tree_group *group, num *U,
                              const struct tree_matrix *m)
{
  num room[LEAF_NUMBERS], G[LEAF_TURN * TREE_SHORT], Y[LEAF_TURN * TREE_SHORT];
  const num *d = delta_of_leaf(t, group, m, room);
  /* Rotations: g of J_a, and y = delta g. */
  for (int a = group->couple_first; a < group->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    for (int i = 0; i < c->rows; i++) {
      num *g = G + LEAF_TURN * (c->at + i), at[LEAF_TURN];
      const num *row = couple_row(m->J, c, i, TREE_UNIT, at);
      for (int y = 0; y < LEAF_TURN; y++) g[y] = row[y];
      leaf_turn_row(d, g, Y + LEAF_TURN * (c->at + i));
    }
  }
  /* U = -g y for all pairs of rows. */
  num *u = U;
  for (int i = 0; i < group->boundary; i++)
    for (int k = 0; k <= i; k++) *u++ = leaf_turn_product(G + LEAF_TURN * i, Y + LEAF_TURN * k);
  /* Translations: the columns are unit vectors, and their sign changes with the side. */
  for (int a = group->couple_first; a < group->couple_end; a++)
    for (int b = group->couple_first; b <= a; b++) {
      const struct tree_couple *ca = &t->couple[a], *cb = &t->couple[b];
      double sign = ca->side == cb->side ? -1.0 : 1.0;
      for (int k = 0; k < 3; k++) U[tree_triangle(ca->at + k) + cb->at + k] += sign * d[LEAF_R];
    }
}

/* Adds to u the block of U from s rows of J and the s rows that Y comes from. r: contribution of the constant columns.
 * row: the block's first row in U. whole: false for a diagonal block, which has a lower triangle only. */
FLAT void even_leaf_block(const num *J, const num *Y, num r, int s, bool whole, num *u, int row)
{
  for (int i = 0; i < s; i++, u += row + i) {
    const num *g = J + 2 * LEAF_TURN * i;
    for (int k = 0; k < (whole ? s : i + 1); k++) {
      num sum = leaf_turn_product(g, Y + LEAF_TURN * k);
      if (i == k && i < 3) sum += r;
      u[k] = sum;
    }
  }
}

/* A leaf with `joints` joints of s rows each. */
FLAT void even_leaf(const struct tree *t, const struct tree_group *group, num *U, const struct tree_matrix *m,
                    int s, int joints)
{
  const num *d = (const num *)(m->delta + (size_t)group->body->first * (size_t)m->numbers);
  const struct tree_couple *couple = &t->couple[group->couple_first];
  num Y[LEAF_TURN * TREE_SHORT], delta[LEAF_NUMBERS];
  for (int i = 0; i < LEAF_NUMBERS; i++) delta[i] = d[i];
  for (int a = 0; a < joints; a++) {
    const num *J = (const num *)(m->J + couple[a].J->at) + TREE_UNIT;
    num *y = Y + LEAF_TURN * s * a, *u = U + tree_triangle(s * a);
    for (int i = 0; i < s; i++) leaf_turn_row(delta, J + 2 * LEAF_TURN * i, y + LEAF_TURN * i);
    for (int b = 0; b < a; b++) {
      double sign = couple[a].side == couple[b].side ? -1.0 : 1.0;
      even_leaf_block(J, Y + LEAF_TURN * s * b, sign * delta[LEAF_R], s, true, u + s * b, s * a);
    }
    even_leaf_block(J, y, -delta[LEAF_R], s, false, u + s * a, s * a);
  }
}

static void condense_leaf(const struct tree *t, const struct tree_group *group, num *U,
                          const struct tree_matrix *m)
{
  int joints = group->couple_end - group->couple_first;
  if (group->even == 3 && joints == 2)
    even_leaf(t, group, U, m, 3, 2);
  else if (group->even == 3)
    even_leaf(t, group, U, m, 3, joints);
  else if (group->even == 5 && joints == 2)
    even_leaf(t, group, U, m, 5, 2);
  else if (group->even == 5)
    even_leaf(t, group, U, m, 5, joints);
  else if (group->unit_columns && !group->as_lone)
    leaf_unit_columns(t, group, U, m);
  else
    leaf_update(t, group, U, m);
}

/* Adds a child's update to the front. */
static inline void gather_child(const struct tree_work *w, const struct tree_contribution *r)
{
  const num *C = (const num *)(w->front + r->update->at);
  for (int i = 0; i < tree_triangle(r->boundary); i++)
    if (r->into[i] >= 0)
      *(num *)(w->front + r->into[i]) += r->aligned ? C[i] : num_pick(w->front, r->update, i);
}

SUM_CHILDREN(sum_children, num)

/* Adds J of hubs whose joints come later. */
static void add_couples(const struct tree *t, const struct tree_group *group, num *E, const double *J)
{
  for (int a = group->couple_first; a < group->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    bool hub = group->kind == TREE_HUB;
    int p = group->pivot, row = c->at - p;
    for (int i = 0; i < c->rows; i++) {
      num room[TREE_Y];
      const num *g = row_of_couple(J, c, i, room);
      for (int y = 0; y < TREE_Y; y++) E[hub ? p * (row + i) + y : p * (row + y) + c->row + i] += g[y];
    }
  }
}

/* Sets the pivot to 1 in unused lanes: their delta^-1 belongs to another body, and no joint holds them. */
static void unit_pivots_unused(const int *member, num *F)
{
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < TREE_Y && member[l] < 0; i++)
      for (int k = 0; k <= i; k++) F[tree_triangle(i) + k][l] = i == k ? 1.0 : 0.0;
}

static void assemble_front(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m,
                           int index)
{
  const struct tree_group *group = &t->group[index];
  num *F = (num *)(w->front + group->front), *U = (num *)(w->front + group->update);
  int p = group->pivot, boundary = group->boundary;
  if (group->sum.aligned) {
    sum_children(t, &group->sum, w->front);
  } else {
    for (int i = 0; i < tree_triangle(p) + p * boundary; i++) F[i] = num_all(0.0);
    for (int i = 0; i < tree_triangle(boundary); i++) U[i] = num_all(0.0);
    for (int r = group->child_first; r < group->child_end; r++) gather_child(w, &t->contribution[r]);
  }
  /* The group's own rows. */
  if (group->kind == TREE_JOINT) {
    for (int i = 0; i < p; i++) F[tree_triangle(i) + i] -= own_number(group, m->c, i);
  } else {
    num room[LEAF_NUMBERS];
    add_hub(group, delta_of(group, m, room), F);
  }
  add_couples(t, group, F + tree_triangle(p), m->J);
  if (group->carried) unit_pivots_unused(t->member + group->member_first, F);
}

/* Computes L, D^-1, U and K of a front whose sums are complete. */
FLAT bool eliminate_pivot(num *F, num *u, int p, int boundary, double sign, bool as_lone)
{
  num *E = F + tree_triangle(p), z[TREE_Y];
  const bool good = num_everywhere(factorise_pivot(F, p, sign));
  for (int i = 0; i < boundary; i++) {
    num *row = E + p * i, y[TREE_Y];
    for (int a = 0; a < p; a++) y[a] = row[a];
    half_solve(F, p, y, z);
    const num *saved = as_lone ? y : z, *other = as_lone ? z : y;
    for (int a = 0; a < p; a++) row[a] = saved[a];
    for (int k = 0; k <= i; k++) *u++ -= row_product(E + p * k, other, p);
  }
  for (int i = 0; i < boundary; i++) {
    for (int a = 0; a < p; a++) z[a] = E[p * i + a];
    for (int a = 0; a < p && as_lone; a++) z[a] *= F[tree_triangle(a) + a];
    other_half(F, p, z, E + p * i);
  }
  return good;
}

/* The sums for one block of an even front. `count` children add to each of its elements. */
FLAT void even_sum_of(const double *from, const int *list, int count, int elements, num *o)
{
  for (int i = 0; i < elements; i++) o[i] = take_sum(from, &list, count);
}

FLAT const int *even_sum(const double *from, const int *list, int elements, num *o)
{
  int count = *list++;
  if (count == 1)
    even_sum_of(from, list, 1, elements, o);
  else if (count == 2)
    even_sum_of(from, list, 2, elements, o);
  else
    even_sum_of(from, list, 0, elements, o);
  return list + count * elements;
}

/* A block of U with s rows: the sums minus Z Y'. row: the block's first row in U. whole: false for a diagonal block,
 * which has a lower triangle only. */
FLAT void even_update_of(const double *from, const int *list, int count, const num *y, const num *z, int s,
                         bool whole, num *u, int row)
{
  for (int i = 0; i < s; i++, u += row + i)
    for (int k = 0; k < (whole ? s : i + 1); k++)
      u[k] = take_sum(from, &list, count) - row_product(z + s * k, y + s * i, s);
}

FLAT const int *even_update(const double *from, const int *list, const num *y, const num *z, int s,
                            bool whole, num *u, int row)
{
  int count = *list++;
  if (count == 0)
    even_update_of(from, list, 0, y, z, s, whole, u, row);
  else if (count == 1)
    even_update_of(from, list, 1, y, z, s, whole, u, row);
  else
    even_update_of(from, list, 2, y, z, s, whole, u, row);
  return list + count * (whole ? s * s : tree_triangle(s));
}

/* Computes the updates of the leaves, one behind the other. */
static void merged_leaves(const struct tree *t, const struct tree_group *group, const struct tree_matrix *m,
                          num *U)
{
  for (int r = group->child_first; r < group->child_end; r++) {
    const struct tree_group *leaf = &t->group[t->contribution[r].group];
    condense_leaf(t, leaf, U, m);
    U += tree_triangle(leaf->boundary);
  }
}

/* Sums and eliminates the front of a joint whose boundary has `blocks` blocks. */
FLAT bool condense_even_joint(const struct tree *t, const struct tree_work *w, const struct tree_group *group,
                              int s, int blocks, const struct tree_matrix *m)
{
  const int *list = t->list + group->sum.first;
  num *F = (num *)(w->front + group->front), *K = F + tree_triangle(s),
      *U = (num *)(w->front + group->update);
  num P[15], Z[TREE_EVEN], leaves[TREE_MERGED]; /* s is at most 5 */
  const double *from = w->front;
  if (group->merged) {
    merged_leaves(t, group, m, leaves);
    from = (const double *)leaves;
  }
  list = even_sum(from, list, tree_triangle(s), P);
  for (int i = 0; i < s; i++) P[tree_triangle(i) + i] -= own_aligned(group, m->c, i);
  const bool good = num_everywhere(factorise_pivot(P, s, -1.0));
  for (int i = 0; i < tree_triangle(s); i++) F[i] = P[i];
  for (int block = 0; block < blocks; block++, K += s * s) {
    num y[25], z[5], *of_block = Z + s * s * block, *u = U + tree_triangle(s * block);
    list = even_sum(from, list, s * s, y);
    for (int i = 0; i < s; i++) {
      half_solve(P, s, y + s * i, z);
      other_half(P, s, z, K + s * i);
      for (int a = 0; a < s; a++) of_block[s * i + a] = z[a];
    }
    for (int before = 0; before < block; before++, u += s)
      list = even_update(from, list, y, Z + s * s * before, s, true, u, s * block);
    list = even_update(from, list, y, of_block, s, false, u, s * block);
  }
  return good;
}

/* Each case has its own function. Otherwise the compiler hoists common code above the switch and adds up the frames. */
#define EVEN_JOINT(name, s, blocks)                                                                          \
  static __attribute__((noinline)) bool name(const struct tree *t, const struct tree_work *w,                \
                                             const struct tree_group *group, const struct tree_matrix *m)    \
  {                                                                                                          \
    return condense_even_joint(t, w, group, s, blocks, m);                                                   \
  }
EVEN_JOINT(joint_3_2, 3, 2)
EVEN_JOINT(joint_3, 3, group->boundary / 3)
EVEN_JOINT(joint_5_2, 5, 2)
EVEN_JOINT(joint_5, 5, group->boundary / 5)

static bool condense_even(const struct tree *t, const struct tree_work *w, const struct tree_group *group,
                          const struct tree_matrix *m)
{
  if (group->even == 3) return group->boundary == 6 ? joint_3_2(t, w, group, m) : joint_3(t, w, group, m);
  return group->boundary == 10 ? joint_5_2(t, w, group, m) : joint_5(t, w, group, m);
}

/* Unrolled loops for each pivot. */
#define ELIMINATE(name, as_lone)                                                                             \
  static __attribute__((noinline)) bool name(const struct tree_group *group, num *F, num *U)                 \
  {                                                                                                          \
    const double sign = group->kind == TREE_JOINT ? -1.0 : 1.0;                                              \
    switch (group->pivot) {                                                                                  \
    case 1:                                                                                                  \
      return eliminate_pivot(F, U, 1, group->boundary, sign, as_lone);                                       \
    case 2:                                                                                                  \
      return eliminate_pivot(F, U, 2, group->boundary, sign, as_lone);                                       \
    case 3:                                                                                                  \
      return eliminate_pivot(F, U, 3, group->boundary, sign, as_lone);                                       \
    case 4:                                                                                                  \
      return eliminate_pivot(F, U, 4, group->boundary, sign, as_lone);                                       \
    case 5:                                                                                                  \
      return eliminate_pivot(F, U, 5, group->boundary, sign, as_lone);                                       \
    case 6:                                                                                                  \
      return eliminate_pivot(F, U, 6, group->boundary, sign, as_lone);                                       \
    default:                                                                                                 \
      return eliminate_pivot(F, U, 7, group->boundary, sign, as_lone);                                       \
    }                                                                                                        \
  }
ELIMINATE(eliminate_front, false)
ELIMINATE(eliminate_as_lone, true)

static bool condense_group(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m,
                           int index)
{
  const struct tree_group *group = &t->group[index];
  num *F = (num *)(w->front + group->front), *U = (num *)(w->front + group->update);
  if (group->kind == TREE_LEAF) {
    if (!group->merged) condense_leaf(t, group, U, m);
    return true;
  }
  if (group->even) return condense_even(t, w, group, m);
  assemble_front(t, w, m, index);
  if (group->carried && !hubs_are_held(t, w, index)) return false;
  return group->as_lone ? eliminate_as_lone(group, F, U) : eliminate_front(group, F, U);
}

static int condense_groups(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m,
                           int first, int end)
{
  int failed = -1;
  for (int i = first; i < end; i++)
    if (!condense_group(t, w, m, i) && failed < 0) failed = i;
  return failed;
}

extern const struct tree_kernels LANE_NAME(tree_kernels);
const struct tree_kernels LANE_NAME(tree_kernels) = {condense_groups, assemble_front, LANE_NAME(sweep_up),
                                                     LANE_NAME(sweep_down)};
