/* SPDX-License-Identifier: MIT
 * Says in the log when a polled device comes and goes. The threads that poll never log: the supervisor looks at what they show. */
#ifndef DAEMON_DEVICE_LOG_H
#define DAEMON_DEVICE_LOG_H

#include "daemon/rate.h"
#include "rt/telemetry.h"

enum { DEVICE_LINES = 5 }; /* of each device in a second */

struct device_log {
  struct {
    enum { DEVICE_LOG_NOTHING, DEVICE_LOG_UP, DEVICE_LOG_DOWN } said;
    uint64_t down_ns; /* since when it is down */
    struct rate rate;
  } device[DEVICES_MAX];
};

/* Once a tick. */
void device_log_tick(struct device_log *l, const struct telemetry *t, uint64_t now_ns);

#endif
