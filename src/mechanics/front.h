/* SPDX-License-Identifier: MIT
 * Set-up. One front of the factorisation (factor.h): rows collected, reduced, handed on. */
#ifndef MECHANICS_FRONT_H
#define MECHANICS_FRONT_H

#include "mechanics/factor.h"

/* Rows on their way to the front of the body they begin with. */
struct block {
  struct block *next;
  int bodies, rows;
  int *body; /* (bodies) in the order of elimination */
  int *row;  /* (rows) their numbers */
  double *a; /* (rows, 6 bodies) */
};

/* All blocks that wait. */
struct waiting {
  struct block **first; /* (bodies) by the body they begin with */
  int *column;          /* (bodies) of the front at work: where the columns of a body begin */
};

/* NULL: out of memory. One piece of memory, for free(). */
struct block *block_new(int bodies, int rows);
/* Eliminates a body: fills f->pivots[body], and hands the other rows on. False: out of memory. */
bool front_eliminate(struct factor *f, struct waiting *w, int body, double limit);

#endif
