/* SPDX-License-Identifier: MIT
 * Set-up. The rank in a position nearby, to tell singular positions from permanent redundancy. */
#ifndef MECHANICS_NEARBY_H
#define MECHANICS_NEARBY_H

#include "mechanics/factor.h"

/* Moves all bodies a little way along the constraints, from a state in which `f` is the factorisation of
 * the rows used (drives not among them). The way is the same in each run. False: out of memory. */
bool nearby_move(struct geometry *g, const struct factor *f, const struct rows_used *used,
                 const int *part_of_body, int parts);

#endif
