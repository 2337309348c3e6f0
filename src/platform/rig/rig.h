/* SPDX-License-Identifier: MIT
 * The signs that come back from the rig, and their consequences: the following error, permissives, limits of what the
 * driver feels. Decides in every cycle whether the rig may move, and whether it must stop. Pure: no clock, no I/O.
 *
 *   follow.c    actual legs or pose minus the commanded ones
 *   rig.c       permissives, levels, the verdict of the cycle, figures of the ride
 *
 * Invariants: 1. While a sign with the reaction hold is missing, the rig does not move: rig_step() latches the hold in any
 * state of a rig that is not parked. 2. Only rig_release() ends a hold, and only with every permissive of the motion. */
#ifndef RIG_RIG_H
#define RIG_RIG_H

#include "platform/platform.h"
#include "rig/follow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RIG_PERMISSIVES_MAX = 16 };

/* Reactions of a rig that is not parked: the words of the configuration. */
#define RIG_REACTION_LIST(X)                                                                                 \
  X(RIG_PARK, "park")   /* it brakes, then parks */                                                          \
  X(RIG_HOLD, "hold")   /* it brakes and stays where it is */                                                \
  X(RIG_COUNT, "count") /* it goes on; only for the limits of what is felt */
enum rig_reaction {
#define RIG_ENUM(id, text) id,
  RIG_REACTION_LIST(RIG_ENUM)
#undef RIG_ENUM
};

/* Where the rig has to be for a reset. */
#define RIG_RESET_LIST(X)                                                                                    \
  X(RIG_RESET_AT_REST, "at_rest")                                                                            \
  X(RIG_RESET_PARKED, "parked")                                                                              \
  X(RIG_RESET_ANYWHERE, "anywhere")
enum rig_reset {
#define RIG_ENUM(id, text) id,
  RIG_RESET_LIST(RIG_ENUM)
#undef RIG_ENUM
};

/* Motions and commands that need a permissive. */
#define RIG_NEED_LIST(X)                                                                                     \
  X(RIG_FOR_MOTION, "motion") /* arm, run and every motion */                                                \
  X(RIG_FOR_RIDE, "ride")     /* the platform from neutral on; not the way up from the park pose and back */ \
  X(RIG_FOR_RESET, "reset")   /* the command reset only */
enum rig_need {
#define RIG_ENUM(id, text) id,
  RIG_NEED_LIST(RIG_ENUM)
#undef RIG_ENUM
};

/* A condition on one number that comes in. */
struct rig_permissive {
  char *name;
  int input, channel;  /* input of the signals, and its channel in the values of all inputs */
  int bit;             /* judged bit; -1: the number itself */
  double lower, upper; /* the bit or number must be within these */
  double alive;        /* s: the number must change within this time; 0: it may stay */
  enum rig_reaction on_loss;
  enum rig_need need;
};

struct rig_spec {
  int feedback, feedback_channel; /* input with the actual legs or pose, and its first channel; -1: none */
  struct follow_spec follow;
  enum rig_need judged;                         /* when the feedback counts: RIG_FOR_MOTION or RIG_FOR_RIDE */
  enum rig_reaction on_trip, on_estop, on_felt; /* on_trip: also if the feedback is missing */
  enum rig_reset reset;
  double force_max, rate_max; /* m/s^2, rad/s: limits at the head, see struct rig_output; 0: none */
  struct rig_permissive permissive[RIG_PERMISSIVES_MAX];
  int permissives;
};

/* Output of a cycle, in the form of signals. */
#define RIG_SIGNAL_LIST(X)                                                                                   \
  X(pose, 6)      /* m, rad: actual pose; NaN: not known */                                                  \
  X(legs, 6)      /* m or rad; NaN: not known */                                                             \
  X(leg_error, 6) /* actual minus commanded, filtered */                                                     \
  X(pose_error, 6)                                                                                           \
  X(felt_force, 1)  /* m/s^2: specific force at the head minus that of an upright rest, its magnitude */     \
  X(felt_rate, 1)   /* rad/s: magnitude of the angular velocity */                                           \
  X(felt_beyond, 1) /* times that a limit at the head was exceeded */                                        \
  X(permissives, 1) /* bit i: permissive i is met */                                                         \
  X(heartbeat, 1)   /* +1 in every cycle, 0 to 65535 */                                                      \
  X(flags, 1)       /* enum rig_flag */
struct rig_output {
#define RIG_FIELD(name, count) double name[count];
  RIG_SIGNAL_LIST(RIG_FIELD)
#undef RIG_FIELD
};
enum { RIG_SIGNALS = sizeof(struct rig_output) / sizeof(double) };

/* Bits of rig_output.flags: id, bit, word. They are part of the interfaces and never change. */
#define RIG_FLAG_LIST(X)                                                                                     \
  X(RIG_REPORTS, 0, "reports")         /* the feedback is fresh */                                           \
  X(RIG_WARNS, 1, "warns")             /* the following error is beyond a warning level */                   \
  X(RIG_TRIPS, 2, "trips")             /* it is beyond a trip level */                                       \
  X(RIG_PERMITS, 3, "permits")         /* every permissive of the motion is met, and the rig follows */      \
  X(RIG_MAY_RESET, 4, "may_reset")     /* a reset would be accepted */                                       \
  X(RIG_HELD, 5, "held")               /* held where it is, until park, arm or run */                        \
  X(RIG_FELT_BEYOND, 6, "felt_beyond") /* a limit at the head is exceeded */
enum rig_flag {
#define RIG_ENUM(id, bit, text) id = 1 << (bit),
  RIG_FLAG_LIST(RIG_ENUM)
#undef RIG_ENUM
};

enum rig_cause {
  RIG_FINE,
  RIG_UNMET,  /* a permissive; item: its index */
  RIG_BLIND,  /* the feedback is not fresh */
  RIG_ERRING, /* the following error; item as in follow_beyond(), value: the error */
  RIG_MOVES,  /* it is not where the reset asks for */
  RIG_ROUGH,  /* the limits at the head; item 0: the force, 1: the rate; value: its magnitude */
};
struct rig_verdict {
  enum rig_cause cause;
  enum rig_reaction reaction; /* the rig that is not parked reacts so */
  int item;
  double value;
};

/* The numbers of one cycle. */
struct rig_reading {
  const double *value; /* of all channels */
  uint32_t fresh;      /* bit i: the number of permissive i is fresh */
  bool reports;        /* the feedback is fresh */
  bool arrived;        /* it has come since the last cycle */
};

/* Figures of a ride: from the first motion out of the park pose to the return. */
struct rig_ride {
  uint64_t cycles, trips;
  double pose[PLATFORM_DOF], velocity[PLATFORM_DOF]; /* largest magnitudes, commanded: m and rad, per s */
  double leg_error, position_error, angle_error;     /* largest magnitudes of the filtered error */
  double felt_force, felt_rate;
  uint64_t felt_beyond;
};

struct rig {
  struct rig_output out;      /* as of the last step */
  struct rig_verdict verdict; /* result of the last step; cause RIG_FINE: nothing stops the rig */
  struct rig_ride ride;       /* of the present or last ride */
  bool held;                  /* until rig_release() */

  /* private */
  struct rig_spec spec;
  struct follow follow;
  struct follow_position park;
  double period;
  uint32_t met;
  double last[RIG_PERMISSIVES_MAX], still[RIG_PERMISSIVES_MAX]; /* number, and time since it changed, s */
  bool rough, reports;
  bool rides; /* the platform is at neutral, runs, or was frozen there */
};

/* Set-up. The platform was initialised: its park pose stands for its pose before the first arm. */
void rig_init(struct rig *r, const struct rig_spec *spec, const struct platform *platform);

/* RT. One cycle, after platform_step(). Fills r->out and r->verdict. */
void rig_step(struct rig *r, const struct platform *platform, const struct rig_reading *reading);

/* RT. The sign that the motion lacks; RIG_FINE: it may begin. to_park: only signs with the reaction hold count: the rig may
 * park without the others. */
struct rig_verdict rig_lacks(const struct rig *r, bool to_park);
/* RT. True if a reset may be accepted: the rig is where spec.reset asks for, the permissives of a reset are met, and nothing
 * holds a rig that is away from its park pose. */
bool rig_may_reset(const struct rig *r, const struct platform *platform);
/* RT. The index of the permissive that a reset lacks; -1: none. */
int rig_reset_lacks(const struct rig *r);

/* RT. Holds the rig where it is. rig_release(): a person has ordered it to move again. */
static inline void rig_hold(struct rig *r)
{
  r->held = true;
}
static inline void rig_release(struct rig *r)
{
  r->held = false;
}

#endif
