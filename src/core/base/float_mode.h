/* SPDX-License-Identifier: MIT
 * The floating-point mode of the library: round to nearest, denormals are zero, no exception traps. Motions that decay pass
 * through denormals, which take a hundred times as long. The bits of a step must not depend on the mode of the calling thread,
 * which belongs to another program. A public call that computes, and every share of work, enters the mode and restores the
 * thread's own at its end.
 *
 * The compiler does not know that sums depend on the mode: computations stand in a function that is not inlined between the
 * calls of this header: one with FLOAT_MODE_BODY, or one of another source. */
#ifndef BASE_FLOAT_MODE_H
#define BASE_FLOAT_MODE_H

#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define FLOAT_MODE_BODY __attribute__((noinline))

/* RT. Returns the mode of the calling thread, for float_mode_leave(). */
static inline uint64_t float_mode_enter(void)
{
#if defined(__SSE2__)
  const unsigned sticky = 0x3f, mode = 0x9fc0; /* all exceptions masked, flush to zero, denormals are zero */
  const unsigned was = _mm_getcsr();
  if ((was & ~sticky) != mode) _mm_setcsr(mode);
  return was;
#elif defined(__aarch64__)
  uint64_t was;
  __asm__ volatile("mrs %0, fpcr" : "=r"(was));
  __asm__ volatile("msr fpcr, %0" ::"r"(UINT64_C(1) << 24) : "memory"); /* flush to zero */
  return was;
#else
  return 0;
#endif
}

/* RT. Restores the mode, with the flags of exceptions that were raised before. */
static inline void float_mode_leave(uint64_t was)
{
#if defined(__SSE2__)
  const unsigned sticky = 0x3f;
  if (((unsigned)was & ~sticky) != 0x9fc0) _mm_setcsr((unsigned)was);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" ::"r"(was) : "memory");
#else
  (void)was;
#endif
}

#endif
