/* SPDX-License-Identifier: MIT
 * Wakes a loop that no clock paces: a word on which it sleeps, and the beats that pace it. Any number of threads
 * send; one thread, the loop, waits. */
#ifndef SIGNALS_WAKEUP_H
#define SIGNALS_WAKEUP_H

#include "rt/futex.h"

#include <stdbool.h>

struct wakeup {
  _Alignas(64) _Atomic uint32_t sent; /* changes with every wakeup */
  _Atomic uint32_t sleeping;
  _Atomic uint64_t beats;   /* number so far */
  _Atomic uint64_t beat_ns; /* CLOCK_MONOTONIC of the last beat */
};

/* Any thread, or a signal handler: something needs a cycle. */
static inline void wakeup_send(struct wakeup *b)
{
  atomic_fetch_add(&b->sent, 1);
  if (atomic_load(&b->sleeping)) futex_wake_all(&b->sent);
}

/* One thread: an input frame that may pace the loop came at t_ns. */
static inline void wakeup_beat(struct wakeup *b, uint64_t t_ns)
{
  atomic_store_explicit(&b->beat_ns, t_ns, memory_order_relaxed);
  atomic_fetch_add_explicit(&b->beats, 1, memory_order_release);
  wakeup_send(b);
}

/* The loop: number of beats; the frames that came with them are visible. */
static inline uint64_t wakeup_beats(struct wakeup *b)
{
  return atomic_load_explicit(&b->beats, memory_order_acquire);
}

/* The loop: value of `sent`; read it before you check for work. */
static inline uint32_t wakeup_seen(struct wakeup *b)
{
  return atomic_load(&b->sent);
}

/* The loop. RT. Sleeps until a wakeup after `seen` or until the time `end` (NULL: no limit). Returns false after `end`.
 * May return true without one. */
bool wakeup_wait(struct wakeup *b, uint32_t seen, const struct timespec *end);

#endif
