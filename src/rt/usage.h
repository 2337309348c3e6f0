/* SPDX-License-Identifier: MIT
 * What a thread of this process suffered from the host, as the kernel counts it. Not for the loop: it is
 * looked at by an ordinary thread. */
#ifndef RT_USAGE_H
#define RT_USAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct usage {
  uint64_t page_faults; /* minor and major */
  uint64_t preemptions; /* involuntary context switches */
};

/* False where /proc does not tell, or the thread has ended. */
bool usage_read(pid_t thread, struct usage *u);

#endif
