/* SPDX-License-Identifier: MIT
 * ali3-sim: the motion platform, as the loop of the daemon moves it in state RUNNING. */
#include "sim.h"

#include <stdlib.h>

/* s; the way from park to neutral takes some seconds on any rig that can be ridden. */
static const double ENGAGE_PATIENCE = 600.0;

/* Holds the model at its initial state until the platform runs, so that the first row is the start of a ride. */
static bool engage_platform(struct ride *r)
{
  const double period = r->drive.setup.spec.period;
  for (double t = 0.0; t < ENGAGE_PATIENCE; t += period) {
    platform_drive_step(&r->drive, STATE_RUNNING, r->values);
    if (platform_drive_state(&r->drive) == PLATFORM_RUN) return true;
  }
  fprintf(stderr, "ali3-sim: platform: expected state run within %g s of engaging\n", ENGAGE_PATIENCE);
  return false;
}

struct ride *ride_new(const struct settings *s, const struct signals *signals)
{
  char error[400] = "out of memory";
  struct ride *r = calloc(1, sizeof *r);
  if (r) r->signals = signals;
  if (r) r->values = calloc((size_t)signals->count, sizeof *r->values);
  if (r && r->values &&
      platform_drive_init(&r->drive, s->platform.enabled ? &s->platform : NULL, signals, error, sizeof error))
    return r;
  fprintf(stderr, "ali3-sim: %s\n", error);
  ride_free(r);
  return NULL;
}

void ride_free(struct ride *r)
{
  if (!r) return;
  script_close(r->script);
  free(r->wanted);
  free(r->values);
  free(r);
}

bool ride_want(struct ride *r, const struct quantities *q)
{
  if (r->drive.there) return true; /* the platform reads signals of the vehicle */
  r->wanted = calloc((size_t)r->signals->count, sizeof *r->wanted);
  if (!r->wanted) {
    fputs("ali3-sim: out of memory\n", stderr);
    return false;
  }
  for (int i = 0; i < q->columns; i++) r->wanted[q->column[i].signal] = true;
  signals_want(r->signals, r->wanted);
  return true;
}

static void observe_ride(struct ride *r, const ali3_model *m, const ali3_data *d)
{
  signals_observe_wanted(r->signals, m, d, r->script ? script_values(r->script) : NULL, r->wanted, r->values);
}

bool ride_start(struct ride *r, const ali3_model *m, const ali3_data *d)
{
  if (r->script) script_start(r->script, m, d);
  observe_ride(r, m, d);
  return !r->drive.there || engage_platform(r);
}

void ride_step(struct ride *r, const ali3_model *m, const ali3_data *d)
{
  observe_ride(r, m, d);
  if (r->drive.there) platform_drive_step(&r->drive, STATE_RUNNING, r->values);
}
