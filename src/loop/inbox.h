/* SPDX-License-Identifier: MIT
 * What other threads ask of the loop, beside what its ports bring. */
#ifndef LOOP_INBOX_H
#define LOOP_INBOX_H

#include "base/snapshot.h"

#include <stdatomic.h>
#include <stdbool.h>

struct inbox {
  atomic_bool stop;       /* set by anybody */
  atomic_bool at_once;    /* set by anybody: the loop ends without waiting for the platform */
  atomic_bool stuck;      /* set by whoever watches the loop: it stood still */
  atomic_bool clear;      /* set by anybody: maxima and distributions begin anew */
  struct snapshot tuning; /* struct cycle_tuning: one writer -> loop */
};

/* RT. True once for each time that the flag was set. */
static inline bool inbox_take(atomic_bool *flag)
{
  return atomic_load_explicit(flag, memory_order_relaxed) &&
         atomic_exchange_explicit(flag, false, memory_order_acquire);
}

#endif
