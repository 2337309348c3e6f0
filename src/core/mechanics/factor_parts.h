/* SPDX-License-Identifier: MIT
 * Set-up. One front of the factorisation (factor.h): collects rows, reduces them, and passes the others on. */
#ifndef MECHANICS_FACTOR_PARTS_H
#define MECHANICS_FACTOR_PARTS_H

#include "mechanics/factor.h"

/* Rows that wait for the front of the body they begin with. */
struct block {
  struct block *next;
  int bodies, rows;
  int *body; /* (bodies) in the order of elimination */
  int *row;  /* (rows) their numbers */
  double *a; /* (rows, 6 bodies) */
};

/* All waiting blocks. */
struct waiting {
  struct block **first; /* (bodies) lists by the body that the rows begin with */
  int *column;          /* (bodies) first column of a body in the current front; -1: none */
};

/* NULL: out of memory. The block is one piece of memory for free(). */
struct block *block_new(int bodies, int rows);
/* Eliminates a body: fills f->pivots[body], and passes the other rows on. False: out of memory. */
bool front_eliminate(struct factor *f, struct waiting *w, int body, double limit);

#endif
