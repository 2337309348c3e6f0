/* SPDX-License-Identifier: MIT
 * The platform block: turns the motion of the model into a motion that a six-axis motion platform can follow, and computes the
 * pose of the platform in every cycle. Pure: no clock, no I/O, no threads, no allocation.
 *
 *   target     washout, pose or external; or a move to neutral or to the park pose         washout.c, states.c
 *   envelope   clamps the target to the reach, then follows it within the limits of position, rate,
 *              acceleration, jerk, legs and joints; a stop is always possible   envelope.c, axis.c, hexapod.c
 *   cue        what is felt and was not asked for                                             cue.c
 *   states     parked, engage, neutral, run, freeze, stop, fault, park, jog                 states.c
 *
 * Units are SI, except in struct platform_params. types.h defines the frames. */
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include "cueing/cue.h"
#include "cueing/live.h"
#include "envelope/envelope.h"
#include "envelope/glide.h"
#include "hexapod/hexapod.h"
#include "hexapod/types.h"

#include <stddef.h>

/* States of the platform. Their codes are part of the interfaces and never change. */
#define PLATFORM_STATE_LIST(X)                                                                               \
  X(PLATFORM_PARKED, 0, "parked")   /* at rest in the park pose */                                           \
  X(PLATFORM_ENGAGE, 1, "engage")   /* on its way to neutral */                                              \
  X(PLATFORM_NEUTRAL, 2, "neutral") /* at rest at neutral */                                                 \
  X(PLATFORM_RUN, 3, "run")         /* follows the target of its mode */                                     \
  X(PLATFORM_FREEZE, 4, "freeze")   /* holds its pose */                                                     \
  X(PLATFORM_STOP, 5, "stop")       /* comes to rest, before another move */                                 \
  X(PLATFORM_FAULT, 6, "fault")     /* on its way to neutral after a fault, then to park */                  \
  X(PLATFORM_PARK, 7, "park")       /* on its way to the park pose */                                        \
  X(PLATFORM_UNKNOWN, 8, "unknown") /* no request up has come yet, so its pose is not known */               \
  X(PLATFORM_JOG, 9, "jog")         /* one coordinate or leg crawls while a person asks for it, else held */
enum platform_state {
#define PLATFORM_ENUM(id, code, text) id = (code),
  PLATFORM_STATE_LIST(PLATFORM_ENUM)
#undef PLATFORM_ENUM
};
const char *platform_state_name(unsigned state); /* "?": no such state */
const char *platform_mode_name(unsigned mode);

/* Bits of platform_output.flags: id, bit, word. They are part of the interfaces and never change. */
#define PLATFORM_FLAG_LIST(X)                                                                                \
  X(PLATFORM_ENGAGED, 0, "engaged") /* has been at neutral since it left the park pose */                    \
  X(PLATFORM_IS_PARKED, 1, "parked")                                                                         \
  X(PLATFORM_LIMITED, 2, "limited") /* the target is beyond a limit of position of a coordinate or leg */    \
  X(PLATFORM_RATE_LIMITED, 3, "rate_limited") /* the target moves too fast for rate, acceleration or jerk */ \
  X(PLATFORM_TILT_LIMITED, 4, "tilt_limited") /* tilt coordination is at its rate or angle limit */          \
  X(PLATFORM_UNREACHABLE, 5, "unreachable")   /* the legs cannot reach the target: it was clamped */         \
  X(PLATFORM_BAD_INPUT, 6, "bad_input")       /* an input was NaN or infinite and was ignored */             \
  X(PLATFORM_BLENDING, 7, "blending")         /* a change of parameters, mode or state is being blended */   \
  X(PLATFORM_PENDING, 8, "pending")           /* tighter limits wait until the platform is within them */
enum platform_flag {
#define PLATFORM_ENUM(id, bit, text) id = 1 << (bit),
  PLATFORM_FLAG_LIST(PLATFORM_ENUM)
#undef PLATFORM_ENUM
};

/* Output of a cycle, in the form of signals: doubles only, in the order of PLATFORM_SIGNAL_LIST. */
#define PLATFORM_SIGNAL_LIST(X)                                                                              \
  X(pose, 6)             /* m, rad */                                                                        \
  X(velocity, 6)         /* per s */                                                                         \
  X(acceleration, 6)     /* per s^2 */                                                                       \
  X(target, 6)           /* target pose before any limit */                                                  \
  X(legs, 6)             /* m or rad */                                                                      \
  X(leg_rates, 6)        /* per s */                                                                         \
  X(legs_normalised, 6)  /* -1 at leg_min, 1 at leg_max */                                                   \
  X(pose_normalised, 6)  /* parts of pos_max and ang_max */                                                  \
  X(specific_force, 3)   /* m/s^2, felt at the head point, platform axes */                                  \
  X(angular_velocity, 3) /* rad/s, platform axes */                                                          \
  X(margin, 1)           /* determinant of the Jacobian, relative to its value at neutral */                 \
  X(state, 1)            /* enum platform_state; from here on, always valid */                               \
  X(mode, 1)             /* enum platform_mode */                                                            \
  X(flags, 1)            /* enum platform_flag */                                                            \
  X(false_force, 3)      /* m/s^2: felt minus what the filters of the washout ask for; see cue.h */          \
  X(false_rate, 3)       /* rad/s */                                                                         \
  X(false_force_jump, 1) /* m/s^2: largest change of a component within 50 ms */                             \
  X(false_rate_jump, 1)  /* rad/s */                                                                         \
  X(false_force_most, 1) /* m/s^2: largest jump since the start */                                           \
  X(false_rate_most, 1)  /* rad/s */
struct platform_output {
#define PLATFORM_FIELD(name, count) double name[count];
  PLATFORM_SIGNAL_LIST(PLATFORM_FIELD)
#undef PLATFORM_FIELD
};
enum { PLATFORM_SIGNALS = sizeof(struct platform_output) / sizeof(double) };
/* The signals before `state` give the pose or follow from it, and a rig may be driven by them. They are NaN in
 * PLATFORM_UNKNOWN. */
enum { PLATFORM_MOTION_SIGNALS = offsetof(struct platform_output, state) / sizeof(double) };

/* Set-up. */
struct platform_spec {
  enum platform_mode mode;
  struct platform_params params;
  struct platform_geometry geometry;
  double head[3]; /* m, head point in the platform frame */
  double park[PLATFORM_DOF];
  bool park_given;     /* false: the park pose is level, as low as the legs allow */
  double period;       /* s */
  bool washes_heading; /* in the modes pose and external the yaw returns to 0 */
  double gravity;      /* m/s^2, of the model: the reading of its imu at rest */
};

struct platform {
  struct platform_output out; /* as of the last step */

  /* private */
  struct platform_spec spec; /* with the changes of platform_tune() */
  struct hexapod hexapod;
  struct envelope envelope;
  struct live live; /* targets of the state run */
  struct cue cue;   /* false cues: motion felt that nobody asked for */
  enum platform_state state;
  bool engaged;              /* has been at neutral since it left the park pose */
  struct glide glide;        /* the present move, or a soft stop */
  struct fade fade;          /* into the live target */
  double goal[PLATFORM_DOF]; /* its end */
  bool brakes;               /* in PLATFORM_STOP: at the limits, until the platform is at rest */
  bool via_neutral;          /* the move ends at neutral first, because the legs cannot go straight to park */
  bool blend, anew;          /* blend into the next live target; anew: reset the filters before */
  double excess[PLATFORM_DOF]; /* see washout_step() */
  double widest[PLATFORM_DOF]; /* largest distance from neutral on the way to park */
  double room[PLATFORM_DOF];   /* largest distance from neutral on the present or last move */
};

/* Set-up. The platform begins in PLATFORM_UNKNOWN. False, with the reason in error, if the geometry is not valid, or if neutral,
 * the park pose or the way between them is out of reach. */
bool platform_init(struct platform *p, const struct platform_spec *spec, char *error, size_t size);

/* RT. Changes mode and parameters from the next step on. Parameters move to the new values within params->blend, so the motion
 * does not jump. A tighter limit takes effect once the platform can stop inside it. */
void platform_tune(struct platform *p, enum platform_mode mode, const struct platform_params *params);

/* RT. One cycle: fills p->out. The first PLATFORM_TO_NEUTRAL, PLATFORM_TO_RUN or PLATFORM_TO_JOG states that the rig is in its
 * park pose: the output of this cycle is the park pose, at rest, and the motion begins in the next cycle. */
void platform_step(struct platform *p, const struct platform_input *in);

/* RT. Call it after a copy of the bytes of a platform. */
static inline void platform_rebind(struct platform *p)
{
  p->envelope.hexapod = &p->hexapod;
}

/* False: a flag or a state among the bytes of a platform, from a file, has no value of its type. */
bool platform_bytes_are_sound(const void *bytes);

/* RT. True at rest in the park pose. */
bool platform_is_parked(const struct platform *p);
/* RT. True from the first request up on: the pose is known. */
bool platform_is_known(const struct platform *p);
/* RT. True at neutral, in a ride, and while a ride is frozen. */
bool platform_rides(const struct platform *p);

#endif
