/* SPDX-License-Identifier: MIT
 * Rows are read as they are asked for: a page shows at most a hundred of them a second. */
#include "recording.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOP_COLUMNS = PHASES + 3, TEXT_MOST = 1 << 20, NAMES_MOST = 1 << 20 };

struct recording {
  hid_t file, values, cycle, t_ns, time, state, flags, fault, loop, events;
  struct frames_reader ring;
  uint64_t event_rows;
  uint64_t first_ns;
};

/* --- attributes --- */

/* A text, or a list of them, of fixed length: `count` pieces of *length bytes each. The caller frees it; NULL: there is none. */
static char *read_packed_texts(hid_t object, const char *name, size_t *count, size_t *length)
{
  *count = *length = 0;
  if (H5Aexists(object, name) <= 0) return NULL;
  /* Only texts of fixed length, and of a sensible size. */
  hid_t a = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(a), space = H5Aget_space(a);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  const size_t bytes = H5Tget_size(type);
  char *text = NULL;
  if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && n > 0 && n <= NAMES_MOST &&
      bytes > 0 && bytes <= TEXT_MOST)
    text = calloc((size_t)n + 1, bytes);
  if (text && H5Aread(a, type, text) >= 0) {
    *count = (size_t)n;
    *length = bytes;
  } else {
    free(text);
    text = NULL;
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  return text;
}

static bool read_number(hid_t object, const char *name, hid_t memory, void *to)
{
  if (H5Aexists(object, name) <= 0) return false;
  hid_t a = H5Aopen(object, name, H5P_DEFAULT);
  const bool good = H5Aread(a, memory, to) >= 0;
  H5Aclose(a);
  return good;
}

/* --- rows --- */

static uint64_t rows_of(hid_t dataset)
{
  hsize_t now[2] = {0, 0};
  hid_t space = H5Dget_space(dataset);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank == 1 || rank == 2) H5Sget_simple_extent_dims(space, now, NULL);
  H5Sclose(space);
  return now[0];
}

/* Row n of a dataset of `columns` numbers a row; 1: it has one dimension. */
static bool read_dataset_row(hid_t dataset, uint64_t n, hsize_t columns, hid_t memory, void *to)
{
  const hsize_t from[2] = {n, 0}, count[2] = {1, columns};
  hid_t space = H5Dget_space(dataset), row = H5Screate_simple(1, &columns, NULL);
  const bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
                    H5Dread(dataset, memory, row, space, H5P_DEFAULT, to) >= 0;
  H5Sclose(row);
  H5Sclose(space);
  return good;
}

uint64_t recording_rows(const struct recording *r)
{
  H5Drefresh(r->cycle);
  H5Drefresh(r->values);
  const uint64_t rows = rows_of(r->cycle), values = rows_of(r->values);
  return rows < values ? rows : values;
}

uint64_t recording_events(const struct recording *r)
{
  return r->event_rows;
}

enum frames_got recording_take(const struct recording *r, uint64_t n, struct frames_slot *to)
{
  uint32_t loop[LOOP_COLUMNS] = {0};
  if (n >= recording_rows(r)) return FRAMES_NOT_YET;
  /* One row of each dataset. */
  memset(to, 0, r->ring.head.slot_bytes);
  double *values = (double *)(void *)((char *)to + r->ring.head.values_at);
  const bool good = read_dataset_row(r->values, n, r->ring.head.signals, H5T_NATIVE_DOUBLE, values) &&
                    read_dataset_row(r->cycle, n, 1, H5T_NATIVE_UINT64, &to->cycle) &&
                    read_dataset_row(r->t_ns, n, 1, H5T_NATIVE_UINT64, &to->t_ns) &&
                    read_dataset_row(r->time, n, 1, H5T_NATIVE_DOUBLE, &to->time) &&
                    read_dataset_row(r->state, n, 1, H5T_NATIVE_UINT32, &to->state) &&
                    read_dataset_row(r->flags, n, 1, H5T_NATIVE_UINT32, &to->flags) &&
                    read_dataset_row(r->fault, n, 1, H5T_NATIVE_UINT32, &to->fault) &&
                    read_dataset_row(r->loop, n, LOOP_COLUMNS, H5T_NATIVE_UINT32, loop);
  to->wakeup_ns = loop[0];
  memcpy(to->phase_ns, loop + 1, sizeof to->phase_ns);
  to->step_ns = loop[PHASES + 1];
  to->cycle_ns = loop[PHASES + 2];
  return good ? FRAMES_WHOLE : FRAMES_CUT;
}

/* struct frames_event in memory; the file has members of these names. */
static hid_t event_members(void)
{
  hid_t text = H5Tcopy(H5T_C_S1), type = H5Tcreate(H5T_COMPOUND, sizeof(struct frames_event));
  H5Tset_size(text, FRAMES_EVENT_TEXT);
  H5Tset_cset(text, H5T_CSET_UTF8);
  H5Tinsert(type, "cycle", offsetof(struct frames_event, cycle), H5T_NATIVE_UINT64);
  H5Tinsert(type, "t_ns", offsetof(struct frames_event, t_ns), H5T_NATIVE_UINT64);
  H5Tinsert(type, "kind", offsetof(struct frames_event, kind), H5T_NATIVE_UINT32);
  H5Tinsert(type, "code", offsetof(struct frames_event, code), H5T_NATIVE_UINT32);
  H5Tinsert(type, "a", offsetof(struct frames_event, a), H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "b", offsetof(struct frames_event, b), H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "text", offsetof(struct frames_event, text), text);
  H5Tclose(text);
  return type;
}

enum frames_got recording_take_event(const struct recording *r, uint64_t n, struct frames_event *to)
{
  if (n >= r->event_rows) return FRAMES_NOT_YET;
  hid_t type = event_members();
  memset(to, 0, sizeof *to);
  const bool good = read_dataset_row(r->events, n, 1, type, to);
  H5Tclose(type);
  to->text[sizeof to->text - 1] = '\0';
  telemetry_clean_text(to->text, sizeof to->text);
  return good ? FRAMES_WHOLE : FRAMES_CUT;
}

static uint64_t row_time(const struct recording *r, uint64_t n)
{
  uint64_t t = 0;
  return read_dataset_row(r->t_ns, n, 1, H5T_NATIVE_UINT64, &t) ? t : 0;
}

double recording_length(const struct recording *r)
{
  const uint64_t rows = recording_rows(r);
  return rows ? (double)(row_time(r, rows - 1) - r->first_ns) * 1e-9 : 0;
}

uint64_t recording_row_at(const struct recording *r, double seconds)
{
  uint64_t low = 0, high = recording_rows(r);
  const uint64_t wanted = r->first_ns + (seconds > 0 ? (uint64_t)(seconds * 1e9) : 0);
  /* row low is at or before the time, row high is after it */
  while (high > low + 1) {
    const uint64_t middle = low + (high - low) / 2;
    if (row_time(r, middle) <= wanted)
      low = middle;
    else
      high = middle;
  }
  return low;
}

bool recording_flat(const struct recording *r, void *to)
{
  hid_t d = H5Dopen2(r->file, "/model/flat", H5P_DEFAULT);
  const bool good = d >= 0 && H5Dread(d, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) >= 0;
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

static char *attribute_text(hid_t object, const char *name)
{
  size_t count, length;
  char *text = read_packed_texts(object, name, &count, &length);
  return text ? text : calloc(1, 1);
}

/* Names and units of the columns, and the texts of the run, as a ring holds them. */
static bool fill_recording_ring(struct recording *r)
{
  size_t names, width, units, unit_width;
  char *name = read_packed_texts(r->values, "names", &names, &width),
       *unit = read_packed_texts(r->values, "units", &units, &unit_width);
  char *version = attribute_text(r->file, "version"), *model = attribute_text(r->file, "model"),
       *config = attribute_text(r->file, "config"), *extras = attribute_text(r->file, "extras");
  struct frames_reader *ring = &r->ring;
  struct frames_head *h = &ring->head;
  bool good = name && unit && names == units && version && model && config && extras;
  /* Room for all of them. */
  if (good) {
    ring->texts = calloc(names * (width + unit_width + 2) + strlen(version) + strlen(model) + strlen(config) +
                             strlen(extras) + 8,
                         1);
    ring->signal = calloc(names + 1, sizeof *ring->signal);
    good = ring->texts && ring->signal;
  }
  /* The texts of the run, then the names. */
  if (good) {
    append_texts(ring, "");
    h->version_at = append_texts(ring, version);
    h->model_at = append_texts(ring, model);
    h->config_at = append_texts(ring, config);
    h->extras_at = append_texts(ring, extras);
    h->signals = (uint32_t)names;
    for (size_t i = 0; i < names; i++) {
      struct frames_name *to = &ring->signal[i];
      *to = (struct frames_name){.parts = 1};
      name[i * width + width - 1] = unit[i * unit_width + unit_width - 1] = '\0';
      to->name_at = append_texts(ring, name + i * width);
      to->unit_at = append_texts(ring, unit + i * unit_width);
    }
    h->values_at = (sizeof(struct frames_slot) + 63) / 64 * 64;
    h->slot_bytes = h->values_at + names * sizeof(double);
  }
  free(name);
  free(unit);
  free(version);
  free(model);
  free(config);
  free(extras);
  return good;
}

/* The members of the head that come from attributes of the file. */
static void fill_recording_head(struct recording *r)
{
  struct frames_head *h = &r->ring.head;
  double period = 0;
  char *instance = attribute_text(r->file, "instance"), *hash = attribute_text(r->file, "model_hash");
  if (instance) snprintf(r->ring.telemetry.instance, sizeof r->ring.telemetry.instance, "%.63s", instance);
  for (int i = 0; hash && i < FRAMES_HASH && strlen(hash) == 2 * FRAMES_HASH; i++) {
    const char digits[3] = {hash[2 * i], hash[2 * i + 1], '\0'};
    h->hash[i] = (uint8_t)strtoul(digits, NULL, 16);
  }
  free(instance);
  free(hash);
  if (read_number(r->file, "period_s", H5T_NATIVE_DOUBLE, &period) && period > 0)
    h->period_ns = (uint64_t)(period * 1e9);
  hid_t flat = H5Dopen2(r->file, "/model/flat", H5P_DEFAULT);
  if (flat >= 0) h->flat_bytes = rows_of(flat);
  if (flat >= 0) H5Dclose(flat);
}

static hid_t open_dataset(const struct recording *r, const char *path)
{
  return H5Dopen2(r->file, path, H5P_DEFAULT);
}

struct recording *recording_open(const char *path, char *error, size_t size)
{
  /* The file: a recorder may still write it, and then it is in SWMR mode. */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  struct recording *r = calloc(1, sizeof *r);
  if (!r) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  r->ring.fd = -1;
  r->file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
  if (r->file < 0) r->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  char *format = r->file >= 0 ? attribute_text(r->file, "format") : NULL;
  const bool ours = format && strncmp(format, "ali3-recording ", strlen("ali3-recording ")) == 0;
  free(format);
  /* Its datasets. */
  if (ours) {
    r->values = open_dataset(r, "/frames/values");
    r->cycle = open_dataset(r, "/frames/cycle");
    r->t_ns = open_dataset(r, "/frames/t_ns");
    r->time = open_dataset(r, "/frames/time");
    r->state = open_dataset(r, "/frames/state");
    r->flags = open_dataset(r, "/frames/flags");
    r->fault = open_dataset(r, "/frames/fault");
    r->loop = open_dataset(r, "/frames/loop");
    r->events = open_dataset(r, "/events");
  }
  const bool whole = ours && r->values >= 0 && r->cycle >= 0 && r->t_ns >= 0 && r->time >= 0 &&
                     r->state >= 0 && r->flags >= 0 && r->fault >= 0 && r->loop >= 0;
  if (!whole || !fill_recording_ring(r)) {
    snprintf(error, size, "%s: expected a file of ali3-record, found %s", path,
             r->file < 0 ? "none that HDF5 can open" : "other contents");
    recording_close(r);
    return NULL;
  }
  fill_recording_head(r);
  if (recording_rows(r) == 0) {
    snprintf(error, size, "%s: the recording has no cycle", path);
    recording_close(r);
    return NULL;
  }
  r->event_rows = r->events >= 0 ? rows_of(r->events) : 0;
  r->first_ns = row_time(r, 0);
  return r;
}

void recording_close(struct recording *r)
{
  if (!r) return;
  const hid_t all[] = {r->values, r->cycle, r->t_ns, r->time,  r->state,
                       r->flags,  r->fault, r->loop, r->events};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i] > 0) H5Dclose(all[i]);
  if (r->file >= 0) H5Fclose(r->file);
  free(r->ring.texts);
  free(r->ring.signal);
  free(r);
}

const struct frames_reader *recording_ring(const struct recording *r)
{
  return &r->ring;
}
