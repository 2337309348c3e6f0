/* SPDX-License-Identifier: MIT */
#include "yaml/places.h"

#include <stdlib.h>

bool places_add(struct place_list *l, int index, struct place at)
{
  if (index >= l->room) {
    const int room = 2 * index + 16;
    struct place *more = realloc(l->at, (size_t)room * sizeof *more);
    if (!more) return false;
    l->at = more;
    l->room = room;
  }
  while (l->count <= index) l->at[l->count++] = (struct place){0};
  l->at[index] = at;
  return true;
}

struct place places_get(const struct place_list *l, int index)
{
  return index >= 0 && index < l->count ? l->at[index] : (struct place){0};
}

void places_free(struct places *p)
{
  free(p->file);
  free(p->body.at);
  free(p->joint.at);
  free(p->force.at);
  *p = (struct places){0};
}
