/* SPDX-License-Identifier: MIT
 * The platform block: turns the motion of the model into one that a six-axis motion platform can follow, and
 * says where the platform is to be in every cycle, whatever happens. Pure: no clock, no I/O, no threads, no
 * allocation.
 *
 *   target     washout, pose or external; or a move to neutral or to the park pose         washout.c, states.c
 *   envelope   reachable, then followed within the limits of position, rate, acceleration
 *              and jerk, of legs and joints; a stop is always possible          envelope.c, axis.c, hexapod.c
 *   states     parked, engage, neutral, run, freeze, stop, fault, park                      states.c
 *
 * Units: SI, but for struct platform_params; frames: types.h. */
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include "platform/envelope.h"
#include "platform/glide.h"
#include "platform/hexapod.h"
#include "platform/live.h"
#include "platform/types.h"

#include <stddef.h>

/* Where the platform is in its life. Codes are part of the interfaces and never change. */
#define PLATFORM_STATE_LIST(X)                                                                               \
  X(PLATFORM_PARKED, 0, "parked")   /* at rest in the park pose */                                           \
  X(PLATFORM_ENGAGE, 1, "engage")   /* on its way to neutral */                                              \
  X(PLATFORM_NEUTRAL, 2, "neutral") /* at rest there */                                                      \
  X(PLATFORM_RUN, 3, "run")         /* follows the target of its mode */                                     \
  X(PLATFORM_FREEZE, 4, "freeze")   /* held where it is */                                                   \
  X(PLATFORM_STOP, 5, "stop")       /* decelerates at its limits, to go somewhere else */                    \
  X(PLATFORM_FAULT, 6, "fault")     /* on its way to neutral after a fault, then to park */                  \
  X(PLATFORM_PARK, 7, "park")       /* on its way to the park pose */                                        \
  X(PLATFORM_UNKNOWN, 8, "unknown") /* its pose is not known: nobody has ordered it up yet */
enum platform_state {
#define PLATFORM_ENUM(id, code, text) id = (code),
  PLATFORM_STATE_LIST(PLATFORM_ENUM)
#undef PLATFORM_ENUM
};
const char *platform_state_name(unsigned state); /* "?" when unknown */
const char *platform_mode_name(unsigned mode);

/* What is asked of it, by the state of the daemon. */
enum platform_order {
  PLATFORM_TO_PARK,    /* INIT, STOPPED, SAFE, EXIT */
  PLATFORM_TO_NEUTRAL, /* READY */
  PLATFORM_TO_RUN,     /* RUNNING */
  PLATFORM_TO_FREEZE,  /* PAUSED */
  PLATFORM_TO_FAULT,   /* FAULT: neutral, then park */
};

/* Bits of platform_output.flags: id, bit, word. Part of the interfaces, too. */
#define PLATFORM_FLAG_LIST(X)                                                                                \
  X(PLATFORM_ENGAGED, 0, "engaged") /* has been at neutral since it left the park pose */                    \
  X(PLATFORM_IS_PARKED, 1, "parked")                                                                         \
  X(PLATFORM_LIMITED, 2, "limited") /* the target is beyond a limit of position, of a coordinate or a leg */ \
  X(PLATFORM_RATE_LIMITED, 3, "rate_limited") /* it cannot be followed within rate, acceleration and jerk */ \
  X(PLATFORM_TILT_LIMITED, 4, "tilt_limited") /* tilt coordination is at its rate or its angle */            \
  X(PLATFORM_UNREACHABLE, 5, "unreachable")   /* no leg could reach the target: it was cut off */            \
  X(PLATFORM_BAD_INPUT, 6, "bad_input")       /* not a number came in, and was ignored */                    \
  X(PLATFORM_BLENDING, 7, "blending") /* a change of parameters, of mode or of state is being blended in */  \
  X(PLATFORM_PENDING, 8, "pending")   /* limits that were changed do not hold yet: it is beyond them */
enum platform_flag {
#define PLATFORM_ENUM(id, bit, text) id = 1 << (bit),
  PLATFORM_FLAG_LIST(PLATFORM_ENUM)
#undef PLATFORM_ENUM
};

/* Everything it tells, as signals have it: doubles only, in the order of PLATFORM_SIGNAL_LIST. */
#define PLATFORM_SIGNAL_LIST(X)                                                                              \
  X(pose, 6)             /* m, rad */                                                                        \
  X(velocity, 6)         /* per s */                                                                         \
  X(acceleration, 6)     /* per s^2 */                                                                       \
  X(target, 6)           /* pose that is wanted, before any limit */                                         \
  X(legs, 6)             /* m or rad */                                                                      \
  X(leg_rates, 6)        /* per s */                                                                         \
  X(legs_normalised, 6)  /* -1 at leg_min, 1 at leg_max */                                                   \
  X(pose_normalised, 6)  /* parts of pos_max and ang_max */                                                  \
  X(specific_force, 3)   /* m/s^2, at the head point, platform axes: what is felt */                         \
  X(angular_velocity, 3) /* rad/s, platform axes */                                                          \
  X(margin, 1)           /* determinant of the Jacobian as a part of that at neutral */                      \
  X(state, 1)            /* enum platform_state; this and what follows are always valid */                   \
  X(mode, 1)             /* enum platform_mode */                                                            \
  X(flags, 1)            /* enum platform_flag */
struct platform_output {
#define PLATFORM_FIELD(name, count) double name[count];
  PLATFORM_SIGNAL_LIST(PLATFORM_FIELD)
#undef PLATFORM_FIELD
};
enum { PLATFORM_SIGNALS = sizeof(struct platform_output) / sizeof(double) };
/* The first of them tell the pose, or follow from it: a rig may be driven by them. NaN in
 * PLATFORM_UNKNOWN. */
enum { PLATFORM_MOTION_SIGNALS = offsetof(struct platform_output, state) / sizeof(double) };

/* Set-up. */
struct platform_spec {
  enum platform_mode mode;
  struct platform_params params;
  struct platform_geometry geometry;
  double head[3]; /* m, head point in the platform frame */
  double park[PLATFORM_DOF];
  bool park_given; /* else as low as the legs let it, level */
  double period;   /* s */
  double gravity;  /* m/s^2, of the model: what its imu shows at rest */
};

/* Of one cycle. */
struct platform_input {
  enum platform_order order;
  bool restart;             /* the model was put back to its initial state since the last step */
  double specific_force[3]; /* m/s^2, of the imu in its own axes: x forward, y left, z up; 0 0 9.81 at rest */
  double angular_velocity[3]; /* rad/s */
  const double *sensor;       /* the 19 numbers of the pose sensor; NULL: there is none */
  double external[PLATFORM_DOF];
};

struct platform {
  struct platform_output out; /* as of the last step */

  /* private */
  struct platform_spec spec; /* with what was tuned since */
  struct hexapod hexapod;
  struct envelope envelope;
  struct live live; /* targets of the state run */
  enum platform_state state;
  bool engaged;                /* has been at neutral since it left the park pose */
  struct glide glide;          /* of the move that is on */
  struct fade fade;            /* into the live target */
  double goal[PLATFORM_DOF];   /* of that move */
  bool via_neutral;            /* it leads to neutral only, as the legs cannot go straight to park */
  bool blend, anew;            /* the next live target is to be blended in; filters begin anew before */
  double excess[PLATFORM_DOF]; /* see washout_step() */
  double widest[PLATFORM_DOF]; /* how far from neutral it has to go to park */
  double room[PLATFORM_DOF];   /* likewise on the move that is on, or was */
};

/* Set-up. The pose is unknown: p->out says so. False if the geometry makes no sense, or neutral, the park
 * pose or the way between them is out of reach: says which and why. */
bool platform_init(struct platform *p, const struct platform_spec *spec, char *error, size_t size);

/* RT. From the next step on. Parameters move to these within params->blend, the motion goes on without a
 * jump; a limit that the motion is beyond just now holds as soon as it is within. */
void platform_tune(struct platform *p, enum platform_mode mode, const struct platform_params *params);

/* RT. One cycle: fills p->out. The first PLATFORM_TO_NEUTRAL or PLATFORM_TO_RUN says that the rig stands in
 * its park pose: the output of that cycle is the park pose, at rest, and the motion begins in the next
 * one. */
void platform_step(struct platform *p, const struct platform_input *in);

/* RT. At rest in the park pose. */
bool platform_is_parked(const struct platform *p);
/* RT. The pose is known, since the first order up. */
bool platform_is_known(const struct platform *p);

#endif
