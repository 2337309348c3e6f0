/* SPDX-License-Identifier: MIT
 * The condensed system by the plain recursion of paper 1, one body at a time: what the kernels of src/dca compute, to be read beside
 * the paper. */
#ifndef DCA_PLAIN_H
#define DCA_PLAIN_H

#include "dca/graphs.h"

/* z (rows): the solution of S z = beta. No body is carried. */
void plain_solve(const struct graph *g, double *z);

#endif
