/* SPDX-License-Identifier: MIT
 * The worker pool. One piece of work is on at a time; a share goes to the same worker every time.
 *
 *   caller   pending = workers, work, arg | generation + 1 | share 0 | wait for pending = 0
 *   worker   wait for a new generation    | share i        | pending - 1
 *
 * Invariants: 1. pending, work and arg are set only between two pieces, from pending = 0 to the next
 * generation; generation (release) hands them over, pending (acquire) hands the results back. 2. A sleeper
 * announces itself before it looks at its word for the last time, a waker changes the word before it looks for
 * sleepers, all four sequentially consistent: one of the two sees the other. A wake that comes late meets a
 * loop that looks again.
 *
 * pool_exec()->run is loop code: no lock, no allocation, no system call but futex. */
#include "rt/pool.h"
#include "base/arena.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
  WORKERS_MAX = 255,
  STACK_KB = 256,
  LINE = 64, /* of the cache */
  /* In real time longer than what the caller does alone between two pieces of a step, since who sleeps comes
   * 15 to 50 us late; short against a period, since that much is burnt after the last piece. An ordinary thread
   * has to share its CPU: the scheduler makes it wait for what it burns. */
  SPIN_FIFO_NS = 100000,
  SPIN_NS = 20000,
  PAUSES_PER_LOOK = 32, /* between two looks at the clock */
};

struct event { /* a word to wait for, and how many sleep on it */
  _Atomic uint32_t word, sleepers;
};

struct worker {
  struct pool *pool;
  int share;
  pthread_t thread;
  struct realtime_grant grant;
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
  char refusal[256];
  _Alignas(LINE) struct event generation; /* changes with every piece of work */
  void (*work)(void *arg, int share, int shares);
  void *arg;
  _Alignas(LINE) struct event pending; /* workers that have not finished yet */
};

static inline void pause_cpu(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static long futex(_Atomic uint32_t *word, int operation, uint32_t value)
{
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Waits until the word differs from `old`: spins for a bounded time, then sleeps. Returns what it read. */
static uint32_t event_wait(struct event *e, uint32_t old, uint64_t spin_ns)
{
  uint32_t now = atomic_load_explicit(&e->word, memory_order_acquire);
  if (now != old) return now;
  if (spin_ns) {
    uint64_t end = 0, time; /* the clock is read after the first pauses: most waits end in them */
    do {
      for (int i = 0; i < PAUSES_PER_LOOK; i++) {
        now = atomic_load_explicit(&e->word, memory_order_acquire);
        if (now != old) return now;
        pause_cpu();
      }
      time = clock_now_ns();
      if (!end) end = time + spin_ns;
    } while (time < end);
  }
  atomic_fetch_add(&e->sleepers, 1);
  while ((now = atomic_load(&e->word)) == old) futex(&e->word, FUTEX_WAIT, old);
  atomic_fetch_sub(&e->sleepers, 1);
  return now;
}

static void event_wake(struct event *e)
{
  if (atomic_load(&e->sleepers)) futex(&e->word, FUTEX_WAKE, INT_MAX);
}

static void finished(struct pool *p)
{
  if (atomic_fetch_sub(&p->pending.word, 1) == 1) event_wake(&p->pending);
}

static void wait_all_finished(struct pool *p)
{
  uint32_t left = atomic_load_explicit(&p->pending.word, memory_order_acquire);
  while (left) left = event_wait(&p->pending, left, p->spin_ns);
}

static void pool_run(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  struct pool *p = context;
  if (p->started) {
    atomic_store_explicit(&p->pending.word, (uint32_t)p->started, memory_order_relaxed);
    p->work = work;
    p->arg = arg;
    atomic_fetch_add(&p->generation.word, 1);
    event_wake(&p->generation);
  }
  work(arg, 0, p->started + 1);
  wait_all_finished(p);
}

/* With more threads than CPUs a spinner holds up the very thread it waits for. */
static uint64_t spin_for(const struct pool *p, const struct worker *w)
{
  if (!p->room) return 0;
  return w->grant.policy == SCHED_FIFO ? SPIN_FIFO_NS : SPIN_NS;
}

static void *worker_main(void *arg)
{
  struct worker *w = arg;
  struct pool *p = w->pool;
  const int first = p->config.first_cpu;
  realtime_promote_self(p->config.priority, first < 0 ? -1 : first + w->share - 1, false, &w->grant);
  const uint64_t spin_ns = spin_for(p, w);
  uint32_t seen =
      atomic_load_explicit(&p->generation.word, memory_order_relaxed); /* before the pool is handed out */
  finished(p);
  for (;;) {
    seen = event_wait(&p->generation, seen, spin_ns);
    if (!p->work) return NULL;
    p->work(p->arg, w->share, p->exec.shares);
    finished(p);
  }
}

static bool has_room(const struct pool_config *config)
{
  cpu_set_t set;
  long cpus = 1;
  if (config->first_cpu >= 0)
    cpus = sysconf(_SC_NPROCESSORS_ONLN);
  else if (sched_getaffinity(0, sizeof set, &set) == 0)
    cpus = CPU_COUNT(&set);
  return config->workers < cpus;
}

static bool start_workers(struct pool *p, char *error, size_t size)
{
  atomic_store(&p->pending.word, (uint32_t)p->config.workers);
  for (int i = 0; i < p->config.workers; i++) {
    struct worker *w = &p->worker[i];
    char name[24];
    *w = (struct worker){.pool = p, .share = i + 1};
    snprintf(name, sizeof name, "ali3-w%d", w->share);
    const int status = thread_start_ordinary(&w->thread, name, STACK_KB, worker_main, w);
    if (status) {
      snprintf(error, size, "worker %d of %d cannot be started: %s", w->share, p->config.workers,
               strerror(status));
      atomic_fetch_sub(&p->pending.word, (uint32_t)(p->config.workers - i));
      return false;
    }
    p->started++;
  }
  return true;
}

struct pool *pool_new(const struct pool_config *config, char *error, size_t size)
{
  if (config->workers < 0 || config->workers > WORKERS_MAX) {
    snprintf(error, size, "workers: expected 0 to %d, found %d", WORKERS_MAX, config->workers);
    return NULL;
  }
  struct pool *p = aligned_zalloc(sizeof *p);
  struct worker *worker = aligned_zalloc((size_t)config->workers * sizeof *worker);
  if (!p || !worker) {
    free(p);
    free(worker);
    snprintf(error, size, "out of memory for %d workers", config->workers);
    return NULL;
  }
  p->config = *config;
  p->worker = worker;
  p->room = has_room(config);
  p->exec = (ali3_exec){.context = p, .shares = config->workers + 1, .run = pool_run};

  const bool all = start_workers(p, error, size);
  wait_all_finished(p);
  if (!all) {
    pool_free(p);
    return NULL;
  }
  if (p->started) p->spin_ns = spin_for(p, worker);
  for (int i = 0; i < p->started && !p->refusal[0]; i++)
    if (worker[i].grant.reason[0])
      snprintf(p->refusal, sizeof p->refusal, "worker %d: %.230s", i + 1, worker[i].grant.reason);
  return p;
}

void pool_free(struct pool *p)
{
  if (!p) return;
  p->work = NULL; /* the end, as a piece of work */
  atomic_fetch_add(&p->generation.word, 1);
  event_wake(&p->generation);
  for (int i = 0; i < p->started; i++) pthread_join(p->worker[i].thread, NULL);
  free(p->worker);
  free(p);
}

const ali3_exec *pool_exec(struct pool *p)
{
  return &p->exec;
}

bool pool_placed(const struct pool *p)
{
  bool placed = true;
  for (int i = 0; i < p->started && p->config.first_cpu >= 0; i++)
    placed = placed && p->worker[i].grant.cpu == p->config.first_cpu + i;
  return placed;
}

const char *pool_refusal(const struct pool *p)
{
  return p->refusal;
}
