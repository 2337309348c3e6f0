/* SPDX-License-Identifier: MIT
 * Small linear filters x' = A x + B u, exact for inputs that are constant over a period, for any period. Loop code, pure.
 *
 * A filter stores the matrix exponential less the identity, so that a short period loses no digits. */
#ifndef CUEING_FILTER_H
#define CUEING_FILTER_H

enum { FILTER_STATES = 4 };

/* The filter in continuous time. */
struct filter_law {
  int states;
  double A[FILTER_STATES][FILTER_STATES], B[FILTER_STATES];
};

/* The filter in cycles: x += E x + F u. */
struct filter {
  int states;
  double E[FILTER_STATES][FILTER_STATES], F[FILTER_STATES];
};

/* RT. The work is bounded, and depends only on the law and the period. */
void filter_make(struct filter *f, const struct filter_law *law, double period);

/* RT. Advances x to the end of a period with constant u. */
void filter_step(const struct filter *f, double *x, double u);

#endif
