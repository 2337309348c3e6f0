/* SPDX-License-Identifier: MIT
 * Sleeping on a word of this process and waking who sleeps on it. RT: a system call that waits for nothing
 * but what it is asked to wait for. */
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

/* Returns when woken, when the word differs from `value`, after a signal, or at the instant `end` of
 * CLOCK_MONOTONIC (NULL: never): 0, EAGAIN, EINTR, ETIMEDOUT. All but the last: look again. */
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
