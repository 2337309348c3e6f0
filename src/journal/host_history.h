/* SPDX-License-Identifier: MIT
 * Only an ordinary thread can know the following about the time around a missed deadline: was the process
 * stopped, the machine suspended, a debugger attached, the wall clock set, the processor taken away by a
 * hypervisor? The supervisor takes one sample per tick, and keeps the intervals between samples for as long as
 * a late record may ask for them. */
#ifndef JOURNAL_HOST_HISTORY_H
#define JOURNAL_HOST_HISTORY_H

#include "journal/host_probe.h"
#include "telemetry/miss.h"

#include <stdbool.h>
#include <stdint.h>

/* The time between two samples. */
struct host_interval {
  uint64_t from_ns, to_ns;
  uint64_t stopped_ns;                         /* at least; 0: shorter than two ticks, or not at all */
  uint64_t continued_from_ns, continued_to_ns; /* SIGCONT came between them; 0: none did */
  uint64_t asleep_ns, stolen_ns;
  int64_t wall_step_ns;
  uint32_t debugger;
};

enum { HOST_INTERVALS = 256 }; /* 5 s of ticks */
struct host_history {
  uint64_t tick_ns; /* between two samples, if nothing delays the supervisor */
  struct host_sample last;
  bool begun;
  unsigned count; /* stretches so far; the last one is at (count - 1) % STRETCHES */
  struct host_interval interval[HOST_INTERVALS];
};

/* Adds the interval since the sample before, and returns it. Pure, as is host_history_explain(). */
const struct host_interval *host_history_add(struct host_history *s, const struct host_sample *sample);
/* Fills in the part of a record that is the ordinary thread's. */
void host_history_explain(const struct host_history *s, struct miss *m);

#endif
