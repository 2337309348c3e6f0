/* SPDX-License-Identifier: MIT
 * Times of a step by kinds of work and by levels of the tree. The stepper has no clock: it reports the begin of each
 * part (ali3_probe), and this file times it. One owner, the loop; RT except step_times_init(). */
#ifndef WORKERS_STEP_TIMES_H
#define WORKERS_STEP_TIMES_H

#include "rt/pool.h"
#include "telemetry/book.h"

#include <ali3/profile.h>

/* Timing takes about 5 us of a cycle, which matters only for short periods. With short periods one cycle in
 * STEP_TIMES_EVERY is timed; benches do not divide their cycles by this number. */
enum { STEP_TIMES_EVERY = 17, STEP_TIMES_ALL_NS = 5000000 /* longer periods are timed in every cycle */ };

struct step_times {
  ali3_probe probe; /* set it on the data */

  /* private */
  uint64_t (*now_ns)(void); /* the clock */
  int every;                /* one cycle of this number is timed */
  struct histograms *histograms;
  struct pool *pool;         /* NULL: none */
  int bands;                 /* bands of the tree that threads share; they come first */
  int first_alone;           /* the first run after them */
  bool timed;                /* this cycle is timed */
  int phase;                 /* row of the current phase; -1: none */
  uint64_t since, run_since; /* start of the phase, start of the run */
  uint64_t busy[LEVELS_MAX]; /* ns, in this cycle */
};

/* Set-up: names the rows of book->level for a frozen model. now_ns: clock_now_ns(), or the clock of a test. */
void step_times_init(struct step_times *t, const ali3_model *m, struct histograms *histograms,
                     struct pool *pool, uint64_t period_ns, uint64_t (*now_ns)(void));
/* Ends the cycle: adds its times, and the waits of the pool, to the histograms. */
void step_times_book(struct step_times *t, uint64_t cycle);

#endif
