/* SPDX-License-Identifier: MIT
 * Takes the report of the recorder into the telemetry, and logs what changes. The supervisor looks. */
#ifndef JOURNAL_RECORDER_LOG_H
#define JOURNAL_RECORDER_LOG_H

#include "log/log_limits.h"
#include "telemetry/telemetry.h"

struct recorder_log {
  uint64_t looked_ns; /* time of the last look */
};

/* Call once a tick. */
void recorder_log_tick(struct recorder_log *l, struct telemetry *t, struct log_limits *limits,
                       uint64_t now_ns);

#endif
