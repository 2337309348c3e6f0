/* SPDX-License-Identifier: MIT
 * Measures what the host does to a thread like the loop: wake-ups on a grid, then a loop that never sleeps. */
#ifndef ALI3_DOCTOR_MEASURE_H
#define ALI3_DOCTOR_MEASURE_H

#include "rt/realtime.h"
#include "telemetry/book.h"

struct measure_plan {
  uint64_t period_ns;
  double seconds; /* time for wake-ups; the second part takes half a second more */
  int priority, cpu;
};

struct measured {
  struct realtime_grant memory, thread; /* result of the requests, each with its own reason */
  uint64_t duration_ns;                 /* of the wake-ups */
  struct histogram wakeup;
  uint64_t skipped;                /* grid points that had passed before the thread woke up */
  long minor_faults, major_faults; /* of the thread, while it measured */
  long voluntary, involuntary;     /* switches while it measured */
  double clock_ns;                 /* cost of one reading of the clock */
  uint64_t gap_ns;                 /* longest time in which a busy thread did not run */
  bool interrupted;
};

/* Callbacks of the caller during a run. */
struct measure_watch {
  const atomic_bool *stop;          /* ends the run early */
  void (*progress)(double seconds); /* called from time to time with the time so far; may be NULL */
};

/* Locks the memory of the process permanently. Returns 0, or an errno if the thread could not be started. */
int measure(const struct measure_plan *plan, const struct measure_watch *watch, struct measured *o);
/* Duration of the measurement, s. */
double measure_seconds(const struct measure_plan *plan);

/* The first grid point after `next` that is later than `now`; adds the skipped ones. */
uint64_t grid_after(uint64_t next, uint64_t period, uint64_t now, uint64_t *skipped);

#endif
