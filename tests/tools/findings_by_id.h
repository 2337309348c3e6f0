/* SPDX-License-Identifier: MIT */
#ifndef TEST_FINDINGS_BY_ID_H
#define TEST_FINDINGS_BY_ID_H

#include "ali3-doctor/findings.h"

#include <string.h>

/* Returns NULL if there is none. */
static inline const struct finding *findings_get(const struct findings *all, const char *id)
{
  for (int i = 0; i < all->count; i++)
    if (strcmp(all->list[i].id, id) == 0) return &all->list[i];
  return NULL;
}

#endif
