/* SPDX-License-Identifier: MIT
 * Interface between the files of the envelope: envelope.c, envelope_stop.c, envelope_target.c, envelope_detour.c. RT. */
#ifndef ENVELOPE_ENVELOPE_PARTS_H
#define ENVELOPE_ENVELOPE_PARTS_H

#include "envelope/envelope.h"

/* Results of the check of a stop. */
enum stop {
  STOP_POSSIBLE,
  STOP_COORDINATE, /* a coordinate exceeds its limits */
  STOP_LEGS,       /* a leg exceeds its limits, or the stop takes too long */
};

/* Largest number of states that all checks of stops in one cycle may visit. */
struct stop_budget {
  int states, solutions; /* states of the coordinates; solutions of the legs */
};
struct stop_budget stop_budget(void);

/* Checks whether m and all states of the stop from m are within the limits. known: clearance of joints and margin nearby; failed:
 * a bit for each coordinate that exceeds its limits. */
enum stop envelope_stop(const struct hexapod *h, const struct envelope_laws *laws,
                        const struct hexapod_known *known, const struct platform_motion *m,
                        struct stop_budget *budget, unsigned *failed);

/* Advances m by one cycle of braking, and returns the jerk. */
void envelope_braking(const struct envelope_laws *laws, struct platform_motion *m, double jerk[PLATFORM_DOF]);

/* Advances m by one cycle. */
void envelope_advance(const struct envelope_laws *laws, const double jerk[PLATFORM_DOF],
                      struct platform_motion *m);

/* Clamps the target to the limits of position and to the reach of the legs. Sets e->reachable and the flags. */
void envelope_aim(struct envelope *e, const struct platform_motion *target, struct platform_motion *aim);

/* The reach of the legs is not convex. If legs block the direct way, the detour is a straight line to neutral and another from
 * neutral to the target, with all coordinates in step. It ends when the target changes. Call this before the cycle. True if there
 * is a detour; it then advances to the next part of it. */
bool envelope_detour(struct envelope *e);
/* Jerk of this cycle on the detour; false: the platform must come to rest first. */
bool envelope_detour_jerk(const struct envelope *e, double jerk[PLATFORM_DOF]);
/* Call this after a cycle on the detour. possible: the wanted jerk was possible. */
void envelope_detour_went(struct envelope *e, bool possible);
/* Call this after a cycle directly towards the target. */
void envelope_direct_went(struct envelope *e, bool possible);

#endif
