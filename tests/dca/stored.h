/* SPDX-License-Identifier: MIT
 * The numbers of a graph in the storage of its tree, tile by tile, and what the tree makes of them in the
 * order of the graph. What belongs to nobody is NaN at first. */
#ifndef DCA_STORED_H
#define DCA_STORED_H

#include "dca/graphs.h"

/* A way to compute a tree. */
struct variant {
  enum isa isa;
  int lanes;
};
enum { VARIANTS = 2 * ISA_COUNT };
/* All that this machine has: each instruction set with all its lanes and with one. Returns how many. */
int variants(struct variant o[VARIANTS]);
const char *variant_name(struct variant v);

struct stored {
  const struct graph *graph;
  struct variant variant;
  struct tree *tree;
  struct tree_solver solver;
  struct tree_work work;
  struct tree_matrix matrix;
  double *J, *delta, *c, *beta, *x;
  void *block;
};

void stored_new(struct stored *s, const struct graph *g, struct variant v);
void stored_fill(struct stored *s); /* once more, after the numbers of the graph have changed */
void stored_free(struct stored *s);
/* The group that failed, or -1. */
int stored_condense(struct stored *s);
/* z: (rows), e: (bodies) of hubs; others stay as they are. pull: NULL without carried bodies. */
void stored_sweep(struct stored *s, const double *rows, double (*pull)[TREE_Y], double *z,
                  double (*e)[TREE_Y]);
/* Of all lanes of all groups. Groups of one lane: wide counts them as if they took all lanes. */
double tree_utilisation(const struct tree *t, bool wide);

#endif
