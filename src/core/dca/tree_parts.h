/* SPDX-License-Identifier: MIT
 * Set-up only: data that tree.c and tree_offsets.c share while they build a tree. */
#ifndef DCA_TREE_PARTS_H
#define DCA_TREE_PARTS_H

#include "dca/bundles.h"
#include "dca/sum_lists.h"
#include "dca/tiles.h"

struct build {
  const struct tree_graph *g; /* the caller's graph */
  struct bundles bundles;     /* the nodes eliminate their joints */
  struct nodes n;
  struct plan p;
  struct tree *t;
  int contributions, gathers, couples, members, offsets, bodies, tos, shuffles, shifts, owns;
  struct lists lists;
  int *found_in; /* (gathers) group in whose vector the first lane finds the block */
  bool *unused;  /* (slots) lanes without a body */
  int *live;     /* (groups) groups whose updates are still needed, while offsets are given */
  int lives;
  /* band and run of each group; run of the group that solves each unknown, -1: none */
  int *band_of_run, *run_of_group, *run_of_unknown;
};

/* The node whose layout all lanes of a group share. */
static inline const struct node *template_of(const struct build *b, int group)
{
  return &b->n.node[b->p.group[group].node[0]];
}

/* The joints of a bundle. */
struct bundle {
  const int *joint;
  int count;
};
static inline struct bundle bundle_of(const struct build *b, int vertex)
{
  const int *first = b->bundles.first + vertex;
  return (struct bundle){b->bundles.member + first[0], first[1] - first[0]};
}

/* The joints that couple a node to one block of its boundary. */
static inline struct bundle bundle_of_edge(const struct build *b, const struct node *a, const struct edge *e)
{
  return bundle_of(b, a->kind == TREE_JOINT ? a->vertex : e->vertex);
}

/* Sets the offsets where the lanes of a group find their bodies or rows, and the rows that couple them to their boundary. */
void tree_lay_bodies(struct build *b, int group);
/* Sets the offsets where the lanes of a group find the numbers of their children. The children's numbers have offsets. */
void tree_lay_children(struct build *b, int group);
/* Sets the offsets where all groups find the solution on their boundaries, parents before children. */
void tree_lay_gathers(struct build *b);

#endif
