/* SPDX-License-Identifier: MIT
 * The numbers of a graph in the storage of its tree, tile by tile, and the tree's results in the order of the graph.
 * Numbers in unused places start as NaN. */
#ifndef DCA_STORED_H
#define DCA_STORED_H

#include "dca/graphs.h"

/* An instruction set and a number of lanes. */
struct variant {
  enum isa isa;
  int lanes;
};
enum { VARIANTS = 2 * ISA_COUNT };
/* Fills all variants of this machine: each instruction set with all its lanes and with one. Returns their number. */
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
void stored_fill(struct stored *s); /* fills the storage again after the graph's numbers have changed */
void stored_free(struct stored *s);
/* Returns the group that failed, or -1. */
int stored_condense(struct stored *s);
/* z: (rows). e: (bodies) of hubs; other bodies keep their numbers. pull: NULL without carried bodies. */
void stored_sweep(struct stored *s, const double *rows, double (*pull)[TREE_Y], double *z,
                  double (*e)[TREE_Y]);
/* Used lanes in percent of all lanes of all groups. wide: groups of one lane count as if they took all lanes. */
double tree_utilisation(const struct tree *t, bool wide);

#endif
