/* SPDX-License-Identifier: MIT
 * Says in the log when a polled device comes and goes, or a serial line of ours. The threads that poll and
 * send never log: the supervisor looks at what they show. */
#ifndef JOURNAL_DEVICE_LOG_H
#define JOURNAL_DEVICE_LOG_H

#include "journal/rate_limit.h"
#include "telemetry/telemetry.h"
#include "wire/packet.h"

enum { DEVICE_LINES = 5 };        /* of each device in a second */
enum { LINES = PACKETS_MAX + 1 }; /* serial lines of ours: of packets, and of the Modbus server */

struct device_log {
  struct {
    enum { DEVICE_LOG_NOTHING, DEVICE_LOG_UP, DEVICE_LOG_DOWN } said;
    uint64_t down_ns; /* since when it is down */
    struct rate_limit rate;
  } device[DEVICES_MAX];
  uint64_t line_lost_ns[LINES]; /* since when; 0: it is there */
};

/* Once a tick. */
void device_log_tick(struct device_log *l, const struct telemetry *t, uint64_t now_ns);

/* Likewise, of serial line `line`, of `who` and in `path`. It is tried once a second: two lines of the log at
 * most. */
void device_log_line(struct device_log *l, int line, const char *who, const char *path, bool lost,
                     uint64_t now_ns);

#endif
