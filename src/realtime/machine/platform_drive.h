/* SPDX-License-Identifier: MIT
 * The motion platform in the loop: the requests that follow from the daemon's state, its inputs from the values of a
 * cycle, and its outputs to them. The platform itself is the layer `platform`, which knows no loop. RT except
 * platform_drive_init(). One owner: the loop. */
#ifndef MOTION_PLATFORM_DRIVE_H
#define MOTION_PLATFORM_DRIVE_H

#include "jog/jog.h"
#include "signals/exchange.h"
#include "signals/handover.h"
#include "signals/signals.h"

#include <stdbool.h>
#include <stdint.h>

/* Functions of the layer `platform` that the loop calls; a test may replace them. */
struct platform_calls {
  void (*step)(struct platform *p, const struct platform_input *in);
  void (*tune)(struct platform *p, enum platform_mode mode, const struct platform_params *params);
  bool (*is_parked)(const struct platform *p);
};

/* The platform, and the sensors and inputs that move it. */
struct platform_setup {
  bool enabled;
  struct platform_spec spec;
  int imu, pose; /* sensors of the model; -1: none */
  int input;     /* of kind INPUT_POSE; -1: none */
  struct jog_spec jog;
  /* NULL: the functions of the layer `platform` */
  bool (*init)(struct platform *p, const struct platform_spec *spec, char *error, size_t size);
  const struct platform_calls *calls;
};

struct platform_drive {
  bool there;   /* there is a platform; without one all functions do nothing */
  bool restart; /* set by the caller: the model returned to its initial state since the last step */
  bool held;    /* set by the caller: the platform stays where it is in every state */
  struct platform platform;
  struct jog jog;

  /* private */
  struct platform_setup setup; /* with the present mode and parameters */
  struct platform_params file; /* the parameters of the file */
  /* Its limits are the largest ones that a command may set. A reload lowers them at once, and raises them while the platform is
   * parked in STOPPED. */
  struct platform_params ceiling;
  bool raises; /* a limit of the file is above its ceiling */
  const struct signals *signals;
};

/* Set-up. The pose of the rig is unknown. setup NULL: no platform. Returns false with a reason for an inconsistent
 * platform. */
bool platform_drive_init(struct platform_drive *d, const struct platform_setup *setup,
                         const struct signals *signals, char *error, size_t size);

/* Puts the platform's outputs into the values before its first cycle. */
void platform_drive_show(const struct platform_drive *d, double *values);

/* One cycle. Takes sensors and input from the values, and puts the outputs into them. */
void platform_drive_step(struct platform_drive *d, enum run_state state, double *values);

/* Sets mode and parameters from the next step on. */
void platform_drive_tune(struct platform_drive *d, enum platform_mode mode,
                         const struct platform_params *params);
/* Takes mode and parameters of a file that was read again. A limit above its ceiling waits for platform_drive_raise(). */
void platform_drive_reload(struct platform_drive *d, enum platform_mode mode,
                           const struct platform_params *params);
/* Call in STOPPED: raises the ceilings to the limits of the file if the platform is parked. */
void platform_drive_raise(struct platform_drive *d);
/* Judges changes of rows of params_table together, and puts the parameters with them into *params for platform_drive_tune().
 * Returns -1, or the index of a change without such a row or with a value that is out of range or above its ceiling; n: the
 * parameters would be inconsistent. */
int platform_drive_judge(const struct platform_drive *d, const struct platform_change *change, int n,
                         struct platform_params *params);
/* Makes the changes together. Returns RESULT_BAD_ARGUMENT and changes nothing if platform_drive_judge() refuses one. */
enum command_result platform_drive_set(struct platform_drive *d, const struct platform_change *change, int n);
/* The largest value that a command may give a limit; INFINITY: the parameter is no limit. */
double platform_drive_ceiling(const struct platform_drive *d, uint32_t parameter);

/* A command jog. Returns RESULT_OK, or why it is refused; *answer says more. argument, number: see COMMAND_HAND. */
enum command_result platform_drive_jog(struct platform_drive *d, uint32_t argument, double fraction,
                                       uint32_t number, enum jog_answer *answer);
/* The platform was jogged and stays where it is, in STOPPED. */
static inline bool platform_drive_jogs(const struct platform_drive *d)
{
  return d->there && d->jog.on;
}

/* The settings of persons as numbers, for a record of the cycle: tuning[PLATFORM_TUNING]. Mode and parameters, whether the
 * platform is held, then the part that is jogged, from 1, and its wanted speed. */
enum {
  PLATFORM_TUNED = 1 + (int)(sizeof(struct platform_params) / sizeof(double)),
  PLATFORM_TUNING = PLATFORM_TUNED + 3
};
void platform_drive_tuning(const struct platform_drive *d, double *tuning);
/* Sets all of that from such numbers, before the step of that cycle. */
void platform_drive_retune(struct platform_drive *d, const double *tuning);
/* The state as PLATFORM_DRIVE_BYTES bytes, which only a program of the same build takes back. continue: false if the size is
 * another one. */
enum { PLATFORM_DRIVE_BYTES = sizeof(struct platform) + sizeof(struct jog) };
void platform_drive_save(const struct platform_drive *d, void *to);
bool platform_drive_continue(struct platform_drive *d, const void *bytes, size_t size);

static inline const struct platform_output *platform_drive_output(const struct platform_drive *d)
{
  return &d->platform.out;
}
static inline uint32_t platform_drive_state(const struct platform_drive *d)
{
  return (uint32_t)d->platform.out.state[0];
}
static inline uint32_t platform_drive_flags(const struct platform_drive *d)
{
  return (uint32_t)d->platform.out.flags[0];
}
/* The outputs are withheld: the platform was not armed yet, so the pose of the rig is unknown. */
static inline bool platform_drive_withheld(const struct platform_drive *d)
{
  return d->there && platform_drive_state(d) == PLATFORM_UNKNOWN;
}
/* Nothing moves, and nothing must move. */
static inline bool platform_drive_rests(const struct platform_drive *d)
{
  return !d->there || platform_drive_withheld(d) || d->setup.calls->is_parked(&d->platform);
}
/* True if it moved in the last step. */
bool platform_drive_moves(const struct platform_drive *d);
/* Cycles for which a platform on its way to the park pose may stand still before that counts as an error. The duration
 * of the way has no limit: it depends on the limits of the platform, which may be low. */
uint64_t platform_drive_patience(const struct platform_drive *d);

#endif
