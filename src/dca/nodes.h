/* SPDX-License-Identifier: MIT
 * Set-up only: the assembly tree before it is put into groups, one node for each eliminated vertex. */
#ifndef DCA_NODES_H
#define DCA_NODES_H

#include "base/isa.h"
#include "dca/order.h"

#include <stdint.h>

struct node { /* numbered by elimination: children before parents */
  enum tree_kind kind;
  int vertex;
  int pivot, front;             /* unknowns eliminated here; those and the border's */
  int parent;                   /* -1: root */
  int level;                    /* 0: no children */
  int border_first, border_end; /* in nodes.border */
  int child_first, child_end;   /* in nodes.child */
  int size;                     /* nodes of its subtree */
  double flops, subtree_flops;  /* of its condensation */
};

struct edge { /* a vertex of a node's border */
  int vertex, size;
  int at;     /* place in the node's front */
  int couple; /* side of the joint, where the node's Jacobian block on this border enters; -1: not here */
  int slot;   /* which border of the node's template it takes (shapes.c) */
};

struct nodes {
  const struct tree_graph *graph;
  int count;
  struct node *node;
  struct edge *border;
  int *child; /* ascending */
};

bool nodes_build(const struct tree_graph *graph, struct order_rule rule,
                 struct nodes *n); /* false: out of memory */
void nodes_free(struct nodes *n);
/* fastness.c. fast: the solves of this tree lose digits, through a hub or a carried body. False: out of memory. */
bool nodes_hold_fast(const struct nodes *n, bool *fast);

/* Which nodes are computed side by side. */
struct group_plan {
  int width, used;
  bool packed;             /* part of subtrees side by side */
  int node[ISA_LANES_MAX]; /* (width) -1: not in use. What others lack of the first, the template, is 0 */
};

struct plan {
  int lanes;
  int groups;
  struct group_plan *group; /* in the order of the schedule, children before parents */
  int *group_of, *lane_of;  /* (nodes) */
  int runs, owned;          /* as in struct tree */
  struct tree_run *run;
  double cost; /* of a step, with all that is done to bodies and links: to compare plans by */
};

/* Fills plan and the slots of all borders. False: out of memory. */
bool plan_build(struct nodes *n, int lanes, struct plan *p);
void plan_free(struct plan *p);
/* choose_order.c. The cheapest plan of several orders (order.h), with its nodes. False: out of memory. */
bool plan_best(const struct tree_graph *graph, int lanes, struct nodes *n, struct plan *p);

/* shapes.c. Place of vertex v, eliminated at node a or in its border, in the front of a. */
int nodes_place(const struct nodes *n, const struct node *a, int v);
/* Place, in the parent's front, of what a child has in the border that takes slot `slot`; -1: it has none. */
int plan_place(const struct nodes *n, const struct node *parent, const struct node *child, int slot);

/* Of what kind a vertex is: only those of one kind are computed or stored side by side. */
uint64_t nodes_class(const struct nodes *n, const struct node *a);
/* So many of a kind are worth a group of many lanes. */
static inline int plan_enough(int lanes)
{
  return 3 * lanes / 8 > 2 ? 3 * lanes / 8 : 2;
}

static inline bool vertex_is_body(const struct nodes *n, int v)
{
  return v >= n->graph->joints;
}

static inline int joint_sides(const struct tree_graph *g, int joint)
{
  return g->sides ? g->sides[joint] : 2;
}

#endif
