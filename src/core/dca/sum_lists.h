/* SPDX-License-Identifier: MIT
 * Set-up only: lists of plain numbers that the kernels read for each group whose children are aligned. */
#ifndef DCA_SUM_LISTS_H
#define DCA_SUM_LISTS_H

#include "dca/order.h"
#include "dca/tree.h"

struct lists {
  struct list list; /* becomes tree.list */
  /* (elements of the largest front) first two sources of each element, and their number, see sum_lists.c */
  int *source[2], *count;
  struct list more;
};

bool lists_open(struct lists *s, size_t largest); /* unknowns of the largest front; false: out of memory */
void lists_close(struct lists *s);

/* Returns the field `even` of a leaf, from its couples. */
int lists_even_leaf(const struct tree *t, const struct tree_group *o);
/* Fills even, up, down and sum of a group; all its other fields are set. False: out of memory. */
bool lists_lay(struct lists *s, const struct tree *t, struct tree_group *o);

#endif
