/* SPDX-License-Identifier: MIT
 * Set-up only: how the lanes of a tile find items in other tiles. */
#ifndef MATH_LANES_H
#define MATH_LANES_H

#include "math/num.h"

/* Fills *o and returns it; NULL if the items lie in more than two sources, or in none. An item in a tile has the stride `lanes`,
 * and the tile begins at a multiple of it. A number for all lanes has the stride 1. */
const struct lane_shuffle *lane_shuffle_find(const struct lane_at *from, int lanes, struct lane_shuffle *o);

#endif
