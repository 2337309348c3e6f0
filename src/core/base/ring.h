/* SPDX-License-Identifier: MIT
 * Queue of fixed-size records between exactly one producer and one consumer. It is wait-free and keeps the order. A record that
 * does not fit is refused and counted. */
#ifndef BASE_RING_H
#define BASE_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct ring {
  size_t size;       /* bytes of one record */
  uint32_t capacity; /* power of two */
  char *record;
  _Alignas(64) _Atomic uint32_t head; /* next to write; the producer's */
  _Atomic uint64_t dropped;
  _Alignas(64) _Atomic uint32_t tail; /* next to read; the consumer's */
};

/* Set-up. capacity is rounded up to a power of two. False when out of memory. */
bool ring_init(struct ring *r, size_t size, uint32_t capacity);
void ring_free(struct ring *r);

/* Producer. False, and counted, if less than `spare` free records would remain. For records that matter less than others. RT. */
static inline bool ring_push_sparing(struct ring *r, const void *record, uint32_t spare)
{
  uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
  if (head - atomic_load_explicit(&r->tail, memory_order_acquire) + spare >= r->capacity) {
    atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
    return false;
  }
  memcpy(r->record + (head & (r->capacity - 1)) * r->size, record, r->size);
  atomic_store_explicit(&r->head, head + 1, memory_order_release);
  return true;
}

/* Producer. False, and counted, if the ring is full. RT. */
static inline bool ring_push(struct ring *r, const void *record)
{
  return ring_push_sparing(r, record, 0);
}

/* Producer. A lower bound of the number of records that fit. RT. */
static inline uint32_t ring_room(const struct ring *r)
{
  return r->capacity - (atomic_load_explicit(&r->head, memory_order_relaxed) -
                        atomic_load_explicit(&r->tail, memory_order_acquire));
}

/* Consumer. False if the ring is empty. RT. */
static inline bool ring_pop(struct ring *r, void *record)
{
  uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  if (atomic_load_explicit(&r->head, memory_order_acquire) == tail) return false;
  memcpy(record, r->record + (tail & (r->capacity - 1)) * r->size, r->size);
  atomic_store_explicit(&r->tail, tail + 1, memory_order_release);
  return true;
}

/* Consumer. Number of records that can be read, or an upper bound. RT. */
static inline uint32_t ring_count(const struct ring *r)
{
  return atomic_load_explicit(&r->head, memory_order_acquire) -
         atomic_load_explicit(&r->tail, memory_order_relaxed);
}

/* Consumer. RT. */
static inline bool ring_empty(const struct ring *r)
{
  return ring_count(r) == 0;
}

static inline uint64_t ring_dropped(struct ring *r)
{
  return atomic_load_explicit(&r->dropped, memory_order_relaxed);
}

#endif
