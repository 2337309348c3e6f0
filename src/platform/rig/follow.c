/* SPDX-License-Identifier: MIT */
#include "rig/follow.h"

#include "rig/forward.h"

#include <math.h>
#include <string.h>

enum {
  FIRST_STEPS = 12,
  STEPS = 3
}; /* Newton steps: for the first report, and from the last report to the next */

void follow_init(struct follow *f, const struct follow_spec *spec, double period)
{
  const double delay = spec->delay / period;
  memset(f, 0, sizeof *f);
  f->spec = *spec;
  f->delay = delay < FOLLOW_CYCLES_MAX ? delay : FOLLOW_CYCLES_MAX;
  f->keep = spec->filter > 0.0 ? exp(-period / spec->filter) : 0.0;
}

static void push_command(struct follow *f, const struct follow_position *commanded)
{
  f->newest = (f->newest + 1) % (FOLLOW_CYCLES_MAX + 1);
  f->past[f->newest] = *commanded;
  if (f->count <= FOLLOW_CYCLES_MAX) f->count++;
}

static const struct follow_position *command_before(const struct follow *f, int cycles)
{
  const int back = cycles < f->count ? cycles : f->count - 1;
  return &f->past[(f->newest - back + FOLLOW_CYCLES_MAX + 1) % (FOLLOW_CYCLES_MAX + 1)];
}

/* The command of a time between two cycles, on the straight line. */
static void command_then(const struct follow *f, struct follow_position *then)
{
  const int whole = (int)f->delay;
  const double part = f->delay - whole;
  const struct follow_position *late = command_before(f, whole), *early = command_before(f, whole + 1);
  for (int i = 0; i < PLATFORM_LEGS; i++) then->leg[i] = late->leg[i] + part * (early->leg[i] - late->leg[i]);
  for (int k = 0; k < PLATFORM_DOF; k++)
    then->pose[k] = late->pose[k] + part * (early->pose[k] - late->pose[k]);
}

/* The pose that belongs to the legs, or the legs that belong to the pose. */
static bool complete_position(struct follow *f, const struct hexapod *h, const struct follow_position *near,
                              const double *report)
{
  if (f->spec.legs) {
    memcpy(f->actual.leg, report, sizeof f->actual.leg);
    if (!f->known) memcpy(f->actual.pose, near->pose, sizeof f->actual.pose);
    if (forward_pose(h, report, f->known ? STEPS : FIRST_STEPS, f->actual.pose)) return true;
    /* The last pose was too far away: begin again from the commanded one. */
    memcpy(f->actual.pose, near->pose, sizeof f->actual.pose);
    return forward_pose(h, report, FIRST_STEPS, f->actual.pose);
  }
  struct hexapod_state s;
  memcpy(f->actual.pose, report, sizeof f->actual.pose);
  if (!hexapod_solve(h, report, NULL, &s)) return false;
  memcpy(f->actual.leg, s.leg, sizeof f->actual.leg);
  return true;
}

static double pow_of(double x, int n)
{
  double power = 1.0;
  for (int i = 0; i < n; i++) power *= x;
  return power;
}

void follow_step(struct follow *f, const struct hexapod *h, const struct follow_position *commanded,
                 const double *report)
{
  struct follow_position then;
  push_command(f, commanded);
  if (f->waited <= FOLLOW_CYCLES_MAX) f->waited++;
  if (!report) return;
  command_then(f, &then);
  f->known = complete_position(f, h, &then, report);
  const double weight = f->begun ? 1.0 - pow_of(f->keep, f->waited) : 1.0;
  f->waited = 0;
  /* Where the legs close to no pose, one half of the position is not known. */
  for (int i = 0; i < PLATFORM_LEGS && (f->known || f->spec.legs); i++)
    f->error[i] += weight * (f->actual.leg[i] - then.leg[i] - f->error[i]);
  double *error = f->error + PLATFORM_LEGS;
  for (int k = 0; k < PLATFORM_DOF && (f->known || !f->spec.legs); k++)
    error[k] += weight * (f->actual.pose[k] - then.pose[k] - error[k]);
  f->begun = true;
}

static double level_of(const struct follow_levels *levels, int i)
{
  if (i < PLATFORM_LEGS) return levels->leg;
  return i < PLATFORM_LEGS + 3 ? levels->position : levels->angle;
}

int follow_beyond(const struct follow *f, const struct follow_levels *levels)
{
  int worst = -1;
  double most = 1.0;
  for (int i = 0; i < FOLLOW_ERRORS; i++) {
    const double level = level_of(levels, i);
    if (!(level > 0.0) || !(fabs(f->error[i]) > most * level)) continue;
    most = fabs(f->error[i]) / level;
    worst = i;
  }
  return worst;
}
