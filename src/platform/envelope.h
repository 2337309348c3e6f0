/* SPDX-License-Identifier: MIT
 * Keeps a motion within everything that limits it: a target goes in, and out comes a pose that follows it as closely as
 * position, rate, acceleration and jerk of each coordinate, and length, rate, joints and singularity of the legs allow.
 *
 * The invariant: from the state of every cycle the platform can be brought to rest by one fixed law of braking (axis_brake)
 * without leaving any limit on the way. The step to the next state is taken only if the same holds there, which is found by
 * going all the way to rest; else the law of braking is followed, for which it is known to hold. So nothing is ever exceeded,
 * whatever the target does, and a stop is always possible. */
#ifndef PLATFORM_ENVELOPE_H
#define PLATFORM_ENVELOPE_H

#include "platform/hexapod.h"
#include "platform/types.h"

struct envelope {
  struct platform_motion now;     /* where the platform is to be: constant jerk from one cycle to the next */
  double jerk[PLATFORM_DOF];      /* with which it got there */
  struct hexapod_state legs;      /* there */
  double reachable[PLATFORM_DOF]; /* the target, walked back to where the legs can be */
  bool limited, unreachable, rate_limited; /* of the last step: see enum platform_flag */

  /* private */
  const struct hexapod *hexapod;
  struct platform_limits limits; /* that hold */
  struct platform_limits wanted; /* that will, as soon as a stop is possible within them */
  bool pending;
  double period;
};

/* Set-up. At rest at `pose`, which has to be reachable: says why if it is not. hexapod must live as long. */
bool envelope_init(struct envelope *e, const struct hexapod *hexapod, const struct platform_limits *limits,
                   double period, const double pose[PLATFORM_DOF], char *error, size_t size);

/* RT. These hold from now on, or as soon as the motion is within them; meanwhile each limit in use is the larger one for what
 * must not be exceeded, and the smaller one for what is aimed at. */
void envelope_limits(struct envelope *e, const struct platform_limits *limits);

/* RT. One cycle towards the target (its value at the end of the cycle). */
void envelope_step(struct envelope *e, const struct platform_motion *target);
/* RT. One cycle of braking. */
void envelope_brake(struct envelope *e);
/* RT. */
bool envelope_at_rest(const struct envelope *e);
/* RT. A pose within limits of position, legs and joints, with a little to spare. */
bool envelope_reaches(const struct envelope *e, const double pose[PLATFORM_DOF]);

#endif
