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
  double mass[9];
  if (!sym3_inverse(mass, d->th)) return false;
  for (int i = 0; i < 3; i++) {
    F[i * ld + i] = 1.0 / d->r;
    for (int k = 0; k <= i; k++) F[(3 + i) * ld + 3 + k] = mass[3 * i + k];
  }
  F[6 * ld + 6] = 1.0 / d->n;
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

bool tree_condense_node(const struct tree *t, struct tree_work *w, const struct tree_matrix *m, int index)
{
  const struct tree_node *node = &t->node[index];
  double *F = w->front + node->front;
  if (node->kind == TREE_LEAF) {
    leaf(t, node, F, m);
    return true;
  }
  int ld = node->pivot + node->border;
  for (size_t i = 0; i < (size_t)ld * (size_t)ld; i++) F[i] = 0.0;
  if (node->kind == TREE_JOINT)
    joint_entries(t, node, F, ld, m);
  else if (!hub_entries(t, node, F, ld, m))
    return false;
  for (int i = node->child_first; i < node->child_end; i++) gather(t, w, F, ld, &t->node[t->child[i]]);
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
