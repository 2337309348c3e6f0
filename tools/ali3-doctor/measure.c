/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include "rt/clock.h"

#include <sys/resource.h>

enum {
  WARM_UP = 20, /* wake-ups that do not count: the first ones load code and data */
  CLOCK_BATCHES = 5,
  CLOCK_READS = 20000,
};
static const uint64_t busy_ns = NS_PER_S / 2, look_ns = NS_PER_S / 10;

struct run {
  const struct measure_plan *plan;
  const struct measure_watch *watch;
  struct measured *o;
  atomic_bool ended;
};

double measure_seconds(const struct measure_plan *plan)
{
  return plan->seconds + (double)busy_ns * 1e-9;
}

uint64_t grid_after(uint64_t next, uint64_t period, uint64_t now, uint64_t *skipped)
{
  next += period;
  if (next > now) return next;
  const uint64_t late = (now - next) / period + 1;
  *skipped += late;
  return next + late * period;
}

static bool is_stopped(const struct run *r)
{
  return atomic_load_explicit(r->watch->stop, memory_order_relaxed);
}

/* Measures until `end`, with the first wake-up at `start`. */
static void time_wakeups(const struct run *r, uint64_t start, uint64_t end, struct histogram *h,
                         uint64_t *skipped)
{
  uint64_t number = 0;
  for (uint64_t next = start; next <= end && !is_stopped(r);) {
    clock_sleep_until_ns(next);
    const uint64_t now = clock_now_ns();
    histogram_add(h, now - next, number++);
    next = grid_after(next, r->plan->period_ns, now, skipped);
  }
}

/* The best of several batches, which no interrupt has disturbed. */
static double clock_cost(void)
{
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < CLOCK_BATCHES; i++) {
    const uint64_t begin = clock_now_ns();
    uint64_t end = begin;
    for (int k = 0; k < CLOCK_READS; k++) end = clock_now_ns();
    if (end - begin < best) best = end - begin;
  }
  return (double)best / CLOCK_READS;
}

static uint64_t longest_gap(const struct run *r)
{
  uint64_t before = clock_now_ns(), longest = 0;
  const uint64_t end = before + busy_ns;
  while (before < end && !is_stopped(r)) {
    const uint64_t now = clock_now_ns();
    if (now - before > longest) longest = now - before;
    before = now;
  }
  return longest;
}

static void *run_thread(void *argument)
{
  /* Become real-time, and warm up. */
  struct run *r = argument;
  struct measured *o = r->o;
  struct rusage before, after;
  uint64_t unused = 0;
  realtime_promote_self(r->plan->priority, r->plan->cpu, false, &o->thread);
  const uint64_t period = r->plan->period_ns, warm = clock_now_ns() + period;
  time_wakeups(r, warm, warm + WARM_UP * period, &o->wakeup, &unused);
  histogram_clear(&o->wakeup);
  getrusage(RUSAGE_THREAD, &before);

  /* Measure wake-ups, the clock and gaps. */
  const uint64_t start = clock_now_ns() + period;
  time_wakeups(r, start, start + (uint64_t)(r->plan->seconds * 1e9), &o->wakeup, &o->skipped);
  o->duration_ns = clock_now_ns() - start;
  o->clock_ns = clock_cost();
  o->gap_ns = longest_gap(r);

  getrusage(RUSAGE_THREAD, &after);
  o->minor_faults = after.ru_minflt - before.ru_minflt;
  o->major_faults = after.ru_majflt - before.ru_majflt;
  o->voluntary = after.ru_nvcsw - before.ru_nvcsw;
  o->involuntary = after.ru_nivcsw - before.ru_nivcsw;
  atomic_store(&r->ended, true);
  return NULL;
}

int measure(const struct measure_plan *plan, const struct measure_watch *watch, struct measured *o)
{
  struct run r = {.plan = plan, .watch = watch, .o = o};
  pthread_t thread;
  *o = (struct measured){.duration_ns = 0};
  realtime_lock_memory(&o->memory);
  const uint64_t begin = clock_now_ns();
  const int status = pthread_create(&thread, NULL, run_thread, &r);
  if (status) return status;
  for (uint64_t next = begin + look_ns; !atomic_load(&r.ended); next += look_ns) {
    clock_sleep_until_ns(next);
    if (watch->progress) watch->progress((double)(clock_now_ns() - begin) * 1e-9);
  }
  pthread_join(thread, NULL);
  o->interrupted = atomic_load(watch->stop);
  return 0;
}
