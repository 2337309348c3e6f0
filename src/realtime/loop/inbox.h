/* SPDX-License-Identifier: MIT
 * Requests of other threads to the loop, beside its ports. */
#ifndef LOOP_INBOX_H
#define LOOP_INBOX_H

#include "base/snapshot.h"

#include <stdatomic.h>
#include <stdbool.h>

struct inbox {
  atomic_bool stop;       /* any thread sets it */
  atomic_bool at_once;    /* any thread sets it: the loop ends without waiting for the platform */
  atomic_bool stuck;      /* the watching thread sets it: the loop was stuck */
  atomic_bool clear;      /* any thread sets it: clear maxima and distributions */
  struct snapshot tuning; /* struct cycle_tuning: one writer -> loop */
};

/* RT. Returns true once for each time the flag was set. */
static inline bool inbox_take(atomic_bool *flag)
{
  return atomic_load_explicit(flag, memory_order_relaxed) &&
         atomic_exchange_explicit(flag, false, memory_order_acquire);
}

#endif
