/* SPDX-License-Identifier: MIT
 * Facts around a missed deadline that only an ordinary thread can know: was the process stopped, the machine suspended,
 * a debugger attached, the wall clock set, the processor taken by a hypervisor? The supervisor takes one sample per
 * tick and keeps the intervals between samples as long as a late record may need them. */
#ifndef JOURNAL_HOST_HISTORY_H
#define JOURNAL_HOST_HISTORY_H

#include "journal/host_probe.h"
#include "telemetry/miss.h"

#include <stdbool.h>
#include <stdint.h>

/* The time between two samples. */
struct host_interval {
  uint64_t from_ns, to_ns;
  uint64_t stopped_ns;                         /* lower bound; 0: shorter than two ticks, or not stopped */
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
  unsigned count; /* intervals so far; the last one is at (count - 1) % HOST_INTERVALS */
  struct host_interval interval[HOST_INTERVALS];
};

/* Adds the interval since the last sample and returns it. Pure, like host_history_explain(). */
const struct host_interval *host_history_add(struct host_history *s, const struct host_sample *sample);
/* Fills in the part of a record that the ordinary thread contributes. */
void host_history_explain(const struct host_history *s, struct miss *m);

#endif
