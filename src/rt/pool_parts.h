/* SPDX-License-Identifier: MIT
 * Inside the worker pool: shared by its set-up (pool.c) and its loop code (pool_run.c). */
#ifndef RT_POOL_PARTS_H
#define RT_POOL_PARTS_H

#include "rt/pool.h"
#include "rt/realtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { POOL_LINE = 64 /* of the cache */ };

struct event { /* a word to wait for, and how many sleep on it */
  _Atomic uint32_t word, sleepers;
};

struct usage_sample { /* of a worker at itself */
  struct usage usage;
  uint64_t sleeps, slept_ns;
};

struct worker {
  struct pool *pool;
  int share;
  pthread_t thread;
  pid_t id;
  struct realtime_grant grant;

  /* the worker's, read by the caller once it has finished */
  _Alignas(POOL_LINE) uint64_t began_ns, done_ns; /* the last piece */
  uint32_t cycle;                                 /* it was at work in last */
  bool rested;                                    /* it has slept since its last piece */
  uint64_t sleeps, slept_ns;                      /* so far, for want of work */
  struct usage_sample idle, before; /* when it last went to sleep; before its first piece in the cycle */
  struct usage used;                /* since then */
  /* likewise, and looked at where it does not finish */
  _Atomic uint32_t done; /* generation */
  bool lost;             /* the caller's: has ended */
};

/* By who writes what while pieces run: nobody, the caller, the workers. A piece takes one line of the cache
 * to each worker, and one back. */
struct pool {
  ali3_exec exec;
  struct pool_config config;
  struct worker *worker; /* (workers) */
  int started;           /* workers that have a thread */
  bool room;             /* a CPU for each thread */
  uint64_t spin_ns;      /* of the caller */
  pid_t process;
  char refusal[256];
  _Alignas(POOL_LINE) struct event generation; /* changes with every piece of work */
  void (*work)(void *arg, int share, int shares);
  void *arg;
  uint32_t cycle; /* ended so far */
  uint64_t handed_ns;
  _Alignas(POOL_LINE) struct event pending; /* workers that have not finished yet */

  /* the caller's own */
  _Alignas(POOL_LINE) int label, handed_label; /* as of now; of the piece that is on */
  int alive;                                   /* workers not lost */
  uint64_t wait_ns[POOL_LABELS];
  struct pool_cycle now; /* so far */
  uint64_t longest_ns;   /* of what now.held_ns adds up: that of now.slowest */
  int lost, last_lost;   /* how many, the share of the last one */
};

void event_wake(struct event *e);

/* The worker's loop; ends with a piece of work that is none. */
void pool_work(struct worker *w, uint64_t spin_ns);
void pool_finished(struct pool *p);
/* The clock as it woke, if it slept; else 0. */
uint64_t pool_wait_all(struct pool *p);
/* pool_exec()->run */
void pool_run(void *context, void (*work)(void *arg, int share, int shares), void *arg);

#endif
