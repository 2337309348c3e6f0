/* SPDX-License-Identifier: MIT */
#include "common/globs.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Marks the names that a pattern matches. Returns their number. */
static int mark_names(const struct globs_names *n, const char *glob, bool *marked)
{
  int found = 0;
  for (int i = 0; i < n->count; i++)
    if (fnmatch(glob, n->name(n->of, i), 0) == 0) {
      marked[i] = true;
      found++;
    }
  return found;
}

int *globs_choose(const struct globs_names *n, const char *globs, const char *program, const char *option,
                  int *chosen)
{
  bool *marked = calloc((size_t)n->count + 1, sizeof *marked);
  int *index = calloc((size_t)n->count + 1, sizeof *index);
  char *list = strdup(globs ? globs : "*"), *rest = NULL;
  bool good = marked && index && list;
  if (!good) fprintf(stderr, "%s: %s: out of memory\n", program, option);
  /* Mark the names of each pattern, then list them in their order. */
  for (char *g = good ? strtok_r(list, ",", &rest) : NULL; g; g = strtok_r(NULL, ",", &rest))
    if (mark_names(n, g, marked) == 0) {
      fprintf(stderr, "%s: %s: no signal has a name such as \"%s\"\n", program, option, g);
      good = false;
    }
  *chosen = 0;
  for (int i = 0; good && i < n->count; i++)
    if (marked[i]) index[(*chosen)++] = i;
  if (good && *chosen == 0) {
    fprintf(stderr, "%s: %s: expected at least one name or pattern\n", program, option);
    good = false;
  }
  free(list);
  free(marked);
  if (good) return index;
  free(index);
  return NULL;
}
