/* SPDX-License-Identifier: MIT
 * Times of the tree, level by level, from a watch on the runs of its schedule. Shares do the runs of subtrees; their work and
 * their waits for each other are recorded separately. */
#include "bench.h"

#include "rt/clock.h"

#include <ali3/profile.h>
#include <stdlib.h>

enum kind { CONDENSE, SWEEP, KINDS, OTHER = KINDS };

/* Columns of one kind: the rows, then these, then the time of each share. */
enum { SKEW, UTILISATION, BUSY };

static const double WHOLE = 1e6; /* sample of a utilisation of 1 */

struct share { /* in the present stage; its thread writes it */
  _Alignas(64) uint64_t since;
  uint64_t busy, done;
};

struct level_watch {
  const ali3_model *model;
  int tree_stages, owned; /* stages of the tree; the first `owned` are shared */
  ali3_probe probe;
  int shares, rows, columns, steps, step;
  enum kind kind; /* present phase */
  uint64_t since; /* start of the present stage, or of the present run that is not shared */
  bool shared[KINDS];
  int stages[KINDS]; /* shared stages in this step: one in a condensation, two in a sweep */
  uint64_t *now;     /* (KINDS, columns) ns, in this step */
  uint32_t *sample;  /* (KINDS, columns, steps) ns per condensation or sweep in each step */
  struct share *share;
};

static uint64_t *column_now(const struct level_watch *w, enum kind kind, int i)
{
  return &w->now[(int)kind * w->columns + i];
}

static void watch_phase(void *context, ali3_phase phase)
{
  struct level_watch *w = context;
  w->kind = phase == ALI3_PHASE_CONDENSE ? CONDENSE : phase == ALI3_PHASE_SWEEP ? SWEEP : OTHER;
}

static void stage_begins(struct level_watch *w, uint64_t now)
{
  w->since = now;
  w->stages[w->kind]++;
  for (int i = 0; i < w->shares; i++) w->share[i] = (struct share){.done = now};
}

/* A share without a run ends as the stage begins. */
static void stage_ends(struct level_watch *w, uint64_t now)
{
  uint64_t first = UINT64_MAX, last = 0;
  for (int i = 0; i < w->shares; i++) {
    const struct share *s = &w->share[i];
    if (s->done < first) first = s->done;
    if (s->done > last) last = s->done;
    *column_now(w, w->kind, w->rows + BUSY + i) += s->busy;
    w->shared[w->kind] |= i > 0 && s->busy > 0;
  }
  *column_now(w, w->kind, w->rows + SKEW) += last - first;
  if (w->owned > 0) *column_now(w, w->kind, 0) += now - w->since;
}

static void watch_run(void *context, int share, int run, bool begins)
{
  struct level_watch *w = context;
  uint64_t now = clock_now_ns();
  if (w->kind == OTHER) return;
  if (run == ALI3_RUNS_SHARED) {
    (begins ? stage_begins : stage_ends)(w, now);
  } else if (run >= w->owned) {
    if (begins)
      w->since = now;
    else
      *column_now(w, w->kind, run - w->owned + (w->owned > 0)) += now - w->since;
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
  const int stages = ali3_model_stages(m), owned = ali3_model_stages_shared(m);
  *w = (struct level_watch){.model = m,
                            .tree_stages = stages,
                            .owned = owned,
                            .probe = {.context = w, .mark = watch_phase, .run = watch_run},
                            .shares = shares,
                            .rows = stages - owned + (owned > 0),
                            .steps = steps,
                            .kind = OTHER};
  /* Allocate for all steps: nothing is allocated between the steps that are timed. */
  w->columns = w->rows + BUSY + shares;
  size_t columns = (size_t)w->columns * KINDS;
  w->now = calloc(columns, sizeof *w->now);
  w->sample = calloc(columns * (size_t)steps, sizeof *w->sample);
  w->share = aligned_alloc(_Alignof(struct share), (size_t)shares * sizeof *w->share);
  if (w->now && w->sample && w->share) return w;
  levels_unwatch(w);
  return NULL;
}

const ali3_probe *levels_probe(const struct level_watch *w)
{
  return &w->probe;
}

void levels_step_done(struct level_watch *w)
{
  for (enum kind kind = CONDENSE; kind < KINDS; kind++) {
    uint64_t elapsed = w->owned > 0 ? *column_now(w, kind, 0) : 0, busy = 0;
    for (int i = 0; i < w->shares; i++) busy += *column_now(w, kind, w->rows + BUSY + i);
    double times = kind == SWEEP ? w->stages[kind] / 2.0 : w->stages[kind];
    for (int i = 0; i < w->columns; i++) {
      double ns = times > 0 ? (double)*column_now(w, kind, i) / times : 0.0;
      if (i == w->rows + UTILISATION)
        ns = elapsed > 0 ? WHOLE * (double)busy / ((double)w->shares * (double)elapsed) : 0.0;
      w->sample[((size_t)kind * (size_t)w->columns + (size_t)i) * (size_t)w->steps + (size_t)w->step] =
          ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
      *column_now(w, kind, i) = 0;
    }
    w->stages[kind] = 0;
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
  struct level l = {.level = first < w->owned ? LEVEL_SHARED : ali3_model_stage(w->model, first).level,
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

static bool take_shares(const struct level_watch *w, enum kind kind, struct level_shares *s)
{
  if (!w->shared[kind]) return true;
  s->busy = calloc((size_t)w->shares, sizeof *s->busy);
  if (!s->busy) return false;
  s->skew = column_median(w, kind, w->rows + SKEW);
  s->utilisation = column_median(w, kind, w->rows + UTILISATION) / (WHOLE / 1e3);
  for (int i = 0; i < w->shares; i++) s->busy[i] = column_median(w, kind, w->rows + BUSY + i);
  return true;
}

struct levels *levels_take(const struct level_watch *w)
{
  struct levels *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->shares = w->shares;
  l->level = calloc((size_t)w->rows, sizeof *l->level);
  if (!l->level || !take_shares(w, CONDENSE, &l->condense) || !take_shares(w, SWEEP, &l->sweep)) {
    levels_free(l);
    return NULL;
  }
  int owned = w->owned;
  if (owned > 0) l->level[l->levels++] = make_level(w, 0, 0, owned);
  for (int run = owned; run < w->tree_stages; run++, l->levels++)
    l->level[l->levels] = make_level(w, l->levels, run, run + 1);
  return l;
}

void levels_unwatch(struct level_watch *w)
{
  if (!w) return;
  free(w->now);
  free(w->sample);
  free(w->share);
  free(w);
}

void levels_free(struct levels *l)
{
  if (!l) return;
  free(l->condense.busy);
  free(l->sweep.busy);
  free(l->level);
  free(l);
}
