/* SPDX-License-Identifier: MIT */
#include "recording/recording.h"

#include "recording/parts.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recording_quiet(void)
{
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

hid_t recording_event_type(void)
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

/* --- datasets --- */

/* rows[0] rows of the dataset of /lead, then rows[1] rows of that of /replay. False: they have fewer rows. A file that is still
 * written may have more. */
static bool read_both(const struct recording *r, const char *name, hid_t memory, size_t bytes, hsize_t width,
                      const hsize_t rows[2], void **to)
{
  char path[2][80];
  hsize_t size[2][2];
  hid_t d[2];
  snprintf(path[0], sizeof path[0], "/lead/%s", name);
  snprintf(path[1], sizeof path[1], "/replay/%s", name);
  bool good = true;
  /* Compare their lengths before anything is read. */
  for (int i = 0; i < 2; i++) {
    d[i] = parts_dataset(r->file, path[i], size[i]);
    good &= d[i] < 0 ? rows[i] == 0 : size[i][0] >= rows[i] && parts_are_stored(d[i], size[i], bytes);
  }
  const hsize_t numbers = width > 0 ? width : 1;
  *to = good ? calloc((size_t)((rows[0] + rows[1]) * numbers) + 1, bytes) : NULL;
  good = *to && (d[0] < 0 || parts_rows(d[0], memory, 0, rows[0], width, *to)) &&
         (d[1] < 0 || parts_rows(d[1], memory, 0, rows[1], width, (char *)*to + rows[0] * numbers * bytes));
  for (int i = 0; i < 2; i++)
    if (d[i] >= 0) H5Dclose(d[i]);
  return good;
}

static bool read_whole_dataset(const struct recording *r, const char *path, hid_t memory, size_t bytes,
                               hsize_t size[2], void **to)
{
  hid_t d = parts_dataset(r->file, path, size);
  if (d < 0) return false;
  const bool stored = parts_are_stored(d, size, bytes);
  *to = stored ? calloc((size_t)(size[0] * (size[1] > 0 ? size[1] : 1)) + 1, bytes) : NULL;
  const bool good = *to && parts_rows(d, memory, 0, size[0], size[1], *to);
  H5Dclose(d);
  return good;
}

char *recording_bytes(const struct recording *r, const char *path, size_t *size)
{
  hsize_t n[2];
  void *bytes = NULL;
  *size = 0;
  hid_t d = parts_dataset(r->file, path, n);
  if (d >= 0) H5Dclose(d);
  if (n[0] > PARTS_BYTES) return NULL;
  if (!read_whole_dataset(r, path, H5T_NATIVE_UINT8, 1, n, &bytes)) {
    free(bytes);
    return NULL;
  }
  *size = (size_t)n[0];
  return bytes;
}

/* --- parts of a recording --- */

static bool read_signals(struct recording *r)
{
  hsize_t size[2];
  uint32_t units;
  hid_t d = parts_dataset(r->file, "/frames/values", size);
  if (d < 0) return false;
  r->name = parts_texts(d, "names", &r->signals);
  r->unit = parts_texts(d, "units", &units);
  hid_t type = H5Dget_type(d);
  r->single = H5Tget_size(type) == sizeof(float);
  H5Tclose(type);
  H5Dclose(d);
  return r->name && r->unit && units == r->signals && size[1] == r->signals &&
         read_whole_dataset(r, "/frames/cycle", H5T_NATIVE_UINT64, sizeof *r->cycle, size,
                            (void **)&r->cycle) &&
         ((r->rows = size[0]), true);
}

/* The cycles that are whole: their numbers are the last that reach the file. */
static bool read_acts(struct recording *r)
{
  hsize_t lead[2] = {0, 0}, own[2], inputs[2];
  hid_t d = parts_dataset(r->file, "/lead/cycle", lead);
  if (d >= 0) H5Dclose(d);
  d = parts_dataset(r->file, "/replay/cycle", own);
  if (d < 0) return true; /* a recording of an older program */
  H5Dclose(d);
  const hsize_t rows[2] = {lead[0], own[0]};
  r->acts = lead[0] + own[0];
  d = parts_dataset(r->file, "/replay/inputs", inputs);
  if (d >= 0) {
    uint32_t units;
    r->channel = parts_texts(d, "names", &r->channels);
    r->channel_unit = parts_texts(d, "units", &units);
    H5Dclose(d);
    if (!r->channel || !r->channel_unit || units != r->channels || inputs[1] != r->channels) return false;
  }
  return read_both(r, "cycle", H5T_NATIVE_UINT64, sizeof *r->act_cycle, 0, rows, (void **)&r->act_cycle) &&
         read_both(r, "action", H5T_NATIVE_UINT32, sizeof *r->act, 0, rows, (void **)&r->act) &&
         read_both(r, "state", H5T_NATIVE_UINT32, sizeof *r->state, 0, rows, (void **)&r->state) &&
         read_both(r, "parameters", H5T_NATIVE_UINT32, sizeof *r->parameters, 0, rows,
                   (void **)&r->parameters) &&
         (r->channels == 0 || read_both(r, "inputs", H5T_NATIVE_DOUBLE, sizeof *r->inputs, r->channels, rows,
                                        (void **)&r->inputs));
}

static bool read_states(struct recording *r)
{
  hsize_t size[2], model[2], platform[2];
  if (!read_whole_dataset(r, "/state/cycle", H5T_NATIVE_UINT64, sizeof *r->state_cycle, size,
                          (void **)&r->state_cycle))
    return r->acts == 0;
  r->states = size[0];
  /* Sizes of a state, then the parameters of the platform. */
  hid_t d = parts_dataset(r->file, "/state/blob", model),
        e = parts_dataset(r->file, "/state/platform", platform);
  r->model_bytes = (size_t)model[1];
  r->platform_bytes = (size_t)platform[1];
  if (d >= 0) H5Dclose(d);
  if (e >= 0) H5Dclose(e);
  if (e < 0) return d >= 0;
  const bool good = read_whole_dataset(r, "/platform_parameters/cycle", H5T_NATIVE_UINT64, sizeof *r->tuned,
                                       size, (void **)&r->tuned);
  r->tunings = size[0];
  const bool numbers = good && read_whole_dataset(r, "/platform_parameters/values", H5T_NATIVE_DOUBLE,
                                                  sizeof *r->tuned_to, size, (void **)&r->tuned_to);
  r->tuning = (uint32_t)size[1];
  return numbers && size[0] >= r->tunings;
}

static bool read_events(struct recording *r)
{
  hsize_t size[2];
  hid_t type = recording_event_type();
  const bool good = read_whole_dataset(r, "/events", type, sizeof *r->event, size, (void **)&r->event);
  H5Tclose(type);
  r->events = good ? size[0] : 0;
  for (hsize_t i = 0; i < r->events; i++) {
    r->event[i].text[sizeof r->event[i].text - 1] = '\0';
    parts_clean(r->event[i].text);
  }
  return good;
}

static void read_attributes(struct recording *r)
{
  r->instance = parts_text(r->file, "instance");
  r->model = parts_text(r->file, "model");
  r->version = parts_text(r->file, "version");
  r->isa = parts_text(r->file, "isa");
  r->hash = parts_text(r->file, "model_hash");
  r->label = parts_text(r->file, "label");
  r->config = parts_text(r->file, "config");
  parts_number(r->file, "period_s", H5T_NATIVE_DOUBLE, &r->period);
  parts_number(r->file, "start_utc_ns", H5T_NATIVE_UINT64, &r->start_utc);
  parts_number(r->file, "start_monotonic_ns", H5T_NATIVE_UINT64, &r->start_ns);
  parts_number(r->file, "divisor", H5T_NATIVE_UINT64, &r->divisor);
  parts_number(r->file, "lost", H5T_NATIVE_UINT64, &r->lost);
  parts_number(r->file, "closed", H5T_NATIVE_UINT64, &r->closed);
}

bool recording_open(struct recording *r, const char *path, char *error, size_t size)
{
  *r = (struct recording){.path = path};
  r->file = parts_open(path, error, size);
  if (r->file < 0) return false;
  read_attributes(r);
  if (read_signals(r) && read_acts(r) && read_states(r) && read_events(r)) return true;
  snprintf(error, size, "%s: damaged; ali3-replay recover copies the whole rows", path);
  recording_close(r);
  return false;
}

void recording_close(struct recording *r)
{
  if (r->file >= 0) H5Fclose(r->file);
  void *const all[] = {r->instance,  r->model,       r->version, r->isa,        r->hash,    r->label,
                       r->config,    r->name,        r->unit,    r->cycle,      r->channel, r->channel_unit,
                       r->act_cycle, r->act,         r->state,   r->parameters, r->inputs,  r->tuned,
                       r->tuned_to,  r->state_cycle, r->event};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  *r = (struct recording){.file = -1};
}

int recording_find(const struct recording *r, const char *name)
{
  for (uint32_t i = 0; i < r->signals; i++)
    if (strcmp(r->name[i], name) == 0) return (int)i;
  return -1;
}

bool recording_rows(const struct recording *r, hsize_t first, hsize_t count, double *to)
{
  hsize_t size[2];
  hid_t d = parts_dataset(r->file, "/frames/values", size);
  const bool good =
      d >= 0 && first + count <= size[0] && parts_rows(d, H5T_NATIVE_DOUBLE, first, count, size[1], to);
  if (d >= 0) H5Dclose(d);
  return good;
}

static bool read_dataset_column(const struct recording *r, const char *path, hid_t memory, void *to)
{
  hsize_t size[2];
  hid_t d = parts_dataset(r->file, path, size);
  const bool good = d >= 0 && size[0] >= r->rows && parts_rows(d, memory, 0, r->rows, 0, to);
  if (d >= 0) H5Dclose(d);
  return good;
}

bool recording_heads(const struct recording *r, const char *path, uint32_t *to)
{
  return read_dataset_column(r, path, H5T_NATIVE_UINT32, to);
}

bool recording_times(const struct recording *r, uint64_t *to)
{
  return read_dataset_column(r, "/frames/t_ns", H5T_NATIVE_UINT64, to);
}

bool recording_state(const struct recording *r, hsize_t n, void *to)
{
  hsize_t size[2];
  hid_t d = parts_dataset(r->file, "/state/blob", size);
  bool good = d >= 0 && n < size[0] && parts_rows(d, H5T_NATIVE_UINT8, n, 1, r->model_bytes, to);
  if (d >= 0) H5Dclose(d);
  if (!good || r->platform_bytes == 0) return good;
  d = parts_dataset(r->file, "/state/platform", size);
  good = d >= 0 && n < size[0] &&
         parts_rows(d, H5T_NATIVE_UINT8, n, 1, r->platform_bytes, (char *)to + r->model_bytes);
  if (d >= 0) H5Dclose(d);
  return good;
}
