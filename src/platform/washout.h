/* SPDX-License-Identifier: MIT
 * Classical washout (Reid and Nahon): from what a driver's head would feel to the pose of a platform of small
 * travel. Pure.
 *
 *   specific force - gravity -> gain, limit -> high-pass, order 2 or 3 -----------------> travel of the head
 *                                           -> low-pass -> asin(f/g) -> rate, acceleration -> tilt +
 *   angular velocity         -> gain, limit -> high-pass, order 2 ---------> rotation ----+-> attitude
 *
 * Filters are discretised exactly for inputs held over the period. The platform turns about the head point,
 * so that what turns it does not push the head about. */
#ifndef PLATFORM_WASHOUT_H
#define PLATFORM_WASHOUT_H

#include "platform/filter.h"
#include "platform/tilt.h"
#include "platform/types.h"

struct washout {
  double gravity;    /* m/s^2, where the platform stands: what a tilt makes use of; 9.81 */
  double rest;       /* m/s^2, of the imu at rest: that of its model; 9.81 unless set after washout_init() */
  bool tilt_limited; /* of the last step: the tilt is at its rate, its acceleration or its angle */
  bool bad_input;    /* of the last step: not a number came in, the last good ones were used */
  bool reset;        /* of the last step: a filter held what is not a number; all are at rest again */
  bool blending;     /* a change of parameters is under way */

  /* private */
  double period, head[3];
  double draw, bleed;                   /* parts of the excess, and of a velocity, per cycle */
  struct platform_params from, to, now; /* SI: params_si() */
  double blended;                       /* part of the way from `from` to `to` */
  struct filter travel_filter[3], tilt_filter, turn_filter;
  double travel[3][3];      /* along the axes of the base: position, velocity, mean force (m/s^2) */
  double slow[2][2];        /* low-pass, along the platform: force (m/s^2), its rate */
  double turn[3][2];        /* roll, pitch, yaw: angle, what the high-pass takes from the rate (rad/s) */
  double turn_rate[3];      /* rad/s, that came in last */
  struct tilt tilt[2];      /* roll, pitch */
  double force[3], spin[3]; /* input, the last good one */
  double attitude[3];       /* that was asked for last */
};

/* Set-up. At rest at neutral. head: m, the head point in the platform frame. */
void washout_init(struct washout *w, const struct platform_params *params, double period,
                  const double head[3]);

/* RT. All filters at rest; parameters stay, or go on with their blend. */
void washout_reset(struct washout *w);

/* RT. From the next step on parameters move from what they are to these, in a straight line, within
 * params->blend. */
void washout_tune(struct washout *w, const struct platform_params *params);

/* RT. One cycle: specific force (m/s^2) and angular velocity (rad/s) of the imu, held until its end, for
 * which the target is: position, velocity and acceleration with these inputs. excess: what can be reached
 * less what was asked for in the last step, 0 where nothing was limited; keeps the filters from winding
 * up. */
void washout_step(struct washout *w, const double force[3], const double spin[3],
                  const double excess[PLATFORM_DOF], struct platform_motion *target);

#endif
