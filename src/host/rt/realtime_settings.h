/* SPDX-License-Identifier: MIT
 * The section `realtime` of a configuration file: what the daemon asks of the operating system. */
#ifndef RT_REALTIME_SETTINGS_H
#define RT_REALTIME_SETTINGS_H

#include <stdbool.h>

enum { WORKERS_AUTO = -1 };

struct realtime_settings {
  int priority; /* SCHED_FIFO 1..99 */
  int cpu;      /* -1: any */
  int workers;  /* threads beside the loop that share a step; WORKERS_AUTO: ali3d chooses */
  bool lock_memory;
  int wake_limit; /* longest time in us that a processor may take to wake; -1: no limit */
  bool trace;     /* the kernel's trace names who causes a miss */
};

#endif
