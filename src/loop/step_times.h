/* SPDX-License-Identifier: MIT
 * Where the time of a step goes: by kinds of work and by levels of the tree. The stepper, which has no clock, says what
 * it begins (ali3_probe); here it is timed. One owner, the loop; RT but
 * for step_times_init(). */
#ifndef LOOP_STEP_TIMES_H
#define LOOP_STEP_TIMES_H

#include "rt/pool.h"
#include "telemetry/book.h"

/* Timing all cycles takes some 5 us of each: that is nothing to a long period. Of short ones one cycle in so many is timed;
 * no number by which benches divide theirs. */
enum { STEP_TIMES_EVERY = 17, STEP_TIMES_ALL_NS = 5000000 /* periods from here on are long */ };

struct step_times {
  ali3_probe probe; /* to be set on the data */

  /* private */
  uint64_t (*now_ns)(void); /* the clock */
  int every;                /* so many cycles */
  struct histograms *histograms;
  struct pool *pool;         /* NULL: none */
  int owned;                 /* runs of the tree that are shared */
  int first_run;             /* row of the first run that is not */
  bool timed;                /* in this cycle */
  int phase;                 /* row of the phase that is on; -1: none */
  uint64_t since, run_since; /* of the phase, of the run */
  uint64_t busy[LEVELS_MAX]; /* ns, in this cycle */
};

/* Set-up: names the rows of book->level for a frozen model. now_ns: the clock, clock_now_ns() but in tests. */
void step_times_init(struct step_times *t, const ali3_model *m, struct histograms *histograms,
                     struct pool *pool, uint64_t period_ns, uint64_t (*now_ns)(void));
/* The cycle is over: adds what was timed in it to the book, and what the pool waited. */
void step_times_book(struct step_times *t, uint64_t cycle);

#endif
