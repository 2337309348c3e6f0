/* SPDX-License-Identifier: MIT
 * Says in the log when a polled device comes and goes, or the serial line of a packet. The threads that poll and send never log:
 * the supervisor looks at what they show. */
#ifndef DAEMON_DEVICE_LOG_H
#define DAEMON_DEVICE_LOG_H

#include "daemon/rate.h"
#include "rt/telemetry.h"
#include "signals/packet.h"

enum { DEVICE_LINES = 5 }; /* of each device in a second */

struct device_log {
  struct {
    enum { DEVICE_LOG_NOTHING, DEVICE_LOG_UP, DEVICE_LOG_DOWN } said;
    uint64_t down_ns; /* since when it is down */
    struct rate rate;
  } device[DEVICES_MAX];
  uint64_t line_lost_ns[PACKETS_MAX]; /* since when; 0: it is there */
};

/* Once a tick. */
void device_log_tick(struct device_log *l, const struct telemetry *t, uint64_t now_ns);

/* Likewise, of the line of packet i. It is tried once a second, so that there are two lines a second at most. */
void device_log_line(struct device_log *l, int i, const struct packet *p, bool lost, uint64_t now_ns);

#endif
