/* SPDX-License-Identifier: MIT
 * Predicts the time of a step with more workers than there are processors. The shares of each piece are done and timed one
 * after the other. With a processor for each share the piece takes the time of its longest share and one barrier. The plan is
 * that of real workers, since the same code cuts the shares. A share belongs to one thread, and the threads take turns: on its
 * processor it finds in the cache what real workers find in theirs, as far as there are processors. */
#include "bench.h"
#include "common/ranks.h"

#include "rt/clock.h"
#include "rt/pool.h"
#include "workers/workers_choose.h"

#include <ali3/model.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  ROUNDS = 5,      /* all numbers of workers take turns */
  BARRIERS = 4000, /* pieces without work that are timed */
  READINGS = 2000  /* the clock is read so often to time a reading */
};
/* A worker beyond the first one delays a barrier by this part of it: it moves one line of the cache more. */
static const double FURTHER = 0.25;
/* Time of a barrier where no worker has a processor. */
static const double USUAL_NS = 1000.0;

/* An exec that does the shares in turn. Times in ns, of all pieces of a step. */
struct turns {
  ali3_exec exec;
  const ali3_exec *threads; /* which take turns */
  uint64_t sum, longest;
  int pieces;
  /* the present piece */
  void (*work)(void *arg, int share, int shares);
  void *arg;
  _Alignas(64) atomic_int next; /* the share whose turn it is */
  uint64_t piece_longest;       /* ns, the longest share before it */
};

/* Does the shares of one thread, each in its turn. */
static void do_own_shares(void *context, int thread, int threads)
{
  struct turns *t = context;
  for (int i = thread; i < t->exec.shares; i += threads) {
    while (atomic_load_explicit(&t->next, memory_order_acquire) != i) clock_pause();
    const uint64_t begin = clock_now_ns();
    t->work(t->arg, i, t->exec.shares);
    const uint64_t ns = clock_now_ns() - begin;
    if (ns > t->piece_longest) t->piece_longest = ns;
    atomic_store_explicit(&t->next, i + 1, memory_order_release);
  }
}

static void run_in_turn(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  struct turns *t = context;
  const uint64_t begin = clock_now_ns();
  t->work = work;
  t->arg = arg;
  t->piece_longest = 0;
  atomic_store(&t->next, 0);
  t->threads->run(t->threads->context, do_own_shares, t);
  t->sum += clock_now_ns() - begin;
  t->longest += t->piece_longest;
  t->pieces++;
}

static void do_nothing(void *arg, int share, int shares)
{
  (void)arg, (void)share, (void)shares;
}

struct prediction {
  const char *name;
  const ali3_model *m;
  ali3_data *d;
  int steps;         /* in one round */
  double clock_ns;   /* duration of one reading */
  double barrier_ns; /* with one worker; the shortest so far */
};

static double reading_cost(void)
{
  const uint64_t begin = clock_now_ns();
  for (int i = 0; i < READINGS; i++) (void)clock_now_ns();
  return (double)(clock_now_ns() - begin) / READINGS;
}

/* Times pieces without work for one worker. Other load may hold up most of them, so the tenth part that is fastest counts, and
 * each round does this again. */
static void time_barrier(struct prediction *p)
{
  static uint32_t sample[BARRIERS];
  char error[256];
  const struct pool_config config = bench_pool(1);
  struct pool *pool = pool_new(&config, error, sizeof error);
  if (!pool) return;
  const ali3_exec *exec = pool_exec(pool);
  for (int i = 0; i < BARRIERS; i++) {
    const uint64_t begin = clock_now_ns();
    exec->run(exec->context, do_nothing, NULL);
    sample[i] = (uint32_t)(clock_now_ns() - begin);
  }
  pool_free(pool);
  qsort(sample, BARRIERS, sizeof *sample, compare_times_ns);
  const double ns = 1e3 * percentile_us(sample, BARRIERS, 0.1);
  if (ns < p->barrier_ns) p->barrier_ns = ns;
}

static bool step_went_well(const struct prediction *p, ali3_status status)
{
  char text[320];
  if (status >= 0) return true;
  ali3_report_text(p->m, p->d, text, sizeof text);
  fprintf(stderr, "ali3-bench: %s: %s\n", p->name, text);
  return false;
}

/* NULL, with a message, on failure. */
static struct pool *open_pool(int workers)
{
  char error[256];
  const struct pool_config config = bench_pool(workers);
  struct pool *pool = pool_new(&config, error, sizeof error);
  if (!pool) fprintf(stderr, "ali3-bench: %s\n", error);
  return pool;
}

/* Predicts the time of each step of a round with this number of workers, without barriers. *pieces: of the last step. */
static bool predict_round(const struct prediction *p, int workers, uint32_t *ns, int *pieces)
{
  /* A thread for each share, as far as there are processors. */
  const int most = choose_most(-1);
  struct pool *pool = open_pool(workers < most ? workers : most);
  if (!pool) return false;
  struct turns t = {.exec = {.context = &t, .shares = workers + 1, .run = run_in_turn},
                    .threads = pool_exec(pool)};
  ali3_data_set_exec(p->d, workers > 0 ? &t.exec : NULL);
  bool good = step_went_well(p, ali3_reset(p->m, p->d));
  /* In place of all shares comes the longest. */
  for (int i = 0; good && i < p->steps; i++) {
    t.sum = t.longest = 0;
    t.pieces = 0;
    const uint64_t begin = clock_now_ns();
    good = step_went_well(p, ali3_step(p->m, p->d));
    const double all = (double)(clock_now_ns() - begin) - t.pieces * p->clock_ns;
    const double step = all - (double)t.sum + (double)t.longest - t.pieces * p->clock_ns;
    ns[i] = (uint32_t)(step > 0.0 ? step : 0.0);
    *pieces = t.pieces;
  }
  ali3_data_set_exec(p->d, NULL);
  pool_free(pool);
  return good;
}

/* Times each step of a round with real workers. */
static bool measure_round(const struct prediction *p, int workers, uint32_t *ns)
{
  struct pool *pool = open_pool(workers);
  if (!pool) return false;
  if (workers > 0) ali3_data_set_exec(p->d, pool_exec(pool));
  bool good = step_went_well(p, ali3_reset(p->m, p->d));
  for (int i = 0; good && i < p->steps; i++) {
    const uint64_t begin = clock_now_ns();
    good = step_went_well(p, ali3_step(p->m, p->d));
    ns[i] = (uint32_t)(clock_now_ns() - begin);
  }
  ali3_data_set_exec(p->d, NULL);
  pool_free(pool);
  return good;
}

/* All rounds of all numbers. ns: (numbers, 2, ROUNDS, steps). pieces: (numbers). */
static bool take_rounds(struct prediction *p, const int *workers, int numbers, uint32_t *ns, int *pieces)
{
  const int most = choose_most(-1);
  const size_t whole = (size_t)ROUNDS * (size_t)p->steps;
  bool good = true;
  for (int round = 0; round < ROUNDS; round++) {
    if (most > 0) time_barrier(p);
    for (int i = 0; good && i < numbers; i++) {
      uint32_t *at = ns + 2 * whole * (size_t)i + (size_t)round * (size_t)p->steps;
      good = predict_round(p, workers[i], at, &pieces[i]) &&
             (workers[i] > most || measure_round(p, workers[i], at + whole));
    }
  }
  return good;
}

static void add_time(struct times *t, double us)
{
  t->min += us;
  t->median += us;
  t->p99 += us;
  t->max += us;
}

bool predict(const struct bench_case *c, const struct plan *plan, const int *workers, int numbers,
             struct predicted *o)
{
  const ali3_options options = plan_options(plan);
  ali3_model *m = c->build ? case_model(c, plan->bodies, &options) : file_model(c->name, plan);
  if (!m) return false;
  /* Run it. */
  struct prediction p = {.name = c->name,
                         .m = m,
                         .d = ali3_data_new(m),
                         .steps = plan->steps / ROUNDS > 0 ? plan->steps / ROUNDS : 1,
                         .clock_ns = reading_cost(),
                         .barrier_ns = choose_most(-1) > 0 ? 1e9 : USUAL_NS};
  const size_t whole = (size_t)ROUNDS * (size_t)p.steps;
  uint32_t *ns = calloc(2 * whole * (size_t)numbers, sizeof *ns);
  int *pieces = calloc((size_t)numbers, sizeof *pieces);
  const bool good = p.d && ns && pieces && take_rounds(&p, workers, numbers, ns, pieces);
  if (!p.d || !ns || !pieces) fprintf(stderr, "ali3-bench: %s: out of memory\n", c->name);
  /* The times of each number, with its barriers. */
  for (int i = 0; i < numbers && good; i++) {
    const double barrier_us = p.barrier_ns / 1e3;
    o[i] = (struct predicted){.name = c->name,
                              .bodies = ali3_model_bodies(m),
                              .workers = workers[i],
                              .measures = workers[i] <= choose_most(-1),
                              .barrier_us = barrier_us};
    o[i].predicted = times_of(ns + 2 * whole * (size_t)i, (int)whole);
    add_time(&o[i].predicted, pieces[i] * barrier_us * (1.0 + FURTHER * (workers[i] - 1)));
    if (o[i].measures) o[i].measured = times_of(ns + (2 * (size_t)i + 1) * whole, (int)whole);
  }
  free(pieces);
  free(ns);
  ali3_data_free(p.d);
  ali3_model_free(m);
  return good;
}
