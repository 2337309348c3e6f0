/* SPDX-License-Identifier: MIT
 * Worker pool: `workers` pthreads beside the caller share one piece of work at a time. The caller does share 0 and
 * waits for the other shares at a barrier, which spins for a bounded time and then sleeps on a futex. */
#ifndef RT_POOL_H
#define RT_POOL_H

#include "rt/usage.h"

#include <ali3/stepper.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  POOL_STACK_KB = 256, /* of each worker */
};

struct pool;

struct pool_config {
  int workers;   /* threads beside the caller; 0: everything runs in the caller */
  int priority;  /* SCHED_FIFO; 0: ordinary */
  int first_cpu; /* workers are pinned to first_cpu, first_cpu+1, ..; -1: not pinned */
  double worth;  /* see ali3_exec */
};

/* Set-up. Unpinned workers run on the CPUs of the calling thread, so make the pool before the caller is pinned. Workers
 * flush denormals; the caller must do so, too (realtime_flush_denormals), or bits may depend on the share. Returns NULL
 * on failure, with the reason in error[size]. */
struct pool *pool_new(const struct pool_config *config, char *error, size_t size);
void pool_free(struct pool *p);
/* The refusals of the host to a worker (SCHED_FIFO, its CPU), with the text of errno and a remedy; "" if nothing. The
 * pool then works with ordinary threads. */
const char *pool_refusal(const struct pool *p);
/* True if every worker is on the CPU that was requested for it. */
bool pool_placed(const struct pool *p);
/* The exec for ali3_data_set_exec(); lives as long as the pool. Its run() is RT. */
const ali3_exec *pool_exec(struct pool *p);

/* The thread of a worker, 1 .. workers. */
int32_t pool_thread(const struct pool *p, int share);

/* RT, for the caller: figures of its workers. */

/* Number of workers that died. Discard the step in which a death is first seen. *last: the share of the last one. From
 * then on the caller does their shares. */
int pool_lost(const struct pool *p, int *last);

/* Sets the label of the next pieces, 0 .. POOL_LABELS-1: the caller's number of a kind of piece. */
enum { POOL_LABELS = 48 };
void pool_label(struct pool *p, int level);
/* The longest time, in ns, from handing out a piece of that label to the start of a share, since the last call. */
uint64_t pool_take_wait(struct pool *p, int level);

/* The slowest share of a shared piece of a step. */
struct slowest {
  int32_t level; /* label of the piece, see pool_label(); -1: nothing was shared */
  int32_t share; /* 0: the loop; i: worker i */
  uint64_t wait_ns, busy_ns;
};

struct pool_cycle {
  struct slowest slowest; /* share for which the caller waited longest; level -1: none */
  uint64_t held_ns;       /* time for which the caller's share was done and a worker's was not */
  uint64_t sleeps;        /* sleeps of the caller in that time */
  uint64_t slept_ns;
  uint64_t woke_late_ns; /* wake-up latency of these sleeps, when the last worker had finished */
};
/* For the end of a cycle: figures since the last call. */
struct pool_cycle pool_take_cycle(struct pool *p);
/* After pool_take_cycle() and before the next piece: usage of the worker of a share since its first piece in that
 * cycle. Costs a piece of work, so call it for late cycles only. All 0 for a worker that has ended. */
struct usage pool_usage(struct pool *p, int share);

#endif
