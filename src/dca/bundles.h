/* SPDX-License-Identifier: MIT
 * Set-up only: joints that are eliminated together. A drive, a spring, a stop and the friction of a joint are joints of their
 * own between its two bodies. Each of them alone would have a front nearly as large as that of the joint. So joints between
 * the same two bodies, up to TREE_Y rows, make a bundle: one vertex of the elimination, one pivot. */
#ifndef DCA_BUNDLES_H
#define DCA_BUNDLES_H

#include "dca/tree.h"

struct bundles {
  struct tree_graph g; /* with bundles for joints; of equal kind if their members are, one by one */
  int *first;          /* (bundles + 1) in member */
  int *member;         /* (joints) ascending in each bundle */
  bool *swapped;       /* (joints) its sides 0 and 1 are those of its bundle the other way round */
  /* what g points into */
  int (*ends)[TREE_SIDES];
  int *first_row, *sides;
  unsigned *kind;
  uint64_t *parts;
  bool *soft, *unit_columns;
};

bool bundles_build(const struct tree_graph *g, struct bundles *o); /* false: out of memory */
void bundles_free(struct bundles *o);

#endif
