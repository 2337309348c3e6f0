/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "rt/usage.h"

#include "rt/clock.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/mman.h>

enum { PAGES = 64, PAGE = 4096 };

TEST(page_faults_are_counted)
{
  char *memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(memory != MAP_FAILED);
  madvise(memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE); /* one fault each */
  struct usage before, after;
  usage_now(&before);
  for (int i = 0; i < PAGES; i++) ((volatile char *)memory)[(size_t)i * PAGE] = 1;
  usage_now(&after);
  const struct usage since = usage_since(&after, &before);
  assert_true(since.minor + since.major >= PAGES);
  munmap(memory, (size_t)PAGES * PAGE);
}

TEST(sleeping_differs_from_working)
{
  struct usage before, slept, worked;
  usage_now(&before);
  clock_sleep_until_ns(clock_now_ns() + 20 * UINT64_C(1000000));
  usage_now(&slept);
  assert_true(usage_since(&slept, &before).voluntary >= 1);
  assert_true(usage_since(&slept, &before).cpu_ns < 20 * UINT64_C(1000000));
  do usage_now(&worked);
  while (usage_since(&worked, &slept).cpu_ns < 20 * UINT64_C(1000000));
  assert_true(usage_since(&worked, &slept).voluntary <=
              1); /* none by the code; a sanitizer may wait for a lock */
}

/* Two threads on one CPU that never sleep: the scheduler must interrupt them. */
static void *compete(void *arg)
{
  struct usage before, now;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(*(int *)arg, &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
  usage_now(&before);
  const uint64_t end = clock_now_ns() + 300 * NS_PER_S;
  do usage_now(&now);
  while (usage_since(&now, &before).involuntary == 0 && clock_now_ns() < end);
  return (void *)(uintptr_t)(usage_since(&now, &before).involuntary > 0);
}

TEST(preemptions_are_counted)
{
  cpu_set_t all;
  int cpu = 0;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  while (!CPU_ISSET(cpu, &all)) cpu++;
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&thread[i], NULL, compete, &cpu), 0);
  uintptr_t preempted = 0;
  for (int i = 0; i < 2; i++) {
    void *was;
    pthread_join(thread[i], &was);
    preempted |= (uintptr_t)was;
  }
  assert_true(preempted);
}

TEST(sleeps_that_were_meant_are_left_out)
{
  struct usage u = {.span_ns = 100, .cpu_ns = 30, .voluntary = 3, .involuntary = 2};
  usage_forgive(&u, 2, 60);
  assert_int_equal(u.voluntary, 1);
  assert_int_equal(u.span_ns, 40);
  assert_int_equal(u.cpu_ns, 30);
  assert_int_equal(u.involuntary, 2);
  usage_forgive(&u, 2, 60); /* the kernel did not need to switch */
  assert_int_equal(u.voluntary, 0);
  assert_int_equal(u.span_ns, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(page_faults_are_counted),
      cmocka_unit_test(sleeping_differs_from_working),
      cmocka_unit_test(preemptions_are_counted),
      cmocka_unit_test(sleeps_that_were_meant_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
