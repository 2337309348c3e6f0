/* SPDX-License-Identifier: MIT
 * Logs when a polled device or one of our serial lines goes down or comes back. The threads that poll and send never
 * log: the supervisor looks at the states that they publish. */
#ifndef JOURNAL_DEVICE_LOG_H
#define JOURNAL_DEVICE_LOG_H

#include "log/rate_limit.h"
#include "telemetry/telemetry.h"
#include "wire/packet.h"

enum { DEVICE_LINES = 5 };        /* lines for each device in a second */
enum { LINES = PACKETS_MAX + 1 }; /* serial lines: of packets and of the Modbus server */

struct device_log {
  struct {
    enum { DEVICE_LOG_NOTHING, DEVICE_LOG_UP, DEVICE_LOG_DOWN } reported;
    uint64_t down_ns; /* since when it is down */
    struct rate_limit rate;
  } device[DEVICES_MAX];
  uint64_t line_lost_ns[LINES]; /* since when it is lost; 0: it is there */
};

/* Call once a tick. */
void device_log_tick(struct device_log *l, const struct telemetry *t, uint64_t now_ns);

/* Call once a tick for each serial line of an endpoint: its index, the endpoint `who`, its `path`. A lost line is tried
 * once a second, so it logs at most two lines a second. */
void device_log_line(struct device_log *l, int line, const char *who, const char *path, bool lost,
                     uint64_t now_ns);

#endif
