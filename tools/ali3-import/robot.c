/* SPDX-License-Identifier: MIT
 * Memory and names of a robot. */
#include "robot.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 16 }; /* bytes before each block, which keep it aligned */

_Static_assert(sizeof(struct memory) <= HEAD && HEAD % alignof(max_align_t) == 0, "a block is aligned");

void *robot_take(struct robot *r, size_t count, size_t size)
{
  if (size && count > (SIZE_MAX - HEAD) / size) return NULL;
  struct memory *block = calloc(1, HEAD + count * size);
  if (!block) return NULL;
  block->next = r->memory;
  r->memory = block;
  return (char *)block + HEAD;
}

char *robot_text(struct robot *r, const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = robot_take(r, size, 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

bool robot_grow(struct robot *r, void **list, int count, int *room, size_t size)
{
  if (count < *room) return true;
  if (*room > 1 << 20) return false;
  const int more = *room ? 2 * *room : 16;
  void *grown = robot_take(r, (size_t)more, size);
  if (!grown) return false;
  if (count) memcpy(grown, *list, (size_t)count * size);
  *list = grown;
  *room = more;
  return true;
}

void robot_free(struct robot *r)
{
  for (struct memory *block = r->memory, *next; block; block = next) {
    next = block->next;
    free(block);
  }
  r->memory = NULL;
}

int robot_find_link(const struct robot *r, const char *name)
{
  for (int i = 0; i < r->links; i++)
    if (strcmp(r->link[i].name, name) == 0) return i;
  return NONE;
}

int robot_find_joint(const struct robot *r, const char *name)
{
  for (int i = 0; i < r->joints; i++)
    if (strcmp(r->joint[i].name, name) == 0) return i;
  return NONE;
}
