/* SPDX-License-Identifier: MIT */
#include "machine/rig_drive.h"

#include <string.h>

void rig_drive_init(struct rig_drive *d, const struct rig_setup *setup, const struct platform_drive *platform,
                    const struct signals *signals)
{
  memset(d, 0, sizeof *d);
  if (!setup || !setup->enabled || !platform->there) return;
  d->there = true;
  d->signals = signals;
  rig_init(&d->rig, &setup->spec, &platform->platform);
}

void rig_drive_show(const struct rig_drive *d, double *values)
{
  if (d->there) memcpy(values + d->signals->rig_first, &d->rig.out, sizeof d->rig.out);
}

static bool is_fresh_input(const struct inputs *in, int input)
{
  return input >= 0 && in->condition[input].state == INPUT_FRESH;
}

void rig_drive_step(struct rig_drive *d, const struct platform_drive *platform, const struct inputs *in,
                    double *values)
{
  if (!d->there) return;
  const struct rig_spec *spec = &d->rig.spec;
  struct rig_reading reading = {.value = in->value, .reports = is_fresh_input(in, spec->feedback)};
  /* An old report says nothing about the newer commands. */
  const uint64_t reported_ns = spec->feedback >= 0 ? in->channel[spec->feedback_channel].t_ns : 0;
  reading.arrived = reading.reports && reported_ns != d->reported_ns;
  d->reported_ns = reported_ns;
  for (int i = 0; i < spec->permissives; i++)
    if (is_fresh_input(in, spec->permissive[i].input)) reading.fresh |= UINT32_C(1) << i;
  rig_step(&d->rig, &platform->platform, &reading);
  rig_drive_show(d, values);
}

static bool parks_in(enum run_state state)
{
  return state != STATE_READY && state != STATE_RUNNING && state != STATE_PAUSED;
}

struct rig_verdict rig_drive_verdict(const struct rig_drive *d, enum run_state state)
{
  const struct rig_verdict fine = {.cause = RIG_FINE};
  if (!d->there) return fine;
  /* A rig in its park pose needs no stop, but with these requests it leaves that pose now. */
  if (d->rig.verdict.cause == RIG_FINE) return parks_in(state) ? fine : rig_lacks(&d->rig, false);
  return parks_in(state) ? rig_lacks(&d->rig, true) : d->rig.verdict;
}

struct rig_verdict rig_drive_lacks(const struct rig_drive *d, const struct platform_drive *platform,
                                   enum run_state state, uint32_t command)
{
  const struct rig_verdict fine = {.cause = RIG_FINE};
  if (!d->there) return fine;
  /* A motion needs all signs, the way to the park pose those with the reaction hold, a reset its own. */
  switch (command) {
  case COMMAND_ARM:
  case COMMAND_RUN:
  case COMMAND_JOG:
    return rig_lacks(&d->rig, false);
  case COMMAND_PARK:
    return rig_lacks(&d->rig, true);
  case COMMAND_RESET: {
    const struct rig_verdict held = rig_lacks(&d->rig, true);
    const int missing = rig_reset_lacks(&d->rig);
    if ((state != STATE_SAFE && state != STATE_FAULT) || rig_may_reset(&d->rig, &platform->platform))
      return fine;
    if (missing >= 0) return (struct rig_verdict){.cause = RIG_UNMET, .item = missing};
    return held.cause != RIG_FINE ? held : (struct rig_verdict){.cause = RIG_MOVES};
  }
  default:
    return fine;
  }
}

void rig_drive_command(struct rig_drive *d, uint32_t command)
{
  if (command == COMMAND_ARM || command == COMMAND_RUN || command == COMMAND_PARK) rig_release(&d->rig);
}

void rig_drive_trip(struct rig_drive *d, const struct platform_drive *platform, enum fault_code fault)
{
  const bool away = d->there && !platform_drive_rests(platform);
  if (away) d->rig.ride.trips++;
  if (away && fault == FAULT_ESTOP && d->rig.spec.on_estop == RIG_HOLD) rig_hold(&d->rig);
}
