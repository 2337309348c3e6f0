/* SPDX-License-Identifier: MIT
 * The loop's thread seen from outside it, as far as the kernel tells. */
#ifndef DAEMON_LOOP_THREAD_H
#define DAEMON_LOOP_THREAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct loop_thread {
  pid_t tid;
  clockid_t cpu_clock; /* of the time it has been on a processor */
  int cpu;             /* it is kept on; -1: several */
};

/* In the thread itself: fills tid and clock. */
void loop_thread_note(struct loop_thread *t);
/* How long it has been on a processor; 0 where it has ended. */
uint64_t loop_thread_ran_ns(const struct loop_thread *t);
/* "its thread 4712 sleeps in pipe_read, system call 0": the number of the call is that of the machine's table. */
void loop_thread_text(const struct loop_thread *t, char *text, size_t size);

#endif
