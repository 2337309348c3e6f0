/* SPDX-License-Identifier: MIT
 * Logs each change of the condition of an input: its state, its limits, its owner. */
#ifndef JOURNAL_CONDITION_LOG_H
#define JOURNAL_CONDITION_LOG_H

#include "log/rate_limit.h"
#include "loop/cycle.h"

#include <stdint.h>

enum { CONDITION_LINES = 20 }; /* lines in a minute; further changes are counted */

struct condition_log {
  struct rate_limit rate;
  struct condition_reported {
    uint32_t state, limits;
    uint64_t owner;
    uint64_t t_ns; /* time of its last line; 0: none yet */
  } reported[TELEMETRY_INPUTS];
};

void condition_log_begin(struct condition_log *l);
/* Call once a tick. An input has at most one line in a second, which tells its condition at that time. */
void condition_log_tick(struct condition_log *l, const struct cycle_config *g, uint64_t now_ns);

#endif
