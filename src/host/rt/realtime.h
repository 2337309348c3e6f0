/* SPDX-License-Identifier: MIT
 * Asks the host for real time and reads back what it granted. No failure is fatal: the grant tells what was refused,
 * with the text of errno and a remedy. */
#ifndef RT_REALTIME_H
#define RT_REALTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct realtime_grant {
  bool realtime; /* the host granted everything that was asked for, as read back */
  int policy;    /* as read back */
  int priority;
  int cpu;          /* CPU of the thread; -1: several */
  bool locked;      /* all present and future memory is locked */
  long locked_kb;   /* VmLck */
  char reason[256]; /* what was refused, errno text, remedy; "" */
};

/* Whole process, before any other thread: all threads allocate from one heap, the only heap that malloc_trim() shrinks
 * when memory is locked. */
void realtime_one_heap(void);

/* Whole process, before any real-time thread exists: raises RLIMIT_MEMLOCK, calls mlockall(current, future), turns
 * malloc trim and mmap thresholds off, prefaults the heap. Appends refusals to grant->reason. */
void realtime_lock_memory(struct realtime_grant *grant);

/* Keeps processors from sleeping so deeply that waking takes longer than latency_us, while the process lives
 * (/dev/cpu_dma_latency). Not part of real time. Returns false on refusal, with errno text and remedy in reason[size]. */
bool realtime_hold_latency(int latency_us, char *reason, size_t size);

/* For the calling thread: SCHED_FIFO at `priority` (1..99; 0: ordinary, with the following effects), pinned to `cpu`
 * (-1: not), stack prefaulted, signals blocked, denormals flushed. Fills in the rest of the grant by reading back;
 * `realtime` is false if anything was refused. */
void realtime_promote_self(int priority, int cpu, bool want_locked, struct realtime_grant *grant);

/* Flushes denormals to zero in the calling thread, if the processor can. */
void realtime_flush_denormals(void);

/* Starts an ordinary thread with explicit SCHED_OTHER, all signals blocked, a stack of stack_kb, and a name of at most
 * 15 characters, whatever the creator's policy is. Returns 0 or an errno. */
int thread_start_ordinary(pthread_t *thread, const char *name, size_t stack_kb, void *(*run)(void *),
                          void *arg);

/* For the calling ordinary thread: nice -10, so that it runs soon after it wakes on a busy processor. Needs
 * CAP_SYS_NICE or RLIMIT_NICE; without them it does nothing, which is no error. */
void thread_favour_self(void);

#endif
