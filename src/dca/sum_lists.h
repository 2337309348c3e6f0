/* SPDX-License-Identifier: MIT
 * Set-up only: what the kernels read of each group whose children are aligned, as lists of plain numbers. */
#ifndef DCA_SUM_LISTS_H
#define DCA_SUM_LISTS_H

#include "dca/order.h"
#include "dca/tree.h"

struct lists {
  struct list list;       /* becomes tree.list */
  int *source[2], *count; /* (elements of the largest front) of a place, see lists.c */
  struct list more;
};

bool lists_open(struct lists *s, size_t largest); /* unknowns of the largest front; false: out of memory */
void lists_close(struct lists *s);

/* What `even` of a leaf is, by its couples. */
int lists_even_leaf(const struct tree *t, const struct tree_group *o);
/* Fills even, up, down and sum of a group that is laid out but for them. False: out of memory. */
bool lists_lay(struct lists *s, const struct tree *t, struct tree_group *o);

#endif
