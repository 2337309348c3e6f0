/* SPDX-License-Identifier: MIT */
#include "model/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a */
static size_t hash_name(const char *key)
{
  uint64_t h = UINT64_C(14695981039346656037);
  for (; *key; key++) h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
  return (size_t)(h ^ (h >> 32));
}

static struct name_slot *find_slot(const struct names *n, const char *key)
{
  size_t i = hash_name(key) & (n->room - 1);
  while (n->slot[i].key && strcmp(n->slot[i].key, key) != 0) i = (i + 1) & (n->room - 1);
  return &n->slot[i];
}

int names_find(const struct names *n, const char *key)
{
  if (!n->room) return -2;
  struct name_slot *s = find_slot(n, key);
  return s->key ? s->index : -2;
}

static bool grow_slots(struct names *n)
{
  struct names bigger = {.room = n->room ? 2 * n->room : 64};
  bigger.slot = calloc(bigger.room, sizeof *bigger.slot);
  if (!bigger.slot) return false;
  for (size_t i = 0; i < n->room; i++)
    if (n->slot[i].key) *find_slot(&bigger, n->slot[i].key) = n->slot[i];
  bigger.used = n->used;
  free(n->slot);
  *n = bigger;
  return true;
}

bool names_add(struct names *n, const char *key, int index)
{
  if (2 * (n->used + 1) > n->room && !grow_slots(n)) return false;
  *find_slot(n, key) = (struct name_slot){.key = key, .index = index};
  n->used++;
  return true;
}

void names_free(struct names *n)
{
  free(n->slot);
  *n = (struct names){0};
}
