/* SPDX-License-Identifier: MIT
 * Suspensions of the machine. CLOCK_MONOTONIC, by which the loop runs, stands still meanwhile, and CLOCK_BOOTTIME runs on. Pure;
 * RT. */
#ifndef LOOP_SUSPENSION_H
#define LOOP_SUSPENSION_H

#include <stdint.h>

#define SUSPENSION_NS UINT64_C(100000000) /* shortest one that counts */

struct suspension {
  uint64_t
      ahead_ns; /* lead of CLOCK_BOOTTIME: the smallest upper bound since the last suspension; 0: not known */
};

/* Takes a reading of CLOCK_BOOTTIME between two readings of CLOCK_MONOTONIC. A preemption between them widens the bounds of the
 * lead and never looks like a suspension. Returns how long the machine was suspended since the last call; 0: it was not. */
static inline uint64_t suspension_take(struct suspension *s, uint64_t before_ns, uint64_t boot_ns,
                                       uint64_t after_ns)
{
  const uint64_t most_ns = boot_ns - before_ns + 1,
                 least_ns = boot_ns > after_ns ? boot_ns - after_ns + 1 : 1;
  const uint64_t known_ns = s->ahead_ns;
  if (known_ns == 0 || most_ns < known_ns) s->ahead_ns = most_ns;
  if (known_ns == 0 || least_ns < known_ns + SUSPENSION_NS) return 0;
  s->ahead_ns = most_ns;
  return least_ns - known_ns;
}

#endif
