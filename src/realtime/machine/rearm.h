/* SPDX-License-Identifier: MIT
 * The delay between a latched stop and the `arm` that allows motion again. It separates two acts of a person from one
 * bundle, one duplicated datagram, or one client that repeats itself. Pure; RT. All times are CLOCK_MONOTONIC, also in
 * lockstep. */
#ifndef MOTION_REARM_H
#define MOTION_REARM_H

#include <stdbool.h>
#include <stdint.h>

#define REARM_NS                                                                                             \
  UINT64_C(500000000) /* between the frame that shows STOPPED and the reception of a valid arm */

struct rearm {
  bool shown;        /* a frame has shown STOPPED since the latched stop and since the last reset */
  uint64_t since_ns; /* start of the delay: that frame, or a later arm or run that was refused */
};

/* A stop was latched or reset: the delay begins with the next frame that shows STOPPED. */
static inline void rearm_begin(struct rearm *r)
{
  r->shown = false;
}

static inline void rearm_count_from(struct rearm *r, uint64_t t_ns)
{
  if (t_ns > r->since_ns) r->since_ns = t_ns;
}

/* A frame with STOPPED was published at t_ns. Only the first one after rearm_begin() counts. */
static inline void rearm_shown(struct rearm *r, uint64_t t_ns)
{
  if (!r->shown) rearm_count_from(r, t_ns);
  r->shown = true;
}

/* An arm or run received at t_ns was refused: a client that repeats it faster than REARM_NS never succeeds. */
static inline void rearm_refused(struct rearm *r, uint64_t t_ns)
{
  rearm_count_from(r, t_ns);
}

/* True if an arm received at t_ns is valid. */
static inline bool rearm_is_due(const struct rearm *r, uint64_t t_ns)
{
  return r->shown && t_ns >= r->since_ns + REARM_NS;
}

#endif
