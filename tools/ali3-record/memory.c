/* SPDX-License-Identifier: MIT
 * Slots that the ring of the daemon may not hold for long enough: a copy of the newest ones, for the time before a start. */
#include "record.h"

#include <stdlib.h>
#include <string.h>

bool memory_open(struct memory *m, const struct frames_reader *r, uint64_t room)
{
  *m = (struct memory){.slot_bytes = r->head.slot_bytes};
  if (room == 0) return true;
  m->slot = calloc(room, m->slot_bytes);
  m->number = calloc(room, sizeof *m->number);
  if (m->slot && m->number) {
    m->room = room;
    fprintf(stderr,
            "ali3-record: keeps the last %llu cycles itself, %.0f MB: the ring of the daemon is shorter\n",
            (unsigned long long)room, (double)room * (double)m->slot_bytes / 1e6);
    return true;
  }
  memory_close(m);
  fprintf(stderr, "ali3-record: --before: no memory for %llu cycles of %llu bytes; choose a shorter time\n",
          (unsigned long long)room, (unsigned long long)r->head.slot_bytes);
  return false;
}

void memory_close(struct memory *m)
{
  free(m->slot);
  free(m->number);
  *m = (struct memory){0};
}

void memory_put(struct memory *m, uint64_t n, const struct frames_slot *slot)
{
  if (m->room == 0) return;
  memcpy(m->slot + n % m->room * m->slot_bytes, slot, m->slot_bytes);
  m->number[n % m->room] = n + 1;
}

bool memory_take(const struct memory *m, uint64_t n, struct frames_slot *to)
{
  if (m->room == 0 || m->number[n % m->room] != n + 1) return false;
  memcpy(to, m->slot + n % m->room * m->slot_bytes, m->slot_bytes);
  return true;
}
