/* SPDX-License-Identifier: MIT
 * Exchange of the latest value between exactly one writer and one reader: a triple buffer. It is wait-free on both sides, and
 * values are never torn. The next value replaces a value that has not been read.
 *
 * Invariants: 1. The three indices write, middle, read are always a permutation of 0, 1, 2. 2. Only the writer accesses slot
 * `write`, and only the reader slot `read`. 3. One atomic exchange swaps the middle index, and orders the accesses to the
 * data. */
#ifndef BASE_SNAPSHOT_H
#define BASE_SNAPSHOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct snapshot {
  size_t size; /* bytes of one value */
  char *slot[3];
  _Alignas(64) unsigned write;     /* writer's own */
  _Alignas(64) unsigned read;      /* reader's own */
  _Alignas(64) atomic_uint middle; /* index, plus SNAPSHOT_FRESH if not yet read */
};

#define SNAPSHOT_FRESH 4u

/* Set-up: three zeroed slots. False when out of memory. */
bool snapshot_init(struct snapshot *s, size_t size);
void snapshot_free(struct snapshot *s);

/* Writer: returns the slot for the next value; snapshot_publish() then publishes it. The slot holds an old value, the last but
 * one or two. RT. */
static inline void *snapshot_begin(struct snapshot *s)
{
  return s->slot[s->write];
}
static inline void snapshot_publish(struct snapshot *s)
{
  s->write = atomic_exchange_explicit(&s->middle, s->write | SNAPSHOT_FRESH, memory_order_acq_rel) & 3u;
}

/* Reader: takes the newest value; true if it is new. snapshot_value() returns it until the next take. RT. */
static inline bool snapshot_take(struct snapshot *s)
{
  if (!(atomic_load_explicit(&s->middle, memory_order_relaxed) & SNAPSHOT_FRESH)) return false;
  s->read = atomic_exchange_explicit(&s->middle, s->read, memory_order_acq_rel) & 3u;
  return true;
}
static inline const void *snapshot_value(const struct snapshot *s)
{
  return s->slot[s->read];
}

#endif
