/* SPDX-License-Identifier: MIT
 * What the loop counts of itself, and all its figures as signals: a test can log them and judge by them like any other. */
#ifndef LOOP_FIGURES_H
#define LOOP_FIGURES_H

#include "loop/schedule.h"
#include "rt/usage.h"
#include "signals/signals.h"
#include "telemetry/telemetry.h"

#include <stdint.h>

enum { FIGURES_LOADS = 3 /* horizons */ };

/* All but the violation and the loads count from the end of the warm-up. */
struct figures {
  uint64_t periods; /* gone by, done or skipped */
  TELEMETRY_COUNTED_LIST(FIELD_MEMBER)
  ali3_violation violation; /* what was open after the last violated step */
  uint64_t max_cycle_ns;
  double load[FIGURES_LOADS]; /* share of the period that the loop works, over the horizon */
  struct usage warm;          /* of the loop's thread, at the end of the warm-up */
};

/* RT. The warm-up is over: what it took is no measure of the cycles to come. woken: usage at the wake-up. */
void figures_begin(struct figures *f, const struct usage *woken);
/* RT. A cycle, the number-th, worked for so long. */
void figures_add_load(struct figures *f, uint64_t number, uint64_t period_ns, uint64_t worked_ns);
/* RT. A step ended with this status in the cycle `number`. violation: what was open
 * after it. */
void figures_add_step(struct figures *f, uint64_t number, int status, const ali3_violation *violation);

/* Set-up. Their names and units, for signals_new_with(): loop.cycle, loop.cycle.max, ... The levels are those of the
 * model, which is frozen. What *list points to is the caller's to free() with the list itself; NULL when out of memory. */
struct signal *figures_list(const ali3_model *m, int *count);
void figures_free(struct signal *list, int count);

/* RT. Their values, as of the end of the cycle before. */
void figures_take(const struct figures *f, const struct schedule *s, const struct telemetry *t,
                  double *value);

#endif
