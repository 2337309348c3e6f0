/* SPDX-License-Identifier: MIT
 * Loop code, built for each instruction set (math/num.h): one group, that is one front in each lane. With the
 * pivot first (p) and the border behind, lower triangle, row by row without gaps:
 *
 *         | P        |      P   pivot: -(c + sum D) of a joint, delta^-1 + sum of a hub; sign * P > 0
 *     F = | E    U   |      E   coupling of the border to the pivot
 *                           U   what the parent gets
 *     sign * P = L D L',   U := U - E P^-1 E',   K := E P^-1
 *
 * L and D^-1 stay in place of P, and K in that of E, for the sweeps:
 *
 *     up    f = (-beta | 0) + sum of the children's f_b,    f_b -= K f_p,    f_p := P^-1 f_p
 *     down  x_p = f_p - K' x_b */
#include "dca/hubs.h"

#include <math.h>

static inline int at_row(int i)
{
  return i * (i + 1) / 2;
}

enum { DELTA = TREE_DELTA_N + 1 };

/* delta of the bodies; if they do not lie side by side, in `room`. */
static inline const num *delta_of(const struct tree_group *group, const struct tree_matrix *m, num *room)
{
  const struct tree_body *b = group->body;
  size_t numbers = (size_t)m->numbers;
  struct lane_at from[LANES];
  if (group->aligned) return (const num *)(m->delta + (size_t)b->first * numbers);
  for (int l = 0; l < LANES; l++)
    from[l] = (struct lane_at){(size_t)b[l].first * numbers + (size_t)b[l].lane, (size_t)b[l].width};
  num_pick_all(m->delta, from, 0, DELTA, room);
  return room;
}

/* Unknown k of the group, of what is stored as the vector of unknowns is. */
static inline num own(const struct tree_group *group, const double *x, int k)
{
  return group->aligned ? ((const num *)(x + group->at->at))[k] : num_pick(x, group->at, k);
}

static inline void put_own(const struct tree_group *group, double *x, int k, num v)
{
  if (group->aligned)
    ((num *)(x + group->at->at))[k] = v;
  else
    for (int l = 0; l < LANES; l++)
      if (group->at[l].stride) x[group->at[l].at + (size_t)k * group->at[l].stride] = num_lane(v, l);
}

/* U = -J delta J', over all rows of the body */
static void leaf(const struct tree *t, const struct tree_group *group, num *U, const struct tree_matrix *m)
{
  num room[DELTA];
  const num *d = delta_of(group, m, room);
  num *Y = U + at_row(group->border), J[6 * TREE_Y];
  for (int a = group->couple_first; a < group->couple_end; a++) {
    const struct tree_couple *ca = &t->couple[a];
    const num *block = (const num *)(m->J + ca->J->at);
    for (int i = 0; i < ca->rows; i++) {
      num *g = J + TREE_Y * i, *o = Y + TREE_Y * (ca->at + i);
      for (int y = 0; y < TREE_Y; y++)
        g[y] = ca->aligned ? block[ca->stride * i + y] : num_pick(m->J, ca->J, ca->stride * i + y);
      const num *th = d + TREE_DELTA_TH;
      for (int k = 0; k < 3; k++) {
        o[k] = d[TREE_DELTA_R] * g[k];
        o[3 + k] = th[3 * k] * g[3] + th[3 * k + 1] * g[4] + th[3 * k + 2] * g[5];
      }
      o[6] = d[TREE_DELTA_N] * g[6];
    }
    for (int i = 0; i < ca->rows; i++) {
      const num *g = J + TREE_Y * i;
      num *line = U + at_row(ca->at + i);
      for (int k = 0; k <= ca->at + i; k++) {
        const num *y = Y + TREE_Y * k;
        num sum = g[0] * y[0];
        for (int c = 1; c < TREE_Y; c++) sum += g[c] * y[c];
        line[k] = -sum;
      }
    }
  }
}

/* The same where the first three columns of all blocks are constant. */
static void leaf_point(const struct tree *t, const struct tree_group *group, num *U,
                       const struct tree_matrix *m)
{
  enum { TURN = TREE_Y - 3 }; /* th and n */
  num room[DELTA], G[TURN * TREE_SHORT], Y[TURN * TREE_SHORT];
  const num *d = delta_of(group, m, room), *th = d + TREE_DELTA_TH;
  for (int a = group->couple_first; a < group->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    const num *J = (const num *)(m->J + c->J->at);
    for (int i = 0; i < c->rows; i++) {
      num *g = G + TURN * (c->at + i), *o = Y + TURN * (c->at + i);
      int from = c->stride * i + 3;
      if (c->aligned)
        for (int y = 0; y < TURN; y++) g[y] = J[from + y];
      else
        for (int y = 0; y < TURN; y++) g[y] = num_pick(m->J, c->J, from + y);
      for (int k = 0; k < 3; k++) o[k] = -(th[3 * k] * g[0] + th[3 * k + 1] * g[1] + th[3 * k + 2] * g[2]);
      o[3] = -d[TREE_DELTA_N] * g[3];
    }
  }
  num *u = U;
  for (int i = 0; i < group->border; i++) {
    const num *g = G + TURN * i;
    for (int k = 0; k <= i; k++) {
      const num *y = Y + TURN * k;
      *u++ = (g[0] * y[0] + g[1] * y[1]) + (g[2] * y[2] + g[3] * y[3]);
    }
  }
  for (int a = group->couple_first; a < group->couple_end; a++)
    for (int b = group->couple_first; b <= a; b++) {
      const struct tree_couple *ca = &t->couple[a], *cb = &t->couple[b];
      double sign = ca->side == cb->side ? -1.0 : 1.0;
      for (int k = 0; k < 3; k++) U[at_row(ca->at + k) + cb->at + k] += sign * d[TREE_DELTA_R];
    }
}

/* F += a child's update. */
static inline void gather(const struct tree_work *w, const struct tree_branch *r, num *F)
{
  const int *into = r->into;
  int e = at_row(r->pivot);
  if (r->aligned) {
    const num *C = (const num *)(w->front + r->front->at);
    for (int i = 0; i < r->border; i++) {
      e += r->pivot;
      for (int k = 0; k <= i; k++) F[*into++] += C[e++];
    }
    return;
  }
  for (int i = 0; i < r->border; i++) {
    e += r->pivot;
    for (int k = 0; k <= i; k++) F[*into++] += num_pick(w->front, r->front, e++);
  }
}

/* o = the sums of what the children have in `from` */
static inline void sum_up(const struct tree *t, const struct tree_sum *s, const double *from, num *o)
{
  const int *list = t->list + s->first;
  for (int i = 0; i < s->none; i++) o[*list++] = num_all(0.0);
  for (int i = 0; i < s->one; i++, list += 2) o[list[0]] = *(const num *)(from + list[1]);
  for (int i = 0; i < s->two; i++, list += 3)
    o[list[0]] = *(const num *)(from + list[1]) + *(const num *)(from + list[2]);
  for (int i = 0; i < s->more; i++, list += 2) o[list[0]] += *(const num *)(from + list[1]);
}

/* J of hubs beside joints still to come. */
static void couple(const struct tree *t, const struct tree_group *group, num *F, const double *J)
{
  for (int a = group->couple_first; a < group->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    for (int i = 0; i < c->rows; i++)
      for (int y = 0; y < TREE_Y; y++) {
        int row = group->kind == TREE_HUB ? c->at + i : c->at + y, column = group->kind == TREE_HUB ? y : i;
        F[at_row(row) + column] += num_pick(J, c->J, c->stride * i + y);
      }
  }
}

/* Own entries of a hub: delta^-1. */
static void hub(const struct tree_group *group, num *F, const struct tree_matrix *m)
{
  num room[DELTA];
  const num *d = delta_of(group, m, room), *th = d + TREE_DELTA_TH;
  num inverse[6], r = d[TREE_DELTA_R], n = d[TREE_DELTA_N];
  if (group->carried) {
    for (int i = 0, e = 0; i < 3; i++)
      for (int k = 0; k <= i; k++) inverse[e++] = th[3 * i + k];
  } else {
    r = 1.0 / r;
    n = 1.0 / n;
    num a = th[4] * th[8] - th[7] * th[7], b = th[7] * th[6] - th[3] * th[8],
        c = th[3] * th[7] - th[4] * th[6];
    num k = 1.0 / (th[0] * a + th[3] * b + th[6] * c);
    inverse[0] = k * a;
    inverse[1] = k * b;
    inverse[2] = k * (th[0] * th[8] - th[6] * th[6]);
    inverse[3] = k * c;
    inverse[4] = k * (th[6] * th[3] - th[0] * th[7]);
    inverse[5] = k * (th[0] * th[4] - th[3] * th[3]);
  }
  for (int i = 0, e = 0; i < 3; i++) {
    F[at_row(i) + i] += r;
    for (int k = 0; k <= i; k++) F[at_row(3 + i) + 3 + k] += inverse[e++];
  }
  F[at_row(6) + 6] += n;
}

#if LANES > 1
/* Nothing holds what is not there, and delta^-1 is that of some other body: a pivot of 1. */
static void fill_unused(const int *member, num *F)
{
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < TREE_Y && member[l] < 0; i++)
      for (int k = 0; k <= i; k++) F[at_row(i) + k][l] = i == k ? 1.0 : 0.0;
}
#endif

static void assemble(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int index)
{
  const struct tree_group *group = &t->group[index];
  num *F = (num *)(w->front + group->front);
  int n = group->pivot + group->border;
  if (group->sum.aligned) {
    sum_up(t, &group->sum, w->front, F);
  } else {
    for (int i = 0; i < at_row(n); i++) F[i] = num_all(0.0);
    for (int r = group->child_first; r < group->child_end; r++) gather(w, &t->branch[r], F);
  }
  if (group->kind == TREE_JOINT) {
    for (int i = 0; i < group->pivot; i++) F[at_row(i) + i] -= own(group, m->c, i);
  } else {
    hub(group, F, m);
  }
  couple(t, group, F, m->J);
#if LANES > 1
  if (group->carried) fill_unused(t->member + group->member_first, F);
#endif
}

/* L, D^-1, U and K of a front whose pivot has p rows. False: some pivot is not positive. */
static inline __attribute__((always_inline)) bool eliminate(num *F, int p, int n, double sign)
{
  num scale[TREE_Y];
  num_mask positive = num_greater(num_all(1.0), num_all(0.0));
  for (int j = 0; j < p; j++) {
    num d = sign * F[at_row(j) + j], r = 1.0 / d;
    positive &= num_greater(d, num_all(0.0));
    F[at_row(j) + j] = r;
    /* the pivot to the right, and column j of L */
    for (int i = j + 1; i < p; i++) {
      scale[i] = F[at_row(i) + j];
      F[at_row(i) + j] *= sign * r;
      for (int k = j + 1; k <= i; k++) F[at_row(i) + k] -= F[at_row(i) + j] * scale[k];
    }
  }
  /* U := U - Y P^-1 Y' from one half of the solution, Y = E L'^-1: from K E' rounding would come in times the
   * condition of the pivot. D^-1 Y stays, for the rows below and for K. */
  for (int i = p; i < n; i++) {
    num *row = F + at_row(i), y[TREE_Y];
    for (int a = 0; a < p; a++) {
      y[a] = row[a];
      for (int b = 0; b < a; b++) y[a] -= F[at_row(a) + b] * y[b];
    }
    for (int a = 0; a < p; a++) {
      row[a] = y[a] * F[at_row(a) + a];
      y[a] *= sign;
    }
    for (int c = p; c <= i; c++) {
      const num *other = F + at_row(c);
      num sum = other[0] * y[0];
      for (int a = 1; a < p; a++) sum += other[a] * y[a];
      row[c] -= sum;
    }
  }
  for (int i = p; i < n; i++) {
    num *row = F + at_row(i), k[TREE_Y];
    for (int a = p - 1; a >= 0; a--) {
      k[a] = sign * row[a];
      for (int b = a + 1; b < p; b++) k[a] -= F[at_row(b) + a] * k[b];
    }
    for (int a = 0; a < p; a++) row[a] = k[a];
  }
  return num_everywhere(positive);
}

static bool condense(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int index)
{
  const struct tree_group *group = &t->group[index];
  num *F = (num *)(w->front + group->front);
  if (group->kind == TREE_LEAF) {
    if (group->point)
      leaf_point(t, group, F, m);
    else
      leaf(t, group, F, m);
    return true;
  }
  assemble(t, w, m, index);
  if (group->carried && !hubs_are_held(t, w, index)) return false;
  int n = group->pivot + group->border;
  double sign = group->kind == TREE_JOINT ? -1.0 : 1.0;
  switch (group->pivot) { /* with the loops unrolled */
  case 1:
    return eliminate(F, 1, n, sign);
  case 2:
    return eliminate(F, 2, n, sign);
  case 3:
    return eliminate(F, 3, n, sign);
  case 4:
    return eliminate(F, 4, n, sign);
  case 5:
    return eliminate(F, 5, n, sign);
  case 6:
    return eliminate(F, 6, n, sign);
  default:
    return eliminate(F, 7, n, sign);
  }
}

/* f = the sums of what the children have for the front, branch by branch */
static void children(const struct tree *t, const struct tree_work *w, const struct tree_group *group, num *f)
{
  for (int i = 0; i < group->pivot + group->border; i++) f[i] = num_all(0.0);
  for (int r = group->child_first; r < group->child_end; r++) {
    const struct tree_branch *c = &t->branch[r];
    const num *from = (const num *)(w->vector + c->vector->at);
    if (c->leaf) continue; /* its free motion is in beta already */
    if (c->aligned)
      for (int i = 0; i < c->border; i++) f[c->to[i]] += from[c->pivot + i];
    else
      for (int i = 0; i < c->border; i++) f[c->to[i]] += num_pick(w->vector, c->vector, c->pivot + i);
  }
}

/* The sum of the next place, and on to the one after it. */
static inline num next_place(const int **list, const double *vector)
{
  const int *l = *list, count = *l++;
  num sum = num_all(0.0);
  if (count > 0) sum = *(const num *)(vector + l[0]);
  for (int i = 1; i < count; i++) sum += *(const num *)(vector + l[i]);
  *list = l + count;
  return sum;
}

enum how { BARE, LISTED, BRANCHES };

static inline __attribute__((always_inline)) void forward_how(const struct tree *t, const struct tree_work *w,
                                                              const struct tree_group *group, int p,
                                                              const double *beta, enum how how)
{
  const num *F = (const num *)(w->front + group->front);
  const int *list = t->list + group->vector_first;
  num *f = (num *)(w->vector + group->vector), x[TREE_Y];
  int n = p + group->border;
  bool joint = group->kind == TREE_JOINT;
  double sign = joint ? -1.0 : 1.0;
  if (how == BRANCHES) children(t, w, group, f);
  for (int i = 0; i < p; i++) {
    x[i] = num_all(0.0);
    if (how == LISTED) x[i] = next_place(&list, w->vector);
    if (how == BRANCHES) x[i] = f[i];
  }
  if (joint || group->carried) {
    for (int i = 0; i < p; i++) x[i] += sign * own(group, beta, i);
  }
  const num *K = F + at_row(p);
  for (int i = p; i < n; i++) {
    num sum = K[0] * x[0], had = num_all(0.0);
    for (int k = 1; k < p; k++) sum += K[k] * x[k];
    if (how == LISTED) had = next_place(&list, w->vector);
    if (how == BRANCHES) had = f[i];
    f[i] = had - sum;
    K += i + 1;
  }
  for (int i = 0; i < p; i++)
    for (int k = 0; k < i; k++) x[i] -= F[at_row(i) + k] * x[k];
  for (int i = p - 1; i >= 0; i--) {
    x[i] *= sign * F[at_row(i) + i];
    for (int k = i + 1; k < p; k++) x[i] -= F[at_row(k) + i] * x[k];
  }
  for (int i = 0; i < p; i++) f[i] = x[i];
}

static inline __attribute__((always_inline)) void forward(const struct tree *t, const struct tree_work *w,
                                                          const struct tree_group *group, int p,
                                                          const double *beta)
{
  if (group->bare)
    forward_how(t, w, group, p, beta, BARE);
  else if (group->sum.aligned)
    forward_how(t, w, group, p, beta, LISTED);
  else
    forward_how(t, w, group, p, beta, BRANCHES);
}

static inline __attribute__((always_inline)) void backward(const struct tree *t, const struct tree_work *w,
                                                           const struct tree_group *group, int p, double *x)
{
  num *f = (num *)(w->vector + group->vector), sum[TREE_Y];
  const num *K = (const num *)(w->front + group->front) + at_row(p);
  int at = p;
  for (int k = 0; k < p; k++) sum[k] = f[k];
  for (int r = group->pull_first; r < group->pull_end; r++) {
    const struct tree_pull *pull = &t->pull[r];
    const num *from = (const num *)(w->vector + pull->vector->at);
    for (int i = 0; i < pull->size; i++) {
      num b = pull->aligned ? from[i] : num_pick(w->vector, pull->vector, i);
      for (int k = 0; k < p; k++) sum[k] -= K[k] * b;
      K += at + 1;
      f[at++] = b;
    }
  }
  for (int k = 0; k < p; k++) {
    f[k] = sum[k];
    put_own(group, x, k, sum[k]);
  }
}

#define BY_PIVOT(function, ...)                                                                              \
  switch (group->pivot) {                                                                                    \
  case 1:                                                                                                    \
    function(t, w, group, 1, __VA_ARGS__);                                                                   \
    break;                                                                                                   \
  case 2:                                                                                                    \
    function(t, w, group, 2, __VA_ARGS__);                                                                   \
    break;                                                                                                   \
  case 3:                                                                                                    \
    function(t, w, group, 3, __VA_ARGS__);                                                                   \
    break;                                                                                                   \
  case 4:                                                                                                    \
    function(t, w, group, 4, __VA_ARGS__);                                                                   \
    break;                                                                                                   \
  case 5:                                                                                                    \
    function(t, w, group, 5, __VA_ARGS__);                                                                   \
    break;                                                                                                   \
  case 6:                                                                                                    \
    function(t, w, group, 6, __VA_ARGS__);                                                                   \
    break;                                                                                                   \
  default:                                                                                                   \
    function(t, w, group, 7, __VA_ARGS__);                                                                   \
  }

static void up(const struct tree *t, const struct tree_work *w, const double *beta, int index)
{
  const struct tree_group *group = &t->group[index];
  if (group->kind != TREE_LEAF) BY_PIVOT(forward, beta)
}

static void down(const struct tree *t, const struct tree_work *w, double *x, int index)
{
  const struct tree_group *group = &t->group[index];
  if (group->kind != TREE_LEAF) BY_PIVOT(backward, x)
}

extern const struct tree_kernels LANE_NAME(tree_kernels);
const struct tree_kernels LANE_NAME(tree_kernels) = {condense, assemble, up, down};
