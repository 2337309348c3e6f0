/* SPDX-License-Identifier: MIT
 * Set-up. Single columns of the projection on the left null space of J, by those reflections alone that meet
 * them: in a large mechanism few do. */
#ifndef MECHANICS_RESIDUAL_H
#define MECHANICS_RESIDUAL_H

#include "mechanics/factor.h"

struct residual {
  const struct factor *f;
  size_t *first;     /* (rows + 1) reflections of each row, in `of` */
  size_t *of;        /* ascending per row */
  uint64_t *pending; /* reflections to apply, a bit each */
  double *y;         /* (rows) only the touched rows differ from 0 */
  int *touched;      /* (count) rows */
  bool *is_touched;  /* (rows) */
  int count;
};

/* False: out of memory. f must outlive it. */
bool residual_new(struct residual *s, const struct factor *f);
void residual_free(struct residual *s);
/* Into s->y: the column of a row, nonzero in no rows but s->touched. */
void residual_of(struct residual *s, int row);

#endif
