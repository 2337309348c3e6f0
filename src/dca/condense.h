/* SPDX-License-Identifier: MIT
 * The numbers on the assembly tree: condensation (factorise S once per step) and sweeps (solve S z = beta
 * many times). Loop code; nothing here allocates after tree_work_place(). */
#ifndef DCA_CONDENSE_H
#define DCA_CONDENSE_H

#include "base/arena.h"
#include "dca/tree.h"

/* delta of one body in body coordinates: block diagonal. Same layout for every body: r, then 3x3, then n. Of a carried
 * body delta^-1. */
struct tree_delta {
  double r, th[9], n;
};

struct tree_work {
  double *front;  /* (tree.front_size)  per node: pivot factor, its solution operator, the update  filled by
                     condense */
  double *vector; /* (tree.vector_size) per node right-hand sides                                   filled by
                     sweep */
};

void tree_work_place(const struct tree *t, struct tree_work *w, struct arena *a);

/* One node each; nodes of one level may run at the same time. condense returns false if the pivot is not
 * positive. J: as the graph says; delta: one per body, `stride` bytes apart; c: compliance per row, > 0. */
struct tree_matrix {
  const double *J;
  const void *delta;
  size_t stride;
  const double *c;
};
bool tree_condense_node(const struct tree *t, struct tree_work *w, const struct tree_matrix *m, int node);
/* beta: (tree.rows), or with carried bodies (tree.unknowns): their right-hand sides behind. x (tree.unknowns): z, and
 * the increments of the hubs behind. */
void tree_up_node(const struct tree *t, struct tree_work *w, const double *beta, int index);
void tree_down_node(const struct tree *t, struct tree_work *w, double *x, int index);

/* Of a carried body whose pivot is not positive, node index: the direction in which nothing holds it, of length 1 (or its
 * rotation is). Not RT. */
void tree_weak_direction(const struct tree *t, struct tree_work *w, const struct tree_matrix *m, int index,
                         double o[TREE_Y]);

/* The whole tree in one thread. condense returns the node that failed, or -1. */
int tree_condense(const struct tree *t, struct tree_work *w, const struct tree_matrix *m);
void tree_sweep(const struct tree *t, struct tree_work *w, const double *beta, double *x);

#endif
