/* SPDX-License-Identifier: MIT
 * What the kernel tells other threads about the loop's thread. */
#ifndef DAEMON_LOOP_THREAD_H
#define DAEMON_LOOP_THREAD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct loop_thread {
  pid_t tid;
  clockid_t cpu_clock; /* clock of its processor time */
  int cpu;             /* CPU to which it is pinned; -1: several */
};

/* Called in the thread itself: fills in tid and clock. */
void loop_thread_note(struct loop_thread *t);
/* Processor time of the thread; 0 if it has ended. */
uint64_t loop_thread_ran_ns(const struct loop_thread *t);
/* "its thread 4712 sleeps in pipe_read, system call 0"; the number comes from the machine's table of calls. */
void loop_thread_text(const struct loop_thread *t, char *text, size_t size);

#endif
