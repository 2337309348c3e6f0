/* SPDX-License-Identifier: MIT
 * The delay between a latched stop and the `arm` that leads on to motion: it separates two acts of a person from one bundle, one
 * doubled datagram, or one client that repeats itself. Pure; RT. All times are CLOCK_MONOTONIC, in lockstep too. */
#ifndef LOOP_REARM_H
#define LOOP_REARM_H

#include <stdbool.h>
#include <stdint.h>

#define REARM_NS                                                                                             \
  UINT64_C(500000000) /* between the frame that shows STOPPED and the reception of an arm that counts */

struct rearm {
  bool shown;        /* a frame has shown STOPPED since the stop was latched, and since the last reset */
  uint64_t since_ns; /* the delay counts from here: that frame, or an arm or run that was refused later */
};

/* A stop is latched, or reset: the delay begins with the next frame that shows STOPPED. */
static inline void rearm_begin(struct rearm *r)
{
  r->shown = false;
}

static inline void rearm_count_from(struct rearm *r, uint64_t t_ns)
{
  if (t_ns > r->since_ns) r->since_ns = t_ns;
}

/* A frame that shows STOPPED was published at t_ns. Only the first one after rearm_begin() counts. */
static inline void rearm_shown(struct rearm *r, uint64_t t_ns)
{
  if (!r->shown) rearm_count_from(r, t_ns);
  r->shown = true;
}

/* An arm or run that was received at t_ns was refused: whoever repeats it faster than REARM_NS never succeeds. */
static inline void rearm_refused(struct rearm *r, uint64_t t_ns)
{
  rearm_count_from(r, t_ns);
}

/* An arm that was received at t_ns may count. */
static inline bool rearm_is_due(const struct rearm *r, uint64_t t_ns)
{
  return r->shown && t_ns >= r->since_ns + REARM_NS;
}

#endif
