/* SPDX-License-Identifier: MIT
 * Shows when the host withholds a processor: a thread on each processor, with a priority above the tests, wakes every 2
 * ms. If it wakes late, no thread below it ran either. It prints a line for each time, "processor seconds": the
 * processor and the duration. It ends with its standard input. Exit status 77 if it does not get its priority, because
 * its lines would then mean nothing. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PRIORITY = 98, STACK = 64 << 10, REFUSED = 77, CPUS_MAX = 64, NS_PER_S = 1000000000 };
static const long long EVERY_NS = 2000000, LATE_NS = 2000000;

static long long now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long long)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static void *watch(void *arg)
{
  const int cpu = (int)(size_t)arg;
  for (;;) {
    const long long due = now_ns() + EVERY_NS;
    const struct timespec until = {due / NS_PER_S, due % NS_PER_S};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL)) continue;
    const long long late = now_ns() - due;
    if (late < LATE_NS) continue;
    char line[64];
    const int n = snprintf(line, sizeof line, "%d %.6f\n", cpu, (double)late * 1e-9);
    if (write(STDOUT_FILENO, line, (size_t)n) != n) return NULL;
  }
}

/* Returns the status of pthread_create(). */
static int start(int cpu)
{
  pthread_attr_t attr;
  pthread_t thread;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  pthread_attr_init(&attr);
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
  pthread_attr_setschedparam(&attr, &(struct sched_param){.sched_priority = PRIORITY});
  pthread_attr_setaffinity_np(&attr, sizeof one, &one);
  pthread_attr_setstacksize(&attr, STACK);
  const int status = pthread_create(&thread, &attr, watch, (void *)(size_t)cpu);
  pthread_attr_destroy(&attr);
  return status;
}

int main(void)
{
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine)) return 1;
  for (int cpu = 0; cpu < CPUS_MAX; cpu++) {
    const int status = CPU_ISSET(cpu, &mine) ? start(cpu) : 0;
    if (status) {
      fprintf(stderr, "SCHED_FIFO %d: %s\n", PRIORITY, strerror(status));
      return REFUSED;
    }
  }
  char ignored[64];
  while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) continue;
  return 0;
}
