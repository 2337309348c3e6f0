/* SPDX-License-Identifier: MIT
 * The counters of the loop, and all its figures as signals, so that a test can log and judge them like other signals. */
#ifndef LOOP_FIGURES_H
#define LOOP_FIGURES_H

#include "loop/schedule.h"
#include "rt/usage.h"
#include "signals/signals.h"
#include "telemetry/telemetry.h"

#include <stdint.h>

enum { FIGURES_LOADS = 3 /* horizons */ };

/* All members except the violation and the loads count from the end of the warm-up. */
struct figures {
  uint64_t periods; /* periods, with a cycle or skipped */
  TELEMETRY_COUNTED_LIST(FIELD_MEMBER)
  ali3_violation violation; /* the open row after the last violated step */
  uint64_t max_cycle_ns;
  double load[FIGURES_LOADS]; /* fraction of the period that the loop works, over each horizon */
  struct usage warm;          /* usage of the loop's thread at the end of the warm-up */
};

/* RT. Ends the warm-up: its times say nothing about later cycles. woken: usage at the wake-up. */
void figures_begin(struct figures *f, const struct usage *woken);
/* RT. Adds the working time of cycle `number`. */
void figures_add_load(struct figures *f, uint64_t number, uint64_t period_ns, uint64_t worked_ns);
/* RT. Adds the status of a step in cycle `number`. violation: the row that was open after it. */
void figures_add_step(struct figures *f, uint64_t number, int status, const ali3_violation *violation);

/* Set-up. Their names and units, for signals_new_with(): loop.cycle, loop.cycle.max, ... The levels are those of the
 * frozen model. The caller calls figures_free(). Returns NULL when out of memory. */
struct signal *figures_list(const ali3_model *m, int *count);
void figures_free(struct signal *list, int count);

/* RT. Fills in their values at the end of the last cycle. */
void figures_take(const struct figures *f, const struct schedule *s, const struct telemetry *t,
                  double *value);

#endif
