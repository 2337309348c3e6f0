/* SPDX-License-Identifier: MIT
 * The signals that are recorded. */
#include "record.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *const STATE_SIGNALS[] = {
    "time",    "body.*.position*", "body.*.orientation*", "body.*.velocity*", "body.*.angular_velocity*",
    "input.*", "platform.*"};
static const char *const INPUT_SIGNALS[] = {"time", "input.*"};

static bool matches_any(const char *name, const char *const *glob, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (fnmatch(glob[i], name, 0) == 0) return true;
  return false;
}

/* Marks all parts of a quantity that a glob names: whole quantities are recorded. Returns how many signals it marked. */
static uint32_t mark_glob(const struct frames_reader *r, const char *glob, bool *marked)
{
  uint32_t found = 0;
  for (uint32_t i = 0; i < r->head.signals; i++) {
    if (fnmatch(glob, frames_signal_name(r, i), 0) != 0 &&
        fnmatch(glob, frames_signal_quantity(r, i), 0) != 0)
      continue;
    const uint32_t first = i - r->signal[i].part;
    for (uint32_t k = 0; k < r->signal[i].parts && first + k < r->head.signals; k++) marked[first + k] = true;
    found++;
  }
  return found;
}

static bool mark_globs(const struct frames_reader *r, const char *words, bool *marked)
{
  char *list = strdup(words), *rest = NULL;
  bool good = list != NULL;
  for (char *glob = good ? strtok_r(list, ",", &rest) : NULL; glob; glob = strtok_r(NULL, ",", &rest))
    if (mark_glob(r, glob, marked) == 0) {
      fprintf(stderr, "ali3-record: --signals: no signal of instance \"%s\" matches \"%s\"\n",
              r->telemetry.instance, glob);
      good = false;
    }
  free(list);
  return good;
}

bool columns_choose(struct columns *c, const struct frames_reader *r, const char *words)
{
  /* Mark. */
  const uint32_t n = r->head.signals;
  bool *marked = calloc((size_t)n + 1, sizeof *marked), good = marked != NULL;
  *c = (struct columns){.signal = calloc((size_t)n + 1, sizeof *c->signal)};
  good = good && c->signal;
  if (!good) fputs("ali3-record: out of memory\n", stderr);
  const bool all = strcmp(words, "all") == 0, state = strcmp(words, "state") == 0,
             inputs = strcmp(words, "inputs") == 0;
  for (uint32_t i = 0; i < n && good; i++)
    marked[i] = all ||
                (state && matches_any(frames_signal_name(r, i), STATE_SIGNALS,
                                      sizeof STATE_SIGNALS / sizeof *STATE_SIGNALS)) ||
                (inputs && matches_any(frames_signal_name(r, i), INPUT_SIGNALS,
                                       sizeof INPUT_SIGNALS / sizeof *INPUT_SIGNALS));
  if (good && !all && !state && !inputs) good = mark_globs(r, words, marked);
  /* Count. */
  for (uint32_t i = 0; i < n && good; i++)
    if (marked[i]) c->signal[c->count++] = i;
  free(marked);
  if (!good) columns_free(c);
  return good;
}

void columns_free(struct columns *c)
{
  free(c->signal);
  *c = (struct columns){0};
}
