/* SPDX-License-Identifier: MIT
 * The system that accelerations and both projections of paper 5 have in common, (9) (48) (64):
 *
 *   (M + Phi_q' alpha Phi_q) x = Q - Phi_q' (lambda + alpha gamma)
 *
 * M and Phi_q belong to a configuration: factor() is called once for it, solve() once for each right-hand side.
 * There are three ways to solve it; dense is the oracle of the other two. */
#ifndef LAB_INDEX1_H
#define LAB_INDEX1_H

#include "coordinates/absolute.h"
#include "integrators/state.h"

struct index1_matrices {
  const double *q, *J;     /* the configuration, and the blocks of its rows (absolute.h) */
  const double *M, *Phi_q; /* dense; NULL where the solver does not want them */
  double alpha;
};

struct index1_solver {
  bool dense; /* it wants M and Phi_q */
  void *(*make)(const struct problem *p);
  void (*release)(void *own);
  bool (*factor)(void *own, const struct index1_matrices *a); /* false: singular */
  /* x: (n); lambda, gamma: (m) */
  void (*solve)(void *own, const double *Q, const double *lambda, const double *gamma, double *x);
};

extern const struct index1_solver index1_dense;       /* the whole matrix, dense */
extern const struct index1_solver index1_handles;     /* handles.c: the recursion as paper 5 prints it */
extern const struct index1_solver index1_multipliers; /* multipliers.c: the recursion in the multipliers */

/* Why the solver cannot do this mechanism; NULL if it can. */
const char *handles_unsuitable(const struct problem *p);

#endif
