/* SPDX-License-Identifier: MIT */
#include "rt/clock.h"

#include <errno.h>

uint64_t clock_ns(struct timespec t)
{
  return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

struct timespec clock_timespec(uint64_t ns)
{
  return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

uint64_t clock_now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return clock_ns(t);
}

uint64_t clock_boot_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return clock_ns(t);
}

void clock_sleep_until_ns(uint64_t t_ns)
{
  const struct timespec t = clock_timespec(t_ns);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
  }
}

void clock_spin_until_ns(uint64_t t_ns)
{
  while (clock_now_ns() < t_ns) clock_pause();
}
