/* SPDX-License-Identifier: MIT
 * Passes at most a number of lines in a second, or in another period, and counts the others. Pure: the caller gives the time. */
#ifndef LOG_RATE_LIMIT_H
#define LOG_RATE_LIMIT_H

#include "rt/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct rate_limit {
  int most;           /* in any period that begins with a line */
  uint64_t period_ns; /* 0: a second */

  uint64_t since_ns; /* start of the period */
  int passed;        /* lines passed in this period */
  uint64_t held;     /* lines held back since the last sum */
  uint64_t held_ns;  /* start of that count */
};

static inline bool rate_limit_over(const struct rate_limit *r, uint64_t now_ns)
{
  return now_ns - r->since_ns >= (r->period_ns ? r->period_ns : NS_PER_S);
}

/* Counts lines that do not pass. */
static inline void rate_limit_hold(struct rate_limit *r, uint64_t now_ns, uint64_t lines)
{
  if (r->held == 0) r->held_ns = now_ns;
  r->held += lines;
}

/* Passes this many lines in a minute. */
static inline struct rate_limit rate_limit_in_minute(int most)
{
  return (struct rate_limit){.most = most, .period_ns = 60 * NS_PER_S};
}

static inline bool rate_limit_passes(struct rate_limit *r, uint64_t now_ns)
{
  if (r->passed == 0 || rate_limit_over(r, now_ns)) {
    r->since_ns = now_ns;
    r->passed = 0;
  }
  if (r->passed < r->most) {
    r->passed++;
    return true;
  }
  rate_limit_hold(r, now_ns, 1);
  return false;
}

/* Returns how many lines were held back, and *seconds over how long; once a period, or now if `last`. 0: nothing to
 * report. */
static inline uint64_t rate_limit_sum(struct rate_limit *r, uint64_t now_ns, bool last, double *seconds)
{
  const uint64_t held = r->held;
  if (held == 0 || (!last && !rate_limit_over(r, now_ns))) return 0;
  *seconds = (double)(now_ns - r->held_ns) / (double)NS_PER_S;
  r->held = 0;
  return held;
}

#endif
