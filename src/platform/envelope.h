/* SPDX-License-Identifier: MIT
 * Keeps a motion within everything that limits it: a target goes in, and out comes a pose that follows it as
 * closely as position, rate, acceleration and jerk of each coordinate, and length, rate, joints and
 * singularity of the legs allow.
 *
 * The invariant: from the state of every cycle the platform can be brought to rest by one fixed law of
 * braking (axis_brake) without leaving any limit on the way. The step to the next state is taken only if the
 * same holds there, which is found by going all the way to rest; else the law of braking is followed, for
 * which it is known to hold. So nothing is ever exceeded, whatever the target does, and a stop is always
 * possible.
 *
 * Work is bounded for any period and limits: a stop may take ENVELOPE_STOP_CYCLES, and acceleration and
 * velocity are kept to what can be stopped from in so many. */
#ifndef PLATFORM_ENVELOPE_H
#define PLATFORM_ENVELOPE_H

#include "platform/axis.h"
#include "platform/hexapod.h"
#include "platform/types.h"

enum { ENVELOPE_STOP_CYCLES = 512 };

/* Limits, and the laws of the coordinates within them. */
struct envelope_laws {
  struct platform_limits limits;
  struct axis axis[PLATFORM_DOF];
  double acceleration[PLATFORM_DOF], step[PLATFORM_DOF]; /* of the axes, side by side */
};

/* A straight way from rest to rest, that all coordinates go in step: so does a stop from it, if it is
 * slow. */
struct envelope_line {
  double span[PLATFORM_DOF];
  struct axis axis;     /* of the part that is gone */
  struct axis_state at; /* likewise */
  double pace;          /* of the limits */
  int only;             /* coordinates that go: see envelope_detour.c */
  bool over, arrived;   /* over: to come to rest; arrived: where it was to lead */
};

struct envelope {
  struct platform_motion now;     /* where the platform is to be: constant jerk from one cycle to the next */
  double jerk[PLATFORM_DOF];      /* with which it got there */
  struct hexapod_state legs;      /* there */
  double reachable[PLATFORM_DOF]; /* the target, cut off at where the legs can be */
  bool limited, unreachable, rate_limited; /* of the last step: see enum platform_flag */

  /* private */
  const struct hexapod *hexapod;
  struct envelope_laws hold; /* what is never exceeded, and how a stop goes */
  struct envelope_laws want; /* that will hold, as soon as a stop is possible within them */
  struct envelope_laws aim;  /* the smaller ones of both: for following */
  bool pending;
  double period;
  struct hexapod_known known,
      well_known;             /* near where it is; the second with what targets stay off the ends by */
  double drift[PLATFORM_DOF]; /* per s, of targets that were cut off: what is known of their rate */
  enum envelope_way { ENVELOPE_DIRECT, ENVELOPE_INWARDS, ENVELOPE_OUTWARDS, ENVELOPE_STAY } way;
  struct envelope_line line;         /* of a detour */
  double blocked;                    /* s, at rest: legs are in the way of the target */
  double blocked_from[PLATFORM_DOF]; /* the target that the detour leads to */
};

/* Set-up. At rest at `pose`, which has to be reachable: says why if it is not. hexapod must live as long. */
bool envelope_init(struct envelope *e, const struct hexapod *hexapod, const struct platform_limits *limits,
                   double period, const double pose[PLATFORM_DOF], char *error, size_t size);

/* RT. These hold as soon as the motion, and a stop from it, is within them. Until then those before do, and
 * what is aimed at keeps within both. */
void envelope_limits(struct envelope *e, const struct platform_limits *limits);

/* RT. One cycle towards the target (its value at the end of the cycle). What of it is not a number changes
 * nothing. */
void envelope_step(struct envelope *e, const struct platform_motion *target);
/* RT. One cycle of braking. */
void envelope_brake(struct envelope *e);
/* RT. */
static inline bool envelope_at_rest(const struct envelope *e)
{
  for (int k = 0; k < PLATFORM_DOF; k++)
    if (e->now.v[k] != 0.0 || e->now.a[k] != 0.0) return false;
  return true;
}
/* RT. A pose within limits of position, legs and joints, with a little to spare. */
bool envelope_reaches(const struct envelope *e, const double pose[PLATFORM_DOF]);

#endif
