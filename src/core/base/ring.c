/* SPDX-License-Identifier: MIT */
#include "base/ring.h"
#include "base/arena.h"

#include <stdlib.h>

bool ring_init(struct ring *r, size_t size, uint32_t capacity)
{
  uint32_t c = 1;
  while (c < capacity && c < UINT32_C(1) << 31) c *= 2;
  *r = (struct ring){.size = size, .capacity = c};
  atomic_init(&r->head, 0);
  atomic_init(&r->tail, 0);
  atomic_init(&r->dropped, 0);
  r->record = c < capacity || size > SIZE_MAX / 2 / c ? NULL : aligned_zalloc(size * c);
  return r->record != NULL;
}

void ring_free(struct ring *r)
{
  free(r->record);
  r->record = NULL;
}
