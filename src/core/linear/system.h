/* SPDX-License-Identifier: MIT
 * Set-up. The linear equations of motion about a state: with q = T xi and velocities P y = u,
 *
 *   M u' + C u + K xi = T'B,   J y = 0 and J y' = gamma included
 *
 * If the mechanism moves, velocities depend on the position (y = T u + N xi), and so do accelerations (y' = T u' + N_q xi + N_v
 * u). */
#ifndef LINEAR_SYSTEM_H
#define LINEAR_SYSTEM_H

#include "linear/point.h"

struct system {
  const struct point *p;
  size_t n;
  double *M, *K, *C;        /* (n, n) */
  double *drift;            /* (n, n) xi' = u - drift xi; NULL if nothing moves */
  double *N, *N_q, *N_v;    /* (bodies, 6, n); NULL if nothing moves */
  struct link_slopes *link; /* (links) */
  struct body_slopes *body; /* (bodies) */
  double error;             /* of K, relative to its largest number */
};

/* False: out of memory. */
bool system_new(struct system *s, const struct point *p);
void system_free(struct system *s);

/* o (bodies, 6) += the change of F by a change of poses q, of velocities v and of accelerations a, (bodies, 6) each. */
void system_apply(const struct system *s, const double *q, const double *v, const double *a, double *o);

#endif
