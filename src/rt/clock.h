/* SPDX-License-Identifier: MIT
 * Monotonic time as one 64-bit count of nanoseconds: whole instants are compared, never a part of one. */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC, ns. RT. */
uint64_t clock_now_ns(void);
/* Sleeps until the absolute instant; returns at once if it has passed; goes on after signals. RT. */
void clock_sleep_until_ns(uint64_t t_ns);
/* The same, awake: burns the processor, and is there to the fraction of a microsecond. RT. */
void clock_spin_until_ns(uint64_t t_ns);
/* Lets the other thread of a core get on, and saves power, in a loop that waits awake. RT. */
static inline void clock_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}
struct timespec clock_timespec(uint64_t ns);
uint64_t clock_ns(struct timespec t);

#endif
