/* SPDX-License-Identifier: MIT
 * Set-up only: joints that are eliminated together. A drive, a spring, a stop and the friction of a joint are joints
 * of their own between the same two bodies. Each of them alone would have a front nearly as large as the joint's
 * front. So joints between the same two bodies, up to TREE_Y rows, make a bundle: one vertex of the elimination, one
 * pivot. */
#ifndef DCA_BUNDLES_H
#define DCA_BUNDLES_H

#include "dca/tree.h"

struct bundles {
  /* its joints are the bundles; two bundles have equal kind if their members do, one by one */
  struct tree_graph g;
  int *first;    /* (bundles + 1) in member */
  int *member;   /* (joints) ascending in each bundle */
  bool *swapped; /* (joints) its sides 0 and 1 are sides 1 and 0 of its bundle */
  /* storage for the arrays of g */
  int (*ends)[TREE_SIDES];
  int *first_row, *sides;
  unsigned *kind;
  uint64_t *signature;
  bool *soft, *unit_columns;
};

bool bundles_build(const struct tree_graph *g, struct bundles *o); /* false: out of memory */
void bundles_free(struct bundles *o);

#endif
