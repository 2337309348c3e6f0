/* SPDX-License-Identifier: MIT
 * Set-up. Moves to a position nearby, whose rank separates singular positions from permanent redundancy. */
#ifndef MECHANICS_NEARBY_H
#define MECHANICS_NEARBY_H

#include "mechanics/factor.h"

/* Moves all bodies a small step along the constraints. f: factorisation of the used rows, without drives, at the start. The
 * step is equal in every run. False: out of memory. */
bool nearby_move(struct geometry *g, const struct factor *f, const struct rows_used *used,
                 const int *part_of_body, int parts);

#endif
