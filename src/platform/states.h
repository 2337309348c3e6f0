/* SPDX-License-Identifier: MIT
 * The life of the platform between parked and running: what it does next, by what is asked of it and where it
 * is. RT.
 *
 *   UNKNOWN
 *      | to neutral, run: the rig stands in its park pose
 *      v     engage              at neutral        run
 *   PARKED ---------> ENGAGE ---------> NEUTRAL ---------> RUN <-----------> FREEZE
 *      ^                                                            pause, run
 *      +---- PARK <---------------- STOP <---- to park, fault: from wherever it moves
 *              ^                      |
 *              +------- FAULT <-------+        neutral first, then park
 *
 * Invariants: 1. what moves is brought to rest before it goes anywhere else, but for RUN <-> FREEZE. 2. RUN
 * is entered only by who has been at neutral since the platform left the park pose. 3. under one order the
 * state settles. 4. UNKNOWN is left by an order up only, and never entered again. */
#ifndef PLATFORM_STATES_H
#define PLATFORM_STATES_H

#include "platform/platform.h"

/* What state follows in this cycle. rest: it does not move. */
enum platform_state states_next(enum platform_state state, enum platform_order order, bool engaged,
                                bool rest);
/* Where a move that has arrived leads. */
enum platform_state states_arrived(enum platform_state state);
/* It is on a move from one pose to another. */
static inline bool states_moves(enum platform_state state)
{
  return state == PLATFORM_ENGAGE || state == PLATFORM_FAULT || state == PLATFORM_PARK;
}

#endif
