/* SPDX-License-Identifier: MIT
 * Decides whether the loop is stuck, from its cycle counter and the watcher's clock. Pure. */
#ifndef DAEMON_STALL_H
#define DAEMON_STALL_H

#include "telemetry/telemetry.h"

struct stall {
  uint64_t limit_ns; /* time without a cycle after which the loop is stuck */
  uint64_t tick_ns;  /* nominal time between two looks */

  bool stuck;
  uint64_t cycle, since_ns; /* last cycle that was seen, and when */
  uint64_t stood_ns;        /* time at which the loop was declared stuck, or at which it advanced again */
  uint64_t looked_ns;
};

enum stall_news { STALL_NOTHING, STALL_STUCK, STALL_OVER };

/* The limit is ten periods, and 0.1 s at least. */
void stall_begin(struct stall *s, uint64_t period_ns, uint64_t tick_ns, uint64_t now_ns);
/* ran_ns: processor time of the loop's thread since the last look. A loop that waits for an input or a command
 * (live->waiting) is not stuck. */
enum stall_news stall_look(struct stall *s, const struct telemetry_live *live, uint64_t ran_ns,
                           uint64_t now_ns);

#endif
