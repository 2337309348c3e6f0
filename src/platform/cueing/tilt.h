/* SPDX-License-Identifier: MIT
 * Tilt coordination: an angle follows another angle within limits of rate, acceleration and jerk, so slowly and softly that
 * nobody notices. Loop code, pure.
 *
 * The jerk is constant over a cycle, so neither the rate nor the acceleration jumps. A wanted motion within the limits is
 * followed unchanged. Otherwise the angle approaches the wanted one, at most at the largest rate, and brakes in time not to
 * overshoot. It does not exceed the largest angle, and returns to a largest angle that has become smaller. */
#ifndef CUEING_TILT_H
#define CUEING_TILT_H

#include <stdbool.h>

struct tilt {
  double p, v, a; /* rad, per s, per s^2, at the end of the cycle */
  /* In the last step: p differs from the wanted angle; the wanted angle was beyond the largest one. */
  bool rate_limited, angle_limited;
};

struct tilt_limits {
  double rate, acc, jerk; /* rad/s, rad/s^2, rad/s^3 */
  double most;            /* rad */
};

/* RT. wanted: the angle and its derivatives at the end of the cycle. */
void tilt_step(struct tilt *t, const struct tilt_limits *limits, const double wanted[3], double period);

#endif
