/* SPDX-License-Identifier: MIT
 * Recorded and computed numbers, bit by bit. */
#include "replay.h"

#include "base/bits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, NEAR_EVENTS = 8, LARGEST_SHOWN = 20 };

bool compare_open(struct compare *c, const struct recording *r, const struct plant_again *p, double tolerance)
{
  const struct signals *s = p->signals;
  *c = (struct compare){.r = r, .tolerance = tolerance, .other = !p->own};
  c->column = malloc(((size_t)r->signals + 1) * sizeof *c->column);
  c->row = malloc(((size_t)r->signals * BLOCK + 1) * sizeof *c->row);
  c->status = calloc((size_t)r->rows + 1, sizeof *c->status);
  c->largest = calloc((size_t)r->signals + 1, sizeof *c->largest);
  c->largest_cycle = calloc((size_t)r->signals + 1, sizeof *c->largest_cycle);
  if (!c->column || !c->row || !c->status || !c->largest || !c->largest_cycle ||
      !recording_heads(r, "/frames/status", c->status))
    return false;
  /* Times of the loop are not computed; they are the last signals. */
  for (uint32_t i = 0; i < r->signals; i++) {
    c->column[i] = signals_find(s, r->name[i]);
    if (c->column[i] >= s->figure_first && s->figures > 0) c->column[i] = -1;
    c->compared += c->column[i] >= 0;
  }
  return true;
}

void compare_close(struct compare *c)
{
  free(c->column);
  free(c->row);
  free(c->status);
  free(c->largest);
  free(c->largest_cycle);
  *c = (struct compare){0};
}

const double *compare_recorded(struct compare *c, hsize_t at)
{
  if (at < c->first || at >= c->first + c->held) {
    c->first = at;
    c->held = c->r->rows - at < BLOCK ? c->r->rows - at : BLOCK;
    if (!recording_rows(c->r, at, c->held, c->row)) {
      c->failed = true;
      return NULL;
    }
  }
  return c->row + (at - c->first) * c->r->signals;
}

/* NaN has one meaning, whatever its bits. */
static bool are_equal(const struct compare *c, double recorded, double computed)
{
  if (isnan(recorded) || isnan(computed)) return isnan(recorded) && isnan(computed);
  if (c->tolerance < 0.0) return same_bits(&recorded, &computed, 1);
  return fabs(recorded - computed) <= c->tolerance * fmax(1.0, fabs(recorded));
}

static void note_difference(struct compare *c, hsize_t at, uint32_t signal, double recorded, double computed)
{
  if (c->different) return;
  c->different = true;
  c->at = at;
  c->signal = signal;
  c->recorded = recorded;
  c->computed = computed;
}

void compare_row(struct compare *c, hsize_t at, const double *values, int status, bool all)
{
  const double *row = compare_recorded(c, at);
  if (!row) return;
  if (!c->other && (int)c->status[at] != status)
    note_difference(c, at, c->r->signals, (int)c->status[at], status);
  for (uint32_t i = 0; i < c->r->signals && (all || !c->different); i++) {
    if (c->column[i] < 0) continue;
    const double full = values[c->column[i]], computed = c->r->single ? (float)full : full;
    const double off = fabs(row[i] - computed);
    if (!are_equal(c, row[i], computed)) note_difference(c, at, i, row[i], computed);
    if (off > c->largest[i]) {
      c->largest[i] = off;
      c->largest_cycle[i] = c->r->cycle[at];
    }
  }
  c->cycles++;
  c->numbers += c->compared;
}

/* Numbers of the format between two values. */
static uint64_t units_between(double a, double b)
{
  int64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  /* Ascending for negative values, too. */
  if (x < 0) x = INT64_MIN - x;
  if (y < 0) y = INT64_MIN - y;
  return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static void print_near_events(const struct recording *r, uint64_t cycle)
{
  int shown = 0;
  for (hsize_t i = 0; i < r->events && shown < NEAR_EVENTS; i++) {
    const struct frames_event *e = &r->event[i];
    if (e->cycle + 10 < cycle || e->cycle > cycle + 1) continue;
    printf("  event in cycle %" PRIu64 ": %s\n", e->cycle, e->text);
    shown++;
  }
}

void compare_print_difference(const struct compare *c)
{
  const struct recording *r = c->r;
  const uint64_t cycle = r->cycle[c->at];
  const bool step = c->signal == r->signals;
  printf("different from cycle %" PRIu64 " on, in %s\n", cycle,
         step ? "the status of the step" : r->name[c->signal]);
  printf("  recorded %a (%.17g)\n  computed %a (%.17g)\n", c->recorded, c->recorded, c->computed,
         c->computed);
  if (!step && isfinite(c->recorded) && isfinite(c->computed))
    printf("  %" PRIu64 " units in the last place\n", units_between(c->recorded, c->computed));
  for (hsize_t i = 0; i < r->acts; i++)
    if (r->act_cycle[i] == cycle) printf("  action %u, state %s\n", r->act[i], run_state_name(r->state[i]));
  print_near_events(r, cycle);
}

void compare_print_largest(const struct compare *c)
{
  const struct recording *r = c->r;
  bool *done = calloc((size_t)r->signals + 1, sizeof *done);
  int shown = 0;
  for (; done && shown < LARGEST_SHOWN; shown++) {
    uint32_t best = r->signals;
    for (uint32_t i = 0; i < r->signals; i++)
      if (!done[i] && c->largest[i] > 0.0 && (best == r->signals || c->largest[i] > c->largest[best]))
        best = i;
    if (best == r->signals) break;
    if (shown == 0) printf("largest differences:\n");
    done[best] = true;
    printf("  %-44s %-12g %-8s cycle %" PRIu64 "\n", r->name[best], c->largest[best], r->unit[best],
           c->largest_cycle[best]);
  }
  if (shown == 0) printf("no difference\n");
  free(done);
}
