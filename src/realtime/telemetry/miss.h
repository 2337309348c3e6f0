/* SPDX-License-Identifier: MIT
 * Why a deadline was missed. The loop records the figures of the cycle. An ordinary thread adds facts about the host,
 * derives the cause, and keeps the record in the telemetry block. All texts are made outside the loop. */
#ifndef TELEMETRY_MISS_H
#define TELEMETRY_MISS_H

#include "rt/pool.h"
#include "telemetry/book.h"
#include "trace/culprit.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MISS_CAUSE_LIST(X)                                                                                   \
  X(MISS_UNKNOWN, "unknown")                                                                                 \
  X(MISS_SUSPENDED, "suspended")     /* a signal or a debugger stopped the process */                        \
  X(MISS_HOST_ASLEEP, "host-asleep") /* the machine was suspended */                                         \
  X(MISS_LATE_WAKE, "late-wake")     /* woken too late, at the start or at a barrier */                      \
  X(MISS_PAGE_FAULT, "page-fault")                                                                           \
  X(MISS_PREEMPTED, "preempted")     /* another thread took the processor */                                 \
  X(MISS_BLOCKED, "blocked")         /* slept, or waited for a lock or a device */                           \
  X(MISS_WORKER, "worker")           /* a worker came late or took long; see `slowest` */                    \
  X(MISS_WORKER_LOST, "worker-lost") /* a worker has ended */                                                \
  X(MISS_COMPUTING, "computing") /* the work took too long; or firmware, which the kernel does not see */    \
  X(MISS_CARRIED, "carried")     /* the cycle before was late, and this one made up for it */                \
  X(MISS_STOLEN, "stolen")       /* interrupts or a hypervisor took the processor */                         \
  X(MISS_EARLY_FRAME, "early-frame") /* the next input frames came in less than a period */

enum miss_cause {
#define MISS_ENUM(id, text) id,
  MISS_CAUSE_LIST(MISS_ENUM)
#undef MISS_ENUM
      MISS_CAUSES
};
const char *miss_cause_name(unsigned cause); /* "?" when unknown */

struct miss {
  /* Written by the loop. */
  uint64_t number; /* number of the miss, from 1 */
  uint64_t cycle;
  uint64_t start_ns, wake_ns, end_ns; /* nominal and real start, end; CLOCK_MONOTONIC */
  uint64_t period_ns;
  uint64_t phase_ns[PHASES];
  uint64_t usual_ns[PHASES]; /* average of the phase before, as far as known */
  uint64_t skipped;          /* starts skipped after it */
  uint64_t waiting_since_ns; /* start of the first of several cycles made up for at once; 0: a single cycle */
  struct usage own;          /* thread of the loop, from wake to end, without sleeps at a barrier */
  uint64_t woke_late_ns;     /* wake-up latency of these sleeps */
  struct slowest slowest;
  uint64_t held_ns,
      usual_held_ns;      /* time between the end of the loop's own shares and the end of a worker's */
  struct usage worker;    /* slowest share of this cycle, without sleeps between pieces */
  int32_t lost_worker;    /* worker that has ended; 0: none */
  int32_t slowest_thread; /* thread of the worker of `slowest`; 0: none */
  uint32_t overrun;       /* enum overrun */
  uint32_t grace;         /* 1: within the grace after a start, not counted as a miss */
  uint32_t state;         /* enum run_state at the time of the miss */
  uint32_t spare;
  uint64_t input_age_ns;

  /* Written by the ordinary thread. */
  uint64_t suspended_ns;      /* time for which the process was stopped around the miss */
  uint64_t host_asleep_ns;    /* time for which the machine was suspended around the miss */
  int64_t wall_clock_step_ns; /* step of the wall clock around the miss; information only */
  uint64_t stolen_ns;         /* time for which a hypervisor took the processors around the miss */
  uint32_t debugger;          /* process number of an attached debugger; 0: none */
  uint32_t cause;             /* enum miss_cause */
  uint32_t phase;             /* enum phase that exceeded its usual time; PHASES: none */
  uint32_t reserved;
  struct culprit culprit; /* who had the processor meanwhile, if the kernel's trace tells */
};

/* Derives cause and phase from the other members. Pure. */
void miss_judge(struct miss *m);
/* Why a thread lost this time: off its processor, page faults, or plain work. */
enum miss_cause miss_cause_of(const struct usage *u, uint64_t ns);

/* "miss 17 at cycle 48211: feedback 12.4 ms, subtrees worker 1 preempted for 11.9 ms (2 involuntary switches); 1 start
 * skipped".
 * `levels` names the levels; NULL: numbers. Returns the length, like snprintf(). */
int miss_text(const struct miss *m, const struct histograms *levels, char *text, size_t size);

/* The last records, in the telemetry block: one writer, any number of readers in other processes. */
enum { MISS_LOG = 32 };
struct miss_log {
  _Atomic uint64_t written; /* complete records so far; the last is at (written - 1) % MISS_LOG */
  _Atomic uint64_t lost;    /* misses without a record: too many at a time */
  struct miss_slot {
    _Atomic uint64_t sequence; /* odd while being written */
    struct miss miss;
  } slot[MISS_LOG];
};
void miss_log_write(struct miss_log *log, const struct miss *m);
/* Reads record k, from 0. Returns false if it was overwritten meanwhile or never written. */
bool miss_log_read(const struct miss_log *log, uint64_t k, struct miss *m);

#endif
