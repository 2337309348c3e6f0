/* SPDX-License-Identifier: MIT
 * Tilt coordination: an angle follows another angle within limits of rate and acceleration, so slowly that nobody notices. Loop
 * code, pure.
 *
 * A wanted motion within both limits passes unchanged. Otherwise the angle approaches the wanted one, at most at the largest
 * rate, and brakes in time not to overshoot. It never exceeds the largest angle. */
#ifndef PLATFORM_TILT_H
#define PLATFORM_TILT_H

#include <stdbool.h>

struct tilt {
  double p, v, a; /* rad, per s, per s^2, at the end of the cycle */
  /* In the last step: p differs from the wanted angle; the wanted angle was beyond the largest one. */
  bool rate_limited, angle_limited;
};

struct tilt_limits {
  double rate, acc; /* rad/s, rad/s^2 */
  double most;      /* rad */
};

/* RT. wanted: the angle and its derivatives at the end of the cycle. */
void tilt_step(struct tilt *t, const struct tilt_limits *limits, const double wanted[3], double period);

#endif
