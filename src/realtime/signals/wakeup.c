/* SPDX-License-Identifier: MIT */
#include "signals/wakeup.h"

#include <errno.h>

/* A sleeper announces itself before it reads the word for the last time, a ringer changes the word before it looks for
 * sleepers: one of the two sees the other. */
bool wakeup_wait(struct wakeup *b, uint32_t seen, const struct timespec *end)
{
  atomic_store(&b->sleeping, 1);
  bool in_time = true;
  if (atomic_load(&b->sent) == seen) in_time = futex_wait(&b->sent, seen, end) != ETIMEDOUT;
  atomic_store(&b->sleeping, 0);
  return in_time;
}
