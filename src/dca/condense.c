/* SPDX-License-Identifier: MIT
 * One node = one front. With the pivot first (p) and the border behind (b), lower triangle, row by row:
 *
 *         | P        |      P   pivot: -(c + sum D) of a joint, delta^-1 + sum of a hub; sign * P > 0
 *     F = | E    U   |      E   coupling of the border to the pivot
 *                           U   what the parent gets
 *     sign * P = L L',   W = E L^-T,   U := U - sign W W',   K := sign W L^-1   (so K = E P^-1)
 *
 * L and K stay in place of P and E for the sweeps. */
#include "dca/condense.h"
#include "math/dense.h"

#include <math.h>

void tree_work_place(const struct tree *t, struct tree_work *w, struct arena *a)
{
  w->front = arena_take(a, t->front_size, sizeof(double));
  w->vector = arena_take(a, t->vector_size, sizeof(double));
}

static const struct tree_delta *delta_of(const struct tree_matrix *m, int body)
{
  return (const struct tree_delta *)((const char *)m->delta + m->stride * (size_t)body);
}

/* o = delta g */
static void apply(const struct tree_delta *d, const double *g, double *o)
{
  for (int i = 0; i < 3; i++) {
    o[i] = d->r * g[i];
    o[3 + i] = d->th[3 * i] * g[3] + d->th[3 * i + 1] * g[4] + d->th[3 * i + 2] * g[5];
  }
  o[6] = d->n * g[6];
}

/* U = -J delta J', lower triangle, over all rows of the body */
static void leaf(const struct tree *t, const struct tree_node *node, double *U, const struct tree_matrix *m)
{
  const struct tree_delta *d = delta_of(m, node->index);
  int n = node->border;
  double *Y = U + (size_t)n * (size_t)n;
  for (int a = node->couple_first; a < node->couple_end; a++) {
    const struct tree_couple *ca = &t->couple[a];
    for (int i = 0; i < ca->rows; i++) {
      const double *Ji = m->J + ca->J + ca->stride * i;
      apply(d, Ji, Y + TREE_Y * (ca->at + i));
      double *line = U + (size_t)(ca->at + i) * (size_t)n;
      for (int b = node->couple_first; b <= a; b++) {
        const struct tree_couple *cb = &t->couple[b];
        int rows = b == a ? i + 1 : cb->rows;
        for (int k = 0; k < rows; k++) {
          const double *Yk = Y + TREE_Y * (cb->at + k);
          double sum = 0.0;
          for (int y = 0; y < TREE_Y; y++) sum += Ji[y] * Yk[y];
          line[cb->at + k] = -sum;
        }
      }
    }
  }
}

/* F += child's update, block by block */
static void gather(const struct tree *t, const struct tree_work *w, double *F, int ld,
                   const struct tree_node *child)
{
  int cld = child->pivot + child->border, ci = child->pivot;
  const double *C = w->front + child->front;
  for (int a = child->border_first; a < child->border_end; a++) {
    const struct tree_border *ba = &t->border[a];
    for (int i = 0; i < ba->size; i++, ci++) {
      double *to = F + (size_t)(ba->parent_at + i) * (size_t)ld;
      const double *from = C + (size_t)ci * (size_t)cld + child->pivot;
      for (int b = child->border_first; b < a; b++) {
        const struct tree_border *bb = &t->border[b];
        double *o = to + bb->parent_at;
        for (int k = 0; k < bb->size; k++) o[k] += from[k];
        from += bb->size;
      }
      for (int k = 0; k <= i; k++) to[ba->parent_at + k] += from[k];
    }
  }
}

/* Own entries of a joint: -c on the diagonal, J of the hubs it hangs on. */
static void joint_entries(const struct tree *t, const struct tree_node *node, double *F, int ld,
                          const struct tree_matrix *m)
{
  for (int i = 0; i < node->pivot; i++) F[i * ld + i] = -m->c[node->at + i];
  for (int a = node->couple_first; a < node->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    for (int i = 0; i < c->rows; i++) {
      const double *J = m->J + c->J + c->stride * i;
      for (int y = 0; y < TREE_Y; y++) F[(size_t)(c->at + y) * (size_t)ld + i] = J[y];
    }
  }
}

/* Own entries of a hub: delta^-1 on the diagonal, J of the joints still to come. False if delta is singular.
 */
static bool hub_entries(const struct tree *t, const struct tree_node *node, double *F, int ld,
                        const struct tree_matrix *m)
{
  const struct tree_delta *d = delta_of(m, node->index);
  bool carried = t->carried_at[node->index] >= 0;
  double inverse[9];
  if (!carried && !sym3_inverse(inverse, d->th)) return false;
  const double *th = carried ? d->th : inverse;
  for (int i = 0; i < 3; i++) {
    F[i * ld + i] = carried ? d->r : 1.0 / d->r;
    for (int k = 0; k <= i; k++) F[(3 + i) * ld + 3 + k] = th[3 * i + k];
  }
  F[6 * ld + 6] = carried ? d->n : 1.0 / d->n;
  for (int a = node->couple_first; a < node->couple_end; a++) {
    const struct tree_couple *c = &t->couple[a];
    for (int i = 0; i < c->rows; i++) {
      const double *J = m->J + c->J + c->stride * i;
      for (int y = 0; y < TREE_Y; y++) F[(size_t)(c->at + i) * (size_t)ld + y] = J[y];
    }
  }
  return true;
}

/* L, W, U and K of a front whose pivot has p rows. */
static inline bool eliminate(double *F, int p, int ld, double sign)
{
  for (int i = 0; i < p; i++)
    for (int k = 0; k <= i; k++) F[i * ld + k] *= sign;
  if (!chol_factor(F, p, ld)) return false;
  for (int i = p; i < ld; i++) { /* W, and U row by row */
    double *wi = F + (size_t)i * (size_t)ld;
    for (int a = 0; a < p; a++) {
      double x = wi[a];
      for (int k = 0; k < a; k++) x -= F[a * ld + k] * wi[k];
      wi[a] = x * F[a * ld + a];
    }
    for (int j = p; j <= i; j++) {
      const double *wj = F + (size_t)j * (size_t)ld;
      double sum = 0.0;
      for (int k = 0; k < p; k++) sum += wi[k] * wj[k];
      wi[j] -= sign * sum;
    }
  }
  for (int i = p; i < ld; i++) { /* K */
    double *wi = F + (size_t)i * (size_t)ld;
    for (int a = p - 1; a >= 0; a--) {
      double x = wi[a];
      for (int k = a + 1; k < p; k++) x -= F[k * ld + a] * wi[k];
      wi[a] = x * F[a * ld + a];
    }
    for (int a = 0; a < p; a++) wi[a] *= sign;
  }
  return true;
}

/* The front of a joint or hub before its elimination. */
static bool assemble(const struct tree *t, struct tree_work *w, const struct tree_matrix *m,
                     const struct tree_node *node)
{
  double *F = w->front + node->front;
  int ld = node->pivot + node->border;
  for (size_t i = 0; i < (size_t)ld * (size_t)ld; i++) F[i] = 0.0;
  if (node->kind == TREE_JOINT)
    joint_entries(t, node, F, ld, m);
  else if (!hub_entries(t, node, F, ld, m))
    return false;
  for (int i = node->child_first; i < node->child_end; i++) gather(t, w, F, ld, &t->node[t->child[i]]);
  return true;
}

/* What holds a carried body may hold it in some directions only: rounding then stands in the pivot. */
static const double NOTHING = 1e-13;
/* And a row that asks for a force alone (LAW_OPEN) holds nothing, whatever its own entry says. */
static const double OPEN = 1e-22;

/* Eliminates the pivot of a carried body, A, 7x7 and full, in the order p of how well its directions are
 * held: in any other, a weak direction with a small component in the last of them is lost in rounding.
 * Returns how many are held; row p[i] of A is then that of the upper triangle. */
static int held(double A[TREE_Y][TREE_Y], int p[TREE_Y])
{
  double diagonal[TREE_Y], largest = 0.0;
  for (int i = 0; i < TREE_Y; i++) {
    p[i] = i;
    diagonal[i] = A[i][i];
    if (A[i][i] > largest) largest = A[i][i];
  }
  for (int j = 0; j < TREE_Y; j++) {
    int best = j;
    for (int i = j + 1; i < TREE_Y; i++)
      if (A[p[i]][p[i]] * diagonal[p[best]] > A[p[best]][p[best]] * diagonal[p[i]]) best = i;
    int q = p[best];
    p[best] = p[j];
    p[j] = q;
    if (!(A[q][q] > NOTHING * diagonal[q] && A[q][q] > OPEN * largest)) return j;
    for (int i = j + 1; i < TREE_Y; i++) {
      double f = A[p[i]][q] / A[q][q];
      for (int k = j + 1; k < TREE_Y; k++) A[p[i]][p[k]] -= f * A[q][p[k]];
    }
  }
  return TREE_Y;
}

static int pivot_of(const struct tree_work *w, const struct tree_node *node, double A[TREE_Y][TREE_Y],
                    int p[TREE_Y])
{
  int ld = node->pivot + node->border;
  for (int i = 0; i < TREE_Y; i++)
    for (int k = 0; k <= i; k++) A[i][k] = A[k][i] = w->front[node->front + (size_t)(i * ld + k)];
  return held(A, p);
}

/* With U of the rows before, x = 1 in the weak direction and U x = 0 in the others: A x is 0 but for
 * rounding. */
void tree_weak_direction(const struct tree *t, struct tree_work *w, const struct tree_matrix *m, int index,
                         double o[TREE_Y])
{
  double A[TREE_Y][TREE_Y], norm = 0.0;
  int p[TREE_Y];
  for (int i = 0; i < TREE_Y; i++) o[i] = 0.0;
  if (t->node[index].kind != TREE_HUB || !assemble(t, w, m, &t->node[index])) return;
  int j = pivot_of(w, &t->node[index], A, p);
  if (j == TREE_Y) return;
  o[p[j]] = 1.0;
  for (int i = j - 1; i >= 0; i--) {
    double x = 0.0;
    for (int k = i + 1; k <= j; k++) x -= A[p[i]][p[k]] * o[p[k]];
    o[p[i]] = x / A[p[i]][p[i]];
  }
  for (int i = 0; i < TREE_Y; i++) norm += o[i] * o[i];
  for (int i = 0; i < TREE_Y; i++) o[i] /= sqrt(norm);
}

bool tree_condense_node(const struct tree *t, struct tree_work *w, const struct tree_matrix *m, int index)
{
  const struct tree_node *node = &t->node[index];
  double *F = w->front + node->front;
  if (node->kind == TREE_LEAF) {
    leaf(t, node, F, m);
    return true;
  }
  int ld = node->pivot + node->border;
  if (!assemble(t, w, m, node)) return false;
  if (node->kind == TREE_HUB && t->carried_at[node->index] >= 0) {
    double A[TREE_Y][TREE_Y];
    int p[TREE_Y];
    if (pivot_of(w, node, A, p) != TREE_Y) return false;
  }
  double sign = node->kind == TREE_JOINT ? -1.0 : 1.0;
  switch (node->pivot) { /* the sizes of joints and hubs, with the loops unrolled */
  case 3:
    return eliminate(F, 3, ld, sign);
  case 5:
    return eliminate(F, 5, ld, sign);
  case 6:
    return eliminate(F, 6, ld, sign);
  case 7:
    return eliminate(F, 7, ld, sign);
  default:
    return eliminate(F, node->pivot, ld, sign);
  }
}

int tree_condense(const struct tree *t, struct tree_work *w, const struct tree_matrix *m)
{
  for (int i = 0; i < t->nodes; i++)
    if (!tree_condense_node(t, w, m, i)) return i;
  return -1;
}
