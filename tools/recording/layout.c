/* SPDX-License-Identifier: MIT
 * The datasets of a run. All objects exist before the file goes into SWMR mode: afterwards none can be added, and attributes
 * cannot change. HDF5 1.10 names (V110): every reader built on it opens the file. */
#include "recording/run_file.h"

#include "recording/recording.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_LENGTH = 512 };

static hid_t create_rows(const struct run_file *f, const char *path, hid_t type, uint32_t width)
{
  return rows_create(f, path, type, width, (hsize_t)f->chunk_rows);
}

static void attach_text(hid_t object, const char *name, const char *text)
{
  rows_write_texts(object, name, &text, 1);
}

static void attach_number(hid_t object, const char *name, hid_t type, hid_t memory, const void *value)
{
  hid_t space = H5Screate(H5S_SCALAR), a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(a, memory, value);
  H5Aclose(a);
  H5Sclose(space);
}

/* Names and units of the columns. Attributes of more than 64 kB need dense storage, which V110 has. */
static bool name_columns(const struct run_file *f)
{
  const uint32_t n = f->columns->count;
  const char **text = calloc((size_t)n + 1, sizeof *text);
  if (!text) return false;
  for (uint32_t i = 0; i < n; i++) text[i] = frames_signal_name(f->ring, f->columns->signal[i]);
  rows_write_texts(f->values, "names", text, n);
  for (uint32_t i = 0; i < n; i++) text[i] = frames_signal_unit(f->ring, f->columns->signal[i]);
  rows_write_texts(f->values, "units", text, n);
  const uint32_t inputs = f->ring->head.inputs;
  const char **input = calloc((size_t)inputs + 1, sizeof *input);
  if (input) {
    for (uint32_t i = 0; i < inputs; i++) input[i] = frames_input_name(f->ring, i);
    rows_write_texts(f->input_age, "names", input, inputs);
  }
  free(input);
  free(text);
  return true;
}

static bool is_quantity(const struct frames_reader *r, const char *name, size_t length)
{
  for (uint32_t i = 0; i < r->head.signals; i++) {
    const char *q = frames_signal_quantity(r, i);
    if (strncmp(q, name, length) == 0 && q[length] == '\0') return true;
  }
  return false;
}

/* "/body/A/position" of "body.A.position". A dataset cannot be a folder as well: "loop.cycle.max" beside "loop.cycle" becomes
 * "/loop/cycle.max". */
static void path_of(const struct frames_reader *r, const char *quantity, char path[PATH_LENGTH])
{
  snprintf(path, PATH_LENGTH, "/%s", quantity);
  for (char *p = path + 1; *p; p++)
    if (*p == '.' && !is_quantity(r, quantity, (size_t)(p - path - 1))) *p = '/';
}

/* The same numbers by name: columns first .. first + parts - 1 of the values, for all rows there will ever be. */
static bool create_view(const struct run_file *f, uint32_t first, uint32_t parts, hid_t type)
{
  /* Places of the columns in the view and in the source. */
  char path[PATH_LENGTH];
  const uint32_t signal = f->columns->signal[first];
  const hsize_t zero[2] = {0, 0}, at[2] = {0, first}, one[2] = {1, 1}, count[2] = {H5S_UNLIMITED, 1},
                block[2] = {1, parts};
  const hsize_t now[2] = {0, parts}, most[2] = {H5S_UNLIMITED, parts}, all[2] = {0, f->columns->count},
                all_most[2] = {H5S_UNLIMITED, f->columns->count};
  const int rank = parts > 1 ? 2 : 1;
  path_of(f->ring, frames_signal_quantity(f->ring, signal), path);
  /* The view, in folders of its own. */
  hid_t create = H5Pcreate(H5P_DATASET_CREATE), link = H5Pcreate(H5P_LINK_CREATE);
  hid_t view = H5Screate_simple(rank, now, most), source = H5Screate_simple(2, all, all_most);
  H5Pset_create_intermediate_group(link, 1);
  H5Sselect_hyperslab(view, H5S_SELECT_SET, zero, one, count, block);
  H5Sselect_hyperslab(source, H5S_SELECT_SET, at, one, count, block);
  bool good = H5Pset_virtual(create, view, ".", "/frames/values", source) >= 0;
  hid_t d = good ? H5Dcreate2(f->file, path, type, view, link, create, H5P_DEFAULT) : -1;
  if (d >= 0) attach_text(d, "unit", frames_signal_unit(f->ring, signal));
  good = d >= 0;
  if (good) H5Dclose(d);
  H5Sclose(source);
  H5Sclose(view);
  H5Pclose(link);
  H5Pclose(create);
  return good;
}

static bool create_views(const struct run_file *f, hid_t type)
{
  for (uint32_t i = 0; i < f->columns->count;) {
    const struct frames_name *n = &f->ring->signal[f->columns->signal[i]];
    if (!create_view(f, i, n->parts, type)) return false;
    i += n->parts;
  }
  return true;
}

static bool store_bytes(const struct run_file *f, const char *path, const void *bytes, hsize_t size)
{
  return rows_write_whole(f, path, H5T_STD_U8LE, H5T_NATIVE_UINT8, size, 0, bytes);
}

static bool store_model(const struct run_file *f)
{
  unsigned char *flat = malloc(f->ring->head.flat_bytes + 1);
  const bool good = flat && frames_flat(f->ring, flat) &&
                    store_bytes(f, "/model/flat", flat, (hsize_t)f->ring->head.flat_bytes) &&
                    store_bytes(f, "/model/yaml", frames_yaml(f->ring), strlen(frames_yaml(f->ring)));
  free(flat);
  return good;
}

static void describe_run(const struct run_file *f)
{
  /* Texts end with a 0 in the file, too. */
  const struct frames_head *h = &f->ring->head;
  char hash[2 * FRAMES_HASH + 1], isa[FRAMES_ISA + 1] = "";
  const double period = (double)h->period_ns * 1e-9;
  for (int i = 0; i < FRAMES_HASH; i++) snprintf(hash + 2 * i, 3, "%02x", h->hash[i]);
  memcpy(isa, h->isa, FRAMES_ISA);
  attach_text(f->file, "format", "ali3-recording 1");
  attach_text(f->file, "instance", f->ring->telemetry.instance);
  attach_text(f->file, "model", frames_model(f->ring));
  attach_text(f->file, "model_hash", hash);
  attach_text(f->file, "version", frames_version(f->ring));
  attach_text(f->file, "config", frames_config(f->ring));
  attach_text(f->file, "extras", frames_extras(f->ring));
  attach_text(f->file, "isa", isa);
  attach_text(f->file, "label", f->options->label);
  attach_number(f->file, "period_s", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &period);
  attach_number(f->file, "start_utc_ns", H5T_STD_U64LE, H5T_NATIVE_UINT64, &h->start_utc);
  attach_number(f->file, "start_monotonic_ns", H5T_STD_U64LE, H5T_NATIVE_UINT64, &h->start_ns);
  attach_number(f->file, "divisor", H5T_STD_I64LE, H5T_NATIVE_LONG, &f->options->divisor);
}

static hid_t create_events(const struct run_file *f)
{
  hid_t type = recording_event_type(), packed = H5Tcopy(type);
  H5Tpack(packed);
  hid_t d = rows_create(f, "/events", packed, 0, 1); /* a chunk for each: none is written twice */
  H5Tclose(packed);
  H5Tclose(type);
  return d;
}

bool layout_create(struct run_file *f, uint64_t first_cycle)
{
  const hid_t number = f->options->single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const uint32_t inputs = f->ring->head.inputs;
  hid_t group = H5Gcreate2(f->file, "/frames", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Gclose(group);
  /* Every cycle: its head, its times, its inputs, its signals. */
  f->values = create_rows(f, "/frames/values", number, f->columns->count);
  f->cycle = create_rows(f, "/frames/cycle", H5T_STD_U64LE, 0);
  f->t_ns = create_rows(f, "/frames/t_ns", H5T_STD_U64LE, 0);
  f->time = create_rows(f, "/frames/time", H5T_IEEE_F64LE, 0);
  f->state = create_rows(f, "/frames/state", H5T_STD_U8LE, 0);
  f->flags = create_rows(f, "/frames/flags", H5T_STD_U32LE, 0);
  f->fault = create_rows(f, "/frames/fault", H5T_STD_U16LE, 0);
  f->action = create_rows(f, "/frames/action", H5T_STD_U16LE, 0);
  f->status = create_rows(f, "/frames/status", H5T_STD_I16LE, 0);
  f->parameters = create_rows(f, "/frames/parameters", H5T_STD_U32LE, 0);
  f->loop = create_rows(f, "/frames/loop", H5T_STD_U32LE, PHASES + 3);
  f->input_age = inputs ? create_rows(f, "/frames/input_age_ms", H5T_STD_U32LE, inputs) : -1;
  f->input_state = inputs ? create_rows(f, "/frames/input_state", H5T_STD_U32LE, inputs) : -1;
  f->events = create_events(f);
  const bool made = f->values >= 0 && f->cycle >= 0 && f->t_ns >= 0 && f->time >= 0 && f->state >= 0 &&
                    f->flags >= 0 && f->fault >= 0 && f->action >= 0 && f->status >= 0 &&
                    f->parameters >= 0 && f->loop >= 0 && f->events >= 0 &&
                    (!inputs || (f->input_age >= 0 && f->input_state >= 0));
  if (!made) return false;
  /* Names of the columns of /frames/loop, in their order. */
  const char *names[PHASES + 3] = {"wakeup"};
  for (unsigned i = 0; i < PHASES; i++) names[1 + i] = phase_name(i);
  names[PHASES + 1] = "step";
  names[PHASES + 2] = "cycle_before";
  rows_write_texts(f->loop, "names", names, PHASES + 3);
  attach_text(f->loop, "unit", "ns");
  describe_run(f);
  return name_columns(f) && create_views(f, number) && store_model(f) && acted_create(f, first_cycle);
}
