/* SPDX-License-Identifier: MIT
 * ali3-sim: end quantities of chosen signals, over the initial state and all steps, or over a window of time. */
#include "command/option_number.h"
#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const quantity_word[QUANTITIES] = {"max", "min", "rms", "final", "peak_to_peak", "settling_time"};

/* --- choice --- */

static bool complain_of_memory(void)
{
  fputs("ali3-sim: out of memory\n", stderr);
  return false;
}

/* "FROM:TO", one of which may be missing. */
static bool read_window(const char *text, struct quantity *window)
{
  char from[40];
  const char *colon = strchr(text, ':');
  window->from = -INFINITY;
  window->to = INFINITY;
  if (!colon || (size_t)(colon - text) >= sizeof from || strlen(text) < 2) return false;
  memcpy(from, text, (size_t)(colon - text));
  from[colon - text] = '\0';
  return (!*from || option_number(from, 0.0, INFINITY, &window->from)) &&
         (!colon[1] || option_number(colon + 1, 0.0, INFINITY, &window->to)) && window->from < window->to;
}

static bool has_quantity(const struct quantities *q, const char *name)
{
  for (int i = 0; i < q->columns; i++)
    if (strcmp(q->column[i].name, name) == 0) return true;
  return false;
}

/* Adds the signals of one glob, with its window. */
static bool add_quantities(struct quantities *q, char *glob, const struct signals *signals)
{
  struct quantity one = {.from = -INFINITY, .to = INFINITY};
  char *at = strchr(glob, '@');
  if (at) *at++ = '\0';
  if (at && !read_window(at, &one)) {
    fprintf(stderr, "ali3-sim: --quantities: expected a window such as %s@1:2.5, in s, found \"%s\"\n", glob,
            at);
    return false;
  }
  /* the signals that match, with the window in their names */
  int count = 0;
  int *chosen = signals_choose(signals, glob, "--quantities", &count);
  struct quantity *grown = chosen ? realloc(q->column, (size_t)(q->columns + count) * sizeof *grown) : NULL;
  if (grown) q->column = grown;
  bool good = grown || (chosen && complain_of_memory());
  for (int i = 0; i < count && good; i++) {
    const char *name = signals->signal[chosen[i]].name;
    const size_t size = strlen(name) + (at ? strlen(at) : 0) + 2;
    char *whole = malloc(size);
    if (whole) snprintf(whole, size, "%s%s%s", name, at ? "@" : "", at ? at : "");
    good = whole || complain_of_memory();
    if (!whole || has_quantity(q, whole)) {
      free(whole);
      continue;
    }
    one.signal = chosen[i];
    one.name = whole;
    q->column[q->columns++] = one;
  }
  free(chosen);
  return good;
}

bool quantities_open(struct quantities *q, const char *globs, const struct signals *signals)
{
  char *rest = NULL, *list = strdup(globs);
  *q = (struct quantities){0};
  bool good = list || complain_of_memory();
  if (good && !*list) good = add_quantities(q, list, signals); /* which refuses it */
  for (char *glob = list ? strtok_r(list, ",", &rest) : NULL; good && glob; glob = strtok_r(NULL, ",", &rest))
    good = add_quantities(q, glob, signals);
  free(list);
  if (!good) quantities_close(q);
  return good;
}

void quantities_close(struct quantities *q)
{
  for (int i = 0; i < q->columns; i++) {
    free((char *)q->column[i].name);
    for (int side = 0; side < 2; side++) free(q->column[i].extremes[side].point);
  }
  free(q->column);
  *q = (struct quantities){0};
}

/* --- samples --- */

/* Drops the samples that x exceeds; sign -1: those below which x is. */
static bool note_extreme(struct extremes *e, double sign, double time, double x)
{
  while (e->count > 0 && sign * e->point[e->count - 1][1] <= sign * x) e->count--;
  if (e->count == e->room) {
    const size_t room = 2 * e->room + 16;
    double(*grown)[2] = realloc(e->point, room * sizeof *grown);
    if (!grown) return complain_of_memory();
    e->point = grown;
    e->room = room;
  }
  e->point[e->count][0] = time;
  e->point[e->count++][1] = x;
  return true;
}

bool quantities_add(struct quantities *q, const double *values)
{
  static const double ROUNDING = 1e-9; /* s: times are multiples of a step */
  const double time = values[0];
  for (int i = 0; i < q->columns; i++) {
    struct quantity *c = &q->column[i];
    double *v = c->value, x = values[c->signal];
    if (time < c->from - ROUNDING || time > c->to + ROUNDING) continue;
    const bool more = c->samples++ > 0;
    if (!more) c->first = time;
    v[QUANTITY_MAX] = more && v[QUANTITY_MAX] >= x ? v[QUANTITY_MAX] : x;
    v[QUANTITY_MIN] = more && v[QUANTITY_MIN] <= x ? v[QUANTITY_MIN] : x;
    c->squares += x * x;
    v[QUANTITY_FINAL] = x;
    if (!note_extreme(&c->extremes[0], 1.0, time, x) || !note_extreme(&c->extremes[1], -1.0, time, x))
      return false;
  }
  return true;
}

/* Time of the last sample that is off the final value by more than `band`, or -INFINITY. */
static double last_outside(const struct extremes *e, double sign, double final, double band)
{
  double time = -INFINITY;
  for (size_t i = 0; i < e->count && sign * (e->point[i][1] - final) > band; i++) time = e->point[i][0];
  return time;
}

void quantities_end(struct quantities *q)
{
  static const double PART = 0.02,
                      ROUNDING = 1e-9; /* parts of the range and of the value: a signal at rest is settled */
  for (int i = 0; i < q->columns; i++) {
    struct quantity *c = &q->column[i];
    if (c->samples == 0) continue;
    c->value[QUANTITY_RMS] = sqrt(c->squares / (double)c->samples);
    c->value[QUANTITY_RANGE] = c->value[QUANTITY_MAX] - c->value[QUANTITY_MIN];
    const double final = c->value[QUANTITY_FINAL],
                 band = fmax(PART * c->value[QUANTITY_RANGE], ROUNDING * fabs(final));
    double last = -INFINITY;
    for (int side = 0; side < 2; side++)
      last = fmax(last, last_outside(&c->extremes[side], side ? -1.0 : 1.0, final, band));
    c->value[QUANTITY_SETTLE] = fmax(last - c->first, 0.0);
  }
}
