/* SPDX-License-Identifier: MIT
 * Set-up only: the assembly tree before its nodes are grouped, one node for each eliminated vertex. */
#ifndef DCA_NODES_H
#define DCA_NODES_H

#include "base/isa.h"
#include "dca/order.h"

#include <stdint.h>

struct node { /* numbered by elimination: children before parents */
  enum tree_kind kind;
  int vertex;                       /* the first one that is eliminated here; nodes.after has the others */
  int pivot, front;                 /* unknowns eliminated here; unknowns of pivot and boundary */
  int parent;                       /* -1: root */
  int level;                        /* 0: no children */
  int boundary_first, boundary_end; /* in nodes.boundary */
  int child_first, child_end;       /* in nodes.child */
  int size;                         /* number of nodes in its subtree */
  int widest;                       /* unknowns of the largest front in its subtree */
  double flops, subtree_flops;      /* cost of condensation: of the node, of its subtree */
};

struct edge { /* a vertex of a node's boundary */
  int vertex, size;
  int at;       /* first row in the node's front */
  int couple;   /* side of the joint whose Jacobian block enters the front here; -1: it enters elsewhere */
  int position; /* index of the corresponding block in the boundary of the node's template (shapes.c) */
};

struct nodes {
  const struct tree_graph *graph;
  int count;
  struct node *node;
  struct edge *boundary;
  int *child; /* ascending */
  /* (vertices) the next vertex of the same node (supernodes.c), whose unknowns follow in its pivot; -1: none */
  int *after;
};

bool nodes_build(const struct tree_graph *graph, struct order_rule rule,
                 struct nodes *n); /* false: out of memory */
void nodes_free(struct nodes *n);
/* Allocates a tree with at most this number of nodes, all of one vertex. False: out of memory. */
bool nodes_allocate(struct nodes *n, int nodes, size_t boundaries, size_t children);
/* Completes node a, whose vertices, boundary and children are there: sorts the children, and sets level, size and flops. */
void nodes_close(const struct nodes *n, struct node *a);
/* Sorts the boundary of node i, which is a template of its own, by the ranks of its vertices. */
void nodes_sort_boundary(struct nodes *n, int i, const int *rank);
/* conditioning.c. Sets *ill_conditioned if solves with this tree lose digits through a hub or a carried body. False: out
 * of memory. */
bool nodes_judge_conditioning(const struct nodes *n, bool *ill_conditioned);

/* Nodes that are computed side by side. */
struct group_plan {
  int width, used;
  bool packed;  /* part of packed subtrees */
  bool as_lone; /* the node of one of several equal mechanisms is lone */
  /* (width) -1: lane unused. The first node is the template. The others have 0 where they lack a part of it. */
  int node[ISA_LANES_MAX];
};

struct plan {
  int lanes;
  int groups;
  struct group_plan *group; /* in the order of the schedule, children before parents */
  int *group_of, *lane_of;  /* (nodes) */
  int runs, packs, bands;   /* see struct tree */
  struct tree_run *run;
  struct tree_band *band;
  double cost; /* cost of a step, including the work on bodies and links; only for comparing plans */
};

/* Fills the plan and the positions of all boundaries, with one band for the packs and one for all levels above them. False: out
 * of memory. */
bool plan_build(struct nodes *n, int lanes, struct plan *p);
void plan_free(struct plan *p);
/* bands.c. Groups the nodes above the packs level by level. False: out of memory. */
bool plan_levels(struct nodes *n, struct plan *p);
/* Groups them again, in bands of separate subtrees wherever several threads are faster with them and one thread is not
 * slower. False: out of memory. */
bool plan_bands(struct nodes *n, struct plan *p);
/* supernodes.c. Fills o with the tree in which lone nodes absorb a child where that saves an update; o stays empty if there
 * is none. *absorbed: number of these children. False: out of memory. */
bool nodes_amalgamate(const struct nodes *n, const struct plan *p, struct nodes *o, int *absorbed);
/* choose_order.c. Fills the cheapest plan of several orders (order.h), and its nodes. False: out of memory. */
bool plan_best(const struct tree_graph *graph, int lanes, struct nodes *n, struct plan *p);

/* repeated.c. Fills the plan and the nodes of equal mechanisms like graph->one, one in each lane. all: the bundles of the graph.
 * False: out of memory. */
struct bundles;
bool plan_copies(const struct bundles *all, const struct tree_graph *graph, int lanes, struct nodes *n,
                 struct plan *p);
/* Sorts the boundaries of lone groups as their parents add them. False: out of memory. */
bool plan_sort_boundaries(struct nodes *n, const struct plan *p);

/* shapes.c. Returns the first row of vertex v in the front of node a. a eliminates v or has it in its boundary. */
int nodes_front_row(const struct nodes *n, const struct node *a, int v);
/* Returns the first row, in the parent's front, of the block at `position` of the child's boundary; -1: the child has none. */
int plan_front_row(const struct nodes *n, const struct node *parent, const struct node *child, int position);

/* Returns the kind of a node's vertex. Only vertices of one kind are computed or stored side by side. */
uint64_t nodes_class(const struct nodes *n, const struct node *a);
/* Returns the number of vertices of one kind from which a group of many lanes is faster than single lanes. */
static inline int plan_enough(int lanes)
{
  return 3 * lanes / 8 > 2 ? 3 * lanes / 8 : 2;
}

/* Returns true if nodes with a front of this size may be computed side by side. Larger ones leave the first cache if each
 * lane has one, and are faster alone, where they may also become supernodes. */
static inline bool plan_front_fits(int front, int lanes)
{
  return front * front * lanes <= 12800;
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
