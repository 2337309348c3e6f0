/* SPDX-License-Identifier: MIT
 * One walk names the figures, another takes them: both go through the same list, in the same order. */
#include "loop/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands once: name, unit, value. */
#define SINGLE_LIST(X)                                                                                       \
  X("loop.misses", "", (double)c->misses_counted)                                                            \
  X("loop.grace_misses", "", (double)c->grace_misses)                                                        \
  X("loop.skipped", "", (double)c->skipped)                                                                  \
  X("loop.late_starts", "", (double)c->late_starts)                                                          \
  X("loop.slipped", "s", seconds(c->schedule.slipped_ns))                                                    \
  X("loop.pulled", "s", (double)c->schedule.pulled_ns * 1e-9)                                                \
  X("loop.beat_error", "s", (double)c->schedule.beat_error_ns * 1e-9)                                        \
  X("loop.beats_lost", "", (double)c->beats_lost)                                                            \
  X("loop.load.1s", "", c->load[0])                                                                          \
  X("loop.load.10s", "", c->load[1])                                                                         \
  X("loop.load.60s", "", c->load[2])                                                                         \
  X("loop.page_faults", "", (double)counter_get(&c->config.telemetry->counters.loop_page_faults))            \
  X("loop.preemptions", "", (double)counter_get(&c->config.telemetry->counters.loop_preemptions))

struct walk {
  struct signal *signal; /* NULL: only counts */
  int count;
  bool ok;
};

static void add(struct walk *w, const char *prefix, const char *name, const char *suffix, const char *unit)
{
  if (w->signal) {
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", prefix, name, suffix) < 0) text = NULL;
    for (char *p = text; p && *p; p++)
      if (*p == ' ') *p = '_';
    w->signal[w->count] = (struct signal){text, unit};
    w->ok = w->ok && text;
  }
  w->count++;
}

static void walk(struct walk *w, const struct book *book)
{
#define TIME(name, text)                                                                                     \
  add(w, "loop.", #name, "", "s");                                                                           \
  add(w, "loop.", #name, ".max", "s");
  BOOK_LIST(TIME)
#undef TIME
#define SINGLE(name, unit, value) add(w, "", name, "", unit);
  SINGLE_LIST(SINGLE)
#undef SINGLE
  for (uint64_t i = 0; i < book->levels; i++) {
    const char *name = book->level[i].name;
    add(w, "loop.level.", name, ".busy", "s");
    add(w, "loop.level.", name, ".busy.max", "s");
    add(w, "loop.level.", name, ".wait", "s");
    add(w, "loop.level.", name, ".wait.max", "s");
  }
}

struct signal *figures_list(const ali3_model *m, int *count)
{
  struct book *book = calloc(1, sizeof *book);
  struct walk w = {.ok = true};
  struct step_times times;
  *count = 0;
  if (!book) return NULL;
  step_times_init(&times, m, book, NULL, 0);
  walk(&w, book);
  const int n = w.count;
  w = (struct walk){.signal = calloc((size_t)n, sizeof *w.signal), .ok = true};
  if (w.signal) walk(&w, book);
  free(book);
  if (w.signal && w.ok) {
    *count = n;
    return w.signal;
  }
  figures_free(w.signal, w.signal ? n : 0);
  return NULL;
}

void figures_free(struct signal *list, int count)
{
  for (int i = 0; i < count; i++) free(list[i].name);
  free(list);
}

static double seconds(uint64_t ns)
{
  return (double)ns * 1e-9;
}

static double taken(const _Atomic uint64_t *ns)
{
  return seconds(atomic_load_explicit(ns, memory_order_relaxed));
}

void figures_take(const struct cycle *c, double *v)
{
  const struct book *book = &c->config.telemetry->book;
#define TIME(name, text)                                                                                     \
  *v++ = taken(&book->name.last_ns);                                                                         \
  *v++ = taken(&book->name.max_ns);
  BOOK_LIST(TIME)
#undef TIME
#define SINGLE(name, unit, value) *v++ = value;
  SINGLE_LIST(SINGLE)
#undef SINGLE
  for (uint64_t i = 0; i < book->levels; i++) {
    *v++ = taken(&book->level[i].busy.last_ns);
    *v++ = taken(&book->level[i].busy.max_ns);
    *v++ = taken(&book->level[i].wait.last_ns);
    *v++ = taken(&book->level[i].wait.max_ns);
  }
}
