/* SPDX-License-Identifier: MIT
 * Arnold's recursion for tree-structured multibody systems whose bodies may lack mass or inertia: paper 4.
 *
 * Body i has d absolute coordinates p_i and hangs on its predecessor pi (or on the ground, which is at rest) by a
 * joint with n_i coordinates q_i:
 *
 *   0 = K p_i'' + H p_pi'' + J q_i'' + k                                                          (9)
 *   M p_i'' + K' mu_i + (sum over successors j) H_j' mu_j = f,     J' mu_i = 0                     (11) (12)
 *
 * M is symmetric and positive semi-definite. All of it belongs to one state. The recursion finds the accelerations of
 * all bodies whose condensed mass matrix is regular, skips the others, and leaves the equations of motion in the
 * joint coordinates as B q'' = g. Where B has no row for a direction, the row of g is (28b), an equation for the
 * velocity of a direction without mass.
 *
 * Matrices are full, row by row. Numbers of the equations are those of the paper. */
#ifndef RECURSIVE_RECURSION_H
#define RECURSIVE_RECURSION_H

#include <stdbool.h>

enum { TREE_SIZE = 6, TREE_BLOCK = TREE_SIZE * TREE_SIZE };

struct tree_body {
  int predecessor;                                    /* -1: the ground; else a body before this one */
  int n;                                              /* joint coordinates, 1 .. d */
  int first;                                          /* of them among those of all bodies */
  double M[TREE_BLOCK], K[TREE_BLOCK], H[TREE_BLOCK]; /* (d, d) */
  double J[TREE_BLOCK];                               /* (d, n) */
  double k[TREE_SIZE], f[TREE_SIZE];                  /* (d) */
};

struct tree {
  int d, bodies, coordinates; /* coordinates: of all joints */
  struct tree_body *body;     /* (bodies), predecessors first */
};

struct recursion_body {
  double M[TREE_BLOCK], f[TREE_SIZE];       /* condensed, (17) */
  double K_inverse[TREE_BLOCK];             /* (d, d) */
  double A[TREE_BLOCK], A_plus[TREE_BLOCK]; /* J'MJ and its pseudo-inverse, (n, n) */
  double X[TREE_BLOCK], Lambda[TREE_SIZE];  /* eigenvectors in columns, and eigenvalues, largest first */
  int rank;                                 /* of A */
  double H[TREE_BLOCK], k[TREE_SIZE];       /* (20) */
  bool full;                                /* the condensed M is regular */
  double acceleration[TREE_SIZE];           /* p'', (24); not where the body is skipped */
};

/* Assumption (23): a body with a deficient M hangs on the ground or on a body with a regular M. The first body that
 * breaks it; -1: none does. */
int recursion_refused(const struct tree *t);
/* (17) to (24); o: (bodies). False: a K is singular. */
bool recursion_run(const struct tree *t, struct recursion_body *o);
/* (25), (28) after recursion_run(): B (coordinates, coordinates) and g (coordinates). */
void recursion_equations(const struct tree *t, const struct recursion_body *o, double *B, double *g);

#endif
