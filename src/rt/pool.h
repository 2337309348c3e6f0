/* SPDX-License-Identifier: MIT
 * Worker pool: `workers` pthreads beside the caller that share one piece of work at a time. The caller takes
 * share 0 and waits for the rest at a barrier that spins for a bounded time and then sleeps on a futex. */
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
  int workers;   /* threads beside the caller; 0 gives a pool that runs everything in the caller */
  int priority;  /* SCHED_FIFO; 0: ordinary */
  int first_cpu; /* workers are pinned to first_cpu, first_cpu+1, ..; -1: not pinned */
  double worth;  /* as of ali3_exec */
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

/* RT, the caller's: what it watches of its workers. */

/* Workers that have ended so far, though nobody told them to; *last: the share of the last one. What the step in which
 * that shows has computed is worth nothing. From then on the caller does their shares. */
int pool_lost(const struct pool *p, int *last);

/* Pieces from now on carry this label, 0 .. POOL_LABELS-1: the caller's own number of a kind of piece. */
enum { POOL_LABELS = 48 };
void pool_label(struct pool *p, int level);
/* The longest time from handing out a piece of that label to the start of a share, since the last call, ns. */
uint64_t pool_take_wait(struct pool *p, int level);

/* A piece of a step that was shared, as the slowest share of it saw it. */
struct slowest {
  int32_t level; /* the label of the piece, see pool_label(); -1: nothing was shared */
  int32_t share; /* 0: the loop's own; i: worker i */
  uint64_t wait_ns, busy_ns;
};

struct pool_cycle {
  struct slowest slowest; /* the share the caller waited for the longest; level -1: for none */
  uint64_t held_ns;       /* for which the caller was done with its share and some worker was not */
  uint64_t sleeps;        /* of the caller meanwhile */
  uint64_t slept_ns;
  uint64_t woke_late_ns; /* after such a sleep, with the last worker done already */
};
/* At the end of a cycle: since the last call. */
struct pool_cycle pool_take_cycle(struct pool *p);
/* After it, and before the next piece: of the worker of a share, since its first piece in that cycle. A piece of work of
 * its own, so for late cycles only. All 0 of a worker that has ended. */
struct usage pool_usage(struct pool *p, int share);

#endif
