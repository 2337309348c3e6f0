/* SPDX-License-Identifier: MIT
 * The signal table: every number that enters or leaves has one dotted name, one unit and one place in the value vector.
 * Built once from a frozen model and the declared inputs, then constant.
 *
 * Order of the values: time; per body 19 (position 3, orientation 4, velocity 3, angular_velocity 3, acceleration 3,
 * angular_acceleration 3); per joint force 3 and torque 3, position and velocity for revolute and prismatic, and quality
 * (1; 0: force and torque are held, see ali3_report.held); per force the signals of its type; per sensor the signals of
 * its type (sensor_first); energy 3; constraint 3; solver 2 (ali3_status of the last step: 0, or positive if it did not
 * converge or was violated; increment); inputs; the motion platform and the rig, if there are any (PLATFORM_SIGNAL_LIST,
 * RIG_SIGNAL_LIST); figures.
 *
 * Signals of a force: length, value (spring_damper, cable, end_stop); force 3, torque 3 (bushing); position, value
 * (joint_spring, stop, friction, motor); position, target, value (drive); value (gear); gap, value, force 3, closed
 * (contacts: a positive value pushes the bodies apart, force acts on body b and includes friction, closed is 0 or 1). */
#ifndef SIGNALS_SIGNALS_H
#define SIGNALS_SIGNALS_H

#include "hexapod/types.h"

#include <ali3/types.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIGNALS_BODY = 19, SIGNALS_BODY_STATE = 13 };

struct signal {
  char *name;       /* "body.A.position.x" */
  const char *unit; /* "m"; "" for dimensionless */
};

/* Consecutive signals that are the components of one quantity: "body.A.position", 3. A scalar is a group of one. */
struct signal_group {
  char *name;
  int first, count;
};

/* Kinds of inputs, by what they act on. */
enum input_kind {
  INPUT_WRENCH, /* force and torque on a body: input.NAME.force.x .y .z, input.NAME.torque.x .y .z */
  INPUT_VALUE,  /* value of a motor (N m, N) or of an external drive (rad, m): input.NAME.value */
  INPUT_POSE, /* pose for the motion platform: input.NAME.position.surge .sway .heave, .angle.roll .pitch .yaw; no load */
  INPUT_RIG_POSE,   /* measured pose of the rig: as INPUT_POSE */
  INPUT_RIG_LEGS,   /* measured legs or cranks of the rig: input.NAME.leg.1 to .6 */
  INPUT_RIG_NUMBER, /* a number of the rig's controller, such as a status word: input.NAME.value */
};
enum { INPUT_WRENCH_CHANNELS = 6, INPUT_POSE_CHANNELS = PLATFORM_DOF };
/* Treatment of a channel whose last value is older than hold: the words of the configuration and of tools. */
#define INPUT_POLICY_LIST(X)                                                                                 \
  X(INPUT_HOLD, "hold")               /* keeps the last value */                                             \
  X(INPUT_RAMP, "ramp")               /* goes in a straight line to the safe value within ramp */            \
  X(INPUT_SAFE, "safe")               /* jumps to the safe value */                                          \
  X(INPUT_EXTRAPOLATE, "extrapolate") /* continues the line through the last two values, then like ramp */
enum input_policy {
#define INPUT_POLICY_ENUM(id, text) id,
  INPUT_POLICY_LIST(INPUT_POLICY_ENUM)
#undef INPUT_POLICY_ENUM
};
/* State of an input at the last latch. */
#define INPUT_STATE_LIST(X)                                                                                  \
  X(INPUT_NEVER, "never")           /* no channel was ever set */                                            \
  X(INPUT_FRESH, "fresh")           /* every channel that was ever set counts */                             \
  X(INPUT_STALE, "stale")           /* a channel is past its hold time */                                    \
  X(INPUT_RECOVERING, "recovering") /* samples come again, but not enough of them yet; counts as stale */    \
  X(INPUT_TIMEOUT, "timeout")       /* its watchdog has expired; counts as stale */
enum input_state {
#define INPUT_STATE_ENUM(id, text) id,
  INPUT_STATE_LIST(INPUT_STATE_ENUM)
#undef INPUT_STATE_ENUM
};
static inline bool input_state_is_stale(enum input_state state)
{
  return state == INPUT_STALE || state == INPUT_RECOVERING || state == INPUT_TIMEOUT;
}
/* Reaction to a watchdog that expires: its source gave no sign of life for too long. */
#define INPUT_REACTION_LIST(X)                                                                               \
  X(INPUT_TIMEOUT_HOLD, "hold") /* keeps the value in use */                                                 \
  X(INPUT_TIMEOUT_RAMP, "ramp") /* goes in a straight line to the safe value within ramp */                  \
  X(INPUT_TIMEOUT_SAFE, "safe") /* jumps to the safe value, and the state becomes SAFE */
enum input_reaction {
#define INPUT_REACTION_ENUM(id, text) id,
  INPUT_REACTION_LIST(INPUT_REACTION_ENUM)
#undef INPUT_REACTION_ENUM
};
/* Bits: a value in use is clamped to its range; its change is limited to its rate. */
enum input_limit { INPUT_CLAMPED = 1, INPUT_SLOWED = 2 };
const char *input_policy_name(uint64_t policy); /* "?" when unknown */
const char *input_state_name(uint64_t state);

/* Range of a channel, in its unit: N, N m, m or rad. */
struct input_range {
  double lower, upper; /* values are clamped to these */
  double rate;         /* largest change of the value in use per second; 0: no limit */
  double safe;         /* target of a ramp and of the policy safe; within lower and upper */
};
struct input_spec {
  char *name;
  enum input_kind kind;
  int body;  /* wrench: model index */
  int load;  /* wrench: load of the model that carries its force; the next load carries its torque */
  int force; /* value: model index of the force element */
  enum input_policy policy;
  double hold; /* s, age up to which a value counts (default 0.05) */
  double ramp; /* s, time from the held value to the safe one (default 0.5) */
  /* s, age of the last sample that counted above which the state is SAFE; 0: never, or hold with INPUT_SAFE */
  double fault;
  double watchdog; /* s of silence of its source, heartbeats included, that lead to on_timeout; 0: none */
  enum input_reaction on_timeout;
  bool required;    /* the motion does not start without it */
  int recover;      /* consecutive samples, each within hold, after which a stale channel counts again */
  double blend;     /* s, then from the value in use to the new ones */
  uint64_t sources; /* bit SOURCE_...: sources that may set it (signals/exchange.h); 0: all */
  struct input_range range[INPUT_WRENCH_CHANNELS]; /* (count) */
  int first, count;                                /* its channels; set by signals_new */
};

/* A quantity of an input: its channels first .. first + count - 1. */
struct input_part {
  const char *name,
      *unit; /* "force", "N"; the unit of a value depends on its force element, and "" stands here */
  int first, count;
  const char *const *component; /* (count) "x"; NULL: a scalar */
};
/* True for a measurement of the rig: it acts on nothing, keeps its last value, and survives a reset. */
static inline bool input_is_of_rig(enum input_kind kind)
{
  return kind >= INPUT_RIG_POSE;
}

/* The parts of an input of this kind, in the order of its channels; a part without a name ends them. */
const struct input_part *input_parts(enum input_kind kind);

/* Set-up, before the model is frozen. Adds the two loads through which a wrench on spec->body acts, 0 until
 * inputs_apply() sets them: at `point` (m, body frame), in the axes of the body or of the world. Fills in spec->load.
 * Returns ALI3_OK, or a negative status with the reason in ali3_model_problem(). */
int input_add_loads(ali3_model *m, struct input_spec *spec, const double point[3], bool body_axes);

struct signals {
  int count;
  struct signal *signal;
  int groups;
  struct signal_group *group;
  int bodies, joints;
  int body_first;   /* index of body 0's first value; body i at body_first + SIGNALS_BODY * i */
  int *joint_first; /* (joints) */
  int forces;
  int *force_first; /* (forces) */
  int sensors;
  int *sensor_first; /* (sensors + 1) point: 9 values, pose: 19, imu: 6; the last entry is the end */
  int energy_first, constraint_first;
  int inputs;                /* declared inputs */
  struct input_spec *input;  /* (inputs) copies */
  int channels;              /* of all inputs, consecutive */
  int input_first;           /* index of channel 0 */
  int platform_first;        /* index of the first of PLATFORM_SIGNALS values; -1: no platform */
  int rig_first;             /* index of the first of RIG_SIGNALS values; -1: no section rig */
  int figures, figure_first; /* the runner fills in these and the platform's signals */
};

/* Set-up. Copies the input specs. NULL when out of memory. */
struct signals *signals_new(const ali3_model *m, const struct input_spec *inputs, int ninputs);
/* signals_new() with signals that the runner of the model adds and fills in; signals_observe() does not touch them. */
struct signals_more {
  const struct platform_geometry *platform; /* its signals; NULL: no platform */
  bool rig;                                 /* signals of the rig, after those of the platform */
  const struct signal *figure;              /* (figures) last signals, also copied */
  int figures;
};
struct signals *signals_new_with(const ali3_model *m, const struct input_spec *inputs, int ninputs,
                                 const struct signals_more *more);
void signals_free(struct signals *s);

/* Index of a signal or group by its exact name; -1: unknown. Not RT. */
int signals_find(const struct signals *s, const char *name);
int signals_find_group(const struct signals *s, const char *name);

/* The range of an input channel; NULL for any other signal. */
const struct input_range *signals_range(const struct signals *s, int signal);

/* RT. True if the signal tells the pose of the motion platform or follows from it, so that a rig may be driven by it:
 * all of platform.* except state, mode and flags. */
bool signals_is_motion(const struct signals *s, int signal);

/* Set-up. wanted: (count) true for each signal that somebody reads; prepares it for signals_observe_wanted(). */
void signals_want(const struct signals *s, bool *wanted);
/* RT. Fills in values from the state; `channels` (s->channels long; NULL: zeros) become the values of the inputs. The values of
 * bodies, joints, forces, sensors and energies that nobody wants stay as they are; `wanted` NULL: all are wanted. */
void signals_observe_wanted(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *channels, const bool *wanted, double *values);
/* RT. Fills in all values from the state. */
void signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d, const double *channels,
                     double *values);

#endif
