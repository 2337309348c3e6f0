/* SPDX-License-Identifier: MIT
 * The state machine of the platform: the next state, from the request and the present state. RT.
 *
 *   UNKNOWN
 *      | to neutral, run: the rig stands in its park pose
 *      v     engage              at neutral        run
 *   PARKED ---------> ENGAGE ---------> NEUTRAL ---------> RUN <-----------> FREEZE
 *      ^                                                            pause, run
 *      +---- PARK <---------------- STOP <---- to park, fault: from every state that moves
 *              ^                      |
 *              +------- FAULT <-------+        neutral first, then park
 *
 *   JOG begins at rest, and the daemon gives its request in PARKED and NEUTRAL only. Every other request leads on as from FREEZE
 *   of a platform that is not engaged: at rest to neutral or park.
 *
 * Invariants: 1. The platform comes to rest before it starts another move, except between RUN and FREEZE. 2. The platform enters
 * RUN only if it has been at neutral since it left the park pose. 3. Under a constant request the state settles. 4. Only a
 * request up or a jog leaves UNKNOWN, and no request leads back to it. */
#ifndef PLATFORM_PLATFORM_PARTS_H
#define PLATFORM_PLATFORM_PARTS_H

#include "platform/platform.h"

/* State of this cycle. rest: the platform is at rest. */
enum platform_state states_next(enum platform_state state, enum platform_request request, bool engaged,
                                bool rest);
/* State after a move has arrived. */
enum platform_state states_arrived(enum platform_state state);
/* True in the states of a move from one pose to another. */
static inline bool states_moves(enum platform_state state)
{
  return state == PLATFORM_ENGAGE || state == PLATFORM_FAULT || state == PLATFORM_PARK;
}

#endif
