/* SPDX-License-Identifier: MIT
 * Writing slots. RT.
 *
 * A slot is guarded by its own sequence: odd before the first word of it changes, even after the last. The fences order these
 * stores for readers, which look at the sequence before and after they copy. */
#include "frames/writer.h"

#include <stdatomic.h>

static struct frames_slot *slot_at(struct frames_head *h, uint64_t n)
{
  return (struct frames_slot *)(void *)((char *)h + h->slots_at + n % h->slots * h->slot_bytes);
}

struct frames_slot *frames_begin(struct frames_writer *w)
{
  if (!w->head) return NULL;
  w->slot = slot_at(w->head, w->next);
  atomic_store_explicit(&w->slot->sequence, 2 * w->next + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  return w->slot;
}

void frames_commit(struct frames_writer *w)
{
  atomic_store_explicit(&w->slot->sequence, 2 * w->next + 2, memory_order_release);
  w->next++;
  atomic_store_explicit(&w->head->slots_written, w->next, memory_order_release);
}

void *frames_state_begin(struct frames_writer *w)
{
  struct frames_head *h = w->head;
  w->state =
      (struct frames_state *)(void *)((char *)h + h->states_at + w->next_state % h->states * h->state_bytes);
  atomic_store_explicit(&w->state->sequence, 2 * w->next_state + 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  return w->state + 1;
}

void frames_state_commit(struct frames_writer *w, uint64_t cycle)
{
  w->state->cycle = cycle;
  atomic_store_explicit(&w->state->sequence, 2 * w->next_state + 2, memory_order_release);
  w->next_state++;
  atomic_store_explicit(&w->head->states_written, w->next_state, memory_order_release);
}
