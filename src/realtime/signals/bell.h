/* SPDX-License-Identifier: MIT
 * Wakes a loop that no clock paces: a word on which it sleeps, and the beats that pace it. Any number of threads ring;
 * one thread, the loop, waits. */
#ifndef SIGNALS_BELL_H
#define SIGNALS_BELL_H

#include "rt/futex.h"

#include <stdbool.h>

struct bell {
  _Alignas(64) _Atomic uint32_t rings; /* changes with every ring */
  _Atomic uint32_t sleeping;
  _Atomic uint64_t beats;   /* number so far */
  _Atomic uint64_t beat_ns; /* CLOCK_MONOTONIC of the last beat */
};

/* Any thread, or a signal handler: something needs a cycle. */
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

/* The loop: number of beats; the frames that came with them are visible. */
static inline uint64_t bell_beats(struct bell *b)
{
  return atomic_load_explicit(&b->beats, memory_order_acquire);
}

/* The loop: value of `rings`; read it before you check for work. */
static inline uint32_t bell_seen(struct bell *b)
{
  return atomic_load(&b->rings);
}

/* The loop. RT. Sleeps until a ring after `seen` or until the time `end` (NULL: no limit). Returns false after `end`.
 * May return true without a ring. */
bool bell_wait(struct bell *b, uint32_t seen, const struct timespec *end);

#endif
