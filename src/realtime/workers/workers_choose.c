/* SPDX-License-Identifier: MIT
 * Chooses the number of workers. Other load on the machine disturbs all numbers alike if they take turns, so the
 * numbers are timed in turns from one start and compared by their medians. Every turn has its own pool, so that no
 * other workers exist. */
#include "workers/workers_choose.h"

#include "rt/clock.h"
#include "rt/realtime.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  ROUNDS = 10,
  TURN_STEPS = 4,  /* largest number of steps of one number in a round */
  PROBE_STEPS = 8, /* largest number of steps for a first estimate of the step alone */
  PROBE_NS = 20000000,
  STEPS = PROBE_STEPS + ROUNDS * TURN_STEPS,
  ALL_NS = 400000000,    /* limit for everything, somewhat below half a second */
  SHARED_FROM_NS = 30000 /* a shorter step gains nothing, because of its barriers */
};

static const double GAIN = 0.95, ABOUT_THE_BEST = 1.03;

struct timing {
  const ali3_model *m;
  ali3_data *d;
  const struct choose_plan *plan;
  const struct choose_world *world;
  uint64_t end_ns, start_ns; /* duration of the last start */
  int numbers, workers[CHOOSE_TRIES];
  int count[CHOOSE_TRIES];
  uint64_t ns[CHOOSE_TRIES][STEPS];
};

enum turn {
  TURN_DONE,
  TURN_FAILED,
  TURN_CROWDED /* too few threads or CPUs for this number */
};

int choose_most(int first_cpu)
{
  cpu_set_t set;
  long cpus = 0;
  if (first_cpu >= 0)
    cpus = sysconf(_SC_NPROCESSORS_ONLN) - first_cpu; /* isolated CPUs are in no process's mask */
  else if (sched_getaffinity(0, sizeof set, &set) == 0)
    cpus = CPU_COUNT(&set) - 1;
  return cpus < 0 ? 0 : cpus > CHOOSE_MOST ? CHOOSE_MOST : (int)cpus;
}

int choose_numbers(int most, int workers[CHOOSE_TRIES])
{
  static const int number[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
  int n = 0;
  if (most > CHOOSE_MOST) most = CHOOSE_MOST;
  for (size_t i = 0; i < sizeof number / sizeof *number && number[i] <= most; i++) workers[n++] = number[i];
  if (n > 0 && workers[n - 1] < most) workers[n++] = most;
  return n;
}

static bool worker_count_pays(const struct choose_try *t, int k)
{
  return k > 0 && t[k].step_us < GAIN * t[0].step_us && t[k].fastest_us < GAIN * t[0].fastest_us;
}

int choose_from(const struct choose_try *t, int n)
{
  double best = INFINITY;
  for (int i = 1; i < n; i++)
    if (worker_count_pays(t, i) && t[i].step_us < best) best = t[i].step_us;
  for (int i = 1; i < n; i++)
    if (worker_count_pays(t, i) && t[i].step_us <= ABOUT_THE_BEST * best) return t[i].workers;
  return t[0].workers;
}

/* Not before a first step, so that there is a figure. */
static bool has_run_out(const struct timing *t, int k, uint64_t end_ns)
{
  return t->count[k] > 0 && t->world->now_ns() >= end_ns;
}

/* Times up to `steps` more steps of number k, after the start has warmed up code and data. */
static enum turn time_turn_steps(struct timing *t, int k, int steps, uint64_t end_ns)
{
  const uint64_t start = t->world->now_ns();
  if (t->world->reset(t->m, t->d) < 0) return TURN_FAILED;
  t->start_ns = t->world->now_ns() - start;
  for (int i = 0; i < steps && !has_run_out(t, k, end_ns); i++) {
    if (t->plan->rest_ns) t->world->sleep_until_ns(t->world->now_ns() + t->plan->rest_ns);
    const uint64_t begin = t->world->now_ns();
    if (t->world->step(t->m, t->d) < 0) return TURN_FAILED;
    t->ns[k][t->count[k]++] = t->world->now_ns() - begin;
  }
  return TURN_DONE;
}

static enum turn take_turn(struct timing *t, int k, int steps, uint64_t end_ns)
{
  struct pool_config config = t->plan->pool;
  config.workers = t->workers[k];
  if (config.workers == 0) return time_turn_steps(t, k, steps, end_ns);
  char error[256];
  struct pool *pool = pool_new(&config, error, sizeof error);
  enum turn turn = TURN_CROWDED;
  if (pool && pool_placed(pool)) {
    t->world->set_exec(t->d, pool_exec(pool));
    turn = time_turn_steps(t, k, steps, end_ns);
    t->world->set_exec(t->d, NULL);
  }
  pool_free(pool);
  return turn;
}

static int compare_times(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t fastest_ns(const struct timing *t, int k)
{
  uint64_t fastest = UINT64_MAX;
  for (int i = 0; i < t->count[k]; i++)
    if (t->ns[k][i] < fastest) fastest = t->ns[k][i];
  return fastest;
}

static uint64_t median_ns(const struct timing *t, int k)
{
  uint64_t ns[STEPS];
  const int n = t->count[k];
  memcpy(ns, t->ns[k], (size_t)n * sizeof *ns);
  qsort(ns, (size_t)n, sizeof *ns, compare_times);
  return n % 2 ? ns[n / 2] : (ns[n / 2 - 1] + ns[n / 2]) / 2;
}

/* Times all numbers in turns while there is time; the first round always completes. */
static bool time_all(struct timing *t)
{
  const uint64_t step_ns = median_ns(t, 0) + t->plan->rest_ns, now = t->world->now_ns();
  const uint64_t left = t->end_ns > now ? t->end_ns - now : 0;
  uint64_t turn_ns = left / (ROUNDS * (uint64_t)t->numbers);
  if (turn_ns < t->start_ns + step_ns) turn_ns = left / (uint64_t)t->numbers; /* then only one round */
  uint64_t steps = turn_ns > t->start_ns ? (turn_ns - t->start_ns) / (step_ns ? step_ns : 1) : 0;
  steps = steps < 1 ? 1 : steps > TURN_STEPS ? TURN_STEPS : steps;

  for (int round = 0; round < ROUNDS && t->numbers > 1; round++)
    for (int k = 0; k < t->numbers; k++) {
      if (has_run_out(t, k, t->end_ns)) continue;
      const enum turn turn = take_turn(t, k, (int)steps, t->end_ns);
      if (turn == TURN_FAILED) return false;
      if (turn == TURN_CROWDED) t->numbers = k;
    }
  return true;
}

static const char steps_fail[] = "its steps fail", no_cpu_to_spare[] = "no CPU to spare";

/* Times the step alone: decides whether a comparison makes sense, and for how many steps there is time. Returns "" or
 * why not. */
static const char *compare_numbers(struct timing *t)
{
  const uint64_t begin = t->world->now_ns();
  t->end_ns = begin + ALL_NS;
  if (take_turn(t, 0, PROBE_STEPS, begin + PROBE_NS) == TURN_FAILED) return steps_fail;
  if (median_ns(t, 0) < SHARED_FROM_NS) {
    t->numbers = 1;
    return "too short to share";
  }
  if (!time_all(t)) return steps_fail;
  return t->numbers > 1 ? "" : no_cpu_to_spare;
}

static const struct choose_world real_world = {.now_ns = clock_now_ns,
                                               .sleep_until_ns = clock_sleep_until_ns,
                                               .reset = ali3_reset,
                                               .step = ali3_step,
                                               .set_exec = ali3_data_set_exec};

void choose_workers(const ali3_model *m, const struct choose_plan *plan, struct choice *out)
{
  *out = (struct choice){.reason = no_cpu_to_spare};
  const int most = plan->most;
  if (most < 1) return;
  realtime_flush_denormals();

  /* Mapped, not from the heap: the heap keeps freed memory once memory is locked. */
  const size_t size = ali3_data_size(m), head = (sizeof(struct timing) + 63) / 64 * 64;
  void *block = mmap(NULL, head + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  out->reason = "out of memory";
  if (block == MAP_FAILED) return;
  struct timing *t = block;
  *t = (struct timing){.m = m, .plan = plan, .world = plan->world ? plan->world : &real_world};
  t->d = ali3_data_place(m, (char *)block + head, size);
  t->numbers = choose_numbers(most, t->workers);
  if (t->d) out->reason = compare_numbers(t);
  for (int k = 0; k < t->numbers && t->count[k] > 0 && out->reason != steps_fail; k++)
    out->tried[out->tries++] =
        (struct choose_try){t->workers[k], (double)median_ns(t, k) / 1e3, (double)fastest_ns(t, k) / 1e3};
  if (!out->reason[0]) out->workers = choose_from(out->tried, out->tries);
  munmap(block, head + size);
}

void choose_text(const struct choice *c, char *text, size_t size)
{
  char figures[100] = "";
  const struct choose_try *loop_alone = &c->tried[0], *other = NULL; /* the best number with workers */
  for (int i = 1; i < c->tries; i++)
    if (c->workers > 0 ? c->tried[i].workers == c->workers : !other || c->tried[i].step_us < other->step_us)
      other = &c->tried[i];
  if (c->workers > 0 && other)
    snprintf(figures, sizeof figures, "step %.0f us, alone %.0f us", other->step_us, loop_alone->step_us);
  else if (other)
    snprintf(figures, sizeof figures, "step %.0f us; with %d %.0f us", loop_alone->step_us, other->workers,
             other->step_us);
  else if (c->tries > 0)
    snprintf(figures, sizeof figures, "step %.1f us, ", loop_alone->step_us);
  snprintf(text, size, "%d worker%s (auto): %s%s", c->workers, c->workers == 1 ? "" : "s", figures,
           c->reason);
}
