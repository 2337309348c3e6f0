/* SPDX-License-Identifier: MIT
 * Between the files of the envelope: envelope.c, envelope_stop.c, envelope_target.c, envelope_detour.c. RT
 * code. */
#ifndef PLATFORM_ENVELOPE_PARTS_H
#define PLATFORM_ENVELOPE_PARTS_H

#include "platform/envelope.h"

/* How a stop goes. */
enum stop {
  STOP_POSSIBLE,
  STOP_COORDINATE /* beyond its own limits */,
  STOP_LEGS /* beyond theirs, or too long */
};

/* What all stops looked at in one cycle may take together, in states. */
struct stop_budget {
  int states, solutions; /* of the coordinates, of the legs */
};
struct stop_budget stop_budget(void);

/* Whether m and all states of the stop from there are within the limits. known: of joints and margin nearby;
 * failed: the coordinates that are beyond, a bit each. */
enum stop envelope_stop(const struct hexapod *h, const struct envelope_laws *laws,
                        const struct hexapod_known *known, const struct platform_motion *m,
                        struct stop_budget *budget, unsigned *failed);

/* One cycle on by the law of braking; jerk: with which. */
void envelope_braking(const struct envelope_laws *laws, struct platform_motion *m, double jerk[PLATFORM_DOF]);

/* One cycle on. */
void envelope_advance(const struct envelope_laws *laws, const double jerk[PLATFORM_DOF],
                      struct platform_motion *m);

/* The target within the box, and cut off at where the legs reach; sets e->reachable and the flags. */
void envelope_aim(struct envelope *e, const struct platform_motion *target, struct platform_motion *aim);

/* What legs can reach is not convex: if they are in the way, the way is straight to neutral and straight from
 * there to the target, all coordinates in step; until the target is another one. Before the cycle: whether
 * there is a detour, and what is next on it. */
bool envelope_detour(struct envelope *e);
/* The jerk of the cycle on it; false: it has to come to rest first. */
bool envelope_detour_jerk(const struct envelope *e, double jerk[PLATFORM_DOF]);
/* After the cycle: whether the jerk that was wanted was possible. */
void envelope_detour_went(struct envelope *e, bool possible);
/* Likewise of a cycle straight towards the target. */
void envelope_direct_went(struct envelope *e, bool possible);

#endif
