/* SPDX-License-Identifier: MIT
 * Monotonic time as one 64-bit count of nanoseconds, so that comparisons use complete times. */
#ifndef RT_CLOCK_H
#define RT_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

/* CLOCK_MONOTONIC, ns. RT. */
uint64_t clock_now_ns(void);
/* CLOCK_BOOTTIME, ns: like CLOCK_MONOTONIC, and runs on while the machine is suspended. RT. */
uint64_t clock_boot_ns(void);
/* Sleeps until the absolute time; returns at once if it has passed; continues after signals. RT. */
void clock_sleep_until_ns(uint64_t t_ns);
/* Busy-waits until the absolute time: costs processor time, exact to a fraction of a microsecond. RT. */
void clock_spin_until_ns(uint64_t t_ns);
/* For busy-waiting loops: lets the other thread of the core run and saves power. RT. */
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
