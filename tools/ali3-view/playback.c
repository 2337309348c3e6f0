/* SPDX-License-Identifier: MIT
 * Rows are read as they are asked for: a page shows at most a hundred of them a second. */
#include "playback.h"

#include "page/meshes.h"
#include "recording/parts.h"
#include "recording/recording.h"

#include <stdlib.h>
#include <string.h>

enum { LOOP_COLUMNS = PHASES + 3 };

struct playback {
  hid_t file, values, cycle, t_ns, time, state, flags, fault, loop, events;
  struct frames_reader ring;
  uint64_t event_rows;
  uint64_t first_ns;
};

/* --- rows --- */

static uint64_t count_rows(hid_t dataset)
{
  hsize_t size[2];
  parts_size(dataset, size);
  return size[0];
}

uint64_t playback_rows(const struct playback *p)
{
  H5Drefresh(p->cycle);
  H5Drefresh(p->values);
  const uint64_t rows = count_rows(p->cycle), values = count_rows(p->values);
  return rows < values ? rows : values;
}

uint64_t playback_events(const struct playback *p)
{
  return p->event_rows;
}

enum frames_got playback_take(const struct playback *p, uint64_t n, struct frames_slot *to)
{
  uint32_t loop[LOOP_COLUMNS] = {0};
  if (n >= playback_rows(p)) return FRAMES_NOT_YET;
  /* One row of each dataset. */
  memset(to, 0, p->ring.head.slot_bytes);
  double *values = (double *)(void *)((char *)to + p->ring.head.values_at);
  const bool good = parts_rows(p->values, H5T_NATIVE_DOUBLE, n, 1, p->ring.head.signals, values) &&
                    parts_rows(p->cycle, H5T_NATIVE_UINT64, n, 1, 0, &to->cycle) &&
                    parts_rows(p->t_ns, H5T_NATIVE_UINT64, n, 1, 0, &to->t_ns) &&
                    parts_rows(p->time, H5T_NATIVE_DOUBLE, n, 1, 0, &to->time) &&
                    parts_rows(p->state, H5T_NATIVE_UINT32, n, 1, 0, &to->state) &&
                    parts_rows(p->flags, H5T_NATIVE_UINT32, n, 1, 0, &to->flags) &&
                    parts_rows(p->fault, H5T_NATIVE_UINT32, n, 1, 0, &to->fault) &&
                    parts_rows(p->loop, H5T_NATIVE_UINT32, n, 1, LOOP_COLUMNS, loop);
  to->wakeup_ns = loop[0];
  memcpy(to->phase_ns, loop + 1, sizeof to->phase_ns);
  to->step_ns = loop[PHASES + 1];
  to->cycle_ns = loop[PHASES + 2];
  return good ? FRAMES_WHOLE : FRAMES_CUT;
}

enum frames_got playback_take_event(const struct playback *p, uint64_t n, struct frames_event *to)
{
  if (n >= p->event_rows) return FRAMES_NOT_YET;
  hid_t type = recording_event_type();
  memset(to, 0, sizeof *to);
  const bool good = parts_rows(p->events, type, n, 1, 0, to);
  H5Tclose(type);
  to->text[sizeof to->text - 1] = '\0';
  telemetry_clean_text(to->text, sizeof to->text);
  return good ? FRAMES_WHOLE : FRAMES_CUT;
}

static uint64_t row_time(const struct playback *p, uint64_t n)
{
  uint64_t t = 0;
  return parts_rows(p->t_ns, H5T_NATIVE_UINT64, n, 1, 0, &t) ? t : 0;
}

double playback_length(const struct playback *p)
{
  const uint64_t rows = playback_rows(p);
  return rows ? (double)(row_time(p, rows - 1) - p->first_ns) * 1e-9 : 0;
}

uint64_t playback_row_at(const struct playback *p, double seconds)
{
  uint64_t low = 0, high = playback_rows(p);
  const uint64_t wanted = p->first_ns + (seconds > 0 ? (uint64_t)(seconds * 1e9) : 0);
  /* row low is at or before the time, row high is after it */
  while (high > low + 1) {
    const uint64_t middle = low + (high - low) / 2;
    if (row_time(p, middle) <= wanted)
      low = middle;
    else
      high = middle;
  }
  return low;
}

bool playback_flat(const struct playback *p, void *to)
{
  hsize_t size[2];
  hid_t d = parts_dataset(p->file, "/model/flat", size);
  const bool good =
      d >= 0 && size[0] == p->ring.head.flat_bytes && parts_rows(d, H5T_NATIVE_UINT8, 0, size[0], 0, to);
  if (d >= 0) H5Dclose(d);
  return good;
}

/* --- the head of a ring --- */

static uint64_t append_texts(struct frames_reader *ring, const char *text)
{
  const uint64_t at = ring->head.texts_bytes;
  memcpy(ring->texts + at, text, strlen(text) + 1);
  ring->head.texts_bytes += strlen(text) + 1;
  return at;
}

static size_t room_of_texts(char *const *text, uint32_t count)
{
  size_t room = 0;
  for (uint32_t i = 0; i < count; i++) room += strlen(text[i]) + 1;
  return room;
}

/* The texts of the run, then the names and units of the columns, as a ring holds them. */
static bool fill_ring_texts(struct frames_reader *ring, char *const run[4], char *const *name,
                            char *const *unit, uint32_t names)
{
  struct frames_head *h = &ring->head;
  uint64_t *const at[4] = {&h->version_at, &h->model_at, &h->config_at, &h->extras_at};
  /* Room for all of them, then the texts of the run, then the columns. */
  ring->texts =
      calloc(room_of_texts(run, 4) + room_of_texts(name, names) + room_of_texts(unit, names) + 8, 1);
  ring->signal = calloc((size_t)names + 1, sizeof *ring->signal);
  if (!ring->texts || !ring->signal) return false;
  append_texts(ring, "");
  for (int i = 0; i < 4; i++) *at[i] = append_texts(ring, run[i]);
  h->signals = names;
  for (uint32_t i = 0; i < names; i++) {
    struct frames_name *to = &ring->signal[i];
    *to = (struct frames_name){.parts = 1};
    to->name_at = append_texts(ring, name[i]);
    to->unit_at = append_texts(ring, unit[i]);
  }
  h->values_at = (sizeof(struct frames_slot) + 63) / 64 * 64;
  h->slot_bytes = h->values_at + names * sizeof(double);
  return true;
}

/* meshes NULL: the folders that the recording names. */
static bool fill_ring(struct playback *p, const char *meshes)
{
  static const char *const attribute[4] = {"version", "model", "config", "extras"};
  uint32_t names, units;
  char *run[4], **name = parts_texts(p->values, "names", &names),
                **unit = parts_texts(p->values, "units", &units);
  bool good = name && unit && names == units;
  for (int i = 0; i < 4; i++) {
    run[i] = parts_text(p->file, attribute[i]);
    good &= run[i] != NULL;
  }
  /* The recording may come from another machine. */
  if (good && meshes) {
    char *moved = meshes_move(run[3], meshes);
    free(run[3]);
    run[3] = moved;
    good = moved != NULL;
  }
  good = good && fill_ring_texts(&p->ring, run, name, unit, names);
  for (int i = 0; i < 4; i++) free(run[i]);
  free(name);
  free(unit);
  return good;
}

/* The members of the head that come from attributes of the file. */
static void fill_ring_head(struct playback *p)
{
  struct frames_head *h = &p->ring.head;
  double period = 0;
  hsize_t size[2];
  char *instance = parts_text(p->file, "instance"), *hash = parts_text(p->file, "model_hash");
  if (instance) snprintf(p->ring.telemetry.instance, sizeof p->ring.telemetry.instance, "%.63s", instance);
  for (int i = 0; hash && i < FRAMES_HASH && strlen(hash) == 2 * FRAMES_HASH; i++) {
    const char digits[3] = {hash[2 * i], hash[2 * i + 1], '\0'};
    h->hash[i] = (uint8_t)strtoul(digits, NULL, 16);
  }
  free(instance);
  free(hash);
  /* Clocks, period and model. */
  parts_number(p->file, "start_utc_ns", H5T_NATIVE_UINT64, &h->start_utc);
  parts_number(p->file, "start_monotonic_ns", H5T_NATIVE_UINT64, &h->start_ns);
  parts_number(p->file, "period_s", H5T_NATIVE_DOUBLE, &period);
  if (period > 0) h->period_ns = (uint64_t)(period * 1e9);
  hid_t flat = parts_dataset(p->file, "/model/flat", size);
  if (flat < 0) return;
  h->flat_bytes = size[0] <= PARTS_BYTES ? size[0] : 0;
  H5Dclose(flat);
}

static hid_t open_column(const struct playback *p, const char *path)
{
  hsize_t size[2];
  return parts_dataset(p->file, path, size);
}

struct playback *playback_open(const char *path, const char *meshes, char *error, size_t size)
{
  recording_quiet();
  struct playback *p = calloc(1, sizeof *p);
  if (!p) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  p->ring.fd = -1;
  p->file = parts_open(path, error, size);
  if (p->file < 0) {
    playback_close(p);
    return NULL;
  }
  /* Its datasets. */
  p->values = open_column(p, "/frames/values");
  p->cycle = open_column(p, "/frames/cycle");
  p->t_ns = open_column(p, "/frames/t_ns");
  p->time = open_column(p, "/frames/time");
  p->state = open_column(p, "/frames/state");
  p->flags = open_column(p, "/frames/flags");
  p->fault = open_column(p, "/frames/fault");
  p->loop = open_column(p, "/frames/loop");
  p->events = open_column(p, "/events");
  const bool whole = p->values >= 0 && p->cycle >= 0 && p->t_ns >= 0 && p->time >= 0 && p->state >= 0 &&
                     p->flags >= 0 && p->fault >= 0 && p->loop >= 0;
  if (!whole || !fill_ring(p, meshes) || playback_rows(p) == 0) {
    snprintf(error, size, "%s: %s", path,
             whole ? "the recording has no cycle" : "damaged; ali3-replay recover copies the whole rows");
    playback_close(p);
    return NULL;
  }
  fill_ring_head(p);
  p->event_rows = p->events >= 0 ? count_rows(p->events) : 0;
  p->first_ns = row_time(p, 0);
  return p;
}

void playback_close(struct playback *p)
{
  if (!p) return;
  const hid_t all[] = {p->values, p->cycle, p->t_ns, p->time,  p->state,
                       p->flags,  p->fault, p->loop, p->events};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] > 0) H5Dclose(all[i]);
  if (p->file >= 0) H5Fclose(p->file);
  free(p->ring.texts);
  free(p->ring.signal);
  free(p);
}

const struct frames_reader *playback_ring(const struct playback *p)
{
  return &p->ring;
}
