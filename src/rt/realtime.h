/* SPDX-License-Identifier: MIT
 * Asking the host for real time, and reading back what it granted. Nothing here is fatal: the answer says
 * what was refused, with errno in words and what to do about it. */
#ifndef RT_REALTIME_H
#define RT_REALTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct realtime_grant {
  bool realtime; /* all that was asked for was granted: read back, not assumed */
  int policy;    /* as read back */
  int priority;
  int cpu;          /* the one CPU the thread may run on; -1: several */
  bool locked;      /* all memory locked, now and later */
  long locked_kb;   /* VmLck */
  char reason[256]; /* what was refused, errno text, remedy; "" if nothing */
};

/* Whole process, before any other thread: all threads allocate from one heap, the one that malloc_trim()
 * gives back also where memory is locked. */
void realtime_one_heap(void);

/* Whole process, before any real-time thread exists: raise RLIMIT_MEMLOCK, mlockall(current, future), malloc
 * trim and mmap thresholds off, heap prefaulted. Appends to grant->reason what was refused. */
void realtime_lock_memory(struct realtime_grant *grant);

/* Keeps processors from sleeping so deeply that waking takes longer than latency_us, for as long as the
 * process lives (/dev/cpu_dma_latency). Not part of real time: false with what was refused, errno text and
 * remedy in reason[size]. */
bool realtime_hold_latency(int latency_us, char *reason, size_t size);

/* The calling thread: SCHED_FIFO at `priority` (1..99; 0: stays ordinary, the rest as below), pinned to `cpu`
 * (-1: not), stack prefaulted, signals blocked, denormals flushed. Fills the rest of the grant by reading
 * back; `realtime` is false if anything was refused. */
void realtime_promote_self(int priority, int cpu, bool want_locked, struct realtime_grant *grant);

/* Flush denormals to zero in the calling thread, where the processor can. */
void realtime_flush_denormals(void);

/* Starts an ordinary thread with explicit SCHED_OTHER, all signals blocked, a stack of stack_kb, and a name
 * of at most 15 characters, whatever the creator's own policy is. Returns 0 or an errno. */
int thread_start_ordinary(pthread_t *thread, const char *name, size_t stack_kb, void *(*run)(void *),
                          void *arg);

/* The calling ordinary thread: nice -10, so that on a busy processor it runs soon after it wakes. Needs
 * CAP_SYS_NICE or RLIMIT_NICE; without them the thread stays as it is, which is no error. */
void thread_favour_self(void);

#endif
