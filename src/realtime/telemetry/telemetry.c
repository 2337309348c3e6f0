/* SPDX-License-Identifier: MIT
 * The sequence lock of the telemetry block. */
#include "telemetry/telemetry.h"

#include <sched.h>

/* The live part is copied word by word with atomic words: a reader between two words sees a mixture, which the sequence
 * number reveals, but no data race in the sense of C11. The words carry release and acquire, where the textbook has
 * fences on both sides. Order and x86 instructions are equal, and the thread sanitizer, which does not know fences, can
 * check it. */
typedef uint64_t __attribute__((may_alias)) live_word;
enum {
  LIVE_WORDS = sizeof(struct telemetry_live) / sizeof(live_word),
  TRIES = 10000,
  TRIES_BETWEEN_YIELDS = 16
};

_Static_assert(sizeof(struct telemetry_live) % sizeof(live_word) == 0, "the live part is whole words");
_Static_assert(offsetof(struct telemetry, live) % sizeof(live_word) == 0, "the live part is aligned");

void telemetry_write(struct telemetry *t, const struct telemetry_live *live)
{
  const live_word *from = (const live_word *)live;
  live_word *to = (live_word *)&t->live;
  const uint32_t s = atomic_load_explicit(&t->sequence, memory_order_relaxed);
  atomic_store_explicit(&t->sequence, s + 1, memory_order_relaxed);
  for (size_t i = 0; i < LIVE_WORDS; i++) __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
  atomic_store_explicit(&t->sequence, s + 2, memory_order_release);
}

bool telemetry_read(const struct telemetry *t, struct telemetry_live *live)
{
  const live_word *from = (const live_word *)&t->live;
  live_word *to = (live_word *)live;
  for (int i = 1; i <= TRIES; i++) {
    const uint32_t s = atomic_load_explicit(&t->sequence, memory_order_acquire);
    if (s % 2 == 0) {
      for (size_t k = 0; k < LIVE_WORDS; k++) to[k] = __atomic_load_n(&from[k], __ATOMIC_ACQUIRE);
      if (atomic_load_explicit(&t->sequence, memory_order_relaxed) == s) return true;
    }
    /* The writer may be an ordinary thread that waits for this CPU. */
    if (i % TRIES_BETWEEN_YIELDS == 0) sched_yield();
  }
  return false;
}
