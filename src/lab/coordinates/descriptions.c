/* SPDX-License-Identifier: MIT
 * The list of descriptions, which their own files do not know. */
#include "coordinates/problem.h"

#include <string.h>

const struct description *const lab_descriptions[] = {&description_natural, &description_absolute,
                                                      &description_joint, NULL};

const struct description *lab_find_description(const char *name)
{
  for (int i = 0; lab_descriptions[i]; i++)
    if (strcmp(lab_descriptions[i]->name, name) == 0) return lab_descriptions[i];
  return NULL;
}
