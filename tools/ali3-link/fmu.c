/* SPDX-License-Identifier: MIT
 * An FMU as a participant: what its description says, and its steps. */
#include "fmu.h"

#include "fmu/importer.h"
#include "fmu/unpack.h"
#include "rt/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The length of its steps, where it is not free to take any. */
static bool choose_period(struct participant *p, struct report *r)
{
  const struct description *d = &fmu_of(p)->description;
  p->period = p->keys.step;
  p->usual_period = d->step;
  if (p->period > 0.0 || (d->steps_vary && !(d->fixed_step > 0.0))) return true;
  p->period = d->fixed_step > 0.0 ? d->fixed_step : d->step;
  if (p->period > 0.0) return true;
  report_error(r, p->at,
               "%s: the FMU takes steps of one length, and does not say of which; add step: SECONDS",
               p->name);
  return false;
}

static bool check_object(const struct participant *p, struct report *r)
{
  const struct description *d = &fmu_of(p)->description;
  char name[400];
  if (!d->identifier || !d->token) {
    report_error(r, p->at, "%s: %s is not for co-simulation", p->name, p->path);
    return false;
  }
  snprintf(name, sizeof name, "binaries/%s/%s.so", importer_platform(d->version), d->identifier);
  if (fmu_has_entry(p->path, name)) return true;
  report_error(r, p->at, "%s: %s has no object for this machine, %s", p->name, p->path, name);
  return false;
}

static bool fmu_describe(struct participant *p, struct report *r)
{
  char why[FMU_WHY];
  struct fmu *f = calloc(1, sizeof *f);
  p->state = f;
  if (!f) {
    report_error(r, p->at, "out of memory");
    return false;
  }
  if (!description_read(&f->description, p->path, why)) {
    report_error(r, p->at, "%s: %s", p->name, why);
    return false;
  }
  return check_object(p, r) && choose_period(p, r) && fmu_read_presets(p, r);
}

static bool fmu_connect(struct participant *p)
{
  (void)p;
  return true;
}

/* --- steps --- */

static void fmu_begin(struct participant *p)
{
  struct fmu *f = fmu_of(p);
  for (int i = 0; i < p->in.count; i++) f->block->value[i] = p->in.slot[i].value;
  f->block->steps = p->steps;
  f->block->size = p->period;
  p->progress = WAITS;
  p->again_ns = UINT64_MAX;
  snprintf(p->trouble, sizeof p->trouble, "its step from %.9g s does not end", p->time);
  /* A process that has ended is seen when its answer is read. */
  (void)!send(p->fd, "s", 1, MSG_NOSIGNAL);
}

static void fmu_again(struct participant *p)
{
  (void)p; /* a socket loses nothing */
}

static enum progress fmu_receive(struct participant *p)
{
  struct fmu *f = fmu_of(p);
  p->progress = fmu_take_answer(p);
  if (p->progress != DONE) return p->progress;
  f->block->stage = FMU_IDLES;
  p->time = (double)++f->made * p->period * p->steps;
  for (int i = 0; i < p->out.count; i++) {
    struct slot *s = &p->out.slot[i];
    s->value = f->block->value[p->in.count + i];
    if (isfinite(s->value)) continue;
    participant_fail(p, "%s is %g at %.9g s", s->name, s->value, p->time);
    return FAILED;
  }
  p->trouble[0] = '\0';
  p->known = true;
  return DONE;
}

static void fmu_close(struct participant *p)
{
  struct fmu *f = fmu_of(p);
  if (!f) return;
  fmu_end(p);
  description_free(&f->description);
  free(f->preset);
  free(f);
}

const struct participant_kind fmu_kind = {fmu_describe, fmu_find,  fmu_connect, fmu_start,
                                          fmu_begin,    fmu_again, fmu_receive, fmu_close};
