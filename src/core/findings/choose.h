/* SPDX-License-Identifier: MIT
 * The number of iterations for `solver.iterations: auto`. Set-up only: it allocates, makes steps, and takes up to a second. */
#ifndef FINDINGS_CHOOSE_H
#define FINDINGS_CHOOSE_H

#include <ali3/options.h>
#include <ali3/types.h>
#include <stddef.h>

struct iterations_choice {
  int iterations;
  int steps;        /* steps that were tried; 0: none */
  double step;      /* m, largest error of the step itself: difference to twice the substeps */
  double iterating; /* m, largest difference to many iterations */
};

/* Tries the first steps of a model, which need not be frozen, with the options except iterations. The inputs keep their initial
 * values. The choice depends on the number of operations, not on the speed of the machine. */
void choose_iterations(const ali3_model *m, const ali3_options *options, struct iterations_choice *o);
/* The choice and its reason as one line. */
void choose_iterations_text(const struct iterations_choice *o, double dt, char *text, size_t size);

#endif
