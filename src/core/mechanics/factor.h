/* SPDX-License-Identifier: MIT
 * Set-up. Sparse rank-revealing factorisation Q'J P = R of the scaled rows, by elimination of bodies.
 *
 * The front of a body is all rows that begin with it in the order of elimination. Householder reflections
 * with a choice of the largest column turn its six columns into r <= 6 pivot rows. The other rows have zeros
 * there. They become a staircase in the columns of the bodies that follow, and go to the fronts of the bodies that they now
 * begin with.
 *
 *       own   following                 own   following
 *     [ x x x x x x x x ]             [ R R R R R R R R ]   r pivot rows, kept
 *     [ x x x x x x x x ]     ->      [ . . . x x x x x ]   staircase, each row to the body it begins with
 *     [ x x x x x x x x ]             [ . . . . . x x x ]
 *     [ x x x x . . . . ]             [ . . . . . . . . ]   depends on others
 *
 * The rank of J is the sum of all r. Rows keep their numbers, so that Q is a list of reflections of rows. */
#ifndef MECHANICS_FACTOR_H
#define MECHANICS_FACTOR_H

#include "mechanics/geometry.h"

/* The eliminated part of a body. R (rank, 6 bodies): its own columns first, in the order of `column`, then the columns of
 * the other bodies. */
struct pivots {
  int rank;
  int column[GEOMETRY_V]; /* columns of v in the order of elimination; free columns last */
  int row[GEOMETRY_V];    /* (rank) numbers of the pivot rows */
  int bodies;
  int *body; /* (bodies) */
  double *R;
  double smallest,
      dropped; /* smallest pivot that counts, largest one that does not; 1 and 0 if there is none */
};

/* I - beta v v' */
struct reflection {
  int count;
  size_t at; /* in reflected.row, reflected.v */
  double beta;
};

struct factor {
  int bodies, rows;
  int *order;            /* (bodies) in the order of elimination */
  int *position;         /* (bodies) place of a body in `order` */
  struct pivots *pivots; /* (bodies) */
  bool *is_pivot;        /* (rows) */
  struct {
    struct reflection *list;
    size_t count, room;
    int *row;
    double *v;
    size_t used, space;
  } reflected;
};

/* The rows that take part, and their places in a vector of all rows. */
struct rows_used {
  const bool *link; /* (rigid links) */
  const int *first; /* (rigid links) number of the first row of each */
  int rows;         /* length of such a vector */
};

/* limit: pivots below it count as 0; rows have the norm 1. False: out of memory. */
bool factor_new(struct factor *f, const struct geometry *g, const struct rows_used *used, double limit);
void factor_free(struct factor *f);

/* One reflection of y (rows). */
void factor_reflect(const struct factor *f, size_t reflection, double *y);
/* y := Q'y; y (rows). */
void factor_transform(const struct factor *f, double *y);
/* y := its projection on the left null space of J, which no motion can produce. */
void factor_residual(const struct factor *f, double *y);
/* Solves R x = y for the pivot columns of x (bodies, 6). y comes from factor_transform(), free columns of x are given. */
void factor_solve(const struct factor *f, const double *y, double *x);
/* Solves J'y = load for a load (bodies, 6) that no free column feels. y (rows) must be 0. The load is destroyed. */
void factor_solve_transposed(const struct factor *f, double *load, double *y);

#endif
