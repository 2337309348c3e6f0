/* SPDX-License-Identifier: MIT
 * Who had a processor while a thread waited for it, as the kernel's trace tells. Part of the record of a miss. */
#ifndef TRACE_CULPRIT_H
#define TRACE_CULPRIT_H

#include <stddef.h>
#include <stdint.h>

#define CULPRIT_KIND_LIST(X)                                                                                 \
  X(CULPRIT_NONE, "none")           /* nobody, or there is no trace */                                       \
  X(CULPRIT_LOST, "lost")           /* the trace does not reach back far enough */                           \
  X(CULPRIT_THREAD, "thread")       /* id: thread; name: its command */                                      \
  X(CULPRIT_INTERRUPT, "interrupt") /* id: number of the line; name: its handler */                          \
  X(CULPRIT_VECTOR, "vector")       /* an interrupt of the processor itself; name: its purpose */            \
  X(CULPRIT_SOFTIRQ, "softirq")     /* id: vector; name: its purpose */                                      \
  X(CULPRIT_IDLE, "idle")           /* no thread ran: the timer's interrupt came late */

enum culprit_kind {
#define CULPRIT_ENUM(id, text) id,
  CULPRIT_KIND_LIST(CULPRIT_ENUM)
#undef CULPRIT_ENUM
      CULPRIT_KINDS
};

enum { CULPRIT_NAME = 16, POLICY_UNKNOWN = -1 };

struct culprit {
  uint64_t ns;        /* time for which it had the processor while the thread wanted it */
  uint64_t waited_ns; /* for which it and all others had it */
  uint32_t kind;      /* enum culprit_kind */
  int32_t id;
  int32_t priority; /* a thread's, as the kernel counts: below 0 deadline, 0..99 real-time, 120 nice 0 */
  int32_t policy;   /* SCHED_FIFO etc.; POLICY_UNKNOWN: the thread has ended, or it is not a thread */
  int32_t cpu;
  uint32_t reserved;
  char name[CULPRIT_NAME]; /* ends with 0 */
};

/* "?" when unknown */
const char *culprit_kind_name(unsigned kind);
/* "SCHED_FIFO 90", "real-time priority 90" if its policy is not known, "SCHED_OTHER, nice 0". */
void culprit_policy_text(const struct culprit *c, char *text, size_t size);
/* "thread 4711 (stress-ng, SCHED_FIFO 90)", "interrupt 36 (virtio1-req.0)", "softirq NET_RX"; "" for other kinds. */
void culprit_text(const struct culprit *c, char *text, size_t size);
/* Asks the kernel for the policy of a thread that still runs. */
void culprit_ask_policy(struct culprit *c);

#endif
