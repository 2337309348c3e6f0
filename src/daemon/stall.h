/* SPDX-License-Identifier: MIT
 * Does the loop still go on? Judged by its cycle counter, against the clock of whoever watches. Pure. */
#ifndef DAEMON_STALL_H
#define DAEMON_STALL_H

#include "telemetry/telemetry.h"

struct stall {
  uint64_t limit_ns; /* so long it may stand still */
  uint64_t tick_ns;  /* between two looks, if nothing is in the way */

  bool stuck;
  uint64_t cycle, since_ns; /* last seen to advance to, and when */
  uint64_t stood_ns;        /* by when that was found out, or until it advanced again */
  uint64_t looked_ns;
};

enum stall_news { STALL_NOTHING, STALL_STUCK, STALL_OVER };

/* Ten periods, and a tenth of a second at least. */
void stall_begin(struct stall *s, uint64_t period_ns, uint64_t tick_ns, uint64_t now_ns);
/* ran_ns: for which the loop's thread has been on a processor since the last look. A loop that waits for somebody
 * (live->waiting) does not stand still. */
enum stall_news stall_look(struct stall *s, const struct telemetry_live *live, uint64_t ran_ns,
                           uint64_t now_ns);

#endif
