/* SPDX-License-Identifier: MIT
 * Forward kinematics of the platform: the pose at which legs or cranks have given lengths or angles, by Newton's method. RT. */
#ifndef RIG_FORWARD_H
#define RIG_FORWARD_H

#include "hexapod/hexapod.h"

/* Moves the pose p towards the pose at which the legs have these lengths or angles, by at most `steps` steps of Newton. Returns
 * true if every leg of the result is within 1e-6 m or rad of the given one. False: the legs do not close there, or p is too far
 * away, and p is then the last finite pose. */
bool forward_pose(const struct hexapod *h, const double leg[PLATFORM_LEGS], int steps,
                  double p[PLATFORM_DOF]);

/* Rates of the coordinates at which the legs or cranks change at these rates, at pose p. False near a singular pose, or if a rod
 * does not reach. */
bool forward_rates(const struct hexapod *h, const double p[PLATFORM_DOF],
                   const double leg_rate[PLATFORM_LEGS], double v[PLATFORM_DOF]);

/* One step of Newton, whatever the distance: for a pose that follows legs from cycle to cycle without steps of its own. False
 * as above; p is unchanged then. */
bool forward_step(const struct hexapod *h, const double leg[PLATFORM_LEGS], double p[PLATFORM_DOF]);

#endif
