/* SPDX-License-Identifier: MIT */
#include "frames/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAKES = 8 }; /* a slot is written in microseconds, once in a period */
/* Bounds of a ring that may belong to a stranger: memory that a reader takes at once, and the shortest period. */
static const uint64_t PART_MOST = (uint64_t)64 << 20, PERIOD_LEAST_NS = 1000;

/* A part of the file: `count` pieces of `bytes` from `at`, all of them behind the head. */
static bool part_fits(const struct frames_head *h, uint64_t at, uint64_t count, uint64_t bytes)
{
  return at >= sizeof *h && at <= h->size && (bytes == 0 || count <= (h->size - at) / bytes);
}

static bool text_fits(const struct frames_head *h, uint64_t at)
{
  return at >= h->texts_at && at - h->texts_at < h->texts_bytes;
}

static bool state_fits(const struct frames_head *h)
{
  const uint64_t room = h->state_bytes - sizeof(struct frames_state);
  return h->state_bytes >= sizeof(struct frames_state) && h->state_bytes <= h->size &&
         h->model_bytes <= room && h->platform_bytes <= room - h->model_bytes;
}

/* A hole in a file costs its owner nothing. */
static bool parts_are_small(const struct frames_head *h)
{
  return h->texts_bytes <= PART_MOST && h->flat_bytes <= PART_MOST && h->slot_bytes <= PART_MOST &&
         h->state_bytes <= PART_MOST && h->signals <= PART_MOST / sizeof(struct frames_name) &&
         h->inputs <= PART_MOST / sizeof(struct frames_name) && h->period_ns >= PERIOD_LEAST_NS;
}

/* Every offset and count leads to a place in the file. */
static bool head_makes_sense(const struct frames_head *h, uint64_t file_bytes)
{
  /* Ends within a slot, then every place. */
  const uint64_t inputs_end = h->input_at + (uint64_t)h->inputs * sizeof(struct frames_input);
  const uint64_t values_end = h->values_at + (uint64_t)h->signals * sizeof(double);
  const uint64_t tuning_end = h->tuning_at + (uint64_t)h->tuning * sizeof(double);
  return h->size == file_bytes && h->head_bytes == sizeof *h &&
         part_fits(h, h->signals_at, h->signals, sizeof(struct frames_name)) &&
         part_fits(h, h->inputs_at, h->inputs, sizeof(struct frames_name)) &&
         part_fits(h, h->texts_at, h->texts_bytes, 1) && text_fits(h, h->version_at) &&
         text_fits(h, h->model_at) && text_fits(h, h->config_at) && text_fits(h, h->extras_at) &&
         text_fits(h, h->record_at) && part_fits(h, h->flat_at, h->flat_bytes, 1) && h->events > 0 &&
         text_fits(h, h->yaml_at) && part_fits(h, h->events_at, h->events, sizeof(struct frames_event)) &&
         h->states > 0 && part_fits(h, h->states_at, h->states, h->state_bytes) && state_fits(h) &&
         h->slots > 0 && h->slot_bytes >= sizeof(struct frames_slot) && h->slot_bytes <= h->size &&
         h->slot_bytes % sizeof(double) == 0 && part_fits(h, h->slots_at, h->slots, h->slot_bytes) &&
         h->input_at >= sizeof(struct frames_slot) && h->input_at <= h->slot_bytes &&
         h->input_at % _Alignof(struct frames_input) == 0 && inputs_end <= h->slot_bytes &&
         h->tuning_at >= sizeof(struct frames_slot) && h->tuning_at <= h->slot_bytes &&
         h->tuning_at % sizeof(double) == 0 && tuning_end <= h->slot_bytes &&
         h->channel_first <= h->signals && h->channels <= h->signals - h->channel_first &&
         h->values_at >= sizeof(struct frames_slot) && h->values_at <= h->slot_bytes &&
         h->values_at % sizeof(double) == 0 && values_end <= h->slot_bytes;
}

/* The ring belongs to the daemon of the block. */
static bool judge_ring(const struct frames_reader *r, const struct stat *st, const char *path, char *error,
                       size_t size)
{
  const struct frames_head *h = &r->head;
  struct stat block;
  /* The file is of the user and of the version that we know. */
  if (fstat(r->telemetry.fd, &block) != 0 || block.st_uid != st->st_uid) {
    snprintf(error, size, "shared memory %s belongs to another user than the telemetry: not believed", path);
    return false;
  }
  if (h->magic == FRAMES_MAGIC && h->version != FRAMES_VERSION) {
    snprintf(error, size,
             "process %" PRId64
             " is another version of ali3d (frames %u, expected %d): restart it when its bench "
             "is free, or use the tools of its version (shared memory %s)",
             h->pid, h->version, FRAMES_VERSION, path);
    return false;
  }
  /* It is the ring of this process. */
  if (h->magic == FRAMES_MAGIC && h->pid == r->telemetry.pid && h->start_ns == r->telemetry.start_ns &&
      head_makes_sense(h, (uint64_t)st->st_size) && parts_are_small(h))
    return true;
  snprintf(error, size, "shared memory %s is not the frame ring of process %" PRId64, path, r->telemetry.pid);
  return false;
}

static bool names_fit(const struct frames_head *h, const struct frames_name *name, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    if (!text_fits(h, name[i].name_at) || !text_fits(h, name[i].unit_at) ||
        !text_fits(h, name[i].quantity_at) || name[i].part >= name[i].parts || name[i].part > i ||
        name[i].parts > n)
      return false;
  return true;
}

static bool read_tables(struct frames_reader *r, char *error, size_t size)
{
  /* The head is checked: these sizes are within the file. */
  const struct frames_head *h = &r->head;
  r->texts = malloc(h->texts_bytes + 1);
  r->signal = calloc((size_t)h->signals + 1, sizeof *r->signal);
  r->input = calloc((size_t)h->inputs + 1, sizeof *r->input);
  if (!r->texts || !r->signal || !r->input) {
    snprintf(error, size, "out of memory");
    return false;
  }
  r->texts[h->texts_bytes] = '\0';
  if (object_read(r->fd, r->texts, h->texts_bytes, h->texts_at) &&
      object_read(r->fd, r->signal, h->signals * sizeof *r->signal, h->signals_at) &&
      object_read(r->fd, r->input, h->inputs * sizeof *r->input, h->inputs_at) &&
      names_fit(h, r->signal, h->signals) && names_fit(h, r->input, h->inputs))
    return true;
  snprintf(error, size, "the frame ring of instance \"%s\" has tables that lead out of it",
           r->telemetry.instance);
  return false;
}

bool frames_open(struct frames_reader *r, const char *instance, char *error, size_t size)
{
  char path[OBJECT_PATH], why[160];
  struct stat st;
  *r = (struct frames_reader){.fd = -1};
  if (!telemetry_open(&r->telemetry, instance, error, size)) return false;
  /* Open the file beside the block, read the head, and judge it. */
  object_path(path, instance, OBJECT_FRAMES);
  r->fd = object_open(path, O_RDONLY, &st, why, sizeof why);
  bool good = r->fd >= 0;
  if (!good && errno == ENOENT)
    snprintf(error, size, "instance \"%s\" keeps no frames: telemetry.frames is 0", instance);
  else if (!good)
    snprintf(error, size, "shared memory %s %s", path, why);
  good = good && (object_read(r->fd, &r->head, sizeof r->head, 0) ||
                  (snprintf(error, size, "%s was cut", path), false));
  good = good && judge_ring(r, &st, path, error, size) && read_tables(r, error, size);
  if (!good) frames_close(r);
  return good;
}

bool frames_open_described(struct frames_reader *r, int fd, const char *instance, char *error, size_t size)
{
  *r = (struct frames_reader){.fd = fd, .telemetry = {.fd = -1}};
  snprintf(r->telemetry.instance, sizeof r->telemetry.instance, "%s", instance);
  if (object_read(fd, &r->head, sizeof r->head, 0) && read_tables(r, error, size)) return true;
  frames_close(r);
  return false;
}

void frames_close(struct frames_reader *r)
{
  if (r->fd >= 0) close(r->fd);
  telemetry_close(&r->telemetry);
  free(r->texts);
  free(r->signal);
  free(r->input);
  *r = (struct frames_reader){.fd = -1};
}

bool frames_alive(const struct frames_reader *r)
{
  return telemetry_alive(&r->telemetry);
}

bool frames_is_current(const struct frames_reader *r)
{
  return telemetry_is_current(&r->telemetry);
}

/* Checked when the ring was opened; the last byte of the texts is a 0 of our own. */
static const char *text_at(const struct frames_reader *r, uint64_t at)
{
  return r->texts + (at - r->head.texts_at);
}

const char *frames_signal_name(const struct frames_reader *r, uint32_t i)
{
  return i < r->head.signals ? text_at(r, r->signal[i].name_at) : "";
}

const char *frames_signal_unit(const struct frames_reader *r, uint32_t i)
{
  return i < r->head.signals ? text_at(r, r->signal[i].unit_at) : "";
}

const char *frames_signal_quantity(const struct frames_reader *r, uint32_t i)
{
  return i < r->head.signals ? text_at(r, r->signal[i].quantity_at) : "";
}

const char *frames_input_name(const struct frames_reader *r, uint32_t i)
{
  return i < r->head.inputs ? text_at(r, r->input[i].name_at) : "";
}

const char *frames_version(const struct frames_reader *r)
{
  return text_at(r, r->head.version_at);
}

const char *frames_model(const struct frames_reader *r)
{
  return text_at(r, r->head.model_at);
}

const char *frames_config(const struct frames_reader *r)
{
  return text_at(r, r->head.config_at);
}

const char *frames_yaml(const struct frames_reader *r)
{
  return text_at(r, r->head.yaml_at);
}

const char *frames_extras(const struct frames_reader *r)
{
  return text_at(r, r->head.extras_at);
}

const char *frames_record(const struct frames_reader *r)
{
  return text_at(r, r->head.record_at);
}

bool frames_flat(const struct frames_reader *r, void *to)
{
  return object_read(r->fd, to, r->head.flat_bytes, r->head.flat_at);
}

bool frames_written(const struct frames_reader *r, uint64_t *slots, uint64_t *events)
{
  return object_read(r->fd, slots, sizeof *slots, offsetof(struct frames_head, slots_written)) &&
         object_read(r->fd, events, sizeof *events, offsetof(struct frames_head, events_written));
}

/* Number n of a ring of pieces that begin with their sequence. */
static enum frames_got take_piece(int fd, uint64_t at, size_t bytes, uint64_t n, void *to)
{
  const uint64_t whole = 2 * n + 2;
  uint64_t before, after;
  for (int i = 0; i < TAKES; i++) {
    if (!object_read(fd, &before, sizeof before, at)) return FRAMES_CUT;
    if (before < whole) return FRAMES_NOT_YET;
    if (before > whole) return FRAMES_OVERTAKEN;
    if (!object_read(fd, to, bytes, at) || !object_read(fd, &after, sizeof after, at)) return FRAMES_CUT;
    if (after == before) return FRAMES_WHOLE;
  }
  return FRAMES_OVERTAKEN;
}

enum frames_got frames_take(const struct frames_reader *r, uint64_t n, struct frames_slot *to)
{
  const struct frames_head *h = &r->head;
  return take_piece(r->fd, h->slots_at + n % h->slots * h->slot_bytes, h->slot_bytes, n, to);
}

enum frames_got frames_take_head(const struct frames_reader *r, uint64_t n, struct frames_slot *to)
{
  const struct frames_head *h = &r->head;
  return take_piece(r->fd, h->slots_at + n % h->slots * h->slot_bytes, sizeof *to, n, to);
}

enum frames_got frames_take_event(const struct frames_reader *r, uint64_t n, struct frames_event *to)
{
  const struct frames_head *h = &r->head;
  const enum frames_got got = take_piece(r->fd, h->events_at + n % h->events * sizeof *to, sizeof *to, n, to);
  to->text[sizeof to->text - 1] = '\0';
  telemetry_clean_text(to->text, sizeof to->text);
  return got;
}

uint64_t frames_oldest_event(const struct frames_reader *r, uint64_t next, uint64_t events)
{
  const uint64_t oldest = events > r->head.events ? events - r->head.events : 0;
  return next < oldest ? oldest : next;
}

bool frames_states_written(const struct frames_reader *r, uint64_t *states)
{
  return object_read(r->fd, states, sizeof *states, offsetof(struct frames_head, states_written));
}

enum frames_got frames_take_state(const struct frames_reader *r, uint64_t n, struct frames_state *to)
{
  const struct frames_head *h = &r->head;
  return take_piece(r->fd, h->states_at + n % h->states * h->state_bytes, h->state_bytes, n, to);
}
