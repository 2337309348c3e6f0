/* SPDX-License-Identifier: MIT
 * Sleeping on a word of this process, and waking its sleepers. RT: the system call waits for this word only. */
#ifndef RT_FUTEX_H
#define RT_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Returns when woken (0), if the word differs from `value` (EAGAIN), after a signal (EINTR), or at the CLOCK_MONOTONIC
 * time `end` (ETIMEDOUT; NULL: never). In the first three cases the caller checks the word again. */
static inline int futex_wait(_Atomic uint32_t *word, uint32_t value, const struct timespec *end)
{
  const int operation = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG;
  return syscall(SYS_futex, word, operation, value, end, NULL, FUTEX_BITSET_MATCH_ANY) < 0 ? errno : 0;
}

static inline void futex_wake_all(_Atomic uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
}

#endif
