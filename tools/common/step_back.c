/* SPDX-License-Identifier: MIT */
#include "common/step_back.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

enum { NICE = 5 };

void step_back(char *said, size_t size)
{
  const struct sched_param ordinary = {0};
  sched_setscheduler(0, SCHED_OTHER, &ordinary);
  if (getpriority(PRIO_PROCESS, 0) < NICE) setpriority(PRIO_PROCESS, 0, NICE);
  const int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK; /* read back */
  snprintf(said, size, "%s, nice %d", policy == SCHED_OTHER ? "SCHED_OTHER" : "NOT SCHED_OTHER",
           getpriority(PRIO_PROCESS, 0));
}
