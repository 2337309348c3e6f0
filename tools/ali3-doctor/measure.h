/* SPDX-License-Identifier: MIT
 * What the host does to a thread like that of the loop: wake-ups on a grid, then a loop that never sleeps. */
#ifndef ALI3_DOCTOR_MEASURE_H
#define ALI3_DOCTOR_MEASURE_H

#include "rt/realtime.h"
#include "telemetry/book.h"

struct measure_plan {
  uint64_t period_ns;
  double seconds; /* of wake-ups; the rest takes half a second more */
  int priority, cpu;
};

struct measured {
  struct realtime_grant memory, thread; /* what was granted, each with its own reason */
  uint64_t duration_ns;                 /* of the wake-ups */
  struct histogram wakeup;
  uint64_t skipped;                /* instants of the grid that were over before the thread woke up */
  long minor_faults, major_faults; /* of the thread, while it measured */
  long voluntary, involuntary;     /* switches, likewise */
  double clock_ns;                 /* to read the clock once */
  uint64_t gap_ns;                 /* longest time in which a busy thread did not run */
  bool interrupted;
};

/* What the caller has to do with a run. */
struct measure_watch {
  const atomic_bool *stop;          /* ends it early */
  void (*progress)(double seconds); /* called now and then with the time so far; or NULL */
};

/* Locks the memory of the process for good. 0 or an errno: the thread could not be started. */
int measure(const struct measure_plan *plan, const struct measure_watch *watch, struct measured *o);
/* How long it takes, s. */
double measure_seconds(const struct measure_plan *plan);

/* The first instant of the grid after `next` that is later than `now`; adds those that were left out. */
uint64_t grid_after(uint64_t next, uint64_t period, uint64_t now, uint64_t *skipped);

#endif
