/* SPDX-License-Identifier: MIT */
#include "rt/usage.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

enum { PAGES = 64, PAGE = 4096 };

struct victim {
  pthread_t thread;
  pid_t id;
  char *memory;
  struct rusage rusage; /* by another way, at the end */
  sem_t touch, touched, leave;
};

static void *suffer(void *arg)
{
  struct victim *v = arg;
  v->id = gettid();
  sem_post(&v->touched);
  sem_wait(&v->touch);
  for (int i = 0; i < PAGES; i++) ((volatile char *)v->memory)[(size_t)i * PAGE] = 1;
  sem_post(&v->touched);
  sem_wait(&v->leave);
  getrusage(RUSAGE_THREAD, &v->rusage);
  return NULL;
}

static void a_thread_is_told_from_others(void **state)
{
  (void)state;
  struct victim v = {0};
  v.memory = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(v.memory != MAP_FAILED);
  madvise(v.memory, (size_t)PAGES * PAGE, MADV_NOHUGEPAGE); /* one fault each */
  sem_init(&v.touch, 0, 0);
  sem_init(&v.touched, 0, 0);
  sem_init(&v.leave, 0, 0);
  assert_int_equal(pthread_create(&v.thread, NULL, suffer, &v), 0);
  sem_wait(&v.touched);

  struct usage before, after;
  assert_true(usage_read(v.id, &before));
  sem_post(&v.touch);
  sem_wait(&v.touched);
  assert_true(usage_read(v.id, &after));
  assert_true(after.page_faults >= before.page_faults + PAGES);
  sem_post(&v.leave);
  pthread_join(v.thread, NULL);
  const uint64_t faults = (uint64_t)(v.rusage.ru_minflt + v.rusage.ru_majflt);
  assert_in_range(after.page_faults, before.page_faults + PAGES, faults);
  assert_in_range(after.preemptions, before.preemptions, (uint64_t)v.rusage.ru_nivcsw);
  assert_false(usage_read(v.id, &after)); /* it has ended */
  munmap(v.memory, (size_t)PAGES * PAGE);
}

/* Two that never sleep, on one processor: the kernel has to take it from one for the other. */
static void *spin(void *arg)
{
  const _Atomic int *stop = arg;
  while (!*stop) continue;
  return NULL;
}

static void preemptions_are_counted(void **state)
{
  (void)state;
  cpu_set_t all, one;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &all)) cpu++;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
  _Atomic int stop = 0;
  pthread_t other;
  struct usage before, now;
  assert_int_equal(pthread_create(&other, NULL, spin, &stop), 0);
  assert_true(usage_read(gettid(), &before));
  do assert_true(usage_read(gettid(), &now));
  while (now.preemptions < before.preemptions + 3); /* for ever, if they were not: ctest ends it */
  stop = 1;
  pthread_join(other, NULL);
  sched_setaffinity(0, sizeof all, &all);
  struct rusage rusage;
  getrusage(RUSAGE_THREAD, &rusage);
  assert_true(now.preemptions <= (uint64_t)rusage.ru_nivcsw);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thread_is_told_from_others),
      cmocka_unit_test(preemptions_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
