/* SPDX-License-Identifier: MIT
 * Small linear filters x' = A x + B u for inputs that are held over a period: exact, whatever the period.
 * Loop code, pure.
 *
 * Kept is what the matrix exponential differs from the identity by, so that a short period costs no
 * digits. */
#ifndef PLATFORM_FILTER_H
#define PLATFORM_FILTER_H

enum { FILTER_STATES = 4 };

/* In continuous time: so it is written down. */
struct filter_law {
  int states;
  double A[FILTER_STATES][FILTER_STATES], B[FILTER_STATES];
};

/* In cycles: x += E x + F u. */
struct filter {
  int states;
  double E[FILTER_STATES][FILTER_STATES], F[FILTER_STATES];
};

/* RT. Work is bounded, and the same for the same law and period. */
void filter_make(struct filter *f, const struct filter_law *law, double period);

/* RT. x at the end of the period over which u is held. */
void filter_step(const struct filter *f, double *x, double u);

#endif
