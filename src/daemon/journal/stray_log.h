/* SPDX-License-Identifier: MIT
 * Logs messages that nobody takes, because of their form, address, types, numbers or sender, and shows the last ones in the
 * telemetry. */
#ifndef JOURNAL_STRAY_LOG_H
#define JOURNAL_STRAY_LOG_H

#include "log/rate_limit.h"
#include "loop/cycle.h"

#include <stdint.h>

enum { STRAY_LINES = 5 }; /* lines in a minute; further messages are counted */

struct stray_log {
  struct rate_limit rate;
  uint64_t lost[PORTS_MAX];           /* messages without room in the ring of their port, already counted */
  struct stray reported[STRAY_LINES]; /* (rate.passed) the messages with a line in this minute */
  const char *reported_port[STRAY_LINES]; /* and their ports */
};

void stray_log_begin(struct stray_log *l);
/* Call once a tick. */
void stray_log_tick(struct stray_log *l, const struct cycle_config *g, uint64_t now_ns);

#endif
