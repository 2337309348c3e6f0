/* SPDX-License-Identifier: MIT
 * The numbers on the assembly tree: condensation factorises S once per step, and sweeps solve S z = beta many times.
 * Loop code: no function here allocates after tree_work_place(). */
#ifndef CONDENSATION_CONDENSE_H
#define CONDENSATION_CONDENSE_H

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
  const double *delta; /* stored in tiles as bodies are, the numbers of dynamics/leaf.h first for each body */
  int numbers;         /* numbers for each body in delta */
  const double *c;     /* compliance per row, > 0 */
};

/* The kernels of one instruction set, for lone groups (lone_lanes.c) or for groups of all lanes. */
struct tree_kernels {
  /* These functions work on groups first .. end-1, which all have the width of the kernels. `down` runs from the last
   * group to the first. condense returns the first group with a pivot that is not positive, or -1. */
  int (*condense)(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int first,
                  int end);
  /* Assembles the front of a joint or hub before its elimination. */
  void (*assemble)(const struct tree *t, const struct tree_work *w, const struct tree_matrix *m, int group);
  /* beta: (rows); with carried bodies (unknowns), and their right-hand sides follow the rows. x: (unknowns) z, then
   * the increments of the hubs. */
  void (*up)(const struct tree *t, const struct tree_work *w, const double *beta, int first, int end);
  void (*down)(const struct tree *t, const struct tree_work *w, double *x, int first, int end);
};
/* lanes: 1 for lone groups, or the number of lanes of the instruction set */
const struct tree_kernels *tree_kernels(enum isa isa, int lanes);

struct tree_solver { /* a tree and the kernels that compute its groups */
  const struct tree *tree;
  const struct tree_kernels *kernels[2]; /* for groups of one lane, and of all lanes */
};
struct tree_solver tree_solver(const struct tree *t, enum isa isa);

/* These functions compute groups first .. end-1, which may depend on each other. condense returns the first group that
 * failed, or -1. A failed group may make later groups fail, too. */
int tree_condense_groups(const struct tree_solver *s, const struct tree_work *w, const struct tree_matrix *m,
                         int first, int end);
void tree_up_groups(const struct tree_solver *s, const struct tree_work *w, const double *beta, int first,
                    int end);
void tree_down_groups(const struct tree_solver *s, const struct tree_work *w, double *x, int first, int end);

/* Returns the body or joint whose pivot is not positive, after group `group` failed. *is_body: it is a body. */
int tree_failed(const struct tree *t, const struct tree_work *w, int group, bool *is_body);

/* Computes the direction in which nothing holds a carried body, for a body whose pivot is not positive. o has length
 * 1, or is 0 if the body is not carried or its pivot is positive. Not RT. */
void tree_weak_direction(const struct tree_solver *s, const struct tree_work *w, const struct tree_matrix *m,
                         int body, double o[TREE_Y]);

#endif
