/* SPDX-License-Identifier: MIT
 * One walk over a list names the figures, another one fills them in. */
#include "loop/figures.h"

#include "rt/clock.h"
#include "workers/step_times.h"

#include <ali3/stepper.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Single figures: name, unit, value. */
#define SINGLE_LIST(X)                                                                                       \
  X("loop.misses", "", (double)f->misses)                                                                    \
  X("loop.grace_misses", "", (double)f->grace_misses)                                                        \
  X("loop.skipped", "", (double)f->skipped)                                                                  \
  X("loop.late_starts", "", (double)f->late_starts)                                                          \
  X("loop.slipped", "s", figure_seconds(s->slipped_ns))                                                      \
  X("loop.pulled", "s", (double)s->pulled_ns * 1e-9)                                                         \
  X("loop.beat_error", "s", (double)s->beat_error_ns * 1e-9)                                                 \
  X("loop.beats_lost", "", (double)f->beats_lost)                                                            \
  X("loop.load.1s", "", f->load[0])                                                                          \
  X("loop.load.10s", "", f->load[1])                                                                         \
  X("loop.load.60s", "", f->load[2])                                                                         \
  X("loop.page_faults", "", (double)counter_get(&t->counters.loop_page_faults))                              \
  X("loop.preemptions", "", (double)counter_get(&t->counters.loop_preemptions))

void figures_begin(struct figures *f, const struct usage *woken)
{
  struct figures fresh = {.beats_lost = f->beats_lost, .violation = f->violation, .warm = *woken};
  memcpy(fresh.load, f->load, sizeof fresh.load);
  *f = fresh;
}

void figures_add_load(struct figures *f, uint64_t number, uint64_t period_ns, uint64_t worked_ns)
{
  static const double horizon_s[FIGURES_LOADS] = {1.0, 10.0, 60.0};
  const double period_s = (double)period_ns / (double)NS_PER_S;
  const double now = (double)worked_ns / (double)period_ns;
  for (int i = 0; i < FIGURES_LOADS; i++) {
    const double cycles = horizon_s[i] / period_s, so_far = (double)number;
    const double weight = cycles < so_far ? cycles : so_far; /* at first the plain mean */
    f->load[i] += (now - f->load[i]) / (weight > 1.0 ? weight : 1.0);
  }
}

void figures_add_step(struct figures *f, uint64_t number, int status, const ali3_violation *violation)
{
  if (status != ALI3_NOT_CONVERGED && status != ALI3_VIOLATED && status != ALI3_UNRESOLVED) return;
  f->degraded++;
  f->degraded_cycle = number;
  if (status != ALI3_VIOLATED) return;
  f->violation = *violation;
  f->violated_cycle = number;
  if (f->violated++ == 0) f->violated_first = number;
}

struct walk {
  struct signal *signal; /* NULL: counts only */
  int count;
  bool ok;
};

static void add_figure(struct walk *w, const char *prefix, const char *name, const char *suffix,
                       const char *unit)
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

static void walk_figures(struct walk *w, const struct histograms *histograms)
{
#define TIME(name, text)                                                                                     \
  add_figure(w, "loop.", #name, "", "s");                                                                    \
  add_figure(w, "loop.", #name, ".max", "s");
  BOOK_LIST(TIME)
#undef TIME
#define SINGLE(name, unit, value) add_figure(w, "", name, "", unit);
  SINGLE_LIST(SINGLE)
#undef SINGLE
  for (uint64_t i = 0; i < histograms->levels; i++) {
    const char *name = histograms->level[i].name;
    add_figure(w, "loop.level.", name, ".busy", "s");
    add_figure(w, "loop.level.", name, ".busy.max", "s");
    add_figure(w, "loop.level.", name, ".wait", "s");
    add_figure(w, "loop.level.", name, ".wait.max", "s");
  }
}

struct signal *figures_list(const ali3_model *m, int *count)
{
  struct histograms *histograms = calloc(1, sizeof *histograms);
  struct walk w = {.ok = true};
  struct step_times times;
  *count = 0;
  if (!histograms) return NULL;
  step_times_init(&times, m, histograms, NULL, 0, clock_now_ns);
  /* The first walk counts, the second one names. */
  walk_figures(&w, histograms);
  const int n = w.count;
  w = (struct walk){.signal = calloc((size_t)n, sizeof *w.signal), .ok = true};
  if (w.signal) walk_figures(&w, histograms);
  free(histograms);
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

static double figure_seconds(uint64_t ns)
{
  return (double)ns * 1e-9;
}

static double last_taken(const _Atomic uint64_t *ns)
{
  return figure_seconds(atomic_load_explicit(ns, memory_order_relaxed));
}

void figures_take(const struct figures *f, const struct schedule *s, const struct telemetry *t, double *v)
{
  const struct histograms *histograms = &t->histograms;
#define TIME(name, text)                                                                                     \
  *v++ = last_taken(&histograms->name.last_ns);                                                              \
  *v++ = last_taken(&histograms->name.max_ns);
  BOOK_LIST(TIME)
#undef TIME
#define SINGLE(name, unit, value) *v++ = value;
  SINGLE_LIST(SINGLE)
#undef SINGLE
  for (uint64_t i = 0; i < histograms->levels; i++) {
    *v++ = last_taken(&histograms->level[i].busy.last_ns);
    *v++ = last_taken(&histograms->level[i].busy.max_ns);
    *v++ = last_taken(&histograms->level[i].wait.last_ns);
    *v++ = last_taken(&histograms->level[i].wait.max_ns);
  }
}
