/* SPDX-License-Identifier: MIT
 * Set-up. Single columns of the projection on the left null space of J. Only the reflections that change a column are
 * applied; in a large mechanism they are few. */
#ifndef MECHANICS_RESIDUAL_H
#define MECHANICS_RESIDUAL_H

#include "mechanics/factor.h"

struct residual {
  const struct factor *f;
  size_t *first;     /* (rows + 1) reflections of each row, in `of` */
  size_t *of;        /* reflections, ascending per row */
  uint64_t *pending; /* reflections to apply, a bit each */
  double *y;         /* (rows) 0 except in touched rows */
  int *touched;      /* (count) rows */
  bool *is_touched;  /* (rows) */
  int count;
};

/* False: out of memory. f must outlive it. */
bool residual_new(struct residual *s, const struct factor *f);
void residual_free(struct residual *s);
/* s->y := the column of a row, which is 0 except in s->touched. */
void residual_of(struct residual *s, int row);

#endif
