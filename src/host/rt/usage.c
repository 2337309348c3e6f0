/* SPDX-License-Identifier: MIT */
#include "rt/usage.h"

#include "rt/clock.h"

#include <sys/resource.h>

void usage_now(struct usage *u)
{
  struct rusage r;
  struct timespec cpu; /* getrusage() counts times in ticks, so this clock is read instead */
  getrusage(RUSAGE_THREAD, &r);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  *u = (struct usage){.span_ns = clock_now_ns(),
                      .cpu_ns = clock_ns(cpu),
                      .minor = (uint64_t)r.ru_minflt,
                      .major = (uint64_t)r.ru_majflt,
                      .voluntary = (uint64_t)r.ru_nvcsw,
                      .involuntary = (uint64_t)r.ru_nivcsw};
}

struct usage usage_since(const struct usage *now, const struct usage *before)
{
  return (struct usage){.span_ns = now->span_ns - before->span_ns,
                        .cpu_ns = now->cpu_ns - before->cpu_ns,
                        .minor = now->minor - before->minor,
                        .major = now->major - before->major,
                        .voluntary = now->voluntary - before->voluntary,
                        .involuntary = now->involuntary - before->involuntary};
}

/* An intended wait counts as a sleep even if the kernel did not switch: never go below 0. */
void usage_forgive(struct usage *u, uint64_t sleeps, uint64_t slept_ns)
{
  u->voluntary -= sleeps < u->voluntary ? sleeps : u->voluntary;
  u->span_ns -= slept_ns < u->span_ns ? slept_ns : u->span_ns;
}
