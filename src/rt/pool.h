/* SPDX-License-Identifier: MIT
 * Worker pool: `workers` pthreads beside the caller that share one piece of work at a time. The caller takes
 * share 0 and waits for the rest at a barrier that spins for a bounded time and then sleeps on a futex. */
#ifndef RT_POOL_H
#define RT_POOL_H

#include <ali3/stepper.h>
#include <stdbool.h>

struct pool;

struct pool_config {
  int workers;   /* threads beside the caller; 0 gives a pool that runs everything in the caller */
  int priority;  /* SCHED_FIFO; 0: ordinary */
  int first_cpu; /* workers are pinned to first_cpu, first_cpu+1, ..; -1: not pinned */
};

/* Set-up. Workers that are not pinned run where the calling thread may run: make the pool before that is
 * pinned itself. Denormals are flushed in the workers: flush them in the caller too
 * (realtime_flush_denormals), or bits may depend on the share. NULL on failure, reason in error[size]. */
struct pool *pool_new(const struct pool_config *config, char *error, size_t size);
void pool_free(struct pool *p);
/* What a worker was refused (SCHED_FIFO, its CPU), with errno in words and a remedy; "" if they have all they
 * asked for. The pool works all the same, as ordinary threads. */
const char *pool_refusal(const struct pool *p);
/* Every worker is on the CPU that was asked for it, if one was. */
bool pool_placed(const struct pool *p);
/* The exec to hand to ali3_data_set_exec(); lives as long as the pool. Its run() is RT. */
const ali3_exec *pool_exec(struct pool *p);

#endif
