/* SPDX-License-Identifier: MIT
 * Follows a target as closely as the limits allow: position, rate, acceleration and jerk of each coordinate, and length, rate,
 * joints and singularity of the legs.
 *
 * Invariant: from the state of every cycle, one fixed law of braking (axis_brake) brings the platform to rest within all limits.
 * A step is taken only if its end state has this property, which envelope_stop() checks by simulating the stop. Otherwise the
 * step brakes, and the property holds because the remaining stop was checked before. So no target can make the platform exceed a
 * limit.
 *
 * The work is bounded for any period and limits: a stop takes at most ENVELOPE_STOP_CYCLES, and the envelope reduces acceleration
 * and velocity to values from which such a stop is possible. */
#ifndef ENVELOPE_ENVELOPE_H
#define ENVELOPE_ENVELOPE_H

#include "envelope/axis.h"
#include "hexapod/hexapod.h"
#include "hexapod/types.h"

enum { ENVELOPE_STOP_CYCLES = 512 };

/* Limits, and the laws of the coordinates that keep them. */
struct envelope_laws {
  struct platform_limits limits;
  struct axis axis[PLATFORM_DOF];
  double acceleration[PLATFORM_DOF], step[PLATFORM_DOF]; /* copies of the axes, for vector code */
};

/* A straight line from rest to rest, on which all coordinates move in step. A slow motion also stops on the line. */
struct envelope_line {
  double span[PLATFORM_DOF];
  struct axis axis;     /* law of the fraction that is done */
  struct axis_state at; /* the fraction that is done, with its rate and acceleration */
  double pace;          /* fraction of the limits that the motion uses */
  int only;             /* coordinates that move: see envelope_detour.c */
  bool over, arrived;   /* over: it must come to rest; arrived: it is at its end */
};

struct envelope {
  struct platform_motion now;              /* state of the platform; the jerk is constant over a cycle */
  double jerk[PLATFORM_DOF];               /* of the last cycle */
  struct hexapod_state legs;               /* at `now` */
  double reachable[PLATFORM_DOF];          /* the target, clamped to the reach of the legs */
  bool limited, unreachable, rate_limited; /* of the last step: see enum platform_flag */

  /* private */
  const struct hexapod *hexapod;
  struct envelope_laws hold; /* limits in effect, and the law of a stop */
  struct envelope_laws want; /* limits that take effect once a stop within them is possible */
  struct envelope_laws aim;  /* the smaller of both: for following */
  bool pending;
  double period;
  struct hexapod_known known, well_known; /* clearance near `now`; well_known: with the spare of targets */
  double drift[PLATFORM_DOF];             /* per s: estimated rate of clamped targets */
  enum envelope_way { ENVELOPE_DIRECT, ENVELOPE_INWARDS, ENVELOPE_OUTWARDS, ENVELOPE_STAY } way;
  struct envelope_line line;         /* of a detour */
  double blocked;                    /* s, time at rest with legs that block the direct way */
  double blocked_from[PLATFORM_DOF]; /* the target that the detour leads to */
};

/* Set-up. Starts at rest at `pose`. False, with the reason in error, if the pose is not reachable. `hexapod` must live as long as
 * the envelope. */
bool envelope_init(struct envelope *e, const struct hexapod *hexapod, const struct platform_limits *limits,
                   double period, const double pose[PLATFORM_DOF], char *error, size_t size);

/* RT. Sets new limits. They take effect once the motion and a stop from it are within them. Until then the old limits hold, and
 * the target stays within both. */
void envelope_limits(struct envelope *e, const struct platform_limits *limits);

/* RT. One cycle towards the target (its value at the end of the cycle). A coordinate that is NaN or infinite is ignored. */
void envelope_step(struct envelope *e, const struct platform_motion *target);
/* RT. Like envelope_step(), without a detour around poses that the legs cannot reach. */
void envelope_step_directly(struct envelope *e, const struct platform_motion *target);
/* RT. One cycle of braking. */
void envelope_brake(struct envelope *e);
/* RT. */
static inline bool envelope_at_rest(const struct envelope *e)
{
  for (int k = 0; k < PLATFORM_DOF; k++)
    if (e->now.v[k] != 0.0 || e->now.a[k] != 0.0) return false;
  return true;
}
/* RT. True if a pose is within the limits of position, legs and joints, with a small spare. */
bool envelope_reaches(const struct envelope *e, const double pose[PLATFORM_DOF]);

#endif
