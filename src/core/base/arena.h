/* SPDX-License-Identifier: MIT
 * Layout of many arrays in one block. The run that computes the size is the layout run with a null base, so that the two cannot
 * differ. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

enum { ARENA_ALIGN = 64 };

struct arena {
  char *base;  /* NULL: sizing only */
  size_t used; /* bytes so far, a multiple of ARENA_ALIGN */
};

/* The next `count` items of `size` bytes, 64-byte aligned; NULL while sizing. */
void *arena_take(struct arena *a, size_t count, size_t size);

/* Zeroed memory, aligned to 64 bytes, for free(); NULL when out of memory. Set-up only. */
void *aligned_zalloc(size_t size);

#endif
