/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void clear_row(struct value_row *row)
{
  row->min = INFINITY;
  row->max = -INFINITY;
  row->broken = 0;
}

static void clear_value_range(struct values *v)
{
  for (uint32_t i = 0; i < v->rows; i++) clear_row(&v->row[i]);
  v->taken = v->lost = 0;
}

void values_close(struct values *v)
{
  if (v->opened) frames_close(&v->ring);
  free(v->copy[0]);
  free(v->copy[1]);
  free(v->row);
  *v = (struct values){.globs = v->globs};
}

void values_choose(struct values *v, const char *globs)
{
  char *copy = globs && *globs ? strdup(globs) : NULL;
  values_close(v);
  free(v->globs);
  v->globs = copy;
}

/* The next of the globs, without its comma, in glob[size]. Returns the place behind it; NULL: there is none. */
static const char *next_glob(const char *globs, char *glob, size_t size)
{
  globs += strspn(globs, ", ");
  if (!*globs) return NULL;
  const size_t length = strcspn(globs, ", ");
  snprintf(glob, size, "%.*s", (int)length, globs);
  return globs + length;
}

static bool glob_matches(const struct frames_reader *r, const char *glob, uint32_t signal)
{
  return fnmatch(glob, frames_signal_name(r, signal), 0) == 0 ||
         fnmatch(glob, frames_signal_quantity(r, signal), 0) == 0;
}

bool values_match(const struct frames_reader *r, const char *globs, uint32_t signal)
{
  char glob[256];
  while (globs && (globs = next_glob(globs, glob, sizeof glob)))
    if (glob_matches(r, glob, signal)) return true;
  return false;
}

/* A glob that matches nothing is probably a slip of the pen. */
static void judge_globs(struct values *v)
{
  char glob[256];
  const char *rest = v->globs;
  while (rest && (rest = next_glob(rest, glob, sizeof glob))) {
    uint32_t i = 0;
    while (i < v->ring.head.signals && !glob_matches(&v->ring, glob, i)) i++;
    if (i < v->ring.head.signals) continue;
    snprintf(v->problem, sizeof v->problem,
             "no signal of %s matches \"%.100s\"; ali3-top --once --watch '*' lists all signals",
             v->ring.telemetry.instance, glob);
    return;
  }
}

/* The input with the longest name that the signal "input.NAME.…" begins with; -1: the signal is no channel. */
static int channel_input(const struct frames_reader *r, uint32_t signal)
{
  static const char prefix[] = "input.";
  const char *name = frames_signal_name(r, signal);
  int best = -1;
  size_t longest = 0;
  if (strncmp(name, prefix, sizeof prefix - 1) != 0) return -1;
  name += sizeof prefix - 1;
  for (uint32_t i = 0; i < r->head.inputs; i++) {
    const char *input = frames_input_name(r, i);
    const size_t length = strlen(input);
    if (length > longest && strncmp(name, input, length) == 0 && name[length] == '.') {
      longest = length;
      best = (int)i;
    }
  }
  return best;
}

/* The file may come from anybody: control characters would reach the terminal. */
static void clean_names(struct frames_reader *r)
{
  char *end = r->texts + r->head.texts_bytes;
  for (char *text = r->texts; text < end; text += strlen(text) + 1)
    telemetry_clean_text(text, strlen(text) + 1);
}

static bool find_rows(struct values *v)
{
  const uint32_t signals = v->ring.head.signals;
  v->row = calloc((size_t)signals + 1, sizeof *v->row);
  v->copy[0] = calloc(1, v->ring.head.slot_bytes);
  v->copy[1] = calloc(1, v->ring.head.slot_bytes);
  if (!v->row || !v->copy[0] || !v->copy[1]) return false;
  for (uint32_t i = 0; i < signals; i++) {
    if (!values_match(&v->ring, v->globs, i)) continue;
    struct value_row *row = &v->row[v->rows++];
    *row = (struct value_row){.signal = i, .input = channel_input(&v->ring, i)};
    /* The channels of an input are consecutive. */
    while (row->input >= 0 && row->channel < (int)i &&
           channel_input(&v->ring, i - 1 - (uint32_t)row->channel) == row->input)
      row->channel++;
    clear_row(row);
  }
  return true;
}

/* The ring of the daemon that wrote the block. It begins with the cycles that are still in the ring. */
static bool open_value_ring(struct values *v, const struct telemetry *t)
{
  char error[sizeof v->problem];
  values_close(v);
  v->opened = frames_open(&v->ring, t->instance, error, sizeof error);
  if (!v->opened) {
    snprintf(v->problem, sizeof v->problem, "%s", error);
    return false;
  }
  clean_names(&v->ring);
  if (!find_rows(v)) {
    values_close(v);
    snprintf(v->problem, sizeof v->problem, "no memory for the values of %s", t->instance);
    return false;
  }
  v->span = v->ring.head.slots / VALUES_SPARK > 0 ? v->ring.head.slots / VALUES_SPARK : 1;
  judge_globs(v);
  return true;
}

/* Columns between the last one and this one, whose cycles are lost, stay empty. */
static void begin_columns(struct values *v, uint64_t column)
{
  if (column > v->column + VALUES_SPARK) v->column = column - VALUES_SPARK;
  while (v->column < column) {
    const uint64_t at = ++v->column % VALUES_SPARK;
    v->count[at] = 0;
    for (uint32_t i = 0; i < v->rows; i++) v->row[i].sum[at] = 0.0;
  }
}

static void add_cycle(struct values *v, uint64_t n)
{
  const double *value = frames_values(&v->ring, v->slot);
  begin_columns(v, n / v->span);
  const uint64_t at = n / v->span % VALUES_SPARK;
  v->count[at]++;
  v->taken++;
  for (uint32_t i = 0; i < v->rows; i++) {
    struct value_row *row = &v->row[i];
    row->value = value[row->signal];
    row->sum[at] += row->value;
    if (!isfinite(row->value)) {
      row->broken++;
      continue;
    }
    if (row->value < row->min) row->min = row->value;
    if (row->value > row->max) row->max = row->value;
  }
}

/* The loop writes while we read: an oldest part of the ring is left to it. */
static void skip_gone(struct values *v, uint64_t written)
{
  const uint64_t slots = v->ring.head.slots, room = slots - slots / 8;
  const uint64_t oldest = written > room ? written - room : 0;
  if (v->next >= oldest) return;
  if (v->taken) v->lost += oldest - v->next;
  v->next = oldest;
}

void values_read(struct values *v, const struct telemetry *t)
{
  uint64_t written, events;
  const bool same = v->opened && v->ring.telemetry.pid == t->pid && v->ring.telemetry.start_ns == t->start_ns;
  if ((!same && !open_value_ring(v, t)) || v->rows == 0) return;
  const uint64_t cleared = counter_get(&t->histograms.cleared);
  if (v->taken && cleared != v->cleared) clear_value_range(v);
  v->cleared = cleared;
  if (!frames_written(&v->ring, &written, &events)) {
    values_close(v);
    snprintf(v->problem, sizeof v->problem, "the frame ring of %s was cut", t->instance);
    return;
  }
  /* At most one ring of cycles: a slot that is gone is passed over once. */
  skip_gone(v, written);
  for (; v->next < written; v->next++) {
    struct frames_slot *to = v->copy[v->slot == v->copy[0]];
    const enum frames_got got = frames_take(&v->ring, v->next, to);
    if (got == FRAMES_NOT_YET || got == FRAMES_CUT) break;
    if (got == FRAMES_OVERTAKEN) {
      v->lost++;
      continue;
    }
    v->slot = to;
    add_cycle(v, v->next);
  }
}

const char *value_name(const struct values *v, const struct value_row *row)
{
  return frames_signal_name(&v->ring, row->signal);
}

const char *value_unit(const struct values *v, const struct value_row *row)
{
  return frames_signal_unit(&v->ring, row->signal);
}

struct frames_input values_input(const struct values *v, int input)
{
  return frames_inputs(&v->ring, v->slot)[input];
}

bool value_spark(const struct values *v, const struct value_row *row, int column, double *mean)
{
  const uint64_t back = (uint64_t)(VALUES_SPARK - 1 - column);
  if (back > v->column) return false;
  const uint64_t at = (v->column - back) % VALUES_SPARK;
  if (v->count[at] == 0) return false;
  *mean = row->sum[at] / (double)v->count[at];
  return true;
}
