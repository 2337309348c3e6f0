/* SPDX-License-Identifier: MIT */
#include "rt/usage.h"

#include "rt/clock.h"

#include <sys/resource.h>

void usage_now(struct usage *u)
{
  struct rusage r;
  struct timespec cpu; /* the times of getrusage are those of the last tick */
  getrusage(RUSAGE_THREAD, &r);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  *u = (struct usage){.cpu_ns = clock_ns(cpu),
                      .minor = (uint64_t)r.ru_minflt,
                      .major = (uint64_t)r.ru_majflt,
                      .voluntary = (uint64_t)r.ru_nvcsw,
                      .involuntary = (uint64_t)r.ru_nivcsw};
}

struct usage usage_since(const struct usage *now, const struct usage *before)
{
  return (struct usage){.cpu_ns = now->cpu_ns - before->cpu_ns,
                        .minor = now->minor - before->minor,
                        .major = now->major - before->major,
                        .voluntary = now->voluntary - before->voluntary,
                        .involuntary = now->involuntary - before->involuntary};
}
