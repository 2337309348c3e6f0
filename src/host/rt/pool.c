/* SPDX-License-Identifier: MIT
 * Set-up of the worker pool. The part that runs in the loop is in pool_run.c. */
#include "rt/pool_parts.h"

#include "base/arena.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  WORKERS_MAX = 255,
  /* In real time: longer than the caller's own work between two pieces of a step, because a sleeping worker comes 15 to
   * 50 us late; short against a period, because the worker burns this time after the last piece. An ordinary thread
   * shares its CPU, and the scheduler makes it wait for the time it burns. */
  SPIN_FIFO_NS = 100000,
  SPIN_NS = 20000,
};

/* With more threads than CPUs a spinning thread delays the thread that it waits for. */
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
  w->id = gettid();
  pool_work(w, spin_for(p, w));
  return NULL;
}

static bool has_free_cpus(const struct pool_config *config)
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
    const int status = thread_start_ordinary(&w->thread, name, POOL_STACK_KB, worker_main, w);
    if (status) {
      snprintf(error, size, "worker %d of %d cannot be started: %s", w->share, p->config.workers,
               strerror(status));
      atomic_fetch_sub(&p->pending.word, (uint32_t)(p->config.workers - i));
      return false;
    }
    p->started = ++p->alive;
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
  p->room = has_free_cpus(config);
  p->process = getpid();
  p->exec = (ali3_exec){.context = p, .shares = config->workers + 1, .worth = config->worth, .run = pool_run};

  const bool all = start_workers(p, error, size);
  pool_wait_all(p);
  pool_take_cycle(p); /* the first times are no measure, and workers have worked in no cycle yet */
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
  p->work = NULL; /* ends the worker */
  atomic_fetch_add(&p->generation.word, 1);
  event_wake(&p->generation);
  for (int i = 0; i < p->started; i++) pthread_join(p->worker[i].thread, NULL);
  free(p->worker);
  free(p);
}

int32_t pool_thread(const struct pool *p, int share)
{
  return p->worker[share - 1].id;
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
