/* SPDX-License-Identifier: MIT
 * A recording of what is computed. It has the cycles of the recording and all signals. Times, flags and ages, which nobody
 * computes, are those of the recording; so are the times of the loop, as far as it has them. */
#include "replay.h"

#include "base/build_info.h"
#include "config/setup.h"
#include "frames/writer.h"
#include "recording/parts.h"

#include <ali3/state.h>
#include <ali3/version.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double WRITTEN_STATE_EVERY = 60.0; /* s */

static bool fail_writing(const struct writing *w, const char *text)
{
  replay_fail(EXIT_USAGE, w->options.once, text);
  return false;
}

/* --- set-up --- */

/* All numbers of a dataset with a row for each row of signals; *width: of a row, 0 where it has one number. */
static uint32_t *read_head_table(const struct recording *r, const char *path, uint32_t *width)
{
  hsize_t size[2];
  hid_t d = parts_dataset(r->file, path, size);
  const bool there = d >= 0 && size[0] >= r->rows && parts_are_stored(d, size, sizeof(uint32_t));
  const size_t numbers = there ? (size_t)(r->rows * (size[1] > 0 ? size[1] : 1)) : 0;
  uint32_t *table = calloc(numbers + 1, sizeof *table);
  const bool good = there && table && parts_rows(d, H5T_NATIVE_UINT32, 0, r->rows, size[1], table);
  if (d >= 0) H5Dclose(d);
  *width = good ? (uint32_t)size[1] : 0;
  return table;
}

static bool read_heads(struct writing *w)
{
  const struct recording *r = w->r;
  uint32_t width, ages;
  w->t_ns = calloc((size_t)r->rows + 1, sizeof *w->t_ns);
  w->flags = read_head_table(r, "/frames/flags", &width);
  w->fault = read_head_table(r, "/frames/fault", &width);
  w->loop = read_head_table(r, "/frames/loop", &width);
  w->input_age = read_head_table(r, "/frames/input_age_ms", &w->inputs);
  w->input_state = read_head_table(r, "/frames/input_state", &ages);
  return w->t_ns && w->flags && w->fault && w->loop && w->input_age && w->input_state &&
         width == PHASES + 3 && ages == w->inputs && recording_times(r, w->t_ns);
}

/* Inputs and times of the loop by their names in the recording. */
static bool map_recorded_names(struct writing *w)
{
  const struct recording *r = w->r;
  const struct signals *s = w->plant->signals;
  uint32_t named = 0;
  hsize_t size[2];
  hid_t d = parts_dataset(r->file, "/frames/input_age_ms", size);
  char **name = d >= 0 ? parts_texts(d, "names", &named) : NULL;
  if (d >= 0) H5Dclose(d);
  w->input_of = calloc((size_t)s->inputs + 1, sizeof *w->input_of);
  w->figure_of = calloc((size_t)s->figures + 1, sizeof *w->figure_of);
  const bool good = w->input_of && w->figure_of;
  /* -1 stands for what the recording does not have. */
  for (int i = 0; good && i < s->inputs; i++) {
    w->input_of[i] = -1;
    for (uint32_t k = 0; k < named && k < w->inputs; k++)
      if (strcmp(name[k], s->input[i].name) == 0) w->input_of[i] = (int)k;
  }
  for (int i = 0; good && i < s->figures; i++)
    w->figure_of[i] = recording_find(r, s->signal[s->figure_first + i].name);
  free(name);
  return good;
}

/* Layout and tables, as a daemon with this configuration makes them. */
static bool describe_again(struct writing *w, const struct replay_options *o)
{
  const struct recording *r = w->r;
  const struct settings *s = w->plant->settings;
  char version[600], error[200] = "out of memory";
  size_t yaml_bytes;
  snprintf(version, sizeof version, "ali3d " ALI3_VERSION "\n%s", build_info());
  /* The texts, and the clock of the recorded daemon. */
  struct telemetry *telemetry = calloc(1, sizeof *telemetry);
  char *extras = setup_picture_extras(s),
       *yaml = o->with ? NULL : recording_bytes(r, "/model/yaml", &yaml_bytes);
  if (telemetry) telemetry->start_ns = r->start_ns;
  const struct frames_plan plan = {.telemetry = telemetry,
                                   .model = s->model,
                                   .signals = s->signals,
                                   .period_ns = (uint64_t)llround(r->period * 1e9),
                                   .start_utc = r->start_utc,
                                   .platform_bytes = s->platform.enabled ? PLATFORM_DRIVE_BYTES : 0,
                                   .tuning = s->platform.enabled ? PLATFORM_TUNING : 0,
                                   .version = version,
                                   .config = o->with ? o->with : r->config,
                                   .yaml = yaml ? yaml : s->text,
                                   .extras = extras};
  /* The ring copies all of them. */
  const int fd = telemetry ? frames_describe(&plan) : -1;
  if (telemetry && fd < 0) snprintf(error, sizeof error, "%s", strerror(errno));
  const bool good = fd >= 0 && frames_open_described(&w->ring, fd, r->instance, error, sizeof error);
  free(telemetry);
  free(extras);
  free(yaml);
  return good || fail_writing(w, error);
}

static bool take_all_columns(struct writing *w)
{
  const uint32_t n = w->ring.head.signals;
  w->columns = (struct columns){.signal = calloc((size_t)n + 1, sizeof *w->columns.signal)};
  for (uint32_t i = 0; w->columns.signal && i < n; i++) w->columns.signal[w->columns.count++] = i;
  return w->columns.signal != NULL;
}

bool writing_open(struct writing *w, const struct recording *r, const struct plant_again *p,
                  const struct replay_options *o)
{
  *w = (struct writing){.r = r, .plant = p, .ring.fd = -1};
  w->options = (struct run_file_options){.program = "ali3-replay",
                                         .once = o->write,
                                         .label = r->label,
                                         .unsynced = true,
                                         .divisor = r->divisor > 0 ? (long)r->divisor : 1};
  /* Refuse first, then make room. */
  if (access(o->write, F_OK) == 0)
    return fail_writing(w, "expected no such file: --write does not replace one");
  if (fabs(p->settings->options.dt - r->period) > 1e-9 * r->period)
    return fail_writing(w, "--write needs a configuration with the cycle.period of the recording");
  if (!describe_again(w, o)) return false;
  w->slot = calloc(1, w->ring.head.slot_bytes);
  w->state = calloc(1, w->ring.head.state_bytes);
  w->history.state = calloc(1, sizeof(struct frames_state *));
  w->history.ring = &w->ring;
  if (!w->slot || !w->state || !w->history.state || !take_all_columns(w))
    return fail_writing(w, "out of memory");
  return (read_heads(w) && map_recorded_names(w)) ||
         fail_writing(w, "the heads of the recorded cycles cannot be read");
}

/* --- cycles --- */

/* The state of model and platform after a cycle. False: it has another size than those of the file, as with other parameters. */
static bool take_computed_state(struct writing *w, uint64_t cycle)
{
  const struct plant_again *p = w->plant;
  char *bytes = (char *)(w->state + 1);
  if (ali3_state_size(p->model) != w->ring.head.model_bytes ||
      ali3_state_save(p->model, p->data, bytes) != ALI3_OK)
    return false;
  if (w->ring.head.platform_bytes) platform_drive_save(&p->drive, bytes + w->ring.head.model_bytes);
  w->state->cycle = cycle;
  w->state_due = cycle + (uint64_t)(WRITTEN_STATE_EVERY / w->r->period);
  return true;
}

static void fill_slot_head(struct writing *w, hsize_t act, hsize_t row, int status)
{
  const struct recording *r = w->r;
  struct frames_slot *s = w->slot;
  const uint32_t *loop = w->loop + row * (PHASES + 3);
  s->cycle = r->act_cycle[act];
  s->t_ns = w->t_ns[row];
  s->time = ali3_data_report(w->plant->data)->time;
  s->state = r->state[act];
  s->flags = w->flags[row];
  s->fault = w->fault[row];
  /* Sets of parameters belong to the recorded configuration. */
  s->action = r->act[act] & (w->plant->own ? ~0u : ~(uint32_t)FRAMES_TUNED);
  s->parameters = w->plant->own ? r->parameters[act] : 0;
  s->status = status;
  s->wakeup_ns = loop[0];
  memcpy(s->phase_ns, loop + 1, sizeof s->phase_ns);
  s->step_ns = loop[PHASES + 1];
  s->cycle_ns = loop[PHASES + 2];
}

static void fill_slot(struct writing *w, hsize_t act, hsize_t row, const double *recorded, int status)
{
  const struct plant_again *p = w->plant;
  const struct signals *s = p->signals;
  const struct frames_head *h = &w->ring.head;
  struct frames_input *input = frames_slot_inputs(h, w->slot);
  double *values = frames_slot_values(h, w->slot);
  fill_slot_head(w, act, row, status);
  /* Ages of the inputs; an input that was not recorded was never set. */
  for (int i = 0; i < s->inputs; i++) {
    const size_t at = row * w->inputs + (size_t)(w->input_of[i] < 0 ? 0 : w->input_of[i]);
    input[i].age_ms = w->input_of[i] < 0 ? UINT32_MAX : w->input_age[at];
    input[i].state = w->input_of[i] < 0 ? 0 : w->input_state[at];
  }
  if (h->tuning) platform_drive_tuning(&p->drive, frames_slot_tuning(h, w->slot));
  /* Signals: computed ones, then the times of the loop. */
  memcpy(values, p->values, (size_t)s->count * sizeof *values);
  for (int i = 0; i < s->figures; i++)
    values[s->figure_first + i] = w->figure_of[i] < 0 ? NAN : recorded[w->figure_of[i]];
}

/* Events of the written cycles, and the older parameters that lead to the model in use. */
static bool write_events_of_cycles(struct writing *w)
{
  const struct recording *r = w->r;
  for (hsize_t i = 0; i < r->events; i++) {
    const struct frames_event *e = &r->event[i];
    const bool parameter = e->kind == FRAMES_EVENT_PARAMETER;
    const bool within = e->cycle >= w->file.first_cycle && e->cycle <= w->last_cycle;
    const bool wanted = parameter ? w->plant->own && e->cycle <= w->last_cycle : within;
    if (wanted && !run_file_add_event(&w->file, e)) return false;
  }
  return true;
}

bool writing_begin_cycle(struct writing *w, hsize_t act, bool behind_gap)
{
  const uint64_t cycle = w->r->act_cycle[act];
  if (w->begun && !behind_gap) return true;
  const bool has_state = take_computed_state(w, cycle - 1);
  if (w->begun) {
    w->file.lost += cycle - w->last_cycle - 1;
    w->file.gap = true;
    if (has_state) acted_keep(&w->file, w->state);
    return true;
  }
  /* The state ahead of the first row. */
  w->history.states = has_state;
  w->history.state[0] = w->state;
  w->slot->cycle = cycle;
  return w->begun = run_file_open(&w->file, &w->options, &w->history, &w->columns, w->slot);
}

bool writing_add(struct writing *w, hsize_t act, hsize_t row, const double *recorded, int status)
{
  const uint64_t cycle = w->r->act_cycle[act];
  const bool loaded = w->r->act[act] & FRAMES_LOADED, due = loaded || cycle >= w->state_due;
  w->last_cycle = cycle;
  if (!recorded) return fail_writing(w, "a row of the recording cannot be read");
  fill_slot(w, act, row, recorded, status);
  return run_file_add(&w->file, w->slot, due && take_computed_state(w, cycle) ? w->state : NULL);
}

bool writing_close(struct writing *w, bool good)
{
  if (w->begun) {
    good = good && write_events_of_cycles(w);
    good = run_file_close(&w->file, "replayed") && good;
    if (!good) {
      unlink(w->options.once);
      unlink(w->file.part);
    }
  }
  frames_close(&w->ring);
  void *const all[] = {
      w->columns.signal, w->history.state, w->slot,      w->state,       w->t_ns,     w->flags,
      w->fault,          w->loop,          w->input_age, w->input_state, w->input_of, w->figure_of,
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  *w = (struct writing){0};
  return good;
}
