/* SPDX-License-Identifier: MIT
 * The motion platform in the loop: what the state of the daemon asks of it, what it is given of the values of a cycle, and what
 * it adds to them. The platform itself is the layer `platform`, which knows nothing of a loop. RT but for
 * platform_drive_init(). One owner: the loop. */
#ifndef LOOP_PLATFORM_DRIVE_H
#define LOOP_PLATFORM_DRIVE_H

#include "platform/platform.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <stdbool.h>
#include <stdint.h>

/* What the loop calls of the layer `platform`; a test may replace it. */
struct platform_calls {
  void (*step)(struct platform *p, const struct platform_input *in);
  void (*tune)(struct platform *p, enum platform_mode mode, const struct platform_params *params);
  bool (*is_parked)(const struct platform *p);
};

/* The platform, and what of the model and the inputs moves it. */
struct platform_setup {
  bool enabled;
  struct platform_spec spec;
  int imu, pose; /* sensors of the model; -1: none */
  int input;     /* of kind INPUT_POSE; -1: none */
  /* NULL: platform_init(), and what else there is of the layer `platform` */
  bool (*init)(struct platform *p, const struct platform_spec *spec, char *error, size_t size);
  const struct platform_calls *calls;
};

struct platform_drive {
  bool there;   /* there is a platform; all else is nothing where there is none */
  bool restart; /* for the caller to set: the model was put back to its start since the last step */
  struct platform platform;

  /* private */
  struct platform_setup setup; /* with mode and parameters as they are now */
  const struct signals *signals;
};

/* Set-up. The pose of the platform is unknown. setup NULL: there is none. False if the platform makes no sense: says why. */
bool platform_drive_init(struct platform_drive *d, const struct platform_setup *setup,
                         const struct signals *signals, char *error, size_t size);

/* Puts what the platform tells into the values, before its first cycle. */
void platform_drive_show(const struct platform_drive *d, double *values);

/* One cycle. Takes the sensors and the input from the values, and puts what the platform tells into them. */
void platform_drive_step(struct platform_drive *d, enum run_state state, double *values);

/* These hold from the next step on. */
void platform_drive_tune(struct platform_drive *d, enum platform_mode mode,
                         const struct platform_params *params);
/* One of params_table alone. RESULT_BAD_ARGUMENT, and nothing is changed, if there is none such, if the value is out of its range
 * or does not go with the others. */
enum command_result platform_drive_set(struct platform_drive *d, uint32_t parameter, double value);

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
/* Its outputs are withheld: nobody has armed it yet, so where the rig stands is not known. */
static inline bool platform_drive_withheld(const struct platform_drive *d)
{
  return d->there && platform_drive_state(d) == PLATFORM_UNKNOWN;
}
/* Nothing of it moves, nor has to. */
static inline bool platform_drive_rests(const struct platform_drive *d)
{
  return !d->there || platform_drive_withheld(d) || d->setup.calls->is_parked(&d->platform);
}
/* In the last step. */
bool platform_drive_moves(const struct platform_drive *d);
/* Cycles for which one that is to park, and is not parked, may stand still; if it does for longer, something is wrong. How long
 * the way takes depends on its limits, which may be low. */
uint64_t platform_drive_patience(const struct platform_drive *d);

#endif
