/* SPDX-License-Identifier: MIT
 * The condensed system by the plain recursion of paper 1, one body at a time. It shows beside the paper the result
 * that the kernels of src/dca compute. */
#ifndef DCA_PLAIN_H
#define DCA_PLAIN_H

#include "dca/graphs.h"

/* Solves S z = beta. z: (rows). No body may be carried. */
void plain_solve(const struct graph *g, double *z);

#endif
