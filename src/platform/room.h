/* SPDX-License-Identifier: MIT
 * Room for the travel of the washout: the travel gives way ahead of time, so that the platform does not come to an end of its
 * coordinates or legs. Pure.
 *
 *   travel, force  -> AHEAD later --> head point then --+
 *   tilt, rotation -> AHEAD later --> attitude then ----+-> nearest place with room -> acceleration -> low-pass -> yield
 *
 * The turn about the head moves the reference point and the legs. The tilt cannot wait, so the travel leaves the room for it. The
 * low-pass spreads the yield over time: what the head feels of it begins and ends softly. */
#ifndef PLATFORM_ROOM_H
#define PLATFORM_ROOM_H

#include "platform/filter.h"
#include "platform/hexapod.h"
#include "platform/types.h"

struct washout;

struct room {
  double yield[3]; /* m/s^2, along the axes of the base: the travel leaves out this part of its force */

  /* private */
  struct filter ahead[3], soften;
  double state[3][2]; /* of the low-pass */
};

/* RT. Call it when the parameters of the washout have changed. The yield continues. */
void room_make(struct room *r, const struct washout *w);
/* RT. No yield. */
void room_reset(struct room *r);
/* RT. Call it after a step of the washout: computes the yield for the next one. limit: m, the limits of position. */
void room_step(struct room *r, const struct washout *w, const struct hexapod *h,
               const double limit[PLATFORM_DOF]);

#endif
