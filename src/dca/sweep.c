/* SPDX-License-Identifier: MIT
 * Solves S z = beta with the factors of condense.c: one sweep up the tree, one down.
 *
 *     up    f = (-beta | 0) + sum of the children's f_b,    f_b -= K f_p,    f_p := P^-1 f_p
 *     down  x_p = f_p - K' x_b */
#include "dca/condense.h"
#include "math/dense.h"

void tree_up_node(const struct tree *t, struct tree_work *w, const double *beta, int index)
{
  const struct tree_node *node = &t->node[index];
  if (node->kind == TREE_LEAF) return; /* its free motion is in beta already */
  const double *F = w->front + node->front;
  double *f = w->vector + node->vector;
  int p = node->pivot, ld = p + node->border;
  double sign = node->kind == TREE_JOINT ? -1.0 : 1.0;
  bool carried = node->kind == TREE_HUB && t->carried_at[node->index] >= 0;
  for (int i = 0; i < p; i++)
    f[i] = node->kind == TREE_JOINT ? -beta[node->at + i] : carried ? beta[node->at + i] : 0.0;
  for (int i = p; i < ld; i++) f[i] = 0.0;
  for (int i = node->child_first; i < node->child_end; i++) {
    const struct tree_node *child = &t->node[t->child[i]];
    if (child->kind == TREE_LEAF) continue;
    const double *from = w->vector + child->vector + child->pivot;
    for (int a = child->border_first; a < child->border_end; a++) {
      const struct tree_border *b = &t->border[a];
      for (int k = 0; k < b->size; k++) f[b->parent_at + k] += from[k];
      from += b->size;
    }
  }
  for (int i = p; i < ld; i++) {
    const double *K = F + (size_t)i * (size_t)ld;
    double sum = 0.0;
    for (int k = 0; k < p; k++) sum += K[k] * f[k];
    f[i] -= sum;
  }
  chol_solve(F, p, ld, f);
  for (int i = 0; i < p; i++) f[i] *= sign;
}

void tree_down_node(const struct tree *t, struct tree_work *w, double *x, int index)
{
  const struct tree_node *node = &t->node[index];
  if (node->kind == TREE_LEAF) return;
  const double *f = w->vector + node->vector;
  int p = node->pivot, ld = p + node->border;
  double *o = x + node->at;
  const double *K = w->front + node->front + (size_t)p * (size_t)ld;
  for (int k = 0; k < p; k++) o[k] = f[k];
  for (int a = node->border_first; a < node->border_end; a++) {
    const struct tree_border *b = &t->border[a];
    for (int i = 0; i < b->size; i++, K += ld)
      for (int k = 0; k < p; k++) o[k] -= K[k] * x[b->at + i];
  }
}

void tree_sweep(const struct tree *t, struct tree_work *w, const double *beta, double *x)
{
  for (int i = 0; i < t->nodes; i++) tree_up_node(t, w, beta, i);
  for (int i = t->nodes - 1; i >= 0; i--) tree_down_node(t, w, x, i);
}
