/* SPDX-License-Identifier: MIT
 * A symmetric matrix over the rows of all joints of a mechanism in absolute coordinates, and of soft force elements if they take
 * part,
 *
 *   S = c I + sum over bodies of J_b W_b J_b'
 *
 * factorised by recursion: joints are eliminated level by level (links/elimination.h). J_b are the
 * columns of J that belong to body b, and W_b is its mobility. All parts are positive: with any c above 0 the factors
 * exist, and loops and redundant rows need nothing special. The order belongs to the mechanism and is found once. */
#ifndef LAB_FRONTS_H
#define LAB_FRONTS_H

#include "coordinates/problem.h"

enum { FRONTS_WIDTH = 7 }; /* columns of a body at most */

struct mobility {
  const void *user;
  void (*apply)(const void *user, int body, double *x); /* x := W_b x, (width) */
};

/* Rows of J body by body: the columns of a body in a row, (width); NULL: 0. */
struct front_rows {
  const void *user;
  const double *(*columns)(const void *user, int row, int body);
};

struct fronts;
/* width: columns of J for each body. soft: with the rows of soft force elements, after those of joints. NULL: out of memory. */
struct fronts *fronts_new(const struct problem *p, int width, bool soft);
void fronts_free(struct fronts *o);
/* False: a pivot is not positive. */
bool fronts_factor(struct fronts *o, const struct front_rows *J, double c, const struct mobility *mobility);
struct elimination_cost;
/* Levels of the elimination, and its operations (links/elimination.h). False: out of memory. */
bool fronts_count(const struct fronts *o, int *levels, struct elimination_cost *cost);
/* x := S^-1 x, (rows) */
void fronts_solve(const struct fronts *o, double *x);

#endif
