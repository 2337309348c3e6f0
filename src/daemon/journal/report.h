/* SPDX-License-Identifier: MIT
 * Figures of a finished run. */
#ifndef JOURNAL_REPORT_H
#define JOURNAL_REPORT_H

#include "settings/settings.h"
#include "telemetry/telemetry.h"

#include <stdbool.h>
#include <stdio.h>

struct report {
  const struct settings *settings;
  const struct telemetry *telemetry;
  bool realtime;
  const char *reason;   /* why it was not real-time; "" */
  uint32_t final_state; /* enum run_state */
  uint64_t commands_dropped;
};

/* Writes the report as JSON. Returns false if it cannot be written (errno). */
bool report_write(const struct report *r, FILE *out);

/* Makes one line for the log. */
void report_text(const struct report *r, char *text, size_t size);

#endif
