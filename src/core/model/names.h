/* SPDX-License-Identifier: MIT
 * A hash table from names to indices, so that models of 100 000 bodies load in linear time. It does not copy names. */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct names {
  struct name_slot {
    const char *key; /* NULL: free */
    int index;
  } * slot;
  size_t room, used; /* room: a power of two */
};

int names_find(const struct names *n, const char *key);      /* -2: unknown */
bool names_add(struct names *n, const char *key, int index); /* false: out of memory */
void names_free(struct names *n);

#endif
