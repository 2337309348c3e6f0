/* SPDX-License-Identifier: MIT
 * Classical washout (Reid and Nahon): from the specific force and angular velocity at a driver's head to the pose of a platform
 * of small travel. Pure.
 *
 *   specific force - gravity -> gain, limit - yield -> high-pass, order 2 or 3 ---------> travel of the head
 *                                           -> low-pass -> asin(f/g) -> rate, acc., jerk -> tilt +
 *   angular velocity         -> gain, limit -> high-pass, order 2 ---------> rotation ----+-> attitude
 *
 * The filters are discretised exactly for inputs that are constant over the period. The platform turns about the head point, so
 * that rotations do not move the head. */
#ifndef CUEING_WASHOUT_H
#define CUEING_WASHOUT_H

#include "cueing/filter.h"
#include "cueing/tilt.h"
#include "hexapod/types.h"

struct washout {
  double gravity;    /* m/s^2, at the place of the platform, which a tilt uses: 9.81 */
  double rest;       /* m/s^2, reading of the imu at rest; 9.81 unless set after washout_init() */
  bool tilt_limited; /* last step: the tilt is at a limit of rate, acceleration or angle */
  bool bad_input;    /* last step: the input was NaN or infinite, and the last good one was used */
  bool reset;        /* last step: a filter was NaN or infinite; all filters are at rest again */
  bool blending;     /* a change of parameters is being blended */
  bool retuned;      /* last step: parameters changed */
  double yield[3];   /* m/s^2, input of a step, along the axes of the base: see room.h */

  /* private */
  double period, head[3];
  double draw, bleed;                   /* fractions per cycle: of the excess, of a velocity */
  struct platform_params from, to, now; /* SI: params_si() */
  double blended;                       /* position between `from` (0) and `to` (1) */
  struct filter travel_filter[3], tilt_filter, turn_filter;
  double travel[3][3]; /* along the axes of the base: position, velocity, mean force (m/s^2) */
  double slow[2][2];   /* low-pass, along the platform: force (m/s^2), its rate */
  double turn[3][2];   /* roll, pitch, yaw: angle, the rate that the high-pass subtracts (rad/s) */
  double turn_rate[3]; /* rad/s, last input */
  struct tilt tilt[2]; /* roll, pitch */
  double scaled_force[3], scaled_rate[3]; /* last input after gain and limit, in platform axes */
  double travel_force[3];   /* m/s^2, last force for the travel, in base axes, before the yield */
  double tilt_aim[2];       /* rad, wanted angle of the tilt, within its limit */
  double turn_speed[3];     /* rad/s, of the rotation without the tilt */
  double force[3], spin[3]; /* last good input */
  double attitude[3];       /* last target */
};

/* Set-up. At rest at neutral. head: m, the head point in the platform frame. */
void washout_init(struct washout *w, const struct platform_params *params, double period,
                  const double head[3]);

/* RT. Brings all filters to rest. Parameters and their blend continue. */
void washout_reset(struct washout *w);

/* RT. From the next step on, parameters move linearly from their present values to these, within params->blend. */
void washout_tune(struct washout *w, const struct platform_params *params);

/* RT. The law of the travel along an axis, with the present parameters. */
void washout_travel_law(const struct washout *w, int axis, struct filter_law *law);
/* RT. The output of the filters, from their states and inputs: acceleration of the travel, m/s^2; rate of the rotation, rad/s. */
static inline double washout_travel_acceleration(const struct washout *w, int axis, const double x[3],
                                                 double force)
{
  const double wn = w->now.hp_wn[axis];
  return force - x[2] - 2.0 * w->now.hp_zeta[0] * wn * x[1] - wn * wn * x[0];
}
static inline double washout_turn_rate(const struct washout *w, const double x[2], double rate)
{
  return rate - 2.0 * w->now.rot_zeta[0] * w->now.rot_wn[0] * x[0] - x[1];
}

/* RT. One cycle with constant specific force (m/s^2) and angular velocity (rad/s) of the imu. Returns the target at its end:
 * position, velocity and acceleration. excess: reachable target minus target in the last step, 0 where nothing was limited; it
 * prevents wind-up of the filters. */
void washout_step(struct washout *w, const double force[3], const double spin[3],
                  const double excess[PLATFORM_DOF], struct platform_motion *target);

#endif
