/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "rt/pool.h"

#include "common/unprivileged.h"
#include "rt/realtime.h"

#include <float.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SHARES_MAX = 8, RUNS = 10000 };

/* Plain memory on purpose: the pool must order the accesses, which the thread sanitizer checks. */
struct tally {
  uint64_t input;
  struct {
    _Alignas(64) uint64_t sum, calls;
    pthread_t thread;
    int strangers; /* calls in another thread than the first */
  } share[SHARES_MAX];
  int wrong_shares;
};

static void count(void *arg, int share, int shares)
{
  struct tally *t = arg;
  if (share < 0 || share >= shares || shares > SHARES_MAX) {
    t->wrong_shares++;
    return;
  }
  if (t->share[share].calls == 0) t->share[share].thread = pthread_self();
  t->share[share].strangers += !pthread_equal(t->share[share].thread, pthread_self());
  t->share[share].calls++;
  t->share[share].sum += t->input * (uint64_t)(share + 1);
}

/* Returns what went wrong, or NULL. No assertions, because this also runs in threads that cmocka does not know. */
static const char *watch_runs(const ali3_exec *exec, int runs, long pause_ns)
{
  struct tally t = {0};
  uint64_t expected = 0;
  for (int n = 1; n <= runs; n++) {
    t.input = (uint64_t)n;
    expected += (uint64_t)n;
    exec->run(exec->context, count, &t);
    for (int i = 0; i < exec->shares; i++) { /* all shares are done and visible when run() returns */
      if (t.share[i].calls != (uint64_t)n) return "a share was not run exactly once";
      if (t.share[i].sum != expected * (uint64_t)(i + 1)) return "a share saw old memory";
    }
    if (pause_ns) nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
  }
  if (t.wrong_shares) return "a share number was out of range";
  for (int i = 0; i < exec->shares; i++) {
    if (t.share[i].strangers) return "a share changed its thread";
    for (int k = 0; k < i; k++)
      if (pthread_equal(t.share[i].thread, t.share[k].thread)) return "two shares have one thread";
  }
  return pthread_equal(t.share[0].thread, pthread_self()) ? NULL : "share 0 is not the caller's";
}

static const char *run_many(const struct pool_config *config, int runs, long pause_ns)
{
  char error[256];
  struct pool *p = pool_new(config, error, sizeof error);
  if (!p) return "no pool";
  const char *problem = pool_exec(p)->shares == config->workers + 1 ? NULL : "wrong number of shares";
  if (!problem) problem = watch_runs(pool_exec(p), runs, pause_ns);
  pool_free(p);
  return problem;
}

TEST(every_share_exactly_once)
{
  static const int workers[] = {0, 1, 2, 7}; /* 7: probably more than this machine's processors */
  for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
    assert_null(run_many(&(struct pool_config){.workers = workers[i], .first_cpu = -1}, RUNS, 0));
}

TEST(workers_that_sleep_are_woken)
{
  assert_null(run_many(&(struct pool_config){.workers = 1, .first_cpu = -1}, 200, 300000));
  assert_null(run_many(&(struct pool_config){.workers = 7, .first_cpu = -1}, 200, 300000));
}

TEST(all_on_one_processor)
{
  cpu_set_t before, one;
  int cpu = 0;
  assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
  while (!CPU_ISSET(cpu, &before)) cpu++;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  assert_null(run_many(&(struct pool_config){.workers = 3, .first_cpu = -1}, 2000, 0));
  assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

struct fifo_run {
  struct realtime_grant grant;
  const char *problem;
};

static void *fifo_caller(void *arg)
{
  struct fifo_run *r = arg;
  static const int workers[] = {1, 2, 7};
  realtime_promote_self(20, -1, false, &r->grant);
  for (size_t i = 0; r->grant.realtime && !r->problem && i < sizeof workers / sizeof *workers; i++)
    r->problem = run_many(&(struct pool_config){workers[i], 20, -1, 0}, RUNS, 0);
  return NULL;
}

/* Equal priorities, more threads than processors: only bounded spinning makes progress. */
TEST(real_time_workers_do_not_starve_each_other)
{
  struct fifo_run r = {0};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, fifo_caller, &r), 0);
  pthread_join(thread, NULL);
  if (!r.grant.realtime) {
    print_message("skipped: %s\n", r.grant.reason);
    skip();
  }
  assert_null(r.problem);
}

struct seen {
  int policy, priority, cpu;
  bool term_blocked, flushes_denormals;
  char name[16];
};

static void look(void *arg, int share, int shares)
{
  (void)shares;
  struct seen *s = (struct seen *)arg + share;
  struct sched_param param;
  sigset_t mask;
  cpu_set_t cpus;
  s->policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  sched_getparam(0, &param);
  s->priority = param.sched_priority;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  s->term_blocked = sigismember(&mask, SIGTERM) == 1;
  volatile double tiny = DBL_MIN;
  tiny *= 0.5;
  s->flushes_denormals = tiny == 0.0;
  sched_getaffinity(0, sizeof cpus, &cpus);
  s->cpu = -1;
  for (int i = 0; CPU_COUNT(&cpus) == 1 && i < CPU_SETSIZE; i++)
    if (CPU_ISSET(i, &cpus)) s->cpu = i;
  pthread_getname_np(pthread_self(), s->name, sizeof s->name);
}

TEST(workers_are_set_up)
{
  char error[256];
  cpu_set_t cpus;
  int cpu = 0;
  assert_int_equal(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  while (!CPU_ISSET(cpu, &cpus)) cpu++;
  struct pool *p = pool_new(&(struct pool_config){1, 30, cpu, 0}, error, sizeof error);
  assert_non_null(p);
  struct seen seen[2] = {0};
  pool_exec(p)->run(pool_exec(p)->context, look, seen);
  assert_string_equal(seen[1].name, "ali3-w1");
  assert_true(seen[1].term_blocked);
#if defined(__SSE2__) || defined(__aarch64__)
  assert_true(seen[1].flushes_denormals);
#endif
  assert_int_equal(seen[1].cpu, cpu);
  assert_true(pool_placed(p));
  if (pool_refusal(p)[0]) {
    print_message("not real time here: %s\n", pool_refusal(p));
    assert_int_not_equal(seen[1].policy, SCHED_FIFO);
  } else {
    assert_int_equal(seen[1].policy, SCHED_FIFO);
    assert_int_equal(seen[1].priority, 30);
  }
  pool_free(p);
}

TEST(a_processor_that_is_not_there_is_reported)
{
  char error[256];
  struct pool *p = pool_new(&(struct pool_config){2, 0, CPU_SETSIZE - 1, 0}, error, sizeof error);
  assert_non_null(p);
  assert_non_null(strstr(pool_refusal(p), "worker 1: CPU 1023"));
  assert_false(pool_placed(p));
  struct tally t = {.input = 1};
  pool_exec(p)->run(pool_exec(p)->context, count, &t);
  for (int i = 0; i < 3; i++) assert_int_equal(t.share[i].calls, 1);
  pool_free(p);
}

static int without_privilege(void)
{
  char error[256];
  struct tally t = {.input = 1};
  if (!give_up_realtime()) return 1;
  struct pool *p = pool_new(&(struct pool_config){2, 30, -1, 0}, error, sizeof error);
  if (!p) return 2;
  if (!strstr(pool_refusal(p), "SCHED_FIFO 30: Operation not permitted") || !pool_placed(p)) return 3;
  pool_exec(p)->run(pool_exec(p)->context, count, &t);
  for (int i = 0; i < 3; i++)
    if (t.share[i].calls != 1) return 4;
  pool_free(p);
  return 0;
}

TEST(refused_real_time_is_reported_and_works)
{
  assert_int_equal(in_child(without_privilege), 0);
}

TEST(impossible_numbers_are_refused)
{
  char error[256] = "";
  assert_null(pool_new(&(struct pool_config){.workers = -1}, error, sizeof error));
  assert_string_equal(error, "workers: expected 0 to 255, found -1");
  assert_null(pool_new(&(struct pool_config){.workers = 256}, error, sizeof error));
  assert_string_equal(error, "workers: expected 0 to 255, found 256");
  pool_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_share_exactly_once),
      cmocka_unit_test(workers_that_sleep_are_woken),
      cmocka_unit_test(all_on_one_processor),
      cmocka_unit_test(real_time_workers_do_not_starve_each_other),
      cmocka_unit_test(workers_are_set_up),
      cmocka_unit_test(a_processor_that_is_not_there_is_reported),
      cmocka_unit_test(refused_real_time_is_reported_and_works),
      cmocka_unit_test(impossible_numbers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
