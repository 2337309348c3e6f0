/* SPDX-License-Identifier: MIT
 * Logs refused samples of inputs and a full OSC socket, and writes the names of the owners into the telemetry. */
#ifndef DAEMON_INPUT_LOG_H
#define DAEMON_INPUT_LOG_H

#include "daemon/endpoints.h"
#include "loop/cycle.h"

#include <stdint.h>

enum { REFUSAL_LINES = 5 }; /* in a minute; the rest is summed up */

struct input_log {    /* begins as zeros */
  uint64_t minute_ns; /* when the minute began */
  uint64_t lines;     /* in it */
  uint64_t held;      /* refusals without a line */
  uint64_t lost
      [PORTS_MAX];   /* of each port: refusals that found no room in its ring, as far as they were counted */
  uint64_t named_ns; /* when owners were named last */
  uint64_t overflow; /* osc_overflow as of the last look */
  uint64_t overflow_said; /* as of the last line about it */
  uint64_t overflow_said_ns;
};

/* Looks once: logs refusals, names owners in the telemetry once a second, notes when the socket overflowed. */
void input_log_tick(struct input_log *l, const struct cycle_config *g, uint64_t now_ns);

/* "modbus client 10.0.0.3:502"; "nobody". Set in text[size]. */
void input_owner_text(const struct cycle_config *g, struct input_owner owner, char *text, size_t size);

#endif
