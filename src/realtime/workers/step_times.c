/* SPDX-License-Identifier: MIT
 * Rows of the table of times: first the kinds of work of a step, then the runs of the tree in the order of its
 * schedule. A solve passes the runs up and down, a factorisation passes them up: one reading of the clock ends one run
 * and begins the next.
 *
 * That still means over a hundred readings, 5 us: a tenth of the step of a chain of 128 bodies, and half of that of a
 * four-bar. */
#include "workers/step_times.h"

#include <ali3/profile.h>
#include <stdio.h>

/* Rows of the kinds of work, by phase of the stepper; -1: not timed. */
enum { PREDICT, ROWS, CONDENSE, SWEEP, BODIES, PROJECT, KINDS };
_Static_assert((int)LEVELS_MAX <= (int)POOL_LABELS, "the pool labels pieces with rows of the book");

static const int kind_of_phase[ALI3_PHASES] = {
    [ALI3_PHASE_PREDICT] = PREDICT, [ALI3_PHASE_ROWS] = ROWS,     [ALI3_PHASE_CONDENSE] = CONDENSE,
    [ALI3_PHASE_SWEEP] = SWEEP,     [ALI3_PHASE_BODIES] = BODIES, [ALI3_PHASE_PROJECT] = PROJECT,
    [ALI3_PHASE_IDLE] = -1,
};
static const char *const work_names[KINDS] = {"predict", "rows", "condense", "sweep", "bodies", "project"};

/* Pieces that are shared from now on count for that row. */
static void shared_by(struct step_times *t, int row)
{
  if (t->pool && row >= 0) pool_label(t->pool, row);
}

static void phase_begins(void *context, ali3_phase phase)
{
  struct step_times *t = context;
  const int before = t->phase;
  t->phase = kind_of_phase[phase];
  shared_by(t, t->phase);
  if (!t->timed) return;
  const uint64_t now = t->now_ns();
  if (before >= 0) t->busy[before] += now - t->since;
  t->since = now;
}

/* Row of a stage that the loop does alone, or of a band, as a probe reports them. */
static int row_of_run(const struct step_times *t, int run)
{
  const int row = KINDS + (run < 0 ? ALI3_RUNS_SHARED - run : t->bands + run - t->first_alone);
  return row < LEVELS_MAX ? row : LEVELS_MAX - 1;
}

/* Shared runs begin in all shares; the pool times those. */
static void stage_marked(void *context, int share, int run, bool begins)
{
  struct step_times *t = context;
  const bool band = run < 0, shared = band && ALI3_RUNS_SHARED - run < t->bands;
  (void)share;
  if (shared) shared_by(t, begins ? row_of_run(t, run) : t->phase);
  if (!t->timed || (begins ? !band : band ? !shared : run < t->first_alone)) return;
  const uint64_t now = t->now_ns();
  if (!begins) t->busy[row_of_run(t, run)] += now - t->run_since;
  t->run_since = now;
}

/* Switches timing on or off for the steps up to the next booking. */
static void set_timed(struct step_times *t, bool timed)
{
  t->timed = timed;
  t->probe.run = timed || t->pool ? stage_marked : NULL;
}

static void name_stage(const ali3_stage *stage, struct book_level *row)
{
  snprintf(row->name, sizeof row->name, "level %d", stage->level);
  row->nodes += (uint32_t)stage->nodes;
}

/* The row of a band that threads share. */
static void name_band(const ali3_model *m, int band, struct book_level *row)
{
  const ali3_band b = ali3_model_band(m, band);
  for (int i = b.first; i < b.end; i++) row->nodes += (uint32_t)ali3_model_stage(m, i).nodes;
  if (band == 0)
    snprintf(row->name, sizeof row->name, "subtrees");
  else
    snprintf(row->name, sizeof row->name, "subtrees %d", band + 1);
}

void step_times_init(struct step_times *t, const ali3_model *m, struct histograms *histograms,
                     struct pool *pool, uint64_t period_ns, uint64_t (*now_ns)(void))
{
  const int stages = ali3_model_stages(m), bands = ali3_model_bands(m);
  *t = (struct step_times){.now_ns = now_ns,
                           .probe = {.context = t, .mark = phase_begins},
                           .every = period_ns < STEP_TIMES_ALL_NS ? STEP_TIMES_EVERY : 1,
                           .histograms = histograms,
                           .pool = pool,
                           .phase = -1};
  set_timed(t, true);
  while (t->bands < bands && ali3_model_band(m, t->bands).separate)
    t->first_alone = ali3_model_band(m, t->bands++).end;
  /* Rows of the kinds of work, which every cycle has. */
  const int rows = KINDS + t->bands + stages - t->first_alone;
  histograms->levels = (uint64_t)(rows < LEVELS_MAX ? rows : LEVELS_MAX);
  for (uint64_t i = 0; i < histograms->levels; i++)
    histograms->level[i] = (struct book_level){.shared = pool != NULL};
  for (int i = 0; i < KINDS; i++)
    snprintf(histograms->level[i].name, sizeof histograms->level[i].name, "%s", work_names[i]);
  /* Rows of the tree: one for each band that threads share, then one for each other stage. */
  for (int i = 0; i < t->bands; i++) name_band(m, i, &histograms->level[KINDS + i]);
  for (int i = t->first_alone; i < stages; i++) {
    const ali3_stage stage = ali3_model_stage(m, i);
    struct book_level *row = &histograms->level[row_of_run(t, i)];
    row->shared = 0;
    name_stage(&stage, row);
  }
  if (rows > LEVELS_MAX)
    snprintf(histograms->level[LEVELS_MAX - 1].name, sizeof histograms->level[LEVELS_MAX - 1].name,
             "levels above");
}

void step_times_book(struct step_times *t, uint64_t cycle)
{
  for (uint64_t i = 0; i < t->histograms->levels; i++) {
    const uint64_t wait = t->pool ? pool_take_wait(t->pool, (int)i) : 0;
    if (t->busy[i] > 0) stopwatch_add(&t->histograms->level[i].busy, t->busy[i], cycle);
    if (wait > 0) stopwatch_add(&t->histograms->level[i].wait, wait, cycle);
    t->busy[i] = 0;
  }
  set_timed(t, cycle % (uint64_t)t->every == 0);
}
