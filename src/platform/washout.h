/* SPDX-License-Identifier: MIT
 * Classical washout (Reid and Nahon): from what a driver's head would feel to the pose of a platform of small travel.
 *
 *   specific force - gravity -> gain, limit -> high-pass, order 2 or 3 --------------------------> travel of the head
 *                                           -> low-pass -> asin(f/g) -> rate, acceleration -> tilt +
 *   angular velocity         -> gain, limit -> high-pass, order 2 ------------------> rotation ----+-> attitude
 *
 * Filters are discretised exactly for inputs held over the period. */
#ifndef PLATFORM_WASHOUT_H
#define PLATFORM_WASHOUT_H

#include "platform/types.h"

struct washout; /* the definition is the author's, in this file */

#endif
