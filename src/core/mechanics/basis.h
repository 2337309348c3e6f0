/* SPDX-License-Identifier: MIT
 * Set-up. An orthonormal basis of rows, made row by row. Row i that was added is sum over j <= i of l[i][j] q[j]. Rows are dense
 * in memory, in blocks of six columns for each body; sums pass over the blocks that are not 0. */
#ifndef MECHANICS_BASIS_H
#define MECHANICS_BASIS_H

#include <stdbool.h>

enum { BASIS_BLOCK = 6 };

struct basis {
  int blocks, room, count;
  double *q;        /* (room, blocks, 6) */
  double *l;        /* (room, room), lower triangle */
  double *y;        /* (room) components of the row that was projected last */
  int *block;       /* (room, blocks) blocks of each row that are not 0 */
  int *block_count; /* (room) */
  bool *used;       /* (blocks) of the row that was projected last */
  double work;      /* operations so far */
};

/* False: out of memory. room: most rows. */
bool basis_new(struct basis *b, int blocks, int room);
void basis_free(struct basis *b);
/* Subtracts the projection on the basis from a row, whose norm is returned. */
double basis_project(struct basis *b, double *row);
/* Adds the row that was projected last; norm: what the projection returned, above 0. */
void basis_add(struct basis *b, const double *row, double norm);
/* Largest factor with which an added row takes part in the row that was projected last. */
double basis_largest_factor(struct basis *b);

#endif
