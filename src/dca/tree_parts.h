/* SPDX-License-Identifier: MIT
 * Set-up only: what tree.c and tree_places.c share while a tree is built. */
#ifndef DCA_TREE_PARTS_H
#define DCA_TREE_PARTS_H

#include "dca/bundles.h"
#include "dca/sum_lists.h"
#include "dca/tiles.h"

struct build {
  const struct tree_graph *g; /* as it was given */
  struct bundles bundles;     /* whose joints the nodes eliminate */
  struct nodes n;
  struct plan p;
  struct tree *t;
  int branches, pulls, couples, members, places, bodies, tos, mixes, owns;
  struct lists lists;
  int *origin;  /* (pulls) group in whose vector the first lane finds it */
  bool *unused; /* (slots) lanes that have no body */
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

/* The joints that couple a node to a part of its border. */
static inline struct bundle bundle_of_edge(const struct build *b, const struct node *a, const struct edge *e)
{
  return bundle_of(b, a->kind == TREE_JOINT ? a->vertex : e->vertex);
}

/* Where the lanes of a group find their own bodies or rows, and the rows by which they couple to their border. */
void tree_lay_bodies(struct build *b, int group);
/* Where the lanes of a group find what their children add. The children's numbers have their places. */
void tree_lay_children(struct build *b, int group);
/* Where all groups find the solution of their borders: parents before children. */
void tree_lay_pulls(struct build *b);

#endif
