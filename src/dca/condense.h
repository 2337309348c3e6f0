/* SPDX-License-Identifier: MIT
 * The numbers on the assembly tree: condensation (factorise S once per step) and sweeps (solve S z = beta
 * many times). Loop code; nothing here allocates after tree_work_place(). */
#ifndef DCA_CONDENSE_H
#define DCA_CONDENSE_H

#include "base/arena.h"
#include "base/isa.h"
#include "dca/tree.h"

struct tree_work {
  double *front;  /* (tree.front_size)  pivot factors, solution operators, updates  filled by condense */
  double *vector; /* (tree.vector_size) right-hand sides and solutions              filled by sweep */
};

void tree_work_place(const struct tree *t, struct tree_work *w, struct arena *a);

struct tree_matrix {
  const double *J;
  const double *delta; /* stored as bodies are: of each the numbers of dynamics/leaf.h, more may follow */
  int numbers;         /* of a body in delta */
  const double *c;     /* compliance per row, > 0 */
};

/* The kernels of one instruction set: [0] with one lane, [1] with all. */
struct tree_kernels {
  /* Groups first .. end-1, all of the width that the kernels are built for; down from the last to the first.
   * condense returns the first with a pivot that is not positive, or -1. */
  int (*condense)(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int first,
                  int end);
  /* The front of a joint or hub before its elimination. */
  void (*assemble)(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int group);
  /* beta: (rows), or with carried bodies (unknowns): their right-hand sides behind. x (unknowns): z, and the
   * increments of the hubs behind. */
  void (*up)(const struct tree *t, const struct tree_work *w, const double *beta, int first, int end);
  void (*down)(const struct tree *t, const struct tree_work *w, double *x, int first, int end);
};
const struct tree_kernels *tree_kernels(enum isa isa, int lanes); /* lanes 1, or those of the set */

struct tree_solver { /* a tree and how its groups are computed */
  const struct tree *tree;
  const struct tree_kernels *kernels[2]; /* of groups with one lane, with all */
};
struct tree_solver tree_solver(const struct tree *t, enum isa isa);

/* Groups first .. end-1, which may depend on each other; condense returns the first that failed, or -1: those
 * behind it may fail of what it left them. */
int tree_condense_groups(const struct tree_solver *s, const struct tree_work *w, const struct tree_matrix *m,
                         int first, int end);
void tree_up_groups(const struct tree_solver *s, const struct tree_work *w, const double *beta, int first,
                    int end);
void tree_down_groups(const struct tree_solver *s, const struct tree_work *w, double *x, int first, int end);

/* The body or joint whose pivot is not positive, after group `group` failed; a body: *is_body. */
int tree_failed(const struct tree *t, const struct tree_work *w, int group, bool *is_body);

/* Of a carried body whose pivot is not positive: the direction in which nothing holds it, of length 1 (or its
 * rotation is). Not RT. */
void tree_weak_direction(const struct tree_solver *s, const struct tree_work *w, const struct tree_matrix *m,
                         int body, double o[TREE_Y]);

/* The whole tree in one thread. condense returns the group that failed, or -1. */
int tree_condense(const struct tree_solver *s, const struct tree_work *w, const struct tree_matrix *m);
void tree_sweep(const struct tree_solver *s, const struct tree_work *w, const double *beta, double *x);

#endif
