/* SPDX-License-Identifier: MIT
 * Logs refused samples of inputs and a full OSC socket, and writes the names of the owners into the telemetry. */
#ifndef JOURNAL_INPUT_LOG_H
#define JOURNAL_INPUT_LOG_H

#include "log/rate_limit.h"
#include "loop/cycle.h"

#include <stdint.h>

enum { REFUSAL_LINES = 5 }; /* lines in a minute; further refusals are counted */

struct input_log {
  struct rate_limit rate;
  uint64_t lost[PORTS_MAX];   /* refusals of each port without room in its ring, already counted */
  uint64_t named_ns;          /* last time at which owners were named */
  uint64_t overflow;          /* osc_overflow at the last tick */
  uint64_t overflow_reported; /* osc_overflow at the last line about it */
  uint64_t overflow_reported_ns;
};

void input_log_begin(struct input_log *l);
/* Call once a tick: logs refusals, names owners in the telemetry once a second, notes when the socket overflowed. */
void input_log_tick(struct input_log *l, const struct cycle_config *g, uint64_t now_ns);

#endif
