/* SPDX-License-Identifier: MIT
 * What the daemon asks of the operating system: the section `realtime` of a configuration file. */
#ifndef RT_REALTIME_SETTINGS_H
#define RT_REALTIME_SETTINGS_H

#include <stdbool.h>

enum { WORKERS_AUTO = -1 };

struct realtime_settings {
  int priority; /* SCHED_FIFO 1..99 */
  int cpu;      /* -1: any */
  int workers;  /* threads beside the loop that share a step; or WORKERS_AUTO: as many as gain enough */
  bool lock_memory;
  int wake_limit; /* us a processor may take to wake; -1: no limit */
};

#endif
