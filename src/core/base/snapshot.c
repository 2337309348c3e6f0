/* SPDX-License-Identifier: MIT */
#include "base/snapshot.h"
#include "base/arena.h"

#include <stdlib.h>

bool snapshot_init(struct snapshot *s, size_t size)
{
  *s = (struct snapshot){.size = size, .write = 0, .read = 2};
  atomic_init(&s->middle, 1);
  for (int i = 0; i < 3; i++) {
    s->slot[i] = aligned_zalloc(size);
    if (!s->slot[i]) {
      snapshot_free(s);
      return false;
    }
  }
  return true;
}

void snapshot_free(struct snapshot *s)
{
  for (int i = 0; i < 3; i++) {
    free(s->slot[i]);
    s->slot[i] = NULL;
  }
}
