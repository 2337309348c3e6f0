/* SPDX-License-Identifier: MIT
 * Times of the present cycle, and their usual values. RT. */
#ifndef LOOP_CYCLE_TIMES_H
#define LOOP_CYCLE_TIMES_H

#include "rt/usage.h"
#include "telemetry/book.h"

#include <stdint.h>

struct cycle_times {
  uint64_t number;    /* cycle, from 1 */
  uint64_t wake_ns;   /* real start */
  uint64_t mark_ns;   /* start of the current phase */
  uint64_t wakeup_ns; /* from the nominal to the real start */
  uint64_t step_ns;   /* prepare and feedback */
  uint64_t cycle_ns;  /* length of the last cycle, from its nominal start to its end */
  /* Times of this cycle; a phase that has not run yet has the time of the last cycle. */
  uint64_t phase_ns[PHASES];
  uint64_t usual_ns[PHASES]; /* mean of about the last sixteen cycles that ended in time */
  uint64_t usual_held_ns;    /* time for which workers delay the loop, the mean of those cycles */
  struct usage woken;        /* usage of the loop's thread at the wake-up */
};

/* Begins the cycle with nominal start start_ns. */
void cycle_times_begin(struct cycle_times *t, uint64_t start_ns);
/* Ends the current phase and begins the next one. */
void cycle_times_mark(struct cycle_times *t, enum phase phase);
/* The cycle ended in time: its phases enter the means. */
void cycle_times_learn(struct cycle_times *t, uint64_t held_ns);

#endif
