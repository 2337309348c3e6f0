/* SPDX-License-Identifier: MIT
 * Why a deadline was missed. The loop writes down what it saw of the cycle; an ordinary thread adds what only it can know,
 * derives the cause, and keeps the record in the telemetry block. All words are made outside the loop. */
#ifndef TELEMETRY_MISS_H
#define TELEMETRY_MISS_H

#include "rt/pool.h"
#include "telemetry/book.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MISS_CAUSE_LIST(X)                                                                                   \
  X(MISS_UNKNOWN, "unknown")                                                                                 \
  X(MISS_SUSPENDED, "suspended")     /* the process was stopped, by a signal or a debugger */                \
  X(MISS_HOST_ASLEEP, "host-asleep") /* the machine was suspended */                                         \
  X(MISS_LATE_WAKE, "late-wake")     /* woken too late: for the cycle, or at a barrier */                    \
  X(MISS_PAGE_FAULT, "page-fault")                                                                           \
  X(MISS_PREEMPTED, "preempted")     /* another thread took the processor */                                 \
  X(MISS_BLOCKED, "blocked")         /* it slept, or waited for a lock or a device */                        \
  X(MISS_WORKER, "worker")           /* a worker came late, or took long; see slowest */                     \
  X(MISS_WORKER_LOST, "worker-lost") /* a worker has ended */                                                \
  X(MISS_COMPUTING, "computing")     /* the work itself took so long; or firmware, unseen */                 \
  X(MISS_CARRIED, "carried")         /* the cycle before it was late, and this one made up for it */         \
  X(MISS_STOLEN, "stolen")           /* interrupts or a hypervisor took the processor */                     \
  X(MISS_EARLY_FRAME, "early-frame") /* the next input frames came in less than a period */

enum miss_cause {
#define MISS_ENUM(id, text) id,
  MISS_CAUSE_LIST(MISS_ENUM)
#undef MISS_ENUM
      MISS_CAUSES
};
const char *miss_cause_name(unsigned cause); /* "?" when unknown */

struct miss {
  /* by the loop */
  uint64_t number; /* of the miss, from 1 */
  uint64_t cycle;
  uint64_t start_ns, wake_ns, end_ns; /* nominal and real start, end; CLOCK_MONOTONIC */
  uint64_t period_ns;
  uint64_t phase_ns[PHASES];
  uint64_t usual_ns[PHASES]; /* what the phase took on average before, as far as known */
  uint64_t skipped;          /* starts left out for it */
  uint64_t
      waiting_since_ns; /* start of the first cycle of those made up for in one go; 0: this one was on its own */
  struct usage own;     /* of the loop's thread, from wake to end; but for sleeps at a barrier */
  uint64_t woke_late_ns; /* from such sleeps */
  struct slowest slowest;
  uint64_t held_ns, usual_held_ns; /* time for which the loop's own shares were done and a worker's was not */
  struct usage worker;             /* of the slowest share, in this cycle; but for sleeps between pieces */
  int32_t lost_worker;             /* that has ended; 0: none */
  uint32_t overrun;                /* enum overrun */
  uint32_t grace;                  /* 1: within the grace after a start, not counted */
  uint32_t state;                  /* enum run_state when it happened */
  uint64_t input_age_ns;

  /* by the ordinary thread */
  uint64_t suspended_ns;      /* for which the process is known to have been stopped about then */
  uint64_t host_asleep_ns;    /* likewise, the machine */
  int64_t wall_clock_step_ns; /* by which the wall clock was set about then: changes nothing here */
  uint64_t stolen_ns;         /* for which a hypervisor took the processors about then */
  uint32_t debugger;          /* process number of a debugger attached; 0: none */
  uint32_t cause;             /* enum miss_cause */
  uint32_t phase;             /* enum phase, the one that took longer than usual; PHASES: none */
  uint32_t reserved;
};

/* Fills cause and phase in from the rest. Pure. */
void miss_judge(struct miss *m);
/* What kept a thread from its work for so long: off its processor, faults, or nothing. */
enum miss_cause miss_cause_of(const struct usage *u, uint64_t ns);

/* "miss 17 at cycle 48211: feedback 12.4 ms, subtrees worker 1 preempted for 11.9 ms (2 involuntary switches); 1 start
 * skipped".
 * `levels` names the levels; NULL: numbers. Length as of snprintf(). */
int miss_text(const struct miss *m, const struct histograms *levels, char *text, size_t size);

/* The last records, in the telemetry block: one writer, any number of readers in other processes. */
enum { MISS_LOG = 32 };
struct miss_log {
  _Atomic uint64_t written; /* records so far, whole; the last is at (written - 1) % MISS_LOG */
  _Atomic uint64_t lost;    /* misses of which there is no record: too many at a time */
  struct miss_slot {
    _Atomic uint64_t sequence; /* odd while being written */
    struct miss miss;
  } slot[MISS_LOG];
};
void miss_log_write(struct miss_log *log, const struct miss *m);
/* Record k, from 0; false if it was overwritten meanwhile, or never written. */
bool miss_log_read(const struct miss_log *log, uint64_t k, struct miss *m);

#endif
