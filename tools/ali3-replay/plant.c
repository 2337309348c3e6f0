/* SPDX-License-Identifier: MIT
 * The model of a recording. It repeats the actions of the loop in their order: restore, load, inputs, step, observe, platform. */
#include "replay.h"

#include "base/build_info.h"
#include "config/setup.h"
#include "inputs/inputs.h"
#include "rt/realtime.h"

#include <ali3/flat.h>
#include <ali3/model.h>
#include <ali3/state.h>
#include <ali3/version.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int replay_fail(int status, const char *file, const char *text)
{
  fprintf(stderr, "ali3-replay: %s: %s\n", file, text);
  return status;
}

/* The configuration in the recording, as a file of memory. Its descriptor; -1: there is none. */
static int yaml_file(const struct recording *r)
{
  size_t size;
  char *yaml = recording_bytes(r, "/model/yaml", &size);
  const int fd = yaml ? memfd_create("configuration", MFD_CLOEXEC) : -1;
  if (fd >= 0 && (write(fd, yaml, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)) {
    close(fd);
    free(yaml);
    return -1;
  }
  free(yaml);
  return fd;
}

/* isa NULL: as in the configuration; a daemon may have another one from its command line. */
static struct settings *load_settings(const struct recording *r, const char *with, const char *isa,
                                      FILE *errors)
{
  const struct settings_overrides over = {.inner = true, .isa = isa};
  char path[40];
  if (with) return setup_load(with, NULL, errors);
  const int fd = yaml_file(r);
  if (fd < 0) return NULL;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  struct settings *s = setup_load(path, &over, errors);
  close(fd);
  return s;
}

static bool has_hash(const struct recording *r, const ali3_model *m)
{
  unsigned char hash[ALI3_MODEL_HASH_SIZE];
  char text[2 * ALI3_MODEL_HASH_SIZE + 1];
  if (ali3_model_hash(m, hash) != ALI3_OK) return false;
  for (int i = 0; i < ALI3_MODEL_HASH_SIZE; i++) snprintf(text + 2 * i, 3, "%02x", hash[i]);
  return strcmp(text, r->hash) == 0;
}

/* Whether this program computes the same bits; EXIT_SAME, or EXIT_FOREIGN after saying why not. */
static int judge_build(const struct recording *r, const struct settings *s)
{
  char own[600], text[1500];
  /* Compare builds, instruction sets, and models. */
  snprintf(own, sizeof own, "ali3d " ALI3_VERSION "\n%s", build_info());
  if (strcmp(own, r->version) != 0) {
    snprintf(text, sizeof text,
             "another build recorded it, and bits are equal within one build only; --tolerance 1e-9 compares "
             "all the same\n"
             "  recorded by %s\n  this is     %s",
             r->version, own);
    return replay_fail(EXIT_FOREIGN, r->path, text);
  }
  if (strcmp(ali3_model_isa(s->model), r->isa) != 0) {
    snprintf(text, sizeof text,
             "it was computed with the instruction set %s, and this machine takes %s; record with "
             "simulation.isa: %s",
             r->isa, ali3_model_isa(s->model), r->isa);
    return replay_fail(EXIT_FOREIGN, r->path, text);
  }
  if (!has_hash(r, s->model))
    return replay_fail(EXIT_FOREIGN, r->path,
                       "the configuration in the file gives another model than the recorded one");
  return EXIT_SAME;
}

/* The settings that give the recorded model; otherwise those of the configuration as it stands. */
static struct settings *find_settings(const struct recording *r, const struct replay_options *o)
{
  struct settings *s = load_settings(r, o->with, NULL, stderr);
  if (!s || o->with || has_hash(r, s->model)) return s;
  FILE *nowhere = fopen("/dev/null", "w");
  struct settings *other = nowhere ? load_settings(r, NULL, r->isa, nowhere) : NULL;
  if (nowhere) fclose(nowhere);
  const bool found = other && has_hash(r, other->model);
  settings_free(found ? s : other);
  return found ? other : s;
}

static bool map_channels(struct plant_again *p, const struct recording *r)
{
  const struct signals *s = p->signals;
  p->channel_of = calloc((size_t)s->channels + 1, sizeof *p->channel_of);
  if (!p->channel_of) return false;
  for (int i = 0; i < s->channels; i++) {
    p->channel_of[i] = -1;
    for (uint32_t k = 0; k < r->channels; k++)
      if (strcmp(s->signal[s->input_first + i].name, r->channel[k]) == 0) p->channel_of[i] = (int)k;
  }
  return true;
}

/* Data in the initial state, platform, values. */
static int set_up_plant(struct plant_again *p, const struct recording *r, const struct replay_options *o)
{
  char error[256] = "out of memory";
  const struct settings *s = p->settings;
  const struct pool_config config = {.workers = o->workers, .priority = 0, .first_cpu = -1};
  /* Allocate, start the workers, then reset. */
  p->signals = s->signals;
  p->model = s->model;
  p->data = ali3_data_new(s->model);
  p->initial = malloc(ali3_state_size(s->model));
  p->values = calloc((size_t)p->signals->count + 1, sizeof *p->values);
  p->channels = calloc((size_t)p->signals->channels + 1, sizeof *p->channels);
  p->pool = o->workers > 0 ? pool_new(&config, error, sizeof error) : NULL;
  const bool workers = o->workers == 0 || p->pool;
  if (!workers || !p->data || !p->initial || !p->values || !p->channels || !map_channels(p, r) ||
      !platform_drive_init(&p->drive, s->platform.enabled ? &s->platform : NULL, p->signals, error,
                           sizeof error))
    return replay_fail(EXIT_USAGE, r->path, error);
  if (p->pool) ali3_data_set_exec(p->data, pool_exec(p->pool));
  if (setup_start(s, s->model, p->data, error, sizeof error) < 0 ||
      ali3_state_save(s->model, p->data, p->initial) != ALI3_OK)
    return replay_fail(EXIT_USAGE, o->with ? o->with : r->path,
                       "the model cannot be brought into its initial state");
  plant_again_reset(p);
  return EXIT_SAME;
}

int plant_again_open(struct plant_again *p, const struct recording *r, const struct replay_options *o)
{
  *p = (struct plant_again){.own = !o->with};
  realtime_flush_denormals(); /* as in the loop */
  p->settings = find_settings(r, o);
  if (!p->settings)
    return replay_fail(EXIT_USAGE, o->with ? o->with : r->path,
                       o->with ? "not read" : "it holds no configuration that this program can read");
  const int status = o->with || o->tolerance >= 0.0 ? EXIT_SAME : judge_build(r, p->settings);
  return status == EXIT_SAME ? set_up_plant(p, r, o) : status;
}

void plant_again_close(struct plant_again *p)
{
  ali3_data_free(p->data);
  ali3_model_free(p->tuned);
  ali3_model_free(p->recorded);
  if (p->pool) pool_free(p->pool);
  settings_free(p->settings);
  free(p->initial);
  free(p->values);
  free(p->channels);
  free(p->channel_of);
  *p = (struct plant_again){0};
}

static void restore_plant(struct plant_again *p)
{
  ali3_state_load(p->model, p->data, p->initial, ali3_state_size(p->model));
  p->drive.restart = true;
}

static void observe_plant(struct plant_again *p)
{
  signals_observe(p->signals, p->model, p->data, p->channels, p->values);
}

void plant_again_reset(struct plant_again *p)
{
  restore_plant(p);
  p->drive.restart = false;
  observe_plant(p);
  if (p->drive.there) platform_drive_show(&p->drive, p->values);
}

/* All numbers, to the bit. The bytes behind `crank` belong to no member: a compiler may put anything there. */
static bool is_same_geometry(const struct platform_geometry *a, const struct platform_geometry *b)
{
  return a->crank == b->crank &&
         memcmp(a->base, b->base, /* NOLINT(bugprone-suspicious-memory-comparison): numbers alone */
                sizeof *a - offsetof(struct platform_geometry, base)) == 0;
}

/* The platform goes on from a recorded state. Another configuration keeps its own parameters, and needs the same geometry:
 * otherwise its platform begins where it begins in a run. */
static bool load_platform(struct plant_again *p, const void *bytes, size_t size)
{
  const struct platform_spec own = p->drive.setup.spec;
  if (p->own) return platform_drive_continue(&p->drive, bytes, size);
  struct platform recorded;
  if (size != sizeof recorded) return true;
  memcpy(&recorded, bytes, size);
  if (!is_same_geometry(&recorded.spec.geometry, &own.geometry) || recorded.spec.period != own.period)
    return true;
  platform_drive_continue(&p->drive, bytes, size);
  struct platform_spec *now = &p->drive.platform.spec;
  *now = own;
  now->mode = recorded.spec.mode;
  now->params = recorded.spec.params;
  platform_drive_tune(&p->drive, own.mode, &own.params);
  return true;
}

/* The bytes of state n go into the model. */
static bool load_model(struct plant_again *p, const struct recording *r, const void *bytes, uint32_t version)
{
  if (!p->own) return plant_again_convert(p, r, bytes, version);
  return ali3_state_load(p->model, p->data, bytes, r->model_bytes) == ALI3_OK ||
         (replay_fail(EXIT_FOREIGN, r->path, "a state in the file belongs to another model or build"), false);
}

bool plant_again_load(struct plant_again *p, const struct recording *r, hsize_t n, uint32_t version)
{
  char *bytes = malloc(r->model_bytes + r->platform_bytes + 1);
  bool good = bytes && recording_state(r, n, bytes);
  if (!good) replay_fail(EXIT_FOREIGN, r->path, "a state in the file cannot be read");
  good = good && load_model(p, r, bytes, version);
  if (good && p->drive.there && !load_platform(p, bytes + r->model_bytes, r->platform_bytes))
    good = (replay_fail(EXIT_FOREIGN, r->path, "a state of the platform belongs to another build"), false);
  free(bytes);
  if (!good) return false;
  observe_plant(p);
  if (p->drive.there) platform_drive_show(&p->drive, p->values);
  return true;
}

static void take_channels(struct plant_again *p, const struct recording *r, hsize_t act)
{
  const double *recorded = r->inputs + act * r->channels;
  for (int i = 0; i < p->signals->channels; i++)
    if (p->channel_of[i] >= 0) p->channels[i] = recorded[p->channel_of[i]];
}

/* The parameters of the platform that hold in a cycle. */
static void take_tuning_of(struct plant_again *p, const struct recording *r, uint64_t cycle)
{
  hsize_t lower = 0, upper = r->tunings;
  while (lower < upper) {
    const hsize_t middle = (lower + upper) / 2;
    if (r->tuned[middle] <= cycle)
      lower = middle + 1;
    else
      upper = middle;
  }
  if (lower > 0 && r->tuning == PLATFORM_TUNING)
    platform_drive_retune(&p->drive, r->tuned_to + (lower - 1) * r->tuning);
}

/* The state after this cycle, which was loaded in it. */
static bool load_recorded(struct plant_again *p, const struct recording *r, hsize_t act)
{
  char *bytes = malloc(r->model_bytes + r->platform_bytes + 1);
  hsize_t i = 0;
  while (i < r->states && r->state_cycle[i] != r->act_cycle[act]) i++;
  bool good = bytes && i < r->states && recording_state(r, i, bytes);
  if (!good) replay_fail(EXIT_FOREIGN, r->path, "it does not have the state that was loaded");
  good = good && load_model(p, r, bytes, r->parameters[act]);
  free(bytes);
  p->drive.restart = true;
  return good;
}

/* Returns true if the model moved: its signals are new. */
static bool repeat_step(struct plant_again *p, uint32_t action, int *status)
{
  /* A step of the warm-up ends in the initial state. */
  if (action & FRAMES_WARMING) {
    restore_plant(p);
    return true;
  }
  if (!(action & FRAMES_STEPPED) || action & FRAMES_VOID) return false;
  const struct inputs in = {.signals = p->signals, .value = p->channels};
  inputs_apply(&in, p->model, p->data);
  *status = ali3_step(p->model, p->data);
  return *status >= 0;
}

bool plant_again_cycle(struct plant_again *p, const struct recording *r, hsize_t act, int *status)
{
  const uint32_t action = r->act[act];
  bool moved = (action & (FRAMES_RESTORED | FRAMES_LOADED)) != 0;
  *status = ALI3_OK;
  /* Inputs, parameters and states first, then the step and the platform. */
  take_channels(p, r, act);
  if (p->own && !plant_again_tune(p, r, r->parameters[act])) return false;
  if (action & FRAMES_RESTORED) restore_plant(p);
  if (action & FRAMES_LOADED && !load_recorded(p, r, act)) return false;
  moved |= repeat_step(p, action, status);
  if (moved)
    observe_plant(p);
  else
    memcpy(p->values + p->signals->input_first, p->channels,
           (size_t)p->signals->channels * sizeof *p->values);
  if (!p->drive.there) return true;
  if (p->own) take_tuning_of(p, r, r->act_cycle[act]);
  platform_drive_step(&p->drive, (enum run_state)r->state[act], p->values);
  return true;
}
