/* SPDX-License-Identifier: MIT
 * The pool's figures of its workers: which one is waited for, what it did, and which one has died. Every test runs with
 * one, two and three workers, as ordinary threads and in real time. Other programs may delay threads, so times have
 * lower bounds only. */
#include "check.h"
#include "rt/pool.h"

#include "common/sanitized.h"
#include "rt/clock.h"
#include "rt/realtime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 3, PIECES = 50, ROW = 3, OTHER_ROW = 4 };
static const uint64_t REST_NS = 300000; /* longer than any thread spins */

static void run(struct pool *p, void (*work)(void *arg, int share, int shares), void *arg)
{
  pool_exec(p)->run(pool_exec(p)->context, work, arg);
}

static void rest(void)
{
  clock_sleep_until_ns(clock_now_ns() + REST_NS);
}

/* Actions in one share: */
struct plan {
  struct pool *pool;
  int share;
  uint64_t slow_ns;
  bool sleeps, computes;
};

static void compute(uint64_t ns)
{
  struct usage before, now;
  usage_now(&before);
  do usage_now(&now);
  while (now.cpu_ns - before.cpu_ns < ns);
}

static void carry_out(void *arg, int share, int shares)
{
  const struct plan *plan = arg;
  (void)shares;
  if (share == 0) pool_label(plan->pool, OTHER_ROW); /* for the next piece, not for this one */
  if (share != plan->share) return;
  if (plan->sleeps) clock_sleep_until_ns(clock_now_ns() + plan->slow_ns);
  if (plan->computes) compute(plan->slow_ns);
}

static void nothing(void *arg, int share, int shares)
{
  (void)arg, (void)share, (void)shares;
}

/* A usual cycle: pieces with pauses in which workers fall asleep. */
static void quiet_cycle(struct pool *p)
{
  for (int i = 0; i < 3; i++) {
    run(p, nothing, NULL);
    rest();
  }
}

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) return #condition;                                                                     \
  } while (0)

/* A piece in which `share` is slow, between two cycles without a slow share. */
static const char *slow_share(struct pool *p, int workers, int share, bool sleeps, uint64_t slow_ns)
{
  struct plan plan = {.pool = p, .share = share, .slow_ns = slow_ns, .sleeps = sleeps, .computes = !sleeps};
  quiet_cycle(p);
  pool_take_cycle(p);
  for (int row = 0; row < POOL_LABELS; row++) pool_take_wait(p, row);

  quiet_cycle(p);
  pool_label(p, ROW);
  run(p, carry_out, &plan);
  run(p, nothing, NULL);
  const struct pool_cycle c = pool_take_cycle(p);
  CHECK(c.slowest.level == ROW);
  CHECK(c.slowest.share == share);
  CHECK(c.slowest.busy_ns >= slow_ns);
  CHECK(c.held_ns > 0);
  CHECK(c.sleeps > 0 && c.slept_ns > 0);
  CHECK(c.woke_late_ns <= c.slept_ns);
  CHECK(pool_take_wait(p, ROW) > 0);
  CHECK(pool_take_wait(p, ROW) == 0);
  CHECK(pool_take_wait(p, OTHER_ROW) > 0);

  for (int other = 1; other <= workers; other++) {
    const struct usage u = pool_usage(p, other);
    if (other != share) {
      CHECK(TEST_SANITIZED || u.voluntary == 0);
      continue;
    }
    CHECK(u.span_ns >= slow_ns);
    CHECK(sleeps ? u.voluntary > 0 : u.cpu_ns >= slow_ns);
    CHECK(TEST_SANITIZED || sleeps || u.voluntary == 0);
  }

  run(p, nothing, NULL); /* it need not have slept since */
  pool_take_cycle(p);
  CHECK(TEST_SANITIZED || pool_usage(p, share).voluntary == 0); /* that was before */
  CHECK(pool_usage(p, share).cpu_ns < slow_ns);
  const struct pool_cycle idle = pool_take_cycle(p); /* a question is no work either */
  CHECK(idle.slowest.level == -1 && idle.slowest.share == 0 && idle.held_ns == 0 && idle.sleeps == 0);
  return NULL;
}

/* Another program may delay any thread for longer: every try is slower than the one before. */
enum { TRIES = 8 };
static const uint64_t FIRST_NS = 12 * UINT64_C(1000000);

static const char *each_share_slow_in_turn(struct pool *p, int workers)
{
  const char *problem = NULL;
  for (int share = 1; share <= workers && !problem; share++)
    for (int sleeps = 0; sleeps < 2 && !problem; sleeps++) {
      problem = "not tried";
      for (int i = 0; i < TRIES && problem; i++)
        problem = slow_share(p, workers, share, sleeps, FIRST_NS << i);
    }
  return problem;
}

static const char *the_caller_slow(struct pool *p, int workers)
{
  (void)workers;
  for (int i = 0; i < TRIES; i++) {
    struct plan plan = {.pool = p, .share = 0, .slow_ns = FIRST_NS << i, .sleeps = true};
    quiet_cycle(p);
    pool_take_cycle(p);
    run(p, carry_out, &plan);
    if (pool_take_cycle(p).slowest.level == -1) return NULL;
  }
  return "a share is waited for longer than the caller takes";
}

struct tally {
  int calls[MOST + 1];
  bool by_caller[MOST + 1];
  pthread_t caller;
  int ends[2]; /* shares whose threads end; 0: none */
};

/* The pool asks the kernel whether a thread has died; under a sanitizer it asks this flag. */
static atomic_int ended;

static void count_or_end(void *arg, int share, int shares)
{
  struct tally *t = arg;
  (void)shares;
  if (share > 0 && (t->ends[0] == share || t->ends[1] == share)) {
    atomic_fetch_add(&ended, 1);
    pthread_exit(NULL);
  }
  t->calls[share]++;
  t->by_caller[share] = pthread_equal(pthread_self(), t->caller);
}

static void run_and_end(struct pool *p, struct tally *t)
{
  run(p, count_or_end, t);
  (void)atomic_load(&ended);
}

static const char *all_shares_are_done(struct pool *p, int workers, const bool gone[MOST + 1])
{
  struct tally t = {.caller = pthread_self()};
  for (int n = 1; n <= PIECES; n++) {
    run(p, count_or_end, &t);
    if (n % 10 == 0) rest();
    for (int share = 0; share <= workers; share++) {
      CHECK(t.calls[share] == n);
      CHECK(t.by_caller[share] == (share == 0 || gone[share]));
    }
  }
  return NULL;
}

/* Loses one or two threads at one time. */
static const char *lose(struct pool *p, int workers, int a, int b)
{
  bool gone[MOST + 1] = {false};
  int last = -1;
  gone[a] = gone[b] = true;
  gone[0] = false;
  CHECK(pool_lost(p, &last) == 0 && last == 0);
  const char *problem = all_shares_are_done(p, workers, (const bool[MOST + 1]){false});
  if (problem) return problem;
  pool_take_cycle(p);
  CHECK(pool_usage(p, a).span_ns > 0);

  struct tally t = {.ends = {a, b}};
  run_and_end(p, &t);
  CHECK(pool_lost(p, &last) == (b ? 2 : 1));
  CHECK(last == (b > a ? b : a));
  for (int share = 1; share <= workers; share++) CHECK(t.calls[share] == !gone[share]);
  const struct pool_cycle c = pool_take_cycle(p);
  CHECK(c.slowest.level == -1 || !gone[c.slowest.share]);

  problem = all_shares_are_done(p, workers, gone);
  pool_take_cycle(p);
  for (int share = 1; share <= workers; share++) CHECK((pool_usage(p, share).span_ns == 0) == gone[share]);
  CHECK(pool_lost(p, NULL) == (b ? 2 : 1));
  return problem;
}

static const char *lose_first(struct pool *p, int workers)
{
  return lose(p, workers, 1, 0);
}
static const char *lose_last(struct pool *p, int workers)
{
  return lose(p, workers, workers, 0);
}
static const char *lose_two(struct pool *p, int workers)
{
  return workers > 1 ? lose(p, workers, workers, 1) : NULL;
}

/* Loses one after another until none is left. */
static const char *lose_all(struct pool *p, int workers)
{
  bool gone[MOST + 1] = {false};
  for (int share = workers; share > 0; share--) {
    struct tally t = {.ends = {share}};
    int last;
    run_and_end(p, &t);
    gone[share] = true;
    CHECK(pool_lost(p, &last) == workers - share + 1);
    CHECK(last == share);
    const char *problem = all_shares_are_done(p, workers, gone);
    if (problem) return problem;
  }
  pool_take_cycle(p);
  const struct pool_cycle c = pool_take_cycle(p);
  CHECK(c.slowest.level == -1 && c.held_ns == 0 && c.sleeps == 0);
  return NULL;
}

struct scenario {
  const char *(*check)(struct pool *p, int workers);
  int priority; /* 0: ordinary */
  struct realtime_grant grant;
  const char *problem;
  int workers; /* number of workers that started */
};

/* No assertions: cmocka does not know this thread. */
static void *with_all_pools(void *arg)
{
  struct scenario *s = arg;
  char error[256];
  realtime_promote_self(s->priority, -1, false, &s->grant);
  if (s->priority && !s->grant.realtime) return NULL;
  for (s->workers = 1; s->workers <= MOST; s->workers++) {
    struct pool *p = pool_new(&(struct pool_config){s->workers, s->priority, -1, 0}, error, sizeof error);
    s->problem = p ? s->check(p, s->workers) : "no pool";
    pool_free(p);
    if (s->problem) return NULL;
  }
  return NULL;
}

static void go_through(const char *(*check)(struct pool *p, int workers))
{
  for (int priority = 0; priority <= 20; priority += 20) {
    struct scenario s = {.check = check, .priority = priority};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, with_all_pools, &s), 0);
    pthread_join(thread, NULL);
    if (s.problem) fail_msg("priority %d, %d workers: %s", priority, s.workers, s.problem);
    if (priority && !s.grant.realtime) print_message("not in real time here: %s\n", s.grant.reason);
  }
}

TEST(the_slowest_share_is_found)
{
  go_through(each_share_slow_in_turn);
}

TEST(the_caller_waits_for_nobody_when_it_is_slow)
{
  go_through(the_caller_slow);
}

TEST(a_lost_worker_is_done_without)
{
  go_through(lose_first);
  go_through(lose_last);
}

TEST(two_lost_workers_are_done_without)
{
  go_through(lose_two);
}

TEST(the_caller_is_left_alone)
{
  go_through(lose_all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_slowest_share_is_found),
      cmocka_unit_test(the_caller_waits_for_nobody_when_it_is_slow),
      cmocka_unit_test(a_lost_worker_is_done_without),
      cmocka_unit_test(two_lost_workers_are_done_without),
      cmocka_unit_test(the_caller_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
