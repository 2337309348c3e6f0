/* SPDX-License-Identifier: MIT
 * What wakes a loop that does not go by the clock: a word it sleeps on, and the beats it is paced by. Any number of
 * threads ring; one, the loop, waits. */
#ifndef SIGNALS_BELL_H
#define SIGNALS_BELL_H

#include "rt/futex.h"

#include <stdbool.h>

struct bell {
  _Alignas(64) _Atomic uint32_t rings; /* changes with every ring */
  _Atomic uint32_t sleeping;
  _Atomic uint64_t beats;   /* so far */
  _Atomic uint64_t beat_ns; /* CLOCK_MONOTONIC when the last one came */
};

/* Any thread, or a signal handler: there is something to look at. */
static inline void bell_ring(struct bell *b)
{
  atomic_fetch_add(&b->rings, 1);
  if (atomic_load(&b->sleeping)) futex_wake_all(&b->rings);
}

/* One thread: an input frame that may pace the loop came at t_ns. */
static inline void bell_beat(struct bell *b, uint64_t t_ns)
{
  atomic_store_explicit(&b->beat_ns, t_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&b->beats, 1, memory_order_release);
  bell_ring(b);
}

/* The loop: how many there were; what came with them can be seen. */
static inline uint64_t bell_beats(struct bell *b)
{
  return atomic_load_explicit(&b->beats, memory_order_acquire);
}

/* The loop: what `rings` was, to be read before it looks at what it waits for. */
static inline uint32_t bell_seen(struct bell *b)
{
  return atomic_load(&b->rings);
}

/* The loop. RT. Sleeps until rung since `seen`, or until the instant `end` (NULL: however long that takes). False when
 * the time was up. May return true without a ring. */
bool bell_wait(struct bell *b, uint32_t seen, const struct timespec *end);

#endif
