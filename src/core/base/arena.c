/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

static size_t round_up(size_t size)
{
  return (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

void *arena_take(struct arena *a, size_t count, size_t size)
{
  void *p = a->base ? a->base + a->used : NULL;
  a->used += round_up(count * size);
  return p;
}

void *aligned_zalloc(size_t size)
{
  size_t bytes = round_up(size ? size : 1);
  void *p = aligned_alloc(ARENA_ALIGN, bytes);
  if (p) memset(p, 0, bytes);
  return p;
}
