/* SPDX-License-Identifier: MIT
 * The signal table: every number that enters or leaves has one dotted name, one unit and one place in the
 * value vector. Built once from a frozen model and the declared inputs, then constant.
 *
 * Order of the values: time; per body 19 (position 3, orientation 4, velocity 3, angular_velocity 3,
 * acceleration 3, angular_acceleration 3); per joint 6 (force 3, torque 3), plus position and velocity for
 * revolute and prismatic; per force what its type has; per sensor what its type gives
 * (sensor_first); energy 3; constraint 3; solver 2
 * (ali3_status of the last step: 0, or positive where it did not converge or was violated; increment); inputs; those of the
 * motion platform, if there is one (PLATFORM_SIGNAL_LIST); figures.
 *
 * Of a force: length, value (spring_damper, cable, end_stop); force 3, torque 3 (bushing); position, value
 * (joint_spring, stop, friction, motor); position, target, value (drive); value (gear); gap, value, force 3,
 * closed (contacts: value pushes apart, force is that on body b with friction, closed is 0 or 1). */
#ifndef SIGNALS_SIGNALS_H
#define SIGNALS_SIGNALS_H

#include "platform/types.h"

#include <ali3/ali3.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIGNALS_BODY = 19, SIGNALS_BODY_STATE = 13 };

struct signal {
  char *name;       /* "body.A.position.x" */
  const char *unit; /* "m"; "" for dimensionless */
};

/* Consecutive signals that are the components of one quantity: "body.A.position", 3. A scalar is a group of
 * one. */
struct signal_group {
  char *name;
  int first, count;
};

/* A declared input, by what it acts on. */
enum input_kind {
  INPUT_WRENCH, /* force and torque on a body: input.NAME.force.x .y .z, input.NAME.torque.x .y .z */
  INPUT_VALUE,  /* value of a motor (N m, N) or of an external drive (rad, m): input.NAME.value */
  INPUT_POSE, /* of the motion platform: input.NAME.position.surge .sway .heave, .angle.roll .pitch .yaw; acts on no load */
};
enum { INPUT_WRENCH_CHANNELS = 6, INPUT_POSE_CHANNELS = PLATFORM_DOF };
/* What becomes of a channel whose last value is older than hold: the words of the configuration, and of tools. */
#define INPUT_POLICY_LIST(X)                                                                                 \
  X(INPUT_HOLD, "hold")               /* nothing */                                                          \
  X(INPUT_RAMP, "ramp")               /* in a straight line to its safe value, within ramp */                \
  X(INPUT_SAFE, "safe")               /* at once */                                                          \
  X(INPUT_EXTRAPOLATE, "extrapolate") /* as ramp; before that, without a newer one, on in a line */
enum input_policy {
#define INPUT_POLICY_ENUM(id, text) id,
  INPUT_POLICY_LIST(INPUT_POLICY_ENUM)
#undef INPUT_POLICY_ENUM
};
/* How it is with an input, as of the last latch. */
#define INPUT_STATE_LIST(X)                                                                                  \
  X(INPUT_NEVER, "never")           /* no channel was ever set */                                            \
  X(INPUT_FRESH, "fresh")           /* every channel that was ever set counts */                             \
  X(INPUT_STALE, "stale")           /* one is past its hold time */                                          \
  X(INPUT_RECOVERING, "recovering") /* samples come again, but not enough of them yet: stale, too */
enum input_state {
#define INPUT_STATE_ENUM(id, text) id,
  INPUT_STATE_LIST(INPUT_STATE_ENUM)
#undef INPUT_STATE_ENUM
};
/* Bits: a value in use is clamped to its range; it does not change faster than its rate, though it should. */
enum input_limit { INPUT_CLAMPED = 1, INPUT_SLOWED = 2 };
const char *input_policy_name(uint64_t policy); /* "?" when unknown, likewise */
const char *input_state_name(uint64_t state);

/* Of one channel, in its unit: N, N m, m or rad. */
struct input_range {
  double lower, upper; /* values are clamped to these */
  double rate;         /* largest change per second of the value in use; 0: any */
  double safe;         /* where a ramp and the policy safe lead to; within lower and upper */
};
struct input_spec {
  char *name;
  enum input_kind kind;
  int body;  /* wrench: model index */
  int load;  /* wrench: the load of the model that is its force; the next one is its torque */
  int force; /* value: model index of the force element */
  enum input_policy policy;
  double hold;      /* s, age up to which a value is used as it is (default 0.05) */
  double ramp;      /* s, time from the held value to the safe one (default 0.5) */
  double fault;     /* s, age of the last sample that counted, above which the state is SAFE; 0: with
                               INPUT_SAFE that is hold, else never */
  bool required;    /* the motion does not begin without it */
  int recover;      /* samples in a row, each within hold, until a channel that was stale counts again */
  double blend;     /* s, from the value in use to the new ones, then */
  uint64_t sources; /* bit SOURCE_...: who may set it (signals/exchange.h); 0: everybody */
  struct input_range range[INPUT_WRENCH_CHANNELS]; /* (count) */
  int first, count;                                /* its channels; filled by signals_new */
};

/* A quantity that an input is made of: channels first .. first + count - 1 of the input. */
struct input_part {
  const char *name,
      *unit; /* "force", "N"; the unit of a value depends on its force element, and "" stands here */
  int first, count;
  const char *const *component; /* (count) "x"; NULL: a scalar */
};
/* The parts of an input of this kind, in the order of its channels; a part without a name ends them. */
const struct input_part *input_parts(enum input_kind kind);

/* Set-up, of a model not yet frozen. Gives the model the two loads through which a wrench on spec->body acts,
 * 0 until inputs_apply() sets them: at `point` (m, body frame), in the axes of the body or of the world. Fills spec->load.
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
  int *sensor_first; /* (sensors + 1) point: 9 values, pose: 19, imu: 6; the last is the end */
  int energy_first, constraint_first;
  int inputs;                /* declared inputs */
  struct input_spec *input;  /* (inputs) copies */
  int channels;              /* of all inputs, one after the other */
  int input_first;           /* index of channel 0's value */
  int platform_first;        /* index of the first of PLATFORM_SIGNALS values; -1: there is no platform */
  int figures, figure_first; /* these and the platform's are filled by whoever runs the model */
};

/* Set-up. Copies the input specs. NULL when out of memory. */
struct signals *signals_new(const ali3_model *m, const struct input_spec *inputs, int ninputs);
/* The same with what whoever runs the model adds to it, and fills in: signals_observe() leaves it alone. */
struct signals_more {
  const struct platform_geometry *platform; /* its signals; NULL: there is no platform */
  const struct signal *figure;              /* (figures) signals behind all others, copied too */
  int figures;
};
struct signals *signals_new_with(const ali3_model *m, const struct input_spec *inputs, int ninputs,
                                 const struct signals_more *more);
void signals_free(struct signals *s);

/* Index of a signal or group by its exact name; -1 unknown. Not RT. */
int signals_find(const struct signals *s, const char *name);
int signals_find_group(const struct signals *s, const char *name);

/* RT. The signal tells the pose of the motion platform or follows from it: a rig may be driven by it. All of platform.* but
 * state, mode and flags. */
bool signals_is_motion(const struct signals *s, int signal);

/* RT. Fills all values from the state; `channels` (s->channels long, may be NULL for zeros) goes to the
 * inputs' places. */
void signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d, const double *channels,
                     double *values);

#endif
