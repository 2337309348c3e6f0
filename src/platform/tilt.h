/* SPDX-License-Identifier: MIT
 * Tilt coordination: an angle that follows another one unnoticed, within a rate and an acceleration. Loop
 * code, pure.
 *
 * Where the wanted motion keeps within both it is passed on as it is. Else the angle is on its way to it, at
 * most at the rate, and brakes in time not to pass it. It never passes the largest angle. */
#ifndef PLATFORM_TILT_H
#define PLATFORM_TILT_H

#include <stdbool.h>

struct tilt {
  double p, v, a; /* rad, per s, per s^2, at the end of the cycle */
  bool rate_limited,
      angle_limited; /* in the last step: not where it is wanted; wanted beyond the largest angle */
};

struct tilt_limits {
  double rate, acc; /* rad/s, rad/s^2 */
  double most;      /* rad */
};

/* RT. wanted: the angle and its derivatives at the end of the cycle. */
void tilt_step(struct tilt *t, const struct tilt_limits *limits, const double wanted[3], double period);

#endif
