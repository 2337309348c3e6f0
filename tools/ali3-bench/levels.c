/* SPDX-License-Identifier: MIT
 * Times of the tree, level by level, from a watch on the runs of its schedule. The shares of a band, and their waits for each
 * other, are recorded separately. */
#include "bench.h"

#include "rt/clock.h"

#include <ali3/profile.h>
#include <stdlib.h>

enum kind { CONDENSE, SWEEP, KINDS, OTHER = KINDS };

/* Columns of one kind: the rows, then these for each band, with the time of each share last. */
enum { SKEW, UTILISATION, BUSY };

static const double WHOLE = 1e6; /* sample of a utilisation of 1 */

struct share { /* in the present band; its thread writes it */
  _Alignas(64) uint64_t since;
  uint64_t busy, done;
};

struct level_watch {
  const ali3_model *model;
  int tree_stages, bands,
      first_alone; /* stages of the tree; bands that threads share; first stage after them */
  ali3_probe probe;
  int shares, rows, columns, steps, step;
  enum kind kind;         /* present phase */
  uint64_t since;         /* start of the present band, or of the present run that is not shared */
  bool *shared;           /* (KINDS, bands) a worker had work */
  int *times;             /* (KINDS, bands) passes in this step: one in a condensation, two in a sweep */
  int alone_times[KINDS]; /* passes through the other stages */
  uint64_t *now;          /* (KINDS, columns) ns, in this step */
  uint32_t *sample;       /* (KINDS, columns, steps) ns per condensation or sweep in each step */
  struct share *share;
};

static uint64_t *column_now(const struct level_watch *w, enum kind kind, int i)
{
  return &w->now[(int)kind * w->columns + i];
}

/* The first column of a band. */
static int columns_of(const struct level_watch *w, int band)
{
  return w->rows + band * (BUSY + w->shares);
}

static void watch_phase(void *context, ali3_phase phase)
{
  struct level_watch *w = context;
  w->kind = phase == ALI3_PHASE_CONDENSE ? CONDENSE : phase == ALI3_PHASE_SWEEP ? SWEEP : OTHER;
}

static void band_begins(struct level_watch *w, int band, uint64_t now)
{
  w->since = now;
  w->times[(int)w->kind * w->bands + band]++;
  for (int i = 0; i < w->shares; i++) w->share[i] = (struct share){.done = now};
}

/* A share without a run ends as the band begins. */
static void band_ends(struct level_watch *w, int band, uint64_t now)
{
  const int first = columns_of(w, band);
  uint64_t earliest = UINT64_MAX, last = 0;
  for (int i = 0; i < w->shares; i++) {
    const struct share *s = &w->share[i];
    if (s->done < earliest) earliest = s->done;
    if (s->done > last) last = s->done;
    *column_now(w, w->kind, first + BUSY + i) += s->busy;
    w->shared[(int)w->kind * w->bands + band] |= i > 0 && s->busy > 0;
  }
  *column_now(w, w->kind, first + SKEW) += last - earliest;
  *column_now(w, w->kind, band) += now - w->since;
}

static void watch_run(void *context, int share, int run, bool begins)
{
  struct level_watch *w = context;
  const int band = ALI3_RUNS_SHARED - run;
  uint64_t now = clock_now_ns();
  if (w->kind == OTHER) return;
  /* A band, or a run in it, or a run after all bands. */
  if (run < 0 && band >= w->bands) {
    w->alone_times[w->kind] += begins;
  } else if (run < 0) {
    (begins ? band_begins : band_ends)(w, band, now);
  } else if (run >= w->first_alone) {
    if (begins)
      w->since = now;
    else
      *column_now(w, w->kind, w->bands + run - w->first_alone) += now - w->since;
  } else if (begins) {
    w->share[share].since = now;
  } else {
    w->share[share].busy += now - w->share[share].since;
    w->share[share].done = now;
  }
}

struct level_watch *levels_watch(const ali3_model *m, int shares, int steps)
{
  /* Set the probe and the size of the tables. */
  struct level_watch *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  *w = (struct level_watch){.model = m,
                            .tree_stages = ali3_model_stages(m),
                            .probe = {.context = w, .mark = watch_phase, .run = watch_run},
                            .shares = shares,
                            .steps = steps,
                            .kind = OTHER};
  while (w->bands < ali3_model_bands(m) && ali3_model_band(m, w->bands).separate)
    w->first_alone = ali3_model_band(m, w->bands++).end;
  w->rows = w->bands + w->tree_stages - w->first_alone;
  w->columns = columns_of(w, w->bands);
  /* Allocate for all steps: nothing is allocated between the steps that are timed. */
  size_t columns = (size_t)w->columns * KINDS, bands = (size_t)w->bands * KINDS + 1;
  w->now = calloc(columns, sizeof *w->now);
  w->sample = calloc(columns * (size_t)steps, sizeof *w->sample);
  w->shared = calloc(bands, sizeof *w->shared);
  w->times = calloc(bands, sizeof *w->times);
  w->share = aligned_alloc(_Alignof(struct share), (size_t)shares * sizeof *w->share);
  if (w->now && w->sample && w->shared && w->times && w->share) return w;
  levels_unwatch(w);
  return NULL;
}

const ali3_probe *levels_probe(const struct level_watch *w)
{
  return &w->probe;
}

/* Stores the mean over the passes of this step. */
static void take_sample(struct level_watch *w, enum kind kind, int column, double ns, double times)
{
  if (times > 0) ns /= kind == SWEEP ? times / 2.0 : times;
  w->sample[((size_t)kind * (size_t)w->columns + (size_t)column) * (size_t)w->steps + (size_t)w->step] =
      ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
  *column_now(w, kind, column) = 0;
}

static void take_band(struct level_watch *w, enum kind kind, int band)
{
  const int first = columns_of(w, band);
  int *times = &w->times[(int)kind * w->bands + band];
  uint64_t elapsed = *column_now(w, kind, band), busy = 0;
  for (int i = 0; i < w->shares; i++) busy += *column_now(w, kind, first + BUSY + i);
  take_sample(w, kind, first + UTILISATION,
              elapsed > 0 ? WHOLE * (double)busy / ((double)w->shares * (double)elapsed) : 0.0, 0.0);
  take_sample(w, kind, band, (double)elapsed, *times);
  take_sample(w, kind, first + SKEW, (double)*column_now(w, kind, first + SKEW), *times);
  for (int i = first + BUSY; i < first + BUSY + w->shares; i++)
    take_sample(w, kind, i, (double)*column_now(w, kind, i), *times);
  *times = 0;
}

void levels_step_done(struct level_watch *w)
{
  for (enum kind kind = CONDENSE; kind < KINDS; kind++) {
    for (int band = 0; band < w->bands; band++) take_band(w, kind, band);
    for (int i = w->bands; i < w->rows; i++)
      take_sample(w, kind, i, (double)*column_now(w, kind, i), w->alone_times[kind]);
    w->alone_times[kind] = 0;
  }
  w->step++;
}

static double column_median(const struct level_watch *w, enum kind kind, int i)
{
  return times_of(&w->sample[((size_t)kind * (size_t)w->columns + (size_t)i) * (size_t)w->steps], w->steps)
      .median;
}

/* Stages first .. end-1 of the schedule. */
static struct level make_level(const struct level_watch *w, int row, int first, int end)
{
  struct level l = {.level = first < w->first_alone ? LEVEL_SHARED : ali3_model_stage(w->model, first).level,
                    .runs = end - first,
                    .condense = column_median(w, CONDENSE, row),
                    .sweep = column_median(w, SWEEP, row)};
  for (int i = first; i < end; i++) {
    const ali3_stage stage = ali3_model_stage(w->model, i);
    l.flops += stage.flops;
    l.groups += stage.groups;
    l.nodes += stage.nodes;
    l.lanes += stage.lanes;
  }
  return l;
}

/* The largest share of a band over the mean. */
static double imbalance_of(const ali3_model *m, ali3_band band, int shares)
{
  double of[64] = {0.0}, most = 0.0;
  for (int i = band.first; i < band.end; i++) {
    double *own = &of[ali3_model_stage_share(m, i, shares)];
    *own += ali3_model_stage(m, i).condense;
    if (*own > most) most = *own;
  }
  return most * shares / band.condense;
}

static bool take_shares(const struct level_watch *w, enum kind kind, int band, struct level_shares *s)
{
  const int first = columns_of(w, band);
  if (!w->shared[(int)kind * w->bands + band]) return true;
  s->busy = calloc((size_t)w->shares, sizeof *s->busy);
  if (!s->busy) return false;
  s->skew = column_median(w, kind, first + SKEW);
  s->utilisation = column_median(w, kind, first + UTILISATION) / (WHOLE / 1e3);
  for (int i = 0; i < w->shares; i++) s->busy[i] = column_median(w, kind, first + BUSY + i);
  return true;
}

/* A band that threads share. False: out of memory. */
static bool take_level_of_band(const struct level_watch *w, int band, struct level *l)
{
  static const int threads[PLANNED] = PLANNED_THREADS;
  const ali3_band b = ali3_model_band(w->model, band);
  *l = make_level(w, band, b.first, b.end);
  l->band = band;
  for (int i = 0; i < PLANNED; i++) l->imbalance[i] = imbalance_of(w->model, b, threads[i]);
  return take_shares(w, CONDENSE, band, &l->condense_shares) && take_shares(w, SWEEP, band, &l->sweep_shares);
}

struct levels *levels_take(const struct level_watch *w)
{
  struct levels *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->shares = w->shares;
  l->level = calloc((size_t)w->rows, sizeof *l->level);
  bool good = l->level;
  for (; good && l->levels < w->bands; l->levels++)
    good = take_level_of_band(w, l->levels, &l->level[l->levels]);
  for (int run = w->first_alone; good && run < w->tree_stages; run++, l->levels++)
    l->level[l->levels] = make_level(w, l->levels, run, run + 1);
  if (good) return l;
  levels_free(l);
  return NULL;
}

void levels_unwatch(struct level_watch *w)
{
  if (!w) return;
  free(w->now);
  free(w->sample);
  free(w->shared);
  free(w->times);
  free(w->share);
  free(w);
}

void levels_free(struct levels *l)
{
  if (!l) return;
  for (int i = 0; i < l->levels; i++) {
    free(l->level[i].condense_shares.busy);
    free(l->level[i].sweep_shares.busy);
  }
  free(l->level);
  free(l);
}
