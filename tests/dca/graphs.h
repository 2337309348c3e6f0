/* SPDX-License-Identifier: MIT
 * Graphs of bodies and joints with numbers on them, and the dense system that the tree condenses. */
#ifndef DCA_GRAPHS_H
#define DCA_GRAPHS_H

#include "common/random.h"
#include "dca/condense.h"

enum { GROUND = -1 };

struct graph {
  struct tree_graph g; /* ends and first point below */
  int (*ends)[TREE_SIDES];
  int *first;
  int room;
  double *J;                /* (rows, 2, 7) */
  struct tree_delta *delta; /* (bodies) */
  double *c, *beta;         /* (rows) */
};

void graph_new(struct graph *g, int bodies);
void graph_join(struct graph *g, int a, int b, int rows);
void graph_free(struct graph *g);

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

/* Joints in another order, some with their ends swapped. */
void graph_shuffle(struct graph *g, struct random *random);
/* Random Jacobian and delta, right-hand side J w as in mechanics. compliance: absolute if > 0, else relative
 * to the row's own entry of J delta J'. redundant: every second joint between the same bodies, and every
 * third row of a joint, repeats an earlier row. */
void graph_numbers(struct graph *g, struct random *random, double compliance, double relative,
                   bool redundant);

struct tree_matrix graph_matrix(const struct graph *g);
int graph_rows(const struct graph *g);
/* o = diag(c) + J delta J', full, (rows x rows), as long double. */
void graph_dense(const struct graph *g, long double *S);
/* o = delta J' z, per body. */
void graph_increments(const struct graph *g, const double *z, double (*o)[TREE_Y]);

#endif
