/* SPDX-License-Identifier: MIT
 * Radau IIA of order 5 for implicit systems F(t, y, y') = 0 of index 1 at most, with the error estimate and the step
 * control of Hairer and Wanner's RADAU5. The Newton matrix of all three stages is dense: for small systems. */
#ifndef RECURSIVE_RADAU_H
#define RECURSIVE_RADAU_H

#include <stdbool.h>

enum { RADAU_MOST = 8 }; /* unknowns */

struct radau {
  int n;
  void *user;
  void (*residual)(void *user, double t, const double *y, const double *yd, double *F);
  double rtol, atol;
  double first; /* s, the first step */
  long most;    /* steps at most */
};

struct radau_result {
  long steps, rejected, factored, residuals;
  double t;
};

/* From t to `end`; y: (n). False where the step becomes too small or the steps too many; o->t says where. */
bool radau_run(const struct radau *r, double t, double end, double *y, struct radau_result *o);

#endif
