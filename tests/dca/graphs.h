/* SPDX-License-Identifier: MIT
 * Graphs of bodies and joints with numbers on them, and the dense system that the tree condenses. */
#ifndef DCA_GRAPHS_H
#define DCA_GRAPHS_H

#include "common/random.h"
#include "dca/condense.h"

enum { GROUND = -1 };

/* delta of one body in body coordinates: block diagonal. Of a carried body delta^-1. */
struct tree_delta {
  double r, th[9], n;
};

struct graph {
  struct tree_graph g; /* ends and first point below */
  int (*ends)[TREE_SIDES];
  int *first;
  int *sides;       /* (joints) told to the tree once a joint has more than two sides */
  size_t *jacobian; /* (joints) if some have more than two sides: as they came, a shuffle scatters them */
  bool *carried;    /* (bodies) told to the tree once a body is carried */
  bool share_columns,
      *unit_columns; /* numbers with constant columns where a joint has three rows or more; told to the tree */
  bool *soft;        /* (joints) rows that give way, as springs do; told to the tree if asked to */
  int room;
  double *J;                /* (rows, sides, 7) per joint */
  struct tree_delta *delta; /* (bodies) of carried ones its inverse, which may be singular or 0 */
  double *c, *beta;         /* (rows) */
  double (*pull)[TREE_Y];   /* (bodies) right-hand side of carried ones */
};

void graph_new(struct graph *g, int bodies);
void graph_join(struct graph *g, int a, int b, int rows);
void graph_join_many(struct graph *g, const int *bodies, int sides, int rows);
void graph_carry(struct graph *g, int body);
void graph_soften(struct graph *g, int joint);
void graph_tell_soft(struct graph *g); /* once all joints are there: the tree may use it */
void graph_free(struct graph *g);
/* Several mechanisms beside each other that have nothing in common, with the numbers they have. */
void graph_beside(struct graph *g, const struct graph *part, int parts);
enum { BESIDE = 11 }; /* parts that most tests take: more than there are lanes, and no multiple of them */

/* Topologies; joints of `rows` rows. */
void graph_chain(struct graph *g, int bodies, int rows);    /* first body on the ground */
void graph_ring(struct graph *g, int bodies, int rows);     /* a chain closed upon itself, no ground */
void graph_star(struct graph *g, int spokes, int rows);     /* body 0 and its spokes */
void graph_wheel(struct graph *g, int spokes, int rows);    /* a star whose spokes form a ring */
void graph_ladder(struct graph *g, int rungs, int rows);    /* two chains and the rungs between them */
void graph_grid(struct graph *g, int n, int m, int rows);   /* n x m, one corner on the ground */
void graph_complete(struct graph *g, int bodies, int rows); /* everyone with everyone */
void graph_forest(struct graph *g, struct random *random, int bodies);
void graph_random(struct graph *g, struct random *random, int bodies, int extra);
void graph_parallel(struct graph *g, int joints); /* two bodies, many joints between them */
/* A random graph with `gears` joints of three or four bodies; some of its bodies are carried, each held by
 * six soft rows to the ground or to a body before it. */
void graph_carried(struct graph *g, struct random *random, int bodies, int gears);

/* Joints in another order, some with their ends swapped. */
void graph_shuffle(struct graph *g, struct random *random);
/* Random Jacobian and delta, right-hand side J w as in mechanics. compliance: absolute if > 0, else relative
 * to the row's own entry of J delta J'. redundant: every second joint between the same bodies, and every
 * third row of a joint, repeats an earlier row. */
void graph_numbers(struct graph *g, struct random *random, double compliance, double relative,
                   bool redundant);

int graph_rows(const struct graph *g);
/* o = diag(c) + J delta J', full, (rows x rows), as long double. */
void graph_dense(const struct graph *g, long double *S);
/* o = delta J' z, per body; of carried bodies J' z. */
void graph_increments(const struct graph *g, const double *z, double (*o)[TREE_Y]);
/* The whole system at the head of tree.h, increments e (bodies) and all, by a dense LU decomposition. */
void graph_solve(const struct graph *g, double (*e)[TREE_Y], double *z);
/* What e and z leave of it: rows o (rows), carried bodies force (bodies). */
void graph_residual(const struct graph *g, double (*e)[TREE_Y], const double *z, double *o,
                    double (*force)[TREE_Y]);
/* Some block of the Jacobian: of a row of a joint, counted in all rows, on one side. */
double *graph_block(const struct graph *g, int joint, int row, int side);

#endif
