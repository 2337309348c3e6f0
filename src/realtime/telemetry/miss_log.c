/* SPDX-License-Identifier: MIT
 * The last missed deadlines, in shared memory, each record with its own sequence lock. Not for the loop. */
#include "telemetry/miss.h"

typedef uint64_t __attribute__((may_alias)) record_word;
enum { RECORD_WORDS = sizeof(struct miss) / sizeof(record_word) };
_Static_assert(sizeof(struct miss) % sizeof(record_word) == 0, "a record is whole words");

void miss_log_write(struct miss_log *log, const struct miss *m)
{
  const uint64_t k = atomic_load_explicit(&log->written, memory_order_relaxed);
  struct miss_slot *slot = &log->slot[k % MISS_LOG];
  const record_word *from = (const record_word *)m;
  record_word *to = (record_word *)&slot->miss;
  atomic_store_explicit(&slot->sequence, 2 * k + 1, memory_order_relaxed);
  for (int i = 0; i < RECORD_WORDS; i++) __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
  atomic_store_explicit(&slot->sequence, 2 * k + 2, memory_order_release);
  atomic_store_explicit(&log->written, k + 1, memory_order_release);
}

bool miss_log_read(const struct miss_log *log, uint64_t k, struct miss *m)
{
  const struct miss_slot *slot = &log->slot[k % MISS_LOG];
  if (k >= atomic_load_explicit(&log->written, memory_order_acquire)) return false;
  const record_word *from = (const record_word *)&slot->miss;
  record_word *to = (record_word *)m;
  for (int i = 0; i < RECORD_WORDS; i++) to[i] = __atomic_load_n(&from[i], __ATOMIC_ACQUIRE);
  return atomic_load_explicit(&slot->sequence, memory_order_relaxed) == 2 * k + 2;
}
