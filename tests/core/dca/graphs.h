/* SPDX-License-Identifier: MIT
 * Graphs of bodies and joints with numbers, and the dense system that the tree condenses. */
#ifndef DCA_GRAPHS_H
#define DCA_GRAPHS_H

#include "common/random.h"
#include "condensation/condense.h"

enum { GROUND = -1 };

/* delta of one body in body coordinates, or delta^-1 of a carried body: block diagonal. */
struct tree_delta {
  double r, th[9], n;
};

struct graph {
  struct tree_graph g; /* ends and first point below */
  int (*ends)[TREE_SIDES];
  int *first;
  int *sides; /* (joints) the tree gets them if a joint has more than two sides */
  /* (joints) used if a joint has more than two sides: places before the shuffle, which scatters them */
  size_t *jacobian;
  bool *carried; /* (bodies) the tree gets them if a body is carried */
  /* joints with three rows or more have constant columns; the tree gets them */
  bool share_columns, *unit_columns;
  /* (joints) compliant rows, as springs have; the tree gets them after graph_tell_soft() */
  bool *soft;
  int room;
  double *J;                /* (rows, sides, 7) per joint */
  struct tree_delta *delta; /* (bodies) its inverse for carried bodies, which may be singular or 0 */
  double *c, *beta;         /* (rows) */
  double (*pull)[TREE_Y];   /* (bodies) right-hand side of carried bodies */
};

void graph_new(struct graph *g, int bodies);
void graph_join(struct graph *g, int a, int b, int rows);
void graph_join_many(struct graph *g, const int *bodies, int sides, int rows);
void graph_carry(struct graph *g, int body);
void graph_soften(struct graph *g, int joint);
void graph_tell_soft(struct graph *g); /* lets the tree use g->soft; call it after the last joint */
void graph_free(struct graph *g);
/* Builds several separate mechanisms side by side, with their numbers. */
void graph_beside(struct graph *g, const struct graph *part, int parts);
enum { BESIDE = 11 }; /* parts in most tests: more than the number of lanes, and not a multiple of it */

/* Topologies whose joints have `rows` rows. */
void graph_chain(struct graph *g, int bodies, int rows);    /* first body on the ground */
void graph_ring(struct graph *g, int bodies, int rows);     /* a closed chain without ground */
void graph_star(struct graph *g, int spokes, int rows);     /* body 0 and its spokes */
void graph_wheel(struct graph *g, int spokes, int rows);    /* a star whose spokes form a ring */
void graph_ladder(struct graph *g, int rungs, int rows);    /* two chains and the rungs between them */
void graph_grid(struct graph *g, int n, int m, int rows);   /* n x m, one corner on the ground */
void graph_complete(struct graph *g, int bodies, int rows); /* a joint between every two bodies */
void graph_forest(struct graph *g, struct random *random, int bodies);
void graph_random(struct graph *g, struct random *random, int bodies, int extra);
void graph_parallel(struct graph *g, int joints); /* two bodies, many joints between them */
/* Builds a random graph with `gears` joints of three or four bodies. Some of its bodies are carried. Six soft rows
 * hold each carried body to the ground or to an earlier body. */
void graph_carried(struct graph *g, struct random *random, int bodies, int gears);

/* Puts joints into another order and swaps the ends of some. */
void graph_shuffle(struct graph *g, struct random *random);
/* Fills random Jacobian and delta, and the right-hand side J w as in mechanics. compliance: absolute if > 0; otherwise
 * relative to the row's own entry of J delta J'. redundant: every second joint between two bodies, and every third row
 * of a joint, repeats an earlier row. */
void graph_numbers(struct graph *g, struct random *random, double compliance, double relative,
                   bool redundant);

int graph_rows(const struct graph *g);
/* S = diag(c) + J delta J', full, (rows x rows), as long double. */
void graph_dense(const struct graph *g, long double *S);
/* o = delta J' z for each body; J' z for a carried body. */
void graph_increments(const struct graph *g, const double *z, double (*o)[TREE_Y]);
/* Solves the whole system at the head of tree.h, with all increments e (bodies), by a dense LU decomposition. */
void graph_solve(const struct graph *g, double (*e)[TREE_Y], double *z);
/* Computes the residuals of e and z: o (rows), and force (bodies) for carried bodies. */
void graph_residual(const struct graph *g, double (*e)[TREE_Y], const double *z, double *o,
                    double (*force)[TREE_Y]);
/* Returns the Jacobian block of a row on one side of its joint. row counts all rows of the graph. */
double *graph_block(const struct graph *g, int joint, int row, int side);

#endif
