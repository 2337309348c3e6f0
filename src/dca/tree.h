/* SPDX-License-Identifier: MIT
 * The assembly tree: in which order the bodies and joints of a mechanism are condensed, and where each piece
 * goes. Set-up only; constant afterwards. Knows a graph of bodies joined by rows, nothing of mechanics.
 *
 * The system behind it, with the bodies' increments e kept as unknowns beside the multipliers z,
 *
 *     | delta^-1   J' |  | e |   |   0   |
 *     |    J      -c  |  | z | = | -beta |          <=>     S z = beta,   S = c + J delta J'
 *
 * is quasi-definite: any order of elimination works, as long as a joint comes after at least one of its bodies. One
 * eliminated vertex (a body, or a joint with its rows) is one node; its border is what it is coupled to and comes later;
 * its children are the nodes whose borders it takes over. Three kinds:
 *
 *     leaf   a body before any of its joints: delta is known in closed form, it adds -J delta J' to its joints
 *     joint  pivot -(c + D): the merge of paper 1, of as many assemblies as meet there
 *     hub    a body after some of its joints: a 7x7 pivot, so that a star of a thousand bodies stays linear. Where the
 *            joints hold it fast, stiffnesses up to 1/c pass through that pivot and cost digits, as with a penalty
 *            method: only bodies with many rows are hubs, and the solves of a tree with hubs are refined.
 *
 * A carried body is one without mass, or with too little: delta does not exist. It is a hub that stays until all its
 * joints have gone, and then has what they hold it by as its pivot; its increment is an unknown that the solution
 * brings, and it may have a right-hand side of its own (paper 4 carries such bodies up its recursion in the same
 * way).
 *
 * Order: rounds. In each, all vertices whose elimination is cheap and that are no neighbours of each other; a
 * chain gives the balanced binary tree of paper 1, figure 8. Nodes are numbered in that order: children
 * before parents.
 *
 * Invariants: 1. child index < parent index; 2. borders are sorted by elimination order, so that the lower
 * triangle of a child falls into the lower triangle of its parent; 3. children are listed in ascending order:
 * every sum has one order. */
#ifndef DCA_TREE_H
#define DCA_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum {
  TREE_Y = 7,    /* unknowns of a body */
  TREE_SIDES = 4 /* bodies that a joint may join; most join two */
};

struct tree_graph {
  int bodies, joints;
  const int (*ends)[TREE_SIDES]; /* (joints) bodies, all different; < 0: the ground, or none */
  const int *first;              /* (joints + 1) first row of each joint; first[joints]: all rows */
  const bool *carried;           /* (bodies) held up by their joints alone, mass or not; NULL: none */
  const bool
      *soft; /* (joints) compliance of the size of what it joins: may go before its bodies, if those are
                                    hubs; NULL: none */
  const int *sides; /* (joints) blocks in a row of the Jacobian; NULL: 2 everywhere */
  const size_t
      *jacobian; /* (joints) offset of a joint's Jacobian, (rows, sides, 7); NULL: one after the other */
};

enum tree_kind { TREE_LEAF, TREE_JOINT, TREE_HUB };

struct tree_border { /* one vertex of a node's border */
  int size;          /* unknowns */
  int at;            /* offset in the vector of unknowns */
  int parent_at;     /* offset in the parent's front */
};

struct tree_couple { /* a Jacobian block first used at a node: rows of a joint on one body */
  size_t J;          /* offset of the first block in the Jacobian */
  int rows, stride;  /* from a row to the next */
  int at;            /* offset in the node's front of the rows (leaf, hub) or of the hub's columns (joint) */
};

struct tree_node {
  enum tree_kind kind;
  int index;                    /* joint or body */
  int pivot;                    /* unknowns eliminated here; 0 for a leaf, whose body is not carried */
  int border;                   /* unknowns of the border */
  int at;                       /* offset of the pivot in the vector of unknowns; rows first, then hubs */
  int parent;                   /* -1: root */
  int level;                    /* 0: no children */
  int border_first, border_end; /* in tree.border */
  int child_first, child_end;   /* in tree.child */
  int couple_first, couple_end; /* in tree.couple */
  size_t front;                 /* offset of the node's matrix; ld = pivot + border */
  size_t vector;                /* offset of the node's right-hand side, pivot + border */
  double flops;                 /* estimate of the condensation */
};

struct tree {
  int bodies, joints, rows;
  int nodes, levels, unknowns; /* unknowns: rows + 7 hubs */
  struct tree_node *node;      /* (nodes) */
  struct tree_border *border;
  int *child;
  struct tree_couple *couple;
  int *carried_at;     /* (bodies) offset of a carried body in the vector of unknowns; -1 all others */
  int carried;         /* how many */
  int *order;          /* (nodes) node numbers by level, ascending within a level */
  int *level_first;    /* (levels + 1) in order */
  double *level_flops; /* (levels) */
  size_t front_size, vector_size; /* doubles */
  double flops;
};

/* NULL when out of memory. */
struct tree *tree_build(const struct tree_graph *graph);
void tree_free(struct tree *t);

#endif
