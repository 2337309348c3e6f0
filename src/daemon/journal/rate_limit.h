/* SPDX-License-Identifier: MIT
 * Passes at most a number of lines a second and counts the others. Pure: the caller gives the time. */
#ifndef JOURNAL_RATE_LIMIT_H
#define JOURNAL_RATE_LIMIT_H

#include "rt/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct rate_limit {
  int most; /* in any second that begins with a line */

  uint64_t since_ns; /* start of the second */
  int passed;        /* lines passed in this second */
  uint64_t held;     /* lines held back since the last sum */
  uint64_t held_ns;  /* start of that count */
};

static inline bool rate_limit_passes(struct rate_limit *r, uint64_t now_ns)
{
  if (r->passed == 0 || now_ns - r->since_ns >= NS_PER_S) {
    r->since_ns = now_ns;
    r->passed = 0;
  }
  if (r->passed < r->most) {
    r->passed++;
    return true;
  }
  if (r->held++ == 0) r->held_ns = now_ns;
  return false;
}

/* Returns how many lines were held back, and *seconds over how long; once a second, or now if `last`. 0: nothing to
 * report. */
static inline uint64_t rate_limit_sum(struct rate_limit *r, uint64_t now_ns, bool last, double *seconds)
{
  const uint64_t held = r->held;
  if (held == 0 || (!last && now_ns - r->since_ns < NS_PER_S)) return 0;
  *seconds = (double)(now_ns - r->held_ns) / (double)NS_PER_S;
  r->held = 0;
  return held;
}

#endif
