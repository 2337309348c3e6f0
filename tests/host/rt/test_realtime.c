/* SPDX-License-Identifier: MIT
 * Compares the grant with other sources of the system. */
#include "check.h"
#include "rt/realtime.h"

#include "common/sanitized.h"
#include "common/unprivileged.h"

#include <float.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number from /proc/self/status; -1 if it is missing. */
static long status_value(const char *key)
{
  char line[256];
  long value = -1;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (strncmp(line, key, strlen(key)) == 0) value = strtol(line + strlen(key) + 1, NULL, 10);
  if (f) fclose(f);
  return value;
}

static int any_cpu(void)
{
  cpu_set_t cpus;
  int cpu = 0;
  sched_getaffinity(0, sizeof cpus, &cpus);
  while (!CPU_ISSET(cpu, &cpus)) cpu++;
  return cpu;
}

struct promoted {
  int priority, cpu;
  bool want_locked;
  struct realtime_grant grant;
  int policy, real_priority;
  bool term_blocked, fault_blocked, flushes_denormals;
  int child_policy; /* policy of a forked process */
};

static void *promote(void *arg)
{
  struct promoted *p = arg;
  sigset_t mask;
  struct sched_param param;
  realtime_promote_self(p->priority, p->cpu, p->want_locked, &p->grant);
  pthread_getschedparam(pthread_self(), &p->policy, &param);
  p->policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  sched_getparam(0, &param);
  p->real_priority = param.sched_priority;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  p->term_blocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGINT) == 1;
  p->fault_blocked = sigismember(&mask, SIGSEGV) == 1;
  volatile double tiny = DBL_MIN;
  tiny *= 0.5;
  p->flushes_denormals = tiny == 0.0;
  const pid_t pid = fork();
  if (pid == 0) _exit(sched_getscheduler(0));
  int status = -1;
  if (pid > 0) waitpid(pid, &status, 0);
  p->child_policy = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return NULL;
}

static void in_thread(struct promoted *p)
{
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, promote, p), 0);
  pthread_join(thread, NULL);
}

TEST(the_grant_is_true)
{
  struct promoted p = {.priority = 42, .cpu = any_cpu()};
  in_thread(&p);
  assert_int_equal(p.grant.policy, p.policy);
  assert_int_equal(p.grant.priority, p.real_priority);
  assert_int_equal(p.grant.cpu, p.cpu);
  assert_true(p.term_blocked);
  assert_false(p.fault_blocked);
#if defined(__SSE2__) || defined(__aarch64__)
  assert_true(p.flushes_denormals);
#endif
  assert_int_equal(p.child_policy, SCHED_OTHER);
  assert_int_equal(p.grant.realtime, p.policy == SCHED_FIFO && p.real_priority == 42);
  assert_int_equal(p.grant.realtime, p.grant.reason[0] == '\0');
  if (!p.grant.realtime) print_message("not real time here: %s\n", p.grant.reason);
}

TEST(refusals_are_named)
{
  struct promoted p = {.priority = 0, .cpu = -1};
  in_thread(&p); /* nothing was asked for and nothing refused, but it is not real time */
  assert_false(p.grant.realtime);
  assert_string_equal(p.grant.reason, "");
  assert_int_equal(p.policy, SCHED_OTHER);

  p = (struct promoted){.priority = 1, .cpu = CPU_SETSIZE - 1};
  in_thread(&p);
  assert_false(p.grant.realtime);
  assert_non_null(strstr(p.grant.reason, "CPU 1023: Invalid argument"));

  p = (struct promoted){.priority = 100, .cpu = -1};
  in_thread(&p);
  assert_false(p.grant.realtime);
  assert_non_null(strstr(p.grant.reason, "SCHED_FIFO 100: Invalid argument"));

  p = (struct promoted){.priority = 1, .cpu = -1, .want_locked = true};
  in_thread(&p);
  assert_false(p.grant.realtime);
  assert_true(p.grant.reason[0]);
}

static int without_privilege(void)
{
  if (!give_up_realtime()) return 1;
  struct promoted p = {.priority = 80, .cpu = -1, .want_locked = true};
  realtime_lock_memory(&p.grant);
  if (p.grant.locked) return 2;
  if (!strstr(p.grant.reason, "memlock unlimited")) return 3;
  /* After a refused lock a process can still get memory. */
  char *memory = malloc(8 << 20);
  if (!memory) return 4;
  memset(memory, 1, 8 << 20);
  free(memory);
  realtime_promote_self(80, -1, true, &p.grant);
  if (p.grant.realtime || p.grant.policy != SCHED_OTHER) return 5;
  if (!strstr(p.grant.reason, "SCHED_FIFO 80: Operation not permitted: run as root, or set `rtprio 95`"))
    return 6;
  if (!TEST_SANITIZED && strstr(p.grant.reason, "...")) return 7; /* both remedies fit */
  return 0;
}

TEST(refusals_name_the_remedy)
{
  assert_int_equal(in_child(without_privilege), 0);
}

static int lock_here(void)
{
  struct realtime_grant grant = {0};
  realtime_lock_memory(&grant);
  const long locked = status_value("VmLck:");
  if (grant.locked_kb > locked) return 1;
  if (!grant.locked) return grant.reason[0] ? 77 : 2;
  if (locked < status_value("VmRSS:")) return 3;

  /* Memory that the set-up allocates and frees later causes no page fault. */
  struct rusage before, after;
  getrusage(RUSAGE_THREAD, &before);
  for (int i = 0; i < 100; i++) {
    volatile char *memory = malloc(1 << 20);
    for (int k = 0; k < 1 << 20; k += 4096) memory[k] = 1;
    free((void *)memory);
  }
  getrusage(RUSAGE_THREAD, &after);
  return after.ru_minflt - before.ru_minflt < 10 && after.ru_majflt == before.ru_majflt ? 0 : 4;
}

TEST(memory_is_locked_and_present)
{
  /* A sanitizer's address space is too large to lock. */
  const int status = TEST_SANITIZED ? 77 : in_child(lock_here);
  if (status == 77) {
    print_message("skipped: this host does not let us lock memory\n");
    skip();
  }
  assert_int_equal(status, 0);
}

struct ordinary {
  int policy;
  bool blocked;
  size_t stack;
};

static void *report_self(void *arg)
{
  struct ordinary *o = arg;
  pthread_attr_t attr;
  sigset_t mask;
  o->policy = sched_getscheduler(0);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  o->blocked = sigismember(&mask, SIGTERM) == 1;
  pthread_getattr_np(pthread_self(), &attr);
  pthread_attr_getstacksize(&attr, &o->stack);
  pthread_attr_destroy(&attr);
  return NULL;
}

static void *start_from_fifo(void *arg)
{
  struct ordinary *o = arg;
  struct realtime_grant grant = {0};
  sigset_t none;
  pthread_t thread;
  realtime_promote_self(5, -1, false, &grant);
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, NULL);
  if (thread_start_ordinary(&thread, "a-name-that-is-too-long", 100, report_self, o) != 0)
    return "not started";
  pthread_join(thread, NULL);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  return sigismember(&mask, SIGTERM) ? "the creator's mask was not restored" : NULL;
}

TEST(ordinary_threads_are_ordinary)
{
  struct ordinary o = {0};
  pthread_t thread;
  void *problem = NULL;
  assert_int_equal(pthread_create(&thread, NULL, start_from_fifo, &o), 0);
  pthread_join(thread, &problem);
  assert_null(problem);
  assert_int_equal(o.policy, SCHED_OTHER);
  assert_true(o.blocked);
  assert_in_range(o.stack, 100 << 10, 2 << 20); /* a sanitizer adds to it; the default would be 8 MiB */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_grant_is_true),
      cmocka_unit_test(refusals_are_named),
      cmocka_unit_test(refusals_name_the_remedy),
      cmocka_unit_test(memory_is_locked_and_present),
      cmocka_unit_test(ordinary_threads_are_ordinary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
