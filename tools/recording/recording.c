/* SPDX-License-Identifier: MIT */
#include "recording/recording.h"

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

/* --- attributes --- */

/* The texts of an attribute, count of them in one block behind the pointers; NULL: there is none. To be freed. */
static char **read_attribute_texts(hid_t object, const char *name, uint32_t *count)
{
  *count = 0;
  if (H5Aexists(object, name) <= 0) return NULL;
  /* Texts have a fixed length in the file, and a 0 here. */
  hid_t a = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(a), space = H5Aget_space(a);
  const hssize_t n = H5Sget_simple_extent_npoints(space);
  const bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0;
  const size_t length = fixed ? H5Tget_size(type) : 0;
  char **text = n > 0 && length > 0 ? calloc((size_t)n, sizeof *text + length + 1) : NULL;
  char *packed = text ? calloc((size_t)n, length) : NULL;
  if (packed && H5Aread(a, type, packed) >= 0) {
    char *at = (char *)(text + n);
    for (hssize_t i = 0; i < n; i++, at += length + 1) {
      memcpy(at, packed + (size_t)i * length, length);
      text[i] = at;
    }
    *count = (uint32_t)n;
  }
  free(packed);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(a);
  if (*count > 0) return text;
  free(text);
  return NULL;
}

static char *read_text_attribute(hid_t object, const char *name)
{
  uint32_t count;
  char **text = read_attribute_texts(object, name, &count), *copy = strdup(text ? text[0] : "");
  free(text);
  return copy;
}

static void read_attribute_number(hid_t object, const char *name, hid_t memory, void *to)
{
  if (H5Aexists(object, name) <= 0) return;
  hid_t a = H5Aopen(object, name, H5P_DEFAULT);
  H5Aread(a, memory, to);
  H5Aclose(a);
}

/* --- datasets --- */

static hid_t open_sized_dataset(const struct recording *r, const char *path, hsize_t size[2])
{
  size[0] = size[1] = 0;
  char group[80];
  snprintf(group, sizeof group, "%.*s", (int)(strrchr(path, '/') - path), path);
  if ((group[0] && H5Lexists(r->file, group, H5P_DEFAULT) <= 0) || H5Lexists(r->file, path, H5P_DEFAULT) <= 0)
    return -1;
  hid_t d = H5Dopen2(r->file, path, H5P_DEFAULT);
  if (d < 0) return -1;
  hid_t space = H5Dget_space(d);
  if (H5Sget_simple_extent_ndims(space) <= 2) H5Sget_simple_extent_dims(space, size, NULL);
  H5Sclose(space);
  return d;
}

static bool read_part(hid_t d, hid_t memory, hsize_t first, hsize_t count, hsize_t width, void *to)
{
  const hsize_t start[2] = {first, 0}, size[2] = {count, width};
  hid_t from = H5Dget_space(d), here = H5Screate_simple(width > 0 ? 2 : 1, size, NULL);
  bool good =
      count == 0 || (H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                     H5Sselect_valid(from) > 0 && H5Dread(d, memory, here, from, H5P_DEFAULT, to) >= 0);
  H5Sclose(here);
  H5Sclose(from);
  return good;
}

/* Rows of two datasets, one behind the other: those of /lead, then those of /replay. */
static bool read_both(const struct recording *r, const char *name, hid_t memory, size_t bytes, hsize_t width,
                      void **to)
{
  char path[2][80];
  hsize_t size[2][2];
  hid_t d[2];
  snprintf(path[0], sizeof path[0], "/lead/%s", name);
  snprintf(path[1], sizeof path[1], "/replay/%s", name);
  for (int i = 0; i < 2; i++) d[i] = open_sized_dataset(r, path[i], size[i]);
  const hsize_t numbers = width > 0 ? width : 1, lead = size[0][0], most = lead + size[1][0];
  bool good = d[1] >= 0;
  *to = good ? calloc((size_t)(most * numbers) + 1, bytes) : NULL;
  good = *to && (d[0] < 0 || read_part(d[0], memory, 0, lead, width, *to)) &&
         read_part(d[1], memory, 0, size[1][0], width, (char *)*to + lead * numbers * bytes);
  for (int i = 0; i < 2; i++)
    if (d[i] >= 0) H5Dclose(d[i]);
  return good;
}

static bool read_whole_dataset(const struct recording *r, const char *path, hid_t memory, size_t bytes,
                               hsize_t size[2], void **to)
{
  hid_t d = open_sized_dataset(r, path, size);
  if (d < 0) return false;
  *to = calloc((size_t)(size[0] * (size[1] > 0 ? size[1] : 1)) + 1, bytes);
  const bool good = *to && read_part(d, memory, 0, size[0], size[1], *to);
  H5Dclose(d);
  return good;
}

char *recording_bytes(const struct recording *r, const char *path, size_t *size)
{
  hsize_t n[2];
  void *bytes = NULL;
  *size = 0;
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
  hid_t d = open_sized_dataset(r, "/frames/values", size);
  if (d < 0) return false;
  r->name = read_attribute_texts(d, "names", &r->signals);
  r->unit = read_attribute_texts(d, "units", &units);
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
  hsize_t lead[2], own[2], inputs[2];
  hid_t d = open_sized_dataset(r, "/lead/cycle", lead);
  if (d >= 0) H5Dclose(d);
  d = open_sized_dataset(r, "/replay/cycle", own);
  if (d < 0) return true; /* a recording of an older program */
  H5Dclose(d);
  r->acts = lead[0] + own[0];
  d = open_sized_dataset(r, "/replay/inputs", inputs);
  if (d >= 0) {
    uint32_t units;
    r->channel = read_attribute_texts(d, "names", &r->channels);
    r->channel_unit = read_attribute_texts(d, "units", &units);
    H5Dclose(d);
    if (!r->channel || !r->channel_unit || units != r->channels || inputs[1] != r->channels) return false;
  }
  return read_both(r, "cycle", H5T_NATIVE_UINT64, sizeof *r->act_cycle, 0, (void **)&r->act_cycle) &&
         read_both(r, "action", H5T_NATIVE_UINT32, sizeof *r->act, 0, (void **)&r->act) &&
         read_both(r, "state", H5T_NATIVE_UINT32, sizeof *r->state, 0, (void **)&r->state) &&
         read_both(r, "parameters", H5T_NATIVE_UINT32, sizeof *r->parameters, 0, (void **)&r->parameters) &&
         (r->channels == 0 ||
          read_both(r, "inputs", H5T_NATIVE_DOUBLE, sizeof *r->inputs, r->channels, (void **)&r->inputs));
}

static bool read_states(struct recording *r)
{
  hsize_t size[2], model[2], platform[2];
  if (!read_whole_dataset(r, "/state/cycle", H5T_NATIVE_UINT64, sizeof *r->state_cycle, size,
                          (void **)&r->state_cycle))
    return r->acts == 0;
  r->states = size[0];
  /* Sizes of a state, then the parameters of the platform. */
  hid_t d = open_sized_dataset(r, "/state/blob", model),
        e = open_sized_dataset(r, "/state/platform", platform);
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
  return good;
}

static void read_attributes(struct recording *r)
{
  r->instance = read_text_attribute(r->file, "instance");
  r->model = read_text_attribute(r->file, "model");
  r->version = read_text_attribute(r->file, "version");
  r->isa = read_text_attribute(r->file, "isa");
  r->hash = read_text_attribute(r->file, "model_hash");
  r->label = read_text_attribute(r->file, "label");
  r->config = read_text_attribute(r->file, "config");
  read_attribute_number(r->file, "period_s", H5T_NATIVE_DOUBLE, &r->period);
  read_attribute_number(r->file, "start_utc_ns", H5T_NATIVE_UINT64, &r->start_utc);
  read_attribute_number(r->file, "start_monotonic_ns", H5T_NATIVE_UINT64, &r->start_ns);
  read_attribute_number(r->file, "divisor", H5T_NATIVE_UINT64, &r->divisor);
  read_attribute_number(r->file, "lost", H5T_NATIVE_UINT64, &r->lost);
  read_attribute_number(r->file, "closed", H5T_NATIVE_UINT64, &r->closed);
}

bool recording_open(struct recording *r, const char *path, char *error, size_t size)
{
  *r = (struct recording){.path = path};
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_metadata_read_attempts(access, 3);
  r->file = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (r->file < 0)
    r->file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access); /* it was not closed */
  H5Pclose(access);
  if (r->file < 0) {
    snprintf(error, size, "%s: cannot be read as an HDF5 file", path);
    return false;
  }
  char *format = read_text_attribute(r->file, "format");
  const bool known = format && strcmp(format, "ali3-recording 1") == 0;
  free(format);
  if (!known)
    snprintf(error, size, "%s: expected a recording of ali3-record, found another HDF5 file", path);
  else if (read_attributes(r), !read_signals(r) || !read_acts(r) || !read_states(r) || !read_events(r))
    snprintf(error, size, "%s: damaged; ali3-replay recover copies the whole rows", path);
  else
    return true;
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
  hid_t d = open_sized_dataset(r, "/frames/values", size);
  const bool good =
      d >= 0 && first + count <= size[0] && read_part(d, H5T_NATIVE_DOUBLE, first, count, size[1], to);
  if (d >= 0) H5Dclose(d);
  return good;
}

static bool read_dataset_column(const struct recording *r, const char *path, hid_t memory, void *to)
{
  hsize_t size[2];
  hid_t d = open_sized_dataset(r, path, size);
  const bool good = d >= 0 && size[0] >= r->rows && read_part(d, memory, 0, r->rows, 0, to);
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
  hid_t d = open_sized_dataset(r, "/state/blob", size);
  bool good = d >= 0 && n < size[0] && read_part(d, H5T_NATIVE_UINT8, n, 1, r->model_bytes, to);
  if (d >= 0) H5Dclose(d);
  if (!good || r->platform_bytes == 0) return good;
  d = open_sized_dataset(r, "/state/platform", size);
  good = d >= 0 && n < size[0] &&
         read_part(d, H5T_NATIVE_UINT8, n, 1, r->platform_bytes, (char *)to + r->model_bytes);
  if (d >= 0) H5Dclose(d);
  return good;
}
