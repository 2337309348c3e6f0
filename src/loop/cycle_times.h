/* SPDX-License-Identifier: MIT
 * Where the time of the present cycle goes, and where it goes as a rule. RT. */
#ifndef LOOP_CYCLE_TIMES_H
#define LOOP_CYCLE_TIMES_H

#include "rt/usage.h"
#include "telemetry/book.h"

#include <stdint.h>

struct cycle_times {
  uint64_t number;           /* of the cycle, from 1 */
  uint64_t wake_ns;          /* when it really began */
  uint64_t mark_ns;          /* when the phase that is on began */
  uint64_t wakeup_ns;        /* from the nominal start to the real one */
  uint64_t step_ns;          /* prepare and feedback */
  uint64_t cycle_ns;         /* of the cycle before, from its nominal start to its end */
  uint64_t phase_ns[PHASES]; /* of this cycle; of a phase that is still to come: of the one before */
  uint64_t usual_ns[PHASES]; /* the mean of the last sixteen cycles or so that ended in time */
  uint64_t usual_held_ns;    /* by which workers hold the loop up, the same mean */
  struct usage woken;        /* of the loop's thread, at the wake-up */
};

/* The cycle whose nominal start is start_ns begins. */
void cycle_times_begin(struct cycle_times *t, uint64_t start_ns);
/* The phase that is on ends, and the next one begins. */
void cycle_times_mark(struct cycle_times *t, enum phase phase);
/* The cycle ended in time: its phases enter into the means. */
void cycle_times_learn(struct cycle_times *t, uint64_t held_ns);

#endif
