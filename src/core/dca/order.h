/* SPDX-License-Identifier: MIT
 * Set-up only: elimination order of bodies and joints, by rounds of cheap, mutually independent vertices. */
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
  int *rank;             /* (vertices) position in the order */
  int *vertex;           /* (vertices) by rank */
  struct list *boundary; /* (vertices) by vertex: vertices coupled to it at its elimination, not sorted */
  struct list *child;    /* (vertices) by vertex: vertices whose boundaries it took over, ascending in rank */
};

/* The better rule depends on the mechanism (choose_order.c). */
struct order_rule {
  double dear; /* a vertex that costs more than this times the median waits for a later round */
  /* in each round, joints to the ground come after all other vertices; false: vertices go by number */
  bool ground_last;
  bool dissect; /* vertices go after all vertices of the halves that they separate (dissect.h) */
};

/* Computes the order. Returns false if memory runs out, or if the fronts would exceed TREE_FRONTS_MB; graph->excess
 * then gives their size. */
bool order_compute(const struct tree_graph *graph, struct order_rule rule, struct order *o);
void order_free(struct order *o);

static inline int vertex_size(const struct tree_graph *g, int v)
{
  return v < g->joints ? g->first[v + 1] - g->first[v] : TREE_Y;
}

#endif
