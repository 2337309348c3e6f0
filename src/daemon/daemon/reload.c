/* SPDX-License-Identifier: MIT */
#include "daemon/reload.h"

#include "config/changes.h"
#include "config/setup.h"
#include "cueing/params.h"
#include "daemon/service.h"
#include "log/log.h"
#include "parameters/param_server.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <ali3/status.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_KB = 1024, NAMES = 600, SPARE = 4 << 20 /* bytes of free memory to keep */ };
static const uint64_t LONG_NS = 10 * NS_PER_S; /* limit for one reading */
/* Minimum between two readings: any number of SIGHUPs causes five a second at most. */
static const uint64_t BETWEEN_NS = NS_PER_S / 5;

void reload_ask(struct reload *r)
{
  r->wanted = true;
}

/* State of the thread, which owns its data until DONE: a read() from a server that does not answer may never return. */
enum { WORKING, DONE, ABANDONED /* nobody waits for it: the thread frees its data */ };
struct reading {
  const char *file;
  struct settings_overrides over;
  FILE *messages; /* mistakes in the file are written here, into `text` */
  char *text;
  size_t size;
  struct settings *read; /* NULL: the file has mistakes */
  struct offer *offer;   /* parameters of the model, for the parameter server; NULL: given away */
  bool offered,
      tell_none; /* the parameter server gets them once the reading is freed; see param_server_offer_values() */
  atomic_int state;
};

static void reading_free(struct reading *g)
{
  if (!g) return;
  settings_free(g->read);
  offer_free(g->offer);
  free(g->text);
  free(g);
}

static void end_work(struct reading *g)
{
  if (atomic_exchange(&g->state, DONE) == ABANDONED) reading_free(g);
}

static bool is_done(struct reading *g)
{
  return atomic_load_explicit(&g->state, memory_order_acquire) == DONE;
}

static void *read_in_thread(void *arg)
{
  struct reading *g = arg;
  g->read = setup_load(g->file, &g->over, g->messages);
  if (g->read && !offer_read(g->offer, g->read->model)) {
    settings_free(g->read);
    g->read = NULL;
    fprintf(g->messages, "%s: error: out of memory\n", g->file);
  }
  fclose(g->messages);
  end_work(g);
  return NULL;
}

/* All memory is locked, so free memory in the heap is lost to other processes. Runs in a thread: freeing a large model
 * takes longer than a tick. */
static void *free_reading(void *arg)
{
  struct reading *g = arg;
  settings_free(g->read);
  g->read = NULL;
  malloc_trim(SPARE);
  end_work(g);
  return NULL;
}

/* The copy owns its list of inputs and its fingerprints. Its model and its other lists belong to the settings of the start. The
 * tuning is allocated here, because malloc() may keep a block for the thread that calls it: allocated beside a large model,
 * it could keep such a block above the memory of the model, which then never returns to the system. */
static bool copy_started(struct reload *r)
{
  const struct settings *s = r->started;
  if (r->copied) return true;
  r->force = *s;
  r->force.fingerprints = fingerprints_copy(s->fingerprints);
  r->force.input = s->inputs ? malloc((size_t)s->inputs * sizeof *s->input) : NULL;
  r->tuning = malloc(sizeof *r->tuning + (size_t)s->inputs * sizeof *r->tuning->input);
  if (!r->force.fingerprints || (s->inputs && !r->force.input) || !r->tuning) {
    fingerprints_free(r->force.fingerprints);
    free(r->force.input);
    free(r->tuning);
    return false;
  }
  if (s->inputs) memcpy(r->force.input, s->input, (size_t)s->inputs * sizeof *s->input);
  r->copied = true;
  return true;
}

static struct reading *reading_new(const struct reload *r)
{
  struct reading *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  g->file = r->file;
  g->over = r->over;
  g->over.again = true;
  g->offer = offer_new(r->file);
  g->messages = g->offer ? open_memstream(&g->text, &g->size) : NULL;
  if (g->messages) return g;
  reading_free(g);
  return NULL;
}

static void say_reloading(struct reload *r, uint64_t now_ns)
{
  char lines[SERVICE_TEXT];
  snprintf(lines, sizeof lines, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, now_ns / 1000);
  service_change(r->service, lines);
}

static void begin_reading(struct reload *r, uint64_t now_ns)
{
  say_reloading(r, now_ns);
  r->reading = copy_started(r) ? reading_new(r) : NULL;
  r->since_ns = now_ns;
  r->slow = r->freeing = false;
  const int status =
      r->reading ? thread_start_ordinary(&r->thread, "ali3-reload", STACK_KB, read_in_thread, r->reading)
                 : -1;
  if (status == 0) return;
  log_line(LOG_LEVEL_ERROR, "%s: cannot be reread: %s; nothing changes", r->file,
           status > 0 ? strerror(status) : ali3_status_text(ALI3_E_MEMORY));
  if (r->reading) fclose(r->reading->messages);
  reading_free(r->reading);
  r->reading = NULL;
  service_change(r->service, "READY=1");
}

/* Logs the first line of each mistake, which has file, line and key; the other lines show the position to people at a
 * terminal. */
static void log_mistakes(struct reload *r)
{
  char *rest = NULL;
  for (char *line = strtok_r(r->reading->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
    if (strstr(line, ": error: ")) log_line(LOG_LEVEL_ERROR, "%s", line);
  log_line(LOG_LEVEL_ERROR, "%s: not applied; correct the file and reload again", r->file);
}

/* The platform of the file may be another one, which waits for a restart with all its keys. */
static bool takes_platform(const struct reload *r, const struct settings *read)
{
  return read->platform.enabled && settings_same_section(r->started, read, "platform");
}

static const struct input_spec *find_input(const struct settings *s, const char *name)
{
  for (int i = 0; i < s->inputs; i++)
    if (strcmp(s->input[i].name, name) == 0) return &s->input[i];
  return NULL;
}

/* Takes the live keys of a reading, also of each input whose other keys are those of the start. Names stay. */
static void keep_live_keys(struct reload *r, const struct settings *read)
{
  struct settings *force = &r->force;
  force->cycle.live = read->cycle.live;
  for (int i = 0; i < force->inputs; i++) {
    char *name = r->started->input[i].name;
    if (!settings_same_element(r->started, read, "inputs", name)) continue;
    force->input[i] = *find_input(read, name);
    force->input[i].name = name;
  }
  if (settings_same_section(r->started, read, "platform")) force->platform = read->platform;
  settings_keep_changes(force, read);
}

static void tune_loop(const struct reload *r, struct cycle *c, bool platform)
{
  const struct settings *s = &r->force;
  struct cycle_tuning *t = r->tuning;
  *t = (struct cycle_tuning){.live = s->cycle.live,
                             .platform = platform,
                             .mode = s->platform.spec.mode,
                             .params = s->platform.spec.params,
                             .inputs = s->inputs};
  if (s->inputs) memcpy(t->input, s->input, (size_t)s->inputs * sizeof *t->input);
  cycle_tune(c, t);
}

/* A file without the platform may have keys that do not go with the platform that runs until the restart. Returns the number
 * of keys that wait for it. */
static int keep_overrun(struct reload *r, struct settings *read)
{
  if (!r->started->platform.enabled || read->cycle.live.overrun != OVERRUN_CATCH_UP) return 0;
  read->cycle.live.overrun = r->force.cycle.live.overrun;
  settings_keep_key(read, &r->force, "cycle", "overrun");
  log_line(LOG_LEVEL_WARNING, "%s: needs a restart: cycle.overrun: the platform does not allow catch_up",
           r->file);
  return 1;
}

/* A person may ride now who relies on the limits from before. */
static void log_raised_limits(const struct reload *r, const struct settings *read)
{
  const double *before = (const double *)&r->force.platform.spec.params,
               *now = (const double *)&read->platform.spec.params;
  if (!takes_platform(r, read)) return;
  for (size_t i = 0; i < PARAMS; i++)
    if (params_is_limit(i) && now[i] > before[i])
      log_line(
          LOG_LEVEL_NOTICE,
          "%s: platform.%s: raised from %g to %g %s, which counts once the platform is parked in STOPPED",
          r->file, params_table[i].name, before[i], now[i], params_table[i].unit);
}

static void apply_reading(struct reload *r, struct cycle *c)
{
  struct settings *read = r->reading->read;
  const bool platform = takes_platform(r, read);
  char names[NAMES];
  int waiting = keep_overrun(r, read);
  log_raised_limits(r, read);
  /* Log the live keys that changed, and the keys that need a restart. */
  int changes = settings_changes(&r->force, read, true, names, sizeof names);
  if (changes) log_line(LOG_LEVEL_NOTICE, "%s: changed: %s", r->file, names);
  if (r->platform_set && platform) {
    log_line(LOG_LEVEL_NOTICE, "%s: platform parameters set over OSC are back to the values of the file",
             r->file);
    r->platform_set = false;
    changes++;
  }
  waiting += settings_changes(&r->force, read, false, names, sizeof names);
  if (names[0]) log_line(LOG_LEVEL_WARNING, "%s: needs a restart: %s", r->file, names);
  keep_live_keys(r, read);
  tune_loop(r, c, platform);
  /* The parameter server takes the parameters of the model. They may differ from those of an unchanged file, so only the server
   * knows whether nothing changed. */
  r->reading->tell_none = changes + waiting == 0;
  r->reading->offered = true;
}

/* The parameter server may keep small blocks for reuse. Above the memory of a large reading they would hold all of it, so the
 * server gets its offer after that memory is free. */
static void end_reading(struct reload *r)
{
  if (r->reading->offered) {
    param_server_offer_values(r->param_server, r->reading->offer, r->reading->tell_none);
    r->reading->offer = NULL;
  }
  reading_free(r->reading);
  r->reading = NULL;
}

static void start_freeing(struct reload *r)
{
  struct reading *g = r->reading;
  r->freeing = true;
  atomic_store(&g->state, WORKING);
  if (thread_start_ordinary(&r->thread, "ali3-reload", STACK_KB, free_reading, g) == 0) return;
  end_reading(r);
}

static void finish_reading(struct reload *r, struct cycle *c)
{
  pthread_join(r->thread, NULL);
  if (r->freeing) {
    /* Until it ended, the thread kept some small blocks for reuse, above the large free ones. */
    malloc_trim(SPARE);
    end_reading(r);
    return;
  }
  if (r->reading->read)
    apply_reading(r, c);
  else
    log_mistakes(r);
  service_change(r->service, "READY=1");
  start_freeing(r);
}

static void look_at_slow(struct reload *r, uint64_t now_ns)
{
  if (r->slow || r->freeing || now_ns - r->since_ns < LONG_NS) return;
  r->slow = true;
  log_line(LOG_LEVEL_WARNING, "%s: reading it takes longer than %d s; check its file system", r->file,
           (int)(LONG_NS / NS_PER_S));
}

void reload_tick(struct reload *r, struct cycle *c, uint64_t now_ns)
{
  if (r->reading && is_done(r->reading))
    finish_reading(r, c);
  else if (r->reading)
    look_at_slow(r, now_ns);
  const bool early = r->since_ns && now_ns - r->since_ns < BETWEEN_NS;
  if (!r->wanted || r->reading || early) return;
  r->wanted = false;
  begin_reading(r, now_ns);
}

void reload_close(struct reload *r)
{
  if (r->reading && atomic_exchange(&r->reading->state, ABANDONED) == DONE) {
    pthread_join(r->thread, NULL);
    reading_free(r->reading);
  } else if (r->reading) {
    pthread_detach(r->thread);
  }
  r->reading = NULL;
  if (!r->copied) return;
  fingerprints_free(r->force.fingerprints);
  free(r->force.input);
  free(r->tuning);
}
