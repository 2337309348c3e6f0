/* SPDX-License-Identifier: MIT
 * The replay: from a state of the recording, or from the initial state, cycle after cycle. */
#include "replay.h"

#include <ali3/status.h>
#include <inttypes.h>
#include <stdlib.h>

struct again {
  const struct recording *r;
  struct plant_again plant;
  struct compare compare;
  hsize_t row, end;       /* next row of signals, and the end of the compared ones */
  uint64_t first;         /* cycle of the first compared row */
  hsize_t next_state;     /* of the recording */
  bool known;             /* the state of the model is that of the recording */
  uint64_t gaps, skipped; /* cycles without a known state */
  bool failed;            /* a cycle cannot be repeated */
  bool all;               /* goes on behind a difference */
  bool writes, unwritten; /* unwritten: the file cannot be written */
  bool behind_gap;        /* cycles are missing between the last written cycle and this one */
  struct writing writing;
};

void rows_between(const struct recording *r, double from, double to, hsize_t *first, hsize_t *end)
{
  const uint64_t begin = r->rows > 0 ? r->cycle[0] : 0;
  *first = 0;
  *end = r->rows;
  while (*first < r->rows && (double)(r->cycle[*first] - begin) * r->period < from) ++*first;
  while (to >= 0.0 && *end > *first && (double)(r->cycle[*end - 1] - begin) * r->period > to) --*end;
}

/* Version of the parameters with which a state ahead of cycle `act` was taken: those that came in with this cycle are newer. */
static uint32_t state_version(const struct again *a, hsize_t act)
{
  const uint32_t now = a->r->parameters[act];
  return a->r->act[act] & FRAMES_TUNED ? now - 1 : now;
}

/* States up to the cycle before: the newest one makes an unknown state known. */
static bool take_recorded_state(struct again *a, uint64_t cycle, uint32_t version)
{
  const struct recording *r = a->r;
  hsize_t newest = r->states;
  for (; a->next_state < r->states && r->state_cycle[a->next_state] < cycle; a->next_state++)
    newest = a->next_state;
  if (a->known || newest == r->states || r->state_cycle[newest] + 1 != cycle) return true;
  /* Another model begins in its own initial state. */
  if (!a->plant.own && cycle == 1) return a->known = true;
  if ((a->plant.own && !plant_again_tune(&a->plant, r, version)) ||
      !plant_again_load(&a->plant, r, newest, version))
    return !(a->failed = true);
  return a->known = true;
}

/* The loop put the model into its initial state; a platform is known only from a state. */
static void take_restore(struct again *a, hsize_t act)
{
  const bool restored = (a->r->act[act] & (FRAMES_RESTORED | FRAMES_WARMING)) != 0;
  if (!a->known && restored && !a->plant.drive.there) a->known = true;
}

/* Whether row a->row, of the next compared or written cycle at or behind `cycle`, is still wanted. */
static bool has_row(struct again *a, uint64_t cycle)
{
  while (a->row < a->r->rows && a->r->cycle[a->row] < cycle) a->row++;
  return a->row < a->end;
}

/* One cycle. False: the end, or a difference. */
static bool repeat_cycle(struct again *a, hsize_t act)
{
  const struct recording *r = a->r;
  const uint64_t cycle = r->act_cycle[act];
  int status = ALI3_OK;
  if (act > 0 && cycle != r->act_cycle[act - 1] + 1) {
    a->gaps++;
    a->known = false;
    a->behind_gap = a->writing.begun;
  }
  if (!has_row(a, cycle)) return false;
  if (!take_recorded_state(a, cycle, state_version(a, act))) return false;
  take_restore(a, act);
  const bool written = a->writes && a->known && cycle >= a->first;
  if (written && !writing_begin_cycle(&a->writing, act, a->behind_gap)) return !(a->unwritten = true);
  if (a->known && !plant_again_cycle(&a->plant, r, act, &status)) {
    a->failed = true;
    return false;
  }
  /* Its row of signals, if it has one. */
  if (written && !writing_add(&a->writing, act, a->row, compare_recorded(&a->compare, a->row), status))
    return !(a->unwritten = true);
  a->behind_gap = a->writing.begun && !a->known;
  if (r->cycle[a->row] != cycle || cycle < a->first) return true;
  if (a->known)
    compare_row(&a->compare, a->row, a->plant.values, status, a->all);
  else
    a->skipped++;
  return a->all || !a->compare.different;
}

static int report_again(const struct again *a, const struct replay_options *o)
{
  const struct compare *c = &a->compare;
  if (c->failed)
    return replay_fail(EXIT_USAGE, a->r->path,
                       "a row cannot be read; ali3-replay recover copies the whole ones");
  if (a->failed) return EXIT_FOREIGN;
  if (a->unwritten) return EXIT_USAGE;
  if (c->cycles == 0)
    return replay_fail(EXIT_USAGE, a->r->path,
                       "it holds no state ahead of these cycles, so nothing can be computed again");
  /* The result, then the cycles that have none. */
  if (o->with) {
    printf("%s: %" PRIu64 " cycles, %u signals of both; ", o->with, c->cycles, c->compared);
    compare_print_largest(c);
  } else if (c->different) {
    compare_print_difference(c);
  } else {
    printf("%s: %" PRIu64 " cycles, %" PRIu64 " numbers\n",
           o->tolerance < 0.0 ? "the same bits" : "within the tolerance", c->cycles, c->numbers);
  }
  if (a->skipped > 0)
    printf("%" PRIu64 " cycles were not compared: they come before the first state%s\n", a->skipped,
           a->gaps > 0 ? ", or behind a gap" : "");
  if (a->gaps > 0) printf("%" PRIu64 " gaps of lost cycles\n", a->gaps);
  if (c->different && !o->with) return EXIT_DIFFERENT;
  return a->gaps > 0 || a->skipped > 0 ? EXIT_GAPS : EXIT_SAME;
}

/* The cycle from which on everything is computed: behind the newest state ahead of the first row. */
static hsize_t first_act(const struct again *a)
{
  const struct recording *r = a->r;
  uint64_t from = 0;
  hsize_t act = 0;
  for (hsize_t i = 0; i < r->states && r->state_cycle[i] < a->first; i++) from = r->state_cycle[i];
  while (act + 1 < r->acts && r->act_cycle[act] <= from) act++;
  return act;
}

int again_run(const struct recording *r, const struct replay_options *o)
{
  struct again a = {.r = r, .all = o->with || o->write, .writes = o->write != NULL};
  if (r->acts == 0)
    return replay_fail(EXIT_USAGE, r->path, "it holds no actions of the loop: an older ali3-record wrote it");
  /* The rows, the model, and the cycles from the newest state on. */
  rows_between(r, o->from, o->to, &a.row, &a.end);
  if (a.row >= a.end) return replay_fail(EXIT_USAGE, r->path, "it has no cycle between --from and --to");
  a.first = r->cycle[a.row];
  int status = plant_again_open(&a.plant, r, o);
  if (status == EXIT_SAME && !compare_open(&a.compare, r, &a.plant, o->tolerance))
    status = replay_fail(EXIT_USAGE, r->path, "it is damaged, or there is not enough memory");
  if (status == EXIT_SAME && a.writes && !writing_open(&a.writing, r, &a.plant, o)) status = EXIT_USAGE;
  if (status == EXIT_SAME) {
    hsize_t act = first_act(&a);
    while (act < r->acts && repeat_cycle(&a, act)) act++;
    status = report_again(&a, o);
  }
  if (a.writes && !writing_close(&a.writing, status != EXIT_USAGE && status != EXIT_FOREIGN))
    status = status == EXIT_SAME || status == EXIT_DIFFERENT || status == EXIT_GAPS ? EXIT_USAGE : status;
  compare_close(&a.compare);
  plant_again_close(&a.plant);
  return status;
}
