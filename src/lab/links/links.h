/* SPDX-License-Identifier: MIT
 * The system that Hamiltonian DCA and Featherstone's DCA (paper 2) have in common. For every link i with spatial
 * inertia M_i and every joint between links a and b:
 *
 *   M_i X_i = B_i + sum (+-) D sigma,      D'(X_b - X_a) = a
 *
 * HDCA: X are velocities, B momenta, a = 0, sigma impulses. DCA: X are accelerations, B forces, sigma reactions.
 * A link that floats has no joint and no such rows. All twists and wrenches are those of coordinates/joint.h. There are
 * three ways to solve it; dense is the oracle of the other two. */
#ifndef LINKS_LINKS_H
#define LINKS_LINKS_H

#include "coordinates/joint.h"

struct link_solver {
  void *(*make)(const struct problem *p);
  void (*release)(void *own);
  bool (*factor)(void *own, const struct joint_pose *pose); /* false: singular; keeps the pose */
  /* B, X: (links, 6). a: 5 for each link in the order of link_held(), then the rows of cut joints. sigma:
   * multipliers of the cut joints (minimum norm if redundant). */
  void (*solve)(void *own, const double *B, const double *a, double *X, double *sigma);
};

extern const struct link_solver
    links_condensed;                            /* condensed.c: one matrix in the multipliers of all joints */
extern const struct link_solver links_assembly; /* assembly.c: the paper's recursion, by handles */
extern const struct link_solver links_dense;    /* dense.c: the mass matrix of all joint coordinates */

/* Why the assembly cannot do a mechanism; NULL: it can. */
const char *assembly_unsuitable(const struct problem *p);

/* pseudo_inverse.c: o = K^+ of a symmetric positive semidefinite K (n, n); eigenvalues below `cut` times the
 * largest count as 0. */
void pseudo_inverse(double *o, const double *K, int n, double cut);
enum { PSEUDO_ROWS = JOINT_CUT_ROWS + JOINT_HELD }; /* n at most */

/* The memory of one evaluation. */
struct link_work {
  const struct link_solver *solver;
  void *own;
  struct joint_pose pose;
  double *B, *a, *X, *sigma; /* as of link_solver.solve(); a has room for all rows of the problem */
  double *P, *F;             /* (links, 6) momenta and forces of what hangs on each joint */
};
/* NULL: out of memory. */
struct link_work *link_work_new(const struct problem *p, const struct link_solver *solver);
void link_work_free(void *work);
/* Solves the system in the pose for B and a: X and sigma, and along = H_k'(X_b - X_a) at the coordinate of each joint of the
 * tree; at those of links that float nothing. False: singular. */
bool link_work_solve(struct link_work *o, double *along);
/* o_k += o of all links that link k carries, (links, 6). */
void link_accumulate(const struct joint_tree *tree, double *o);

#endif
