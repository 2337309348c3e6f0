/* SPDX-License-Identifier: MIT */
#include "daemon/reload.h"

#include "config/changes.h"
#include "daemon/log.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

enum { STACK_KB = 1024, NAMES = 600 };

void reload_ask(struct reload *r)
{
  r->wanted = true;
}

static void *read_file(void *arg)
{
  struct reload *r = arg;
  r->read = settings_load(r->file, &r->over, r->said);
  atomic_store_explicit(&r->done, true, memory_order_release);
  return NULL;
}

static void begin(struct reload *r)
{
  sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_now_ns() / 1000);
  r->read = NULL;
  atomic_store(&r->done, false);
  r->said = open_memstream(&r->text, &r->size);
  const int status = r->said ? thread_start_ordinary(&r->thread, "ali3-reload", STACK_KB, read_file, r) : -1;
  r->reading = status == 0;
  if (r->reading) return;
  log_line(LOG_LEVEL_ERROR, "%s: cannot be read again: %s; nothing is changed", r->file,
           status > 0 ? strerror(status) : ali3_status_text(ALI3_E_MEMORY));
  if (r->said) fclose(r->said);
  free(r->text);
  sd_notify(0, "READY=1");
}

/* Of each mistake the first line, which has file, line and key; the others show the place to people at a terminal. */
static void log_mistakes(struct reload *r)
{
  char *rest = NULL;
  for (char *line = strtok_r(r->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (strstr(line, ": error: ")) log_line(LOG_LEVEL_ERROR, "%s", line);
  log_line(LOG_LEVEL_ERROR, "%s: not applied: everything stays as it was", r->file);
}

static bool tune(struct cycle *c, const struct settings *s, const struct settings *started)
{
  const int inputs = settings_same_inputs(started, s) ? s->inputs : 0;
  struct tuning *t = calloc(1, sizeof *t + (size_t)inputs * sizeof *t->input);
  if (!t) return false;
  *t = (struct tuning){.overrun = (enum overrun)s->cycle.overrun,
                       .catch_up = s->cycle.catch_up,
                       .max_misses = s->cycle.max_misses,
                       .grace = s->cycle.grace,
                       .platform = s->platform.enabled && settings_same_platform(started, s),
                       .mode = s->platform.setup.spec.mode,
                       .params = s->platform.setup.spec.params,
                       .inputs = inputs};
  if (inputs) memcpy(t->input, s->input, (size_t)inputs * sizeof *t->input);
  cycle_tune(c, t);
  free(t);
  return true;
}

/* What holds now: inputs of a file that does not fit them were passed over, as was another platform. */
static struct settings in_force(const struct reload *r)
{
  const struct settings *tuned = r->tuned ? r->tuned : r->started;
  struct settings s = r->applied ? *r->applied : *r->started;
  s.input = tuned->input;
  s.inputs = tuned->inputs;
  s.inputs_print = tuned->inputs_print;
  s.platform = r->started->platform;
  if (r->platform_tuned) s.platform.setup = r->platform;
  return s;
}

static void keep(struct reload *r)
{
  struct settings *applied = r->applied, *tuned = r->tuned;
  r->applied = r->read;
  if (settings_same_inputs(r->started, r->read)) r->tuned = r->read;
  if (settings_same_platform(r->started, r->read)) {
    r->platform_tuned = true;
    r->platform = r->read->platform.setup;
  }
  if (applied != r->tuned) settings_free(applied);
  if (tuned != r->tuned && tuned != applied) settings_free(tuned);
}

/* A file without the platform may say what does not go with the one that is there until the restart. */
static void keep_overrun(struct reload *r)
{
  const struct settings *before = r->applied ? r->applied : r->started;
  if (!r->started->platform.enabled || r->read->cycle.overrun != OVERRUN_CATCH_UP) return;
  r->read->cycle.overrun = before->cycle.overrun;
  log_line(LOG_LEVEL_WARNING, "%s: needs a restart: cycle.overrun: catch_up does not go with the platform",
           r->file);
}

static void apply(struct reload *r, struct cycle *c)
{
  char names[NAMES];
  keep_overrun(r);
  if (!tune(c, r->read, r->started)) {
    log_line(LOG_LEVEL_ERROR, "%s: not applied: %s", r->file, ali3_status_text(ALI3_E_MEMORY));
    settings_free(r->read);
    return;
  }
  const struct settings before = in_force(r);
  if (settings_changes(&before, r->read, true, names, sizeof names))
    log_line(LOG_LEVEL_NOTICE, "%s: changed: %s", r->file, names);
  else
    log_line(LOG_LEVEL_INFO, "%s: read again, nothing to change", r->file);
  if (r->platform_set && settings_same_platform(r->started, r->read)) {
    log_line(LOG_LEVEL_NOTICE, "%s: of the platform what was set over OSC is as the file says again",
             r->file);
    r->platform_set = false;
  }
  if (settings_changes(r->started, r->read, false, names, sizeof names))
    log_line(LOG_LEVEL_WARNING, "%s: needs a restart: %s", r->file, names);
  keep(r);
}

static void finish(struct reload *r, struct cycle *c)
{
  pthread_join(r->thread, NULL);
  r->reading = false;
  fclose(r->said);
  if (r->read)
    apply(r, c);
  else
    log_mistakes(r);
  free(r->text);
  r->text = NULL;
  sd_notify(0, "READY=1");
}

void reload_tick(struct reload *r, struct cycle *c)
{
  if (r->reading && atomic_load_explicit(&r->done, memory_order_acquire)) finish(r, c);
  if (!r->wanted || r->reading) return;
  r->wanted = false;
  begin(r);
}

void reload_close(struct reload *r)
{
  if (r->reading) {
    pthread_join(r->thread, NULL);
    fclose(r->said);
    free(r->text);
    settings_free(r->read);
  }
  if (r->tuned != r->applied) settings_free(r->tuned);
  settings_free(r->applied);
}
