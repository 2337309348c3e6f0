/* SPDX-License-Identifier: MIT
 * Set-up only: how the lanes of a tile find what lies elsewhere. */
#ifndef MATH_LANES_H
#define MATH_LANES_H

#include "math/num.h"

/* Fills *o, and returns it; NULL: they lie in more places than two, or in none. A stride of `lanes` is that
 * of a tile, which begins at a multiple of it, 1 that of numbers for all lanes. */
const struct lane_mix *lane_mix_find(const struct lane_at *from, int lanes, struct lane_mix *o);

#endif
