/* SPDX-License-Identifier: MIT
 * Set-up only: the bodies and joints that are stored side by side, and their offsets. */
#ifndef DCA_TILES_H
#define DCA_TILES_H

#include "dca/bundles.h"
#include "dca/nodes.h"

/* Joint m of a node's bundles; -1: the node has fewer joints. */
static inline int joint_of_node(const struct bundles *o, const struct nodes *n, const struct node *a, int m)
{
  for (int v = a->vertex; v >= 0; v = n->after[v]) {
    const int count = o->first[v + 1] - o->first[v];
    if (m < count) return o->member[o->first[v] + m];
    m -= count;
  }
  return -1;
}

/* Fills the tiles of t and the offsets of bodies and joints. walk: see nodes_walk(). False: out of memory. */
bool store_build(const struct tree_graph *graph, const struct bundles *bundles, const struct nodes *n,
                 const struct plan *p, const int *walk, struct tree *t);
bool order_allocate(struct tree_order *o, size_t tiles); /* false: out of memory */
/* Fills run_end for positions first .. end-1. */
void order_find_runs(const struct tree *t, struct tree_order *o, int first, int end);

#endif
