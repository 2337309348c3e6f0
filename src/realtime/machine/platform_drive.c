/* SPDX-License-Identifier: MIT
 * Set-up: platform_drive_init(). All other functions are RT. */
#include "machine/platform_drive.h"

#include "cueing/params.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const double at_rest_s = 5.0; /* a platform that must park may stand still on its way for this time */
enum { AT_REST_CYCLES = 3 };         /* minimum: a move begins in the cycle after its command */

static const struct platform_calls platform_layer = {
    .step = platform_step, .tune = platform_tune, .is_parked = platform_is_parked};

bool platform_drive_init(struct platform_drive *d, const struct platform_setup *setup,
                         const struct signals *signals, char *error, size_t size)
{
  memset(d, 0, sizeof *d);
  if (!setup) return true;
  d->there = true;
  d->setup = *setup;
  d->file = d->ceiling = setup->spec.params;
  if (!setup->calls) d->setup.calls = &platform_layer;
  d->signals = signals;
  jog_init(&d->jog, &setup->jog, setup->spec.period);
  return (setup->init ? setup->init : platform_init)(&d->platform, &setup->spec, error, size);
}

static enum platform_request request_in(enum run_state state)
{
  static const enum platform_request request[] = {
      [STATE_INIT] = PLATFORM_TO_PARK,     [STATE_STOPPED] = PLATFORM_TO_PARK,
      [STATE_READY] = PLATFORM_TO_NEUTRAL, [STATE_RUNNING] = PLATFORM_TO_RUN,
      [STATE_PAUSED] = PLATFORM_TO_FREEZE, [STATE_FAULT] = PLATFORM_TO_FAULT,
      [STATE_SAFE] = PLATFORM_TO_SAFE,     [STATE_EXIT] = PLATFORM_TO_PARK,
  };
  return request[state];
}

void platform_drive_show(const struct platform_drive *d, double *values)
{
  memcpy(values + d->signals->platform_first, &d->platform.out, sizeof d->platform.out);
}

void platform_drive_step(struct platform_drive *d, enum run_state state, double *values)
{
  const struct signals *s = d->signals;
  const struct platform_setup *setup = &d->setup;
  /* The request, and the target of a jog. */
  if (d->held || state != STATE_STOPPED) jog_end(&d->jog);
  const struct platform_motion *jog = jog_step(&d->jog, &d->platform);
  const enum platform_request request = d->jog.on ? PLATFORM_TO_JOG : request_in(state);
  struct platform_input in = {.request = d->held ? PLATFORM_TO_FREEZE : request,
                              .restart = d->restart,
                              .jog = jog,
                              .specific_force = {0, 0, setup->spec.gravity}};
  /* Sensors and input, then the step. */
  if (setup->imu >= 0) {
    const double *imu = values + s->sensor_first[setup->imu];
    memcpy(in.specific_force, imu, sizeof in.specific_force);
    memcpy(in.angular_velocity, imu + 3, sizeof in.angular_velocity);
  }
  if (setup->pose >= 0) in.sensor = values + s->sensor_first[setup->pose];
  if (setup->input >= 0)
    memcpy(in.external, values + s->input_first + s->input[setup->input].first, sizeof in.external);
  setup->calls->step(&d->platform, &in);
  d->restart = false;
  platform_drive_show(d, values);
}

void platform_drive_tune(struct platform_drive *d, enum platform_mode mode,
                         const struct platform_params *params)
{
  struct platform_spec *spec = &d->setup.spec;
  /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): -0 for 0 only tunes once more */
  if (spec->mode == mode && memcmp(&spec->params, params, sizeof *params) == 0) return;
  spec->mode = mode;
  spec->params = *params;
  d->setup.calls->tune(&d->platform, mode, params);
}

void platform_drive_reload(struct platform_drive *d, enum platform_mode mode,
                           const struct platform_params *params)
{
  struct platform_params used = *params;
  double *to = (double *)&used, *ceiling = (double *)&d->ceiling;
  d->file = *params;
  d->raises = false;
  for (size_t i = 0; i < PARAMS; i++) {
    if (!params_is_limit(i)) continue;
    d->raises |= to[i] > ceiling[i];
    to[i] = ceiling[i] = fmin(to[i], ceiling[i]);
  }
  platform_drive_tune(d, mode, &used);
}

/* A limit that a command has lowered stays. */
void platform_drive_raise(struct platform_drive *d)
{
  if (!d->raises || !platform_drive_rests(d)) return;
  struct platform_params params = d->setup.spec.params;
  double *to = (double *)&params, *ceiling = (double *)&d->ceiling;
  const double *file = (const double *)&d->file;
  for (size_t i = 0; i < PARAMS; i++) {
    if (!params_is_limit(i)) continue;
    if (to[i] == ceiling[i]) to[i] = file[i];
    ceiling[i] = file[i];
  }
  d->raises = false;
  platform_drive_tune(d, d->setup.spec.mode, &params);
}

double platform_drive_ceiling(const struct platform_drive *d, uint32_t parameter)
{
  return d->there && parameter < PARAMS && params_is_limit(parameter)
             ? ((const double *)&d->ceiling)[parameter]
             : INFINITY;
}

int platform_drive_judge(const struct platform_drive *d, const struct platform_change *change, int n,
                         struct platform_params *params)
{
  *params = d->setup.spec.params;
  for (int i = 0; i < n; i++) {
    const uint32_t parameter = change[i].parameter;
    double value = change[i].value;
    if (!d->there || parameter >= PARAMS) return i;
    const struct params_scalar *of = &params_table[parameter];
    if (!(value >= of->least && value <= of->greatest)) return i;
    /* OSC brings floats: the ceiling itself, rounded up, is no higher value. */
    const double ceiling = platform_drive_ceiling(d, parameter);
    if ((float)value > (float)ceiling) return i;
    value = fmin(value, ceiling);
    memcpy((char *)params + parameter * sizeof value, &value, sizeof value);
  }
  return n > 0 && params_leave_notch(params) ? n : -1;
}

enum command_result platform_drive_set(struct platform_drive *d, const struct platform_change *change, int n)
{
  struct platform_params params;
  if (platform_drive_judge(d, change, n, &params) >= 0) return RESULT_BAD_ARGUMENT;
  platform_drive_tune(d, d->setup.spec.mode, &params);
  return RESULT_OK;
}

enum command_result platform_drive_jog(struct platform_drive *d, uint32_t argument, double fraction,
                                       uint32_t number, enum jog_answer *answer)
{
  const uint32_t part = argument % COMMAND_HAND, hand = argument / COMMAND_HAND;
  *answer = JOG_TAKEN;
  if (!d->there || part >= JOG_PARTS || !(fabs(fraction) <= 1.0)) return RESULT_BAD_ARGUMENT;
  *answer = jog_ask(&d->jog, &d->platform, part, fraction, hand, number);
  if (*answer == JOG_TAKEN) return RESULT_OK;
  return *answer == JOG_NOT_AT_REST ? RESULT_WRONG_STATE : RESULT_NOT_READY;
}

bool platform_drive_moves(const struct platform_drive *d)
{
  const double *velocity = d->platform.out.velocity;
  bool moves = false;
  for (int k = 0; k < PLATFORM_DOF; k++) moves |= velocity[k] != 0.0;
  return moves;
}

uint64_t platform_drive_patience(const struct platform_drive *d)
{
  const double cycles = ceil(at_rest_s / d->setup.spec.period);
  return cycles > AT_REST_CYCLES ? (uint64_t)cycles : AT_REST_CYCLES;
}

void platform_drive_tuning(const struct platform_drive *d, double *tuning)
{
  tuning[0] = (double)d->setup.spec.mode;
  memcpy(tuning + 1, &d->setup.spec.params, sizeof d->setup.spec.params);
  tuning[PLATFORM_TUNED] = d->held;
  tuning[PLATFORM_TUNED + 1] = d->jog.on ? d->jog.part + 1 : 0;
  tuning[PLATFORM_TUNED + 2] = d->jog.acts;
}

void platform_drive_retune(struct platform_drive *d, const double *tuning)
{
  struct platform_params params;
  memcpy(&params, tuning + 1, sizeof params);
  platform_drive_tune(d, (enum platform_mode)tuning[0], &params);
  d->held = tuning[PLATFORM_TUNED] != 0.0;
  jog_repeat(&d->jog, &d->platform, (int)tuning[PLATFORM_TUNED + 1] - 1, tuning[PLATFORM_TUNED + 2]);
}

void platform_drive_save(const struct platform_drive *d, void *to)
{
  memcpy(to, &d->platform, sizeof d->platform);
  memcpy((char *)to + sizeof d->platform, &d->jog, sizeof d->jog);
}

bool platform_drive_continue(struct platform_drive *d, const void *bytes, size_t size)
{
  int part;
  if (size != PLATFORM_DRIVE_BYTES || !platform_bytes_are_sound(bytes)) return false;
  memcpy(&part, (const char *)bytes + sizeof d->platform + offsetof(struct jog, part), sizeof part);
  if (part < -1 || part >= JOG_PARTS) return false;
  memcpy(&d->platform, bytes, sizeof d->platform);
  memcpy(&d->jog, (const char *)bytes + sizeof d->platform, sizeof d->jog);
  platform_rebind(&d->platform);
  d->setup.spec.mode = d->platform.spec.mode;
  d->setup.spec.params = d->platform.spec.params;
  return true;
}
