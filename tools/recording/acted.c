/* SPDX-License-Identifier: MIT
 * The datasets of a replay: /lead, the cycles from a state to the first row; /replay, every cycle; /state; and
 * /platform_parameters, mode and parameters of the motion platform from each cycle on in which they changed. */
#include "recording/run_file.h"

#include <stdlib.h>
#include <string.h>

static const double STATE_EVERY = 60.0; /* s */

bool acted_allocate(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  const struct frames_head *h = &f->ring->head;
  const size_t rows = (size_t)a->chunk_rows;
  a->row = malloc(rows * acted_bytes(f->ring));
  a->tuned = calloc(rows, sizeof *a->tuned);
  a->numbers = calloc((rows + 1) * (h->tuning + 1), sizeof *a->numbers);
  a->waiting = malloc(h->state_bytes);
  return a->row && a->tuned && a->numbers && a->waiting;
}

void acted_free(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  free(a->row);
  free(a->tuned);
  free(a->numbers);
  free(a->waiting);
  *a = (struct acted_rows){0};
}

static const struct acted *collected_row(const struct run_file *f, int i)
{
  return (const struct acted *)(const void *)(f->acted.row + (size_t)i * acted_bytes(f->ring));
}

/* A column of whole numbers of the rows of the history. */
static bool write_lead(const struct run_file *f, const char *path, hid_t type, size_t offset, size_t first,
                       size_t count)
{
  uint32_t *column = malloc((count + 1) * sizeof *column);
  for (size_t i = 0; column && i < count; i++)
    memcpy(&column[i], (const char *)history_row(f->history, first + i) + offset, sizeof *column);
  const bool good = column && rows_write_whole(f, path, type, H5T_NATIVE_UINT32, count, 0, column);
  free(column);
  return good;
}

/* The cycles between the state and the first row of the file. */
static bool create_lead(struct run_file *f, size_t first, size_t count)
{
  const uint32_t channels = f->ring->head.channels;
  /* Collect numbers of cycles and inputs, then write a column after the other. */
  uint64_t *cycle = malloc((count + 1) * sizeof *cycle);
  double *inputs = malloc((count * channels + 1) * sizeof *inputs);
  for (size_t i = 0; cycle && inputs && i < count; i++) {
    const struct acted *row = history_row(f->history, first + i);
    cycle[i] = row->cycle;
    memcpy(inputs + i * channels, row->number, channels * sizeof *inputs);
  }
  const bool good =
      cycle && inputs &&
      rows_write_whole(f, "/lead/cycle", H5T_STD_U64LE, H5T_NATIVE_UINT64, count, 0, cycle) &&
      write_lead(f, "/lead/action", H5T_STD_U16LE, offsetof(struct acted, action), first, count) &&
      write_lead(f, "/lead/state", H5T_STD_U8LE, offsetof(struct acted, state), first, count) &&
      write_lead(f, "/lead/parameters", H5T_STD_U32LE, offsetof(struct acted, parameters), first, count) &&
      (!channels ||
       rows_write_whole(f, "/lead/inputs", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, channels, inputs));
  free(cycle);
  free(inputs);
  return good;
}

static void name_channels(const struct run_file *f)
{
  const struct frames_head *h = &f->ring->head;
  const char **text = calloc((size_t)h->channels + 1, sizeof *text);
  if (!text) return;
  for (uint32_t i = 0; i < h->channels; i++) text[i] = frames_signal_name(f->ring, h->channel_first + i);
  rows_write_texts(f->acted.inputs, "names", text, h->channels);
  for (uint32_t i = 0; i < h->channels; i++) text[i] = frames_signal_unit(f->ring, h->channel_first + i);
  rows_write_texts(f->acted.inputs, "units", text, h->channels);
  free(text);
}

/* Parameters of the platform that differ from the newest in the file. */
static void collect_tuning(struct run_file *f, const struct acted *row)
{
  struct acted_rows *a = &f->acted;
  const uint32_t tuning = f->ring->head.tuning;
  const double *now = row->number + f->ring->head.channels;
  double *newest = a->numbers + (size_t)a->chunk_rows * tuning;
  if (tuning == 0 || (a->tuned_once && memcmp(newest, now, tuning * sizeof *now) == 0)) return;
  memcpy(newest, now, tuning * sizeof *now);
  memcpy(a->numbers + (size_t)a->tunings_collected * tuning, now, tuning * sizeof *now);
  a->tuned[a->tunings_collected++] = row->cycle;
  a->tuned_once = true;
}

static bool write_tunings(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  return a->tunings_collected == 0 ||
         rows_append(a->tuning, H5T_NATIVE_DOUBLE, a->tunings, (hsize_t)a->tunings_collected,
                     f->ring->head.tuning, a->numbers);
}

static bool write_tuning_cycles(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  const hsize_t n = (hsize_t)a->tunings_collected;
  const bool good = n == 0 || rows_append(a->tuning_cycle, H5T_NATIVE_UINT64, a->tunings, n, 0, a->tuned);
  a->tunings += n;
  a->tunings_collected = 0;
  return good;
}

/* The lead's changes of parameters; a flush writes at most a chunk of them. */
static bool write_lead_tunings(struct run_file *f, size_t first, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    collect_tuning(f, history_row(f->history, first + i));
    if (f->acted.tunings_collected == f->acted.chunk_rows && !(write_tunings(f) && write_tuning_cycles(f)))
      return false;
  }
  return write_tunings(f) && write_tuning_cycles(f);
}

static bool create_datasets(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  const struct frames_head *h = &f->ring->head;
  const hsize_t rows = (hsize_t)a->chunk_rows;
  /* Every cycle, then the states, then the parameters of the platform. */
  a->cycle = rows_create(f, "/replay/cycle", H5T_STD_U64LE, 0, rows);
  a->action = rows_create(f, "/replay/action", H5T_STD_U16LE, 0, rows);
  a->state = rows_create(f, "/replay/state", H5T_STD_U8LE, 0, rows);
  a->parameters = rows_create(f, "/replay/parameters", H5T_STD_U32LE, 0, rows);
  a->inputs = h->channels ? rows_create(f, "/replay/inputs", H5T_IEEE_F64LE, h->channels, rows) : -1;
  a->state_cycle = rows_create(f, "/state/cycle", H5T_STD_U64LE, 0, 1);
  a->state_model = rows_create(f, "/state/blob", H5T_STD_U8LE, (uint32_t)h->model_bytes, 1);
  a->state_platform = h->platform_bytes
                          ? rows_create(f, "/state/platform", H5T_STD_U8LE, (uint32_t)h->platform_bytes, 1)
                          : -1;
  a->tuning_cycle = h->tuning ? rows_create(f, "/platform_parameters/cycle", H5T_STD_U64LE, 0, 1) : -1;
  a->tuning = h->tuning ? rows_create(f, "/platform_parameters/values", H5T_IEEE_F64LE, h->tuning, 1) : -1;
  if (h->channels) name_channels(f);
  return a->cycle >= 0 && a->action >= 0 && a->state >= 0 && a->parameters >= 0 &&
         (!h->channels || a->inputs >= 0) && a->state_cycle >= 0 && a->state_model >= 0 &&
         (!h->platform_bytes || a->state_platform >= 0) &&
         (!h->tuning || (a->tuning_cycle >= 0 && a->tuning >= 0));
}

static bool write_state(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  const char *bytes = (const char *)(a->waiting + 1);
  const hsize_t model = f->ring->head.model_bytes, platform = f->ring->head.platform_bytes;
  return rows_append(a->state_model, H5T_NATIVE_UINT8, a->states, 1, model, bytes) &&
         (!platform ||
          rows_append(a->state_platform, H5T_NATIVE_UINT8, a->states, 1, platform, bytes + model));
}

static bool write_state_cycle(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  const bool good = rows_append(a->state_cycle, H5T_NATIVE_UINT64, a->states, 1, 0, &a->waiting->cycle);
  a->state_at = a->waiting->cycle;
  a->states++;
  a->state_waits = false;
  return good;
}

bool acted_create(struct run_file *f, uint64_t first_cycle)
{
  size_t first, count;
  const struct frames_state *state = history_find(f->history, first_cycle, &first, &count);
  if (!create_datasets(f) || !create_lead(f, first, count) || !write_lead_tunings(f, first, count))
    return false;
  if (!state) return true;
  acted_keep(f, state);
  return write_state(f) && write_state_cycle(f);
}

void acted_keep(struct run_file *f, const struct frames_state *state)
{
  /* Enough of them to begin a replay anywhere without a long way, and each that was loaded. */
  struct acted_rows *a = &f->acted;
  const uint64_t pause = (uint64_t)(STATE_EVERY * 1e9 / (double)f->ring->head.period_ns);
  const bool loaded = a->collected > 0 && collected_row(f, a->collected - 1)->action & FRAMES_LOADED;
  if (a->states > 0 && state->cycle < a->state_at + pause && !loaded && !f->gap) return;
  memcpy(a->waiting, state, f->ring->head.state_bytes);
  a->state_waits = true;
  f->gap = false;
}

void acted_add(struct run_file *f, const struct frames_slot *slot)
{
  struct acted_rows *a = &f->acted;
  struct acted *row = (struct acted *)(void *)(a->row + (size_t)a->collected++ * acted_bytes(f->ring));
  acted_take(row, f->ring, slot);
  collect_tuning(f, row);
}

bool acted_write(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  const uint32_t channels = f->ring->head.channels;
  const hsize_t n = (hsize_t)a->collected, at = a->rows;
  uint32_t *whole = malloc(((size_t)n + 1) * sizeof *whole);
  double *inputs = malloc(((size_t)n * channels + 1) * sizeof *inputs);
  bool good = whole && inputs;
  /* One field after the other; HDF5 narrows whole numbers. */
#define APPEND_ACTED(dataset, field)                                                                         \
  for (int i = 0; good && i < a->collected; i++) whole[i] = collected_row(f, i)->field;                      \
  good = good && (n == 0 || rows_append(dataset, H5T_NATIVE_UINT32, at, n, 0, whole));
  APPEND_ACTED(a->action, action)
  APPEND_ACTED(a->state, state)
  APPEND_ACTED(a->parameters, parameters)
  for (int i = 0; good && i < a->collected; i++)
    memcpy(inputs + (size_t)i * channels, collected_row(f, i)->number, channels * sizeof *inputs);
  good = good && (n == 0 || !channels || rows_append(a->inputs, H5T_NATIVE_DOUBLE, at, n, channels, inputs));
  free(whole);
  free(inputs);
  return good && write_tunings(f) && (!a->state_waits || write_state(f));
}

bool acted_flush(const struct run_file *f)
{
  const struct acted_rows *a = &f->acted;
  const hid_t dataset[] = {a->action,      a->state,          a->parameters, a->inputs,
                           a->state_model, a->state_platform, a->tuning};
  for (size_t i = 0; i < sizeof dataset / sizeof *dataset; i++)
    if (dataset[i] >= 0 && H5Dflush(dataset[i]) < 0) return false;
  return true;
}

bool acted_write_cycles(struct run_file *f)
{
  struct acted_rows *a = &f->acted;
  const hsize_t n = (hsize_t)a->collected;
  uint64_t *cycle = malloc(((size_t)n + 1) * sizeof *cycle);
  bool good = cycle != NULL;
  for (int i = 0; good && i < a->collected; i++) cycle[i] = collected_row(f, i)->cycle;
  good = good && (n == 0 || rows_append(a->cycle, H5T_NATIVE_UINT64, a->rows, n, 0, cycle)) &&
         H5Dflush(a->cycle) >= 0;
  free(cycle);
  a->rows += n;
  a->collected = 0;
  if (a->tunings_collected > 0) good = good && write_tuning_cycles(f) && H5Dflush(a->tuning_cycle) >= 0;
  if (a->state_waits) good = good && write_state_cycle(f) && H5Dflush(a->state_cycle) >= 0;
  return good;
}
