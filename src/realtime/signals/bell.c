/* SPDX-License-Identifier: MIT */
#include "signals/bell.h"

#include <errno.h>

/* A sleeper announces itself before it reads the word for the last time, a ringer changes the word before it looks for
 * sleepers: one of the two sees the other. */
bool bell_wait(struct bell *b, uint32_t seen, const struct timespec *end)
{
  atomic_store(&b->sleeping, 1);
  bool in_time = true;
  if (atomic_load(&b->rings) == seen) in_time = futex_wait(&b->rings, seen, end) != ETIMEDOUT;
  atomic_store(&b->sleeping, 0);
  return in_time;
}
