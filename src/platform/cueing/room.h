/* SPDX-License-Identifier: MIT
 * Room for the travel of the washout: the travel gives way ahead of time, so that the platform does not come to an end of its
 * coordinates or legs. Pure.
 *
 *   travel, force  -> later --> head point then --+
 *   tilt, rotation -> later --> attitude then ----+-> nearest place with room -> acceleration -> low-pass -> yield
 *
 * The turn about the head moves the reference point and the legs. The tilt cannot wait, so the travel leaves the room for it.
 * The low-pass spreads the yield over time: what the head feels of it begins and ends softly. A second forecast, a shorter time
 * ahead and with a faster low-pass, is for drives so rough that the first one does not suffice. */
#ifndef CUEING_ROOM_H
#define CUEING_ROOM_H

#include "cueing/filter.h"
#include "hexapod/hexapod.h"
#include "hexapod/types.h"

struct washout;

/* A forecast. */
struct room_forecast {
  struct filter ahead[3], soften;
  double state[3][2]; /* yield of the low-pass, and its rate */
};

enum { ROOM_FORECASTS = 2 };
struct room {
  double yield[3]; /* m/s^2, along the axes of the base: the travel leaves out this part of its force */

  /* private */
  struct room_forecast forecast[ROOM_FORECASTS];
};

/* RT. Call it when the parameters of the washout have changed. The yield continues. */
void room_make(struct room *r, const struct washout *w);
/* RT. No yield. */
void room_reset(struct room *r);
/* RT. Call it after a step of the washout: computes the yield for the next one. limit: m, the limits of position. */
void room_step(struct room *r, const struct washout *w, const struct hexapod *h,
               const double limit[PLATFORM_DOF]);

#endif
