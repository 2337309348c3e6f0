/* SPDX-License-Identifier: MIT
 * Inside the worker pool: shared by its set-up (pool.c) and its loop code (pool_run.c). */
#ifndef RT_POOL_PARTS_H
#define RT_POOL_PARTS_H

#include "rt/pool.h"
#include "rt/realtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { POOL_LINE = 64 /* line of the cache */ };

struct event { /* a word to wait for, and the number of its sleepers */
  _Atomic uint32_t word, sleepers;
};

struct usage_sample { /* usage of a worker, measured by itself */
  struct usage usage;
  uint64_t sleeps, slept_ns;
};

struct worker {
  struct pool *pool;
  int share;
  pthread_t thread;
  pid_t id;
  struct realtime_grant grant;

  /* Written by the worker, read by the caller after it has finished. */
  _Alignas(POOL_LINE) uint64_t began_ns, done_ns; /* times of the last piece */
  uint32_t cycle;                                 /* last cycle in which it worked */
  bool rested;                                    /* it has slept since its last piece */
  uint64_t sleeps, slept_ns;                      /* sleeps without work so far */
  struct usage_sample idle,
      before;        /* usage when it last went to sleep; usage before its first piece in the cycle */
  struct usage used; /* usage since then */
  /* Written by the worker, read by the caller also before it has finished. */
  _Atomic uint32_t done; /* generation */
  bool lost;             /* written by the caller: the worker has ended */
};

/* Grouped by the writer while pieces run: nobody, the caller, the workers. A piece moves one cache line to each worker
 * and one back. */
struct pool {
  ali3_exec exec;
  struct pool_config config;
  struct worker *worker; /* (workers) */
  int started;           /* workers with a thread */
  bool room;             /* there is a CPU for each thread */
  uint64_t spin_ns;      /* spinning time of the caller */
  pid_t process;
  char refusal[256];
  _Alignas(POOL_LINE) struct event generation; /* changes with every piece of work */
  void (*work)(void *arg, int share, int shares);
  void *arg;
  uint32_t cycle; /* cycles that have ended */
  uint64_t handed_ns;
  _Alignas(POOL_LINE) struct event pending; /* workers that have not finished yet */

  /* For the caller only. */
  _Alignas(POOL_LINE) int label, handed_label; /* label of the next piece; label of the current piece */
  int alive;                                   /* workers that have not died */
  uint64_t wait_ns[POOL_LABELS];
  struct pool_cycle now; /* figures of the cycle so far */
  uint64_t longest_ns;   /* part of now.held_ns that belongs to now.slowest */
  int lost, last_lost;   /* number of dead workers; share of the last one */
};

void event_wake(struct event *e);

/* The worker's loop; ends with a piece without work. */
void pool_work(struct worker *w, uint64_t spin_ns);
/* Returns the time of waking if it slept, else 0. */
uint64_t pool_wait_all(struct pool *p);
/* pool_exec()->run */
void pool_run(void *context, void (*work)(void *arg, int share, int shares), void *arg);

#endif
