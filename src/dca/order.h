/* SPDX-License-Identifier: MIT
 * Elimination order of bodies and joints: by rounds of cheap, mutually independent vertices. Set-up only. */
#ifndef DCA_ORDER_H
#define DCA_ORDER_H

#include "dca/tree.h"

struct list {
  int *item;
  int count, room;
};
bool list_push(struct list *l, int item); /* false: out of memory */

/* Vertices: joints 0 .. joints-1, then bodies. */
struct order {
  int vertices;
  int *rank;           /* (vertices) place in the order */
  int *vertex;         /* (vertices) by rank */
  struct list *border; /* (vertices) by vertex: what it was coupled to when eliminated; not sorted */
  struct list *child;  /* (vertices) by vertex: the vertices whose borders it took over, ascending in rank */
};

/* Which rule is better depends on the mechanism (choose_order.c). */
struct order_rule {
  double dear; /* a vertex dearer than this times the median waits for a later round */
  bool
      ground_last; /* of the vertices of a round, joints to the ground come after all others; else as they are counted */
};

/* False: out of memory, or the fronts would exceed TREE_FRONTS_MB, which is then in graph->excess. */
bool order_compute(const struct tree_graph *graph, struct order_rule rule, struct order *o);
void order_free(struct order *o);

static inline int vertex_size(const struct tree_graph *g, int v)
{
  return v < g->joints ? g->first[v + 1] - g->first[v] : TREE_Y;
}

#endif
